//! Many control sequences tried from many start states, on all cores.
//!
//! Each thread keeps one group of worlds busy: when a lane's job ends, early or not, the next job takes the lane over.
//! Results do not depend on which lane or thread a job met.

use crate::batch::{BatchError, BatchOptions, build_pool, thread_count};
use crate::control::{DampsTo, Interval, Track};
use crate::engine::{self, Worlds};
use crate::jobs::{JobList, Jobs};
use crate::model::Model;
use crate::world::{Snapshot, Status, World, WorldMut, Wrench, add_assist};

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
    /// The run that the rollouts are part of was told to stop.
    #[error(transparent)]
    Cancelled(#[from] sinew_work::Cancelled),
    /// An interval is zero.
    #[error("the {0} is 0 steps; it must be at least 1")]
    Interval(&'static str),
}

/// Says where worlds are steered.
pub trait Steering: Sync {
    /// Writes the PD target that a job has at knot `knot`, in `qpos` order, knowing its world at the knot before (for knot 0: at the start).
    fn target(&self, job: usize, knot: usize, world: &World<'_>, target: &mut [f64]);

    /// The push that a job meets from knot `knot` to the next; none unless said otherwise.
    fn push(&self, _job: usize, _knot: usize) -> Option<Push> {
        None
    }

    /// The wrench from outside that helps a job from knot `knot` to the next, asked for after the target at that next knot; none unless
    /// said otherwise.
    fn assist(&self, _job: usize, _knot: usize) -> Option<Wrench> {
        None
    }
}

/// A force on a body, through the centre of mass of the link that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// Index of the body.
    pub body: usize,
    /// Force in world axes, N.
    pub force: [f64; 3],
}

/// Rows of targets that were chosen before.
struct Knots<'a>(&'a [Job]);

impl Steering for Knots<'_> {
    fn target(&self, job: usize, knot: usize, _: &World<'_>, target: &mut [f64]) {
        let rows = &self.0[job].knots;
        let last = rows.len() / target.len() - 1;
        let at = knot.min(last) * target.len();
        target.copy_from_slice(&rows[at..at + target.len()]);
    }
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
    /// What the damper of PD holds on to: the velocity of the moving target, or rest.
    pub damps_to: DampsTo,
    /// Whether [`World::read_observation`] is up to date when the cost or the steering looks.
    pub observes: bool,
    /// Instruction set and threads.
    pub options: BatchOptions,
}

/// A job in a lane.
struct Lane {
    job: usize,
    /// Index of the state that it started from.
    start: usize,
    steps: usize,
    cost: f64,
    is_pushed: bool,
}

type Cost<'a> = dyn Fn(usize, usize, &World<'_>) -> Flow + Sync + 'a;

impl Rollouts<'_> {
    /// Runs all jobs. `cost(job, step, world)` is called every `sample_interval` steps and once at the end.
    pub fn run(&self, jobs: &[Job], cost: &Cost<'_>) -> Result<Vec<Outcome>, RolloutError> {
        let row = self.model.position_count();
        for (job, j) in jobs.iter().enumerate() {
            if j.knots.is_empty() || !j.knots.len().is_multiple_of(row.max(1)) {
                return Err(RolloutError::Knots { job, found: j.knots.len(), row });
            }
        }
        let starts: Vec<usize> = jobs.iter().map(|j| j.start).collect();
        self.run_steered(&starts, &Knots(jobs), cost)
    }

    /// Runs one job from each of the start states that `jobs` lists; `steering` may look at the worlds before it decides.
    pub fn run_steered(
        &self,
        jobs: &[usize],
        steering: &dyn Steering,
        cost: &Cost<'_>,
    ) -> Result<Vec<Outcome>, RolloutError> {
        if let Some((job, &start)) = jobs.iter().enumerate().find(|(_, s)| **s >= self.starts.len()) {
            return Err(RolloutError::Start { job, start, count: self.starts.len() });
        }
        let list = JobList::new(jobs);
        self.run_jobs(jobs.len(), &list, steering, cost)?;
        Ok(list.into_outcomes())
    }

    /// Runs jobs as they come, at most so many at a time, until there are no more.
    ///
    /// # Panics
    /// Where a job starts from a state that is not there.
    pub fn run_jobs(
        &self,
        at_a_time: usize,
        jobs: &dyn Jobs,
        steering: &dyn Steering,
        cost: &Cost<'_>,
    ) -> Result<(), RolloutError> {
        self.check()?;
        let pool = build_pool(self.options.threads)?;
        let threads = thread_count(self.options.threads);
        let choice = self.options.lane_choice(at_a_time)?;
        let workers = threads.min(choice.groups(at_a_time));
        let work = |_: usize| {
            let mut group = engine::new_groups(self.model, choice.isa, 1).pop().expect("one group");
            self.work(&mut *group, choice.worlds, jobs, steering, cost);
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
        Ok(sinew_work::check_cancelled()?)
    }

    fn check(&self) -> Result<(), RolloutError> {
        if self.knot_interval == 0 {
            return Err(RolloutError::Interval("knot interval"));
        }
        if self.sample_interval == 0 {
            return Err(RolloutError::Interval("sample interval"));
        }
        let count = self.model.position_count() + self.model.velocity_count();
        if let Some(start) = self.starts.iter().position(|s| s.values().len() != count) {
            return Err(RolloutError::StartState { start, found: self.starts[start].values().len(), count });
        }
        Ok(())
    }

    /// Keeps `room` lanes of one group busy until no job is left.
    fn work(&self, group: &mut dyn Worlds, room: usize, jobs: &dyn Jobs, steering: &dyn Steering, cost: &Cost<'_>) {
        let mut scratch = group.new_scratch();
        let mut lanes: Vec<Option<Lane>> = (0..room).map(|_| None).collect();
        (0..group.lane_count()).for_each(|lane| group.set_running(lane, false));
        let mut tracks: Vec<Track> = (0..room).map(|_| Track::new(self.model)).collect();
        // Where the run is told to stop, lanes are left as they are: what comes of them is thrown away.
        while !sinew_work::is_cancelled() {
            let mut began = false;
            let mut is_idle = lanes.iter().all(Option::is_none);
            for (lane, slot) in lanes.iter_mut().enumerate().filter(|(_, slot)| slot.is_none()) {
                let Some((job, start)) = jobs.next(is_idle) else { break };
                is_idle = false;
                let mut world = WorldMut { model: self.model, group, lane };
                world.restore(&self.starts[start]);
                world.clear_forces();
                *slot = Some(Lane { job, start, steps: 0, cost: 0.0, is_pushed: false });
                began = true;
            }
            if began {
                if self.observes {
                    group.observe();
                }
                for (lane, slot) in lanes.iter_mut().enumerate() {
                    let Some(state) = slot.as_mut().filter(|state| state.steps == 0) else { continue };
                    let world = World { model: self.model, group, lane };
                    steering.target(state.job, 0, &world, tracks[lane].row_mut());
                    self.steer(group, lane, state, steering, &mut tracks[lane]);
                }
            }
            // All lanes run until the first of them has something to do.
            let Some(steps) = lanes.iter().flatten().map(|l| self.until_event(l.steps)).min() else { break };
            group.advance(&mut *scratch, steps);
            if self.observes {
                group.observe();
            }
            for (lane, slot) in lanes.iter_mut().enumerate() {
                let Some(state) = slot else { continue };
                state.steps += steps;
                if let Some(outcome) = self.look(group, lane, state, cost) {
                    group.set_running(lane, false);
                    jobs.ended(state.job, outcome);
                    *slot = None;
                } else if state.steps.is_multiple_of(self.knot_interval) {
                    self.steer(group, lane, state, steering, &mut tracks[lane]);
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

    /// At a knot: the target moves linearly from this row to the next.
    fn steer(&self, group: &mut dyn Worlds, lane: usize, state: &mut Lane, steering: &dyn Steering, track: &mut Track) {
        let knot = state.steps / self.knot_interval;
        let interval = Interval::ramped(self.knot_interval, self.damps_to);
        let mut world = WorldMut { model: self.model, group: &mut *group, lane };
        track.begin(&mut world, interval, |world, next| steering.target(state.job, knot + 1, &world.as_world(), next));
        let (push, assist) = (steering.push(state.job, knot), steering.assist(state.job, knot));
        if state.is_pushed || push.is_some() || assist.is_some() {
            group.clear_wrenches(lane);
        }
        if let Some(wrench) = &assist {
            add_assist(self.model, group, lane, wrench);
        }
        if let Some(Push { body, force }) = push {
            group.add_wrench(lane, self.model.bodies[body].link, force, [0.0; 3]);
        }
        state.is_pushed = push.is_some() || assist.is_some();
    }

    /// At a sample: asks for the cost; ends the job when it is over.
    fn look(&self, group: &mut dyn Worlds, lane: usize, state: &mut Lane, cost: &Cost<'_>) -> Option<Outcome> {
        let world = World { model: self.model, group, lane };
        let is_over = state.steps == self.steps;
        let is_sample = is_over || state.steps.is_multiple_of(self.sample_interval);
        let is_knot = state.steps.is_multiple_of(self.knot_interval);
        // Another lane's event: where a job that diverged ends, and what it costs, may not depend on its neighbours.
        if !is_sample && !is_knot {
            return None;
        }
        let mut status = world.status();
        let mut stops = false;
        if is_sample {
            match cost(state.job, state.steps, &world) {
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
            world.save(&mut end);
            let steps = (end.steps() - self.starts[state.start].steps()) as usize;
            return Some(Outcome { cost: state.cost, steps, end, status });
        }
        None
    }
}
