//! The page about a character that was brought to life.

use super::summary::Summary;
use crate::report::page::{Block, Document, Section, Table, Verdict};

/// The page: clips, actions, how it played.
pub(super) fn page(summary: &Summary) -> Document {
    let verdict = Verdict {
        is_good: summary.advice.is_none(),
        headline: summary.headline(),
        details: summary.advice.iter().cloned().collect(),
    };
    let clips = summary.clips.iter().map(|clip| {
        let action = clip.action.clone().unwrap_or_else(|| "left out".into());
        vec![clip.clip.clone(), action, clip.sentence.clone()]
    });
    let actions = summary.actions.iter().map(|a| vec![a.key.clone(), a.name.clone(), a.about.clone()]);
    let played = &summary.played;
    let mut facts = vec![
        ("length".to_owned(), format!("{:.0} s under random objectives", played.seconds)),
        ("falls".to_owned(), format!("{}, {} of them stood up from", played.falls, played.stand_ups)),
        ("feet slide".to_owned(), format!("{:.1} cm", played.foot_slide_cm)),
        ("bodies off their motion".to_owned(), format!("{:.1} cm", 100.0 * played.mean_body_error_m)),
        ("policy".to_owned(), format!("{} bytes", summary.policy_bytes)),
    ];
    facts.extend(played.target_error_m.map(|off| ("off its targets".to_owned(), format!("{off:.2} m (median)"))));
    Document {
        title: format!("{}, brought to life", summary.name),
        verdict: Some(verdict),
        sections: vec![
            Section::new("Played", vec![Block::Facts(facts)]),
            Section::new("Clips", vec![Block::Table(table(["clip", "action", "motion"], clips))]),
            Section::new("Actions", vec![Block::Table(table(["key", "action", "what it is"], actions))]),
        ],
    }
}

fn table(head: [&str; 3], rows: impl Iterator<Item = Vec<String>>) -> Table {
    Table { head: head.map(String::from).to_vec(), rows: rows.collect() }
}
