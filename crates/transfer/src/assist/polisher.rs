//! Rounds of the polish at a price of assist, and small assist taken away.

use super::config::AssistConfig;
use super::point::AssistPoint;
use crate::TransferError;
use crate::config::Config;
use crate::polish::{AssistedPolish, PricedAssist, knot_count};
use crate::steps::StepCount;
use crate::target::Target;
use crate::wrench::AssistUnits;

/// Makes motions better at a price, and counts the steps that it takes.
pub(super) struct Polisher<'a> {
    target: &'a Target,
    config: &'a Config,
    settings: &'a AssistConfig,
    steps: StepCount,
}

impl<'a> Polisher<'a> {
    /// A polisher that has simulated nothing yet.
    pub fn new(target: &'a Target, config: &'a Config, settings: &'a AssistConfig) -> Polisher<'a> {
        Polisher { target, config, settings, steps: StepCount::default() }
    }

    /// Steps simulated so far, without those of [`Polisher::point`].
    pub fn steps(&self) -> u64 {
        self.steps.total()
    }

    /// A motion performed and measured at its price.
    pub fn point(&self, polish: &AssistedPolish) -> Result<AssistPoint, TransferError> {
        let solution = polish.solution(self.target, self.config);
        AssistPoint::performed(self.target, self.config, Some(polish.priced.price), solution)
    }

    /// The motion as drawn, held like a puppet from a start with a push-off on, and then polished.
    pub fn drawn(&self, push_off: &[f64]) -> Result<Option<AssistedPolish>, TransferError> {
        let knots = knot_count(self.config, self.target.frames());
        let (price, units) = (self.settings.drawn_price, AssistUnits::of(&self.target.model));
        let none = PricedAssist::none(knots, price, self.settings.puppet_softness, units);
        let priced = PricedAssist { begins_at: -1.0, ..none };
        let puppet = AssistedPolish::puppet(self.target, self.config, push_off, &priced, &self.steps)?;
        let Some(mut drawn) = puppet else { return Ok(None) };
        self.settle(&mut drawn, price, 2 * self.settings.rounds)?;
        Ok(Some(drawn))
    }

    /// Whether a trajectory costs less than another, both at their price.
    pub fn is_better(&self, a: &AssistedPolish, b: &AssistedPolish) -> Result<bool, TransferError> {
        let mut costs = [f64::INFINITY; 2];
        for (cost, polish) in costs.iter_mut().zip([a, b]) {
            *cost = polish.cost(self.target, self.config, &self.steps)?.unwrap_or(f64::INFINITY);
        }
        Ok(costs[0] < costs[1])
    }

    /// Polishes at a price, takes small assist away, and polishes the rest; what falls on the way goes back to where it stood.
    pub fn settle(&self, polish: &mut AssistedPolish, price: f64, rounds: usize) -> Result<(), TransferError> {
        (polish.priced.price, polish.priced.begins_at) = (price, price);
        let before = polish.clone();
        for round in 0..rounds.div_ceil(2) {
            if self.round(polish, round)? < self.settings.stops_below && round + 1 >= self.settings.softness.len() {
                break;
            }
        }
        self.stand_or_go_back(polish, before)?;
        // What is hardly there goes first.
        for share in self.settings.taken_away {
            let size = share * self.settings.least_assist;
            let before = polish.clone();
            let stands = polish.take_away_below(self.target, self.config, size, &self.steps)?;
            if !stands || !self.stand_or_go_back(polish, before)? {
                break;
            }
        }
        let before = polish.clone();
        polish.priced.begins_at = f64::INFINITY;
        for _ in 0..rounds / 2 {
            if self.round(polish, self.settings.softness.len())? < self.settings.stops_below {
                break;
            }
        }
        self.stand_or_go_back(polish, before)?;
        Ok(())
    }

    /// Lets all assist go at once where none is larger than a size and the motion stands without; it stays as it was otherwise.
    pub fn let_go(&self, polish: &mut AssistedPolish, size: f64) -> Result<(), TransferError> {
        let before = polish.clone();
        let stands = polish.take_away_below(self.target, self.config, size, &self.steps)?;
        if !stands || !polish.priced.is_none() {
            *polish = before;
            return Ok(());
        }
        self.stand_or_go_back(polish, before)?;
        Ok(())
    }

    /// Whether a trajectory stands; one that falls could never be polished again, and becomes what it was before.
    fn stand_or_go_back(&self, polish: &mut AssistedPolish, before: AssistedPolish) -> Result<bool, TransferError> {
        let stands = polish.cost(self.target, self.config, &self.steps)?.is_some();
        if !stands {
            *polish = before;
        }
        Ok(stands)
    }

    fn round(&self, polish: &mut AssistedPolish, round: usize) -> Result<f64, TransferError> {
        let stage = round.min(self.settings.softness.len() - 1);
        polish.priced.softness = self.settings.least_assist * self.settings.softness[stage];
        polish.advance(self.target, self.config, self.settings.reaches[stage], &self.steps)
    }
}
