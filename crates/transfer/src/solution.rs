//! What a transfer finds: the controls with which the simulated character follows its target.

use crate::TransferError;
use crate::assist::Help;
use crate::target::Target;
use serde::{Deserialize, Serialize};

/// Open-loop controls of a motion. With the target and the time step they give the same simulation again, bit by bit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    /// Offsets to the target's poses: one row of driven degrees of freedom for each frame, row after row, rad.
    pub offsets: Vec<f64>,
    /// Velocity at the start beyond that of the first frame, in `qvel` order, m/s and rad/s; empty for none.
    pub push_off: Vec<f64>,
    /// Wrench from outside during each frame interval: row i acts from frame i to frame i + 1; empty for none.
    pub assist: Vec<Help>,
}

impl Solution {
    /// Refuses what is not of this target's character and length. A solution may be shorter than the target, where a search gave up.
    ///
    /// # Errors
    /// Names the part, what it has and what it needs.
    pub fn check(&self, target: &Target) -> Result<(), TransferError> {
        let (width, nv) = (target.dofs.count, target.model.velocity_count());
        let rows = self.offsets.len() / width.max(1);
        let wrong = |part, found, needed: String| Err(TransferError::Solution { part, found, needed });
        if !(1..=target.frames()).contains(&rows) || self.offsets.len() != rows * width {
            return wrong(
                "offsets",
                self.offsets.len(),
                format!("rows of {width} for up to {} frames", target.frames()),
            );
        }
        if !self.push_off.is_empty() && self.push_off.len() != nv {
            return wrong("push_off", self.push_off.len(), format!("none or {nv}"));
        }
        if !self.assist.is_empty() && self.assist.len() + 1 != rows {
            return wrong("assist", 6 * self.assist.len(), format!("none or {} rows of 6", rows - 1));
        }
        let is_finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
        let parts =
            [("offsets", &self.offsets[..]), ("push_off", &self.push_off), ("assist", self.assist.as_flattened())];
        match parts.iter().find(|(_, values)| !is_finite(values)) {
            Some((part, _)) => Err(TransferError::SolutionNotFinite { part }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_motions::{squat, tiny};
    use sinew_sim::embedded;

    #[test]
    fn a_solution_of_another_character_or_length_is_refused_in_one_sentence() {
        let target = squat(embedded::dinosaur(), &tiny(), 19, 0.0);
        let (frames, width, nv) = (target.frames(), target.dofs.count, target.model.velocity_count());
        let good = Solution {
            offsets: vec![0.0; frames * width],
            push_off: vec![0.0; nv],
            assist: vec![[0.0; 6]; frames - 1],
        };
        assert_eq!(good.check(&target), Ok(()));
        let short = Solution { offsets: vec![0.0; 3 * width], ..Solution::default() };
        assert_eq!(short.check(&target), Ok(()), "a search that gave up");
        let told = |change: &dyn Fn(&mut Solution)| {
            let mut bad = good.clone();
            change(&mut bad);
            bad.check(&target).expect_err("refused").to_string()
        };
        for (part, change) in [
            ("offsets", (&|s: &mut Solution| s.offsets.clear()) as &dyn Fn(&mut Solution)),
            ("offsets", &|s| s.offsets.truncate(frames * width - 1)),
            ("offsets", &|s| s.offsets.extend(vec![0.0; width])),
            ("push_off", &|s| s.push_off.push(0.0)),
            ("assist", &|s| s.assist.truncate(1)),
            ("assist", &|s| s.assist.push([0.0; 6])),
        ] {
            let text = told(change);
            assert!(text.contains(part) && text.contains("transfer the motion again"), "{part}: {text}");
        }
        for (part, change) in [
            ("offsets", (&|s: &mut Solution| s.offsets[1] = f64::NAN) as &dyn Fn(&mut Solution)),
            ("push_off", &|s| s.push_off[0] = f64::INFINITY),
            ("assist", &|s| s.assist[1][2] = f64::NAN),
        ] {
            let text = told(change);
            assert!(text.contains(part) && text.contains("finite"), "{part}: {text}");
        }
    }
}
