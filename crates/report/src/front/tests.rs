//! Pages and tables of fronts: what is shown, what is refused, and that nothing from outside becomes markup.

use super::*;
use crate::page::{Block, Section, Verdict};
use crate::plots::{FrontPaint, FrontPlot};
use crate::scene::Shape;

const ATTACK: &str = "</script><b>\"&'";

/// A ball over a bar and a box that rise together.
fn motion(frames: u32) -> Motion {
    let frame = |i: u32| {
        let z = 0.1 * f64::from(i);
        MotionFrame {
            shapes: vec![
                Shape::Capsule { from: [0.0, 0.2, z], to: [0.5, 0.2, z], radius: 0.1 },
                Shape::Sphere { center: [0.0, 0.0, z + 1.0], radius: 0.2 },
                Shape::Box { center: [0.0, 0.0, z], half_extents: [0.1; 3], orientation: [2.0, 0.0, 0.0, 0.0] },
            ],
            center_of_mass: [0.0, 0.0, z],
            assist: [0.0, 0.0, 0.5],
        }
    };
    Motion {
        rate_hz: 60.0,
        frames: (0..frames).map(frame).collect(),
        phases: vec![MotionPhase { start_secs: 0.0, name: ATTACK.to_owned() }],
        height_mark_m: Some(2.0),
    }
}

fn jump(number: usize) -> FrontPoint {
    let height_m = 1.7 + 0.1 * number as f64;
    FrontPoint::from(Jump {
        label: format!("sample {number}"),
        height_m,
        cost: height_m * height_m,
        internal_effort: 10.0 + number as f64,
        takeoff_gravity: -9.8,
        assist_secs: 0.25,
        is_assisted: number > 2,
        motion: Some(motion(4)),
    })
}

fn page() -> FrontPage {
    let front = Front::new("RMOO", (0..5).map(jump).collect());
    let samples = vec![[1.8, 3.0], [1.8, 3.0], [2.0, 4.5], [f64::NAN, 1.0], [1.9, 1e9]];
    FrontPage {
        title: "Jumps".to_owned(),
        view: Jump::view(),
        fronts: vec![front.with_samples(samples)],
        ..FrontPage::default()
    }
}

/// The text between two marks.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    text.split_once(start).and_then(|(_, rest)| rest.split_once(end)).expect("both marks are there").0
}

/// The numbers in a packed text.
fn unpacked(text: &str) -> Vec<i16> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::new();
    for group in text.as_bytes().chunks(4) {
        let bits = group.iter().fold(0_u32, |bits, letter| bits << 6 | u32::from(value(*letter) & 63));
        bytes.extend(&bits.to_be_bytes()[1..4 - group.iter().filter(|letter| **letter == b'=').count()]);
    }
    bytes.as_chunks::<2>().0.iter().map(|pair| i16::from_le_bytes(*pair)).collect()
}

#[test]
fn motions_are_packed_to_a_fraction_of_a_millimetre() {
    let html = page().to_html().unwrap();
    let data = between(&html, "\"motions\":[{", "}]}</script>");
    let number = |name: &str| -> f64 { between(data, &format!("\"{name}\":"), ",").parse().unwrap() };
    let (step, rate) = (number("lengthStep"), number("rate"));
    assert_eq!((number("frames"), rate, number("mark")), (4.0, 60.0, 2.0));
    assert!(step < 1e-4, "{step}");
    let origin: Vec<f64> = between(data, "\"origin\":[", "]").split(',').map(|n| n.parse().unwrap()).collect();
    // Of 6 + 3 + 7 + 3 + 3 numbers only heights change: two ends of the bar, ball, box, centre of mass.
    let fixed: Vec<&str> = between(data, "\"fixed\":[", "]").split(',').collect();
    let moving: Vec<usize> = (0..fixed.len()).filter(|i| fixed[*i] == "null").collect();
    assert_eq!((fixed.len(), moving), (22, vec![2, 5, 8, 11, 18]));
    assert_eq!((fixed[12], fixed[21]), ("32767", "32767"));
    let numbers = unpacked(between(data, "\"data\":\"", "\""));
    for (frame, heights) in numbers.chunks(5).enumerate() {
        let z = 0.1 * frame as f64;
        for (height, wanted) in heights.iter().zip([z, z, z + 1.0, z, z]) {
            let height = origin[2] + f64::from(*height) * step;
            assert!((height - wanted).abs() < step, "frame {frame}: {height} instead of {wanted}");
        }
    }
    assert_eq!(numbers.len(), 4 * 5);
    assert!((number("assistStep") * 32767.0 - 0.5).abs() < 1e-12);
}

#[test]
fn sixteen_motions_of_three_seconds_fit_and_many_more_are_thinned() {
    let long = |links: usize, frames: u32| {
        let wave = |i: u32, k: usize| libm::sin(0.37 * f64::from(i) + k as f64);
        let frame = |i: u32| MotionFrame {
            shapes: (0..links)
                .map(|k| Shape::Capsule { from: [wave(i, k), 0.0, 1.0], to: [0.0, 0.0, wave(i, k + 9)], radius: 0.1 })
                .collect(),
            ..MotionFrame::default()
        };
        Motion { rate_hz: 60.0, frames: (0..frames).map(frame).collect(), ..Motion::default() }
    };
    let with = |points: usize, motion: &Motion| {
        let point = |i: usize| FrontPoint { motion: Some(motion.clone()), ..jump(i) };
        let fronts = vec![Front::new("RMOO", (0..points).map(point).collect())];
        FrontPage { fronts, ..page() }.to_html().unwrap()
    };
    let html = with(16, &long(17, 180));
    assert!(html.len() < 2_000_000 && html.contains("\"rate\":60,"), "{}", html.len());
    let html = with(40, &long(22, 400));
    assert!(html.len() < 2_000_000 && !html.contains("\"rate\":60,"), "{}", html.len());
}

#[test]
fn no_more_than_sixty_frames_a_second_are_kept() {
    for (rate_hz, kept, frames) in [(60.0, "60", 7), (100.0, "50", 4), (240.0, "60", 2), (1e9, "", 1)] {
        let motion = Motion { rate_hz, ..motion(7) };
        let point = FrontPoint { motion: Some(motion), ..jump(0) };
        let html = FrontPage { fronts: vec![Front::new("a", vec![point])], ..page() }.to_html().unwrap();
        assert!(
            html.contains(&format!("\"rate\":{kept}")) && html.contains(&format!("\"frames\":{frames},")),
            "{rate_hz}"
        );
    }
}

#[test]
fn samples_are_drawn_once_inside_the_axes_and_counted_beyond() {
    let html = page().to_html().unwrap();
    assert!(html.contains("\"sampleCount\":5,\"samplesLeftOut\":2,"));
    assert_eq!(unpacked(between(&html, "\"samples\":\"", "\"")).len(), 2 * 2);
}

#[test]
fn rows_know_their_points_from_left_to_right() {
    let mut page = page();
    page.fronts[0].points.reverse();
    let html = page.to_html().unwrap();
    let rows: Vec<&str> = html.split("<tr class=").skip(1).collect();
    assert_eq!(rows.len(), 5);
    for (place, row) in rows.iter().enumerate() {
        let kind = if place > 2 { "assisted" } else { "natural" };
        assert!(
            row.starts_with(&format!(
                "\"{kind}\" data-front=\"0\" data-point=\"{place}\"><th scope=\"row\">sample {place}<"
            )),
            "{row}"
        );
    }
    let labels = html.find("\"label\":\"sample 0\"").zip(html.find("\"label\":\"sample 1\""));
    assert!(labels.is_some_and(|(first, second)| first < second));
}

#[test]
fn texts_from_outside_never_become_markup() {
    let text = || ATTACK.to_owned();
    let mut page = FrontPage {
        title: text(),
        introduction: text(),
        verdict: Some(Verdict { is_good: true, headline: text(), details: vec![text()] }),
        sections: vec![Section::new(text(), vec![Block::Text(text())])],
        ..page()
    };
    page.view.quantities[0].name = text();
    page.view.quantities[1].unit = text();
    page.view.kinds = [text(), text()];
    page.fronts[0].name = text();
    page.fronts[0].points[0].label = text();
    let html = page.to_html().unwrap();
    assert!(!html.contains("<b>\"") && !html.contains("<b>&quot;"));
    assert_eq!(html.matches("</script>").count(), 2);
    let addresses = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!addresses.contains("http:") && !addresses.contains("https:") && !addresses.contains("@import"));
    assert_eq!(html, page.to_html().unwrap());
}

#[test]
fn what_does_not_fit_together_is_named() {
    let refused = |change: &dyn Fn(&mut FrontPage)| {
        let mut page = page();
        change(&mut page);
        page.to_html().unwrap_err().to_string()
    };
    assert_eq!(refused(&|p| p.view.y = 5), "y asks for quantity 5 of 5: give a number below 5");
    assert_eq!(refused(&|p| p.view.color = Some(9)), "color asks for quantity 9 of 5: give a number below 5");
    let short = refused(&|p| p.fronts[0].points[2].values.truncate(3));
    assert_eq!(short, "point 'sample 2' of front 'RMOO' has 3 values for 5 quantities: give one for each");
    let motion = |change: &dyn Fn(&mut Motion)| refused(&|p| p.fronts[0].points[1].motion.iter_mut().for_each(change));
    assert!(motion(&|m| m.frames.clear()).contains("'sample 1' cannot be shown: it has no frames"));
    assert!(motion(&|m| m.rate_hz = 0.0).contains("its rate is 0 frames per second"));
    assert!(motion(&|m| m.frames[2].center_of_mass[1] = f64::NAN).contains("frame 2 holds a number"));
    assert!(motion(&|m| m.frames[3].shapes.truncate(1)).contains("frame 3 has other shapes than frame 0"));
}

#[test]
fn tables_are_text_and_csv() {
    let mut view = Jump::view();
    view.quantities.truncate(2);
    let point = |label: &str, values: [f64; 2]| FrontPoint {
        label: label.into(),
        values: values.to_vec(),
        ..FrontPoint::default()
    };
    let front = Front::new("a", vec![point("high, \"b\"", [2.0, 1.0 / 3.0]), point("low", [1.0, f64::NAN])]);
    let table = FrontTable::new(&view, &front);
    assert_eq!(
        table.to_text(),
        "point      kind     height, m  log effort\n\
         low        natural      1.000           –\n\
         high, \"b\"  natural      2.000       0.333\n"
    );
    assert_eq!(
        table.to_csv(),
        "point,kind,\"height, m\",log effort\r\nlow,natural,1,\r\n\"high, \"\"b\"\"\",natural,2,0.3333333333333333\r\n"
    );
    assert_eq!(table.to_table().rows, table.rows);
    assert_eq!(Quantity::new("x", "", 2).format(-0.001), "0.00");
}

#[test]
fn phases_stand_side_by_side_in_the_color_of_their_kind() {
    let mut points = [jump(0), jump(4)];
    for point in &mut points {
        let phases =
            [0.0, 1.0 / 60.0, 1.0 / 60.0, 9.0].map(|start_secs| MotionPhase { start_secs, name: String::new() });
        point.motion.as_mut().unwrap().phases = phases.to_vec();
    }
    let strip = phase_strip("title", &[("low".to_owned(), &points[0]), ("high".to_owned(), &points[1])]).unwrap();
    // The first frame, the second once, and the last; nothing after the end.
    assert_eq!(strip.frames.iter().map(|frame| frame.solids.len()).collect::<Vec<_>>(), [9, 9]);
    let paint = |frame: usize| strip.frames[frame].solids[0].color;
    assert!(paint(0)[0] > paint(0)[2] && paint(1)[2] > paint(1)[0]);
    let place = |solid: usize| match strip.frames[0].solids[solid].shape {
        Shape::Sphere { center, .. } => center[0],
        _ => f64::NAN,
    };
    assert!(place(4) - place(1) > 0.5 && (place(7) - 2.0 * place(4) + place(1)).abs() < 1e-9);
    let lost = FrontPoint { motion: Some(Motion::default()), ..jump(3) };
    assert!(phase_strip("", &[(String::new(), &lost)]).is_err());
}

#[test]
fn figures_show_kinds_or_fronts_by_color() {
    let page = page();
    let pair = [page.fronts[0].clone(), Front { name: "BSOO".into(), ..page.fronts[0].outline() }];
    let svg = |paint, fronts: &[Front]| FrontPlot { title: "t", view: &page.view, fronts, paint }.to_svg();
    let count =
        |text: &str, tag: &str, color: &str| text.lines().filter(|l| l.starts_with(tag) && l.contains(color)).count();
    let kinds = svg(FrontPaint::Kinds, &page.fronts);
    // Three natural points and two helped ones, and each once in the legend.
    assert_eq!((count(kinds.as_str(), "<circle", "#9E5E2E"), count(kinds.as_str(), "<circle", "#2B6CB8")), (4, 3));
    assert!(kinds.as_str().contains("not shown: 2 beyond the axes"));
    assert_eq!(between(kinds.as_str(), "class=\"samples\"", "/>").matches("h0").count(), 2);
    let fronts = svg(FrontPaint::Fronts, &pair);
    assert_eq!((count(fronts.as_str(), "<circle", "#2E8B57"), count(fronts.as_str(), "<rect", "#C8372D")), (5, 5));
}
