//! From a puppet to a motion that needs no help: the way that is left where every search falls.
//!
//! A motion that is held at its drawing by strings never falls, so all of it can be worked on at once. Then strings get dearer, rung by rung of
//! a ladder of prices, until none is left: what the body can do itself it does, and what remains says where it could not. The price is on
//! the size of help, so at some finite price none is bought any more if the motion can be done without (an exact penalty, Nocedal & Wright
//! 2006, *Numerical Optimization*, §17.2).

use super::config::AssistConfig;
use super::sweep::Polisher;
use crate::config::Config;
use crate::polish::AssistedPolish;
use crate::target::Target;
use crate::{Solution, TransferError};
use serde::{Deserialize, Serialize};

/// A ladder: its prices, and the rounds at each.
struct Ladder {
    prices: &'static [f64],
    rounds: usize,
}

/// The second is for motions that the first leaves with some help: it begins with the cheapest help, and hurries.
const LADDERS: [Ladder; 2] = [
    Ladder { prices: &[3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4], rounds: 6 },
    Ladder { prices: &[0.1, 1.0, 10.0, 100.0, 1e3, 1e4], rounds: 4 },
];
/// Help below this size may go all at once, in its units, where the motion stands without.
const LET_GO: f64 = 0.1;

/// A weaning under way; each rung is a piece of work, after which it can be saved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Weaning {
    /// Which of [`LADDERS`] it is on, and how many pieces of work it has done there: the puppet, then the rungs.
    ladder: usize,
    done: usize,
    current: Option<AssistedPolish>,
    steps: u64,
}

impl Weaning {
    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        self.ladder == LADDERS.len() || self.has_weaned()
    }

    /// Steps simulated.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Pieces of work done, and those of all ladders.
    pub fn progress(&self) -> [usize; 2] {
        let pieces = |ladder: &Ladder| 1 + ladder.prices.len();
        [self.done + LADDERS[..self.ladder].iter().map(pieces).sum::<usize>(), LADDERS.iter().map(pieces).sum()]
    }

    /// Whether the motion needs no help any more.
    pub fn has_weaned(&self) -> bool {
        self.current.as_ref().is_some_and(|polish| polish.helped.is_none())
    }

    /// The motion that needs no help, once there is one.
    pub fn solution(&self) -> Option<Solution> {
        let weaned = self.current.as_ref().filter(|polish| polish.helped.is_none())?;
        let (offsets, push_off) = (weaned.offsets.clone(), weaned.push_off.clone());
        Some(Solution { offsets, push_off, assist: Vec::new() })
    }

    /// Climbs to the next rung.
    ///
    /// # Errors
    /// Where the simulator refuses.
    pub fn advance(&mut self, target: &Target, config: &Config) -> Result<(), TransferError> {
        let Some(ladder) = LADDERS.get(self.ladder).filter(|_| !self.is_done()) else { return Ok(()) };
        let settings = AssistConfig { rounds: ladder.rounds, ..AssistConfig::standard() };
        let mut polisher = Polisher { target, config, settings: &settings, steps: 0 };
        match (&mut self.current, self.done) {
            (_, 0) => self.current = polisher.drawn(&[])?,
            (Some(current), rung) => {
                polisher.settle(current, ladder.prices[rung - 1], ladder.rounds)?;
                polisher.let_go(current, LET_GO)?;
            }
            (None, _) => {}
        }
        self.steps += polisher.steps;
        self.done += 1;
        if self.current.is_none() || self.done > ladder.prices.len() && !self.has_weaned() {
            (self.ladder, self.done, self.current) = (self.ladder + 1, 0, None);
        }
        Ok(())
    }
}
