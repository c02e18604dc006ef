//! The front: the price of help lowered step by step, each point polished from the one before.

use super::config::AssistConfig;
use super::figures::HelpFigures;
use super::help::{Help, HelpUnits};
use crate::TransferError;
use crate::config::Config;
use crate::performance::Performance;
use crate::polish::{AssistedPolish, Helped, knot_count};
use crate::target::Target;

/// Softness of the price in the rounds at a price, over the least help: first soft, so that help that is not there yet can grow; in the end
/// so hard that little help costs as much for its size as much help.
const SOFTNESS: [f64; 3] = [10.0, 1.0, 0.1];
/// Softness of the price where a puppet's gains are found, in units of help.
const PUPPET_SOFTNESS: f64 = 1.0;
/// Reaches of the differences in those rounds.
const REACHES: [f64; 3] = [3.0, 1.0, 1.0];
/// Shares of the least help below which help is taken away, one after the other.
const TAKEN_AWAY: [f64; 3] = [0.1, 0.4, 1.0];

/// One choice between physics and the drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct AssistPoint {
    /// Price of help; none for physics alone.
    pub price: Option<f64>,
    /// Offsets, one row for each frame.
    pub offsets: Vec<f64>,
    /// Help, one row for each frame but the last; empty for physics alone.
    pub help: Vec<Help>,
    /// How much help there is, and where.
    pub figures: HelpFigures,
    /// Mean cost: how far it is from the drawing.
    pub cost_mean: f64,
    /// Root mean square of the end effectors' distances from the drawing, m.
    pub effectors_off_m: f64,
    /// Whether it does not fall.
    pub completed: bool,
}

/// How far a sweep is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssistProgress {
    /// Passes over a price done.
    pub done: usize,
    /// Passes in all.
    pub total: usize,
    /// Steps simulated.
    pub steps: u64,
}

/// Points from physics alone to the motion as drawn, by rising help; none of those that complete is worse than another in both help and cost.
///
/// `plain` are the offsets of the plain transfer, which is the first point as it is. Prices are gone through twice: up from a motion that is
/// held at its drawing like a puppet, and down from the plain transfer where it stands; the better motion of each price goes on.
///
/// # Errors
/// Where the character is fixed to the world, a constant is out of its range, or the simulator refuses.
pub fn sweep(
    target: &Target,
    config: &Config,
    assist: &AssistConfig,
    plain: &[f64],
    observe: &mut dyn FnMut(&AssistProgress),
) -> Result<Vec<AssistPoint>, TransferError> {
    assist.check()?;
    if !target.dofs.has_free_root {
        let character = target.model.scene().characters.first().map_or(String::new(), |c| c.character.name.clone());
        return Err(TransferError::NoAssist { character });
    }
    let progress = AssistProgress { total: 1 + assist.prices.len(), ..AssistProgress::default() };
    let mut work = Sweep { target, config, assist, progress };
    observe(&work.progress);
    let first = work.point(None, plain.to_vec(), Vec::new())?;
    work.progress.total += if first.completed { assist.prices.len() } else { 0 };
    let mut points = Vec::new();

    // From the cheapest price up.
    let drawn = work.drawn()?;
    work.finish(observe);
    let mut rising = Vec::new();
    if let Some(drawn) = &drawn {
        let mut current = drawn.clone();
        for &price in assist.prices.iter().rev() {
            work.settle(&mut current, price, assist.rounds)?;
            rising.push(current.clone());
            work.finish(observe);
        }
    }
    // From physics alone down, taking over what is better on the way.
    if first.completed {
        let knots = knot_count(config, target.frames());
        let none = Helped::none(knots, 1.0, assist.least_help, HelpUnits::of(&target.model));
        let mut current = AssistedPolish::new(plain.to_vec(), none);
        for &price in &assist.prices {
            work.settle(&mut current, price, assist.rounds)?;
            points.push(work.point_of(&current)?);
            if let Some(other) = rising.pop()
                && work.is_better(&other, &current)?
            {
                points.push(work.point_of(&other)?);
                current = other;
            }
            work.finish(observe);
        }
    }
    // Where physics alone falls, all of them; else those that were taken over are points already.
    for polish in rising.iter().chain(&drawn) {
        points.push(work.point_of(polish)?);
    }
    Ok(front(first, points, assist))
}

/// The first point, and those of the others that complete, have help worth the name, and beat all that need less; at most so many.
fn front(first: AssistPoint, mut others: Vec<AssistPoint>, assist: &AssistConfig) -> Vec<AssistPoint> {
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
        if point.cost_mean < best {
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

struct Sweep<'a> {
    target: &'a Target,
    config: &'a Config,
    assist: &'a AssistConfig,
    progress: AssistProgress,
}

impl Sweep<'_> {
    /// One more price is done.
    fn finish(&mut self, observe: &mut dyn FnMut(&AssistProgress)) {
        self.progress.done += 1;
        observe(&self.progress);
    }

    /// The motion as drawn, held like a puppet and then polished.
    fn drawn(&mut self) -> Result<Option<AssistedPolish>, TransferError> {
        let knots = knot_count(self.config, self.target.frames());
        let (price, units) = (self.assist.drawn_price, HelpUnits::of(&self.target.model));
        let helped = Helped { begins_at: -1.0, ..Helped::none(knots, price, PUPPET_SOFTNESS, units) };
        let (puppet, steps) = AssistedPolish::puppet(self.target, self.config, &helped)?;
        self.progress.steps += steps;
        let Some(mut drawn) = puppet else { return Ok(None) };
        self.settle(&mut drawn, price, 2 * self.assist.rounds)?;
        Ok(Some(drawn))
    }

    /// Whether a trajectory costs less than another, both at their price.
    fn is_better(&mut self, a: &AssistedPolish, b: &AssistedPolish) -> Result<bool, TransferError> {
        let mut costs = [f64::INFINITY; 2];
        for (cost, polish) in costs.iter_mut().zip([a, b]) {
            let (found, steps) = polish.cost(self.target, self.config)?;
            self.progress.steps += steps;
            *cost = found.unwrap_or(f64::INFINITY);
        }
        Ok(costs[0] < costs[1])
    }

    /// Polishes at a price, takes small help away, and polishes the rest.
    fn settle(&mut self, polish: &mut AssistedPolish, price: f64, rounds: usize) -> Result<(), TransferError> {
        (polish.helped.price, polish.helped.begins_at) = (price, price);
        for round in 0..rounds.div_ceil(2) {
            if self.round(polish, round)? < self.assist.stops_below && round + 1 >= SOFTNESS.len() {
                break;
            }
        }
        // What is hardly there goes first.
        for share in TAKEN_AWAY {
            let size = share * self.assist.least_help;
            let (stands, steps) = polish.take_away_below(self.target, self.config, size)?;
            self.progress.steps += steps;
            if !stands {
                break;
            }
        }
        polish.helped.begins_at = f64::INFINITY;
        for _ in 0..rounds / 2 {
            if self.round(polish, SOFTNESS.len())? < self.assist.stops_below {
                break;
            }
        }
        Ok(())
    }

    fn round(&mut self, polish: &mut AssistedPolish, round: usize) -> Result<f64, TransferError> {
        let stage = round.min(SOFTNESS.len() - 1);
        polish.helped.softness = self.assist.least_help * SOFTNESS[stage];
        let (gained, steps) = polish.advance(self.target, self.config, REACHES[stage])?;
        self.progress.steps += steps;
        Ok(gained)
    }

    fn point_of(&self, polish: &AssistedPolish) -> Result<AssistPoint, TransferError> {
        let help = polish.rows(self.config, self.target.dofs.count);
        self.point(Some(polish.helped.price), polish.offsets.clone(), help)
    }

    fn point(&self, price: Option<f64>, offsets: Vec<f64>, help: Vec<Help>) -> Result<AssistPoint, TransferError> {
        let run = Performance::record_assisted(self.target, self.config, &offsets, &help, &mut |_, _| ())?;
        let completed = run.fell_at.is_none() && run.frames() == self.target.frames();
        let terms = run.mean_terms();
        let effectors_off_m = (terms.effectors / self.config.weights.effectors.max(1e-12)).sqrt();
        let (figures, cost_mean) = (HelpFigures::new(&help), terms.total());
        Ok(AssistPoint { price, offsets, help, figures, cost_mean, effectors_off_m, completed })
    }
}
