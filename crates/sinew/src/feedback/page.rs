//! The page about a policy: verdict, pushes, film strips, height and speed over time.

use super::{FILES, Pictures, Prepared, Repeated, Results, Trained};
use crate::report::page::{Block, Document, Picture, Section, Table, Verdict};
use crate::report::plots::{Curve, CurveStyle, Mark, SeriesPlot};
use crate::transfer::FRAME_SECS;

/// A run slower than this share of the reference's speed does not walk any more: the least pace of the standard training.
const SLOW: f64 = 0.7;

/// The page.
pub fn page(prepared: &Prepared, trained: &Trained, pictures: &Pictures) -> Document {
    let results = &trained.results;
    let strip =
        |caption: &str, png: &[u8]| Block::Picture { caption: caption.into(), picture: Picture::Png(png.to_vec()) };
    let introduction = format!(
        "Largest force on the root for {:.1} s after which it walks on in pace, in both halves of the cycle; all smaller ones on the ladder are survived too.",
        results.push_secs
    );
    let [height, speed] = series(trained);
    Document {
        title: format!("{}, {}: feedback", results.character, results.clip),
        verdict: Some(verdict(trained)),
        sections: vec![
            Section::new("", vec![Block::Facts(facts(prepared, trained))]),
            Section::new("Pushes survived", vec![Block::Table(pushes(results))]).introduced(introduction),
            Section::new(
                "Film",
                vec![
                    strip("with feedback, the last cycles", &pictures.with_feedback),
                    strip("without feedback, the last cycles", &pictures.open_loop),
                ],
            ),
            Section::new("Over time", vec![Block::Plot(height.to_svg()), Block::Plot(speed.to_svg())]),
            Section::new("Files", vec![Block::Files(named(&FILES))]),
            Section::new("Again", vec![Block::Commands(commands(results))]),
        ],
    }
}

fn verdict(trained: &Trained) -> Verdict {
    let results = &trained.results;
    let mut details = Vec::new();
    if let Some(weakest) = results.weakest() {
        details.push(format!(
            "Survives a push of {:.0} N ({:.3} s of its weight) in all {} directions tried; the weakest is {}.",
            weakest.newtons_feedback,
            weakest.weight_secs_feedback,
            results.pushes.len(),
            side(weakest.direction_deg)
        ));
    }
    if trained.paces[0] < SLOW && results.survives_all() {
        details.push(format!("It is slow: {:.0} % of the speed of the cycle.", 100.0 * trained.paces[0]));
    }
    if let Some(gap) = results.nearest_gap {
        details.push(format!(
            "No periodic motion was found near this one: the nearest ends {gap:.4} from its start and falls. The policy is trained on the steadiest cycle instead."
        ));
    }
    if !results.survives_all() {
        details.push("Another seed trains elsewhere; a steadier transfer (of more cycles) helps too.".into());
    }
    Verdict { is_good: results.survives_all(), headline: results.headline(), details }
}

fn facts(prepared: &Prepared, trained: &Trained) -> Vec<(String, String)> {
    let (results, reference) = (&trained.results, &trained.policy.reference);
    let gains = &trained.policy.gains;
    let mass = prepared.model().total_mass();
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let facts = [
        ("character", format!("{}, {mass:.1} kg", results.character)),
        ("clip", results.clip.clone()),
        ("cycle", format!("{:.3} s, from {:.2} s on", results.period_secs, reference.first_frame as f64 * FRAME_SECS)),
        ("gap between its end and its start", format!("{:.5}", reference.gap)),
        ("feet", reference.feet.len().to_string()),
        (
            "feedback",
            match (&gains.tracking, results.stage) {
                (Some(_), 0) => "of the full state, along a periodic motion".to_owned(),
                (Some(_), _) => format!("of the full state, and trained of rank {}", gains.rank),
                (None, _) => format!("trained, of rank {}", gains.rank),
            },
        ),
        ("repetitions with feedback", format!("{} of {}", results.repetitions_feedback, results.tested_repetitions)),
        ("without", format!("{} of {}", results.repetitions_open_loop, results.tested_repetitions)),
        ("speed with feedback, of the cycle's", percent(trained.paces[0])),
        ("from stage", if results.stage == 0 { "untrained".to_owned() } else { results.stage.to_string() }),
        (
            "preset",
            format!("{}{}", results.preset, if results.config.is_some() { ", with other settings" } else { "" }),
        ),
        ("seed", results.seed.to_string()),
        ("steps simulated", results.steps.to_string()),
        ("hash of the policy", results.hash.clone()),
    ];
    named(&facts)
}

fn pushes(results: &Results) -> Table {
    let newtons = |n: f64| format!("{n:.0} N");
    let rows = results.pushes.iter().map(|push| {
        let direction = format!("{:.0}°, {}", push.direction_deg, side(push.direction_deg));
        let share = format!("{:.3}", push.weight_secs_feedback);
        let (open, closed) = (newtons(push.newtons_open_loop), newtons(push.newtons_feedback));
        vec![direction, open, closed, share, push.limited_by.clone()]
    });
    let head =
        ["pushed towards", "without feedback", "with feedback", "impulse over weight, s", "what ends the next one"]
            .map(str::to_owned);
    Table { head: head.to_vec(), rows: rows.collect() }
}

/// A direction in words, to the next eighth of the circle.
pub(super) fn side(direction_deg: f64) -> &'static str {
    const SIDES: [&str; 8] = [
        "forwards",
        "forwards and left",
        "left",
        "backwards and left",
        "backwards",
        "backwards and right",
        "right",
        "forwards and right",
    ];
    SIDES[(direction_deg / 45.0).round().rem_euclid(8.0) as usize % 8]
}

/// Height of the root and speed over time, with feedback and without.
fn series(trained: &Trained) -> [SeriesPlot; 2] {
    let runs = [("with feedback", &trained.with_feedback), ("without feedback", &trained.open_loop)];
    let curve = |hue: usize, name: &str, points: Vec<[f64; 2]>| Curve {
        name: name.into(),
        points,
        style: CurveStyle::Solid,
        hue,
    };
    let heights = |repeated: &Repeated| {
        let height = |frame: usize| [frame as f64 * FRAME_SECS, repeated.run.at_frame(frame).position[2]];
        (0..repeated.run.frames()).map(height).collect()
    };
    let speeds = |repeated: &Repeated| -> Vec<[f64; 2]> {
        // Averaged over whole cycles: what is left is the pace, not the swing of each step.
        let cycle = trained.policy.reference.frames;
        let per_cycle = repeated.paces.iter().filter(|(frame, _)| *frame <= cycle).count().max(1);
        let mean = |looks: &[(usize, f64)]| {
            let share = looks.iter().map(|(_, pace)| pace).sum::<f64>() / looks.len() as f64;
            [looks[looks.len() - 1].0 as f64 * FRAME_SECS, 100.0 * share]
        };
        repeated.paces.chunks_exact(per_cycle).map(mean).collect()
    };
    let plot = |title: &str, y_label: &str, points: &dyn Fn(&Repeated) -> Vec<[f64; 2]>| SeriesPlot {
        title: title.into(),
        x_label: String::new(),
        y_label: y_label.into(),
        curves: runs.iter().enumerate().map(|(hue, (name, run))| curve(hue, name, points(run))).collect(),
        marks: marks(&runs),
        shades: Vec::new(),
    };
    [
        plot("Height of the root", "height, m", &heights),
        plot("Speed, cycle by cycle", "share of the reference's, %", &speeds),
    ]
}

fn marks(runs: &[(&str, &Repeated)]) -> Vec<Mark> {
    let fall = |(name, repeated): &(&str, &Repeated)| {
        let frame = repeated.run.fell_at?;
        Some(Mark { time_secs: frame as f64 * FRAME_SECS, label: format!("falls {name}") })
    };
    runs.iter().filter_map(fall).collect()
}

fn commands(results: &Results) -> Vec<(String, String)> {
    let newtons = results.weakest().map_or(50.0, |w| w.newtons_feedback.max(10.0));
    vec![
        ("sinew replay . --feedback --cycles 32".into(), "In this folder: repeats the cycle under the policy:".into()),
        (
            format!(
                "sinew replay . --feedback --push {newtons:.0} --at {} --direction 90 --film pushed.png",
                results.period_secs
            ),
            "Pushes it to the left on the way:".into(),
        ),
    ]
}

fn named<V: ToString>(pairs: &[(&str, V)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::side;

    #[test]
    fn directions_have_names() {
        assert_eq!(
            [0.0, 90.0, 180.0, 270.0, 360.0, -90.0].map(side),
            ["forwards", "left", "backwards", "right", "forwards", "right"]
        );
        assert_eq!(side(315.0), "forwards and right");
    }
}
