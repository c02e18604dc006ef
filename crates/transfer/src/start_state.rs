//! Where the simulation starts: the first frame, on the ground.

use crate::config::{Begins, Config};
use crate::ground::lowest_point;
use crate::target::Target;
use sinew_sim::Snapshot;

/// How deep the lowest point may start in the ground, m.
const SUNK: f64 = 0.001;

/// Returns the first frame as a state, with a push-off (see [`crate::Solution::push_off`]); a body that starts in the ground is lifted out.
pub(crate) fn start_state(target: &Target, config: &Config, push_off: &[f64]) -> Snapshot {
    let mut position = target.position(0).to_vec();
    let mut velocity = target.velocity(0).to_vec();
    if config.begins == Begins::Rest {
        velocity.fill(0.0);
    }
    if target.dofs.has_free_root && target.model.scene().ground.is_some() {
        let low = lowest_point(&target.model, &position);
        if low < -SUNK {
            position[2] -= low + SUNK;
        }
        velocity[2] = velocity[2].max(if low <= SUNK { 0.0 } else { f64::NEG_INFINITY });
    }
    velocity.iter_mut().zip(push_off).for_each(|(v, more)| *v += more);
    Snapshot::new(&position, &velocity)
}

#[cfg(test)]
#[path = "start_state_tests.rs"]
mod tests;
