//! A policy that climbs measured slopes.

use crate::config::TrackerConfig;
use crate::networks::Networks;
use crate::update::{Transitions, shuffle};
use sinew_nn::Adam;
use sinew_optim::NormalStream;
use sinew_work::Cancelled;

/// Purpose of the random numbers that shuffle frames.
const SHUFFLE: u64 = 0x0053_4c4f_5045;

/// Changes the policy by the slopes of its first worlds' actions, frame after frame. Returns whether all gradients were finite.
///
/// A row longer than the median is shortened to it: where a contact comes or goes, slopes are steep and wrong.
///
/// # Errors
/// Where the work was told to stop.
pub(crate) fn climb(
    networks: &mut Networks,
    transitions: &Transitions,
    slopes: &[f32],
    config: &TrackerConfig,
    (adam, rate): (&mut Adam<f32>, f64),
    (seed, number): (u64, u64),
) -> Result<bool, Cancelled> {
    let (actions, width) = (networks.policy.log_deviation.values().len(), networks.value.inputs());
    let worlds = transitions.targets.len() / config.horizon;
    let frames = slopes.len() / actions;
    let norms: Vec<f32> =
        slopes.chunks_exact(actions).map(|row| row.iter().map(|x| x * x).sum::<f32>().sqrt()).collect();
    let mut sorted = norms.clone();
    sorted.sort_by(f32::total_cmp);
    let median = sorted[sorted.len() / 2].max(1e-9);
    let mut order: Vec<u32> = (0..frames as u32).collect();
    shuffle(&mut order, &mut NormalStream::new(seed, SHUFFLE, number));
    let mut is_finite = true;
    for part in order.chunks(frames.div_ceil(config.slope_steps)) {
        sinew_work::check_cancelled()?;
        let (mut observations, mut gradient) = (Vec::new(), Vec::new());
        for frame in part.iter().map(|&frame| frame as usize) {
            // Of all worlds' transitions in that frame, the first are recorded.
            let row = frame / config.slope_worlds * worlds + frame % config.slope_worlds;
            observations.extend(&transitions.observations[row * width..(row + 1) * width]);
            let scale = -1.0 / (part.len() as f32 * norms[frame].max(median));
            gradient.extend(slopes[frame * actions..(frame + 1) * actions].iter().map(|x| x * scale));
        }
        networks.policy.mean.forward(&observations);
        networks.policy.mean.backward(&gradient, false);
        is_finite &= adam.step(&mut networks.policy, rate).is_taken;
    }
    Ok(is_finite)
}
