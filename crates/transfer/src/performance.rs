//! The simulated motion, step by step, as it is written, measured and looked at.

use crate::assist::HelpUnits;
use crate::config::Config;
use crate::cost::{Seen, Terms};
use crate::target::{FRAME_SECS, Target};
use crate::{Solution, TransferError, start_state};
use sinew_sim::{Batch, BatchOptions, ContactReading, Snapshot, Status, WorldMut, Wrench};

/// A simulated run that was recorded in every step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Performance {
    /// Length of a step, s.
    pub dt: f64,
    /// Steps in a frame.
    pub steps_per_frame: usize,
    /// Moments recorded: the start and the end of every step.
    pub moments: Vec<Moment>,
    /// Cost at every look, with its frame.
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
    /// Help from outside in the step that led here, at the centre of mass: zero where there was none.
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
        let units = HelpUnits::of(&target.model);
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
        let steps_per_frame = config.steps_per_frame();
        let count = target.dofs.count;
        let mut batch = Batch::new(model, 1, BatchOptions { threads: 1, ..BatchOptions::default() })?;
        batch.world_mut(0).restore(start);
        let mut run = Performance { dt: model.dt(), steps_per_frame, ..Performance::default() };
        let frames = (offsets.len() / count.max(1)).min(target.frames());
        let row = |frame: usize| {
            let mut row = vec![0.0; model.position_count()];
            target.dofs.add(target.position(frame), &offsets[frame * count..(frame + 1) * count], &mut row);
            row
        };
        let mut seen = Seen {
            position: vec![0.0; model.position_count()],
            velocity: vec![0.0; model.velocity_count()],
            observation: vec![0.0; model.observation_count()],
        };
        batch.world_mut(0).set_target(&row(0));
        run.push(&batch);
        for frame in 1..frames {
            let (from, to) = (row(frame - 1), row(frame));
            let mut world = batch.world_mut(0);
            world.set_target(&from);
            world.follow_target(&to, steps_per_frame);
            for step in (frame - 1) * steps_per_frame..frame * steps_per_frame {
                act(step, &mut batch.world_mut(0));
                batch.step(1);
                run.push(&batch);
            }
            batch.observe();
            let world = batch.world(0);
            world.read_position(&mut seen.position);
            world.read_velocity(&mut seen.velocity);
            world.read_observation(&mut seen.observation);
            run.diverged |= world.status() != Status::Running;
            if run.fell_at.is_none() && (run.diverged || seen.has_fallen(target, frame)) {
                run.fell_at = Some(frame);
            }
            if frame % config.cost_frames == 0 || frame + 1 == frames {
                run.costs.push((frame, seen.terms(target, frame, &config.weights)));
            }
        }
        Ok(run)
    }

    fn push(&mut self, batch: &Batch) {
        let world = batch.world(0);
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

    /// Mean of each term over all looks.
    pub fn mean_terms(&self) -> Terms {
        let mut sum = Terms::default();
        self.costs.iter().for_each(|(_, terms)| sum.add(terms));
        sum.scaled(1.0 / self.costs.len().max(1) as f64)
    }
}

#[cfg(test)]
#[path = "performance_tests.rs"]
mod tests;
