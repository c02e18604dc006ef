//! How much assist a performance had, and where.

use crate::target::FRAME_SECS;
use crate::wrench::{AssistUnits, AssistWrench, sizes};
use serde::{Deserialize, Serialize};

/// Stretches of assist with a shorter pause between them are one.
const PAUSE_FRAMES: usize = 4;

/// Assist over a whole motion. Forces are counted in weights, torques in weights times heights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AssistFigures {
    /// ∫|F| dt over the duration.
    pub mean_force: f64,
    /// ∫|T| dt over the duration.
    pub mean_torque: f64,
    /// Largest force.
    pub largest_force: f64,
    /// Largest torque.
    pub largest_torque: f64,
    /// Mean of both in units of assist: the abscissa of a front. Files call it `mean_help`.
    #[serde(rename = "mean_help")]
    pub mean_assist: f64,
    /// Share of the time with any assist.
    pub share_of_time: f64,
    /// Where assist was used, in the order of time.
    pub spans: Vec<AssistSpan>,
}

/// A stretch of time with assist.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AssistSpan {
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

impl AssistFigures {
    /// Of rows of assist, one for each frame but the last.
    pub fn new(rows: &[AssistWrench]) -> AssistFigures {
        let height = |units: f64| units * AssistUnits::ARM_SHARE;
        let mut figures = AssistFigures::default();
        let mut last = None;
        for (frame, row) in rows.iter().enumerate() {
            let [force, torque] = sizes(row);
            figures.mean_force += force;
            figures.mean_torque += height(torque);
            figures.mean_assist += force + torque;
            figures.largest_force = figures.largest_force.max(force);
            figures.largest_torque = figures.largest_torque.max(height(torque));
            if force + torque == 0.0 {
                continue;
            }
            figures.share_of_time += 1.0;
            if last.is_none_or(|last| frame - last > PAUSE_FRAMES) {
                figures.spans.push(AssistSpan { from_secs: secs(frame), ..AssistSpan::default() });
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
            [&mut figures.mean_force, &mut figures.mean_torque, &mut figures.mean_assist, &mut figures.share_of_time]
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
