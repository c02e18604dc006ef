//! What a character is to do: steered, or in the middle of an action; and the objective that this is in each frame.

use crate::input::Steer;
use crate::part::Part;
use crate::walk::walk_speed;
use sinew_learn::{GeneratorState, Goal, Objective, wrap_angle};

/// How long an action that is maintained is kept up, s.
const KEPT_UP_SECS: f64 = 3.0;
/// How far ahead a stick leads, s: the lookahead of moving about.
const STICK_SECS: f64 = 1.0;
/// Most that a stick leads aside of where the character looks, rad.
pub(crate) const MOST_TURN_RAD: f64 = std::f64::consts::FRAC_PI_6;

/// What a character is doing. Times are frames of the player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Doing {
    Moving,
    Acting { action: usize, place: Option<[f64; 2]>, due: u64, until: u64 },
    Limp { until: u64 },
    StandingUp { action: usize, until: u64 },
}

impl Doing {
    /// An action that begins in this frame of a motion.
    pub fn action(part: &Part, action: usize, motion: &GeneratorState, frame: u64) -> Doing {
        let rate_hz = part.generator().rate_hz();
        let frames = |secs: f64| libm::round(secs * rate_hz).max(1.0) as u64;
        match part.actions()[action].goal {
            Goal::Achieve => {
                let timing = part.timing(action);
                let here = part.generator().figure().heading_frame(&motion.qpos);
                let due = frame + frames(timing.lead_secs);
                let until = due + frames(timing.follow_secs);
                Doing::Acting { action, place: Some(here.point(timing.way_m)), due, until }
            }
            Goal::Maintain | Goal::MoveTo => {
                let until = frame + frames(KEPT_UP_SECS);
                Doing::Acting { action, place: None, due: until, until }
            }
        }
    }
}

/// What a character is to do from some frame on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wish {
    pub doing: Doing,
    pub steer: Steer,
}

impl Wish {
    /// To go on as the motion goes.
    pub const FREE: Wish = Wish { doing: Doing::Moving, steer: Steer::Free };
    /// To stand.
    const REST: Wish = Wish { doing: Doing::Moving, steer: Steer::Stick([0.0; 2]) };

    /// What a body may do that can do nothing of what is asked for: stand, go on as it goes, or walk, straight on, slower, or to either side.
    pub fn ways_out(part: &Part, motion: &GeneratorState) -> [Wish; 7] {
        let walk = walk_speed(part);
        let yaw = part.generator().figure().heading_frame(&motion.qpos).yaw;
        let stick = |speed: f64, aside: f64| {
            let (sin, cos) = libm::sincos(yaw + aside);
            Wish { steer: Steer::Stick([speed * cos, speed * sin]), ..Wish::FREE }
        };
        let anything = Wish { steer: Steer::Objective(Objective::default()), ..Wish::FREE };
        let aside = MOST_TURN_RAD;
        [
            Wish::REST,
            Wish::FREE,
            anything,
            stick(walk, 0.0),
            stick(0.5 * walk, 0.0),
            stick(walk, aside),
            stick(walk, -aside),
        ]
    }

    /// That of the action that it is in, else what steering says.
    fn as_asked(&self, part: &Part, motion: &GeneratorState, frame: u64) -> Objective {
        let rate_hz = part.generator().rate_hz();
        match self.doing {
            Doing::Acting { until, .. } if frame >= until => steered(&self.steer, part, motion),
            Doing::Moving | Doing::Limp { .. } => steered(&self.steer, part, motion),
            Doing::Acting { action, place: Some(place), due, .. } if frame < due => {
                Objective::at(1 << action, place, due as f64 / rate_hz)
            }
            Doing::Acting { action, place: None, .. } => Objective { actions: 1 << action, ..self.steer.objective(0) },
            // What follows the moment is the rest of the motion.
            Doing::Acting { action, .. } | Doing::StandingUp { action, .. } => {
                Objective { actions: 1 << action, ..Objective::default() }
            }
        }
    }

    /// The objective of a frame of a motion. What was to be reached before it asks for nothing more.
    pub fn objective(&self, part: &Part, motion: &GeneratorState, frame: u64) -> Objective {
        let objective = self.as_asked(part, motion, frame);
        let now_secs = frame as f64 / part.generator().rate_hz();
        match objective.due_secs {
            Some(due) if due < now_secs => Objective { actions: objective.actions, ..Objective::default() },
            _ => objective,
        }
    }
}

fn steered(steer: &Steer, part: &Part, motion: &GeneratorState) -> Objective {
    match *steer {
        Steer::Stick([x, y]) if x != 0.0 || y != 0.0 => along(part, motion, [x, y]),
        _ => steer.objective(part.locomotion()),
    }
}

/// The objective of a stick: to be where its velocity leads to. Motion that leads back is rare, so that who is to turn round is led round in an arc.
fn along(part: &Part, motion: &GeneratorState, [x, y]: [f64; 2]) -> Objective {
    let here = part.generator().figure().heading_frame(&motion.qpos);
    let off = wrap_angle(libm::atan2(y, x) - here.yaw).clamp(-MOST_TURN_RAD, MOST_TURN_RAD);
    let (sin, cos) = libm::sincos(off);
    let way = (x * x + y * y).sqrt() * STICK_SECS;
    let target = Some(here.point([way * cos, way * sin]));
    Objective { actions: part.locomotion(), target, ..Objective::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_character::part;

    #[test]
    fn an_action_is_a_moment_then_its_rest_then_what_is_steered() {
        let part = part(&["Wave"]);
        let motion = part.generator().start(1);
        let doing = Doing::action(&part, 1, &motion, 30);
        let Doing::Acting { due, until, .. } = doing else { panic!("{doing:?}") };
        let wish = Wish { doing, steer: Steer::Target([3.0, 1.0]) };
        let at = |frame: u64| wish.objective(&part, &motion, frame);
        assert!(30 < due && due < until);
        assert_eq!((at(30).actions, at(30).due_secs), (2, Some(due as f64 / 30.0)));
        assert_eq!((at(due).actions, at(due).target), (2, None));
        assert_eq!((at(until).actions, at(until).target), (1, Some([3.0, 1.0])));
    }

    #[test]
    fn what_was_due_asks_for_nothing_more() {
        let part = part(&[]);
        let motion = part.generator().start(1);
        let asked = Objective::at(1, [1.0, 0.0], 1.0);
        let wish = Wish { doing: Doing::Moving, steer: Steer::Objective(asked) };
        assert_eq!(wish.objective(&part, &motion, 30), asked);
        assert_eq!(wish.objective(&part, &motion, 31), Objective { actions: 1, ..Objective::default() });
    }
}
