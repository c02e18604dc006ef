//! What one way to a motion ended in, and which of two endings is better.

use super::emphasis::Emphasis;
use crate::config::Config;
use crate::fidelity::Fidelity;
use crate::metrics::Metrics;
use crate::polish::Polishing;
use crate::target::Target;
use crate::{Judgement, Performance, Solution, TransferError, Verdict};
use serde::{Deserialize, Serialize};

/// A polished motion, and what it is worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Ending {
    pub solution: Solution,
    /// What its polish cost.
    pub rounds: usize,
    pub steps: u64,
    /// Whether it was weaned from help; otherwise the search found it.
    pub was_weaned: bool,
    /// Weights that its polish had.
    pub emphasis: Emphasis,
    pub judgement: Judgement,
    pub fell_at: Option<usize>,
    /// How far its figures are beyond what a person calls faithful.
    excess: f64,
    /// Mean of the cost, with the weights of the settings.
    cost: f64,
}

impl Ending {
    /// Performs what a polish has found, and judges it.
    pub fn new(
        target: &Target,
        config: &Config,
        polishing: &Polishing,
        was_weaned: bool,
        emphasis: Emphasis,
    ) -> Result<Ending, TransferError> {
        let run = Performance::record(target, config, polishing.solution(), &mut |_, _| ())?;
        let fidelity = Fidelity::new(target, &run, &Metrics::new(target, &run));
        Ok(Ending {
            solution: polishing.solution().clone(),
            rounds: polishing.rounds(),
            steps: polishing.steps(),
            was_weaned,
            emphasis,
            judgement: Judgement::new(&fidelity, run.fell_at.is_some()),
            fell_at: run.fell_at,
            excess: Judgement::excess(&fidelity),
            cost: run.mean_terms().total(),
        })
    }

    /// What people would say of it.
    pub fn verdict(&self) -> Verdict {
        self.judgement.verdict
    }

    /// The better verdict; then who stays up, or falls later; then who is less beyond the limits of the verdict; then the lower cost.
    pub fn is_better_than(&self, other: &Ending) -> bool {
        let falls = |ending: &Ending| std::cmp::Reverse(ending.fell_at.unwrap_or(usize::MAX));
        let order = self.verdict().cmp(&other.verdict()).then(falls(self).cmp(&falls(other)));
        order.then(self.excess.total_cmp(&other.excess)).then(self.cost.total_cmp(&other.cost)).is_lt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending(verdict: Verdict, fell_at: Option<usize>, excess: f64, cost: f64) -> Ending {
        let judgement = Judgement { verdict, because: Vec::new() };
        let (solution, emphasis) = (Solution::default(), Emphasis::NONE);
        Ending { solution, rounds: 0, steps: 0, was_weaned: false, emphasis, judgement, fell_at, excess, cost }
    }

    #[test]
    fn the_verdict_counts_first_then_the_fall_then_the_limits_then_the_cost() {
        use Verdict::{Failed, Faithful, Loose};
        let ranked = [
            ending(Faithful, None, 0.0, 9.0),
            ending(Loose, None, 0.1, 3.0),
            ending(Loose, None, 0.2, 1.0),
            ending(Loose, None, 0.2, 2.0),
            ending(Failed, None, 3.0, 8.0),
            ending(Failed, Some(30), 2.0, 5.0),
            ending(Failed, Some(20), 1.0, 1.0),
            ending(Failed, Some(20), 1.0, 2.0),
        ];
        for (i, a) in ranked.iter().enumerate() {
            for (j, b) in ranked.iter().enumerate() {
                assert_eq!(a.is_better_than(b), i < j, "{i} {j}");
            }
        }
    }
}
