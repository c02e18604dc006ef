//! What costs and feedback look at, for all lanes at once: the centre of mass, its velocity, the end effectors.

use super::{Group, forward};
use crate::kernel::{Kernel, LinkKind};
use crate::lanes::Lanes;
use crate::math::{Mat3, Quat, Vec3};

/// A point of a link that is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkPoint<S> {
    pub link: usize,
    pub position: [S; 3],
}

/// Pose and motion of a link, relative to the root of its tree.
#[derive(Clone, Copy)]
pub(crate) struct Seen<V> {
    rotation: Mat3<V>,
    position: Vec3<V>,
    velocity: Vec3<V>,
    omega: Vec3<V>,
    /// Of the tree, in the world.
    origin: Vec3<V>,
}

/// Writes `[centre of mass (3), its velocity (3), each point (3), each point's velocity (3)]`, world axes, m and m/s.
#[inline(always)]
pub(crate) fn observe<V: Lanes>(
    kernel: &Kernel<V::Scalar>,
    group: &Group<V>,
    points: &[LinkPoint<V::Scalar>],
    links: &mut Vec<Seen<V>>,
    out: &mut Vec<V>,
) {
    links.clear();
    let (mut total, mut moment, mut momentum) = (V::zero(), Vec3::zero(), Vec3::zero());
    for link in &kernel.links {
        let (q, v) = (link.q, link.v);
        let o = V::zero();
        let seen = match link.kind {
            LinkKind::Free => {
                let rotation = Quat::load(&group.q[q..q + 4 + 3][3..]).matrix();
                let omega = rotation.mul_vec(Vec3::load(&group.v[v + 3..v + 6]));
                let velocity = Vec3::load(&group.v[v..v + 3]);
                Seen { rotation, position: Vec3::zero(), velocity, omega, origin: Vec3::load(&group.q[q..q + 3]) }
            }
            LinkKind::Planar => {
                let rotation = forward::planar_rotation(link, group.q[q + 2]);
                let velocity = Vec3::new(group.v[v], o, group.v[v + 1]);
                let origin = Vec3::new(group.q[q], V::splat(link.offset[1]), group.q[q + 1]);
                let omega = Vec3::new(o, group.v[v + 2], o);
                Seen { rotation, position: Vec3::zero(), velocity, omega, origin }
            }
            LinkKind::Fixed => {
                let rotation = forward::fixed_rotation(link);
                let (zero, origin) = (Vec3::zero(), Vec3::splat(link.offset));
                Seen { rotation, position: zero, velocity: zero, omega: zero, origin }
            }
            kind => {
                let parent = links[link.parent];
                let arm = parent.rotation.mul_vec(Vec3::splat(link.offset));
                let before = forward::aligned(&parent.rotation, link);
                let (rotation, turning) = if kind == LinkKind::Ball {
                    let rotation = before.mul(&Quat::load(&group.q[q..q + 4]).matrix());
                    (rotation, rotation.mul_vec(Vec3::load(&group.v[v..v + 3])))
                } else {
                    let (rotation, axis) = forward::hinge(link, &before, group.q[q]);
                    (rotation, axis.scale(group.v[v]))
                };
                Seen {
                    rotation,
                    position: parent.position.add(arm),
                    velocity: parent.omega.cross_add(arm, parent.velocity),
                    omega: parent.omega.add(turning),
                    origin: parent.origin,
                }
            }
        };
        links.push(seen);
        if link.kind != LinkKind::Fixed {
            let mass = V::splat(link.mass);
            let arm = seen.rotation.mul_vec(Vec3::splat(link.center_of_mass));
            total = total + mass;
            moment = seen.position.add(arm).add(seen.origin).scale_add(mass, moment);
            momentum = seen.omega.cross_add(arm, seen.velocity).scale_add(mass, momentum);
        }
    }
    let share = V::constant(1.0) / total.max(V::constant(1e-30));
    out.clear();
    push(out, moment.scale(share));
    push(out, momentum.scale(share));
    for point in points {
        let seen = &links[point.link];
        push(out, seen.rotation.mul_vec(Vec3::splat(point.position)).add(seen.position).add(seen.origin));
    }
    for point in points {
        let seen = &links[point.link];
        let arm = seen.rotation.mul_vec(Vec3::splat(point.position));
        push(out, seen.omega.cross_add(arm, seen.velocity));
    }
}

#[inline(always)]
fn push<V: Lanes>(out: &mut Vec<V>, v: Vec3<V>) {
    out.push(v.x);
    out.push(v.y);
    out.push(v.z);
}
