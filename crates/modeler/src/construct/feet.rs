//! Feet that can stand: a box with a flat sole on the ground of the stance.

use super::anatomy::Role;
use super::draft::{Part, Plan};
use super::shapes::{ENOUGH_SKIN, percentile};
use crate::frames::wxyz;
use glam::{DMat3, DQuat, DVec3};
use sinew_sim::Shape;

/// How far a sole with skin reaches behind its ankle at least, over what lies before it.
const UNDER_ANKLE: f64 = 0.2;

/// A box from heel to toe; its sole is level in the stance, at the height of the ground.
///
/// With skin it is the footprint (3rd to 97th percentile). Without, it reaches from behind the ankle to the end of the bone,
/// `heel_share` of that length behind, and is `foot_width_share` of its length wide.
pub(crate) fn sole(plan: &Plan, parts: &[Part], index: usize) -> Vec<Shape> {
    let part = &parts[index];
    let (options, height) = (plan.options, plan.stance.height);
    let up = plan.up(part.joint);
    let is_toe = part.parent.is_some_and(|p| parts[p].role == Role::Sole);
    let has_toe = (index + 1..parts.len()).any(|c| parts[c].parent == Some(index));

    // Along the ground: where the bone or the skin goes, else where the figure looks.
    let flat = |v: DVec3| v - v.dot(up) * up;
    let skin_end = part.skin.iter().sum::<DVec3>() / part.skin.len().max(1) as f64;
    let wish = if flat(part.main_end).length() > 0.015 * height { part.main_end } else { skin_end };
    let toward = match flat(wish).length() > 0.01 * height {
        true => flat(wish).normalize(),
        false => flat(plan.forward_of(part.joint)).normalize_or(up.any_orthonormal_vector()),
    };
    // A foot that all but looks forward does so.
    let forward = flat(plan.forward_of(part.joint)).normalize_or(toward);
    let toward = if toward.dot(forward) > 0.97 { forward } else { toward };
    let side = up.cross(toward);

    let joint_height = plan.height_of(part.joint);
    let ground = -joint_height;
    let (along, across, top);
    if part.skin.len() >= ENOUGH_SKIN {
        let spread = |axis: DVec3, low: f64, high: f64| {
            let mut values: Vec<f64> = part.skin.iter().map(|p| p.dot(axis)).collect();
            [percentile(&mut values, low), percentile(&mut values, high)]
        };
        // Only what is near the ground belongs to the footprint; the shaft of a boot does not.
        let end = part.ends.iter().map(|e| e.dot(toward)).fold(0.0, f64::max);
        let [heel, toe] = spread(toward, 0.03, 0.97);
        let toe = toe.max(end);
        // Whatever the skin does, a foot reaches under its ankle, where the weight comes down.
        let under_ankle = -UNDER_ANKLE * toe.max(0.0);
        along = [if is_toe { heel } else { heel.min(under_ankle) }, toe];
        across = spread(side, 0.05, 0.95);
        top = spread(up, 0.0, 0.6)[1].min(0.3 * joint_height);
    } else {
        let end = part.ends.iter().map(|e| e.dot(toward)).fold(part.main_end.dot(toward), f64::max);
        let length = if end > 0.02 * height { end } else { 0.11 * height };
        let heel = if is_toe { 0.0 } else { options.heel_share * length };
        // A leg of skin that ends in a peg stands on the middle of its sole.
        let peg = part.parent.and_then(|p| peg_end(plan, part, &parts[p], up)).filter(|_| !is_toe && !has_toe);
        along = match peg {
            Some(end) => [-0.5, 0.5].map(|share| end.dot(toward) + share * (length + heel)),
            None => [-heel, length],
        };
        let spans: Vec<f64> = part.ends.iter().map(|e| e.dot(side)).collect();
        let center = peg.map_or(0.5 * part.main_end.dot(side), |end| end.dot(side));
        let whole = if is_toe { 2.5 * length } else { length + heel };
        let half = 0.5 * options.foot_width_share * whole.min(0.25 * height);
        across =
            [spans.iter().copied().fold(center - half, f64::min), spans.iter().copied().fold(center + half, f64::max)];
        top = if has_toe || is_toe { -0.1 * joint_height } else { -0.3 * joint_height };
    }
    let thickness = (top - ground).max(0.018 * height);
    let half =
        [0.5 * (along[1] - along[0]), 0.5 * (across[1] - across[0]), 0.5 * thickness].map(|h| h.max(0.006 * height));
    let center = 0.5 * (along[0] + along[1]) * toward + 0.5 * (across[0] + across[1]) * side + (ground + half[2]) * up;
    let orientation = wxyz(DQuat::from_mat3(&DMat3::from_cols(toward, side, up)).normalize());
    vec![Shape::Box { center: center.to_array(), half_extents: half, orientation }]
}

/// Where the skin of the part above a foot without skin comes down to the ground, in the foot's frame.
fn peg_end(plan: &Plan, part: &Part, above: &Part, up: DVec3) -> Option<DVec3> {
    if above.skin.len() < ENOUGH_SKIN || above.role == Role::Trunk {
        return None;
    }
    let offset = plan.bind[above.joint].position - plan.bind[part.joint].position;
    let ground = -plan.height_of(part.joint);
    let is_down = |p: &DVec3| p.dot(up) < ground + 0.04 * plan.stance.height;
    let down: Vec<DVec3> = above.skin.iter().map(|p| *p + offset).filter(is_down).collect();
    (!down.is_empty()).then(|| down.iter().sum::<DVec3>() / down.len() as f64)
}

/// A flat end for a leg without a foot: the footprint of its skin near the ground, else a square as wide as the leg.
pub(crate) fn stump(plan: &Plan, part: &Part) -> Vec<Shape> {
    let height = plan.stance.height;
    let up = plan.up(part.joint);
    let toward = plan.forward_of(part.joint);
    let side = up.cross(toward);
    let ground = -plan.height_of(part.joint);
    let near: Vec<DVec3> = part.skin.iter().copied().filter(|p| p.dot(up) < ground + 0.06 * height).collect();
    let spread = |axis: DVec3| -> [f64; 2] {
        if near.len() < 4 {
            let middle = part.main_end.dot(axis);
            return [middle - 0.04 * height, middle + 0.04 * height];
        }
        let mut values: Vec<f64> = near.iter().map(|p| p.dot(axis)).collect();
        [percentile(&mut values, 0.05), percentile(&mut values, 0.95)]
    };
    let (along, across) = (spread(toward), spread(side));
    let half =
        [0.5 * (along[1] - along[0]), 0.5 * (across[1] - across[0]), 0.015 * height].map(|h| h.max(0.012 * height));
    let center = 0.5 * (along[0] + along[1]) * toward + 0.5 * (across[0] + across[1]) * side + (ground + half[2]) * up;
    let orientation = wxyz(DQuat::from_mat3(&DMat3::from_cols(toward, side, up)).normalize());
    vec![Shape::Box { center: center.to_array(), half_extents: half, orientation }]
}
