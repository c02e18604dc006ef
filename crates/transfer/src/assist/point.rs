//! A choice between physics and the drawing, and which of many are worth choosing from.

use super::config::AssistConfig;
use super::figures::AssistFigures;
use crate::config::Config;
use crate::performance::Performance;
use crate::target::Target;
use crate::wrench::AssistUnits;
use crate::{Solution, TransferError};
use serde::{Deserialize, Serialize};

/// One choice between physics and the drawing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssistPoint {
    /// Price of assist; none for physics alone.
    pub price: Option<f64>,
    /// What performs it.
    pub solution: Solution,
    /// How much assist there is, and where.
    pub figures: AssistFigures,
    /// Mean cost: how far it is from the drawing.
    pub cost_mean: f64,
    /// Root mean square of the end effectors' distances from the drawing, m.
    pub effectors_off_m: f64,
    /// Whether it does not fall.
    pub completed: bool,
}

impl AssistPoint {
    /// A motion performed and measured.
    pub(super) fn performed(
        target: &Target,
        config: &Config,
        price: Option<f64>,
        solution: Solution,
    ) -> Result<AssistPoint, TransferError> {
        let run = Performance::record(target, config, &solution, &mut |_, _| ())?;
        let completed = run.fell_at.is_none() && run.frames() == target.frames();
        let terms = run.mean_terms();
        let effectors_off_m = (terms.effectors / config.weights.effectors.max(1e-12)).sqrt();
        let (figures, cost_mean) = (AssistFigures::new(&solution.assist), terms.total());
        Ok(AssistPoint { price, solution, figures, cost_mean, effectors_off_m, completed })
    }
}

/// The first point, and those of the others that complete, have assist worth the name, and beat all that need less by a share of the cost; at most so many.
pub(super) fn front(first: AssistPoint, mut others: Vec<AssistPoint>, assist: &AssistConfig) -> Vec<AssistPoint> {
    let largest = |p: &AssistPoint| p.figures.largest_force.max(p.figures.largest_torque / AssistUnits::ARM_SHARE);
    others.retain(|p| p.completed && (largest(p) >= assist.least_assist || !first.completed));
    let order = |a: &AssistPoint, b: &AssistPoint| {
        let by_assist = a.figures.mean_assist.total_cmp(&b.figures.mean_assist);
        by_assist.then(a.cost_mean.total_cmp(&b.cost_mean))
    };
    others.sort_by(order);
    let mut best = if first.completed { first.cost_mean } else { f64::INFINITY };
    let mut points = vec![first];
    for point in others {
        if point.cost_mean < (1.0 - assist.least_gain) * best {
            best = point.cost_mean;
            points.push(point);
        }
    }
    // The point goes whose neighbours are closest to one another, by roots of assist and cost: there the choice is least.
    while points.len() > assist.most_points.max(2) {
        let place = |p: &AssistPoint| [p.figures.mean_assist.sqrt(), p.cost_mean.sqrt()];
        let (low, high) = (place(&points[0]), place(&points[points.len() - 1]));
        let gap = |i: &usize| {
            let (a, b) = (place(&points[i - 1]), place(&points[i + 1]));
            (0..2).map(|k| (b[k] - a[k]).abs() / (high[k] - low[k]).abs().max(1e-12)).sum::<f64>()
        };
        let Some(closest) = (1..points.len() - 1).min_by(|i, j| gap(i).total_cmp(&gap(j))) else { break };
        points.remove(closest);
    }
    points
}
