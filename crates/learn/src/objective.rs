//! What a user asks of a character, in the world: C = (α, {β}) of Park et al. 2019, §3, with places that stay where they are while the character moves.

use crate::ground_transform::{GroundTransform, wrap_angle};
use crate::intent::{Control, Intent};
use serde::{Deserialize, Serialize};

/// An objective in the world. Whatever is none is left open; the generator fills it in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Objective {
    /// Actions, a bit for each of the set's; 0 for any.
    pub actions: u32,
    /// Place on the ground to be at, m.
    pub target: Option<[f64; 2]>,
    /// Angle to look along at the target, rad.
    pub heading_rad: Option<f64>,
    /// When the target is to be reached, on the clock of the state, s. None: as soon as the motion allows.
    pub due_secs: Option<f64>,
    /// Speed along the ground, m/s.
    pub speed: Option<f64>,
    /// Angle of the direction to move along, rad.
    pub direction_rad: Option<f64>,
    /// Rate of turning, rad/s; positive to the left.
    pub turn_rate: Option<f64>,
    /// Height of the root, m.
    pub root_height: Option<f64>,
}

impl Objective {
    /// To be at a place at a time.
    pub fn at(actions: u32, target: [f64; 2], due_secs: f64) -> Objective {
        Objective { actions, target: Some(target), due_secs: Some(due_secs), ..Objective::default() }
    }

    /// The objective that a character with the heading frame `frame` at the time `now_secs` must have, so that it sees `intent`.
    pub fn of_intent(intent: &Intent, frame: &GroundTransform, now_secs: f64) -> Objective {
        let get = |control| intent.get(control).map(f64::from);
        let pair = |a, b| get(a).zip(get(b));
        let angle = |(forward, left)| wrap_angle(libm::atan2(left, forward) + frame.yaw);
        Objective {
            actions: intent.actions,
            target: pair(Control::TargetForward, Control::TargetLeft).map(|(f, l)| frame.point([f, l])),
            heading_rad: get(Control::TargetTurn).map(|turn| wrap_angle(turn + frame.yaw)),
            due_secs: get(Control::TimeLeft).map(|secs| now_secs + secs),
            speed: get(Control::Speed),
            direction_rad: pair(Control::DirectionForward, Control::DirectionLeft).map(angle),
            turn_rate: get(Control::TurnRate),
            root_height: get(Control::RootHeight),
        }
    }

    /// The objective as the character sees it, from its heading frame at the time `now_secs`. No time is left after the due time.
    pub fn seen_from(&self, frame: &GroundTransform, now_secs: f64) -> Intent {
        let mut intent = Intent::new(self.actions);
        let mut set = |control, value: Option<f64>| intent.set(control, value.map(|x| x as f32));
        let target = self.target.map(|place| frame.inverse().point(place));
        set(Control::TargetForward, target.map(|[forward, _]| forward));
        set(Control::TargetLeft, target.map(|[_, left]| left));
        set(Control::TargetTurn, self.heading_rad.map(|heading| wrap_angle(heading - frame.yaw)));
        set(Control::TimeLeft, self.due_secs.map(|due| (due - now_secs).max(0.0)));
        set(Control::Speed, self.speed);
        let direction = self.direction_rad.map(|angle| libm::sincos(angle - frame.yaw));
        set(Control::DirectionForward, direction.map(|(_, cos)| cos));
        set(Control::DirectionLeft, direction.map(|(sin, _)| sin));
        set(Control::TurnRate, self.turn_rate);
        set(Control::RootHeight, self.root_height);
        intent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_stays_in_the_world_while_the_character_moves() {
        let objective = Objective {
            heading_rad: Some(1.0),
            direction_rad: Some(std::f64::consts::FRAC_PI_2),
            ..Objective::at(1, [3.0, 2.0], 1.5)
        };
        // It stands at (3, 0), looks along y, and a second has gone.
        let frame = GroundTransform { x: 3.0, y: 0.0, yaw: std::f64::consts::FRAC_PI_2 };
        let intent = objective.seen_from(&frame, 1.0);
        let near = |control, wanted: f64| (f64::from(intent.get(control).unwrap()) - wanted).abs() < 1e-6;
        assert!(near(Control::TargetForward, 2.0) && near(Control::TargetLeft, 0.0), "{intent:?}");
        assert!(near(Control::TargetTurn, 1.0 - std::f64::consts::FRAC_PI_2) && near(Control::TimeLeft, 0.5));
        assert!(near(Control::DirectionForward, 1.0) && near(Control::DirectionLeft, 0.0));
        assert_eq!(intent.get(Control::Speed), None);
        assert_eq!(objective.seen_from(&frame, 9.0).get(Control::TimeLeft), Some(0.0));
    }

    #[test]
    fn an_intent_becomes_the_objective_that_shows_it() {
        let intent = Intent::new(2)
            .with(Control::TargetForward, 1.0)
            .with(Control::TargetLeft, -0.5)
            .with(Control::TimeLeft, 0.75)
            .with(Control::TurnRate, 0.25)
            .with(Control::DirectionForward, 0.6)
            .with(Control::DirectionLeft, 0.8);
        let frame = GroundTransform { x: -2.0, y: 5.0, yaw: 2.5 };
        let back = Objective::of_intent(&intent, &frame, 4.0).seen_from(&frame, 4.0);
        assert_eq!((back.actions, back.mask()), (intent.actions, intent.mask()));
        let off = back.values().iter().zip(intent.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off < 1e-6, "{back:?}");
    }
}
