//! A transfer as a resumable sequence of short pieces of work: the windows of the search, the weaning where that falls, then the rounds of the
//! polish.

use crate::assist::Weaning;
use crate::config::Config;
use crate::polish::Polishing;
use crate::search::Search;
use crate::target::Target;
use crate::{Performance, Solution, TransferError};
use serde::{Deserialize, Serialize};
use sinew_work::{Best, Progress};

/// A transfer under way. It can be saved between two pieces of work, and goes on with the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    config: Config,
    seed: u64,
    search: Search,
    /// The way out of a search that falls.
    weaning: Option<Weaning>,
    polishing: Option<Polishing>,
}

/// What a transfer does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A window.
    Search,
    /// A rung of the weaning.
    Weaning,
    /// A round of the polish.
    Polish,
    /// Nothing.
    Done,
}

impl Transfer {
    /// A transfer that has not begun.
    ///
    /// # Errors
    /// Where the configuration is out of its ranges or the character has nothing to drive.
    pub fn new(target: &Target, config: &Config, seed: u64) -> Result<Transfer, TransferError> {
        config.check()?;
        let search = Search::new(target, config, seed)?;
        Ok(Transfer { config: config.clone(), seed, search, weaning: None, polishing: None })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }
    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }
    /// The polish, once the search is done.
    pub fn polishing(&self) -> Option<&Polishing> {
        self.polishing.as_ref()
    }
    /// The search, for its windows and their costs.
    pub fn search(&self) -> &Search {
        &self.search
    }
    /// Whether the search fell, and a motion was found from the other side: held at its drawing by assist, which then went.
    pub fn was_weaned(&self) -> bool {
        self.weaning.as_ref().is_some_and(|weaning| weaning.has_weaned())
    }
    /// What it does next.
    pub fn stage(&self) -> Stage {
        if self.weaning.as_ref().is_some_and(|weaning| !weaning.is_done(&self.config)) {
            Stage::Weaning
        } else if !self.search.is_done() && !self.was_weaned() {
            Stage::Search
        } else if self.config.polish.is_some() && !self.polishing.as_ref().is_some_and(Polishing::is_done) {
            Stage::Polish
        } else {
            Stage::Done
        }
    }
    /// Whether all is done.
    pub fn is_done(&self) -> bool {
        self.stage() == Stage::Done
    }
    /// Steps simulated so far.
    pub fn steps(&self) -> u64 {
        let weaning = self.weaning.as_ref().map_or(0, Weaning::steps);
        self.search.steps() + weaning + self.polishing.as_ref().map_or(0, Polishing::steps)
    }

    /// Does the next piece of work: a window, a rung of the weaning, or a round of the polish.
    ///
    /// # Errors
    /// Where the simulator or the optimiser refuses.
    pub fn advance(&mut self, target: &Target) -> Result<(), TransferError> {
        match self.stage() {
            Stage::Search => {
                let can_wean = self.weaning.is_none() && self.config.polish.is_some() && target.dofs.has_free_root;
                let waits_after = can_wean.then_some(self.config.weaning.after_tries);
                if self.search.advance(target, &self.config, waits_after)? {
                    self.weaning = Some(Weaning::default());
                }
            }
            Stage::Weaning => {
                self.weaning.get_or_insert_default().advance(target, &self.config)?;
            }
            Stage::Polish => {
                let mut polishing = match self.polishing.take() {
                    Some(polishing) => polishing,
                    None => Polishing::new(self.solution(target)),
                };
                polishing.advance(target, &self.config)?;
                self.polishing = Some(polishing);
            }
            Stage::Done => {}
        }
        Ok(())
    }

    /// How far it is.
    pub fn progress(&self, target: &Target) -> Progress {
        let windows = self.search.windows().len();
        let window_count = Search::window_count(target, &self.config);
        let rounds = self.polishing.as_ref().map_or(0, Polishing::rounds);
        let round_count = self.config.polish.as_ref().map_or(0, |polish| polish.iterations);
        let [rungs, rung_count] = self.weaning.as_ref().map_or([0; 2], |weaning| weaning.progress(&self.config));
        let total = window_count + rung_count + round_count;
        let doing = match self.stage() {
            Stage::Search => format!("window {} of {window_count}", windows + 1),
            Stage::Weaning => format!("every search falls: weaned from help, step {} of {rung_count}", rungs + 1),
            Stage::Polish => format!("polish, round {} of {round_count}", rounds + 1),
            Stage::Done => "performing what was found".to_owned(),
        };
        Progress {
            doing,
            done: if self.is_done() { total } else { windows + rungs + rounds } as f64,
            total: total as f64,
            total_is_bound: true,
            best: (windows > 0).then(|| Best { name: "cost".into(), value: self.search.best_cost() }),
            steps: self.steps(),
            ..Progress::default()
        }
    }

    /// The best solution so far; its offsets reach as far as the search did, and are empty before its first window.
    pub fn solution(&self, target: &Target) -> Solution {
        match (&self.polishing, self.weaning.as_ref().and_then(Weaning::solution)) {
            (Some(polishing), _) => polishing.solution().clone(),
            (None, Some(weaned)) => weaned,
            (None, None) => self.search.solution(target),
        }
    }

    /// The best motion so far, simulated and recorded.
    ///
    /// # Errors
    /// Where no window has been searched yet, or no world can be made.
    pub fn perform(&self, target: &Target) -> Result<Performance, TransferError> {
        Performance::record(target, &self.config, &self.solution(target), &mut |_, _| ())
    }
}

#[cfg(test)]
#[path = "transfer_tests.rs"]
mod tests;
