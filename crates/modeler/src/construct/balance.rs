//! Where the mass is: over the feet.
//!
//! Shapes guess volumes, and a long neck or a thin tail guessed wrong puts the centre of mass in front of the toes. Denser and lighter parts,
//! `m' = m · clamp(1 + λ s / S, 1 − b, 1 + b)` with `s` the part's distance from the centre of mass towards the middle of the support and `S` the
//! largest, bring it back; `λ` is the smallest that does, and the total stays. The rest pose says where the centre of mass must be, and so do the
//! clips wherever they stand still (`slow_stances.rs`), as far as the rest pose then still stands.

use super::anatomy::Role;
use super::draft::{Part, Plan};
use super::paper::center;
use super::slow_stances::{sole_corners, support, wanted_shift};
use crate::frames::moved;
use glam::DVec3;
use sinew_motion::Clip;
use sinew_sim::Shape;

/// Share of the soles' length at each end where the centre of mass of the rest pose never goes for the clips' sake.
const REST_EDGE: f64 = 0.25;

/// Shifts mass between parts where the centre of mass is far from the middle of the soles, or from where slow stances of the clips need it; the
/// sentence that says so.
pub(crate) fn over_the_feet(plan: &Plan, parts: &mut [Part], clips: &[Clip]) -> Option<String> {
    let flat = |v: DVec3| DVec3::new(v.x, v.y, 0.0);
    let place = |part: &Part, shape: &Shape| {
        let (turn, at) = (plan.turns[part.joint], plan.stance.placed[part.joint].position);
        moved(shape, turn, at)
    };
    let soles: Vec<(DVec3, f64)> = parts
        .iter()
        .filter(|p| p.carries_sole)
        .flat_map(|p| {
            p.shapes
                .iter()
                .filter(|s| matches!(s, Shape::Box { .. }) && p.role != Role::Trunk)
                .map(|s| place(p, s))
                .collect::<Vec<_>>()
        })
        .map(|s| (flat(center(&s)), if let Shape::Box { half_extents, .. } = s { half_extents[0] } else { 0.0 }))
        .collect();
    let centers: Vec<DVec3> =
        parts.iter().map(|p| p.shapes.first().map_or(DVec3::ZERO, |s| flat(center(&place(p, s))))).collect();
    let total: f64 = parts.iter().map(|p| p.mass).sum();
    if soles.is_empty() || total <= 0.0 {
        return None;
    }
    let middle = soles.iter().map(|s| s.0).sum::<DVec3>() / soles.len() as f64;
    let mass_center = parts.iter().zip(&centers).map(|(p, c)| p.mass * *c).sum::<DVec3>() / total;
    let across = flat(plan.turns[plan.anatomy.root] * plan.anatomy.mirror.map_or(DVec3::ZERO, |m| m.normal));
    let off = middle - mass_center;
    let off = off - off.dot(across) * across;
    // Within a quarter of the support's reach of its middle is balance enough.
    let toward = off.try_normalize().unwrap_or(plan.forward);
    let reach = soles.iter().map(|(c, half)| (*c - middle).dot(toward).abs() + half).fold(0.0, f64::max);
    let excess = (off.length() - 0.25 * reach).max(0.0);
    let clips_want = clips_want(plan, parts, clips, mass_center, excess * toward);
    let by_clips = clips_want.is_some();
    let (toward, excess) = clips_want.unwrap_or((toward, excess));
    if excess <= 0.0 {
        return None;
    }
    let own: Vec<f64> = centers.iter().map(|c| (*c - mass_center).dot(toward)).collect();
    // Both sides alike, also where the stance is not.
    let part_of = |joint: usize| parts.iter().position(|p| p.joint == joint);
    let partner = |part: &Part| plan.anatomy.pairs[part.joint].and_then(part_of);
    let along: Vec<f64> =
        parts.iter().zip(&own).map(|(part, s)| partner(part).map_or(*s, |other| 0.5 * (s + own[other]))).collect();
    let farthest = along.iter().fold(1e-9f64, |a, s| a.max(s.abs()));
    let most = plan.options.balance;
    let factor = |strength: f64, s: f64| (1.0 + strength * s / farthest).clamp(1.0 - most, 1.0 + most);
    let shift = |strength: f64| {
        let weights: Vec<f64> = parts.iter().zip(&along).map(|(p, &s)| p.mass * factor(strength, s)).collect();
        weights.iter().zip(&along).map(|(m, s)| m * s).sum::<f64>() / weights.iter().sum::<f64>()
    };
    let (mut low, mut high) = (0.0, 20.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if shift(middle) < excess { low = middle } else { high = middle }
    }
    let moved_by = shift(high);
    let weights: Vec<f64> = parts.iter().zip(&along).map(|(p, &s)| p.mass * factor(high, s)).collect();
    let sum: f64 = weights.iter().sum();
    parts.iter_mut().zip(&weights).for_each(|(part, weight)| part.mass = total * weight / sum);
    let why = if by_clips { ", where the clips stand on them," } else { "" };
    Some(format!(
        "The centre of mass was moved {moved_by:.3} m towards the feet{why} by making parts denser and lighter."
    ))
}

/// Direction and distance by which slow stances of the clips want the centre of mass shifted instead of by `rest`; none where that suits them.
fn clips_want(plan: &Plan, parts: &[Part], clips: &[Clip], mass_center: DVec3, rest: DVec3) -> Option<(DVec3, f64)> {
    let forward = plan.forward;
    let [from, to] = wanted_shift(plan, parts, clips)?;
    let place = |joint: usize, corner: DVec3| plan.stance.placed[joint].position + plan.turns[joint] * corner;
    let [heel, toe] = support(&sole_corners(parts), forward, 0.03 * plan.stance.height, place)?;
    let edge = REST_EDGE * (toe - heel);
    let stands = [heel + edge, toe - edge].map(|end| end - mass_center.dot(forward));
    let before = rest.dot(forward);
    // Stances that contradict each other say nothing.
    let wished = if from <= to { before.clamp(from, to) } else { before };
    let shift = if wished == before { before } else { wished.clamp(stands[0].min(before), stands[1].max(before)) };
    let changes = (shift - before).abs() > 0.002 * plan.stance.height;
    changes.then_some((if shift < 0.0 { -forward } else { forward }, shift.abs()))
}

/// Centre of a part's shapes in its frame.
pub(super) fn part_center(part: &Part) -> DVec3 {
    part.shapes.first().map_or(DVec3::ZERO, center)
}
