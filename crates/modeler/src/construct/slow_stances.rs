//! Where the clips want the centre of mass: over the feet, whenever the figure stands all but still.
//!
//! In a pose that is held, the centre of mass lies between heel and toe of the feet that stand. Frames of the clips in which it hardly moves each give an
//! interval by which it may be shifted forward; most of them together say how far it must be.

use super::anatomy::Role;
use super::balance::part_center;
use super::draft::{Part, Plan};
use crate::frames::quaternion;
use glam::DVec3;
use sinew_motion::Clip;
use sinew_motion::skeleton::Placed;
use sinew_sim::Shape;

const GRAVITY: f64 = sinew_sim::STANDARD_GRAVITY;
/// Most frames that are looked at.
const MOST_FRAMES: usize = 600;
/// Fewest slow frames that say anything.
const FEWEST: usize = 5;
/// Speed of the centre of mass, as a part of `√(g h)`, and its acceleration, as a part of `g`, up to which a pose counts as held.
const SLOW: f64 = 0.05;
const GENTLE: f64 = 0.03;
/// A sole within this share of the height of the lowest one stands.
const STANDS: f64 = 0.03;
/// Share of the support's length at each end where the centre of mass should not be.
const EDGE: f64 = 0.1;
/// Share of the slow frames, at each end, that need not be met.
const TOLERATED: f64 = 0.3;

/// By how far forward the centre of mass may be shifted, from and to, m, so that most slow stances are balanced; none without slow stances.
pub(super) fn wanted_shift(plan: &Plan, parts: &[Part], clips: &[Clip]) -> Option<[f64; 2]> {
    let masses: Vec<(usize, f64, DVec3)> = parts.iter().map(|p| (p.joint, p.mass, part_center(p))).collect();
    let total: f64 = masses.iter().map(|m| m.1).sum();
    let corners = sole_corners(parts);
    if total <= 0.0 || corners.is_empty() {
        return None;
    }
    // A point of a part lies in the frame of the bind pose.
    let place = |placed: &[Placed], joint: usize, point: DVec3| {
        placed[joint].place(plan.bind[joint].orientation.inverse() * point)
    };
    let height = plan.stance.height;
    let frames: usize = clips.iter().map(Clip::frame_count).sum();
    let stride = frames.div_ceil(MOST_FRAMES).max(1);
    let (mut froms, mut tos) = (Vec::new(), Vec::new());
    for clip in clips.iter().filter(|clip| clip.frame_count() >= 3) {
        let center = |frame: usize| {
            let placed = clip.place(plan.skeleton, frame);
            masses.iter().map(|&(joint, mass, at)| mass * place(&placed, joint, at)).sum::<DVec3>() / total
        };
        for frame in (1..clip.frame_count() - 1).step_by(stride) {
            let [before, now, after] = [frame - 1, frame, frame + 1].map(center);
            let speed = 0.5 * clip.rate_hz * (after - before).length();
            let change = clip.rate_hz * clip.rate_hz * (after - 2.0 * now + before).length();
            if speed > SLOW * libm::sqrt(GRAVITY * height) || change > GENTLE * GRAVITY {
                continue;
            }
            let placed = clip.place(plan.skeleton, frame);
            let Some(forward) = heading(plan, &placed) else { continue };
            let Some([heel, toe]) = support(&corners, forward, STANDS * height, |j, p| place(&placed, j, p)) else {
                continue;
            };
            let edge = EDGE * (toe - heel);
            froms.push(heel + edge - now.dot(forward));
            tos.push(toe - edge - now.dot(forward));
        }
    }
    if froms.len() < FEWEST {
        return None;
    }
    let quantile = |values: &mut Vec<f64>, share: f64| {
        values.sort_by(f64::total_cmp);
        values[(share * (values.len() - 1) as f64) as usize]
    };
    Some([quantile(&mut froms, 1.0 - TOLERATED), quantile(&mut tos, TOLERATED)])
}

/// The corners of all soles: joint, and place in its part's frame.
pub(super) fn sole_corners(parts: &[Part]) -> Vec<(usize, DVec3)> {
    let mut corners = Vec::new();
    for part in parts.iter().filter(|p| p.carries_sole && p.role != Role::Trunk) {
        for shape in &part.shapes {
            let Shape::Box { center, half_extents: [x, y, z], orientation } = *shape else { continue };
            let turn = quaternion(orientation);
            for (along, across) in [(x, y), (x, -y), (-x, y), (-x, -y)] {
                corners.push((part.joint, DVec3::from_array(center) + turn * DVec3::new(along, across, -z)));
            }
        }
    }
    corners
}

/// From the hindmost to the foremost corner that stands, along a direction.
pub(super) fn support(
    corners: &[(usize, DVec3)],
    forward: DVec3,
    tolerance: f64,
    place: impl Fn(usize, DVec3) -> DVec3,
) -> Option<[f64; 2]> {
    let placed: Vec<DVec3> = corners.iter().map(|&(joint, corner)| place(joint, corner)).collect();
    let ground = placed.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let along: Vec<f64> = placed.iter().filter(|p| p.z < ground + tolerance).map(|p| p.dot(forward)).collect();
    let ends = along.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(*x), h.max(*x)]);
    (ends[1] > ends[0]).then_some(ends)
}

/// Where the figure looks in a pose, level; none where it lies or leans by more than 45°.
fn heading(plan: &Plan, placed: &[Placed]) -> Option<DVec3> {
    let root = plan.anatomy.root;
    let turn = placed[root].orientation * plan.stance.placed[root].orientation.inverse();
    let forward = turn * plan.forward;
    let is_upright = (turn * DVec3::Z).z > std::f64::consts::FRAC_1_SQRT_2;
    is_upright.then(|| DVec3::new(forward.x, forward.y, 0.0).try_normalize()).flatten()
}
