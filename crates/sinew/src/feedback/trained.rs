//! A policy put to the test and recorded at work.

use super::{
    Choice, FeedbackConfig, FeedbackPreset, FeedbackReport, FeedbackTraining, Policy, Prepared, PushLimit, Repeated,
    Test, limited_by,
};
use crate::error::Result;
use serde::{Deserialize, Serialize};
use sinew_sim::fnv::fnv1a;

/// A policy with everything that is known about it.
pub struct Trained {
    /// The policy.
    pub policy: Policy,
    /// `policy.json`.
    pub policy_text: String,
    /// The figures; times and threads are for the caller to fill in.
    pub results: Results,
    /// The cycle repeated under the policy.
    pub with_feedback: Repeated,
    /// The cycle repeated without it.
    pub open_loop: Repeated,
    /// Mean speeds over the tests, as shares of the reference's: with and without feedback.
    pub paces: [f64; 2],
}

/// What `feedback.json` holds, and with the optional fields the answer of `sinew feedback --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// Name of the character.
    pub character: String,
    /// Name of the clip.
    pub clip: String,
    /// Length of the cycle, s.
    pub period_secs: f64,
    /// Whole cycles before the fall without feedback.
    pub repetitions_open_loop: usize,
    /// Whole cycles before the fall with feedback.
    pub repetitions_feedback: usize,
    /// Repetitions that were asked for.
    pub tested_repetitions: usize,
    /// Largest pushes survived, for each direction.
    pub pushes: Vec<PushLimit>,
    /// How long a push takes, s.
    pub push_secs: f64,
    /// Stage of the training that the policy is from, from 1 on; 0 where full-state feedback along a periodic motion is enough.
    pub stage: usize,
    /// How far the end of the cycle is from its start: root mean square, m and rad, velocities counting a tenth.
    #[serde(default)]
    pub gap: f64,
    /// The least such gap where a periodic motion was searched and none was found that a policy repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest_gap: Option<f64>,
    /// Steps simulated by training and tests.
    pub steps: u64,
    /// Time that training and tests took, s; never in files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_secs: Option<f64>,
    /// Threads that they ran on; never in files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
    /// Seed.
    pub seed: u64,
    /// Preset.
    pub preset: FeedbackPreset,
    /// All settings, where they are not the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<FeedbackConfig>,
    /// FNV-1a of `policy.json`, 16 hexadecimal digits.
    pub hash: String,
    /// Hash of the transferred trajectory that the cycle is from.
    pub trajectory_hash: String,
}

impl Trained {
    /// Tests and records the policy of a training, on the threads of the present pool.
    ///
    /// # Errors
    /// Where the simulator refuses.
    pub fn new(
        prepared: &Prepared,
        training: &FeedbackTraining,
        test: Test,
        preset: FeedbackPreset,
    ) -> Result<Trained> {
        let (model, controls) = (prepared.model(), &prepared.replay.controls);
        let Choice { policy, stage, steps } = training.choose(model, 0)?;
        let mut report = FeedbackReport::new(model, &policy, test, 0)?;
        let with_feedback = policy.perform(model, test.repetitions, None)?;
        if report.repetitions_feedback >= test.repetitions {
            for push in &mut report.pushes {
                push.limited_by = limited_by(model, &policy, &test, push, &with_feedback)?;
            }
        }
        let open_loop = policy.open_loop(model)?.perform(model, test.repetitions, None)?;
        let policy_text = policy.to_json();
        let results = Results {
            character: controls.character.clone(),
            clip: controls.clip.clone(),
            period_secs: rounded(policy.reference.period_secs()),
            repetitions_open_loop: report.repetitions_open_loop,
            repetitions_feedback: report.repetitions_feedback,
            tested_repetitions: test.repetitions,
            push_secs: rounded(report.push_secs()),
            pushes: report.pushes,
            steps: training.progress().steps + steps + report.steps,
            stage,
            gap: policy.reference.gap,
            nearest_gap: training.least_gap().filter(|_| policy.gains.tracking.is_none()),
            seed: training.seed(),
            preset,
            config: Some(training.config()).filter(|config| **config != preset.config()).cloned(),
            hash: format!("{:016x}", fnv1a(policy_text.bytes())),
            trajectory_hash: prepared.replay.hash.clone(),
            ..Results::default()
        };
        let paces = [report.pace, report.pace_open_loop];
        Ok(Trained { policy, policy_text, results, with_feedback, open_loop, paces })
    }
}

impl Results {
    /// Whether every repetition that was asked for was survived with feedback.
    pub fn survives_all(&self) -> bool {
        self.repetitions_feedback >= self.tested_repetitions
    }

    /// What came out, in one sentence.
    pub fn headline(&self) -> String {
        let Results { repetitions_feedback, repetitions_open_loop, tested_repetitions, .. } = self;
        let without = match self.repetitions_open_loop >= self.tested_repetitions {
            true => "as it does without".to_owned(),
            false => format!("without it falls after {repetitions_open_loop}"),
        };
        match self.survives_all() {
            true => format!("With feedback it repeats the cycle all {tested_repetitions} times, {without}"),
            false => format!(
                "Falls with feedback after {repetitions_feedback} of {tested_repetitions} repetitions, {without}"
            ),
        }
    }

    /// Largest push survived in the weakest direction with feedback, and that direction.
    pub fn weakest(&self) -> Option<&PushLimit> {
        self.pushes.iter().min_by(|a, b| a.newtons_feedback.total_cmp(&b.newtons_feedback))
    }
}

/// Seconds as people write them: 2.8 instead of 2.8000000000000003.
pub(super) fn rounded(secs: f64) -> f64 {
    (1e6 * secs).round() / 1e6
}
