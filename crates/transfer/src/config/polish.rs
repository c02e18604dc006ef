//! Settings of the polish.

use crate::TransferError;
use serde::{Deserialize, Serialize};
use sinew_settings::documented;

documented! {
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
    /// Factor of the weight of the root's position at the motion's end.
    #[serde(default = "end_position")]
    pub end_position: f64,
    /// Weight of sliding on the ground, m⁻¹: friction's work over the weight.
    pub sliding: f64,
    /// ε in the cost of friction's work W in an interval, `w·(W + δW)` as the square of `√(W + ε)`: below it sliding is taken for standing, m.
    #[serde(default = "sliding_softness_m")]
    pub sliding_softness_m: f64,
    /// Which rounds are made.
    #[serde(default)]
    pub schedule: Schedule,
    /// How far states and controls are moved to measure the linear model.
    #[serde(default)]
    pub differences: Differences,
    /// How much corrections are damped.
    #[serde(default)]
    pub damping: Damping,
    /// What is tried along a correction.
    #[serde(default)]
    pub line_search: LineSearch,
    /// What it costs to start with another velocity than the drawn one.
    #[serde(default)]
    pub push_off: PushOffWeights,
    /// How a motion is held at its drawing.
    #[serde(default)]
    pub puppet: Puppet,
}
}

fn end_position() -> f64 {
    1.0
}

fn sliding_softness_m() -> f64 {
    1e-4
}

documented! {
/// The levels of the polish, and when it goes from one to the next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Schedule {
    /// How rounds are made, from the first to the last.
    pub levels: [Level; 4],
    /// Rounds in a row that gain little, after which the next level begins: one may just have had bad luck with its noise.
    pub poor_rounds: usize,
    /// Mean cost of an interval from which a motion is far from its target: where the last level leaves it there, it goes through all of
    /// them again, as long as rounds are left for all levels.
    pub far_cost: f64,
    /// Share of the cost that going through all levels has to gain to be done once more.
    pub worthwhile: f64,
}
}

documented! {
/// How rounds of one level are made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Size of the differences, relative to [`Differences`]: coarse ones see past the next contact that comes or goes (a smoothed model,
    /// as Suh, Pang & Tedrake 2022 draw from samples), fine ones end nearer to the optimum.
    pub reach: f64,
    /// Share of the weights that keep the motion smooth: first a smooth motion is found, then it may come closer to its target.
    pub smoothness: f64,
    /// Share of the weights that keep feet from sliding and the body from swaying.
    pub steadiness: f64,
}
}

impl Default for Schedule {
    fn default() -> Schedule {
        let level = |reach: f64, smoothness: f64, steadiness: f64| Level { reach, smoothness, steadiness };
        Schedule {
            levels: [level(10.0, 1.0, 1.0), level(3.0, 0.3, 1.0), level(1.0, 0.1, 1.0), level(1.0, 0.02, 0.2)],
            poor_rounds: 2,
            far_cost: 0.5,
            worthwhile: 0.1,
        }
    }
}

documented! {
/// Sizes of the finite differences.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Differences {
    /// Of positions, m and rad.
    pub position: f64,
    /// Of velocities, m/s and rad/s.
    pub velocity: f64,
    /// Of offsets, rad.
    pub offset: f64,
    /// Of assist, in its units.
    pub assist: f64,
    /// Of positions and velocities where slopes of the observation are measured.
    pub observation: f64,
}
}

impl Default for Differences {
    fn default() -> Differences {
        Differences { position: 4e-3, velocity: 4e-2, offset: 2e-2, assist: 5e-2, observation: 1e-3 }
    }
}

documented! {
/// Damping of the corrections, relative to the controls' curvature scale (Levenberg–Marquardt).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Damping {
    /// Of the first round of a level.
    pub first: f64,
    /// Least.
    pub least: f64,
    /// Dampings that a round tries.
    pub tries: usize,
    /// Factor from one of these to the next.
    pub grows: f64,
    /// Factor after a round that took a mean share of its correction above `large_share`.
    pub shrinks: f64,
    /// Factor after a round that took less.
    pub recovers: f64,
    /// Mean share of the correction from which the model is trusted more.
    pub large_share: f64,
    /// What a damping of 1 is, over the weight of an acceleration.
    pub scale: f64,
}
}

impl Default for Damping {
    fn default() -> Damping {
        Damping {
            first: 1e-3,
            least: 1e-6,
            tries: 4,
            grows: 10.0,
            shrinks: 0.3,
            recovers: 2.0,
            large_share: 0.3,
            scale: 200.0,
        }
    }
}

documented! {
/// Trials along a correction, and the candidate trajectories that stay alive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LineSearch {
    /// Intervals in a piece.
    pub piece_intervals: usize,
    /// Candidates simulated at a time.
    pub alive: usize,
    /// Shares of the correction that are tried as they are; the last one is none at all.
    pub shares: usize,
    /// Ratio of one share to the next.
    pub ratio: f64,
    /// Trials with noise.
    pub noisy: usize,
    /// Shares that trials with noise take in turn.
    pub noisy_shares: [f64; 4],
    /// What noise costs by the model, over the mean cost of an interval; each in turn with all shares.
    pub noise_costs: [f64; 4],
    /// Largest correction of an offset in one interval, rad.
    pub largest_correction: f64,
    /// Largest correction of assist at one knot, in its units.
    pub largest_assist_correction: f64,
}
}

impl Default for LineSearch {
    fn default() -> LineSearch {
        LineSearch {
            piece_intervals: 10,
            alive: 128,
            shares: 16,
            ratio: 0.65,
            noisy: 48,
            noisy_shares: [1.0, 0.3, 0.1, 0.0],
            noise_costs: [0.0025, 0.01, 0.04, 0.16],
            largest_correction: 0.5,
            largest_assist_correction: 5.0,
        }
    }
}

documented! {
/// The velocity at the start: what leaving the drawn one costs, and what is tried.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PushOffWeights {
    /// Of the root's velocity along the ground, s²/m².
    pub velocity: f64,
    /// Of the root's spin about all axes, s²/rad².
    pub spin: f64,
    /// Shares of the correction that are tried.
    pub shares: [f64; 4],
}
}

impl Default for PushOffWeights {
    fn default() -> PushOffWeights {
        PushOffWeights { velocity: 1.0, spin: 0.1, shares: [1.0, 0.5, 0.2, 0.05] }
    }
}

documented! {
/// The motion as drawn, found by multiple shooting.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Puppet {
    /// Reaches of the differences in the iterations, after each of which it is tried whether the motion stands.
    pub reaches: [f64; 12],
    /// Share of the gaps that an iteration closes: where joints hit their stops or feet strike, all at once is too much for the linear
    /// model.
    pub share: f64,
}
}

impl Default for Puppet {
    fn default() -> Puppet {
        Puppet { reaches: [10.0, 10.0, 10.0, 10.0, 3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0], share: 0.3 }
    }
}

impl Polish {
    /// The same with a level's shares of its weights.
    pub(crate) fn at_level(&self, level: &Level) -> Polish {
        let Level { smoothness, steadiness, .. } = *level;
        Polish {
            offset_accelerations: smoothness * self.offset_accelerations,
            offset_rates: smoothness * self.offset_rates,
            offsets: smoothness * self.offsets,
            joint_velocity: smoothness * self.joint_velocity,
            joint_acceleration: smoothness * self.joint_acceleration,
            foot_velocity: steadiness * self.foot_velocity,
            root_velocity: steadiness * self.root_velocity,
            sliding: steadiness * self.sliding,
            ..*self
        }
    }

    /// Refuses what cannot work.
    ///
    /// # Errors
    /// Names the field.
    pub(super) fn check(&self) -> Result<(), TransferError> {
        let (search, damping, differences) = (&self.line_search, &self.damping, &self.differences);
        let positive = [
            ("polish.differences.position", differences.position),
            ("polish.differences.velocity", differences.velocity),
            ("polish.differences.offset", differences.offset),
            ("polish.differences.assist", differences.assist),
            ("polish.differences.observation", differences.observation),
            ("polish.damping.first", damping.first),
            ("polish.damping.least", damping.least),
            ("polish.sliding_softness_m", self.sliding_softness_m),
        ];
        let reaches = self.schedule.levels.iter().map(|level| ("polish.schedule.levels.reach", level.reach));
        let reaches = reaches.chain(self.puppet.reaches.iter().map(|reach| ("polish.puppet.reaches", *reach)));
        for (field, value) in positive.into_iter().chain(reaches) {
            if !(value > 0.0 && value.is_finite()) {
                return Err(TransferError::Config { field, value, range: "positive" });
            }
        }
        let counts = [
            ("polish.interval_frames", self.interval_frames),
            ("polish.schedule.poor_rounds", self.schedule.poor_rounds),
            ("polish.line_search.piece_intervals", search.piece_intervals),
            ("polish.line_search.alive", search.alive),
            ("polish.line_search.shares", search.shares),
        ];
        match counts.iter().find(|(_, count)| !(1..=10_000).contains(count)) {
            Some(&(field, count)) => {
                Err(TransferError::Config { field, value: count as f64, range: "from 1 to 10000" })
            }
            None => Ok(()),
        }
    }
}
