use super::*;
use crate::test_figure::{self as figure, ARM, DRIVEN, EFFECTORS, HIP, LEG, ROOT_HEIGHT, SPEEDS, row};
use sinew_sim::JointKind;
use sinew_sim::rotation::quaternion_product;

const WEIGHTS: Weights = Weights { height: 2.0, position: 3.0, orientation: 5.0, pose: 7.0, effectors: 11.0 };
const NONE: Extras = Extras {
    center_velocity: 0.0,
    root_spin: 0.0,
    joint_velocity: 0.0,
    foot_velocity: 0.0,
    sliding: 0.0,
    offsets: 0.0,
};

/// Terms of the rest pose moved along `way`, against frame 3 of a figure that stands still.
fn terms(way: &[(usize, f64)]) -> Terms {
    let target = figure::standing();
    let position = figure::moved(&target.model, &row(way));
    let batch = figure::observed(&target.model, &position, &[0.0; SPEEDS]);
    Seen::with(&target, &batch.world(0), |seen| seen.terms(&target, 3, &WEIGHTS))
}

/// Cost of a velocity in the rest pose, lifted by so much, against a figure that stands still.
fn velocity_cost(lift: f64, velocity: &[(usize, f64)], extras: Extras) -> f64 {
    let target = figure::standing();
    let position = figure::moved(&target.model, &row(&[(2, lift)]));
    let batch = figure::observed(&target.model, &position, &row(velocity));
    Seen::with(&target, &batch.world(0), |seen| seen.velocity_cost(&target, 3, &extras))
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-5 * (1e-3 + expected.abs())
}

#[track_caller]
fn same(found: Terms, expected: Terms) {
    let numbers = |t: Terms| [t.height, t.position, t.orientation, t.pose, t.effectors];
    let are_near = numbers(found).into_iter().zip(numbers(expected)).all(|(a, b)| near(a, b));
    assert!(are_near, "{found:?} instead of {expected:?}");
}

/// Square of the way of a point at an arm (two numbers across the axis) that turns by an angle: a chord.
fn chord_squared(angle: f64, [a, b]: [f64; 2]) -> f64 {
    4.0 * libm::sin(0.5 * angle) * libm::sin(0.5 * angle) * (a * a + b * b)
}

#[test]
fn a_pose_as_drawn_costs_nothing() {
    same(terms(&[]), Terms::default());
}

#[test]
fn a_root_that_is_elsewhere_costs_height_position_and_effectors() {
    let square = 0.1 * 0.1 + 0.2 * 0.2 + 0.05 * 0.05;
    let expected =
        Terms { height: 2.0 * 0.05 * 0.05, position: 3.0 * square, effectors: 11.0 * square, ..Terms::default() };
    same(terms(&[(0, 0.1), (1, -0.2), (2, 0.05)]), expected);
}

#[test]
fn a_root_that_is_turned_costs_the_square_of_its_angle() {
    for (axis, across) in [(0, [1, 2]), (1, [0, 2]), (2, [0, 1])] {
        let far: f64 = EFFECTORS.iter().map(|arm| chord_squared(0.3, across.map(|k| arm[k]))).sum();
        let expected = Terms { orientation: 5.0 * 0.09, effectors: 11.0 * far / 3.0, ..Terms::default() };
        same(terms(&[(3 + axis, 0.3)]), expected);
    }
}

#[test]
fn joints_cost_the_mean_of_their_squared_angles() {
    let [foot, hand, _] = EFFECTORS;
    let far = chord_squared(0.2, [foot[0], foot[2] - HIP[2]]);
    let hinge = Terms { pose: 7.0 * 0.04 / 2.0, effectors: 11.0 * far / 3.0, ..Terms::default() };
    same(terms(&[(LEG[1], 0.2)]), hinge);
    let far = chord_squared(0.4, [0.0, hand[2] - 0.2]);
    let ball = Terms { pose: 7.0 * 0.16 / 2.0, effectors: 11.0 * far / 3.0, ..Terms::default() };
    same(terms(&[(ARM[1] + 1, 0.4)]), ball);
}

#[test]
fn who_is_fixed_to_the_world_pays_for_joints_and_effectors_alone() {
    let model = figure::model(JointKind::Fixed);
    let position = [0.3, 1.0, 0.0, 0.0, 0.0];
    let clip: Vec<f64> = [0.0, 1.0, 0.0, 0.0, 0.0].repeat(9);
    let input = crate::ClipInput { name: "still", rate_hz: 40.0, positions: &clip };
    let target = Target::new(&model, &input).expect("a target");
    let batch = figure::observed(&model, &position, &[2.0, 0.0, 0.0, 0.0]);
    Seen::with(&target, &batch.world(0), |seen| {
        let far = chord_squared(0.3, [EFFECTORS[0][0], EFFECTORS[0][2] - HIP[2]]);
        let expected = Terms { pose: 7.0 * 0.09 / 2.0, effectors: 11.0 * far / 3.0, ..Terms::default() };
        same(seen.terms(&target, 3, &WEIGHTS), expected);
        let extras = Extras { joint_velocity: 3.0, root_spin: 100.0, ..NONE };
        assert!(near(seen.velocity_cost(&target, 3, &extras), 3.0 * 4.0 / 4.0));
        assert!(!seen.has_fallen(&target, 3), "there is nowhere to fall to");
    });
}

#[test]
fn terms_are_added_and_scaled_one_by_one() {
    let one = Terms { height: 1.0, position: 2.0, orientation: 4.0, pose: 8.0, effectors: 16.0 };
    assert_eq!(one.total(), 31.0);
    let twice = Terms { height: 3.0, position: 6.0, orientation: 12.0, pose: 24.0, effectors: 48.0 };
    assert_eq!(one.scaled(3.0), twice);
    let mut sum = one.scaled(2.0);
    sum.add(&one);
    assert_eq!(sum, twice);
}

#[test]
fn the_centre_of_mass_pays_for_its_velocity() {
    let extras = Extras { center_velocity: 2.0, ..NONE };
    let found = velocity_cost(0.0, &[(0, 0.3), (1, 0.4), (2, -1.2)], extras);
    assert!(near(found, 2.0 * 1.69), "{found}");
}

#[test]
fn the_root_pays_for_its_spin_about_every_axis() {
    let extras = Extras { root_spin: 3.0, ..NONE };
    let found = velocity_cost(0.0, &[(0, 5.0), (3, 0.5), (4, 0.6), (5, 0.7), (6, 5.0)], extras);
    assert!(near(found, 3.0 * (0.25 + 0.36 + 0.49)), "{found}");
}

#[test]
fn joints_pay_for_the_mean_square_of_their_speeds() {
    let extras = Extras { joint_velocity: 5.0, ..NONE };
    let found = velocity_cost(0.0, &[(5, 9.0), (LEG[1], 1.0), (ARM[1], 2.0), (ARM[1] + 2, 3.0)], extras);
    assert!(near(found, 5.0 * (1.0 + 4.0 + 9.0) / DRIVEN as f64), "{found}");
}

#[test]
fn a_foot_that_stands_pays_for_its_level_velocity_alone() {
    let extras = Extras { foot_velocity: 7.0, ..NONE };
    let sliding = [(0, 0.3), (1, 0.4), (2, 0.5)];
    let on_the_ground = velocity_cost(0.0, &sliding, extras);
    assert!(near(on_the_ground, 7.0 * 0.25), "{on_the_ground}");
    let a_little_above = velocity_cost(0.015, &sliding, extras);
    assert!((a_little_above - 7.0 * 0.125).abs() < 1e-4, "{a_little_above}");
    assert!(velocity_cost(0.3, &sliding, extras) < 1e-4, "in the air");
    // The foot stays where it is while the trunk turns about it: 1 m above it at one radian a second.
    assert!(velocity_cost(0.0, &[(0, 1.0), (4, 1.0)], extras) < 1e-5);
    // The other way round it slides twice as fast, one metre below the root.
    let found = velocity_cost(0.0, &[(0, -1.0), (4, 1.0)], extras);
    assert!(near(found, 7.0 * 4.0), "{found}");
}

#[test]
fn velocities_are_compared_with_those_of_their_frame() {
    // The root speeds up along x, by 0.5 m/s in every frame.
    let model = figure::model(JointKind::Free);
    let target = figure::motion(&model, 9, |frame| row(&[(0, 0.5 * 0.025 * 0.5 * (frame * frame) as f64)]));
    let extras = Extras { center_velocity: 2.0, ..NONE };
    let batch = figure::observed(&model, target.position(4), &row(&[(0, 2.25)]));
    let found = Seen::with(&target, &batch.world(0), |seen| seen.velocity_cost(&target, 4, &extras));
    assert!(near(found, 2.0 * 0.25 * 0.25), "{found}");
}

#[test]
fn an_effector_stands_the_less_the_higher_it_is() {
    assert_eq!(planted(None, 0.0), 0.0);
    assert_eq!([0.04, 0.05].map(|height| planted(Some(0.05), height)), [1.0; 2], "on the ground and in it");
    assert!((planted(Some(0.05), 0.065) - 0.5).abs() < 1e-12);
    assert!((planted(Some(0.05), 0.080) - 1.0 / 17.0).abs() < 1e-12);
}

fn about(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let s = libm::sin(angle / 2.0);
    [libm::cos(angle / 2.0), s * axis[0], s * axis[1], s * axis[2]]
}

#[test]
fn tilts_are_compared_whatever_the_heading() {
    for base in [[1.0, 0.0, 0.0, 0.0], about([0.6, 0.0, 0.8], 0.7), about([0.0, 0.6, 0.8], -0.9)] {
        for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, -0.8, 0.0]] {
            for (angle, heading) in [(0.3, 0.0), (-1.0, 0.0), (1.1, 2.0), (-2.5, -1.0)] {
                // Tilted about a level axis of the world, then turned about the vertical.
                let turn = about([0.0, 0.0, 1.0], heading);
                let tilted = quaternion_product(turn, quaternion_product(about(axis, angle), base));
                let found = tilt_cosine(&tilted, &base);
                assert!((found - libm::cos(angle)).abs() < 1e-12, "{base:?} {axis:?} {angle}: {found}");
            }
        }
    }
}

#[test]
fn a_root_that_is_tilted_by_sixty_degrees_has_fallen() {
    let target = figure::standing();
    let limit = std::f64::consts::FRAC_PI_3;
    let tilted = |angle: f64| falls(&target, &[(3, angle)]);
    assert!(!tilted(limit - 0.01).0 && tilted(limit + 0.01).0);
    assert!(!falls(&target, &[(5, 3.0)]).0, "turned about the vertical");
    assert!(falls(&target, &[(2, f64::NAN)]).0, "not a number");
}

/// Whether the rest pose moved along `way` has fallen at frame 8 of a motion, and its centre of mass over the drawn one's.
fn falls(target: &Target, way: &[(usize, f64)]) -> (bool, f64) {
    falls_at(target, 8, way)
}

/// Whether the rest pose moved along `way` has fallen at a frame of a motion, and its centre of mass over the drawn one's.
fn falls_at(target: &Target, frame: usize, way: &[(usize, f64)]) -> (bool, f64) {
    let batch = figure::observed(&target.model, &figure::moved(&target.model, &row(way)), &[0.0; SPEEDS]);
    let [is, was] = [batch.world(0).measure(), {
        let drawn = figure::observed(&target.model, target.position(frame), &[0.0; SPEEDS]);
        drawn.world(0).measure()
    }]
    .map(|measured| measured.center_of_mass[2]);
    (Seen::with(target, &batch.world(0), |seen| seen.has_fallen(target, frame)), is / was)
}

#[test]
fn a_root_below_half_its_height_has_fallen() {
    // With its leg up in the air, the centre of mass stays high enough.
    let target = figure::standing();
    let lowered = |height: f64| falls(&target, &[(2, height - ROOT_HEIGHT), (LEG[1], 3.0), (ARM[1], 3.0)]);
    let (above, below) = (lowered(0.51), lowered(0.49));
    assert!(above.1 > 0.6 && below.1 > 0.6, "{above:?} {below:?}");
    assert!(!above.0 && below.0);
}

#[test]
fn a_centre_of_mass_below_three_fifths_has_fallen() {
    let target = figure::standing();
    let height =
        figure::observed(&target.model, target.position(8), &[0.0; SPEEDS]).world(0).measure().center_of_mass[2];
    let lowered = |share: f64| falls(&target, &[(2, (share - 1.0) * height)]);
    let (above, below) = (lowered(0.61), lowered(0.59));
    assert!(!above.0 && below.0, "{above:?} {below:?}");
    // The root is still above half its height.
    assert!(ROOT_HEIGHT - 0.41 * height > 0.5);
}

#[test]
fn what_should_be_highest_below_half_its_height_has_fallen() {
    // The hand is up, above the head: 1.2 + 0.5 m; half of that is 0.85 m, and an arm that hangs has its hand at 0.7 m.
    let raised = |_: usize| row(&[(ARM[1], std::f64::consts::PI)]);
    let target = figure::motion(&figure::model(JointKind::Free), 9, raised);
    let at = |height: f64| libm::acos((1.2 - height) / 0.5);
    assert!(!falls(&target, &[(ARM[1], at(0.86))]).0);
    assert!(falls(&target, &[(ARM[1], at(0.84))]).0);
    // Where it began lower, that counts: it was at 0.7 m.
    let rising = |frame: usize| row(&[(ARM[1], std::f64::consts::PI * frame.min(8) as f64 / 8.0)]);
    let target = figure::motion(&figure::model(JointKind::Free), 25, rising);
    assert!(!falls_at(&target, 20, &[]).0);
    // With its leg up, its centre of mass stays high enough.
    let sunk = |depth: f64| falls_at(&target, 20, &[(2, -depth), (LEG[1], 3.0)]).0;
    assert!(!sunk(0.34) && sunk(0.36), "half of 0.7 m below where it began");
}

#[test]
fn who_cannot_hover_has_not_fallen() {
    // The target rises by two metres; who stays behind stands.
    let model = figure::model(JointKind::Free);
    let target = figure::motion(&model, 9, |frame| row(&[(2, 0.25 * frame as f64)]));
    assert!(!falls(&target, &[]).0);
    // The target lies down by 0.7 m; who is as low has not fallen, though it is below half of where it began.
    let target = figure::motion(&model, 9, |frame| row(&[(2, -0.7 * frame as f64 / 8.0)]));
    assert!(!falls(&target, &[(2, -0.7)]).0);
}

#[test]
fn who_lies_down_a_fifth_of_a_second_early_or_late_has_not_fallen() {
    // The target sinks by 0.7 m from frame 20 to frame 21, and comes up again from frame 40 to frame 41.
    let model = figure::model(JointKind::Free);
    let low = |frame: usize| row(&[(2, if (21..=40).contains(&frame) { -0.7 } else { 0.0 })]);
    let target = figure::motion(&model, 61, low);
    let sunk = figure::observed(&model, &figure::moved(&model, &row(&[(2, -0.7)])), &[0.0; SPEEDS]);
    let falls = |frame: usize| Seen::with(&target, &sunk.world(0), |seen| seen.has_fallen(&target, frame));
    let fallen: Vec<usize> = (0..61).filter(|&frame| falls(frame)).collect();
    assert_eq!(fallen, (0..13).chain(49..61).collect::<Vec<_>>());
}

#[test]
fn a_figure_that_is_drawn_lying_does_not_fall() {
    let model = figure::model(JointKind::Free);
    let rest = figure::observed(&model, model.rest_position(), &[0.0; SPEEDS]);
    let center = rest.world(0).measure().center_of_mass[2];
    // 0.15 of 1.3 m.
    let limit = 0.195;
    let rolled = |height: f64| {
        let lying = figure::motion(&model, 9, |_| row(&[(2, height - center)]));
        falls(&lying, &[(2, height - center), (3, 2.0)]).0
    };
    assert!(!rolled(limit - 0.01) && rolled(limit + 0.01));
}
