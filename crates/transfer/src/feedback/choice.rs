//! Which policy of a training is taken: tries and stages differ in what they bear, and the last is not always the best.

use super::policy::{Gains, Policy};
use super::report::{Tested, put_to_test};
use super::training::FeedbackTraining;
use crate::TransferError;
use sinew_sim::Model;
use std::sync::Arc;

/// The policy that was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The policy.
    pub policy: Policy,
    /// The stage that it is from, from 1 on; 0 where full-state feedback alone is best, or enough.
    pub stage: usize,
    /// Steps simulated to choose.
    pub steps: u64,
}

impl FeedbackTraining {
    /// The policy of a training that is done: among the best of all stages, and full-state feedback alone where there is any, that which repeats the cycle most often and, of those, bears the largest push in its
    /// weakest direction, then in all directions together; the later of equals. Where the configuration does not choose, that of the last stage.
    ///
    /// # Errors
    /// Where the simulator refuses.
    pub fn choose(&self, model: &Arc<Model>, threads: usize) -> Result<Choice, TransferError> {
        let mut policies = self.stage_policies();
        if self.config().chooses_by.is_none() || policies.is_empty() || !self.is_done() {
            return Ok(Choice { policy: self.policy(), stage: policies.len(), steps: 0 });
        }
        let untrained = self.untrained();
        let first_stage = usize::from(untrained.is_none());
        policies.splice(0..0, untrained);
        let gains: Vec<Gains> = policies.iter().map(|policy| policy.gains.clone()).collect();
        let (index, steps) = self.best_of(model, &gains, threads)?;
        Ok(Choice { policy: policies.swap_remove(index), stage: index + first_stage, steps })
    }

    /// The best of some gains by the configuration's test, and the steps that this took.
    pub(super) fn best_of(
        &self,
        model: &Arc<Model>,
        gains: &[Gains],
        threads: usize,
    ) -> Result<(usize, u64), TransferError> {
        let Some(test) = &self.config().chooses_by else { return Ok((gains.len().saturating_sub(1), 0)) };
        let tested = put_to_test(model, self.reference(), gains, test, threads)?;
        Ok((best(&tested).unwrap_or(0), tested.iter().map(|t| t.steps).sum()))
    }
}

/// The one with the most repetitions and, of those, the largest push in its weakest direction, then in all directions together; the later of equals.
pub(super) fn best(tested: &[Tested]) -> Option<usize> {
    let weakest = |t: &Tested| t.newtons.iter().copied().fold(f64::INFINITY, f64::min);
    let all = |t: &Tested| t.newtons.iter().sum::<f64>();
    let order = |a: &Tested, b: &Tested| {
        let by_repetitions = a.repetitions.cmp(&b.repetitions);
        by_repetitions.then(weakest(a).total_cmp(&weakest(b))).then(all(a).total_cmp(&all(b)))
    };
    (0..tested.len()).max_by(|&a, &b| order(&tested[a], &tested[b]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_come_first_then_the_weakest_direction_then_all() {
        let tested = |repetitions: usize, newtons: [f64; 2]| Tested {
            repetitions,
            pace: 1.0,
            cost: 0.0,
            newtons: newtons.to_vec(),
            steps: 1,
        };
        assert_eq!(best(&[tested(9, [200.0; 2]), tested(64, [10.0, 0.0]), tested(8, [300.0; 2])]), Some(1));
        assert_eq!(best(&[tested(64, [50.0; 2]), tested(64, [40.0, 400.0])]), Some(0));
        assert_eq!(best(&[tested(64, [50.0, 90.0]), tested(64, [50.0, 60.0])]), Some(0));
        assert_eq!(best(&[tested(64, [50.0; 2]), tested(64, [50.0; 2])]), Some(1));
    }
}
