//! `summary.json`: the figures of a transfer, to compare it with others.

use super::{FRAME_SECS, Fidelity, Finished, LARGEST_FILE, Performance, Terms, Transfer, Verdict};
use crate::error::{Error, FileError, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The figures; nothing in them depends on the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// What a person would say of the motion; none in files that were written before there were verdicts.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// The same in one sentence.
    #[serde(default)]
    pub verdict_sentence: String,
    /// How much it looks like the drawing.
    #[serde(default)]
    pub fidelity: Fidelity,
    /// Whether the character did not fall.
    pub completed: bool,
    /// When it fell.
    pub fell_at_secs: Option<f64>,
    /// When it fell and which limit was hit, in one sentence.
    pub fall: Option<String>,
    /// Length of the motion, s.
    pub duration_secs: f64,
    /// Mean of the cost over all looks: the sum of its terms.
    pub cost_mean: f64,
    /// Means of the terms.
    pub cost_terms: Terms,
    /// Mean squared jerk of the joints over the target's.
    pub jerk_ratio: f64,
    /// Mean way that a foot slides in one contact, m.
    pub foot_skate: f64,
    /// Largest such way, m.
    pub worst_skate: f64,
    /// Deepest that a body sinks into the ground, m.
    pub max_penetration: f64,
    /// Steps simulated by the search.
    pub steps: u64,
    /// The windows of the motion.
    pub windows: Vec<WindowFigures>,
}

/// A search whose window costs differ from those of the motion by more than this share was left for another.
const SAME_SEARCH: f64 = 0.1;

/// What the search of a window found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowFigures {
    /// Beginning, s.
    pub from_secs: f64,
    /// End, s.
    pub to_secs: f64,
    /// Mean cost of the sample on the best way.
    pub best: f64,
    /// Mean cost of each sample kept alive.
    pub kept: Vec<f64>,
}

impl WindowFigures {
    /// Of all windows that have been searched.
    pub fn of_search(transfer: &Transfer) -> Vec<WindowFigures> {
        let search = transfer.search();
        let secs = |frame: usize| (1e6 * frame as f64 * FRAME_SECS).round() / 1e6;
        let figures = |(index, window): (usize, &sinew_transfer::search::Window)| {
            let (kept, best) = search.window_costs(index);
            let best = best.unwrap_or_else(|| kept.iter().copied().fold(f64::INFINITY, f64::min));
            let (from_secs, to_secs) = (secs(window.first_frame), secs(window.first_frame + window.frames));
            WindowFigures { from_secs, to_secs, best, kept }
        };
        search.windows().iter().enumerate().map(figures).collect()
    }

    /// The same windows with the costs of a motion that was performed: that of the search, or what came after a search that was left. Samples of
    /// such a search say nothing about the motion and are left out.
    pub fn of_run(transfer: &Transfer, run: &Performance) -> Vec<WindowFigures> {
        let mut windows = WindowFigures::of_search(transfer);
        let mut own = Vec::new();
        for window in &windows {
            let is_in = |frame: usize| {
                let secs = frame as f64 * FRAME_SECS;
                secs > window.from_secs + 1e-6 && secs <= window.to_secs + 1e-6
            };
            let costs: Vec<f64> =
                run.costs.iter().filter(|(frame, _)| is_in(*frame)).map(|(_, terms)| terms.total()).collect();
            own.push((!costs.is_empty()).then(|| costs.iter().sum::<f64>() / costs.len() as f64));
        }
        let sum = |costs: &mut dyn Iterator<Item = f64>| costs.sum::<f64>();
        let searched =
            sum(&mut windows.iter().zip(&own).filter(|(_, own)| own.is_some()).map(|(window, _)| window.best));
        let performed = sum(&mut own.iter().flatten().copied());
        let is_same = (searched - performed).abs() <= SAME_SEARCH * searched.max(performed);
        for (window, own) in windows.iter_mut().zip(own) {
            if !is_same {
                window.kept.clear();
            }
            window.best = own.unwrap_or(window.best);
        }
        windows
    }
}

impl Figures {
    /// Of a finished transfer.
    pub fn new(transfer: &Transfer, finished: &Finished) -> Figures {
        let summary = &finished.summary;
        Figures {
            verdict: Some(summary.verdict),
            verdict_sentence: summary.verdict_sentence.clone(),
            fidelity: summary.fidelity.clone(),
            completed: summary.completed,
            fell_at_secs: summary.fell_at_secs,
            fall: finished.fall.clone(),
            duration_secs: summary.duration_secs,
            cost_mean: summary.cost_mean,
            cost_terms: summary.cost_terms,
            jerk_ratio: summary.jerk_ratio,
            foot_skate: summary.foot_skate,
            worst_skate: summary.worst_skate,
            max_penetration: summary.max_penetration,
            steps: summary.steps,
            windows: WindowFigures::of_run(transfer, &finished.run),
        }
    }

    /// The text of the file.
    ///
    /// # Errors
    /// Where it cannot be written as JSON.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self).map_err(Error::Json)? + "\n")
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Where it is missing or damaged.
    pub fn read(path: &Path) -> Result<Figures> {
        const REMEDY: &str = "make the transfer again";
        let unread = |error| FileError::Read { path: path.into(), error, remedy: REMEDY.into() };
        let damaged = |error: serde_json::Error| FileError::Damaged {
            path: path.into(),
            problem: error.to_string(),
            remedy: REMEDY,
        };
        Ok(serde_json::from_slice(&sinew_files::read(path, LARGEST_FILE).map_err(unread)?).map_err(damaged)?)
    }
}
