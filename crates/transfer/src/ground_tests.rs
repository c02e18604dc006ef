use super::*;
use crate::test_figure as figure;
use sinew_sim::{Ground, JointKind, Scene};

/// Lowest point of a body with a shape, in a pose.
fn lowest(shapes: Vec<Shape>, position: [f64; 3], orientation: [f64; 4]) -> Option<[f64; 3]> {
    let model = figure::model(JointKind::Free);
    let mut position = [position.to_vec(), orientation.to_vec()].concat();
    position.extend_from_slice(&model.rest_position()[7..]);
    let measured = Measured::new(&model, &position, &vec![0.0; model.velocity_count()], [0.0; 3]);
    let mut body = model.bodies()[0].clone();
    body.shapes = shapes;
    lowest_of(&body, &measured.bodies[0])
}

#[track_caller]
fn is_at(found: Option<[f64; 3]>, expected: [f64; 3]) {
    let found = found.expect("a point");
    assert!((0..3).all(|k| (found[k] - expected[k]).abs() < 1e-12), "{found:?} instead of {expected:?}");
}

const UPRIGHT: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
/// A quarter turn about x: y becomes z.
const ON_ITS_SIDE: [f64; 4] = [std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0];

#[test]
fn the_lowest_point_of_a_ball_is_a_radius_below_its_centre() {
    let ball = || vec![Shape::Sphere { center: [0.1, 0.2, 0.3], radius: 0.05 }];
    is_at(lowest(ball(), [1.0, 2.0, 3.0], UPRIGHT), [1.1, 2.2, 3.25]);
    is_at(lowest(ball(), [1.0, 2.0, 3.0], ON_ITS_SIDE), [1.1, 1.7, 3.15]);
}

#[test]
fn the_lowest_point_of_a_capsule_is_below_its_lower_end() {
    let capsule = |from, to| vec![Shape::Capsule { from, to, radius: 0.1 }];
    let (high, low) = ([0.1, 0.0, 0.4], [0.3, 0.0, -0.2]);
    is_at(lowest(capsule(high, low), [0.0; 3], UPRIGHT), [0.3, 0.0, -0.3]);
    is_at(lowest(capsule(low, high), [0.0; 3], UPRIGHT), [0.3, 0.0, -0.3]);
}

#[test]
fn the_lowest_point_of_a_box_is_a_corner() {
    let boxed = |orientation: [f64; 4]| {
        vec![Shape::Box { center: [0.5, 0.6, 0.7], half_extents: [0.1, 0.2, 0.3], orientation }]
    };
    let found = lowest(boxed(UPRIGHT), [0.0; 3], UPRIGHT).expect("a point");
    assert!((found[2] - 0.4).abs() < 1e-12 && (found[0] - 0.5).abs() - 0.1 < 1e-12);
    // On its side in its body, its y is up.
    assert!((lowest(boxed(ON_ITS_SIDE), [0.0; 3], UPRIGHT).expect("a point")[2] - 0.5).abs() < 1e-12);
    // Turned by 0.6 about an axis that is none of its own: of all eight corners the lowest, by Rodrigues' formula.
    let (axis, angle) = ([0.48, 0.6, -0.64], 0.6);
    let (s, c) = (libm::sin(angle), libm::cos(angle));
    let half = libm::sin(0.5 * angle);
    let turn = [libm::cos(0.5 * angle), half * axis[0], half * axis[1], half * axis[2]];
    let mut wanted = [0.0, 0.0, f64::INFINITY];
    for (x, y, z) in (0..8).map(|k| ([-0.1, 0.1][k & 1], [-0.2, 0.2][k >> 1 & 1], [-0.3, 0.3][k >> 2])) {
        let along = (1.0 - c) * (axis[0] * x + axis[1] * y + axis[2] * z);
        let corner = [
            0.5 + c * x + s * (axis[1] * z - axis[2] * y) + along * axis[0],
            0.6 + c * y + s * (axis[2] * x - axis[0] * z) + along * axis[1],
            0.7 + c * z + s * (axis[0] * y - axis[1] * x) + along * axis[2],
        ];
        if corner[2] < wanted[2] {
            wanted = corner;
        }
    }
    is_at(lowest(boxed(turn), [0.0; 3], UPRIGHT), wanted);
}

#[test]
fn a_body_without_shapes_has_no_lowest_point() {
    assert_eq!(lowest(Vec::new(), [0.0; 3], UPRIGHT), None);
}

#[test]
fn a_figure_is_as_high_as_its_bodies_together() {
    let model = figure::model(JointKind::Free);
    // From its sole to the top of its trunk: 1 + 0.3 m.
    assert!((extent(&model, model.rest_position()) - 1.3).abs() < 1e-12);
    // An arm straight up ends 1 + 0.2 + 0.5 + 0.05 m above the sole.
    let up = figure::moved(&model, &figure::row(&[(figure::ARM[1], std::f64::consts::PI), (2, 5.0)]));
    assert!((extent(&model, &up) - 1.75).abs() < 1e-9);
    // With its leg straight up, from the round end of that, 0.38 m below the root, to its sole 0.4 m above.
    let up = figure::moved(&model, &figure::row(&[(figure::LEG[1], std::f64::consts::PI)]));
    assert!((extent(&model, &up) - 0.78).abs() < 1e-9);
}

#[test]
fn heights_are_counted_from_the_ground() {
    let scene = Scene::on_ground(figure::figure(JointKind::Free));
    let raised = Ground { height: 0.25, ..Ground::default() };
    let model = Model::new(&Scene { ground: Some(raised), ..scene.clone() }, figure::DT).expect("a model");
    let at = figure::moved(&model, &figure::row(&[(2, 0.35)]));
    assert!((lowest_point(&model, &at) - 0.1).abs() < 1e-12);
    let floating = Model::new(&Scene { ground: None, ..scene }, figure::DT).expect("a model");
    assert!((lowest_point(&floating, &at) - 0.35).abs() < 1e-12);
}
