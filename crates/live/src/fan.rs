//! Many ways to go on from one state, simulated side by side, each under a policy of its own.

use crate::config::LiveConfig;
use crate::error::LiveError;
use crate::motion::Motion;
use crate::regulator::Regulator;
use crate::weights::{Deviated, Weights};
use crate::window::Window;
use rayon::prelude::*;
use sinew_sim::rotation::up;
use sinew_sim::{Batch, BatchOptions, Condition, DampsTo, Interval, Readings};
use sinew_transfer::FALL;

/// What each frame costs after a fall.
const FALLEN_COST: f64 = 1000.0;

/// Decides what a rollout does.
pub(crate) trait Policies: Sync {
    /// Writes the change of the PD targets of a frame, counted from the fan's first one, knowing the state at its beginning.
    fn decide(&self, rollout: usize, frame: usize, position: &[f64], velocity: &[f64], out: &mut [f64]);
}

/// What all rollouts of a fan share.
#[derive(Clone, Copy)]
pub(crate) struct Course<'a> {
    pub motion: &'a Motion,
    pub regulator: &'a Regulator,
    pub weights: &'a Weights,
    pub config: &'a LiveConfig,
    pub window: &'a Window,
}

/// How a rollout went.
#[derive(Clone, Debug, Default)]
pub(crate) struct Way {
    pub cost: f64,
    /// Position and velocity at the beginning of each frame, and at the end of the last.
    pub states: Vec<(Vec<f64>, Vec<f64>)>,
    /// Changes of the PD targets in each frame.
    pub controls: Vec<Vec<f64>>,
    pub fell: bool,
}

/// So many rollouts, simulated at once.
pub(crate) struct Fan {
    batch: Batch,
    position: Vec<f32>,
    velocity: Vec<f32>,
    observation: Vec<f32>,
    from: Vec<f32>,
    to: Vec<f32>,
    conditions: Vec<Condition>,
}

impl Fan {
    pub fn new(motion: &Motion, rollouts: usize) -> Result<Fan, LiveError> {
        let model = motion.model();
        let (nq, nv, no) = (model.position_count(), model.velocity_count(), model.observation_count());
        Ok(Fan {
            batch: Batch::new(model, rollouts, BatchOptions::default())?,
            position: vec![0.0; rollouts * nq],
            velocity: vec![0.0; rollouts * nv],
            observation: vec![0.0; rollouts * no],
            from: vec![0.0; rollouts * nq],
            to: vec![0.0; rollouts * nq],
            conditions: vec![Condition::Running; rollouts],
        })
    }

    /// Simulates all rollouts through so many frames from frame `first` on; those before `costs_from` cost nothing.
    pub fn run(
        &mut self,
        course: Course<'_>,
        start: (&[f64], &[f64]),
        first: u64,
        frames: usize,
        costs_from: usize,
        policies: &dyn Policies,
    ) -> Result<Vec<Way>, LiveError> {
        let Course { motion, weights, config, window, .. } = course;
        let (model, dofs) = (motion.model(), motion.dofs());
        let (nq, nv, no) = (model.position_count(), model.velocity_count(), model.observation_count());
        let count = self.batch.len();
        let narrow = |values: &[f64]| values.iter().map(|x| *x as f32).collect::<Vec<f32>>();
        self.position = narrow(start.0).repeat(count);
        self.velocity = narrow(start.1).repeat(count);
        let all: Vec<usize> = (0..count).collect();
        self.batch.reset(&all, &self.position, &self.velocity)?;
        let mut ways = vec![Way::default(); count];
        let interval = Interval::ramped(config.steps_per_frame, DampsTo::Target);
        for frame in 0..frames {
            let (now, next) = (window.row(first + frame as u64), window.row(first + frame as u64 + 1));
            let rows = (
                self.position.par_chunks(nq),
                self.velocity.par_chunks(nv),
                self.from.par_chunks_mut(nq),
                self.to.par_chunks_mut(nq),
                ways.par_iter_mut(),
            );
            rows.into_par_iter().enumerate().for_each(|(rollout, (q, v, from, to, way))| {
                let (position, velocity) = (wide(q), wide(v));
                let mut control = vec![0.0; dofs.count];
                policies.decide(rollout, frame, &position, &velocity, &mut control);
                let mut aim = vec![0.0; nq];
                for (action, out) in [(&now.action, from), (&next.action, to)] {
                    dofs.add(action, &control, &mut aim);
                    out.iter_mut().zip(&aim).for_each(|(out, x)| *out = *x as f32);
                }
                if frame >= costs_from {
                    way.cost += weights.control_cost(&control);
                }
                way.states.push((position, velocity));
                way.controls.push(control);
            });
            let readings = Readings {
                positions: Some(&mut self.position),
                velocities: Some(&mut self.velocity),
                observations: Some(&mut self.observation),
                conditions: Some(&mut self.conditions),
                ..Readings::none()
            };
            self.batch.control_from(&self.from, &self.to, interval, readings)?;
            let is_last = frame + 1 == frames;
            let rows = (
                self.position.par_chunks(nq),
                self.velocity.par_chunks(nv),
                self.observation.par_chunks(no),
                self.conditions.par_iter(),
                ways.par_iter_mut(),
            );
            rows.into_par_iter().for_each(|(q, v, y, condition, way)| {
                let (position, velocity, observation) = (wide(q), wide(v), wide(y));
                let state = Deviated { position: &position, velocity: &velocity, observation: &observation };
                let mut room = Vec::new();
                way.fell |= *condition != Condition::Running || has_fallen(motion, next, &position);
                if frame >= costs_from {
                    way.cost += match way.fell {
                        true => FALLEN_COST,
                        false => weights.cost(model, next, &state, &mut room),
                    };
                }
                if is_last {
                    if !way.fell {
                        weights.deviation(model, next, &state, &mut room);
                        way.cost += config.sizes.terminal * course.regulator.values[next.frame].curved(&room);
                    }
                    way.states.push((position, velocity));
                }
                if !way.cost.is_finite() {
                    way.cost = f64::MAX;
                }
            });
        }
        Ok(ways)
    }
}

/// Index of the way that costs least; the first of several.
pub(crate) fn cheapest(ways: &[Way]) -> usize {
    (0..ways.len()).min_by(|&a, &b| ways[a].cost.total_cmp(&ways[b].cost)).unwrap_or(0)
}

/// Whether a character has fallen beside a row of its motion: its root below half of that height, or tilted by more than 60° against it.
pub(crate) fn has_fallen(motion: &Motion, row: &crate::motion::Row, position: &[f64]) -> bool {
    let ground = motion.model().scene().ground.map_or(0.0, |ground| ground.height);
    let up_of = |q: &[f64]| up([q[3], q[4], q[5], q[6]]);
    let (a, b) = (up_of(position), up_of(&row.position));
    let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let root = FALL.root.unwrap_or(0.0) * (row.position[2] - ground);
    !(position[2] - ground >= root && cosine >= FALL.tilt_cosine.unwrap_or(-1.0))
}

fn wide(from: &[f32]) -> Vec<f64> {
    from.iter().map(|x| f64::from(*x)).collect()
}
