//! A choice between physics and the drawing, and which of many are worth choosing from.

use super::config::AssistConfig;
use super::figures::HelpFigures;
use super::help::HelpUnits;
use crate::Solution;
use serde::{Deserialize, Serialize};

/// Share of the cost that more help must gain to be another choice.
const LEAST_GAIN: f64 = 0.01;

/// One choice between physics and the drawing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssistPoint {
    /// Price of help; none for physics alone.
    pub price: Option<f64>,
    /// What performs it.
    pub solution: Solution,
    /// How much help there is, and where.
    pub figures: HelpFigures,
    /// Mean cost: how far it is from the drawing.
    pub cost_mean: f64,
    /// Root mean square of the end effectors' distances from the drawing, m.
    pub effectors_off_m: f64,
    /// Whether it does not fall.
    pub completed: bool,
}

/// The first point, and those of the others that complete, have help worth the name, and beat all that need less by a hundredth; at most so many.
pub(super) fn front(first: AssistPoint, mut others: Vec<AssistPoint>, assist: &AssistConfig) -> Vec<AssistPoint> {
    let largest = |p: &AssistPoint| p.figures.largest_force.max(p.figures.largest_torque / HelpUnits::ARM_SHARE);
    others.retain(|p| p.completed && (largest(p) >= assist.least_help || !first.completed));
    let order = |a: &AssistPoint, b: &AssistPoint| {
        let by_help = a.figures.mean_help.total_cmp(&b.figures.mean_help);
        by_help.then(a.cost_mean.total_cmp(&b.cost_mean))
    };
    others.sort_by(order);
    let mut best = if first.completed { first.cost_mean } else { f64::INFINITY };
    let mut points = vec![first];
    for point in others {
        if point.cost_mean < (1.0 - LEAST_GAIN) * best {
            best = point.cost_mean;
            points.push(point);
        }
    }
    // The point goes whose neighbours are closest to one another, by roots of help and cost: there the choice is least.
    while points.len() > assist.most_points.max(2) {
        let place = |p: &AssistPoint| [p.figures.mean_help.sqrt(), p.cost_mean.sqrt()];
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
