//! What deviations from a cycle cost: one over the square of the size that is taken for large.

use super::periodic_riccati::Weights;
use crate::feedback::config::Sizes;
use sinew_sim::Model;

impl Weights {
    /// For a character whose root stands `height` above the ground; `effort` multiplies what changes of the PD targets cost.
    pub fn new(model: &Model, sizes: &Sizes, height: f64, effort: f64) -> Weights {
        let driven = model.velocity_count() - 6;
        let of = |size: f64| 1.0 / (size * size);
        // Of each joint's number the mean counts.
        let of_joints = |size: f64| vec![of(size) / driven.max(1) as f64; driven];
        let fall_speed = (model.gravity() * height).sqrt();
        let mut state = vec![of(sizes.height * height)];
        state.extend([of(sizes.turn_rad); 3]);
        state.extend(of_joints(sizes.angle_rad));
        state.extend([of(sizes.speed * fall_speed); 3]);
        state.extend([of(sizes.spin_rad_per_sec); 3]);
        state.extend(of_joints(sizes.angle_speed_rad_per_sec));
        let per_angle = effort / driven.max(1) as f64;
        Weights { state, change: per_angle * of(sizes.change_rad), rate: per_angle * of(sizes.rate_rad) }
    }
}
