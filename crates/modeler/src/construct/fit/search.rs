//! One shape that covers most of a target: a capsule or a box, by pattern search.

use super::target::Target;
use crate::frames::{principal_axes, scatter, wxyz};
use glam::{DMat3, DQuat, DVec3};
use sinew_sim::Shape;

/// Steps of the search, over the size of what is fitted.
const STEPS: [f64; 4] = [0.2, 0.1, 0.05, 0.025];
/// Cost of a shape's reaching below the ground or beyond what is known by the width of the target.
const TRESPASS: f64 = 8.0;
/// Most rounds with one step.
const ROUNDS: usize = 4;

/// Least area of a sole that was fitted, over that of its footprint.
const LEAST_SOLE: f64 = 0.7;

/// What a shape may be.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// Plane that the shape must be its own image in: normal, and distance from the body's origin.
    pub plane: Option<(DVec3, f64)>,
    /// Up, and the lowest place along it.
    pub ground: (DVec3, f64),
}

impl Rules {
    /// How far a shape lies below the lowest place, m.
    fn below(&self, shape: &Shape) -> f64 {
        (self.ground.1 - crate::frames::lowest(shape, self.ground.0)).max(0.0)
    }

    /// A shape moved up to the lowest place.
    fn lifted(&self, shape: Shape) -> Shape {
        match self.below(&shape) {
            by if by > 0.0 => crate::frames::moved(&shape, DQuat::IDENTITY, by * self.ground.0),
            _ => shape,
        }
    }

    /// A point moved into the plane.
    fn in_plane(&self, point: DVec3) -> DVec3 {
        self.plane.map_or(point, |(normal, at)| point - (point.dot(normal) - at) * normal)
    }
}

/// Middle and principal axes of own cells, the longest first; of a body in the middle one is the plane's normal.
pub(super) fn axes_of(target: &Target, rules: &Rules) -> (DVec3, [DVec3; 3]) {
    let mean = target.own_points().sum::<DVec3>() / target.own.len().max(1) as f64;
    let axes = principal_axes(scatter(target.own_points().map(|p| p - mean))).map(|a| a.1);
    (mean, aligned(axes, rules))
}

/// The axes, turned so that the one nearest to the plane's normal is that.
fn aligned(axes: [DVec3; 3], rules: &Rules) -> [DVec3; 3] {
    let Some((normal, _)) = rules.plane else { return axes };
    let nearest = (0..3).max_by(|&a, &b| axes[a].dot(normal).abs().total_cmp(&axes[b].dot(normal).abs())).unwrap_or(0);
    let others = [(nearest + 1) % 3, (nearest + 2) % 3];
    let mut made = axes;
    made[nearest] = normal;
    let first = (axes[others[0]] - axes[others[0]].dot(normal) * normal).normalize_or(normal.any_orthonormal_vector());
    made[others[0]] = first;
    made[others[1]] = normal.cross(first);
    made
}

/// Three orthogonal axes of which the first is given.
pub(super) fn axes_along(along: DVec3, rules: &Rules) -> [DVec3; 3] {
    let side = rules.plane.map_or(along.any_orthonormal_vector(), |(normal, _)| {
        (normal - normal.dot(along) * along).normalize_or(along.any_orthonormal_vector())
    });
    aligned([along, side, along.cross(side)], rules)
}

/// Extent of own cells along an axis from a middle: lowest and highest, a few left out on each side.
fn extent(target: &Target, mean: DVec3, axis: DVec3) -> (f64, f64) {
    let mut values: Vec<f64> = target.own_points().map(|p| (p - mean).dot(axis)).collect();
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    (values[last / 25], values[last - last / 25])
}

/// The best capsule along the first of the axes, with its score. `from` lies where the axis starts.
pub(super) fn capsule(target: &Target, mean: DVec3, axes: [DVec3; 3], rules: &Rules) -> Option<(Shape, f64)> {
    let [along, u, v] = axes;
    let (low, high) = extent(target, mean, along);
    let (left, right) = (extent(target, mean, u), extent(target, mean, v));
    let radius = (0.25 * ((left.1 - left.0) + (right.1 - right.0))).max(1e-4);
    let half = (0.5 * (high - low) - radius).max(0.0);
    let middle = mean + 0.5 * (low + high) * along;
    let size = radius.max(0.3 * half);
    // Middle along the axes, half length, tilts, radius.
    let start = [0.0, 0.0, 0.0, half, 0.0, 0.0, radius];
    let scale = [size, radius, radius, size, 0.6, 0.6, radius];
    let make = |p: &[f64; 7]| {
        if p[3] < 0.0 || p[6] <= 1e-4 {
            return None;
        }
        let center = rules.in_plane(middle + p[0] * along + p[1] * u + p[2] * v);
        let mut axis = (along + p[4] * u + p[5] * v).normalize();
        if let Some((normal, _)) = rules.plane {
            let off = axis.dot(normal);
            axis = if off.abs() > 0.7 { off.signum() * normal } else { (axis - off * normal).normalize() };
        }
        let reach = p[3] * axis;
        Some(match p[3] < 0.05 * p[6] {
            true => Shape::Sphere { center: center.to_array(), radius: p[6] },
            false => {
                Shape::Capsule { from: (center - reach).to_array(), to: (center + reach).to_array(), radius: p[6] }
            }
        })
    };
    search(target, rules, start, scale, make)
}

/// The best box along the axes, with its score.
pub(super) fn boxed(target: &Target, mean: DVec3, axes: [DVec3; 3], rules: &Rules) -> Option<(Shape, f64)> {
    let spans = axes.map(|axis| extent(target, mean, axis));
    let width = |k: usize| (spans[k].1 - spans[k].0).max(1e-4);
    // Faces along the axes, turns about them.
    let mut start = [0.0; 9];
    let mut scale = [0.4; 9];
    for k in 0..3 {
        // Cells at the edge are half a cell wide beyond their centres; what bulges less than a box's corners balances it.
        (start[2 * k], start[2 * k + 1]) = (0.95 * spans[k].0, 0.95 * spans[k].1);
        (scale[2 * k], scale[2 * k + 1]) = (0.5 * width(k), 0.5 * width(k));
        if let Some((normal, _)) = rules.plane
            && axes[k].dot(normal).abs() < 0.9
        {
            scale[6 + k] = 0.0;
        }
    }
    let make = |p: &[f64; 9]| {
        let half: [f64; 3] = std::array::from_fn(|k| 0.5 * (p[2 * k + 1] - p[2 * k]));
        if half.iter().any(|h| *h <= 1e-4) {
            return None;
        }
        let turn = DQuat::from_scaled_axis((0..3).map(|k| p[6 + k] * axes[k]).sum());
        let turned = axes.map(|a| turn * a);
        let center = rules.in_plane(mean + (0..3).map(|k| 0.5 * (p[2 * k] + p[2 * k + 1]) * turned[k]).sum::<DVec3>());
        let (order, orientation) = readable(turned);
        Some(Shape::Box {
            center: center.to_array(),
            half_extents: order.map(|k| half[k]),
            orientation: wxyz(orientation),
        })
    };
    search(target, rules, start, scale, make)
}

/// The best sole: a level box with its bottom where it is, of at least [`LEAST_SOLE`] of its area and still under the joint.
pub(super) fn sole(target: &Target, old: &Shape, up: DVec3) -> Option<(Shape, f64)> {
    let Shape::Box { center, half_extents: [along, across, thick], orientation } = *old else { return None };
    let (center, turn) = (DVec3::from_array(center), crate::frames::quaternion(orientation));
    let (toward, side) = (turn * DVec3::X, turn * DVec3::Y);
    let is_under = |low: f64, high: f64, axis: DVec3| {
        let joint = -center.dot(axis);
        joint >= low && joint <= high
    };
    let was_under = [is_under(-along, along, toward), is_under(-across, across, side)];
    // Faces along and across, thickness, turn about the vertical.
    let start = [-along, along, -across, across, 2.0 * thick, 0.0];
    let scale = [along, along, across, across, thick, 0.5];
    let make = |p: &[f64; 6]| {
        let (length, width) = (p[1] - p[0], p[3] - p[2]);
        let is_wide = length > 0.0 && width > 0.0 && length * width >= LEAST_SOLE * 4.0 * along * across;
        let stays = (!was_under[0] || is_under(p[0], p[1], toward)) && (!was_under[1] || is_under(p[2], p[3], side));
        if !is_wide || !stays || p[4] < thick {
            return None;
        }
        let yaw = DQuat::from_axis_angle(up, p[5]);
        let (toward, side) = (yaw * toward, yaw * side);
        let middle = center + 0.5 * (p[0] + p[1]) * toward + 0.5 * (p[2] + p[3]) * side + (0.5 * p[4] - thick) * up;
        let orientation = wxyz(DQuat::from_mat3(&DMat3::from_cols(toward, side, up)).normalize());
        Some(Shape::Box {
            center: middle.to_array(),
            half_extents: [0.5 * length, 0.5 * width, 0.5 * p[4]],
            orientation,
        })
    };
    let anywhere = Rules { plane: None, ground: (up, f64::NEG_INFINITY) };
    search(target, &anywhere, start, scale, make)
}

/// The order of three axes and the smallest turn that lay the box's own axes nearest to the frame's.
fn readable(axes: [DVec3; 3]) -> ([usize; 3], DQuat) {
    let all = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let score = |o: &[usize; 3]| (0..3).map(|k| axes[o[k]].to_array()[k].abs()).sum::<f64>();
    let order = all.into_iter().reduce(|a, b| if score(&b) > score(&a) { b } else { a }).unwrap_or([0, 1, 2]);
    let signed = |k: usize| axes[order[k]] * if axes[order[k]].to_array()[k] < 0.0 { -1.0 } else { 1.0 };
    let (x, y) = (signed(0), signed(1));
    (order, DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize())
}

/// Tries each number a step up and down while that helps, then halves the step (Hooke and Jeeves 1961, without pattern moves).
fn search<const N: usize>(
    target: &Target,
    rules: &Rules,
    start: [f64; N],
    scale: [f64; N],
    make: impl Fn(&[f64; N]) -> Option<Shape>,
) -> Option<(Shape, f64)> {
    let worth = |p: &[f64; N]| {
        let shape = make(p)?;
        let trespass = (rules.below(&shape) + target.beyond(&shape)) / target.width();
        Some((target.score(std::slice::from_ref(&shape)) - TRESPASS * trespass, shape))
    };
    let mut at = start;
    let (mut score, mut best) = worth(&at)?;
    for step in STEPS {
        for _ in 0..ROUNDS {
            let before = score;
            for k in (0..N).filter(|&k| scale[k] > 0.0) {
                for sign in [1.0, -1.0] {
                    let mut trial = at;
                    trial[k] += sign * step * scale[k];
                    if let Some(found) = worth(&trial).filter(|found| found.0 > score + 1e-9) {
                        (at, (score, best)) = (trial, found);
                        break;
                    }
                }
            }
            if score <= before + 1e-3 {
                break;
            }
        }
    }
    let best = rules.lifted(best);
    let score = target.score(std::slice::from_ref(&best));
    (score > 0.0).then_some((best, score))
}
