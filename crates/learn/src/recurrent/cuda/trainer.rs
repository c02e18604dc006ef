//! A network that is trained on a GPU, batch by batch.

use super::super::losses::{LossTerms, LossWeights};
use super::super::network::Network;
use super::super::unroll::Unroll;
use super::packed::{FIELDS, Packed};
use super::tables::{Sizes, Tables};
use super::window::{Parts, Window};
use crate::intent::CONTROLS;
use sinew_nn::Adam;
use sinew_nn::cuda::{CudaError, Device, Graph, LstmMemory, Program, Slice, Weights};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Kernels of `window.cu`.
const KERNELS: [&str; 4] = ["begin_window", "end_step", "pass_back", "end_window"];
/// Terms of the loss that the GPU sums up.
const TERMS: usize = 4;

/// How a batch is run through.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Frames of each window, one after the other.
    pub windows: Vec<usize>,
    /// Learning rate.
    pub rate: f64,
}

/// What all windows share.
pub(super) struct Shared {
    pub device: Arc<Device>,
    pub weights: Weights,
    pub program: Program,
    pub sizes: Sizes,
    pub tables: Tables,
    /// h and c between windows.
    pub memory: LstmMemory,
    /// The present batch, see [`Packed`].
    pub steps: Slice,
    pub flags: Slice<u32>,
    /// The number of each row's first frame among all rows of the set.
    pub starts: Slice<u32>,
    /// Steps and windows of the batch that are done.
    pub counter: Slice<u32>,
    /// Where the generated roots are.
    pub own: Slice,
    /// Terms of the loss of each row of each window.
    pub terms: Slice<f64>,
}

/// A network that is trained on a GPU.
pub(crate) struct Trainer {
    /// Steps of Adam that were given to it, all told.
    pub updates: u64,
    network: Network<f32>,
    weights: LossWeights,
    shared: Shared,
    /// Memory and graph for windows of so many frames.
    graphs: HashMap<usize, (Window, Graph)>,
    refused: u64,
    copying: Duration,
}

impl Trainer {
    /// Copies a network with Adam's memory of it, and all rows of the set, to a GPU; for batches of so many stretches of so many steps.
    pub fn new(
        device: &Arc<Device>,
        unroll: &Unroll<'_>,
        network: Network<f32>,
        adam: &Adam<f32>,
        [rows, steps]: [usize; 2],
    ) -> Result<Trainer, CudaError> {
        let (examples, layout) = (unroll.examples, &unroll.examples.layout);
        let sizes = Sizes {
            dims: layout.dims(),
            actions: examples.actions.len(),
            rows,
            input_stride: examples.input_count().next_multiple_of(4),
            output_stride: (layout.dims() + CONTROLS).next_multiple_of(4),
            places: layout.place_count(),
            feet: layout.feet.len(),
        };
        // SAFETY: every kernel stays within what `window.rs` and this file give it: rows of the set up to the last step of a stretch, steps below
        // `counter`, and as many rows, columns, places, feet and links as the tables and the constants above the source have.
        #[allow(unsafe_code)]
        let program = unsafe { device.compile(&sizes.source(unroll), &KERNELS) }?;
        let weights = Weights::new(device, &network, adam)?;
        let memory = LstmMemory::new(device, network.lstm(), rows)?;
        let shared = Shared {
            device: device.clone(),
            weights,
            program,
            tables: Tables::new(device, unroll)?,
            memory,
            steps: device.zeros(steps * rows * FIELDS)?,
            flags: device.zeros(steps * rows * 2)?,
            starts: device.zeros(rows)?,
            counter: device.zeros(2)?,
            own: device.zeros(rows * 3)?,
            // At most a window for each step.
            terms: device.zeros(steps * rows * TERMS)?,
            sizes,
        };
        let weights = unroll.weights;
        Ok(Trainer {
            updates: 0,
            network,
            weights,
            shared,
            graphs: HashMap::new(),
            refused: 0,
            copying: Duration::ZERO,
        })
    }

    /// Gives a batch to the GPU, which works on it from now on.
    ///
    /// # Panics
    /// If the batch has another size, or the windows another sum than its steps.
    pub fn start(&mut self, packed: &Packed, plan: &Plan) -> Result<(), CudaError> {
        let Trainer { network, shared, graphs, .. } = self;
        let device = &shared.device;
        let steps = packed.steps.len() / (packed.starts.len() * FIELDS);
        assert_eq!(plan.windows.iter().sum::<usize>(), steps, "steps of all windows");
        for &frames in &plan.windows {
            if let Entry::Vacant(vacant) = graphs.entry(frames) {
                let (encoder, lstm, decoder) = network.parts();
                let window = Window::new(shared, &Parts { encoder, lstm, decoder }, frames)?;
                let graph = window.record(shared)?;
                vacant.insert((window, graph));
            }
        }
        let first_row = |&(sequence, first): &(usize, usize)| (shared.tables.first_rows[sequence] + first) as u32;
        device.write(&shared.steps, &packed.steps)?;
        device.write(&shared.flags, &packed.flags)?;
        device.write(&shared.starts, &packed.starts.iter().map(first_row).collect::<Vec<u32>>())?;
        device.write(&shared.counter, &[0, 0])?;
        shared.memory.clear(device.lane(0))?;
        shared.weights.set_rate(plan.rate)?;
        for frames in &plan.windows {
            graphs[frames].1.launch()?;
        }
        self.updates += plan.windows.len() as u64;
        Ok(())
    }

    /// Waits for the batch. Returns the loss of each window, none from a step on that was not taken.
    pub fn losses(&mut self, plan: &Plan) -> Result<Vec<Option<LossTerms>>, CudaError> {
        let rows = self.shared.sizes.rows;
        let all = self.shared.device.read(&self.shared.terms)?;
        let (_, refused) = self.shared.weights.report()?;
        let is_taken = refused == self.refused;
        self.refused = refused;
        let of_window = |window: &[f64]| {
            let sum = |term: usize| window.iter().skip(term).step_by(TERMS).sum::<f64>();
            let [motion, objective, contact, rigid] = [0, 1, 2, 3].map(sum);
            let weights = &self.weights;
            let total = weights.motion * motion
                + weights.objective * objective
                + weights.contact * contact
                + weights.rigid * rigid;
            (is_taken || total.is_finite()).then_some(LossTerms { total, motion, objective, contact, rigid })
        };
        let mut losses: Vec<Option<LossTerms>> =
            all.chunks_exact(rows * TERMS).take(plan.windows.len()).map(of_window).collect();
        if !is_taken && losses.iter().all(Option::is_some) {
            // All losses were finite, but a gradient was not: the last one at the latest.
            *losses.last_mut().expect("a batch has windows") = None;
        }
        Ok(losses)
    }

    /// Copies the parameters and Adam's memory back.
    pub fn read(&mut self, adam: &mut Adam<f32>) -> Result<&Network<f32>, CudaError> {
        let began = Instant::now();
        self.shared.weights.read(&mut self.network, adam)?;
        self.copying = began.elapsed();
        Ok(&self.network)
    }

    /// How long copying back took last time.
    pub fn copying(&self) -> Duration {
        self.copying
    }

    /// The gradient of the last window, parameter by parameter.
    #[cfg(test)]
    pub fn gradients(&self) -> Result<Vec<Vec<f32>>, CudaError> {
        self.shared.weights.gradients()
    }
}
