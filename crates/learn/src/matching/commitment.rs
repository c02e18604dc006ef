//! Frames that a body cannot leave for another motion: what has been begun there is carried to its end.
//!
//! Nobody turns round in the air, and nobody can be put into it: gravity alone decides a flight from its take-off to its landing. And an action is what its
//! clip shows from the beginning of its label to the end, as in the motion graph. A transition there would be a motion that no simulated body can follow.

use crate::actions::Goal;
use crate::contacts::runs;
use crate::figure::Figure;
use crate::motion_set::MotionSet;
use rayon::prelude::*;

/// In flight, every site is higher than this, over the character's height.
const LOW: f64 = 0.015;
/// Shorter flights are none: feet of a walk that drag are not seen to touch.
const SHORTEST_FLIGHT_FRAMES: usize = 3;

/// What holds for a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Commitment {
    /// Nothing bears the body.
    pub flies: bool,
    /// It is in the middle of an action.
    pub acts: bool,
}

impl Commitment {
    /// Whether the motion is neither left nor entered here, whatever is asked for.
    pub fn holds(self) -> bool {
        self.flies || self.acts
    }
}

/// Those of all frames of a set, sequence after sequence.
pub(super) fn commitments(set: &MotionSet, figure: &Figure) -> Vec<Commitment> {
    let (nq, low) = (set.header.position_count, LOW * figure.height_m());
    let achieved = set.header.actions.iter().enumerate().filter(|(_, action)| action.goal == Goal::Achieve);
    let achieved: Vec<usize> = achieved.map(|(index, _)| index).collect();
    let of_sequence = set.sequences.par_iter().map(|sequence| {
        let rows = sequence.positions_f64(figure);
        let is_up = |frame: usize| {
            let places = figure.site_places(&rows[frame * nq..(frame + 1) * nq]);
            places.iter().zip(figure.sites()).all(|(place, site)| place[2] - site.radius > low)
        };
        let mut all = vec![Commitment::default(); sequence.frame_count()];
        let flights = runs(all.len(), |frame| sequence.contacts[frame] == 0 && is_up(frame));
        for (first, end) in flights.into_iter().filter(|(first, end)| end - first >= SHORTEST_FLIGHT_FRAMES) {
            all[first..end].iter_mut().for_each(|frame| frame.flies = true);
        }
        for &index in &achieved {
            all.iter_mut().zip(&sequence.labels).for_each(|(frame, bits)| frame.acts |= bits >> index & 1 == 1);
        }
        all
    });
    of_sequence.flatten_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::Action;
    use crate::test_walks::stepping;

    /// A walk that leaps in frames 40 to 49, touches nothing in 60 and 61, and waves in 80 to 99.
    fn leaping() -> (Figure, MotionSet) {
        let (figure, mut set) = stepping(1.0, 150);
        set.header.actions.push(Action::new("Wave", Goal::Achieve));
        let nq = set.header.position_count;
        let sequence = &mut set.sequences[0];
        sequence.labels[80..100].fill(0b10);
        for frame in (40..50).chain(60..62) {
            sequence.contacts[frame] = 0;
            sequence.positions[frame * nq + 2] += 0.1;
        }
        (figure, set)
    }

    #[test]
    fn flights_and_actions_are_carried_to_their_end() {
        let (figure, set) = leaping();
        let all = commitments(&set, &figure);
        let frames = |holds: &dyn Fn(&Commitment) -> bool| (0..150).filter(|&f| holds(&all[f])).collect::<Vec<_>>();
        assert_eq!(frames(&|c| c.flies), (40..50).collect::<Vec<_>>(), "two frames are no flight");
        assert_eq!(frames(&|c| c.acts), (80..100).collect::<Vec<_>>());
    }

    #[test]
    fn who_only_seems_to_touch_nothing_does_not_fly() {
        let (figure, mut set) = leaping();
        let nq = set.header.position_count;
        // Feet that drag over the ground are not called contacts, and are low.
        (40..50).for_each(|frame| set.sequences[0].positions[frame * nq + 2] -= 0.1);
        assert!(commitments(&set, &figure).iter().all(|c| !c.flies));
    }
}
