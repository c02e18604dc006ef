//! No plot writes anything but finite numbers, whatever the data.

use super::*;

/// Numbers that have broken plots before.
const HARD: [f64; 12] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    1e-310,
    1e300,
    -1e300,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    7.0,
];

/// Data sets: empty, one number, equal numbers, all pairs of hard numbers.
fn hard_sets() -> Vec<Vec<f64>> {
    let mut sets = vec![Vec::new(), HARD.to_vec(), vec![3.0; 5], vec![1.0, f64::NAN, 2.0]];
    sets.extend(HARD.iter().map(|value| vec![*value]));
    sets.extend(HARD.iter().flat_map(|a| HARD.iter().map(|b| vec![*a, *b])));
    sets
}

/// Reads every attribute and every label of the plot; panics at what is no plain number where one belongs.
fn check(svg: &Svg) {
    let text = svg.as_str();
    let lower = text.to_lowercase();
    let numbers = lower.split('"').skip(1).step_by(2);
    for attribute in numbers {
        assert!(!attribute.contains("nan") && !attribute.contains("inf"), "{attribute}");
    }
    for label in text.split('>').skip(1).filter_map(|rest| rest.split('<').next()) {
        assert!(!label.contains("NaN") && !label.trim().ends_with("inf"), "label {label}");
    }
    assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    assert!(!text.contains("could not be drawn"));
    assert_eq!(text.matches("<text").count(), text.matches("</text>").count());
    // Everything stays on the canvas, but for strokes.
    for attribute in ["cx", "cy", "x", "y", "x1", "y1", "x2", "y2"] {
        for value in text.split(&format!(" {attribute}=\"")).skip(1).filter_map(|rest| rest.split('"').next()) {
            let value: i64 = value.parse().unwrap();
            assert!((-100..=20_000).contains(&value), "{attribute} = {value}");
        }
    }
}

#[test]
fn window_costs_survive_any_data() {
    for set in hard_sets() {
        let window = |start_secs| WindowCosts {
            start_secs,
            samples: set.clone(),
            kept: set.clone(),
            chosen: set.first().copied(),
        };
        let windows: Vec<WindowCosts> = set.iter().copied().chain([0.0, 0.1]).map(window).collect();
        check(&WindowCostsPlot { title: "costs", windows: &windows }.to_svg());
    }
    check(&WindowCostsPlot { title: "", windows: &[] }.to_svg());
}

#[test]
fn series_survive_any_data() {
    for set in hard_sets() {
        let pairs = |shift: usize| set.iter().cycle().skip(shift).zip(&set).map(|(a, b)| [*a, *b]).collect();
        let plot = SeriesPlot {
            title: "title".to_owned(),
            x_label: String::new(),
            y_label: "height, m".to_owned(),
            curves: vec![
                Curve { name: "a".to_owned(), points: pairs(0), style: CurveStyle::Dashed, hue: usize::MAX },
                Curve { name: "b".to_owned(), points: pairs(1), ..Curve::default() },
            ],
            marks: set.iter().map(|time_secs| Mark { time_secs: *time_secs, label: "fell".to_owned() }).collect(),
            shades: set
                .iter()
                .map(|from_secs| Shade { from_secs: *from_secs, to_secs: 1.0, label: "flight".to_owned() })
                .collect(),
        };
        check(&plot.to_svg());
    }
    check(&SeriesPlot::default().to_svg());
}

#[test]
fn contacts_and_torques_survive_any_data() {
    for set in hard_sets() {
        let spans: Vec<[f64; 2]> = set.iter().zip(set.iter().skip(1)).map(|(a, b)| [*a, *b]).collect();
        let row = ContactRow { foot: "left".to_owned(), target: spans.clone(), simulated: spans };
        check(&ContactPlot { title: "contacts", rows: &[row.clone(), row] }.to_svg());
        let bar =
            |share: &f64| TorqueBar { joint: "knee".to_owned(), peak_share: *share, time_at_limit_share: -*share };
        check(&TorquePlot { title: "torques", bars: &set.iter().map(bar).collect::<Vec<_>>() }.to_svg());
    }
    check(&ContactPlot { title: "", rows: &[] }.to_svg());
    check(&TorquePlot { title: "", bars: &[] }.to_svg());
}

#[test]
fn fronts_survive_any_data() {
    use crate::front::{Front, FrontPoint, FrontView, Quantity};
    for set in hard_sets() {
        let pairs = || set.iter().zip(set.iter().cycle().skip(1)).map(|(a, b)| [*a, *b]);
        let point = |pair: [f64; 2]| FrontPoint { values: pair.to_vec(), is_assisted: true, ..FrontPoint::default() };
        let front = Front::new("front", pairs().map(point).collect());
        let fronts = [front.clone(), front.with_samples(pairs().collect())];
        let height = Quantity::new("height", "m", 400);
        for y in [height.clone(), height.clone().logarithmic()] {
            for color in [None, Some(1)] {
                let quantities = vec![height.clone(), y.clone()];
                let view = FrontView { quantities, x: 0, y: 1, color, ..FrontView::default() };
                for paint in [FrontPaint::Kinds, FrontPaint::Fronts] {
                    check(&FrontPlot { title: "fronts", view: &view, fronts: &fronts, paint }.to_svg());
                }
            }
        }
    }
    let view = FrontView::default();
    check(&FrontPlot { title: "", view: &view, fronts: &[], paint: FrontPaint::Kinds }.to_svg());
}

#[test]
fn costs_show_all_kept_and_chosen_samples_in_their_colors() {
    let windows: Vec<WindowCosts> = (0..4)
        .map(|i| WindowCosts {
            start_secs: 0.1 * f64::from(i),
            samples: vec![1.0, 5.0, 9.0, f64::INFINITY],
            kept: vec![1.0, 5.0],
            chosen: Some(1.0),
        })
        .collect();
    let svg = WindowCostsPlot { title: "", windows: &windows }.to_svg();
    let dots = |color: &str| svg.as_str().lines().filter(|l| l.starts_with("<circle") && l.contains(color)).count();
    // One more of each in the legend.
    assert_eq!((dots("#2F6FB5"), dots("#2E8B57")), (13, 9));
    let red = svg.as_str().lines().filter(|l| l.starts_with("<polyline") && l.contains("#C8372D")).nth(1).unwrap();
    assert_eq!(red.split("points=\"").nth(1).unwrap().split_whitespace().take_while(|p| p.contains(',')).count(), 4);
    assert!(svg.as_str().contains("not shown: 4 samples without a finite cost"));
}

#[test]
fn curves_break_where_nothing_was_measured() {
    let lines = |points: Vec<[f64; 2]>| {
        let curve = Curve { points, hue: 3, ..Curve::default() };
        let svg = SeriesPlot { curves: vec![curve], ..SeriesPlot::default() }.to_svg();
        svg.as_str().lines().filter(|line| line.starts_with("<polyline") && line.contains("#7A55A8")).count()
    };
    let whole = vec![[0.0, 1.0], [1.0, 2.0], [2.0, 1.0], [3.0, 2.0]];
    let mut broken = whole.clone();
    broken[1][1] = f64::NAN;
    // The legend has a line, too.
    assert_eq!((lines(whole), lines(broken)), (2, 3));
}

#[test]
fn names_are_escaped_and_plots_repeat_to_the_byte() {
    let row = ContactRow { foot: "<b>\u{7}".to_owned(), target: vec![[0.0, 1.0]], simulated: Vec::new() };
    let plot = || ContactPlot { title: "a & b", rows: std::slice::from_ref(&row) }.to_svg();
    assert!(plot().as_str().contains("&lt;b&gt;") && !plot().as_str().contains("<b>"));
    assert!(!plot().as_str().contains('\u{7}') && plot().as_str().contains("a &amp; b"));
    assert_eq!(plot(), plot());
}
