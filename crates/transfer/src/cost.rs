//! How far a simulated state is from the target: Keys-to-Sim §5.3, equation (1), and what we add.

use crate::config::{Extras, Weights};
use crate::target::Target;
use serde::{Deserialize, Serialize};
use sinew_sim::World;
use std::cell::RefCell;

/// The five terms of the cost, weighted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// E_h: `w_h |h* − h|²`.
    pub height: f64,
    /// E_p: `w_p ‖p* − p‖²`.
    pub position: f64,
    /// E_q: `w_q ‖axisAngle(q*⁻¹ q)‖²`.
    pub orientation: f64,
    /// E_pose: `w_pose mean ‖axisAngle(qᵢ*⁻¹ qᵢ)‖²`.
    pub pose: f64,
    /// E_ee: `w_ee mean ‖pᵢ* − pᵢ‖²`.
    pub effectors: f64,
}

impl Terms {
    /// Sum of the terms.
    pub fn total(&self) -> f64 {
        self.height + self.position + self.orientation + self.pose + self.effectors
    }

    /// Adds another's terms.
    pub fn add(&mut self, other: &Terms) {
        self.height += other.height;
        self.position += other.position;
        self.orientation += other.orientation;
        self.pose += other.pose;
        self.effectors += other.effectors;
    }

    /// The terms times a factor.
    pub fn scaled(&self, factor: f64) -> Terms {
        Terms {
            height: factor * self.height,
            position: factor * self.position,
            orientation: factor * self.orientation,
            pose: factor * self.pose,
            effectors: factor * self.effectors,
        }
    }
}

/// Below this share of the height that its target has, or had at the start, a root has fallen; a centre of mass; and what the target carries
/// highest, as the head.
const FALLEN_HEIGHT: f64 = 0.5;
const FALLEN_CENTER: f64 = 0.6;
const FALLEN_TOP: f64 = 0.5;
/// Cosine of the tilt against the target's from which a character has fallen: 60°.
const FALLEN_TILT: f64 = 0.5;

/// A simulated state as the cost looks at it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub position: Vec<f64>,
    pub velocity: Vec<f64>,
    pub observation: Vec<f64>,
}

thread_local! {
    static SEEN: RefCell<Seen> = RefCell::default();
}

impl Seen {
    /// Reads a world that was observed, in memory of the thread's own.
    pub fn with<R>(target: &Target, world: &World<'_>, use_it: impl FnOnce(&Seen) -> R) -> R {
        SEEN.with_borrow_mut(|seen| {
            seen.position.resize(target.model.position_count(), 0.0);
            seen.velocity.resize(target.model.velocity_count(), 0.0);
            seen.observation.resize(target.observation_count(), 0.0);
            world.read_position(&mut seen.position);
            world.read_velocity(&mut seen.velocity);
            world.read_observation(&mut seen.observation);
            use_it(seen)
        })
    }

    /// The five terms against a frame of the target.
    pub fn terms(&self, target: &Target, frame: usize, weights: &Weights) -> Terms {
        let (q, wanted) = (&self.position, target.position(frame));
        let [w_height, w_position, w_orientation, w_pose, w_effectors] = weights.array();
        let mut terms = Terms::default();
        if target.dofs.has_free_root {
            let [x, y, z] = [0, 1, 2].map(|k| q[k] - wanted[k]);
            terms.height = w_height * z * z;
            terms.position = w_position * (x * x + y * y + z * z);
            terms.orientation = w_orientation * angle_squared(&q[3..7], &wanted[3..7]);
        }
        let joints = &target.dofs.joints;
        let angle = |j: &crate::dofs::Driven| {
            if j.is_ball {
                angle_squared(&q[j.q..j.q + 4], &wanted[j.q..j.q + 4])
            } else {
                let d = q[j.q] - wanted[j.q];
                d * d
            }
        };
        terms.pose = w_pose * joints.iter().map(angle).sum::<f64>() / joints.len().max(1) as f64;
        let places = 6..6 + 3 * target.effectors;
        let (seen, wanted) = (&self.observation[places.clone()], &target.observation(frame)[places]);
        let far = seen.iter().zip(wanted).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        terms.effectors = w_effectors * far / (seen.len() / 3).max(1) as f64;
        terms
    }

    /// The terms of velocities.
    pub fn velocity_cost(&self, target: &Target, frame: usize, extras: &Extras) -> f64 {
        let square = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let (v, wanted) = (&self.velocity, target.velocity(frame));
        let mut cost = extras.center_velocity * square(&self.observation[3..6], &target.observation(frame)[3..6]);
        let first = if target.dofs.has_free_root {
            cost += extras.root_spin * square(&v[3..6], &wanted[3..6]);
            6
        } else {
            0
        };
        for (e, sole) in target.soles.iter().enumerate() {
            let weight = extras.foot_velocity * planted(*sole, self.observation[6 + 3 * e + 2]);
            if weight > 0.0 {
                let at = 6 + 3 * (target.effectors + e);
                let [x, y] = [self.observation[at], self.observation[at + 1]];
                cost += weight * (x * x + y * y);
            }
        }
        cost + extras.joint_velocity * square(&v[first..], &wanted[first..]) / (v.len() - first).max(1) as f64
    }

    /// Whether the character has fallen: its root below half its target's height or tilted by more than 60° against it, its centre of mass
    /// below 0.6 of its target's, or what should be highest below half of that. Heights are compared with the lower of the target's now and at
    /// the start: who cannot hover has not fallen.
    pub fn has_fallen(&self, target: &Target, frame: usize) -> bool {
        if !target.dofs.has_free_root {
            return false;
        }
        let (seen, wanted, start) = (&self.observation, target.observation(frame), target.observation(0));
        let lower = |k: usize| wanted[k].min(start[k]);
        let top = (8..6 + 3 * target.effectors).step_by(3).max_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
        has_fallen(&self.position, target.position(frame), target.position(0)[2])
            || seen[2] < FALLEN_CENTER * lower(2)
            || top.is_some_and(|k| seen[k] < FALLEN_TOP * lower(k))
    }
}

/// How firmly an end effector at a height stands: 1 on the ground, half of that 15 mm above it, soon nothing.
pub(crate) fn planted(sole: Option<f64>, height: f64) -> f64 {
    let Some(sole) = sole else { return 0.0 };
    let above = ((height - sole).max(0.0) / 0.015).powi(2);
    1.0 / (1.0 + above * above)
}

/// Whether a root has fallen, given the character's and its target's `qpos` and the root's height at the start.
pub(crate) fn has_fallen(q: &[f64], wanted: &[f64], start_height: f64) -> bool {
    let up = |q: &[f64]| {
        let [w, x, y, z] = [q[3], q[4], q[5], q[6]];
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)]
    };
    let (a, b) = (up(q), up(wanted));
    let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    // Comparisons that also catch what is not a number.
    let stands = q[2] >= FALLEN_HEIGHT * wanted[2].min(start_height) && cosine >= FALLEN_TILT;
    !stands
}

/// Square of the angle between two orientations: `4 asin²(s)`, as a series while `s²` is small.
pub(crate) fn angle_squared(a: &[f64], b: &[f64]) -> f64 {
    // Vector part of a⁻¹·b, whose length is the sine of half the angle.
    let x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
    let y = a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3];
    let z = a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1];
    let s = x * x + y * y + z * z;
    if s < 0.0625 {
        return 4.0 * s * (1.0 + s * (1.0 / 3.0 + s * (8.0 / 45.0 + s * (4.0 / 35.0 + s * (128.0 / 1575.0)))));
    }
    let w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    let angle = 2.0 * libm::atan2(s.sqrt(), w.abs());
    angle * angle
}

#[cfg(test)]
#[path = "cost_tests.rs"]
mod tests;
