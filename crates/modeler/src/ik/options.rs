//! What inverse kinematics weighs against what.

use serde::{Deserialize, Serialize};

/// Weights and stopping rules of [`fit_clip`](super::fit_clip).
///
/// A frame's cost is `½ Σ weight · residual²`. Positions are measured in units of the character's reach (the largest distance of a body or
/// end effector from the root at rest, about 1 m for a grown human), angles in radians.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IkOptions {
    /// Weight of each end effector's distance from its target. Default 1000.
    pub effectors: f64,
    /// Weight of the root's distance from its joint. Default 400.
    pub root_position: f64,
    /// Weight of the root's turn away from its joint, on top of `pose`. Default 20.
    pub root_orientation: f64,
    /// Weight of each body's turn away from its joint. Default 1.
    pub pose: f64,
    /// Weight of the distance of each body's origin from its place on its joint. Default 10.
    pub body_positions: f64,
    /// Time over which corrections of the source's own joint angles are spread, s: their rate of change costs
    /// `½ (smoothing_secs · rate)²` a radian². The source's motion itself is not smoothed. Default 0.03.
    pub smoothing_secs: f64,
    /// Passes over the clip: the first forward, then backward, forward … with both neighbours in view. At least 1. Default 2.
    pub sweeps: usize,
    /// Most Levenberg–Marquardt steps for a frame in a pass. Default 6.
    pub iterations: usize,
    /// A frame is done when no coordinate moves by more than this in a step, rad or reach. Default 1e-5.
    pub tolerance: f64,
    /// A joint may turn faster than the fastest joint of its branch in the source at about the same time by this factor; faster bursts, which
    /// a limit or a missing axis can force, are bridged. Default 1.3.
    pub speed_ratio: f64,
}

impl Default for IkOptions {
    fn default() -> Self {
        IkOptions {
            effectors: 1000.0,
            root_position: 400.0,
            root_orientation: 20.0,
            pose: 1.0,
            body_positions: 10.0,
            smoothing_secs: 0.03,
            sweeps: 2,
            iterations: 6,
            tolerance: 1e-5,
            speed_ratio: 1.3,
        }
    }
}

impl IkOptions {
    /// Name and value of the first field that is unusable, with what it must be.
    pub(super) fn fault(&self) -> Option<(&'static str, f64, &'static str)> {
        let weights = [
            ("effectors", self.effectors),
            ("root_position", self.root_position),
            ("root_orientation", self.root_orientation),
            ("body_positions", self.body_positions),
            ("smoothing_secs", self.smoothing_secs),
        ];
        if let Some(&(name, value)) = weights.iter().find(|(_, w)| !(0.0..=1e9).contains(w)) {
            return Some((name, value, "from 0 to 1e9"));
        }
        let positive = [("pose", self.pose), ("tolerance", self.tolerance)];
        if let Some(&(name, value)) = positive.iter().find(|(_, w)| !(1e-12..=1e9).contains(w)) {
            return Some((name, value, "from 1e-12 to 1e9"));
        }
        if !(1..=1000).contains(&self.sweeps) {
            return Some(("sweeps", self.sweeps as f64, "from 1 to 1000"));
        }
        if !(1..=1000).contains(&self.iterations) {
            return Some(("iterations", self.iterations as f64, "from 1 to 1000"));
        }
        let ratio = self.speed_ratio;
        (!(1.0..=1e9).contains(&ratio)).then_some(("speed_ratio", ratio, "from 1 to 1e9"))
    }
}
