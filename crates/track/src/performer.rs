//! One character in simulation that follows a motion which is made while it moves.

use crate::body::TrackedBody;
use crate::error::TrackError;
use crate::pilot::{Moment, Pilot, PilotState, Seen};
use crate::policy::TrainedPolicy;
use sinew_sim::{Batch, BatchOptions, Condition, Readings};

/// A simulated character under its policy, alone in its world.
pub struct Performer {
    pilot: Pilot,
    state: PilotState,
    batch: Batch,
    positions: Vec<f32>,
    velocities: Vec<f32>,
    observed: Vec<f32>,
    conditions: [Condition; 1],
}

impl Performer {
    /// A character on the first frame of a window; see [`Performer::step`].
    ///
    /// # Errors
    /// Where the window is too short, or the world cannot be made.
    pub fn new(body: &TrackedBody, policy: &TrainedPolicy, window: &[Vec<f64>]) -> Result<Performer, TrackError> {
        let pilot = Pilot::new(body, policy)?;
        let model = body.model();
        let mut performer = Performer {
            state: pilot.begin(window)?,
            batch: Batch::new(model, 1, BatchOptions::default())?,
            positions: vec![0.0; model.position_count()],
            velocities: vec![0.0; model.velocity_count()],
            observed: vec![0.0; model.observation_count()],
            conditions: [Condition::Running],
            pilot,
        };
        performer.reset()?;
        Ok(performer)
    }

    /// Puts the character onto the motion, at rest with it: as after a fall.
    ///
    /// # Errors
    /// Where the window is too short.
    pub fn place(&mut self, window: &[Vec<f64>]) -> Result<(), TrackError> {
        self.pilot.follow(&mut self.state, window)?;
        self.reset()
    }

    /// Goes on by a frame. The window has rows of `qpos`: the frame before the present one, the present one, and as many ahead as
    /// [`TrainedPolicy::frames_ahead`] says, so that velocities are those of the training.
    ///
    /// # Errors
    /// Where the window is too short.
    pub fn step(&mut self, window: &[Vec<f64>]) -> Result<Moment, TrackError> {
        self.pilot.follow(&mut self.state, window)?;
        let seen = Seen { position: &self.positions, velocity: &self.velocities, observed: &self.observed };
        let [from, to] = self.pilot.decide(&mut self.state, seen);
        let readings = Readings {
            positions: Some(&mut self.positions),
            velocities: Some(&mut self.velocities),
            observations: Some(&mut self.observed),
            conditions: Some(&mut self.conditions),
            ..Readings::none()
        };
        self.batch.control_from(from, to, self.pilot.interval(), readings)?;
        let seen = Seen { position: &self.positions, velocity: &self.velocities, observed: &self.observed };
        let moment = self.pilot.judge(&self.state, seen);
        Ok(Moment { has_fallen: moment.has_fallen || self.conditions[0] != Condition::Running, ..moment })
    }

    /// The last decision of its policy: see [`PilotState::decision`].
    pub fn decision(&self) -> [&[f32]; 4] {
        self.state.decision()
    }

    /// Its `qpos`.
    pub fn position(&self) -> Vec<f64> {
        self.positions.iter().map(|x| f64::from(*x)).collect()
    }

    /// Its `qvel`.
    pub fn velocity(&self) -> Vec<f64> {
        self.velocities.iter().map(|x| f64::from(*x)).collect()
    }

    fn reset(&mut self) -> Result<(), TrackError> {
        let [position, velocity] = self.state.start();
        self.positions.copy_from_slice(position);
        self.velocities.copy_from_slice(velocity);
        self.batch.reset(&[0], position, velocity)?;
        let observed = self.state.start_observed();
        self.observed[..observed.len()].copy_from_slice(&observed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TrackerConfig;
    use crate::networks::Policy;
    use crate::observation::Observer;
    use crate::reference::Reference;
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
