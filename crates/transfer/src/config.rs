//! Every setting of a transfer; the presets give them their values.

mod emphasis;
mod polish;
mod presets;
mod weaning;

pub use emphasis::EmphasisConfig;
pub use polish::{Damping, Differences, Level, LineSearch, Polish, Puppet, PushOffWeights, Schedule};
pub use weaning::{Ladder, WeaningConfig};

use crate::TransferError;
use crate::target::FRAME_SECS;
use serde::{Deserialize, Serialize};
use sinew_settings::documented;

documented! {
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
    /// Time between samples of the cost.
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
    /// A window's search ends when its best cost fell by less than this share over the last quarter of its generations, or over as many as
    /// `patience` says, whichever are fewer.
    pub stops_below: Option<f64>,
    /// How often the windows before a fall are searched again, each time from further back and with more effort.
    pub second_tries: usize,
    /// Most steps of a transfer, in multiples of all windows searched once with all their generations; fewer for a figure of more than 64
    /// degrees of freedom. Beyond them a search that falls no longer goes back: it keeps the fall, and looks at what is left of the motion
    /// with [`Config::LOST_GENERATIONS`] for each window. A weaning ends (its first ladder a tenth later, where every search falls), and a
    /// motion that is not faithful begins no other way.
    #[serde(default = "most_effort")]
    pub most_effort: f64,
    /// Weights of the paper's five terms.
    pub weights: Weights,
    /// Weights of terms that look ahead and keep quiet.
    pub extras: Extras,
    /// When a window's search no longer pays: looked at where `stops_below` is set.
    #[serde(default)]
    pub patience: Patience,
    /// The pass over the whole trajectory.
    pub polish: Option<Polish>,
    /// What is done where every search falls; only with a polish.
    #[serde(default)]
    pub weaning: WeaningConfig,
    /// What is done where a motion ends in something else than was drawn; only with a polish.
    #[serde(default)]
    pub emphasis: EmphasisConfig,
}
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

documented! {
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
}

documented! {
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
}

documented! {
/// Over how many generations a window's search has to gain something to go on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Patience {
    /// Most generations.
    pub generations: usize,
    /// How many times as many where the motion is still far from its target.
    pub factor_far: usize,
    /// Cost of a sample from which a motion is far: end effectors off by 14 cm cost 1.
    pub far_cost: f64,
}
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { generations: 6, factor_far: 2, far_cost: 1.0 }
    }
}

impl Weights {
    /// The paper's.
    pub const PAPER: Weights = Weights { height: 25.0, position: 15.0, orientation: 15.0, pose: 10.0, effectors: 50.0 };

    pub(crate) fn array(&self) -> [f64; 5] {
        [self.height, self.position, self.orientation, self.pose, self.effectors]
    }
}

fn most_effort() -> f64 {
    Config::standard().most_effort
}

impl Config {
    /// Generations in each window after a fall that the search could not avoid.
    pub const LOST_GENERATIONS: usize = 2;

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
        if !(self.most_effort >= 1.0 && self.most_effort.is_finite()) {
            return wrong("most_effort", self.most_effort, "at least 1");
        }
        if let Some(polish) = &self.polish {
            polish.check()?;
        }
        self.emphasis.check()?;
        self.weaning.check()
    }
}

#[cfg(test)]
mod tests;
