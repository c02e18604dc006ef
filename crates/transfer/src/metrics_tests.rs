use super::*;
use crate::performance::Moment;
use crate::test_figure::{self as figure, ARM, DRIVEN, LEG, SPEEDS, row};
use sinew_sim::{ContactReading, JointKind, Scene};

const DT: f64 = 0.01;

/// A contact of a body with the ground at a point, with an upward force as a share of the weight.
fn contact(model: &Model, body: &str, point: [f64; 3], share: f64) -> ContactReading {
    let force = [0.0, 0.0, share * 9.81 * model.total_mass()];
    let body = model.body(body).expect("a body");
    ContactReading { body, other: Touched::Ground, point, normal: [0.0, 0.0, 1.0], force }
}

/// A run with steps of 10 ms, each a moment in the rest pose with a velocity and contacts.
fn run_of(model: &Model, steps: usize, moment: impl Fn(usize) -> ([f64; SPEEDS], Vec<ContactReading>)) -> Performance {
    let moments = (0..=steps).map(|step| {
        let (velocity, contacts) = moment(step);
        let position = model.rest_position().to_vec();
        Moment { position, velocity: velocity.to_vec(), contacts, ..Moment::default() }
    });
    Performance { dt: DT, steps_per_frame: 1, moments: moments.collect(), ..Performance::default() }
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-9 * (1.0 + expected.abs())
}

#[test]
fn the_jerk_of_a_cubic_is_six_times_its_factor() {
    let model = figure::model(JointKind::Free);
    let of = |factor: f64, joint: usize| {
        let rows: Vec<Vec<f64>> = (0..9)
            .map(|frame| {
                let secs = frame as f64 * FRAME_SECS;
                // The root may jerk: it is not counted.
                figure::moved(&model, &row(&[(0, 50.0 * secs * secs * secs), (joint, factor * secs * secs * secs)]))
            })
            .collect();
        mean_squared_jerk(&model, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
    };
    for joint in [LEG[1], ARM[1], ARM[1] + 2] {
        let found = of(2.0, joint);
        assert!((found - 12.0 * 12.0 / DRIVEN as f64).abs() < 1e-3, "{joint}: {found}");
    }
    assert_eq!(mean_squared_jerk(&model, &[model.rest_position(); 3]), 0.0, "too short for a third difference");
    assert_eq!(mean_squared_jerk(&model, &[]), 0.0);
}

#[test]
fn jerk_is_compared_with_the_target_frame_by_frame() {
    let model = figure::model(JointKind::Free);
    let at = |factor: f64, frame: usize| row(&[(LEG[1], factor * libm::pow(frame as f64 * FRAME_SECS, 3.0))]);
    let target = figure::motion(&model, 9, |frame| at(3.0, frame));
    // Three steps a frame; what happens between frames is not looked at.
    let moment = |step: usize| {
        let way = if step.is_multiple_of(3) { at(6.0, step / 3) } else { row(&[(LEG[1], 1.0)]) };
        Moment { position: figure::moved(&model, &way), ..Moment::default() }
    };
    let run = Performance {
        dt: FRAME_SECS / 3.0,
        steps_per_frame: 3,
        moments: (0..=24).map(moment).collect(),
        ..Performance::default()
    };
    let found = jerk_ratio(&target, &run);
    assert!((found - 4.0).abs() < 1e-6, "{found}");
    // A target that never jerks: the ratio stays a number.
    assert!(jerk_ratio(&figure::standing(), &run) > 1e6);
}

#[test]
fn a_foot_slides_by_its_speed_times_the_time() {
    let model = figure::model(JointKind::Free);
    let sliding =
        |_: usize| (row(&[(0, 0.3), (1, -0.4), (2, 7.0)]), vec![contact(&model, "leg", [0.1, 0.0, 0.0], 1.0)]);
    let found = contacts(&model, &run_of(&model, 20, sliding));
    assert_eq!(found.len(), 1);
    let Contact { body, from_secs, to_secs, slid } = found[0];
    assert_eq!(body, model.body("leg").expect("a body"));
    assert!(near(from_secs, 0.01) && near(to_secs, 0.2) && near(slid, 20.0 * 0.5 * DT), "{found:?}");
}

#[test]
fn a_point_slides_as_its_body_turns() {
    let model = figure::model(JointKind::Free);
    // About each axis: the point is (0.2, −0.1, −0.8) from the root.
    let point = [0.2, -0.1, 0.2];
    let speeds = [(3, [0.0_f64, 0.8]), (4, [0.8, 0.0]), (5, [0.1, 0.2])];
    for (axis, [vx, vy]) in speeds {
        let turning = |_: usize| (row(&[(axis, 2.0)]), vec![contact(&model, "trunk", point, 1.0)]);
        let found = contacts(&model, &run_of(&model, 10, turning));
        let expected = 2.0 * (vx * vx + vy * vy).sqrt() * 10.0 * DT;
        assert!(found.len() == 1 && near(found[0].slid, expected), "{axis}: {found:?} instead of {expected}");
    }
    // Turning and moving the other way round, the point stands still.
    let rolling = |_: usize| (row(&[(4, 2.0), (0, 1.6)]), vec![contact(&model, "trunk", point, 1.0)]);
    let found = contacts(&model, &run_of(&model, 10, rolling));
    assert!(found[0].slid < 1e-12, "{found:?}");
    let spinning = |_: usize| (row(&[(3, 2.0), (5, 3.0)]), vec![contact(&model, "trunk", point, 1.0)]);
    let found = contacts(&model, &run_of(&model, 10, spinning));
    // ω = (2, 0, 3): ω×arm = (0.3, 2.2, …).
    assert!(near(found[0].slid, (0.3f64 * 0.3 + 2.2 * 2.2).sqrt() * 10.0 * DT), "{found:?}");
    // ω = (0, 2, 3): ω×arm = (−1.6 + 0.3, 0.6, …).
    let spinning = |_: usize| (row(&[(4, 2.0), (5, 3.0)]), vec![contact(&model, "trunk", point, 1.0)]);
    let found = contacts(&model, &run_of(&model, 10, spinning));
    assert!(near(found[0].slid, (1.3f64 * 1.3 + 0.6 * 0.6).sqrt() * 10.0 * DT), "{found:?}");
}

#[test]
fn the_point_that_bears_most_is_the_one_that_slides() {
    let model = figure::model(JointKind::Free);
    // A trunk that turns about the vertical: far points are faster.
    let of = |near_share: f64, far_share: f64| {
        let points = [([0.1, 0.0, 0.0], near_share), ([0.5, 0.0, 0.0], far_share)];
        let both = points.map(|(point, share)| contact(&model, "trunk", point, share)).to_vec();
        contacts(&model, &run_of(&model, 10, |_| (row(&[(5, 1.0)]), both.clone())))[0].slid
    };
    assert!(near(of(0.6, 0.4), 0.1 * 10.0 * DT) && near(of(0.4, 0.6), 0.5 * 10.0 * DT));
}

#[test]
fn only_who_bears_weight_on_the_ground_for_a_while_is_in_contact() {
    let model = figure::model(JointKind::Free);
    let count = |steps: std::ops::Range<usize>, share: f64, other: Touched| {
        let touched = ContactReading { other, ..contact(&model, "leg", [0.0; 3], share) };
        let moment = |step: usize| (row(&[]), if steps.contains(&step) { vec![touched.clone()] } else { Vec::new() });
        contacts(&model, &run_of(&model, 40, moment)).len()
    };
    assert_eq!(count(5..20, 1.0, Touched::Ground), 1);
    assert_eq!([0.049, 0.051].map(|share| count(5..20, share, Touched::Ground)), [0, 1], "a twentieth of the weight");
    assert_eq!(count(5..20, 1.0, Touched::Box(0)), 0);
    // From its first to its last step 40 ms and 60 ms.
    assert_eq!([5, 7].map(|steps| count(5..5 + steps, 1.0, Touched::Ground)), [0, 1], "brushes");
    assert_eq!(count(0..1, 1.0, Touched::Ground), 0, "the start has no step that led to it");
}

#[test]
fn a_short_pause_does_not_end_a_contact() {
    let model = figure::model(JointKind::Free);
    let with_pause = |steps: usize| {
        let pause = 15..15 + steps;
        let moment = |step: usize| {
            let touches = if pause.contains(&step) { Vec::new() } else { vec![contact(&model, "leg", [0.0; 3], 1.0)] };
            (row(&[(0, 1.0)]), touches)
        };
        contacts(&model, &run_of(&model, 40, moment))
    };
    // One step without contact is 20 ms from the last with to the next.
    let [one, two] = [1, 4].map(with_pause);
    assert!(one.len() == 1 && near(one[0].slid, 39.0 * DT), "{one:?}");
    assert!(two.len() == 2 && near(two[0].slid, 14.0 * DT) && near(two[1].slid, 22.0 * DT), "{two:?}");
    assert!(near(two[0].to_secs, 0.14) && near(two[1].from_secs, 0.19), "{two:?}");
}

#[test]
fn contacts_come_in_the_order_of_time_and_then_of_bodies() {
    let model = figure::model(JointKind::Free);
    let moment = |step: usize| {
        let mut touches = Vec::new();
        if step >= 20 {
            touches.extend(["arm", "leg"].map(|body| contact(&model, body, [0.0; 3], 1.0)));
        }
        if (5..30).contains(&step) {
            touches.push(contact(&model, "trunk", [0.0; 3], 1.0));
        }
        (row(&[]), touches)
    };
    let found: Vec<usize> = contacts(&model, &run_of(&model, 40, moment)).iter().map(|c| c.body).collect();
    let mut last = ["arm", "leg"].map(|name| model.body(name).expect("a body"));
    last.sort_unstable();
    assert_eq!(found, [model.body("trunk").expect("a body"), last[0], last[1]]);
}

#[test]
fn figures_are_the_mean_and_the_worst_of_all_contacts() {
    let target = figure::standing();
    let model = target.model();
    // The foot slides by 10 cm in its first contact and by 30 cm in its second.
    let moment = |step: usize| {
        let speed = if step < 20 { 1.0 } else { 3.0 };
        let touches = (1..=10).contains(&step) || (21..=30).contains(&step);
        let contacts = if touches { vec![contact(model, "leg", [0.0; 3], 1.0)] } else { Vec::new() };
        (row(&[(0, speed)]), contacts)
    };
    let mut run = run_of(model, 40, moment);
    run.moments.iter_mut().for_each(|moment| moment.position[2] += 0.01);
    run.moments[17].position[2] -= 0.035;
    let found = Metrics::new(&target, &run);
    assert!(near(found.foot_skate, 0.2) && near(found.worst_skate, 0.3) && found.contacts == 2, "{found:?}");
    assert!(near(found.max_penetration, 0.025) && found.jerk_ratio == 0.0, "{found:?}");
    let nothing = Metrics::new(&target, &run_of(model, 40, |_| (row(&[]), Vec::new())));
    assert_eq!((nothing.foot_skate, nothing.worst_skate, nothing.contacts), (0.0, 0.0, 0));
}

#[test]
fn depth_is_that_of_the_lowest_point_of_all_moments() {
    let model = figure::model(JointKind::Free);
    let sunk_at = |step: usize, steps_per_frame: usize| {
        let mut run = run_of(&model, 48, |_| (row(&[]), Vec::new()));
        run.steps_per_frame = steps_per_frame;
        run.moments.iter_mut().for_each(|moment| moment.position[2] += 0.02);
        run.moments[step].position[2] = figure::ROOT_HEIGHT - 0.03;
        max_penetration(&model, &run)
    };
    assert!(near(sunk_at(20, 1), 0.03));
    // Four moments of each frame are looked at.
    assert!(near(sunk_at(9, 12), 0.03) && sunk_at(10, 12) == 0.0);
    // Where there is no ground, nothing sinks.
    let scene = Scene::floating(figure::figure(JointKind::Free));
    let floating = Model::new(&scene, figure::DT).expect("a model");
    let mut run = run_of(&floating, 4, |_| (row(&[]), Vec::new()));
    run.moments[2].position[2] = -5.0;
    assert_eq!(max_penetration(&floating, &run), 0.0);
}
