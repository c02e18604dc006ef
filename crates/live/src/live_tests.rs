//! What a character does under its controller.

use crate::config::{LiveConfig, Method};
use crate::controller::{Controller, Holding};
use crate::error::LiveError;
use crate::motion::Motion;
use crate::stage::{Disturbance, Drag, Stage};
use sinew_sim::{Model, Scene, embedded};
use sinew_transfer::FRAME_SECS;
use std::sync::Arc;

/// The dinosaur, which stands for ever.
pub(crate) fn standing() -> Motion {
    let model = Arc::new(Model::new(&Scene::on_ground(embedded::dinosaur()), FRAME_SECS / 6.0).expect("a scene"));
    let positions = model.rest_position().repeat(8);
    let velocities = vec![0.0; 8 * model.velocity_count()];
    Motion::new(&model, positions.clone(), velocities, positions, Some(Default::default())).expect("a motion")
}

/// Few rollouts, for a quick test.
pub(crate) fn small(method: Method) -> LiveConfig {
    LiveConfig {
        method,
        horizon_frames: 10,
        near_frames: 4,
        starts: 4,
        shares: 4,
        samples: 16,
        sample_rounds: 1,
        two_sided: false,
        ..LiveConfig::default()
    }
}

fn stage(config: &LiveConfig) -> Stage {
    let motion = standing();
    let controller = Controller::new(&motion, config).expect("a controller");
    Stage::new(controller, motion.model().scene(), 12, 1).expect("a stage")
}

/// A push ahead of so many times the weight.
fn push(stage: &mut Stage, weights: f64) {
    let force = [weights * stage.model().weight(), 0.0, 0.0];
    stage.disturb(Disturbance { body: 0, force, at_secs: 0.1, secs: 0.2 });
}

/// Performs for so many frames, planning or not; returns whether it fell.
fn falls(stage: &mut Stage, frames: usize, plans: bool) -> bool {
    (0..frames).any(|_| {
        if plans {
            stage.plan().expect("a plan");
        }
        stage.step().fell
    })
}

#[test]
fn the_same_bytes_come_of_any_number_of_threads() {
    for method in [Method::GaussNewton, Method::Sampling] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let mut stage = stage(&small(method));
                push(&mut stage, 0.3);
                falls(&mut stage, 16, true);
                stage.position().to_vec()
            })
        };
        let one = run(1);
        assert_eq!(one, run(3), "{method}");
        assert!(one.iter().all(|x| x.is_finite()));
    }
}

#[test]
fn who_has_no_time_for_plans_holds_the_last_one_and_then_damps() {
    let config = small(Method::GaussNewton);
    let mut stage = stage(&config);
    stage.plan().expect("a plan");
    let mut seen = Vec::new();
    for _ in 0..config.horizon_frames + 3 {
        seen.push(stage.step().holding);
    }
    assert_eq!(seen[..3], [Holding::Planned, Holding::Held(1), Holding::Held(2)]);
    // The present frame and the horizon.
    let held = config.horizon_frames + 1;
    assert_eq!(seen[held - 1], Holding::Held(held as u64 - 1));
    assert_eq!(seen[held..], [Holding::Damped; 2]);
    let figures = stage.figures();
    assert_eq!((figures.held_frames, figures.damped_frames), (held as u64 - 1, 2));
    assert!(!falls(&mut stage, 10, true) && stage.figures().damped_frames == 2, "a new plan takes over");
}

#[test]
fn a_stage_of_another_character_and_settings_out_of_range_are_refused() {
    let motion = standing();
    let controller = Controller::new(&motion, &small(Method::Sampling)).expect("a controller");
    let other = Stage::new(controller, &Scene::on_ground(embedded::humanoid()), 12, 1);
    assert!(matches!(other.err(), Some(LiveError::OtherCharacter { .. })));
    let config = LiveConfig { horizon_frames: 1, ..LiveConfig::default() };
    let error = Controller::new(&motion, &config).err().expect("refused").to_string();
    assert_eq!(error, "horizon_frames is 1, but must be from 2 to 200");
    let mut config = LiveConfig::default();
    config.sizes.height = 0.0;
    assert!(config.check().expect_err("refused").to_string().contains("sizes.height is 0"));
}

#[test]
fn a_hand_drags_the_body_along() {
    let mut stage = stage(&small(Method::GaussNewton));
    let start = stage.position()[1];
    let to = [stage.position()[0], start + 0.5, stage.position()[2]];
    stage.drag(Some(Drag { body: 0, to, stiffness: 400.0 }));
    falls(&mut stage, 12, true);
    assert!(stage.position()[1] - start > 0.01, "{}", stage.position()[1] - start);
}

#[test]
fn who_plans_bears_a_push_that_topples_who_does_not() {
    let run = |config: &LiveConfig, plans: bool| {
        let mut stage = stage(config);
        push(&mut stage, 0.5);
        falls(&mut stage, 80, plans)
    };
    let config = small(Method::GaussNewton);
    assert!(run(&config, false), "held by its targets alone");
    assert!(!run(&LiveConfig { horizon_frames: 16, ..config }, true), "planning");
}
