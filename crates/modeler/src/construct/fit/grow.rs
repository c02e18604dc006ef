//! Shapes that lie well inside the skin and cover too little of it grow a little.

use crate::construct::anatomy::Role;
use crate::construct::draft::Part;
use crate::cover::{Cover, GOOD_COVER, GOOD_OUTSIDE};
use sinew_sim::Shape;

/// Factor on radii and half extents in each step, and most steps: 12 % in all.
const STEP: f64 = 1.02;
const MOST_STEPS: i32 = 6;

/// Lets the shapes of trunk, neck, head and tail grow until the whole is covered as a good fit is, or as far as no more lies outside than that
/// allows. Legs and arms keep theirs: feet and knees would touch the ground with them.
pub(super) fn grow(parts: &mut [Part], measure: &dyn Fn(&[Part]) -> Cover) {
    let grows: Vec<bool> = parts
        .iter()
        .map(|part| matches!(part.role, Role::Trunk | Role::Neck | Role::Head | Role::Tail) && !part.carries_sole)
        .collect();
    let first: Vec<Vec<Shape>> = parts.iter().map(|part| part.shapes.clone()).collect();
    let sized = |parts: &mut [Part], factor: f64| {
        for ((part, shapes), _) in parts.iter_mut().zip(&first).zip(&grows).filter(|(_, grows)| **grows) {
            part.shapes = shapes.iter().map(|shape| swollen(shape, factor)).collect();
        }
    };
    for step in 1..=MOST_STEPS {
        if measure(parts).covered >= GOOD_COVER {
            return;
        }
        sized(parts, STEP.powi(step));
        if measure(parts).outside > GOOD_OUTSIDE {
            return sized(parts, STEP.powi(step - 1));
        }
    }
}

/// A shape of another thickness.
fn swollen(shape: &Shape, factor: f64) -> Shape {
    let mut shape = shape.clone();
    match &mut shape {
        Shape::Sphere { radius, .. } | Shape::Capsule { radius, .. } => *radius *= factor,
        Shape::Box { half_extents, .. } => half_extents.iter_mut().for_each(|x| *x *= factor),
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball(role: Role) -> Part {
        Part { shapes: vec![Shape::Sphere { center: [0.0; 3], radius: 1.0 }], ..Part::new(0, None, role) }
    }

    fn radius(part: &Part) -> f64 {
        match part.shapes[..] {
            [Shape::Sphere { radius, .. }] => radius,
            ref other => panic!("{other:?}"),
        }
    }

    fn cover(covered: f64, outside: f64) -> Cover {
        Cover { covered, outside, skin_volume_m3: 1.0, bodies: Vec::new() }
    }

    #[test]
    fn what_covers_too_little_grows_until_it_covers_enough() {
        let mut parts = vec![ball(Role::Trunk), ball(Role::Limb), Part { carries_sole: true, ..ball(Role::Tail) }];
        grow(&mut parts, &|_| cover(0.8, 0.0));
        assert_eq!(radius(&parts[0]), 1.0, "it covers enough");
        // Enough from 1.05 on, which the third step reaches.
        grow(&mut parts, &|parts| cover(if radius(&parts[0]) > 1.05 { 0.81 } else { 0.79 }, 0.1));
        assert!((radius(&parts[0]) - 1.02f64.powi(3)).abs() < 1e-12, "{}", radius(&parts[0]));
        assert_eq!([radius(&parts[1]), radius(&parts[2])], [1.0; 2], "limbs and what stands");
        let mut never = vec![ball(Role::Head)];
        grow(&mut never, &|_| cover(0.1, 0.1));
        assert!((radius(&never[0]) - 1.02f64.powi(6)).abs() < 1e-12, "not without end");
    }

    #[test]
    fn nothing_grows_too_far_outside() {
        let mut parts = vec![ball(Role::Neck)];
        grow(&mut parts, &|parts| cover(0.5, if radius(&parts[0]) > 1.03 { 0.151 } else { 0.149 }));
        assert!((radius(&parts[0]) - 1.02).abs() < 1e-12, "{}", radius(&parts[0]));
    }

    #[test]
    fn capsules_and_boxes_grow_thicker() {
        let capsule = Shape::Capsule { from: [0.0; 3], to: [1.0, 0.0, 0.0], radius: 0.5 };
        let thicker = Shape::Capsule { from: [0.0; 3], to: [1.0, 0.0, 0.0], radius: 0.75 };
        assert_eq!(swollen(&capsule, 1.5), thicker);
        let grown = |shape: Shape| swollen(&shape, 2.0);
        let block =
            |half_extents: [f64; 3]| Shape::Box { center: [1.0; 3], half_extents, orientation: [1.0, 0.0, 0.0, 0.0] };
        assert_eq!(grown(block([0.1, 0.2, 0.3])), block([0.2, 0.4, 0.6]));
    }
}
