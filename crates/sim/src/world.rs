//! Reading and changing one world of a batch.

use crate::JointKind;
use crate::control::{self, DampsTo, Interval, Ramp};
use crate::engine::{Field, Worlds};
use crate::measure::Measured;
use crate::model::Model;
use serde::{Deserialize, Serialize};

/// A world to be read.
#[derive(Clone, Copy)]
pub struct World<'a> {
    pub(crate) model: &'a Model,
    pub(crate) group: &'a dyn Worlds,
    pub(crate) lane: usize,
}

/// A world to be changed.
pub struct WorldMut<'a> {
    pub(crate) model: &'a Model,
    pub(crate) group: &'a mut dyn Worlds,
    pub(crate) lane: usize,
}

/// Whether a world still moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It moves.
    Running,
    /// The caller stopped it.
    Stopped,
    /// Its numbers left all reason; it stands still where it was before that step.
    Diverged {
        /// Steps that it had taken.
        step: u64,
        /// Joint whose speed went wrong first.
        joint: String,
    },
}

/// A world's state, to be restored bit by bit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    values: Vec<f64>,
    steps: u64,
    diverged: Option<(u64, usize)>,
    is_running: bool,
}

impl Snapshot {
    /// A state given by its coordinates.
    pub fn new(position: &[f64], velocity: &[f64]) -> Snapshot {
        Snapshot { values: [position, velocity].concat(), steps: 0, diverged: None, is_running: true }
    }
    /// `qpos` followed by `qvel`.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
    /// Steps that the world had taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

/// A point where a body touched something in the last step.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactReading {
    /// Index of the body (of a welded group: its first).
    pub body: usize,
    /// What it touched.
    pub other: Touched,
    /// Place in the world, m.
    pub point: [f64; 3],
    /// Unit normal pointing towards `body`.
    pub normal: [f64; 3],
    /// Force on `body`, N.
    pub force: [f64; 3],
}

/// A wrench from outside on the whole of a world: a force through the centre of mass of all that moves, and a torque.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force in world axes, N.
    pub force: [f64; 3],
    /// Torque in world axes, N·m.
    pub torque: [f64; 3],
}

/// The other side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touched {
    /// The floor.
    Ground,
    /// A static box, by its index in the scene.
    Box(usize),
    /// Another body, by index.
    Body(usize),
}

impl World<'_> {
    fn field(&self, field: Field, count: usize) -> Vec<f64> {
        let mut out = vec![0.0; count];
        self.group.read(field, self.lane, &mut out);
        out
    }
    /// `qpos`: free root `x y z, w x y z`; planar root `x z, angle`; ball `w x y z`; hinge angle.
    pub fn position(&self) -> Vec<f64> {
        self.field(Field::Position, self.model.position_count())
    }
    /// `qvel`: free root's linear velocity in the world, then angular velocity in its own axes; ball in the child's axes.
    pub fn velocity(&self) -> Vec<f64> {
        self.field(Field::Velocity, self.model.velocity_count())
    }
    /// Like [`World::position`], into a slice.
    pub fn read_position(&self, out: &mut [f64]) {
        self.group.read(Field::Position, self.lane, out);
    }
    /// Like [`World::velocity`], into a slice.
    pub fn read_velocity(&self, out: &mut [f64]) {
        self.group.read(Field::Velocity, self.lane, out);
    }
    /// `[centre of mass (3), its velocity (3), each end effector (3), each end effector's velocity (3)]` in world axes, as last observed: by [`crate::Batch::observe`], or
    /// before each look in rollouts that observe; [`crate::Observation`] names its parts. In the precision of the lanes, far quicker than
    /// [`World::measure`].
    pub fn read_observation(&self, out: &mut [f64]) {
        self.group.observed(self.lane, out);
    }
    /// Work that friction on the ground and on boxes took since the state was restored, J: sliding under a body's weight by a metre costs μ·m·g.
    pub fn friction_work(&self) -> f64 {
        self.group.rubbed(self.lane)
    }
    /// PD targets in `qpos` order; a root's entries are not used.
    pub fn target(&self) -> Vec<f64> {
        self.field(Field::Target, self.model.position_count())
    }
    /// PD torques of the last step in `qvel` order, zero at roots, N·m.
    pub fn torques(&self) -> Vec<f64> {
        self.field(Field::Torque, self.model.velocity_count())
    }
    /// Like [`World::torques`], into a slice.
    pub fn read_torques(&self, out: &mut [f64]) {
        self.group.read(Field::Torque, self.lane, out);
    }
    /// Torques of joint stops in the last step, N·m.
    pub fn stop_torques(&self) -> Vec<f64> {
        self.field(Field::StopTorque, self.model.velocity_count())
    }
    /// Steps taken so far.
    pub fn steps(&self) -> u64 {
        self.group.steps(self.lane)
    }
    /// Time simulated so far, s.
    pub fn time(&self) -> f64 {
        self.steps() as f64 * self.model.dt()
    }
    /// Whether it still moves.
    pub fn status(&self) -> Status {
        match self.group.diverged(self.lane) {
            Some((step, index)) => Status::Diverged { step, joint: self.model.joint_of_velocity(index).to_owned() },
            None if self.group.is_running(self.lane) => Status::Running,
            None => Status::Stopped,
        }
    }
    /// What touched what in the last step, and how hard.
    pub fn contacts(&self) -> Vec<ContactReading> {
        let body_of = |link: usize| self.model.bodies.iter().position(|b| b.link == link).unwrap_or(0);
        let raw = self.group.contacts(self.lane).into_iter();
        raw.map(|c| ContactReading {
            body: body_of(c.link),
            other: match c.other {
                crate::step::GROUND => Touched::Ground,
                b if b > 0 => Touched::Box(b as usize - 1),
                l => Touched::Body(body_of((-1 - l) as usize)),
            },
            point: c.point,
            normal: c.normal,
            force: c.force,
        })
        .collect()
    }
    /// Poses, velocities, momentum and energy at the present state.
    pub fn measure(&self) -> Measured {
        Measured::new(self.model, &self.position(), &self.velocity(), self.group.gravity(self.lane))
    }
    /// Writes the state into `snapshot`, whose memory is used again.
    pub fn save(&self, snapshot: &mut Snapshot) {
        let n = self.model.position_count();
        snapshot.values.resize(n + self.model.velocity_count(), 0.0);
        self.group.read(Field::Position, self.lane, &mut snapshot.values[..n]);
        self.group.read(Field::Velocity, self.lane, &mut snapshot.values[n..]);
        snapshot.steps = self.group.steps(self.lane);
        snapshot.diverged = self.group.diverged(self.lane);
        snapshot.is_running = self.group.is_running(self.lane);
    }
}

impl WorldMut<'_> {
    /// The same world, to be read.
    pub fn as_world(&self) -> World<'_> {
        World { model: self.model, group: self.group, lane: self.lane }
    }

    fn set(&mut self, field: Field, values: &[f64], count: usize, name: &str) {
        assert_eq!(values.len(), count, "{name} takes {count} numbers");
        self.group.write(field, self.lane, values);
    }

    /// Sets `qpos`; quaternions are normalised, and four zeros mean no turn.
    ///
    /// # Panics
    /// When the length is not the model's, as in all setters below.
    pub fn set_position(&mut self, position: &[f64]) {
        let mut position = position.to_vec();
        normalise(self.model, &mut position);
        self.set(Field::Position, &position, self.model.position_count(), "a position");
    }
    /// Sets `qvel`.
    pub fn set_velocity(&mut self, velocity: &[f64]) {
        self.set(Field::Velocity, velocity, self.model.velocity_count(), "a velocity");
    }
    /// Sets the PD target from now on, in `qpos` order; ends a ramp. The velocity towards which PD damps stays.
    pub fn set_target(&mut self, target: &[f64]) {
        self.check_target(target);
        control::hold(self, target);
    }
    /// Sets the PD target's velocity, in `qvel` order.
    pub fn set_target_velocity(&mut self, velocity: &[f64]) {
        self.set(Field::TargetVelocity, velocity, self.model.velocity_count(), "a target velocity");
    }
    /// Moves the PD target linearly so that it reaches `target` after `steps` steps; it then goes on at the same rate until set again. The velocity
    /// towards which PD damps stays.
    pub fn ramp_target(&mut self, target: &[f64], steps: usize) {
        self.check_target(target);
        Ramp::new(self.model).aim(self, target, steps);
    }
    /// Like [`WorldMut::ramp_target`], with the target's velocity on the way as that towards which PD damps.
    pub fn follow_target(&mut self, target: &[f64], steps: usize) {
        self.begin_interval(target, Interval::ramped(steps, DampsTo::Target));
    }
    /// Begins a control interval: from the present PD target to `target`, in `qpos` order.
    pub fn begin_interval(&mut self, target: &[f64], interval: Interval) {
        self.check_target(target);
        Ramp::new(self.model).begin(self, target, interval);
    }
    fn check_target(&self, target: &[f64]) {
        let count = self.model.position_count();
        assert_eq!(target.len(), count, "a target takes {count} numbers");
    }
    /// Scales all PD gains; 0 is limp.
    pub fn set_gain(&mut self, gain: f64) {
        self.group.set_gain(self.lane, gain);
    }
    /// Scales the PD gains of one character of the scene, by its index there; 0 is limp.
    pub fn set_character_gain(&mut self, character: usize, gain: f64) {
        for body in self.model.bodies.iter().filter(|body| body.character == Some(character)) {
            self.group.set_link_gain(self.lane, body.link, gain);
        }
    }
    /// Sets this world's gravity, m/s².
    pub fn set_gravity(&mut self, gravity: [f64; 3]) {
        self.group.set_gravity(self.lane, gravity);
    }
    /// Adds a force in world axes at a point of the world to a body, N. It stays, moving along with the body's centre of mass,
    /// until [`WorldMut::clear_forces`].
    pub fn add_force(&mut self, body: usize, force: [f64; 3], point: [f64; 3]) {
        let measured = self.as_world().measure();
        let link = self.model.bodies[body].link;
        let arm = crate::rotation::sub(point, measured.link_centers[link]);
        self.group.add_wrench(self.lane, link, force, crate::rotation::cross(arm, force));
    }
    /// Adds a push, at the centre of mass of all that is welded to the body, until [`WorldMut::clear_forces`].
    pub fn add_push(&mut self, push: &crate::Push) {
        self.group.add_wrench(self.lane, self.model.bodies[push.body].link, push.force, [0.0; 3]);
    }
    /// Adds a torque in world axes to a body, N·m, until [`WorldMut::clear_forces`].
    pub fn add_torque(&mut self, body: usize, torque: [f64; 3]) {
        self.group.add_wrench(self.lane, self.model.bodies[body].link, [0.0; 3], torque);
    }
    /// Adds a wrench on the whole of what moves, until [`WorldMut::clear_forces`]: the force is spread over the bodies by their mass,
    /// `f_i = F·m_i/m`, as gravity is, so that it acts at the centre of mass wherever that goes; the torque turns the first body.
    pub fn add_assist(&mut self, wrench: &Wrench) {
        add_assist(self.model, self.group, self.lane, wrench);
    }
    /// Takes all added forces and torques away.
    pub fn clear_forces(&mut self) {
        self.group.clear_wrenches(self.lane);
    }
    /// Lets the world stand still.
    pub fn stop(&mut self) {
        self.group.set_running(self.lane, false);
    }
    /// Lets a stopped world go on; a diverged one stays where it is until restored.
    pub fn resume(&mut self) {
        if self.group.diverged(self.lane).is_none() {
            self.group.set_running(self.lane, true);
        }
    }
    /// Puts a saved state back; the step count and status come with it.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let n = self.model.position_count();
        let count = n + self.model.velocity_count();
        assert_eq!(snapshot.values.len(), count, "the snapshot is of another model");
        self.group.write(Field::Position, self.lane, &snapshot.values[..n]);
        self.group.write(Field::Velocity, self.lane, &snapshot.values[n..]);
        self.group.set_history(self.lane, snapshot.steps, snapshot.diverged);
        self.group.set_running(self.lane, snapshot.is_running);
    }
    /// Begins again from a state, at rest with its past: see [`crate::Batch::reset`]. Normalises the quaternions of `position`.
    pub(crate) fn restart(&mut self, position: &mut [f64], velocity: &[f64]) {
        normalise(self.model, position);
        self.group.write(Field::Position, self.lane, position);
        self.group.write(Field::Velocity, self.lane, velocity);
        self.group.set_history(self.lane, 0, None);
        self.group.set_running(self.lane, true);
        control::hold(self, position);
        self.group.fill(Field::TargetVelocity, self.lane, 0.0);
        self.group.clear_wrenches(self.lane);
    }
}

/// Makes the quaternions of a position unit quaternions where they are not; four zeros mean no turn.
fn normalise(model: &Model, position: &mut [f64]) {
    for joint in &model.joints {
        let start = joint.position_index + if joint.kind == JointKind::Free { 3 } else { 0 };
        if matches!(joint.kind, JointKind::Free | JointKind::Ball) {
            let q = &mut position[start..start + 4];
            let n = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            if n == 0.0 {
                q[0] = 1.0;
            } else if (n - 1.0).abs() > 1e-6 {
                q.iter_mut().for_each(|x| *x /= n);
            }
        }
    }
}

/// See [`WorldMut::add_assist`].
pub(crate) fn add_assist(model: &Model, group: &mut dyn Worlds, lane: usize, wrench: &Wrench) {
    let share = 1.0 / model.total_mass().max(1e-300);
    let moving = |link: &crate::kernel::Link<f64>| link.kind != crate::kernel::LinkKind::Fixed;
    for (index, link) in model.kernel.links.iter().enumerate().filter(|(_, link)| moving(link)) {
        group.add_wrench(lane, index, wrench.force.map(|f| f * link.mass * share), [0.0; 3]);
    }
    group.add_wrench(lane, model.bodies[0].link, [0.0; 3], wrench.torque);
}
