//! One start state's search: a CMA-ES, generation after generation.

use crate::TransferError;
use crate::curve::{self, CurveStart};
use crate::rollouts::Stage;
use crate::search::{Context, Start};
use sinew_optim::{CmaEs, Options};

/// What a generation came to.
pub(super) struct Generation {
    /// Its best sample: cost and poses.
    pub best: (f64, Vec<f64>),
    /// Best cost of this generation and all before it.
    pub best_ever: f64,
    pub steps: u64,
}

/// A branch of the search: one start state's CMA-ES, and the generation that is being tried.
pub(super) struct Branch<'a> {
    stage: Stage<'a>,
    start: &'a CurveStart,
    /// Step size of each number of a sample.
    scales: &'a [f64],
    cma: CmaEs,
    /// Curve of each sample, one after another, and what each costs for not being quiet.
    curves: Vec<f64>,
    penalties: Vec<f64>,
    best_ever: f64,
    /// Sum of costs from which a try is given up.
    limit: f64,
}

impl<'a> Branch<'a> {
    /// A branch whose first generation is not drawn yet; `run` tells apart what is drawn from one seed.
    pub fn new(
        context: &Context<'_>,
        stage: Stage<'a>,
        start: &'a Start,
        scales: &'a [f64],
        run: u64,
    ) -> Result<Branch<'a>, TransferError> {
        let config = context.config;
        let count = context.target.dofs.count;
        let mut mean = vec![0.0; scales.len()];
        if config.shares_distributions {
            let last = start.ahead.len() / count;
            for (knot, row) in mean.chunks_mut(count).enumerate() {
                if last == 0 {
                    break;
                }
                let frame = (knot + 1) * config.knot_frames;
                let at = frame.min(last - 1);
                row.copy_from_slice(&start.ahead[at * count..(at + 1) * count]);
            }
        }
        let options = Options {
            population: Some(config.population),
            seed: context.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(run),
            diagonal_generations: if config.shares_distributions { u64::MAX } else { 0 },
            scales: Some(scales.to_vec()),
            ..Options::default()
        };
        let mut cma = CmaEs::new(&mean, 1.0, options)?;
        if config.shares_distributions {
            cma.inject(&mean)?;
        }
        let curves = vec![0.0; config.population * stage.curve_len()];
        let penalties = vec![0.0; config.population];
        let (best_ever, limit) = (f64::INFINITY, f64::INFINITY);
        Ok(Branch { stage, start: &start.curve, scales, cma, curves, penalties, best_ever, limit })
    }

    /// Draws the next generation.
    pub fn ask(&mut self) {
        let config = self.stage.config;
        let poses = self.cma.ask();
        let curves = self.curves.chunks_mut(self.stage.curve_len());
        for ((poses, curve), penalty) in poses.zip(curves).zip(&mut self.penalties) {
            curve::fill(self.start, poses, config.basis, config.knot_frames, curve);
            *penalty = config.extras.offsets * quiet(self.start, poses, self.scales);
        }
    }

    /// The curve of a sample.
    pub fn curve(&self, sample: usize) -> &[f64] {
        let width = self.stage.curve_len();
        &self.curves[sample * width..(sample + 1) * width]
    }

    /// Sum of costs from which a try is given up.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// Learns from what the samples of the generation cost, as sums over all looks.
    pub fn tell(&mut self, sums: &[f64], steps: u64) -> Result<Generation, TransferError> {
        let looks = self.stage.looks() as f64;
        let costs: Vec<f64> = sums.iter().zip(&self.penalties).map(|(sum, penalty)| sum / looks + penalty).collect();
        let mut order: Vec<usize> = (0..costs.len()).collect();
        order.sort_by(|&a, &b| costs[a].total_cmp(&costs[b]).then(a.cmp(&b)));
        let (best, n) = (order[0], self.scales.len());
        let poses = self.cma.points()[best * n..(best + 1) * n].to_vec();
        self.best_ever = self.best_ever.min(costs[best]);
        if let Some(factor) = self.stage.config.gives_up_at {
            self.limit = factor * costs[order[costs.len() / 2]] * looks;
        }
        self.cma.tell(&costs)?;
        Ok(Generation { best: (costs[best], poses), best_ever: self.best_ever, steps })
    }
}

/// Mean square of changes of the offsets from pose to pose, in units of their step sizes.
fn quiet(start: &CurveStart, poses: &[f64], scales: &[f64]) -> f64 {
    let count = start.offsets.len();
    let mut sum = 0.0;
    for (i, x) in poses.iter().enumerate() {
        let before = if i < count { start.offsets[i] } else { poses[i - count] };
        let change = (x - before) / scales[i];
        sum += change * change;
    }
    sum / poses.len() as f64
}
