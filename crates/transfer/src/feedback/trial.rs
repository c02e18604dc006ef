//! Many policies tried at once: each repeats the cycle in every scenario until it falls.

use super::config::FeedbackConfig;
use super::features::{HEADING, Heading, LEVEL_VELOCITY};
use super::policy::{Gains, Pilot};
use super::reference::Reference;
use crate::TransferError;
use crate::cost::tilt_cosine;
use crate::target::FRAME_SECS;
use sinew_sim::rotation::angle_squared;
use sinew_sim::{
    BatchOptions, DampsTo, FallRule, Flow, Heights, Model, Push, Rollouts, Snapshot, Status, Steering, World,
};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Cosine of the tilt against the reference from which a character has fallen: 60°.
pub const FALLEN_TILT: f64 = 0.5;
/// A reference slower than this stays at its place, m/s.
pub const STILL_SPEED: f64 = 0.1;

/// What a run meets.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scenario {
    /// Where it starts.
    pub start: Snapshot,
    /// Pushes: from this frame, for so many frames.
    pub pushes: Vec<(usize, usize, Push)>,
}

/// Weights of the cost and the length of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judge {
    pub height: f64,
    pub pose: f64,
    pub balance: f64,
    pub fall: FallRule,
    pub least_pace: f64,
    /// Of the heading's deviation from the course, rad⁻².
    pub course: f64,
    /// Of the speed along the course, s²/m².
    pub speed: f64,
    pub cost_frames: usize,
}

impl Judge {
    pub fn new(config: &FeedbackConfig) -> Judge {
        let FeedbackConfig { height, pose, balance, fallen_height, least_pace, course, speed, cost_frames, .. } =
            *config;
        let fall = FallRule { root: Some(fallen_height), tilt_cosine: Some(FALLEN_TILT), ..FallRule::NONE };
        Judge { height, pose, balance, fall, least_pace, course, speed, cost_frames }
    }

    /// Whether a character has fallen: its root below a share of its height at the start of the cycle, or tilted by more than 60° against
    /// the reference, whatever its heading.
    pub fn fell(&self, q: &[f64], reference: &[f64], start_height: f64) -> bool {
        let tilt = |q: &[f64]| Heading::of(&q[3..7]).tilt(&q[3..7]);
        let heights = |root: f64| Heights { root, center: f64::NAN, top: None };
        self.fall.has_fallen(&heights(q[2]), &heights(start_height), tilt_cosine(&tilt(q), &tilt(reference)))
    }
}

/// How a run went.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ran {
    pub cost: f64,
    /// Frames until it fell, or all of them.
    pub frames: usize,
    /// Mean velocity of the centre of mass along the reference's, as a share of it, from `pace_from` on; 0 for a run that fell before.
    pub pace: f64,
    /// Whether it stayed on its feet to the end, and in pace.
    pub survives: bool,
    pub steps: u64,
    /// Last state.
    pub end: Snapshot,
}

pub(super) struct Trial<'a> {
    pub model: &'a Model,
    pub reference: &'a Reference,
    pub judge: Judge,
    pub frames: usize,
    /// Frame from which the pace is measured.
    pub pace_from: usize,
    pub scenarios: &'a [Scenario],
    pub threads: usize,
}

/// Policies at work in all scenarios.
pub(super) struct Steers<'a> {
    trial: &'a Trial<'a>,
    pilot: &'a Pilot<'a>,
    policies: &'a [Gains],
    /// Heading with which each scenario begins, rad.
    pub courses: Vec<f64>,
}

impl Steering for Steers<'_> {
    fn target(&self, job: usize, knot: usize, world: &World<'_>, out: &mut [f64]) {
        let scenarios = self.trial.scenarios.len();
        let (gains, course) = (&self.policies[job / scenarios], self.courses[job % scenarios]);
        self.pilot.target(gains, course, knot, knot.saturating_sub(1), world, out);
    }

    fn push(&self, job: usize, knot: usize) -> Option<Push> {
        let pushes = &self.trial.scenarios[job % self.trial.scenarios.len()].pushes;
        pushes.iter().find(|(first, frames, _)| (*first..first + frames).contains(&knot)).map(|(_, _, push)| *push)
    }
}

thread_local! {
    static ROOM: RefCell<[Vec<f64>; 2]> = RefCell::default();
}

impl Trial<'_> {
    /// Runs every policy in every scenario; results policy by policy.
    pub fn run(&self, policies: &[Gains]) -> Result<Vec<Ran>, TransferError> {
        let pilot = Pilot::new(self.model, self.reference)?;
        let steps_per_frame = self.steps_per_frame();
        let starts = self.starts();
        let rollouts = self.rollouts(&starts, self.judge.cost_frames);
        let jobs: Vec<usize> = (0..policies.len()).flat_map(|_| 0..starts.len()).collect();
        let steers = self.steers(&pilot, policies);
        let looks = self.frames.div_ceil(self.judge.cost_frames) as f64;
        let pace_of = self.pace_of();
        // A job stays on one thread, so that its sum has one order.
        let paces: Vec<AtomicU64> = jobs.iter().map(|_| AtomicU64::new(0f64.to_bits())).collect();
        let paced_looks = (1..=self.frames).filter(|f| self.is_look(*f) && *f > self.pace_from).count().max(1) as f64;
        let cost = |job: usize, step: usize, world: &World<'_>| {
            let frame = step / steps_per_frame;
            match self.look(&pilot, steers.courses[job % starts.len()], frame, world) {
                Some((cost, velocity)) => {
                    if frame > self.pace_from {
                        let sum = f64::from_bits(paces[job].load(Ordering::Relaxed)) + pace_of(velocity) / paced_looks;
                        paces[job].store(sum.to_bits(), Ordering::Relaxed);
                    }
                    Flow::Continue(cost / looks)
                }
                None => Flow::Stop(self.judge.balance * (self.frames - frame) as f64 * FRAME_SECS),
            }
        };
        let outcomes = rollouts.run_steered(&jobs, &steers, &cost)?;
        let ran = outcomes.into_iter().zip(&paces).map(|(outcome, pace)| {
            let stood = outcome.status == Status::Running;
            let pace = f64::from_bits(pace.load(Ordering::Relaxed));
            let lag = if stood { (self.judge.least_pace - pace).max(0.0) } else { 0.0 };
            let total_secs = self.frames as f64 * FRAME_SECS;
            Ran {
                cost: outcome.cost + self.judge.balance * total_secs * lag.min(1.0),
                frames: if stood { self.frames } else { outcome.steps / steps_per_frame },
                pace,
                survives: stood && lag == 0.0,
                steps: outcome.steps as u64,
                end: outcome.end,
            }
        });
        Ok(ran.collect())
    }

    /// Steps in a frame.
    pub fn steps_per_frame(&self) -> usize {
        (FRAME_SECS / self.model.dt()).round() as usize
    }

    /// States in which the scenarios begin.
    pub fn starts(&self) -> Vec<Snapshot> {
        self.scenarios.iter().map(|s| s.start.clone()).collect()
    }

    /// Runs from these states with looks every so many frames.
    pub fn rollouts<'a>(&'a self, starts: &'a [Snapshot], look_frames: usize) -> Rollouts<'a> {
        let steps_per_frame = self.steps_per_frame();
        Rollouts {
            model: self.model,
            starts,
            steps: self.frames * steps_per_frame,
            knot_interval: steps_per_frame,
            sample_interval: look_frames * steps_per_frame,
            damps_to: DampsTo::Target,
            observes: true,
            options: BatchOptions { threads: self.threads, ..BatchOptions::default() },
        }
    }

    /// The steering of policies in all scenarios.
    pub fn steers<'a>(&'a self, pilot: &'a Pilot<'a>, policies: &'a [Gains]) -> Steers<'a> {
        let course = |s: &Scenario| Heading::of(&s.start.values()[3..7]).angle() - self.reference.state(0)[HEADING];
        Steers { trial: self, pilot, policies, courses: self.scenarios.iter().map(course).collect() }
    }

    /// Whether a frame is looked at.
    pub fn is_look(&self, frame: usize) -> bool {
        frame == self.frames || frame.is_multiple_of(self.judge.cost_frames)
    }

    /// Turns a horizontal velocity along the heading into a share of the reference's: `v·v̂ / |v̂|²`; 1 for what stays at its place, which has no pace.
    pub fn pace_of(&self) -> impl Fn([f64; 2]) -> f64 + Sync + use<> {
        let steady = self.mean_velocity();
        let square = steady[0] * steady[0] + steady[1] * steady[1];
        let travels = square > STILL_SPEED * STILL_SPEED;
        move |velocity| {
            let along = velocity[0] * steady[0] + velocity[1] * steady[1];
            if travels { along / square } else { 1.0 }
        }
    }

    /// Mean horizontal velocity of the reference's centre of mass along its heading, m/s.
    fn mean_velocity(&self) -> [f64; 2] {
        let rows = self.reference.frames;
        LEVEL_VELOCITY.map(|k| (0..rows).map(|f| self.reference.state(f)[k]).sum::<f64>() / rows as f64)
    }

    /// Cost of a look: `w_h |ĥ − h|² + w_pose mean ‖axisAngle(q̂ᵢ⁻¹ qᵢ)‖²` and the terms of course and speed, with
    /// the horizontal velocity; none where it has fallen.
    pub fn look(&self, pilot: &Pilot<'_>, course: f64, frame: usize, world: &World<'_>) -> Option<(f64, [f64; 2])> {
        if world.status() != Status::Running {
            return None;
        }
        ROOM.with_borrow_mut(|[q, state]| {
            q.resize(self.model.position_count(), 0.0);
            state.resize(pilot.counts().0, 0.0);
            world.read_position(q);
            let reference = self.reference.position(frame);
            if self.judge.fell(q, reference, self.reference.positions[2]) {
                return None;
            }
            let z = q[2] - reference[2];
            let joints = &pilot.dofs().joints;
            let angle = |j: &crate::dofs::Driven| {
                if j.is_ball {
                    angle_squared(&q[j.q..j.q + 4], &reference[j.q..j.q + 4])
                } else {
                    (q[j.q] - reference[j.q]) * (q[j.q] - reference[j.q])
                }
            };
            let pose = joints.iter().map(angle).sum::<f64>() / joints.len().max(1) as f64;
            pilot.features().read(world, course, state);
            let wanted = self.reference.state(frame);
            let off = |k: usize| (state[k] - wanted[k]) * (state[k] - wanted[k]);
            let cost = self.judge.height * z * z
                + self.judge.pose * pose
                + self.judge.course * off(HEADING)
                + self.judge.speed * (off(LEVEL_VELOCITY[0]) + off(LEVEL_VELOCITY[1]));
            Some((cost, LEVEL_VELOCITY.map(|k| state[k])))
        })
    }
}
