//! Many control sequences tried from many start states, on all cores.
//!
//! Each thread keeps one group of worlds busy: when a lane's job ends, early or not, the next job takes the lane over.
//! Results do not depend on which lane or thread a job met.

use crate::batch::{BatchError, BatchOptions, build_pool};
use crate::engine::{self, Worlds};
use crate::model::Model;
use crate::world::{Snapshot, Status, World, WorldMut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One try: where it starts and the PD targets that it follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Index of the start state.
    pub start: usize,
    /// Targets in `qpos` order, one row after another, `knot_interval` steps apart; linear in between. The first row holds at the
    /// start, the last one from its time on.
    pub knots: Vec<f64>,
}

/// What the caller's cost says after looking at a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flow {
    /// Add this to the cost and go on.
    Continue(f64),
    /// Add this to the cost and end the job here.
    Stop(f64),
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Sum of what the cost said.
    pub cost: f64,
    /// Steps taken; of a job that diverged, those before it did.
    pub steps: usize,
    /// Last state.
    pub end: Snapshot,
    /// `Running` when the job ran its full length, `Stopped` when the cost ended it, or how it diverged.
    pub status: Status,
}

/// Why rollouts could not be run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RolloutError {
    /// Instruction set or threads.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// A job names a start state that is not there.
    #[error("job {job} starts from state {start}, but there are {count} start states")]
    Start {
        /// Index of the job.
        job: usize,
        /// What it asks for.
        start: usize,
        /// How many there are.
        count: usize,
    },
    /// A start state has the wrong length.
    #[error("start state {start} holds {found} numbers, but this model's hold {count}; it is of another model")]
    StartState {
        /// Index of the start state.
        start: usize,
        /// Numbers in it.
        found: usize,
        /// Length of `qpos` and `qvel` together.
        count: usize,
    },
    /// The targets do not divide into rows.
    #[error("job {job} has {found} target numbers; give one or more rows of {row} (the length of qpos)")]
    Knots {
        /// Index of the job.
        job: usize,
        /// Numbers given.
        found: usize,
        /// Numbers in a row.
        row: usize,
    },
    /// An interval is zero.
    #[error("the {0} is 0 steps; it must be at least 1")]
    Interval(&'static str),
}

/// What all jobs share.
#[derive(Clone, Debug)]
pub struct Rollouts<'a> {
    /// The compiled scene.
    pub model: &'a Model,
    /// States to start from.
    pub starts: &'a [Snapshot],
    /// Length of every job, steps.
    pub steps: usize,
    /// Steps between rows of targets.
    pub knot_interval: usize,
    /// Steps between looks at the cost.
    pub sample_interval: usize,
    /// Instruction set and threads.
    pub options: BatchOptions,
}

/// A job in a lane.
struct Lane {
    job: usize,
    steps: usize,
    cost: f64,
}

impl Rollouts<'_> {
    /// Runs all jobs. `cost(job, step, world)` is called every `sample_interval` steps and once at the end.
    pub fn run(
        &self,
        jobs: &[Job],
        cost: &(dyn Fn(usize, usize, &World<'_>) -> Flow + Sync),
    ) -> Result<Vec<Outcome>, RolloutError> {
        self.check(jobs)?;
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<Option<Outcome>>> = Mutex::new(vec![None; jobs.len()]);
        let pool = build_pool(self.options.threads)?;
        let threads = pool.as_ref().map_or_else(rayon::current_num_threads, |p| p.current_num_threads());
        let workers = threads.min(jobs.len().div_ceil(engine::lane_count(self.options.isa)));
        let work = |_: usize| {
            let mut group = engine::new_groups(self.model, self.options.isa, 1).pop().expect("one group");
            self.work(&mut *group, jobs, &next, cost, &|job, outcome| {
                results.lock().expect("no holder panics")[job] = Some(outcome);
            });
        };
        if workers <= 1 {
            work(0);
        } else {
            use rayon::prelude::*;
            let all = || (0..workers).into_par_iter().with_max_len(1).for_each(work);
            match &pool {
                Some(pool) => pool.install(all),
                None => all(),
            }
        }
        let results = results.into_inner().expect("no holder panics");
        Ok(results.into_iter().map(|r| r.expect("every job ends")).collect())
    }

    fn check(&self, jobs: &[Job]) -> Result<(), RolloutError> {
        if self.knot_interval == 0 {
            return Err(RolloutError::Interval("knot interval"));
        }
        if self.sample_interval == 0 {
            return Err(RolloutError::Interval("sample interval"));
        }
        if !self.options.isa.is_available() {
            return Err(BatchError::Isa(self.options.isa.name()).into());
        }
        let row = self.model.position_count();
        let count = row + self.model.velocity_count();
        if let Some(start) = self.starts.iter().position(|s| s.values().len() != count) {
            return Err(RolloutError::StartState { start, found: self.starts[start].values().len(), count });
        }
        for (job, j) in jobs.iter().enumerate() {
            if j.start >= self.starts.len() {
                return Err(RolloutError::Start { job, start: j.start, count: self.starts.len() });
            }
            if j.knots.is_empty() || !j.knots.len().is_multiple_of(row.max(1)) {
                return Err(RolloutError::Knots { job, found: j.knots.len(), row });
            }
        }
        Ok(())
    }

    /// Keeps one group busy until no job is left.
    fn work(
        &self,
        group: &mut dyn Worlds,
        jobs: &[Job],
        next: &AtomicUsize,
        cost: &(dyn Fn(usize, usize, &World<'_>) -> Flow + Sync),
        finish: &dyn Fn(usize, Outcome),
    ) {
        let mut scratch = group.new_scratch();
        let mut lanes: Vec<Option<Lane>> = (0..group.lane_count()).map(|_| None).collect();
        loop {
            for (lane, slot) in lanes.iter_mut().enumerate().filter(|(_, slot)| slot.is_none()) {
                let job = next.fetch_add(1, Ordering::Relaxed);
                if job >= jobs.len() {
                    break;
                }
                self.start(group, lane, &jobs[job]);
                *slot = Some(Lane { job, steps: 0, cost: 0.0 });
            }
            // All lanes run until the first of them has something to do.
            let Some(steps) = lanes.iter().flatten().map(|l| self.until_event(l.steps)).min() else { break };
            group.advance(&mut *scratch, steps);
            for (lane, slot) in lanes.iter_mut().enumerate() {
                let Some(state) = slot else { continue };
                state.steps += steps;
                if let Some(outcome) = self.look(group, lane, state, &jobs[state.job], cost) {
                    group.set_running(lane, false);
                    finish(state.job, outcome);
                    *slot = None;
                }
            }
        }
    }

    /// Steps from `done` to the next knot, sample or end.
    fn until_event(&self, done: usize) -> usize {
        let knot = self.knot_interval - done % self.knot_interval;
        let sample = self.sample_interval - done % self.sample_interval;
        knot.min(sample).min(self.steps - done)
    }

    fn start(&self, group: &mut dyn Worlds, lane: usize, job: &Job) {
        let mut world = WorldMut { model: self.model, group, lane };
        world.restore(&self.starts[job.start]);
        world.set_target_velocity(&vec![0.0; self.model.velocity_count()]);
        world.set_target(&job.knots[..self.model.position_count()]);
        world.clear_forces();
        self.steer(&mut world, job, 0);
    }

    /// Sets out for the next row of targets.
    fn steer(&self, world: &mut WorldMut<'_>, job: &Job, steps: usize) {
        let row = self.model.position_count();
        let index = steps / self.knot_interval + 1;
        match job.knots.get(index * row..(index + 1) * row) {
            Some(target) => world.ramp_target(target, self.knot_interval),
            None => world.set_target(&job.knots[job.knots.len() - row..]),
        }
    }

    /// Samples the cost and changes the target where it is time; the outcome if the job is over.
    fn look(
        &self,
        group: &mut dyn Worlds,
        lane: usize,
        state: &mut Lane,
        job: &Job,
        cost: &(dyn Fn(usize, usize, &World<'_>) -> Flow + Sync),
    ) -> Option<Outcome> {
        let mut world = WorldMut { model: self.model, group, lane };
        let is_over = state.steps == self.steps;
        let is_sample = is_over || state.steps.is_multiple_of(self.sample_interval);
        let is_knot = state.steps.is_multiple_of(self.knot_interval);
        // Another lane's event: where a job that diverged ends, and what it costs, may not depend on its neighbours.
        if !is_sample && !is_knot {
            return None;
        }
        let mut status = world.as_world().status();
        let mut stops = false;
        if is_sample {
            match cost(state.job, state.steps, &world.as_world()) {
                Flow::Continue(c) => state.cost += c,
                Flow::Stop(c) => {
                    state.cost += c;
                    stops = true;
                }
            }
        }
        if stops && status == Status::Running && !is_over {
            status = Status::Stopped;
        }
        if is_over || stops || matches!(status, Status::Diverged { .. }) {
            let mut end = Snapshot::default();
            world.as_world().save(&mut end);
            let steps = (end.steps() - self.starts[job.start].steps()) as usize;
            return Some(Outcome { cost: state.cost, steps, end, status });
        }
        if is_knot {
            self.steer(&mut world, job, state.steps);
        }
        None
    }
}
