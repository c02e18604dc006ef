//! Many worlds of one character, each on its way through the reference: actions in, rewards and observations out.
//!
//! An action shifts the PD target of every joint away from the reference: `q_d = q̂ ∘ exp(Δ)` (Park et al. 2019, eq. 10; a ball's shift is a rotation
//! vector in the child's axes). After [`Environment::step`], worlds whose episode is over stay as they are until [`Environment::restart`], so that a value
//! can be asked for in the last state of those that were only cut off. Start reading at [`Environment`].

use crate::body::TrackedBody;
use crate::config::TrackerConfig;
use crate::disturbance::Kick;
use crate::error::TrackError;
use crate::observation::{Observer, State};
use crate::pilot::{aim, interval};
use crate::reference::{Frame, Reference};
use crate::reward::{RewardScales, USUAL_HEIGHT_M};
use crate::starts::Starts;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sinew_optim::NormalStream;
use sinew_sim::{Batch, BatchOptions, Condition, Push, Readings};

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
    /// Cosine of the largest angle between the upward axis of the root and that of the reference; −2 for any.
    pub least_upright: f32,
    pub body_distance: f32,
    pub least_root_height: f32,
    /// Least height of the point that is highest at rest, over its height in the reference.
    pub least_top_height: f32,
}

impl Ends {
    /// Goes on whatever happens.
    pub const NONE: Ends = Ends {
        root_distance: f32::INFINITY,
        root_turn: f32::INFINITY,
        least_upright: -2.0,
        body_distance: f32::INFINITY,
        least_root_height: f32::NEG_INFINITY,
        least_top_height: f32::NEG_INFINITY,
    };

    pub fn new(body: &TrackedBody, config: &TrackerConfig) -> Ends {
        let length = body.height_m / USUAL_HEIGHT_M;
        let or_none = |limit: f64| if limit > 0.0 { limit as f32 } else { f32::INFINITY };
        Ends {
            root_distance: or_none(config.most_root_distance * length),
            root_turn: or_none(config.most_root_turn),
            least_upright: -2.0,
            body_distance: or_none(config.most_body_distance * length),
            least_root_height: config.least_root_height as f32,
            least_top_height: config.least_top_height as f32,
        }
    }

    pub fn has_failed(&self, frame: &Frame<'_>, position: &[f32], bodies: &BodyErrors) -> bool {
        let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
        let away: [f32; 3] = std::array::from_fn(|k| position[k] - frame.position[k]);
        length(&away) > self.root_distance
            || length(&frame.root_turn(position)) > self.root_turn
            || frame.upright(position) < self.least_upright
            || bodies.mean > self.body_distance
            || bodies.top_height < self.least_top_height
            || position[2] < self.least_root_height * frame.position[2]
    }
}

/// The worlds.
pub(crate) struct Environment<'a> {
    pub body: &'a TrackedBody,
    pub reference: &'a Reference,
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
    /// Where so many worlds cannot be made, or the motion has no controls that could be fed forward.
    pub fn new(
        body: &'a TrackedBody,
        reference: &'a Reference,
        config: &'a TrackerConfig,
        ends: Ends,
        worlds: usize,
    ) -> Result<Environment<'a>, TrackError> {
        let (nq, nv) = (body.model.position_count(), body.model.velocity_count());
        if config.feeds_controls && !reference.has_controls() {
            return Err(TrackError::NoControls);
        }
        let observer = Observer::new(body, config);
        let state = EnvironmentState {
            positions: vec![0.0; worlds * nq],
            velocities: vec![0.0; worlds * nv],
            places: vec![Place::default(); worlds],
            begun: 0,
        };
        Ok(Environment {
            body,
            scales: RewardScales::new(body, reference, config),
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
            .map(|(_, episode)| starts.draw(self.reference, &mut NormalStream::new(seed, STARTS, episode)))
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
            self.observer.write(self.body, self.reference, frame, state, row);
        }
        Ok(())
    }

    /// Pushes bodies: from now on they have other velocities. What is seen of them stays as it was, so that a push comes as a surprise.
    pub fn kick(&mut self, kicks: &[Kick]) -> Result<(), TrackError> {
        if kicks.is_empty() {
            return Ok(());
        }
        let (nq, nv) = (self.body.model.position_count(), self.body.model.velocity_count());
        let (mut positions, mut velocities) = (Vec::new(), Vec::new());
        for kick in kicks {
            let velocity = &mut self.state.velocities[kick.world * nv..(kick.world + 1) * nv];
            velocity[..6].iter_mut().zip(kick.change).for_each(|(v, change)| *v += change);
            velocities.extend_from_slice(velocity);
            positions.extend_from_slice(&self.state.positions[kick.world * nq..(kick.world + 1) * nq]);
        }
        let worlds: Vec<usize> = kicks.iter().map(|kick| kick.world).collect();
        Ok(self.batch.reset(&worlds, &positions, &velocities)?)
    }

    /// Pushes roots for the next frame, or takes all pushes away: forces in world axes, N, one for each world.
    pub fn push(&mut self, forces: &[Option<[f64; 3]>]) {
        for (world, force) in forces.iter().enumerate() {
            let mut world = self.batch.world_mut(world);
            world.clear_forces();
            if let Some(force) = *force {
                world.add_push(&Push { body: 0, force });
            }
        }
    }

    /// Velocity of the centre of mass of a world, m/s.
    pub fn center_velocity(&self, world: usize) -> [f32; 3] {
        let first = world * self.body.model.observation_count() + 3;
        std::array::from_fn(|k| self.seen[first + k])
    }

    /// Takes a frame in every world.
    pub fn step(&mut self, actions: &[f32]) -> Result<(), TrackError> {
        self.aim(actions);
        let readings = Readings {
            positions: Some(&mut self.state.positions),
            velocities: Some(&mut self.state.velocities),
            observations: Some(&mut self.seen),
            conditions: Some(&mut self.conditions),
            ..Readings::none()
        };
        let [from, to] = &self.targets;
        self.batch.control_from(from, to, interval(self.config), readings)?;
        self.judge();
        self.follow_bodies()?;
        self.observe();
        Ok(())
    }

    /// PD targets: from the present frame of the reference to the next one, both shifted by the action.
    fn aim(&mut self, actions: &[f32]) {
        let (body, reference, config) = (self.body, self.reference, self.config);
        let (nq, n) = (body.model.position_count(), body.coordinate_count());
        let [from, to] = &mut self.targets;
        let rows = from.par_chunks_exact_mut(nq).zip(to.par_chunks_exact_mut(nq)).zip(&self.state.places);
        rows.zip(actions.par_chunks_exact(n)).with_min_len(AT_A_TIME).for_each(|(((from, to), place), action)| {
            aim(body, config, reference, place.frame as usize, action, [from, to]);
        });
    }

    /// Rewards of the frame that was reached, and whether episodes are over.
    fn judge(&mut self) {
        let (body, reference, config, ends, scales) = (self.body, self.reference, self.config, self.ends, self.scales);
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
            let bodies = body_errors(body, &frame, seen);
            let (body_error, worst_body) = (bodies.mean, bodies.worst);
            let lasted = (place.frame - place.start) as usize;
            let episode = if ends.has_failed(&frame, position, &bodies) {
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

    /// Where bodies have come away from the motion, the motion goes on at the place of the body. It is the world that is moved: over the ground, physics is the
    /// same everywhere.
    fn follow_bodies(&mut self) -> Result<(), TrackError> {
        let beyond = (self.config.motion_follows_beyond * self.body.height_m / USUAL_HEIGHT_M) as f32;
        if beyond <= 0.0 {
            return Ok(());
        }
        let (nq, nv) = (self.body.model.position_count(), self.body.model.velocity_count());
        let (no, points) = (self.body.model.observation_count(), self.body.points.count());
        let (mut worlds, mut positions, mut velocities) = (Vec::new(), Vec::new(), Vec::new());
        for (world, outcome) in self.outcomes.iter().enumerate() {
            if outcome.episode != Episode::Goes || outcome.body_error <= beyond {
                continue;
            }
            let wanted = self.reference.frame(self.state.places[world].frame as usize).position;
            let position = &mut self.state.positions[world * nq..(world + 1) * nq];
            let way = [wanted[0] - position[0], wanted[1] - position[1]];
            position[..2].copy_from_slice(&wanted[..2]);
            let seen = &mut self.seen[world * no..(world + 1) * no];
            // The centre of mass and all points; velocities stay.
            for at in std::iter::once(0).chain((0..points).map(|point| 6 + 3 * point)) {
                (seen[at], seen[at + 1]) = (seen[at] + way[0], seen[at + 1] + way[1]);
            }
            worlds.push(world);
            positions.extend_from_slice(position);
            velocities.extend_from_slice(&self.state.velocities[world * nv..(world + 1) * nv]);
        }
        if !worlds.is_empty() {
            self.batch.reset(&worlds, &positions, &velocities)?;
        }
        Ok(())
    }

    fn observe(&mut self) {
        let (body, reference, observer) = (self.body, self.reference, &self.observer);
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

/// A motion that has the highest point lower than this, over the character's height, lies.
pub(crate) const LOW_TOP: f32 = 0.2;

/// How far bodies are from the reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BodyErrors {
    /// Mean distance, m.
    pub mean: f32,
    /// Largest distance, m.
    pub worst: f32,
    /// Height of the point that is highest at rest, over its height in the reference.
    pub top_height: f32,
}

pub(crate) fn body_errors(body: &TrackedBody, frame: &Frame<'_>, seen: &[f32]) -> BodyErrors {
    let first = 3 * body.points.effectors;
    let own = seen[6 + first..].chunks_exact(3);
    let wanted = frame.places[3 + first..].chunks_exact(3);
    let (mut sum, mut worst) = (0.0, 0.0f32);
    let height = |points: &[f32]| points[3 * body.top + 2];
    let (own_top, wanted_top) = (height(&seen[6..]), height(&frame.places[3..]));
    // Who is to lie may.
    let top_height = if wanted_top > LOW_TOP * body.height_m as f32 { own_top / wanted_top } else { 1.0 };
    for (own, wanted) in own.zip(wanted).take(body.points.bodies) {
        let distance = own.iter().zip(wanted).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt();
        sum += distance;
        worst = worst.max(distance);
    }
    BodyErrors { mean: sum / body.points.bodies as f32, worst, top_height }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_motion::{small_config, swaying};
    use crate::turn::{four, product, quaternion};

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
    fn a_motion_that_follows_goes_on_at_the_place_of_the_body() {
        let follows = TrackerConfig { motion_follows_beyond: 0.2, ..small_config() };
        let still = |config: &TrackerConfig| {
            let (body, reference) = swaying(config);
            let nq = body.model.position_count();
            let mut environment = Environment::new(&body, &reference, config, Ends::new(&body, config), 2).unwrap();
            environment.place(&[0, 1], &[3, 3]).unwrap();
            // The second stands beside its reference.
            environment.state.positions[nq + 1] += 0.3;
            environment.resume(environment.state.clone()).unwrap();
            environment.step(&vec![0.0; 2 * body.coordinate_count()]).unwrap();
            let seen = environment.observations.clone();
            let reward = environment.outcomes[1].reward;
            let beside = environment.state.positions[nq + 1] - reference.frame(4).position[1];
            // What is seen is what a world that is there would see.
            environment.resume(environment.state.clone()).unwrap();
            let again = environment.observations.clone();
            let off = seen.iter().zip(&again).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            (beside, reward, off)
        };
        let (beside, reward, off) = still(&follows);
        assert!(beside.abs() < 1e-6 && off < 1e-4, "{beside} {off}");
        assert!(reward < 0.5, "the frame was not where it should be: {reward}");
        let (beside, ..) = still(&TrackerConfig { motion_follows_beyond: 0.0, ..follows });
        assert!((beside - 0.3).abs() < 0.05, "{beside}");
    }

    #[test]
    fn a_push_changes_the_velocity_of_its_world_alone() {
        let config = small_config();
        let (body, reference) = swaying(&config);
        let (nq, nv) = (body.model.position_count(), body.model.velocity_count());
        let moved = |kicks: &[Kick]| {
            let mut environment = Environment::new(&body, &reference, &config, Ends::new(&body, &config), 2).unwrap();
            environment.place(&[0, 1], &[3, 3]).unwrap();
            environment.kick(kicks).unwrap();
            environment.step(&vec![0.0; 2 * body.coordinate_count()]).unwrap();
            environment.state
        };
        let (plain, pushed) = (moved(&[]), moved(&[Kick { world: 1, change: [0.0, 0.9, 0.0, 0.0, 0.0, 0.0] }]));
        assert!(plain.positions[..nq] == pushed.positions[..nq] && plain.velocities[..nv] == pushed.velocities[..nv]);
        let way = pushed.positions[nq + 1] - plain.positions[nq + 1];
        assert!((0.01..=0.031).contains(&way), "{way}");
    }

    #[test]
    fn every_rule_of_failing_counts_alone() {
        let config = small_config();
        let (body, reference) = swaying(&config);
        let frame = reference.frame(5);
        let none = Ends {
            root_distance: f32::INFINITY,
            root_turn: f32::INFINITY,
            least_upright: -2.0,
            body_distance: f32::INFINITY,
            least_root_height: 0.0,
            least_top_height: 0.0,
        };
        let near = BodyErrors { mean: 0.0, worst: 0.0, top_height: 1.0 };
        let mut position = frame.position.to_vec();
        position[0] += 0.3;
        let away = Ends { root_distance: 0.29, ..none };
        assert!(
            away.has_failed(&frame, &position, &near)
                && !Ends { root_distance: 0.31, ..none }.has_failed(&frame, &position, &near)
        );
        let turned = product(four(frame.position, 3), quaternion([0.0, 0.5, 0.0]));
        position[3..7].copy_from_slice(&turned);
        assert!(Ends { root_turn: 0.49, ..none }.has_failed(&frame, &position, &near));
        assert!(!Ends { root_turn: 0.51, ..none }.has_failed(&frame, &position, &near));
        // Who looks elsewhere is as upright as before; who leans is not.
        let leaning = |axis: [f32; 3]| {
            let mut position = frame.position.to_vec();
            let turned = product(four(&position, 3), quaternion(axis));
            position[3..7].copy_from_slice(&turned);
            Ends { least_upright: 0.5, ..none }.has_failed(&frame, &position, &near)
        };
        assert_eq!(
            [[0.0, 0.0, 2.0], [1.0, 0.0, 0.0], [1.1, 0.0, 0.0], [0.0, -1.1, 0.0]].map(leaning),
            [false, false, true, true]
        );
        assert!(Ends { body_distance: 0.1, ..none }.has_failed(&frame, &position, &BodyErrors { mean: 0.11, ..near }));
        let sunk = BodyErrors { top_height: 0.45, ..near };
        assert!(Ends { least_top_height: 0.5, ..none }.has_failed(&frame, &position, &sunk));
        assert!(!Ends { least_top_height: 0.4, ..none }.has_failed(&frame, &position, &sunk));
        position[2] *= 0.6;
        assert!(Ends { least_root_height: 0.61, ..none }.has_failed(&frame, &position, &near));
        assert!(!Ends { least_root_height: 0.59, ..none }.has_failed(&frame, &position, &near));
        // Limits grow with the figure, and 0 is none.
        let ends = Ends::new(&body, &TrackerConfig { most_root_distance: 1.0, most_body_distance: 0.0, ..config });
        assert!(
            (f64::from(ends.root_distance) - body.height_m / 1.7).abs() < 1e-6 && ends.body_distance == f32::INFINITY
        );
    }

    #[test]
    fn the_top_is_the_point_that_is_highest_at_rest() {
        let (body, reference) = swaying(&small_config());
        let frame = reference.frame(5);
        let mut seen = [&[0.0; 6], &frame.places[3..]].concat();
        assert_eq!(body_errors(&body, &frame, &seen), BodyErrors { mean: 0.0, worst: 0.0, top_height: 1.0 });
        let height = |point: usize| frame.places[3 + 3 * point + 2];
        assert!((0..body.points.count()).all(|point| height(point) <= height(body.top) + 0.05));
        // The head goes down.
        seen[6 + 3 * body.top + 2] *= 0.3;
        assert!((body_errors(&body, &frame, &seen).top_height - 0.3).abs() < 1e-6);
        // Where it is down in the reference, too, that is as it should be.
        let mut places = frame.places.to_vec();
        places[3 + 3 * body.top + 2] = 0.1 * body.height_m as f32;
        let lying = Frame { places: &places, ..frame };
        assert_eq!(body_errors(&body, &lying, &seen).top_height, 1.0);
    }
}
