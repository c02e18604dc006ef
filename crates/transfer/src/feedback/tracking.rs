//! Full-state feedback along a cycle: `a = â + K·(x ⊖ x̄)`, a gain matrix for every frame.
//!
//! The deviation has the root's height and orientation, the joints' angles, all velocities, and how far the PD targets are from the reference's
//! already. Where the character is on the ground does not matter; its heading counts from its course, and what it is turned by beyond
//! [`LARGEST_TURN`] is taken for a new course: the rest of the deviation is then seen along it.

use super::features::{Heading, LARGEST_TURN, wrapped};
use super::reference::Reference;
use serde::{Deserialize, Serialize};
use sinew_sim::rotation::quaternion_product;
use sinew_sim::{Model, World};
use std::cell::RefCell;

/// Coordinates of the root that a deviation leaves out: its place on the ground.
pub(super) const PLACE: usize = 2;

/// Gains of every frame of a cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tracking {
    /// K of each frame, row by row: one row for each angle of the action, one column for each number of `deviation_count`.
    pub gains: Vec<Vec<f64>>,
}

/// Numbers of a deviation for a model with so many driven angles.
pub(super) fn deviation_count(model: &Model, angles: usize) -> usize {
    2 * model.velocity_count() - PLACE + angles
}

/// Position, velocity and PD target of a world, and the way to them, in memory of the thread's own.
#[derive(Default)]
struct Room {
    position: Vec<f64>,
    velocity: Vec<f64>,
    way: Vec<f64>,
}

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

/// Writes the deviation of a world from a frame of the reference; `course` is the heading with which its run began less that of the reference's first
/// frame, rad. The world's PD target has to be that of the same frame.
pub(super) fn deviation(
    model: &Model,
    reference: &Reference,
    course: f64,
    frame: usize,
    world: &World<'_>,
    out: &mut [f64],
) {
    let (nq, nv) = (model.position_count(), model.velocity_count());
    ROOM.with_borrow_mut(|Room { position, velocity, way }| {
        position.resize(nq, 0.0);
        velocity.resize(nv, 0.0);
        way.resize(nv, 0.0);
        world.read_position(position);
        world.read_velocity(velocity);
        let wanted = reference.position(frame);
        align(position, velocity, wanted, course);
        state_deviation(model, (wanted, reference.velocity(frame)), (position, velocity), &mut out[..2 * nv - PLACE]);
        model.difference(reference.action(frame), &world.target(), way);
        out[2 * nv - PLACE..].copy_from_slice(&way[6..]);
    });
}

/// Turns a state about the vertical so that it is seen along its course.
fn align(position: &mut [f64], velocity: &mut [f64], wanted: &[f64], course: f64) {
    let heading = Heading::of(&position[3..7]).angle();
    let wanted_heading = Heading::of(&wanted[3..7]).angle();
    let off = wrapped(heading - course - wanted_heading).clamp(-LARGEST_TURN, LARGEST_TURN);
    let turn = wanted_heading + off - heading;
    let (sin, cos) = (libm::sin(turn), libm::cos(turn));
    let (half_sin, half_cos) = (libm::sin(0.5 * turn), libm::cos(0.5 * turn));
    let orientation = [position[3], position[4], position[5], position[6]];
    position[3..7].copy_from_slice(&quaternion_product([half_cos, 0.0, 0.0, half_sin], orientation));
    let [x, y] = [velocity[0], velocity[1]];
    (velocity[0], velocity[1]) = (cos * x - sin * y, sin * x + cos * y);
}

/// `(q ⊖ q̄, v − v̄)` without the place on the ground.
pub(super) fn state_deviation(
    model: &Model,
    (wanted_q, wanted_v): (&[f64], &[f64]),
    (q, v): (&[f64], &[f64]),
    out: &mut [f64],
) {
    let nv = model.velocity_count();
    let mut way = vec![0.0; nv];
    model.difference(wanted_q, q, &mut way);
    out[..nv - PLACE].copy_from_slice(&way[PLACE..]);
    out[nv - PLACE..].iter_mut().zip(v.iter().zip(wanted_v)).for_each(|(out, (v, wanted))| *out = v - wanted);
}

impl Tracking {
    /// Of the gains of every frame, each rounded to six digits: what is tested is what files hold.
    pub(super) fn new(gains: impl Iterator<Item = Vec<f64>>) -> Tracking {
        let rounded = |x: &f64| format!("{x:.5e}").parse().unwrap_or(*x);
        Tracking { gains: gains.map(|gains| gains.iter().map(rounded).collect()).collect() }
    }

    /// Adds `K·δ` of a frame to the change of the action.
    pub fn add_change(&self, frame: usize, deviation: &[f64], out: &mut [f64]) {
        let gains = &self.gains[frame % self.gains.len()];
        for (out, row) in out.iter_mut().zip(gains.chunks(deviation.len())) {
            *out += row.iter().zip(deviation).map(|(k, x)| k * x).sum::<f64>();
        }
    }
}

/// Shared gains in files: as if they were not.
pub(super) mod shared {
    use super::Tracking;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::sync::Arc;

    pub fn serialize<S: Serializer>(gains: &Option<Arc<Tracking>>, serializer: S) -> Result<S::Ok, S::Error> {
        gains.as_deref().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Arc<Tracking>>, D::Error> {
        Ok(Option::<Tracking>::deserialize(deserializer)?.map(Arc::new))
    }
}
