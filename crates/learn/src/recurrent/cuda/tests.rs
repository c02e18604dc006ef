//! Windows and trainings on a GPU beside those on the CPU. Where no GPU is there, each test says so and passes.

use super::super::examples::{Examples, Stretch};
use super::super::losses::{LossTerms, LossWeights};
use super::super::network::{Network, NetworkShape};
use super::super::unroll::Unroll;
use super::super::{RecurrentConfig, TrainingState, TrainingWork};
use super::{Packed, Plan, Trainer};
use crate::intent::{CONTROLS, Control, Intent};
use crate::test_walks::{circles, stepping};
use sinew_nn::cuda::{Device, Precision};
use sinew_nn::{Adam, AdamConfig, Parameters};
use sinew_work::{RunOptions, Work, run};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The GPU, for one test at a time: while one records a graph, no other may use it.
fn device() -> Option<(Arc<Device>, MutexGuard<'static, ()>)> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    match Device::open(Precision::F32) {
        Ok(device) => Some((device, guard)),
        Err(error) => {
            println!("skipped, because there is no GPU: {error}");
            None
        }
    }
}

#[track_caller]
fn assert_near(what: &str, found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    let off = norm(&mut found.iter().zip(expected).map(|(a, b)| f64::from(a - b)));
    let size = norm(&mut expected.iter().map(|b| f64::from(*b)));
    assert!(off <= 1e-4 * size + 1e-9, "{what}: off by {off:e} of {size:e}");
}

fn of_all(network: &Network<f32>, take: impl Fn(&sinew_nn::Parameter<f32>) -> Vec<f32>) -> Vec<Vec<f32>> {
    let mut all = Vec::new();
    network.each(&mut |parameter| all.push(take(parameter)));
    all
}

#[test]
fn windows_on_a_gpu_have_the_losses_and_gradients_of_the_cpu() {
    let Some((device, _guard)) = device() else { return };
    let (figure, mut set) = stepping(1.0, 40);
    let wave = |k: usize| (libm::sin(k as f64) * 0.3) as f32;
    for (k, intent) in set.sequences[0].intents.iter_mut().enumerate() {
        *intent = Intent::new(1).with(Control::Speed, 1.0 + wave(k)).with(Control::TurnRate, wave(k + 9));
    }
    // Poses that change, so that feet slide and links are stretched in what is predicted.
    let examples = Examples::new(&set, &figure);
    for (carried_share, return_share, encoder) in [(0.7, 0.1, vec![]), (0.0, 0.0, vec![6, 4])] {
        let weights = LossWeights { motion: 1.0, objective: 0.3, contact: 6.0, rigid: 0.01, step: 2.0 };
        let unroll = Unroll { examples: &examples, weights, carried_share, return_share };
        let outputs = examples.layout.dims() + CONTROLS;
        let shape = NetworkShape { inputs: examples.input_count(), encoder, hidden: vec![9, 8, 5], outputs };
        let mut network = Network::<f32>::new(&shape, 5);
        // An output that is far enough from 0 that places and links move.
        network.each_mut(&mut |parameter| {
            if parameter.name() == "decoder.0.bias" {
                parameter.values_mut().iter_mut().enumerate().for_each(|(k, x)| *x = 0.5 * wave(3 * k));
            }
        });
        let mut adam = Adam::new(AdamConfig { largest_norm: Some(0.5), ..AdamConfig::default() });
        let intents: Vec<Intent> = (0..9)
            .map(|k| {
                let intent =
                    Intent::new(1).with(Control::TargetForward, 1.0 + wave(k)).with(Control::TargetLeft, wave(k + 1));
                let intent = intent.with(Control::TargetTurn, 2.0 * wave(k)).with(Control::TimeLeft, 0.5);
                let intent = intent.with(Control::DirectionForward, 0.8).with(Control::DirectionLeft, 0.6);
                if k % 2 == 0 { intent } else { intent.with(Control::RootHeight, 0.9) }
            })
            .collect();
        let stretches: Vec<Stretch> =
            (0..3).map(|k| Stretch { sequence: 0, first: 5 * k, intents: intents.clone() }).collect();
        let plan = Plan { windows: vec![5, 4], rate: 1e-3 };
        let mut trainer = Trainer::new(&device, &unroll, network.clone(), &adam, [3, 9]).unwrap();
        trainer.start(&Packed::new(&examples, &stretches, 9), &plan).unwrap();
        let losses = trainer.losses(&plan).unwrap();
        let found = trainer.gradients().unwrap();

        let mut lstm = network.zero_state(3);
        let mut expected = Vec::new();
        for (from, frames, loss) in [(0, 5, &losses[0]), (5, 4, &losses[1])] {
            let on_cpu = unroll.window(&mut network, &mut lstm, &stretches, from, frames);
            let terms = |terms: &LossTerms| [terms.total, terms.motion, terms.objective, terms.contact, terms.rigid];
            let loss = loss.expect("a finite loss");
            for (found, expected) in terms(&loss).into_iter().zip(terms(&on_cpu)) {
                assert!((found - expected).abs() < 1e-4 * expected && expected > 0.0, "{loss:?}, {on_cpu:?}");
            }
            expected = of_all(&network, |parameter| parameter.gradient().to_vec());
            adam.step(&mut network, 1e-3);
        }
        for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_near(&format!("gradient of parameter {k}"), found, expected);
        }
        let mut adam_back = Adam::new(AdamConfig { largest_norm: Some(0.5), ..AdamConfig::default() });
        let back = of_all(trainer.read(&mut adam_back).unwrap(), |parameter| parameter.values().to_vec());
        let expected = of_all(&network, |parameter| parameter.values().to_vec());
        back.iter().zip(&expected).for_each(|(found, expected)| assert_near("parameters", found, expected));
        assert_eq!(adam_back.steps(), 2);
    }
}

fn finished(work: &TrainingWork<'_>) -> TrainingState {
    run(work, &RunOptions::default(), &mut |_, _, _| ControlFlow::Continue(())).unwrap().finished().unwrap()
}

#[test]
fn a_training_goes_on_on_the_other_device() {
    let Some((device, _guard)) = device() else { return };
    let (_, set) = circles(&[(1.0, 0.9), (1.0, -0.9), (1.0, 0.0)], 90);
    let config = RecurrentConfig {
        lstm_units: vec![24],
        window_frames: 12,
        first_window_frames: 6,
        windows: 2,
        batch: 8,
        batches: 20,
        rate: 1e-3,
        final_rate: 1e-3,
        ..RecurrentConfig::default()
    };
    let on_cpu = TrainingWork::new(&set, &config, 1).unwrap();
    let on_gpu = TrainingWork::new(&set, &config, 1).unwrap().on(device);
    let [expected, found] = [&on_cpu, &on_gpu].map(finished);
    assert_eq!((found.updates, found.batches, found.curve.len()), (expected.updates, 20, expected.curve.len()));
    // Half on each, in both orders.
    let halves = [[&on_cpu, &on_gpu], [&on_gpu, &on_cpu]].map(|[first, then]| {
        let mut state = first.begin().unwrap();
        while state.batches < 10 {
            first.advance(&mut state).unwrap();
        }
        while !then.is_done(&state) {
            then.advance(&mut state).unwrap();
        }
        state
    });
    for state in [&found, &halves[0], &halves[1]] {
        for (a, b) in state.curve.iter().zip(&expected.curve) {
            let off = (a.loss.total - b.loss.total).abs();
            assert!(off < 1e-3 * b.loss.total, "batch {}: {} instead of {}", a.batch, a.loss.total, b.loss.total);
        }
    }
}

#[test]
fn a_training_on_a_gpu_that_diverges_says_so() {
    let Some((device, _guard)) = device() else { return };
    let (_, set) = circles(&[(1.0, 0.9)], 90);
    let config = RecurrentConfig {
        lstm_units: vec![8],
        window_frames: 12,
        windows: 2,
        batch: 4,
        batches: 300,
        rate: 1.0,
        final_rate: 1.0,
        largest_gradient: 1e6,
        ..RecurrentConfig::default()
    };
    let work = TrainingWork::new(&set, &config, 1).unwrap().on(device);
    match run(&work, &RunOptions::default(), &mut |_, _, _| ControlFlow::Continue(())) {
        Err(error) => assert!(error.to_string().contains("diverged"), "{error}"),
        Ok(outcome) => assert!(outcome.finished().unwrap().curve.iter().all(|point| point.loss.total.is_finite())),
    }
}
