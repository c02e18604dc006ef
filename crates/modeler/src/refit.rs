//! Other shapes for one body: fitted to its own part of the skin, or of another kind and as large.
//!
//! A character with its binding and the skeleton of its rig enter; the shapes leave, for an edit `set_shapes`.

use crate::binding::Binding;
use crate::construct::fit_body;
use crate::cover::Skin;
use crate::frames::{moved, quaternion, wxyz};
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use sinew_motion::Skeleton;
use sinew_sim::{Character, Shape};
use std::f64::consts::PI;

/// A capsule whose cylinder is shorter than this share of its radius, half of it, is a ball.
const SHORT: f64 = 0.1;
/// Radius of the capsule that a ball becomes, over the ball's.
const SLIM: f64 = 0.8;

/// A kind of shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShapeKind {
    /// A capsule.
    Capsule,
    /// A box.
    Box,
    /// A sphere.
    Sphere,
}

/// Shapes that fill a body's own part of the skin best, up to three of them, or one of a kind; `None` where the skeleton has no skin, or hardly any
/// follows the body.
pub fn refit(
    character: &Character,
    binding: &Binding,
    skeleton: &Skeleton,
    body: &str,
    kind: Option<ShapeKind>,
) -> Option<Vec<Shape>> {
    let link_of = |body: &str| binding.links.iter().find(|link| link.body == body);
    let joint_of = |body: &str| link_of(body).and_then(|link| skeleton.find(&link.joint));
    let joints: Vec<Option<usize>> = character.bodies.iter().map(|body| joint_of(&body.name)).collect();
    let index = character.bodies.iter().position(|other| other.name == body)?;
    let (joint, link) = (joints[index]?, link_of(body)?);
    let skin = Skin::of(skeleton, &joints)?;
    let bind = skeleton.bind_pose()[joint];
    let turn = (bind.orientation * link.rotation).normalize();
    let shapes = fit_body(&skin, index, bind.place(link.offset), kind)?;
    Some(shapes.iter().map(|shape| moved(shape, turn.inverse(), DVec3::ZERO)).collect())
}

/// A shape of another kind with the same middle, direction and volume.
pub fn as_kind(shape: &Shape, kind: ShapeKind) -> Shape {
    // Middle, the longest direction, half of the length along it, and the area across.
    let (center, along, volume, turn) = match *shape {
        Shape::Sphere { center, radius } => {
            (DVec3::from_array(center), DVec3::Z, 4.0 / 3.0 * PI * radius * radius * radius, DQuat::IDENTITY)
        }
        Shape::Capsule { from, to, radius } => {
            let (from, to) = (DVec3::from_array(from), DVec3::from_array(to));
            let along = (to - from).normalize_or(DVec3::Z);
            let volume = PI * radius * radius * ((to - from).length() + 4.0 / 3.0 * radius);
            (0.5 * (from + to), along, volume, DQuat::from_rotation_arc(DVec3::Z, along))
        }
        Shape::Box { center, half_extents, orientation } => {
            let turn = quaternion(orientation);
            let longest = (0..3).max_by(|&a, &b| half_extents[a].total_cmp(&half_extents[b])).unwrap_or(2);
            let along = turn * DVec3::AXES[longest];
            (DVec3::from_array(center), along, 8.0 * half_extents.iter().product::<f64>(), turn)
        }
    };
    let half_length = half_along(shape, along);
    match kind {
        ShapeKind::Sphere => Shape::Sphere { center: center.to_array(), radius: libm::cbrt(0.75 * volume / PI) },
        ShapeKind::Box => match shape {
            Shape::Box { .. } => shape.clone(),
            _ => {
                // As long as it is, less what round ends lack.
                let half = (0.9 * half_length).min(libm::cbrt(volume));
                let across = 0.5 * (volume / (2.0 * half)).sqrt();
                Shape::Box { center: center.to_array(), half_extents: [across, across, half], orientation: wxyz(turn) }
            }
        },
        ShapeKind::Capsule => match shape {
            Shape::Capsule { .. } => shape.clone(),
            _ => {
                let mut radius = capsule_radius(volume, 2.0 * half_length);
                let mut half = half_length - radius;
                if half < SHORT * radius {
                    // What is as wide as long becomes a little longer than wide.
                    radius = SLIM * libm::cbrt(0.75 * volume / PI);
                    half = 0.5 * volume / (PI * radius * radius) - 2.0 / 3.0 * radius;
                }
                let reach = half * along;
                Shape::Capsule { from: (center - reach).to_array(), to: (center + reach).to_array(), radius }
            }
        },
    }
}

/// Half of a shape's length along a direction through its middle.
fn half_along(shape: &Shape, along: DVec3) -> f64 {
    match *shape {
        Shape::Sphere { radius, .. } => radius,
        Shape::Capsule { from, to, radius } => {
            0.5 * (DVec3::from_array(to) - DVec3::from_array(from)).length() + radius
        }
        Shape::Box { half_extents, orientation, .. } => {
            let turn = quaternion(orientation);
            (0..3).map(|k| half_extents[k] * (turn * DVec3::AXES[k]).dot(along).abs()).sum()
        }
    }
}

/// The radius of a capsule of that volume and whole length: `V = π r² (L − 2r + 4r/3)`, by bisection; half of the length where even a ball is less.
fn capsule_radius(volume: f64, length: f64) -> f64 {
    let of = |radius: f64| PI * radius * radius * (length - 2.0 / 3.0 * radius);
    let (mut low, mut high) = (0.0, 0.5 * length);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if of(middle) < volume { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cover::test_skins::{skeleton, tube_skin};
    use crate::project::CharacterProject;
    use crate::{Edit, ModelOptions, cover, model};

    fn volume(shape: &Shape) -> f64 {
        match *shape {
            Shape::Sphere { radius, .. } => 4.0 / 3.0 * PI * radius * radius * radius,
            Shape::Box { half_extents: [x, y, z], .. } => 8.0 * x * y * z,
            Shape::Capsule { from, to, radius } => {
                PI * radius * radius * ((DVec3::from_array(to) - DVec3::from_array(from)).length() + 4.0 / 3.0 * radius)
            }
        }
    }

    #[test]
    fn another_kind_is_as_large_and_lies_alike() {
        let capsule = Shape::Capsule { from: [0.1, 0.0, 0.0], to: [0.1, 0.3, 0.4], radius: 0.06 };
        for kind in [ShapeKind::Box, ShapeKind::Sphere] {
            let other = as_kind(&capsule, kind);
            assert!((volume(&other) / volume(&capsule) - 1.0).abs() < 1e-9, "{other:?}");
            let back = as_kind(&other, ShapeKind::Capsule);
            assert!((volume(&back) / volume(&capsule) - 1.0).abs() < 0.06, "{back:?}");
        }
        let Shape::Capsule { from, to, .. } = as_kind(&as_kind(&capsule, ShapeKind::Box), ShapeKind::Capsule) else {
            panic!("a capsule")
        };
        let along = (DVec3::from_array(to) - DVec3::from_array(from)).normalize();
        assert!(along.dot(DVec3::new(0.0, 0.6, 0.8)).abs() > 0.999, "{along}");
        assert_eq!(as_kind(&capsule, ShapeKind::Capsule), capsule);
    }

    #[test]
    fn a_body_that_misses_its_skin_fills_it_again() {
        let rings: Vec<(DVec3, f64, u32)> =
            (0..=10).map(|k| (DVec3::new(0.0, 0.0, 1.0 - 0.1 * f64::from(k)), 0.08, u32::from(k > 5))).collect();
        let tube = tube_skin(&rings);
        let skeleton = skeleton(&[("hip", None, [0.0, 0.0, 1.0]), ("knee", Some(0), [0.0, 0.0, -0.5])], vec![tube]);
        let options = ModelOptions { name: "leg".into(), ..ModelOptions::default() };
        let mut project = CharacterProject::new(model(&skeleton, &[], &options).unwrap(), &options);
        let wrong = vec![Shape::Sphere { center: [0.3, 0.0, 0.0], radius: 0.05 }];
        project.edit(Edit::SetShapes { body: "knee".into(), shapes: wrong }).unwrap();
        let covered = |project: &CharacterProject| {
            let found = cover(project.character(), project.binding(), &skeleton).expect("a skin");
            found.bodies.iter().find(|b| b.body == "knee").and_then(|b| b.covered).unwrap_or(0.0)
        };
        assert!(covered(&project) < 0.1, "the test tells nothing");
        for kind in [None, Some(ShapeKind::Capsule), Some(ShapeKind::Box)] {
            let shapes = refit(project.character(), project.binding(), &skeleton, "knee", kind).expect("a fit");
            let mut refitted = project.clone();
            refitted.edit(Edit::SetShapes { body: "knee".into(), shapes }).unwrap();
            assert!(covered(&refitted) > 0.6, "{kind:?}: {}", covered(&refitted));
        }
        assert!(refit(project.character(), project.binding(), &skeleton, "nobody", None).is_none());
    }
}
