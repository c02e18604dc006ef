//! Where a character may bear weight: heels, toes, and the ends of its other limbs.
//!
//! Feet are the bodies that are low when the character stands at rest; neighbouring ones (a foot and its toes) are one foot. A foot that is long enough
//! along the character's front has two sites, heel and toe; any other has one. Every end effector elsewhere is a site too.

use serde::{Deserialize, Serialize};
use sinew_sim::{Character, JointKind, Measured, Model, Shape};

/// A body is low when it comes this near to the lowest point, over the character's height.
const LOW: f64 = 0.05;
/// Points of a foot that are this near to its lowest are its sole, over the character's height.
const SOLE: f64 = 0.03;
/// A sole of this length, over the character's height, has a heel and a toe.
const LONG: f64 = 0.05;
/// A round end is at a joint when its centre is nearer than this, over its radius.
const AT_JOINT: f64 = 0.75;
/// Share of a sole's length that is its heel or its toe.
const END: f64 = 0.25;

/// A point that may touch the ground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactSite {
    /// Its name: `foot_l heel`, `foot_l toe`, or that of the foot or end effector.
    pub name: String,
    /// Name of its body.
    pub body: String,
    /// Centre in the body's frame, m.
    pub center: [f64; 3],
    /// The body reaches this far below the centre, whichever way it turns, m.
    pub radius: f64,
    /// Whether it is of a foot: of a limb that the character stands on at rest.
    pub is_foot: bool,
}

impl ContactSite {
    /// Name of the foot that it is of, or its own: sites of one foot move together.
    pub fn limb(&self) -> &str {
        self.name.trim_end_matches(" heel").trim_end_matches(" toe")
    }
}

/// A point of a body's surface at rest.
struct SolePoint {
    body: usize,
    center: [f64; 3],
    radius: f64,
    /// In the world at rest.
    place: [f64; 3],
}

impl SolePoint {
    fn bottom(&self) -> f64 {
        self.place[2] - self.radius
    }
}

/// Finds the sites of a character that looks along the angle `forward_rad` at rest: of feet first, then of other end effectors.
pub fn contact_sites(character: &Character, model: &Model, forward_rad: f64) -> Vec<ContactSite> {
    let rest = Measured::new(model, model.rest_position(), &vec![0.0; model.velocity_count()], [0.0; 3]);
    let points = surface_points(character, model, &rest);
    let (mut floor, mut top) = (f64::INFINITY, f64::NEG_INFINITY);
    for point in &points {
        floor = floor.min(point.bottom());
        top = top.max(point.place[2] + point.radius);
    }
    let height = (top - floor).max(1e-6);
    let low_bodies: Vec<bool> = (0..model.bodies().len())
        .map(|body| points.iter().any(|p| p.body == body && p.bottom() < floor + LOW * height))
        .collect();
    let forward = [libm::cos(forward_rad), libm::sin(forward_rad)];
    let mut sites = Vec::new();
    let mut is_taken = vec![false; low_bodies.len()];
    for group in feet(character, model, &low_bodies) {
        group.iter().for_each(|&body| is_taken[body] = true);
        let own: Vec<&SolePoint> = points.iter().filter(|p| group.contains(&p.body)).collect();
        sites.extend(sites_of_foot(model, &own, height, forward, &plain_name(model, group[0])));
    }
    for effector in &character.end_effectors {
        let Some(body) = model.body(&effector.body).filter(|&body| !is_taken[body]) else { continue };
        let (name, body) = (effector.name.clone(), plain_name(model, body));
        sites.push(ContactSite { name, body, center: effector.position, radius: 0.0, is_foot: false });
    }
    sites
}

/// Low bodies, those that a joint holds together as one foot; the innermost body is the first.
fn feet(character: &Character, model: &Model, is_low: &[bool]) -> Vec<Vec<usize>> {
    let parent_of = |body: usize| {
        let name = plain_name(model, body);
        let joint = character.joints.iter().find(|j| j.child == name && !j.kind.is_root())?;
        model.body(joint.parent.as_deref()?)
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for body in (0..is_low.len()).filter(|&body| is_low[body]) {
        match parent_of(body).and_then(|parent| groups.iter_mut().find(|group| group.contains(&parent))) {
            Some(group) => group.push(body),
            None => groups.push(vec![body]),
        }
    }
    groups
}

fn sites_of_foot(model: &Model, points: &[&SolePoint], height: f64, forward: [f64; 2], foot: &str) -> Vec<ContactSite> {
    let low = points.iter().map(|p| p.bottom()).fold(f64::INFINITY, f64::min);
    let sole: Vec<&SolePoint> = points.iter().filter(|p| p.bottom() <= low + SOLE * height).copied().collect();
    let along = |p: &SolePoint| p.place[0] * forward[0] + p.place[1] * forward[1];
    let back = sole.iter().map(|p| along(p)).fold(f64::INFINITY, f64::min);
    let front = sole.iter().map(|p| along(p)).fold(f64::NEG_INFINITY, f64::max);
    let length = front - back;
    if length < LONG * height {
        return vec![mean_site(model, &sole, foot.to_owned())];
    }
    let heel: Vec<&SolePoint> = sole.iter().filter(|p| along(p) <= back + END * length).copied().collect();
    let toe: Vec<&SolePoint> = sole.iter().filter(|p| along(p) >= front - END * length).copied().collect();
    vec![mean_site(model, &heel, format!("{foot} heel")), mean_site(model, &toe, format!("{foot} toe"))]
}

/// The middle of the points on the body that has the first of them.
fn mean_site(model: &Model, points: &[&SolePoint], name: String) -> ContactSite {
    let body = points[0].body;
    let own: Vec<&&SolePoint> = points.iter().filter(|p| p.body == body).collect();
    let share = 1.0 / own.len() as f64;
    let center = std::array::from_fn(|k| share * own.iter().map(|p| p.center[k]).sum::<f64>());
    let radius = share * own.iter().map(|p| p.radius).sum::<f64>();
    ContactSite { name, body: plain_name(model, body), center, radius, is_foot: true }
}

/// Points of all bodies' surfaces; a round end at a joint that carries the next body is no end: it is the ankle, not the heel.
fn surface_points(character: &Character, model: &Model, rest: &Measured) -> Vec<SolePoint> {
    let mut points = Vec::new();
    let is_ankle = |body: &str, center: &[f64; 3], radius: f64| {
        let carried = character.joints.iter().filter(|joint| joint.parent.as_deref() == Some(body));
        carried.into_iter().any(|joint| {
            let square: f64 = (0..3).map(|k| (joint.position[k] - center[k]).powi(2)).sum();
            square.sqrt() < AT_JOINT * radius
        })
    };
    for (body, (info, motion)) in model.bodies().iter().zip(&rest.bodies).enumerate() {
        for shape in &info.shapes {
            let ends: Vec<([f64; 3], f64)> = match shape {
                Shape::Capsule { from, to, radius } => vec![(*from, *radius), (*to, *radius)],
                Shape::Sphere { center, radius } => vec![(*center, *radius)],
                Shape::Box { center, half_extents, orientation } => {
                    let corner = |bits: usize| {
                        let out =
                            std::array::from_fn(
                                |k| if bits >> k & 1 == 1 { half_extents[k] } else { -half_extents[k] },
                            );
                        let turned = sinew_sim::rotation::rotated(*orientation, out);
                        (std::array::from_fn(|k| center[k] + turned[k]), 0.0)
                    };
                    (0..8).map(corner).collect()
                }
            };
            let name = plain_name(model, body);
            let ends = ends.into_iter().filter(|(center, radius)| !is_ankle(&name, center, *radius));
            points.extend(ends.map(|(center, radius)| SolePoint { body, center, radius, place: motion.place(center) }));
        }
    }
    points
}

/// Name of a body without that of its character.
fn plain_name(model: &Model, body: usize) -> String {
    let name = &model.bodies()[body].name;
    name.split_once('/').map_or(name.as_str(), |(_, plain)| plain).to_owned()
}

/// Whether the character's one root moves freely.
pub(crate) fn has_free_root(model: &Model) -> bool {
    model.joints().first().is_some_and(|j| j.kind == JointKind::Free)
        && model.joints().iter().skip(1).all(|j| !j.kind.is_root())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::{Scene, embedded};

    #[test]
    fn a_human_has_heels_toes_and_hands() {
        let character = embedded::humanoid();
        let model = Model::new(&Scene::on_ground(character.clone()), 0.002).unwrap();
        let sites = contact_sites(&character, &model, 0.0);
        let feet: Vec<&ContactSite> = sites.iter().filter(|s| s.is_foot).collect();
        assert_eq!(feet.len(), 4, "{sites:?}");
        assert!(feet.iter().filter(|s| s.name.ends_with("heel")).count() == 2);
        let rest = Measured::new(&model, model.rest_position(), &vec![0.0; model.velocity_count()], [0.0; 3]);
        let place = |site: &ContactSite| rest.bodies[model.body(&site.body).unwrap()].place(site.center);
        for pair in feet.chunks(2) {
            let (heel, toe) = (place(pair[0]), place(pair[1]));
            assert!(heel[0] < toe[0] - 0.05, "the toe is in front of the heel: {heel:?}, {toe:?}");
            assert!((heel[2] - pair[0].radius).abs() < 0.03, "the heel is on the ground: {heel:?}");
        }
        // Turned round, front and back change places.
        let turned = contact_sites(&character, &model, std::f64::consts::PI);
        assert_eq!(turned[0].center, sites[1].center);
        assert!(sites.iter().any(|s| !s.is_foot));
    }
}
