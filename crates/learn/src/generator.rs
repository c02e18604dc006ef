//! The one interface of all motion generators: state and objective in, the next frame and the completed objective out.
//!
//! `(P̂, Ĉ) = G*(s, C)` of Park et al. 2019, eq. 1 and 4: [`Generator::step`] is the frame-by-frame generator, [`Generator::predict`] reads ahead to any
//! offsets without changing the state, and [`Generator::set_pose`] feeds the state of the simulator back. Start reading at [`Generator`].

use crate::actions::Action;
use crate::feasible::FeasibleRange;
use crate::figure::Figure;
use crate::ground_transform::GroundTransform;
use crate::intent::Intent;
use crate::matching::MatchingMemory;
use crate::objective::Objective;
use crate::recurrent::RecurrentMemory;
use rayon::prelude::*;

/// Where a character is in its motion. Cloned, it goes on in the same way.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneratorState {
    /// Frames since the start.
    pub frame: u64,
    /// The pose, in the layout of [`sinew_sim::Model`].
    pub qpos: Vec<f64>,
    /// A bit for each contact site that touches the ground.
    pub contacts: u32,
    /// What the generator remembers besides.
    pub memory: Memory,
}

/// What a kind of generator remembers of a character.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Memory {
    /// Of motion matching.
    Matching(MatchingMemory),
    /// Of the learned generator.
    Recurrent(RecurrentMemory),
}

/// A frame that lies ahead.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Frames ahead.
    pub offset: usize,
    /// The pose.
    pub qpos: Vec<f64>,
    /// `(q(t+1) ⊖ q(t)) / Δt`, as in eq. 4.
    pub qvel: Vec<f64>,
    /// A bit for each contact site that touches the ground.
    pub contacts: u32,
}

/// A generator of motion under objectives. The same states and objectives give the same frames, to the bit, on any number of threads.
pub trait Generator: Send + Sync {
    /// Its kind, as in files: `matching` or `lstm`.
    fn kind(&self) -> &'static str;
    /// The character.
    fn figure(&self) -> &Figure;
    /// Actions; objectives and intents name them by bit.
    fn actions(&self) -> &[Action];
    /// Frames a second.
    fn rate_hz(&self) -> f64;
    /// What can be asked of it.
    fn feasible(&self) -> &FeasibleRange;
    /// Memory that it needs, without states, bytes.
    fn bytes(&self) -> usize;

    /// Places a character at the origin, looking along x; each `seed` gives another moment of the motion.
    fn start(&self, seed: u64) -> GeneratorState;

    /// Goes on by a frame. Returns the objective that was pursued: that of the user as the character saw it before the frame, projected into the feasible
    /// range, with open values filled in.
    fn step(&self, state: &mut GeneratorState, objective: &Objective) -> Intent;

    /// Tells that the body is elsewhere, as after a step of the simulator: the motion goes on from there.
    fn set_pose(&self, state: &mut GeneratorState, qpos: &[f64], qvel: &[f64]);

    /// Moves and turns the motion as a whole over the ground: it goes on there as it would have gone on here.
    fn move_ground(&self, state: &mut GeneratorState, by: &GroundTransform);

    /// Time on the clock of a state, s.
    fn clock_secs(&self, state: &GeneratorState) -> f64 {
        state.frame as f64 / self.rate_hz()
    }

    /// A bit for each action that the motion shows now, whatever is asked for; none where the generator cannot tell.
    fn shown_actions(&self, _state: &GeneratorState) -> u32 {
        0
    }

    /// Joint places that the generator itself predicts, then end effectors, m; those of the pose where it predicts none. See [`Figure::joint_places`].
    fn joint_places(&self, state: &GeneratorState) -> Vec<[f64; 3]> {
        self.figure().joint_places(&state.qpos)
    }

    /// Reads ahead to `offsets`, which ascend: the frames that [`Generator::step`] will give under this objective.
    fn predict(&self, state: &GeneratorState, objective: &Objective, offsets: &[usize]) -> Vec<Prediction> {
        let model = self.figure().model();
        let mut ahead = state.clone();
        let mut found = Vec::with_capacity(offsets.len());
        let mut at = 0;
        for &offset in offsets {
            while at < offset {
                self.step(&mut ahead, objective);
                at += 1;
            }
            let (qpos, contacts) = (ahead.qpos.clone(), ahead.contacts);
            let mut qvel = vec![0.0; model.velocity_count()];
            let mut after = ahead.clone();
            self.step(&mut after, objective);
            model.difference(&qpos, &after.qpos, &mut qvel);
            qvel.iter_mut().for_each(|v| *v *= self.rate_hz());
            found.push(Prediction { offset, qpos, qvel, contacts });
        }
        found
    }

    /// Steps many characters at once, each under its own objective. Returns the completed objectives.
    ///
    /// # Panics
    /// Where there are not as many objectives as states.
    fn step_all(&self, states: &mut [GeneratorState], objectives: &[Objective]) -> Vec<Intent> {
        assert_eq!(states.len(), objectives.len(), "one objective for each state");
        let pairs = states.par_iter_mut().zip(objectives);
        pairs.map(|(state, objective)| self.step(state, objective)).collect()
    }
}

/// Fills the open values of an intent from another.
pub(crate) fn completed(mut intent: Intent, by: &Intent) -> Intent {
    for control in crate::intent::Control::ALL {
        if !intent.is_given(control) {
            intent.set(control, by.get(control));
        }
    }
    if intent.actions == 0 {
        intent.actions = by.actions;
    }
    intent
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intent::Control;

    #[test]
    fn open_values_are_filled_and_given_ones_stay() {
        let asked = Intent::new(0).with(Control::Speed, 2.0);
        let shown = Intent::new(4).with(Control::Speed, 1.0).with(Control::RootHeight, 0.9);
        let all = completed(asked, &shown);
        assert_eq!((all.get(Control::Speed), all.get(Control::RootHeight)), (Some(2.0), Some(0.9)));
        assert_eq!((all.actions, all.get(Control::TurnRate)), (4, None));
    }
}
