//! The page about a generator.

use super::GENERATOR;
use super::summary::Summary;
use crate::report::page::{Block, Document, Picture, Section, Table, Verdict};
use crate::report::plots::{Curve, SeriesPlot};
use sinew_learn::{ActionRange, CurvePoint, Generator, SavedGenerator};

/// The page: figures, actions, what can be asked for, pictures, the training.
pub fn page(summary: &Summary, saved: &SavedGenerator, generator: &dyn Generator) -> Document {
    let figures = &summary.figures;
    let is_good = figures.target_error_m <= 0.3 && figures.foot_slide_cm <= 1.0;
    let (holds, training) = match saved {
        SavedGenerator::Matching { .. } => ("the generator with the set that it plays", None),
        SavedGenerator::Lstm { learned, .. } => ("the generator with its weights", Some(training(&learned.curve))),
    };
    let files = [(GENERATOR, holds), ("summary.json", "the figures of this page")];
    let picture =
        |file: &str, caption: &str| Block::Picture { caption: caption.into(), picture: Picture::Linked(file.into()) };
    let mut document = Document {
        title: format!("Generator of {}", summary.character),
        verdict: Some(Verdict { is_good, headline: summary.headline(), details: Vec::new() }),
        sections: vec![
            Section::new("Figures", vec![Block::Facts(facts(summary))]).introduced(format!(
                "{:.0} minutes of motion under random objectives, without simulation.",
                figures.minutes
            )),
            Section::new("Actions", vec![Block::Table(actions(summary))])
                .introduced("Targets that the set reaches from the same velocity, and velocities, as they were met."),
            Section::new("What can be asked for", vec![Block::Table(ranges(summary, generator))]).introduced(
                "The values that the set shows; what is asked beyond is led to the nearest value inside. Targets are regions of the ground, seen from the character.",
            ),
            Section::new(
                "Driven",
                vec![picture("strip.png", "Moments of the run; the ball is the target"), picture("driven.gif", "The same in motion")],
            ),
            Section::new("Files", vec![Block::Files(files.map(|(a, b)| (a.into(), b.into())).to_vec())]),
        ],
    };
    if let Some(training) = training {
        document.sections.insert(document.sections.len() - 1, training);
    }
    document
}

/// The loss and its terms on their way.
fn training(curve: &[CurvePoint]) -> Section {
    let of = |hue: usize, name: &str, value: &dyn Fn(&CurvePoint) -> f64| Curve {
        name: name.into(),
        points: curve.iter().map(|point| [point.batch as f64, value(point)]).collect(),
        hue,
        ..Curve::default()
    };
    let plot = SeriesPlot {
        title: "Loss".into(),
        y_label: "mean for a number".into(),
        x_label: "batch".into(),
        curves: vec![
            of(0, "weighted sum", &|point| point.loss.total),
            of(1, "motion", &|point| point.loss.motion),
            of(2, "objective", &|point| point.loss.objective),
            of(3, "contact", &|point| point.loss.contact),
            of(4, "rigid", &|point| point.loss.rigid),
        ],
        ..SeriesPlot::default()
    };
    Section::new("Training", vec![Block::Plot(plot.to_svg())]).introduced(
        "Means over a hundredth of the batches each, on windows under the network's own output; terms without their weights. Where windows grow in the first half, the loss may grow with them.",
    )
}

fn facts(summary: &Summary) -> Vec<(String, String)> {
    let f = &summary.figures;
    let facts = [
        ("kind", summary.kind.to_string()),
        ("set", format!("{} captured and {} augmented frames", summary.frames_captured, summary.frames_augmented)),
        (
            "distance from targets at their time",
            format!("{:.2} m, nine of ten below {:.2} m", f.target_error_m, f.target_error_p90_m),
        ),
        ("targets within 0.3 m at their time", format!("{:.0} % of {}", 100.0 * f.reached_share, f.targets)),
        (
            "the same, of targets that may be out of reach",
            format!("{:.0} %, {:.2} m off in the median", 100.0 * f.any_reached_share, f.any_target_error_m),
        ),
        (
            "answer to a change of direction of 45° to 90°",
            format!("{:.2} s; {:.0} % of {} in 3 s", f.respond_secs, 100.0 * f.responded_share, f.turns),
        ),
        (
            "foot slide in a contact",
            format!("{:.2} cm, nine of ten below {:.2} cm, of {}", f.foot_slide_cm, f.foot_slide_p90_cm, f.contacts),
        ),
        (
            "level speed of low feet",
            format!("{:.1} cm/s, in the set {:.1} cm/s", f.skating_cm_per_sec, f.set_skating_cm_per_sec),
        ),
        ("change of the bones' length", format!("{:.3} %", f.bone_stretch_percent)),
        (
            "distance from the poses of the set",
            format!("{:.1}°, {:+.1}° in the last minute", f.pose_distance_deg, f.drift_deg),
        ),
        ("variety of poses over the set's", format!("{:.2}", f.variety)),
        ("largest turn of a joint in a frame over the set's", format!("{:.2}", f.jump_ratio)),
        ("memory", format!("{:.1} MB; the file has {:.1} MB", f.bytes as f64 / 1e6, summary.file_bytes as f64 / 1e6)),
    ];
    facts.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

fn actions(summary: &Summary) -> Table {
    let rows = summary.figures.actions.iter().map(|a| {
        let velocity =
            if a.velocities > 0 { format!("{:.2} m/s of {}", a.velocity_error, a.velocities) } else { "–".into() };
        vec![
            a.name.clone(),
            a.targets.to_string(),
            format!("{:.2} m", a.target_error_m),
            format!("{:.0} %", 100.0 * a.reached_share),
            velocity,
        ]
    });
    let head = ["action", "targets", "off at their time", "within 0.3 m", "velocity off"];
    Table { head: head.map(str::to_owned).to_vec(), rows: rows.collect() }
}

fn ranges(summary: &Summary, generator: &dyn Generator) -> Table {
    let row = |(name, range): (&str, &ActionRange)| {
        let said = |ends: Option<[f64; 2]>, unit: &str| {
            ends.map_or("–".into(), |[low, high]| format!("{low:.2} to {high:.2} {unit}"))
        };
        let target = range.targets.last().and_then(|targets| targets.distances());
        let degrees = |ends: Option<[f64; 2]>| ends.map(|ends| ends.map(f64::to_degrees));
        vec![
            name.to_owned(),
            format!("{} in {:.1} s", said(target, "m"), range.lookahead_secs),
            said(range.velocities.distances(), "m/s"),
            said(degrees(range.turn_rad), "°"),
            said(degrees(range.turn_rate), "°/s"),
            said(range.root_height_m, "m"),
        ]
    };
    let known = generator.actions().iter().map(|a| a.name.as_str()).zip(&summary.feasible.actions);
    let head =
        ["action", "distance of the target", "speed", "turn to the target", "rate of turning", "height of the root"];
    Table {
        head: head.map(str::to_owned).to_vec(),
        rows: known.filter(|(_, range)| range.frames > 0).map(row).collect(),
    }
}
