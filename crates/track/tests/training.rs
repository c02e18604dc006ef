//! Training as a whole: it learns, the same bytes come out for every number of threads and after a resume, and files keep a policy.

use sinew_sim::embedded;
use sinew_track::{
    Reference, TrackedBody, TrackerConfig, TrackerWork, TrainedPolicy, TrialOptions, run_trial, time_step,
};
use sinew_work::{RunOptions, Work, run};
use std::ops::ControlFlow;

fn config() -> TrackerConfig {
    TrackerConfig {
        steps_per_frame: 10,
        worlds: 64,
        horizon: 16,
        epochs: 2,
        minibatch: 256,
        policy_layers: vec![32],
        value_layers: vec![32],
        transitions: 6 * 1024,
        ..TrackerConfig::default()
    }
}

/// With all that troubles a training.
fn troubled() -> TrackerConfig {
    TrackerConfig {
        survival_reward: 0.3,
        push_speed: 0.5,
        push_every_secs: 0.5,
        action_disturbance: 0.2,
        motion_follows_beyond: 0.05,
        ..config()
    }
}

/// A humanoid that stands and slowly bends its joints to and fro.
fn standing(config: &TrackerConfig, frames: usize) -> (TrackedBody, Reference) {
    let body = TrackedBody::new(&embedded::humanoid(), 0.0, time_step(config, 30.0)).unwrap();
    let model = body.model();
    let rows = (0..frames).flat_map(|frame| {
        let mut row = model.rest_position().to_vec();
        for joint in model.joints().iter().skip(1) {
            let angle = 0.05 * libm::sin(0.2 * frame as f64 + joint.position_index as f64);
            match joint.kind {
                sinew_sim::JointKind::Ball => {
                    let at = joint.position_index;
                    row[at..at + 4].copy_from_slice(&[libm::cos(angle), 0.0, libm::sin(angle), 0.0]);
                }
                _ => row[joint.position_index] += angle,
            }
        }
        row
    });
    let rows: Vec<f64> = rows.collect();
    let reference = Reference::new(&body, 30.0, &[rows], 12).unwrap();
    (body, reference)
}

fn trained(config: &TrackerConfig, threads: usize) -> Vec<u8> {
    let (body, reference) = standing(config, 90);
    let work = TrackerWork::new(&body, &reference, config, 3, None).unwrap();
    let options = RunOptions { threads, ..RunOptions::default() };
    let state = run(&work, &options, &mut |_, _, _| ControlFlow::Continue(())).unwrap().into_state();
    work.policy(&state).to_bytes("x".as_ref()).unwrap()
}

/// The network alone, without the constants that its file has beside it.
fn network(config: &TrackerConfig) -> Vec<u8> {
    let (body, reference) = standing(config, 90);
    let work = TrackerWork::new(&body, &reference, config, 3, None).unwrap();
    let state = run(&work, &RunOptions::default(), &mut |_, _, _| ControlFlow::Continue(())).unwrap().into_state();
    work.policy(&state).to_onnx()
}

#[test]
fn everything_that_troubles_a_training_changes_what_is_learnt() {
    let all = TrackerConfig { transitions: 2 * 1024, ..troubled() };
    let whole = network(&all);
    assert!(whole == network(&TrackerConfig { start_temperature: all.start_temperature, ..all.clone() }));
    let less = [
        TrackerConfig { survival_reward: 0.0, ..all.clone() },
        TrackerConfig { push_speed: 0.0, ..all.clone() },
        TrackerConfig { action_disturbance: 0.0, ..all.clone() },
        TrackerConfig { motion_follows_beyond: 0.0, ..all.clone() },
        TrackerConfig { action_torque_share: 0.1, ..all.clone() },
    ];
    for config in less {
        assert!(network(&config) != whole, "{config:?}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_policy() {
    let config = troubled();
    let one = trained(&config, 1);
    assert!(one == trained(&config, 3));
    assert!(one != trained(&TrackerConfig { transitions: 1024, ..config }, 1));
}

#[test]
fn a_run_that_was_stopped_goes_on_to_the_same_policy() {
    let config = troubled();
    let whole = trained(&config, 2);
    let folder = tempfile::tempdir().unwrap();
    let (body, reference) = standing(&config, 90);
    let options = RunOptions {
        threads: 2,
        checkpoint: Some(folder.path().join("checkpoint")),
        resumes: true,
        ..RunOptions::default()
    };
    for stop in [2 * 1024, 5 * 1024, u64::MAX] {
        // Each time a new process.
        let work = TrackerWork::new(&body, &reference, &config, 3, None).unwrap();
        let outcome = run(&work, &options, &mut |_, state, _| match state.transitions >= stop {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        let state = outcome.unwrap().into_state();
        assert!(stop == u64::MAX || !work.is_done(&state));
        if stop == u64::MAX {
            assert!(work.policy(&state).to_bytes("x".as_ref()).unwrap() == whole);
        }
    }
    let other = TrackerConfig { discount: 0.9, ..config.clone() };
    let work = TrackerWork::new(&body, &reference, &other, 3, None).unwrap();
    let refused = run(&work, &options, &mut |_, _, _| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(refused.contains("the checkpoint is of another configuration"), "{refused}");
}

#[test]
fn training_earns_more_than_nothing() {
    // Without feedback the figure topples; what is asked for is that training turns the right way.
    let config = TrackerConfig { transitions: 40 * 1024, epochs: 3, ..config() };
    let (body, reference) = standing(&config, 300);
    let work = TrackerWork::new(&body, &reference, &config, 3, None).unwrap();
    let options = TrialOptions { episodes: 64, frames: 90, seed: 5 };
    let begin = work.begin().unwrap();
    let before = run_trial(&body, &reference, &work.policy(&begin), &options).unwrap();
    let state = run(&work, &RunOptions::default(), &mut |_, _, _| ControlFlow::Continue(())).unwrap().into_state();
    let after = run_trial(&body, &reference, &work.policy(&state), &options).unwrap();
    assert!(after.completion > 1.1 * before.completion, "{} → {}", before.completion, after.completion);
    assert_eq!(state.transitions, 40 * 1024);
}

#[test]
fn a_policy_that_is_read_acts_as_the_one_that_was_written() {
    let config = TrackerConfig { transitions: 1024, ..config() };
    let (body, reference) = standing(&config, 90);
    let work = TrackerWork::new(&body, &reference, &config, 3, None).unwrap();
    let state = run(&work, &RunOptions::default(), &mut |_, _, _| ControlFlow::Continue(())).unwrap().into_state();
    let policy = work.policy(&state);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy");
    policy.write(&path).unwrap();
    let read = TrainedPolicy::read(&path).unwrap();
    let options = TrialOptions { episodes: 8, frames: 20, seed: 1 };
    let figures = |policy: &TrainedPolicy| run_trial(&body, &reference, policy, &options).unwrap();
    assert_eq!(figures(&read), figures(&policy));
    assert_eq!((read.config, read.rate_hz, read.character), (policy.config, policy.rate_hz, policy.character));
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 8]).unwrap();
    assert!(TrainedPolicy::read(&path).is_err());
    std::fs::write(&path, "no policy").unwrap();
    assert!(TrainedPolicy::read(&path).is_err());
}

#[test]
fn training_goes_on_from_a_policy_once_the_value_knows_it() {
    let config = TrackerConfig { transitions: 4 * 1024, ..config() };
    let (body, reference) = standing(&config, 90);
    let fresh = || TrackerWork::new(&body, &reference, &config, 3, None).unwrap();
    let ended = |work: &TrackerWork<'_>| {
        let state = run(work, &RunOptions::default(), &mut |_, _, _| ControlFlow::Continue(())).unwrap().into_state();
        work.policy(&state)
    };
    let known = ended(&fresh());
    let options = TrialOptions { episodes: 16, frames: 40, seed: 1 };
    let reward = |policy: &TrainedPolicy| run_trial(&body, &reference, policy, &options).unwrap().reward_per_frame;
    let further = |value_first: u64| {
        let config = TrackerConfig { value_first, ..config.clone() };
        let work = TrackerWork::new(&body, &reference, &config, 4, None).unwrap().going_on_from(&known).unwrap();
        let begun = reward(&work.policy(&work.begin().unwrap()));
        assert!((begun - reward(&known)).abs() < 1e-4, "it begins as the policy that it goes on from");
        reward(&ended(&work))
    };
    assert!((further(u64::MAX) - reward(&known)).abs() < 1e-3, "as long as the value learns alone, it stays");
    assert!((further(1024) - reward(&known)).abs() > 1e-3);
    let sees = TrackerConfig { preview: vec![3], ..config.clone() };
    let decides = TrackerConfig { action_rad: 0.5 * config.action_rad, ..config.clone() };
    for other in [sees, decides] {
        let (_, elsewhere) = standing(&other, 90);
        let work = TrackerWork::new(&body, &elsewhere, &other, 3, None).unwrap();
        let said = work.going_on_from(&known).err().expect("it sees or decides something else").to_string();
        assert!(said.contains("begin without it"), "{said}");
    }
}

#[test]
fn what_cannot_be_trained_is_said() {
    let config = config();
    let (body, reference) = standing(&config, 90);
    let wrong = TrackerConfig { worlds: 0, ..config.clone() };
    let error = TrackerWork::new(&body, &reference, &wrong, 3, None).err().unwrap().to_string();
    assert_eq!(error, "worlds is 0, but must be from 1 to 65536");
    let short = Reference::new(&body, 30.0, &[body.model().rest_position().to_vec()], 12).unwrap_err().to_string();
    assert!(short.contains("no stretch of at least 12 frames"), "{short}");
}
