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
use sinew_sim::{Batch, BatchError, BatchOptions, LaneChoice, Model, Snapshot, Status};
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
        watch: &mut dyn FnMut(usize, &dyn Fn() -> Moment),
    ) -> Result<Vec<Jump>, BatchError> {
        let mut batch = self.borrow_batch(lanes)?;
        let model = &self.model;
        let (mut position, mut velocity) = (vec![0.0; model.position_count()], vec![0.0; model.velocity_count()]);
        let (mut torques, mut target) = (velocity.clone(), self.start.values()[..model.position_count()].to_vec());
        let mut state = State::default();
        self.figure.look(&target, &velocity, &mut state);
        let begin = |controller| Trial {
            machine: Machine::new(controller),
            judge: Judge::new(state.foot_middle()),
            reduction: 0.0,
        };
        let mut trials: Vec<Trial> = controllers.iter().map(begin).collect();
        for world in 0..lanes.worlds {
            let mut lane = batch.world_mut(world);
            lane.restore(&self.start);
            lane.set_gravity([0.0, 0.0, -crate::jumper::GRAVITY]);
            lane.set_target(&target);
            if world >= controllers.len() {
                lane.stop();
            }
        }
        let ticks = (LONGEST_SECS / TICK_SECS) as usize;
        for tick in 0..=ticks {
            let mut is_any_left = false;
            for (world, trial) in trials.iter_mut().enumerate().filter(|(_, trial)| !trial.judge.is_over()) {
                let lane = batch.world(world);
                lane.read_position(&mut position);
                lane.read_velocity(&mut velocity);
                lane.read_torques(&mut torques);
                let is_lost = matches!(lane.status(), Status::Diverged { .. });
                self.figure.look(&position, &velocity, &mut state);
                let order = trial.machine.tick(&self.figure, &state, &mut target);
                if tick > 0 {
                    trial.judge.pay(&self.weights, &torques);
                }
                trial.judge.look(&trial.machine, &state, self.landing_band);
                if is_lost {
                    trial.judge.fail(Failure::Diverged);
                } else if tick == ticks && !trial.judge.is_over() {
                    trial.judge.fail(Failure::Unsteady);
                }
                let force = self.figure.mass * order.reduction;
                watch(world, &|| Moment {
                    time_secs: tick as f64 * TICK_SECS,
                    phase: trial.machine.phase(),
                    position: position.clone(),
                    velocity: velocity.clone(),
                    assist_newtons: force,
                });
                let mut lane = batch.world_mut(world);
                if trial.judge.is_over() {
                    lane.stop();
                    continue;
                }
                is_any_left = true;
                trial.judge.help(force);
                lane.set_target(&target);
                if order.reduction != trial.reduction {
                    lane.set_gravity([0.0, 0.0, gravity_under(&order)]);
                    trial.reduction = order.reduction;
                }
            }
            if !is_any_left {
                break;
            }
            batch.step(STEPS_PER_TICK);
        }
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push((lanes, batch));
        Ok(trials.iter().map(|trial| trial.judge.verdict()).collect())
    }

    fn borrow_batch(&self, lanes: LaneChoice) -> Result<Batch, BatchError> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        match idle.iter().position(|(other, _)| *other == lanes) {
            Some(index) => Ok(idle.swap_remove(index).1),
            None => Batch::new(&self.model, lanes.worlds, BatchOptions { isa: Some(lanes.isa), threads: 1 }),
        }
    }
}
