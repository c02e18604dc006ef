//! Outwards: where each link is, how it moves, and what force it needs.

use super::{BrakeWork, Group, Motion, Scratch, StopWork, contact};
use crate::kernel::{Inertia, Kernel, Link, LinkKind};
use crate::lanes::Lanes;
use crate::math::{Mat3, Quat, Sym3, Vec3};
use std::sync::atomic::{Ordering, compiler_fence};

/// Pose, velocity and bias force of link `i`, from its parent's.
#[inline(always)]
pub(super) fn forward<V: Lanes>(kernel: &Kernel<V::Scalar>, group: &Group<V>, scratch: &mut Scratch<V>, i: usize) {
    let link = &kernel.links[i];
    let motion = match link.kind {
        LinkKind::Free | LinkKind::Planar | LinkKind::Fixed => root(group, scratch, link),
        LinkKind::Ball => child(group, scratch, link, i),
        _ => {
            drive_hinge(kernel, group, scratch, link, i);
            // What was worked out so far is written down before the next values fill the registers.
            compiler_fence(Ordering::SeqCst);
            child(group, scratch, link, i)
        }
    };
    if scratch.is_fast {
        let carrier = match link.kind {
            LinkKind::Free | LinkKind::Planar | LinkKind::Fixed => V::from_bits(0),
            _ => scratch.brakes[link.parent].is_braked,
        };
        scratch.brakes[i] = brake(kernel, group, link, &motion.rotation, carrier);
    }
    scratch.motions[link.motion_slot] = motion;
    // Read again from there instead of being kept in registers, of which there are not enough.
    compiler_fence(Ordering::SeqCst);
    if link.kind == LinkKind::Ball {
        drive_ball(kernel, group, scratch, link, i);
    }
    let center = dynamics(group, scratch, link, i);
    if kernel.keeps_centers {
        scratch.centers[i] = center;
    }
    contact::detect(kernel, group, scratch, i, center);
}

/// A root's own coordinates; gravity enters as an upward acceleration of everything.
#[inline(always)]
fn root<V: Lanes>(group: &Group<V>, scratch: &mut Scratch<V>, link: &Link<V::Scalar>) -> Motion<V> {
    let mut motion = Motion {
        rotation: Mat3 { cols: [Vec3::zero(); 3] },
        position: Vec3::zero(),
        angular_velocity: Vec3::zero(),
        velocity: Vec3::zero(),
        angular_bias: Vec3::zero(),
        bias: group.gravity.neg(),
    };
    let (q, v) = (link.q, link.v);
    let mut origin = Vec3::splat(link.offset);
    match link.kind {
        LinkKind::Free => {
            origin = Vec3::load(&group.q[q..q + 3]);
            motion.rotation = Quat::load(&group.q[q + 3..q + 7]).matrix();
            motion.velocity = Vec3::load(&group.v[v..v + 3]);
            motion.angular_velocity = motion.rotation.mul_vec(Vec3::load(&group.v[v + 3..v + 6]));
        }
        LinkKind::Planar => {
            origin = Vec3::new(group.q[q], origin.y, group.q[q + 1]);
            let o = V::zero();
            motion.rotation = planar_rotation(link, group.q[q + 2]);
            motion.velocity = Vec3::new(group.v[v], o, group.v[v + 1]);
            motion.angular_velocity = Vec3::new(o, group.v[v + 2], o);
        }
        _ => motion.rotation = fixed_rotation(link),
    }
    scratch.origins[link.tree] = origin;
    motion
}

/// A planar root turned about `y`.
#[inline(always)]
pub(super) fn planar_rotation<V: Lanes>(link: &Link<V::Scalar>, angle: V) -> Mat3<V> {
    let (s, c) = angle.sin_cos();
    let (o, one) = (V::zero(), V::constant(1.0));
    aligned(&Mat3 { cols: [Vec3::new(c, o, -s), Vec3::new(o, one, o), Vec3::new(s, o, c)] }, link)
}

/// A root that is bolted to the world.
#[inline(always)]
pub(super) fn fixed_rotation<V: Lanes>(link: &Link<V::Scalar>) -> Mat3<V> {
    let (o, one) = (V::zero(), V::constant(1.0));
    aligned(&Mat3 { cols: [Vec3::new(one, o, o), Vec3::new(o, one, o), Vec3::new(o, o, one)] }, link)
}

#[inline(always)]
pub(super) fn aligned<V: Lanes>(rotation: &Mat3<V>, link: &Link<V::Scalar>) -> Mat3<V> {
    match &link.align {
        Some(align) => rotation.mul(&Mat3::splat(align)),
        None => *rotation,
    }
}

/// A joint carried by a parent.
#[inline(always)]
fn child<V: Lanes>(group: &Group<V>, scratch: &mut Scratch<V>, link: &Link<V::Scalar>, i: usize) -> Motion<V> {
    let parent = &scratch.motions[link.parent_motion_slot];
    // Joint origin: p = pₚ + r; v = vₚ + ω×r; a = aₚ + α×r + ω×(ω×r).
    let r = parent.rotation.mul_vec(Vec3::splat(link.offset));
    let swing = parent.angular_velocity.cross(r);
    let position = parent.position.add(r);
    let velocity = parent.velocity.add(swing);
    let bias = parent.angular_velocity.cross_add(swing, parent.angular_bias.cross_add(r, parent.bias));
    let before = aligned(&parent.rotation, link);
    let (parent_velocity, parent_bias) = (parent.angular_velocity, parent.angular_bias);
    let joint = &mut scratch.joints[i];

    let rotation = if link.kind == LinkKind::Ball {
        let turn = Quat::load(&group.q[link.q..link.q + 4]);
        before.mul(&turn.matrix())
    } else {
        let (rotation, axis) = hinge(link, &before, group.q[link.q]);
        joint.axis = axis;
        joint.moment = position.cross(axis);
        rotation
    };
    // ω = ωₚ + w; α = αₚ + ωₚ×w, for a joint velocity w that is constant in the joint's own axes.
    let joint_velocity = if link.kind == LinkKind::Ball {
        rotation.mul_vec(Vec3::load(&group.v[link.v..link.v + 3]))
    } else {
        joint.axis.scale(group.v[link.v])
    };
    if link.kind == LinkKind::Ball {
        scratch.balls[i].rotation = rotation;
        scratch.balls[i].position = position;
    }
    Motion {
        rotation,
        position,
        angular_velocity: parent_velocity.add(joint_velocity),
        velocity,
        angular_bias: parent_velocity.cross_add(joint_velocity, parent_bias),
        bias,
    }
}

/// Friction that brings a joint back to the tame speed, above which explicit Coriolis forces would feed it.
///
/// `η = |v|/tame − 1`: a joint that nothing else moves ends the step at `v/(1 + η)`, the tame speed. As an implicit torque between two links
/// it takes energy and leaves momentum alone. A loose object has no joints to feed it.
#[inline(always)]
fn brake<V: Lanes>(
    kernel: &Kernel<V::Scalar>,
    group: &Group<V>,
    link: &Link<V::Scalar>,
    rotation: &Mat3<V>,
    is_carrier_braked: V::Mask,
) -> BrakeWork<V> {
    let v = match link.kind {
        LinkKind::Fixed => Vec3::zero(),
        LinkKind::Free if link.is_leaf => Vec3::zero(),
        LinkKind::Free => rotation.mul_vec(Vec3::load(&group.v[link.v + 3..link.v + 6])),
        LinkKind::Planar => Vec3::new(V::zero(), group.v[link.v + 2], V::zero()),
        LinkKind::Ball => rotation.mul_vec(Vec3::load(&group.v[link.v..link.v + 3])),
        _ => Vec3::new(group.v[link.v], V::zero(), V::zero()),
    };
    let tame = V::splat(kernel.tame_speed);
    let size = v.length();
    let is_fast = tame.lt(size);
    let share = V::select(is_fast, size / tame - V::constant(1.0), V::zero());
    let rate = v.scale(share / V::splat(kernel.dt));
    BrakeWork { share, rate, is_braked: V::or(is_fast, is_carrier_braked) }
}

/// Rotation of a hinge's child, and the axis in the world.
#[inline(always)]
pub(super) fn hinge<V: Lanes>(link: &Link<V::Scalar>, before: &Mat3<V>, angle: V) -> (Mat3<V>, Vec3<V>) {
    let (s, c) = angle.sin_cos();
    let [x, y, z] = before.cols;
    match link.kind {
        LinkKind::HingeX => {
            let (y, z) = turn_columns(y, z, s, c);
            (Mat3 { cols: [x, y, z] }, x)
        }
        LinkKind::HingeY => {
            let (z, x) = turn_columns(z, x, s, c);
            (Mat3 { cols: [x, y, z] }, y)
        }
        LinkKind::HingeZ => {
            let (x, y) = turn_columns(x, y, s, c);
            (Mat3 { cols: [x, y, z] }, z)
        }
        _ => {
            // Rodrigues: R = c·1 + s·[k]× + (1 − c)·k kᵀ.
            let k = Vec3::splat(link.axis);
            let (sk, tk) = (k.scale(s), k.scale(V::constant(1.0) - c));
            let turn = Mat3 {
                cols: [
                    Vec3::new(tk.x.mul_add(k.x, c), tk.x.mul_add(k.y, sk.z), tk.x.mul_add(k.z, -sk.y)),
                    Vec3::new(tk.y.mul_add(k.x, -sk.z), tk.y.mul_add(k.y, c), tk.y.mul_add(k.z, sk.x)),
                    Vec3::new(tk.z.mul_add(k.x, sk.y), tk.z.mul_add(k.y, -sk.x), tk.z.mul_add(k.z, c)),
                ],
            };
            (before.mul(&turn), before.mul_vec(k))
        }
    }
}

/// The two columns across a hinge's axis turn within their plane.
#[inline(always)]
fn turn_columns<V: Lanes>(a: Vec3<V>, b: Vec3<V>, s: V, c: V) -> (Vec3<V>, Vec3<V>) {
    (b.scale_add(s, a.scale(c)), a.scale_sub_from(s, b.scale(c)))
}

/// Implicit PD and stop of a hinge: `τ = kp(θ* − θ − dt·θ̇') + kd(θ̇* − θ̇')` with `θ̇' = θ̇ + dt·θ̈`
/// (Tan, Liu & Turk 2011, "Stable proportional-derivative controllers").
#[inline(always)]
fn drive_hinge<V: Lanes>(
    kernel: &Kernel<V::Scalar>,
    group: &Group<V>,
    scratch: &mut Scratch<V>,
    link: &Link<V::Scalar>,
    i: usize,
) {
    let joint = &mut scratch.joints[i];
    let dt = V::splat(kernel.dt);
    let (q, v) = (group.q[link.q], group.v[link.v]);
    let (kp, kd) = (V::splat(link.kp), V::splat(link.kd));
    let error = v.neg_mul_add(dt, group.target_q[link.q] - q);
    let pull = kd.mul_add(group.target_v[link.v] - v, kp * error);
    let gain = group.gain[i];
    let wish = pull * gain;
    scratch.links[i].pd_wish = wish;
    joint.pd_torque = wish;
    joint.pd_implicit = V::splat(link.pd_implicit) * gain;
    if link.has_limits {
        // Distance past the nearer stop, positive inside it; the stop only pushes back.
        let below = V::splat(link.limit_low) - q;
        let above = q - V::splat(link.limit_high);
        let at_low = above.lt(below);
        let depth = V::select(at_low, below, above);
        let sign = V::select(at_low, V::constant(1.0), V::constant(-1.0));
        let outward = -(v * sign);
        let (force, implicit) = stop(kernel, link, depth, outward);
        scratch.stops[i].torque = force * sign;
        scratch.stops[i].implicit = implicit;
    }
}

/// A one-sided implicit spring–damper: force inwards and its implicit part, both zero where it does not touch.
#[inline(always)]
fn stop<V: Lanes>(kernel: &Kernel<V::Scalar>, link: &Link<V::Scalar>, depth: V, outward: V) -> (V, V) {
    let dt = V::splat(kernel.dt);
    let gain = V::splat(link.limit_stiffness).mul_add(dt, V::splat(link.limit_damping));
    let force = gain.mul_add(outward, V::splat(link.limit_stiffness) * depth);
    let touching = V::and(V::zero().lt(depth), V::zero().lt(force));
    (V::select(touching, force, V::zero()), V::select(touching, gain * dt, V::zero()))
}

/// The same for a ball joint, in the child's frame, then turned into the world.
#[inline(always)]
fn drive_ball<V: Lanes>(
    kernel: &Kernel<V::Scalar>,
    group: &Group<V>,
    scratch: &mut Scratch<V>,
    link: &Link<V::Scalar>,
    i: usize,
) {
    let ball = &mut scratch.balls[i];
    let joint = &mut scratch.joints[i];
    let dt = V::splat(kernel.dt);
    let turn = Quat::load(&group.q[link.q..link.q + 4]);
    let target = Quat::load(&group.target_q[link.q..link.q + 4]);
    let v = Vec3::load(&group.v[link.v..link.v + 3]);
    let target_v = Vec3::load(&group.target_v[link.v..link.v + 3]);
    let error = v.scale_sub_from(dt, turn.conjugate().mul(target).to_rotation_vector());
    let pull = error.scale(V::splat(link.kp)).add(target_v.sub(v).scale(V::splat(link.kd)));
    let gain = group.gain[i];
    ball.pd_wish = ball.rotation.mul_vec(pull.scale(gain));
    ball.pd_torque = ball.pd_wish;
    joint.pd_implicit = V::splat(link.pd_implicit) * gain;
    if link.has_limits {
        let bend = turn.to_rotation_vector();
        let angle = bend.length();
        let axis = bend.scale(V::constant(1.0) / angle.max(V::constant(1e-6)));
        let (force, implicit) = stop(kernel, link, angle - V::splat(link.limit_high), axis.dot(v));
        let axis = ball.rotation.mul_vec(axis);
        scratch.stops[i] = StopWork { torque: -force, implicit, axis, response: Vec3::zero() };
    }
}

/// Rigid inertia about O and centre of mass, and the bias force: `f = m·a_c`, `n = I·α + ω×(I·ω) + c×f`, less outer forces.
#[inline(always)]
fn dynamics<V: Lanes>(group: &Group<V>, scratch: &mut Scratch<V>, link: &Link<V::Scalar>, i: usize) -> Vec3<V> {
    let motion = &scratch.motions[link.motion_slot];
    let arm = motion.rotation.mul_vec(Vec3::splat(link.center_of_mass));
    let center = motion.position.add(arm);
    let omega = motion.angular_velocity;
    let swing = omega.cross(arm);
    let acceleration = omega.cross_add(swing, motion.angular_bias.cross_add(arm, motion.bias));

    let inertia = match &link.inertia {
        Inertia::AlongCenter { transverse, slope } => {
            Sym3::diagonal(V::splat(*transverse)).add_outer(arm, V::splat(*slope))
        }
        Inertia::Axis { axis, transverse, slope } => {
            let axis = motion.rotation.mul_vec(Vec3::splat(*axis));
            Sym3::diagonal(V::splat(*transverse)).add_outer(axis, V::splat(*slope))
        }
        Inertia::General(a) => Sym3::splat(a).rotated(&motion.rotation),
    };
    let mass = V::splat(link.mass);
    let mut force = acceleration.scale(mass);
    let mut torque = omega.cross_add(inertia.mul_vec(omega), inertia.mul_vec(motion.angular_bias));
    if let Some(&[outer_force, outer_torque]) = group.wrench.get(i) {
        force = force.sub(outer_force);
        torque = torque.sub(outer_torque);
    }

    // Parallel axes: I_O = I + m·(c·c·1 − c cᵀ).
    let first = center.scale(mass);
    let (xx, yy, zz) = (first.x * center.x, first.y * center.y, first.z * center.z);
    let work = &mut scratch.links[i];
    work.rotational = Sym3 {
        xx: inertia.xx + (yy + zz),
        yy: inertia.yy + (xx + zz),
        zz: inertia.zz + (xx + yy),
        xy: first.x.neg_mul_add(center.y, inertia.xy),
        xz: first.x.neg_mul_add(center.z, inertia.xz),
        yz: first.y.neg_mul_add(center.z, inertia.yz),
    };
    work.first_moment = first;
    work.bias_force = force;
    work.bias_torque = center.cross_add(force, torque);
    center
}
