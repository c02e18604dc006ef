//! `sinew live`: a motion prepared, performed and written.

use super::changes::Changes;
use super::clock::cpu_secs;
use super::prepare::{Origin, Prepared, prepare};
use super::written;
use crate::error::{Error, Result};
use serde::Serialize;
use sinew_files::fnv::fnv1a;
use sinew_live::{Controller, Disturbance, LiveConfig, Stage};
use sinew_sim::Model;
use sinew_transfer::FRAME_SECS;
use sinew_work::{RunOptions, check_cancelled, run_once};
use std::path::PathBuf;
use std::sync::Arc;

/// Steps of the world in a frame.
pub(super) const STEPS_PER_FRAME: usize = 12;

/// All that is asked for.
pub struct Request {
    /// The motion.
    pub origin: Origin,
    /// The controller.
    pub config: LiveConfig,
    /// How long it performs, s.
    pub seconds: f64,
    /// How often the feedback law decides in a frame.
    pub decisions: usize,
    /// What differs from the scene in which plans are simulated.
    pub changes: Changes,
    /// Pushes on the root.
    pub pushes: Vec<TimedPush>,
    /// PNG of moments.
    pub film: Option<PathBuf>,
    /// GIF of the beginning.
    pub gif: Option<PathBuf>,
    /// The motion: GLB or BVH on the artist's skeleton, or NPZ.
    pub out: Vec<PathBuf>,
}

/// A push on the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedPush {
    /// Force over the body's weight.
    pub weights: f64,
    /// When it begins, s.
    pub at_secs: f64,
    /// How long it lasts, s.
    pub secs: f64,
    /// Degrees from where the motion looks at its start, to the left.
    pub direction_deg: f64,
}

/// What came of it, as `sinew live --json` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The character.
    pub character: String,
    /// The clip.
    pub clip: String,
    /// Whether the motion is a transferred one.
    pub is_transferred: bool,
    /// Whether it is looped.
    pub is_cycle: bool,
    /// Degrees of freedom, the root's included.
    pub dof: usize,
    /// Weight of the character, N.
    pub weight_n: f64,
    /// Length, s.
    pub seconds: f64,
    /// Falls.
    pub falls: u64,
    /// When it fell, s.
    pub fell_at_secs: Vec<f64>,
    /// Mean angle between the joints and the motion, degrees.
    pub joints_off_deg: f64,
    /// Mean angle of the root against the motion, degrees.
    pub root_off_deg: f64,
    /// Way along the ground over that of the motion; none where that stays on its place.
    pub pace: Option<f64>,
    /// Rollouts in each plan.
    pub rollouts_per_plan: usize,
    /// CPU time of a plan, ms: median and the 99th of a hundred.
    pub plan_ms_p50: f64,
    /// The same, 99th of a hundred.
    pub plan_ms_p99: f64,
    /// Seconds of motion in a second of CPU time.
    pub real_time_factor: f64,
    /// Frames in which an older plan was held, and in which there was none any more.
    pub held_frames: u64,
    /// Frames without any plan.
    pub damped_frames: u64,
    /// Plans that could not be made.
    pub failed_plans: u64,
    /// A number that another motion does not share.
    pub hash: String,
    /// What was said on the way.
    pub notes: Vec<String>,
}

/// What was performed, frame by frame; the first row is the start.
pub(super) struct Take {
    pub model: Arc<Model>,
    /// `qpos` of the world.
    pub worlds: Vec<Vec<f64>>,
    pub is_limp: Vec<bool>,
    /// Force on the root.
    pub pushes: Vec<Option<[f64; 3]>>,
    pub fell_at: Vec<u64>,
}

impl Take {
    pub const RATE_HZ: f64 = 1.0 / FRAME_SECS;
}

/// Performs a motion. Returns none where it was told to stop.
///
/// # Errors
/// Where the motion cannot be used, a setting is out of its range, or a file cannot be written.
pub fn live(request: Request, options: &RunOptions) -> Result<Option<Summary>> {
    Ok(run_once(options, || {
        let Request { origin, config, seconds, decisions, changes, pushes, film, gif, out } = request;
        let prepared = prepare(origin)?;
        let mut stage = stage(&prepared, &config, decisions, &changes)?;
        for push in &pushes {
            stage.disturb(disturbance(&prepared, push));
        }
        let (take, summary) = perform(&prepared, &mut stage, seconds, &pushes)?;
        written::write(&prepared, &take, film.as_deref(), gif.as_deref(), &out)?;
        Ok::<_, Error>(summary)
    })?)
}

/// A world for a motion, with changes of which the planner does not know.
pub(super) fn stage(prepared: &Prepared, config: &LiveConfig, decisions: usize, changes: &Changes) -> Result<Stage> {
    let controller = Controller::new(&prepared.motion, config)?;
    let heading_rad = prepared.motion.heading_rad();
    let (sin, cos) = libm::sincos(heading_rad);
    let start = prepared.motion.frame(0)[0];
    let ahead_m = changes.ahead_m + cos * start[0] + sin * start[1];
    let changes = Changes { heading_rad, ahead_m, ..*changes };
    Ok(Stage::new(controller, &changes.apply(&prepared.scene), STEPS_PER_FRAME, decisions)?)
}

/// A push as a force on the root.
pub(super) fn disturbance(prepared: &Prepared, push: &TimedPush) -> Disturbance {
    let newtons = push.weights * prepared.motion.model().weight();
    let (sin, cos) = libm::sincos(push.direction_deg.to_radians() + prepared.motion.heading_rad());
    Disturbance { body: 0, force: [newtons * cos, newtons * sin, 0.0], at_secs: push.at_secs, secs: push.secs }
}

/// Performs for so long.
pub(super) fn perform(
    prepared: &Prepared,
    stage: &mut Stage,
    seconds: f64,
    pushes: &[TimedPush],
) -> Result<(Take, Summary)> {
    let frames = (seconds / FRAME_SECS).round().max(1.0) as u64;
    let mut take = Take {
        model: stage.model().clone(),
        worlds: vec![stage.world().position()],
        is_limp: vec![false],
        pushes: vec![None],
        fell_at: Vec::new(),
    };
    let mut plan_secs = Vec::with_capacity(frames as usize);
    let mut way = 0.0;
    let began = cpu_secs();
    for frame in 0..frames {
        check_cancelled()?;
        let before = [stage.position()[0], stage.position()[1]];
        let time = stage.time_secs();
        let clock = cpu_secs();
        stage.plan()?;
        plan_secs.push(cpu_secs() - clock);
        let seen = stage.step();
        if seen.fell {
            take.fell_at.push(frame);
        }
        let [x, y] = [0, 1].map(|k| stage.position()[k] - before[k]);
        way += (x * x + y * y).sqrt();
        take.worlds.push(stage.world().position());
        take.is_limp.push(seen.is_limp);
        let acts = |push: &&TimedPush| (push.at_secs..push.at_secs + push.secs).contains(&time);
        take.pushes.push(pushes.iter().find(acts).map(|push| disturbance(prepared, push).force));
    }
    let total_secs = cpu_secs() - began;
    plan_secs.sort_by(f64::total_cmp);
    let percentile = |share: f64| 1e3 * plan_secs[((plan_secs.len() - 1) as f64 * share) as usize];
    let figures = stage.figures();
    let controller = stage.controller();
    let motion = &prepared.motion;
    let wanted = motion.speed() * seconds;
    let bytes = take.worlds.iter().flatten().flat_map(|x| (*x as f32).to_le_bytes());
    let summary = Summary {
        character: prepared.character.clone(),
        clip: prepared.clip.clone(),
        is_transferred: prepared.is_transferred,
        is_cycle: motion.is_cycle(),
        dof: motion.model().velocity_count(),
        weight_n: motion.model().weight(),
        seconds: frames as f64 * FRAME_SECS,
        falls: figures.falls,
        fell_at_secs: take.fell_at.iter().map(|frame| *frame as f64 * FRAME_SECS).collect(),
        joints_off_deg: figures.joints_off_rad.to_degrees(),
        root_off_deg: figures.root_off_rad.to_degrees(),
        pace: (motion.speed() > 0.05).then(|| way / wanted),
        rollouts_per_plan: controller.rollouts_per_plan(),
        plan_ms_p50: percentile(0.5),
        plan_ms_p99: percentile(0.99),
        real_time_factor: frames as f64 * FRAME_SECS / total_secs.max(1e-9),
        held_frames: figures.held_frames,
        damped_frames: figures.damped_frames,
        failed_plans: controller.failed_plans(),
        hash: format!("{:016x}", fnv1a(bytes)),
        notes: prepared.notes.clone(),
    };
    Ok((take, summary))
}

impl Summary {
    /// The text that `--json` prints.
    ///
    /// # Errors
    /// Where it cannot be written as JSON.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self).map_err(Error::Json)? + "\n")
    }

    /// What happened, in a few lines.
    pub fn headline(&self) -> String {
        let fell = match &self.fell_at_secs[..] {
            [] => "no fall".to_owned(),
            [first, ..] => format!("{} falls, the first at {first:.2} s", self.falls),
        };
        let kind = if self.is_transferred { "transferred" } else { "as drawn" };
        let pace = self.pace.map_or(String::new(), |pace| format!(", {:.0} % of its speed", 100.0 * pace));
        let late = match (self.held_frames, self.damped_frames, self.failed_plans) {
            (0, 0, 0) => String::new(),
            (held, damped, failed) => format!(
                "\n  {failed} plans could not be made: {held} frames on an older plan, {damped} without any, damped"
            ),
        };
        format!(
            "{}, {} ({kind}), {:.1} s live: {fell}; joints {:.1}°, root {:.1}° off the motion{pace}\n  {} rollouts in a plan, {:.1} ms of CPU time (99 of 100 below {:.1} ms), {:.2} times real time on a core; hash {}{late}",
            self.character,
            self.clip,
            self.seconds,
            self.joints_off_deg,
            self.root_off_deg,
            self.rollouts_per_plan,
            self.plan_ms_p50,
            self.plan_ms_p99,
            self.real_time_factor,
            self.hash
        )
    }
}
