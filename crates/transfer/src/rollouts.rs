//! Offset curves tried in simulation: many at once from many start states, or one to be looked at closely.

use crate::TransferError;
use crate::config::Config;
use crate::cost::Seen;
use crate::target::Target;
use sinew_sim::{BatchOptions, DampsTo, Flow, Outcome, Rollouts, Snapshot, Status, Steering, World};

/// Cost of each look that a fallen character misses: more than any standing one's.
pub(crate) const FALLEN_COST: f64 = 1000.0;

/// Curves of offsets from a frame on, each from one of the start states.
pub(crate) struct Trial<'a> {
    pub target: &'a Target,
    pub config: &'a Config,
    pub first_frame: usize,
    pub frames: usize,
    pub starts: &'a [Snapshot],
    /// Start state of each job.
    pub jobs: &'a [usize],
    /// `(frames + 1) × offsets` of each job.
    pub curves: &'a [f64],
    /// For each start, the sum of costs from which a job is given up.
    pub limits: &'a [f64],
}

/// How a trial went.
pub(crate) struct Tried {
    /// Mean cost of a look.
    pub cost: f64,
    pub end: Snapshot,
    pub steps: usize,
}

struct Curves<'a>(&'a Trial<'a>);

impl Steering for Curves<'_> {
    fn target(&self, job: usize, knot: usize, _: &World<'_>, out: &mut [f64]) {
        let Trial { target, first_frame, frames, curves, .. } = self.0;
        let count = target.dofs.count;
        let row = job * (frames + 1) + knot.min(*frames);
        target.dofs.add(target.position(first_frame + knot), &curves[row * count..(row + 1) * count], out);
    }
}

impl Trial<'_> {
    /// Simulates all jobs.
    pub fn run(&self) -> Result<Vec<Tried>, TransferError> {
        let steps_per_frame = self.config.steps_per_frame();
        let sample_interval = self.config.cost_frames * steps_per_frame;
        let steps = self.frames * steps_per_frame;
        let looks = steps.div_ceil(sample_interval);
        let rollouts = Rollouts {
            model: &self.target.model,
            starts: self.starts,
            steps,
            knot_interval: steps_per_frame,
            sample_interval,
            damps_to: DampsTo::Target,
            observes: true,
            options: BatchOptions::default(),
        };
        // What a job has cost so far is its own business: kept by the driver, and by us only to give up.
        let so_far: Vec<std::sync::atomic::AtomicU64> = self.jobs.iter().map(|_| 0f64.to_bits().into()).collect();
        // Friction's work over the weight, counted once, at the end.
        let per_joule = self.config.extras.sliding * looks as f64 / self.target.weight();
        let cost = |job: usize, step: usize, world: &World<'_>| {
            let frame = self.first_frame + step / steps_per_frame;
            let left = (looks - step.div_ceil(sample_interval)) as f64;
            Seen::with(self.target, world, |seen| {
                if world.status() != Status::Running || seen.has_fallen(self.target, frame) {
                    return Flow::Stop((left + 1.0) * FALLEN_COST);
                }
                let cost = seen.terms(self.target, frame, &self.config.weights).total()
                    + seen.velocity_cost(self.target, frame, &self.config.extras);
                let before = f64::from_bits(so_far[job].load(std::sync::atomic::Ordering::Relaxed));
                let sum = before + cost;
                so_far[job].store(sum.to_bits(), std::sync::atomic::Ordering::Relaxed);
                if left > 0.0 && self.limits.get(self.jobs[job]).is_some_and(|limit| sum > *limit) {
                    // As if it went on like this.
                    let done = looks as f64 - left;
                    return Flow::Stop(cost + left * sum / done + per_joule * world.friction_work());
                }
                let slid = if left > 0.0 { 0.0 } else { per_joule * world.friction_work() };
                Flow::Continue(cost + slid)
            })
        };
        let outcomes = rollouts.run_steered(self.jobs, &Curves(self), &cost)?;
        let tried = |o: Outcome| Tried { cost: o.cost / looks as f64, end: o.end, steps: o.steps };
        Ok(outcomes.into_iter().map(tried).collect())
    }
}
