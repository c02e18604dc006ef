//! The sweep: the price of assist raised and lowered step by step, each point polished from the one before; it can be saved after each.

use super::config::AssistConfig;
use super::point::{AssistPoint, front};
use super::polisher::Polisher;
use crate::config::Config;
use crate::polish::{AssistedPolish, PricedAssist, knot_count};
use crate::target::Target;
use crate::wrench::AssistUnits;
use crate::{Solution, TransferError};
use serde::{Deserialize, Serialize};
use sinew_work::Progress;

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
enum Pass {
    Drawn,
    Up(f64),
    Down(f64),
}

/// Whether a wrench from outside could move the character at all.
///
/// # Errors
/// Where it is fixed to the world.
pub fn can_be_assisted(target: &Target) -> Result<(), TransferError> {
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
        can_be_assisted(target)?;
        Ok(Sweep {
            settings: settings.clone(),
            first: AssistPoint::performed(target, config, None, plain.clone())?,
            drawn: None,
            rising: Vec::new(),
            falling: None,
            points: Vec::new(),
            done: 0,
            steps: 0,
        })
    }

    /// What comes next; none at the end.
    fn next(&self) -> Option<Pass> {
        let prices = &self.settings.prices;
        let ups = self.ups();
        match self.done {
            0 => Some(Pass::Drawn),
            done if done <= ups => Some(Pass::Up(prices[prices.len() - done])),
            done if self.first.completed => prices.get(done - 1 - ups).map(|&price| Pass::Down(price)),
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
    pub fn progress(&self) -> Progress {
        let downs = if self.first.completed { self.settings.prices.len() } else { 0 };
        let total = 1 + self.ups() + downs;
        let doing = match self.next() {
            None => "choosing the front".to_owned(),
            Some(Pass::Drawn) => "help: the motion as drawn".to_owned(),
            Some(Pass::Up(price) | Pass::Down(price)) => {
                format!("help: pass {} of {total}, price {price}", self.done + 1)
            }
        };
        Progress { doing, done: self.done as f64, total: total as f64, steps: self.steps, ..Progress::default() }
    }

    /// Does one piece of work.
    ///
    /// # Errors
    /// Where the simulator refuses.
    pub fn advance(&mut self, target: &Target, config: &Config) -> Result<(), TransferError> {
        let Some(work) = self.next() else { return Ok(()) };
        let settings = self.settings.clone();
        let polisher = Polisher::new(target, config, &settings);
        match work {
            Pass::Drawn => self.drawn = polisher.drawn(&self.first.solution.push_off)?,
            Pass::Up(price) => {
                if let Some(mut current) = self.rising.last().or(self.drawn.as_ref()).cloned() {
                    polisher.settle(&mut current, price, settings.rounds)?;
                    self.rising.push(current);
                }
            }
            Pass::Down(price) => {
                let mut current = self.falling.take().unwrap_or_else(|| {
                    let knots = knot_count(config, target.frames());
                    let none = PricedAssist::none(knots, 1.0, settings.least_assist, AssistUnits::of(&target.model));
                    AssistedPolish::new(&self.first.solution, none)
                });
                polisher.settle(&mut current, price, settings.rounds)?;
                self.points.push(polisher.point(&current)?);
                // What is better on the way up is taken over.
                if let Some(other) = self.rising.pop()
                    && polisher.is_better(&other, &current)?
                {
                    self.points.push(polisher.point(&other)?);
                    current = other;
                }
                self.falling = Some(current);
            }
        }
        self.steps += polisher.steps();
        self.done += 1;
        Ok(())
    }

    /// The front so far, by rising assist: the plain transfer, and what no other beats in both assist and cost.
    ///
    /// # Errors
    /// Where the simulator refuses.
    pub fn points(&self, target: &Target, config: &Config) -> Result<Vec<AssistPoint>, TransferError> {
        // Where physics alone falls, all of the way up; else those that were taken over are points already.
        let polisher = Polisher::new(target, config, &self.settings);
        let rest = self.rising.iter().chain(&self.drawn).map(|polish| polisher.point(polish));
        let others = self.points.iter().cloned().map(Ok).chain(rest).collect::<Result<Vec<_>, _>>()?;
        Ok(front(self.first.clone(), others, &self.settings))
    }
}
