//! How the state at the end of an interval follows from that at its beginning and from the offsets at both: by central differences,
//! all coordinates simulated side by side.

use super::course::Course;
use super::matrix::Matrix;
use super::nominal::Nominal;
use super::priced_assist::shares;
use crate::TransferError;
use crate::config::Differences;
use crate::target::Target;
use sinew_sim::{BatchOptions, DampsTo, Flow, Outcome, Rollouts, Snapshot, Steering, World, Wrench};

/// `δs' = A·δs + C_o·δo + C_r·δr + C_a·δa + W_b·δb + W_e·δe`: offsets, their rates and their accelerations in the interval, and assist from
/// outside at its beginning and end.
pub(super) struct Linear {
    pub state: Matrix,
    /// C_o, C_r, C_a.
    pub offsets: [Matrix; 3],
    /// W_b, W_e; without columns where there is no assist.
    pub assist: [Matrix; 2],
    /// What friction takes in the interval, over the weight, m; and by how much each column above changes it.
    pub slid: f64,
    pub slides: Vec<f64>,
    /// Where the interval leads to, less the nominal state there: nothing but rounding where that was simulated.
    pub gap: Vec<f64>,
}

/// A coordinate that the end of the interval depends on.
#[derive(Clone, Copy)]
enum Column {
    Position(usize),
    Velocity(usize),
    /// An offset in one of three ways: see [`shape`].
    Offset {
        index: usize,
        kind: usize,
    },
    /// A number of the assist at the beginning or the end.
    Assist {
        index: usize,
        end: usize,
    },
}

impl Column {
    /// All of them: positions, velocities, offsets, rates and accelerations, assist at the beginning and at the end.
    fn all(velocities: usize, offsets: usize, assists: usize) -> Vec<Column> {
        let state = (0..velocities).map(Column::Position).chain((0..velocities).map(Column::Velocity));
        let offsets = (0..3).flat_map(|kind| (0..offsets).map(move |index| Column::Offset { index, kind }));
        let assists = (0..2).flat_map(|end| (0..assists).map(move |index| Column::Assist { index, end }));
        state.chain(offsets).chain(assists).collect()
    }

    /// Size of its difference.
    fn step(self, differences: &Differences, reach: f64) -> f64 {
        let step = match self {
            Column::Position(_) => differences.position,
            Column::Velocity(_) => differences.velocity,
            Column::Offset { .. } => differences.offset,
            Column::Assist { .. } => differences.assist,
        };
        step * reach
    }
}

/// What an offset, a rate and an acceleration add at a share τ of the interval, which is their unit of time: 1, τ, τ²/2.
pub(super) fn shape(kind: usize, share: f64) -> f64 {
    match kind {
        0 => 1.0,
        1 => share,
        _ => 0.5 * share * share,
    }
}

/// Runs through an interval, each with one coordinate changed by some size.
struct Disturbed<'a> {
    target: &'a Target,
    nominal: &'a Nominal,
    interval: usize,
    changes: Vec<(Column, f64)>,
}

impl Steering for Disturbed<'_> {
    fn target(&self, job: usize, knot: usize, _: &World<'_>, out: &mut [f64]) {
        let first = self.nominal.frames[self.interval];
        let frame = (first + knot).min(self.nominal.frames[self.interval + 1]);
        let mut offsets = self.nominal.offsets_at(frame).to_vec();
        if let (Column::Offset { index, kind }, size) = self.changes[job] {
            offsets[index] += size * shape(kind, self.nominal.share(self.interval, frame));
        }
        self.target.dofs.add(self.target.position(frame), &offsets, out);
    }

    fn assist(&self, job: usize, knot: usize) -> Option<Wrench> {
        let priced = self.nominal.assist.as_ref()?;
        let interval = self.interval;
        let frame = self.nominal.frames[interval] + knot;
        let mut assist = self.nominal.assist_during(interval, frame);
        if let (Column::Assist { index, end }, size) = self.changes[job] {
            let frames = self.nominal.frames[interval + 1] - self.nominal.frames[interval];
            assist[index] += size * shares(interval, self.nominal.share(interval, frame), frames)[end];
        }
        priced.units.wrench(&assist)
    }
}

/// Returns the linear model of an interval; on this thread.
pub(super) fn linearize(course: Course<'_>, interval: usize, reach: f64) -> Result<Linear, TransferError> {
    let Course { target, polish, nominal, .. } = course;
    let assists = if nominal.assist.is_some() { 6 } else { 0 };
    let columns = Column::all(target.model.velocity_count(), target.dofs.count, assists);
    let steps: Vec<f64> = columns.iter().map(|column| column.step(&polish.differences, reach)).collect();
    let outcomes = disturb(course, interval, &columns, &steps)?;
    course.steps.add(outcomes.iter().map(|outcome| outcome.steps as u64).sum());
    let mut linear = Linear::zeros(target, assists);
    linear.fill_undisturbed(target, &nominal.states[interval + 1], &outcomes);
    for ((column, step), pair) in columns.iter().zip(&steps).zip(outcomes.chunks(2)) {
        linear.fill_column(target, *column, *step, pair);
    }
    Ok(linear)
}

/// Simulates the interval with each coordinate changed by its step up and down: two outcomes for each.
fn disturb(
    course: Course<'_>,
    interval: usize,
    columns: &[Column],
    steps: &[f64],
) -> Result<Vec<Outcome>, TransferError> {
    let Course { target, config, nominal, .. } = course;
    let model = &target.model;
    let (nq, nv) = (model.position_count(), model.velocity_count());
    let (q, v) = nominal.states[interval].values().split_at(nq);
    // The nominal state, and those that differ from it.
    let mut starts = vec![Snapshot::new(q, v)];
    let (mut changes, mut jobs) = (Vec::new(), Vec::new());
    let mut moved = vec![0.0; nq];
    for (&column, step) in columns.iter().zip(steps) {
        for size in [*step, -step] {
            match column {
                Column::Position(index) => {
                    let mut way = vec![0.0; nv];
                    way[index] = 1.0;
                    model.displace(q, &way, size, &mut moved);
                    starts.push(Snapshot::new(&moved, v));
                }
                Column::Velocity(index) => {
                    let mut speed = v.to_vec();
                    speed[index] += size;
                    starts.push(Snapshot::new(q, &speed));
                }
                Column::Offset { .. } | Column::Assist { .. } => {}
            }
            let is_state = matches!(column, Column::Position(_) | Column::Velocity(_));
            jobs.push(if is_state { starts.len() - 1 } else { 0 });
            changes.push((column, size));
        }
    }
    let steps_per_frame = config.steps_per_frame();
    let length = nominal.frames[interval + 1] - nominal.frames[interval];
    let rollouts = Rollouts {
        model,
        starts: &starts,
        steps: length * steps_per_frame,
        knot_interval: steps_per_frame,
        sample_interval: length * steps_per_frame,
        damps_to: DampsTo::Target,
        observes: false,
        options: BatchOptions { threads: 1, ..BatchOptions::default() },
    };
    let steering = Disturbed { target, nominal, interval, changes };
    Ok(rollouts.run_steered(&jobs, &steering, &|_, _, world| Flow::Continue(world.friction_work()))?)
}

impl Linear {
    fn zeros(target: &Target, assists: usize) -> Linear {
        let (nv, m) = (target.model.velocity_count(), target.dofs.count);
        Linear {
            state: Matrix::zeros(2 * nv, 2 * nv),
            offsets: std::array::from_fn(|_| Matrix::zeros(2 * nv, m)),
            assist: std::array::from_fn(|_| Matrix::zeros(2 * nv, assists)),
            slid: 0.0,
            slides: Vec::with_capacity(2 * nv + 3 * m + 2 * assists),
            gap: vec![0.0; 2 * nv],
        }
    }

    /// Friction's work and the gap to the state expected at the end: the mean of the ends on both sides of the nominal control.
    fn fill_undisturbed(&mut self, target: &Target, expected: &Snapshot, outcomes: &[Outcome]) {
        let model = &target.model;
        let (nq, nv) = (model.position_count(), model.velocity_count());
        // The first offset, changed by little: the nearest that there is to the nominal control.
        let undisturbed = &outcomes[4 * nv..4 * nv + 2];
        self.slid = 1.0 / target.weight() * 0.5 * (undisturbed[0].cost + undisturbed[1].cost);
        let (expected, mut way) = (expected.values(), vec![0.0; nv]);
        for end in undisturbed.iter().map(|outcome| outcome.end.values()) {
            model.difference(&expected[..nq], &end[..nq], &mut way);
            for k in 0..nv {
                self.gap[k] += 0.5 * way[k];
                self.gap[nv + k] += 0.5 * (end[nq + k] - expected[nq + k]);
            }
        }
    }

    /// One column, from the ends on both sides.
    fn fill_column(&mut self, target: &Target, column: Column, step: f64, pair: &[Outcome]) {
        let model = &target.model;
        let (nq, nv) = (model.position_count(), model.velocity_count());
        let (plus, minus) = (pair[0].end.values(), pair[1].end.values());
        let mut way = vec![0.0; nv];
        model.difference(&minus[..nq], &plus[..nq], &mut way);
        let (matrix, at) = match column {
            Column::Position(index) => (&mut self.state, index),
            Column::Velocity(index) => (&mut self.state, nv + index),
            Column::Offset { index, kind } => (&mut self.offsets[kind], index),
            Column::Assist { index, end } => (&mut self.assist[end], index),
        };
        let (width, scale) = (matrix.cols, 0.5 / step);
        for k in 0..nv {
            matrix.data[k * width + at] = scale * way[k];
            matrix.data[(nv + k) * width + at] = scale * (plus[nq + k] - minus[nq + k]);
        }
        self.slides.push(scale * (1.0 / target.weight()) * (pair[0].cost - pair[1].cost));
    }
}
