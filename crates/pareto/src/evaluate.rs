//! Many controllers tried side by side: SIMD lanes inside, threads outside.
//!
//! Every world runs its own phase machine. What a jump comes to depends on its controller alone, not on its neighbours, threads or lanes.

use crate::controller::Controller;
use crate::figure::{Figure, State};
use crate::judge::Judge;
use crate::jumper::{STEPS_PER_TICK, TICK_SECS, jumper_model};
use crate::objectives::{Failure, Jump, effort_weights};
use crate::phases::{Machine, Phase, gravity_under, standing_position};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sinew_sim::{Batch, BatchError, BatchOptions, Driver, Interval, LaneChoice, Model, Snapshot, Status, WorldMut};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// No jump lasts longer: one that is still in the air by then has failed, s.
const LONGEST_SECS: f64 = 8.0;

/// Everything that all jumps share, with worlds that are used again.
pub struct Evaluator {
    model: Arc<Model>,
    figure: Figure,
    weights: Vec<f64>,
    start: Snapshot,
    /// Farthest landing from the start that is none; none: any place will do.
    landing_band: Option<f64>,
    /// Idle worlds, by their lanes.
    idle: Mutex<Vec<(LaneChoice, Batch)>>,
}

/// One moment of a jump.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// Time, s.
    pub time_secs: f64,
    /// Phase.
    pub phase: Phase,
    /// `qpos` of the jumper.
    pub position: Vec<f64>,
    /// `qvel`.
    pub velocity: Vec<f64>,
    /// Outer force upward, N.
    pub assist_newtons: f64,
}

/// A jump in motion: a moment every 5 ms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// Moments from standing to standing.
    pub moments: Vec<Moment>,
    /// What it came to.
    pub jump: Jump,
}

/// Looks at a moment of the jump in a world.
type Watch<'w> = dyn FnMut(usize, &dyn Fn() -> Moment) + 'w;

/// A jump in a world.
struct Trial {
    machine: Machine,
    judge: Judge,
    reduction: f64,
}

impl Evaluator {
    /// For jumps in place within `landing_band` metres, or to any place.
    pub fn new(landing_band: Option<f64>) -> Evaluator {
        let model = Arc::new(jumper_model());
        let figure = Figure::new(&model);
        let position = standing_position(&figure, model.rest_position());
        let start = Snapshot::new(&position, &vec![0.0; model.velocity_count()]);
        let weights = effort_weights(&figure, model.velocity_count());
        Evaluator { model, figure, weights, start, landing_band, idle: Mutex::new(Vec::new()) }
    }

    /// The compiled scene.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }
    /// The jumper in the plane.
    pub fn figure(&self) -> &Figure {
        &self.figure
    }

    /// Tries all controllers on the threads of the present pool.
    ///
    /// # Errors
    /// Where the simulator makes no worlds.
    pub fn evaluate(&self, controllers: &[Controller]) -> Result<Vec<Jump>, BatchError> {
        self.evaluate_in(LaneChoice::new(None, controllers.len(), rayon::current_num_threads()), controllers)
    }

    /// Like [`Evaluator::evaluate`], in the lanes that are given.
    ///
    /// # Errors
    /// Where the simulator makes no worlds.
    pub fn evaluate_in(&self, lanes: LaneChoice, controllers: &[Controller]) -> Result<Vec<Jump>, BatchError> {
        let chunks: Vec<&[Controller]> = controllers.chunks(lanes.worlds).collect();
        let jumps = chunks.into_par_iter().with_max_len(1).map(|chunk| self.simulate(lanes, chunk, &mut |_, _| {}));
        Ok(jumps.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Performs one jump and records it.
    ///
    /// # Errors
    /// Where the simulator makes no world.
    pub fn perform(&self, controller: &Controller) -> Result<Recording, BatchError> {
        let lanes = LaneChoice::new(None, 1, 1);
        let mut moments = Vec::new();
        let jumps = self.simulate(lanes, std::slice::from_ref(controller), &mut |_, moment| moments.push(moment()))?;
        Ok(Recording { moments, jump: jumps[0].clone() })
    }

    /// Jumps in the lanes of one group, tick by tick; `watch(world, moment)` may look at each.
    fn simulate(
        &self,
        lanes: LaneChoice,
        controllers: &[Controller],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Jump>, BatchError> {
        let mut batch = self.borrow_batch(lanes)?;
        let mut jumps = Jumps::new(self, controllers, watch);
        for world in 0..lanes.worlds {
            let mut lane = batch.world_mut(world);
            lane.restore(&self.start);
            lane.set_gravity([0.0, 0.0, -crate::jumper::GRAVITY]);
            lane.set_target(&self.start.values()[..self.model.position_count()]);
            if world >= controllers.len() {
                lane.stop();
            }
        }
        batch.drive(Interval::held(STEPS_PER_TICK), jumps.ticks, &mut jumps);
        let verdicts = jumps.trials.iter().map(|trial| trial.judge.verdict()).collect();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push((lanes, batch));
        Ok(verdicts)
    }

    fn borrow_batch(&self, lanes: LaneChoice) -> Result<Batch, BatchError> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        match idle.iter().position(|(other, _)| *other == lanes) {
            Some(index) => Ok(idle.swap_remove(index).1),
            None => Batch::new(&self.model, lanes.worlds, BatchOptions { isa: Some(lanes.isa), threads: 1 }),
        }
    }
}

/// Jumps side by side, one in each world.
struct Jumps<'a, 'w> {
    evaluator: &'a Evaluator,
    trials: Vec<Trial>,
    /// Ticks after which a jump has failed.
    ticks: usize,
    watch: &'a mut Watch<'w>,
    // The world that is looked at.
    position: Vec<f64>,
    velocity: Vec<f64>,
    torques: Vec<f64>,
    state: State,
}

impl<'a, 'w> Jumps<'a, 'w> {
    fn new(evaluator: &'a Evaluator, controllers: &[Controller], watch: &'a mut Watch<'w>) -> Jumps<'a, 'w> {
        let (position, velocity) = evaluator.start.values().split_at(evaluator.model.position_count());
        let mut state = State::default();
        evaluator.figure.look(position, velocity, &mut state);
        let begin = |controller| Trial {
            machine: Machine::new(controller),
            judge: Judge::new(state.foot_middle()),
            reduction: 0.0,
        };
        Jumps {
            evaluator,
            trials: controllers.iter().map(begin).collect(),
            ticks: (LONGEST_SECS / TICK_SECS) as usize,
            watch,
            position: position.to_vec(),
            velocity: velocity.to_vec(),
            torques: velocity.to_vec(),
            state,
        }
    }
}

impl Driver for Jumps<'_, '_> {
    fn decide(&mut self, tick: usize, index: usize, lane: &mut WorldMut<'_>, target: &mut [f64]) -> ControlFlow<()> {
        let Jumps { evaluator: Evaluator { figure, weights, landing_band, .. }, trials, state, .. } = self;
        let trial = &mut trials[index];
        let world = lane.as_world();
        world.read_position(&mut self.position);
        world.read_velocity(&mut self.velocity);
        world.read_torques(&mut self.torques);
        let is_lost = matches!(world.status(), Status::Diverged { .. });
        figure.look(&self.position, &self.velocity, state);
        let order = trial.machine.tick(figure, state, target);
        if tick > 0 {
            trial.judge.pay(weights, &self.torques);
        }
        trial.judge.look(&trial.machine, state, *landing_band);
        if is_lost {
            trial.judge.fail(Failure::Diverged);
        } else if tick == self.ticks && !trial.judge.is_over() {
            trial.judge.fail(Failure::Unsteady);
        }
        let force = figure.mass * order.reduction;
        (self.watch)(index, &|| Moment {
            time_secs: tick as f64 * TICK_SECS,
            phase: trial.machine.phase(),
            position: self.position.clone(),
            velocity: self.velocity.clone(),
            assist_newtons: force,
        });
        if trial.judge.is_over() {
            return ControlFlow::Break(());
        }
        trial.judge.help(force);
        if order.reduction != trial.reduction {
            lane.set_gravity([0.0, 0.0, gravity_under(&order)]);
            trial.reduction = order.reduction;
        }
        ControlFlow::Continue(())
    }
    fn observes(&self) -> bool {
        false
    }
}
