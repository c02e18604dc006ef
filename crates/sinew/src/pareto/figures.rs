//! Figures 6 to 9 and tables 2 and 3 of Agrawal & van de Panne 2013, from searches of our own.

use super::comparison::{Compared, comparison_csv, comparison_table};
use super::page::{four_jumps, front_page, in_logarithm, method_name, shown_front};
use super::{Controller, Finished, Method, Search, SearchConfig, run};
use crate::error::Result;
use crate::report::front::{Front, FrontTable, Jump};
use crate::report::page::{Block, Picture, Section};
use crate::report::plots::{FrontPaint, FrontPlot, Svg};
use crate::transfer::{OutputFolder, RunOptions};

/// The four searches that the figures compare.
pub fn searches(base: &dyn Fn(Method) -> SearchConfig) -> [SearchConfig; 4] {
    let without_resampling = SearchConfig { allowed_failures: None, ..base(Method::Rmoo) };
    let mut linear = base(Method::Rmoo);
    linear.objectives.is_linear = true;
    [base(Method::Rmoo), base(Method::Bsoo), without_resampling, linear]
}

/// Runs one of them, on the seed controller.
///
/// # Errors
/// Where the search cannot run, or a jump of its front does not come out again.
pub fn find(config: &SearchConfig, threads: usize, observe: &mut (dyn FnMut(&Search) + Send)) -> Result<Finished> {
    let evaluator = Search::evaluator(config);
    let options = RunOptions { seed: config.seed, threads, checkpoint: None, resumes: false };
    let search = run(&evaluator, config, &Controller::seed(), &options, &mut |_, search| observe(search))?;
    Finished::new(&search, evaluator)
}

/// Writes `figures.html`, `figure-6.svg` to `figure-8d.svg`, `figure-9.png`, `table-2.csv`, `table-3.csv` and `searches.csv`.
///
/// The figures show the searches of one seed, `rows` may be of more.
///
/// # Errors
/// Where a jump cannot be shown or a file not be written.
pub fn write_figures(folder: &OutputFolder, found: &[Finished; 4], rows: &[Compared]) -> Result<()> {
    let shown: Vec<Front> =
        found.iter().map(|finished| shown_front(&method_name(finished), finished)).collect::<Result<_>>()?;
    let [rmoo, bsoo, without] = [&shown[0], &shown[1], &shown[2]];
    let linear = in_logarithm(&shown[3]);
    let view = Jump::view();
    let overlaid = |fronts: [&Front; 2]| {
        let fronts = fronts.map(Front::outline);
        FrontPlot { title: "", view: &view, fronts: &fronts, paint: FrontPaint::Fronts }.to_svg()
    };
    let alone = |front: &Front| {
        FrontPlot { title: "", view: &view, fronts: std::slice::from_ref(front), paint: FrontPaint::Kinds }.to_svg()
    };
    let naturals = |front: &Front| front.points.iter().filter(|point| !point.is_assisted).count();
    let scaling = format!(
        "Figure 7. With the logarithm and without, drawn alike: {} and {} natural points",
        naturals(rmoo),
        naturals(&linear)
    );
    let figures: [(&str, &str, Svg); 7] = [
        ("figure-6", "Figure 6. With resampling and without, after as many generations", overlaid([rmoo, without])),
        ("figure-7", &scaling, overlaid([rmoo, &linear])),
        ("figure-7b", "The front without the logarithm, and jumps that were tried", alone(&linear)),
        ("figure-8a", "Figure 8 (a). RMOO: the front, and jumps that were tried and landed", alone(rmoo)),
        ("figure-8b", "Figure 8 (b). BSOO: the front, and jumps that were tried and landed", alone(bsoo)),
        ("figure-8c", "Figure 8 (c). Both", overlaid([rmoo, bsoo])),
        ("figure-8d", "Without resampling: the front, and jumps that were tried and landed", alone(without)),
    ];
    let strip = four_jumps(rmoo)?.render()?.encode_png()?;
    let tables = [rmoo, bsoo].map(|front| FrontTable::new(&view, front));

    let mut page = front_page(&found[0], rmoo.clone())?;
    "Fronts of jumps".clone_into(&mut page.title);
    page.fronts.push(bsoo.outline());
    let mut blocks = vec![Block::Table(comparison_table(rows))];
    blocks.extend(
        figures.iter().flat_map(|(_, caption, svg)| [Block::Text(format!("{caption}:")), Block::Plot(svg.clone())]),
    );
    let caption =
        "Figure 9. Four jumps by the poses at which their phases begin: brown without help, blue with it".to_owned();
    blocks.push(Block::Picture { caption, picture: Picture::Png(strip.clone()) });
    page.sections = vec![Section::new("The searches", blocks)];
    let mut files: Vec<(String, Vec<u8>)> =
        figures.iter().map(|(name, _, svg)| (format!("{name}.svg"), svg.as_str().as_bytes().to_vec())).collect();
    files.push(("figure-9.png".to_owned(), strip));
    files.push(("table-2.csv".to_owned(), tables[0].to_csv().into_bytes()));
    files.push(("table-3.csv".to_owned(), tables[1].to_csv().into_bytes()));
    files.push(("searches.csv".to_owned(), comparison_csv(rows).into_bytes()));
    files.push(("figures.html".to_owned(), page.to_html()?.into_bytes()));
    folder.write(&files)
}
