//! Outwards again: joint accelerations, and what has to be limited.

use super::{
    Articulated, BallWork, Group, JointWork, LinkWork, RELEASE_PASSES, SCALE_PASSES, Scratch, StopWork, contact_slack,
};
use crate::kernel::{Kernel, Link, LinkKind};
use crate::lanes::Lanes;
use crate::math::Vec3;
use crate::step::contact::GROUND;
use crate::step::limit::limit;

/// What an outward pass may still change.
#[derive(Clone, Copy)]
struct Pass<V: Lanes> {
    /// Lanes that move.
    running: V::Mask,
    /// Whether a ball joint's law may be scaled to its limit.
    may_scale: bool,
    /// Whether a saturated joint may go back to its law.
    may_release: bool,
    /// See [`contact_slack`].
    contact_slack: Option<f64>,
}

/// Angular acceleration of a link, and the linear one of its point at O.
type Acceleration<V> = [Vec3<V>; 2];

/// Accelerations of all links from the last backward pass.
///
/// Replaces PD torques beyond their limit, stops and contacts that pull, and friction outside its cone by their limits
/// in the scratch memory, and lets torques go that are within their limit again; returns whether it replaced any, so that the backward pass must run again. A lane without
/// offenders gets the same bits from the repetition.
#[inline(always)]
pub(super) fn accelerate<V: Lanes>(
    kernel: &Kernel<V::Scalar>,
    group: &Group<V>,
    scratch: &mut Scratch<V>,
    running: V::Mask,
    pass: usize,
) -> bool {
    let pass = Pass {
        running,
        may_scale: pass <= SCALE_PASSES,
        may_release: pass <= RELEASE_PASSES,
        contact_slack: contact_slack(pass),
    };
    let mut any = false;
    let mut last = [Vec3::zero(); 2];
    for (i, link) in kernel.links.iter().enumerate() {
        let mut offenders = V::from_bits(0);
        let v = link.v;
        // A first child comes next after its parent, whose acceleration is still at hand.
        let parent = if link.carrier.is_some() { last } else { scratch.accelerations[link.parent_slot] };
        let motion = match link.kind {
            LinkKind::Fixed => [Vec3::zero(); 2],
            LinkKind::Free => {
                let [alpha, a] = solve_free(&scratch.articulated[link.segment]);
                let local = scratch.motions[link.motion_slot].rotation.transpose_mul_vec(alpha);
                a.store(&mut scratch.acceleration[v..v + 3]);
                local.store(&mut scratch.acceleration[v + 3..v + 6]);
                [alpha, a]
            }
            LinkKind::Planar => {
                let [alpha, a] = solve_planar(&scratch.articulated[link.segment]);
                Vec3::new(a.x, a.z, alpha.y).store(&mut scratch.acceleration[v..v + 3]);
                [alpha, a]
            }
            LinkKind::Ball => through_ball(link, i, parent, group, scratch, &pass, &mut offenders),
            _ => through_hinge(link, i, parent, group, scratch, &pass, &mut offenders),
        };
        last = motion;
        if link.children.len() > 1 {
            scratch.accelerations[link.slot] = motion;
        }
        let (first, last) = scratch.contact_ranges[i];
        if first < last {
            scratch.touching[i] = motion;
        }
        if V::any(offenders) {
            any = true;
            mark_dirty(&mut scratch.dirty, &kernel.segment_parents, link.segment);
        }
    }
    for contact in &mut scratch.contacts {
        // What lies between moving bodies is listed for reading only.
        if contact.other < GROUND {
            continue;
        }
        let link = contact.link as usize;
        if V::any(limit(kernel, contact, &scratch.touching[link], running, pass.contact_slack)) {
            any = true;
            mark_dirty(&mut scratch.dirty, &kernel.segment_parents, kernel.links[link].segment);
        }
    }
    any
}

/// A hinge's acceleration `q̈ = (u − U·a)/D`, its limits, and the acceleration of the link that it carries.
#[inline(always)]
fn through_hinge<V: Lanes>(
    link: &Link<V::Scalar>,
    i: usize,
    [parent_alpha, parent_a]: Acceleration<V>,
    group: &Group<V>,
    scratch: &mut Scratch<V>,
    pass: &Pass<V>,
    offenders: &mut V::Mask,
) -> Acceleration<V> {
    let joint = &mut scratch.joints[i];
    let carried = joint.u_angular.dot(parent_alpha) + joint.u_linear.dot(parent_a);
    let q = (joint.u - carried) * joint.d_inverse;
    scratch.acceleration[link.v] = q;

    let torque = q.neg_mul_add(joint.pd_implicit, joint.pd_torque);
    let limit = V::splat(link.torque_limit);
    if scratch.limits_hit || V::any(V::and(limit.lt(torque.abs()), pass.running)) {
        scratch.limits_hit = true;
        limit_hinge(link, group.gain[i], q, joint, &scratch.links[i], pass, offenders);
    }
    if link.has_limits && pass.contact_slack.is_some() {
        // The stop may not pull: its torque keeps the sign it started with.
        let stop = &mut scratch.stops[i];
        let push = q.neg_mul_add(stop.implicit, stop.torque);
        let pulls = V::and(V::lt(push * stop.torque, V::zero()), pass.running);
        release_stop(stop, pulls, offenders);
    }
    [joint.axis.scale_add(q, parent_alpha), joint.moment.scale_add(q, parent_a)]
}

/// Saturates a hinge whose law wishes for more than its limit, and lets it go where it wishes for less.
#[inline(always)]
fn limit_hinge<V: Lanes>(
    link: &Link<V::Scalar>,
    gain: V,
    q: V,
    joint: &mut JointWork<V>,
    work: &LinkWork<V>,
    pass: &Pass<V>,
    offenders: &mut V::Mask,
) {
    let (limit, zero, none) = (V::splat(link.torque_limit), V::zero(), V::from_bits(0));
    let implicit = V::splat(link.pd_implicit) * gain;
    let limited = V::and(joint.pd_implicit.lt(implicit), pass.running);
    let wish = q.neg_mul_add(implicit, work.pd_wish);
    let over = V::and(limit.lt(wish.abs()), pass.running);
    // Limited and wishing less than that, or the other way: on to the law.
    let clamped = wish.clamp(-limit, limit);
    let back = V::and(limited, V::or((clamped * joint.pd_torque).lt(zero), V::and_not(limited, over)));
    let released = if pass.may_release { back } else { none };
    let saturated = V::and_not(over, limited);
    joint.pd_torque = V::select(saturated, clamped, V::select(released, work.pd_wish, joint.pd_torque));
    joint.pd_implicit = V::select(saturated, zero, V::select(released, implicit, joint.pd_implicit));
    *offenders = V::or(*offenders, V::or(saturated, released));
}

/// A ball's acceleration `q̈ = D⁻¹(u + β·α) − α − D⁻¹H·a`, less what a stop takes, its limits, and the acceleration of the link that it carries.
#[inline(always)]
fn through_ball<V: Lanes>(
    link: &Link<V::Scalar>,
    i: usize,
    [parent_alpha, parent_a]: Acceleration<V>,
    group: &Group<V>,
    scratch: &mut Scratch<V>,
    pass: &Pass<V>,
    offenders: &mut V::Mask,
) -> Acceleration<V> {
    let v = link.v;
    let (joint, ball, stop) = (&mut scratch.joints[i], &mut scratch.balls[i], &mut scratch.stops[i]);
    let at_joint = parent_alpha.cross_add(ball.position, parent_a);
    let driven = ball.d_inverse.mul_vec(parent_alpha.scale(ball.implicit)).add(ball.d_inverse_u);
    let mut q = driven.sub(parent_alpha).sub(ball.d_inverse_h.mul_vec(at_joint));
    if link.has_limits {
        q = stop.response.scale_sub_from(stop.axis.dot(q), q);
    }
    ball.rotation.transpose_mul_vec(q).store(&mut scratch.acceleration[v..v + 3]);

    let torque = q.scale_sub_from(joint.pd_implicit, ball.pd_torque);
    let size = torque.length();
    let over = V::and(V::splat(link.torque_limit).lt(size), pass.running);
    if scratch.limits_hit || V::any(over) {
        scratch.limits_hit = true;
        limit_ball(link, group.gain[i], q, BallTorque { torque, size, over }, joint, ball, pass, offenders);
    }
    if link.has_limits && pass.contact_slack.is_some() {
        let push = stop.axis.dot(q).neg_mul_add(stop.implicit, stop.torque);
        let pulls = V::and(V::and(V::zero().lt(push), V::zero().lt(stop.implicit)), pass.running);
        release_stop(stop, pulls, offenders);
    }
    // The joint's centre keeps its acceleration: a_O changes by p×q̈.
    [parent_alpha.add(q), ball.position.cross_add(q, parent_a)]
}

/// PD torque of a ball, its length, and where that is beyond the limit.
struct BallTorque<V: Lanes> {
    torque: Vec3<V>,
    size: V,
    over: V::Mask,
}

/// Brings a ball's torque to its limit, and lets it go where the law itself would do.
///
/// Over the limit the whole law is scaled down to it, which keeps its damping in every direction (and up again where that was too much). Once
/// the torque is almost right it is fixed, a hair inside the limit.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the parts of the scratch memory that are borrowed already")]
fn limit_ball<V: Lanes>(
    link: &Link<V::Scalar>,
    gain: V,
    q: Vec3<V>,
    BallTorque { torque, size, over }: BallTorque<V>,
    joint: &mut JointWork<V>,
    ball: &mut BallWork<V>,
    pass: &Pass<V>,
    offenders: &mut V::Mask,
) {
    let (limit, none) = (V::splat(link.torque_limit), V::from_bits(0));
    let implicit = V::splat(link.pd_implicit) * gain;
    let limited = V::and(joint.pd_implicit.lt(implicit), pass.running);
    let ratio = limit / size.max(V::constant(1e-12));
    let wish = q.scale_sub_from(implicit, ball.pd_wish).length();
    let slack = V::and_not(V::and(limited, size.lt(limit * V::constant(1.0 - 1e-5))), wish.lt(limit));
    let off = if pass.may_release { V::or(over, slack) } else { over };
    let near = (ratio - V::constant(1.0)).abs().lt(V::constant(0.01));
    let far = if pass.may_scale { V::and_not(off, near) } else { none };
    let fixed = V::and_not(off, far);
    // Limited, though the law itself would do: on to the law.
    let released = if pass.may_release { V::and(limited, wish.lt(limit)) } else { none };
    let factor = V::select(far, ratio, V::constant(1.0));
    let scaled = ball.pd_torque.scale(factor);
    let held = torque.scale(ratio * V::constant(1.0 - 1e-6));
    ball.pd_torque = Vec3::select(released, ball.pd_wish, Vec3::select(fixed, held, scaled));
    let rest = V::select(fixed, V::zero(), joint.pd_implicit * factor);
    joint.pd_implicit = V::select(released, implicit, rest);
    *offenders = V::or(*offenders, V::or(off, released));
}

/// A stop that would pull is let go.
#[inline(always)]
fn release_stop<V: Lanes>(stop: &mut StopWork<V>, pulls: V::Mask, offenders: &mut V::Mask) {
    if V::any(pulls) {
        stop.torque = V::select(pulls, V::zero(), stop.torque);
        stop.implicit = V::select(pulls, V::zero(), stop.implicit);
        *offenders = V::or(*offenders, pulls);
    }
}

/// Marks a segment and all that carry it.
#[inline(always)]
fn mark_dirty(dirty: &mut [bool], parents: &[usize], mut segment: usize) {
    while !dirty[segment] {
        dirty[segment] = true;
        segment = parents[segment];
    }
}

/// `[J H; Hᵀ M]·(α, a) = −(n, f)` by LDLᵀ.
#[inline(always)]
fn solve_free<V: Lanes>(own: &Articulated<V>) -> [Vec3<V>; 2] {
    let Articulated { j, h, m, n, f } = own;
    let c = &h.cols;
    // Linear rows first, then angular: the pivots of the masses are the best conditioned.
    let mut a = [
        [m.xx, m.xy, m.xz, c[0].x, c[0].y, c[0].z],
        [m.xy, m.yy, m.yz, c[1].x, c[1].y, c[1].z],
        [m.xz, m.yz, m.zz, c[2].x, c[2].y, c[2].z],
        [c[0].x, c[1].x, c[2].x, j.xx, j.xy, j.xz],
        [c[0].y, c[1].y, c[2].y, j.xy, j.yy, j.yz],
        [c[0].z, c[1].z, c[2].z, j.xz, j.yz, j.zz],
    ];
    let mut x = [-f.x, -f.y, -f.z, -n.x, -n.y, -n.z];
    solve_symmetric(&mut a, &mut x);
    [Vec3::new(x[3], x[4], x[5]), Vec3::new(x[0], x[1], x[2])]
}

/// The same with motion only along x and z and about y.
#[inline(always)]
fn solve_planar<V: Lanes>(own: &Articulated<V>) -> [Vec3<V>; 2] {
    let Articulated { j, h, m, n, f } = own;
    let (hx, hz) = (h.cols[0].y, h.cols[2].y);
    let mut a = [[m.xx, m.xz, hx], [m.xz, m.zz, hz], [hx, hz, j.yy]];
    let mut x = [-f.x, -f.z, -n.y];
    solve_symmetric(&mut a, &mut x);
    let o = V::zero();
    [Vec3::new(o, x[2], o), Vec3::new(x[0], o, x[1])]
}

/// `x ← A⁻¹·x` for a symmetric positive definite A, by LDLᵀ in place.
#[allow(clippy::needless_range_loop, reason = "the indices are those of the algebra")]
#[inline(always)]
fn solve_symmetric<V: Lanes, const N: usize>(a: &mut [[V; N]; N], x: &mut [V; N]) {
    let mut inverse = [V::zero(); N];
    // A pivot is never less than what rounding may have left of it.
    let mut least = [V::zero(); N];
    for k in 0..N {
        least[k] = (a[k][k] * V::constant(if V::SINGLE { 2e-7 } else { 4e-16 })).max(V::constant(1e-12));
    }
    for k in 0..N {
        inverse[k] = V::constant(1.0) / a[k][k].max(least[k]);
        for i in k + 1..N {
            let l = a[i][k] * inverse[k];
            for j in k + 1..=i {
                a[i][j] = l.neg_mul_add(a[j][k], a[i][j]);
            }
            x[i] = l.neg_mul_add(x[k], x[i]);
        }
    }
    for k in (0..N).rev() {
        let mut sum = x[k];
        for i in k + 1..N {
            sum = a[i][k].neg_mul_add(x[i], sum);
        }
        x[k] = sum * inverse[k];
    }
}
