//! Many worlds of one character, each on its way through the reference: actions in, rewards and observations out.
//!
//! An action shifts the PD target of every joint away from the reference: `q_d = q̂ ∘ exp(Δ)` (Park et al. 2019, eq. 10; a ball's shift is a rotation
//! vector in the child's axes). After [`Environment::step`], worlds whose episode is over stay as they are until [`Environment::restart`], so that a value
//! can be asked for in the last state of those that were only cut off. Start reading at [`Environment`].

use crate::body::TrackedBody;
use crate::config::TrackerConfig;
use crate::error::TrackError;
use crate::observation::{Observer, State};
use crate::reference::{Frame, Reference};
use crate::reward::{RewardScales, USUAL_HEIGHT_M};
use crate::starts::Starts;
use crate::turn::{four, product, quaternion};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sinew_optim::NormalStream;
use sinew_sim::{Batch, BatchOptions, Condition, DampsTo, Interval, Readings};
use std::borrow::Cow;

/// Purpose of the random numbers that starts are drawn with.
const STARTS: u64 = 0x5354_4152_5453;
/// Worlds that a thread takes at a time, at least.
const AT_A_TIME: usize = 16;

/// How the episode of a world stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Episode {
    /// It goes on.
    #[default]
    Goes,
    /// It has left the reference, or fallen.
    Failed,
    /// It has reached the end of the reference, or its longest time.
    CutOff,
}

/// Where a world is in its episode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Place {
    /// Frame of the reference that its state belongs to.
    pub frame: u32,
    /// Frame in which the episode began.
    pub start: u32,
    /// Rewards of the episode so far.
    pub earned: f64,
}

/// All that is needed to go on with the worlds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct EnvironmentState {
    pub positions: Vec<f32>,
    pub velocities: Vec<f32>,
    pub places: Vec<Place>,
    /// Episodes begun so far: the count of their random numbers.
    pub begun: u64,
}

/// What a world did in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    pub reward: f32,
    pub episode: Episode,
    /// Mean distance of all bodies from the reference, m.
    pub body_error: f32,
    /// Largest distance of a body from the reference, m.
    pub worst_body: f32,
}

/// When an episode has failed, in the units of the figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ends {
    pub root_distance: f32,
    pub root_turn: f32,
    pub body_distance: f32,
    pub least_root_height: f32,
}

impl Ends {
    pub fn new(body: &TrackedBody, config: &TrackerConfig) -> Ends {
        let length = body.height_m / USUAL_HEIGHT_M;
        let or_none = |limit: f64| if limit > 0.0 { limit as f32 } else { f32::INFINITY };
        Ends {
            root_distance: or_none(config.most_root_distance * length),
            root_turn: or_none(config.most_root_turn),
            body_distance: or_none(config.most_body_distance * length),
            least_root_height: config.least_root_height as f32,
        }
    }

    fn has_failed(&self, frame: &Frame<'_>, position: &[f32], body_error: f32) -> bool {
        let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
        let away: [f32; 3] = std::array::from_fn(|k| position[k] - frame.position[k]);
        length(&away) > self.root_distance
            || length(&frame.root_turn(position)) > self.root_turn
            || body_error > self.body_distance
            || position[2] < self.least_root_height * frame.position[2]
    }
}

/// The worlds.
pub(crate) struct Environment<'a> {
    pub body: &'a TrackedBody,
    pub reference: Cow<'a, Reference>,
    config: &'a TrackerConfig,
    observer: Observer,
    scales: RewardScales,
    ends: Ends,
    batch: Batch,
    pub state: EnvironmentState,
    /// What a policy sees of each world.
    pub observations: Vec<f32>,
    pub outcomes: Vec<Outcome>,
    seen: Vec<f32>,
    conditions: Vec<Condition>,
    targets: [Vec<f32>; 2],
}

impl<'a> Environment<'a> {
    /// Worlds that have not begun.
    ///
    /// # Errors
    /// Where so many worlds cannot be made.
    pub fn new(
        body: &'a TrackedBody,
        reference: &'a Reference,
        config: &'a TrackerConfig,
        ends: Ends,
        worlds: usize,
    ) -> Result<Environment<'a>, TrackError> {
        Environment::of(body, Cow::Borrowed(reference), config, ends, worlds)
    }

    /// The same, of a reference that may be its own.
    ///
    /// # Errors
    /// Where so many worlds cannot be made.
    pub fn of(
        body: &'a TrackedBody,
        reference: Cow<'a, Reference>,
        config: &'a TrackerConfig,
        ends: Ends,
        worlds: usize,
    ) -> Result<Environment<'a>, TrackError> {
        let (nq, nv) = (body.model.position_count(), body.model.velocity_count());
        let observer = Observer::new(body, config);
        let state = EnvironmentState {
            positions: vec![0.0; worlds * nq],
            velocities: vec![0.0; worlds * nv],
            places: vec![Place::default(); worlds],
            begun: 0,
        };
        Ok(Environment {
            body,
            scales: RewardScales::new(body, &reference, config),
            reference,
            config,
            ends,
            batch: Batch::new(&body.model, worlds, BatchOptions::default())?,
            state,
            observations: vec![0.0; worlds * observer.width(body)],
            outcomes: vec![Outcome::default(); worlds],
            seen: vec![0.0; worlds * body.model.observation_count()],
            conditions: vec![Condition::Running; worlds],
            targets: [vec![0.0; worlds * nq], vec![0.0; worlds * nq]],
            observer,
        })
    }

    /// Numbers of an observation.
    pub fn width(&self) -> usize {
        self.observer.width(self.body)
    }

    pub fn worlds(&self) -> usize {
        self.state.places.len()
    }

    /// The states of the first worlds.
    pub fn first_states(&self, worlds: usize) -> EnvironmentState {
        let (nq, nv) = (self.body.model.position_count(), self.body.model.velocity_count());
        EnvironmentState {
            positions: self.state.positions[..worlds * nq].to_vec(),
            velocities: self.state.velocities[..worlds * nv].to_vec(),
            places: self.state.places[..worlds].to_vec(),
            begun: self.state.begun,
        }
    }

    /// Begins every world anew.
    pub fn begin(&mut self, starts: &Starts, seed: u64) -> Result<(), TrackError> {
        let all: Vec<usize> = (0..self.worlds()).collect();
        self.restart(&all, starts, seed)
    }

    /// Puts all worlds where a state says, and looks at them.
    pub fn resume(&mut self, state: EnvironmentState) -> Result<(), TrackError> {
        self.state = state;
        let all: Vec<usize> = (0..self.worlds()).collect();
        self.batch.reset(&all, &self.state.positions, &self.state.velocities)?;
        self.batch.read(Readings { observations: Some(&mut self.seen), ..Readings::none() })?;
        self.observe();
        Ok(())
    }

    /// Begins new episodes in the worlds that are named, exactly on the reference.
    pub fn restart(&mut self, worlds: &[usize], starts: &Starts, seed: u64) -> Result<(), TrackError> {
        let frames = worlds.iter().zip(self.state.begun..);
        let frames: Vec<usize> = frames
            .map(|(_, episode)| starts.draw(&self.reference, &mut NormalStream::new(seed, STARTS, episode)))
            .collect();
        self.state.begun += worlds.len() as u64;
        self.place(worlds, &frames)
    }

    /// Puts worlds onto frames of the reference.
    pub fn place(&mut self, worlds: &[usize], frames: &[usize]) -> Result<(), TrackError> {
        let (nq, nv) = (self.body.model.position_count(), self.body.model.velocity_count());
        let no = self.body.model.observation_count();
        let (mut positions, mut velocities) = (Vec::new(), Vec::new());
        for (&world, &start) in worlds.iter().zip(frames) {
            let frame = self.reference.frame(start);
            positions.extend(frame.position);
            velocities.extend(frame.velocity);
            self.state.positions[world * nq..(world + 1) * nq].copy_from_slice(frame.position);
            self.state.velocities[world * nv..(world + 1) * nv].copy_from_slice(frame.velocity);
            // The points of the reference are those of the world now. Velocities of points are not looked at.
            let seen = &mut self.seen[world * no..(world + 1) * no];
            seen[..3].copy_from_slice(&frame.places[..3]);
            seen[6..3 + frame.places.len()].copy_from_slice(&frame.places[3..]);
            self.state.places[world] = Place { frame: start as u32, start: start as u32, earned: 0.0 };
        }
        self.batch.reset(worlds, &positions, &velocities)?;
        let width = self.width();
        for &world in worlds {
            let state = State {
                position: &self.state.positions[world * nq..(world + 1) * nq],
                velocity: &self.state.velocities[world * nv..(world + 1) * nv],
                seen: &self.seen[world * no..(world + 1) * no],
            };
            let frame = self.state.places[world].frame as usize;
            let row = &mut self.observations[world * width..(world + 1) * width];
            self.observer.write(self.body, &self.reference, frame, state, row);
        }
        Ok(())
    }

    /// Follows another motion from now on: all worlds are at its frame `frame`.
    pub fn follow(&mut self, reference: Reference, frame: u32) {
        self.reference = Cow::Owned(reference);
        self.state.places.fill(Place { frame, start: frame, earned: 0.0 });
        self.observe();
    }

    /// Takes a frame in every world.
    pub fn step(&mut self, actions: &[f32]) -> Result<(), TrackError> {
        self.aim(actions);
        let interval = match self.config.targets_move {
            true => Interval::ramped(self.config.steps_per_frame, DampsTo::Target),
            false => Interval::held(self.config.steps_per_frame),
        };
        let readings = Readings {
            positions: Some(&mut self.state.positions),
            velocities: Some(&mut self.state.velocities),
            observations: Some(&mut self.seen),
            conditions: Some(&mut self.conditions),
            ..Readings::none()
        };
        let [from, to] = &self.targets;
        self.batch.control_from(from, to, interval, readings)?;
        self.judge();
        self.observe();
        Ok(())
    }

    /// PD targets: from the present frame of the reference to the next one, both shifted by the action.
    fn aim(&mut self, actions: &[f32]) {
        let (body, reference, config) = (self.body, &self.reference, self.config);
        let (nq, n) = (body.model.position_count(), body.coordinate_count());
        let (scale, most) = (config.action_rad as f32, config.most_action_rad as f32);
        let [from, to] = &mut self.targets;
        let rows = from.par_chunks_exact_mut(nq).zip(to.par_chunks_exact_mut(nq)).zip(&self.state.places);
        rows.zip(actions.par_chunks_exact(n)).with_min_len(AT_A_TIME).for_each(|(((from, to), place), action)| {
            let now = place.frame as usize;
            let next = (now + 1).min(reference.end_of(now) - 1);
            from.copy_from_slice(reference.frame(now).position);
            to.copy_from_slice(reference.frame(next).position);
            for joint in &body.joints {
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
        });
    }

    /// Rewards of the frame that was reached, and whether episodes are over.
    fn judge(&mut self) {
        let (body, reference, config, ends, scales) = (self.body, &self.reference, self.config, self.ends, self.scales);
        let (nq, nv) = (body.model.position_count(), body.model.velocity_count());
        let no = body.model.observation_count();
        let (positions, velocities, seen) = (&self.state.positions, &self.state.velocities, &self.seen);
        let worlds = self.state.places.par_iter_mut().zip(&mut self.outcomes).zip(&self.conditions).enumerate();
        worlds.with_min_len(AT_A_TIME).for_each(|(world, ((place, outcome), condition))| {
            let end = reference.end_of(place.frame as usize);
            place.frame += 1;
            if *condition != Condition::Running {
                *outcome = Outcome { episode: Episode::Failed, ..Outcome::default() };
                return;
            }
            let frame = reference.frame(place.frame as usize);
            let position = &positions[world * nq..(world + 1) * nq];
            let velocity = &velocities[world * nv..(world + 1) * nv];
            let seen = &seen[world * no..(world + 1) * no];
            let reward = scales.terms(body, &reference.is_moved, &frame, position, velocity, seen).product();
            let (body_error, worst_body) = body_errors(body, &frame, seen);
            let lasted = (place.frame - place.start) as usize;
            let episode = if ends.has_failed(&frame, position, body_error) {
                Episode::Failed
            } else if place.frame as usize + 1 >= end || config.most_frames > 0 && lasted >= config.most_frames {
                Episode::CutOff
            } else {
                Episode::Goes
            };
            place.earned += f64::from(reward);
            *outcome = Outcome { reward, episode, body_error, worst_body };
        });
    }

    fn observe(&mut self) {
        let (body, reference, observer) = (self.body, &self.reference, &self.observer);
        let (nq, nv) = (body.model.position_count(), body.model.velocity_count());
        let no = body.model.observation_count();
        let (positions, velocities, seen) = (&self.state.positions, &self.state.velocities, &self.seen);
        let rows = self.observations.par_chunks_exact_mut(observer.width(body)).zip(&self.state.places).enumerate();
        rows.with_min_len(AT_A_TIME).for_each(|(world, (row, place))| {
            let state = State {
                position: &positions[world * nq..(world + 1) * nq],
                velocity: &velocities[world * nv..(world + 1) * nv],
                seen: &seen[world * no..(world + 1) * no],
            };
            observer.write(body, reference, place.frame as usize, state, row);
        });
    }
}

/// Mean and largest distance of bodies from the reference, m.
fn body_errors(body: &TrackedBody, frame: &Frame<'_>, seen: &[f32]) -> (f32, f32) {
    let first = 3 * body.points.effectors;
    let own = seen[6 + first..].chunks_exact(3);
    let wanted = frame.places[3 + first..].chunks_exact(3);
    let (mut sum, mut worst) = (0.0, 0.0f32);
    for (own, wanted) in own.zip(wanted).take(body.points.bodies) {
        let distance = own.iter().zip(wanted).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt();
        sum += distance;
        worst = worst.max(distance);
    }
    (sum / body.points.bodies as f32, worst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_motion::{small_config, swaying};

    #[test]
    fn actions_shift_targets_and_are_bounded() {
        let config = TrackerConfig { action_rad: 0.2, most_action_rad: 0.5, ..small_config() };
        let (body, reference) = swaying(&config);
        let mut environment = Environment::new(&body, &reference, &config, Ends::new(&body, &config), 2).unwrap();
        environment.place(&[0, 1], &[3, 38]).unwrap();
        let n = body.coordinate_count();
        let mut actions = vec![0.0; 2 * n];
        (actions[0], actions[n + 1]) = (2.0, 100.0);
        environment.aim(&actions);
        let nq = body.model.position_count();
        let turned = |targets: &[f32], frame: usize, slot: crate::body::JointSlot| -> f32 {
            let wanted = reference.frame(frame).position;
            if slot.is_ball {
                let turn = crate::turn::between(four(wanted, slot.q), four(targets, slot.q));
                turn.iter().map(|x| x * x).sum::<f32>().sqrt()
            } else {
                targets[slot.q] - wanted[slot.q]
            }
        };
        let [from, to] = &environment.targets;
        let first = body.joints[0];
        assert!((turned(&from[..nq], 3, first) - 0.4).abs() < 1e-5 && (turned(&to[..nq], 4, first) - 0.4).abs() < 1e-5);
        let second = body.joints.iter().find(|joint| (joint.c..joint.c + joint.width()).contains(&1)).unwrap();
        assert!((turned(&to[nq..], 39, *second) - 0.5).abs() < 1e-5);
    }

    #[test]
    fn episodes_fail_where_bodies_are_off_and_are_cut_off_at_the_end() {
        let config = TrackerConfig { most_frames: 6, ..small_config() };
        let (body, reference) = swaying(&config);
        let mut environment = Environment::new(&body, &reference, &config, Ends::new(&body, &config), 3).unwrap();
        // The first begins in the middle, the second two frames before the end of its stretch.
        environment.place(&[0, 1, 2], &[3, 37, 10]).unwrap();
        // The third stands a metre beside its reference.
        environment.state.positions[2 * body.model.position_count() + 1] += 1.0;
        environment.resume(environment.state.clone()).unwrap();
        let still = vec![0.0; 3 * body.coordinate_count()];
        let mut ends = [None; 3];
        for frame in 1..=6 {
            environment.step(&still).unwrap();
            for (end, outcome) in ends.iter_mut().zip(&environment.outcomes) {
                if outcome.episode != Episode::Goes {
                    end.get_or_insert((frame, outcome.episode));
                }
            }
            let over: Vec<usize> =
                (0..3).filter(|&world| environment.outcomes[world].episode != Episode::Goes).collect();
            environment.place(&over, &vec![3; over.len()]).unwrap();
        }
        assert_eq!(ends, [Some((6, Episode::CutOff)), Some((2, Episode::CutOff)), Some((1, Episode::Failed))]);
    }

    #[test]
    fn every_rule_of_failing_counts_alone() {
        let config = small_config();
        let (body, reference) = swaying(&config);
        let frame = reference.frame(5);
        let none = Ends {
            root_distance: f32::INFINITY,
            root_turn: f32::INFINITY,
            body_distance: f32::INFINITY,
            least_root_height: 0.0,
        };
        let mut position = frame.position.to_vec();
        position[0] += 0.3;
        let away = Ends { root_distance: 0.29, ..none };
        assert!(
            away.has_failed(&frame, &position, 0.0)
                && !Ends { root_distance: 0.31, ..none }.has_failed(&frame, &position, 0.0)
        );
        let turned = product(four(frame.position, 3), quaternion([0.0, 0.5, 0.0]));
        position[3..7].copy_from_slice(&turned);
        assert!(Ends { root_turn: 0.49, ..none }.has_failed(&frame, &position, 0.0));
        assert!(!Ends { root_turn: 0.51, ..none }.has_failed(&frame, &position, 0.0));
        assert!(Ends { body_distance: 0.1, ..none }.has_failed(&frame, &position, 0.11));
        position[2] *= 0.6;
        assert!(Ends { least_root_height: 0.61, ..none }.has_failed(&frame, &position, 0.0));
        assert!(!Ends { least_root_height: 0.59, ..none }.has_failed(&frame, &position, 0.0));
        // Limits grow with the figure, and 0 is none.
        let ends = Ends::new(&body, &TrackerConfig { most_root_distance: 1.0, most_body_distance: 0.0, ..config });
        assert!(
            (f64::from(ends.root_distance) - body.height_m / 1.7).abs() < 1e-6 && ends.body_distance == f32::INFINITY
        );
    }
}
