//! How each joint really moves in the clips: hinge or ball, its axis, its rest and its limits.
//!
//! With `q` the turn of a part in its parent's frame, identity in the bind pose, a hinge is `q ≈ M · rot(a, θ)`: `M` is the mean turn, `a`
//! the largest eigenvector of the scatter `Σ v vᵀ` of the rotation vectors `v = log(M⁻¹ q)`. What it leaves over is
//! `r = |log(rot(a, −θ) M⁻¹ q)|`.

use super::anatomy::Role;
use super::draft::{Part, Plan};
use super::stance::{MOST_FRAMES, spread_frames};
use crate::frames::{angle_of, perpendicular, principal_axes, rotation_vector, scatter, twist_angle, wrapped};
use glam::{DQuat, DVec3};
use sinew_motion::Clip;
use sinew_sim::JointKind;
use std::f64::consts::PI;

/// A ball rests in the stance where that widens its cone by no more than this, rad.
const STANCE_CONE: f64 = 0.35;
/// Limits of joints that the clips do not move, rad.
const STILL_LIMIT: f64 = 0.35;

/// What the samples of a joint say.
struct Fit {
    kind: JointKind,
    mean: DQuat,
    axis: DVec3,
    /// Hinge: angles about the axis from the mean.
    range: [f64; 2],
    is_still: bool,
}

/// Sets type, axis, rest and limits of every joint but the root's.
pub(crate) fn fit_joints(plan: &Plan, clips: &[Clip], parts: &mut [Part]) -> Vec<String> {
    let samples = samples(plan, clips, parts);
    let mut notes = Vec::new();
    let (mut hinges, mut balls) = (0, 0);
    for index in 1..parts.len() {
        if samples[index].is_empty() {
            guess(plan, parts, index);
            continue;
        }
        let joint = parts[index].joint;
        let pooled = pooled(plan, parts, index, &samples);
        let pair = parts[index].pair;
        // The right side is the image of the left one.
        let fit = match (pair, plan.anatomy.mirror) {
            (Some(left), Some(mirror)) if plan.anatomy.is_left[parts[left].joint] => {
                let left_pooled = self::pooled(plan, parts, left, &samples);
                let fit = fit(plan, parts, left, &left_pooled);
                Fit { mean: mirror.rotation(fit.mean), axis: mirror.axis(fit.axis), ..fit }
            }
            _ => fit(plan, parts, index, &pooled),
        };
        let parent = parts[parts[index].parent.expect("not the root")].joint;
        let base = (plan.turns[parent].inverse() * plan.turns[joint]).normalize();
        settle(plan, &mut parts[index], &fit, &pooled, base);
        match fit.kind {
            JointKind::Hinge => hinges += 1,
            _ => balls += 1,
        }
        if fit.is_still {
            notes.push(format!("Joint {:?} does not move in any clip.", plan.skeleton.joints[joint].name));
        }
    }
    if hinges + balls > 0 {
        notes.insert(0, format!("The clips move {hinges} joints as hinges and {balls} as balls."));
    }
    notes
}

/// Turn of each part in its parent's frame, identity in the bind pose, in each of the frames.
fn samples(plan: &Plan, clips: &[Clip], parts: &[Part]) -> Vec<Vec<DQuat>> {
    let frames = spread_frames(clips, MOST_FRAMES);
    let mut samples: Vec<Vec<DQuat>> = vec![Vec::with_capacity(frames.len()); parts.len()];
    let unbind: Vec<DQuat> = plan.bind.iter().map(|b| b.orientation.inverse()).collect();
    for (clip, frame) in frames {
        let placed = clips[clip].place(plan.skeleton, frame);
        for (index, part) in parts.iter().enumerate() {
            let Some(parent) = part.parent.map(|p| parts[p].joint) else { continue };
            let turn = |j: usize| placed[j].orientation * unbind[j];
            samples[index].push((turn(parent).inverse() * turn(part.joint)).normalize());
        }
    }
    samples
}

/// Samples of both sides, seen from this one.
fn pooled(plan: &Plan, parts: &[Part], index: usize, samples: &[Vec<DQuat>]) -> Vec<DQuat> {
    let mut pooled = samples[index].clone();
    let is_middle = plan.anatomy.pairs[parts[index].joint].is_none();
    if let (Some(mirror), true) = (plan.anatomy.mirror, is_middle || parts[index].pair.is_some()) {
        let other = parts[index].pair.unwrap_or(index);
        pooled.extend(samples[other].iter().map(|&q| mirror.rotation(q)));
    }
    pooled
}

/// The rotation with the least squared angles to all samples, by tangent means.
fn mean(samples: &[DQuat]) -> DQuat {
    let near = |q: DQuat, to: DQuat| if q.dot(to) < 0.0 { -q } else { q };
    let mut mean = samples[0];
    for _ in 0..2 {
        let sum = samples.iter().fold(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, &q| sum + near(q, mean));
        mean = if sum.length() > 1e-9 { sum.normalize() } else { mean };
    }
    for _ in 0..3 {
        let step = samples.iter().map(|&q| rotation_vector(mean.inverse() * q)).sum::<DVec3>() / samples.len() as f64;
        mean = (mean * DQuat::from_scaled_axis(step)).normalize();
    }
    mean
}

/// Axis through `center`, the 95th percentile of what it leaves over, and the range of its angles.
fn hinge(samples: &[DQuat], center: DQuat) -> (DVec3, f64, [f64; 2]) {
    let turns: Vec<DQuat> = samples.iter().map(|&q| center.inverse() * q).collect();
    let axis = readable(principal_axes(scatter(turns.iter().map(|&q| rotation_vector(q))))[0].1);
    let mut residuals = Vec::with_capacity(turns.len());
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    for &turn in &turns {
        let angle = twist_angle(turn, axis);
        range = [range[0].min(angle), range[1].max(angle)];
        residuals.push(angle_of(DQuat::from_axis_angle(axis, -angle) * turn));
    }
    let rank = (residuals.len() * 95 / 100).min(residuals.len() - 1);
    let (_, residual, _) = residuals.select_nth_unstable_by(rank, f64::total_cmp);
    (axis, *residual, range)
}

/// The sense in which the largest component is positive; components below rounding are none.
fn readable(axis: DVec3) -> DVec3 {
    let clean = DVec3::from_array(axis.to_array().map(|x| if x.abs() < 1e-6 { 0.0 } else { x })).normalize();
    let largest = clean.to_array().into_iter().fold(0.0f64, |a, x| if x.abs() > a.abs() { x } else { a });
    if largest < 0.0 { -clean } else { clean }
}

fn fit(plan: &Plan, parts: &[Part], index: usize, samples: &[DQuat]) -> Fit {
    let options = plan.options;
    let average = mean(samples);
    let spread = samples.iter().map(|&q| angle_of(average.inverse() * q)).fold(0.0, f64::max);
    if spread < options.still_angle {
        let axis = guessed_axis(plan, parts, index);
        return Fit { kind: JointKind::Hinge, mean: average, axis, range: [0.0; 2], is_still: true };
    }
    let reach = plan.reach[parts[index].joint].max(parts[index].main_end.length());
    let fits = |residual: f64| {
        residual <= options.hinge_residual && residual * reach <= options.hinge_end_error * plan.stance.height
    };
    // A hinge through the bind pose first, then one beside it.
    let centers = if plan.stance.frame.is_none() { vec![DQuat::IDENTITY, average] } else { vec![average] };
    for center in centers {
        let (axis, residual, range) = hinge(samples, center);
        if fits(residual) && range[1] - range[0] < 1.5 * PI {
            return Fit { kind: JointKind::Hinge, mean: center, axis, range, is_still: false };
        }
    }
    Fit { kind: JointKind::Ball, mean: average, axis: DVec3::Y, range: [0.0; 2], is_still: false }
}

/// Rest near `base`, limits around the samples.
fn settle(plan: &Plan, part: &mut Part, fit: &Fit, samples: &[DQuat], base: DQuat) {
    let margin = |range: f64| plan.options.limit_margin.max(plan.options.limit_margin_share * range);
    part.kind = fit.kind;
    part.axis = fit.axis;
    if fit.is_still {
        (part.rest, part.limits) = (fit.mean, Some([-STILL_LIMIT, STILL_LIMIT]));
        return;
    }
    if fit.kind == JointKind::Hinge {
        let zero = twist_angle(fit.mean.inverse() * base, fit.axis);
        let [low, high] = fit.range;
        // The stance may lie the other way round from the samples.
        let zero = 0.5 * (low + high) + wrapped(zero - 0.5 * (low + high));
        part.rest = (fit.mean * DQuat::from_axis_angle(fit.axis, zero)).normalize();
        let margin = margin(high - low);
        part.limits = Some([(low - zero - margin).min(-0.05), (high - zero + margin).max(0.05)]);
        return;
    }
    let cone = |center: DQuat| samples.iter().map(|&q| angle_of(center.inverse() * q)).fold(0.0, f64::max);
    let (about_base, about_mean) = (cone(base), cone(fit.mean));
    // Legs rest as they stand, whatever their cone.
    let rests_in_stance = part.carries_sole || about_base <= about_mean + STANCE_CONE;
    let cone = if rests_in_stance { about_base } else { about_mean };
    part.rest = if rests_in_stance { base } else { fit.mean };
    part.limits = Some([0.0, (cone + margin(cone)).min(PI)]);
}

/// At a right angle to the bones on both sides of the joint; where they are in line, across the figure.
fn guessed_axis(plan: &Plan, parts: &[Part], index: usize) -> DVec3 {
    let part = &parts[index];
    let parent = &parts[part.parent.expect("not the root")];
    let before = (plan.bind[part.joint].position - plan.bind[parent.joint].position).normalize_or_zero();
    let along = part.main_end.normalize_or_zero();
    let bend = before.cross(along);
    let left = plan.anatomy.mirror.map_or(DVec3::Y, |m| m.normal);
    readable(if bend.length() > 0.25 {
        bend.normalize()
    } else {
        perpendicular(if along == DVec3::ZERO { before } else { along }, [left, plan.forward])
    })
}

/// Without clips: balls at trunk, neck, tail, shoulder, hip and wrist; hinges along the limbs.
fn guess(plan: &Plan, parts: &mut [Part], index: usize) {
    let axis = guessed_axis(plan, parts, index);
    let parent_role = parts[parts[index].parent.expect("not the root")].role;
    let (kind, limit) = match (parts[index].role, parent_role) {
        (Role::Limb, Role::Limb) => (JointKind::Hinge, 2.0),
        (Role::Limb, _) => (JointKind::Ball, 1.6),
        (Role::Sole, Role::Sole) => (JointKind::Hinge, 0.8),
        (Role::Sole | Role::Hand, _) => (JointKind::Ball, 0.9),
        _ => (JointKind::Ball, 0.6),
    };
    let part = &mut parts[index];
    (part.kind, part.axis) = (kind, axis);
    part.limits = Some([if kind == JointKind::Hinge { -limit } else { 0.0 }, limit]);
    let mirror = plan.anatomy.mirror;
    let left = parts[index].pair.filter(|&left| left < index && plan.anatomy.is_left[parts[left].joint]);
    if let (Some(left), Some(mirror)) = (left, mirror) {
        parts[index].axis = mirror.axis(parts[left].axis);
    }
}
