//! CMA-ES that starts again, with twice the population, when a run has ended without success.
//!
//! Auger & Hansen 2005, *A restart CMA evolution strategy with increasing population size*.

use crate::{CmaEs, NormalStream, OptimError, Options, StopReason};
use serde::{Deserialize, Serialize};
use std::slice::ChunksExact;

/// Purpose of the random numbers for the starts of the runs.
const STARTS: u64 = u64::from_be_bytes(*b"restarts");

/// Runs of [`CmaEs`], one after the other; asked and told as one.
///
/// The target and the limits of evaluations and generations hold for all runs together; any other reason ends one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Restarting {
    /// Options of the first run.
    options: Options,
    start: Vec<f64>,
    sigma: f64,
    max_restarts: u64,
    run: CmaEs,
    /// Why each earlier run ended.
    ended: Vec<StopReason>,
    /// Points and generations of earlier runs.
    evaluations_before: u64,
    iterations_before: u64,
    best_point: Vec<f64>,
    best_value: f64,
}

impl Restarting {
    /// The first run starts as [`CmaEs::new`]; at most `max_restarts` others follow.
    pub fn new(mean: &[f64], sigma: f64, options: Options, max_restarts: u64) -> Result<Restarting, OptimError> {
        Ok(Restarting {
            run: CmaEs::new(mean, sigma, options.clone())?,
            options,
            start: mean.to_vec(),
            sigma,
            max_restarts,
            ended: Vec::new(),
            evaluations_before: 0,
            iterations_before: 0,
            best_point: mean.to_vec(),
            best_value: f64::INFINITY,
        })
    }

    /// As [`CmaEs::ask`]; the number of points doubles from run to run.
    pub fn ask(&mut self) -> ChunksExact<'_, f64> {
        self.run.ask()
    }

    /// As [`CmaEs::tell`]; begins the next run when this one has ended.
    pub fn tell(&mut self, values: &[f64]) -> Result<(), OptimError> {
        self.run.tell(values)?;
        let (point, value) = self.run.best();
        if value < self.best_value {
            self.best_value = value;
            self.best_point.copy_from_slice(point);
        }
        match self.run.stop() {
            None | Some(StopReason::Target { .. } | StopReason::Evaluations { .. } | StopReason::Iterations { .. }) => {
                Ok(())
            }
            Some(_) if self.ended.len() as u64 >= self.max_restarts => Ok(()),
            Some(reason) => self.begin(reason),
        }
    }

    /// The next run: twice the population, what is left of the limits, a start of its own.
    fn begin(&mut self, reason: StopReason) -> Result<(), OptimError> {
        self.evaluations_before += self.run.evaluations();
        self.iterations_before += self.run.iterations();
        let mut options = self.options.clone();
        options.population = Some((2 * self.run.parameters().population).min(1 << 20));
        options.max_evaluations = options.max_evaluations.map(|limit| limit.saturating_sub(self.evaluations_before));
        options.max_iterations = options.max_iterations.map(|limit| limit.saturating_sub(self.iterations_before));
        let number = self.ended.len() as u64 + 1;
        self.run = CmaEs::numbered(&self.next_start(number), self.sigma, options, number)?;
        self.ended.push(reason);
        Ok(())
    }

    /// Uniform between finite bounds; elsewhere normal about the first start with the first standard deviation.
    fn next_start(&self, number: u64) -> Vec<f64> {
        let mut stream = NormalStream::new(self.options.seed, STARTS, number);
        let scale = |i: usize| self.options.scales.as_ref().map_or(1.0, |scales| scales[i]);
        let bounds =
            |i: usize| self.options.bounds.as_ref().map_or([f64::NEG_INFINITY, f64::INFINITY], |bounds| bounds[i]);
        let mut draw = |(i, x): (usize, &f64)| {
            let ([lower, upper], uniform, normal) = (bounds(i), stream.uniform(), stream.normal());
            if lower.is_finite() && upper.is_finite() {
                (lower * (1.0 - uniform) + upper * uniform).clamp(lower, upper)
            } else {
                let moved = x + self.sigma * scale(i) * normal;
                if moved.is_finite() { moved.clamp(lower, upper) } else { *x }
            }
        };
        self.start.iter().enumerate().map(&mut draw).collect()
    }

    /// Why all is over, if it is.
    pub fn stop(&self) -> Option<StopReason> {
        self.run.stop()
    }

    /// The best point of all runs and its value.
    pub fn best(&self) -> (&[f64], f64) {
        (&self.best_point, self.best_value)
    }

    /// The run at work.
    pub fn run(&self) -> &CmaEs {
        &self.run
    }

    /// Why each earlier run ended.
    pub fn ended(&self) -> &[StopReason] {
        &self.ended
    }

    /// Points told, over all runs.
    pub fn evaluations(&self) -> u64 {
        self.evaluations_before + self.run.evaluations()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rastrigin(x: &[f64]) -> f64 {
        x.iter().map(|x| 10.0 + x * x - 10.0 * libm::cos(2.0 * std::f64::consts::PI * x)).sum()
    }

    fn options(seed: u64) -> Options {
        Options { seed, target: Some(1e-8), bounds: Some(vec![[-5.0, 5.0]; 5]), ..Options::default() }
    }

    fn generation(strategy: &mut Restarting) {
        let values: Vec<f64> = strategy.ask().map(rastrigin).collect();
        strategy.tell(&values).unwrap();
    }

    #[test]
    fn larger_populations_find_the_best_of_many_minima() {
        for seed in 0..5 {
            let mut strategy = Restarting::new(&[3.0; 5], 2.0, options(seed), 9).unwrap();
            while strategy.stop().is_none() {
                generation(&mut strategy);
            }
            assert!(matches!(strategy.stop(), Some(StopReason::Target { .. })), "{:?}", strategy.ended());
            assert!(strategy.best().0.iter().all(|x| x.abs() < 1e-4));
            assert_eq!(strategy.run().parameters().population, 8 << strategy.ended().len());
        }
    }

    #[test]
    fn limits_hold_for_all_runs_together() {
        let options = Options { max_evaluations: Some(3000), target: None, ..options(1) };
        let mut strategy = Restarting::new(&[3.0; 5], 2.0, options, 9).unwrap();
        while strategy.stop().is_none() {
            generation(&mut strategy);
        }
        assert!(!strategy.ended().is_empty());
        assert!((3000..3000 + strategy.run().parameters().population as u64).contains(&strategy.evaluations()));
        let mut single = Restarting::new(&[3.0; 5], 2.0, self::options(1), 0).unwrap();
        while single.stop().is_none() {
            generation(&mut single);
        }
        assert!(single.ended().is_empty());
    }

    #[test]
    fn a_stored_run_goes_on_through_a_restart() {
        let mut strategy = Restarting::new(&[3.0; 5], 2.0, options(1), 9).unwrap();
        (0..20).for_each(|_| generation(&mut strategy));
        let mut copy: Restarting = postcard::from_bytes(&postcard::to_stdvec(&strategy).unwrap()).unwrap();
        while strategy.ended().len() < 2 && strategy.stop().is_none() {
            generation(&mut strategy);
            generation(&mut copy);
        }
        assert!(!copy.ended().is_empty());
        assert_eq!(strategy.run().points(), copy.run().points());
    }

    #[test]
    fn a_restart_begins_within_bounds_or_about_the_first_start() {
        let bounds = vec![[-1.0, 3.0], [f64::NEG_INFINITY, f64::INFINITY], [5.0, f64::INFINITY]];
        let options = Options { bounds: Some(bounds), scales: Some(vec![1.0, 10.0, 1.0]), ..Options::default() };
        let strategy = Restarting::new(&[0.0, 7.0, 5.0], 0.5, options, 9).unwrap();
        let starts: Vec<Vec<f64>> = (1..=4000).map(|number| strategy.next_start(number)).collect();
        let mean = |i: usize| starts.iter().map(|s| s[i]).sum::<f64>() / 4000.0;
        let deviation = |i: usize| (starts.iter().map(|s| (s[i] - mean(i)).powi(2)).sum::<f64>() / 4000.0).sqrt();
        // Uniform: the middle, and the width over √12.
        assert!(starts.iter().all(|s| (-1.0..=3.0).contains(&s[0])));
        assert!((mean(0) - 1.0).abs() < 0.08 && (deviation(0) - 4.0 / 12f64.sqrt()).abs() < 0.04);
        // Normal: σ times the scale.
        assert!((mean(1) - 7.0).abs() < 0.35 && (deviation(1) - 5.0).abs() < 0.25, "{} {}", mean(1), deviation(1));
        // Half open: normal, and half of it at the bound.
        let at_bound = starts.iter().filter(|s| s[2] == 5.0).count();
        assert!(starts.iter().all(|s| s[2] >= 5.0) && (1850..2150).contains(&at_bound), "{at_bound}");
    }
}
