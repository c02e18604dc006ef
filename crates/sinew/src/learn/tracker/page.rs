//! The page about a policy: figures, curves, pictures.

use super::POLICY;
use super::summary::Summary;
use crate::report::page::{Block, Document, Picture, Section, Verdict};
use crate::report::plots::{Curve, CurveStyle, SeriesPlot};
use sinew_track::{CurvePoint, TrainingState};

/// The page.
pub fn page(summary: &Summary, state: &TrainingState) -> Document {
    let figures = &summary.figures;
    let is_good = figures.falls * 20 <= figures.episodes && figures.completion >= 0.4;
    let files = [
        (POLICY, "the policy, with its character and constants"),
        ("policy.onnx", "the network: observation in, action out"),
        ("character.toml", "the character"),
        ("summary.json", "the figures of this page"),
    ];
    let strip = Block::Picture {
        caption: "The policy (solid) from a moment of the reference (faint) on".into(),
        picture: Picture::Linked("strip.png".into()),
    };
    Document {
        title: format!("Policy of {}", summary.character),
        verdict: Some(Verdict {
            is_good,
            headline: summary.headline(),
            details: summary.advice.iter().cloned().collect(),
        }),
        sections: vec![
            Section::new("Figures", vec![Block::Facts(facts(summary))])
                .introduced("Without noise, from starts anywhere in the reference."),
            Section::new("Training", plots(state)),
            Section::new("Tracking", vec![strip]),
            Section::new("Files", vec![Block::Files(files.map(|(a, b)| (a.into(), b.into())).to_vec())]),
        ],
    }
}

fn facts(summary: &Summary) -> Vec<(String, String)> {
    let f = &summary.figures;
    let share = |x: f64| format!("{:.0} % of {} episodes", 100.0 * x, f.episodes);
    let facts = [
        ("reward of a frame", format!("{:.3}", f.reward_per_frame)),
        ("completion: reward of all frames that there were", format!("{:.3}", f.completion)),
        ("episodes that fell", format!("{} of {}", f.falls, f.episodes)),
        ("mean distance of bodies", format!("{:.1} cm", 100.0 * f.mean_body_error_m)),
        ("bodies within 0.5 m on average, always", share(f.within_half_metre)),
        ("every body within 0.25 m, always", share(f.within_quarter_metre)),
        ("reward in training, with noise", format!("{:.3}", summary.training_reward_per_frame)),
        ("transitions", format!("{:.1} M", summary.transitions as f64 * 1e-6)),
        ("the policy is that after", format!("{:.1} M", summary.policy_transitions as f64 * 1e-6)),
        ("numbers learnt", summary.parameters.to_string()),
    ];
    facts.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

fn plots(state: &TrainingState) -> Vec<Block> {
    let millions = |transitions: u64| transitions as f64 * 1e-6;
    let curve = |name: &str, hue: usize, value: &dyn Fn(&CurvePoint) -> f64| Curve {
        name: name.into(),
        points: state.curve.iter().map(|point| [millions(point.transitions), value(point)]).collect(),
        style: CurveStyle::Solid,
        hue,
    };
    let tests = Curve {
        name: "without noise, uniform starts".into(),
        points: state.tests.iter().map(|test| [millions(test.transitions), test.figures.reward_per_frame]).collect(),
        style: CurveStyle::Dashed,
        hue: 1,
    };
    let plot = |title: &str, y_label: &str, curves: Vec<Curve>| {
        let series = SeriesPlot {
            title: title.into(),
            x_label: "million transitions".into(),
            y_label: y_label.into(),
            curves,
            ..SeriesPlot::default()
        };
        Block::Plot(series.to_svg())
    };
    vec![
        plot("Reward", "reward of a frame", vec![curve("training", 0, &|point| point.reward_per_frame), tests]),
        plot("Episodes", "frames", vec![curve("mean length", 0, &|point| point.episode_frames)]),
        plot("Bodies", "distance, m", vec![curve("mean distance", 0, &|point| point.body_error_m)]),
    ]
}
