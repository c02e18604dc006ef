//! A policy that follows a motion which is known beforehand, as another simulator repeats it: from the motion's second frame on, until it falls.

use crate::body::TrackedBody;
use crate::error::TrackError;
use crate::performer::Performer;
use crate::policy::TrainedPolicy;
use crate::portable::follows_beyond_m;

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenLoop {
    /// Frames that it kept its feet.
    pub frames: usize,
    /// Whether it then fell, or lost its motion.
    pub has_fallen: bool,
    /// Mean distance of all bodies from the motion over these frames, m.
    pub mean_body_error_m: f64,
    /// How often the motion was moved to where the body was.
    pub feedbacks: usize,
    /// What was seen and decided in the first frames.
    pub decided: Vec<DecidedFrame>,
}

/// What a policy saw and decided.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecidedFrame {
    /// `qpos` at the beginning of the frame.
    pub position: Vec<f64>,
    /// `qvel` there.
    pub velocity: Vec<f64>,
    /// Where the motion was moved to until then, along the ground, m.
    pub shift: [f64; 2],
    /// What it saw.
    pub observation: Vec<f32>,
    /// What it answered.
    pub action: Vec<f32>,
    /// PD targets at the beginning and at the end of the frame, in the order of `qpos`.
    pub targets: [Vec<f32>; 2],
}

impl OpenLoop {
    /// Index of the frame in which it begins: the first with a velocity by differences to both sides.
    pub const FIRST: usize = 1;

    /// Rows of a motion that can be followed for so many frames.
    pub fn rows_for(policy: &TrainedPolicy, frames: usize) -> usize {
        OpenLoop::FIRST + frames + policy.frames_ahead()
    }

    /// Follows rows of `qpos` to their end, or until it falls; what it decided in the first `kept` frames is kept.
    ///
    /// # Errors
    /// Where there are too few rows for a single frame, or the world cannot be made.
    pub fn run(
        body: &TrackedBody,
        policy: &TrainedPolicy,
        rows: &[Vec<f64>],
        kept: usize,
    ) -> Result<OpenLoop, TrackError> {
        let least = OpenLoop::rows_for(policy, 1);
        let frames = (rows.len() + 1).checked_sub(least).filter(|frames| *frames > 0);
        let frames = frames.ok_or(TrackError::TooShort { least })?;
        let beyond = follows_beyond_m(body, policy);
        let window = |frame: usize, [x, y]: [f64; 2]| -> Vec<Vec<f64>> {
            let mut rows = rows[frame - 1..=frame + policy.frames_ahead()].to_vec();
            rows.iter_mut().for_each(|row| (row[0], row[1]) = (row[0] + x, row[1] + y));
            rows
        };
        let mut shift = [0.0; 2];
        let mut performer = Performer::new(body, policy, &window(OpenLoop::FIRST, shift))?;
        let mut run = OpenLoop::default();
        for frame in OpenLoop::FIRST..OpenLoop::FIRST + frames {
            let (position, velocity) = (performer.position(), performer.velocity());
            let moment = performer.step(&window(frame, shift))?;
            if run.decided.len() < kept {
                let [observation, action, from, to] = performer.decision().map(<[f32]>::to_vec);
                let targets = [from, to];
                run.decided.push(DecidedFrame { position, velocity, shift, observation, action, targets });
            }
            if moment.has_fallen {
                run.has_fallen = true;
                break;
            }
            run.frames += 1;
            run.mean_body_error_m += (moment.body_error_m - run.mean_body_error_m) / run.frames as f64;
            if beyond > 0.0 && moment.body_error_m > beyond {
                run.feedbacks += 1;
                let (here, motion) = (performer.position(), &rows[frame + 1]);
                shift = [here[0] - motion[0], here[1] - motion[1]];
            }
        }
        Ok(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TrackerConfig;
    use crate::reference::Reference;
    use crate::test_motion::{small_config, swaying};
    use crate::trial::record;

    fn swaying_rows(config: &TrackerConfig) -> (TrackedBody, Reference, TrainedPolicy, Vec<Vec<f64>>) {
        let (body, reference) = swaying(config);
        let policy = TrainedPolicy::untrained(&body, config, 30.0, 5);
        let rows = reference.stretches()[0].clone().map(|frame| reference.position(frame)).collect();
        (body, reference, policy, rows)
    }

    #[test]
    fn it_is_what_is_recorded_on_the_same_motion() {
        let config = TrackerConfig { preview: vec![1, 10], ..small_config() };
        let (body, reference, policy, rows) = swaying_rows(&config);
        let recorded = record(&body, &reference, &policy, OpenLoop::FIRST, 5).unwrap();
        let run = OpenLoop::run(&body, &policy, &rows[..OpenLoop::rows_for(&policy, 5)], 3).unwrap();
        assert_eq!((run.frames, run.has_fallen, run.feedbacks, run.decided.len()), (5, false, 0, 3));
        for (decided, recorded) in run.decided.iter().zip(&recorded) {
            assert!(decided.position.iter().zip(recorded).all(|(a, b)| (a - b).abs() < 1e-4));
            // Targets are the motion's next frame and the action.
            let far = decided.action.iter().fold(0.0f32, |most, a| most.max(a.abs()));
            assert!(far > 0.0 && decided.targets[1] != decided.targets[0]);
        }
        assert!(run.mean_body_error_m > 0.0 && run.mean_body_error_m < 0.3);
        let short = OpenLoop::run(&body, &policy, &rows[..OpenLoop::rows_for(&policy, 1) - 1], 3);
        assert!(matches!(short, Err(TrackError::TooShort { least: 13 })));
    }

    #[test]
    fn a_motion_that_runs_away_is_lost_or_comes_back_to_the_body() {
        let (body, _, policy, mut rows) = swaying_rows(&small_config());
        // It begins at rest, and gets away faster and faster.
        rows.iter_mut().enumerate().for_each(|(frame, row)| row[1] += 0.01 * (frame as f64 - 1.0).powi(2));
        let lost = OpenLoop::run(&body, &policy, &rows, 0).unwrap();
        assert!(lost.has_fallen && lost.frames < 15 && lost.feedbacks == 0, "{lost:?}");
        let mut policy = policy;
        policy.config.motion_follows_beyond = 0.15;
        let followed = OpenLoop::run(&body, &policy, &rows, 12).unwrap();
        assert!(followed.feedbacks > 0 && followed.frames > lost.frames, "{followed:?}");
        let last = followed.decided.last().unwrap();
        assert!(last.shift[1] < -0.2, "{:?}", last.shift);
    }
}
