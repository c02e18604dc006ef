//! Offset curves tried in simulation, many at once from many start states.

use crate::TransferError;
use crate::config::Config;
use crate::cost::Seen;
use crate::target::Target;
use sinew_sim::{BatchOptions, DampsTo, Flow, Outcome, Rollouts, Snapshot, Status, Steering, World};
use std::sync::atomic::{AtomicU64, Ordering};

/// Cost of each look that a fallen character misses: more than any standing one's.
pub(crate) const FALLEN_COST: f64 = 1000.0;

/// Frames of a target in which curves are tried, and the states that they may start from.
#[derive(Clone, Copy)]
pub(crate) struct Stage<'a> {
    pub target: &'a Target,
    pub config: &'a Config,
    pub first_frame: usize,
    pub frames: usize,
    pub starts: &'a [Snapshot],
}

/// What a try has cost so far; its own business, kept to know when to give up.
#[derive(Default)]
pub(crate) struct SoFar(AtomicU64);

impl SoFar {
    pub fn reset(&self) {
        self.0.store(0f64.to_bits(), Ordering::Relaxed);
    }

    /// Adds to it and gives the sum.
    fn add(&self, cost: f64) -> f64 {
        let sum = f64::from_bits(self.0.load(Ordering::Relaxed)) + cost;
        self.0.store(sum.to_bits(), Ordering::Relaxed);
        sum
    }
}

impl Stage<'_> {
    /// Steps from look to look.
    fn steps_per_look(&self) -> usize {
        self.config.cost_frames * self.config.steps_per_frame()
    }

    /// How often the cost looks.
    pub fn looks(&self) -> usize {
        self.frames.div_ceil(self.config.cost_frames)
    }

    /// Numbers in a curve: a row for each frame, and for the end.
    pub fn curve_len(&self) -> usize {
        (self.frames + 1) * self.target.dofs.count
    }

    pub fn rollouts(&self) -> Rollouts<'_> {
        let steps_per_frame = self.config.steps_per_frame();
        Rollouts {
            model: &self.target.model,
            starts: self.starts,
            steps: self.frames * steps_per_frame,
            knot_interval: steps_per_frame,
            sample_interval: steps_per_frame,
            damps_to: DampsTo::Target,
            observes: true,
            options: BatchOptions::default(),
        }
    }

    /// The PD target that a curve of offsets has at a knot.
    pub fn steer(&self, curve: &[f64], knot: usize, out: &mut [f64]) {
        let count = self.target.dofs.count;
        let row = knot.min(self.frames) * count;
        self.target.dofs.add(self.target.position(self.first_frame + knot), &curve[row..row + count], out);
    }

    /// Looks at a try after a frame: what it costs now, and whether it goes on. It does not where it fell, or where it has cost more than `limit`.
    pub fn look(&self, so_far: &SoFar, limit: f64, step: usize, world: &World<'_>) -> Flow {
        let looks = self.looks();
        let frame = self.first_frame + step / self.config.steps_per_frame();
        let left = (looks - step.div_ceil(self.steps_per_look())) as f64;
        // Friction's work over the weight, counted once, at the end.
        let slid = || self.config.extras.sliding * looks as f64 / self.target.weight() * world.friction_work();
        Seen::with(self.target, world, |seen| {
            if world.status() != Status::Running || seen.has_fallen(self.target, frame) {
                return Flow::Stop((left + 1.0) * FALLEN_COST);
            }
            let is_last = step == self.frames * self.config.steps_per_frame();
            if !(is_last || step.is_multiple_of(self.steps_per_look())) {
                return Flow::Continue(0.0);
            }
            let cost = seen.terms(self.target, frame, &self.config.weights).total()
                + seen.velocity_cost(self.target, frame, &self.config.extras);
            let sum = so_far.add(cost);
            if left == 0.0 {
                return Flow::Continue(cost + slid());
            }
            if sum > limit {
                // As if it went on like this.
                let done = looks as f64 - left;
                return Flow::Stop(cost + left * sum / done + slid());
            }
            Flow::Continue(cost)
        })
    }
}

/// Curves of offsets, each from one of the start states.
pub(crate) struct Trial<'a> {
    pub stage: Stage<'a>,
    /// Start state of each curve.
    pub jobs: &'a [usize],
    /// One after another.
    pub curves: &'a [f64],
}

/// How a trial went.
pub(crate) struct Tried {
    /// Mean cost of a look.
    pub cost: f64,
    pub end: Snapshot,
    pub steps: usize,
}

impl Steering for Trial<'_> {
    fn target(&self, job: usize, knot: usize, _: &World<'_>, out: &mut [f64]) {
        let width = self.stage.curve_len();
        self.stage.steer(&self.curves[job * width..(job + 1) * width], knot, out);
    }
}

impl Trial<'_> {
    /// Simulates all curves to their ends.
    pub fn run(&self) -> Result<Vec<Tried>, TransferError> {
        let so_far: Vec<SoFar> = self.jobs.iter().map(|_| SoFar::default()).collect();
        let cost =
            |job: usize, step: usize, world: &World<'_>| self.stage.look(&so_far[job], f64::INFINITY, step, world);
        let outcomes = self.stage.rollouts().run_steered(self.jobs, self, &cost)?;
        let looks = self.stage.looks() as f64;
        let tried = |o: Outcome| Tried { cost: o.cost / looks, end: o.end, steps: o.steps };
        Ok(outcomes.into_iter().map(tried).collect())
    }
}
