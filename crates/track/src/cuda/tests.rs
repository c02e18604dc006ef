//! An update on a GPU beside that on the CPU. Where no GPU is there, the test says so and passes.

use super::Learner;
use crate::collect::Mind;
use crate::config::TrackerConfig;
use crate::networks::Networks;
use crate::update::{Minibatch, Optimisers, Transitions, update};
use sinew_nn::cuda::{Device, Precision};
use sinew_nn::{Adam, AdamConfig, RunningStatistics};

fn wave(count: usize, seed: f64) -> Vec<f32> {
    (0..count).map(|k| libm::sin(seed + 1.7 * k as f64) as f32).collect()
}

fn assert_near(what: &str, found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    let off = norm(&mut found.iter().zip(expected).map(|(a, b)| f64::from(a - b)));
    let size = norm(&mut expected.iter().map(|b| f64::from(*b)));
    assert!(off <= 1e-4 * size + 1e-7, "{what}: off by {off:e} of {size:e}");
}

#[test]
fn an_update_on_a_gpu_is_that_of_the_cpu() {
    let device = match Device::open(Precision::F32) {
        Ok(device) => device,
        Err(error) => return println!("skipped, because there is no GPU: {error}"),
    };
    for learns_deviation in [true, false] {
        let config = TrackerConfig {
            worlds: 24,
            horizon: 5,
            minibatch: 50,
            epochs: 2,
            policy_layers: vec![33, 16],
            value_layers: vec![20],
            learns_deviation,
            ..TrackerConfig::default()
        };
        let (width, actions, count) = (11, 3, 120);
        let mut networks = Networks::new(&config, width, actions, 5);
        let observations = wave(count * width, 0.3);
        let mut statistics = RunningStatistics::new(width);
        statistics.add(&observations);
        networks.set_statistics(&statistics);
        let means = wave(count * actions, 0.9).iter().map(|x| 0.1 * x).collect();
        let transitions = Transitions {
            labels: Vec::new(),
            actions: wave(count * actions, 2.0).iter().map(|x| 0.3 * x).collect(),
            advantages: wave(count, 1.0),
            targets: wave(count, 4.0),
            observations,
            means,
        };
        let adam = Adam::new(AdamConfig { largest_norm: Some(0.5), ..AdamConfig::default() });
        let mut learner = Learner::new(&device, &networks, [&adam, &adam], &config, 0).unwrap();
        let mut on_gpu = networks.clone();
        let [mut on_cpu_adam, mut on_gpu_adam] = [0, 1].map(|_| [adam.clone(), adam.clone()]);
        for number in 0..3 {
            fn optimisers([policy, value]: &mut [Adam<f32>; 2]) -> Optimisers<'_> {
                Optimisers { policy, value, policy_rate: 1e-3, value_rate: 2e-3 }
            }
            let of_cpu = optimisers(&mut on_cpu_adam);
            let mut memory = Minibatch::default();
            let expected = update(&mut networks, &transitions, &config, of_cpu, (7, number), &mut memory).unwrap();
            learner.follow(&on_gpu, [&on_gpu_adam[0], &on_gpu_adam[1]], number).unwrap();
            let rates = [1e-3, 2e-3];
            let found = learner.update(&mut on_gpu, &transitions, &config, rates, (7, number)).unwrap();
            // The second update finds the networks where the first one left them.
            if number > 0 {
                learner.copy_back(&mut on_gpu, on_gpu_adam.each_mut()).unwrap();
            }
            assert!(found.is_finite && expected.is_finite);
            for (a, b) in [(found.divergence, expected.divergence), (found.value_loss, expected.value_loss)] {
                assert!((a - b).abs() < 1e-4 * b && b > 0.0, "{found:?}, {expected:?}");
            }
            assert_near("deviations", on_gpu.policy.log_deviation.values(), networks.policy.log_deviation.values());
            for (k, (a, b)) in on_gpu.weights().iter().zip(&networks.weights()).enumerate().filter(|_| number > 0) {
                assert_near(&format!("parameter {k} after update {number}"), a, b);
            }
        }
        let mut memory = [networks.policy.mean.inference(), networks.value.inference()];
        let some = &transitions.observations[..50 * width];
        learner.follow(&on_gpu, [&on_gpu_adam[0], &on_gpu_adam[1]], 3).unwrap();
        assert_near("means", &learner.means(some).unwrap(), networks.policy.mean.infer(some, &mut memory[0]));
        assert_near("values", &learner.values(some).unwrap(), networks.value.infer(some, &mut memory[1]));
    }
}
