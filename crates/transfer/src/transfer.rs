//! A transfer as a resumable sequence of short pieces of work: the windows of the search, the weaning where that falls, then the rounds of the
//! polish.

use crate::assist::Weaning;
use crate::config::Config;
use crate::polish::Polishing;
use crate::search::Search;
use crate::target::Target;
use crate::{Performance, Solution, TransferError};
use serde::{Deserialize, Serialize};

/// First bytes of a checkpoint; the digit counts its versions.
const MAGIC: &[u8] = b"sinew-transfer-4\n";

/// How often the windows before a fall are searched again before weaning is tried; where that fails, the search goes on.
const TRIES_BEFORE_WEANING: usize = 2;

/// A transfer under way. It can be saved between two pieces of work, and goes on with the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    config: Config,
    seed: u64,
    /// Of the target that it works on.
    target_hash: u64,
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

/// How far a transfer is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Pieces of work done.
    pub done: usize,
    /// Pieces of work in all, as far as is known.
    pub total: usize,
    /// Windows searched.
    pub windows: usize,
    /// Rounds of the polish made.
    pub rounds: usize,
    /// Mean cost of the best motion of the search so far.
    pub best_cost: f64,
    /// Steps simulated.
    pub steps: u64,
    /// What comes next.
    pub stage: Stage,
}

impl Transfer {
    /// A transfer that has not begun.
    ///
    /// # Errors
    /// Where the configuration is out of its ranges or the character has nothing to drive.
    pub fn new(target: &Target, config: &Config, seed: u64) -> Result<Transfer, TransferError> {
        config.check()?;
        let search = Search::new(target, config, seed)?;
        Ok(Transfer {
            config: config.clone(),
            seed,
            target_hash: target.hash(),
            search,
            weaning: None,
            polishing: None,
        })
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
    /// Whether the search fell, and a motion was found from the other side: held at its drawing by help, which then went.
    pub fn was_weaned(&self) -> bool {
        self.weaning.as_ref().is_some_and(|weaning| weaning.has_weaned())
    }
    /// What it does next.
    pub fn stage(&self) -> Stage {
        if self.weaning.as_ref().is_some_and(|weaning| !weaning.is_done()) {
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
                let waits_after = can_wean.then_some(TRIES_BEFORE_WEANING);
                if self.search.advance_or_wait(target, &self.config, waits_after)? {
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
        let rounds = self.polishing.as_ref().map_or(0, Polishing::rounds);
        let [rungs, all_rungs] = self.weaning.as_ref().map_or([0; 2], Weaning::progress);
        let polish = self.config.polish.map_or(0, |p| p.iterations);
        let total = Search::window_count(target, &self.config) + all_rungs + polish;
        let done = if self.is_done() { total } else { windows + rungs + rounds };
        let (best_cost, steps, stage) = (self.search.best_cost(), self.steps(), self.stage());
        Progress { done, total, windows, rounds, best_cost, steps, stage }
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

    /// The state as bytes.
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(postcard::to_stdvec(self).unwrap_or_default());
        bytes
    }

    /// Goes on from saved bytes, for the same target, configuration and seed.
    ///
    /// # Errors
    /// Where the bytes are damaged or of another run.
    pub fn resume(bytes: &[u8], target: &Target, config: &Config, seed: u64) -> Result<Transfer, TransferError> {
        let damaged = |problem: String| TransferError::Checkpoint { problem };
        let body = bytes.strip_prefix(MAGIC).ok_or_else(|| damaged("it is none, or of another version".into()))?;
        let saved: Transfer = postcard::from_bytes(body).map_err(|e| damaged(e.to_string()))?;
        let checks = [
            ("motion or character", saved.target_hash == target.hash()),
            ("preset", saved.config == *config),
            ("seed", saved.seed == seed),
        ];
        match checks.iter().find(|(_, same)| !same) {
            Some((what, _)) => Err(TransferError::OtherRun { what }),
            None => Ok(saved),
        }
    }
}

#[cfg(test)]
#[path = "transfer_tests.rs"]
mod tests;
