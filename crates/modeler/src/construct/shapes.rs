//! Bodies that look like the creature: thickness from the skin, else from proportions.

use super::anatomy::Role;
use super::draft::{Part, Plan};
use super::feet;
use crate::frames::{perpendicular, principal_axes, scatter, wxyz};
use glam::{DMat3, DQuat, DVec3};
use sinew_sim::Shape;

/// Fewest skin points that say something about a body.
pub(crate) const ENOUGH_SKIN: usize = 12;

/// Gives every part its shapes.
pub(crate) fn shape_parts(plan: &Plan, parts: &mut [Part]) {
    let widths = trunk_widths(plan, parts);
    for index in 0..parts.len() {
        let has_child = (index + 1..parts.len()).any(|c| parts[c].parent == Some(index));
        // The right side is the image of the left one, below.
        let shapes = match parts[index].role {
            Role::Sole => feet::sole(plan, parts, index),
            Role::Trunk => trunk(plan, &parts[index], widths[index]),
            Role::Head => head(plan, parts, index),
            _ => limb(plan, parts, index, has_child, &widths),
        };
        let shapes = match parts[index].role == Role::Limb && parts[index].carries_sole && !has_child {
            true => [shapes, feet::stump(plan, &parts[index])].concat(),
            false => shapes,
        };
        parts[index].shapes = shapes;
    }
    mirror_shapes(plan, parts);
}

pub(super) fn mirror_shapes(plan: &Plan, parts: &mut [Part]) {
    let Some(mirror) = plan.anatomy.mirror else { return };
    for left in 0..parts.len() {
        let Some(right) = image_of(plan, parts, left) else { continue };
        parts[right].shapes = parts[left].shapes.iter().map(|s| mirrored(s, &mirror)).collect();
    }
}

/// The part on the right that is the image of one on the left, where the bones are images of each other.
pub(super) fn image_of(plan: &Plan, parts: &[Part], left: usize) -> Option<usize> {
    let mirror = plan.anatomy.mirror?;
    let right = parts[left].pair.filter(|_| plan.anatomy.is_left[parts[left].joint])?;
    let image = mirror.direction(parts[left].main_end);
    (image.distance(parts[right].main_end) <= 0.05 * plan.stance.height).then_some(right)
}

pub(crate) fn mirrored(shape: &Shape, mirror: &crate::sides::Mirror) -> Shape {
    let place = |x: [f64; 3]| mirror.direction(DVec3::from_array(x)).to_array();
    match *shape {
        Shape::Capsule { from, to, radius } => Shape::Capsule { from: place(from), to: place(to), radius },
        Shape::Sphere { center, radius } => Shape::Sphere { center: place(center), radius },
        Shape::Box { center, half_extents, orientation } => Shape::Box {
            center: place(center),
            half_extents,
            // A box is its own image, so turning it as a mirrored rotation does is enough.
            orientation: wxyz(mirror.rotation(crate::frames::quaternion(orientation))),
        },
    }
}

/// Value at a share of the sorted list, 0 to 1.
pub(crate) fn percentile(values: &mut [f64], share: f64) -> f64 {
    let rank = ((values.len() - 1) as f64 * share) as usize;
    *values.select_nth_unstable_by(rank, f64::total_cmp).1
}

/// A capsule along the bone; its radius is a percentile of the skin's distance, or a share of its length.
fn limb(plan: &Plan, parts: &[Part], index: usize, has_child: bool, widths: &[f64]) -> Vec<Shape> {
    let part = &parts[index];
    let options = plan.options;
    let height = plan.stance.height;
    let mut end = part.main_end;
    if end.length() < 0.01 * height {
        end = match (part.skin.len() >= ENOUGH_SKIN, part.role) {
            (true, _) => 2.0 * part.skin.iter().sum::<DVec3>() / part.skin.len() as f64,
            (false, Role::Hand) => 0.09 * height * incoming(plan, parts, index),
            (false, _) => 0.05 * height * incoming(plan, parts, index),
        };
    }
    let along = end.normalize_or(DVec3::Z);
    let mut length = end.length().max(0.01 * height);
    let mut shift = DVec3::ZERO;
    let radius = if part.skin.len() >= ENOUGH_SKIN {
        let mut reach: Vec<f64> = part.skin.iter().map(|p| p.dot(along)).collect();
        if !has_child {
            length = length.max(percentile(&mut reach, 0.97));
        }
        let inside = |p: &&DVec3| (0.05 * length..0.95 * length).contains(&p.dot(along));
        let mut points: Vec<DVec3> = part.skin.iter().filter(inside).copied().collect();
        if points.len() < ENOUGH_SKIN / 2 {
            points = part.skin.clone();
        }
        // Distances are measured from the middle of the skin, where the body then lies.
        let off = |p: DVec3| p - p.dot(along) * along;
        shift = points.iter().map(|&p| off(p)).sum::<DVec3>() / points.len() as f64;
        let mut distances: Vec<f64> = points.iter().map(|&p| (off(p) - shift).length()).collect();
        percentile(&mut distances, options.skin_percentile)
    } else {
        let parent_role = part.parent.map(|p| parts[p].role);
        let share = match (part.role, parent_role) {
            (Role::Neck, _) if is_upright(plan, part.joint, along) => 0.5,
            (Role::Neck, _) => 0.24,
            (Role::Tail, _) => tail_radius(plan, parts, index, widths) / length,
            (Role::Hand, _) => 0.28,
            (Role::Limb, Some(Role::Limb)) => 0.13,
            _ => 0.16,
        };
        share * length
    };
    let [low, high] = options.radius_bounds;
    let radius = radius.clamp(low * length, high * length).clamp(0.004 * height, 0.2 * height);
    let from = shift.clamp_length_max(0.5 * radius);
    let mut reach = if has_child { length } else { (length - radius).max(0.3 * length) };
    // The end of a leg stays above the ground that its foot stands on.
    let down = -(plan.turns[part.joint] * along).z;
    if part.carries_sole && down > 0.1 {
        let room = plan.stance.placed[part.joint].position.z - plan.stance.ground - 1.05 * radius;
        reach = reach.min((room / down).max(0.1 * length));
    }
    let to = along * reach;
    vec![Shape::Capsule { from: from.to_array(), to: (from + to).to_array(), radius }]
}

/// Whether a direction of a part's frame is closer to the vertical than to the ground.
fn is_upright(plan: &Plan, joint: usize, along: DVec3) -> bool {
    (plan.turns[joint] * along).z.abs() > 0.7
}

/// A tail is a little thinner than the trunk where it starts, and tapers to its tip.
fn tail_radius(plan: &Plan, parts: &[Part], index: usize, widths: &[f64]) -> f64 {
    let mut first = index;
    while let Some(parent) = parts[first].parent.filter(|&p| parts[p].role == Role::Tail) {
        first = parent;
    }
    let width = parts[first].parent.map_or(0.0, |p| widths[p]);
    let full = if width > 0.0 { 0.3 * width } else { 0.06 * plan.reach[parts[first].joint] };
    let left = (plan.reach[parts[index].joint] / plan.reach[parts[first].joint].max(1e-9)).clamp(0.2, 1.0);
    full * (0.2 + 0.8 * left)
}

/// Direction of the bone that leads to a part.
fn incoming(plan: &Plan, parts: &[Part], index: usize) -> DVec3 {
    let parent = parts[index].parent.map(|p| plan.bind[parts[p].joint].position);
    parent.map_or(DVec3::Z, |p| (plan.bind[parts[index].joint].position - p).normalize_or(DVec3::Z))
}

/// Distance between the limbs of a side and the other that hang nearest on each trunk part; zero where none do.
fn trunk_widths(plan: &Plan, parts: &[Part]) -> Vec<f64> {
    let mut widths = vec![0.0f64; parts.len()];
    for (index, part) in parts.iter().enumerate().filter(|(_, p)| p.role != Role::Trunk) {
        if let (Some(pair), Some(parent)) = (part.pair, part.parent)
            && parts[parent].role == Role::Trunk
        {
            // A collar bone's end tells the width, its start does not.
            let end = |i: usize| plan.bind[parts[i].joint].position + parts[i].main_end;
            let start = plan.bind[part.joint].position.distance(plan.bind[parts[pair].joint].position);
            let is_collar = part.main_end.length() < 0.12 * plan.stance.height;
            let width = if is_collar { 0.9 * end(index).distance(end(pair)).max(start) } else { start };
            widths[parent] = widths[parent].max(width);
        }
    }
    // Parts without limbs lie between two that have some.
    let known: Vec<f64> = widths.clone();
    let place = |i: usize| plan.bind[parts[i].joint].position;
    for index in (0..parts.len()).filter(|&i| parts[i].role == Role::Trunk && known[i] == 0.0) {
        let (mut sum, mut weight) = (0.0, 0.0);
        for other in (0..parts.len()).filter(|&o| known[o] > 0.0) {
            let w = 1.0 / (1e-3 * plan.stance.height + place(index).distance(place(other)));
            (sum, weight) = (sum + w * known[other], weight + w);
        }
        widths[index] = if weight > 0.0 { sum / weight } else { 0.0 };
    }
    widths
}

/// A box or capsule along the spine that covers the skin, or is as wide as the limbs hang apart.
fn trunk(plan: &Plan, part: &Part, width: f64) -> Vec<Shape> {
    let height = plan.stance.height;
    let left = plan.anatomy.mirror.map_or(DVec3::Y, |m| m.normal);
    let bone = part.main_end.try_normalize().unwrap_or_else(|| plan.up(part.joint));
    // A bone too short to tell gives way to the skin.
    let is_short = part.main_end.length() < 0.03 * height;
    let along = long_axis(&part.skin, left).filter(|_| is_short).unwrap_or(bone);
    let side = perpendicular(along, [left, plan.forward]);
    let deep = along.cross(side);
    let axes = [along, side, deep];
    let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
    if part.skin.len() >= 2 * ENOUGH_SKIN {
        // Skin of few rings leaves gaps that the bone fills.
        let end = part.main_end.dot(along);
        for (i, axis) in axes.iter().enumerate() {
            let mut values: Vec<f64> = part.skin.iter().map(|p| p.dot(*axis)).collect();
            (low[i], high[i]) = (percentile(&mut values, 0.08), percentile(&mut values, 0.92));
        }
        (low[0], high[0]) = (low[0].min(end.min(0.0)), high[0].max(end.max(0.0)));
    } else {
        let spans: Vec<f64> = part.ends.iter().map(|e| e.dot(along)).chain([0.0]).collect();
        let is_upright = is_upright(plan, part.joint, along);
        let length = part.main_end.length();
        let half = if width > 0.0 { (0.45 * width).clamp(0.03 * height, 0.16 * height) } else { 0.25 * length };
        let depth = half * if is_upright { 0.7 } else { 1.0 };
        let from = spans.iter().copied().fold(f64::INFINITY, f64::min).max(-0.15 * height);
        (low, high) = ([from, -half, -depth], [length.max(from + half), half, depth]);
        // A short root that carries the legs reaches around them.
        let is_root = part.parent.is_none();
        if is_root && high[0] - low[0] < 1.2 * depth {
            (low[0], high[0]) = (low[0].min(-0.6 * depth), high[0].max(0.6 * depth));
        }
    }
    let least = 0.012 * height;
    let half: [f64; 3] = std::array::from_fn(|i| (0.5 * (high[i] - low[i])).max(least));
    let center: DVec3 = (0..3).map(|i| 0.5 * (low[i] + high[i]) * axes[i]).sum();
    let ratio = half[1] / half[2];
    if (0.75..1.34).contains(&ratio) && half[0] > 0.6 * half[1].max(half[2]) {
        let radius = 0.5 * (half[1] + half[2]);
        let reach = along * (half[0] - 0.6 * radius).max(0.15 * half[0]);
        return vec![Shape::Capsule { from: (center - reach).to_array(), to: (center + reach).to_array(), radius }];
    }
    let orientation = wxyz(readable_box(axes));
    // The box's own axes are those nearest to the frame's.
    let order = box_order(axes);
    let half_extents = order.map(|i| half[i]);
    vec![Shape::Box { center: center.to_array(), half_extents, orientation }]
}

/// The direction in which the skin is clearly longest, seen from the side.
fn long_axis(skin: &[DVec3], left: DVec3) -> Option<DVec3> {
    if skin.len() < 2 * ENOUGH_SKIN {
        return None;
    }
    let mean = skin.iter().sum::<DVec3>() / skin.len() as f64;
    let flat = |p: &DVec3| (*p - mean) - (*p - mean).dot(left) * left;
    let axes = principal_axes(scatter(skin.iter().map(flat)));
    (axes[0].0 > 1.7 * axes[1].0).then_some(axes[0].1)
}

/// Which of three orthogonal axes lies nearest to x, y and z.
fn box_order(axes: [DVec3; 3]) -> [usize; 3] {
    let all = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let score = |o: &[usize; 3]| (0..3).map(|k| axes[o[k]].to_array()[k].abs()).sum::<f64>();
    all.into_iter().max_by(|a, b| score(a).total_cmp(&score(b))).expect("six orders")
}

/// The smallest turn from the frame's axes to the box's.
fn readable_box(axes: [DVec3; 3]) -> DQuat {
    let order = box_order(axes);
    let signed = |k: usize| axes[order[k]] * if axes[order[k]].to_array()[k] < 0.0 { -1.0 } else { 1.0 };
    let (x, y) = (signed(0), signed(1));
    DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize()
}

/// A capsule along the longest side of the skin's box; without skin, of a head's proportions.
fn head(plan: &Plan, parts: &[Part], index: usize) -> Vec<Shape> {
    let part = &parts[index];
    let height = plan.stance.height;
    if part.skin.len() >= ENOUGH_SKIN {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|a| plan.turns[part.joint].inverse() * a);
        let (mut half, mut center) = ([0.0; 3], DVec3::ZERO);
        for (i, axis) in axes.iter().enumerate() {
            let mut values: Vec<f64> = part.skin.iter().map(|p| p.dot(*axis)).collect();
            let (low, high) = (percentile(&mut values, 0.04), percentile(&mut values, 0.96));
            (half[i], center) = (0.5 * (high - low), center + 0.5 * (high + low) * axis);
        }
        let long = (0..3).max_by(|&a, &b| half[a].total_cmp(&half[b])).expect("three");
        let radius =
            (0.5 * (half.iter().sum::<f64>() - half[long])).clamp(0.01 * height, half[long].max(0.01 * height));
        let reach = axes[long] * (half[long] - radius);
        return match reach.length() < 0.1 * radius {
            true => vec![Shape::Sphere { center: center.to_array(), radius }],
            false => {
                vec![Shape::Capsule { from: (center - reach).to_array(), to: (center + reach).to_array(), radius }]
            }
        };
    }
    let end = match part.main_end.length() > 0.02 * height {
        true => part.main_end,
        false => 0.13 * height * incoming(plan, parts, index),
    };
    let (along, length) = (end.normalize(), end.length());
    let share = if is_upright(plan, part.joint, along) { 0.5 } else { 0.3 };
    let radius = (share * length).clamp(0.03 * height, 0.08 * height);
    let from = along * (0.5 * radius).min(0.3 * length);
    let to = along * (length - radius).max(0.5 * length);
    vec![Shape::Capsule { from: from.to_array(), to: to.to_array(), radius }]
}
