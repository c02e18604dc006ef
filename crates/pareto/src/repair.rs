//! From a jump that may fail to one that lands: a short CMA-ES on how far it gets.

use crate::controller::{Controller, scaled_bounds};
use crate::error::ParetoError;
use crate::evaluate::Evaluator;
use crate::objectives::{Jump, Objectives};
use crate::parameters::{ASSIST_DURATION, GRAVITY_REDUCTION};
use sinew_optim::{CmaEs, Options};

/// How a jump is repaired.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// First step size, in radians. 0.1.
    pub step_size: f64,
    /// Jumps in a generation. 32.
    pub population: usize,
    /// Most generations. 120.
    pub generations: u64,
    /// Height of the head to aim at once it lands, m; none: whatever it reaches.
    pub height: Option<f64>,
    /// Price of a radian's distance from the given jump, so that it stays what it was. 0.2.
    pub likeness: f64,
    /// Whether to stop as soon as one lands.
    pub stops_at_landing: bool,
    /// Seed.
    pub seed: u64,
}

impl Default for Repair {
    fn default() -> Repair {
        Repair {
            step_size: 0.1,
            population: 32,
            generations: 120,
            height: None,
            likeness: 0.2,
            stops_at_landing: true,
            seed: 0,
        }
    }
}

/// Value of a jump that fails, less what it got: a tenth for each 10 ms.
const FAILED: f64 = 100.0;

/// Searches near a controller for one that lands, without help; what it comes to, or the best failure.
///
/// # Errors
/// Where the simulator or the optimiser refuses.
pub fn repair(evaluator: &Evaluator, start: &Controller, settings: &Repair) -> Result<(Controller, Jump), ParetoError> {
    let natural = |point: &[f64]| {
        let mut point = point.to_vec();
        (point[GRAVITY_REDUCTION], point[ASSIST_DURATION]) = (0.0, 0.0);
        Controller::from_scaled(&point)
    };
    let from = start.scaled();
    let objectives = Objectives::default();
    let options = Options {
        population: Some(settings.population),
        seed: settings.seed,
        bounds: Some(scaled_bounds()),
        max_iterations: Some(settings.generations),
        ..Options::default()
    };
    let mut search = CmaEs::new(&from, settings.step_size, options)?;
    search.inject(&from)?;
    let mut best: Option<(f64, Controller, Jump)> = None;
    while search.stop().is_none() {
        let points: Vec<Vec<f64>> = search.ask().map(<[f64]>::to_vec).collect();
        let controllers = points.iter().map(|point| natural(point)).collect::<Result<Vec<_>, _>>()?;
        let jumps = evaluator.evaluate(&controllers)?;
        let mut values = Vec::new();
        for ((point, controller), jump) in points.iter().zip(controllers).zip(jumps) {
            let away: f64 = point.iter().zip(&from).map(|(x, x0)| (x - x0) * (x - x0)).sum();
            let value = match (&jump.failure, settings.height) {
                (Some(_), _) => FAILED - 10.0 * jump.lasted_secs - jump.height,
                (None, Some(height)) => objectives.price(&jump) + 20.0 * (jump.height - height).abs(),
                (None, None) => objectives.price(&jump),
            } + 5.0 * jump.landing.abs()
                + settings.likeness * away;
            values.push(value);
            if best.as_ref().is_none_or(|(least, ..)| value < *least) {
                best = Some((value, controller, jump));
            }
        }
        search.tell(&values)?;
        if settings.stops_at_landing && best.as_ref().is_some_and(|(_, _, jump)| jump.failure.is_none()) {
            break;
        }
    }
    let (_, controller, jump) = best.ok_or_else(|| ParetoError::Seed("no generation was tried".into()))?;
    Ok((controller, jump))
}
