//! The motion's own feedback: gains along the motion for ever, and what deviations cost from each of its frames on.
//!
//! The linear–quadratic regulator of the motion as it is drawn, whether that is feasible or not. Its gains are the policy around which plans are
//! sampled and the tail of plans that have come to their end; its value function stands for all that comes after the horizon: it knows that a
//! body that leaves the place over its feet falls, and that the next step may catch it.

use crate::config::LiveConfig;
use crate::error::LiveError;
use crate::linear::{Linear, Linearizer, Piece};
use crate::motion::Motion;
use crate::riccati::{Residuals, Value};
use crate::weights::Weights;
use sinew_transfer::Matrix;
use std::sync::Arc;

/// How long the regulator looks ahead at least, frames.
const AHEAD: usize = 160;
/// Intervals measured at a time.
const AT_A_TIME: usize = 16;
/// Differences along the motion are coarser than along a plan: it does not touch the ground exactly where the simulation does.
const REACH: f64 = 2.0;

/// Gains and values of every frame of a motion.
#[derive(Clone, Debug)]
pub(crate) struct Regulator {
    pub gains: Vec<Arc<Matrix>>,
    pub values: Vec<Arc<Value>>,
}

impl Regulator {
    /// Measures the motion and steps back along it until its cycles repeat.
    pub fn new(motion: &Motion, config: &LiveConfig, weights: &Weights) -> Result<Regulator, LiveError> {
        let linears = measured(motion, config, weights)?;
        let frames = motion.frames();
        let (n, m) = (weights.state.len(), weights.control.len());
        let residuals =
            Residuals { state: vec![0.0; n], seen: vec![0.0; weights.seen.len()], control: vec![0.0; m], frames: 1.0 };
        let mut value = Value::zero(n);
        let mut gains = vec![Matrix::zeros(m, n); frames];
        let mut values = vec![value.clone(); frames];
        let cycles = if motion.is_cycle() { 1 + AHEAD.div_ceil(frames) } else { 1 };
        if !motion.is_cycle() {
            for _ in 0..AHEAD {
                value = value
                    .clone()
                    .back(&linears[frames - 1], weights, &residuals, config.damping)
                    .map_or(value, |(value, _)| value);
            }
        }
        for _ in 0..cycles {
            for frame in (0..frames).rev() {
                // Where a frame cannot be solved, its neighbour's gains serve.
                if let Some((before, gain)) = value.clone().back(&linears[frame], weights, &residuals, config.damping) {
                    value = before;
                    gains[frame] = gain.feedback;
                }
                values[frame].clone_from(&value);
            }
        }
        let gains = gains.into_iter().map(Arc::new).collect();
        Ok(Regulator { gains, values: values.into_iter().map(Arc::new).collect() })
    }
}

/// Linear models of all frames of a motion, along the motion itself.
fn measured(motion: &Motion, config: &LiveConfig, weights: &Weights) -> Result<Vec<Linear>, LiveError> {
    let frames = motion.frames();
    let config = LiveConfig {
        position_step: REACH * config.position_step,
        velocity_step: REACH * config.velocity_step,
        control_step: REACH * config.control_step,
        ..*config
    };
    let zero = vec![0.0; motion.dofs().count];
    let mut found = Vec::with_capacity(frames);
    while found.len() < frames {
        let first = found.len();
        let count = AT_A_TIME.min(frames - first);
        let mut linearizer = Linearizer::new(motion.model(), motion.dofs(), &config, &weights.seen, count)?;
        let pieces: Vec<Piece<'_>> = (first..first + count)
            .map(|frame| {
                let [position, velocity, action, _] = motion.at(frame);
                let next = motion.at(motion.index(frame as u64 + 1).0)[2];
                Piece { position, velocity, frames: vec![(action, next, &zero)] }
            })
            .collect();
        found.extend(linearizer.measure(&pieces)?);
    }
    Ok(found)
}
