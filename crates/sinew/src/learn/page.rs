//! The page about a data set.

use super::pictures::Example;
use super::request::{Prepared, SET};
use super::summary::Summary;
use crate::report::page::{Block, Document, Picture, Section, Table, Verdict};
use sinew_learn::{ControlRange, FootSlide};

/// Most sentences of a list.
const MOST_SAID: usize = 40;

/// The page: figures, ranges before and after, edits, what was left out.
pub fn page(prepared: &Prepared, summary: &Summary, examples: &[Example]) -> Document {
    let is_walkable = prepared.graph.has_core();
    let verdict = Verdict {
        is_good: is_walkable && summary.frames_out > 0,
        headline: summary.headline(),
        details: if is_walkable { Vec::new() } else { summary.notes.iter().rev().take(1).cloned().collect() },
    };
    let edits = examples.iter().enumerate().flat_map(|(index, example)| {
        let picture = |kind: &str, what: &str| Block::Picture {
            caption: format!("{what}: {}", example.caption),
            picture: Picture::Linked(format!("edit-{}-{kind}.png", index + 1)),
        };
        [picture("path", "The way before and after"), picture("strip", "Moments before and after")]
    });
    let skipped = summary.skipped.iter().map(|s| format!("{}: {}", s.file, s.why)).take(MOST_SAID).collect();
    let files = [
        (SET, "the set: captured and augmented sequences with contacts, labels and intents"),
        ("character.toml", "the character"),
        ("summary.json", "the figures of this page"),
    ];
    Document {
        title: format!("Data set of {}", summary.character),
        verdict: Some(verdict),
        sections: vec![
            Section::new("Figures", vec![Block::Facts(facts(summary))]),
            Section::new("Control values", vec![Block::Table(ranges(summary))]).introduced(
                "What the character can be asked for: the range from the 5th to the 95th percentile, and the extremes, before and after augmenting.",
            ),
            Section::new("Foot slide", vec![Block::Table(slides(summary))])
                .introduced("How far heels, toes and other sites move along the ground while they touch it."),
            Section::new("Edits", edits.collect()).introduced("The strongest edits of the first sequence."),
            Section::new("Left out", vec![Block::List(skipped)]),
            Section::new("Notes", vec![Block::List(summary.notes.iter().take(MOST_SAID).cloned().collect())]),
            Section::new("Files", vec![Block::Files(files.map(|(a, b)| (a.into(), b.into())).to_vec())]),
        ],
    }
}

fn facts(summary: &Summary) -> Vec<(String, String)> {
    let graph = &summary.graph;
    let actions: Vec<&str> = summary.actions.iter().map(|action| action.name.as_str()).collect();
    let secs = |frames: usize| format!("{:.1} s", frames as f64 / sinew_learn::RATE_HZ);
    let facts = [
        (
            "captured",
            format!("{:.2} minutes, {} frames, {} clips", summary.minutes_in, summary.frames_in, summary.clips),
        ),
        (
            "augmented",
            format!(
                "{:.2} minutes, {} frames, {} sequences",
                summary.minutes_out, summary.frames_out, summary.sequences_out
            ),
        ),
        ("actions", actions.join(", ")),
        ("contact sites", summary.contact_sites.join(", ")),
        ("core of the motion graph", format!("{} of {}", secs(graph.core_frames), secs(graph.frames))),
        ("transitions in it", format!("{}, {:.0} a minute", graph.transitions, graph.transitions_per_minute)),
        (
            "their distance",
            format!(
                "{:.1} cm a joint after aligning; at most {:.1} cm with velocities, where poses move {:.1} cm in 0.1 s",
                100.0 * graph.mean_distance_m,
                100.0 * graph.largest_distance_m,
                100.0 * graph.reference_m
            ),
        ),
        ("transitions taken", format!("{:.1} a minute", summary.transitions_per_minute)),
        (
            "ground that targets lie on",
            format!("{:.2} m², captured {:.2} m²", summary.target_area_after_m2, summary.target_area_before_m2),
        ),
        ("edited segments", summary.edited_segments.to_string()),
        ("seed", summary.seed.to_string()),
    ];
    facts.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

fn ranges(summary: &Summary) -> Table {
    let said = |range: Option<&ControlRange>| {
        range.map_or("–".into(), |range| {
            let [least, low, _, high, most] = range.quantiles;
            format!("{low:.2} to {high:.2} ({least:.2} to {most:.2})")
        })
    };
    let row = |after: &ControlRange| {
        let before = summary.ranges_before.iter().find(|b| b.control == after.control);
        let width = |range: &ControlRange| range.quantiles[3] - range.quantiles[1];
        let factor = before.filter(|b| width(b) > 1e-6).map(|b| format!("{:.2}", width(after) / width(b)));
        let unit = if after.unit.is_empty() { String::new() } else { format!(", {}", after.unit) };
        vec![
            format!("{}{unit}", after.control.replace('_', " ")),
            said(before),
            said(Some(after)),
            factor.unwrap_or_default(),
        ]
    };
    let head = ["value", "captured", "augmented", "times as broad"].map(str::to_owned).to_vec();
    Table { head, rows: summary.ranges_after.iter().map(row).collect() }
}

fn slides(summary: &Summary) -> Table {
    let row = |name: &str, slide: &FootSlide| {
        vec![
            name.to_owned(),
            format!("{:.2} cm/s", slide.mean_cm_per_sec),
            format!("{:.2} cm", slide.max_step_cm),
            format!("{:.2} cm", slide.max_cm),
            format!("{:.0} s", slide.contact_secs),
        ]
    };
    let head = ["motion", "mean", "largest in a frame", "largest in a contact", "time in contact"];
    Table {
        head: head.map(str::to_owned).to_vec(),
        rows: vec![
            row("captured clips", &summary.foot_slide_before),
            row("augmented, not planted", &summary.foot_slide_unplanted),
            row("augmented", &summary.foot_slide_after),
        ],
    }
}
