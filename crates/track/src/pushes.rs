//! The largest pushes that a policy survives on a cycle, as [`sinew_transfer::feedback`] tests its own.
//!
//! The root is pushed from all around in the second cycle, in both of its halves, and the ladder of forces, what counts as a fall and the pace that is asked for
//! at the end are those of [`sinew_transfer::feedback::Test`] and [`FeedbackConfig::standard`]. As at play, the motion goes on at the place of the body once that
//! has been pushed away from it: a place on the ground is not asked for there either. Start reading at [`push_limits`].

use crate::body::TrackedBody;
use crate::config::TrackerConfig;
use crate::driven::FEEDS_BACK_M;
use crate::environment::{Ends, Environment, Episode};
use crate::error::TrackError;
use crate::policy::TrainedPolicy;
use crate::reference::Reference;
use crate::turn::{Heading, four};
use serde::Serialize;
use sinew_transfer::FRAME_SECS;
use sinew_transfer::feedback::{FALLEN_TILT, FeedbackConfig, STILL_SPEED, Test};
use std::f64::consts::TAU;

/// Rungs of the ladder of forces that are tried at a time.
const RUNGS: usize = 10;

/// Largest push survived in one direction, with all smaller ones, in both halves of the cycle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrackedPush {
    /// Direction towards which is pushed: 0 forwards, 90 to the left, °.
    pub direction_deg: f64,
    /// Force, N; 0 also where the cycle cannot be repeated for as long without a push.
    pub newtons: f64,
    /// The force over the character's weight.
    pub weights: f64,
    /// Its impulse over the weight, s: `F·t/(m·g)`. 0.1 stops a body that moves at about 1 m/s.
    pub weight_secs: f64,
}

/// What a policy bears.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrackedPushes {
    /// How long a push takes, s.
    pub push_secs: f64,
    /// Length of the cycle, s.
    pub period_secs: f64,
    /// Step of the ladder of forces, N.
    pub step_newtons: f64,
    /// Weight of the character, N.
    pub weight_newtons: f64,
    /// Each direction.
    pub pushes: Vec<TrackedPush>,
}

impl TrackedPushes {
    /// The push of the weakest direction.
    pub fn weakest(&self) -> Option<TrackedPush> {
        self.pushes.iter().copied().min_by(|a, b| a.newtons.total_cmp(&b.newtons))
    }
}

/// A run in which it is pushed.
struct Run {
    /// In world axes, N.
    force: [f64; 3],
    /// Frame in which it begins.
    at: usize,
}

/// Finds the largest push in each direction. The reference begins with a cycle of so many seconds and repeats it for as long as the test takes.
///
/// # Errors
/// Where the reference is too short, or worlds cannot be made.
pub fn push_limits(
    body: &TrackedBody,
    reference: &Reference,
    policy: &TrainedPolicy,
    period_secs: f64,
    test: &Test,
) -> Result<TrackedPushes, TrackError> {
    let step_newtons = test.step_newtons(body.model());
    let weight_newtons = body.model().weight();
    let cycles = Cycles::new(body, reference, policy, period_secs, test)?;
    let mut survived = vec![0; test.directions];
    let mut climbing: Vec<usize> = (0..test.directions).collect();
    for first in (1..=test.newtons_steps).step_by(RUNGS) {
        let rungs = first..=(first + RUNGS - 1).min(test.newtons_steps);
        let mut runs = Vec::new();
        for &direction in &climbing {
            let angle = cycles.course + direction as f64 * TAU / test.directions as f64;
            for rung in rungs.clone() {
                let newtons = rung as f64 * step_newtons;
                let force = [newtons * libm::cos(angle), newtons * libm::sin(angle), 0.0];
                runs.extend(cycles.push_times.map(|at| Run { force, at }));
            }
        }
        let stood = cycles.survived(&runs)?;
        let mut directions = stood.chunks(cycles.push_times.len() * rungs.clone().count());
        climbing.retain(|direction| {
            let runs = directions.next().unwrap_or_default();
            let count = runs.chunks(cycles.push_times.len()).take_while(|runs| !runs.contains(&false)).count();
            survived[*direction] += count;
            count == rungs.clone().count()
        });
        if climbing.is_empty() {
            break;
        }
    }
    let push_secs = cycles.push_frames as f64 / reference.rate_hz;
    let pushes = survived.iter().enumerate().map(|(direction, rungs)| {
        let newtons = *rungs as f64 * step_newtons;
        let weights = newtons / weight_newtons;
        let direction_deg = 360.0 * direction as f64 / test.directions as f64;
        TrackedPush { direction_deg, newtons, weights, weight_secs: weights * push_secs }
    });
    Ok(TrackedPushes { push_secs, period_secs, step_newtons, weight_newtons, pushes: pushes.collect() })
}

/// A cycle that is repeated while it is pushed.
struct Cycles<'a> {
    body: &'a TrackedBody,
    reference: &'a Reference,
    policy: &'a TrainedPolicy,
    config: TrackerConfig,
    frames: usize,
    /// Frame from which the pace is measured.
    pace_from: usize,
    push_frames: usize,
    push_times: [usize; 2],
    /// Heading in which it begins, rad.
    course: f64,
    /// Mean velocity of the centre of mass along the ground in the heading frame, m/s.
    steady: [f64; 2],
}

impl<'a> Cycles<'a> {
    fn new(
        body: &'a TrackedBody,
        reference: &'a Reference,
        policy: &'a TrainedPolicy,
        period_secs: f64,
        test: &Test,
    ) -> Result<Cycles<'a>, TrackError> {
        let frame = |cycles: f64| (cycles * period_secs * reference.rate_hz).round() as usize;
        let frames = frame(test.pushed_repetitions() as f64);
        let least = frames + 1 + policy.frames_ahead();
        if reference.end_of(0) < least {
            return Err(TrackError::TooShort { least });
        }
        let config = TrackerConfig { most_frames: 0, motion_follows_beyond: FEEDS_BACK_M, ..policy.config.clone() };
        let heading = |frame: usize| four(reference.frame(frame).position, 3);
        let mut steady = [0.0; 2];
        for at in 0..frames {
            let [here, there] = [at, at + 1].map(|frame| reference.frame(frame).places);
            let way: [f32; 3] = std::array::from_fn(|k| there[k] - here[k]);
            let along = Heading::of(heading(at)).local(way);
            (0..2).for_each(|k| steady[k] += f64::from(along[k]) * reference.rate_hz / frames as f64);
        }
        let [w, _, _, z] = heading(0);
        Ok(Cycles {
            push_times: [test.push_phase, test.push_phase + 0.5].map(|phase| frame(1.0 + phase)),
            pace_from: frame(test.pushed_repetitions() as f64 - 1.0),
            push_frames: (test.push_frames as f64 * FRAME_SECS * reference.rate_hz).round().max(1.0) as usize,
            course: 2.0 * libm::atan2(f64::from(z), f64::from(w)) + body.forward_rad,
            body,
            reference,
            policy,
            config,
            frames,
            steady,
        })
    }

    /// Which of the runs keep their feet to the end and are in pace again in the last cycle.
    fn survived(&self, runs: &[Run]) -> Result<Vec<bool>, TrackError> {
        let standard = FeedbackConfig::standard();
        let mut environment = Environment::new(self.body, self.reference, &self.config, Ends::NONE, runs.len())?;
        environment.place(&(0..runs.len()).collect::<Vec<_>>(), &vec![0; runs.len()])?;
        let least_height = standard.fallen_height as f32 * self.reference.frame(0).position[2];
        let square = self.steady[0] * self.steady[0] + self.steady[1] * self.steady[1];
        let (mut stands, mut pace) = (vec![true; runs.len()], vec![0.0; runs.len()]);
        let mut memory = self.policy.policy.mean.inference();
        let nq = self.body.model.position_count();
        for frame in 0..self.frames {
            sinew_work::check_cancelled()?;
            let forces: Vec<Option<[f64; 3]>> = runs
                .iter()
                .map(|run| (run.at..run.at + self.push_frames).contains(&frame).then_some(run.force))
                .collect();
            environment.push(&forces);
            let actions = self.policy.policy.mean.infer(&environment.observations, &mut memory).to_vec();
            environment.step(&actions)?;
            let wanted = self.reference.frame(frame + 1);
            for (world, stands) in stands.iter_mut().enumerate() {
                let position = &environment.state.positions[world * nq..(world + 1) * nq];
                let lies = position[2] < least_height || f64::from(wanted.upright(position)) < FALLEN_TILT;
                *stands &= environment.outcomes[world].episode != Episode::Failed && !lies;
                if frame >= self.pace_from {
                    let along = Heading::of(four(position, 3)).local(environment.center_velocity(world));
                    let along = (0..2).map(|k| f64::from(along[k]) * self.steady[k]).sum::<f64>();
                    pace[world] += along / square / (self.frames - self.pace_from) as f64;
                }
            }
        }
        let travels = square > STILL_SPEED * STILL_SPEED;
        let in_pace = |pace: f64| !travels || pace >= standard.least_pace;
        Ok(stands.iter().zip(pace).map(|(stands, pace)| *stands && in_pace(pace)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::time_step;
    use crate::test_motion::small_config;
    use sinew_sim::embedded;

    const PERIOD_SECS: f64 = 0.5;

    /// The embedded humanoid at rest, for all cycles of the test, moved ahead by so much in a second.
    fn standing(speed: f64) -> (TrackedBody, Reference, TrainedPolicy) {
        let config = small_config();
        let body = TrackedBody::new(&embedded::humanoid(), 0.0, time_step(&config, 30.0)).unwrap();
        let rows = (0..140).flat_map(|frame| {
            let mut row = body.model().rest_position().to_vec();
            row[0] += speed * frame as f64 / 30.0;
            row
        });
        let reference = Reference::new(&body, 30.0, &[rows.collect()], 10).unwrap();
        let mut config = config;
        config.action_rad = 0.0;
        let policy = TrainedPolicy::untrained(&body, &config, 30.0, 5);
        (body, reference, policy)
    }

    fn test() -> Test {
        Test { directions: 4, newtons_steps: 30, ..Test::default() }
    }

    #[test]
    fn who_stands_bears_a_push_up_to_a_limit_in_parts_of_its_weight() {
        let (body, reference, policy) = standing(0.0);
        let found = push_limits(&body, &reference, &policy, PERIOD_SECS, &test()).unwrap();
        assert!((found.push_secs - 0.2).abs() < 1e-9 && found.pushes.len() == 4, "{found:?}");
        assert_eq!(found.pushes.iter().map(|push| push.direction_deg).collect::<Vec<_>>(), [0.0, 90.0, 180.0, 270.0]);
        let most = 30.0 * found.step_newtons;
        for push in &found.pushes {
            assert!(push.newtons > 0.0 && push.newtons < most, "{found:?}");
            assert!((push.weights * found.weight_newtons - push.newtons).abs() < 1e-9);
            assert!((push.weight_secs - 0.2 * push.weights).abs() < 1e-9);
        }
        assert_eq!(found.weakest().map(|push| push.newtons), found.pushes.iter().map(|p| p.newtons).reduce(f64::min));
        // Every smaller push is borne in both halves of the cycle, and the next one is not in both.
        let cycles = Cycles::new(&body, &reference, &policy, PERIOD_SECS, &test()).unwrap();
        assert_eq!((cycles.push_times, cycles.push_frames, cycles.frames), ([15, 23], 6, 90));
        for push in &found.pushes {
            let (sin, cos) = libm::sincos(push.direction_deg.to_radians());
            let stood = |newtons: f64| {
                let runs = cycles.push_times.map(|at| Run { force: [newtons * cos, newtons * sin, 0.0], at });
                cycles.survived(&runs).unwrap()
            };
            assert_eq!(stood(push.newtons), [true, true]);
            assert!(stood(push.newtons + found.step_newtons).contains(&false));
        }
    }

    #[test]
    fn who_stands_where_it_should_go_is_not_in_pace() {
        let (body, reference, policy) = standing(0.15);
        let cycles = Cycles::new(&body, &reference, &policy, PERIOD_SECS, &test()).unwrap();
        assert!((cycles.steady[0] - 0.15).abs() < 1e-4 && cycles.steady[1].abs() < 1e-4);
        assert_eq!(cycles.survived(&[Run { force: [0.0; 3], at: 15 }]).unwrap(), [false]);
        let found = push_limits(&body, &reference, &policy, PERIOD_SECS, &test()).unwrap();
        assert!(found.pushes.iter().all(|push| push.newtons == 0.0));
    }

    #[test]
    fn a_reference_that_ends_before_the_test_is_refused() {
        let (body, reference, policy) = standing(0.0);
        let refused = push_limits(&body, &reference, &policy, 2.0 * PERIOD_SECS, &test());
        assert!(matches!(refused, Err(TrackError::TooShort { .. })));
    }
}
