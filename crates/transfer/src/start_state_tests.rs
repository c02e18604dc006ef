use super::*;
use crate::test_figure::{self as figure, LEG, SPEEDS, row};
use sinew_sim::{JointKind, Model, Scene};
use std::sync::Arc;

fn config() -> Config {
    Config { dt: figure::DT, ..Config::quick() }
}

/// The start of a motion that begins at a height and goes with a velocity, as height and velocity.
fn start(model: &Arc<Model>, config: &Config, height: f64, velocity: [f64; SPEEDS]) -> (f64, Vec<f64>) {
    let target = figure::motion(model, 9, |frame| {
        let mut way = velocity.map(|v| v * crate::FRAME_SECS * frame as f64);
        way[2] += height;
        way
    });
    let state = start_state(&target, config, &[]);
    let (q, v) = state.values().split_at(model.position_count());
    (q[2] - figure::ROOT_HEIGHT, v.to_vec())
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-9
}

#[test]
fn who_starts_in_the_ground_is_lifted_to_a_millimetre_below_it() {
    let model = figure::model(JointKind::Free);
    let at = |height: f64| start(&model, &config(), height, [0.0; SPEEDS]).0;
    assert!(near(at(-0.05), -0.001) && near(at(-0.0011), -0.001));
    assert!(near(at(-0.0009), -0.0009) && near(at(0.0), 0.0) && near(at(0.2), 0.2));
    // Where there is no ground, or no way to move, nothing is lifted.
    let floating =
        Arc::new(Model::new(&Scene::floating(figure::figure(JointKind::Free)), figure::DT).expect("a model"));
    assert!(near(start(&floating, &config(), -3.0, [0.0; SPEEDS]).0, -3.0));
}

#[test]
fn who_stands_does_not_start_downwards() {
    let model = figure::model(JointKind::Free);
    let sinking = row(&[(0, 1.0), (2, -2.0), (LEG[1], 0.5)]);
    let speed = |height: f64| start(&model, &config(), height, sinking).1[2];
    assert_eq!([-0.05, 0.0, 0.0009].map(speed), [0.0; 3]);
    assert!(near(speed(0.0011), -2.0), "in the air it may fall");
    let rising = start(&model, &config(), 0.0, row(&[(2, 2.0)])).1;
    assert!(near(rising[2], 2.0), "and from the ground it may jump");
    let v = start(&model, &config(), 0.0, sinking).1;
    assert!(near(v[0], 1.0) && near(v[LEG[1]], 0.5), "all else is as drawn");
}

#[test]
fn who_begins_at_rest_does_not_move() {
    let model = figure::model(JointKind::Free);
    let rests = Config { begins: Begins::Rest, ..config() };
    assert_eq!(start(&model, &rests, 0.5, [1.0; SPEEDS]).1, [0.0; SPEEDS]);
}

#[test]
fn a_push_off_is_added_to_what_is_drawn() {
    let target = figure::motion(&figure::model(JointKind::Free), 9, |frame| row(&[(0, 0.025 * frame as f64)]));
    let push_off: Vec<f64> = (0..SPEEDS).map(|k| 0.1 * k as f64 - 0.3).collect();
    let state = start_state(&target, &config(), &push_off);
    let expected: Vec<f64> = push_off.iter().enumerate().map(|(k, v)| v + f64::from(u8::from(k == 0))).collect();
    let found = &state.values()[target.model.position_count()..];
    assert!(found.iter().zip(&expected).all(|(a, b)| near(*a, *b)), "{found:?}");
}
