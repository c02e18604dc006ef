//! How much help a performance had, and where.

use super::help::{Help, HelpUnits, sizes};
use crate::target::FRAME_SECS;
use serde::{Deserialize, Serialize};

/// Stretches of help with a shorter pause between them are one.
const PAUSE_FRAMES: usize = 4;

/// Help over a whole motion. Forces are counted in weights, torques in weights times heights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HelpFigures {
    /// ∫|F| dt over the duration.
    pub mean_force: f64,
    /// ∫|T| dt over the duration.
    pub mean_torque: f64,
    /// Largest force.
    pub largest_force: f64,
    /// Largest torque.
    pub largest_torque: f64,
    /// Mean of both in units of help: the abscissa of a front.
    pub mean_help: f64,
    /// Share of the time with any help.
    pub share_of_time: f64,
    /// Where help was used, in the order of time.
    pub spans: Vec<HelpSpan>,
}

/// A stretch of time with help.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HelpSpan {
    /// Its beginning, s.
    pub from_secs: f64,
    /// Its end, s.
    pub to_secs: f64,
    /// Mean force in world axes, weights.
    pub mean_force: [f64; 3],
    /// Largest force, weights.
    pub largest_force: f64,
    /// Largest torque, weights times heights.
    pub largest_torque: f64,
}

impl HelpFigures {
    /// Of rows of help, one for each frame but the last.
    pub fn new(rows: &[Help]) -> HelpFigures {
        let height = |units: f64| units * HelpUnits::ARM_SHARE;
        let mut figures = HelpFigures::default();
        let mut last = None;
        for (frame, row) in rows.iter().enumerate() {
            let [force, torque] = sizes(row);
            figures.mean_force += force;
            figures.mean_torque += height(torque);
            figures.mean_help += force + torque;
            figures.largest_force = figures.largest_force.max(force);
            figures.largest_torque = figures.largest_torque.max(height(torque));
            if force + torque == 0.0 {
                continue;
            }
            figures.share_of_time += 1.0;
            if last.is_none_or(|last| frame - last > PAUSE_FRAMES) {
                figures.spans.push(HelpSpan { from_secs: secs(frame), ..HelpSpan::default() });
            }
            last = Some(frame);
            if let Some(span) = figures.spans.last_mut() {
                span.to_secs = secs(frame + 1);
                (0..3).for_each(|k| span.mean_force[k] += row[k]);
                span.largest_force = span.largest_force.max(force);
                span.largest_torque = span.largest_torque.max(height(torque));
            }
        }
        let share = 1.0 / rows.len().max(1) as f64;
        for sum in
            [&mut figures.mean_force, &mut figures.mean_torque, &mut figures.mean_help, &mut figures.share_of_time]
        {
            *sum *= share;
        }
        for span in &mut figures.spans {
            let frames = ((span.to_secs - span.from_secs) / FRAME_SECS).round().max(1.0);
            span.mean_force = span.mean_force.map(|f| f / frames);
        }
        figures
    }
}

fn secs(frame: usize) -> f64 {
    (1e6 * frame as f64 * FRAME_SECS).round() / 1e6
}
