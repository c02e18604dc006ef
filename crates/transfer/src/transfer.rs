//! A transfer as a resumable sequence of short pieces of work: the windows of the search, the weaning where that falls, then the rounds of the
//! polish. Where that ends in something else than was drawn, the weaning and its polish are a second way, and the better motion is kept.

mod ending;

use crate::assist::Weaning;
use crate::config::Config;
use crate::polish::Polishing;
use crate::search::Search;
use crate::target::Target;
use crate::{Performance, Solution, TransferError, Verdict};
use ending::Ending;
use serde::{Deserialize, Serialize};
use sinew_work::{Best, Progress};

/// A transfer under way. It can be saved between two pieces of work, and goes on with the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    config: Config,
    seed: u64,
    search: Search,
    /// The way out of a search that falls, and the second way where it does not.
    weaning: Option<Weaning>,
    polishing: Option<Polishing>,
    /// What the search and its polish ended in, where that is not what was drawn.
    first: Option<Ending>,
    /// What the weaning and its polish ended in, where the first ending is better.
    dropped: Option<Ending>,
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
        Ok(Transfer {
            config: config.clone(),
            seed,
            search,
            weaning: None,
            polishing: None,
            first: None,
            dropped: None,
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
    /// Whether the motion was found from the other side, held at its drawing by assist, which then went: the search fell, or came to
    /// something worse.
    pub fn was_weaned(&self) -> bool {
        self.has_weaned() && self.dropped.is_none()
    }
    /// What people would say of the motion of the search, where it was not faithful and a second way was gone.
    pub fn first_verdict(&self) -> Option<Verdict> {
        self.first.as_ref().map(Ending::verdict)
    }
    fn has_weaned(&self) -> bool {
        self.weaning.as_ref().is_some_and(Weaning::has_weaned)
    }
    /// What it does next.
    pub fn stage(&self) -> Stage {
        if self.weaning.as_ref().is_some_and(|weaning| !weaning.is_done(&self.config)) {
            Stage::Weaning
        } else if !self.search.is_done() && !self.has_weaned() {
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
        let polish: u64 = self.polishings().map(Polishing::steps).sum();
        self.search.steps() + weaning + polish
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
                let weaning = self.weaning.get_or_insert_default();
                weaning.advance(target, &self.config)?;
                if weaning.is_done(&self.config) && !weaning.has_weaned() {
                    // There is no second way.
                    self.polishing = self.first.as_ref().map(|first| first.polishing.clone());
                }
            }
            Stage::Polish => {
                let mut polishing = match self.polishing.take() {
                    Some(polishing) => polishing,
                    None => Polishing::new(self.solution(target)),
                };
                polishing.advance(target, &self.config)?;
                match polishing.is_done() {
                    true => self.end(target, polishing)?,
                    false => self.polishing = Some(polishing),
                }
            }
            Stage::Done => {}
        }
        Ok(())
    }

    /// A polish has ended: the transfer ends with it, goes a second way, or takes the better of both.
    fn end(&mut self, target: &Target, polishing: Polishing) -> Result<(), TransferError> {
        let may_go_on = self.config.weaning.second_way && target.dofs.has_free_root;
        if self.first.is_none() && (self.weaning.is_some() || !may_go_on) {
            self.polishing = Some(polishing);
            return Ok(());
        }
        let ending = Ending::new(target, &self.config, polishing)?;
        match &self.first {
            None if ending.verdict() == Verdict::Faithful => self.polishing = Some(ending.polishing),
            None => {
                self.first = Some(ending);
                self.weaning = Some(Weaning::default());
            }
            Some(first) if ending.is_better_than(first) => self.polishing = Some(ending.polishing),
            Some(first) => {
                self.polishing = Some(first.polishing.clone());
                self.dropped = Some(ending);
            }
        }
        Ok(())
    }

    /// All polishes, each once.
    fn polishings(&self) -> impl Iterator<Item = &Polishing> {
        let kept = self.polishing.as_ref().filter(|_| self.first.is_none() || self.was_weaned());
        kept.into_iter().chain([&self.first, &self.dropped].into_iter().flatten().map(|ending| &ending.polishing))
    }

    /// How far it is.
    pub fn progress(&self, target: &Target) -> Progress {
        let windows = self.search.windows().len();
        let window_count = Search::window_count(target, &self.config);
        let rounds: usize = self.polishings().map(Polishing::rounds).sum();
        let polishes = 1 + usize::from(self.first.is_some());
        let round_count = polishes * self.config.polish.as_ref().map_or(0, |polish| polish.iterations);
        let [rungs, rung_count] = self.weaning.as_ref().map_or([0; 2], |weaning| weaning.progress(&self.config));
        let total = window_count + rung_count + round_count;
        let doing = match self.stage() {
            Stage::Search => format!("window {} of {window_count}", windows + 1),
            Stage::Weaning => {
                let why = if self.first.is_some() { "not yet as drawn" } else { "every search falls" };
                format!("{why}: weaned from help, step {} of {rung_count}", rungs + 1)
            }
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
        match (&self.polishing, self.weaning.as_ref().and_then(Weaning::solution), &self.first) {
            (Some(polishing), _, _) => polishing.solution().clone(),
            (None, Some(weaned), _) => weaned,
            (None, None, Some(first)) => first.polishing.solution().clone(),
            (None, None, None) => self.search.solution(target),
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
