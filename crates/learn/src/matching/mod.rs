//! Motion matching (Büttner and Clavet 2015; Holden et al. 2020): every few frames, the frame of the set is found whose pose is near the present one and
//! whose path ahead is what the objective asks for; the motion goes on from there, and the difference decays.
//!
//! Nothing is trained, and what lies ahead is read from the set. Start reading at [`MotionMatching`]; `features.rs` says what is compared, `search.rs` finds
//! the nearest frame, `desired.rs` turns objectives into paths.

mod commitment;
mod config;
mod desired;
mod features;
mod motion_store;
mod search;
#[cfg(test)]
mod tests;

pub use config::MatchingConfig;

use crate::actions::{Action, Goal};
use crate::decay::Decay;
use crate::feasible::FeasibleRange;
use crate::figure::Figure;
use crate::foot_lock::{FootLock, LockLimits, SiteLock};
use crate::generator::{Generator, GeneratorState, Memory, completed};
use crate::generator_error::GeneratorError;
use crate::ground_transform::{GroundTransform, wrap_angle};
use crate::intent::{Control, Intent};
use crate::motion_set::MotionSet;
use crate::objective::Objective;
use commitment::{Commitment, commitments};
use desired::Desired;
use features::{AHEAD, Layout, Standard};
use motion_store::MotionStore;
use rayon::prelude::*;
use search::{Query, SearchIndex};
use sinew_files::fnv::fnv1a;

/// Who moves at this share of the pace that is asked for, in whatever direction, has it.
const PACE_SHARE: f64 = 0.5;

/// A generator that plays a set of motion.
#[derive(Clone, Debug)]
pub struct MotionMatching {
    figure: Figure,
    actions: Vec<Action>,
    rate_hz: f64,
    config: MatchingConfig,
    store: MotionStore,
    commitments: Vec<Commitment>,
    layout: Layout,
    standard: Standard,
    pose_weights: Vec<f32>,
    index: SearchIndex,
    feasible: FeasibleRange,
    foot_lock: FootLock,
    blend: Decay,
    /// Share of the feet's offset that the body follows in a frame.
    follow_share: f64,
    search_frames: u32,
}

/// Where motion matching is in its set.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchingMemory {
    /// Frame of the set.
    frame: usize,
    /// From the ground of the set to that of the character.
    anchor: GroundTransform,
    /// Differences of the pose from that of the frame, in the order of `qvel`, and their rates.
    offset: Vec<f64>,
    offset_rate: Vec<f64>,
    /// Frames since the last search.
    since_search: u32,
    /// Whether a search is due that waits for the end of a commitment.
    is_asked: bool,
    /// Features of a body that is elsewhere, for the next search.
    elsewhere: Option<Vec<f32>>,
    /// The objective of the last step.
    objective: Option<Objective>,
    locks: Vec<SiteLock>,
}

impl MotionMatching {
    /// Prepares a set for matching.
    ///
    /// # Errors
    /// Where a constant is unusable, or no sequence of the set is long enough.
    pub fn new(set: &MotionSet, config: &MatchingConfig) -> Result<MotionMatching, GeneratorError> {
        if let Some((field, value, range)) = config.fault() {
            return Err(GeneratorError::Setting { field, value, range });
        }
        let figure = Figure::of_set(&set.header)?;
        let rate_hz = set.header.rate_hz;
        let layout = Layout::new(&figure, config, rate_hz);
        let of_sequence: Vec<Vec<f32>> =
            set.sequences.par_iter().map(|s| layout.rows(&figure, s, &set.header.actions, rate_hz)).collect();
        let mut rows = of_sequence.concat();
        let standard = Standard::of(&rows, &layout);
        standard.apply(&mut rows);
        let store = MotionStore::new(set);
        let least_ahead = libm::ceil(config.least_ahead_secs * rate_hz).max(2.0) as usize;
        let goes_on = |frame: usize| store.frames_left(frame) >= least_ahead;
        let mut commitments = commitments(set, &figure);
        // Who is never on the ground may turn in the air, and who does nothing but act may begin anywhere.
        if (0..store.frame_count()).all(|frame| commitments[frame].holds() || !goes_on(frame)) {
            commitments.fill(Commitment::default());
        }
        let findable = |frame: usize| goes_on(frame) && !commitments[frame].holds();
        let found_by = (0..store.frame_count()).map(|f| findable(f).then_some(store.intents[f].actions)).collect();
        if !(0..store.frame_count()).any(findable) {
            return Err(GeneratorError::TooShort { least_secs: least_ahead as f64 / rate_hz });
        }
        let secs = 1.0 / rate_hz;
        let limits = LockLimits::of(&figure, config.lock_speed, config.release_distance);
        let foot_decay = Decay::new(config.release_halflife_secs, secs);
        Ok(MotionMatching {
            foot_lock: FootLock::new(&figure, &layout.feet, limits, foot_decay, secs)?,
            feasible: FeasibleRange::of_set(set, &figure),
            index: SearchIndex::new(&rows, layout.dims(), found_by),
            pose_weights: layout.pose_weights(config, figure.height_m(), &standard.deviation),
            blend: Decay::new(config.blend_halflife_secs, secs),
            follow_share: 1.0 - libm::exp2(-secs / config.follow_halflife_secs),
            search_frames: libm::round(config.search_secs * rate_hz).max(1.0) as u32,
            actions: set.header.actions.clone(),
            config: config.clone(),
            rate_hz,
            figure,
            store,
            commitments,
            layout,
            standard,
        })
    }

    /// Its constants.
    pub fn config(&self) -> &MatchingConfig {
        &self.config
    }

    /// Searches a frame to go on from, where it is time to, and goes there.
    fn search(&self, memory: &mut MatchingMemory, intent: &Intent, is_changed: bool) {
        let must = self.store.frames_left(memory.frame) == 0 || memory.elsewhere.is_some();
        memory.is_asked |= is_changed || memory.since_search >= self.search_frames;
        if !must && (!memory.is_asked || self.commitments[memory.frame].holds()) {
            return;
        }
        (memory.since_search, memory.is_asked) = (0, false);
        let mut present = Vec::new();
        self.index.features(memory.frame, &mut present);
        let pose = memory.elsewhere.take().unwrap_or_else(|| present.clone());
        let query = self.query(&pose, intent);
        // The next frame of the sequence stays, unless another is clearly better. Where its action is not the one asked for, any other is.
        let serves = intent.actions == 0 || self.store.intents[memory.frame].actions & intent.actions != 0;
        let below =
            if must || !serves { f32::INFINITY } else { self.config.switch_below as f32 * query.cost(&present) };
        let best = self.index.nearest(&query, below);
        // An action that no frame of the set serves is as good as none.
        let best = match best {
            None if must => self.index.nearest(&Query { actions: 0, ..query.clone() }, below),
            found => found,
        };
        if let Some((frame, _)) = best
            && (must || intent.get(Control::TimeLeft).is_some() || !self.puts_off(&query, &present, frame))
        {
            self.go_to(memory, frame);
        }
    }

    /// Whether going to a frame would only put off what is asked for: the motion is slower than asked, and gets less far along the path that is asked for
    /// by the first of the compared times from there than from here. A stick leads ahead of who follows it: the last frames before a clip sets off
    /// would fit best for ever, and be gone back to each time that it is about to. Where time runs out, that cannot happen.
    fn puts_off(&self, query: &Query, present: &[f32], frame: usize) -> bool {
        let first = self.layout.places.start;
        let asked = (0..AHEAD).rev().map(|k| first + 2 * k).find(|&at| query.weights[at] > 0.0);
        let Some(asked) = asked.filter(|_| query.weights[first] > 0.0) else { return false };
        let raw = |row: &[f32], d: usize| f64::from(row[d] * self.standard.deviation[d] + self.standard.mean[d]);
        let pair = |row: &[f32], at: usize| [raw(row, at), raw(row, at + 1)];
        let wanted = pair(&query.values, asked);
        let length = (wanted[0] * wanted[0] + wanted[1] * wanted[1]).sqrt();
        let along = |[x, y]: [f64; 2]| (x * wanted[0] + y * wanted[1]) / length.max(1e-9);
        let pace = length * self.rate_hz / self.layout.ahead[(asked - first) / 2] as f64;
        let mut there = Vec::new();
        self.index.features(frame, &mut there);
        let [x, y] = pair(present, self.layout.root_velocity.start);
        (x * x + y * y).sqrt() < PACE_SHARE * pace && along(pair(&there, first)) < along(pair(present, first))
    }

    /// What to look for: a pose, and the path of an intent.
    fn query(&self, pose: &[f32], intent: &Intent) -> Query {
        let mut values = vec![0.0; self.layout.dims()];
        let mut weights = self.pose_weights.clone();
        let at = self.layout.root_velocity.start;
        let raw = |d: usize| f64::from(pose[d] * self.standard.deviation[d] + self.standard.mean[d]);
        let actions = self.actions.iter().enumerate().filter(|(index, _)| intent.serves(*index));
        let desired = Desired {
            layout: &self.layout,
            config: &self.config,
            rate_hz: self.rate_hz,
            velocity: [raw(at), raw(at + 1)],
            lookahead_secs: self.feasible.of_actions(intent.actions).lookahead_secs,
            is_moment: actions.clone().any(|(_, action)| action.goal == Goal::Achieve),
        };
        desired.write(intent, &mut values, &mut weights);
        self.standard.apply(&mut values);
        values[self.layout.pose()].copy_from_slice(&pose[self.layout.pose()]);
        Query { values, weights, actions: intent.actions }
    }

    /// Goes on from another frame of the set. The pose and its velocity stay as they are; what is different becomes the offset.
    fn go_to(&self, memory: &mut MatchingMemory, frame: usize) {
        if frame == memory.frame {
            return;
        }
        let pose = self.pose(memory);
        let mut rate = self.store.velocity(&self.figure, memory.frame, &memory.anchor, self.rate_hz);
        rate.iter_mut().zip(&memory.offset_rate).for_each(|(v, offset)| *v += offset);
        self.place_at(memory, frame, &pose, &rate);
    }

    /// Sets the frame, with the heading frame of its pose on that of a body, and the offset to the body.
    fn place_at(&self, memory: &mut MatchingMemory, frame: usize, qpos: &[f64], qvel: &[f64]) {
        let mut pose = Vec::new();
        self.store.pose(&self.figure, frame, &GroundTransform::default(), &mut pose);
        let there = self.figure.heading_frame(qpos);
        memory.anchor = there.then_after(&self.figure.heading_frame(&pose).inverse());
        memory.frame = frame;
        self.store.pose(&self.figure, frame, &memory.anchor, &mut pose);
        self.figure.model().difference(&pose, qpos, &mut memory.offset);
        let own = self.store.velocity(&self.figure, frame, &memory.anchor, self.rate_hz);
        memory.offset_rate.iter_mut().zip(qvel).zip(&own).for_each(|((rate, v), own)| *rate = v - own);
    }

    /// The pose with its decaying offset, before feet are locked.
    fn pose(&self, memory: &MatchingMemory) -> Vec<f64> {
        let (mut pose, mut moved) = (Vec::new(), vec![0.0; self.figure.model().position_count()]);
        self.store.pose(&self.figure, memory.frame, &memory.anchor, &mut pose);
        self.figure.model().displace(&pose, &memory.offset, 1.0, &mut moved);
        moved
    }

    /// Turns the ground of the set a little, so that the path ahead points to the target, and shifts it so that the path meets a target that is due; never by
    /// more than a share of the way of this frame.
    fn steer(
        &self,
        memory: &mut MatchingMemory,
        target: [f64; 2],
        due_secs: Option<f64>,
        may_turn: bool,
        intent: &Intent,
    ) {
        let time_left_secs = due_secs.unwrap_or(self.feasible.of_actions(intent.actions).lookahead_secs);
        let frames = libm::round(time_left_secs * self.rate_hz) as usize;
        let anchor = memory.anchor;
        let here = anchor.point(self.store.place(memory.frame));
        let before = anchor.point(self.store.place(memory.frame - 1));
        let way = distance(here, before);
        if frames == 0 || way <= 0.0 {
            return;
        }
        let share = 1.0 / frames as f64;
        let ahead = |anchor: &GroundTransform| anchor.point(self.store.place_ahead(memory.frame, frames));
        let there = ahead(&anchor);
        // A turn about the present place, where both paths are long enough to have a direction.
        let (own, wanted) = ([there[0] - here[0], there[1] - here[1]], [target[0] - here[0], target[1] - here[1]]);
        let long = 0.1 * self.figure.height_m();
        if may_turn && distance(there, here) > long && distance(target, here) > long {
            let most = self.config.steer_turn_per_m * way;
            let off = wrap_angle(libm::atan2(wanted[1], wanted[0]) - libm::atan2(own[1], own[0]));
            let yaw = (share * off).clamp(-most, most);
            let turn = GroundTransform { x: 0.0, y: 0.0, yaw };
            let [x, y] = turn.vector([-here[0], -here[1]]);
            memory.anchor = GroundTransform { x: x + here[0], y: y + here[1], yaw }.then_after(&anchor);
        }
        if due_secs.is_none() {
            return;
        }
        let there = ahead(&memory.anchor);
        let off = [target[0] - there[0], target[1] - there[1]];
        let length = distance(target, there).max(1e-9);
        let step = (share * length).min(self.config.steer_share * way);
        memory.anchor.x += step * off[0] / length;
        memory.anchor.y += step * off[1] / length;
    }
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).sqrt()
}

fn memory_of(state: &mut GeneratorState) -> &mut MatchingMemory {
    let Memory::Matching(memory) = &mut state.memory else { unreachable!("a state of another generator") };
    memory
}

impl Generator for MotionMatching {
    fn kind(&self) -> &'static str {
        "matching"
    }
    fn figure(&self) -> &Figure {
        &self.figure
    }
    fn actions(&self) -> &[Action] {
        &self.actions
    }
    fn rate_hz(&self) -> f64 {
        self.rate_hz
    }
    fn feasible(&self) -> &FeasibleRange {
        &self.feasible
    }
    fn bytes(&self) -> usize {
        self.store.bytes() + self.index.bytes()
    }

    fn start(&self, seed: u64) -> GeneratorState {
        let found: Vec<usize> = (0..self.index.frame_count()).filter(|&f| self.index.may_find(f)).collect();
        let frame = found[(fnv1a(seed.to_le_bytes()) % found.len() as u64) as usize];
        let mut pose = Vec::new();
        self.store.pose(&self.figure, frame, &GroundTransform::default(), &mut pose);
        let nv = self.figure.model().velocity_count();
        let memory = MatchingMemory {
            frame,
            anchor: self.figure.heading_frame(&pose).inverse(),
            offset: vec![0.0; nv],
            offset_rate: vec![0.0; nv],
            since_search: self.search_frames,
            is_asked: false,
            elsewhere: None,
            objective: None,
            locks: self.foot_lock.start(),
        };
        let qpos = self.pose(&memory);
        GeneratorState { frame: 0, qpos, contacts: self.store.contacts[frame], memory: Memory::Matching(memory) }
    }

    fn step(&self, state: &mut GeneratorState, objective: &Objective) -> Intent {
        let seen = objective.seen_from(&self.figure.heading_frame(&state.qpos), self.clock_secs(state));
        let (intent, _) = self.feasible.project(&seen);
        let memory = memory_of(state);
        let is_changed = memory.objective != Some(*objective);
        self.search(memory, &intent, is_changed);
        memory.objective = Some(*objective);
        // On by a frame: the set's, and what is left of the offset.
        memory.frame += 1;
        memory.since_search += 1;
        for (x, v) in memory.offset.iter_mut().zip(&mut memory.offset_rate) {
            self.blend.apply(x, v);
        }
        if let Some(target) = objective.target {
            let due = intent.get(Control::TimeLeft).map(|secs| f64::from(secs) - 1.0 / self.rate_hz);
            self.steer(memory, target, due, objective.heading_rad.is_none(), &intent);
        }
        let mut qpos = self.pose(memory);
        let shown_contacts = self.store.contacts[memory.frame];
        let standing = self.foot_lock.apply(&mut qpos, shown_contacts, &mut memory.locks);
        // Feet that stand are right: what leans towards them goes there.
        memory.anchor.x += self.follow_share * standing.offset[0];
        memory.anchor.y += self.follow_share * standing.offset[1];
        let contacts = shown_contacts & !self.foot_lock.sites() | standing.contacts;
        let shown = self.store.intents[memory.frame];
        (state.qpos, state.contacts, state.frame) = (qpos, contacts, state.frame + 1);
        completed(intent, &shown)
    }

    fn shown_actions(&self, state: &GeneratorState) -> u32 {
        match &state.memory {
            Memory::Matching(memory) => self.store.intents[memory.frame].actions,
            Memory::Recurrent(_) => 0,
        }
    }

    fn move_ground(&self, state: &mut GeneratorState, by: &GroundTransform) {
        by.move_root(&mut state.qpos);
        let memory = memory_of(state);
        memory.anchor = by.then_after(&memory.anchor);
        // The root's level parts are in the world's axes, the others in the body's.
        for level in [&mut memory.offset, &mut memory.offset_rate] {
            let turned = by.vector([level[0], level[1]]);
            level[..2].copy_from_slice(&turned);
        }
        memory.locks.iter_mut().for_each(|lock| lock.move_ground(by));
    }

    fn set_pose(&self, state: &mut GeneratorState, qpos: &[f64], qvel: &[f64]) {
        state.qpos.copy_from_slice(qpos);
        let mut features = self.layout.of_pose(&self.figure, qpos, qvel);
        self.standard.apply(&mut features);
        let memory = memory_of(state);
        let mut present = Vec::new();
        self.index.features(memory.frame, &mut present);
        let pose = self.layout.pose();
        let square: f32 = pose.clone().map(|d| (features[d] - present[d]) * (features[d] - present[d])).sum();
        if f64::from(square) / pose.len() as f64 > self.config.elsewhere * self.config.elsewhere {
            memory.elsewhere = Some(features);
            memory.locks.iter_mut().for_each(SiteLock::forget);
        }
        self.place_at(memory, memory.frame, qpos, qvel);
    }
}
