//! What policies meet in training: the plain run, and runs with pushes from all sides and disturbed starts.

use super::config::FeedbackConfig;
use super::reference::Reference;
use super::trial::Scenario;
use crate::target::FRAME_SECS;
use sinew_optim::NormalStream;
use sinew_sim::{Model, Push, Snapshot};

/// Purpose of the random numbers.
const TROUBLE: u64 = u64::from_be_bytes(*b"trouble\0");
/// Angle between the directions of successive pushes: the golden section of the circle, so that any few of them are spread well.
const NEXT_DIRECTION: f64 = 2.399_963_229_728_653;

/// The scenarios of a stage: the same for all of its generations.
pub(super) fn scenarios(
    model: &Model,
    reference: &Reference,
    config: &FeedbackConfig,
    seed: u64,
    stage: usize,
    frames: usize,
) -> Vec<Scenario> {
    let plain = Scenario { start: reference.start(), pushes: Vec::new() };
    let trouble = &config.trouble;
    let mut all = vec![plain.clone()];
    let mut direction = 0.3 + stage as f64;
    for run in 0..trouble.runs {
        let mut stream = NormalStream::new(seed, TROUBLE, (stage * 1000 + run) as u64);
        let mut values = plain.start.values().to_vec();
        let nq = model.position_count();
        values[nq..].iter_mut().for_each(|v| *v += trouble.start_speed * stream.normal());
        let mut pushes = Vec::new();
        // Each run meets its pushes at other times of the cycle.
        let mut at = 4 + run * reference.frames / trouble.runs;
        while at + trouble.push_frames < frames && trouble.push_speed > 0.0 {
            pushes.push((at, trouble.push_frames, push(model, trouble.push_speed, trouble.push_frames, direction)));
            at += trouble.push_every + reference.frames / 3;
            direction += NEXT_DIRECTION;
        }
        all.push(Scenario { start: Snapshot::new(&values[..nq], &values[nq..]), pushes });
    }
    all
}

/// A horizontal push on the root that would change the speed of the whole character by `speed` m/s: `F = m·Δv / t`.
pub(super) fn push(model: &Model, speed: f64, frames: usize, direction: f64) -> Push {
    let force = model.total_mass() * speed / (frames as f64 * FRAME_SECS);
    Push { body: 0, force: [force * libm::cos(direction), force * libm::sin(direction), 0.0] }
}
