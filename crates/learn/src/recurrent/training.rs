//! The training as long work: batches of consecutive windows under the network's own output, a step of Adam for each window.

use super::config::RecurrentConfig;
use super::cuda::{Packed, Plan, Trainer};
use super::examples::{Examples, Stretch};
use super::learned::LearnedMotion;
use super::losses::{LossTerms, LossWeights};
use super::network::{Network, NetworkShape};
use super::unroll::Unroll;
use crate::feasible::FeasibleRange;
use crate::figure::Figure;
use crate::generator_error::GeneratorError;
use crate::intent::CONTROLS;
use crate::motion_set::{MotionSet, Origin, Sequence};
use crate::random::Stream;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sinew_files::fnv::fnv1a;
use sinew_nn::cuda::Device;
use sinew_nn::safetensors::TensorFile;
use sinew_nn::{Adam, AdamConfig, Parameters, Schedule};
use sinew_work::{Best, Identity, Progress, Work, check_cancelled};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Points of the curve of the loss.
const POINTS: u64 = 100;

/// A loss above this is of a training that diverged: rows of the set have a deviation of 1.
const DIVERGED: f64 = 1e6;

/// Shortest and longest piece of work on a GPU: only after a piece is the network copied back.
const PIECES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(10)];
/// How much longer a piece lasts than copying back took last time.
const PIECE_FOR_EACH_COPY: u32 = 30;

/// Trains a generator on a set.
pub struct TrainingWork<'a> {
    set: &'a MotionSet,
    figure: Figure,
    config: RecurrentConfig,
    seed: u64,
    examples: Examples,
    shape: NetworkShape,
    /// Consecutive windows of a batch: as many as are asked for, or as the sequences of the set allow.
    windows: usize,
    /// The network of the state after so many updates, so that it is not built anew for each piece.
    kept: Mutex<Option<(u64, Network<f32>)>>,
    /// The GPU that it is trained on; none for the CPU.
    device: Option<Arc<Device>>,
    /// The network of the last state on the GPU.
    trainer: Mutex<Option<Trainer>>,
}

/// How far a training is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingState {
    /// Steps of Adam so far.
    pub updates: u64,
    /// Batches so far.
    pub batches: u64,
    parameters: Vec<Vec<f32>>,
    adam: Adam<f32>,
    /// The loss on its way.
    pub curve: Vec<CurvePoint>,
    /// Sum since the last point, and its batches.
    sum: (LossTerms, u64),
}

/// The mean loss over some batches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The last of these batches.
    pub batch: u64,
    /// The mean of each term for a number of the state.
    pub loss: LossTerms,
}

impl<'a> TrainingWork<'a> {
    /// Prepares the frames of a set.
    ///
    /// # Errors
    /// Where a constant is unusable, or no sequence of the set is as long as a window.
    pub fn new(set: &'a MotionSet, config: &RecurrentConfig, seed: u64) -> Result<TrainingWork<'a>, GeneratorError> {
        if let Some((field, value, range)) = config.fault() {
            return Err(GeneratorError::Setting { field, value, range });
        }
        let figure = Figure::of_set(&set.header)?;
        let longest = set.sequences.iter().map(Sequence::frame_count).max().unwrap_or(0);
        let windows = (longest.saturating_sub(1) / config.window_frames).min(config.windows);
        if windows == 0 {
            let least_secs = (config.window_frames + 1) as f64 / set.header.rate_hz;
            return Err(GeneratorError::TooShort { least_secs });
        }
        let examples = Examples::new(set, &figure);
        let shape = network_shape(config, examples.input_count(), examples.layout.dims());
        let (config, kept) = (config.clone(), Mutex::new(None));
        let (device, trainer) = (None, Mutex::new(None));
        Ok(TrainingWork { set, figure, config, seed, examples, shape, windows, kept, device, trainer })
    }

    /// Trains on a GPU: the same steps but for rounding. A training may begin on one device and go on on another.
    #[must_use]
    pub fn on(self, device: Arc<Device>) -> TrainingWork<'a> {
        TrainingWork { device: Some(device), ..self }
    }

    /// The GPU that it is trained on; none for the CPU.
    pub fn device(&self) -> Option<&Device> {
        self.device.as_deref()
    }

    /// What was learnt.
    pub fn learned(&self, state: &TrainingState) -> LearnedMotion {
        let mut network = Network::new(&self.shape, self.seed);
        load(&mut network, &state.parameters);
        let mut weights = TensorFile::default();
        weights.insert_parameters(&network);
        LearnedMotion {
            config: self.config.clone(),
            standard: self.examples.standard.clone(),
            controls: self.examples.controls.clone(),
            known_controls: self.examples.known_controls,
            feasible: FeasibleRange::of_set(self.set, &self.figure),
            starts: self.starts(),
            frames: [Origin::Captured, Origin::Augmented].map(|origin| self.set.frames(origin)),
            curve: state.curve.clone(),
            weights: weights.to_bytes(),
        }
    }

    /// States to start from, evenly taken from the set.
    fn starts(&self) -> Vec<Vec<f32>> {
        const STARTS: usize = 64;
        let all = self.examples.sequences.iter().enumerate();
        let all: Vec<(usize, usize)> = all.flat_map(|(s, q)| (1..q.frames.len()).map(move |f| (s, f))).collect();
        let every = all.len().div_ceil(STARTS).max(1);
        let raw = |(sequence, frame): (usize, usize)| {
            let row = self.examples.row(sequence, frame).enumerate();
            row.map(|(column, z)| self.examples.standard.raw(column, z) as f32).collect()
        };
        all.into_iter().step_by(every).map(raw).collect()
    }

    fn network(&self, state: &TrainingState) -> Network<f32> {
        let kept = locked(&self.kept).take();
        match kept {
            Some((updates, network)) if updates == state.updates => network,
            _ => {
                let mut network = Network::new(&self.shape, self.seed);
                load(&mut network, &state.parameters);
                network
            }
        }
    }

    /// Frames of a window in a batch: `first · (full / first)^x`, where x goes from 0 to 1 in the first half of the training.
    fn window_at(&self, batch: u64) -> usize {
        let [first, full] = [self.config.first_window_frames, self.config.window_frames].map(|frames| frames as f64);
        let grown = (2.0 * batch as f64 / self.config.batches as f64).min(1.0);
        libm::round(first * libm::pow(full / first, grown)) as usize
    }

    /// Frames of a batch's stretches.
    fn steps(&self) -> usize {
        self.windows * self.config.window_frames
    }

    /// The stretches of a batch.
    fn draw(&self, batch: u64) -> Result<Vec<Stretch>, GeneratorError> {
        let draw = |row: usize| -> Result<Stretch, GeneratorError> {
            let number = batch * self.config.batch as u64 + row as u64;
            let mut stream = Stream::new(self.seed, "stretch", number);
            let drawn = self.examples.draw(self.steps(), self.config.drop_share, &mut stream);
            drawn.ok_or(GeneratorError::TooShort { least_secs: (self.steps() + 1) as f64 / self.examples.rate_hz })
        };
        (0..self.config.batch).into_par_iter().map(draw).collect()
    }

    /// Windows and rate of a batch.
    fn plan(&self, batch: u64) -> Plan {
        let RecurrentConfig { rate, final_rate, batches, .. } = self.config;
        let (window, steps) = (self.window_at(batch), self.steps());
        let windows = (0..steps).step_by(window).map(|from| window.min(steps - from)).collect();
        Plan { windows, rate: Schedule::Cosine { start: rate, end: final_rate, steps: batches }.at(batch) }
    }

    /// Adds the loss of a window of a batch.
    fn add_loss(&self, state: &mut TrainingState, loss: &LossTerms, frames: usize) {
        state.updates += 1;
        state.sum.0.add(loss, frames as f64 / self.steps() as f64);
    }

    /// Ends a batch.
    fn end_batch(&self, state: &mut TrainingState) {
        let batches = self.config.batches;
        state.sum.1 += 1;
        if (state.batches + 1) * POINTS / batches > state.batches * POINTS / batches {
            let mut mean = LossTerms::default();
            mean.add(&state.sum.0, 1.0 / state.sum.1 as f64);
            state.curve.push(CurvePoint { batch: state.batches + 1, loss: mean });
            state.sum = (LossTerms::default(), 0);
        }
        state.batches += 1;
    }

    /// Batches on a GPU: as many as make copying the network back worth its time.
    fn advance_on(&self, device: &Arc<Device>, state: &mut TrainingState) -> Result<(), GeneratorError> {
        let began = Instant::now();
        let kept = locked(&self.trainer).take().filter(|trainer| trainer.updates == state.updates);
        let mut trainer = match kept {
            Some(trainer) => trainer,
            None => {
                let sizes = [self.config.batch, self.steps()];
                let mut trainer = Trainer::new(device, &self.unroll(), self.network(state), &state.adam, sizes)?;
                trainer.updates = state.updates;
                trainer
            }
        };
        let pack = |batch: u64| Ok::<_, GeneratorError>(Packed::new(&self.examples, &self.draw(batch)?, self.steps()));
        let [shortest, longest] = PIECES;
        let enough = (PIECE_FOR_EACH_COPY * trainer.copying()).clamp(shortest, longest);
        let mut packed = pack(state.batches)?;
        loop {
            check_cancelled()?;
            let plan = self.plan(state.batches);
            trainer.start(&packed, &plan)?;
            // The next batch is drawn while the GPU works.
            let is_last = state.batches + 1 >= self.config.batches;
            if !is_last {
                packed = pack(state.batches + 1)?;
            }
            for (loss, &frames) in trainer.losses(&plan)?.iter().zip(&plan.windows) {
                match loss {
                    Some(loss) if loss.total < DIVERGED => self.add_loss(state, loss, frames),
                    _ => return Err(GeneratorError::Diverged { update: state.updates, rate: plan.rate }),
                }
            }
            self.end_batch(state);
            if is_last || began.elapsed() > enough {
                break;
            }
        }
        state.parameters = values(trainer.read(&mut state.adam)?);
        *locked(&self.trainer) = Some(trainer);
        Ok(())
    }

    fn unroll(&self) -> Unroll<'_> {
        let config = &self.config;
        Unroll {
            examples: &self.examples,
            weights: LossWeights {
                motion: config.motion_weight,
                objective: config.objective_weight,
                contact: config.contact_weight,
                rigid: config.rigid_weight,
                step: config.step_weight,
            },
            carried_share: config.carried_share,
            return_share: if config.return_secs > 0.0 {
                (1.0 / (config.return_secs * self.examples.rate_hz)).min(1.0)
            } else {
                0.0
            },
        }
    }
}

/// The network of a set whose rows have so many numbers.
pub(crate) fn network_shape(config: &RecurrentConfig, inputs: usize, dims: usize) -> NetworkShape {
    let (encoder, hidden) = (config.encoder_units.clone(), config.lstm_units.clone());
    NetworkShape { inputs, encoder, hidden, outputs: dims + CONTROLS }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn load(network: &mut Network<f32>, parameters: &[Vec<f32>]) {
    let mut values = parameters.iter();
    network.each_mut(&mut |parameter| {
        if let Some(values) = values.next() {
            parameter.values_mut().copy_from_slice(values);
        }
    });
}

fn values(network: &Network<f32>) -> Vec<Vec<f32>> {
    let mut all = Vec::new();
    network.each(&mut |parameter| all.push(parameter.values().to_vec()));
    all
}

impl Work for TrainingWork<'_> {
    type State = TrainingState;
    type Error = GeneratorError;
    const KIND: &'static str = "generator";
    const VERSION: u32 = 1;

    fn identity(&self) -> Identity {
        let header = &self.set.header;
        let numbers = self.set.sequences.iter().flat_map(|s| &s.positions).flat_map(|x| x.to_le_bytes());
        let contacts = self.set.sequences.iter().flat_map(|s| &s.contacts).flat_map(|x| x.to_le_bytes());
        let intents: Vec<_> = self.set.sequences.iter().map(|s| &s.intents).collect();
        Identity::default()
            .hashed("character", fnv1a(header.character.to_toml().bytes()))
            .hashed("set of motions", fnv1a(numbers.chain(contacts)))
            .part("set of intents", &intents)
            .part("configuration", &self.config)
            .part("seed", &self.seed)
    }

    fn begin(&self) -> Result<TrainingState, GeneratorError> {
        let largest_norm = Some(self.config.largest_gradient);
        Ok(TrainingState {
            updates: 0,
            batches: 0,
            parameters: values(&Network::new(&self.shape, self.seed)),
            adam: Adam::new(AdamConfig { largest_norm, ..AdamConfig::default() }),
            curve: Vec::new(),
            sum: (LossTerms::default(), 0),
        })
    }

    fn is_done(&self, state: &TrainingState) -> bool {
        state.batches >= self.config.batches
    }

    fn advance(&self, state: &mut TrainingState) -> Result<(), GeneratorError> {
        if let Some(device) = &self.device {
            return self.advance_on(device, state);
        }
        let mut network = self.network(state);
        let (stretches, plan) = (self.draw(state.batches)?, self.plan(state.batches));
        let mut lstm = network.zero_state(stretches.len());
        let mut from = 0;
        for &frames in &plan.windows {
            check_cancelled()?;
            let loss = self.unroll().window(&mut network, &mut lstm, &stretches, from, frames);
            let step = state.adam.step(&mut network, plan.rate);
            if !(loss.total < DIVERGED && step.is_taken) {
                return Err(GeneratorError::Diverged { update: state.updates, rate: plan.rate });
            }
            self.add_loss(state, &loss, frames);
            from += frames;
        }
        self.end_batch(state);
        state.parameters = values(&network);
        *locked(&self.kept) = Some((state.updates, network));
        Ok(())
    }

    fn progress(&self, state: &TrainingState) -> Progress {
        let best = state.curve.iter().map(|point| point.loss.total).min_by(f64::total_cmp);
        Progress {
            doing: format!("batch {} of {}", state.batches, self.config.batches),
            done: state.batches as f64,
            total: self.config.batches as f64,
            best: best.map(|value| Best { name: "best loss".into(), value }),
            ..Progress::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_walks::circles;

    #[test]
    fn windows_grow_in_the_first_half() {
        let (_, set) = circles(&[(1.0, 0.0)], 60);
        let config = RecurrentConfig { first_window_frames: 3, window_frames: 48, batches: 100, ..Default::default() };
        let work = TrainingWork::new(&set, &config, 0).unwrap();
        assert_eq!([0, 25, 50, 99].map(|batch| work.window_at(batch)), [3, 12, 48, 48]);
        let config = RecurrentConfig { first_window_frames: 48, ..config };
        let work = TrainingWork::new(&set, &config, 0).unwrap();
        assert_eq!([0, 25, 50, 99].map(|batch| work.window_at(batch)), [48; 4]);
    }
}
