//! A transfer as a resumable sequence of short pieces of work: the windows of the search, then the rounds of the polish.

use crate::config::Config;
use crate::polish::Polishing;
use crate::search::Search;
use crate::target::Target;
use crate::{Performance, TransferError};
use serde::{Deserialize, Serialize};

/// First bytes of a checkpoint; the digit counts its versions.
const MAGIC: &[u8] = b"sinew-transfer-2\n";

/// A transfer under way. It can be saved between two pieces of work, and goes on with the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    config: Config,
    seed: u64,
    /// Of the target that it works on.
    target_hash: u64,
    search: Search,
    polishing: Option<Polishing>,
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
}

impl Transfer {
    /// A transfer that has not begun.
    ///
    /// # Errors
    /// Where the configuration is out of its ranges or the character has nothing to drive.
    pub fn new(target: &Target, config: &Config, seed: u64) -> Result<Transfer, TransferError> {
        config.check()?;
        let search = Search::new(target, config, seed)?;
        Ok(Transfer { config: config.clone(), seed, target_hash: target.hash(), search, polishing: None })
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
    /// Whether all is done.
    pub fn is_done(&self) -> bool {
        self.search.is_done()
            && (self.config.polish.is_none() || self.polishing.as_ref().is_some_and(Polishing::is_done))
    }
    /// Steps simulated so far.
    pub fn steps(&self) -> u64 {
        self.search.steps() + self.polishing.as_ref().map_or(0, Polishing::steps)
    }

    /// Does the next piece of work: a window, or a round of the polish.
    ///
    /// # Errors
    /// Where the simulator or the optimiser refuses.
    pub fn advance(&mut self, target: &Target) -> Result<(), TransferError> {
        if !self.search.is_done() {
            return self.search.advance(target, &self.config);
        }
        let polishing = self.polishing.get_or_insert_with(|| Polishing::new(self.search.best_offsets(target)));
        polishing.advance(target, &self.config)
    }

    /// How far it is.
    pub fn progress(&self, target: &Target) -> Progress {
        let windows = self.search.windows().len();
        let rounds = self.polishing.as_ref().map_or(0, Polishing::rounds);
        let total = Search::window_count(target, &self.config) + self.config.polish.map_or(0, |p| p.iterations);
        let done = if self.is_done() { total } else { windows + rounds };
        Progress { done, total, windows, rounds, best_cost: self.search.best_cost(), steps: self.steps() }
    }

    /// Offsets of the best motion so far, one row for each frame that it reaches.
    pub fn best_offsets(&self, target: &Target) -> Vec<f64> {
        match &self.polishing {
            Some(polishing) => polishing.offsets().to_vec(),
            None => self.search.best_offsets(target),
        }
    }

    /// The best motion so far, simulated and recorded.
    ///
    /// # Errors
    /// Where no world can be made.
    pub fn perform(&self, target: &Target) -> Result<Performance, TransferError> {
        Performance::record(target, &self.config, &self.best_offsets(target))
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
