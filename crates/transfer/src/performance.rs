//! The simulated motion, step by step, as it is written, measured and looked at.

use crate::config::Config;
use crate::cost::{Seen, Terms};
use crate::target::{FRAME_SECS, Target};
use crate::wrench::AssistUnits;
use crate::{Solution, TransferError, start_state};
use sinew_sim::{
    Batch, BatchOptions, ContactReading, DampsTo, Driver, Interval, Snapshot, Status, World, WorldMut, Wrench,
};
use std::ops::ControlFlow;

/// A simulated run that was recorded in every step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Performance {
    /// Length of a step, s.
    pub dt: f64,
    /// Steps in a frame.
    pub steps_per_frame: usize,
    /// Moments recorded: the start and the end of every step.
    pub moments: Vec<Moment>,
    /// Samples of the cost, each with its frame.
    pub costs: Vec<(usize, Terms)>,
    /// First frame at which the character had fallen.
    pub fell_at: Option<usize>,
    /// How the simulator judged: whether the world diverged.
    pub diverged: bool,
}

/// One moment of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// `qpos`.
    pub position: Vec<f64>,
    /// `qvel`.
    pub velocity: Vec<f64>,
    /// PD target in `qpos` order.
    pub target: Vec<f64>,
    /// PD torques in `qvel` order, N·m.
    pub torques: Vec<f64>,
    /// Contacts of the step that led here.
    pub contacts: Vec<ContactReading>,
    /// Assist from outside in the step that led here, at the centre of mass: zero where there was none.
    pub assist: Wrench,
}

impl Performance {
    /// Simulates a solution from the target's start and records every step. Before each step `act` gets its number, from zero on, and the
    /// world, to push it for instance.
    ///
    /// # Errors
    /// Where the solution is of another character or motion, or no world can be made.
    pub fn record(
        target: &Target,
        config: &Config,
        solution: &Solution,
        act: &mut dyn FnMut(usize, &mut WorldMut<'_>),
    ) -> Result<Performance, TransferError> {
        solution.check(target)?;
        let start = start_state::start_state(target, config, &solution.push_off);
        let units = AssistUnits::of(&target.model);
        let steps_per_frame = config.steps_per_frame();
        let wrench = |step: usize| solution.assist.get(step / steps_per_frame).and_then(|row| units.wrench(row));
        let mut run = Performance::record_from(target, config, &solution.offsets, &start, &mut |step, world| {
            world.clear_forces();
            if let Some(wrench) = wrench(step) {
                world.add_assist(&wrench);
            }
            act(step, world);
        })?;
        for (step, moment) in run.moments.iter_mut().skip(1).enumerate() {
            moment.assist = wrench(step).unwrap_or_default();
        }
        Ok(run)
    }

    fn record_from(
        target: &Target,
        config: &Config,
        offsets: &[f64],
        start: &Snapshot,
        act: &mut dyn FnMut(usize, &mut WorldMut<'_>),
    ) -> Result<Performance, TransferError> {
        let model = &target.model;
        let mut batch = Batch::new(model, 1, BatchOptions { threads: 1, ..BatchOptions::default() })?;
        let steps_per_frame = config.steps_per_frame();
        let mut recorder = Recorder {
            target,
            config,
            offsets,
            frames: (offsets.len() / target.dofs.count.max(1)).min(target.frames()),
            act,
            run: Performance { dt: model.dt(), steps_per_frame, ..Performance::default() },
        };
        let mut first = vec![0.0; model.position_count()];
        recorder.row(0, &mut first);
        let mut world = batch.world_mut(0);
        world.restore(start);
        world.set_target(&first);
        recorder.run.push(&world.as_world());
        let interval = Interval::ramped(steps_per_frame, DampsTo::Target);
        batch.drive(interval, recorder.frames.saturating_sub(1), &mut recorder);
        Ok(recorder.run)
    }

    fn push(&mut self, world: &World<'_>) {
        self.moments.push(Moment {
            position: world.position(),
            velocity: world.velocity(),
            target: world.target(),
            torques: world.torques(),
            contacts: world.contacts(),
            assist: Wrench::default(),
        });
    }

    /// Frames recorded.
    pub fn frames(&self) -> usize {
        (self.moments.len() - 1) / self.steps_per_frame + 1
    }

    /// The moment at a frame.
    pub fn at_frame(&self, frame: usize) -> &Moment {
        &self.moments[frame * self.steps_per_frame]
    }

    /// Length, s.
    pub fn duration_secs(&self) -> f64 {
        (self.frames() - 1) as f64 * FRAME_SECS
    }

    /// Mean of each term over all samples of the cost.
    pub fn mean_terms(&self) -> Terms {
        let mut sum = Terms::default();
        self.costs.iter().for_each(|(_, terms)| sum.add(terms));
        sum.scaled(1.0 / self.costs.len().max(1) as f64)
    }
}

/// Offsets at work in one world, recorded.
struct Recorder<'a> {
    target: &'a Target,
    config: &'a Config,
    offsets: &'a [f64],
    frames: usize,
    act: &'a mut dyn FnMut(usize, &mut WorldMut<'_>),
    run: Performance,
}

impl Recorder<'_> {
    /// The PD target of a frame.
    fn row(&self, frame: usize, out: &mut [f64]) {
        let count = self.target.dofs.count;
        self.target.dofs.add(self.target.position(frame), &self.offsets[frame * count..(frame + 1) * count], out);
    }

    /// Judges the world at the end of a frame.
    fn judge(&mut self, frame: usize, world: &World<'_>) {
        let Recorder { target, config, run, .. } = self;
        run.diverged |= world.status() != Status::Running;
        Seen::with(target, world, |seen| {
            if run.fell_at.is_none() && (run.diverged || seen.has_fallen(target, frame)) {
                run.fell_at = Some(frame);
            }
            if frame.is_multiple_of(config.cost_frames) || frame + 1 == self.frames {
                run.costs.push((frame, seen.terms(target, frame, &config.weights)));
            }
        });
    }
}

impl Driver for Recorder<'_> {
    fn decide(&mut self, frame: usize, _: usize, world: &mut WorldMut<'_>, next: &mut [f64]) -> ControlFlow<()> {
        if frame > 0 {
            self.judge(frame, &world.as_world());
        }
        if frame + 1 < self.frames {
            self.row(frame + 1, next);
        }
        ControlFlow::Continue(())
    }
    fn watches_steps(&self) -> bool {
        true
    }
    fn before_step(&mut self, step: usize, _: usize, world: &mut WorldMut<'_>) {
        (self.act)(step, world);
    }
    fn after_step(&mut self, _: usize, _: usize, world: &World<'_>) {
        self.run.push(world);
    }
}

#[cfg(test)]
#[path = "performance_tests.rs"]
mod tests;
