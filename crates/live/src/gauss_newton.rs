//! Plans by differential dynamic programming in its Gauss–Newton form (Tassa, Erez & Todorov 2012): the cheapest of a few ways to go on is measured
//! interval by interval, the linear–quadratic model solved back to its beginning, and the correction tried at several sizes under its own gains.

use crate::error::LiveError;
use crate::fan::{Course, Fan, Policies, Way, cheapest};
use crate::linear::{Linear, Linearizer, Piece};
use crate::plan::{Knot, Plan};
use crate::riccati::{Gain, Residuals, Value};
use crate::sampling::Noise;
use crate::weights::deviation;
use sinew_transfer::Matrix;
use std::sync::Arc;

/// Ratio of one share of the correction to the next smaller one.
const RATIO: f64 = 0.7;

/// Intervals of a plan, in frames from its beginning, and the memory to measure them.
pub(crate) struct GaussNewton {
    /// First frame and length of each.
    grid: Vec<(usize, usize)>,
    /// Of the lengths 1 and 2; none where no interval has it.
    linearizers: [Option<Linearizer>; 2],
    shares: Fan,
}

impl GaussNewton {
    pub fn new(course: Course<'_>) -> Result<GaussNewton, LiveError> {
        let Course { motion, weights, config, .. } = course;
        let mut grid: Vec<(usize, usize)> =
            (0..config.near_frames.min(config.horizon_frames)).map(|f| (f, 1)).collect();
        let mut at = grid.len();
        while at < config.horizon_frames {
            let length = 2.min(config.horizon_frames - at);
            grid.push((at, length));
            at += length;
        }
        let mut linearizers = [None, None];
        for (length, slot) in [1, 2].into_iter().zip(&mut linearizers) {
            let pieces = grid.iter().filter(|(_, own)| *own == length).count();
            if pieces > 0 {
                *slot = Some(Linearizer::new(motion.model(), motion.dofs(), config, &weights.seen, pieces)?);
            }
        }
        Ok(GaussNewton { grid, linearizers, shares: Fan::new(motion, config.shares)? })
    }

    /// Improves a way to go on, whose first state is that of frame `first`. Returns none where no correction can be made or all ways fall beside it.
    pub fn improve(&mut self, course: Course<'_>, first: u64, nominal: &Way) -> Result<Option<Plan>, LiveError> {
        let linears = self.measure(course, first, nominal)?;
        let Some(gains) = self.solve(course, first, nominal, &linears) else { return Ok(None) };
        let horizon = course.config.horizon_frames;
        let mut of_frame = vec![0; horizon];
        for (interval, (at, length)) in self.grid.iter().enumerate() {
            of_frame[*at..at + length].fill(interval);
        }
        let corrected = Corrected { course, nominal, gains: &gains, of_frame: &of_frame };
        let start = (&nominal.states[0].0[..], &nominal.states[0].1[..]);
        let ways = self.shares.run(course, start, first, horizon, 0, &corrected)?;
        let best = &ways[cheapest(&ways)];
        if best.cost == f64::MAX {
            return Ok(None);
        }
        let shared: Vec<Arc<Matrix>> = gains.into_iter().map(|gain| Arc::new(gain.feedback)).collect();
        let knots = (0..horizon).map(|frame| Knot {
            position: best.states[frame].0.clone(),
            velocity: best.states[frame].1.clone(),
            control: best.controls[frame].clone(),
            gain: shared[of_frame[frame]].clone(),
        });
        Ok(Some(Plan { first, knots: knots.collect() }))
    }

    fn measure(&mut self, course: Course<'_>, first: u64, nominal: &Way) -> Result<Vec<Linear>, LiveError> {
        let mut found: Vec<Option<Linear>> = vec![None; self.grid.len()];
        for (length, linearizer) in [1, 2].into_iter().zip(&mut self.linearizers) {
            let Some(linearizer) = linearizer else { continue };
            let own: Vec<usize> = (0..found.len()).filter(|i| self.grid[*i].1 == length).collect();
            let pieces = own.iter().map(|&interval| {
                let (at, length) = self.grid[interval];
                let (position, velocity) = &nominal.states[at];
                let frame = |f: usize| {
                    let action = |f: usize| &course.window.row(first + f as u64).action[..];
                    (action(f), action(f + 1), &nominal.controls[f][..])
                };
                Piece { position, velocity, frames: (at..at + length).map(frame).collect() }
            });
            let linears = linearizer.measure(&pieces.collect::<Vec<_>>())?;
            own.into_iter().zip(linears).for_each(|(interval, linear)| found[interval] = Some(linear));
        }
        Ok(found.into_iter().map(|linear| linear.expect("every interval has its length's")).collect())
    }

    fn solve(&self, course: Course<'_>, first: u64, nominal: &Way, linears: &[Linear]) -> Option<Vec<Gain>> {
        let Course { motion, weights, config, window, regulator } = course;
        let model = motion.model();
        let against = |frame: usize, state: (&[f64], &[f64])| {
            let row = window.row(first + frame as u64);
            let mut way = Vec::new();
            deviation(model, (&row.position, &row.velocity), state, &mut way);
            (row, way)
        };
        let (end, last) = (config.horizon_frames, linears.last()?);
        let (row, way) = against(end, (&last.end.0, &last.end.1));
        let rest = &regulator.values[row.frame];
        let mut value = Value::zero(way.len());
        rest.curvature.add_vector(&way, &mut value.slope);
        value.curvature = rest.curvature.clone();
        let share = config.sizes.terminal;
        value.slope.iter_mut().chain(&mut value.curvature.data).for_each(|x| *x *= share);
        let mut gains = Vec::with_capacity(linears.len());
        for (linear, &(at, length)) in linears.iter().zip(&self.grid).rev() {
            let (row, state) = against(at + length, (&linear.end.0, &linear.end.1));
            let seen = linear.end_seen.iter().zip(&row.observation).map(|(a, b)| a - b).collect();
            let residuals = Residuals { state, seen, control: nominal.controls[at].clone(), frames: length as f64 };
            let (before, gain) = value.back(linear, weights, &residuals, config.damping)?;
            value = before;
            gains.push(gain);
        }
        gains.reverse();
        Some(gains)
    }
}

/// `u = ū + α·k + K·(x ⊖ x̄)`, α being each rollout's share.
struct Corrected<'a> {
    course: Course<'a>,
    nominal: &'a Way,
    gains: &'a [Gain],
    of_frame: &'a [usize],
}

impl Policies for Corrected<'_> {
    fn decide(&self, rollout: usize, frame: usize, position: &[f64], velocity: &[f64], out: &mut [f64]) {
        let (q, v) = &self.nominal.states[frame];
        let gain = &self.gains[self.of_frame[frame]];
        let mut way = Vec::new();
        deviation(self.course.motion.model(), (q, v), (position, velocity), &mut way);
        // The last rollout makes no correction.
        let share = if rollout + 1 == self.course.config.shares { 0.0 } else { libm::pow(RATIO, rollout as f64) };
        out.copy_from_slice(&self.nominal.controls[frame]);
        gain.feedback.add_vector(&way, out);
        let largest = self.course.config.largest_change_rad;
        for (u, k) in out.iter_mut().zip(&gain.open) {
            *u += share * k;
            *u = if u.is_finite() { u.clamp(-largest, largest) } else { 0.0 };
        }
    }
}

/// Ways to go on from which a plan may begin: the plan so far, the motion's own policy, and both with noise.
pub(crate) struct Starts<'a> {
    pub course: Course<'a>,
    /// Of each frame, the present one included.
    pub planned: &'a [Knot],
    pub own: &'a [Knot],
    pub noise: &'a Noise,
    /// Frames in which all do as planned.
    pub common: usize,
}

impl Policies for Starts<'_> {
    fn decide(&self, rollout: usize, frame: usize, position: &[f64], velocity: &[f64], out: &mut [f64]) {
        let is_planned = frame < self.common || rollout.is_multiple_of(2);
        let knot = if is_planned { &self.planned[frame] } else { &self.own[frame] };
        let config = self.course.config;
        let mut room = Vec::new();
        knot.decide(self.course.motion.model(), position, velocity, config.largest_change_rad, &mut room, out);
        if frame >= self.common && rollout >= 2 {
            self.noise.add(rollout - 2, frame, out);
        }
    }
}
