use super::*;
use crate::test_figure::{self as figure, ARM, EFFECTORS, LEG, ROOT_HEIGHT, SPEEDS, row as speeds};
use sinew_sim::{Ground, JointKind, Measured, Scene};

fn clip(model: &Model, frames: usize, way: impl Fn(f64) -> [f64; SPEEDS]) -> Vec<f64> {
    (0..frames).flat_map(|frame| figure::moved(model, &way(frame as f64))).collect()
}

fn made(rate_hz: f64, positions: &[f64]) -> Result<Target, TransferError> {
    Target::new(&figure::model(JointKind::Free), &ClipInput { name: "a clip", rate_hz, positions })
}

#[test]
fn between_its_frames_a_clip_is_a_cubic_with_the_mean_velocity_of_both_neighbours() {
    // At 20 Hz every second frame of the target lies in the middle between two of the clip: i² and i rad there.
    let model = figure::model(JointKind::Free);
    let positions = clip(&model, 6, |i| speeds(&[(0, i * i), (LEG[1], 0.1 * i), (ARM[1] + 2, 0.1 * i)]));
    let target = made(20.0, &positions).expect("a target");
    assert_eq!(target.frames(), 11);
    assert!((target.duration_secs() - 0.25).abs() < 1e-12);
    // Where a quadratic has neighbours on both sides, it stays one; at the ends the velocity is that of the one way.
    let expected = [0.0, 0.375, 1.0, 2.25, 4.0, 6.25, 9.0, 12.25, 16.0, 20.375, 25.0];
    for (frame, x) in expected.iter().enumerate() {
        let position = target.position(frame);
        assert!((position[0] - x).abs() < 1e-9, "{frame}: {} instead of {x}", position[0]);
        let angle = 0.05 * frame as f64;
        assert!((position[LEG[0]] - angle).abs() < 1e-9, "{frame}");
        // A steady turn stays steady.
        let [w, z] = [position[ARM[0]], position[ARM[0] + 3]];
        assert!((2.0 * libm::atan2(z, w) - angle).abs() < 1e-9, "{frame}");
    }
    assert_eq!(target.position(99), target.position(10), "the last frame stays on");
}

#[test]
fn at_any_rate_a_steady_motion_is_steady() {
    let model = figure::model(JointKind::Free);
    for rate_hz in [12.5, 30.0, 60.0, 120.0] {
        // 2 m/s and 1 rad/s.
        let frames = (0.5 * rate_hz) as usize + 1;
        let positions = clip(&model, frames, |i| speeds(&[(1, 2.0 * i / rate_hz), (LEG[1], i / rate_hz)]));
        let target = made(rate_hz, &positions).expect("a target");
        let last = ((frames - 1) as f64 / rate_hz / FRAME_SECS + 1e-6) as usize;
        assert_eq!(target.frames(), last + 1, "{rate_hz} Hz");
        for frame in 0..target.frames() {
            let (position, velocity) = (target.position(frame), target.velocity(frame));
            assert!((position[1] - 2.0 * frame as f64 * FRAME_SECS).abs() < 1e-9, "{rate_hz} Hz, {frame}");
            assert!((velocity[1] - 2.0).abs() < 1e-9 && (velocity[LEG[1]] - 1.0).abs() < 1e-9, "{rate_hz} Hz, {frame}");
        }
    }
}

#[test]
fn velocities_are_the_mean_of_the_ways_on_both_sides() {
    let model = figure::model(JointKind::Free);
    let target = figure::motion(&model, 6, |frame| speeds(&[(2, 0.01 * (frame * frame) as f64)]));
    let expected = [1.0, 2.0, 4.0, 6.0, 8.0, 9.0].map(|twice: f64| 0.01 * twice / FRAME_SECS);
    for (frame, v) in expected.iter().enumerate() {
        assert!((target.velocity(frame)[2] - v).abs() < 1e-9, "{frame}: {} instead of {v}", target.velocity(frame)[2]);
    }
    assert_eq!(target.velocity(99), target.velocity(5));
}

#[test]
fn a_target_is_observed_as_worlds_are() {
    let model = figure::model(JointKind::Free);
    let target = figure::motion(&model, 9, |frame| {
        let t = 0.1 * frame as f64;
        speeds(&[(0, t), (2, 0.5 * t), (4, 0.3 * t), (LEG[1], t), (ARM[1] + 1, -t)])
    });
    assert_eq!(target.observation(0).values().len(), 24);
    for frame in [0, 4, 8] {
        let measured = Measured::new(&model, target.position(frame), target.velocity(frame), [0.0; 3]);
        let velocity = measured.linear_momentum.map(|p| p / model.total_mass());
        let expected: Vec<f64> =
            [measured.center_of_mass, velocity].concat().into_iter().chain(measured.end_effectors.concat()).collect();
        for (k, (found, wanted)) in target.observation(frame).values().iter().zip(&expected).enumerate() {
            assert!((found - wanted).abs() < 1e-4, "frame {frame}, number {k}: {found} instead of {wanted}");
        }
    }
    assert_eq!(target.observation(99), target.observation(8));
}

#[test]
fn who_comes_down_to_the_ground_has_a_sole_there() {
    let model = figure::model(JointKind::Free);
    // The foot goes down from 30 cm to 10 cm and up again; hand and head stay in the air.
    let height = |frame: usize| 0.1 + 0.05 * (frame as f64 - 4.0).abs();
    let target = figure::motion(&model, 9, |frame| speeds(&[(2, height(frame))]));
    let [foot, hand, head] = [target.soles[0], target.soles[1], target.soles[2]];
    assert!(foot.is_some_and(|low| (low - 0.1).abs() < 1e-6), "{foot:?}");
    assert!(hand.is_none() && head.is_none());
    // One that sinks in stands on the ground.
    let target = figure::motion(&model, 9, |_| speeds(&[(2, -0.05)]));
    assert_eq!(target.soles[0], Some(0.0));
}

#[test]
fn a_sole_is_a_fifth_of_the_centre_of_mass_at_most() {
    let model = figure::model(JointKind::Free);
    let height = figure::standing().observation(0).center()[2];
    // Lifted by x, the foot is at x and the centre of mass at `height + x`: a fifth of it at x = height/4.
    let has_sole = |lift: f64| figure::motion(&model, 5, |_| speeds(&[(2, lift)])).soles[0].is_some();
    assert!(has_sole(0.99 * height / 4.0) && !has_sole(1.01 * height / 4.0));
    // Counted from the ground, wherever that is.
    let scene = Scene::on_ground(figure::figure(JointKind::Free));
    let raised = Ground { height: -2.0, ..Ground::default() };
    let low = Arc::new(Model::new(&Scene { ground: Some(raised), ..scene }, figure::DT).expect("a model"));
    let sole = |lift: f64| figure::motion(&low, 5, |_| speeds(&[(2, lift)])).soles[0];
    assert!(sole(0.0).is_none(), "two metres above");
    assert!(sole(-1.9).is_some_and(|at| (at + 1.9).abs() < 1e-6));
    assert!(sole(-2.1).is_some_and(|at| (at + 2.0).abs() < 1e-6));
}

#[test]
fn what_is_no_clip_of_the_character_is_refused() {
    let model = figure::model(JointKind::Free);
    let good = clip(&model, 5, |_| [0.0; SPEEDS]);
    let nq = model.position_count();
    assert!(made(40.0, &good).is_ok(), "0.1 s is enough");
    let shape = |found: usize| TransferError::Shape { clip: "a clip".into(), found, row: nq };
    assert_eq!(made(40.0, &good[1..]).expect_err("refused"), shape(5 * nq - 1));
    assert_eq!(made(40.0, &[]).expect_err("refused"), shape(0));
    let short =
        |frames: usize, duration_secs: f64| TransferError::TooShort { clip: "a clip".into(), frames, duration_secs };
    assert_eq!(made(41.0, &good).expect_err("refused"), short(5, 4.0 / 41.0));
    assert_eq!(made(40.0, &good[nq..]).expect_err("refused"), short(4, 0.075));
    assert!(matches!(made(-40.0, &good), Err(TransferError::TooShort { .. })));
    let mut bad = good.clone();
    bad[3 * nq + 2] = f64::NAN;
    assert_eq!(made(40.0, &bad).expect_err("refused"), TransferError::NotFinite { clip: "a clip".into(), frame: 3 });
}

#[test]
fn hashes_tell_motions_characters_and_steps_apart() {
    let model = figure::model(JointKind::Free);
    let still = |model: &Arc<Model>| figure::motion(model, 9, |_| [0.0; SPEEDS]).hash();
    let hash = still(&model);
    assert_eq!(hash, still(&figure::model(JointKind::Free)));
    let later = figure::motion(&model, 9, |frame| speeds(&[(LEG[1], if frame == 8 { 1e-12 } else { 0.0 })]));
    let mut heavier = figure::figure(JointKind::Free);
    heavier.bodies[2].mass += 1e-9;
    let heavier = Model::new(&Scene::on_ground(heavier), figure::DT).expect("a model");
    let finer = Model::new(&Scene::on_ground(figure::figure(JointKind::Free)), 0.5 * figure::DT).expect("a model");
    let others = [later.hash(), still(&Arc::new(heavier)), still(&Arc::new(finer))];
    assert!(others.iter().all(|other| *other != hash), "{hash} {others:?}");
    // Where numbers are in a motion counts, not only which.
    let swapped = |a: f64, b: f64| figure::motion(&model, 9, |_| speeds(&[(0, a), (1, b)])).hash();
    assert_ne!(swapped(0.25, 0.5), swapped(0.5, 0.25));
}

#[test]
fn a_figure_weighs_its_mass_times_g() {
    assert!((figure::standing().weight() - 16.0 * 9.81).abs() < 1e-9);
    let foot = figure::standing().observation(0).effector(0);
    assert!((foot[2] - (ROOT_HEIGHT + EFFECTORS[0][2])).abs() < 1e-6);
}
