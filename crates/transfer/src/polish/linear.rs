//! How the state at the end of an interval follows from that at its beginning and from the offsets at both: by central differences,
//! all coordinates simulated side by side.

use super::Nominal;
use super::matrix::Matrix;
use super::priced_assist::shares;
use crate::TransferError;
use crate::config::Config;
use crate::target::Target;
use sinew_sim::{BatchOptions, DampsTo, Flow, Rollouts, Snapshot, Steering, World, Wrench};

/// Sizes of the differences: positions (m, rad), velocities (m/s, rad/s), offsets (rad), assist from outside (in its units).
const POSITION_STEP: f64 = 4e-3;
const VELOCITY_STEP: f64 = 4e-2;
const OFFSET_STEP: f64 = 2e-2;
const ASSIST_STEP: f64 = 5e-2;

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

/// What a job does differently: which offset in which way (see [`shape`]) or which assist at which end by how much.
struct Job {
    offset: Option<(usize, usize, f64)>,
    assist: Option<(usize, usize, f64)>,
}

/// What an offset, a rate and an acceleration add at a share τ of the interval, which is their unit of time: 1, τ, τ²/2.
pub(super) fn shape(kind: usize, share: f64) -> f64 {
    match kind {
        0 => 1.0,
        1 => share,
        _ => 0.5 * share * share,
    }
}

struct Differences<'a> {
    target: &'a Target,
    nominal: &'a Nominal,
    interval: usize,
    jobs: Vec<Job>,
}

impl Steering for Differences<'_> {
    fn target(&self, job: usize, knot: usize, _: &World<'_>, out: &mut [f64]) {
        let first = self.nominal.frames[self.interval];
        let frame = (first + knot).min(self.nominal.frames[self.interval + 1]);
        let mut offsets = self.nominal.offsets_at(frame).to_vec();
        if let Some((index, kind, size)) = self.jobs[job].offset {
            offsets[index] += size * shape(kind, self.nominal.share(self.interval, frame));
        }
        self.target.dofs.add(self.target.position(frame), &offsets, out);
    }

    fn assist(&self, job: usize, knot: usize) -> Option<Wrench> {
        let priced = self.nominal.assist.as_ref()?;
        let (interval, change) = (self.interval, self.jobs[job].assist);
        let frame = self.nominal.frames[interval] + knot;
        let mut assist = self.nominal.assist_during(interval, frame);
        if let Some((index, end, size)) = change {
            let frames = self.nominal.frames[interval + 1] - self.nominal.frames[interval];
            assist[index] += size * shares(interval, self.nominal.share(interval, frame), frames)[end];
        }
        priced.units.wrench(&assist)
    }
}

/// The linear model of an interval, and the number of steps that it took; on this thread.
pub(super) fn linearize(
    target: &Target,
    config: &Config,
    nominal: &Nominal,
    interval: usize,
    reach: f64,
) -> Result<(Linear, u64), TransferError> {
    let model = &target.model;
    let (nq, nv, m) = (model.position_count(), model.velocity_count(), target.dofs.count);
    let assists = if nominal.assist.is_some() { 6 } else { 0 };
    let first_assist = 2 * nv + 3 * m;
    let columns = first_assist + 2 * assists;
    let (q, v) = nominal.states[interval].values().split_at(nq);
    // The nominal state, and those that differ from it.
    let mut starts = vec![Snapshot::new(q, v)];
    let (mut jobs, mut jobs_start) = (Vec::new(), Vec::new());
    let mut moved = vec![0.0; nq];
    for column in 0..columns {
        for sign in [1.0, -1.0] {
            let (mut offset, mut assist) = (None, None);
            if column < nv {
                let mut way = vec![0.0; nv];
                way[column] = 1.0;
                model.displace(q, &way, sign * POSITION_STEP * reach, &mut moved);
                starts.push(Snapshot::new(&moved, v));
            } else if column < 2 * nv {
                let mut speed = v.to_vec();
                speed[column - nv] += sign * VELOCITY_STEP * reach;
                starts.push(Snapshot::new(q, &speed));
            } else if column >= first_assist {
                let index = column - first_assist;
                assist = Some((index % assists, index / assists, sign * ASSIST_STEP * reach));
            } else {
                let index = column - 2 * nv;
                offset = Some((index % m, index / m, sign * OFFSET_STEP * reach));
            }
            jobs_start.push(if column >= 2 * nv { 0 } else { starts.len() - 1 });
            jobs.push(Job { offset, assist });
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
    let steering = Differences { target, nominal, interval, jobs };
    let outcomes =
        rollouts.run_steered(&jobs_start, &steering, &|_, _, world| Flow::Continue(world.friction_work()))?;
    let steps = outcomes.iter().map(|o| o.steps as u64).sum();

    let per_joule = 1.0 / target.weight();
    let mut way = vec![0.0; nv];
    let undisturbed = &outcomes[4 * nv..4 * nv + 2];
    let mut linear = Linear {
        state: Matrix::zeros(2 * nv, 2 * nv),
        offsets: std::array::from_fn(|_| Matrix::zeros(2 * nv, m)),
        assist: std::array::from_fn(|_| Matrix::zeros(2 * nv, assists)),
        slid: per_joule * 0.5 * (undisturbed[0].cost + undisturbed[1].cost),
        slides: Vec::with_capacity(columns),
        gap: vec![0.0; 2 * nv],
    };
    let expected = nominal.states[interval + 1].values();
    // The mean of the ends on both sides of the nominal control.
    for end in undisturbed.iter().map(|outcome| outcome.end.values()) {
        model.difference(&expected[..nq], &end[..nq], &mut way);
        for k in 0..nv {
            linear.gap[k] += 0.5 * way[k];
            linear.gap[nv + k] += 0.5 * (end[nq + k] - expected[nq + k]);
        }
    }
    for (column, pair) in outcomes.chunks(2).enumerate() {
        let (plus, minus) = (pair[0].end.values(), pair[1].end.values());
        model.difference(&minus[..nq], &plus[..nq], &mut way);
        let (matrix, at, step) = match column {
            c if c < nv => (&mut linear.state, c, POSITION_STEP * reach),
            c if c < 2 * nv => (&mut linear.state, c, VELOCITY_STEP * reach),
            c if c >= first_assist => {
                let index = c - first_assist;
                (&mut linear.assist[index / assists], index % assists, ASSIST_STEP * reach)
            }
            c => (&mut linear.offsets[(c - 2 * nv) / m], (c - 2 * nv) % m, OFFSET_STEP * reach),
        };
        let (width, scale) = (matrix.cols, 0.5 / step);
        linear.slides.push(scale * per_joule * (pair[0].cost - pair[1].cost));
        for k in 0..nv {
            matrix.data[k * width + at] = scale * way[k];
            matrix.data[(nv + k) * width + at] = scale * (plus[nq + k] - minus[nq + k]);
        }
    }
    Ok((linear, steps))
}
