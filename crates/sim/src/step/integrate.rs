//! Semi-implicit Euler: velocities first, then positions with the new velocities.

use super::{Group, Scratch};
use crate::kernel::{Kernel, LinkKind};
use crate::lanes::{Lanes, Scalar};
use crate::math::{Quat, Vec3};

/// Moves the running lanes by one step; lanes whose speed is not a sane number stop and are reported.
#[inline(always)]
pub(super) fn integrate<V: Lanes>(kernel: &Kernel<V::Scalar>, group: &mut Group<V>, scratch: &Scratch<V>) {
    let dt = V::splat(kernel.dt);
    let limit = V::splat(kernel.speed_limit);
    let before = V::from_bits(group.running);
    let mut sane = V::from_bits(u32::MAX);
    for (v, a) in group.v.iter_mut().zip(&scratch.acceleration) {
        // Adding zero turns −0 into 0, the only trace that lanes working side by side could leave on each other.
        let new = a.mul_add(dt, *v) + V::zero();
        sane = V::and(sane, new.abs().lt(limit));
        *v = V::select(before, new, *v);
    }
    let insane = V::bits(V::and_not(before, sane));
    if insane != 0 {
        report_divergence(kernel, group, insane);
    }
    let running = V::from_bits(group.running);
    for link in &kernel.links {
        let (q, v) = (link.q, link.v);
        match link.kind {
            LinkKind::Fixed => {}
            LinkKind::Free => {
                for k in 0..3 {
                    move_coordinate(&mut group.q[q + k], group.v[v + k], dt, running);
                }
                turn(&mut group.q[q + 3..q + 7], &group.v[v + 3..v + 6], dt, running);
            }
            LinkKind::Planar => {
                for k in 0..3 {
                    move_coordinate(&mut group.q[q + k], group.v[v + k], dt, running);
                }
            }
            LinkKind::Ball => turn(&mut group.q[q..q + 4], &group.v[v..v + 3], dt, running),
            _ => move_coordinate(&mut group.q[q], group.v[v], dt, running),
        }
    }
    for lane in 0..V::COUNT {
        group.steps[lane] += (group.running >> lane & 1) as u64;
    }
}

#[inline(always)]
fn move_coordinate<V: Lanes>(q: &mut V, v: V, dt: V, running: V::Mask) {
    *q = V::select(running, v.mul_add(dt, *q) + V::zero(), *q);
}

/// `q ← q·exp(dt·ω/2)` for an angular velocity in the turning body's own axes.
#[inline(always)]
fn turn<V: Lanes>(q: &mut [V], v: &[V], dt: V, running: V::Mask) {
    let old = Quat::load(q);
    let new = old.mul(Quat::from_rotation_vector(Vec3::load(v).scale(dt))).normalized();
    let zero = Vec3::zero();
    Quat { w: V::select(running, new.w + V::zero(), old.w), v: Vec3::select(running, new.v.add(zero), old.v) }.store(q);
}

/// Stops the lanes in `insane` where they were before the step, and notes which velocity went wrong.
#[cold]
#[inline(never)]
fn report_divergence<V: Lanes>(kernel: &Kernel<V::Scalar>, group: &mut Group<V>, insane: u32) {
    let limit = kernel.speed_limit.to_f64();
    for lane in (0..V::COUNT).filter(|lane| insane >> lane & 1 == 1) {
        let sane = |x: &V| x.get(lane).abs() < limit;
        let culprit = group.v.iter().position(|x| !sane(x)).unwrap_or(0);
        group.diverged[lane] = Some((group.steps[lane], culprit));
        for v in &mut group.v {
            v.set(lane, 0.0);
        }
    }
    group.running &= !insane;
}
