//! Bodies and joints as in Keys-to-Sim 2018, §4.

use super::draft::{Part, Plan};
use crate::frames::{perpendicular, principal_axes, scatter};
use glam::{DQuat, DVec3};
use sinew_sim::{JointKind, Shape};

/// Joints with children (an end site counts as one) become bodies: §4.1.
pub(crate) fn has_body(plan: &Plan) -> Vec<bool> {
    let joints = &plan.skeleton.joints;
    let least = 1e-3 * plan.stance.height;
    (0..joints.len())
        .map(|j| {
            let children = plan.skeleton.children(j).map(|c| plan.bind[c].position.distance(plan.bind[j].position));
            children.chain(joints[j].tips.iter().map(|t| t.length())).any(|length| length > least)
        })
        .collect()
}

/// Capsules, masses and the inertia of the enclosing boxes: §4.1.
pub(crate) fn shape_parts(plan: &Plan, parts: &mut [Part]) {
    for part in parts.iter_mut() {
        let mut points = vec![DVec3::ZERO];
        let joint = plan.bind[part.joint].position;
        points.extend(plan.skeleton.children(part.joint).map(|c| plan.bind[c].position - joint));
        let tips = plan.skeleton.joints[part.joint].tips.iter();
        points.extend(tips.map(|&t| plan.bind[part.joint].place(t) - joint));
        let (from, to) = match points[..] {
            [only] => (only, only + DVec3::Z * 0.02 * plan.stance.height),
            [from, to] => (from, to),
            _ => cover(&points),
        };
        let radius = (plan.options.paper_radius_share * from.distance(to)).max(1e-3 * plan.stance.height);
        part.shapes = vec![Shape::Capsule { from: from.to_array(), to: to.to_array(), radius }];
    }
    let volume: f64 = parts.iter().map(Part::volume).sum();
    let total = plan.options.mass.unwrap_or(plan.options.paper_mass);
    for part in parts.iter_mut() {
        part.mass = total * part.volume() / volume;
        part.inertia = Some(enclosing_box(&part.shapes[0], part.mass));
    }
}

/// Segment along the principal direction of the points that covers them.
fn cover(points: &[DVec3]) -> (DVec3, DVec3) {
    let mean = points.iter().sum::<DVec3>() / points.len() as f64;
    let along = principal_axes(scatter(points.iter().map(|&p| p - mean)))[0].1;
    let spans: Vec<f64> = points.iter().map(|&p| (p - mean).dot(along)).collect();
    let low = spans.iter().copied().fold(f64::INFINITY, f64::min);
    let high = spans.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (mean + low * along, mean + high * along)
}

/// Inertia of the box around a capsule: half extents `L/2 + r, r, r`.
fn enclosing_box(shape: &Shape, mass: f64) -> [f64; 6] {
    let Shape::Capsule { from, to, radius } = *shape else { return [1e-6, 1e-6, 1e-6, 0.0, 0.0, 0.0] };
    let (from, to) = (DVec3::from_array(from), DVec3::from_array(to));
    let turn = DQuat::from_rotation_arc(DVec3::X, (to - from).normalize_or(DVec3::X));
    let long = 0.5 * from.distance(to) + radius;
    let moments = DVec3::new(2.0 * radius * radius, long * long + radius * radius, long * long + radius * radius);
    let moments = mass / 3.0 * moments;
    let axes = [turn * DVec3::X, turn * DVec3::Y, turn * DVec3::Z];
    let entry = |a: usize, b: usize| {
        (0..3).map(|k| axes[k].to_array()[a] * moments.to_array()[k] * axes[k].to_array()[b]).sum::<f64>()
    };
    [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)]
}

/// Hinges whose axis is orthogonal to the directions from the joint to its two bodies: §4.2.
///
/// Where the two directions are within about 1° of one line the axis is the one across the figure (from right to left, else `y`), made orthogonal
/// to the child's bone; where that is parallel to the bone, the direction in which the figure looks.
pub(crate) fn join_parts(plan: &Plan, parts: &mut [Part]) {
    let left = plan.anatomy.mirror.map_or(DVec3::Y, |m| m.normal);
    let centers: Vec<DVec3> = parts.iter().map(|p| plan.bind[p.joint].position + center(&p.shapes[0])).collect();
    for index in 1..parts.len() {
        let at = plan.bind[parts[index].joint].position;
        let to_parent = (centers[parts[index].parent.expect("not the root")] - at).normalize_or_zero();
        let to_child = (centers[index] - at).normalize_or_zero();
        let across = to_parent.cross(to_child);
        let parent_joint = parts[parts[index].parent.expect("not the root")].joint;
        let part = &mut parts[index];
        part.kind = JointKind::Hinge;
        part.rest = (plan.turns[parent_joint].inverse() * plan.turns[part.joint]).normalize();
        part.axis =
            if across.length() > 0.02 { across.normalize() } else { perpendicular(to_child, [left, plan.forward]) };
        part.kp = plan.options.paper_kp;
        part.kd = plan.options.paper_kd;
        part.torque_limit = plan.options.paper_torque_limit;
    }
}

/// Centre of a shape.
pub(crate) fn center(shape: &Shape) -> DVec3 {
    match *shape {
        Shape::Capsule { from, to, .. } => 0.5 * (DVec3::from_array(from) + DVec3::from_array(to)),
        Shape::Sphere { center, .. } | Shape::Box { center, .. } => DVec3::from_array(center),
    }
}
