//! What decides the PD targets of one character: its state and the motion ahead in, targets out.
//!
//! A [`Pilot`] knows nothing of the world that the character is in: alone, among balls, or beside others. Who owns the world reads the character's
//! numbers out of it, asks for targets, and steps. Start reading at [`Pilot::decide`].

use crate::body::{JointSlot, TrackedBody};
use crate::config::TrackerConfig;
use crate::environment::{Ends, body_errors};
use crate::error::TrackError;
use crate::observation::{Observer, State};
use crate::policy::TrainedPolicy;
use crate::reference::Reference;
use crate::trial::trial_ends;
use crate::turn::{four, product, quaternion};
use sinew_learn::Figure;
use sinew_nn::MlpInference;
use sinew_sim::{DampsTo, Interval};

/// Frame of a window that is the present one.
const PRESENT: usize = 1;

/// A policy on its character: constant, shared by all characters of its kind.
#[derive(Clone, Debug)]
pub struct Pilot {
    body: TrackedBody,
    policy: TrainedPolicy,
    figure: Figure,
    observer: Observer,
    ends: Ends,
}

/// Working memory of a pilot: the motion that it follows, and its last decision.
#[derive(Clone, Debug)]
pub struct PilotState {
    window: Reference,
    memory: MlpInference<f32>,
    observation: Vec<f32>,
    action: Vec<f32>,
    from: Vec<f32>,
    to: Vec<f32>,
}

/// Where a character is: what a pilot has to be told of the world.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Its `qpos`.
    pub position: &'a [f32],
    /// Its `qvel`.
    pub velocity: &'a [f32],
    /// Its row of the simulator's observations: six numbers that are not looked at, then its watched points (see [`TrackedBody::model`]), 3 each.
    pub observed: &'a [f32],
}

/// How a character came through a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Mean distance of all bodies from the motion, m.
    pub body_error_m: f64,
    /// Whether it has fallen, or lost its motion.
    pub has_fallen: bool,
}

impl Pilot {
    /// Puts a policy on a body of its character.
    ///
    /// # Errors
    /// Where the character cannot be used, or the policy needs the controls of its motion.
    pub fn new(body: &TrackedBody, policy: &TrainedPolicy) -> Result<Pilot, TrackError> {
        policy.check_follows_any()?;
        Ok(Pilot {
            figure: Figure::new(&body.character, body.forward_rad)?,
            observer: Observer::new(body, &policy.config),
            ends: trial_ends(body, policy),
            body: body.clone(),
            policy: policy.clone(),
        })
    }

    /// The character, compiled.
    pub fn body(&self) -> &TrackedBody {
        &self.body
    }

    /// The policy.
    pub fn policy(&self) -> &TrainedPolicy {
        &self.policy
    }

    /// How PD targets go through a frame.
    pub fn interval(&self) -> Interval {
        interval(&self.policy.config)
    }

    /// Begins with a window: rows of `qpos`, the frame before the present one, the present one, and as many ahead as
    /// [`TrainedPolicy::frames_ahead`] says, so that velocities are those of the training.
    ///
    /// # Errors
    /// Where the window is too short.
    pub fn begin(&self, window: &[Vec<f64>]) -> Result<PilotState, TrackError> {
        let nq = self.body.model.position_count();
        Ok(PilotState {
            window: self.windowed(window)?,
            memory: self.policy.policy.mean.inference(),
            observation: vec![0.0; self.observer.width(&self.body)],
            action: vec![0.0; self.body.coordinate_count()],
            from: vec![0.0; nq],
            to: vec![0.0; nq],
        })
    }

    /// Follows a window from now on.
    ///
    /// # Errors
    /// Where the window is too short.
    pub fn follow(&self, state: &mut PilotState, window: &[Vec<f64>]) -> Result<(), TrackError> {
        state.window = self.windowed(window)?;
        Ok(())
    }

    /// Decides for a frame. Returns the PD targets at its beginning and at its end, in the order of `qpos`.
    pub fn decide<'a>(&self, state: &'a mut PilotState, seen: Seen<'_>) -> [&'a [f32]; 2] {
        let PilotState { window, memory, observation, action, from, to } = state;
        let row = State { position: seen.position, velocity: seen.velocity, seen: seen.observed };
        self.observer.write(&self.body, window, PRESENT, row, observation);
        action.copy_from_slice(self.policy.policy.mean.infer(observation, memory));
        aim(&self.body, &self.policy.config, window, PRESENT, action, [from, to]);
        [from, to]
    }

    /// Judges where the character came to in the frame that was decided for.
    pub fn judge(&self, state: &PilotState, seen: Seen<'_>) -> Moment {
        let frame = state.window.frame(PRESENT + 1);
        let errors = body_errors(&self.body, &frame, seen.observed);
        let has_fallen = self.ends.has_failed(&frame, seen.position, &errors);
        Moment { body_error_m: f64::from(errors.mean), has_fallen }
    }

    fn windowed(&self, window: &[Vec<f64>]) -> Result<Reference, TrackError> {
        let least = 2 + self.policy.frames_ahead();
        Reference::of_figure(&self.body, &self.figure, self.policy.rate_hz, &[window.concat()], least)
    }
}

impl PilotState {
    /// The last decision: what was seen, the action, and the PD targets at the beginning and at the end of the frame.
    pub fn decision(&self) -> [&[f32]; 4] {
        [&self.observation, &self.action, &self.from, &self.to]
    }

    /// `qpos` and `qvel` of the present frame of the motion: where a character is put that begins on it.
    pub fn start(&self) -> [&[f32]; 2] {
        let frame = self.window.frame(PRESENT);
        [frame.position, frame.velocity]
    }

    /// The row of observations there, as the motion has it: see [`Seen::observed`].
    pub fn start_observed(&self) -> Vec<f32> {
        [&[0.0; 6], &self.window.frame(PRESENT).places[3..]].concat()
    }
}

/// How PD targets go through a frame.
pub(crate) fn interval(config: &TrackerConfig) -> Interval {
    match config.targets_move {
        true => Interval::ramped(config.steps_per_frame, DampsTo::Target),
        false => Interval::held(config.steps_per_frame),
    }
}

/// What an action of 1 turns the PD target of a joint by, rad.
pub(crate) fn action_rad(config: &TrackerConfig, joint: &JointSlot) -> f32 {
    let widest = config.action_rad as f32;
    match config.action_torque_share {
        share if share > 0.0 => widest.min(share as f32 * joint.yield_rad),
        _ => widest,
    }
}

/// PD targets: from that of the frame `now` of the reference to that of the next one, both shifted by the action.
pub(crate) fn aim(
    body: &TrackedBody,
    config: &TrackerConfig,
    reference: &Reference,
    now: usize,
    action: &[f32],
    [from, to]: [&mut [f32]; 2],
) {
    let most = config.most_action_rad as f32;
    let next = (now + 1).min(reference.end_of(now) - 1);
    let base = |frame: usize| match config.feeds_controls {
        true => reference.target(frame),
        false => reference.frame(frame).position,
    };
    from.copy_from_slice(base(now));
    to.copy_from_slice(base(next));
    for joint in &body.joints {
        let scale = action_rad(config, joint);
        let shift = |k: usize| (scale * action[joint.c + k]).clamp(-most, most);
        if joint.is_ball {
            let turn = quaternion([shift(0), shift(1), shift(2)]);
            for row in [&mut *from, &mut *to] {
                let turned = product(four(row, joint.q), turn);
                row[joint.q..joint.q + 4].copy_from_slice(&turned);
            }
        } else {
            from[joint.q] += shift(0);
            to[joint.q] += shift(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::Path;

    #[test]
    fn stiff_joints_get_smaller_actions_where_that_is_asked_for() {
        let slot = JointSlot { q: 7, v: 6, c: 0, is_ball: false, yield_rad: 0.1 };
        let config = |share| TrackerConfig { action_rad: 0.2, action_torque_share: share, ..Default::default() };
        assert!((action_rad(&config(0.5), &slot) - 0.05).abs() < 1e-7);
        assert_eq!(action_rad(&config(0.0), &slot), 0.2);
        assert_eq!(action_rad(&config(0.5), &JointSlot { yield_rad: f32::INFINITY, ..slot }), 0.2);
        let character = sinew_sim::embedded::humanoid();
        let body = TrackedBody::new(&character, 0.0, 1.0 / 600.0).unwrap();
        for (slot, joint) in body.joints.iter().zip(body.model.joints().iter().filter(|j| !j.kind.is_root())) {
            let own = character.joints.iter().find(|own| joint.name.ends_with(&own.name)).unwrap();
            let wanted = own.torque_limit.map_or(f64::INFINITY, |limit| limit / own.kp) as f32;
            assert_eq!(slot.yield_rad, wanted, "{}", joint.name);
        }
    }

    #[test]
    fn targets_move_or_jump_as_the_policy_was_trained() {
        let path = |targets_move| interval(&TrackerConfig { targets_move, steps_per_frame: 8, ..Default::default() });
        assert_eq!((path(true).steps, path(true).path), (8, Path::Ramp(DampsTo::Target)));
        assert_eq!((path(false).steps, path(false).path), (8, Path::Hold));
    }
}
