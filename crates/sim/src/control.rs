//! How a control interval begins: from the present PD target to the next one.
//!
//! A controller decides once in an interval of n steps, 20 steps of 1/600 s for 30 Hz for instance. [`Interval`] says how the PD target goes
//! through it, and this file is the one place where that becomes numbers:
//!
//! * [`crate::WorldMut::begin_interval`] begins one in one world,
//! * [`Track`] goes from row to row of targets, without the rounding of the steps in between: what [`crate::Rollouts`] and
//!   [`crate::Batch::drive`] do,
//! * [`crate::Batch::control`] begins one in all worlds at once.

use crate::JointKind;
use crate::engine::Field;
use crate::model::{JointInfo, Model};
use crate::rotation;
use crate::world::{World, WorldMut};

/// How the PD target goes through a control interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Its length in steps, at least 1.
    pub steps: usize,
    /// The way to the next target.
    pub path: Path,
}

/// The way of a PD target to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// The next target holds at once, and PD damps towards rest.
    Hold,
    /// The target moves linearly, a ball joint's quaternion to the nearer of the two signs that mean the same rotation, and reaches the next one
    /// with the last step of the interval. It then goes on at the same rate until the next interval begins.
    Ramp(DampsTo),
}

/// Velocity towards which PD damps a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DampsTo {
    /// `kd·(0 − v)`.
    Rest,
    /// `kd·(v* − v)`, v* the velocity of the target between its rows.
    Target,
}

impl Interval {
    /// The next target holds for so many steps.
    pub fn held(steps: usize) -> Interval {
        Interval { steps, path: Path::Hold }
    }
    /// The target moves linearly to the next one in so many steps.
    pub fn ramped(steps: usize, damps_to: DampsTo) -> Interval {
        Interval { steps, path: Path::Ramp(damps_to) }
    }
}

/// Working memory for the beginning of intervals; holds nothing from one to the next.
#[derive(Clone, Debug)]
pub(crate) struct Ramp {
    /// Target now, as the lanes hold it.
    from: Vec<f64>,
    /// What each step adds to it.
    change: Vec<f64>,
    /// Empty until it is needed.
    velocity: Vec<f64>,
}

/// Ball joints whose turns are found side by side.
const SIDE_BY_SIDE: usize = 8;

impl Ramp {
    pub fn new(model: &Model) -> Ramp {
        let zeros = vec![0.0; model.position_count()];
        Ramp { from: zeros.clone(), change: zeros, velocity: Vec::new() }
    }

    /// Begins an interval of one world.
    pub fn begin(&mut self, world: &mut WorldMut<'_>, next: &[f64], interval: Interval) {
        match interval.path {
            Path::Hold => {
                hold(world, next);
                world.group.fill(Field::TargetVelocity, world.lane, 0.0);
            }
            Path::Ramp(DampsTo::Rest) => {
                self.aim(world, next, interval.steps);
                world.group.fill(Field::TargetVelocity, world.lane, 0.0);
            }
            Path::Ramp(DampsTo::Target) => {
                self.aim(world, next, interval.steps);
                self.find_velocity(world.model, next, interval.steps);
                world.group.write(Field::TargetVelocity, world.lane, &self.velocity);
            }
        }
    }

    /// Lets the target move from where it is so that it reaches `next` after `steps` steps; its velocity for PD stays.
    pub fn aim(&mut self, world: &mut WorldMut<'_>, next: &[f64], steps: usize) {
        world.group.read(Field::Target, world.lane, &mut self.from);
        self.find_change(world.model, next, steps);
        world.group.write(Field::Ramp, world.lane, &self.change);
        world.group.set_ramped(true);
    }

    /// What each of n steps adds: `(x' − x)/n`, for the quaternion of a ball joint `(±x' − x)/n` with the sign of `x·x'`.
    fn find_change(&mut self, model: &Model, next: &[f64], steps: usize) {
        let rate = 1.0 / steps.max(1) as f64;
        for ((change, from), next) in self.change.iter_mut().zip(&self.from).zip(next) {
            *change = (next - from) * rate;
        }
        for q in balls(model).map(|ball| ball.position_index) {
            let (from, next) = (four(&self.from, q), four(next, q));
            let same: f64 = from.iter().zip(&next).map(|(a, b)| a * b).sum();
            if same < 0.0 {
                (0..4).for_each(|k| self.change[q + k] = (-next[k] - from[k]) * rate);
            }
        }
    }

    /// The velocity of the target through n steps of `dt`: `(x' − x)/(n·dt)`, for a ball joint the rotation vector of the shorter turn over the same
    /// time, in the child's axes; zero at roots.
    fn find_velocity(&mut self, model: &Model, next: &[f64], steps: usize) {
        let per_second = 1.0 / steps.max(1) as f64 / model.dt();
        self.velocity.resize(model.velocity_count(), 0.0);
        for hinge in model.joints().iter().filter(|joint| joint.kind == JointKind::Hinge) {
            let q = hinge.position_index;
            self.velocity[hinge.velocity_index] = (next[q] - self.from[q]) * per_second;
        }
        let mut balls = balls(model).peekable();
        while balls.peek().is_some() {
            let mut places = [0; SIDE_BY_SIDE];
            let (mut from, mut to) = ([[1.0, 0.0, 0.0, 0.0]; SIDE_BY_SIDE], [[1.0, 0.0, 0.0, 0.0]; SIDE_BY_SIDE]);
            let mut count = 0;
            for ball in balls.by_ref().take(SIDE_BY_SIDE) {
                (from[count], to[count]) = (four(&self.from, ball.position_index), four(next, ball.position_index));
                places[count] = ball.velocity_index;
                count += 1;
            }
            let turns = rotation::turns_between(&from, &to);
            for (&v, turn) in places[..count].iter().zip(&turns) {
                (0..3).for_each(|k| self.velocity[v + k] = turn[k] * per_second);
            }
        }
    }
}

fn balls(model: &Model) -> impl Iterator<Item = &JointInfo> {
    model.joints().iter().filter(|joint| joint.kind == JointKind::Ball)
}

/// The quaternion that begins at an index.
fn four(values: &[f64], at: usize) -> [f64; 4] {
    [values[at], values[at + 1], values[at + 2], values[at + 3]]
}

/// Sets the target from now on; its velocity for PD stays.
pub(crate) fn hold(world: &mut WorldMut<'_>, target: &[f64]) {
    world.group.write(Field::Target, world.lane, target);
    world.group.fill(Field::Ramp, world.lane, 0.0);
}

/// The PD targets of one world, row by row: each interval begins exactly at the row that the last one led to, wherever the rounded steps have
/// come to.
#[derive(Clone, Debug)]
pub struct Track {
    /// The row with which the present interval ends and the next one begins.
    row: Vec<f64>,
    next: Vec<f64>,
    ramp: Ramp,
}

impl Track {
    /// A track that starts at the pose of the scene.
    pub fn new(model: &Model) -> Track {
        let row = model.rest_position().to_vec();
        Track { next: row.clone(), row, ramp: Ramp::new(model) }
    }

    /// A track that starts at the present PD target of a world.
    pub fn at(world: &World<'_>) -> Track {
        let row = world.target();
        Track { next: row.clone(), row, ramp: Ramp::new(world.model) }
    }

    /// Starts again at a row in `qpos` order.
    ///
    /// # Panics
    /// When its length is not the model's.
    pub fn restart(&mut self, row: &[f64]) {
        self.row.copy_from_slice(row);
        self.next.copy_from_slice(row);
    }

    /// The row at which the next interval begins, to be changed where a motion jumps.
    pub fn row_mut(&mut self) -> &mut [f64] {
        &mut self.row
    }

    /// Begins an interval towards the row that `decide` writes, knowing the world; what it wrote the last time is still there. Unless the target
    /// holds, the world's is the row at which the interval begins. Returns what `decide` returns.
    ///
    /// # Panics
    /// When the world is of another model.
    pub fn begin<R>(
        &mut self,
        world: &mut WorldMut<'_>,
        interval: Interval,
        decide: impl FnOnce(&mut WorldMut<'_>, &mut [f64]) -> R,
    ) -> R {
        assert_eq!(self.row.len(), world.model.position_count(), "the track is of another model");
        if interval.path != Path::Hold {
            world.group.write(Field::Target, world.lane, &self.row);
        }
        let decided = decide(world, &mut self.next);
        self.ramp.begin(world, &self.next, interval);
        self.row.copy_from_slice(&self.next);
        decided
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Batch, BatchOptions, Isa, Scene, embedded};
    use std::f64::consts::FRAC_PI_2;
    use std::sync::Arc;

    /// One world of a figure with ball joints and a free root, in f64.
    fn world() -> (Arc<Model>, Batch) {
        let model = Arc::new(Model::new(&Scene::on_ground(embedded::peer_b()), 0.002).unwrap());
        let batch = Batch::new(&model, 1, BatchOptions { isa: Some(Isa::Reference64), threads: 1 }).unwrap();
        (model, batch)
    }

    /// What a field of the world holds.
    fn field(world: &WorldMut<'_>, field: Field) -> Vec<f64> {
        let model = world.model;
        let is_velocity = field == Field::TargetVelocity;
        let mut out = vec![0.0; if is_velocity { model.velocity_count() } else { model.position_count() }];
        world.group.read(field, world.lane, &mut out);
        out
    }

    fn first_ball(model: &Model) -> (usize, usize) {
        let ball = model.joints().iter().find(|j| j.kind == JointKind::Ball).expect("a ball joint");
        (ball.position_index, ball.velocity_index)
    }

    #[test]
    fn who_decides_sees_the_target_at_which_the_interval_begins() {
        let (model, mut batch) = world();
        let mut track = Track::new(&model);
        let mut row = model.rest_position().to_vec();
        row[7] += 0.25;
        track.restart(&row);
        // Whatever the world was left with.
        batch.world_mut(0).set_target(model.rest_position());
        let seen = track.begin(&mut batch.world_mut(0), Interval::ramped(5, DampsTo::Target), |world, next| {
            next[7] += 0.5;
            world.as_world().target()
        });
        assert_eq!(seen[7..], row[7..]);
        batch.step(5);
        assert!((batch.world(0).target()[7] - row[7] - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_quarter_turn_in_five_steps() {
        let (model, mut batch) = world();
        let (q, v) = first_ball(&model);
        let (sin, cos) = (FRAC_PI_2 / 2.0).sin_cos();
        for sign in [1.0, -1.0] {
            let mut next = model.rest_position().to_vec();
            next[q..q + 4].copy_from_slice(&[sign * cos, 0.0, sign * sin, 0.0]);
            let mut world = batch.world_mut(0);
            world.set_target(model.rest_position());
            world.begin_interval(&next, Interval::ramped(5, DampsTo::Target));
            let (change, velocity) = (field(&world, Field::Ramp), field(&world, Field::TargetVelocity));
            // The nearer of both signs.
            let expected = [(cos - 1.0) / 5.0, 0.0, sin / 5.0, 0.0];
            assert!((0..4).all(|k| (change[q + k] - expected[k]).abs() < 1e-15), "{:?}", &change[q..q + 4]);
            assert!((velocity[v + 1] - FRAC_PI_2 / (5.0 * 0.002)).abs() < 1e-9, "{}", velocity[v + 1]);
            let others = |values: &[f64], own: std::ops::Range<usize>| {
                values.iter().enumerate().filter(|(k, _)| !own.contains(k)).all(|(_, x)| *x == 0.0)
            };
            assert!(others(&change, q..q + 4) && others(&velocity, v + 1..v + 2));
        }
    }

    #[test]
    fn what_is_held_has_neither_change_nor_velocity() {
        let (model, mut batch) = world();
        let (q, _) = first_ball(&model);
        let mut next = model.rest_position().to_vec();
        next[q..q + 4].copy_from_slice(&[0.8, 0.6, 0.0, 0.0]);
        let mut world = batch.world_mut(0);
        world.follow_target(&next, 3);
        assert!(field(&world, Field::Ramp).iter().any(|x| *x != 0.0));
        world.begin_interval(&next, Interval::held(3));
        assert_eq!(field(&world, Field::Target), next);
        assert!(field(&world, Field::Ramp).iter().chain(&field(&world, Field::TargetVelocity)).all(|x| *x == 0.0));
        world.follow_target(model.rest_position(), 3);
        world.begin_interval(&next, Interval::ramped(3, DampsTo::Rest));
        assert!(field(&world, Field::TargetVelocity).iter().all(|x| *x == 0.0));
    }

    #[test]
    fn a_track_begins_at_its_row_whatever_the_steps_have_rounded() {
        let model = Arc::new(Model::new(&Scene::on_ground(embedded::dinosaur()), 0.002).unwrap());
        let mut batch = Batch::new(&model, 1, BatchOptions { threads: 1, ..BatchOptions::default() }).unwrap();
        let interval = Interval::ramped(7, DampsTo::Target);
        let row =
            |k: usize| model.rest_position().iter().map(|x| f64::from((x + 0.1 * k as f64) as f32)).collect::<Vec<_>>();
        let mut track = Track::at(&batch.world(0));
        let mut drifted = 0.0f64;
        for k in 1..4 {
            track.begin(&mut batch.world_mut(0), interval, |_, next| next.copy_from_slice(&row(k)));
            let from = if k == 1 { batch.world(0).target() } else { row(k - 1) };
            assert_eq!(batch.world(0).target(), from);
            batch.step(7);
            let end = batch.world(0).target();
            drifted = end.iter().zip(&row(k)).map(|(a, b)| (a - b).abs()).fold(drifted, f64::max);
        }
        assert!(drifted > 0.0 && drifted < 1e-5, "{drifted}");
        track.restart(model.rest_position());
        track.row_mut()[7] = 0.25;
        track.begin(&mut batch.world_mut(0), interval, |_, next| assert_eq!(next, model.rest_position()));
        assert_eq!(batch.world(0).target()[7], 0.25);
    }
}
