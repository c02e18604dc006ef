//! The sweep: the price of help raised and lowered step by step, each point polished from the one before; it can be saved after each.

use super::config::AssistConfig;
use super::figures::HelpFigures;
use super::help::HelpUnits;
use super::point::{AssistPoint, front};
use crate::config::Config;
use crate::performance::Performance;
use crate::polish::{AssistedPolish, Helped, knot_count};
use crate::target::Target;
use crate::{Solution, TransferError};
use serde::{Deserialize, Serialize};

/// First bytes of a saved sweep; the number changes with the layout.
const MAGIC: &[u8] = b"sinew-assist-4\n";
/// Softness of the price in the rounds at a price, over the least help: first soft, so that help that is not there yet can grow; in the end
/// so hard that little help costs as much for its size as much help.
const SOFTNESS: [f64; 3] = [10.0, 1.0, 0.1];
/// Softness of the price where a puppet's gains are found, in units of help.
const PUPPET_SOFTNESS: f64 = 1.0;
/// Reaches of the differences in those rounds.
const REACHES: [f64; 3] = [3.0, 1.0, 1.0];
/// Shares of the least help below which help is taken away, one after the other.
const TAKEN_AWAY: [f64; 3] = [0.1, 0.4, 1.0];

/// How far a sweep is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssistProgress {
    /// Passes over a price done.
    pub done: usize,
    /// Passes in all.
    pub total: usize,
    /// Steps simulated.
    pub steps: u64,
}

/// A sweep under way: points from physics alone to the motion as drawn.
///
/// Prices are gone through twice: up from a motion that is held at its drawing like a puppet, and down from the plain transfer where it stands; the better
/// motion of each price goes on. Each price is a piece of work, after which the sweep can be saved and goes on to the same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    settings: AssistConfig,
    /// The plain transfer, as it is.
    first: AssistPoint,
    /// The motion as drawn, where one was found.
    drawn: Option<AssistedPolish>,
    /// Motions of the way up, the cheapest price first; the way down takes them off again.
    rising: Vec<AssistedPolish>,
    /// Last motion of the way down.
    falling: Option<AssistedPolish>,
    points: Vec<AssistPoint>,
    done: usize,
    steps: u64,
}

/// A piece of work.
enum Work {
    Drawn,
    Up(f64),
    Down(f64),
}

/// Points from physics alone to the motion as drawn, by rising help; none of those that complete is worse than another in both help and cost.
///
/// `plain` is the solution of the plain transfer, which is the first point as it is.
///
/// # Errors
/// Where the character is fixed to the world, a constant is out of its range, or the simulator refuses.
pub fn sweep(
    target: &Target,
    config: &Config,
    assist: &AssistConfig,
    plain: &Solution,
    observe: &mut dyn FnMut(&AssistProgress),
) -> Result<Vec<AssistPoint>, TransferError> {
    let mut sweep = Sweep::new(target, config, assist, plain)?;
    observe(&sweep.progress());
    while !sweep.is_done() {
        sweep.advance(target, config)?;
        observe(&sweep.progress());
    }
    sweep.points(target, config)
}

/// Whether a wrench from outside could move the character at all.
///
/// # Errors
/// Where it is fixed to the world.
pub fn can_be_helped(target: &Target) -> Result<(), TransferError> {
    if target.dofs.has_free_root {
        return Ok(());
    }
    let character = target.model.scene().characters.first().map_or(String::new(), |c| c.character.name.clone());
    Err(TransferError::NoAssist { character })
}

impl Sweep {
    /// Begins with the solution of the plain transfer.
    ///
    /// # Errors
    /// Where the character is fixed to the world, a constant is out of its range, or the simulator refuses.
    pub fn new(
        target: &Target,
        config: &Config,
        settings: &AssistConfig,
        plain: &Solution,
    ) -> Result<Sweep, TransferError> {
        settings.check()?;
        can_be_helped(target)?;
        Ok(Sweep {
            settings: settings.clone(),
            first: point(target, config, None, plain.clone())?,
            drawn: None,
            rising: Vec::new(),
            falling: None,
            points: Vec::new(),
            done: 0,
            steps: 0,
        })
    }

    /// What comes next; none at the end.
    fn next(&self) -> Option<Work> {
        let prices = &self.settings.prices;
        let ups = self.ups();
        match self.done {
            0 => Some(Work::Drawn),
            done if done <= ups => Some(Work::Up(prices[prices.len() - done])),
            done if self.first.completed => prices.get(done - 1 - ups).map(|&price| Work::Down(price)),
            _ => None,
        }
    }

    /// Prices of the way up: none where there is no motion as drawn to start from.
    fn ups(&self) -> usize {
        if self.done > 0 && self.drawn.is_none() { 0 } else { self.settings.prices.len() }
    }

    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        self.next().is_none()
    }

    /// How far it is.
    pub fn progress(&self) -> AssistProgress {
        let downs = if self.first.completed { self.settings.prices.len() } else { 0 };
        AssistProgress { done: self.done, total: 1 + self.ups() + downs, steps: self.steps }
    }

    /// Does one piece of work.
    ///
    /// # Errors
    /// Where the simulator refuses.
    pub fn advance(&mut self, target: &Target, config: &Config) -> Result<(), TransferError> {
        let Some(work) = self.next() else { return Ok(()) };
        let settings = self.settings.clone();
        let mut polisher = Polisher { target, config, settings: &settings, steps: 0 };
        match work {
            Work::Drawn => self.drawn = polisher.drawn(&self.first.solution.push_off)?,
            Work::Up(price) => {
                if let Some(mut current) = self.rising.last().or(self.drawn.as_ref()).cloned() {
                    polisher.settle(&mut current, price, settings.rounds)?;
                    self.rising.push(current);
                }
            }
            Work::Down(price) => {
                let mut current = self.falling.take().unwrap_or_else(|| {
                    let knots = knot_count(config, target.frames());
                    let none = Helped::none(knots, 1.0, settings.least_help, HelpUnits::of(&target.model));
                    AssistedPolish::new(&self.first.solution, none)
                });
                polisher.settle(&mut current, price, settings.rounds)?;
                self.points.push(point_of(target, config, &current)?);
                // What is better on the way up is taken over.
                if let Some(other) = self.rising.pop()
                    && polisher.is_better(&other, &current)?
                {
                    self.points.push(point_of(target, config, &other)?);
                    current = other;
                }
                self.falling = Some(current);
            }
        }
        self.steps += polisher.steps;
        self.done += 1;
        Ok(())
    }

    /// The front so far, by rising help: the plain transfer, and what no other beats in both help and cost.
    ///
    /// # Errors
    /// Where the simulator refuses.
    pub fn points(&self, target: &Target, config: &Config) -> Result<Vec<AssistPoint>, TransferError> {
        // Where physics alone falls, all of the way up; else those that were taken over are points already.
        let rest = self.rising.iter().chain(&self.drawn).map(|polish| point_of(target, config, polish));
        let others = self.points.iter().cloned().map(Ok).chain(rest).collect::<Result<Vec<_>, _>>()?;
        Ok(front(self.first.clone(), others, &self.settings))
    }

    /// The state as bytes.
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(postcard::to_stdvec(self).unwrap_or_default());
        bytes
    }

    /// Goes on from saved bytes, for the same plain transfer and the same settings.
    ///
    /// # Errors
    /// Where the bytes are damaged or of another run.
    pub fn resume(bytes: &[u8], settings: &AssistConfig, plain: &Solution) -> Result<Sweep, TransferError> {
        let damaged = |problem: String| TransferError::Checkpoint { problem };
        let body = bytes.strip_prefix(MAGIC).ok_or_else(|| damaged("it is none, or of another version".into()))?;
        let saved: Sweep = postcard::from_bytes(body).map_err(|e| damaged(e.to_string()))?;
        let checks = [("preset", saved.settings == *settings), ("transfer", saved.first.solution == *plain)];
        match checks.iter().find(|(_, is_same)| !is_same) {
            Some((what, _)) => Err(TransferError::OtherRun { what }),
            None => Ok(saved),
        }
    }
}

/// Makes motions better at a price, and counts the steps that it takes.
pub(super) struct Polisher<'a> {
    pub target: &'a Target,
    pub config: &'a Config,
    pub settings: &'a AssistConfig,
    pub steps: u64,
}

impl Polisher<'_> {
    /// The motion as drawn, held like a puppet from a start with a push-off on, and then polished.
    pub fn drawn(&mut self, push_off: &[f64]) -> Result<Option<AssistedPolish>, TransferError> {
        let knots = knot_count(self.config, self.target.frames());
        let (price, units) = (self.settings.drawn_price, HelpUnits::of(&self.target.model));
        let helped = Helped { begins_at: -1.0, ..Helped::none(knots, price, PUPPET_SOFTNESS, units) };
        let (puppet, steps) = AssistedPolish::puppet(self.target, self.config, push_off, &helped)?;
        self.steps += steps;
        let Some(mut drawn) = puppet else { return Ok(None) };
        self.settle(&mut drawn, price, 2 * self.settings.rounds)?;
        Ok(Some(drawn))
    }

    /// Whether a trajectory costs less than another, both at their price.
    fn is_better(&mut self, a: &AssistedPolish, b: &AssistedPolish) -> Result<bool, TransferError> {
        let mut costs = [f64::INFINITY; 2];
        for (cost, polish) in costs.iter_mut().zip([a, b]) {
            let (found, steps) = polish.cost(self.target, self.config)?;
            self.steps += steps;
            *cost = found.unwrap_or(f64::INFINITY);
        }
        Ok(costs[0] < costs[1])
    }

    /// Polishes at a price, takes small help away, and polishes the rest; what falls on the way goes back to where it stood.
    pub fn settle(&mut self, polish: &mut AssistedPolish, price: f64, rounds: usize) -> Result<(), TransferError> {
        (polish.helped.price, polish.helped.begins_at) = (price, price);
        let before = polish.clone();
        for round in 0..rounds.div_ceil(2) {
            if self.round(polish, round)? < self.settings.stops_below && round + 1 >= SOFTNESS.len() {
                break;
            }
        }
        self.stand_or_go_back(polish, before)?;
        // What is hardly there goes first.
        for share in TAKEN_AWAY {
            let size = share * self.settings.least_help;
            let before = polish.clone();
            let (stands, steps) = polish.take_away_below(self.target, self.config, size)?;
            self.steps += steps;
            if !stands || !self.stand_or_go_back(polish, before)? {
                break;
            }
        }
        let before = polish.clone();
        polish.helped.begins_at = f64::INFINITY;
        for _ in 0..rounds / 2 {
            if self.round(polish, SOFTNESS.len())? < self.settings.stops_below {
                break;
            }
        }
        self.stand_or_go_back(polish, before)?;
        Ok(())
    }

    /// Lets all help go at once where none is larger than a size and the motion stands without; it stays as it was otherwise.
    pub fn let_go(&mut self, polish: &mut AssistedPolish, size: f64) -> Result<(), TransferError> {
        let before = polish.clone();
        let (stands, steps) = polish.take_away_below(self.target, self.config, size)?;
        self.steps += steps;
        if !stands || !polish.helped.is_none() {
            *polish = before;
            return Ok(());
        }
        self.stand_or_go_back(polish, before)?;
        Ok(())
    }

    /// Whether a trajectory stands; one that falls could never be polished again, and becomes what it was before.
    fn stand_or_go_back(&mut self, polish: &mut AssistedPolish, before: AssistedPolish) -> Result<bool, TransferError> {
        let (cost, steps) = polish.cost(self.target, self.config)?;
        self.steps += steps;
        if cost.is_none() {
            *polish = before;
        }
        Ok(cost.is_some())
    }

    fn round(&mut self, polish: &mut AssistedPolish, round: usize) -> Result<f64, TransferError> {
        let stage = round.min(SOFTNESS.len() - 1);
        polish.helped.softness = self.settings.least_help * SOFTNESS[stage];
        let (gained, steps) = polish.advance(self.target, self.config, REACHES[stage])?;
        self.steps += steps;
        Ok(gained)
    }
}

fn point_of(target: &Target, config: &Config, polish: &AssistedPolish) -> Result<AssistPoint, TransferError> {
    point(target, config, Some(polish.helped.price), polish.solution(target, config))
}

/// A motion performed and measured.
fn point(
    target: &Target,
    config: &Config,
    price: Option<f64>,
    solution: Solution,
) -> Result<AssistPoint, TransferError> {
    let run = Performance::record(target, config, &solution, &mut |_, _| ())?;
    let completed = run.fell_at.is_none() && run.frames() == target.frames();
    let terms = run.mean_terms();
    let effectors_off_m = (terms.effectors / config.weights.effectors.max(1e-12)).sqrt();
    let (figures, cost_mean) = (HelpFigures::new(&solution.assist), terms.total());
    Ok(AssistPoint { price, solution, figures, cost_mean, effectors_off_m, completed })
}
