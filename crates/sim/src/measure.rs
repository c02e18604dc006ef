//! Poses, velocities, momentum and energy of a world, computed in f64 from its coordinates.
//!
//! Written apart from the stepping code, in the plain textbook form, so that each checks the other.

use crate::character::JointKind;
use crate::kernel::{LinkKind, NO_LINK};
use crate::model::Model;
use crate::rotation::{self, Columns, add, apply, cross, dot, scale, sub};

/// Everything that follows from position and velocity.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Pose and motion of each body's frame, in the order of [`Model::bodies`].
    pub bodies: Vec<BodyMotion>,
    /// Place of each end effector, in the order of [`Model::end_effectors`], m.
    pub end_effectors: Vec<[f64; 3]>,
    /// Centre of mass of all that moves, m.
    pub center_of_mass: [f64; 3],
    /// Linear momentum, kg·m/s.
    pub linear_momentum: [f64; 3],
    /// Angular momentum about the centre of mass, kg·m²/s.
    pub angular_momentum: [f64; 3],
    /// Kinetic energy, J.
    pub kinetic_energy: f64,
    /// Potential energy in the world's gravity, zero at the origin, J.
    pub potential_energy: f64,
    pub(crate) link_centers: Vec<[f64; 3]>,
}

/// Pose and motion of a body's frame in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyMotion {
    /// Origin, m.
    pub position: [f64; 3],
    /// Orientation, quaternion `[w, x, y, z]`.
    pub orientation: [f64; 4],
    /// Velocity of the origin, m/s.
    pub velocity: [f64; 3],
    /// Angular velocity in world axes, rad/s.
    pub angular_velocity: [f64; 3],
    /// Centre of mass, m.
    pub center_of_mass: [f64; 3],
}

impl BodyMotion {
    /// A point of the body's frame in the world.
    pub fn place(&self, point: [f64; 3]) -> [f64; 3] {
        add(self.position, apply(&rotation::matrix(self.orientation), point))
    }
}

struct LinkPose {
    rotation: Columns,
    position: [f64; 3],
    velocity: [f64; 3],
    omega: [f64; 3],
}

impl Measured {
    /// Measures a state of the model under a gravity.
    pub fn new(model: &Model, position: &[f64], velocity: &[f64], gravity: [f64; 3]) -> Measured {
        let links = link_poses(model, position, velocity);
        let mut measured = Measured {
            bodies: Vec::with_capacity(model.bodies.len()),
            end_effectors: Vec::new(),
            center_of_mass: [0.0; 3],
            linear_momentum: [0.0; 3],
            angular_momentum: [0.0; 3],
            kinetic_energy: 0.0,
            potential_energy: 0.0,
            link_centers: Vec::new(),
        };
        let (mut mass, mut spin) = (0.0, [0.0; 3]);
        for body in &model.bodies {
            let link = &links[body.link];
            let turn = rotation::product(&link.rotation, &body.rotation);
            let arm = apply(&link.rotation, body.position);
            let to_center = apply(&turn, body.mass.center_of_mass);
            let place = add(link.position, arm);
            let speed = add(link.velocity, cross(link.omega, arm));
            let center = add(place, to_center);
            measured.bodies.push(BodyMotion {
                position: place,
                orientation: rotation::quaternion(&turn),
                velocity: speed,
                angular_velocity: link.omega,
                center_of_mass: center,
            });
            if model.kernel.links[body.link].kind == LinkKind::Fixed {
                continue;
            }
            let m = body.mass.mass;
            let v = add(speed, cross(link.omega, to_center));
            let inertia = rotation::symmetric(&rotation::turned(&body.mass.inertia, &turn));
            let own_spin = apply(&inertia, link.omega);
            mass += m;
            measured.center_of_mass = add(measured.center_of_mass, scale(center, m));
            measured.linear_momentum = add(measured.linear_momentum, scale(v, m));
            spin = add(spin, add(own_spin, cross(center, scale(v, m))));
            measured.kinetic_energy += 0.5 * (m * dot(v, v) + dot(link.omega, own_spin));
            measured.potential_energy -= m * dot(gravity, center);
        }
        measured.center_of_mass = scale(measured.center_of_mass, 1.0 / mass.max(1e-300));
        measured.angular_momentum = sub(spin, cross(measured.center_of_mass, measured.linear_momentum));
        for (joint, q) in model.kernel.links.iter().zip(velocity_slots(model)) {
            // Rotor inertia turns with the joint's own speed.
            for v in &velocity[q] {
                measured.kinetic_energy += 0.5 * joint.armature * v * v;
            }
        }
        measured.end_effectors =
            model.end_effectors.iter().map(|e| measured.bodies[e.body].place(e.position)).collect();
        measured.link_centers = (model.kernel.links.iter().zip(&links))
            .map(|(l, pose)| add(pose.position, apply(&pose.rotation, l.center_of_mass)))
            .collect();
        measured
    }

    /// Kinetic and potential energy together, J.
    pub fn energy(&self) -> f64 {
        self.kinetic_energy + self.potential_energy
    }
}

fn velocity_slots(model: &Model) -> impl Iterator<Item = std::ops::Range<usize>> {
    model.kernel.links.iter().map(|l| {
        let count = match l.kind {
            LinkKind::Free => JointKind::Free.velocity_count(),
            LinkKind::Planar | LinkKind::Ball => 3,
            LinkKind::Fixed => 0,
            _ => 1,
        };
        l.v..l.v + count
    })
}

fn link_poses(model: &Model, q: &[f64], v: &[f64]) -> Vec<LinkPose> {
    let mut poses: Vec<LinkPose> = Vec::with_capacity(model.kernel.links.len());
    for link in &model.kernel.links {
        let align = link.align.unwrap_or(rotation::IDENTITY);
        let (qi, vi) = (link.q, link.v);
        let v3 = |i: usize| [v[i], v[i + 1], v[i + 2]];
        let pose = match link.kind {
            LinkKind::Free => {
                let turn = rotation::matrix([q[qi + 3], q[qi + 4], q[qi + 5], q[qi + 6]]);
                let position = [q[qi], q[qi + 1], q[qi + 2]];
                LinkPose { rotation: turn, position, velocity: v3(vi), omega: apply(&turn, v3(vi + 3)) }
            }
            LinkKind::Planar => LinkPose {
                rotation: rotation::product(&about([0.0, 1.0, 0.0], q[qi + 2]), &align),
                position: [q[qi], link.offset[1], q[qi + 1]],
                velocity: [v[vi], 0.0, v[vi + 1]],
                omega: [0.0, v[vi + 2], 0.0],
            },
            LinkKind::Fixed => LinkPose { rotation: align, position: link.offset, velocity: [0.0; 3], omega: [0.0; 3] },
            kind => {
                debug_assert_ne!(link.parent, NO_LINK);
                let parent = &poses[link.parent];
                let before = rotation::product(&parent.rotation, &align);
                let (turn, joint) = if kind == LinkKind::Ball {
                    let turn = rotation::matrix([q[qi], q[qi + 1], q[qi + 2], q[qi + 3]]);
                    let turn = rotation::product(&before, &turn);
                    (turn, apply(&turn, v3(vi)))
                } else {
                    let turn = rotation::product(&before, &about(link.axis, q[qi]));
                    (turn, scale(apply(&turn, link.axis), v[vi]))
                };
                let arm = apply(&parent.rotation, link.offset);
                LinkPose {
                    rotation: turn,
                    position: add(parent.position, arm),
                    velocity: add(parent.velocity, cross(parent.omega, arm)),
                    omega: add(parent.omega, joint),
                }
            }
        };
        poses.push(pose);
    }
    poses
}

/// Rotation by an angle about a unit axis.
fn about(axis: [f64; 3], angle: f64) -> Columns {
    let half = angle / 2.0;
    let [x, y, z] = scale(axis, libm::sin(half));
    rotation::matrix([libm::cos(half), x, y, z])
}
