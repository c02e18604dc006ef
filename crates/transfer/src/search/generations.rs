//! The branches of a window's search, each of which goes on as soon as its own samples have been tried.
//!
//! Lanes take samples of whichever branch has some, so that none is empty and no branch waits for another. A search ends after a number of
//! generations that all branches have made; what some of them made beyond that is dropped, and results do not depend on which was faster.

use super::branch::{Branch, Generation};
use crate::TransferError;
use crate::rollouts::{SoFar, Stage};
use sinew_sim::{Flow, Jobs, Outcome, Steering, World};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, RwLock};
use std::time::Duration;

const NO_PANIC: &str = "no holder panics";
/// How long a thread without jobs waits for news before it asks whether the run was told to stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// Whether a search that has the best costs of its generations so far ends.
pub(super) type Ends<'a> = dyn Fn(&[f64]) -> bool + Sync + 'a;

/// A search under way.
struct Generations<'a> {
    stage: Stage<'a>,
    most: usize,
    ends: &'a Ends<'a>,
    branches: Vec<RwLock<Branch<'a>>>,
    /// What has come back of each branch's generation.
    tallies: Vec<Mutex<Tally>>,
    /// Of each sample of each branch, as are the numbers of jobs.
    so_far: Vec<SoFar>,
    queue: Mutex<Queue>,
    /// Something was added to the queue, or the search has ended.
    news: Condvar,
    has_ended: AtomicBool,
}

#[derive(Default)]
struct Tally {
    sums: Vec<f64>,
    steps: u64,
    /// Samples that are still out.
    out: usize,
}

struct Queue {
    jobs: VecDeque<usize>,
    /// What each branch has made.
    made: Vec<Vec<Generation>>,
    /// Best cost of each generation that all branches have made.
    history: Vec<f64>,
    problem: Option<TransferError>,
}

/// Runs all branches until the search ends, for `most` generations at the most; gives each branch's generations, as many of all.
pub(super) fn run<'a>(
    stage: Stage<'a>,
    branches: Vec<Branch<'a>>,
    most: usize,
    ends: &'a Ends<'a>,
) -> Result<Vec<Vec<Generation>>, TransferError> {
    let population = stage.config.population;
    let at_a_time = branches.len() * population;
    let queue = Queue {
        jobs: VecDeque::new(),
        made: branches.iter().map(|_| Vec::new()).collect(),
        history: Vec::new(),
        problem: None,
    };
    let search = Generations {
        stage,
        most,
        ends,
        tallies: branches.iter().map(|_| Mutex::default()).collect(),
        so_far: (0..at_a_time).map(|_| SoFar::default()).collect(),
        branches: branches.into_iter().map(RwLock::new).collect(),
        queue: Mutex::new(queue),
        news: Condvar::new(),
        has_ended: AtomicBool::new(false),
    };
    (0..search.branches.len()).for_each(|branch| search.begin(branch));
    let look = |job: usize, step: usize, world: &World<'_>| search.look(job, step, world);
    stage.rollouts().run_jobs(at_a_time, &search, &search, &look)?;
    let Queue { mut made, history, problem, .. } = search.queue.into_inner().expect(NO_PANIC);
    made.iter_mut().for_each(|generations| generations.truncate(history.len()));
    problem.map_or(Ok(made), Err)
}

impl Generations<'_> {
    /// The branch and the sample that a job is.
    fn place(&self, job: usize) -> (usize, usize) {
        (job / self.stage.config.population, job % self.stage.config.population)
    }

    /// Draws a branch's next generation and queues it.
    fn begin(&self, branch: usize) {
        let population = self.stage.config.population;
        let jobs = branch * population..(branch + 1) * population;
        self.branches[branch].write().expect(NO_PANIC).ask();
        self.so_far[jobs.clone()].iter().for_each(SoFar::reset);
        *self.tallies[branch].lock().expect(NO_PANIC) =
            Tally { sums: vec![0.0; population], steps: 0, out: population };
        self.queue.lock().expect(NO_PANIC).jobs.extend(jobs);
        self.news.notify_all();
    }

    /// Notes what a branch has made; gives whether it goes on.
    fn note(&self, branch: usize, made: Result<Generation, TransferError>) -> bool {
        let mut queue = self.queue.lock().expect(NO_PANIC);
        let queue = &mut *queue;
        match made {
            Ok(generation) => queue.made[branch].push(generation),
            Err(problem) => queue.problem = Some(problem),
        }
        let by_all = queue.made.iter().map(Vec::len).min().unwrap_or(0);
        let mut ends = queue.problem.is_some() || self.has_ended.load(Ordering::Relaxed);
        while !ends && queue.history.len() < by_all {
            let generation = queue.history.len();
            let costs = queue.made.iter().map(|generations| generations[generation].best_ever);
            queue.history.push(costs.fold(f64::INFINITY, f64::min));
            ends = queue.history.len() >= self.most || (self.ends)(&queue.history);
        }
        if ends {
            self.has_ended.store(true, Ordering::Relaxed);
            queue.jobs.clear();
            self.news.notify_all();
        }
        !ends && queue.made[branch].len() < self.most
    }

    fn look(&self, job: usize, step: usize, world: &World<'_>) -> Flow {
        if self.has_ended.load(Ordering::Relaxed) {
            return Flow::Stop(0.0);
        }
        let limit = self.branches[self.place(job).0].read().expect(NO_PANIC).limit();
        self.stage.look(&self.so_far[job], limit, step, world)
    }
}

impl Steering for Generations<'_> {
    fn target(&self, job: usize, knot: usize, _: &World<'_>, out: &mut [f64]) {
        let (branch, sample) = self.place(job);
        self.stage.steer(self.branches[branch].read().expect(NO_PANIC).curve(sample), knot, out);
    }
}

impl Jobs for Generations<'_> {
    fn next(&self, waits: bool) -> Option<(usize, usize)> {
        let mut queue = self.queue.lock().expect(NO_PANIC);
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                return Some((job, self.place(job).0));
            }
            if !waits || self.has_ended.load(Ordering::Relaxed) || sinew_work::is_cancelled() {
                return None;
            }
            // Who is told to stop brings no news: look for that now and then.
            queue = self.news.wait_timeout(queue, PATIENCE).expect(NO_PANIC).0;
        }
    }

    fn ended(&self, job: usize, outcome: Outcome) {
        let (branch, sample) = self.place(job);
        let tally = {
            let mut tally = self.tallies[branch].lock().expect(NO_PANIC);
            tally.sums[sample] = outcome.cost;
            tally.steps += outcome.steps as u64;
            tally.out -= 1;
            if tally.out > 0 || self.has_ended.load(Ordering::Relaxed) {
                return;
            }
            std::mem::take(&mut *tally)
        };
        let made = self.branches[branch].write().expect(NO_PANIC).tell(&tally.sums, tally.steps);
        if self.note(branch, made) {
            self.begin(branch);
        }
    }
}
