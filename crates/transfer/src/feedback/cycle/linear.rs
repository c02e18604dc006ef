//! How the state at the end of each frame of a cycle follows from that at its beginning and the PD targets at both: by central differences, all
//! frames and coordinates simulated side by side.

use super::closing::size;
use crate::TransferError;
use crate::config::Differences;
use crate::dofs::Dofs;
use crate::feedback::reference::Reference;
use crate::feedback::tracking::{PLACE, state_deviation};
use crate::polish::Matrix;
use crate::steps::StepCount;
use crate::target::FRAME_SECS;
use sinew_sim::{BatchOptions, DampsTo, Flow, Model, Outcome, Rollouts, Snapshot, Steering, World};

/// `s' = A·s + B_o·o + B_u·u + d` of one frame: o and u are changes of the PD targets at its beginning and its end.
pub(super) struct Linear {
    /// `[A, B_o]`.
    pub by_state: Matrix,
    /// B_u.
    pub by_control: Matrix,
    /// d: where the undisturbed frame leads to, less the next frame's state; nothing but rounding where the cycle is periodic.
    pub gap: Vec<f64>,
}

/// A coordinate that the end of a frame depends on.
#[derive(Clone, Copy)]
enum Column {
    Position(usize),
    Velocity(usize),
    /// A PD target at the beginning, and at the end.
    Before(usize),
    After(usize),
}

/// A run through a single frame with one coordinate changed, or none.
#[derive(Clone, Copy)]
struct Run {
    /// Index of the cycle.
    cycle: usize,
    frame: usize,
    change: Option<(Column, f64)>,
}

/// Steers runs through single frames.
struct Disturbed<'a> {
    references: &'a [Reference],
    dofs: &'a Dofs,
    jobs: Vec<Run>,
}

impl Steering for Disturbed<'_> {
    fn target(&self, job: usize, knot: usize, _: &World<'_>, out: &mut [f64]) {
        let Run { cycle, frame, change } = self.jobs[job];
        let mut offsets = vec![0.0; self.dofs.count];
        match (knot, change) {
            (0, Some((Column::Before(index), size))) | (1, Some((Column::After(index), size))) => {
                offsets[index] = size;
            }
            _ => {}
        }
        self.dofs.add(self.references[cycle].action(frame + knot), &offsets, out);
    }
}

/// Runs through single frames from these states.
fn run(
    model: &Model,
    steering: &Disturbed<'_>,
    (starts, jobs): (&[Snapshot], &[usize]),
    threads: usize,
    steps: &StepCount,
) -> Result<Vec<Outcome>, TransferError> {
    let frame = (FRAME_SECS / model.dt()).round() as usize;
    let rollouts = Rollouts {
        model,
        starts,
        steps: frame,
        knot_interval: frame,
        sample_interval: frame,
        damps_to: DampsTo::Target,
        observes: false,
        options: BatchOptions { threads, ..BatchOptions::default() },
    };
    let outcomes = rollouts.run_steered(jobs, steering, &|_, _, _| Flow::Continue(0.0))?;
    steps.add(outcomes.iter().map(|outcome| outcome.steps as u64).sum());
    Ok(outcomes)
}

/// Where a frame led to, less the next frame's state.
fn gap(model: &Model, reference: &Reference, frame: usize, end: &Outcome) -> Vec<f64> {
    let mut gap = vec![0.0; 2 * model.velocity_count() - PLACE];
    let next = (reference.position(frame + 1), reference.velocity(frame + 1));
    state_deviation(model, next, end.end.values().split_at(model.position_count()), &mut gap);
    gap
}

/// Size of all gaps of a cycle together: the root of the sum of their squares.
pub(super) fn total<'a>(model: &Model, gaps: impl Iterator<Item = &'a Vec<f64>>) -> f64 {
    gaps.map(|gap| size(model, gap)).map(|size| size * size).sum::<f64>().sqrt()
}

/// Size of all gaps of each of several cycles of the same length.
pub(super) fn total_gaps(
    model: &Model,
    references: &[Reference],
    threads: usize,
    steps: &StepCount,
) -> Result<Vec<f64>, TransferError> {
    let (mut starts, mut jobs) = (Vec::new(), Vec::new());
    for (index, reference) in references.iter().enumerate() {
        for frame in 0..reference.frames {
            starts.push(Snapshot::new(reference.position(frame), reference.velocity(frame)));
            jobs.push(Run { cycle: index, frame, change: None });
        }
    }
    let order: Vec<usize> = (0..jobs.len()).collect();
    let steering = Disturbed { references, dofs: &Dofs::new(model), jobs };
    let ends = run(model, &steering, (&starts, &order), threads, steps)?;
    let ends = steering.jobs.iter().zip(&ends);
    let gaps: Vec<Vec<f64>> = ends.map(|(run, end)| gap(model, &references[run.cycle], run.frame, end)).collect();
    let frames = references.first().map_or(1, |reference| reference.frames);
    Ok(gaps.chunks(frames).map(|gaps| total(model, gaps.iter())).collect())
}

/// Linear models of all frames of a cycle, with differences of some reach.
pub(super) fn linearize(
    model: &Model,
    reference: &Reference,
    reach: f64,
    threads: usize,
    steps: &StepCount,
) -> Result<Vec<Linear>, TransferError> {
    let (nq, nv, dofs, differences) =
        (model.position_count(), model.velocity_count(), Dofs::new(model), Differences::default());
    let positions = (PLACE..nv).map(|i| (Column::Position(i), differences.position * reach));
    let velocities = (0..nv).map(|i| (Column::Velocity(i), differences.velocity * reach));
    let before = (0..dofs.count).map(|i| (Column::Before(i), differences.offset * reach));
    let after = (0..dofs.count).map(|i| (Column::After(i), differences.offset * reach));
    let columns: Vec<(Column, f64)> = positions.chain(velocities).chain(before).chain(after).collect();
    let (mut starts, mut order, mut jobs) = (Vec::new(), Vec::new(), Vec::new());
    let (mut moved, mut way) = (vec![0.0; nq], vec![0.0; nv]);
    for frame in 0..reference.frames {
        let (q, v) = (reference.position(frame), reference.velocity(frame));
        let plain = starts.len();
        starts.push(Snapshot::new(q, v));
        order.push(plain);
        jobs.push(Run { cycle: 0, frame, change: None });
        for &(column, step) in &columns {
            for size in [step, -step] {
                match column {
                    Column::Position(index) => {
                        way.fill(0.0);
                        way[index] = 1.0;
                        model.displace(q, &way, size, &mut moved);
                        starts.push(Snapshot::new(&moved, v));
                    }
                    Column::Velocity(index) => {
                        let mut speed = v.to_vec();
                        speed[index] += size;
                        starts.push(Snapshot::new(q, &speed));
                    }
                    Column::Before(_) | Column::After(_) => {}
                }
                let is_state = matches!(column, Column::Position(_) | Column::Velocity(_));
                order.push(if is_state { starts.len() - 1 } else { plain });
                jobs.push(Run { cycle: 0, frame, change: Some((column, size)) });
            }
        }
    }
    let steering = Disturbed { references: std::slice::from_ref(reference), dofs: &dofs, jobs };
    let ends = run(model, &steering, (&starts, &order), threads, steps)?;
    let frames = ends.chunks(1 + 2 * columns.len()).enumerate();
    Ok(frames.map(|(frame, ends)| Linear::new(model, reference, frame, &columns, ends)).collect())
}

impl Linear {
    /// From the undisturbed end and those on both sides of each column.
    fn new(model: &Model, reference: &Reference, frame: usize, columns: &[(Column, f64)], ends: &[Outcome]) -> Linear {
        let (nq, ns) = (model.position_count(), 2 * model.velocity_count() - PLACE);
        let angles = columns.iter().filter(|(column, _)| matches!(column, Column::After(_))).count();
        let (mut by_state, mut by_control) = (Matrix::zeros(ns, ns + angles), Matrix::zeros(ns, angles));
        let mut difference = vec![0.0; ns];
        for (column, (pair, (_, step))) in ends[1..].chunks(2).zip(columns).enumerate() {
            let [plus, minus] = [0, 1].map(|side| pair[side].end.values().split_at(nq));
            state_deviation(model, minus, plus, &mut difference);
            for (row, x) in difference.iter().enumerate() {
                match column.checked_sub(ns + angles) {
                    None => by_state.row_mut(row)[column] = 0.5 * x / step,
                    Some(control) => by_control.row_mut(row)[control] = 0.5 * x / step,
                }
            }
        }
        Linear { by_state, by_control, gap: gap(model, reference, frame, &ends[0]) }
    }
}
