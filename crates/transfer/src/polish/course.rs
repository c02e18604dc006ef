//! What all trials of a round share, and where they begin.

use super::launch::Launch;
use super::nominal::Nominal;
use super::trial::NoiseSource;
use crate::config::{Config, Polish};
use crate::steps::StepCount;
use crate::target::Target;
use crate::wrench::AssistWrench;
use sinew_sim::Snapshot;

/// What all trials share.
#[derive(Clone, Copy)]
pub(super) struct Course<'a> {
    pub target: &'a Target,
    pub config: &'a Config,
    pub polish: &'a Polish,
    pub nominal: &'a Nominal,
    /// Noise of some trials.
    pub noise: Option<NoiseSource>,
    /// The velocity at the start, where that may change.
    pub launch: Option<&'a Launch>,
    /// Counts what is simulated.
    pub steps: &'a StepCount,
}

/// Where trials begin.
#[derive(Clone)]
pub(super) struct Beginning {
    pub interval: usize,
    pub state: Snapshot,
    /// Deviation of offsets and rates from the nominal ones.
    pub deviation: Vec<f64>,
    /// Assist from outside at this moment.
    pub assist: AssistWrench,
}

impl Beginning {
    /// The start of the whole motion.
    pub fn first(start: &Snapshot, count: usize) -> Beginning {
        Beginning { interval: 0, state: start.clone(), deviation: vec![0.0; 2 * count], assist: [0.0; 6] }
    }
}

/// Deviation (s, o, r, b) from the nominal trajectory at the beginning of an interval.
pub(super) fn deviation(course: Course<'_>, at: &Beginning) -> Vec<f64> {
    deviation_of(course.target, course.nominal, at.interval, &at.state, &at.deviation, &at.assist)
}

pub(super) fn deviation_of(
    target: &Target,
    nominal: &Nominal,
    interval: usize,
    state: &Snapshot,
    offsets: &[f64],
    assist: &AssistWrench,
) -> Vec<f64> {
    let (nq, nv) = (target.model.position_count(), target.model.velocity_count());
    let (values, expected) = (state.values(), nominal.states[interval].values());
    let mut x = vec![0.0; 2 * (nv + nominal.count)];
    target.model.difference(&expected[..nq], &values[..nq], &mut x[..nv]);
    (0..nv).for_each(|k| x[nv + k] = values[nq + k] - expected[nq + k]);
    x[2 * nv..].copy_from_slice(offsets);
    if let Some(priced) = &nominal.assist {
        x.extend((0..6).map(|k| assist[k] - priced.knots[interval][k]));
    }
    x
}
