//! Shapes that fill the skin: for each body the capsule, box or few of them that cover most of its own part of the skin and least outside.
//!
//! The part of the skin that belongs to a body is known cell by cell (`cover/`). A body's shapes are those with the highest score
//! `(own cells covered − 0.9 · cells outside the skin − 0.3 · cells of other bodies) / own cells`. One shape more must earn its keep, as
//! contacts cost time. Where the shapes that proportions gave fit as well, they stay; where they do so everywhere, nothing is touched.
//! The score would rather leave skin out than reach beyond it. Where all shapes together then cover too little and lie well inside, those of
//! trunk, neck, head and tail grow (`grow.rs`).

mod grow;
mod search;
mod target;
#[cfg(test)]
mod tests;

use super::anatomy::Role;
use super::draft::{Part, Plan};
use super::paper::center;
use super::shapes::{image_of, mirror_shapes};
use crate::cover::{Cover, Filled, Skin};
use crate::frames::moved;
use crate::refit::ShapeKind;
use glam::{DQuat, DVec3};
use search::{Rules, axes_along, axes_of, boxed, capsule};
use sinew_sim::Shape;
use target::Target;

/// What one shape more must add to the score.
const KEEP: f64 = 0.06;
/// Scores from which one shape, and two, are not divided further.
const GOOD_ONE: f64 = 0.75;
const GOOD_TWO: f64 = 0.68;
/// How much better than a capsule a box must be: it touches the ground in more points.
const BOX_MARGIN: f64 = 0.03;
/// What new shapes must be better by than those of proportions.
const BETTER: f64 = 0.04;
/// What a shape above the sole must add to a foot's score.
const ABOVE_SOLE: f64 = 0.15;
/// Clearance of other shapes where there are soles, over the height.
const CLEARANCE: f64 = 0.006;
/// Cover of the whole with which the shapes of proportions stay: at least so much covered, at most so much outside.
const FITS_ALREADY: [f64; 2] = [0.8, 0.2];
/// Volume of a body without skin over that of its shapes, which lie in other bodies' skin.
const WITHIN_OTHERS: f64 = 0.5;
/// How much worse than its pair a part must fit to be fitted on its own.
const ODD: f64 = 0.3;
/// Share of its neighbours' cells that a body without skin of its own takes at most.
const CLAIM: f64 = 0.12;

/// Fits the shapes of all parts to the skin; the sentence that says so.
pub(super) fn fit_shapes(plan: &Plan, parts: &mut [Part]) -> Option<String> {
    let joints: Vec<Option<usize>> = parts.iter().map(|p| Some(p.joint)).collect();
    let skin = Skin::of(plan.skeleton, &joints)?;
    let before = measure(plan, parts, &skin);
    let [covered, outside] = FITS_ALREADY;
    if before.covered >= covered && before.outside <= outside && before.bodies.iter().all(|b| !b.center_outside) {
        return None;
    }
    let has_soles = parts.iter().any(|p| p.role == Role::Sole || p.carries_sole);
    // The right side becomes the image of the left one.
    let images: Vec<usize> = (0..parts.len()).filter_map(|left| image_of(plan, parts, left)).collect();
    let fit = |index: usize| match images.contains(&index) {
        true => None,
        false => shapes_of(plan, parts, index, &skin, has_soles),
    };
    let fitted: Vec<Option<Vec<Shape>>> = (0..parts.len()).map(fit).collect();
    for (part, shapes) in parts.iter_mut().zip(fitted) {
        if let Some(shapes) = shapes {
            part.shapes = shapes;
        }
    }
    mirror_shapes(plan, parts);
    // Unless the skin is not alike on both sides.
    let odd: Vec<usize> = images.into_iter().filter(|&right| is_odd(plan, parts, right, &skin)).collect();
    for right in odd {
        if let Some(shapes) = shapes_of(plan, parts, right, &skin, has_soles) {
            parts[right].shapes = shapes;
        }
    }
    grow::grow(parts, &|parts| measure(plan, parts, &skin));
    take_volumes(parts, &skin);
    let after = measure(plan, parts, &skin);
    Some(format!(
        "Shapes were fitted to the skin: they cover {:.0} % of it ({:.0} % before) and lie {:.0} % outside ({:.0} %).",
        100.0 * after.covered,
        100.0 * before.covered,
        100.0 * after.outside,
        100.0 * before.outside
    ))
}

fn measure(plan: &Plan, parts: &[Part], skin: &Skin) -> Cover {
    let filled = |part: &Part| {
        let origin = plan.bind[part.joint].position;
        let shapes: Vec<Shape> = part.shapes.iter().map(|s| moved(s, DQuat::IDENTITY, origin)).collect();
        Filled { name: String::new(), center: mass_center(&shapes), shapes }
    };
    skin.measure(&parts.iter().map(filled).collect::<Vec<_>>())
}

/// Whether the shapes of a part fit its skin far worse than those of its pair, of which they are the image, fit that one's.
fn is_odd(plan: &Plan, parts: &[Part], right: usize, skin: &Skin) -> bool {
    let score = |index: usize| {
        let part = &parts[index];
        Target::of(skin, index, plan.bind[part.joint].position).map(|target| target.score(&part.shapes))
    };
    let left = parts[right].pair.and_then(score);
    matches!((left, score(right)), (Some(left), Some(right)) if right < left - ODD)
}

/// What parts weigh is told by the skin: shapes overlap each other and leave gaps. Both sides are alike.
fn take_volumes(parts: &mut [Part], skin: &Skin) {
    let cell = skin.grid.cell * skin.grid.cell * skin.grid.cell;
    let mut cells = vec![0usize; parts.len()];
    for &region in &skin.region {
        if let Some(count) = cells.get_mut(region as usize) {
            *count += 1;
        }
    }
    // A body without skin lies in those of its neighbours.
    let volume = |index: usize| match cells[index] {
        few if few < crate::cover::ENOUGH_CELLS => WITHIN_OTHERS * parts[index].volume(),
        count => count as f64 * cell,
    };
    let volumes: Vec<f64> = (0..parts.len()).map(volume).collect();
    for (index, part) in parts.iter_mut().enumerate() {
        let other = part.pair.map_or(volumes[index], |pair| volumes[pair]);
        part.skin_volume = Some(0.5 * (volumes[index] + other));
    }
}

/// Gives both sides the mean of their masses: shapes may differ where the skin does, but nobody is heavier on one side.
pub(super) fn even_masses(parts: &mut [Part]) {
    for left in 0..parts.len() {
        if let Some(right) = parts[left].pair.filter(|&right| right > left) {
            let mean = 0.5 * (parts[left].mass + parts[right].mass);
            (parts[left].mass, parts[right].mass) = (mean, mean);
        }
    }
}

/// Centre of the shapes' volumes.
fn mass_center(shapes: &[Shape]) -> Option<DVec3> {
    let volume: f64 = shapes.iter().map(super::draft::volume).sum();
    let moment: DVec3 = shapes.iter().map(|s| super::draft::volume(s) * center(s)).sum();
    (volume > 0.0).then(|| moment / volume)
}

/// Better shapes for a part; `None`: it keeps its own.
fn shapes_of(plan: &Plan, parts: &[Part], index: usize, skin: &Skin, has_soles: bool) -> Option<Vec<Shape>> {
    let part = &parts[index];
    let origin = plan.bind[part.joint].position;
    let target = match Target::of(skin, index, origin) {
        Some(target) => target,
        None if part.role == Role::Sole => return shank(plan, part),
        None => Target::of_cells(skin, claimed(plan, parts, index, skin), index, origin)?,
    };
    let clearance = if has_soles { CLEARANCE * plan.stance.height } else { 0.0 };
    let ground = (plan.up(part.joint), clearance - plan.height_of(part.joint));
    let rules = Rules { plane: plane(plan, part), ground };
    if part.role == Role::Sole {
        return foot(&target, &part.shapes, &rules);
    }
    // What a leg without a foot stands on stays.
    let has_child = parts.iter().any(|p| p.parent == Some(index));
    let is_stump = part.role == Role::Limb && part.carries_sole && !has_child && part.shapes.len() > 1;
    let stump = if is_stump { &part.shapes[part.shapes.len() - 1..] } else { &[] };
    let target = if is_stump { target.without(stump) } else { target };
    let old = &part.shapes[..part.shapes.len() - stump.len()];

    let may_be_box = matches!(part.role, Role::Trunk | Role::Head) && !(part.carries_sole && part.role != Role::Trunk);
    let fitter = Fitter { rules, may_be_box, bone: part.main_end, center_in: &|p| skin.has(origin + p) };
    let old_score = fitter.score(&target, old);
    if old_score >= GOOD_ONE {
        return None;
    }
    let mut best = fitter.few(&target)?;
    if old_score + BETTER >= best.1 {
        return None;
    }
    // The largest comes first; capsules run away from the joint.
    let volume = super::draft::volume;
    best.0.sort_by(|a, b| volume(b).total_cmp(&volume(a)));
    best.0.iter_mut().for_each(away_from_joint);
    Some(best.0.into_iter().chain(stump.iter().cloned()).collect())
}

/// The plane that a part in the middle is its own image in: normal, and distance from its joint.
fn plane(plan: &Plan, part: &Part) -> Option<(DVec3, f64)> {
    let mirror = plan.anatomy.mirror?;
    let off = (mirror.point - plan.bind[part.joint].position).dot(mirror.normal);
    let is_middle = plan.anatomy.pairs[part.joint].is_none() && off.abs() < 0.02 * plan.stance.height;
    is_middle.then_some((mirror.normal, off))
}

fn away_from_joint(shape: &mut Shape) {
    if let Shape::Capsule { from, to, .. } = shape
        && DVec3::from_array(*to).length() < DVec3::from_array(*from).length()
    {
        std::mem::swap(from, to);
    }
}

/// A better sole, and a capsule above it where that covers enough of what it leaves.
fn foot(target: &Target, shapes: &[Shape], rules: &Rules) -> Option<Vec<Shape>> {
    let old = target.score(shapes);
    let mut best = shapes.to_vec();
    if let Some((sole, score)) = search::sole(target, shapes.first()?, rules.ground.0)
        && score > old + BETTER
    {
        best[0] = sole;
    }
    let rest = target.without(&best);
    if rest.own.len() as f64 >= ABOVE_SOLE * target.own.len() as f64 {
        let (mean, axes) = axes_of(&rest, rules);
        if let Some((mut more, _)) = capsule(&rest, mean, axes, rules) {
            away_from_joint(&mut more);
            let all = [&best[..], &[more]].concat();
            if target.score(&all) > target.score(&best) + ABOVE_SOLE {
                best = all;
            }
        }
    }
    (best != shapes).then_some(best)
}

/// A thin capsule from the joint of a foot down to its sole, where the foot's skin is too thin for cells: a spider's.
fn shank(plan: &Plan, part: &Part) -> Option<Vec<Shape>> {
    let (sole, Shape::Box { center, half_extents, .. }) = (part.shapes.first()?, part.shapes.first()?) else {
        return None;
    };
    let down = DVec3::from_array(*center) + half_extents[2] * plan.up(part.joint);
    if part.skin.len() < super::shapes::ENOUGH_SKIN || down.length() < 5.0 * half_extents[2] {
        return None;
    }
    let off = |p: &DVec3| (*p - (p.dot(down) / down.length_squared()).clamp(0.0, 1.0) * down).length();
    let mut distances: Vec<f64> = part.skin.iter().map(off).collect();
    let radius = super::shapes::percentile(&mut distances, 0.5).clamp(0.003 * plan.stance.height, 0.25 * down.length());
    let to = down * (1.0 - radius / down.length());
    let shank = Shape::Capsule { from: [0.0; 3], to: to.to_array(), radius };
    Some(vec![sole.clone(), shank])
}

/// Cells for a body that no skin follows, such as a root: those of its neighbours nearest to its bone, no more than its shapes would hold.
fn claimed(plan: &Plan, parts: &[Part], index: usize, skin: &Skin) -> Vec<usize> {
    let part = &parts[index];
    let is_neighbour = |body: usize| {
        body == index || part.parent == Some(body) || parts.get(body).is_some_and(|p| p.parent == Some(index))
    };
    let (from, along) = (plan.bind[part.joint].position, part.main_end);
    let over_length2 = 1.0 / along.length_squared().max(1e-12);
    let away = |cell: usize| {
        let off = skin.grid.center(cell) - from;
        off.distance_squared((off.dot(along) * over_length2).clamp(0.0, 1.0) * along)
    };
    let near = (0..skin.region.len()).filter(|&c| is_neighbour(skin.region[c] as usize));
    let mut cells: Vec<(f64, usize)> = near.map(|cell| (away(cell), cell)).collect();
    cells.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let cell_volume = skin.grid.cell * skin.grid.cell * skin.grid.cell;
    let most =
        (CLAIM * cells.len() as f64).min(part.volume() / cell_volume).max(2.0 * crate::cover::ENOUGH_CELLS as f64);
    cells.into_iter().take(most as usize).map(|(_, cell)| cell).collect()
}

/// Shapes for a body alone, whose frame sits at `origin` with the world's axes: up to three that fill its part of the skin best, or one of a kind.
pub(crate) fn fit_body(skin: &Skin, body: usize, origin: DVec3, kind: Option<ShapeKind>) -> Option<Vec<Shape>> {
    let target = Target::of(skin, body, origin)?;
    let rules = Rules { plane: None, ground: (DVec3::Z, f64::NEG_INFINITY) };
    let (mean, axes) = axes_of(&target, &rules);
    match kind {
        None => {
            let fitter = Fitter { rules, may_be_box: true, bone: axes[0], center_in: &|p| skin.has(origin + p) };
            let mut shapes = fitter.few(&target)?.0;
            shapes.sort_by(|a, b| super::draft::volume(b).total_cmp(&super::draft::volume(a)));
            Some(shapes)
        }
        Some(ShapeKind::Capsule) => capsule(&target, mean, axes, &rules).map(|found| vec![found.0]),
        Some(ShapeKind::Box) => boxed(&target, mean, axes, &rules).map(|found| vec![found.0]),
        Some(ShapeKind::Sphere) => {
            let volume = target.own.len() as f64 * target.cell_volume();
            let radius = libm::cbrt(0.75 * volume / std::f64::consts::PI);
            Some(vec![Shape::Sphere { center: mean.to_array(), radius }])
        }
    }
}

/// What may be tried for a body.
struct Fitter<'a> {
    rules: Rules,
    may_be_box: bool,
    bone: DVec3,
    /// Whether a point of the body's frame is inside the skin.
    center_in: &'a dyn Fn(DVec3) -> bool,
}

impl Fitter<'_> {
    /// Score of shapes, their centre outside the skin counting against them.
    fn score(&self, target: &Target, shapes: &[Shape]) -> f64 {
        let is_out = mass_center(shapes).is_some_and(|c| !(self.center_in)(c));
        target.score(shapes) - if is_out { 0.5 } else { 0.0 }
    }

    /// One to three shapes.
    fn few(&self, target: &Target) -> Option<(Vec<Shape>, f64)> {
        let one = vec![self.one(target)?];
        let mut best = (self.score(target, &one), one);
        let (mean, axes) = axes_of(target, &self.rules);
        for (parts, good) in [(2, GOOD_ONE), (3, GOOD_TWO)] {
            if best.0 >= good {
                break;
            }
            let mut found: Option<(f64, Vec<Shape>)> = None;
            for axis in self.split_axes(&axes, parts) {
                let cuts = cuts(target, mean, axis, parts);
                let slab = |p: DVec3| cuts.iter().filter(|c| (p - mean).dot(axis) > **c).count();
                let pieces: Option<Vec<Shape>> =
                    (0..parts).map(|k| self.one(&target.piece(|p| slab(p) == k))).collect();
                let Some(mut shapes) = pieces else { continue };
                // Each again, where the others are.
                for k in 0..parts {
                    let mut others = shapes.clone();
                    others.remove(k);
                    if let Some(again) = self.one(&target.without(&others)) {
                        let mut trial = shapes.clone();
                        trial[k] = again;
                        if self.score(target, &trial) > self.score(target, &shapes) {
                            shapes = trial;
                        }
                    }
                }
                let score = self.score(target, &shapes);
                if found.as_ref().is_none_or(|f| score > f.0) {
                    found = Some((score, shapes));
                }
            }
            if let Some(found) = found.filter(|f| f.0 > best.0 + KEEP * (parts - best.1.len()) as f64) {
                best = found;
            }
        }
        Some((best.1, best.0))
    }

    /// Axes across which a body may be cut; never left from right.
    fn split_axes(&self, axes: &[DVec3; 3], parts: usize) -> Vec<DVec3> {
        let is_across = |axis: &DVec3| self.rules.plane.is_some_and(|(normal, _)| axis.dot(normal).abs() > 0.7);
        axes.iter().copied().filter(|axis| !is_across(axis)).take(if parts == 2 { 2 } else { 1 }).collect()
    }

    /// The best single shape.
    fn one(&self, target: &Target) -> Option<Shape> {
        if target.own.len() < 4 {
            return None;
        }
        let (mean, axes) = axes_of(target, &self.rules);
        let mut tries = vec![axes, axes_along(DVec3::X, &self.rules)];
        if let Some(along) = self.bone.try_normalize() {
            tries.push(axes_along(along, &self.rules));
        }
        let better = |best: Option<(Shape, f64)>, next: Option<(Shape, f64)>| match (best, next) {
            (Some(best), Some(next)) if next.1 > best.1 => Some(next),
            (best, next) => best.or(next),
        };
        let capsules = tries.iter().map(|axes| capsule(target, mean, *axes, &self.rules)).fold(None, better);
        if !self.may_be_box {
            return capsules.map(|c| c.0);
        }
        let boxes = tries.iter().map(|axes| boxed(target, mean, *axes, &self.rules)).fold(None, better);
        match (capsules, boxes) {
            (Some(capsule), Some(boxed)) if boxed.1 > capsule.1 + BOX_MARGIN => Some(boxed.0),
            (capsule, boxed) => capsule.or(boxed).map(|s| s.0),
        }
    }
}

/// Where to cut own cells along an axis into pieces of equal numbers.
fn cuts(target: &Target, mean: DVec3, axis: DVec3, parts: usize) -> Vec<f64> {
    let mut along: Vec<f64> = target.own_points().map(|p| (p - mean).dot(axis)).collect();
    along.sort_by(f64::total_cmp);
    (1..parts).map(|k| along[k * along.len() / parts]).collect()
}
