//! Every constant that decides how a policy is trained.

use crate::driven::FEEDS_BACK_M;
use serde::{Deserialize, Serialize};
use sinew_settings::{documented, named};

/// Deviation at the beginning of a training that goes on from a policy, and transitions in which it falls.
const KNOWING_DEVIATION: f64 = 0.2;
const KNOWING_TRANSITIONS: u64 = 10_000_000;

named! {
/// Sets of constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrackerPreset, "preset" {
    /// The text of Park et al. 2019, §5.
    Paper = "paper",
    /// What the released code of the paper's authors uses.
    Icc = "icc",
    /// Ours: the same reward, trained in minutes.
    #[default]
    Default = "default",
    /// Ours, for characters that are driven: the motion follows the body, which is pushed while it learns.
    Driven = "driven",
    /// Ours, for motion that a simulated character made: its controls are fed forward, and the policy begins as a clone of linear feedback along it.
    Performed = "performed",
}
}

documented! {
/// How a policy tracks and how it is trained. Lengths are those of a figure of 1.7 m; they grow with the figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrackerConfig {
    /// Minutes of motion that a generator makes to be tracked.
    pub practice_minutes: f64,
    /// Steps of the simulator in a frame of the reference: 20 of 1/600 s for 30 Hz.
    pub steps_per_frame: usize,
    /// Frames ahead at which the policy sees the reference.
    pub preview: Vec<usize>,
    /// Whether it sees where in the reference it is, as a number from 0 to 1 (the baseline of the paper's ablation).
    pub sees_phase: bool,
    /// An action of 1 turns the PD target by so much, rad.
    pub action_rad: f64,
    /// An action of 1 changes the PD torque of a joint by no more than this share of its limit; 0 for any change. Stiff joints get smaller steps, so that noise
    /// troubles all joints alike.
    pub action_torque_share: f64,
    /// Largest turn of a PD target away from the reference, rad.
    pub most_action_rad: f64,
    /// Whether actions add to the PD targets with which a simulated character made the motion; otherwise to its poses.
    pub feeds_controls: bool,
    /// Whether PD targets move from frame to frame of the reference; otherwise they jump.
    pub targets_move: bool,
    /// σ_q: deviation of joint rotations, rad.
    pub rotation_sigma: f64,
    /// σ_v: deviation of joint velocities, rad/s.
    pub velocity_sigma: f64,
    /// σ_e: deviation of end effectors, m.
    pub effector_sigma: f64,
    /// σ_com: deviation of the centre of mass, m.
    pub center_sigma: f64,
    /// Whether the squares of a term are divided by how many there are; otherwise they are summed up.
    pub reward_of_means: bool,
    /// What a frame earns in training besides its reward: a body that is off its reference, but has not failed, is worth something.
    pub survival_reward: f64,
    /// Deviation by which each number of an action is off for a while, in units of an action.
    pub action_disturbance: f64,
    /// For how long, s.
    pub action_disturbance_secs: f64,
    /// Largest velocity that a push gives the body in training, m/s; 0 for no pushes.
    pub push_speed: f64,
    /// Mean time between two pushes, s.
    pub push_every_secs: f64,
    /// Where bodies are farther off than this on average, the motion goes on at the place of the body, m; 0 for never. A character that is driven does so, and
    /// is trained so.
    pub motion_follows_beyond: f64,
    /// An episode ends where the root is farther off than this, m; 0 for any distance.
    pub most_root_distance: f64,
    /// An episode ends where the root is turned off by more than this, rad; 0 for any angle.
    pub most_root_turn: f64,
    /// An episode ends where a body is farther off than this on average over all bodies, m; 0 for any distance.
    pub most_body_distance: f64,
    /// An episode ends where the root is lower than this share of its height in the reference.
    pub least_root_height: f64,
    /// An episode ends where the point that is highest at rest, the head, is lower than this share of its height in the reference: who lies on his head may have
    /// his root as high as when he stands.
    pub least_top_height: f64,
    /// Most frames of an episode; one that is cut off there is no failure. 0 for the whole reference.
    pub most_frames: usize,
    /// Whether episodes begin more often where they fail (eq. 13 and 14); otherwise anywhere.
    pub adaptive_starts: bool,
    /// n: segments in which episodes begin; at most one for each frame.
    pub segments: usize,
    /// v of eq. 14: difference of returns that makes a start e times as likely.
    pub start_temperature: f64,
    /// Largest difference to the least return that counts.
    pub most_return_gap: f64,
    /// Starts are uniform until so many episodes, on average, have begun in each segment.
    pub least_episodes: f64,
    /// Share of starts that is uniform all the same.
    pub uniform_starts: f64,
    /// Worlds that are simulated together.
    pub worlds: usize,
    /// Frames of each world between two updates.
    pub horizon: usize,
    /// γ: discount of a frame.
    pub discount: f64,
    /// λ of advantages and of value targets.
    pub trace_decay: f64,
    /// Passes over the transitions of an update.
    pub epochs: usize,
    /// Transitions of a step of Adam.
    pub minibatch: usize,
    /// ε: largest change of a probability that is rewarded.
    pub clip: f64,
    /// Learning rate of the policy at the beginning.
    pub policy_rate: f64,
    /// Learning rate of the value at the beginning.
    pub value_rate: f64,
    /// What is left of the policy's rate after each million transitions.
    pub rate_decay: f64,
    /// Least learning rate of the policy.
    pub least_policy_rate: f64,
    /// The policy's rate follows the change of the policy in an update, so that its divergence stays near this; 0 for a rate that does not.
    pub wanted_divergence: f64,
    /// Transitions at the beginning in which the policy learns what linear feedback along the motion would do, and not by reward; 0 for none.
    pub clone_transitions: u64,
    /// Learning rate of the policy in these.
    pub clone_rate: f64,
    /// Largest norm of a gradient.
    pub gradient_norm: f64,
    /// Deviation of actions at the beginning.
    pub deviation: f64,
    /// Whether the deviation is learnt; otherwise it falls to `least_deviation`.
    pub learns_deviation: bool,
    /// Deviation at last, where it is not learnt.
    pub least_deviation: f64,
    /// Transitions after which it is reached.
    pub deviation_transitions: u64,
    /// Outputs of the policy's hidden layers.
    pub policy_layers: Vec<usize>,
    /// Outputs of the value's hidden layers.
    pub value_layers: Vec<usize>,
    /// Transitions of a training that goes on from a policy, at its beginning, in which only the value learns: it has to know what states are worth first.
    pub value_first: u64,
    /// Transitions after which training ends.
    pub transitions: u64,
}
}

impl Default for TrackerConfig {
    fn default() -> TrackerConfig {
        TrackerConfig::preset(TrackerPreset::Default)
    }
}

impl TrackerConfig {
    /// The constants of a preset.
    pub fn preset(preset: TrackerPreset) -> TrackerConfig {
        match preset {
            TrackerPreset::Default => ours(),
            TrackerPreset::Driven => driven(),
            TrackerPreset::Performed => performed(),
            TrackerPreset::Icc => icc(),
            TrackerPreset::Paper => TrackerConfig {
                preview: vec![1, 10],
                targets_move: false,
                policy_rate: 2e-4,
                rotation_sigma: 14.4,
                velocity_sigma: 72.0,
                effector_sigma: 9.6,
                center_sigma: 0.6,
                reward_of_means: false,
                ..icc()
            },
        }
    }

    /// The same for a training that goes on from a policy: who can walk need not stumble as a beginner does, and noise begins small.
    #[must_use]
    pub fn going_on(self) -> TrackerConfig {
        TrackerConfig {
            deviation: self.deviation.min(KNOWING_DEVIATION),
            deviation_transitions: self.deviation_transitions.min(KNOWING_TRANSITIONS),
            clone_transitions: 0,
            ..self
        }
    }

    /// Name, value and range of the first field that is unusable.
    pub fn fault(&self) -> Option<(&'static str, f64, &'static str)> {
        let whole = |value: usize| value as f64;
        let ranges: [(&'static str, f64, f64, f64, &'static str); 42] = [
            ("practice_minutes", self.practice_minutes, 0.01, 1000.0, "from 0.01 to 1000"),
            ("steps_per_frame", whole(self.steps_per_frame), 1.0, 1000.0, "from 1 to 1000"),
            ("action_rad", self.action_rad, 1e-6, 10.0, "from 0.000001 to 10"),
            ("action_torque_share", self.action_torque_share, 0.0, 100.0, "from 0 to 100"),
            ("most_action_rad", self.most_action_rad, 0.0, 10.0, "from 0 to 10"),
            ("rotation_sigma", self.rotation_sigma, 1e-6, 1e6, "from 0.000001 to 1000000"),
            ("velocity_sigma", self.velocity_sigma, 1e-6, 1e6, "from 0.000001 to 1000000"),
            ("effector_sigma", self.effector_sigma, 1e-6, 1e6, "from 0.000001 to 1000000"),
            ("center_sigma", self.center_sigma, 1e-6, 1e6, "from 0.000001 to 1000000"),
            ("survival_reward", self.survival_reward, 0.0, 100.0, "from 0 to 100"),
            ("action_disturbance", self.action_disturbance, 0.0, 100.0, "from 0 to 100"),
            ("action_disturbance_secs", self.action_disturbance_secs, 1e-3, 1000.0, "from 0.001 to 1000"),
            ("push_speed", self.push_speed, 0.0, 100.0, "from 0 to 100"),
            ("push_every_secs", self.push_every_secs, 1e-2, 1e6, "from 0.01 to 1000000"),
            ("motion_follows_beyond", self.motion_follows_beyond, 0.0, 1e6, "at least 0"),
            ("most_root_distance", self.most_root_distance, 0.0, 1e6, "at least 0"),
            ("most_root_turn", self.most_root_turn, 0.0, 10.0, "from 0 to 10"),
            ("most_body_distance", self.most_body_distance, 0.0, 1e6, "at least 0"),
            ("least_root_height", self.least_root_height, 0.0, 1.0, "from 0 to 1"),
            ("least_top_height", self.least_top_height, 0.0, 1.0, "from 0 to 1"),
            ("most_frames", whole(self.most_frames), 0.0, 1e6, "at most 1000000"),
            ("segments", whole(self.segments), 1.0, 1e6, "from 1 to 1000000"),
            ("start_temperature", self.start_temperature, 1e-6, 1e6, "from 0.000001 to 1000000"),
            ("most_return_gap", self.most_return_gap, 0.0, 1e6, "from 0 to 1000000"),
            ("least_episodes", self.least_episodes, 0.0, 1e6, "from 0 to 1000000"),
            ("uniform_starts", self.uniform_starts, 0.0, 1.0, "from 0 to 1"),
            ("worlds", whole(self.worlds), 1.0, 65536.0, "from 1 to 65536"),
            ("horizon", whole(self.horizon), 1.0, 4096.0, "from 1 to 4096"),
            ("discount", self.discount, 0.0, 0.9999, "from 0 to 0.9999"),
            ("trace_decay", self.trace_decay, 0.0, 1.0, "from 0 to 1"),
            ("epochs", whole(self.epochs), 1.0, 100.0, "from 1 to 100"),
            ("minibatch", whole(self.minibatch), 1.0, 1e6, "from 1 to 1000000"),
            ("clip", self.clip, 1e-3, 10.0, "from 0.001 to 10"),
            ("policy_rate", self.policy_rate, 0.0, 1.0, "from 0 to 1"),
            ("value_rate", self.value_rate, 0.0, 1.0, "from 0 to 1"),
            ("rate_decay", self.rate_decay, 0.0, 1.0, "from 0 to 1"),
            ("least_policy_rate", self.least_policy_rate, 0.0, 1.0, "from 0 to 1"),
            ("wanted_divergence", self.wanted_divergence, 0.0, 10.0, "from 0 to 10"),
            ("clone_rate", self.clone_rate, 0.0, 1.0, "from 0 to 1"),
            ("gradient_norm", self.gradient_norm, 1e-6, 1e6, "from 0.000001 to 1000000"),
            ("deviation", self.deviation, 1e-4, 10.0, "from 0.0001 to 10"),
            ("least_deviation", self.least_deviation, 1e-4, 10.0, "from 0.0001 to 10"),
        ];
        let fault = ranges.into_iter().find(|(_, value, low, high, _)| !(low..=high).contains(&value));
        if let Some((name, value, _, _, said)) = fault {
            return Some((name, value, said));
        }
        let layer = |layers: &[usize]| layers.iter().copied().find(|size| !(1..=8192).contains(size)).map(whole);
        if let Some(size) = layer(&self.policy_layers) {
            return Some(("policy_layers", size, "from 1 to 8192 in each layer"));
        }
        if let Some(size) = layer(&self.value_layers) {
            return Some(("value_layers", size, "from 1 to 8192 in each layer"));
        }
        let far = self.preview.iter().copied().find(|ahead| !(1..=300).contains(ahead));
        far.map(|ahead| ("preview", whole(ahead), "from 1 to 300 frames"))
    }
}

/// The released code of Park et al.: one pass over 20,000 transitions, deviation learnt from 1 on, one frame of preview.
fn icc() -> TrackerConfig {
    TrackerConfig {
        practice_minutes: 10.0,
        steps_per_frame: 20,
        preview: vec![1],
        sees_phase: false,
        action_rad: 0.2,
        action_torque_share: 0.0,
        most_action_rad: 0.7 * std::f64::consts::PI,
        feeds_controls: false,
        // PD follows the velocity of the reference, too.
        targets_move: true,
        rotation_sigma: 0.5,
        velocity_sigma: 1.0,
        effector_sigma: 0.2,
        center_sigma: 0.2,
        reward_of_means: true,
        survival_reward: 0.0,
        action_disturbance: 0.0,
        action_disturbance_secs: 0.2,
        push_speed: 0.0,
        push_every_secs: 2.0,
        motion_follows_beyond: 0.0,
        most_root_distance: 1.0,
        most_root_turn: 2.2,
        most_body_distance: 0.0,
        least_root_height: 0.5,
        least_top_height: 0.0,
        most_frames: 0,
        adaptive_starts: true,
        segments: 1000,
        start_temperature: 5.0,
        most_return_gap: 50.0,
        least_episodes: 10.0,
        uniform_starts: 0.0,
        worlds: 512,
        horizon: 40,
        discount: 0.95,
        trace_decay: 0.95,
        epochs: 1,
        minibatch: 1024,
        clip: 0.2,
        policy_rate: 1e-4,
        value_rate: 1e-3,
        // × 0.9993 every ten updates of 20,000 transitions.
        rate_decay: 0.9965,
        least_policy_rate: 1e-5,
        wanted_divergence: 0.0,
        clone_transitions: 0,
        clone_rate: 1e-3,
        gradient_norm: 0.5,
        deviation: 1.0,
        learns_deviation: true,
        least_deviation: 0.05,
        deviation_transitions: 1,
        policy_layers: vec![1024; 4],
        value_layers: vec![512; 2],
        value_first: 500_000,
        transitions: 110_000_000,
    }
}

/// Small networks, small updates, episodes that end as soon as they are lost, and noise that begins large: who has stumbled in training keeps his feet
/// later.
fn ours() -> TrackerConfig {
    TrackerConfig {
        preview: vec![1, 10],
        most_root_distance: 0.5,
        most_root_turn: 1.2,
        most_body_distance: 0.4,
        least_top_height: 0.5,
        most_frames: 300,
        uniform_starts: 0.1,
        worlds: 256,
        horizon: 32,
        discount: 0.97,
        policy_rate: 3e-4,
        least_policy_rate: 2e-5,
        wanted_divergence: 0.01,
        gradient_norm: 1.0,
        deviation: 0.5,
        learns_deviation: false,
        least_deviation: 0.1,
        deviation_transitions: 30_000_000,
        policy_layers: vec![256; 2],
        value_layers: vec![128; 2],
        transitions: 60_000_000,
        ..icc()
    }
}

/// For motion that a generator makes on the way. It asks for what no body can do where one motion becomes another, so that it is worth something to stay up
/// without being exact, and the motion waits for the body as it does at play.
fn driven() -> TrackerConfig {
    TrackerConfig {
        practice_minutes: 30.0,
        motion_follows_beyond: FEEDS_BACK_M,
        survival_reward: 0.3,
        push_speed: 0.5,
        ..ours()
    }
}

/// For motion that a transfer made, at its 40 frames a second. Its controls already do most, so that noise is small from the beginning; and the policy's rate
/// begins at its least, because steps of a beginner's size are many of such small deviations and undo what was cloned.
fn performed() -> TrackerConfig {
    TrackerConfig {
        steps_per_frame: 12,
        most_frames: 400,
        feeds_controls: true,
        clone_transitions: 1_000_000,
        deviation: 0.1,
        policy_rate: 2e-5,
        transitions: 10_000_000,
        ..ours()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_those_of_the_paper_and_of_its_code() {
        let paper = TrackerConfig::preset(TrackerPreset::Paper);
        let sigmas = [paper.rotation_sigma, paper.velocity_sigma, paper.effector_sigma, paper.center_sigma];
        assert_eq!((sigmas, paper.start_temperature), ([14.4, 72.0, 9.6, 0.6], 5.0));
        assert_eq!((paper.policy_rate, paper.value_rate, paper.clip, paper.trace_decay), (2e-4, 1e-3, 0.2, 0.95));
        assert_eq!((paper.policy_layers, paper.value_layers), (vec![1024; 4], vec![512; 2]));
        let icc = TrackerConfig::preset(TrackerPreset::Icc);
        let sigmas = [icc.rotation_sigma, icc.velocity_sigma, icc.effector_sigma, icc.center_sigma];
        assert_eq!((sigmas, icc.discount, icc.trace_decay), ([0.5, 1.0, 0.2, 0.2], 0.95, 0.95));
        assert_eq!((icc.policy_rate, icc.value_rate, icc.epochs, icc.minibatch), (1e-4, 1e-3, 1, 1024));
        // 0.9993 to the power of the tens of updates in a million transitions.
        assert!((libm::pow(0.9993, 1e6 / (10.0 * 20480.0)) - icc.rate_decay).abs() < 1e-4);
    }

    #[test]
    fn who_goes_on_from_a_policy_stumbles_less() {
        let driven = TrackerConfig::preset(TrackerPreset::Driven);
        let on = driven.clone().going_on();
        assert_eq!((on.deviation, on.least_deviation, on.deviation_transitions), (0.2, 0.1, 10_000_000));
        assert_eq!(TrackerConfig { deviation: 0.5, deviation_transitions: 30_000_000, ..on }, driven);
        let quiet = TrackerConfig { deviation: 0.05, deviation_transitions: 7, ..driven };
        assert_eq!(quiet.clone().going_on(), quiet);
    }

    #[test]
    fn faults_are_named() {
        let good = TrackerConfig::default();
        assert!(
            [TrackerPreset::Paper, TrackerPreset::Icc, TrackerPreset::Driven, TrackerPreset::Performed]
                .map(TrackerConfig::preset)
                .iter()
                .all(|c| c.fault().is_none())
        );
        assert_eq!(good.fault(), None);
        assert_eq!(TrackerConfig { worlds: 0, ..good.clone() }.fault().unwrap().0, "worlds");
        assert_eq!(TrackerConfig { discount: f64::NAN, ..good.clone() }.fault().unwrap().0, "discount");
        assert_eq!(TrackerConfig { policy_layers: vec![256, 0], ..good.clone() }.fault().unwrap().0, "policy_layers");
        assert_eq!(TrackerConfig { preview: vec![0], ..good }.fault().unwrap().0, "preview");
    }
}
