//! Contact with what does not move: a compliant, implicitly integrated spring–damper with a Coulomb cone.
//!
//! At a touching point with outward normal n, depth δ and velocity u (after the step: u'), the force is
//!
//! ```text
//! normal     f_n = k·(δ − dt·u'_n) − c·u'_n      ≥ 0        k = m·g/1 mm, c = k·40 ms, of the tree's mass m
//! bounce     f_n such that u'_n = −e·u_n                     when it comes in faster than the bounce threshold
//! landing    f_n such that u'_n = δ/dt                       when it is outside (δ < 0) and would be 4 mm inside after the step
//! friction   f_t = −c_t·u'_t,  |f_t| ≤ μ·f_n                 c_t = m·g/1 mm/s while it sticks
//! ```
//!
//! all linear in u', so it joins the link's inertia as `dt·Pᵀ·C·P` (P maps the link's motion to the point's). Where a solution
//! leaves the cone or pulls, `limit.rs` replaces that contact's law by its limit: friction of size μ·f_n against the slip,
//! or nothing. A point up to a millimetre above the ground, or one that separates, bears nothing but is watched: what drives a light foot may
//! turn it round and centimetres into the ground within one step. A point that slides before the step starts from the secant `c_t = μ·f_n/|u_t|`, which is already right
//! when it slides steadily.

use super::{Articulated, Group, Motion, Scratch, shapes};
use crate::kernel::{ContactPoint, IMPACT_MASSES, Kernel, SurfaceConst};
use crate::lanes::Lanes;
use crate::math::{Sym3, Vec3};

/// `Contact::other` of the ground; static boxes follow as `1 + box`, links as `−1 − link`.
pub(crate) const GROUND: i32 = 0;

/// Depth, m, beyond which the spring grows no stronger: a body that starts inside another comes out at half a metre per second.
const DEEPEST: f64 = 0.02;
/// Height, m, below which a point above the ground is watched until the end of the step.
const HOVERING: f64 = 0.001;
/// Height, m, from which a point may arrive at the ground within a step: at 15 m/s in 2 ms. And the depth, m, from which it is stopped there.
const ARRIVING: f64 = 0.03;
const DEEP: f64 = 0.004;
/// Speed inwards, m/s, from which a contact gives up its friction before it gives way.
const ENTERING_SPEED: f64 = 0.05;
/// Speed inwards, m/s, from which a strike may turn other points of its body into the ground within the step.
const STRIKING_SPEED: f64 = 0.5;
/// One touching point, in every lane whose mask is set.
#[derive(Clone, Copy)]
pub(crate) struct Contact<V: Lanes> {
    pub link: u32,
    pub other: i32,
    pub mask: V::Mask,
    /// Lanes in which the point was on its way in, and fast.
    pub enters: V::Mask,
    /// Lanes in which it gave up its friction in an earlier pass, and those in which it then gets some back.
    pub eased: V::Mask,
    pub may_rub: V::Mask,
    /// Lanes in which it bears nothing so far but is watched, and the normal law that it has when it comes back: force and gain.
    pub gone: V::Mask,
    pub law: [V; 2],
    /// Lanes in which it is watched when it gives way.
    pub may_return: V::Mask,
    /// Place relative to the tree's origin, and the normal out of the obstacle.
    pub point: Vec3<V>,
    pub normal: Vec3<V>,
    pub friction: V,
    /// Velocity along the surface before the step.
    pub slip: Vec3<V>,
    /// Force without acceleration, and its implicit gains across and along the surface.
    pub explicit_force: Vec3<V>,
    pub normal_gain: V,
    pub tangent_gain: V,
    /// Force on the link.
    pub force: Vec3<V>,
}

/// Finds what link `i` touches and adds it to the list.
#[inline(always)]
pub(super) fn detect<V: Lanes>(
    kernel: &Kernel<V::Scalar>,
    group: &Group<V>,
    scratch: &mut Scratch<V>,
    i: usize,
    center: Vec3<V>,
) {
    let link = &kernel.links[i];
    let first = scratch.contacts.len() as u32;
    let running = V::from_bits(group.running);
    let origin = scratch.origins[link.tree];
    if let Some((height, surface)) = &kernel.ground {
        let above = origin.z - V::splat(*height);
        let lowest = center.z + above - V::splat(link.bounding_radius);
        // A lane that the bound rules out stays out even where another's makes the work begin.
        let near = V::and(lowest.lt(V::constant(ARRIVING)), running);
        if V::any(near) {
            let mut strikes = V::from_bits(0);
            for point in &kernel.points[link.points.clone()] {
                let motion = scratch.motions[link.motion_slot];
                let (at, depth) = over_ground(&motion, point, above);
                let mask = V::and(is_due(kernel, &motion, at, depth, surface), near);
                if V::any(mask) {
                    let touch = Touch { other: GROUND, mask, point: at, normal: up(), depth };
                    strikes = V::or(strikes, push(kernel, scratch, i, &motion, touch, surface));
                }
            }
            if V::any(strikes) {
                foresee(kernel, scratch, i, above, strikes, surface);
            }
        }
    }
    for b in 0..kernel.boxes.len() {
        let motion = scratch.motions[link.motion_slot];
        shapes::link_against_box(kernel, scratch, i, &motion, b, running);
    }
    scratch.contact_ranges[i] = (first, scratch.contacts.len() as u32);
}

#[inline(always)]
fn up<V: Lanes>() -> Vec3<V> {
    Vec3::new(V::zero(), V::zero(), V::constant(1.0))
}

/// The lowest place of a point's ball, relative to the tree's origin, and its depth below ground that is `above` lower than the origin.
#[inline(always)]
fn over_ground<V: Lanes>(motion: &Motion<V>, point: &ContactPoint<V::Scalar>, above: V) -> (Vec3<V>, V) {
    let arm = Vec3::splat(point.position);
    let r = &motion.rotation.cols;
    let down = motion.position.z - V::splat(point.radius);
    let z = r[0].z.mul_add(arm.x, r[1].z.mul_add(arm.y, r[2].z.mul_add(arm.z, down)));
    let at = motion.rotation.mul_vec_add(arm, motion.position);
    (Vec3::new(at.x, at.y, z), -(z + above))
}

/// Lanes in which a point touches the ground, hovers just above it, or would be deep inside after the step.
#[inline(always)]
fn is_due<V: Lanes>(
    kernel: &Kernel<V::Scalar>,
    motion: &Motion<V>,
    at: Vec3<V>,
    depth: V,
    surface: &SurfaceConst<V::Scalar>,
) -> V::Mask {
    let (arm, spin) = (at.sub(motion.position), motion.angular_velocity);
    let rise = spin.x.mul_add(arm.y, spin.y.neg_mul_add(arm.x, motion.velocity.z));
    V::or(V::constant(-HOVERING).lt(depth), is_deep_after(kernel, depth, rise, surface))
}

/// Lanes in which a point that goes on with its speed is deep inside after the step. Ground without restitution is soft: there it may.
#[inline(always)]
fn is_deep_after<V: Lanes>(
    kernel: &Kernel<V::Scalar>,
    depth: V,
    rise: V,
    surface: &SurfaceConst<V::Scalar>,
) -> V::Mask {
    let after = rise.neg_mul_add(V::splat(kernel.dt), depth);
    V::and(V::constant(DEEP).lt(after), V::zero().lt(V::splat(surface.restitution)))
}

/// Adds the points of a link that are still above the ground while another one strikes it.
///
/// A strike at the heel turns a light foot so fast that its toe would be deep in the ground at the end of the step. Such a point comes into
/// play as one that gave way does, when a pass finds it below: it may come down by its height h over the ground and no further,
/// `f_n = −c·(u'_n + h/dt)`.
#[inline(always)]
fn foresee<V: Lanes>(
    kernel: &Kernel<V::Scalar>,
    scratch: &mut Scratch<V>,
    i: usize,
    above: V,
    strikes: V::Mask,
    surface: &SurfaceConst<V::Scalar>,
) {
    let link = &kernel.links[i];
    let (none, zero) = (V::from_bits(0), V::zero());
    let gain = V::splat(kernel.trees[link.tree].normal_implicit);
    for point in &kernel.points[link.points.clone()] {
        let motion = scratch.motions[link.motion_slot];
        let (at, depth) = over_ground(&motion, point, above);
        let mask = V::and_not(strikes, is_due(kernel, &motion, at, depth, surface));
        if !V::any(mask) {
            continue;
        }
        let velocity = motion.angular_velocity.cross_add(at.sub(motion.position), motion.velocity);
        let force = gain * (depth / V::splat(kernel.dt) - velocity.z);
        scratch.contacts.push(Contact {
            link: i as u32,
            other: GROUND,
            mask: none,
            enters: none,
            eased: none,
            may_rub: none,
            gone: mask,
            law: [force, gain],
            may_return: none,
            point: at,
            normal: up(),
            friction: V::splat(surface.friction),
            slip: Vec3::new(velocity.x, velocity.y, zero),
            explicit_force: Vec3::zero(),
            normal_gain: zero,
            tangent_gain: zero,
            force: Vec3::zero(),
        });
    }
}

/// Geometry of a touching point.
pub(super) struct Touch<V: Lanes> {
    pub other: i32,
    pub mask: V::Mask,
    pub point: Vec3<V>,
    pub normal: Vec3<V>,
    pub depth: V,
}

/// Sets up the law of one point that touches or hovers just above the ground; where it separates it is watched only. Returns the lanes in
/// which it strikes.
#[inline(always)]
pub(super) fn push<V: Lanes>(
    kernel: &Kernel<V::Scalar>,
    scratch: &mut Scratch<V>,
    i: usize,
    motion: &Motion<V>,
    touch: Touch<V>,
    surface: &SurfaceConst<V::Scalar>,
) -> V::Mask {
    let tree = &kernel.trees[kernel.links[i].tree];
    let zero = V::zero();
    let n = touch.normal;
    let velocity = motion.angular_velocity.cross_add(touch.point.sub(motion.position), motion.velocity);
    let approach = n.dot(velocity);
    let across = n.scale_sub_from(approach, velocity);

    let restitution = V::splat(surface.restitution);
    let touches = zero.lt(touch.depth);
    let mut bounces = V::and(approach.lt(-V::splat(kernel.bounce_threshold)), V::and(zero.lt(restitution), touches));
    // Only what was outside a step ago hits; what is pressed in does not bounce.
    bounces = V::and(bounces, touch.depth.lt(approach * V::splat(kernel.dt) * V::constant(-1.01)));
    // What is outside and would be deep inside after the step is braked to end on the ground; it bounces with the speed that is left.
    let mut lands = V::and_not(is_deep_after(kernel, touch.depth, approach, surface), touches);
    if scratch.is_fast {
        // A braked joint ties the point to the whole figure, which must not be thrown back at the point's speed.
        bounces = V::and_not(bounces, scratch.brakes[i].is_braked);
        lands = V::and_not(lands, scratch.brakes[i].is_braked);
    }
    // The virtual mass κ·m gives u' = (u + κ·x)/(κ + 1) to a mass m: x = t + (t − u)/κ makes that t, which is −e·u, or the speed that ends on
    // the ground.
    let impact = V::splat(kernel.links[i].impact_implicit);
    let fall = touch.depth / V::splat(kernel.dt);
    let after = V::select(bounces, -(restitution * approach), fall);
    let after = (after - approach).mul_add(V::constant(1.0 / IMPACT_MASSES), after).min(-approach);
    let strikes = V::or(bounces, lands);
    let gain = V::select(strikes, impact, V::splat(tree.normal_implicit));
    let spring = V::splat(tree.stiffness) * touch.depth.min(V::constant(DEEPEST));
    // Above the ground: it may come down by its height and no further.
    let push = V::select(strikes, impact * after, V::select(touches, spring, gain * fall));
    let force = gain.neg_mul_add(approach, push);
    let mask = V::and(V::and(touch.mask, V::or(touches, lands)), zero.lt(force));
    // What leaves or hovers may be turned round within the step.
    let leaves = V::and_not(touch.mask, mask);
    let friction = V::splat(surface.friction);
    let speed = across.length();
    // A point that rises a little still bears what its depth says.
    let secant = friction * force.max(spring * V::constant(0.8)) / speed.max(V::constant(1e-9));
    let stick = secant.min(V::splat(tree.stick_implicit));
    let explicit = n.scale(force).sub(across.scale(stick));
    scratch.contacts.push(Contact {
        link: i as u32,
        other: touch.other,
        mask,
        enters: approach.lt(-V::constant(ENTERING_SPEED)),
        eased: V::from_bits(0),
        may_rub: touch.mask,
        gone: leaves,
        law: [force, gain],
        may_return: touch.mask,
        point: touch.point,
        normal: n,
        friction,
        slip: across,
        explicit_force: Vec3::select(mask, explicit, Vec3::zero()),
        normal_gain: V::select(mask, gain, zero),
        tangent_gain: V::select(mask, stick, zero),
        force: Vec3::zero(),
    });
    V::and(touch.mask, approach.lt(-V::constant(STRIKING_SPEED)))
}

/// Adds `dt·Pᵀ·C·P` and the explicit force of a contact to the link's articulated inertia.
#[inline(always)]
pub(super) fn add_to<V: Lanes>(kernel: &Kernel<V::Scalar>, contact: &Contact<V>, own: &mut Articulated<V>) {
    let dt = V::splat(kernel.dt);
    let x = contact.point;
    let (normal, tangent) = (contact.normal_gain * dt, contact.tangent_gain * dt);
    if contact.other == GROUND {
        // C = diag(t, t, n): few entries remain.
        let (xt, yt, zt) = (x.x * tangent, x.y * tangent, x.z * tangent);
        let (xn, yn) = (x.x * normal, x.y * normal);
        own.m.xx = own.m.xx + tangent;
        own.m.yy = own.m.yy + tangent;
        own.m.zz = own.m.zz + normal;
        let [a, b, c] = &mut own.h.cols;
        (a.y, a.z) = (a.y + zt, a.z - yt);
        (b.x, b.z) = (b.x - zt, b.z + xt);
        (c.x, c.y) = (c.x + yn, c.y - xn);
        let zzt = x.z * zt;
        own.j.xx = yn.mul_add(x.y, own.j.xx + zzt);
        own.j.yy = xn.mul_add(x.x, own.j.yy + zzt);
        own.j.zz = xt.mul_add(x.x, yt.mul_add(x.y, own.j.zz));
        own.j.xy = xn.neg_mul_add(x.y, own.j.xy);
        own.j.xz = xt.neg_mul_add(x.z, own.j.xz);
        own.j.yz = yt.neg_mul_add(x.z, own.j.yz);
    } else {
        // K = t·1 + (n − t)·n nᵀ; M += K, H += [x]×·K, J += [x]×·K·[x]×ᵀ.
        let k = Sym3::diagonal(tangent).add_outer(contact.normal, normal - tangent);
        own.m = own.m.add(k);
        let h = [x.cross(k.col(0)), x.cross(k.col(1)), x.cross(k.col(2))];
        for (column, add) in own.h.cols.iter_mut().zip(h) {
            *column = column.add(add);
        }
        own.j.xx = own.j.xx + h[2].x.mul_add(x.y, -(h[1].x * x.z));
        own.j.xy = own.j.xy + h[0].x.mul_add(x.z, -(h[2].x * x.x));
        own.j.xz = own.j.xz + h[1].x.mul_add(x.x, -(h[0].x * x.y));
        own.j.yy = own.j.yy + h[0].y.mul_add(x.z, -(h[2].y * x.x));
        own.j.yz = own.j.yz + h[1].y.mul_add(x.x, -(h[0].y * x.y));
        own.j.zz = own.j.zz + h[1].z.mul_add(x.x, -(h[0].z * x.y));
    }
    own.n = own.n.sub(x.cross(contact.explicit_force));
    own.f = own.f.sub(contact.explicit_force);
}

/// Adds the work of friction in this step.
#[inline(always)]
pub(super) fn rub<V: Lanes>(kernel: &Kernel<V::Scalar>, group: &mut Group<V>, scratch: &Scratch<V>) {
    let running = V::from_bits(group.running);
    let mut power = V::zero();
    for contact in &scratch.contacts {
        let own = V::select(contact.mask, contact.force.dot(contact.slip), V::zero());
        power = power + own;
    }
    let rubbed = power.neg_mul_add(V::splat(kernel.dt), group.rubbed);
    group.rubbed = V::select(running, rubbed, group.rubbed);
}

/// Leaves torques and contacts of the step that was just taken to be read.
#[inline(always)]
pub(super) fn record<V: Lanes>(kernel: &Kernel<V::Scalar>, group: &mut Group<V>, scratch: &Scratch<V>) {
    use crate::kernel::LinkKind;
    let running = V::from_bits(group.running);
    for (i, link) in kernel.links.iter().enumerate() {
        let (v, joint) = (link.v, &scratch.joints[i]);
        match link.kind {
            LinkKind::Free | LinkKind::Planar | LinkKind::Fixed => {}
            LinkKind::Ball => {
                let ball = &scratch.balls[i];
                let q = Vec3::load(&scratch.acceleration[v..v + 3]);
                // PD is isotropic, so it can be read in the child's axes, as MuJoCo does.
                let driven = ball.rotation.transpose_mul_vec(ball.pd_torque);
                let torque = q.scale_sub_from(joint.pd_implicit, driven);
                let mut stop = Vec3::zero();
                if link.has_limits {
                    let at = &scratch.stops[i];
                    let axis = ball.rotation.transpose_mul_vec(at.axis);
                    stop = axis.scale(axis.dot(q).neg_mul_add(at.implicit, at.torque));
                }
                keep_vector(running, torque, &mut group.torque[v..v + 3]);
                keep_vector(running, stop, &mut group.stop_torque[v..v + 3]);
            }
            _ => {
                let q = scratch.acceleration[v];
                let torque = q.neg_mul_add(joint.pd_implicit, joint.pd_torque);
                keep(running, torque, &mut group.torque[v]);
                if link.has_limits {
                    let stop = q.neg_mul_add(scratch.stops[i].implicit, scratch.stops[i].torque);
                    keep(running, stop, &mut group.stop_torque[v]);
                }
            }
        }
    }
    // Lanes that stand still keep their last contacts, as they keep their torques.
    let mut kept = 0;
    for i in 0..group.contacts.len() {
        let mut contact = group.contacts[i];
        contact.mask = V::and_not(contact.mask, running);
        if V::any(contact.mask) {
            group.contacts[kept] = contact;
            kept += 1;
        }
    }
    group.contacts.truncate(kept);
    for contact in &scratch.contacts {
        let mut contact = *contact;
        contact.mask = V::and(contact.mask, running);
        contact.point = contact.point.add(scratch.origins[kernel.links[contact.link as usize].tree]);
        if V::any(contact.mask) {
            group.contacts.push(contact);
        }
    }
}

#[inline(always)]
fn keep<V: Lanes>(running: V::Mask, new: V, old: &mut V) {
    *old = V::select(running, new + V::zero(), *old);
}

#[inline(always)]
fn keep_vector<V: Lanes>(running: V::Mask, new: Vec3<V>, old: &mut [V]) {
    keep(running, new.x, &mut old[0]);
    keep(running, new.y, &mut old[1]);
    keep(running, new.z, &mut old[2]);
}
