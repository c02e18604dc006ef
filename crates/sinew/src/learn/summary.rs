//! The figures of a data set.

use super::clips::Skipped;
use super::request::{Prepared, Request};
use crate::error::{Error, Result};
use serde::Serialize;
use sinew_learn::{
    Action, ControlRange, ControlValues, DataConfig, DataState, FootSlide, GraphReport, Origin, RATE_HZ, SetReader,
};
use std::path::Path;

/// Shortest part of a clip whose absence from the graph is told, s.
const LEAST_TOLD_SECS: f64 = 0.2;

/// The figures of a data set, as `summary.json` and `sinew learn data --json` have them.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The character.
    pub character: String,
    /// Captured clips.
    pub clips: usize,
    /// Captured frames, at 30 Hz.
    pub frames_in: usize,
    /// The same in minutes.
    pub minutes_in: f64,
    /// Augmented frames.
    pub frames_out: usize,
    /// The same in minutes.
    pub minutes_out: f64,
    /// Augmented sequences.
    pub sequences_out: usize,
    /// Actions, with their goals.
    pub actions: Vec<Action>,
    /// Names of the places that may touch the ground.
    pub contact_sites: Vec<String>,
    /// The motion graph.
    pub graph: GraphReport,
    /// Transitions that were taken in each minute of augmented motion.
    pub transitions_per_minute: f64,
    /// Segments that were edited.
    pub edited_segments: u64,
    /// How far feet slide in the captured clips.
    pub foot_slide_before: FootSlide,
    /// How far they would after the edits, were they not planted.
    pub foot_slide_unplanted: FootSlide,
    /// How far they do in the augmented motion.
    pub foot_slide_after: FootSlide,
    /// Ranges of the control values in the captured clips.
    pub ranges_before: Vec<ControlRange>,
    /// Ranges of the control values in the augmented motion.
    pub ranges_after: Vec<ControlRange>,
    /// Ground on which the targets of captured frames lie, seen from the character: cells of 0.1 m, m².
    pub target_area_before_m2: f64,
    /// The same of the augmented motion.
    pub target_area_after_m2: f64,
    /// Clips and files that could not be used.
    pub skipped: Vec<Skipped>,
    /// What was done to the clips, one sentence each.
    pub notes: Vec<String>,
    /// Settings.
    pub config: DataConfig,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Time that it took, s; printed, not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_secs: Option<f64>,
    /// Folder of the result; printed, not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
}

impl Summary {
    /// Gathers the figures; reads the finished set once, sequence by sequence.
    pub(super) fn new(request: &Request, prepared: &Prepared, state: &DataState, set: &Path) -> Result<Summary> {
        let (mut before, mut after) = (ControlValues::default(), ControlValues::default());
        let mut reader = SetReader::open(set)?;
        while let Some(sequence) = reader.next_sequence()? {
            match sequence.origin {
                Origin::Captured => before.add(&sequence.intents),
                Origin::Augmented => after.add(&sequence.intents),
            }
        }
        let (target_area_before_m2, target_area_after_m2) = (before.target_area(), after.target_area());
        let minutes = |frames: usize| frames as f64 / (60.0 * RATE_HZ);
        let (frames_in, frames_out) = (prepared.captured.frame_count(), state.frames as usize);
        Ok(Summary {
            character: prepared.hero.name.clone(),
            clips: prepared.captured.names.len(),
            frames_in,
            minutes_in: minutes(frames_in),
            frames_out,
            minutes_out: minutes(frames_out),
            sequences_out: state.made as usize,
            actions: prepared.actions.clone(),
            contact_sites: prepared.hero.figure.sites().iter().map(|site| site.name.clone()).collect(),
            graph: prepared.graph.report.clone(),
            transitions_per_minute: state.figures.jumps as f64 / minutes(state.figures.frames as usize).max(1e-9),
            edited_segments: state.figures.segments,
            foot_slide_before: prepared.captured.slide,
            foot_slide_unplanted: state.figures.slide_edited,
            foot_slide_after: state.figures.slide_planted,
            target_area_before_m2,
            target_area_after_m2,
            ranges_before: before.ranges(),
            ranges_after: after.ranges(),
            skipped: prepared.clips.skipped.clone(),
            notes: notes(prepared),
            config: request.config.clone(),
            seed: request.seed,
            wall_secs: None,
            out: None,
        })
    }

    /// The text of `summary.json`.
    ///
    /// # Errors
    /// Where it cannot be written as JSON.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self).map_err(Error::Json)? + "\n")
    }

    /// What came out, in one sentence.
    pub fn headline(&self) -> String {
        format!(
            "{:.1} minutes of {} from {:.1} s in {} clip{}; feet slide by {:.1} cm/s on the average, {:.1} before",
            self.minutes_out,
            self.character,
            60.0 * self.minutes_in,
            self.clips,
            if self.clips == 1 { "" } else { "s" },
            self.foot_slide_after.mean_cm_per_sec,
            self.foot_slide_before.mean_cm_per_sec
        )
    }
}

fn notes(prepared: &Prepared) -> Vec<String> {
    let mut notes = prepared.clips.notes.clone();
    let report = &prepared.graph.report;
    if !prepared.graph.has_core() {
        notes.push(
            "No part of the clips leads back to itself, so that there is no graph to walk through: each augmented sequence is one clip, edited. More clips, or longer ones that repeat a motion, help."
                .into(),
        );
        return notes;
    }
    for joined in &report.joined {
        notes.push(format!(
            "{}: comes near to no other clip; it is entered at its beginning over {:.0} cm and left at its end over {:.0} cm.",
            joined.clip,
            100.0 * joined.in_m,
            100.0 * joined.out_m
        ));
    }
    // Single frames at the ends of clips are not worth a sentence.
    for part in report.pruned.iter().filter(|part| part.to_secs - part.from_secs > LEAST_TOLD_SECS) {
        let why = match part.why.as_str() {
            "dead end" => "nothing leads on from there",
            "no way in" => "nothing leads there",
            _ => "nothing leads there or on from there",
        };
        notes.push(format!(
            "{}: {:.1} s to {:.1} s is not in the graph; {why}.",
            part.clip, part.from_secs, part.to_secs
        ));
    }
    notes
}
