//! The measurement of generators: minutes of motion under random objectives, without simulation, and figures of it.
//!
//! Every generator is measured on the same tasks: targets that the set reaches from the same velocity, velocities, and sudden changes of direction. Start
//! reading at [`run_trial`]; each figure is defined in [`TrialFigures`] and computed in `figures.rs`.

mod figures;
mod practice;
mod tasks;
#[cfg(test)]
mod tests;

pub use practice::{Forecast, forecasts, practise};

use crate::generator::{Generator, GeneratorState};
use crate::motion_set::MotionSet;
use crate::objective::Objective;
use crate::random::Stream;
use figures::{
    distance_to_set_deg, diversity_deg, median, points_along, quantile, skating_cm_per_sec, slides_cm, stretch_percent,
    velocity,
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::time::Instant;
use tasks::{Task, TaskKind, Tasks};

/// A target counts as reached within this distance, m.
const REACHED_M: f64 = 0.3;
/// Most poses of the set that generated ones are compared with.
const SET_POSES: usize = 2000;
/// Generated poses in the first and in the last minute that are compared.
const DRIFT_POSES: usize = 60;
/// Feet lower than this may skate, over the character's height.
const LOW: f64 = 0.015;
/// Slower is standing, over the character's height, 1/s.
const STANDING: f64 = 0.05;

/// How long and under which objectives a generator is measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialOptions {
    /// Minutes of motion.
    pub minutes: f64,
    /// Seed of the objectives.
    pub seed: u64,
}

impl Default for TrialOptions {
    fn default() -> TrialOptions {
        TrialOptions { minutes: 10.0, seed: 1 }
    }
}

/// Figures of a trial.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrialFigures {
    /// Minutes of motion.
    pub minutes: f64,
    /// Targets that were due.
    pub targets: usize,
    /// Distance of the root from a target at its time, along the ground, m: median.
    pub target_error_m: f64,
    /// The same: nine of ten are nearer, m.
    pub target_error_p90_m: f64,
    /// Share of the targets within 0.3 m at their time.
    pub reached_share: f64,
    /// The same of targets that the set reaches from any velocity, and which may be out of reach from the present one, m: median.
    pub any_target_error_m: f64,
    /// Share of those within 0.3 m at their time.
    pub any_reached_share: f64,
    /// Of each action.
    pub actions: Vec<ActionFigures>,
    /// Changes of direction that were asked for, 45° to 90° from the present one.
    pub turns: usize,
    /// Time until the character moves within 30° of the way to the new target, s: median of those that did in 3 s.
    pub respond_secs: f64,
    /// Share of those that did.
    pub responded_share: f64,
    /// Contacts of feet.
    pub contacts: usize,
    /// Farthest that a foot gets from where its contact began, cm: median over contacts.
    pub foot_slide_cm: f64,
    /// The same: nine of ten are shorter, cm.
    pub foot_slide_p90_cm: f64,
    /// Level speed of low feet, whatever is called a contact, cm/s.
    pub skating_cm_per_sec: f64,
    /// The same of the set, cm/s.
    pub set_skating_cm_per_sec: f64,
    /// Largest change of a link's length, percent.
    pub bone_stretch_percent: f64,
    /// Mean distance of the joints from the nearest pose of the set in the first minute, degrees.
    pub pose_distance_deg: f64,
    /// How much larger it is in the last minute, degrees.
    pub drift_deg: f64,
    /// Mean distance of two random poses over that of the set.
    pub variety: f64,
    /// Largest turn of a joint between two frames, degrees, over that of the set.
    pub jump_ratio: f64,
    /// Mean time for a frame on one thread, µs.
    pub micros_per_frame: f64,
    /// 99 of 100 frames take less, µs.
    pub micros_p99: f64,
    /// Memory of the generator, bytes.
    pub bytes: usize,
}

/// Figures of the targets and velocities of one action.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ActionFigures {
    /// The action.
    pub name: String,
    /// Targets that were due.
    pub targets: usize,
    /// Distance from a target at its time, m: median.
    pub target_error_m: f64,
    /// Share of the targets within 0.3 m at their time.
    pub reached_share: f64,
    /// Velocities that were asked for.
    pub velocities: usize,
    /// Difference between the velocity that was asked for and the mean of the last second, m/s: median.
    pub velocity_error: f64,
}

/// A motion that was generated, and why.
pub struct Trace {
    /// `qpos` of each frame.
    pub rows: Vec<Vec<f64>>,
    /// Contacts of each frame.
    pub contacts: Vec<u32>,
    /// A bit for each action that each frame shows.
    pub shown: Vec<u32>,
    /// The objective of each frame.
    pub objectives: Vec<Objective>,
    joint_places: Vec<Vec<[f64; 3]>>,
    micros: Vec<f64>,
    tasks: Vec<Task>,
}

/// Runs a generator under random objectives. Returns none where the set shows no action that can be asked for, or where the work was told to stop.
pub fn run_trial(generator: &dyn Generator, set: &MotionSet, options: &TrialOptions) -> Option<(Trace, TrialFigures)> {
    let trace = generated(generator, &Tasks::new(set, generator.figure()), options)?;
    let figures = trace.figures(generator, set, options);
    Some((trace, figures))
}

/// Motion under random tasks, one after the other without a pause.
fn generated(generator: &dyn Generator, tasks: &Tasks, options: &TrialOptions) -> Option<Trace> {
    let (figure, rate_hz) = (generator.figure(), generator.rate_hz());
    let frames = libm::round(options.minutes * 60.0 * rate_hz) as usize;
    let mut state = generator.start(options.seed);
    let mut trace = Trace {
        rows: vec![state.qpos.clone()],
        contacts: vec![state.contacts],
        shown: vec![generator.shown_actions(&state)],
        objectives: Vec::new(),
        joint_places: vec![generator.joint_places(&state)],
        micros: Vec::new(),
        tasks: Vec::new(),
    };
    for number in 0.. {
        if trace.rows.len() > frames {
            break;
        }
        if sinew_work::is_cancelled() {
            return None;
        }
        let mut stream = Stream::new(options.seed, "objective", number);
        let task = tasks.draw(&state, figure, seen_velocity(generator, &trace, &state), &mut stream)?;
        let follows = Objective { actions: task.objective.actions, ..Objective::default() };
        for frame in task.from_frame..task.to_frame + task.follow_frames {
            let objective = if frame < task.to_frame { task.objective } else { follows };
            let clock = Instant::now();
            generator.step(&mut state, &objective);
            trace.micros.push(1e6 * clock.elapsed().as_secs_f64());
            trace.rows.push(state.qpos.clone());
            trace.contacts.push(state.contacts);
            trace.shown.push(generator.shown_actions(&state));
            trace.objectives.push(objective);
            trace.joint_places.push(generator.joint_places(&state));
        }
        trace.tasks.push(task);
    }
    Some(trace)
}

/// Farthest that a foot gets from where its contact began, cm: median over contacts, as [`TrialFigures::foot_slide_cm`].
pub fn foot_slide_cm(figure: &crate::Figure, rows: &[Vec<f64>], contacts: &[u32]) -> f64 {
    let sites: Vec<Vec<[f64; 3]>> = rows.iter().map(|row| figure.site_places(row)).collect();
    let feet: Vec<usize> = (0..figure.sites().len()).filter(|&s| figure.sites()[s].is_foot).collect();
    median(&slides_cm(&sites, contacts, &feet))
}

/// Velocity in the heading frame by the last two frames.
fn seen_velocity(generator: &dyn Generator, trace: &Trace, state: &GeneratorState) -> [f64; 2] {
    let Some(before) = trace.rows.len().checked_sub(2) else { return [0.0; 2] };
    let way = |k: usize| (state.qpos[k] - trace.rows[before][k]) * generator.rate_hz();
    generator.figure().heading_frame(&state.qpos).inverse().vector([way(0), way(1)])
}

impl Trace {
    fn figures(&self, generator: &dyn Generator, set: &MotionSet, options: &TrialOptions) -> TrialFigures {
        let (figure, rate_hz) = (generator.figure(), generator.rate_hz());
        let errors: Vec<(usize, f64)> = self.target_errors(TaskKind::Target).collect();
        let anywhere: Vec<f64> = self.target_errors(TaskKind::Anywhere).map(|(_, error)| error).collect();
        let all: Vec<f64> = errors.iter().map(|(_, error)| *error).collect();
        let velocity_errors: Vec<(usize, f64)> = self.velocity_errors(rate_hz).collect();
        let responses = self.responses(rate_hz, STANDING * figure.height_m());
        let responded: Vec<f64> = responses.iter().flatten().copied().collect();
        let sites: Vec<Vec<[f64; 3]>> = self.rows.iter().map(|row| figure.site_places(row)).collect();
        let feet: Vec<usize> = (0..figure.sites().len()).filter(|&s| figure.sites()[s].is_foot).collect();
        let soles: Vec<(usize, f64)> = feet.iter().map(|&s| (s, figure.sites()[s].radius)).collect();
        let slides = slides_cm(&sites, &self.contacts, &feet);
        let set_poses = sampled_poses(set, generator);
        let poses: Vec<&[f64]> = self.rows.iter().map(Vec::as_slice).collect();
        let minute = (libm::round(60.0 * rate_hz) as usize).min(poses.len().div_ceil(2));
        let every = (minute / DRIFT_POSES).max(1);
        let near = |part: &[&[f64]]| {
            let some: Vec<&[f64]> = part.iter().step_by(every).copied().collect();
            distance_to_set_deg(figure, &some, &set_poses)
        };
        let (first, last) = (near(&poses[..minute]), near(&poses[poses.len() - minute..]));
        let set_refs: Vec<&[f64]> = set_poses.iter().map(Vec::as_slice).collect();
        let of_set = diversity_deg(figure, &set_refs, options.seed);
        let by_action = generator.actions().iter().enumerate().map(|(index, action)| {
            let of = |pairs: &[(usize, f64)]| -> Vec<f64> {
                pairs.iter().filter(|(a, _)| *a == index).map(|(_, error)| *error).collect()
            };
            let (targets, velocities) = (of(&errors), of(&velocity_errors));
            ActionFigures {
                name: action.name.clone(),
                targets: targets.len(),
                target_error_m: median(&targets),
                reached_share: reached(&targets),
                velocities: velocities.len(),
                velocity_error: median(&velocities),
            }
        });
        let jump = |rows: &mut dyn Iterator<Item = (&[f64], &[f64])>| {
            rows.map(|(a, b)| largest_turn_deg(generator, a, b)).fold(0.0, f64::max)
        };
        let own_jump = jump(&mut self.rows.windows(2).map(|pair| (pair[0].as_slice(), pair[1].as_slice())));
        let set_jump = set
            .sequences
            .iter()
            .map(|sequence| {
                let positions = sequence.positions_f64(figure);
                let rows: Vec<&[f64]> = positions.chunks(figure.model().position_count()).collect();
                jump(&mut rows.windows(2).map(|pair| (pair[0], pair[1])))
            })
            .fold(0.0, f64::max);
        TrialFigures {
            minutes: options.minutes,
            targets: all.len(),
            target_error_m: median(&all),
            target_error_p90_m: quantile(&all, 0.9),
            reached_share: reached(&all),
            any_target_error_m: median(&anywhere),
            any_reached_share: reached(&anywhere),
            actions: by_action.filter(|a| a.targets + a.velocities > 0).collect(),
            turns: responses.len(),
            respond_secs: median(&responded),
            responded_share: responded.len() as f64 / responses.len().max(1) as f64,
            contacts: slides.len(),
            foot_slide_cm: median(&slides),
            foot_slide_p90_cm: quantile(&slides, 0.9),
            skating_cm_per_sec: skating_cm_per_sec(&sites, &soles, LOW * figure.height_m(), rate_hz),
            set_skating_cm_per_sec: set_skating(set, generator, &soles),
            bone_stretch_percent: stretch_percent(&self.joint_places, &figure.links()),
            pose_distance_deg: first,
            drift_deg: last - first,
            variety: if of_set > 1e-9 { diversity_deg(figure, &poses, options.seed) / of_set } else { 1.0 },
            jump_ratio: if set_jump > 1e-9 { own_jump / set_jump } else { 1.0 },
            micros_per_frame: self.micros.iter().sum::<f64>() / self.micros.len().max(1) as f64,
            micros_p99: quantile(&self.micros, 0.99),
            bytes: generator.bytes(),
        }
    }

    fn roots(&self) -> Vec<[f64; 2]> {
        self.rows.iter().map(|row| [row[0], row[1]]).collect()
    }

    /// Action and distance of each target that was due.
    fn target_errors(&self, kind: TaskKind) -> impl Iterator<Item = (usize, f64)> + '_ {
        let due = self.tasks.iter().filter(move |task| task.kind == kind);
        due.filter_map(|task| {
            let [x, y] = task.objective.target?;
            let row = self.rows.get(task.to_frame)?;
            Some((task.action, ((row[0] - x) * (row[0] - x) + (row[1] - y) * (row[1] - y)).sqrt()))
        })
    }

    /// Action and difference of each velocity from the mean of its last second.
    fn velocity_errors(&self, rate_hz: f64) -> impl Iterator<Item = (usize, f64)> + '_ {
        let second = libm::round(rate_hz) as usize;
        self.tasks.iter().filter(|task| task.kind == TaskKind::Velocity).filter_map(move |task| {
            let (speed, angle) = (task.objective.speed?, task.objective.direction_rad?);
            let (end, start) = (self.rows.get(task.to_frame)?, &self.rows[task.to_frame - second]);
            let (sin, cos) = libm::sincos(angle);
            let off = [end[0] - start[0] - speed * cos, end[1] - start[1] - speed * sin];
            Some((task.action, (off[0] * off[0] + off[1] * off[1]).sqrt()))
        })
    }

    /// Time until each change of direction is followed, s.
    fn responses(&self, rate_hz: f64, least_speed: f64) -> Vec<Option<f64>> {
        let roots = self.roots();
        let turns = self.tasks.iter().filter(|task| task.kind == TaskKind::Turn);
        turns
            .filter_map(|task| {
                let [x, y] = task.objective.target?;
                let end = task.to_frame.min(roots.len() - 1);
                let follows = |&frame: &usize| {
                    let way = [x - roots[frame][0], y - roots[frame][1]];
                    points_along(velocity(&roots, frame, rate_hz), way, least_speed)
                };
                let found = (task.from_frame + 1..=end).find(follows);
                Some(found.map(|frame| (frame - task.from_frame) as f64 / rate_hz))
            })
            .collect()
    }
}

/// Level speed of low feet in the set, the mean over its sequences by their length, cm/s.
fn set_skating(set: &MotionSet, generator: &dyn Generator, soles: &[(usize, f64)]) -> f64 {
    let figure = generator.figure();
    let (mut sum, mut frames) = (0.0, 0);
    for sequence in &set.sequences {
        let positions = sequence.positions_f64(figure);
        let rows = positions.par_chunks(figure.model().position_count());
        let sites: Vec<Vec<[f64; 3]>> = rows.map(|row| figure.site_places(row)).collect();
        let speed = skating_cm_per_sec(&sites, soles, LOW * figure.height_m(), generator.rate_hz());
        sum += speed * sites.len() as f64;
        frames += sites.len();
    }
    sum / frames.max(1) as f64
}

fn reached(errors: &[f64]) -> f64 {
    errors.iter().filter(|&&error| error <= REACHED_M).count() as f64 / errors.len().max(1) as f64
}

/// Poses of the set, evenly taken.
fn sampled_poses(set: &MotionSet, generator: &dyn Generator) -> Vec<Vec<f64>> {
    let frames: usize = set.sequences.iter().map(crate::Sequence::frame_count).sum();
    let every = frames.div_ceil(SET_POSES).max(1);
    let mut poses = Vec::new();
    let mut count = 0;
    for sequence in &set.sequences {
        let positions = sequence.positions_f64(generator.figure());
        for row in positions.chunks(generator.figure().model().position_count()) {
            if count % every == 0 {
                poses.push(row.to_vec());
            }
            count += 1;
        }
    }
    poses
}

/// Largest change of a joint's coordinate between two poses, degrees.
fn largest_turn_deg(generator: &dyn Generator, a: &[f64], b: &[f64]) -> f64 {
    let model = generator.figure().model();
    let mut way = vec![0.0; model.velocity_count()];
    model.difference(a, b, &mut way);
    way[6..].iter().map(|x| x.abs()).fold(0.0, f64::max).to_degrees()
}
