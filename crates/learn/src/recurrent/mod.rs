//! The learned generator of Park et al. 2019, §4: a recurrent network that predicts the next frame of a state under an objective.
//!
//! A set enters, [`TrainingWork`] trains a network under its own output, and [`RecurrentGenerator`] drives the character without the set. Start reading at
//! `layout.rs`, which says what the network sees; `losses.rs` has the terms of the loss, `unroll.rs` a window of training.

mod config;
mod cuda;
mod examples;
mod layout;
mod learned;
mod losses;
mod network;
mod standard;
#[cfg(test)]
pub(crate) mod tests;
mod training;
mod unroll;

pub use config::{RecurrentConfig, RecurrentPreset};
pub use learned::LearnedMotion;
pub use losses::LossTerms;
pub use training::{CurvePoint, TrainingState, TrainingWork};

use crate::actions::Action;
use crate::decay::Decay;
use crate::feasible::FeasibleRange;
use crate::figure::Figure;
use crate::foot_lock::{FootLock, LockLimits, SiteLock, feet};
use crate::generator::{Generator, GeneratorState, Memory, completed};
use crate::generator_error::GeneratorError;
use crate::ground_transform::GroundTransform;
use crate::intent::{Control, Intent};
use crate::motion_set::SetHeader;
use crate::objective::Objective;
use examples::{BOUND, append_input};
use layout::Layout;
use network::Network;
use rayon::prelude::*;
use sinew_files::fnv::fnv1a;
use sinew_nn::{LstmState, Parameters};

/// Characters that go through the network together.
const TOGETHER: usize = 32;

/// A generator that was learnt.
#[derive(Clone, Debug)]
pub struct RecurrentGenerator {
    figure: Figure,
    actions: Vec<Action>,
    rate_hz: f64,
    learned: LearnedMotion,
    layout: Layout,
    network: Network<f32>,
    foot_lock: FootLock,
    /// Share of the feet's offset that the body follows in a frame.
    follow_share: f64,
}

/// What the learned generator remembers of a character.
#[derive(Clone, Debug, PartialEq)]
pub struct RecurrentMemory {
    /// The state, standardised.
    state: Vec<f64>,
    /// The heading frame of the state.
    frame: GroundTransform,
    lstm: LstmState<f32>,
    locks: Vec<SiteLock>,
}

impl RecurrentGenerator {
    /// Makes a generator of what was learnt.
    ///
    /// # Errors
    /// Where the character cannot be used, or what was learnt does not fit it.
    pub fn new(header: &SetHeader, learned: &LearnedMotion) -> Result<RecurrentGenerator, GeneratorError> {
        let figure = Figure::of_set(header)?;
        let layout = Layout::new(&figure);
        let network = learned.network(header, &layout).map_err(|problem| GeneratorError::Weights { problem })?;
        let (config, secs) = (&learned.config, 1.0 / header.rate_hz);
        let limits = LockLimits::of(&figure, config.lock_speed, config.release_distance);
        let decay = Decay::new(config.release_halflife_secs, secs);
        Ok(RecurrentGenerator {
            foot_lock: FootLock::new(&figure, &feet(&figure), limits, decay, secs)?,
            follow_share: 1.0 - libm::exp2(-secs / config.follow_halflife_secs),
            actions: header.actions.clone(),
            rate_hz: header.rate_hz,
            learned: learned.clone(),
            figure,
            layout,
            network,
        })
    }

    /// Its constants.
    pub fn config(&self) -> &RecurrentConfig {
        &self.learned.config
    }

    /// Goes on by a frame with some characters at once. Returns the completed objectives.
    fn step_together(&self, states: &mut [GeneratorState], objectives: &[Objective]) -> Vec<Intent> {
        let mut asked = Vec::with_capacity(states.len());
        let mut input = Vec::new();
        for (state, objective) in states.iter_mut().zip(objectives) {
            let seen = objective.seen_from(&self.figure.heading_frame(&state.qpos), self.clock_secs(state));
            let (intent, _) = self.feasible().project(&seen);
            let memory = memory_of(state);
            append_input(&memory.state, &intent, self.actions.len(), &self.learned.controls, |x| x as f32, &mut input);
            asked.push(intent);
        }
        let memories: Vec<&mut LstmState<f32>> = states.iter_mut().map(|state| &mut memory_of(state).lstm).collect();
        let output = step_network(&self.network, &input, memories);
        let outputs = output.chunks(self.network.outputs());
        let rows = states.iter_mut().zip(outputs).zip(asked);
        rows.map(|((state, output), intent)| self.go_on(state, output, intent)).collect()
    }

    /// Takes the output of the network as the next frame.
    fn go_on(&self, state: &mut GeneratorState, output: &[f32], intent: Intent) -> Intent {
        let dims = self.layout.dims();
        let share = self.config().carried_share;
        let memory = memory_of(state);
        for (column, z) in memory.state.iter_mut().enumerate() {
            let base = unroll::carried(&self.layout, share, column) * *z;
            *z = (base + f64::from(output[column])).clamp(-BOUND, BOUND);
        }
        let mut row = Vec::new();
        self.learned.standard.raw_row(&memory.state, &mut row);
        memory.frame = memory.frame.then_after(&Layout::step(&row));
        let mut qpos = vec![0.0; self.figure.model().position_count()];
        self.layout.decode(&self.figure, &row, &memory.frame, &mut qpos);
        let shown = self.layout.contact_bits(&row);
        let standing = self.foot_lock.apply(&mut qpos, shown, &mut memory.locks);
        // Feet that stand are right: what leans towards them goes there.
        memory.frame.x += self.follow_share * standing.offset[0];
        memory.frame.y += self.follow_share * standing.offset[1];
        let contacts = shown & !self.foot_lock.sites() | standing.contacts;
        (state.qpos, state.contacts, state.frame) = (qpos, contacts, state.frame + 1);
        completed(intent, &self.predicted_intent(&output[dims..]))
    }

    /// The control values that the network predicts, of those that the set has.
    fn predicted_intent(&self, output: &[f32]) -> Intent {
        let mut intent = Intent::default();
        for (k, control) in Control::ALL.into_iter().enumerate() {
            if self.learned.known_controls >> k & 1 == 1 {
                intent.set(control, Some(self.learned.controls.raw(k, f64::from(output[k])) as f32));
            }
        }
        intent
    }
}

/// Steps the network with the memories of several characters as rows.
fn step_network(network: &Network<f32>, input: &[f32], mut memories: Vec<&mut LstmState<f32>>) -> Vec<f32> {
    if let [only] = &mut memories[..] {
        return network.step(input, only);
    }
    let mut joined = network.zero_state(memories.len());
    let layers = joined.outputs.len();
    for layer in 0..layers {
        joined.outputs[layer].clear();
        joined.cells[layer].clear();
        for memory in &memories {
            joined.outputs[layer].extend_from_slice(&memory.outputs[layer]);
            joined.cells[layer].extend_from_slice(&memory.cells[layer]);
        }
    }
    let output = network.step(input, &mut joined);
    for layer in 0..layers {
        for (row, memory) in memories.iter_mut().enumerate() {
            let size = memory.cells[layer].len();
            memory.outputs[layer].copy_from_slice(&joined.outputs[layer][row * size..][..size]);
            memory.cells[layer].copy_from_slice(&joined.cells[layer][row * size..][..size]);
        }
    }
    output
}

fn memory_of(state: &mut GeneratorState) -> &mut RecurrentMemory {
    let Memory::Recurrent(memory) = &mut state.memory else { unreachable!("a state of another generator") };
    memory
}

impl Generator for RecurrentGenerator {
    fn kind(&self) -> &'static str {
        "lstm"
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
        &self.learned.feasible
    }
    fn bytes(&self) -> usize {
        4 * (self.network.parameter_count() + self.learned.starts.len() * self.layout.dims())
    }

    fn start(&self, seed: u64) -> GeneratorState {
        let starts = &self.learned.starts;
        let start = &starts[(fnv1a(seed.to_le_bytes()) % starts.len() as u64) as usize];
        let row: Vec<f64> = start.iter().map(|&x| f64::from(x)).collect();
        let frame = GroundTransform::default();
        let mut qpos = vec![0.0; self.figure.model().position_count()];
        self.layout.decode(&self.figure, &row, &frame, &mut qpos);
        let memory = RecurrentMemory {
            state: self.learned.standard.standardised_row(&row),
            frame,
            lstm: self.network.zero_state(1),
            locks: self.foot_lock.start(),
        };
        let contacts = self.layout.contact_bits(&row);
        GeneratorState { frame: 0, qpos, contacts, memory: Memory::Recurrent(memory) }
    }

    fn step(&self, state: &mut GeneratorState, objective: &Objective) -> Intent {
        self.step_together(std::slice::from_mut(state), std::slice::from_ref(objective))[0]
    }

    fn step_all(&self, states: &mut [GeneratorState], objectives: &[Objective]) -> Vec<Intent> {
        assert_eq!(states.len(), objectives.len(), "one objective for each state");
        let parts = states.par_chunks_mut(TOGETHER).zip(objectives.par_chunks(TOGETHER));
        parts.flat_map_iter(|(states, objectives)| self.step_together(states, objectives)).collect()
    }

    fn move_ground(&self, state: &mut GeneratorState, by: &GroundTransform) {
        by.move_root(&mut state.qpos);
        let memory = memory_of(state);
        memory.frame = by.then_after(&memory.frame);
        memory.locks.iter_mut().for_each(|lock| lock.move_ground(by));
    }

    fn set_pose(&self, state: &mut GeneratorState, qpos: &[f64], qvel: &[f64]) {
        let mut before = vec![0.0; qpos.len()];
        self.figure.model().displace(qpos, qvel, -1.0 / self.rate_hz, &mut before);
        let frame = self.figure.heading_frame(qpos);
        let step = self.figure.heading_frame(&before).inverse().then_after(&frame);
        let row = self.layout.encode(&self.figure, qpos, &step, state.contacts);
        let body: Vec<f64> =
            self.learned.standard.standardised_row(&row).iter().map(|z| z.clamp(-BOUND, BOUND)).collect();
        state.qpos.copy_from_slice(qpos);
        let memory = memory_of(state);
        let pose = layout::STEP.end..self.layout.contacts.start;
        let square: f64 = pose.clone().map(|k| (body[k] - memory.state[k]) * (body[k] - memory.state[k])).sum::<f64>();
        if square / pose.len() as f64 > self.learned.config.elsewhere * self.learned.config.elsewhere {
            memory.locks.iter_mut().for_each(SiteLock::forget);
        }
        (memory.state, memory.frame) = (body, frame);
    }

    fn joint_places(&self, state: &GeneratorState) -> Vec<[f64; 3]> {
        let Memory::Recurrent(memory) = &state.memory else { unreachable!("a state of another generator") };
        let mut row = Vec::new();
        self.learned.standard.raw_row(&memory.state, &mut row);
        self.layout.joint_places(&row, &memory.frame)
    }
}
