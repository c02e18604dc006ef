//! Writes a page about an invented transfer, with its pictures: `page.html`, `strip-*.png`, `motion.gif`.
//!
//! `cargo run --release -p sinew-report --example page -- [folder] [fell]`; with `fell` the figure does not make it.

mod figure;

use std::path::Path;
use std::time::Instant;

use figure::Figure;
use sinew_report::page::{CaptionedPicture, Deviation, Picture, TransferPage, Verdict};
use sinew_report::plots::{ContactRow, Curve, CurveStyle, Mark, SeriesPlot, Shade, TorqueBar, WindowCosts};
use sinew_report::{Animation, Camera, FilmStrip, Frame, ReportError, Track};

/// Length of the clip, seconds.
const DURATION_SECS: f64 = 9.0;
/// When the figure falls, if it does.
const FALL_SECS: f64 = 6.4;
const RATE_HZ: f64 = 15.0;

fn main() -> Result<(), ReportError> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let falls = std::env::args().nth(2).is_some_and(|word| word == "fell");
    let folder = Path::new(&folder);
    let camera = Camera::follow(1.95, 0.2);

    for (name, is_simulated) in [("strip-target.png", false), ("strip-simulated.png", true)] {
        let times = (0..6).map(|i| f64::from(i) * 1.3);
        let frames = times.map(|time| moment(time, is_simulated, falls)).collect();
        let strip = FilmStrip { frames, camera, frame_width: 240, frame_height: 260, ..FilmStrip::default() };
        strip.render()?.save_png(folder.join(name))?;
    }

    let track = |label: &str, is_simulated: bool| {
        let end = if is_simulated && falls { FALL_SECS + 1.0 } else { DURATION_SECS };
        let times = (0..(end * RATE_HZ) as u32).map(|i| f64::from(i) / RATE_HZ);
        Track { label: label.to_owned(), frames: times.map(|time| moment(time, is_simulated, falls)).collect() }
    };
    let (target, simulated) = (track("key-framed", false), track("simulated", true));
    let animation = Animation { camera, rate_hz: RATE_HZ, ..Animation::side_by_side("", target, simulated) };
    let start = Instant::now();
    animation.save_gif(folder.join("motion.gif"))?;
    println!("motion.gif in {:.1?}", start.elapsed());

    let page = page(falls);
    println!("page.html: {} kB", page.to_html().len() / 1000);
    page.save_html(folder.join("page.html"))
}

/// A repeatable number between -1 and 1.
fn noise(index: usize) -> f64 {
    let mixed = (index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66;
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed >> 40) as f64 / f64::from(1 << 23) - 1.0
}

/// How far the fall has gone, 0 to 1.
fn fallen(time_secs: f64, falls: bool) -> f64 {
    if falls { ((time_secs - FALL_SECS + 0.4) / 0.9).clamp(0.0, 1.0) } else { 0.0 }
}

fn moment(time_secs: f64, is_simulated: bool, falls: bool) -> Frame {
    let sway = if is_simulated { 0.06 * (time_secs * 3.1).sin() } else { 0.0 };
    let fall = if is_simulated { fallen(time_secs, falls) } else { 0.0 };
    let travel_m = 1.15 * time_secs.min(if is_simulated && falls { FALL_SECS + 0.3 } else { f64::INFINITY });
    let mut figure = Figure { solids: Vec::new(), arrows: Vec::new(), origin_m: [travel_m, 0.0, 0.0] };
    figure.pose(0.06 + sway + 1.45 * fall, 0.5 * (time_secs * 5.2 - sway).sin());
    figure.stand();
    if !is_simulated {
        figure.arrows.clear();
    }
    let focus = Some([travel_m, 0.0, 0.0]);
    Frame { solids: figure.solids, arrows: figure.arrows, caption: format!("{time_secs:.2} s"), focus }
}

/// Name of a curve, its target over time, and how far the simulation strays.
type Part = (&'static str, fn(f64) -> f64, f64);

fn page(falls: bool) -> TransferPage {
    let end_secs = if falls { FALL_SECS + 0.35 } else { DURATION_SECS };
    let marks = if falls { vec![Mark { time_secs: FALL_SECS, label: "fell".to_owned() }] } else { Vec::new() };
    let shades: Vec<Shade> = (0..3)
        .map(|i| Shade {
            from_secs: 1.9 + 1.4 * f64::from(i),
            to_secs: 2.2 + 1.4 * f64::from(i),
            label: "flight".to_owned(),
        })
        .collect();
    let plot = |title: &str, y_label: &str, parts: &[Part]| SeriesPlot {
        title: title.to_owned(),
        x_label: String::new(),
        y_label: y_label.to_owned(),
        curves: parts
            .iter()
            .enumerate()
            .flat_map(|(hue, (name, value, noise_size))| {
                let samples = (0..=270).map(|i| f64::from(i) / 30.0);
                let target = samples.clone().map(|t| [t, value(t)]).collect();
                let simulated = samples
                    .filter(|t| *t <= end_secs)
                    .enumerate()
                    .map(|(i, t)| {
                        let drop = if *name == "z" || *name == "root" { 0.75 * fallen(t, falls) } else { 0.0 };
                        [t, value(t - 0.04) + noise_size * ((2.3 * t).sin() + 0.15 * noise(i)) - drop]
                    })
                    .collect();
                let dashed = CurveStyle::Dashed;
                [
                    Curve { name: format!("{name}, target"), points: target, style: dashed, hue },
                    Curve { name: format!("{name}, simulated"), points: simulated, hue, ..Curve::default() },
                ]
            })
            .collect(),
        marks: marks.clone(),
        shades: shades.clone(),
    };
    let picture = |caption: &str, file: &str| CaptionedPicture {
        caption: caption.to_owned(),
        picture: Picture::Linked(file.to_owned()),
    };
    let pairs = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();

    TransferPage {
        title: "Brisk walk → humanoid".to_owned(),
        verdict: Some(if falls {
            Verdict {
                is_good: false,
                headline: "Fell at 6.4 s: the pelvis dropped below 0.45 m".to_owned(),
                details: vec![
                    "The left knee was at its torque limit of 180 N·m from 5.9 s on.".to_owned(),
                    "Try a higher limit for the left knee, or 2,000 samples per window.".to_owned(),
                ],
            }
        } else {
            Verdict { is_good: true, headline: "Completed: all 9.0 s".to_owned(), details: Vec::new() }
        }),
        facts: pairs(&[
            ("character", "humanoid.toml, 18 bodies, 49 kg"),
            ("clip", "brisk walk, 9.0 s at 30 Hz"),
            ("preset", "standard"),
            ("seed", "17"),
            ("windows", "90 of 0.1 s, 1,000 samples, 200 kept"),
            ("mean cost", "3.42"),
            ("pose", "1.61"),
            ("root", "0.88"),
            ("end effectors", "0.52"),
            ("balance", "0.27"),
            ("control", "0.14"),
            ("jerk, simulated : target", "1.18"),
            ("foot skate", "4 mm/s"),
            ("deepest penetration", "3 mm"),
            ("simulated steps", "216,000,000"),
            ("wall time", "41 s on 16 cores"),
            ("hash", "9b1d5f0c72aa4e31"),
        ]),
        strips: vec![picture("key-framed target", "strip-target.png"), picture("simulated", "strip-simulated.png")],
        animation: Some(picture("key-framed at the left, simulated at the right", "motion.gif")),
        windows: windows(end_secs, falls),
        series: vec![
            plot("Root height", "height, m", &[("root", |t| 0.93 + 0.025 * (10.4 * t).sin(), 0.006)]),
            plot(
                "Centre of mass, sideways and up",
                "position, m",
                &[("y", |t| 0.035 * (5.2 * t).sin(), 0.008), ("z", |t| 1.01 + 0.022 * (10.4 * t).sin(), 0.005)],
            ),
            plot("Centre of mass, forward", "position, m", &[("x", |t| 1.15 * t, 0.05)]),
        ],
        contacts: [("left foot", 0.0), ("right foot", 0.6)]
            .map(|(foot, shift)| contacts(foot, shift, end_secs))
            .to_vec(),
        torques: torques(),
        deviations: [
            (5.93, "left knee", "0.31 rad", "at its torque limit for 0.2 s"),
            (2.10, "right foot", "0.09 m", "touches down 0.05 s early after the flight"),
            (4.47, "trunk", "0.12 rad", "leans back to slow down"),
        ]
        .map(|(time_secs, what, size, why)| Deviation {
            time_secs,
            what: what.to_owned(),
            size: size.to_owned(),
            why: why.to_owned(),
        })
        .to_vec(),
        files: pairs(&[
            ("motion.gif", "target and simulation side by side"),
            ("walk.bvh", "the simulated motion on the source's skeleton"),
            ("walk.glb", "the same, with the source's mesh"),
            ("control.npz", "target angles of every joint, step by step"),
            ("run.toml", "everything that this run depended on"),
        ]),
        commands: pairs(&[
            ("sinew replay run.toml", "Step the control again and compare the hash:"),
            ("sinew transfer humanoid.toml walk.bvh --preset fine --seed 17", "Search again with more samples:"),
        ]),
        notes: vec!["The clip was lowered by 12 mm so that its feet stand on the ground.".to_owned()],
        ..TransferPage::default()
    }
}

fn windows(end_secs: f64, falls: bool) -> Vec<WindowCosts> {
    let count = (end_secs * 10.0) as usize;
    let window = |i: usize| {
        let start_secs = i as f64 * 0.1;
        let best = 2.0 + 0.8 * (start_secs * 5.2).sin().abs() + 60.0 * fallen(start_secs, falls);
        let cost = |j: usize| best * (1.0 + 0.02 * (3.2 * (1.0 + noise(i * 1000 + j))).exp());
        let mut samples: Vec<f64> = (0..600).map(cost).collect();
        samples[5] = f64::INFINITY;
        let mut sorted = samples.clone();
        sorted.sort_by(f64::total_cmp);
        let chosen = sorted.get(3 + i % 9).copied();
        WindowCosts { start_secs, samples, kept: sorted[..120].iter().step_by(6).copied().collect(), chosen }
    };
    (0..count).map(window).collect()
}

fn contacts(foot: &str, shift_secs: f64, end_secs: f64) -> ContactRow {
    let spans = |late_secs: f64, end_secs: f64| {
        let starts = (0..8).map(|i| 1.2 * f64::from(i) + shift_secs);
        let span = |(i, start): (usize, f64)| {
            let wobble = late_secs * noise(i + foot.len());
            [start + wobble, (start + 0.68 + late_secs).min(end_secs)]
        };
        starts.enumerate().map(span).filter(|[from, to]| from < to).collect()
    };
    ContactRow { foot: foot.to_owned(), target: spans(0.0, DURATION_SECS), simulated: spans(0.05, end_secs) }
}

fn torques() -> Vec<TorqueBar> {
    let bar = |(joint, peak_share, time_at_limit_share): (&str, f64, f64)| TorqueBar {
        joint: joint.to_owned(),
        peak_share,
        time_at_limit_share,
    };
    [
        ("left knee", 1.0, 0.083),
        ("right knee", 1.0, 0.012),
        ("left hip", 0.86, 0.0),
        ("right hip", 0.83, 0.0),
        ("left ankle", 0.78, 0.0),
        ("right ankle", 0.74, 0.0),
        ("lower spine", 0.52, 0.0),
        ("upper spine", 0.41, 0.0),
        ("neck", 0.23, 0.0),
        ("left shoulder", 0.31, 0.0),
        ("right shoulder", 0.29, 0.0),
    ]
    .map(bar)
    .to_vec()
}
