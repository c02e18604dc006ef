//! What a character may be asked to do: names of actions, and the kind of goal that each has.

use serde::{Deserialize, Serialize};

/// How the control values β of an action are inferred from motion (Park et al. 2019, §4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// To be somewhere: the place on the ground that the character reaches after the lookahead, in every labelled frame.
    MoveTo,
    /// A maintenance goal: direction, speed, turning rate and height as means over 0.5 to 1.0 s ahead, in every labelled frame.
    Maintain,
    /// An achievement goal: place, heading and time left of the next labelled moment, in the frames at most the lookahead before it.
    Achieve,
}

/// An action α by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// Its name, such as `MoveTo` or `Punch`.
    pub name: String,
    /// What kind of goal it has.
    pub goal: Goal,
    /// How far the character looks ahead, s: T of the paper for [`Goal::Achieve`] (3 s), the time to the target for [`Goal::MoveTo`] (1 s).
    pub lookahead_secs: f64,
}

impl Action {
    /// An action with the paper's lookahead for its goal.
    pub fn new(name: impl Into<String>, goal: Goal) -> Action {
        let lookahead_secs = if goal == Goal::Achieve { 3.0 } else { 1.0 };
        Action { name: name.into(), goal, lookahead_secs }
    }

    /// The one action of a set without labels.
    pub fn move_to() -> Action {
        Action::new("MoveTo", Goal::MoveTo)
    }
}

const MAINTAINED: [&str; 20] = [
    "Walk", "Run", "Stand", "Idle", "Turn", "Strafe", "Crawl", "Crouch", "Sneak", "March", "Skip", "Hop", "Gallop",
    "Trot", "Climb", "Dance", "Dribble", "Limp", "Zombie", "Gorilla",
];
const ACHIEVED: [&str; 20] = [
    "Jump",
    "Leap",
    "Punch",
    "Kick",
    "Attack",
    "Block",
    "Duck",
    "Vault",
    "Roll",
    "Throw",
    "Catch",
    "Shoot",
    "Pass",
    "PickUp",
    "Sit",
    "LieDown",
    "StandUp",
    "FallForward",
    "FallBackward",
    "Roar",
];

/// Returns the actions that need no declaration: `MoveTo`, then those of the paper and common relatives.
pub fn known_actions() -> Vec<Action> {
    let maintained = MAINTAINED.iter().map(|name| Action::new(*name, Goal::Maintain));
    let achieved = ACHIEVED.iter().map(|name| Action::new(*name, Goal::Achieve));
    std::iter::once(Action::move_to()).chain(maintained).chain(achieved).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookaheads_are_those_of_the_paper() {
        let known = known_actions();
        let find = |name: &str| known.iter().find(|a| a.name == name).unwrap();
        assert_eq!((find("MoveTo").goal, find("MoveTo").lookahead_secs), (Goal::MoveTo, 1.0));
        assert_eq!((find("Punch").goal, find("Punch").lookahead_secs), (Goal::Achieve, 3.0));
        assert_eq!(find("Walk").goal, Goal::Maintain);
        let mut names: Vec<String> = known.iter().map(|a| a.name.to_lowercase()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), known.len());
    }
}
