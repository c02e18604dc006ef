//! How well bodies fill the skin: what share of the skin's inside their shapes cover, and what share of the shapes lies outside it.
//!
//! Everything is measured in the bind pose on a lattice of points (`grid.rs`); which body a piece of the inside belongs to is what the nearest
//! skin follows (`regions.rs`).

pub(crate) mod grid;
pub(crate) mod regions;
#[cfg(test)]
pub(crate) mod test_skins;
#[cfg(test)]
mod tests;

use crate::binding::Binding;
use crate::frames::{moved, quaternion};
use glam::DVec3;
use grid::Grid;
use regions::regions;
use serde::{Deserialize, Serialize};
use sinew_motion::Skeleton;
use sinew_sim::mass_properties::of_body;
use sinew_sim::{Character, Shape};

/// Fewest cells of a region that say something about a body.
pub(crate) const ENOUGH_CELLS: usize = 16;
/// Fewest cells whose shares are worth telling.
const TELLING_CELLS: usize = 48;
/// Shares that bodies which fit reach: at least this much of the skin covered, at most this much of the shapes outside.
pub const GOOD_COVER: f64 = 0.8;
/// See [`GOOD_COVER`].
pub const GOOD_OUTSIDE: f64 = 0.15;
/// A single body misses its skin where more of its shapes than this lies outside, or less of its skin than [`MISSED_COVER`] is covered.
pub const MISSED_OUTSIDE: f64 = 0.5;
/// See [`MISSED_OUTSIDE`].
pub const MISSED_COVER: f64 = 0.35;

/// How well a character fills its skin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cover {
    /// Share of the skin's volume that lies in some shape.
    pub covered: f64,
    /// Share of the shapes' volume that lies outside the skin.
    pub outside: f64,
    /// Volume inside the skin, m³.
    pub skin_volume_m3: f64,
    /// For each body, in the character's order.
    pub bodies: Vec<BodyCover>,
}

/// How well one body fills its part of the skin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyCover {
    /// Name of the body.
    pub body: String,
    /// Share of its part of the skin that lies in its own shapes; `None` where hardly any skin follows it.
    pub covered: Option<f64>,
    /// Share of its shapes' volume that lies outside the whole skin.
    pub outside: f64,
    /// Whether its centre of mass lies outside the skin.
    pub center_outside: bool,
    /// Volume of its part of the skin, m³.
    pub skin_volume_m3: f64,
}

impl Cover {
    /// Whether the whole fits: at least 80 % covered, at most 15 % outside, and every body has its centre inside.
    pub fn is_good(&self) -> bool {
        self.covered >= GOOD_COVER && self.outside <= GOOD_OUTSIDE && self.bodies.iter().all(|b| !b.center_outside)
    }

    /// The bodies whose shapes miss their skin, worst first.
    pub fn missed(&self) -> Vec<&BodyCover> {
        let is_missed = |b: &&BodyCover| {
            b.center_outside || b.covered.is_some_and(|c| c < MISSED_COVER || b.outside > MISSED_OUTSIDE)
        };
        let badness =
            |b: &BodyCover| b.outside + 1.0 - b.covered.unwrap_or(1.0) + f64::from(u8::from(b.center_outside));
        let mut missed: Vec<&BodyCover> = self.bodies.iter().filter(is_missed).collect();
        missed.sort_by(|a, b| badness(b).total_cmp(&badness(a)));
        missed
    }
}

/// Measures how well a character fills the skin of the skeleton that it is bound to; `None` where the skeleton has no skin of triangles.
pub fn cover(character: &Character, binding: &Binding, skeleton: &Skeleton) -> Option<Cover> {
    let joint_of = |body: &str| {
        let link = binding.links.iter().find(|l| l.body == body)?;
        Some((skeleton.find(&link.joint)?, link))
    };
    let joints: Vec<Option<usize>> = character.bodies.iter().map(|b| joint_of(&b.name).map(|(j, _)| j)).collect();
    let skin = Skin::of(skeleton, &joints)?;
    let bind = skeleton.bind_pose();
    let placed = |shape: &Shape, body: &str| {
        let (joint, link) = joint_of(body)?;
        let turn = (bind[joint].orientation * link.rotation).normalize();
        Some(moved(shape, turn, bind[joint].place(link.offset)))
    };
    let bodies = character.bodies.iter().map(|body| {
        let of = of_body(body);
        let center = Shape::Sphere { center: of.center_of_mass, radius: 1.0 };
        Filled {
            name: body.name.clone(),
            shapes: body.shapes.iter().filter_map(|s| placed(s, &body.name)).collect(),
            center: placed(&center, &body.name).map(|s| center_of(&s)),
        }
    });
    Some(skin.measure(&bodies.collect::<Vec<_>>()))
}

fn center_of(shape: &Shape) -> DVec3 {
    match *shape {
        Shape::Sphere { center, .. } | Shape::Box { center, .. } => DVec3::from_array(center),
        Shape::Capsule { from, to, .. } => 0.5 * (DVec3::from_array(from) + DVec3::from_array(to)),
    }
}

/// A body with its shapes in the bind pose.
pub(crate) struct Filled {
    pub name: String,
    pub shapes: Vec<Shape>,
    pub center: Option<DVec3>,
}

/// The inside of a skin, told apart by bodies.
pub(crate) struct Skin {
    pub grid: Grid,
    /// For each cell the body that its skin follows.
    pub region: Vec<u32>,
    /// Vertices in the bind pose, m, and triangles.
    points: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Skin {
    /// The inside of a skeleton's skin; `joints` names the joint of each body.
    pub fn of(skeleton: &Skeleton, joints: &[Option<usize>]) -> Option<Skin> {
        let mesh = skeleton.mesh.as_ref().filter(|m| !m.is_empty())?;
        let points = mesh.placed(skeleton);
        let grid = Grid::of(&points, &mesh.triangles)?;
        let region = regions(&grid, &points, &mesh.weights, &mesh.triangles, &bodies_of(skeleton, joints));
        Some(Skin { grid, region, points, triangles: mesh.triangles.clone() })
    }

    /// Whether a point is inside the skin, or no farther from it than a cell is wide.
    pub fn has(&self, point: DVec3) -> bool {
        let corner = |c: u32| self.points[c as usize];
        let is_near = |t: &[u32; 3]| distance(point, t.map(corner)) <= self.grid.cell;
        self.grid.at(point).is_some_and(|cell| self.grid.inside[cell]) || self.triangles.iter().any(is_near)
    }

    /// Covered and outside shares of bodies.
    pub fn measure(&self, bodies: &[Filled]) -> Cover {
        let grid = &self.grid;
        let volume = grid.cell * grid.cell * grid.cell;
        let mut all: Vec<[i32; 3]> = Vec::new();
        let mut own_cells = vec![0usize; bodies.len()];
        for &region in &self.region {
            if let Some(count) = own_cells.get_mut(region as usize) {
                *count += 1;
            }
        }
        let is_inside = |place: &[i32; 3]| self.cell(place).is_some_and(|cell| grid.inside[cell]);
        let share = |part: usize, whole: usize| if whole > 0 { part as f64 / whole as f64 } else { 0.0 };
        let mut measured = Vec::with_capacity(bodies.len());
        for (index, body) in bodies.iter().enumerate() {
            let mut places: Vec<[i32; 3]> = body.shapes.iter().flat_map(|s| self.places(s)).collect();
            places.sort_unstable();
            places.dedup();
            let inside = places.iter().filter(|p| is_inside(p)).count();
            let own = places.iter().filter(|p| self.cell(p).is_some_and(|c| self.region[c] == index as u32)).count();
            measured.push(BodyCover {
                body: body.name.clone(),
                covered: (own_cells[index] >= TELLING_CELLS).then(|| share(own, own_cells[index])),
                outside: share(places.len() - inside, places.len()),
                center_outside: body.center.is_some_and(|c| !self.has(c)),
                skin_volume_m3: own_cells[index] as f64 * volume,
            });
            all.append(&mut places);
        }
        all.sort_unstable();
        all.dedup();
        let whole = grid.inside.iter().filter(|i| **i).count();
        let covered = all.iter().filter(|p| is_inside(p)).count();
        Cover {
            covered: share(covered, whole),
            outside: share(all.len() - covered, all.len()),
            skin_volume_m3: whole as f64 * volume,
            bodies: measured,
        }
    }

    fn cell(&self, place: &[i32; 3]) -> Option<usize> {
        let fits = (0..3).all(|a| place[a] >= 0 && (place[a] as usize) < self.grid.size[a]);
        fits.then(|| self.grid.index(place.map(|x| x as usize)))
    }

    /// Points of the lattice in a shape, as far as one size of the grid beyond its edges.
    fn places(&self, shape: &Shape) -> Vec<[i32; 3]> {
        let (low, high) = bounds(shape);
        let grid = &self.grid;
        let range = |a: usize| {
            let size = grid.size[a] as f64;
            let from = ((low[a] - grid.low[a]) / grid.cell).ceil().clamp(-size, 2.0 * size);
            let to = ((high[a] - grid.low[a]) / grid.cell).floor().clamp(-size, 2.0 * size);
            from as i32..=to as i32
        };
        let holds = Solid::of(shape);
        let mut places = Vec::new();
        for x in range(0) {
            for y in range(1) {
                for z in range(2) {
                    let point = grid.low + grid.cell * DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                    if holds.has(point) {
                        places.push([x, y, z]);
                    }
                }
            }
        }
        places
    }
}

/// The body that each joint's skin belongs to: its own, else that of the nearest joint above; above the first body, the first.
pub(crate) fn bodies_of(skeleton: &Skeleton, joints: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut bodies: Vec<Option<usize>> = Vec::with_capacity(skeleton.joints.len());
    for (j, joint) in skeleton.joints.iter().enumerate() {
        let own = joints.iter().position(|&k| k == Some(j));
        bodies.push(own.or_else(|| joint.parent.and_then(|p| bodies[p])));
    }
    let first = (!joints.is_empty()).then_some(0);
    bodies.into_iter().map(|b| b.or(first)).collect()
}

/// Distance of a point from a triangle (Ericson 2005, §5.1.5: the nearest point of the plane, else of the edges).
fn distance(point: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let to_edge = |p: DVec3, q: DVec3| {
        let along = q - p;
        let t = ((point - p).dot(along) / along.length_squared().max(1e-300)).clamp(0.0, 1.0);
        point.distance(p + t * along)
    };
    let normal = (b - a).cross(c - a);
    let is_over = |p: DVec3, q: DVec3| (q - p).cross(point - p).dot(normal) >= 0.0;
    match normal.try_normalize() {
        Some(unit) if is_over(a, b) && is_over(b, c) && is_over(c, a) => (point - a).dot(unit).abs(),
        _ => to_edge(a, b).min(to_edge(b, c)).min(to_edge(c, a)),
    }
}

/// Corners of the box around a shape.
pub(crate) fn bounds(shape: &Shape) -> (DVec3, DVec3) {
    match *shape {
        Shape::Sphere { center, radius } => (DVec3::from_array(center) - radius, DVec3::from_array(center) + radius),
        Shape::Capsule { from, to, radius } => {
            let (from, to) = (DVec3::from_array(from), DVec3::from_array(to));
            (from.min(to) - radius, from.max(to) + radius)
        }
        Shape::Box { center, half_extents, orientation } => {
            let turn = quaternion(orientation);
            let half = DVec3::from_array(half_extents);
            let reach: DVec3 = (0..3).map(|k| (turn * (half[k] * DVec3::AXES[k])).abs()).sum();
            (DVec3::from_array(center) - reach, DVec3::from_array(center) + reach)
        }
    }
}

/// A shape made ready for asking whether it holds points.
pub(crate) enum Solid {
    /// From, along, one over the length squared, radius squared.
    Capsule(DVec3, DVec3, f64, f64),
    /// Centre, axes, half extents.
    Box(DVec3, [DVec3; 3], DVec3),
}

impl Solid {
    pub fn of(shape: &Shape) -> Solid {
        match *shape {
            Shape::Sphere { center, radius } => {
                Solid::Capsule(DVec3::from_array(center), DVec3::ZERO, 0.0, radius * radius)
            }
            Shape::Capsule { from, to, radius } => {
                let (from, to) = (DVec3::from_array(from), DVec3::from_array(to));
                let along = to - from;
                let length2 = along.length_squared();
                Solid::Capsule(from, along, if length2 > 0.0 { 1.0 / length2 } else { 0.0 }, radius * radius)
            }
            Shape::Box { center, half_extents, orientation } => {
                let turn = quaternion(orientation);
                let axes = DVec3::AXES.map(|axis| turn * axis);
                Solid::Box(DVec3::from_array(center), axes, DVec3::from_array(half_extents))
            }
        }
    }

    /// Whether the shape holds a point.
    pub fn has(&self, point: DVec3) -> bool {
        match self {
            Solid::Capsule(from, along, over_length2, radius2) => {
                let off = point - *from;
                let t = (off.dot(*along) * over_length2).clamp(0.0, 1.0);
                (off - t * *along).length_squared() <= *radius2
            }
            Solid::Box(center, axes, half) => {
                let off = point - *center;
                (0..3).all(|k| off.dot(axes[k]).abs() <= half[k])
            }
        }
    }
}
