//! Contact between bodies that both move.
//!
//! Two trees cannot share one recursion, so these contacts act explicitly, as equal and opposite forces known before the
//! backward pass; they conserve momentum exactly. Each is sized so that it cannot overshoot: with w the inverse mass that a
//! free body shows at the point (Gauss: joints only make it heavier), the reduced mass `1/(w₁ + w₂)` shared by the touching points of the pair
//! changes the approach velocity by no more than what is asked for.
//!
//! ```text
//! f_n = m·(v* − u_n)/dt ≥ 0     v* = min(0.2·δ/dt, 1 m/s), or −e·u_n for a bounce
//! f_t = −m_t·u_t/dt,            |f_t| ≤ μ·f_n
//! ```

use super::shapes::{Emit, pose_box, segment_against_segment, shape_against_box};
use super::{Contact, Group, Motion, Scratch};
use crate::kernel::{Kernel, LinkShape};
use crate::lanes::Lanes;
use crate::math::Vec3;

/// Touching points of one pair, in the coordinates of the first link's tree.
struct Found<V: Lanes> {
    points: Vec<(Vec3<V>, Vec3<V>, V)>,
    count: V,
    running: V::Mask,
    flip: bool,
}

impl<V: Lanes> Emit<V> for Found<V> {
    #[inline(always)]
    fn touch(&mut self, point: Vec3<V>, normal: Vec3<V>, depth: V) {
        let mask = V::and(V::zero().lt(depth), self.running);
        if V::any(mask) {
            let normal = if self.flip { normal.neg() } else { normal };
            self.points.push((point, normal, depth));
            self.count = self.count + V::select(mask, V::constant(1.0), V::zero());
        }
    }
}

/// Adds the forces of all touching pairs to the bias forces of their links.
#[inline(always)]
pub(super) fn collide<V: Lanes>(kernel: &Kernel<V::Scalar>, group: &Group<V>, scratch: &mut Scratch<V>) {
    let running = V::from_bits(group.running);
    for pair in &kernel.pairs {
        let (a, b) = (&kernel.links[pair.a], &kernel.links[pair.b]);
        let shift = scratch.origins[b.tree].sub(scratch.origins[a.tree]);
        let center_b = scratch.centers[pair.b].add(shift);
        let apart = scratch.centers[pair.a].sub(center_b).length_squared();
        let reach = V::splat(a.bounding_radius) + V::splat(b.bounding_radius);
        // A lane that the bound rules out stays out even where another's makes the work begin.
        let near = V::and(apart.lt(reach * reach), running);
        if !V::any(near) {
            continue;
        }
        let motion_a = scratch.motions[a.motion_slot];
        let own_b = scratch.motions[b.motion_slot];
        let motion_b = Motion { position: own_b.position.add(shift), ..own_b };
        let mut found = Found { points: Vec::new(), count: V::zero(), running: near, flip: false };
        for shape_a in &kernel.shapes[a.shapes.clone()] {
            for shape_b in &kernel.shapes[b.shapes.clone()] {
                touch(shape_a, &motion_a, shape_b, &motion_b, &mut found);
            }
        }
        respond(kernel, scratch, pair.a, pair.b, shift, [&motion_a, &motion_b], found);
    }
}

#[inline(always)]
fn touch<V: Lanes>(
    shape_a: &LinkShape<V::Scalar>,
    motion_a: &Motion<V>,
    shape_b: &LinkShape<V::Scalar>,
    motion_b: &Motion<V>,
    found: &mut Found<V>,
) {
    if let (
        LinkShape::Segment { from: a0, to: a1, radius: ra, .. },
        LinkShape::Segment { from: b0, to: b1, radius: rb, .. },
    ) = (shape_a, shape_b)
    {
        found.flip = false;
        segment_against_segment(
            (place::<V>(motion_a, a0), place::<V>(motion_a, a1), V::splat(*ra)),
            (place::<V>(motion_b, b0), place::<V>(motion_b, b1), V::splat(*rb)),
            found,
        );
        return;
    }
    // The box is the second shape; where only the first is one, they change places.
    found.flip = matches!(shape_b, LinkShape::Segment { .. });
    let (shape, motion, other, other_motion) =
        if found.flip { (shape_b, motion_b, shape_a, motion_a) } else { (shape_a, motion_a, shape_b, motion_b) };
    if let LinkShape::Box { center, columns, half } = other {
        shape_against_box(shape, motion, &pose_box(center, columns, half, other_motion), found);
    }
}

#[inline(always)]
fn place<V: Lanes>(motion: &Motion<V>, point: &[V::Scalar; 3]) -> Vec3<V> {
    motion.rotation.mul_vec_add(Vec3::splat(*point), motion.position)
}

#[inline(always)]
fn velocity_at<V: Lanes>(motion: &Motion<V>, point: Vec3<V>) -> Vec3<V> {
    motion.angular_velocity.cross_add(point.sub(motion.position), motion.velocity)
}

#[inline(always)]
fn respond<V: Lanes>(
    kernel: &Kernel<V::Scalar>,
    scratch: &mut Scratch<V>,
    a: usize,
    b: usize,
    shift: Vec3<V>,
    [motion_a, motion_b]: [&Motion<V>; 2],
    found: Found<V>,
) {
    let (zero, one) = (V::zero(), V::constant(1.0));
    let rate = one / V::splat(kernel.dt);
    let share = one / found.count.max(one);
    let centers = [scratch.centers[a], scratch.centers[b].add(shift)];
    let (link_a, link_b) = (&kernel.links[a], &kernel.links[b]);
    let masses = [V::splat(link_a.inverse_mass), V::splat(link_b.inverse_mass)];
    let inertias = [V::splat(link_a.inverse_inertia), V::splat(link_b.inverse_inertia)];
    let surface = &kernel.between_bodies;
    let (friction, restitution) = (V::splat(surface.friction), V::splat(surface.restitution));
    for (point, normal, depth) in found.points {
        let relative = velocity_at(motion_a, point).sub(velocity_at(motion_b, point));
        let approach = normal.dot(relative);
        let across = normal.scale_sub_from(approach, relative);
        // Inverse masses at the point, along the normal and at worst across it.
        let (mut along, mut at_worst) = (zero, zero);
        for k in 0..2 {
            let arm = point.sub(centers[k]);
            let (mass, inertia) = (masses[k], inertias[k]);
            along = along + inertia.mul_add(arm.cross(normal).length_squared(), mass);
            at_worst = at_worst + inertia.mul_add(arm.length_squared(), mass);
        }
        let recover = (depth * rate * V::constant(0.2)).min(one);
        let bounces = approach.lt(-V::splat(kernel.bounce_threshold));
        let rebound = V::select(bounces, -(restitution * approach), zero);
        let wanted = recover.max(rebound) - approach;
        let touching = V::and(V::and(zero.lt(depth), zero.lt(wanted)), found.running);
        let size = V::select(touching, wanted * rate * share / along.max(V::constant(1e-12)), zero);
        let rub = across.scale(-(rate * share / at_worst.max(V::constant(1e-12))));
        let limit = (friction * size / rub.length().max(V::constant(1e-12))).min(one);
        let keep = V::select(touching, limit, zero);
        let force = normal.scale_add(size, rub.scale(keep));

        let work = &mut scratch.links[a];
        work.bias_force = work.bias_force.sub(force);
        work.bias_torque = work.bias_torque.sub(point.cross(force));
        let work = &mut scratch.links[b];
        work.bias_force = work.bias_force.add(force);
        work.bias_torque = work.bias_torque.add(point.sub(shift).cross(force));
        // Listed for reading only: no link's range covers it, so no pass touches it again.
        scratch.contacts.push(Contact {
            enters: V::from_bits(0),
            eased: V::from_bits(0),
            may_rub: V::from_bits(0),
            may_return: V::from_bits(0),
            gone: V::from_bits(0),
            law: [V::zero(); 2],
            link: a as u32,
            other: -1 - b as i32,
            mask: touching,
            point,
            normal,
            friction,
            slip: across,
            explicit_force: force,
            normal_gain: zero,
            tangent_gain: zero,
            force,
        });
    }
}
