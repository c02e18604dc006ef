//! All worlds of a batch read and written at once: what a learner that drives thousands of them needs.
//!
//! Every call works on one slice of `f32` with a row for each world, world after world: `(worlds × n)` in C order, n the width of what is read or
//! written. It goes group by group on the threads of the batch, without memory of its own for each world. The numbers are those of the lanes, so
//! that bulk calls and calls of one world ([`crate::World`], [`crate::WorldMut`]) give the same bits.
//!
//! | call | does |
//! |---|---|
//! | [`Batch::control`] | writes PD targets, takes the steps of a control interval and reads what [`Readings`] asks for |
//! | [`Batch::control_from`] | the same, with targets that jump when the interval begins and move on from there |
//! | [`Batch::read`] | reads alone |
//! | [`Batch::reset`] | begins again in the worlds that are named, from `qpos` and `qvel` |
//!
//! Each goes through the groups once: a group is written, stepped and read by the same thread, while the caches hold it.
//!
//! 64 figures at 30 Hz, that is 20 steps of 1/600 s for each decision; those that have fallen begin again:
//!
//! ```
//! use sinew_sim::{Batch, BatchOptions, Condition, DampsTo, Interval, Model, Observation, Readings, Scene, embedded};
//! use std::sync::Arc;
//!
//! let model = Arc::new(Model::new(&Scene::on_ground(embedded::peer_b()), 1.0 / 600.0)?);
//! let (worlds, nq, nv, no) = (64, model.position_count(), model.velocity_count(), model.observation_count());
//! let mut batch = Batch::new(&model, worlds, BatchOptions::default())?;
//! let start: Vec<f32> = model.rest_position().iter().map(|x| *x as f32).collect();
//! let mut targets = start.repeat(worlds);
//! let mut observations = vec![0.0; worlds * no];
//! let mut conditions = vec![Condition::Running; worlds];
//! for tick in 0..60 {
//!     // A policy would decide here: the first half of the worlds bends its first joint, the others hold their pose.
//!     let joint = &model.joints()[1];
//!     for row in targets.chunks_mut(nq).take(worlds / 2) {
//!         let half_angle = 0.02 * tick as f32;
//!         row[joint.position_index..][..4].copy_from_slice(&[half_angle.cos(), half_angle.sin(), 0.0, 0.0]);
//!     }
//!     let readings = Readings {
//!         observations: Some(&mut observations),
//!         conditions: Some(&mut conditions),
//!         ..Readings::none()
//!     };
//!     batch.control(&targets, Interval::ramped(20, DampsTo::Target), readings)?;
//!     let is_over = |world: &usize| {
//!         let seen = Observation::new(&observations[world * no..(world + 1) * no]);
//!         conditions[*world] != Condition::Running || seen.center()[2] < 0.5
//!     };
//!     let over: Vec<usize> = (0..worlds).filter(is_over).collect();
//!     batch.reset(&over, &start.repeat(over.len()), &vec![0.0; over.len() * nv])?;
//! }
//! // Worlds that are told the same do the same.
//! assert_eq!(batch.world(0).position(), batch.world(31).position());
//! assert_ne!(batch.world(31).position(), batch.world(32).position());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::batch::{Batch, Share};
use crate::control::{Interval, Ramp, hold};
use crate::model::Model;
use crate::readings::Readings;
use crate::world::WorldMut;

/// Why worlds were not read or written; none of them has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BulkError {
    /// A slice of the wrong length.
    #[error("the {what} of {rows} worlds are {rows} rows of {width}, {} numbers, but the slice holds {found}", rows * width)]
    Length {
        /// What it should hold.
        what: &'static str,
        /// How many worlds it is for.
        rows: usize,
        /// Numbers for each.
        width: usize,
        /// Numbers given.
        found: usize,
    },
    /// An interval without steps.
    #[error("a control interval of 0 steps was asked for; give it at least 1")]
    NoSteps,
    /// A world that is not there.
    #[error("world {world} was to be reset, but the batch has {count}, from 0 on")]
    NoWorld {
        /// Its number.
        world: usize,
        /// How many there are.
        count: usize,
    },
    /// A world that is named more than once.
    #[error("world {0} was to be reset twice in one call; name it once")]
    Twice(usize),
}

impl BulkError {
    /// Refuses a slice that does not hold so many rows of so many numbers.
    pub(crate) fn check_length(what: &'static str, rows: usize, width: usize, found: usize) -> Result<(), BulkError> {
        if found == rows * width { Ok(()) } else { Err(BulkError::Length { what, rows, width, found }) }
    }
}

impl Batch {
    /// Reads all worlds as they are now.
    ///
    /// # Errors
    /// When a slice has the wrong length.
    pub fn read(&mut self, readings: Readings<'_>) -> Result<(), BulkError> {
        readings.check(&self.model, self.worlds)?;
        let parts = readings.split(&self.model, self.groups.len(), self.lanes);
        self.with_parts(parts, Share::Coarse, &|_, group, _, part| part.read(group));
        Ok(())
    }

    /// One control interval of all worlds: their PD targets go from where they are to `targets`, rows in `qpos` order of which a root's entries are not
    /// used, every running world takes the interval's steps, and what `readings` asks for is read.
    ///
    /// The same as [`WorldMut::begin_interval`] in each world, then [`Batch::step`], then [`Batch::read`].
    ///
    /// # Errors
    /// When a slice has the wrong length, or the interval has no steps.
    pub fn control(&mut self, targets: &[f32], interval: Interval, readings: Readings<'_>) -> Result<(), BulkError> {
        self.begin(None, targets, interval, interval.steps, readings)
    }

    /// One control interval in which PD targets jump to `from` at once and then go to `targets`: for a controller whose decision shifts a moving target, and
    /// whose jumps from one decision to the next are no velocity that PD should damp towards. Otherwise as [`Batch::control`].
    ///
    /// # Errors
    /// As [`Batch::control`].
    pub fn control_from(
        &mut self,
        from: &[f32],
        targets: &[f32],
        interval: Interval,
        readings: Readings<'_>,
    ) -> Result<(), BulkError> {
        self.begin(Some(from), targets, interval, interval.steps, readings)
    }

    /// Begins a control interval in all worlds and takes no step, for a caller who does more than to step.
    ///
    /// # Errors
    /// As [`Batch::control`].
    pub fn begin_interval(&mut self, targets: &[f32], interval: Interval) -> Result<(), BulkError> {
        self.begin(None, targets, interval, 0, Readings::none())
    }

    fn begin(
        &mut self,
        from: Option<&[f32]>,
        targets: &[f32],
        interval: Interval,
        steps: usize,
        readings: Readings<'_>,
    ) -> Result<(), BulkError> {
        let (model, lanes) = (self.model.clone(), self.lanes);
        let width = model.position_count();
        BulkError::check_length("targets", self.worlds, width, targets.len())?;
        if let Some(from) = from {
            BulkError::check_length("targets at the beginning", self.worlds, width, from.len())?;
        }
        readings.check(&model, self.worlds)?;
        if interval.steps == 0 {
            return Err(BulkError::NoSteps);
        }
        let parts = readings.split(&model, self.groups.len(), lanes);
        self.with_parts(parts, Share::Fine, &|index, group, working, part| {
            let Rows { ramp, position, .. } = &mut working.rows;
            let of_group = targets[index * lanes * width..].chunks_exact(width.max(1)).take(lanes);
            for (lane, target) in of_group.enumerate() {
                let mut world = WorldMut { model: &model, group: &mut *group, lane };
                if let Some(from) = from {
                    widen(&from[(index * lanes + lane) * width..][..width], position);
                    hold(&mut world, position);
                }
                widen(target, position);
                ramp.begin(&mut world, position, interval);
            }
            group.advance(&mut *working.scratch, steps);
            part.read(group);
        });
        Ok(())
    }

    /// Begins again in the worlds that are named, each once and in any order: row i of `positions` (`qpos`) and of `velocities` (`qvel`) is the new
    /// state of `worlds[i]`. Quaternions are normalised, as in [`WorldMut::set_position`]. Such a world runs again, with its step count and friction
    /// work at zero, its own pose as the PD target and no forces from outside; gravity and gain stay. All other worlds stay as they are.
    ///
    /// # Errors
    /// When a slice has the wrong length, or a world is not there or named twice.
    pub fn reset(&mut self, worlds: &[usize], positions: &[f32], velocities: &[f32]) -> Result<(), BulkError> {
        let (model, lanes) = (self.model.clone(), self.lanes);
        let (nq, nv) = (model.position_count(), model.velocity_count());
        BulkError::check_length("positions", worlds.len(), nq, positions.len())?;
        BulkError::check_length("velocities", worlds.len(), nv, velocities.len())?;
        let sorted = self.sorted(worlds)?;
        if sorted.is_empty() {
            return Ok(());
        }
        self.on_all_threads(&|index, group, working| {
            let Rows { position, velocity, .. } = &mut working.rows;
            let first = sorted.partition_point(|(world, _)| *world < index * lanes);
            for &(world, row) in sorted[first..].iter().take_while(|(world, _)| *world < (index + 1) * lanes) {
                widen(&positions[row * nq..(row + 1) * nq], position);
                widen(&velocities[row * nv..(row + 1) * nv], velocity);
                let lane = world % lanes;
                WorldMut { model: &model, group: &mut *group, lane }.restart(position, velocity);
            }
        });
        Ok(())
    }

    /// Worlds that are to be reset in their order, each with its row.
    fn sorted(&self, worlds: &[usize]) -> Result<Vec<(usize, usize)>, BulkError> {
        let mut sorted: Vec<(usize, usize)> = worlds.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        if let Some(&(world, _)) = sorted.last().filter(|(world, _)| *world >= self.worlds) {
            return Err(BulkError::NoWorld { world, count: self.worlds });
        }
        match sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(BulkError::Twice(pair[0].0)),
            None => Ok(sorted),
        }
    }
}

/// Rows of one world on their way into the lanes: working memory of a thread.
pub(crate) struct Rows {
    ramp: Ramp,
    position: Vec<f64>,
    velocity: Vec<f64>,
}

impl Rows {
    pub fn new(model: &Model) -> Rows {
        let (position, velocity) = (vec![0.0; model.position_count()], vec![0.0; model.velocity_count()]);
        Rows { ramp: Ramp::new(model), position, velocity }
    }
}

fn widen(from: &[f32], to: &mut [f64]) {
    from.iter().zip(to).for_each(|(from, to)| *to = f64::from(*from));
}
