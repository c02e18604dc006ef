//! The two networks: a policy that is a normal distribution over actions, and the value of a state (Park et al. 2019, eq. 12).

use crate::config::TrackerConfig;
use sinew_nn::{Activation, Initial, Mlp, MlpShape, Normaliser, Parameter, Parameters, RunningStatistics};

/// Observations are bounded to so many deviations.
const BOUND: f64 = 10.0;
/// Size of the policy's last layer at the beginning: first actions are near zero.
const SMALL_OUTPUT: f64 = 0.01;

/// μ(s) and σ.
#[derive(Clone, Debug)]
pub(crate) struct Policy {
    pub mean: Mlp<f32>,
    /// ln σ of each number of an action.
    pub log_deviation: Parameter<f32>,
}

/// What is trained.
#[derive(Clone, Debug)]
pub(crate) struct Networks {
    pub policy: Policy,
    pub value: Mlp<f32>,
}

impl Parameters<f32> for Policy {
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Parameter<f32>)) {
        self.mean.each(visit);
        visit(&self.log_deviation);
    }
    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter<f32>)) {
        self.mean.each_mut(visit);
        visit(&mut self.log_deviation);
    }
}

impl Parameters<f32> for Networks {
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Parameter<f32>)) {
        self.policy.each(visit);
        self.value.each(visit);
    }
    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter<f32>)) {
        self.policy.each_mut(visit);
        self.value.each_mut(visit);
    }
}

impl Policy {
    /// A policy for observations and actions of so many numbers.
    pub fn new(config: &TrackerConfig, observation: usize, action: usize, seed: u64) -> Policy {
        let output_initial = Initial::Orthogonal { gain: SMALL_OUTPUT };
        let shape = MlpShape { output_initial, ..shape(observation, &config.policy_layers, action) };
        let log_deviation = vec![libm::log(config.deviation) as f32; action];
        Policy {
            mean: Mlp::new("policy", &shape, seed),
            log_deviation: Parameter::new("policy.log_deviation", &[action], log_deviation),
        }
    }
}

impl Networks {
    /// Networks as training begins.
    pub fn new(config: &TrackerConfig, observation: usize, action: usize, seed: u64) -> Networks {
        let value = Mlp::new("value", &shape(observation, &config.value_layers, 1), seed);
        Networks { policy: Policy::new(config, observation, action, seed), value }
    }

    /// All numbers that are learnt.
    pub fn weights(&self) -> Vec<Vec<f32>> {
        let mut all = Vec::new();
        self.each(&mut |parameter| all.push(parameter.values().to_vec()));
        all
    }

    /// Sets all numbers that are learnt.
    ///
    /// # Panics
    /// Where they are of other networks.
    pub fn set_weights(&mut self, weights: &[Vec<f32>]) {
        let mut rest = weights.iter();
        self.each_mut(&mut |parameter| {
            let values = rest.next().expect("as many parameters as were kept");
            parameter.values_mut().copy_from_slice(values);
        });
    }

    /// Normalises observations from now on.
    pub fn set_statistics(&mut self, statistics: &RunningStatistics) {
        self.policy.mean.set_normaliser(Normaliser::new(statistics, BOUND));
        self.value.set_normaliser(Normaliser::new(statistics, BOUND));
    }
}

fn shape(inputs: usize, hidden: &[usize], outputs: usize) -> MlpShape {
    MlpShape {
        initial: Initial::Orthogonal { gain: 2f64.sqrt() },
        ..MlpShape::new(inputs, hidden, outputs, Activation::Relu)
    }
}
