//! One round: a model, a correction, and the line search along it.

use super::corrected::Course;
use super::line_search::{self, Found};
use super::model;
use crate::TransferError;
use sinew_sim::Snapshot;

/// Damping of the corrections: first and least; relative to the controls' curvature scale.
pub(super) const DAMPING: f64 = 1e-3;
const LEAST_DAMPING: f64 = 1e-6;
/// Dampings that a round tries, each ten times the last.
const TRIES: usize = 4;

/// The corrected trajectory, where one that costs less than `least` was found, and the steps that it took; `damping` changes with its success.
pub(super) fn correct(
    course: Course<'_>,
    reach: f64,
    damping: &mut f64,
    start: &Snapshot,
    least: f64,
) -> Result<(Option<Found>, u64), TransferError> {
    let (model, mut plan) = model::measure(course, reach, *damping)?;
    let mut steps = model.steps;
    // Where a correction gains nothing, a smaller one may.
    for try_number in 0..TRIES {
        if try_number > 0 {
            plan = model.solve(course, *damping);
        }
        if let Some(plan) = &plan {
            let (found, taken) = line_search::search(course, plan, start)?;
            steps += taken;
            if let Some(found) = found.filter(|found| found.cost < least) {
                let factor = if found.share > 0.3 { 0.3 } else { 2.0 };
                *damping = (*damping * factor).max(LEAST_DAMPING);
                return Ok((Some(found), steps));
            }
        }
        *damping *= 10.0;
    }
    *damping = DAMPING;
    Ok((None, steps))
}
