//! A policy at work, recorded frame by frame: what its report counts, to be looked at.

use super::config::FeedbackConfig;
use super::features::Heading;
use super::policy::{Gains, Pilot, Policy};
use super::trial::{Judge, Scenario, Steers, Trial};
use crate::TransferError;
use crate::performance::{Moment, Performance};
use crate::target::FRAME_SECS;
use sinew_sim::{Flow, Model, Push, Status, Steering, World};
use std::sync::{Arc, Mutex};

/// A fall is recorded for so long, frames.
const AFTER_FALL: usize = 20;

/// A push on the root's centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedPush {
    /// Force, N.
    pub newtons: f64,
    /// Where it pushes to: 0 along the heading at the start, 90 to the left, °.
    pub direction_deg: f64,
    /// First frame.
    pub first_frame: usize,
    /// How long it lasts, frames.
    pub frames: usize,
}

/// A policy that repeated its cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repeated {
    /// The moment at every frame, until the end or for half a second after a fall; its steps are whole frames.
    pub run: Performance,
    /// Whole cycles before the fall.
    pub repetitions: usize,
    /// Frames looked at before the fall, and the speed there as a share of the reference's mean.
    pub paces: Vec<(usize, f64)>,
}

impl Repeated {
    /// Mean speed from a frame on, as a share of the reference's; 0 where it had fallen by then.
    pub fn pace_from(&self, frame: usize) -> f64 {
        let paces: Vec<f64> = self.paces.iter().filter(|(at, _)| *at > frame).map(|(_, pace)| *pace).collect();
        // From 0, because the sum of nothing is −0.
        paces.iter().fold(0.0, |sum, pace| sum + pace) / paces.len().max(1) as f64
    }
}

impl Policy {
    /// The same reference without feedback.
    ///
    /// # Errors
    /// Where the policy is of another character.
    pub fn open_loop(&self, model: &Model) -> Result<Policy, TransferError> {
        let (n, m) = Pilot::new(model, &self.reference)?.counts();
        Ok(Policy { reference: self.reference.clone(), gains: Gains::zero(n, m) })
    }

    /// The heading at the start of the cycle, from the world's x axis counter-clockwise, rad.
    pub fn course(&self) -> f64 {
        Heading::of(&self.reference.positions[3..7]).angle()
    }

    /// Repeats the cycle and records it; it falls where [`super::FeedbackReport`] says so, bit for bit.
    ///
    /// # Errors
    /// Where the policy is of another character or the simulator refuses.
    pub fn perform(
        &self,
        model: &Arc<Model>,
        repetitions: usize,
        push: Option<&TimedPush>,
    ) -> Result<Repeated, TransferError> {
        self.check(model)?;
        let course = self.course();
        let pushes = push.map(|push| {
            let angle = course + push.direction_deg * std::f64::consts::PI / 180.0;
            let force = [push.newtons * libm::cos(angle), push.newtons * libm::sin(angle), 0.0];
            (push.first_frame, push.frames, Push { body: 0, force })
        });
        let scenarios = [Scenario { start: self.reference.start(), pushes: pushes.into_iter().collect() }];
        let trial = Trial {
            model,
            reference: &self.reference,
            judge: Judge::new(&FeedbackConfig::standard()),
            frames: repetitions * self.reference.frames,
            pace_from: 0,
            scenarios: &scenarios,
            threads: 1,
        };
        trial.record(&self.gains)
    }
}

/// Steers, and keeps the moment at which everything begins.
struct FromTheStart<'a> {
    steers: Steers<'a>,
    repeated: Mutex<Repeated>,
}

impl FromTheStart<'_> {
    /// Changes what is recorded; there is one run, so nobody waits.
    fn change<T>(&self, change: impl FnOnce(&mut Repeated) -> T) -> T {
        change(&mut self.repeated.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
}

impl Steering for FromTheStart<'_> {
    fn target(&self, job: usize, knot: usize, world: &World<'_>, out: &mut [f64]) {
        self.steers.target(job, knot, world, out);
        if knot == 0 {
            let target = out.to_vec();
            self.change(|repeated| repeated.run.moments.push(Moment { target, ..moment(world) }));
        }
    }
    fn push(&self, job: usize, knot: usize) -> Option<Push> {
        self.steers.push(job, knot)
    }
}

fn moment(world: &World<'_>) -> Moment {
    Moment {
        position: world.position(),
        velocity: world.velocity(),
        target: world.target(),
        torques: world.torques(),
        contacts: world.contacts(),
        ..Moment::default()
    }
}

impl Trial<'_> {
    /// Runs one policy in the first scenario and records every frame.
    fn record(&self, gains: &Gains) -> Result<Repeated, TransferError> {
        let pilot = Pilot::new(self.model, self.reference)?;
        let (starts, steps_per_frame, pace_of) = (self.starts(), self.steps_per_frame(), self.pace_of());
        let policies = [gains.clone()];
        let recorder =
            FromTheStart { steers: self.steers(&pilot, &policies), repeated: Mutex::new(Repeated::default()) };
        let look = |_: usize, step: usize, world: &World<'_>| {
            let frame = step / steps_per_frame;
            recorder.change(|repeated| {
                repeated.run.moments.push(moment(world));
                if repeated.run.fell_at.is_none() && self.is_look(frame) {
                    match self.look(&pilot, recorder.steers.courses[0], frame, world) {
                        Some((_, velocity)) => repeated.paces.push((frame, pace_of(velocity))),
                        None => repeated.run.fell_at = Some(frame),
                    }
                }
                match repeated.run.fell_at {
                    Some(fell_at) if frame >= fell_at + AFTER_FALL => Flow::Stop(0.0),
                    _ => Flow::Continue(0.0),
                }
            })
        };
        let ended = self.rollouts(&starts, 1).run_steered(&[0], &recorder, &look)?;
        let mut repeated = recorder.change(std::mem::take);
        let run = &mut repeated.run;
        (run.dt, run.steps_per_frame) = (FRAME_SECS, 1);
        let mut frames = run.fell_at.unwrap_or(self.frames);
        if let Some(ended) = ended.first().filter(|ended| matches!(ended.status, Status::Diverged { .. })) {
            // A world that diverges stands still from then on.
            frames = frames.min(ended.steps / steps_per_frame);
            (run.diverged, run.fell_at) = (true, Some(frames));
        }
        repeated.repetitions = frames / self.reference.frames;
        Ok(repeated)
    }
}
