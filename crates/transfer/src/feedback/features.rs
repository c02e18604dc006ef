//! The state that a policy looks at: 19 numbers of a two-legged character, in its own frame (Keys-to-Sim, supplement, appendix A).
//!
//! | index | what | relative to |
//! |---|---|---|
//! | 0–1 | tilt of the root: rotation vector of what is left when the heading is taken off, rad | the vertical |
//! | 2 | heading, rad | the course: the heading with which the run began |
//! | 3 | height of the root, m | the ground |
//! | 4–6 | angular momentum of the root, kg·m²/s | |
//! | 7–9 | centre of mass, m | the root |
//! | 10–12 | velocity of the centre of mass, m/s | |
//! | 13–… | each foot, m | the centre of mass |
//!
//! All vectors are turned by the heading. No number knows where in the world the character is, so that a policy may repeat its cycle
//! for ever; only the heading remembers the course, without which a walk would end up in circles.

use sinew_sim::mass_properties::of_body;
use sinew_sim::rotation::{rotated, rotation_vector};
use sinew_sim::{Model, Observation, World};
use std::cell::RefCell;

/// Index of the heading.
pub(super) const HEADING: usize = 2;
/// Indices of the centre of mass's velocity ahead and to the left.
pub(super) const LEVEL_VELOCITY: [usize; 2] = [10, 11];
/// Numbers before those of the feet.
pub const WITHOUT_FEET: usize = 13;
/// The character's frame turns with this angle at most against its course, rad: a policy that was pushed round comes back slowly.
pub(super) const LARGEST_TURN: f64 = 0.5;

/// Reads the state of worlds.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    /// End effectors that are feet.
    feet: Vec<usize>,
    /// Of the root body, `[xx, yy, zz, xy, xz, yz]`, kg·m².
    inertia: [f64; 6],
    ground: f64,
    /// Size of gravity, m/s².
    gravity: f64,
    observation_count: usize,
    position_count: usize,
    velocity_count: usize,
}

/// Root and observation of a world, in memory of the thread's own.
#[derive(Default)]
struct Room {
    position: Vec<f64>,
    velocity: Vec<f64>,
    observation: Vec<f64>,
}

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

impl Features {
    /// Features of the first character of a model whose feet are these end effectors.
    pub fn new(model: &Model, feet: &[usize]) -> Features {
        let root = model.scene().characters.first().and_then(|c| c.character.bodies.first());
        Features {
            feet: feet.to_vec(),
            inertia: root.map_or([0.0; 6], |body| of_body(body).inertia),
            ground: model.scene().ground.map_or(0.0, |g| g.height),
            gravity: model.gravity(),
            observation_count: model.observation_count(),
            position_count: model.position_count(),
            velocity_count: model.velocity_count(),
        }
    }

    /// How many numbers a state has: 13, and 3 for each foot.
    pub fn count(&self) -> usize {
        WITHOUT_FEET + 3 * self.feet.len()
    }

    /// Typical size of each number for a character whose root stands `height` above the ground: what a policy divides deviations by.
    pub fn scales(&self, height: f64) -> Vec<f64> {
        let spin = self.inertia[..3].iter().fold(1e-6, |a: f64, b| a.max(*b));
        let fall = (self.gravity * height).sqrt();
        let mut scales = vec![0.2, 0.2, 0.2, 0.1 * height];
        scales.extend([spin; 3]);
        scales.extend([0.1 * height; 3]);
        scales.extend([0.2 * fall; 3]);
        scales.extend(vec![0.2 * height; 3 * self.feet.len()]);
        scales
    }

    /// Writes the state of a world that was observed; `course` is the heading with which its run began, rad.
    pub fn read(&self, world: &World<'_>, course: f64, out: &mut [f64]) {
        ROOM.with_borrow_mut(|room| {
            room.position.resize(self.position_count, 0.0);
            room.velocity.resize(self.velocity_count, 0.0);
            room.observation.resize(self.observation_count, 0.0);
            world.read_position(&mut room.position);
            world.read_velocity(&mut room.velocity);
            world.read_observation(&mut room.observation);
            self.write(&room.position, &room.velocity, &Observation::new(&room.observation), course, out);
        });
    }

    /// The state from `qpos`, `qvel` and an observation.
    pub fn write(&self, q: &[f64], v: &[f64], seen: &Observation<'_, f64>, course: f64, out: &mut [f64]) {
        let frame = Heading::of(&q[3..7]);
        let tilt = frame.tilt(&q[3..7]);
        let turn = rotation_vector(tilt);
        out[..2].copy_from_slice(&turn[..2]);
        out[HEADING] = wrapped(frame.angle() - course).clamp(-LARGEST_TURN, LARGEST_TURN);
        out[3] = q[2] - self.ground;
        let [xx, yy, zz, xy, xz, yz] = self.inertia;
        let w = [v[3], v[4], v[5]];
        let spin =
            [xx * w[0] + xy * w[1] + xz * w[2], xy * w[0] + yy * w[1] + yz * w[2], xz * w[0] + yz * w[1] + zz * w[2]];
        out[4..7].copy_from_slice(&rotated(tilt, spin));
        let center = seen.center();
        let from = |a: [f64; 3], b: [f64; 3]| frame.into_frame([b[0] - a[0], b[1] - a[1], b[2] - a[2]]);
        out[7..10].copy_from_slice(&from([q[0], q[1], q[2]], center));
        out[10..13].copy_from_slice(&frame.into_frame(seen.center_velocity()));
        for (foot, out) in self.feet.iter().zip(out[WITHOUT_FEET..].chunks_mut(3)) {
            out.copy_from_slice(&from(center, seen.effector(*foot)));
        }
    }
}

/// The turn about the vertical that is in an orientation: `(w, 0, 0, z)/√(w² + z²)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Heading {
    w: f64,
    z: f64,
}

impl Heading {
    /// Of a quaternion `[w, x, y, z]`; upside down, where none is, that of the axes of the world.
    pub fn of(q: &[f64]) -> Heading {
        let n = (q[0] * q[0] + q[3] * q[3]).sqrt();
        if n > 1e-9 { Heading { w: q[0] / n, z: q[3] / n } } else { Heading { w: 1.0, z: 0.0 } }
    }
    /// The angle, between −π and π rad.
    pub fn angle(&self) -> f64 {
        wrapped(2.0 * libm::atan2(self.z, self.w))
    }
    /// A vector of the world in the axes of the heading.
    pub fn into_frame(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let (c, s) = (self.w * self.w - self.z * self.z, 2.0 * self.w * self.z);
        [c * x + s * y, c * y - s * x, z]
    }
    /// What an orientation is beside its heading: `h⁻¹·q`, with w ≥ 0.
    pub fn tilt(&self, q: &[f64]) -> [f64; 4] {
        let (w, z) = (self.w, -self.z);
        let tilt = [w * q[0] - z * q[3], w * q[1] - z * q[2], w * q[2] + z * q[1], w * q[3] + z * q[0]];
        if tilt[0] < 0.0 { tilt.map(|x| -x) } else { tilt }
    }
}

/// An angle between −π and π.
pub(super) fn wrapped(angle: f64) -> f64 {
    let turn = std::f64::consts::TAU;
    angle - turn * (angle / turn).round()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heading_and_tilt_make_the_orientation_again() {
        let q = [0.5, -0.1, 0.3, 0.8];
        let n = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        let q = q.map(|x| x / n);
        let heading = Heading::of(&q);
        let tilt = heading.tilt(&q);
        assert!(tilt[3].abs() < 1e-12);
        // A vector of the body, to the world in two ways.
        let v = [0.3, -0.2, 0.9];
        let direct = heading.into_frame(rotated(q, v));
        let by_tilt = rotated(tilt, v);
        (0..3).for_each(|k| assert!((direct[k] - by_tilt[k]).abs() < 1e-12));
        assert!((heading.angle() - 2.0 * libm::atan2(0.8, 0.5)).abs() < 1e-12);
    }
}
