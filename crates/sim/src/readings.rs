//! What a caller reads of all worlds of a batch, in one pass.

use crate::bulk::BulkError;
use crate::engine::{Field, Worlds};
use crate::model::Model;

/// Whether a world still moves, as one byte; [`crate::World::status`] says more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Condition {
    /// It moves.
    Running = 0,
    /// The caller stopped it.
    Stopped = 1,
    /// Its numbers left all reason; it stands still until it is reset.
    Diverged = 2,
}

/// Slices that are filled with a row for each world, world after world; what is `None` is not read.
///
/// | slice | row | width |
/// |---|---|---|
/// | `positions`, `targets` | `qpos` | [`Model::position_count`] |
/// | `velocities`, `torques` | `qvel` | [`Model::velocity_count`] |
/// | `observations` | see [`crate::Observation`] | [`Model::observation_count`] |
/// | `conditions` | a [`Condition`] | 1 |
#[derive(Debug, Default)]
pub struct Readings<'a> {
    /// Where the joints are.
    pub positions: Option<&'a mut [f32]>,
    /// How fast they move.
    pub velocities: Option<&'a mut [f32]>,
    /// PD targets.
    pub targets: Option<&'a mut [f32]>,
    /// PD torques of the last step, N·m.
    pub torques: Option<&'a mut [f32]>,
    /// What an observer sees of the present state.
    pub observations: Option<&'a mut [f32]>,
    /// Which worlds run, and which have diverged.
    pub conditions: Option<&'a mut [Condition]>,
}

impl<'a> Readings<'a> {
    /// Nothing is read.
    pub fn none() -> Readings<'a> {
        Readings::default()
    }

    pub(crate) fn check(&self, model: &Model, worlds: usize) -> Result<(), BulkError> {
        let (nq, nv, no) = (model.position_count(), model.velocity_count(), model.observation_count());
        let numbers = |slice: &Option<&mut [f32]>| slice.as_ref().map(|slice| slice.len());
        let conditions = self.conditions.as_ref().map(|slice| slice.len());
        for (what, width, found) in [
            ("positions", nq, numbers(&self.positions)),
            ("velocities", nv, numbers(&self.velocities)),
            ("targets", nq, numbers(&self.targets)),
            ("torques", nv, numbers(&self.torques)),
            ("observations", no, numbers(&self.observations)),
            ("conditions", 1, conditions),
        ] {
            found.map_or(Ok(()), |found| BulkError::check_length(what, worlds, width, found))?;
        }
        Ok(())
    }

    /// The parts of so many groups of worlds; the last group may hold fewer.
    pub(crate) fn split(mut self, model: &Model, groups: usize, lanes: usize) -> Vec<Readings<'a>> {
        let (nq, nv, no) = (model.position_count(), model.velocity_count(), model.observation_count());
        let part = |_| Readings {
            positions: first(&mut self.positions, lanes * nq),
            velocities: first(&mut self.velocities, lanes * nv),
            targets: first(&mut self.targets, lanes * nq),
            torques: first(&mut self.torques, lanes * nv),
            observations: first(&mut self.observations, lanes * no),
            conditions: first(&mut self.conditions, lanes),
        };
        (0..groups).map(part).collect()
    }

    /// Fills the slices from one group.
    pub(crate) fn read(self, group: &mut dyn Worlds) {
        let fields = [
            (Field::Position, self.positions),
            (Field::Velocity, self.velocities),
            (Field::Target, self.targets),
            (Field::Torque, self.torques),
        ];
        for (field, rows) in fields {
            if let Some(rows) = rows {
                group.read_rows(field, rows);
            }
        }
        if let Some(rows) = self.observations {
            group.observe();
            group.observed_rows(rows);
        }
        for (lane, out) in self.conditions.into_iter().flatten().enumerate() {
            *out = match group.diverged(lane) {
                Some(_) => Condition::Diverged,
                None if group.is_running(lane) => Condition::Running,
                None => Condition::Stopped,
            };
        }
    }
}

/// Takes the first numbers off a slice, or as many as are left.
fn first<'a, T>(slice: &mut Option<&'a mut [T]>, count: usize) -> Option<&'a mut [T]> {
    let all = slice.take()?;
    let (first, rest) = all.split_at_mut(count.min(all.len()));
    *slice = Some(rest);
    Some(first)
}
