//! One round: a model, a correction, and the line search along it.

use super::course::Course;
use super::line_search::{self, Found};
use super::model;
use crate::TransferError;
use sinew_sim::Snapshot;

/// Returns the corrected trajectory, where one that costs less than `least` was found. `damping` changes with its success; none stands for the
/// first damping of the settings.
pub(super) fn correct(
    course: Course<'_>,
    reach: f64,
    damping: &mut Option<f64>,
    start: &Snapshot,
    least: f64,
) -> Result<Option<Found>, TransferError> {
    let settings = &course.polish.damping;
    let mut now = damping.unwrap_or(settings.first);
    let (model, mut plan) = model::measure(course, reach, now)?;
    // Where a correction gains nothing, a smaller one may.
    for try_number in 0..settings.tries {
        if try_number > 0 {
            plan = model.solve(course, now);
        }
        if let Some(plan) = &plan {
            let found = line_search::search(course, plan, start)?;
            if let Some(found) = found.filter(|found| found.cost < least) {
                let factor = if found.share > settings.large_share { settings.shrinks } else { settings.recovers };
                *damping = Some((now * factor).max(settings.least));
                return Ok(Some(found));
            }
        }
        now *= settings.grows;
    }
    *damping = None;
    Ok(None)
}
