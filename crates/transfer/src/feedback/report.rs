//! What a policy is worth: how often it repeats its cycle and which pushes it survives, with and without feedback.

use super::config::FeedbackConfig;
use super::features::Heading;
use super::policy::{Gains, Pilot, Policy};
use super::reference::Reference;
use super::trial::{Judge, Ran, Scenario, Trial};
use crate::TransferError;
use crate::target::FRAME_SECS;
use serde::{Deserialize, Serialize};
use sinew_settings::documented;
use sinew_sim::{Model, Push};
use std::sync::Arc;

documented! {
/// How a policy is put to the test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Test {
    /// Repetitions that are asked for at most.
    pub repetitions: usize,
    /// Directions of pushes, evenly spaced.
    pub directions: usize,
    /// Forces tried: multiples of this for every 1000 N of the character's weight (rounded, at least one), N.
    pub newtons_step: f64,
    /// Rungs of the ladder of forces.
    pub newtons_steps: usize,
    /// How long a push takes, frames.
    pub push_frames: usize,
    /// When in the cycle the first half's push begins, as a share of the cycle; the second half's comes half a cycle later.
    pub push_phase: f64,
    /// Repetitions that must follow a push.
    pub repetitions_after: usize,
}
}

impl Default for Test {
    fn default() -> Test {
        Test {
            repetitions: 64,
            directions: 8,
            newtons_step: 10.0,
            newtons_steps: 100,
            push_frames: 8,
            push_phase: 0.0,
            repetitions_after: 4,
        }
    }
}

/// Largest force on the root that was survived, with all smaller ones, whether it comes in the first or the second half of the cycle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PushLimit {
    /// Direction towards which is pushed: 0 forwards, 90 to the left, °.
    pub direction_deg: f64,
    /// Without feedback, N; 0 also where the cycle cannot be repeated for as long without a push.
    pub newtons_open_loop: f64,
    /// With feedback, N.
    pub newtons_feedback: f64,
    /// The impulse that is survived over the body's weight, s: `F·t/(m·g)`. 0.1 stops a body that moves at about 1 m/s.
    #[serde(default)]
    pub weight_secs_feedback: f64,
    /// What ended the next larger push, in one sentence; empty where it was not looked for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub limited_by: String,
}

/// What a policy is worth. Whoever lets the root sink below the standard training's share of its height has fallen, and a push is survived
/// only by those that walk in pace again in the last cycle: neither sitting nor standing counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeedbackReport {
    /// The test.
    pub test: Test,
    /// Whole cycles before the fall without feedback.
    pub repetitions_open_loop: usize,
    /// Whole cycles before the fall with feedback; at most those of the test.
    pub repetitions_feedback: usize,
    /// Mean speed over all repetitions without feedback, as a share of the reference's; what comes after a fall counts 0.
    pub pace_open_loop: f64,
    /// Mean speed over all repetitions with feedback, as a share of the reference's.
    pub pace: f64,
    /// Largest pushes survived, for each direction.
    pub pushes: Vec<PushLimit>,
    /// Mean cost of a look without trouble: height, pose, course and speed with the weights of the standard training.
    pub mean_cost: f64,
    /// Steps simulated.
    pub steps: u64,
}

impl FeedbackReport {
    /// Tests a policy, on so many threads (0: all).
    ///
    /// # Errors
    /// Where the policy is of another character or the simulator refuses.
    pub fn new(
        model: &Arc<Model>,
        policy: &Policy,
        test: Test,
        threads: usize,
    ) -> Result<FeedbackReport, TransferError> {
        policy.check(model)?;
        let (n, m) = Pilot::new(model, &policy.reference)?.counts();
        let policies = [Gains::zero(n, m), policy.gains.clone()];
        let tested = put_to_test(model, &policy.reference, &policies, &test, threads)?;
        let (open, closed) = (&tested[0], &tested[1]);
        let limits =
            open.newtons.iter().zip(&closed.newtons).enumerate().map(|(direction, (open, closed))| PushLimit {
                direction_deg: 360.0 * direction as f64 / test.directions as f64,
                newtons_open_loop: *open,
                newtons_feedback: *closed,
                weight_secs_feedback: closed * test.push_frames as f64 * FRAME_SECS / model.weight(),
                limited_by: String::new(),
            });
        Ok(FeedbackReport {
            test,
            repetitions_open_loop: open.repetitions,
            repetitions_feedback: closed.repetitions,
            pace_open_loop: open.pace,
            pace: closed.pace,
            pushes: limits.collect(),
            mean_cost: closed.cost,
            steps: open.steps + closed.steps,
        })
    }

    /// How long a push takes, s.
    pub fn push_secs(&self) -> f64 {
        self.test.push_frames as f64 * FRAME_SECS
    }
}

/// What came out for one policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Tested {
    pub repetitions: usize,
    pub pace: f64,
    pub cost: f64,
    /// Largest push survived in each direction, N.
    pub newtons: Vec<f64>,
    pub steps: u64,
}

/// Rungs of the ladder of forces that are tried at a time.
const RUNGS: usize = 10;

/// Repeats the cycle under several policies as often as a test asks for.
pub(super) fn repeat_all(
    model: &Arc<Model>,
    reference: &Reference,
    policies: &[Gains],
    test: &Test,
    threads: usize,
) -> Result<Vec<Ran>, TransferError> {
    let judge = Judge::new(&FeedbackConfig::standard());
    let plain = [Scenario { start: reference.start(), pushes: Vec::new() }];
    let frames = test.repetitions * reference.frames;
    Trial { model, reference, judge, frames, pace_from: 0, scenarios: &plain, threads }.run(policies)
}

/// Tests policies for one reference.
pub(super) fn put_to_test(
    model: &Arc<Model>,
    reference: &Reference,
    policies: &[Gains],
    test: &Test,
    threads: usize,
) -> Result<Vec<Tested>, TransferError> {
    let repeated = repeat_all(model, reference, policies, test, threads)?;
    let tested = policies.iter().zip(repeated).map(|(policy, plain)| {
        let (newtons, steps) = push_limits(model, reference, policy, test, threads)?;
        Ok(Tested {
            repetitions: plain.frames / reference.frames,
            pace: plain.pace,
            cost: plain.cost,
            newtons,
            steps: plain.steps + steps,
        })
    });
    tested.collect()
}

impl Test {
    /// The step of the ladder of forces for a character, N.
    pub fn step_newtons(&self, model: &Model) -> f64 {
        self.newtons_step * (model.weight() / 1000.0).round().max(1.0)
    }

    /// Frames at which pushes begin: in the second cycle, in both of its halves.
    pub fn push_times(&self, cycle_frames: usize) -> [usize; 2] {
        let first = cycle_frames + (self.push_phase * cycle_frames as f64).round() as usize;
        [first, first + cycle_frames / 2]
    }

    /// Repetitions of a run in which it is pushed.
    pub fn pushed_repetitions(&self) -> usize {
        2 + self.repetitions_after
    }
}

/// Largest push survived in each direction, N, and the steps that this took. A direction climbs its ladder until it falls.
fn push_limits(
    model: &Arc<Model>,
    reference: &Reference,
    policy: &Gains,
    test: &Test,
    threads: usize,
) -> Result<(Vec<f64>, u64), TransferError> {
    let course = Heading::of(&reference.positions[3..7]).angle();
    let (times, step_newtons) = (test.push_times(reference.frames), test.step_newtons(model));
    let judge = Judge::new(&FeedbackConfig::standard());
    let frames = test.pushed_repetitions() * reference.frames;
    let pace_from = frames - reference.frames;
    let (mut survived, mut steps) = (vec![0; test.directions], 0);
    let mut climbing: Vec<usize> = (0..test.directions).collect();
    for first in (1..=test.newtons_steps).step_by(RUNGS) {
        let rungs = first..=(first + RUNGS - 1).min(test.newtons_steps);
        let mut scenarios = Vec::new();
        for &direction in &climbing {
            let angle = course + direction as f64 * std::f64::consts::TAU / test.directions as f64;
            for rung in rungs.clone() {
                let newtons = rung as f64 * step_newtons;
                let push = Push { body: 0, force: [newtons * libm::cos(angle), newtons * libm::sin(angle), 0.0] };
                for at in times {
                    scenarios.push(Scenario { start: reference.start(), pushes: vec![(at, test.push_frames, push)] });
                }
            }
        }
        let trial = Trial { model, reference, judge, frames, pace_from, scenarios: &scenarios, threads };
        let ran = trial.run(std::slice::from_ref(policy))?;
        steps += ran.iter().map(|run| run.steps).sum::<u64>();
        let of_direction = times.len() * rungs.clone().count();
        let mut directions = ran.chunks(of_direction);
        climbing.retain(|direction| {
            let runs = directions.next().unwrap_or_default();
            let count = runs.chunks(times.len()).take_while(|runs| runs.iter().all(|run| run.survives)).count();
            survived[*direction] += count;
            count == rungs.clone().count()
        });
        if climbing.is_empty() {
            break;
        }
    }
    Ok((survived.iter().map(|count| *count as f64 * step_newtons).collect(), steps))
}
