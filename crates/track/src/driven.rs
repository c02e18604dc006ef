//! A character that can be driven: a generator says where it goes, a policy moves its simulated body there (Park et al. 2019, §3).
//!
//! In each frame the generator reads ahead under the objective, the policy follows its prediction for 1/30 s of simulation, and where the body has
//! come away from the motion, the motion goes on where the body is: its place on the ground, not its pose, since the motion is what the body is to return
//! to. [`Driven`] is a [`Generator`] itself, whose poses are those of the simulated body, so that everything that measures or draws generators measures
//! and draws it.

use crate::body::TrackedBody;
use crate::course::Course;
use crate::error::TrackError;
use crate::performer::Performer;
use crate::policy::TrainedPolicy;
use crate::reward::USUAL_HEIGHT_M;
use serde::{Deserialize, Serialize};
use sinew_learn::{Action, FeasibleRange, Figure, Generator, GeneratorState, GroundTransform, Intent, Objective};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A body that is farther off than this, on average over its parts, takes the motion with it over the ground, m for a figure of 1.7 m.
pub(crate) const FEEDS_BACK_M: f64 = 0.15;

/// Distance of a body from its motion, on average over its parts, beyond which the motion goes on where the body is, m.
pub fn feeds_back_m(body: &TrackedBody) -> f64 {
    FEEDS_BACK_M * body.height_m() / USUAL_HEIGHT_M
}

/// A generator whose character is simulated. It is one character: [`Generator::start`] begins anew.
pub struct Driven<'a> {
    generator: &'a dyn Generator,
    body: &'a TrackedBody,
    policy: &'a TrainedPolicy,
    feeds_back_m: f64,
    world: Mutex<Option<World>>,
}

struct World {
    performer: Performer,
    /// The motion that the body follows.
    course: Course,
    figures: DrivenFigures,
}

/// What happened since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DrivenFigures {
    /// Frames that were simulated.
    pub frames: u64,
    /// How often it fell or lost its motion; it then began anew on its motion.
    pub falls: u64,
    /// How often the motion was moved to where the body was.
    pub feedbacks: u64,
    /// Mean distance of bodies from the motion, m.
    pub mean_body_error_m: f64,
}

impl<'a> Driven<'a> {
    /// Joins a generator and a policy of the same character.
    ///
    /// # Errors
    /// Where they are of characters with other joints.
    pub fn new(
        generator: &'a dyn Generator,
        body: &'a TrackedBody,
        policy: &'a TrainedPolicy,
    ) -> Result<Driven<'a>, TrackError> {
        let joints = |character: &sinew_sim::Character| -> Vec<_> {
            character.joints.iter().map(|joint| (joint.name.clone(), joint.kind)).collect()
        };
        let theirs = generator.figure().character();
        if joints(theirs) != joints(&body.character) || generator.rate_hz() != policy.rate_hz {
            let (character, set) = (body.character.name.clone(), theirs.name.clone());
            return Err(TrackError::OtherJoints { character, set });
        }
        Ok(Driven { generator, body, policy, feeds_back_m: feeds_back_m(body), world: Mutex::new(None) })
    }

    /// What happened since the start.
    pub fn figures(&self) -> DrivenFigures {
        self.lock().as_ref().map(|world| world.figures).unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, Option<World>> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn window(&self, course: &Course, objective: &Objective) -> Vec<Vec<f64>> {
        course.window(self.generator, objective, self.policy.frames_ahead())
    }

    fn begin(&self, seed: u64) -> World {
        let course = Course::start(self.generator, seed);
        let window = self.window(&course, &Objective::default());
        let performer =
            Performer::new(self.body, self.policy, &window).expect("a window as long as the policy asks for");
        World { performer, course, figures: DrivenFigures::default() }
    }
}

impl Generator for Driven<'_> {
    fn kind(&self) -> &'static str {
        self.generator.kind()
    }
    fn figure(&self) -> &Figure {
        self.generator.figure()
    }
    fn actions(&self) -> &[Action] {
        self.generator.actions()
    }
    fn rate_hz(&self) -> f64 {
        self.generator.rate_hz()
    }
    fn feasible(&self) -> &FeasibleRange {
        self.generator.feasible()
    }
    fn bytes(&self) -> usize {
        self.generator.bytes()
    }

    fn start(&self, seed: u64) -> GeneratorState {
        let world = self.begin(seed);
        let state = GeneratorState { qpos: world.performer.position(), ..world.course.motion.clone() };
        *self.lock() = Some(world);
        state
    }

    /// # Panics
    /// Where it was not started.
    fn step(&self, state: &mut GeneratorState, objective: &Objective) -> Intent {
        let mut world = self.lock();
        let world = world.as_mut().expect("started");
        let window = self.window(&world.course, objective);
        let moment = world.performer.step(&window).expect("a window as long as the policy asks for");
        let intent = world.course.step(self.generator, objective);
        let figures = &mut world.figures;
        figures.frames += 1;
        figures.mean_body_error_m += (moment.body_error_m - figures.mean_body_error_m) / figures.frames as f64;
        if moment.has_fallen {
            figures.falls += 1;
            let window = self.window(&world.course, objective);
            world.performer.place(&window).expect("a window as long as the policy asks for");
        } else if moment.body_error_m > self.feeds_back_m {
            figures.feedbacks += 1;
            let body = world.performer.position();
            world.course.move_to(self.generator, [body[0], body[1]]);
        }
        state.frame += 1;
        state.qpos = world.performer.position();
        state.contacts = world.course.motion.contacts;
        intent
    }

    fn move_ground(&self, _state: &mut GeneratorState, _by: &GroundTransform) {
        // The body is where the simulation has it.
    }

    fn set_pose(&self, _state: &mut GeneratorState, _qpos: &[f64], _qvel: &[f64]) {
        // The body is where the simulation has it.
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TrackerConfig;
    use crate::networks::Policy;
    use crate::observation::Observer;
    use crate::policy::time_step;
    use crate::reference::Reference;
    use crate::test_motion::small_config;
    use sinew_learn::{MatchingConfig, MotionMatching, MotionSet, Origin, Sequence, SetHeader};
    use sinew_sim::{Character, embedded};

    /// A figure that stands as it does at rest, for some seconds.
    fn standing() -> (MotionMatching, TrackedBody, TrainedPolicy) {
        let config = small_config();
        let body = TrackedBody::new(&embedded::humanoid(), 0.0, time_step(&config, 30.0)).unwrap();
        let figure = Figure::new(&body.character, 0.0).unwrap();
        let rest: Vec<f32> = body.model().rest_position().iter().map(|x| *x as f32).collect();
        let header = SetHeader::new(&figure, vec![Action::move_to()]);
        let frames = 120;
        let sequence = Sequence {
            name: "stands".into(),
            source: "stands".into(),
            origin: Origin::Captured,
            positions: rest.repeat(frames),
            contacts: vec![u32::MAX >> (32 - header.sites.len() as u32); frames],
            labels: vec![1; frames],
            intents: vec![Intent::new(1); frames],
        };
        let set = MotionSet { header, sequences: vec![sequence] };
        let matching = MotionMatching::new(&set, &MatchingConfig::default()).unwrap();
        let rows = body.model().rest_position().repeat(20);
        let reference = Reference::new(&body, 30.0, &[rows], 2).unwrap();
        let policy = untrained(&body, &reference, &config);
        (matching, body, policy)
    }

    fn untrained(body: &TrackedBody, reference: &Reference, config: &TrackerConfig) -> TrainedPolicy {
        let inputs = Observer::new(body, config).width(body);
        TrainedPolicy::new(body, reference, config, Policy::new(config, inputs, body.coordinate_count(), 5))
    }

    #[test]
    fn the_body_is_simulated_and_a_fall_is_counted_and_mended() {
        let (matching, body, policy) = standing();
        let driven = Driven::new(&matching, &body, &policy).unwrap();
        let mut state = driven.start(1);
        let first = state.qpos.clone();
        driven.step(&mut state, &Objective::default());
        assert_eq!((state.frame, driven.figures().frames, driven.figures().falls), (1, 1, 0));
        assert_ne!(state.qpos, first, "physics has moved it");
        let off: f64 = (0..3).map(|k| (state.qpos[k] - first[k]).powi(2)).sum::<f64>().sqrt();
        assert!(off < 0.05, "{off}");
        // A body that lies on the ground has fallen, and stands again on its motion.
        let mut lying = first.clone();
        lying[2] = 0.2;
        {
            let mut world = driven.lock();
            let world = world.as_mut().unwrap();
            let window = vec![lying; 2 + policy.frames_ahead()];
            world.performer.place(&window).unwrap();
        }
        driven.step(&mut state, &Objective::default());
        let figures = driven.figures();
        assert_eq!((figures.falls, figures.frames), (1, 2));
        assert!(state.qpos[2] > 0.9 * first[2] && figures.mean_body_error_m > 0.1, "{figures:?}");
        // The same start and objectives give the same bits.
        let again = Driven::new(&matching, &body, &policy).unwrap();
        let (mut a, mut b) = (driven.start(3), again.start(3));
        for _ in 0..5 {
            driven.step(&mut a, &Objective::default());
            again.step(&mut b, &Objective::default());
        }
        assert!(a.qpos == b.qpos);
    }

    #[test]
    fn a_body_that_comes_away_takes_the_motion_with_it() {
        let (matching, body, policy) = standing();
        let driven = Driven::new(&matching, &body, &policy).unwrap();
        let mut state = driven.start(1);
        let mut beside = state.qpos.clone();
        beside[1] += 0.3;
        {
            let mut world = driven.lock();
            let world = world.as_mut().unwrap();
            world.performer.place(&vec![beside.clone(); 2 + policy.frames_ahead()]).unwrap();
        }
        driven.step(&mut state, &Objective::default());
        assert_eq!((driven.figures().feedbacks, driven.figures().falls), (1, 0));
        let at = driven.lock().as_ref().unwrap().course.motion.qpos[1];
        assert!((at - beside[1]).abs() < 0.1, "{at}, {}", beside[1]);
    }

    #[test]
    fn other_characters_are_refused() {
        let (matching, _, policy) = standing();
        let mut other: Character = embedded::humanoid();
        other.joints[1].name = "another".into();
        let body = TrackedBody::new(&other, 0.0, 1.0 / 600.0).unwrap();
        let error = Driven::new(&matching, &body, &policy).err().unwrap().to_string();
        assert!(error.contains("has other joints than"), "{error}");
    }
}
