//! Training as long work: collect, update, learn where episodes fail; again.

use crate::body::TrackedBody;
use crate::collect::{Collected, OnCpu};
use crate::config::TrackerConfig;
use crate::cuda::Learner;
use crate::environment::{Ends, Environment, EnvironmentState};
use crate::error::TrackError;
use crate::expert::Expert;
use crate::networks::{Networks, Policy};
use crate::policy::TrainedPolicy;
use crate::reference::Reference;
use crate::starts::Starts;
use crate::trial::{TrialFigures, TrialOptions, run_trial};
use crate::update::{Minibatch, Optimisers, followed_rate, update};
use serde::{Deserialize, Serialize};
use sinew_files::fnv::fnv1a;
use sinew_nn::cuda::Device;
use sinew_nn::{Adam, AdamConfig, MlpInference, Parameters, RunningStatistics};
use sinew_work::{Best, Identity, Progress, Work};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Transitions between two tests without noise.
const TEST_EVERY: u64 = 1_000_000;
/// Episodes of such a test, their length, s, and its seed.
const TEST_EPISODES: usize = 64;
const TEST_SECS: f64 = 5.0;
const TEST_SEED: u64 = 7;
/// Share of a test's episodes that more may fall than in the best one.
const MORE_FALLS: f64 = 0.05;
/// Rewards of so many last tests are compared with those before them to tell whether training still gets better.
const PLATEAU_TESTS: usize = 8;

/// How long learning on a GPU goes on before the networks are copied back, at least.
const PIECE: Duration = Duration::from_secs(2);

/// Passes over the transitions of an update while the policy is cloned.
const CLONE_EPOCHS: usize = 3;
/// What is left of the policy's rate at the end of cloning.
const CLONE_LAST_RATE: f64 = 0.1;

/// Rows of observations that the other one's normalisation counts as.
const KNOWN_ROWS: u64 = 2_000_000;

/// Trains a policy.
pub struct TrackerWork<'a> {
    body: &'a TrackedBody,
    reference: &'a Reference,
    config: &'a TrackerConfig,
    seed: u64,
    /// Ends training as soon as a test earns so much in a frame.
    until: Option<f64>,
    /// The policy that training goes on from.
    from: Option<Box<TrainedPolicy>>,
    /// The GPU on which both networks act and learn; none for the CPU.
    device: Option<Arc<Device>>,
    session: Mutex<Session<'a>>,
}

/// What lives as long as the process.
struct Session<'a> {
    environment: Environment<'a>,
    networks: Networks,
    collected: Collected,
    minibatch: Minibatch,
    inference: Option<[MlpInference<f32>; 2]>,
    learner: Option<Learner>,
    /// Whom the policy is cloned from; made when it is asked for first.
    expert: Option<Arc<Expert>>,
}

/// How training stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingState {
    updates: u64,
    /// Transitions so far.
    pub transitions: u64,
    weights: Vec<Vec<f32>>,
    adam_policy: Adam<f32>,
    adam_value: Adam<f32>,
    statistics: RunningStatistics,
    starts: Starts,
    worlds: EnvironmentState,
    policy_rate: f64,
    /// One point for each update.
    pub curve: Vec<CurvePoint>,
    /// Tests without noise, from uniform starts.
    pub tests: Vec<TestPoint>,
    /// What stood up to the last test but those that fell more often.
    kept: Option<Tested>,
    is_good: bool,
}

/// Networks that were tested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Tested {
    transitions: u64,
    weights: Vec<Vec<f32>>,
    statistics: RunningStatistics,
}

impl TrainingState {
    /// Transitions after which the policy that is written was what it is: a training may go on beyond it, and end with one that falls.
    pub fn policy_transitions(&self) -> u64 {
        self.fallen_back().map_or(self.transitions, |kept| kept.transitions)
    }

    /// The networks that count instead of the present ones, where those fell in the last test.
    fn fallen_back(&self) -> Option<&Tested> {
        let tested = self.tests.last().map(|test| test.transitions);
        self.kept.as_ref().filter(|kept| Some(kept.transitions) != tested)
    }

    /// Notes a test. Its networks are kept unless they fall noticeably more often than the best so far; so are those that training ends with, because
    /// they are good enough.
    fn tested(&mut self, figures: TrialFigures) {
        let share = |figures: &TrialFigures| figures.falls as f64 / figures.episodes.max(1) as f64;
        let fewest = self.tests.iter().map(|test| share(&test.figures)).fold(1.0, f64::min);
        if self.is_good || share(&figures) <= fewest + MORE_FALLS {
            let (weights, statistics) = (self.weights.clone(), self.statistics.clone());
            self.kept = Some(Tested { transitions: self.transitions, weights, statistics });
        }
        self.tests.push(TestPoint { transitions: self.transitions, figures });
    }
}

/// Figures of an update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Transitions so far.
    pub transitions: u64,
    /// Mean reward of a frame, with noise and from the starts of training.
    pub reward_per_frame: f64,
    /// Mean frames of the episodes that ended.
    pub episode_frames: f64,
    /// Share of these that failed.
    pub failed_share: f64,
    /// Mean distance of bodies, m.
    pub body_error_m: f64,
    /// Mean divergence of the policy from before the update.
    pub divergence: f64,
    /// Mean square error of the value, over its largest.
    pub value_loss: f64,
    /// Deviation of actions.
    pub deviation: f64,
    /// Rate of the policy.
    pub policy_rate: f64,
}

/// A test without noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestPoint {
    /// Transitions so far.
    pub transitions: u64,
    /// What was found.
    pub figures: TrialFigures,
}

impl<'a> TrackerWork<'a> {
    /// Work that trains a policy for a reference.
    ///
    /// # Errors
    /// Where a constant cannot be used, or worlds cannot be made.
    pub fn new(
        body: &'a TrackedBody,
        reference: &'a Reference,
        config: &'a TrackerConfig,
        seed: u64,
        until: Option<f64>,
    ) -> Result<TrackerWork<'a>, TrackError> {
        if let Some((field, value, range)) = config.fault() {
            return Err(TrackError::Config { field, value, range });
        }
        let environment = Environment::new(body, reference, config, Ends::new(body, config), config.worlds)?;
        let networks = Networks::new(config, environment.width(), body.coordinate_count(), seed);
        let (collected, minibatch) = (Collected::default(), Minibatch::default());
        let session =
            Session { environment, networks, collected, minibatch, inference: None, learner: None, expert: None };
        let (from, device, session) = (None, None, Mutex::new(session));
        Ok(TrackerWork { body, reference, config, seed, until, from, device, session })
    }

    /// Lets both networks act and learn on a GPU, while the cores simulate: the same updates but for rounding.
    #[must_use]
    pub fn on(self, device: Arc<Device>) -> TrackerWork<'a> {
        TrackerWork { device: Some(device), ..self }
    }

    /// The GPU; none for the CPU.
    pub fn device(&self) -> Option<&Device> {
        self.device.as_deref()
    }

    /// Goes on from a policy that was trained on other motion of the same character, instead of from one that knows nothing.
    ///
    /// # Errors
    /// Where it sees, or decides, something else.
    pub fn going_on_from(self, policy: &TrainedPolicy) -> Result<TrackerWork<'a>, TrackError> {
        let session = self.session.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let sizes = |policy: &Policy| {
            let mut sizes = Vec::new();
            policy.each(&mut |parameter| sizes.push(parameter.values().len()));
            sizes
        };
        let fits = sizes(&policy.policy) == sizes(&session.networks.policy);
        drop(session);
        let joints = |character: &sinew_sim::Character| -> Vec<_> {
            character.joints.iter().map(|joint| (joint.name.clone(), joint.kind)).collect()
        };
        let sees = |config: &TrackerConfig| (config.preview.clone(), config.sees_phase);
        let decides = |config: &TrackerConfig| {
            let shift = [config.action_rad, config.action_torque_share, config.most_action_rad];
            (shift, config.targets_move, config.feeds_controls, config.steps_per_frame)
        };
        if !fits
            || joints(&policy.character) != joints(&self.body.character)
            || sees(&policy.config) != sees(self.config)
            || decides(&policy.config) != decides(self.config)
            || policy.rate_hz != self.reference.rate_hz
        {
            let (character, other) = (self.body.character.name.clone(), policy.character.name.clone());
            return Err(TrackError::OtherPolicy { character, other });
        }
        Ok(TrackerWork { from: Some(Box::new(policy.clone())), ..self })
    }

    /// The policy of a state: the present one, or where that fell in the last test the last one that did not.
    pub fn policy(&self, state: &TrainingState) -> TrainedPolicy {
        let mut session = self.session.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let kept = state.fallen_back().map(|kept| (&kept.weights, &kept.statistics));
        let (weights, statistics) = kept.unwrap_or((&state.weights, &state.statistics));
        session.networks.set_weights(weights);
        session.networks.set_statistics(statistics);
        TrainedPolicy::new(self.body, self.reference, self.config, session.networks.policy.clone())
    }

    /// Whether the last tests are no better than those before them.
    pub fn has_stopped_improving(&self, state: &TrainingState) -> bool {
        let rewards: Vec<f64> = state.tests.iter().map(|test| test.figures.reward_per_frame).collect();
        let Some(split) = rewards.len().checked_sub(PLATEAU_TESTS).filter(|split| *split >= PLATEAU_TESTS) else {
            return false;
        };
        let best = |rewards: &[f64]| rewards.iter().copied().fold(f64::MIN, f64::max);
        best(&rewards[split..]) < best(&rewards[..split]) + 0.005
    }

    fn is_test_due(&self, state: &TrainingState) -> bool {
        let tested = state.tests.last().map_or(0, |test| test.transitions);
        let since = state.transitions - tested;
        since >= TEST_EVERY || since > 0 && state.transitions >= self.config.transitions
    }

    /// Collects transitions and learns from them, once.
    fn learn(&self, session: &mut Session<'_>, state: &mut TrainingState) -> Result<(), TrackError> {
        let config = self.config;
        let Session { environment, networks, collected, minibatch, inference, learner, expert } = session;
        networks.set_statistics(&state.statistics);
        if !config.learns_deviation {
            networks.policy.log_deviation.values_mut().fill(libm::log(self.deviation(state.transitions)) as f32);
        }
        environment.resume(state.worlds.clone())?;
        let key = (self.seed, state.updates);
        let clones = state.transitions < config.clone_transitions;
        if clones && expert.is_none() {
            *expert = Some(Arc::new(Expert::new(self.body, self.reference, config)?));
        }
        collected.teacher = expert.clone().filter(|_| clones);
        if clones {
            // Of a piece beyond the end of cloning that was given up.
            *learner = None;
        }
        // Cloning takes seconds on the CPU.
        if let Some(device) = self.device.as_ref().filter(|_| !clones) {
            let adam = [&state.adam_policy, &state.adam_value];
            match learner {
                Some(learner) => learner.follow(networks, adam, state.updates)?,
                None => *learner = Some(Learner::new(device, networks, adam, config, state.updates)?),
            }
        }
        let (policy, starts) = (&networks.policy, &mut state.starts);
        let figures = match learner {
            Some(learner) => collected.collect(environment, policy, learner, starts, config, key)?,
            None => {
                let mut mind = OnCpu { networks, memory: inference };
                collected.collect(environment, policy, &mut mind, starts, config, key)?
            }
        };
        let count = collected.transitions.targets.len() as u64;
        let decayed = libm::pow(config.rate_decay, state.transitions as f64 * 1e-6);
        let waits = self.from.is_some() && state.transitions < config.value_first;
        let policy_rate = (state.policy_rate * decayed).max(config.least_policy_rate);
        let policy_rate = match () {
            () if waits => 0.0,
            () if clones => self.clone_rate(state.transitions),
            () => policy_rate,
        };
        let rates = [policy_rate, config.value_rate * decayed];
        let transitions = &collected.transitions;
        let updated = match learner {
            Some(learner) => learner.update(networks, transitions, config, rates, key)?,
            None => {
                let optimisers = Optimisers {
                    policy: &mut state.adam_policy,
                    value: &mut state.adam_value,
                    policy_rate: rates[0],
                    value_rate: rates[1],
                };
                let epochs = if clones { CLONE_EPOCHS } else { config.epochs };
                update(networks, transitions, &TrackerConfig { epochs, ..config.clone() }, optimisers, key, minibatch)?
            }
        };
        state.transitions += count;
        if !updated.is_finite || !figures.reward.is_finite() {
            let what = if updated.is_finite { "the reward" } else { "a gradient" };
            return Err(TrackError::Diverged { transitions: state.transitions, what });
        }
        state.statistics.add(&collected.transitions.observations);
        if clones && state.transitions >= config.clone_transitions {
            // Gradients of another objective follow.
            state.adam_policy = self.adam();
        }
        if !waits && !clones {
            state.policy_rate = followed_rate(state.policy_rate, updated.divergence, config);
        }
        state.starts.weigh(config);
        state.worlds = environment.state.clone();
        state.updates += 1;
        let log = networks.policy.log_deviation.values();
        let mean_log = log.iter().map(|x| f64::from(*x)).sum::<f64>() / log.len() as f64;
        state.curve.push(CurvePoint {
            transitions: state.transitions,
            reward_per_frame: figures.reward / count as f64,
            episode_frames: figures.ended_frames as f64 / figures.ended.max(1) as f64,
            failed_share: figures.failed as f64 / figures.ended.max(1) as f64,
            body_error_m: figures.body_error / count as f64,
            divergence: updated.divergence,
            value_loss: updated.value_loss,
            deviation: libm::exp(mean_log),
            policy_rate: rates[0],
        });
        Ok(())
    }

    fn adam(&self) -> Adam<f32> {
        Adam::new(AdamConfig { largest_norm: Some(self.config.gradient_norm), ..AdamConfig::default() })
    }

    /// The policy's rate while it is cloned: it falls evenly, so that what is learnt last is not lost to noise.
    fn clone_rate(&self, transitions: u64) -> f64 {
        let share = transitions as f64 / self.config.clone_transitions.max(1) as f64;
        self.config.clone_rate * (1.0 - (1.0 - CLONE_LAST_RATE) * share)
    }

    fn deviation(&self, transitions: u64) -> f64 {
        let share = (transitions as f64 / self.config.deviation_transitions.max(1) as f64).min(1.0);
        let [from, to] = [self.config.deviation, self.config.least_deviation].map(libm::log);
        libm::exp(from + (to - from) * share)
    }
}

impl Work for TrackerWork<'_> {
    type State = TrainingState;
    type Error = TrackError;
    const KIND: &'static str = "tracker";
    const VERSION: u32 = 2;

    fn identity(&self) -> Identity {
        // A longer training goes on from a shorter one.
        let config = TrackerConfig { transitions: 0, ..self.config.clone() };
        let identity = match &self.from {
            Some(from) => {
                let mut weights: Vec<f32> = Vec::new();
                from.policy.each(&mut |parameter| weights.extend(parameter.values()));
                Identity::default()
                    .hashed("policy to go on from", fnv1a(weights.into_iter().flat_map(|x| x.to_le_bytes())))
            }
            None => Identity::default(),
        };
        identity
            .hashed("character", fnv1a(self.body.character.to_toml().bytes()))
            .hashed("reference", self.reference.hash())
            .part("configuration", &config)
            .part("seed", &self.seed)
    }

    fn begin(&self) -> Result<TrainingState, TrackError> {
        let mut session = self.session.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let starts = Starts::new(self.reference, self.config);
        let environment = &mut session.environment;
        environment.begin(&starts, self.seed)?;
        let (worlds, width) = (environment.state.clone(), environment.width());
        let mut networks = Networks::new(self.config, width, self.body.coordinate_count(), self.seed);
        let adam = self.adam();
        let mut statistics = RunningStatistics::new(width);
        if let Some(from) = &self.from {
            networks.policy = from.policy.clone();
            if let Some(normaliser) = from.policy.mean.normaliser() {
                statistics = normaliser.statistics(KNOWN_ROWS);
            }
        }
        statistics.add(&environment.observations);
        Ok(TrainingState {
            updates: 0,
            transitions: 0,
            weights: networks.weights(),
            adam_policy: adam.clone(),
            adam_value: adam,
            statistics,
            starts,
            worlds,
            policy_rate: self.config.policy_rate,
            curve: Vec::new(),
            tests: Vec::new(),
            kept: None,
            is_good: false,
        })
    }

    fn is_done(&self, state: &TrainingState) -> bool {
        state.transitions >= self.config.transitions || state.is_good
    }

    fn advance(&self, state: &mut TrainingState) -> Result<(), TrackError> {
        let mut session = self.session.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        session.networks.set_weights(&state.weights);
        let began = Instant::now();
        // A network that learns on a GPU is copied back after a while only.
        while {
            self.learn(&mut session, state)?;
            self.device.is_some() && began.elapsed() < PIECE && !self.is_done(state) && !self.is_test_due(state)
        } {}
        let Session { networks, learner, .. } = &mut *session;
        if let Some(learner) = learner {
            learner.copy_back(networks, [&mut state.adam_policy, &mut state.adam_value])?;
        }
        state.weights = networks.weights();
        if self.is_test_due(state) {
            networks.set_statistics(&state.statistics);
            let policy = TrainedPolicy::new(self.body, self.reference, self.config, networks.policy.clone());
            let frames = libm::round(TEST_SECS * self.reference.rate_hz) as usize;
            let trial = TrialOptions { episodes: TEST_EPISODES, frames, seed: TEST_SEED };
            let figures = run_trial(self.body, self.reference, &policy, &trial)?;
            state.is_good = self.until.is_some_and(|until| figures.reward_per_frame >= until);
            state.tested(figures);
        }
        Ok(())
    }

    fn progress(&self, state: &TrainingState) -> Progress {
        let last = state.curve.last().copied().unwrap_or_default();
        let best = state.tests.iter().map(|test| test.figures.reward_per_frame).fold(f64::NEG_INFINITY, f64::max);
        Progress {
            doing: format!(
                "{:.1} of {:.0} M transitions, reward {:.3} a frame, episodes of {:.0} frames",
                state.transitions as f64 * 1e-6,
                self.config.transitions as f64 * 1e-6,
                last.reward_per_frame,
                last.episode_frames
            ),
            done: state.transitions as f64,
            total: self.config.transitions as f64,
            total_is_bound: self.until.is_some(),
            best: best.is_finite().then(|| Best { name: "without noise".into(), value: best }),
            steps: state.transitions * self.config.steps_per_frame as u64,
            ..Progress::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_motion::{performed, small_performed_config};
    use sinew_work::{RunOptions, run};
    use std::ops::ControlFlow;

    fn ended(work: &TrackerWork<'_>, threads: usize) -> TrainingState {
        let options = RunOptions { threads, ..RunOptions::default() };
        run(work, &options, &mut |_, _, _| ControlFlow::Continue(())).unwrap().into_state()
    }

    /// Mean square difference between what a policy and the expert do in states near the motion, and mean square of what the expert does.
    fn apart(work: &TrackerWork<'_>, policy: &TrainedPolicy, expert: &Expert) -> [f64; 2] {
        let (body, reference, config) = (work.body, work.reference, work.config);
        let mut environment = Environment::new(body, reference, config, Ends::new(body, config), 24).unwrap();
        let worlds: Vec<usize> = (0..24).collect();
        environment.place(&worlds, &worlds).unwrap();
        let mut memory = policy.policy.mean.inference();
        let (mut off, mut all) = (0.0, 0.0);
        let noise = |at: usize| 0.3 * (((at * 7919) % 101) as f32 / 50.0 - 1.0);
        for frame in 0..6 {
            let (own, wanted) = (
                policy.policy.mean.infer(&environment.observations, &mut memory).to_vec(),
                expert.actions(&environment, config),
            );
            off += own.iter().zip(&wanted).map(|(a, b)| f64::from((a - b) * (a - b))).sum::<f64>();
            all += wanted.iter().map(|x| f64::from(x * x)).sum::<f64>();
            let actions: Vec<f32> = own.iter().enumerate().map(|(at, x)| x + noise(at + frame)).collect();
            environment.step(&actions).unwrap();
        }
        [off, all]
    }

    #[test]
    fn a_policy_begins_as_a_clone_of_the_expert_and_learns_by_reward_after_that() {
        let cloning = TrackerConfig {
            worlds: 64,
            horizon: 16,
            minibatch: 128,
            policy_layers: vec![64],
            deviation: 0.2,
            clone_rate: 3e-3,
            clone_transitions: 40 * 1024,
            transitions: 40 * 1024,
            ..small_performed_config()
        };
        let (body, reference) = performed(&cloning);
        let expert = Expert::new(&body, &reference, &cloning).unwrap();
        let work = TrackerWork::new(&body, &reference, &cloning, 3, None).unwrap();
        let cloned = work.policy(&ended(&work, 2));
        let [off, all] = apart(&work, &cloned, &expert);
        assert!(off < 0.5 * all, "{off} of {all}");
        let other = TrackerConfig { clone_transitions: 0, ..cloning.clone() };
        let rewarded = TrackerWork::new(&body, &reference, &other, 3, None).unwrap();
        let [off, all] = apart(&work, &rewarded.policy(&ended(&rewarded, 2)), &expert);
        assert!(off > 0.7 * all, "{off} of {all}: by reward it does not do as the expert");
    }

    #[test]
    fn cloning_gives_the_same_policy_on_any_number_of_threads_and_after_a_pause() {
        let config = small_performed_config();
        let (body, reference) = performed(&config);
        let fresh = || TrackerWork::new(&body, &reference, &config, 3, None).unwrap();
        let one = ended(&fresh(), 1);
        assert!(one == ended(&fresh(), 3));
        let mut state = fresh().begin().unwrap();
        while state.transitions < config.transitions {
            // Each time a new process.
            fresh().advance(&mut state).unwrap();
        }
        assert!(state == one);
        // Two updates of cloning, then gradients of another objective.
        let rates: Vec<f64> = one.curve.iter().map(|point| point.policy_rate).collect();
        assert!((rates[0] - 1e-3).abs() < 1e-9 && (rates[1] - 0.55e-3).abs() < 1e-9, "{rates:?}");
        assert!(rates[2] <= config.policy_rate && one.adam_policy.steps() < one.adam_value.steps(), "{rates:?}");
    }

    #[test]
    fn the_policy_is_the_last_that_did_not_fall_more_often_than_the_best() {
        let config = small_performed_config();
        let (body, reference) = performed(&config);
        let work = TrackerWork::new(&body, &reference, &config, 3, None).unwrap();
        let mut state = ended(&work, 1);
        let figures = TrialFigures { episodes: 100, ..state.tests[0].figures };
        (state.tests, state.kept) = (Vec::new(), None);
        let first = |state: &TrainingState| work.policy(state).policy.mean.layers()[0].weight().values()[0];
        let goes_on = |state: &mut TrainingState, weight: f32, falls: Option<u64>| {
            state.transitions += 512;
            state.weights.iter_mut().flatten().for_each(|x| *x = weight);
            if let Some(falls) = falls {
                state.tested(TrialFigures { falls: falls as _, ..figures });
            }
            (first(state), state.transitions - state.policy_transitions())
        };
        assert_eq!(goes_on(&mut state, 1.0, None), (1.0, 0), "before the first test");
        assert_eq!(goes_on(&mut state, 2.0, Some(60)), (2.0, 0));
        assert_eq!(goes_on(&mut state, 3.0, Some(3)), (3.0, 0));
        assert_eq!(goes_on(&mut state, 4.0, Some(8)), (4.0, 0), "that may be chance");
        assert_eq!(goes_on(&mut state, 5.0, None), (5.0, 0), "after a good test");
        assert_eq!(goes_on(&mut state, 6.0, Some(30)), (4.0, 1024));
        assert_eq!(goes_on(&mut state, 7.0, None), (4.0, 1536), "after a bad one");
        assert_eq!(goes_on(&mut state, 8.0, Some(2)), (8.0, 0));
        state.is_good = true;
        assert_eq!(goes_on(&mut state, 9.0, Some(50)), (9.0, 0), "what was asked for");
    }

    #[test]
    fn controls_that_nobody_knows_are_asked_for() {
        let config = TrackerConfig { feeds_controls: true, ..crate::test_motion::small_config() };
        let (body, reference) = crate::test_motion::swaying(&config);
        let said = TrackerWork::new(&body, &reference, &config, 3, None).err().unwrap().to_string();
        assert!(said.contains("give the folder of a transfer"), "{said}");
        let config = small_performed_config();
        let (body, reference) = performed(&config);
        let policy = TrainedPolicy::untrained(&body, &config, 30.0, 1);
        let said = crate::pilot::Pilot::new(&body, &policy).err().unwrap().to_string();
        assert!(said.contains("can follow no other"), "{said}");
        assert!(crate::portable::Portable::new(&body, &policy).is_err());
        assert!(reference.has_controls());
    }
}
