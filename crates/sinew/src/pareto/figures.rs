//! Figures 6 to 9 and tables 2 and 3 of Agrawal & van de Panne 2013, from searches of our own.

use super::page::{four_jumps, front_page, method_name, shown_front};
use super::{Controller, Finished, Method, Search, SearchConfig, run};
use crate::report::front::{Front, FrontTable, Jump, Quantity};
use crate::report::page::{Block, Picture, Section, Table};
use crate::report::plots::{FrontPaint, FrontPlot, Svg};
use crate::transfer::{OutputFolder, RunOptions};
use anyhow::Result;

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

/// Writes `figures.html`, `figure-6.svg` to `figure-8c.svg`, `figure-9.png`, `table-2.csv` and `table-3.csv`.
///
/// # Errors
/// Where a jump cannot be shown or a file not be written.
pub fn write_figures(folder: &OutputFolder, found: &[Finished; 4]) -> Result<()> {
    let shown: Vec<Front> =
        found.iter().map(|finished| shown_front(&method_name(finished), finished)).collect::<Result<_>>()?;
    let [rmoo, bsoo, without, linear] = [&shown[0], &shown[1], &shown[2], &shown[3]];
    let view = Jump::view();
    let mut linear_view = Jump::view();
    linear_view.quantities[linear_view.y] = Quantity::new("effort and assist", "", 2);
    let overlaid = |title: &str, fronts: [&Front; 2]| {
        let fronts = fronts.map(Front::outline);
        FrontPlot { title, view: &view, fronts: &fronts, paint: FrontPaint::Fronts }.to_svg()
    };
    let alone = |title: &str, view, front: &Front| {
        FrontPlot { title, view, fronts: std::slice::from_ref(front), paint: FrontPaint::Kinds }.to_svg()
    };
    let figures: [(&str, &str, Svg); 7] = [
        ("figure-6", "With resampling and without, after as many generations", overlaid("", [rmoo, without])),
        ("figure-7a", "Linear scaling: hardly any natural jump is left", alone("", &linear_view, linear)),
        ("figure-7b", "Logarithmic scaling", alone("", &view, rmoo)),
        ("figure-8a", "RMOO: the front, and jumps that were tried", alone("", &view, rmoo)),
        ("figure-8b", "BSOO: its optima, and jumps that were tried", alone("", &view, bsoo)),
        ("figure-8c", "Both", overlaid("", [rmoo, bsoo])),
        ("figure-8d", "Without resampling: the front, and jumps that were tried", alone("", &view, without)),
    ];
    let strip = four_jumps(rmoo)?.render()?.encode_png()?;
    let tables = [rmoo, bsoo].map(|front| FrontTable::new(&view, front));

    let mut page = front_page(&found[0], rmoo.clone())?;
    "Fronts of jumps".clone_into(&mut page.title);
    page.fronts.push(bsoo.outline());
    let mut blocks = vec![Block::Table(comparison(found))];
    blocks.extend(
        figures.iter().flat_map(|(_, caption, svg)| [Block::Text(format!("{caption}:")), Block::Plot(svg.clone())]),
    );
    let caption = "Four jumps by the poses at which their phases begin: brown without help, blue with it".to_owned();
    blocks.push(Block::Picture { caption, picture: Picture::Png(strip.clone()) });
    page.sections = vec![
        Section::new("The searches", blocks),
        Section::new("RMOO", vec![Block::Table(tables[0].to_table())]),
        Section::new("BSOO", vec![Block::Table(tables[1].to_table())]),
    ];
    let mut files: Vec<(String, Vec<u8>)> =
        figures.iter().map(|(name, _, svg)| (format!("{name}.svg"), svg.as_str().as_bytes().to_vec())).collect();
    files.push(("figure-9.png".to_owned(), strip));
    files.push(("table-2.csv".to_owned(), tables[0].to_csv().into_bytes()));
    files.push(("table-3.csv".to_owned(), tables[1].to_csv().into_bytes()));
    files.push(("figures.html".to_owned(), page.to_html()?.into_bytes()));
    folder.write(&files)
}

/// Hypervolume, jumps tried and heights of each search.
fn comparison(found: &[Finished]) -> Table {
    let row = |finished: &Finished| {
        let front = &finished.front;
        let natural = front.points.iter().filter(|point| point.is_natural()).count();
        vec![
            method_name(finished),
            format!("{:.3}", front.hypervolume),
            front.evaluations.to_string(),
            natural.to_string(),
            front.highest_natural().map_or_else(|| "–".to_owned(), |height| format!("{height:.2} m")),
            front.points.last().map_or_else(|| "–".to_owned(), |point| format!("{:.2} m", point.height)),
        ]
    };
    Table {
        head: ["search", "hypervolume", "jumps tried", "natural points", "highest natural", "highest"]
            .map(str::to_owned)
            .to_vec(),
        rows: found.iter().map(row).collect(),
    }
}
