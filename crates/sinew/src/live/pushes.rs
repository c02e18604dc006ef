//! The largest pushes that are survived: 8 directions, in both halves of the motion.

use super::changes::Changes;
use super::prepare::Prepared;
use super::request::{TimedPush, disturbance, stage};
use crate::error::Result;
use serde::Serialize;
use sinew_live::LiveConfig;
use sinew_transfer::FRAME_SECS;
use sinew_work::check_cancelled;

/// How long a push lasts, s.
const PUSH_SECS: f64 = 0.2;
/// How long it has to stay up afterwards, s.
const AFTER_SECS: f64 = 4.0;
/// Time before the push, s.
const BEFORE_SECS: f64 = 2.0;
/// Length that a motion without a cycle is cut in halves by, s.
const NO_CYCLE_SECS: f64 = 1.0;

/// What is tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Directions, evenly spaced.
    pub directions: usize,
    /// Step from one force to the next, over the body's weight.
    pub step: f64,
    /// Largest force, over the body's weight.
    pub most: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { directions: 8, step: 0.1, most: 2.0 }
    }
}

/// The largest push that is survived towards a direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PushRow {
    /// 0 is ahead, 90 left, °.
    pub direction_deg: f64,
    /// In the first half of the motion, over the body's weight; with all smaller ones.
    pub first_half: f64,
    /// In the second half.
    pub second_half: f64,
}

impl PushRow {
    /// The smaller of both halves.
    pub fn least(&self) -> f64 {
        self.first_half.min(self.second_half)
    }
}

/// Pushes the root for 0.2 s, step by step harder, until it falls within four seconds.
///
/// # Errors
/// Where no world can be made.
pub fn push_limits(
    prepared: &Prepared,
    config: &LiveConfig,
    decisions: usize,
    changes: &Changes,
    limits: &Limits,
) -> Result<Vec<PushRow>> {
    let motion = &prepared.motion;
    let cycle_secs = if motion.is_cycle() { motion.frames() as f64 * FRAME_SECS } else { NO_CYCLE_SECS };
    let mut rows = Vec::new();
    for direction in 0..limits.directions {
        let direction_deg = 360.0 * direction as f64 / limits.directions as f64;
        let mut halves = [0.0; 2];
        for (half, most) in halves.iter_mut().enumerate() {
            let cycles = (BEFORE_SECS / cycle_secs).ceil();
            // At the beginning of each half, as the test of feedback policies.
            let at_secs = ((cycles + 0.5 * half as f64) * cycle_secs / FRAME_SECS).round() * FRAME_SECS;
            let mut weights = limits.step;
            while weights <= limits.most + 1e-9 {
                let push = TimedPush { weights, at_secs, secs: PUSH_SECS, direction_deg };
                if !survives(prepared, config, decisions, changes, &push)? {
                    break;
                }
                *most = weights;
                weights += limits.step;
            }
        }
        rows.push(PushRow { direction_deg, first_half: halves[0], second_half: halves[1] });
    }
    Ok(rows)
}

fn survives(
    prepared: &Prepared,
    config: &LiveConfig,
    decisions: usize,
    changes: &Changes,
    push: &TimedPush,
) -> Result<bool> {
    let mut stage = stage(prepared, config, decisions, changes)?;
    stage.disturb(disturbance(prepared, push));
    let frames = ((push.at_secs + push.secs + AFTER_SECS) / FRAME_SECS).round() as u64;
    for _ in 0..frames {
        check_cancelled()?;
        stage.plan()?;
        if stage.step().fell {
            return Ok(false);
        }
    }
    Ok(true)
}
