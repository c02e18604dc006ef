use super::*;
use crate::performance::Moment as Recorded;
use crate::test_figure::{self as figure, ARM, DRIVEN, LEG, SPEEDS, row};
use std::f64::consts::FRAC_PI_2;

/// Height of the figure: its foot at the ground, its trunk's top at 1.3 m.
const SIZE: f64 = 1.3;
const FRAMES: usize = 41;

/// A run of the figure, moved along a way from the rest pose at each frame, on the ground all the time.
fn run_of(model: &Model, way: impl Fn(usize) -> [f64; SPEEDS]) -> Performance {
    run_with(model, way, |_| vec![standing(model, "leg", 1.0)])
}

fn run_with(
    model: &Model,
    way: impl Fn(usize) -> [f64; SPEEDS],
    contacts: impl Fn(usize) -> Vec<ContactReading>,
) -> Performance {
    let moment = |frame: usize| Recorded {
        position: figure::moved(model, &way(frame)),
        velocity: vec![0.0; SPEEDS],
        contacts: contacts(frame),
        ..Recorded::default()
    };
    Performance {
        dt: FRAME_SECS,
        steps_per_frame: 1,
        moments: (0..FRAMES).map(moment).collect(),
        ..Performance::default()
    }
}

/// A share of the weight on a body.
fn standing(model: &Model, body: &str, share: f64) -> ContactReading {
    let force = [0.0, 0.0, share * model.weight()];
    let body = model.body(body).expect("a body");
    ContactReading { body, other: Touched::Ground, point: [0.0; 3], normal: [0.0, 0.0, 1.0], force }
}

fn still() -> Target {
    figure::motion(&figure::model(JointKind::Free), FRAMES, |_| [0.0; SPEEDS])
}

fn measured(target: &Target, run: &Performance) -> Fidelity {
    Fidelity::new(
        target,
        run,
        &Metrics { jerk_ratio: 1.0, foot_skate: 0.026, worst_skate: 0.0, contacts: 0, max_penetration: 0.013 },
    )
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-6 * (1.0 + expected.abs())
}

#[test]
fn what_does_as_it_was_drawn_is_not_off() {
    let target = still();
    let found = measured(&target, &run_of(target.model(), |_| [0.0; SPEEDS]));
    assert!(near(found.size_m, SIZE), "{}", found.size_m);
    // Slides and depths are those of the metrics, over the size.
    assert!(near(found.skate_percent, 2.0) && near(found.depth_percent, 1.0));
    let Fidelity { worst, .. } = &found;
    let all = [
        found.effectors_off_percent,
        found.pose_off_percent,
        found.joints_off_deg,
        found.tilt_off_deg,
        found.travel_off_percent,
        found.air_secs,
        found.drawn_air_secs,
        found.leaning_percent,
        worst.pose_off_percent,
        worst.tilt_off_deg,
        worst.leaning_percent,
    ];
    assert!(all.iter().all(|x| near(*x, 0.0)) && found.leans_on.is_none(), "{found:?}");
}

#[test]
fn a_figure_that_has_travelled_and_turned_holds_its_pose() {
    let target = still();
    // 0.13 m ahead, and a quarter turn about the vertical.
    let found = measured(&target, &run_of(target.model(), |_| row(&[(0, 0.13), (5, FRAC_PI_2)])));
    assert!(near(found.pose_off_percent, 0.0) && near(found.worst.pose_off_percent, 0.0), "{found:?}");
    assert!(found.effectors_off_percent > 10.0 && near(found.tilt_off_deg, 0.0) && near(found.joints_off_deg, 0.0));
    let ahead = measured(&target, &run_of(target.model(), |_| row(&[(0, 0.13)])));
    assert!(near(ahead.effectors_off_percent, 10.0) && near(ahead.travel_off_percent, 10.0), "{ahead:?}");
    // What is too low is off where it is.
    let sunk = measured(&target, &run_of(target.model(), |_| row(&[(2, -0.13)])));
    assert!(near(sunk.pose_off_percent, 10.0) && near(sunk.travel_off_percent, 0.0), "{sunk:?}");
}

#[test]
fn joints_are_off_by_their_angles() {
    let target = still();
    let bent = measured(&target, &run_of(target.model(), |_| row(&[(LEG[1], 0.3), (ARM[1], 0.4), (ARM[1] + 1, 0.3)])));
    // A hinge by 0.3 and a ball by 0.5 rad, two joints.
    assert!(near(bent.joints_off_deg, 0.4f64.to_degrees()), "{}", bent.joints_off_deg);
    assert_eq!(DRIVEN, 4);
    let tilted = measured(&target, &run_of(target.model(), |_| row(&[(4, 0.5)])));
    assert!(near(tilted.tilt_off_deg, 0.5f64.to_degrees()) && near(tilted.joints_off_deg, 0.0), "{tilted:?}");
}

#[test]
fn the_worst_quarter_of_a_second_is_told() {
    let target = still();
    // Ten frames, from the 20th on: 1.3 % too low for half a second in one run, for a quarter in the other.
    let low = |from: usize, to: usize| {
        run_of(target.model(), move |f| row(&[(2, if (from..to).contains(&f) { -0.13 } else { 0.0 })]))
    };
    let found = measured(&target, &low(20, 30));
    assert!(near(found.worst.pose_off_percent, 10.0) && near(found.worst.at_secs, 25.0 * FRAME_SECS), "{found:?}");
    assert!(near(found.pose_off_percent, 10.0 * 10.0 / FRAMES as f64));
    assert!(near(measured(&target, &low(20, 25)).worst.pose_off_percent, 5.0));
}

#[test]
fn a_run_is_measured_until_it_falls() {
    let target = still();
    let mut run = run_of(target.model(), |f| row(&[(2, if f > 9 { -0.5 } else { 0.0 })]));
    assert!(measured(&target, &run).pose_off_percent > 20.0);
    run.fell_at = Some(9);
    assert!(near(measured(&target, &run).pose_off_percent, 0.0));
}

#[test]
fn weight_on_bodies_that_are_drawn_off_the_ground_is_leaning() {
    let target = still();
    let model = target.model();
    let on = |body: &'static str, share: f64| {
        measured(
            &target,
            &run_with(model, |_| [0.0; SPEEDS], |_| vec![standing(model, "leg", 0.5), standing(model, body, share)]),
        )
    };
    let found = on("arm", 0.3);
    let all = 100.0 * 0.3 * (FRAMES - 1) as f64 / FRAMES as f64;
    assert!(near(found.leaning_percent, all) && near(found.worst.leaning_percent, 30.0), "{found:?}");
    assert_eq!(found.leans_on.as_deref(), Some("figure/arm"));
    // A knock counts as all the weight at most.
    assert!(near(on("arm", 7.0).worst.leaning_percent, 100.0));
    // The leg is drawn on the ground.
    assert_eq!(on("leg", 0.3).leaning_percent, 0.0);
    assert_eq!(on("leg", 0.3).leans_on, None);
}

#[test]
fn a_body_that_was_just_drawn_on_the_ground_may_stand_there() {
    let model = figure::model(JointKind::Free);
    // Drawn down until frame 10, then up: the run stays.
    let target = figure::motion(&model, FRAMES, |f| row(&[(2, if f < 10 { 0.0 } else { 0.3 })]));
    let around = (AROUND_SECS / FRAME_SECS).round() as usize;
    let clear = clear_bodies(&target, FRAMES, CLEAR_SHARE * SIZE);
    let leg = model.body("leg").expect("a body");
    let first = (0..FRAMES).find(|&f| clear[f][leg]);
    assert_eq!(first, Some(10 + around));
    // A foot never leans, even where the drawing hovers.
    assert_eq!(measured(&target, &run_of(&model, |_| [0.0; SPEEDS])).leaning_percent, 0.0);
}

#[test]
fn time_in_the_air_is_compared() {
    let model = figure::model(JointKind::Free);
    let height = |f: usize| if (10..20).contains(&f) || f == 30 { 0.2 } else { 0.0 };
    let target = figure::motion(&model, FRAMES, |f| row(&[(2, height(f))]));
    let flies = |f: usize| (10..16).contains(&f);
    let run = run_of(&model, |f| row(&[(2, if flies(f) { 0.2 } else { 0.0 })]));
    let found = measured(&target, &run);
    assert!(near(found.air_secs, 6.0 * FRAME_SECS), "{}", found.air_secs);
    // A single frame in the air is no flight.
    assert!(near(found.drawn_air_secs, 10.0 * FRAME_SECS), "{}", found.drawn_air_secs);
}

#[test]
fn the_farthest_limb_and_the_heading_are_measured_at_their_worst() {
    let target = still();
    // For a quarter of a second the arm, 0.5 m long, points ahead instead of down, and before that the figure looks to the left.
    let way = |frame: usize| match frame {
        0..=10 => row(&[(5, 0.4)]),
        20..=29 => row(&[(ARM[1], FRAC_PI_2)]),
        _ => [0.0; SPEEDS],
    };
    let found = measured(&target, &run_of(target.model(), way));
    assert!(near(found.worst.heading_off_deg, 0.4f64.to_degrees()), "{}", found.worst.heading_off_deg);
    // The hand is off by 0.5·√2 m, less what the centre of mass moves with it.
    let center = |q: &[f64]| Measured::new(target.model(), q, &[0.0; SPEEDS], [0.0; 3]).center_of_mass;
    let [was, is] = [target.position(25).to_vec(), figure::moved(target.model(), &way(25))].map(|q| center(&q));
    let hand = [0.5 - libm::hypot(is[0] - was[0], is[1] - was[1]), 0.5];
    let expected = hand.iter().map(|x| x * x).sum::<f64>().sqrt() / SIZE * 100.0;
    assert!(near(found.worst.limb_off_percent, expected), "{} {expected}", found.worst.limb_off_percent);
    // A turn of the whole figure moves no limb where the figure is.
    let turned = measured(&target, &run_of(target.model(), |_| row(&[(5, 3.5)])));
    assert!(turned.worst.limb_off_percent < 1e-6, "{}", turned.worst.limb_off_percent);
    assert!(near(turned.worst.heading_off_deg, (std::f64::consts::TAU - 3.5).to_degrees()));
}

#[test]
fn the_way_of_the_drawing_is_its_length_along_the_ground() {
    // There and back again, a metre each, and up and down, which does not count.
    let there_and_back = |frame: usize| {
        let share = 1.0 - (frame as f64 - 20.0).abs() / 20.0;
        row(&[(0, 0.6 * share), (1, 0.8 * share), (2, 0.3 * share)])
    };
    let target = figure::motion(&figure::model(JointKind::Free), FRAMES, there_and_back);
    let found = measured(&target, &run_of(target.model(), there_and_back));
    assert!((found.drawn_way_percent - 200.0 / SIZE).abs() < 1e-3, "{}", found.drawn_way_percent);
}
