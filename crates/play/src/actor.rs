//! One character on its way: what it is doing, and what happens when it falls.

use crate::event::{Happening, PlayFigures};
use crate::foresight::{Foresight, Outlook, Present};
use crate::input::Input;
use crate::part::Part;
use crate::room::free_place;
use crate::wish::{Doing, Wish};
use sinew_learn::{GroundTransform, Objective};
use sinew_track::{Course, Moment, PilotState, Seen, TrackError, feeds_back_m};

/// How long a character that has fallen is limp, s.
const LIMP_SECS: f64 = 1.0;
/// What is left of the PD gains then.
pub(crate) const LIMP_GAIN: f64 = 0.05;
/// Least frames between two tries, where something else is asked for, and where what is asked for has to wait.
const TRIED_AGAIN: u64 = 2;
const WAITS: u64 = 6;
/// How long an action waits for a moment in which the body can begin it, s.
const PATIENCE_SECS: f64 = 3.0;

/// A character on its way.
pub(crate) struct Actor {
    pub part: Part,
    pub course: Course,
    pub state: PilotState,
    pub figures: PlayFigures,
    doing: Doing,
    /// What it was asked for in the present frame.
    objective: Objective,
    /// What it was asked for last, and what it does of that.
    asked: Wish,
    pursued: Wish,
    /// Tries out what it is asked for.
    foresight: Option<Foresight>,
    /// When it tried that last, and whether it waits for a moment in which it can do what it is asked for.
    tried: u64,
    waits: bool,
    /// An action that waits for that, and until when.
    waiting_action: Option<(usize, u64)>,
    followed_frames: u64,
    feeds_back_m: f64,
}

/// What the world has to do for a character after a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Upshot {
    /// Nothing.
    Goes,
    /// Its gains fall.
    GoesLimp,
    /// Its gains come back.
    Stiffens,
    /// Its gains come back, and it is put where [`PilotState::start`] says.
    IsPlaced,
}

impl Actor {
    /// Puts a character at a moment of its motion; it tries out what it does so many seconds ahead, 0 for none.
    pub fn new(part: &Part, seed: u64, place: &GroundTransform, foresight_secs: f64) -> Result<Actor, TrackError> {
        let generator = part.generator();
        let mut course = Course::start(generator, seed);
        if *place != GroundTransform::default() {
            course.transform(generator, place);
        }
        let window = course.window(generator, &Objective::default(), part.pilot().policy().frames_ahead());
        Ok(Actor {
            state: part.pilot().begin(&window)?,
            course,
            figures: PlayFigures::default(),
            doing: Doing::Moving,
            objective: Objective::default(),
            asked: Wish::FREE,
            pursued: Wish::FREE,
            foresight: (part.is_simulated() && foresight_secs > 0.0)
                .then(|| Foresight::new(part, foresight_secs))
                .transpose()?,
            tried: 0,
            waits: false,
            waiting_action: None,
            followed_frames: 0,
            feeds_back_m: feeds_back_m(part.pilot().body()),
            part: part.clone(),
        })
    }

    /// Where its motion is on the ground.
    pub fn motion_place(&self) -> [f64; 2] {
        [self.course.motion.qpos[0], self.course.motion.qpos[1]]
    }

    /// Whether it follows a motion: not where it lies limp.
    pub fn follows(&self) -> bool {
        !matches!(self.doing, Doing::Limp { .. })
    }

    /// The action that it is in.
    pub fn action(&self) -> Option<usize> {
        match self.doing {
            Doing::Acting { action, .. } | Doing::StandingUp { action, .. } => Some(action),
            Doing::Moving | Doing::Limp { .. } => None,
        }
    }

    /// What it is asked for in the present frame.
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// Whether it waits for a moment in which it can do what it is asked for.
    #[cfg(test)]
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// At the beginning of a frame: takes what the user wants, and looks ahead.
    pub fn look_ahead(
        &mut self,
        input: &Input,
        seen: Seen<'_>,
        frame: u64,
        happened: &mut Vec<Happening>,
    ) -> Result<(), TrackError> {
        let is_free = matches!(self.doing, Doing::Moving | Doing::Acting { .. });
        if let Some(action) = input.action.filter(|action| is_free && *action < self.part.actions().len()) {
            let patience = libm::round(PATIENCE_SECS * self.part.generator().rate_hz()) as u64;
            self.waiting_action = Some((action, frame + patience));
        }
        if is_free {
            self.decide(input, seen, frame, happened)?;
        } else {
            (self.pursued, self.waiting_action) = (Wish { doing: self.doing, steer: input.steer }, None);
            self.foresight.iter_mut().for_each(Foresight::forget);
        }
        self.objective = self.pursued.objective(&self.part, &self.course.motion, frame);
        if self.follows() {
            let pilot = &self.part.pilot;
            let ahead = pilot.policy().frames_ahead();
            let window = self.course.window(self.part.generator(), &self.objective, ahead);
            pilot.follow(&mut self.state, &window)?;
        }
        Ok(())
    }

    /// Decides what is done of what is asked for: that, if the body can; otherwise what it pursued before, until it can.
    fn decide(
        &mut self,
        input: &Input,
        seen: Seen<'_>,
        frame: u64,
        happened: &mut Vec<Happening>,
    ) -> Result<(), TrackError> {
        let steered = Wish { doing: self.doing, steer: input.steer };
        let acting = self.waiting_action.map(|(action, _)| Wish {
            doing: Doing::action(&self.part, action, &self.course.motion, frame),
            ..steered
        });
        let Some(foresight) = &mut self.foresight else {
            self.pursue(acting.unwrap_or(steered), frame, happened);
            return Ok(());
        };
        let outlook = foresight.go_on(seen)?;
        let is_new = self.asked != steered || self.waiting_action.is_some();
        let since = frame - self.tried;
        let is_due = match outlook {
            Outlook::Unknown => true,
            Outlook::Good => is_new && since >= TRIED_AGAIN || self.waits && since >= WAITS,
            Outlook::Falls(_) => since >= WAITS,
        };
        if !is_due {
            return Ok(());
        }
        (self.tried, self.asked) = (frame, steered);
        let mut wishes: Vec<Wish> = acting.into_iter().collect();
        for wish in [steered, self.pursued].into_iter().chain(Wish::ways_out(&self.part, &self.course.motion)) {
            if !wishes.contains(&wish) {
                wishes.push(wish);
            }
        }
        let now = Present { course: &self.course, state: &self.state, seen, frame };
        let chosen = foresight.choose(&wishes, now)?;
        self.waits = chosen > 0;
        self.pursue(wishes[chosen], frame, happened);
        if self.waits && self.waiting_action.is_some_and(|(_, until)| frame >= until) {
            self.waiting_action = None;
        }
        Ok(())
    }

    /// Does what was decided.
    fn pursue(&mut self, wish: Wish, frame: u64, happened: &mut Vec<Happening>) {
        self.pursued = wish;
        if let Some((action, _)) = self.waiting_action
            && matches!(wish.doing, Doing::Acting { action: begun, until, .. } if begun == action && until > frame)
            && wish.doing != self.doing
        {
            self.doing = wish.doing;
            self.waiting_action = None;
            happened.push(Happening::Began(action));
        }
    }

    /// At the end of a frame: judges where the body came to. `others` is where the roots of the other characters are, `frame` the next frame, `is_lost`
    /// whether the world is beyond reason.
    pub fn conclude(
        &mut self,
        seen: Seen<'_>,
        others: &[[f64; 2]],
        frame: u64,
        is_lost: bool,
        happened: &mut Vec<Happening>,
    ) -> Result<Upshot, TrackError> {
        self.figures.frames += 1;
        if let Doing::Limp { until } = self.doing {
            // The clock of the motion goes on.
            self.course.motion.frame += 1;
            if is_lost {
                return self.place_anew(seen, others, happened);
            }
            return if frame < until { Ok(Upshot::Goes) } else { self.get_up(seen, others, frame, happened) };
        }
        let moment = self.part.pilot.judge(&self.state, seen);
        let generator = self.part.generator.clone();
        self.course.step(generator.as_ref(), &self.objective);
        if !self.part.is_simulated() {
            self.end_of_action(frame, happened);
            return self.put_onto_motion(self.objective);
        }
        self.note(&moment);
        if is_lost || moment.has_fallen {
            return self.fall(seen, others, frame, is_lost, happened);
        }
        if moment.body_error_m > self.feeds_back_m {
            self.figures.feedbacks += 1;
            self.course.move_to(generator.as_ref(), place_of(seen));
        }
        self.end_of_action(frame, happened);
        Ok(Upshot::Goes)
    }

    fn end_of_action(&mut self, frame: u64, happened: &mut Vec<Happening>) {
        match self.doing {
            Doing::Acting { action, until, .. } if frame >= until => {
                happened.push(Happening::Achieved(action));
                self.doing = Doing::Moving;
            }
            Doing::StandingUp { until, .. } if frame >= until => {
                happened.push(Happening::StoodUp);
                self.figures.stand_ups += 1;
                self.doing = Doing::Moving;
            }
            _ => {}
        }
    }

    fn note(&mut self, moment: &Moment) {
        self.followed_frames += 1;
        let mean = &mut self.figures.mean_body_error_m;
        *mean += (moment.body_error_m - *mean) / self.followed_frames as f64;
    }

    fn fall(
        &mut self,
        seen: Seen<'_>,
        others: &[[f64; 2]],
        frame: u64,
        is_lost: bool,
        happened: &mut Vec<Happening>,
    ) -> Result<Upshot, TrackError> {
        if let Doing::StandingUp { .. } = self.doing {
            // Still the same fall: who cannot get up is helped.
            return self.place_anew(seen, others, happened);
        }
        self.figures.falls += 1;
        happened.push(Happening::Fell);
        if is_lost {
            return self.place_anew(seen, others, happened);
        }
        let frames = libm::round(LIMP_SECS * self.part.generator().rate_hz()) as u64;
        self.doing = Doing::Limp { until: frame + frames };
        Ok(Upshot::GoesLimp)
    }

    /// After a fall: by its own action where it has one, else by ours.
    fn get_up(
        &mut self,
        seen: Seen<'_>,
        others: &[[f64; 2]],
        frame: u64,
        happened: &mut Vec<Happening>,
    ) -> Result<Upshot, TrackError> {
        let Some(action) = self.part.stand_up() else { return self.place_anew(seen, others, happened) };
        let generator = self.part.generator();
        let wide = |row: &[f32]| row.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>();
        self.course.resume_from(generator, &wide(seen.position), &wide(seen.velocity));
        let timing = self.part.timing(action);
        let frames = libm::round((timing.lead_secs + timing.follow_secs) * generator.rate_hz()).max(1.0) as u64;
        self.doing = Doing::StandingUp { action, until: frame + frames };
        happened.push(Happening::StandsUp);
        Ok(Upshot::Stiffens)
    }

    /// Onto its motion, where it lies, or beside it where somebody else is there.
    fn place_anew(
        &mut self,
        seen: Seen<'_>,
        others: &[[f64; 2]],
        happened: &mut Vec<Happening>,
    ) -> Result<Upshot, TrackError> {
        let generator = self.part.generator.clone();
        let place = Some(place_of(seen)).filter(|place| place.iter().all(|x| x.is_finite()));
        let place = place.unwrap_or(self.motion_place());
        let height_m = self.part.pilot.body().height_m();
        self.course.move_to(generator.as_ref(), free_place(place, others, height_m));
        self.doing = Doing::Moving;
        happened.push(Happening::PlacedAnew);
        self.put_onto_motion(Objective::default())
    }

    /// The body is where its motion is, and moves as it does.
    fn put_onto_motion(&mut self, objective: Objective) -> Result<Upshot, TrackError> {
        let pilot = &self.part.pilot;
        let ahead = pilot.policy().frames_ahead();
        let window = self.course.window(self.part.generator(), &objective, ahead);
        pilot.follow(&mut self.state, &window)?;
        Ok(Upshot::IsPlaced)
    }
}

/// The root's place on the ground.
pub(crate) fn place_of(seen: Seen<'_>) -> [f64; 2] {
    [f64::from(seen.position[0]), f64::from(seen.position[1])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Steer;
    use crate::test_character::part;
    use crate::wish::MOST_TURN_RAD;

    /// A body that is exactly where its motion is at the end of each frame.
    fn perfect(actor: &mut Actor, frame: u64, happened: &mut Vec<Happening>) -> Upshot {
        let rows = actor.state.clone();
        let ([position, velocity], observed) = (rows.start(), rows.start_observed());
        let seen = Seen { position, velocity, observed: &observed };
        actor.look_ahead(&Input::default(), seen, frame, happened).unwrap();
        let ahead = actor.course.window(actor.part.generator(), &actor.objective, 12);
        let next = actor.part.pilot.begin(&ahead[1..]).unwrap();
        let ([position, velocity], observed) = (next.start(), next.start_observed());
        let seen = Seen { position, velocity, observed: &observed };
        actor.conclude(seen, &[], frame + 1, false, happened).unwrap()
    }

    #[test]
    fn a_stick_leads_ahead_and_round_in_an_arc() {
        let placed = GroundTransform { x: 2.0, y: 3.0, yaw: 0.5 };
        let actor = Actor::new(&part(&[]), 1, &placed, 0.0).unwrap();
        let here = actor.part.generator().figure().heading_frame(&actor.course.motion.qpos);
        let led = |angle: f64| {
            let stick = Steer::Stick([1.2 * libm::cos(here.yaw + angle), 1.2 * libm::sin(here.yaw + angle)]);
            let [x, y] = here.inverse().point(
                Wish { steer: stick, ..Wish::FREE }.objective(&actor.part, &actor.course.motion, 0).target.unwrap(),
            );
            (libm::atan2(y, x), (x * x + y * y).sqrt())
        };
        for (angle, wanted) in [(0.0, 0.0), (0.3, 0.3), (-0.4, -0.4), (3.0, MOST_TURN_RAD), (-2.0, -MOST_TURN_RAD)] {
            let (found, way) = led(angle);
            assert!((found - wanted).abs() < 1e-6 && (way - 1.2).abs() < 1e-6, "{angle}: {found} {way}");
        }
        assert_eq!(
            Wish { steer: Steer::Stick([0.0; 2]), ..Wish::FREE }.objective(&actor.part, &actor.course.motion, 0).speed,
            Some(0.0),
            "who is told nothing stands"
        );
    }

    #[test]
    fn who_follows_the_motion_of_standing_up_has_stood_up_at_its_end() {
        let mut actor = Actor::new(&part(&["StandUp"]), 1, &GroundTransform::default(), 0.0).unwrap();
        let (mut happened, mut upshots) = (Vec::new(), Vec::new());
        actor.figures.falls = 1;
        actor.doing = Doing::Limp { until: 3 };
        for frame in 0..60 {
            upshots.push(perfect(&mut actor, frame, &mut happened));
        }
        assert_eq!(happened, [Happening::StandsUp, Happening::StoodUp]);
        assert_eq!(upshots.iter().position(|upshot| *upshot == Upshot::Stiffens), Some(2));
        assert_eq!((actor.figures.falls, actor.figures.stand_ups, actor.doing), (1, 1, Doing::Moving));
        assert_eq!(actor.course.motion.frame, 60, "the clock goes on while it lies");
    }

    #[test]
    fn who_is_put_onto_its_feet_stands_beside_who_is_there() {
        let placed_beside = |others: &[[f64; 2]]| {
            let mut actor = Actor::new(&part(&[]), 1, &GroundTransform { x: 1.0, y: 2.0, yaw: 0.5 }, 0.0).unwrap();
            let ([position, velocity], observed) = (actor.state.start(), actor.state.start_observed());
            let (position, velocity) = (position.to_vec(), velocity.to_vec());
            let seen = Seen { position: &position, velocity: &velocity, observed: &observed };
            let upshot = actor.conclude(seen, others, 1, true, &mut Vec::new()).unwrap();
            assert_eq!(upshot, Upshot::IsPlaced);
            let [x, y] = place_of(seen);
            (actor.motion_place()[0] - x).hypot(actor.motion_place()[1] - y)
        };
        assert!(placed_beside(&[]) < 1e-6);
        assert!(placed_beside(&[[1.0, 2.0]]) > 0.3);
    }
}
