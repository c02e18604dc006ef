//! What one way to a motion ended in, and which of two endings is better.

use crate::config::Config;
use crate::fidelity::Fidelity;
use crate::metrics::Metrics;
use crate::polish::Polishing;
use crate::target::Target;
use crate::{Judgement, Performance, TransferError, Verdict};
use serde::{Deserialize, Serialize};

/// A polished motion, and what it is worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Ending {
    pub polishing: Polishing,
    judgement: Judgement,
    fell_at: Option<usize>,
    /// Mean of the cost.
    cost: f64,
}

impl Ending {
    /// Performs what a polish has found, and judges it.
    pub fn new(target: &Target, config: &Config, polishing: Polishing) -> Result<Ending, TransferError> {
        let run = Performance::record(target, config, polishing.solution(), &mut |_, _| ())?;
        let fidelity = Fidelity::new(target, &run, &Metrics::new(target, &run));
        let judgement = Judgement::new(&fidelity, run.fell_at.is_some());
        Ok(Ending { polishing, judgement, fell_at: run.fell_at, cost: run.mean_terms().total() })
    }

    /// What people would say of it.
    pub fn verdict(&self) -> Verdict {
        self.judgement.verdict
    }

    /// The better verdict; then who stays up, or falls later; then the lower cost. Of equals the other one.
    pub fn is_better_than(&self, other: &Ending) -> bool {
        let falls = |ending: &Ending| std::cmp::Reverse(ending.fell_at.unwrap_or(usize::MAX));
        let order = self.verdict().cmp(&other.verdict());
        order.then(falls(self).cmp(&falls(other))).then(self.cost.total_cmp(&other.cost)).is_lt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Solution;

    fn ending(verdict: Verdict, fell_at: Option<usize>, cost: f64) -> Ending {
        let judgement = Judgement { verdict, because: Vec::new() };
        Ending { polishing: Polishing::new(Solution::default()), judgement, fell_at, cost }
    }

    #[test]
    fn the_verdict_counts_first_then_the_fall_then_the_cost() {
        use Verdict::{Failed, Faithful, Loose};
        let ranked = [
            ending(Faithful, None, 9.0),
            ending(Loose, None, 1.0),
            ending(Loose, None, 2.0),
            ending(Failed, None, 8.0),
            ending(Failed, Some(30), 5.0),
            ending(Failed, Some(20), 1.0),
            ending(Failed, Some(20), 2.0),
        ];
        for (i, a) in ranked.iter().enumerate() {
            for (j, b) in ranked.iter().enumerate() {
                assert_eq!(a.is_better_than(b), i < j, "{i} {j}");
            }
        }
    }
}
