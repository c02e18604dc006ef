use super::*;
use crate::Begins;
use crate::test_figure::{self as figure, DRIVEN, LEG, SPEEDS, row};
use crate::wrench::AssistWrench;
use sinew_sim::JointKind;

/// The figure stands as it is drawn; the cost looks at every third frame.
fn config() -> Config {
    Config { dt: figure::DT, begins: Begins::Rest, cost_frames: 3, ..Config::quick() }
}

/// A run with offsets of zero for so many frames.
fn still(target: &Target, frames: usize, act: &mut dyn FnMut(usize, &mut WorldMut<'_>)) -> Performance {
    let solution = Solution { offsets: vec![0.0; frames * DRIVEN], ..Solution::default() };
    Performance::record(target, &config(), &solution, act).expect("a run")
}

#[test]
fn every_step_is_recorded_and_every_look_counted() {
    let target = figure::standing();
    let run = still(&target, 9, &mut |_, _| ());
    assert_eq!((run.dt, run.steps_per_frame, run.moments.len()), (figure::DT, 10, 81));
    assert_eq!((run.frames(), run.duration_secs()), (9, 8.0 * FRAME_SECS));
    assert_eq!(run.costs.iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), [3, 6, 8]);
    assert!(run.fell_at.is_none() && !run.diverged);
    assert!(run.costs.iter().all(|(_, terms)| terms.total() < 0.01), "{:?}", run.costs);
    assert_eq!(run.at_frame(3), &run.moments[30]);
    assert_eq!(run.moments[0].position, target.position(0));
    // It stands: the ground carries its weight.
    let carried: f64 = run.moments[80].contacts.iter().map(|c| c.force[2]).sum();
    assert!((carried / target.weight() - 1.0).abs() < 0.1, "{carried} N");
    // Rows of offsets end it where they end.
    let short = still(&target, 6, &mut |_, _| ());
    assert_eq!(short.costs.iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), [3, 5]);
    assert_eq!(short.moments[..], run.moments[..51]);
}

#[test]
fn offsets_become_targets_that_are_reached_at_their_frame() {
    let target = figure::motion(&figure::model(JointKind::Free), 9, |frame| row(&[(LEG[1], 0.01 * frame as f64)]));
    let offsets: Vec<f64> = (0..9).flat_map(|frame| [0.002 * frame as f64, 0.0, 0.0, 0.0]).collect();
    let solution = Solution { offsets, ..Solution::default() };
    let run = Performance::record(&target, &config(), &solution, &mut |_, _| ()).expect("a run");
    for frame in 0..9 {
        let wanted = 0.012 * frame as f64;
        let found = run.at_frame(frame).target[LEG[0]];
        assert!((found - wanted).abs() < 1e-6, "{frame}: {found}");
    }
    let halfway = run.moments[35].target[LEG[0]];
    assert!((halfway - 0.012 * 3.5).abs() < 1e-6, "{halfway}");
}

#[test]
fn means_are_over_all_looks() {
    let terms = |height: f64, pose: f64| Terms { height, pose, ..Terms::default() };
    let run = Performance { costs: vec![(3, terms(1.0, 0.5)), (6, terms(2.0, 1.0))], ..Performance::default() };
    assert_eq!(run.mean_terms(), terms(1.5, 0.75));
    assert_eq!(Performance::default().mean_terms(), Terms::default());
}

#[test]
fn a_fall_is_told_at_its_first_frame() {
    // A push from behind that nobody stands: 6 m/s within a step.
    let target = figure::motion(&figure::model(JointKind::Free), 41, |_| [0.0; SPEEDS]);
    let trunk = target.model.body("trunk").expect("a body");
    let run = still(&target, 41, &mut |step, world| {
        world.clear_forces();
        if (40..50).contains(&step) {
            let force = [6.0 * target.model.total_mass() / (10.0 * figure::DT), 0.0, 0.0];
            world.add_force(trunk, force, [0.0, 0.0, 1.3]);
        }
    });
    let fell_at = run.fell_at.expect("a fall");
    assert!(!run.diverged && run.frames() == 41);
    // Before it, nothing had fallen; from it on, it had.
    let has_fallen = |frame: usize| {
        let moment = run.at_frame(frame);
        let batch = figure::observed(&target.model, &moment.position, &moment.velocity);
        Seen::with(&target, &batch.world(0), |seen| seen.has_fallen(&target, frame))
    };
    assert!((5..fell_at).all(|frame| !has_fallen(frame)) && has_fallen(fell_at) && has_fallen(40), "{fell_at}");
}

#[test]
fn who_is_torn_apart_has_diverged_and_fallen() {
    let target = figure::standing();
    let run = still(&target, 9, &mut |step, world| {
        if step == 35 {
            world.set_velocity(&[f64::NAN; SPEEDS]);
        }
    });
    assert!(run.diverged && run.fell_at == Some(4), "{:?}", run.fell_at);
}

#[test]
fn help_acts_in_its_frames_and_is_recorded() {
    // In the air and without gravity's help: half the weight upwards in frames 2 to 4, a torque about the vertical in frame 6.
    let target = figure::motion(&figure::model(JointKind::Free), 9, |_| row(&[(2, 5.0)]));
    let mut help = vec![[0.0; 6]; 8];
    (2..5).for_each(|frame| help[frame][2] = 0.5);
    help[6][5] = 0.25;
    let record = |help: &[AssistWrench]| {
        let solution = Solution { offsets: vec![0.0; 9 * DRIVEN], assist: help.to_vec(), ..Solution::default() };
        Performance::record(&target, &config(), &solution, &mut |_, _| ()).expect("a run")
    };
    let run = record(&help);
    let weight = target.weight();
    // A quarter of 1.3 m is the arm of a unit of torque.
    let turn = 0.25 * weight * 0.25 * 1.3;
    for (step, moment) in run.moments.iter().enumerate().skip(1) {
        let frame = (step - 1) / 10;
        let force = if (2..5).contains(&frame) { 0.5 * weight } else { 0.0 };
        let torque = if frame == 6 { turn } else { 0.0 };
        let Wrench { force: f, torque: t } = moment.assist;
        assert!(f[..2] == [0.0; 2] && (f[2] - force).abs() < 1e-9, "step {step}: {f:?}");
        assert!(t[..2] == [0.0; 2] && (t[2] - torque).abs() < 1e-9, "step {step}: {t:?}");
    }
    assert_eq!(run.moments[0].assist, Wrench::default());
    // Falling for 0.2 s, but for 0.075 s with half the weight.
    let model = &target.model;
    let momentum = |run: &Performance| {
        let last = run.moments.last().expect("a moment");
        sinew_sim::Measured::new(model, &last.position, &last.velocity, [0.0; 3])
    };
    let helped = momentum(&run);
    let fallen = helped.linear_momentum[2] / model.total_mass();
    assert!((fallen + 9.81 * (0.2 - 0.5 * 0.075)).abs() < 1e-3, "{fallen} m/s");
    assert!((helped.angular_momentum[2] - turn * 0.025).abs() < 1e-3 * turn, "{:?}", helped.angular_momentum);
    // No help is no help.
    let alone = still(&target, 9, &mut |_, _| ());
    assert_eq!(record(&[]), alone);
    assert_eq!(record(&[[0.0; 6]; 8]), alone);
}
