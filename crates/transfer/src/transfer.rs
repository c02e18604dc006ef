//! A transfer as a resumable sequence of short pieces of work: the windows of the search, the weaning where that falls, then the rounds of the
//! polish. Where that ends in something else than was drawn, the weaning and its polish are a second way; then the better of both is polished
//! again with more weight on what is wrong. The best of all endings is the result.

mod emphasis;
mod ending;

use crate::assist::Weaning;
use crate::config::Config;
use crate::polish::Polishing;
use crate::search::{self, Search};
use crate::target::Target;
use crate::{Aspect, Performance, Solution, TransferError, Verdict};
use emphasis::Emphasis;
use ending::Ending;
use serde::{Deserialize, Serialize};
use sinew_work::{Best, Progress};

/// How many times the most effort the first ladder of the weaning may use where every search falls.
const LAST_HOPE: f64 = 1.1;

/// A transfer under way. It can be saved between two pieces of work, and goes on with the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    config: Config,
    seed: u64,
    search: Search,
    /// The way out of a search that falls, and the second way where it does not.
    weaning: Option<Weaning>,
    /// The polish under way.
    polishing: Option<Polishing>,
    /// What it weighs more, and whether its motion was weaned.
    emphasis: Emphasis,
    of_weaned: bool,
    /// What each polish ended in.
    endings: Vec<Ending>,
    is_done: bool,
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
            emphasis: Emphasis::NONE,
            of_weaned: false,
            endings: Vec::new(),
            is_done: false,
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
    /// The search, for its windows and their costs.
    pub fn search(&self) -> &Search {
        &self.search
    }
    /// Whether the motion was found from the other side, held at its drawing by assist, which then went: the search fell, or came to
    /// something worse.
    pub fn was_weaned(&self) -> bool {
        self.best().map_or(self.has_weaned(), |best| best.was_weaned)
    }
    /// What people would say of the first motion that was found, where that was not faithful and something else was tried.
    pub fn first_verdict(&self) -> Option<Verdict> {
        let went_on = |first: &&Ending| self.endings.len() > 1 || self.weaning.is_some() && !first.was_weaned;
        self.endings.first().filter(went_on).map(Ending::verdict)
    }
    /// What was weighed more, one after the other, for the motion that was found.
    pub fn emphasized(&self) -> Vec<Aspect> {
        self.best().map_or(Vec::new(), |best| best.emphasis.because().collect())
    }
    fn has_weaned(&self) -> bool {
        self.weaning.as_ref().is_some_and(Weaning::has_weaned)
    }
    /// The best of all endings; of equals the first.
    fn best(&self) -> Option<&Ending> {
        self.endings.iter().reduce(|best, other| if other.is_better_than(best) { other } else { best })
    }
    /// What it does next.
    pub fn stage(&self) -> Stage {
        if self.is_done {
            Stage::Done
        } else if self.weaning.as_ref().is_some_and(|weaning| !weaning.is_done(&self.config)) {
            Stage::Weaning
        } else if self.polishing.is_none() && !self.search.is_done() && !self.has_weaned() {
            Stage::Search
        } else {
            Stage::Polish
        }
    }
    /// Whether all is done.
    pub fn is_done(&self) -> bool {
        self.stage() == Stage::Done
    }
    /// Steps simulated so far.
    pub fn steps(&self) -> u64 {
        let weaning = self.weaning.as_ref().map_or(0, Weaning::steps);
        let ended: u64 = self.endings.iter().map(|ending| ending.steps).sum();
        self.search.steps() + weaning + ended + self.polishing.as_ref().map_or(0, Polishing::steps)
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
                let elsewhere = self.steps() - self.search.steps();
                if self.search.advance(target, &self.config, waits_after, elsewhere)? {
                    self.weaning = Some(Weaning::default());
                }
                self.is_done = self.search.is_done() && self.config.polish.is_none();
            }
            Stage::Weaning => {
                let weaning = self.weaning.get_or_insert_default();
                weaning.advance(target, &self.config)?;
                // Who falls has a tenth more for the first ladder: it is the way out that is left.
                let hopes = self.endings.is_empty() && !weaning.is_past_first_ladder();
                if self.has_worked(target, if hopes { LAST_HOPE } else { 1.0 }) {
                    self.weaning.get_or_insert_default().give_up(&self.config);
                }
                if self.stage() != Stage::Weaning && !self.has_weaned() && !self.endings.is_empty() {
                    self.go_on(target);
                }
            }
            Stage::Polish => {
                let mut polishing = match self.polishing.take() {
                    Some(polishing) => polishing,
                    None => {
                        self.of_weaned = self.has_weaned();
                        let weaned = self.weaning.as_ref().and_then(Weaning::solution);
                        Polishing::new(weaned.unwrap_or_else(|| self.search.solution(target)))
                    }
                };
                polishing.advance(target, &self.emphasis.applied(&self.config))?;
                if polishing.is_done() {
                    let ending = Ending::new(target, &self.config, &polishing, self.of_weaned, self.emphasis.clone())?;
                    self.endings.push(ending);
                    self.go_on(target);
                } else {
                    self.polishing = Some(polishing);
                }
            }
            Stage::Done => {}
        }
        Ok(())
    }

    /// Whether it has simulated so many times the steps after which it begins nothing more.
    fn has_worked(&self, target: &Target, times: f64) -> bool {
        self.steps() as f64 >= times * search::most_steps(target, &self.config)
    }

    /// One way has come to its end: another one begins, or the transfer is done.
    fn go_on(&mut self, target: &Target) {
        let Some(best) = self.best() else { return };
        let may_go_on = best.verdict() > Verdict::Faithful && !self.has_worked(target, 1.0);
        let mut tried = self.endings.iter().filter(|ending| ending.emphasis != Emphasis::NONE);
        if may_go_on && self.weaning.is_none() && self.config.weaning.second_way && target.dofs.has_free_root {
            self.weaning = Some(Weaning::default());
        } else if may_go_on && best.fell_at.is_none() && tried.clone().count() < self.config.emphasis.tries {
            // From the best motion, with more weight than was ever tried.
            let before = tried.next_back().unwrap_or(best).emphasis.clone();
            let emphasis = before.clone().on(&best.judgement.because, self.config.emphasis.factor);
            let (of_weaned, solution) = (best.was_weaned, best.solution.clone());
            // What no term measures cannot be weighed.
            self.is_done = emphasis == before;
            (self.emphasis, self.of_weaned, self.polishing) = (emphasis, of_weaned, Some(Polishing::new(solution)));
        } else {
            self.is_done = true;
        }
        if self.is_done {
            self.polishing = None;
        }
    }

    /// How far it is.
    pub fn progress(&self, target: &Target) -> Progress {
        let windows = self.search.windows().len();
        let window_count = Search::window_count(target, &self.config);
        let ended: usize = self.endings.iter().map(|ending| ending.rounds).sum();
        let rounds = ended + self.polishing.as_ref().map_or(0, Polishing::rounds);
        let most_rounds = self.config.polish.as_ref().map_or(0, |polish| polish.iterations);
        let polishes = self.endings.len() + usize::from(!self.is_done);
        let round_count = polishes.max(1) * most_rounds;
        let [rungs, rung_count] = self.weaning.as_ref().map_or([0; 2], |weaning| weaning.progress(&self.config));
        let total = window_count + rung_count + round_count;
        let doing = match self.stage() {
            Stage::Search => format!("window {} of {window_count}", windows + 1),
            Stage::Weaning => {
                let why = if self.endings.is_empty() { "every search falls" } else { "not yet as drawn" };
                format!("{why}: weaned from help, step {} of {rung_count}", rungs + 1)
            }
            Stage::Polish if self.emphasis != Emphasis::NONE => {
                let what: Vec<&str> = self.emphasis.because().map(Aspect::words).collect();
                format!(
                    "not yet as drawn: more weight on {}, round {} of {most_rounds}",
                    what.join(", "),
                    rounds - ended + 1
                )
            }
            Stage::Polish => format!("polish, round {} of {most_rounds}", rounds - ended + 1),
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
        let weaned = || self.weaning.as_ref().and_then(Weaning::solution);
        match (self.best(), &self.polishing) {
            (Some(best), _) => best.solution.clone(),
            (None, Some(polishing)) => polishing.solution().clone(),
            (None, None) => weaned().unwrap_or_else(|| self.search.solution(target)),
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
