//! From a puppet to a motion that needs no assist: the way that is left where every search falls.
//!
//! A motion that is held at its drawing by strings never falls, so all of it can be worked on at once. Then strings get dearer, rung by rung of
//! a ladder of prices, until none is left: what the body can do itself it does, and what remains says where it could not. The price is on
//! the size of assist, so at some finite price none is bought any more if the motion can be done without (an exact penalty, Nocedal & Wright
//! 2006, *Numerical Optimization*, §17.2).

use super::config::AssistConfig;
use super::polisher::Polisher;
use crate::config::{Config, Ladder};
use crate::polish::AssistedPolish;
use crate::target::Target;
use crate::{Solution, TransferError};
use serde::{Deserialize, Serialize};

/// A weaning under way; each rung is a piece of work, after which it can be saved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Weaning {
    /// Which of the ladders it is on, and how many pieces of work it has done there: the puppet, then the rungs.
    ladder: usize,
    done: usize,
    current: Option<AssistedPolish>,
    steps: u64,
}

impl Weaning {
    /// Whether nothing is left to do.
    pub fn is_done(&self, config: &Config) -> bool {
        self.ladder >= config.weaning.ladders.len() || self.has_weaned()
    }

    /// Whether the first ladder has led to nothing.
    pub fn is_past_first_ladder(&self) -> bool {
        self.ladder > 0
    }

    /// Leaves it at what has been done; a motion that needs no assist stays.
    pub fn give_up(&mut self, config: &Config) {
        if !self.has_weaned() {
            (self.ladder, self.done, self.current) = (config.weaning.ladders.len(), 0, None);
        }
    }

    /// Steps simulated.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Pieces of work done, and those of all ladders.
    pub fn progress(&self, config: &Config) -> [usize; 2] {
        let pieces = |ladder: &Ladder| 1 + ladder.prices.len();
        let ladders = &config.weaning.ladders;
        let before = ladders.iter().take(self.ladder).map(pieces).sum::<usize>();
        [self.done + before, ladders.iter().map(pieces).sum()]
    }

    /// Whether the motion needs no assist any more.
    pub fn has_weaned(&self) -> bool {
        self.current.as_ref().is_some_and(|polish| polish.priced.is_none())
    }

    /// The motion that needs no assist, once there is one.
    pub fn solution(&self) -> Option<Solution> {
        let weaned = self.current.as_ref().filter(|polish| polish.priced.is_none())?;
        let (offsets, push_off) = (weaned.offsets.clone(), weaned.push_off.clone());
        Some(Solution { offsets, push_off, assist: Vec::new() })
    }

    /// Climbs to the next rung.
    ///
    /// # Errors
    /// Where the simulator refuses.
    pub fn advance(&mut self, target: &Target, config: &Config) -> Result<(), TransferError> {
        let Some(ladder) = config.weaning.ladders.get(self.ladder).filter(|_| !self.is_done(config)) else {
            return Ok(());
        };
        let settings = AssistConfig { rounds: ladder.rounds, ..AssistConfig::standard() };
        let polisher = Polisher::new(target, config, &settings);
        match (&mut self.current, self.done) {
            (_, 0) => self.current = polisher.drawn(&[])?,
            (Some(current), rung) => {
                polisher.settle(current, ladder.prices[rung - 1], ladder.rounds)?;
                polisher.let_go(current, config.weaning.let_go)?;
            }
            (None, _) => {}
        }
        self.steps += polisher.steps();
        self.done += 1;
        if self.current.is_none() || self.done > ladder.prices.len() && !self.has_weaned() {
            (self.ladder, self.done, self.current) = (self.ladder + 1, 0, None);
        }
        Ok(())
    }
}
