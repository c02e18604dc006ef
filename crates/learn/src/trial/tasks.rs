//! Random objectives that a set says to be feasible.

use crate::actions::{Action, Goal};
use crate::contacts::runs;
use crate::figure::Figure;
use crate::generator::GeneratorState;
use crate::intent::{Control, Intent};
use crate::motion_set::MotionSet;
use crate::objective::Objective;
use crate::random::Stream;

/// Frames among which the one that moves most like the character is taken.
const DRAWS: usize = 64;
/// How long a velocity or a change of direction is asked for, s.
const HELD_SECS: f64 = 3.0;
/// Distance of the target of a change of direction, over the character's height.
const FAR: f64 = 5.0;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaskKind {
    /// To be at a place at a time.
    Target,
    /// To move with a velocity.
    Velocity,
    /// To be at a place at a time that the set reaches, but perhaps from another velocity.
    Anywhere,
    /// To turn to a far target at once.
    Turn,
    /// To stand.
    Rest,
}

/// Share of each kind among the tasks of play; what is left are targets.
const REST_SHARE: f64 = 0.1;
/// Least and largest turn to a far target, in half turns.
const TURNS: [f64; 2] = [0.25, 0.5];
/// Largest turn of play: right round.
const MOST_TURN_AT_PLAY: f64 = 1.0;

/// An objective and when it is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Task {
    pub kind: TaskKind,
    pub action: usize,
    pub objective: Objective,
    pub from_frame: usize,
    /// The frame at which it is due or given up.
    pub to_frame: usize,
    /// Frames after that in which an action is carried to its end, before anything else is asked for.
    pub follow_frames: usize,
}

/// A frame of the set as a task: how it moves, and what it means to do.
struct Example {
    velocity: [f64; 2],
    intent: Intent,
}

/// Draws tasks.
pub(super) struct Tasks {
    targets: Vec<Vec<Example>>,
    velocities: Vec<Vec<Example>>,
    /// Of each action: whether it is achieved in a moment.
    is_achieved: Vec<bool>,
    /// Of each action: frames from its moment to its end, the median.
    follow_frames: Vec<usize>,
    rate_hz: f64,
    far_m: f64,
    /// Largest turn to a far target, in half turns.
    most_turn: f64,
    /// Share of tasks to stand.
    rest_share: f64,
}

impl Tasks {
    pub fn new(set: &MotionSet, figure: &Figure) -> Tasks {
        let actions = &set.header.actions;
        let rate_hz = set.header.rate_hz;
        let (mut targets, mut velocities): (Vec<Vec<Example>>, Vec<Vec<Example>>) =
            actions.iter().map(|_| (Vec::new(), Vec::new())).unzip();
        for sequence in &set.sequences {
            let positions = sequence.positions_f64(figure);
            let rows: Vec<&[f64]> = positions.chunks(figure.model().position_count()).collect();
            for frame in 1..rows.len() {
                let back = figure.heading_frame(rows[frame]).inverse();
                let way = |k: usize| (rows[frame][k] - rows[frame - 1][k]) * rate_hz;
                let velocity = back.vector([way(0), way(1)]);
                for (index, action) in actions.iter().enumerate() {
                    let intent = sequence.intents[frame];
                    if !intent.serves(index) {
                        continue;
                    }
                    if let Some(intent) = target_of(&intent, index, action, &rows, frame, figure, rate_hz) {
                        targets[index].push(Example { velocity, intent });
                    }
                    if action.goal == Goal::Maintain && intent.is_given(Control::DirectionForward) {
                        velocities[index].push(Example { velocity, intent: velocity_of(&intent, index) });
                    }
                }
            }
        }
        let follow_frames = (0..actions.len()).map(|index| follow_frames(set, index)).collect();
        let is_achieved = actions.iter().map(|action| action.goal == Goal::Achieve).collect();
        Tasks {
            is_achieved,
            targets,
            velocities,
            follow_frames,
            rate_hz,
            far_m: FAR * figure.height_m(),
            most_turn: TURNS[1],
            rest_share: 0.0,
        }
    }

    /// The same tasks, and those that only play has: to turn right round, and to stand.
    pub fn of_play(set: &MotionSet, figure: &Figure) -> Tasks {
        Tasks { most_turn: MOST_TURN_AT_PLAY, rest_share: REST_SHARE, ..Tasks::new(set, figure) }
    }

    /// Draws the next task of a character that moves with `velocity` in its heading frame, m/s. None where the set shows no action.
    pub fn draw(
        &self,
        state: &GeneratorState,
        figure: &Figure,
        velocity: [f64; 2],
        stream: &mut Stream,
    ) -> Option<Task> {
        let known: Vec<usize> = (0..self.targets.len()).filter(|&a| !self.targets[a].is_empty()).collect();
        let action = *known.get(stream.uniform(0.0, known.len() as f64) as usize)?;
        let kind = match stream.uniform(0.0, 1.0) {
            x if x >= 1.0 - self.rest_share && !self.is_achieved[action] => TaskKind::Rest,
            x if x < 0.2 => TaskKind::Turn,
            x if x < 0.4 => TaskKind::Anywhere,
            x if x < 0.6 && !self.velocities[action].is_empty() => TaskKind::Velocity,
            _ => TaskKind::Target,
        };
        let frame = figure.heading_frame(&state.qpos);
        let speed = (velocity[0] * velocity[0] + velocity[1] * velocity[1]).sqrt();
        let is_moving = speed > super::STANDING * figure.height_m();
        let now_secs = state.frame as f64 / self.rate_hz;
        let objective = match kind {
            TaskKind::Target => Objective::of_intent(&alike(&self.targets[action], velocity, stream), &frame, now_secs),
            TaskKind::Velocity => {
                Objective::of_intent(&alike(&self.velocities[action], velocity, stream), &frame, now_secs)
            }
            TaskKind::Anywhere => {
                let examples = &self.targets[action];
                let any = &examples[stream.uniform(0.0, examples.len() as f64) as usize];
                Objective::of_intent(&any.intent, &frame, now_secs)
            }
            TaskKind::Turn => {
                let side = if stream.uniform(0.0, 1.0) < 0.5 { -1.0 } else { 1.0 };
                let turn = side * stream.uniform(TURNS[0], self.most_turn) * std::f64::consts::PI;
                let present = if is_moving { libm::atan2(velocity[1], velocity[0]) } else { 0.0 };
                let (sin, cos) = libm::sincos(present + turn);
                let target = frame.point([self.far_m * cos, self.far_m * sin]);
                Objective { actions: 1 << action, target: Some(target), ..Objective::default() }
            }
            TaskKind::Rest => Objective { actions: 1 << action, speed: Some(0.0), ..Objective::default() },
        };
        let secs = objective.due_secs.map_or(HELD_SECS, |due| due - now_secs);
        let from_frame = state.frame as usize;
        let to_frame = from_frame + libm::round(secs * self.rate_hz).max(1.0) as usize;
        let follow_frames = if objective.due_secs.is_some() { self.follow_frames[action] } else { 0 };
        Some(Task { kind, action, objective, from_frame, to_frame, follow_frames })
    }
}

/// How long an action goes on after its moment, the middle of its label: the median over the set; 0 for what is not achieved in a moment.
fn follow_frames(set: &MotionSet, index: usize) -> usize {
    if set.header.actions[index].goal != Goal::Achieve {
        return 0;
    }
    let shown = set.sequences.iter().flat_map(|sequence| {
        let labels = &sequence.labels;
        runs(labels.len(), |frame| labels[frame] >> index & 1 == 1)
            .into_iter()
            .map(|(first, end)| (end - first).div_ceil(2))
    });
    let mut shown: Vec<usize> = shown.collect();
    shown.sort_unstable();
    shown.get(shown.len() / 2).copied().unwrap_or(0)
}

/// Of some random examples the one that moves most like the character.
fn alike(examples: &[Example], velocity: [f64; 2], stream: &mut Stream) -> Intent {
    let mut best: Option<(f64, &Example)> = None;
    for _ in 0..DRAWS {
        let example = &examples[stream.uniform(0.0, examples.len() as f64) as usize];
        let off: f64 = (0..2).map(|k| (example.velocity[k] - velocity[k]) * (example.velocity[k] - velocity[k])).sum();
        if best.is_none_or(|(least, _)| off < least) {
            best = Some((off, example));
        }
    }
    best.map_or(Intent::default(), |(_, example)| example.intent)
}

/// Where the character of the set is after the lookahead of the action; for a moment, its place and time.
fn target_of(
    intent: &Intent,
    index: usize,
    action: &Action,
    rows: &[&[f64]],
    frame: usize,
    figure: &Figure,
    rate_hz: f64,
) -> Option<Intent> {
    let bare = Intent::new(1 << index);
    if action.goal == Goal::Achieve {
        let secs = intent.get(Control::TimeLeft).filter(|&secs| secs >= 0.5)?;
        let (forward, left) = (intent.get(Control::TargetForward)?, intent.get(Control::TargetLeft)?);
        let bare = bare.with(Control::TargetForward, forward).with(Control::TargetLeft, left);
        return Some(bare.with(Control::TimeLeft, secs));
    }
    let row = rows.get(frame + libm::round(action.lookahead_secs * rate_hz) as usize)?;
    let [forward, left] = figure.heading_frame(rows[frame]).inverse().point([row[0], row[1]]);
    let bare = bare.with(Control::TargetForward, forward as f32).with(Control::TargetLeft, left as f32);
    Some(bare.with(Control::TimeLeft, action.lookahead_secs as f32))
}

fn velocity_of(intent: &Intent, index: usize) -> Intent {
    let mut bare = Intent::new(1 << index);
    for control in [Control::Speed, Control::DirectionForward, Control::DirectionLeft] {
        bare.set(control, intent.get(control));
    }
    bare
}
