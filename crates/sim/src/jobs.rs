//! Jobs that lanes take over as they get free: a list that is known beforehand, or a queue that grows while others run.

use crate::rollout::Outcome;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where jobs come from, and where what became of them goes: see [`crate::Rollouts::run_jobs`].
///
/// Several threads ask at the same time. A job's number may be given out again once it has ended.
pub trait Jobs: Sync {
    /// The next job: its number, and the index of its start state; `None` where there is none now.
    ///
    /// Who has nothing else to do (`waits`) waits for one, and gets `None` when there will never be one again.
    fn next(&self, waits: bool) -> Option<(usize, usize)>;

    /// A job has ended.
    fn ended(&self, job: usize, outcome: Outcome);
}

/// One job from each of some start states.
pub(crate) struct JobList<'a> {
    starts: &'a [usize],
    next: AtomicUsize,
    outcomes: Mutex<Vec<Option<Outcome>>>,
}

impl<'a> JobList<'a> {
    pub fn new(starts: &'a [usize]) -> JobList<'a> {
        JobList { starts, next: AtomicUsize::new(0), outcomes: Mutex::new(vec![None; starts.len()]) }
    }

    pub fn into_outcomes(self) -> Vec<Outcome> {
        let outcomes = self.outcomes.into_inner().expect("no holder panics");
        outcomes.into_iter().map(|outcome| outcome.expect("every job ends")).collect()
    }
}

impl Jobs for JobList<'_> {
    fn next(&self, _: bool) -> Option<(usize, usize)> {
        let job = self.next.fetch_add(1, Ordering::Relaxed);
        self.starts.get(job).map(|start| (job, *start))
    }

    fn ended(&self, job: usize, outcome: Outcome) {
        self.outcomes.lock().expect("no holder panics")[job] = Some(outcome);
    }
}
