//! What the search found, performed once and measured.

use super::limits::fall_sentence;
use super::verdict::verdict_sentence;
use super::{
    Aspect, AssistFigures, AssistPoint, Begins, Controls, FRAME_SECS, Fidelity, Judgement, Metrics, Performance,
    Prepared, Preset, Solution, Target, Terms, Transfer, Verdict,
};
use crate::error::Result;
use crate::trajectory::Trajectory;
use serde::Serialize;
use sinew_modeler::fitted_to_clip;
use sinew_motion::Clip;
use sinew_sim::Model;

/// The motion that was found, with its figures.
pub struct Finished {
    /// Every step of it.
    pub run: Performance,
    /// The same as arrays.
    pub trajectory: Trajectory,
    /// What performs it: offsets, push-off and help from outside.
    pub solution: Solution,
    /// Everything that performs it again.
    pub controls: Controls,
    /// How smooth it is, how far feet slide and sink.
    pub metrics: Metrics,
    /// The figures; times and threads of the search are for the caller to fill in.
    pub summary: Summary,
    /// When it fell and which limit was hit, in one sentence; none where it was completed.
    pub fall: Option<String>,
    /// What a person would say of it, and by which figures.
    pub judgement: Judgement,
}

/// The answer of `sinew transfer --json`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Name of the character.
    pub character: String,
    /// Name of the clip.
    pub clip: String,
    /// What a person would say of the motion.
    pub verdict: Verdict,
    /// The same in one sentence, with the worst moment and why.
    pub verdict_sentence: String,
    /// What a person would say of the first motion that was found, where that was not faithful and more was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_verdict: Option<Verdict>,
    /// What the polish weighed more, because it was not as drawn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub emphasized: Vec<Aspect>,
    /// How much it looks like the drawing, whatever the figure's size.
    #[serde(flatten)]
    pub fidelity: Fidelity,
    /// Whether the character did not fall.
    pub completed: bool,
    /// When it fell.
    pub fell_at_secs: Option<f64>,
    /// Length of the motion, s.
    pub duration_secs: f64,
    /// Mean of the cost over all looks: the sum of its terms.
    pub cost_mean: f64,
    /// Means of the terms.
    pub cost_terms: Terms,
    /// Mean squared jerk of the joints over the target's.
    pub jerk_ratio: f64,
    /// Mean way that a foot slides in one contact, m.
    pub foot_skate: f64,
    /// Largest such way, m.
    pub worst_skate: f64,
    /// Deepest that a body sinks into the ground, m.
    pub max_penetration: f64,
    /// Steps simulated by the search.
    pub steps: u64,
    /// Time that the search took, s.
    pub wall_secs: f64,
    /// Threads that it ran on.
    pub threads: usize,
    /// Seed.
    pub seed: u64,
    /// Preset.
    pub preset: Preset,
    /// FNV-1a of the trajectory, 16 hexadecimal digits.
    pub hash: String,
    /// Folder of the files.
    pub out: String,
    /// How much help from outside there is, and where; left out of a plain transfer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<AssistFigures>,
    /// The front of fidelity against help; left out without `--assist`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assist: Vec<super::AssistRow>,
}

impl Finished {
    /// Performs and measures the best motion of a transfer.
    ///
    /// # Errors
    /// Where no world can be made.
    pub fn new(prepared: &Prepared, transfer: &Transfer, preset: Preset) -> Result<Finished> {
        Finished::performed(prepared, transfer, preset, transfer.solution(&prepared.target))
    }

    /// Performs and measures a point of the front of fidelity against help.
    ///
    /// # Errors
    /// Where no world can be made.
    pub fn of_point(prepared: &Prepared, transfer: &Transfer, preset: Preset, point: &AssistPoint) -> Result<Finished> {
        Finished::performed(prepared, transfer, preset, point.solution.clone())
    }

    fn performed(prepared: &Prepared, transfer: &Transfer, preset: Preset, solution: Solution) -> Result<Finished> {
        let (target, config) = (&prepared.target, transfer.config());
        let run = Performance::record(target, config, &solution, &mut |_, _| ())?;
        let metrics = Metrics::new(target, &run);
        let trajectory = Trajectory::of_performance(prepared.model(), &run);
        let fell_at_secs = fell_at_secs(target, &run);
        let fall = fell_at_secs.map(|secs| fall_sentence(prepared.model(), &run, secs));
        let fidelity = Fidelity::new(target, &run, &metrics);
        let judgement = Judgement::new(&fidelity, fall.is_some());
        let cost_terms = run.mean_terms();
        let summary = Summary {
            character: prepared.modeling.project.character().name.clone(),
            clip: prepared.clip().name.clone(),
            verdict: judgement.verdict,
            verdict_sentence: verdict_sentence(target, &run, &fidelity, &judgement, fall.as_deref()),
            first_verdict: transfer.first_verdict(),
            emphasized: transfer.emphasized(),
            fidelity,
            completed: fell_at_secs.is_none(),
            fell_at_secs,
            duration_secs: rounded(run.duration_secs()),
            cost_mean: cost_terms.total(),
            cost_terms,
            jerk_ratio: metrics.jerk_ratio,
            foot_skate: metrics.foot_skate,
            worst_skate: metrics.worst_skate,
            max_penetration: metrics.max_penetration,
            steps: transfer.steps(),
            seed: transfer.seed(),
            preset,
            hash: format!("{:016x}", trajectory.hash()),
            help: (!solution.assist.is_empty()).then(|| AssistFigures::new(&solution.assist)),
            ..Summary::default()
        };
        let controls = Controls::new(prepared, config, &solution, &summary);
        Ok(Finished { run, trajectory, solution, controls, metrics, summary, fall, judgement })
    }

    /// The motion on the artist's skeleton, at the rate of the clip; joints that no body moves do what they do in the clip.
    ///
    /// # Errors
    /// Where the skeleton is not the character's.
    pub fn clip(&self, prepared: &Prepared) -> Result<Clip> {
        let (project, source) = (&prepared.modeling.project, prepared.clip());
        let frames = (self.run.duration_secs() * source.rate_hz + 1e-6).floor() as usize + 1;
        let mut rows = Vec::new();
        for frame in 0..frames {
            rows.extend(position_at(prepared.model(), &self.run, frame as f64 / source.rate_hz));
        }
        let name = format!("{} simulated", source.name);
        let skeleton = &prepared.source.rig.skeleton;
        let (character, binding) = (project.character(), project.binding());
        Ok(fitted_to_clip(character, binding, skeleton, source.rate_hz, &name, &rows, Some(source))?)
    }

    /// Whether the motion begins with the clip's velocity.
    pub fn begins(&self) -> Begins {
        self.controls.config.begins
    }
}

/// When a performance went wrong: at the frame where it fell, or where the target goes on without it.
pub(super) fn fell_at_secs(target: &Target, run: &Performance) -> Option<f64> {
    let missing = (run.frames() < target.frames()).then(|| run.frames() - 1);
    run.fell_at.or(missing).map(|frame| rounded(frame as f64 * FRAME_SECS))
}

/// Seconds as people write them: 2.8 instead of 2.8000000000000003.
fn rounded(secs: f64) -> f64 {
    (1e6 * secs).round() / 1e6
}

/// `qpos` at a time, on the way between two steps.
pub(super) fn position_at(model: &Model, run: &Performance, time_secs: f64) -> Vec<f64> {
    let last = run.moments.len() - 1;
    let at = (time_secs / run.dt).clamp(0.0, last as f64);
    let step = (at.floor() as usize).min(last.saturating_sub(1));
    let (from, to) = (&run.moments[step].position, &run.moments[(step + 1).min(last)].position);
    let mut way = vec![0.0; model.velocity_count()];
    model.difference(from, to, &mut way);
    let mut position = from.clone();
    model.displace(from, &way, at - step as f64, &mut position);
    position
}
