//! Every constant of a transfer, under the names of its presets.

use crate::TransferError;
use crate::target::FRAME_SECS;
use serde::{Deserialize, Serialize};

/// How a transfer is made. Times are counted in frames of [`FRAME_SECS`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Length of a simulation step, s.
    pub dt: f64,
    /// Whether the character starts with the velocity of the first frame or stands still.
    pub begins: Begins,
    /// Length of a control window.
    pub window_frames: usize,
    /// How far the next window lies from the last.
    pub advance_frames: usize,
    /// Time between offset poses.
    pub knot_frames: usize,
    /// Time between looks at the cost.
    pub cost_frames: usize,
    /// How offsets run between their poses.
    pub basis: Basis,
    /// Start states of a window, each with its own CMA-ES (k). 1 is the greedy variant.
    pub starts: usize,
    /// Samples that a window stores from all of them (n).
    pub samples: usize,
    /// Points in a generation.
    pub population: usize,
    /// Generations.
    pub iterations: usize,
    /// First step size: standard deviation of the offsets, rad.
    pub sigma: f64,
    /// Whether each joint's step size follows what moves it: this share of its torque limit over its kp instead of `sigma`.
    pub torque_share: Option<f64>,
    /// Whether a window's distributions begin where the window before left them, and only variances are learnt.
    pub shares_distributions: bool,
    /// A rollout is given up when its cost so far exceeds that of the better half of the last generation by this factor.
    pub gives_up_at: Option<f64>,
    /// A window's search ends when its best cost fell by less than this share over the last quarter of its generations; of many, over the last
    /// six, or twelve where it is still far from the target.
    pub stops_below: Option<f64>,
    /// How often the windows before a fall are searched again, each time from further back and with more effort.
    pub second_tries: usize,
    /// Weights of the paper's five terms.
    pub weights: Weights,
    /// Weights of terms that look ahead and keep quiet.
    pub extras: Extras,
    /// The pass over the whole trajectory.
    pub polish: Option<Polish>,
}

/// Velocity at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Begins {
    /// Standing still in the first pose.
    Rest,
    /// With the velocity of the first frame.
    Moving,
}

/// How offsets run between their poses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Straight.
    Linear,
    /// Cubic, with a steady slope (Catmull & Rom 1974).
    Cubic,
}

/// Weights of the cost (Keys-to-Sim §5.3).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// w_h, of the root's height, m⁻².
    pub height: f64,
    /// w_p, of the root's position, m⁻².
    pub position: f64,
    /// w_q, of the root's orientation, rad⁻².
    pub orientation: f64,
    /// w_pose, of the mean over the joints, rad⁻².
    pub pose: f64,
    /// w_ee, of the mean over the end effectors, m⁻².
    pub effectors: f64,
}

/// Weights of terms beyond the paper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extras {
    /// Of the velocity of the centre of mass, s²/m².
    pub center_velocity: f64,
    /// Of the root's angular velocity, s²/rad².
    pub root_spin: f64,
    /// Of the mean square of the joints' velocities, s²/rad².
    pub joint_velocity: f64,
    /// Of the level velocity of each end effector that stands on the ground, s²/m².
    pub foot_velocity: f64,
    /// Of sliding on the ground, m⁻¹: friction's work over the weight, over the whole window.
    pub sliding: f64,
    /// Of the mean square of the offsets in units of their step sizes.
    pub offsets: f64,
}

/// The pass over the whole trajectory: see `polish/`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Polish {
    /// Length of an interval, in which the rates of the offsets change linearly.
    pub interval_frames: usize,
    /// Most iterations.
    pub iterations: usize,
    /// Ends when two iterations in a row gain less than this share each.
    pub stops_below: f64,
    /// Weight of the mean square of the offsets' accelerations, s⁴/rad².
    pub offset_accelerations: f64,
    /// Weight of the mean square of the offsets' rates, s²/rad².
    pub offset_rates: f64,
    /// Weight of the mean square of the offsets, rad⁻².
    pub offsets: f64,
    /// Weight of the mean square of the joints' velocities' errors, s²/rad².
    pub joint_velocity: f64,
    /// Weight of the mean square of the joints' accelerations' errors, s⁴/rad².
    pub joint_acceleration: f64,
    /// Weight of the level velocity of each end effector that stands on the ground, s²/m².
    pub foot_velocity: f64,
    /// Weight of the velocity of the centre of mass and of the root's spin.
    pub root_velocity: f64,
    /// Weight of sliding on the ground, m⁻¹: friction's work over the weight.
    pub sliding: f64,
}

impl Weights {
    /// The paper's.
    pub const PAPER: Weights = Weights { height: 25.0, position: 15.0, orientation: 15.0, pose: 10.0, effectors: 50.0 };

    pub(crate) fn array(&self) -> [f64; 5] {
        [self.height, self.position, self.orientation, self.pose, self.effectors]
    }
}

impl Config {
    /// Keys-to-Sim §5 and §6 to the letter.
    pub fn paper() -> Config {
        Config {
            dt: 0.0005,
            begins: Begins::Rest,
            window_frames: 20,
            advance_frames: 10,
            knot_frames: 4,
            cost_frames: 2,
            basis: Basis::Linear,
            starts: 20,
            samples: 400,
            population: 30,
            iterations: 200,
            sigma: 0.01,
            torque_share: None,
            shares_distributions: false,
            gives_up_at: None,
            stops_below: None,
            second_tries: 0,
            weights: Weights::PAPER,
            extras: Extras {
                center_velocity: 0.0,
                root_spin: 0.0,
                joint_velocity: 0.0,
                foot_velocity: 0.0,
                sliding: 0.0,
                offsets: 0.0,
            },
            polish: None,
        }
    }

    /// Ours: fewer steps, smooth.
    pub fn standard() -> Config {
        Config {
            dt: FRAME_SECS / 12.0,
            begins: Begins::Moving,
            window_frames: 20,
            advance_frames: 8,
            knot_frames: 4,
            cost_frames: 2,
            basis: Basis::Cubic,
            starts: 4,
            samples: 32,
            population: 32,
            iterations: 48,
            sigma: 0.05,
            torque_share: Some(0.1),
            shares_distributions: true,
            gives_up_at: Some(2.0),
            stops_below: Some(0.02),
            second_tries: 5,
            weights: Weights::PAPER,
            extras: Extras {
                center_velocity: 1.0,
                root_spin: 0.1,
                joint_velocity: 0.01,
                foot_velocity: 1.0,
                sliding: 10.0,
                offsets: 0.02,
            },
            polish: Some(Polish {
                interval_frames: 2,
                iterations: 26,
                stops_below: 0.05,
                offset_accelerations: 2e-3,
                offset_rates: 0.1,
                offsets: 0.1,
                joint_velocity: 1.0,
                joint_acceleration: 2e-3,
                foot_velocity: 1.0,
                root_velocity: 0.2,
                sliding: 150.0,
            }),
        }
    }

    /// Ours, for a first look.
    pub fn quick() -> Config {
        let standard = Config::standard();
        let polish = standard.polish.map(|p| Polish { iterations: 5, ..p });
        Config { starts: 4, samples: 32, population: 16, iterations: 16, polish, ..standard }
    }

    /// Steps of simulation in a frame.
    pub fn steps_per_frame(&self) -> usize {
        (FRAME_SECS / self.dt).round() as usize
    }

    /// Refuses what cannot work.
    ///
    /// # Errors
    /// Names the field.
    pub fn check(&self) -> Result<(), TransferError> {
        let wrong = |field, value, range| Err(TransferError::Config { field, value, range });
        let steps = FRAME_SECS / self.dt;
        if !(1e-5..=FRAME_SECS / 5.0).contains(&self.dt) || (steps - steps.round()).abs() > 1e-6 {
            return wrong("dt", self.dt, "between 0.00001 and 0.005 s and a whole fraction of 0.025 s");
        }
        let counts = [
            ("window_frames", self.window_frames),
            ("advance_frames", self.advance_frames),
            ("knot_frames", self.knot_frames),
            ("cost_frames", self.cost_frames),
            ("starts", self.starts),
            ("samples", self.samples),
            ("iterations", self.iterations),
        ];
        for (field, value) in counts {
            if !(1..=100_000).contains(&value) {
                return wrong(field, value as f64, "from 1 to 100000");
            }
        }
        if self.population < 4 {
            return wrong("population", self.population as f64, "at least 4");
        }
        if self.advance_frames > self.window_frames {
            return wrong("advance_frames", self.advance_frames as f64, "at most window_frames");
        }
        if !(self.sigma > 0.0 && self.sigma.is_finite()) {
            return wrong("sigma", self.sigma, "positive");
        }
        Ok(())
    }
}
