//! What a user wants of a character in a frame.

use serde::{Deserialize, Serialize};
use sinew_learn::Objective;

/// What a user wants of one character in a frame. The default leaves it alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// Where it is to go while this frame lasts.
    pub steer: Steer,
    /// Index of an action that it is to begin now, see [`crate::Part::action`].
    pub action: Option<usize>,
    /// Forces that begin now.
    pub pushes: Vec<Push>,
    /// Balls that are thrown now.
    pub throws: Vec<Throw>,
}

/// Where a character is to go.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Steer {
    /// As its motion goes.
    #[default]
    Free,
    /// A stick, or keys: a velocity along the ground, m/s, in world axes.
    Stick([f64; 2]),
    /// To a place on the ground, m.
    Target([f64; 2]),
    /// Any objective, as generators take it; its time is on the clock of the player.
    Objective(Objective),
    /// To the nearest character of another team that is on its feet; characters take turns in so many teams, by their number.
    Chase(usize),
}

impl Steer {
    /// As an objective that any of `locomotion` serves, a bit for each action.
    pub fn objective(&self, locomotion: u32) -> Objective {
        match *self {
            Steer::Free => Objective { actions: locomotion, ..Objective::default() },
            Steer::Stick([x, y]) => {
                let speed = (x * x + y * y).sqrt();
                let direction_rad = (speed > 0.0).then(|| libm::atan2(y, x));
                Objective { actions: locomotion, speed: Some(speed), direction_rad, ..Objective::default() }
            }
            Steer::Target(target) => Objective { actions: locomotion, target: Some(target), ..Objective::default() },
            Steer::Objective(objective) => objective,
            // Whoever is chased is known to the player alone, which makes a target of it.
            Steer::Chase(_) => Steer::Free.objective(locomotion),
        }
    }
}

/// A force on a body for some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// Index among the bodies of the compiled character: [`crate::Part::body_names`].
    pub body: usize,
    /// Force in world axes, N.
    pub force: [f64; 3],
    /// Where it acts, in the world, m; none for the body's centre of mass.
    pub point: Option<[f64; 3]>,
    /// How long, s.
    pub secs: f64,
}

/// A ball on its way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Throw {
    /// At the character: so that it meets the root 2 m on, as the character moves now.
    At {
        /// Mass, kg: the nearest of the balls that there are; none for the first kind.
        #[serde(skip_serializing_if = "Option::is_none")]
        mass_kg: Option<f64>,
        /// Speed along the ground, m/s.
        speed: f64,
        /// Where it comes from, degrees from the world's x axis to the left.
        from_deg: f64,
    },
    /// From a place in the world.
    From {
        /// Mass, kg: the nearest of the balls that there are; none for the first kind.
        #[serde(skip_serializing_if = "Option::is_none")]
        mass_kg: Option<f64>,
        /// Where it is now, m.
        position: [f64; 3],
        /// Its velocity, m/s.
        velocity: [f64; 3],
    },
}

impl Throw {
    /// Its mass, kg; none for the first kind.
    pub fn mass_kg(&self) -> Option<f64> {
        match self {
            Throw::At { mass_kg, .. } | Throw::From { mass_kg, .. } => *mass_kg,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stick_is_a_speed_and_a_direction_and_at_rest_has_none() {
        let objective = Steer::Stick([0.0, 1.5]).objective(5);
        assert_eq!((objective.actions, objective.speed), (5, Some(1.5)));
        assert_eq!(objective.direction_rad, Some(std::f64::consts::FRAC_PI_2));
        let rest = Steer::Stick([0.0, 0.0]).objective(5);
        assert_eq!((rest.speed, rest.direction_rad), (Some(0.0), None));
        assert_eq!(Steer::Target([3.0, 2.0]).objective(1).target, Some([3.0, 2.0]));
        let asked = Objective { actions: 2, ..Objective::default() };
        assert_eq!(Steer::Objective(asked).objective(1), asked);
    }
}
