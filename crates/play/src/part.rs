//! What a character plays with: its generator, its policy, and how long its actions take. Constant, and shared by all characters of a kind.

use crate::error::PlayError;
use sinew_learn::{Action, Figure, Generator, Goal, MotionSet, SavedGenerator};
use sinew_track::{Driven, Pilot, TrackedBody, TrackerConfig, TrainedPolicy, time_step};
use std::sync::Arc;

/// Names of the action by which a character gets up, in small letters without anything between words.
const STAND_UP: [&str; 4] = ["standup", "getup", "standingup", "gettingup"];
/// How long an action takes that the set does not show from beginning to end, s.
const USUAL_SECS: f64 = 1.5;

/// A generator and a policy of the same character; or a generator alone, whose motion is shown and not simulated.
#[derive(Clone)]
pub struct Part {
    pub(crate) generator: Arc<dyn Generator>,
    pub(crate) pilot: Arc<Pilot>,
    timings: Vec<ActionTiming>,
    is_simulated: bool,
}

/// How an action goes once it has begun.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionTiming {
    /// From its beginning to its moment, s.
    pub lead_secs: f64,
    /// From its moment to its end, s.
    pub follow_secs: f64,
    /// Where the root is at the moment, seen from where the action begins, forward and to the left, m.
    pub way_m: [f64; 2],
}

impl Part {
    /// Joins a generator, as it is kept, and a policy of the same character.
    ///
    /// # Errors
    /// Where they are of characters with other joints, or cannot be used.
    pub fn new(saved: &SavedGenerator, policy: &TrainedPolicy) -> Result<Part, PlayError> {
        let generator: Arc<dyn Generator> = saved.generator()?.into();
        let set = match saved {
            SavedGenerator::Matching { set, .. } => Some(set.as_ref()),
            SavedGenerator::Lstm { .. } => None,
        };
        Part::of(generator, policy, set)
    }

    /// A generator without a policy: its character is where its motion is, in every frame.
    ///
    /// # Errors
    /// Where it cannot be used.
    pub fn shown(saved: &SavedGenerator) -> Result<Part, PlayError> {
        let header = saved.header();
        // A policy that has learnt nothing has the body and the clock; its actions are overruled at the end of each frame.
        let config = TrackerConfig { policy_layers: vec![1], ..TrackerConfig::default() };
        let body = TrackedBody::new(&header.character, header.forward_rad, time_step(&config, header.rate_hz))?;
        let policy = TrainedPolicy::untrained(&body, &config, header.rate_hz, 0);
        Ok(Part { is_simulated: false, ..Part::new(saved, &policy)? })
    }

    /// The same, of a generator that was made before; the set says how long actions take.
    ///
    /// # Errors
    /// Where they are of characters with other joints.
    pub fn of(
        generator: Arc<dyn Generator>,
        policy: &TrainedPolicy,
        set: Option<&MotionSet>,
    ) -> Result<Part, PlayError> {
        let body = TrackedBody::new(&policy.character, policy.forward_rad, time_step(&policy.config, policy.rate_hz))?;
        // Refuses what does not fit.
        Driven::new(generator.as_ref(), &body, policy)?;
        let actions = generator.actions().iter().enumerate();
        let timing = |(index, action): (usize, &Action)| {
            set.and_then(|set| timing_of(set, generator.figure(), index, action)).unwrap_or(ActionTiming {
                lead_secs: USUAL_SECS,
                follow_secs: USUAL_SECS,
                way_m: [0.0; 2],
            })
        };
        let timings = actions.map(timing).collect();
        Ok(Part { pilot: Arc::new(Pilot::new(&body, policy)?), generator, timings, is_simulated: true })
    }

    /// What says where it goes.
    pub fn generator(&self) -> &dyn Generator {
        self.generator.as_ref()
    }

    /// Whether its body is simulated; otherwise it is where its motion is.
    pub fn is_simulated(&self) -> bool {
        self.is_simulated
    }

    /// What moves it there.
    pub fn pilot(&self) -> &Pilot {
        &self.pilot
    }

    /// The actions that it knows; inputs name them by index.
    pub fn actions(&self) -> &[Action] {
        self.generator.actions()
    }

    /// Index of an action by name, whatever its letters' size.
    pub fn action(&self, name: &str) -> Option<usize> {
        self.actions().iter().position(|action| action.name.eq_ignore_ascii_case(name))
    }

    /// Names of the bodies, in the order of the compiled character; pushes name them by index.
    pub fn body_names(&self) -> Vec<&str> {
        let body = self.pilot.body();
        let of_character = |name| -> Option<&str> { str::strip_prefix(name, &body.character.name)?.strip_prefix('/') };
        let bodies = body.model().bodies().iter();
        bodies.map(|info| of_character(&info.name).unwrap_or(&info.name)).collect()
    }

    /// How an action goes.
    pub fn timing(&self, action: usize) -> ActionTiming {
        self.timings[action]
    }

    /// The action by which it gets up, where it knows one.
    pub fn stand_up(&self) -> Option<usize> {
        let plain = |name: &str| name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
        self.actions().iter().position(|action| STAND_UP.contains(&plain(&action.name).as_str()))
    }

    /// Actions that steering asks for, a bit for each: those that move to places; without one, all that are maintained; without those, any.
    pub fn locomotion(&self) -> u32 {
        let of = |goal: Goal| {
            let bits = self.actions().iter().enumerate().filter(|(_, action)| action.goal == goal);
            bits.map(|(index, _)| 1 << index).sum::<u32>()
        };
        [of(Goal::MoveTo), of(Goal::Maintain)].into_iter().find(|bits| *bits != 0).unwrap_or(0)
    }
}

/// How the set shows an action: that of its labels with the median time to its moment.
fn timing_of(set: &MotionSet, figure: &Figure, index: usize, action: &Action) -> Option<ActionTiming> {
    if action.goal != Goal::Achieve {
        return None;
    }
    let secs = |frames: usize| frames as f64 / set.header.rate_hz;
    let mut shown: Vec<ActionTiming> = Vec::new();
    for sequence in &set.sequences {
        let mut rows: Option<Vec<f64>> = None;
        let has = |frame: usize| sequence.labels.get(frame).is_some_and(|bits| bits >> index & 1 == 1);
        let mut frame = 0;
        while frame < sequence.labels.len() {
            let first = frame;
            while has(frame) {
                frame += 1;
            }
            if frame > first {
                let moment = first + (frame - first) / 2;
                // Whoever looks ahead by the lookahead sees the moment from no earlier.
                let begin = first.max(moment.saturating_sub((action.lookahead_secs * set.header.rate_hz) as usize));
                let rows = rows.get_or_insert_with(|| sequence.positions_f64(figure));
                let row = |frame: usize| &rows[frame * set.header.position_count..][..set.header.position_count];
                let back = figure.heading_frame(row(begin)).inverse();
                let way_m = back.point([row(moment)[0], row(moment)[1]]);
                shown.push(ActionTiming { lead_secs: secs(moment - begin), follow_secs: secs(frame - moment), way_m });
            }
            frame += 1;
        }
    }
    shown.sort_by(|a, b| a.lead_secs.total_cmp(&b.lead_secs));
    shown.get(shown.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_character::{policy, standing};

    #[test]
    fn bodies_are_named_in_the_order_of_the_world_whatever_that_of_the_file() {
        let (plain, mut turned) = (policy(), policy());
        turned.character.bodies[1..].reverse();
        let names = |policy: &TrainedPolicy| -> Vec<String> {
            let part = Part::new(&standing(&[]), policy).expect("a part");
            part.body_names().iter().map(|name| (*name).to_owned()).collect()
        };
        let in_file: Vec<String> = turned.character.bodies.iter().map(|body| body.name.clone()).collect();
        assert_eq!(names(&turned), names(&plain));
        assert_ne!(names(&turned), in_file);
    }
}
