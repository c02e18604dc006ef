//! Collecting transitions: every world acts for some frames under the present policy, with noise.

use crate::advantages::{Trace, advantages};
use crate::config::TrackerConfig;
use crate::disturbance::Disturbances;
use crate::environment::{Environment, Episode};
use crate::error::TrackError;
use crate::expert::Expert;
use crate::networks::{Networks, Policy};
use crate::starts::Starts;
use crate::update::Transitions;
use rayon::prelude::*;
use sinew_nn::MlpInference;
use sinew_optim::NormalStream;
use std::sync::Arc;

/// Purpose of the random numbers of actions.
const NOISE: u64 = 0x004e_4f49_5345;

/// Who acts and judges: both networks, on the CPU or on a GPU.
pub(crate) trait Mind {
    /// μ for rows of observations.
    fn means(&mut self, observations: &[f32]) -> Result<Vec<f32>, TrackError>;
    /// Values, over the largest there is, of rows of observations.
    fn values(&mut self, observations: &[f32]) -> Result<Vec<f32>, TrackError>;
}

/// Both networks on the CPU.
pub(crate) struct OnCpu<'a> {
    pub networks: &'a Networks,
    pub memory: &'a mut Option<[MlpInference<f32>; 2]>,
}

impl OnCpu<'_> {
    fn memory(&mut self) -> &mut [MlpInference<f32>; 2] {
        let Networks { policy, value } = self.networks;
        self.memory.get_or_insert_with(|| [policy.mean.inference(), value.inference()])
    }
}

impl Mind for OnCpu<'_> {
    fn means(&mut self, observations: &[f32]) -> Result<Vec<f32>, TrackError> {
        let networks = self.networks;
        Ok(networks.policy.mean.infer(observations, &mut self.memory()[0]).to_vec())
    }
    fn values(&mut self, observations: &[f32]) -> Result<Vec<f32>, TrackError> {
        let networks = self.networks;
        Ok(networks.value.infer(observations, &mut self.memory()[1]).to_vec())
    }
}

/// Working memory and what was collected, world after world within a frame.
#[derive(Default)]
pub(crate) struct Collected {
    pub transitions: Transitions,
    rewards: Vec<f32>,
    episodes: Vec<Episode>,
    /// Transitions whose episode was cut off, and what the policy would have seen next.
    cut_off: Vec<usize>,
    cut_observations: Vec<f32>,
    noise: Vec<f32>,
    disturbances: Disturbances,
    /// Whom the policy learns from, while it is cloned: what he would do is kept beside what it does.
    pub teacher: Option<Arc<Expert>>,
    /// What the worlds do: actions and their disturbance.
    disturbed: Vec<f32>,
}

/// Sums over the frames of an update.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CollectedFigures {
    pub reward: f64,
    pub body_error: f64,
    pub failed: u64,
    pub ended: u64,
    pub ended_frames: u64,
}

impl Collected {
    /// Lets all worlds act for `config.horizon` frames, begins new episodes where old ones are over, and estimates advantages.
    pub fn collect(
        &mut self,
        environment: &mut Environment<'_>,
        policy: &Policy,
        mind: &mut dyn Mind,
        starts: &mut Starts,
        config: &TrackerConfig,
        (seed, number): (u64, u64),
    ) -> Result<CollectedFigures, TrackError> {
        let worlds = environment.worlds();
        let actions = policy.log_deviation.values().len();
        let count = config.horizon * worlds;
        let mut figures = CollectedFigures::default();
        self.draw_noise(worlds, config.horizon * actions, (seed, number));
        self.disturbances.draw(environment.body, config, environment.reference.rate_hz, worlds, (seed, number));
        let survived = config.survival_reward as f32;
        let all = &mut self.transitions;
        all.observations.clear();
        all.actions.clear();
        all.means.clear();
        all.labels.clear();
        self.rewards.clear();
        self.episodes.clear();
        self.cut_off.clear();
        self.cut_observations.clear();
        let deviations: Vec<f32> = policy.log_deviation.values().iter().map(|x| libm::expf(*x)).collect();
        let width = environment.width();
        for frame in 0..config.horizon {
            sinew_work::check_cancelled()?;
            all.observations.extend(&environment.observations);
            let means = mind.means(&environment.observations)?;
            all.means.extend(&means);
            if let Some(teacher) = &self.teacher {
                all.labels.extend(teacher.actions(environment, config));
            }
            let first = all.actions.len();
            for (world, mean) in means.chunks_exact(actions).enumerate() {
                let noise = &self.noise[(world * config.horizon + frame) * actions..][..actions];
                all.actions.extend(mean.iter().zip(&deviations).zip(noise).map(|((m, d), n)| m + d * n));
            }
            environment.kick(self.disturbances.kicks(frame))?;
            self.disturbed.clear();
            self.disturbed.extend(&all.actions[first..]);
            for (world, action) in self.disturbed.chunks_exact_mut(actions).enumerate() {
                action.iter_mut().zip(self.disturbances.off(world, frame)).for_each(|(a, off)| *a += off);
            }
            environment.step(&self.disturbed)?;
            let mut over = Vec::new();
            for (world, outcome) in environment.outcomes.iter().enumerate() {
                self.rewards.push(outcome.reward + survived);
                self.episodes.push(outcome.episode);
                figures.reward += f64::from(outcome.reward);
                figures.body_error += f64::from(outcome.body_error);
                if outcome.episode == Episode::Goes {
                    continue;
                }
                over.push(world);
                let place = environment.state.places[world];
                let lasted = u64::from(place.frame - place.start);
                let possible = environment.reference.end_of(place.start as usize) - 1 - place.start as usize;
                starts.learn(environment.reference, config, place.start as usize, place.earned, possible);
                figures.ended += 1;
                figures.ended_frames += lasted;
                if outcome.episode == Episode::Failed {
                    figures.failed += 1;
                } else {
                    self.cut_off.push(frame * worlds + world);
                    self.cut_observations.extend(&environment.observations[world * width..(world + 1) * width]);
                }
            }
            environment.restart(&over, starts, seed)?;
        }
        // The worlds as they are now have a value, too.
        all.observations.extend(&environment.observations);
        self.estimate(mind, config, worlds, count)?;
        self.transitions.observations.truncate(count * width);
        Ok(figures)
    }

    /// Noise of all worlds and frames: a stream for each world.
    fn draw_noise(&mut self, worlds: usize, each: usize, (seed, number): (u64, u64)) {
        self.noise.resize(worlds * each, 0.0);
        self.noise.par_chunks_exact_mut(each).enumerate().for_each(|(world, row)| {
            let mut stream = NormalStream::new(seed, NOISE, number * worlds as u64 + world as u64);
            row.iter_mut().for_each(|x| *x = stream.normal() as f32);
        });
    }

    /// Advantages, normalised to mean 0 and deviation 1, and value targets.
    fn estimate(
        &mut self,
        mind: &mut dyn Mind,
        config: &TrackerConfig,
        worlds: usize,
        count: usize,
    ) -> Result<(), TrackError> {
        // The network gives values over the largest that there is.
        let unit = ((1.0 + config.survival_reward) / (1.0 - config.discount)) as f32;
        let values = mind.values(&self.transitions.observations)?;
        let values: Vec<f32> = values.iter().map(|v| v * unit).collect();
        let mut next_values = values[worlds..].to_vec();
        if !self.cut_off.is_empty() {
            let cut = mind.values(&self.cut_observations)?;
            self.cut_off.iter().zip(cut).for_each(|(&at, value)| next_values[at] = value * unit);
        }
        let all = &mut self.transitions;
        all.advantages.resize(count, 0.0);
        all.targets.resize(count, 0.0);
        let column =
            |rows: &[f32], world: usize| -> Vec<f32> { rows[world..count].iter().step_by(worlds).copied().collect() };
        let (discount, decay) = (config.discount as f32, config.trace_decay as f32);
        let made: Vec<(Vec<f32>, Vec<f32>)> = (0..worlds)
            .into_par_iter()
            .with_min_len(16)
            .map(|world| {
                let episodes: Vec<Episode> = self.episodes[world..].iter().step_by(worlds).copied().collect();
                let trace = Trace {
                    rewards: &column(&self.rewards, world),
                    episodes: &episodes,
                    values: &column(&values, world),
                    next_values: &column(&next_values, world),
                };
                let (mut a, mut targets) = (vec![0.0; config.horizon], vec![0.0; config.horizon]);
                advantages(trace, discount, decay, &mut a, &mut targets);
                (a, targets)
            })
            .collect();
        for (world, (a, targets)) in made.into_iter().enumerate() {
            for (frame, (a, target)) in a.into_iter().zip(targets).enumerate() {
                all.advantages[frame * worlds + world] = a;
                all.targets[frame * worlds + world] = target / unit;
            }
        }
        normalise(&mut all.advantages);
        Ok(())
    }
}

fn normalise(values: &mut [f32]) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().map(|x| f64::from(*x)).sum::<f64>() / count;
    let variance = values.iter().map(|x| (f64::from(*x) - mean) * (f64::from(*x) - mean)).sum::<f64>() / count;
    let scale = 1.0 / (variance.sqrt() + 1e-8);
    values.iter_mut().for_each(|x| *x = ((f64::from(*x) - mean) * scale) as f32);
}
