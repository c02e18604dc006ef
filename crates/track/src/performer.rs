//! One character in simulation that follows a motion which is made while it moves.

use crate::body::TrackedBody;
use crate::environment::{Environment, Episode};
use crate::error::TrackError;
use crate::policy::TrainedPolicy;
use crate::reference::Reference;
use crate::trial::trial_ends;
use sinew_nn::MlpInference;
use std::borrow::Cow;

/// A simulated character under its policy.
pub struct Performer<'a> {
    environment: Environment<'a>,
    policy: &'a TrainedPolicy,
    memory: MlpInference<f32>,
}

/// What a performer did in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Mean distance of all bodies from the motion, m.
    pub body_error_m: f64,
    /// Whether it has fallen, or lost its motion.
    pub has_fallen: bool,
}

impl<'a> Performer<'a> {
    /// A character on the first frame of a window; see [`Performer::step`].
    ///
    /// # Errors
    /// Where the window is too short, or the world cannot be made.
    pub fn new(body: &'a TrackedBody, policy: &'a TrainedPolicy, window: &[Vec<f64>]) -> Result<Self, TrackError> {
        let reference = windowed(body, policy, window)?;
        let ends = trial_ends(body, policy);
        let mut environment = Environment::of(body, Cow::Owned(reference), &policy.config, ends, 1)?;
        environment.place(&[0], &[1])?;
        Ok(Performer { environment, policy, memory: policy.policy.mean.inference() })
    }

    /// Puts the character onto the motion, at rest with it: as after a fall.
    ///
    /// # Errors
    /// Where the window is too short.
    pub fn place(&mut self, window: &[Vec<f64>]) -> Result<(), TrackError> {
        let reference = windowed(self.environment.body, self.policy, window)?;
        self.environment.follow(reference, 1);
        self.environment.place(&[0], &[1])
    }

    /// Goes on by a frame. The window has rows of `qpos`: the frame before the present one, the present one, and as many ahead as
    /// [`TrainedPolicy::frames_ahead`] says, so that velocities are those of the training.
    ///
    /// # Errors
    /// Where the window is too short.
    pub fn step(&mut self, window: &[Vec<f64>]) -> Result<Moment, TrackError> {
        let reference = windowed(self.environment.body, self.policy, window)?;
        self.environment.follow(reference, 1);
        let action = self.policy.policy.mean.infer(&self.environment.observations, &mut self.memory).to_vec();
        self.environment.step(&action)?;
        let outcome = self.environment.outcomes[0];
        Ok(Moment { body_error_m: f64::from(outcome.body_error), has_fallen: outcome.episode == Episode::Failed })
    }

    /// Its `qpos`.
    pub fn position(&self) -> Vec<f64> {
        self.environment.state.positions.iter().map(|x| f64::from(*x)).collect()
    }

    /// Its `qvel`.
    pub fn velocity(&self) -> Vec<f64> {
        self.environment.state.velocities.iter().map(|x| f64::from(*x)).collect()
    }
}

/// A window as a motion that can be tracked: the present frame is its second.
fn windowed(body: &TrackedBody, policy: &TrainedPolicy, window: &[Vec<f64>]) -> Result<Reference, TrackError> {
    Reference::new(body, policy.rate_hz, &[window.concat()], 2 + policy.frames_ahead())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TrackerConfig;
    use crate::networks::Policy;
    use crate::observation::Observer;
    use crate::test_motion::{small_config, swaying};
    use crate::trial::record;

    fn untrained(body: &TrackedBody, reference: &Reference, config: &TrackerConfig) -> TrainedPolicy {
        let inputs = Observer::new(body, config).width(body);
        TrainedPolicy::new(body, reference, config, Policy::new(config, inputs, body.coordinate_count(), 5))
    }

    #[test]
    fn frame_by_frame_it_does_what_it_does_with_the_whole_motion() {
        let config = TrackerConfig { preview: vec![1, 10], ..small_config() };
        let (body, reference) = swaying(&config);
        let policy = untrained(&body, &reference, &config);
        let whole = record(&body, &reference, &policy, 5, 12).unwrap();
        let window = |frame: usize| {
            (frame - 1..=frame + policy.frames_ahead()).map(|f| reference.position(f)).collect::<Vec<_>>()
        };
        let mut performer = Performer::new(&body, &policy, &window(5)).unwrap();
        for (step, row) in whole[1..].iter().enumerate() {
            let moment = performer.step(&window(5 + step)).unwrap();
            assert!(!moment.has_fallen && moment.body_error_m < 0.3);
            for (own, recorded) in performer.position().iter().zip(row) {
                assert!((own - recorded).abs() < 1e-4, "frame {step}: {own}, {recorded}");
            }
        }
        performer.place(&window(8)).unwrap();
        let placed: Vec<f32> = performer.position().iter().map(|x| *x as f32).collect();
        assert_eq!(placed, reference.position(8).iter().map(|x| *x as f32).collect::<Vec<_>>());
        assert!(performer.step(&window(8)[..12]).is_err(), "a window that ends too soon is refused");
    }
}
