//! Inwards: what each subtree weighs, seen through its joint.

use super::{Articulated, BallWork, BrakeWork, JointWork, LinkWork, Scratch, StopWork, contact};
use crate::kernel::{Kernel, Link, LinkKind};
use crate::lanes::Lanes;
use crate::math::{Mat3, Sym3, Vec3};
use std::sync::atomic::{Ordering, compiler_fence};

/// Articulated inertia of link `i` through its joint, left with its segment for the parent; the first child adds the parent's rigid
/// inertia, so that the parent finds the sum.
#[inline(always)]
pub(super) fn backward<V: Lanes>(kernel: &Kernel<V::Scalar>, scratch: &mut Scratch<V>, i: usize) {
    let link = &kernel.links[i];
    if link.kind == LinkKind::Fixed {
        return;
    }
    let (first, last) = scratch.contact_ranges[i];
    let is_plain_leaf =
        link.is_leaf && first == last && !matches!(link.kind, LinkKind::Free | LinkKind::Planar | LinkKind::Ball);
    match &kernel.child_segments[link.children.clone()] {
        [] if is_plain_leaf => {}
        [] => scratch.articulated[link.segment] = rigid(&scratch.links[i], V::splat(link.mass)),
        [_] => {}
        [first, others @ ..] => {
            let mut sum = scratch.articulated[*first];
            for other in others {
                add(&mut sum, &scratch.articulated[*other]);
            }
            scratch.articulated[link.segment] = sum;
        }
    }
    let own = &mut scratch.articulated[link.segment];
    for contact in &scratch.contacts[first as usize..last as usize] {
        contact::add_to(kernel, contact, own);
    }
    let brake = if scratch.is_fast { Some(scratch.brakes[i]) } else { None };
    #[allow(clippy::manual_map, reason = "only functions can be told to be inlined always, not closures")]
    let carrier = match link.carrier {
        Some(parent) => Some((&scratch.links[parent], V::splat(kernel.links[parent].mass))),
        None => None,
    };
    match link.kind {
        LinkKind::Free | LinkKind::Planar => brake_root(own, brake),
        LinkKind::Ball => {
            let (joint, stop, ball) = (&scratch.joints[i], &mut scratch.stops[i], &mut scratch.balls[i]);
            through_ball(link, joint, stop, ball, brake, own, carrier);
        }
        _ => {
            let (work, joint, stop) = (&scratch.links[i], &mut scratch.joints[i], &scratch.stops[i]);
            if is_plain_leaf {
                through_hinge::<V, true>(link, work, joint, stop, brake, own, carrier);
            } else {
                through_hinge::<V, false>(link, work, joint, stop, brake, own, carrier);
            }
        }
    }
}

/// A rigid link's inertia and bias force.
#[inline(always)]
fn rigid<V: Lanes>(work: &LinkWork<V>, mass: V) -> Articulated<V> {
    Articulated {
        j: work.rotational,
        h: coupling(work.first_moment),
        m: Sym3::diagonal(mass),
        n: work.bias_torque,
        f: work.bias_force,
    }
}

/// `[m·c]×`: the coupling of a rigid body with the first moment m·c.
#[inline(always)]
fn coupling<V: Lanes>(h: Vec3<V>) -> Mat3<V> {
    let o = V::zero();
    Mat3 { cols: [Vec3::new(o, h.z, -h.y), Vec3::new(-h.z, o, h.x), Vec3::new(h.y, -h.x, o)] }
}

/// Adds a rigid body's coupling.
#[inline(always)]
fn add_coupling<V: Lanes>(sum: &Mat3<V>, h: Vec3<V>) -> Mat3<V> {
    let c = &sum.cols;
    Mat3 {
        cols: [
            Vec3::new(c[0].x, c[0].y + h.z, c[0].z - h.y),
            Vec3::new(c[1].x - h.z, c[1].y, c[1].z + h.x),
            Vec3::new(c[2].x + h.y, c[2].y - h.x, c[2].z),
        ],
    }
}

#[inline(always)]
fn add<V: Lanes>(sum: &mut Articulated<V>, b: &Articulated<V>) {
    sum.j = sum.j.add(b.j);
    sum.m = sum.m.add(b.m);
    sum.n = sum.n.add(b.n);
    sum.f = sum.f.add(b.f);
    for k in 0..3 {
        sum.h.cols[k] = sum.h.cols[k].add(b.h.cols[k]);
    }
}

/// A root that spins too fast is braked as if by air.
#[inline(always)]
fn brake_root<V: Lanes>(own: &mut Articulated<V>, brake: Option<BrakeWork<V>>) {
    if let Some(BrakeWork { share, rate, .. }) = brake {
        let inertia = own.j.xx + own.j.yy + own.j.zz;
        own.n = rate.scale_add(inertia, own.n);
        own.j = own.j.add_diagonal(share * inertia);
    }
}

/// `U = I·S`, `D = Sᵀ·U + implicit`, `u = τ − Sᵀ·p`; passes on `I − U·Uᵀ/D` and `p + U·u/D` (Featherstone 2008, eqs. 7.41–7.47).
#[inline(always)]
fn through_hinge<V: Lanes, const PLAIN_LEAF: bool>(
    link: &Link<V::Scalar>,
    work: &LinkWork<V>,
    joint: &mut JointWork<V>,
    stop: &StopWork<V>,
    brake: Option<BrakeWork<V>>,
    own: &mut Articulated<V>,
    carrier: Option<(&LinkWork<V>, V)>,
) {
    let mass = V::splat(link.mass);
    let Articulated { j, h, m, n, f } = if PLAIN_LEAF { rigid(work, mass) } else { *own };
    let (axis, moment) = (joint.axis, joint.moment);
    let (ua, ul) = if PLAIN_LEAF {
        rigid_times_motion(j.mul_vec(axis), work.first_moment, mass, axis, moment)
    } else {
        // Short sums side by side, not one long chain: the CPU waits for the longest.
        (j.mul_vec(axis).add(h.mul_vec(moment)), m.mul_vec(moment).add(h.transpose_mul_vec(axis)))
    };
    let mut implicit = joint.pd_implicit + V::splat(link.armature) + rounding_inertia(link, &j, &m);
    let mut torque = joint.pd_torque;
    if link.has_limits {
        implicit = implicit + stop.implicit;
        torque = torque + stop.torque;
    }
    // What the joint carries is never less than nothing, whatever rounding makes of it.
    let carried = (axis.dot(ua) + moment.dot(ul)).max(V::constant(1e-12));
    let mut d = carried + implicit;
    if let Some(BrakeWork { share, rate, .. }) = brake {
        torque = rate.x.neg_mul_add(d, torque);
        d = d.mul_add(share, d);
    }
    let d_inverse = V::constant(1.0) / d;
    let u = torque - axis.dot(n) - moment.dot(f);
    let (wa, wl) = (ua.scale(d_inverse), ul.scale(d_inverse));
    joint.u_angular = ua;
    joint.u_linear = ul;
    joint.d_inverse = d_inverse;
    joint.u = u;
    let passed = Passed { ua, ul, wa, wl, u };
    // The inertia is read again instead of being kept in registers, of which there are not enough. Two kinds of fence, because the
    // compiler would move what follows equal ones in front of the branch.
    match carrier {
        Some(carrier) => {
            compiler_fence(Ordering::SeqCst);
            passed.on::<PLAIN_LEAF>(work, mass, own, Some(carrier));
        }
        None => {
            compiler_fence(Ordering::AcqRel);
            passed.on::<PLAIN_LEAF>(work, mass, own, None);
        }
    }
}

/// What a hinge takes from the inertia that it passes on: `U`, `U/D` and `u`.
struct Passed<V> {
    ua: Vec3<V>,
    ul: Vec3<V>,
    wa: Vec3<V>,
    wl: Vec3<V>,
    u: V,
}

impl<V: Lanes> Passed<V> {
    /// Passes the inertia on, block by block, with the carrier's rigid inertia on top.
    #[inline(always)]
    fn on<const PLAIN_LEAF: bool>(
        &self,
        work: &LinkWork<V>,
        mass: V,
        own: &mut Articulated<V>,
        carrier: Option<(&LinkWork<V>, V)>,
    ) {
        let Passed { ua, ul, wa, wl, u } = *self;
        let j = if PLAIN_LEAF { work.rotational } else { own.j };
        let j = j.sub_symmetric_outer(ua, wa);
        own.j = if let Some((carrier, _)) = carrier { j.add(carrier.rotational) } else { j };
        compiler_fence(Ordering::SeqCst);

        let c = if PLAIN_LEAF { coupling(work.first_moment).cols } else { own.h.cols };
        let h = Mat3 {
            cols: [ua.scale_sub_from(wl.x, c[0]), ua.scale_sub_from(wl.y, c[1]), ua.scale_sub_from(wl.z, c[2])],
        };
        own.h = if let Some((carrier, _)) = carrier { add_coupling(&h, carrier.first_moment) } else { h };
        compiler_fence(Ordering::SeqCst);

        let m = if PLAIN_LEAF { Sym3::diagonal(mass) } else { own.m };
        let m = m.sub_symmetric_outer(ul, wl);
        own.m = if let Some((_, mass)) = carrier { m.add_diagonal(mass) } else { m };
        compiler_fence(Ordering::SeqCst);

        let (n, f) = if PLAIN_LEAF { (work.bias_torque, work.bias_force) } else { (own.n, own.f) };
        let (n, f) = (wa.scale_add(u, n), wl.scale_add(u, f));
        own.n = if let Some((carrier, _)) = carrier { n.add(carrier.bias_torque) } else { n };
        own.f = if let Some((carrier, _)) = carrier { f.add(carrier.bias_force) } else { f };
    }
}

/// What rounding may have taken from the inertia about a joint, as a rotor's inertia on top: a share of the inertia about O.
///
/// A light limb that holds on to the ground carries virtual masses about O that are a million times its own inertia about its axis,
/// and what joints further out left of them has been rounded many times: there the share is ten times as large. Without contact
/// an articulated mass is never more than the mass m that the joint carries, so `tr(M)/3m − 1` tells, lane by lane.
#[inline(always)]
fn rounding_inertia<V: Lanes>(link: &Link<V::Scalar>, j: &Sym3<V>, m: &Sym3<V>) -> V {
    let free = if V::SINGLE { 2e-7 } else { 4e-16 };
    let held = 10.0 * free;
    let excess = (m.xx + m.yy + m.zz).mul_add(V::splat(link.inverse_carried), V::constant(-1.0));
    let share = (excess * V::constant(held)).clamp(V::constant(free), V::constant(held));
    (j.xx + j.yy + j.zz) * share
}

/// `(J·s + h×m, mass·m + s×h)`: a rigid body's inertia times `(axis s, moment m)`, given `J·s` and the first moment h.
///
/// Term by term in the order of the general product with the zeros left out: a leaf that touches something in another lane
/// takes the general way in all of them, and must get the same bits.
#[inline(always)]
fn rigid_times_motion<V: Lanes>(js: Vec3<V>, h: Vec3<V>, mass: V, s: Vec3<V>, m: Vec3<V>) -> (Vec3<V>, Vec3<V>) {
    let angular = Vec3::new(
        js.x + h.y.mul_add(m.z, -(h.z * m.y)),
        js.y + h.x.neg_mul_add(m.z, h.z * m.x),
        js.z + h.x.mul_add(m.y, -(h.y * m.x)),
    );
    let linear = Vec3::new(
        mass * m.x + h.z.mul_add(s.y, -(h.y * s.z)),
        mass * m.y + h.z.neg_mul_add(s.x, h.x * s.z),
        mass * m.z + h.y.mul_add(s.x, -(h.x * s.y)),
    );
    (angular, linear)
}

/// A ball joint, about its own centre p, where `S = (1, 0)`. With β the implicit part of PD and `D = J + β·1`, what is passed on is
/// `J' = β·1 − β²·D⁻¹`, `H' = β·D⁻¹·H`, `M' = M − Hᵀ·D⁻¹·H`: J' and H' involve no difference of large numbers.
///
/// A stop adds `γ·n nᵀ` to D (Sherman & Morrison 1950): with `w = D⁻¹·n`, `k = γ/(1 + γ·n·w)`, `e = n − β·w` and `g = (D⁻¹·H)ᵀ·n`,
/// J' gains `k·e eᵀ`, H' gains `k·e gᵀ`, M' gains `k·g gᵀ`, however stiff it is.
#[inline(always)]
fn through_ball<V: Lanes>(
    link: &Link<V::Scalar>,
    joint: &JointWork<V>,
    stop: &mut StopWork<V>,
    ball: &mut BallWork<V>,
    brake: Option<BrakeWork<V>>,
    own: &mut Articulated<V>,
    carrier: Option<(&LinkWork<V>, V)>,
) {
    let p = ball.position;
    // Shift to p: H_p = H − [p]×·M, J_p = J + H·[p]× − [p]×·H_pᵀ, n_p = n − p×f.
    let hp = shift_coupling(&own.h, &own.m, p.neg());
    let jp = shift_rotational(&own.j, &own.h, &hp, p.neg());
    let np = p.neg().cross_add(own.f, own.n);

    let mut beta = joint.pd_implicit + V::splat(link.armature) + rounding_inertia(link, &own.j, &own.m);
    let mut torque = ball.pd_torque;
    if let Some(BrakeWork { share, rate, .. }) = brake {
        let inertia = jp.xx + jp.yy + jp.zz;
        torque = rate.scale_sub_from(inertia, torque);
        beta = inertia.mul_add(share, beta);
    }
    ball.implicit = beta;
    if link.has_limits {
        torque = stop.axis.scale_add(stop.torque, torque);
    }
    let (below, pivots) = jp.add_diagonal(beta).factor(beta.max(V::constant(1e-12)));
    let d_inverse = Sym3::from_factor(below, pivots);
    let u = torque.sub(np);
    let du = d_inverse.mul_vec(u);
    ball.d_inverse = d_inverse;
    ball.d_inverse_h = d_inverse.mul_mat(&hp);
    ball.d_inverse_u = du;
    own.n = du.scale_sub_from(beta, torque);

    // What passes on, about p, block by block; what was written is read again instead of being kept in registers, of which there
    // are not enough. M' row by row of L⁻¹·H, weighted by the pivots.
    compiler_fence(Ordering::SeqCst);
    let [c0, c1, c2] = hp.cols;
    let z1 = Vec3::new(c0.x, c1.x, c2.x);
    let z2 = z1.scale_add(below[0], Vec3::new(c0.y, c1.y, c2.y));
    let y = Vec3::new(c0.y, c1.y, c2.y);
    let z3 = z1.scale_add(below[1], y.scale_add(below[2], Vec3::new(c0.z, c1.z, c2.z)));
    let mut m = own.m.sub_symmetric_outer(z1, z1.scale(pivots[0]));
    m = m.sub_symmetric_outer(z2, z2.scale(pivots[1]));
    own.m = m.sub_symmetric_outer(z3, z3.scale(pivots[2]));
    compiler_fence(Ordering::SeqCst);
    own.f = own.f.add(ball.d_inverse_h.transpose_mul_vec(u));
    own.h = ball.d_inverse_h.scale(beta);
    own.j = ball.d_inverse.scale(-(beta * beta)).add_diagonal(beta);
    if link.has_limits && V::any(V::zero().lt(stop.implicit)) {
        let w = ball.d_inverse.mul_vec(stop.axis);
        let k = stop.implicit / stop.implicit.mul_add(stop.axis.dot(w), V::constant(1.0));
        let e = w.scale_sub_from(beta, stop.axis);
        let row = ball.d_inverse_h.transpose_mul_vec(stop.axis);
        let ke = e.scale(k);
        let along = stop.axis.dot(ball.d_inverse_u) * k;
        own.j = own.j.add_outer(e, k);
        let c = own.h.cols;
        own.h = Mat3 { cols: [ke.scale_add(row.x, c[0]), ke.scale_add(row.y, c[1]), ke.scale_add(row.z, c[2])] };
        own.m = own.m.add_outer(row, k);
        own.n = e.scale_sub_from(along, own.n);
        own.f = row.scale_sub_from(along, own.f);
        stop.response = w.scale(k);
    } else {
        stop.response = Vec3::zero();
    }

    // And back to O.
    match carrier {
        Some(carrier) => {
            compiler_fence(Ordering::SeqCst);
            back_to_origin(p, own, Some(carrier));
        }
        None => {
            compiler_fence(Ordering::AcqRel);
            back_to_origin(p, own, None);
        }
    }
}

/// Shifts what a ball joint at p passes on to O, with the carrier's rigid inertia on top.
#[inline(always)]
fn back_to_origin<V: Lanes>(p: Vec3<V>, own: &mut Articulated<V>, carrier: Option<(&LinkWork<V>, V)>) {
    let h = shift_coupling(&own.h, &own.m, p);
    let j = shift_rotational(&own.j, &own.h, &h, p);
    own.j = if let Some((carrier, _)) = carrier { j.add(carrier.rotational) } else { j };
    own.h = if let Some((carrier, _)) = carrier { add_coupling(&h, carrier.first_moment) } else { h };
    compiler_fence(Ordering::SeqCst);
    let n = p.cross_add(own.f, own.n);
    own.n = if let Some((carrier, _)) = carrier { n.add(carrier.bias_torque) } else { n };
    if let Some((carrier, mass)) = carrier {
        own.m = own.m.add_diagonal(mass);
        own.f = own.f.add(carrier.bias_force);
    }
}

/// `H + [r]×·M`: the coupling about a point that lies `r` before the old one.
#[inline(always)]
fn shift_coupling<V: Lanes>(h: &Mat3<V>, m: &Sym3<V>, r: Vec3<V>) -> Mat3<V> {
    Mat3 {
        cols: [r.cross_add(m.col(0), h.cols[0]), r.cross_add(m.col(1), h.cols[1]), r.cross_add(m.col(2), h.cols[2])],
    }
}

/// `J − H·[r]× + [r]×·H'ᵀ` with the shifted coupling H'; the result is symmetric.
#[inline(always)]
fn shift_rotational<V: Lanes>(j: &Sym3<V>, h: &Mat3<V>, shifted: &Mat3<V>, r: Vec3<V>) -> Sym3<V> {
    // −H·[r]×, entry (i, k) = row i of H against −column k of [r]×.
    let [a, b, c] = h.cols;
    let xx = b.x.neg_mul_add(r.z, c.x * r.y);
    let xy = a.x.mul_add(r.z, -(c.x * r.x));
    let xz = b.x.mul_add(r.x, -(a.x * r.y));
    let yy = a.y.mul_add(r.z, -(c.y * r.x));
    let yz = b.y.mul_add(r.x, -(a.y * r.y));
    let zz = b.z.mul_add(r.x, -(a.z * r.y));
    // [r]×·H'ᵀ, entry (i, k) = (r × row k of H')_i.
    let [d, e, g] = shifted.cols;
    Sym3 {
        xx: j.xx + r.y.mul_add(g.x, r.z.neg_mul_add(e.x, xx)),
        xy: j.xy + r.y.mul_add(g.y, r.z.neg_mul_add(e.y, xy)),
        xz: j.xz + r.y.mul_add(g.z, r.z.neg_mul_add(e.z, xz)),
        yy: j.yy + r.z.mul_add(d.y, r.x.neg_mul_add(g.y, yy)),
        yz: j.yz + r.z.mul_add(d.z, r.x.neg_mul_add(g.z, yz)),
        zz: j.zz + r.x.mul_add(e.z, r.y.neg_mul_add(d.z, zz)),
    }
}
