//! A cycle repeated under full-state feedback, recorded frame by frame.

use super::closing::Row;
use super::periodic_riccati::Gain;
use crate::TransferError;
use crate::dofs::Dofs;
use crate::feedback::config::FeedbackConfig;
use crate::feedback::reference::Reference;
use crate::feedback::tracking::{deviation, deviation_count};
use crate::feedback::trial::Judge;
use crate::steps::StepCount;
use crate::target::FRAME_SECS;
use sinew_sim::{BatchOptions, DampsTo, Flow, Model, Rollouts, Status, Steering, World};
use std::sync::Mutex;

/// `a = â + k + K·(x ⊖ x̄)` with the gains of each candidate, recorded.
struct Closed<'a> {
    model: &'a Model,
    dofs: Dofs,
    reference: &'a Reference,
    candidates: &'a [Vec<Gain>],
    largest_change: f64,
    rows: Vec<Mutex<Vec<Row>>>,
}

impl Steering for Closed<'_> {
    fn target(&self, job: usize, knot: usize, world: &World<'_>, out: &mut [f64]) {
        let Some(frame) = knot.checked_sub(1) else {
            out.copy_from_slice(self.reference.action(0));
            return;
        };
        let mut x = vec![0.0; deviation_count(self.model, self.dofs.count)];
        deviation(self.model, self.reference, 0.0, frame, world, &mut x);
        let gain = &self.candidates[job][frame % self.reference.frames];
        let mut change = gain.open.clone();
        gain.feedback.add_vector(&x, &mut change);
        change.iter_mut().for_each(|x| *x = x.clamp(-self.largest_change, self.largest_change));
        self.dofs.add(self.reference.action(knot), &change, out);
        let row = Row { position: world.position(), velocity: world.velocity(), target: world.target() };
        self.rows[job].lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(row);
    }
}

/// Repeats the cycle so often under each of the candidates' gains: the moments at all frames before the fall or the end, the first frame of one more cycle
/// included.
pub(super) fn repeat(
    model: &Model,
    reference: &Reference,
    candidates: &[Vec<Gain>],
    repetitions: usize,
    largest_change: f64,
    threads: usize,
    steps: &StepCount,
) -> Result<Vec<Vec<Row>>, TransferError> {
    let steps_per_frame = (FRAME_SECS / model.dt()).round() as usize;
    let starts = [reference.start()];
    let rollouts = Rollouts {
        model,
        starts: &starts,
        steps: (repetitions * reference.frames + 1) * steps_per_frame,
        knot_interval: steps_per_frame,
        sample_interval: steps_per_frame,
        damps_to: DampsTo::Target,
        observes: false,
        options: BatchOptions { threads, ..BatchOptions::default() },
    };
    let rows = candidates.iter().map(|_| Mutex::default()).collect();
    let closed = Closed { model, dofs: Dofs::new(model), reference, candidates, largest_change, rows };
    let judge = Judge::new(&FeedbackConfig::standard());
    let look = |_: usize, step: usize, world: &World<'_>| {
        let wanted = reference.position(step / steps_per_frame);
        let fell = world.status() != Status::Running || judge.fell(&world.position(), wanted, reference.positions[2]);
        if fell { Flow::Stop(1.0) } else { Flow::Continue(0.0) }
    };
    let outcomes = rollouts.run_steered(&vec![0; candidates.len()], &closed, &look)?;
    steps.add(outcomes.iter().map(|outcome| outcome.steps as u64).sum());
    let rows = closed.rows.into_iter().map(|rows| rows.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()));
    Ok(rows.collect())
}
