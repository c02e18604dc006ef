//! Plans by path integrals (Williams, Aldrich & Theodorou 2017, *Model predictive path integral control*): samples of noise around the plan so far,
//! each under the gains of the motion's regulator, are averaged with the weights `exp(−(J − J_min)/λ)`.

use crate::config::LiveConfig;
use crate::error::LiveError;
use crate::fan::{Course, Fan, Policies, Way, cheapest};
use crate::plan::{Knot, Plan};
use sinew_optim::NormalStream;

/// Noise of several rollouts: independent normal values every few frames, linear in between.
pub(crate) struct Noise {
    values: Vec<Vec<f64>>,
    every: usize,
    count: usize,
}

impl Noise {
    /// For so many rollouts; `purpose` and `frame` name the stream.
    pub fn new(config: &LiveConfig, rollouts: usize, frames: usize, count: usize, purpose: u64, frame: u64) -> Noise {
        let every = config.noise_frames;
        let knots = frames / every + 2;
        let row = |rollout: usize| {
            let mut stream = NormalStream::new(config.seed, frame, (purpose << 32) | rollout as u64);
            // Rollouts differ in how far they stray.
            let size = config.noise_rad * [1.0, 0.5, 0.25, 0.1][rollout % 4];
            (0..knots * count).map(|_| size * stream.normal()).collect()
        };
        Noise { values: (0..rollouts).map(row).collect(), every, count }
    }

    /// Adds the noise of a rollout in a frame.
    pub fn add(&self, rollout: usize, frame: usize, out: &mut [f64]) {
        let (knot, share) = (frame / self.every, (frame % self.every) as f64 / self.every as f64);
        let row = |knot: usize| &self.values[rollout][knot * self.count..(knot + 1) * self.count];
        for (u, (a, b)) in out.iter_mut().zip(row(knot).iter().zip(row(knot + 1))) {
            *u += a + share * (b - a);
        }
    }
}

/// Memory of the method.
pub(crate) struct Sampling {
    fan: Fan,
}

/// Samples around a plan.
struct Sampled<'a> {
    course: Course<'a>,
    knots: &'a [Knot],
    noise: &'a Noise,
}

impl Policies for Sampled<'_> {
    fn decide(&self, rollout: usize, frame: usize, position: &[f64], velocity: &[f64], out: &mut [f64]) {
        let largest = self.course.config.largest_change_rad;
        let mut room = Vec::new();
        self.knots[frame].decide(self.course.motion.model(), position, velocity, largest, &mut room, out);
        // The first one is the plan itself.
        if let Some(rollout) = rollout.checked_sub(1) {
            self.noise.add(rollout, frame, out);
        }
    }
}

impl Sampling {
    pub fn new(course: Course<'_>) -> Result<Sampling, LiveError> {
        Ok(Sampling { fan: Fan::new(course.motion, course.config.samples)? })
    }

    /// Improves a plan's knots from a state on. Returns none where every sample falls out of reason.
    pub fn improve(
        &mut self,
        course: Course<'_>,
        first: u64,
        nominal: &Way,
        gains: &[Knot],
    ) -> Result<Option<Plan>, LiveError> {
        let Course { motion, config, .. } = course;
        let (horizon, count) = (config.horizon_frames, motion.dofs().count);
        let start = nominal.states[0].clone();
        let mut knots = knots_of(nominal, gains, horizon);
        for round in 0..=config.sample_rounds {
            let noise = Noise::new(config, config.samples - 1, horizon, count, 2 + round as u64, first);
            let sampled = Sampled { course, knots: &knots, noise: &noise };
            let ways = self.fan.run(course, (&start.0, &start.1), first, horizon, 0, &sampled)?;
            let best = cheapest(&ways);
            if ways[best].cost == f64::MAX {
                return Ok(None);
            }
            if round == config.sample_rounds {
                knots = knots_of(&ways[best], gains, horizon);
                break;
            }
            knots = averaged(&ways, best, config.temperature, gains, horizon);
        }
        Ok(Some(Plan { first, knots }))
    }
}

/// The knots of a way that was simulated.
fn knots_of(way: &Way, gains: &[Knot], horizon: usize) -> Vec<Knot> {
    let knot = |frame: usize| Knot {
        position: way.states[frame].0.clone(),
        velocity: way.states[frame].1.clone(),
        control: way.controls[frame].clone(),
        gain: gains[frame].gain.clone(),
    };
    (0..horizon).map(knot).collect()
}

/// The controls of all ways in the mean, weighted by `exp(−(J − J_min)/λ)`, λ relative to the spread of the better half; states are the best way's.
fn averaged(ways: &[Way], best: usize, temperature: f64, gains: &[Knot], horizon: usize) -> Vec<Knot> {
    let mut costs: Vec<f64> = ways.iter().map(|way| way.cost).collect();
    costs.sort_by(f64::total_cmp);
    let spread = (costs[costs.len() / 2] - costs[0]).max(1e-9);
    let weights: Vec<f64> =
        ways.iter().map(|way| libm::exp(-(way.cost - ways[best].cost) / (temperature * spread))).collect();
    let total: f64 = weights.iter().sum();
    let mut knots = knots_of(&ways[best], gains, horizon);
    for (frame, knot) in knots.iter_mut().enumerate() {
        knot.control.fill(0.0);
        for (way, weight) in ways.iter().zip(&weights) {
            knot.control.iter_mut().zip(&way.controls[frame]).for_each(|(u, own)| *u += weight / total * own);
        }
    }
    knots
}
