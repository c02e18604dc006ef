//! Writes the pages, figures and tables of made-up fronts: drawings of synthetic data, for tests of the pages only.
//!
//! `cargo run --release -p sinew-report --example front -- [folder]` writes `front.html` (two fronts of jumps),
//! `help.html` (fidelity against help), `objectives.html` (a third objective as colour), figures and tables.

mod jumper;

use std::path::Path;

use jumper::DrawnJump;
use sinew_report::front::{Front, FrontPage, FrontPoint, FrontTable, FrontView, Jump, Quantity, phase_strip};
use sinew_report::page::{Block, CaptionedPicture, Picture, Section};
use sinew_report::plots::{FrontPaint, FrontPlot, Svg};

const POINTS: usize = 16;
/// Highest made-up jump without help, metres.
const NATURAL_M: f64 = 2.2;
const WARNING: &str = "Made-up data, drawn to test this page: no jump here was simulated or optimised.";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let folder = Path::new(&folder);
    let view = Jump::view();
    let rmoo = jump_front("RMOO", 0.0).with_samples(cloud(0.0, 6_000));
    let bsoo = jump_front("BSOO", 0.45).with_samples(cloud(0.45, 4_000));
    let figure = |title: &str, paint, fronts: &[Front]| FrontPlot { title, view: &view, fronts, paint }.to_svg();

    let resampling = [
        Front { name: "with resampling".into(), ..rmoo.outline() },
        Front { name: "without".into(), ..jump_front("", 0.9) },
    ];
    let scaling = [Front { name: "log".into(), ..rmoo.outline() }, linear_front(&rmoo)];
    let figures = [
        ("figure-6", figure("With and without resampling", FrontPaint::Fronts, &resampling)),
        ("figure-7", figure("Logarithm of the effort, or the effort itself", FrontPaint::Kinds, &scaling)),
        ("figure-8a", figure("RMOO", FrontPaint::Kinds, std::slice::from_ref(&rmoo))),
        ("figure-8b", figure("BSOO", FrontPaint::Kinds, std::slice::from_ref(&bsoo))),
        ("figure-8c", figure("RMOO and BSOO", FrontPaint::Fronts, &[rmoo.outline(), bsoo.outline()])),
    ];
    for (name, svg) in &figures {
        std::fs::write(folder.join(format!("{name}.svg")), svg.as_str())?;
    }
    let last_natural = rmoo.points.iter().rposition(|point| !point.is_assisted).unwrap_or(0);
    let shown = [
        ("Lowest natural jump", 0),
        ("Highest natural jump", last_natural),
        ("Supernatural jump between", (last_natural + POINTS) / 2),
        ("Highest supernatural jump", POINTS - 1),
    ]
    .map(|(words, index)| (format!("{words}, {:.2} m", rmoo.points[index].values[0]), &rmoo.points[index]));
    let strip = phase_strip("Made-up jumps: the pose at the beginning of each phase", &shown)?.render()?;
    strip.save_png(folder.join("figure-9.png"))?;

    let table = FrontTable::new(&view, &rmoo);
    std::fs::write(folder.join("table-2.csv"), table.to_csv())?;
    std::fs::write(folder.join("table-2.txt"), table.to_text())?;
    let picture = CaptionedPicture { caption: "Poses".into(), picture: Picture::Png(strip.encode_png()?) };
    let page = FrontPage {
        title: "Synthetic jumps between height and effort".into(),
        introduction: WARNING.into(),
        view,
        fronts: vec![rmoo, bsoo],
        sections: sections(&figures, picture),
        ..FrontPage::default()
    };
    println!("front.html: {} kB", page.to_html()?.len() / 1000);
    page.save_html(folder.join("front.html"))?;
    help_page().save_html(folder.join("help.html"))?;
    objectives_page().save_html(folder.join("objectives.html"))?;
    Ok(())
}

fn sections(figures: &[(&str, Svg)], strip: CaptionedPicture) -> Vec<Section> {
    let plots = figures.iter().map(|(_, svg)| Block::Plot(svg.clone())).collect();
    let strip = Block::Picture { caption: strip.caption, picture: strip.picture };
    vec![Section::new("Figures", plots).introduced(WARNING), Section::new("Phases", vec![strip])]
}

/// A repeatable number between 0 and 1.
fn noise(index: usize) -> f64 {
    let mixed = (index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed >> 40) as f64 / f64::from(1 << 24)
}

/// The made-up least cost of a height.
fn cost(height: f64) -> f64 {
    let natural = 2.2 + 1.5 * ((height - 1.7) / 0.5).clamp(0.0, 1.0).powf(1.4);
    if height <= NATURAL_M { natural } else { natural + 2.6 + 2.4 * (height - NATURAL_M).powf(0.6) }
}

fn jump_front(name: &str, worse: f64) -> Front {
    let jump = |i: usize| {
        let share = i as f64 / (POINTS - 1) as f64;
        let height = 1.72 + (1.75 - 0.3 * worse) * share + 0.01 * noise(i + 977 * (name.len() + 1));
        let is_assisted = height > NATURAL_M - 0.1 * worse;
        let help = if is_assisted { 0.1 + 0.75 * (height - NATURAL_M + 0.1 * worse).clamp(0.0, 1.0) } else { 0.0 };
        let help_secs = if is_assisted { 0.58 + 0.1 * noise(i) } else { 0.0 };
        let crouch = ((height - 1.66) / 0.5).clamp(0.05, 1.0);
        let drawn = DrawnJump { crouch, head_height_m: height, help, help_secs };
        let motion = drawn.motion();
        Jump {
            label: format!("sample {i}"),
            height_m: motion.height_mark_m.unwrap_or(height),
            cost: cost(height) + worse * (0.3 + 0.7 * noise(3 * i)),
            internal_effort: 10.0 + 42.0 * crouch + 9.0 * noise(i + 40),
            takeoff_gravity: -9.8 * (1.0 - help),
            assist_secs: help_secs,
            is_assisted,
            motion: Some(motion),
        }
    };
    Front::new(name, (0..POINTS).map(jump).map(FrontPoint::from).collect())
}

/// What linear scaling leaves: two natural points, the others far up.
fn linear_front(front: &Front) -> Front {
    let is_kept = |(i, point): &(usize, &FrontPoint)| point.is_assisted || *i == 0 || *i == 3;
    let kept = front.points.iter().enumerate().filter(is_kept).map(|(_, point)| FrontPoint {
        values: std::iter::once(point.values[0])
            .chain([point.values[1] + 0.25])
            .chain(point.values[2..].to_vec())
            .collect(),
        motion: None,
        ..point.clone()
    });
    Front::new("linear", kept.collect())
}

fn cloud(worse: f64, count: usize) -> Vec<[f64; 2]> {
    let sample = |i: usize| {
        let height = 1.6 + (1.87 - 0.3 * worse) * noise(2 * i + 5);
        let above = -0.9 * (1.0 - 0.999 * noise(2 * i + 6)).ln();
        [height, cost(height) + worse + above + if i.is_multiple_of(50) { 90.0 } else { 0.0 }]
    };
    (0..count).map(sample).collect()
}

/// Fidelity of a motion against the help that it gets.
fn help_page() -> FrontPage {
    let point = |i: usize| {
        let share = i as f64 / 7.0;
        let drawn = DrawnJump { crouch: 0.8, head_height_m: 2.0 + 0.5 * share, help: 0.8 * share, help_secs: 0.6 };
        let label = if i == 0 { "physics alone".to_owned() } else { format!("help {i}") };
        let values = vec![100.0 * share * share, 14.0 * (1.0 - share).powi(2) + 0.2, 9.0 * share];
        FrontPoint { label, values, is_assisted: i > 0, motion: Some(drawn.travelling(1.2)) }
    };
    FrontPage {
        title: "Synthetic: how near to the drawing, for how much help".into(),
        introduction: WARNING.into(),
        view: FrontView {
            quantities: vec![
                Quantity::new("external help", "N·s", 1),
                Quantity::new("distance from the drawing", "cm", 2),
                Quantity::new("strongest help", "% of weight", 1),
            ],
            x: 0,
            y: 1,
            color: None,
            kinds: ["alone".to_owned(), "helped".to_owned()],
        },
        fronts: vec![Front::new("Front", (0..8).map(point).collect())],
        ..FrontPage::default()
    }
}

/// Three objectives: the third is a colour; one point has no motion.
fn objectives_page() -> FrontPage {
    let mut view = Jump::view();
    view.quantities.push(Quantity::new("landing distance", "m", 2));
    view.color = Some(view.quantities.len() - 1);
    let points = (0..40).map(|i| {
        let (height, far) = (1.72 + 1.5 * noise(i), noise(i + 100));
        let drawn = DrawnJump { crouch: 0.5, head_height_m: height, help: 0.0, help_secs: 0.0 };
        let values = vec![height, cost(height) + 1.4 * far, 30.0, -9.8, 0.0, far];
        let motion = (i != 7 && i < 20).then(|| drawn.motion());
        FrontPoint { label: format!("sample {i}"), values, is_assisted: height > NATURAL_M, motion }
    });
    let front = Front { is_joined: false, ..Front::new("Three objectives", points.collect()) };
    FrontPage {
        title: "Synthetic: height, effort and landing distance".into(),
        introduction: WARNING.into(),
        view,
        fronts: vec![front],
        ..FrontPage::default()
    }
}
