//! Every setting of the controller.

use crate::error::LiveError;
use serde::{Deserialize, Serialize};
use sinew_settings::{documented, named};

named! {
/// How plans are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method, "method" {
    /// Gauss–Newton: a linear–quadratic model by finite differences, its gains at work in the trials along its correction.
    #[default]
    GaussNewton = "gauss-newton",
    /// Path integrals: samples around the policy of the motion's own gains, weighted by what they cost.
    Sampling = "sampling",
}
}

documented! {
/// Settings of the controller: what a plan looks at, what it costs, and how many rollouts it may take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LiveConfig {
    /// How plans are found: gauss-newton or sampling.
    pub method: Method,
    /// How far a plan looks ahead, frames of 0.025 s.
    pub horizon_frames: usize,
    /// So many frames at the beginning have a control interval each; later ones share it in pairs.
    pub near_frames: usize,
    /// Steps of the planner's simulation in a frame; fewer are quicker and rougher.
    pub steps_per_frame: usize,
    /// Frames from one plan to the next.
    pub replan_frames: usize,
    /// Gauss–Newton: rollouts that look for the trajectory to improve, the plan so far and the motion's own policy among them.
    pub starts: usize,
    /// Gauss–Newton: rollouts along the correction.
    pub shares: usize,
    /// Gauss–Newton: corrections made for each plan.
    pub rounds: usize,
    /// Sampling: rollouts of a round.
    pub samples: usize,
    /// Sampling: rounds of a plan.
    pub sample_rounds: usize,
    /// Sampling: what a sample may cost more than the best one, relative to the spread of the better half, to count a third of it.
    pub temperature: f64,
    /// Standard deviation of what samples add to PD targets, rad.
    pub noise_rad: f64,
    /// Frames between independent values of that noise.
    pub noise_frames: usize,
    /// Finite differences: on both sides, twice the rollouts, or on one.
    pub two_sided: bool,
    /// Finite differences: positions, m and rad.
    pub position_step: f64,
    /// Finite differences: velocities, m/s and rad/s.
    pub velocity_step: f64,
    /// Finite differences: changes of PD targets, rad.
    pub control_step: f64,
    /// Levenberg–Marquardt: what is added to the controls' curvature, as a share of their own cost.
    pub damping: f64,
    /// Largest change of a PD target from the motion's, rad.
    pub largest_change_rad: f64,
    /// How fast the motion is moved to where the body is, s; 0 at once.
    pub follow_secs: f64,
    /// How fast the motion is turned to where the body looks, s; 0 at once.
    pub turn_secs: f64,
    /// Deviations that cost one each.
    pub sizes: LiveSizes,
    /// Seed of the noise.
    pub seed: u64,
}
}

documented! {
/// Deviations that cost 1 in a frame each.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LiveSizes {
    /// Of the root's place along the ground, as a share of its height.
    pub place: f64,
    /// Of the root's height, as a share of it.
    pub height: f64,
    /// Of the root's orientation, rad.
    pub turn_rad: f64,
    /// Of the joints in the mean, rad.
    pub angle_rad: f64,
    /// Of the root's velocity, as a share of √(g·height).
    pub speed: f64,
    /// Of the root's angular velocity, rad/s.
    pub spin_rad_per_sec: f64,
    /// Of the joints' velocities in the mean, rad/s.
    pub angle_speed_rad_per_sec: f64,
    /// Of the end effectors' places in the mean, as a share of the root's height.
    pub effectors: f64,
    /// Of the velocity of the centre of mass, as a share of √(g·height).
    pub center_speed: f64,
    /// Of the PD targets from the motion's in the mean, rad.
    pub change_rad: f64,
    /// What the rest of time after the horizon counts, as the motion's own feedback has it: 1 is all of it.
    pub terminal: f64,
}
}

impl Default for LiveSizes {
    fn default() -> LiveSizes {
        LiveSizes {
            place: 0.5,
            height: 0.1,
            turn_rad: 0.2,
            angle_rad: 0.2,
            speed: 0.2,
            spin_rad_per_sec: 2.0,
            angle_speed_rad_per_sec: 10.0,
            effectors: 0.1,
            center_speed: 0.2,
            change_rad: 0.015,
            terminal: 1.0,
        }
    }
}

impl Default for LiveConfig {
    fn default() -> LiveConfig {
        LiveConfig {
            method: Method::default(),
            horizon_frames: 20,
            near_frames: 8,
            steps_per_frame: 6,
            replan_frames: 1,
            starts: 16,
            shares: 16,
            rounds: 1,
            samples: 128,
            sample_rounds: 2,
            temperature: 0.3,
            noise_rad: 0.05,
            noise_frames: 4,
            two_sided: true,
            position_step: 4e-3,
            velocity_step: 4e-2,
            control_step: 2e-2,
            damping: 0.0,
            largest_change_rad: 1.0,
            follow_secs: 0.2,
            turn_secs: 0.5,
            sizes: LiveSizes::default(),
            seed: 1,
        }
    }
}

impl LiveConfig {
    /// Refuses what cannot work.
    ///
    /// # Errors
    /// Names the field.
    pub fn check(&self) -> Result<(), LiveError> {
        let counts = [
            ("horizon_frames", self.horizon_frames, 2, 200),
            ("near_frames", self.near_frames, 0, 200),
            ("steps_per_frame", self.steps_per_frame, 2, 100),
            ("replan_frames", self.replan_frames, 1, 20),
            ("starts", self.starts, 2, 4096),
            ("shares", self.shares, 2, 4096),
            ("rounds", self.rounds, 1, 20),
            ("samples", self.samples, 4, 65536),
            ("sample_rounds", self.sample_rounds, 1, 20),
            ("noise_frames", self.noise_frames, 1, 200),
        ];
        for (field, value, least, most) in counts {
            if !(least..=most).contains(&value) {
                return Err(LiveError::Setting {
                    field,
                    value: value as f64,
                    range: format!("from {least} to {most}"),
                });
            }
        }
        let LiveSizes { place, height, turn_rad, angle_rad, speed, .. } = self.sizes;
        let LiveSizes { spin_rad_per_sec, angle_speed_rad_per_sec, effectors, center_speed, change_rad, .. } =
            self.sizes;
        let positive = [
            ("temperature", self.temperature),
            ("position_step", self.position_step),
            ("velocity_step", self.velocity_step),
            ("control_step", self.control_step),
            ("largest_change_rad", self.largest_change_rad),
            ("sizes.place", place),
            ("sizes.height", height),
            ("sizes.turn_rad", turn_rad),
            ("sizes.angle_rad", angle_rad),
            ("sizes.speed", speed),
            ("sizes.spin_rad_per_sec", spin_rad_per_sec),
            ("sizes.angle_speed_rad_per_sec", angle_speed_rad_per_sec),
            ("sizes.effectors", effectors),
            ("sizes.center_speed", center_speed),
            ("sizes.change_rad", change_rad),
        ];
        if let Some(&(field, value)) = positive.iter().find(|(_, value)| !(*value > 0.0 && value.is_finite())) {
            return Err(LiveError::Setting { field, value, range: "positive".into() });
        }
        let others = [
            ("noise_rad", self.noise_rad),
            ("damping", self.damping),
            ("follow_secs", self.follow_secs),
            ("turn_secs", self.turn_secs),
            ("sizes.terminal", self.sizes.terminal),
        ];
        match others.iter().find(|(_, value)| !(*value >= 0.0 && value.is_finite())) {
            Some(&(field, value)) => Err(LiveError::Setting { field, value, range: "zero or more".into() }),
            None => Ok(()),
        }
    }
}
