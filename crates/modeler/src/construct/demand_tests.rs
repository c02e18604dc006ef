//! Loads whose torques are known.

use super::*;
use sinew_sim::JointKind;

const HEIGHT: f64 = 1.0;

fn part(parent: Option<usize>) -> Part {
    Part::new(0, parent, super::super::anatomy::Role::Limb)
}

fn joint(kind: JointKind, axis: Option<[f64; 3]>) -> Joint {
    Joint {
        name: "j".into(),
        kind,
        parent: Some("a".into()),
        child: "b".into(),
        position: [0.0; 3],
        orientation: [1.0, 0.0, 0.0, 0.0],
        axis,
        limits: None,
        kp: 1.0,
        kd: 1.0,
        torque_limit: None,
        armature: 0.0,
    }
}

fn still(mass: f64, origin: DVec3, center: DVec3) -> Moving {
    Moving { origin, turn: DQuat::IDENTITY, center, force: mass * GRAVITY * DVec3::Z, spin: DVec3::ZERO }
}

fn sole(part: usize, x: f64, y: f64) -> Touch {
    Touch { part, middle: DVec3::new(x, y, 0.0), reach: 0.05, lowest: 0.0, is_sole: true }
}

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{found} is not {expected}");
}

#[test]
fn what_hangs_in_the_air_is_held_by_its_weight_and_its_spin() {
    let parts = [part(None), part(Some(0)), part(Some(1))];
    let joints = vec![joint(JointKind::Ball, None); 3];
    let mut bodies = vec![
        still(50.0, DVec3::ZERO, DVec3::ZERO),
        still(2.0, DVec3::Z, DVec3::new(0.3, 0.0, 1.0)),
        still(1.0, DVec3::new(0.6, 0.0, 1.0), DVec3::new(0.7, 0.0, 1.0)),
    ];
    let held = torques(&parts, &joints, &bodies, &[], 53.0 * GRAVITY, HEIGHT);
    assert_near(held[2], 0.1 * GRAVITY);
    assert_near(held[1], (2.0 * 0.3 + 0.7) * GRAVITY);
    // Weight at x turns about −y; a spin about −y adds to it, and one about z is at a right angle.
    bodies[2].spin = DVec3::new(0.0, -4.0, 3.0);
    let turned = torques(&parts, &joints, &bodies, &[], 53.0 * GRAVITY, HEIGHT);
    assert_near(turned[2], (0.1 * GRAVITY + 4.0).hypot(3.0));
    // A hinge bears what is across its axis, whichever way its parent is turned.
    let hinge = vec![joint(JointKind::Hinge, Some([0.0, 0.0, 1.0])); 3];
    assert_near(torques(&parts, &hinge, &bodies, &[], 53.0 * GRAVITY, HEIGHT)[2], 3.0);
    bodies[1].turn = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    assert_near(torques(&parts, &hinge, &bodies, &[], 53.0 * GRAVITY, HEIGHT)[2], 0.1 * GRAVITY + 4.0);
}

#[test]
fn a_leg_bears_what_stands_on_it() {
    // A foot of 1 kg under 40 kg whose centre is 0.03 m before the ankle; the ground presses below the whole's centre.
    let parts = [part(None), part(Some(0))];
    let joints = vec![joint(JointKind::Ball, None); 2];
    let bodies = [
        still(40.0, DVec3::Z, DVec3::new(0.03, 0.0, 1.0)),
        still(1.0, DVec3::new(0.0, 0.0, 0.1), DVec3::new(0.0, 0.0, 0.05)),
    ];
    let borne = torques(&parts, &joints, &bodies, &[sole(1, 0.0, 0.0)], 41.0 * GRAVITY, HEIGHT);
    assert_near(borne[1], 40.0 * 0.03 * GRAVITY);
    // A figure that leans too far is not held beyond its toes.
    let leaning =
        [still(40.0, DVec3::Z, DVec3::new(0.5, 0.0, 1.0)), still(1.0, DVec3::new(0.0, 0.0, 0.1), DVec3::ZERO)];
    let borne = torques(&parts, &joints, &leaning, &[sole(1, 0.0, 0.0)], 41.0 * GRAVITY, HEIGHT);
    assert_near(borne[1], 41.0 * 0.05 * GRAVITY);
    // In the air the foot's own weight is all, however the rest was drawn.
    let mut falling = bodies;
    falling[0].force.z = 0.1 * 40.0 * GRAVITY;
    let borne = torques(&parts, &joints, &falling, &[sole(1, 0.0, 0.0)], 41.0 * GRAVITY, HEIGHT);
    assert_near(borne[1], 0.0);
}

#[test]
fn feet_share_the_load_by_where_it_is() {
    let shares = |x: f64, y: f64, touches: &[Touch]| -> Vec<f64> {
        let bodies = [still(10.0, DVec3::ZERO, DVec3::new(x, y, 1.0))];
        pressed(&bodies, touches, bodies[0].force, 10.0 * GRAVITY, HEIGHT).into_iter().map(|p| p.2).collect()
    };
    let close = |found: Vec<f64>, expected: &[f64]| {
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-3), "{found:?} {expected:?}");
    };
    let two = [sole(0, 0.0, 0.1), sole(0, 0.0, -0.1)];
    close(shares(0.0, 0.0, &two), &[0.5, 0.5]);
    close(shares(0.0, 0.05, &two), &[0.75, 0.25]);
    close(shares(0.3, 0.2, &two), &[1.0, 0.0]);
    let four = [sole(0, 0.5, 0.1), sole(0, 0.5, -0.1), sole(0, -0.5, 0.1), sole(0, -0.5, -0.1)];
    close(shares(0.25, 0.0, &four), &[0.375, 0.375, 0.125, 0.125]);
    // What else is low bears only where the soles do not reach.
    let tail = [sole(0, 0.0, 0.0), Touch { is_sole: false, reach: 0.0, ..sole(0, -1.0, 0.0) }];
    close(shares(0.02, 0.0, &tail), &[1.0]);
    close(shares(-0.4, 0.0, &tail), &[0.6, 0.4]);
    // A foot that is lifted bears nothing.
    let lifted = [sole(0, 0.0, 0.1), Touch { lowest: 0.2, ..sole(0, 0.0, -0.1) }];
    close(shares(0.0, 0.0, &lifted), &[1.0]);
}

#[test]
fn ends_of_shapes_are_their_lowest_points() {
    let turned = [libm::sqrt(0.5), 0.0, libm::sqrt(0.5), 0.0];
    let shapes = [
        Shape::Sphere { center: [1.0, 2.0, 3.0], radius: 0.5 },
        Shape::Capsule { from: [0.0, 0.0, -1.0], to: [0.3, 0.0, 1.0], radius: 0.2 },
        Shape::Box { center: [0.0, 0.1, 0.0], half_extents: [0.4, 0.2, 0.1], orientation: turned },
    ];
    for shape in &shapes {
        let least = ends(shape).iter().map(|(p, r)| p.z - r).fold(f64::INFINITY, f64::min);
        assert_near(least, crate::frames::lowest(shape, DVec3::Z));
    }
}
