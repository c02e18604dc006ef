//! How far a simulated state is from the target: Keys-to-Sim §5.3, equation (1), and what we add.

use crate::config::{Extras, Weights};
use crate::target::Target;
use serde::{Deserialize, Serialize};
use sinew_sim::rotation::{self, angle_squared};
use sinew_sim::{FallRule, Heights, Observation, World};
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

/// A figure lies where its centre of mass is lower than this share of its size: sitting people have 0.2 to 0.25, those on all fours more.
const LYING_SHARE: f64 = 0.15;
/// How much sooner or later than its target a character may lie down or get up: a fifth of a second, frames.
const EARLY_OR_LATE_FRAMES: usize = 8;
/// When a character that follows a target has fallen: its root below half the target's height or tilted by more than 60° against it, its
/// centre of mass below 0.6 of the target's, or the end effector that should be highest below half of that.
pub const FALL: FallRule = FallRule { root: Some(0.5), center: Some(0.6), top: Some(0.5), tilt_cosine: Some(0.5) };

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
            seen.observation.resize(target.model.observation_count(), 0.0);
            world.read_position(&mut seen.position);
            world.read_velocity(&mut seen.velocity);
            world.read_observation(&mut seen.observation);
            use_it(seen)
        })
    }

    /// What was observed, by name.
    fn observed(&self) -> Observation<'_, f64> {
        Observation::new(&self.observation)
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
        let places = target.model.observation_layout().effectors();
        let (seen, wanted) = (&self.observation[places.clone()], &target.observation(frame).values()[places]);
        let far = seen.iter().zip(wanted).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        terms.effectors = w_effectors * far / (seen.len() / 3).max(1) as f64;
        terms
    }

    /// The terms of velocities.
    pub fn velocity_cost(&self, target: &Target, frame: usize, extras: &Extras) -> f64 {
        let square = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let (v, wanted) = (&self.velocity, target.velocity(frame));
        let seen = self.observed();
        let (center, wanted_center) = (seen.center_velocity(), target.observation(frame).center_velocity());
        let mut cost = extras.center_velocity * square(&center, &wanted_center);
        let first = if target.dofs.has_free_root {
            cost += extras.root_spin * square(&v[3..6], &wanted[3..6]);
            6
        } else {
            0
        };
        for (e, sole) in target.soles.iter().enumerate() {
            let weight = extras.foot_velocity * planted(*sole, seen.effector(e)[2]);
            if weight > 0.0 {
                let [x, y, _] = seen.effector_velocity(e);
                cost += weight * (x * x + y * y);
            }
        }
        cost + extras.joint_velocity * square(&v[first..], &wanted[first..]) / (v.len() - first).max(1) as f64
    }

    /// Whether the character has fallen: by [`FALL`] against every frame of the target within [`EARLY_OR_LATE_FRAMES`]. Who is drawn going
    /// down and goes down a little sooner, or gets up a little later, has not.
    pub fn has_fallen(&self, target: &Target, frame: usize) -> bool {
        let around = || {
            let first = frame.saturating_sub(EARLY_OR_LATE_FRAMES);
            first..=(frame + EARLY_OR_LATE_FRAMES).min(target.frames() - 1)
        };
        target.dofs.has_free_root
            && self.is_down_against(target, frame)
            && around().all(|other| self.is_down_against(target, other))
    }

    /// Whether the character is down, by [`FALL`], where the target is at a frame. Heights are compared with the lower of the target's there
    /// and at the start: a character that cannot hover has not fallen; nor has one that is drawn lying ([`LYING_SHARE`]).
    fn is_down_against(&self, target: &Target, frame: usize) -> bool {
        let (seen, wanted, start) = (self.observed(), target.observation(frame), target.observation(0));
        let (q, wanted_q) = (&self.position, target.position(frame));
        let height = |seen: &Observation<'_, f64>, e: usize| seen.effector(e)[2];
        let top = (0..wanted.effector_count()).max_by(|&a, &b| height(&wanted, a).total_cmp(&height(&wanted, b)));
        let now = Heights { root: q[2], center: seen.center()[2], top: top.map(|e| height(&seen, e)) };
        let reference = Heights {
            root: wanted_q[2].min(target.position(0)[2]),
            center: wanted.center()[2].min(start.center()[2]),
            top: top.map(|e| height(&wanted, e).min(height(&start, e))),
        };
        let ground = target.model.scene().ground.map_or(0.0, |ground| ground.height);
        if reference.center - ground < LYING_SHARE * target.size {
            return false;
        }
        FALL.has_fallen(&now, &reference, tilt_cosine(&q[3..7], &wanted_q[3..7]))
    }
}

/// Height over its sole at which an end effector counts half as standing, m.
const HALF_PLANTED_M: f64 = 0.015;

/// How firmly an end effector at a height stands: 1 on the ground, half of that at [`HALF_PLANTED_M`] above it, soon nothing.
pub(crate) fn planted(sole: Option<f64>, height: f64) -> f64 {
    let Some(sole) = sole else { return 0.0 };
    let above = ((height - sole).max(0.0) / HALF_PLANTED_M).powi(2);
    1.0 / (1.0 + above * above)
}

/// Cosine of the angle by which two orientations are tilted against each other, whatever their headings: between the vertical as each sees it.
pub(crate) fn tilt_cosine(a: &[f64], b: &[f64]) -> f64 {
    let [a, b] = [a, b].map(|q| rotation::up([q[0], q[1], q[2], q[3]]));
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
#[path = "cost_tests.rs"]
mod tests;
