//! Whole trainings, small ones.

use super::*;
use crate::MotionSet;
use crate::test_walks::{circles, stepping};
use sinew_work::{Outcome, RunOptions, Work, run};
use std::ops::ControlFlow;

fn small(batches: u64) -> RecurrentConfig {
    RecurrentConfig {
        lstm_units: vec![24],
        window_frames: 12,
        first_window_frames: 6,
        windows: 2,
        batch: 8,
        batches,
        rate: 1e-2,
        final_rate: 1e-3,
        ..RecurrentConfig::default()
    }
}

fn finished(work: &TrainingWork<'_>, threads: usize) -> TrainingState {
    let options = RunOptions { threads, ..RunOptions::default() };
    run(work, &options, &mut |_, _, _| ControlFlow::Continue(())).unwrap().finished().unwrap()
}

/// What a small network learns of a set in so many batches.
pub(crate) fn trained(set: &MotionSet, batches: u64) -> (SetHeader, LearnedMotion) {
    let work = TrainingWork::new(set, &small(batches), 1).unwrap();
    (set.header.clone(), work.learned(&finished(&work, 1)))
}

fn generator(set: &MotionSet, batches: u64) -> RecurrentGenerator {
    let (header, learned) = trained(set, batches);
    RecurrentGenerator::new(&header, &learned).unwrap()
}

fn go(generator: &RecurrentGenerator, state: &mut GeneratorState, objective: &Objective, frames: usize) {
    for _ in 0..frames {
        generator.step(state, objective);
    }
}

fn heading(generator: &RecurrentGenerator, state: &GeneratorState) -> f64 {
    generator.figure().heading(&state.qpos)
}

#[test]
fn a_small_network_learns_to_walk_in_circles_to_its_target() {
    let (_, set) = circles(&[(1.0, 0.9), (1.0, -0.9), (1.0, 0.0)], 90);
    let generator = generator(&set, 150);
    let radius = 1.0 / 0.9;
    for side in [1.0, -1.0] {
        let mut state = generator.start(2);
        // On the circle of 0.9 rad/s, a second ahead.
        let (sin, cos) = libm::sincos(0.9);
        let target = [radius * sin, side * radius * (1.0 - cos)];
        go(&generator, &mut state, &Objective::at(1, target, 1.0), 30);
        let off = ((state.qpos[0] - target[0]).powi(2) + (state.qpos[1] - target[1]).powi(2)).sqrt();
        assert!(off < 0.15, "{side}: {off} m off");
        assert!((heading(&generator, &state) - side * 0.9).abs() < 0.25, "{}", heading(&generator, &state));
    }
}

#[test]
fn a_training_that_is_resumed_gives_the_same_bytes_as_one_on_several_threads() {
    let (_, set) = circles(&[(1.0, 0.4)], 60);
    let work = TrainingWork::new(&set, &small(6), 3).unwrap();
    let whole = finished(&work, 1);
    assert_eq!(finished(&work, 3), whole);
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions {
        threads: 1,
        checkpoint: Some(folder.path().join("checkpoint")),
        resumes: true,
        ..RunOptions::default()
    };
    let stopped = run(&work, &options, &mut |_, state, _| match state.batches {
        0..3 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    });
    let Outcome::Cancelled(part) = stopped.unwrap() else { panic!("it was to stop") };
    assert_eq!(part.batches, 3);
    // Another process: nothing is kept but the checkpoint.
    let again = TrainingWork::new(&set, &small(6), 3).unwrap();
    let resumed = run(&again, &options, &mut |_, _, _| ControlFlow::Continue(())).unwrap().finished().unwrap();
    assert_eq!(resumed, whole);
    assert_eq!(again.learned(&resumed), work.learned(&whole));
    let other = TrainingWork::new(&set, &small(7), 3).unwrap();
    let refused = run(&other, &options, &mut |_, _, _| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(refused.contains("configuration"), "{refused}");
    assert!(work.is_done(&whole) && whole.curve.last().unwrap().batch == 6);
}

#[test]
fn a_training_that_diverges_says_so() {
    let (_, mut set) = circles(&[(1.0, 0.4)], 60);
    let refused = |set: &MotionSet, config: &RecurrentConfig| {
        let work = TrainingWork::new(set, config, 3).unwrap();
        let options = RunOptions { threads: 1, ..RunOptions::default() };
        run(&work, &options, &mut |_, _, _| ControlFlow::Continue(())).err().map(|error| error.to_string())
    };
    let wild = RecurrentConfig { rate: 1.0, final_rate: 1.0, motion_weight: 1e3, ..small(20) };
    let told = refused(&set, &wild).unwrap_or_default();
    assert!(told.contains("diverged in update 1,"), "{told}");
    set.sequences[0].positions[40] = f32::NAN;
    let told = refused(&set, &small(20)).unwrap_or_default();
    assert!(told.contains("diverged in update"), "{told}");
}

#[test]
fn a_set_without_a_sequence_as_long_as_a_window_is_refused() {
    let (_, set) = circles(&[(1.0, 0.4)], 12);
    let refused = TrainingWork::new(&set, &small(6), 3).err().unwrap().to_string();
    assert!(refused.contains("0.43 s"), "{refused}");
    // One window is possible where two are asked for.
    let (_, set) = circles(&[(1.0, 0.4)], 14);
    assert_eq!(finished(&TrainingWork::new(&set, &small(2), 3).unwrap(), 1).batches, 2);
}

#[test]
fn a_character_starts_at_the_origin_and_looks_along_x() {
    let (_, set) = circles(&[(1.0, 0.3)], 60);
    let generator = generator(&set, 2);
    for seed in 0..3 {
        let state = generator.start(seed);
        assert_eq!(state.qpos[..2], [0.0, 0.0]);
        assert!(heading(&generator, &state).abs() < 1e-9);
    }
}

#[test]
fn reading_ahead_is_what_happens_and_changes_nothing() {
    let (_, set) = stepping(1.0, 60);
    let generator = generator(&set, 10);
    let mut state = generator.start(3);
    let objective = Objective::at(1, [1.0, 0.3], 1.0);
    go(&generator, &mut state, &objective, 5);
    let before = state.clone();
    let ahead = generator.predict(&state, &objective, &[1, 4]);
    assert_eq!(state, before);
    for prediction in ahead {
        let mut after = state.clone();
        go(&generator, &mut after, &objective, prediction.offset);
        assert_eq!((after.qpos.clone(), after.contacts), (prediction.qpos, prediction.contacts));
    }
}

#[test]
fn many_characters_at_once_move_as_each_alone() {
    let (_, set) = circles(&[(1.0, 0.3), (0.8, -0.3)], 60);
    let generator = generator(&set, 4);
    let mut states: Vec<GeneratorState> = (0..TOGETHER as u64 + 3).map(|seed| generator.start(seed)).collect();
    let objectives: Vec<Objective> = (0..states.len()).map(|k| Objective::at(1, [1.0, 0.01 * k as f64], 1.0)).collect();
    let mut alone = states.clone();
    for _ in 0..3 {
        let together = generator.step_all(&mut states, &objectives);
        let each: Vec<Intent> = alone.iter_mut().zip(&objectives).map(|(s, o)| generator.step(s, o)).collect();
        assert_eq!(together, each);
    }
    assert_eq!(states, alone);
}

#[test]
fn the_motion_goes_on_from_where_the_body_is() {
    let (_, set) = circles(&[(1.0, 0.0)], 60);
    let generator = generator(&set, 50);
    let objective = Objective { actions: 1, ..Objective::default() };
    let mut state = generator.start(1);
    go(&generator, &mut state, &objective, 10);
    // What it says itself changes nothing but rounding.
    let mut told = state.clone();
    let mut qvel = vec![0.0; generator.figure().model().velocity_count()];
    let mut after = state.clone();
    generator.step(&mut after, &objective);
    // The way since the frame before.
    let mut ahead = generator.start(1);
    go(&generator, &mut ahead, &objective, 9);
    generator.figure().model().difference(&ahead.qpos, &state.qpos, &mut qvel);
    qvel.iter_mut().for_each(|v| *v *= 30.0);
    generator.set_pose(&mut told, &state.qpos, &qvel);
    generator.step(&mut told, &objective);
    let off = |a: &GeneratorState, b: &GeneratorState| {
        a.qpos.iter().zip(&b.qpos).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    assert!(off(&told, &after) < 0.02, "{}", off(&told, &after));
    // Three metres aside and turned: it goes on from there, along where it looks.
    let mut moved = state.qpos.clone();
    GroundTransform { x: 0.0, y: 3.0, yaw: 1.0 }.move_root(&mut moved);
    let there = generator.figure().heading_frame(&moved);
    generator.set_pose(&mut state, &moved, &vec![0.0; qvel.len()]);
    assert_eq!(state.qpos, moved);
    go(&generator, &mut state, &objective, 5);
    let way = there.inverse().point([state.qpos[0], state.qpos[1]]);
    assert!(way[0] > 0.02 && way[1].abs() < 0.1, "{way:?}");
}

#[test]
fn open_values_are_filled_in() {
    let (_, mut set) = circles(&[(1.0, 0.0)], 60);
    set.sequences[0].intents.fill(Intent::new(1).with(Control::Speed, 1.0).with(Control::RootHeight, 0.8));
    let generator = generator(&set, 100);
    let mut state = generator.start(1);
    go(&generator, &mut state, &Objective::default(), 5);
    let intent = generator.step(&mut state, &Objective { speed: Some(0.97), actions: 1, ..Objective::default() });
    let (asked, filled) = (intent.get(Control::Speed).unwrap(), intent.get(Control::RootHeight).unwrap());
    // What was asked for stays within what is feasible; what was open is near what the set has.
    assert!((asked - 1.0).abs() < 1e-3, "{asked}");
    assert!((filled - 0.8).abs() < 0.1, "{filled}");
    assert_eq!(intent.get(Control::TurnRate), None);
}
