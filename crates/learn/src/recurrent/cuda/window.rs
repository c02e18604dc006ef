//! A window of so many frames as a graph: forward under the network's own output, back through every frame, a step of Adam.

use super::trainer::Shared;
use crate::intent::CONTROLS;
use sinew_nn::cuda::{CudaError, Dense, Graph, Grid, Lane, LstmStack, Matrix, Slice};
use sinew_nn::{Activation, LstmStack as HostStack, Mlp as HostMlp};

/// Threads of a block that begins or ends a step.
const THREADS: usize = 256;
/// The lane in which the last gradients of the small outer layers are made.
const OUTER: usize = 7;

/// The parts of the network.
pub(super) struct Parts<'a> {
    pub encoder: Option<&'a HostMlp<f32>>,
    pub lstm: &'a HostStack<f32>,
    pub decoder: &'a HostMlp<f32>,
}

/// Memory for a window of so many frames, and its graph.
pub(super) struct Window {
    frames: usize,
    encoder: Vec<Dense>,
    /// Inputs of the encoder, where there is one.
    inputs: Option<Matrix>,
    lstm: LstmStack,
    decoder: Dense,
    states: Slice,
    by_input: Matrix,
}

impl Window {
    pub fn new(shared: &Shared, parts: &Parts<'_>, frames: usize) -> Result<Window, CudaError> {
        let (device, weights, rows) = (&shared.device, &shared.weights, shared.sizes.rows);
        let dense = |network: &HostMlp<f32>, index: usize, activation: Activation| {
            Dense::new(device, weights, &format!("{}.{index}", network.name()), activation, frames * rows)
        };
        let encoder = parts.encoder.map(|encoder| {
            let layers = encoder.layers().iter().enumerate();
            layers.map(|(index, layer)| dense(encoder, index, layer.activation())).collect::<Result<Vec<_>, _>>()
        });
        let (stride, columns) = (shared.sizes.input_stride, shared.sizes.dims + shared.sizes.actions + 2 * CONTROLS);
        let room = |rows: usize| Ok::<_, CudaError>(Matrix::new(&device.zeros(rows * stride)?, rows, columns, stride));
        let inputs = parts.encoder.map(|_| room(frames * rows)).transpose()?;
        Ok(Window {
            frames,
            encoder: encoder.transpose()?.unwrap_or_default(),
            inputs,
            lstm: LstmStack::new(device, weights, parts.lstm, frames, rows)?,
            decoder: dense(parts.decoder, 0, Activation::Identity)?,
            states: device.zeros((frames + 1) * rows * shared.sizes.dims)?,
            by_input: room(rows)?,
        })
    }

    /// Records all that is done for a window.
    pub fn record(&self, shared: &Shared) -> Result<Graph, CudaError> {
        shared.device.record(|| self.run(shared))
    }

    fn inputs(&self) -> &Matrix {
        self.inputs.as_ref().unwrap_or(self.lstm.input())
    }

    fn run(&self, shared: &Shared) -> Result<(), CudaError> {
        let lane = shared.device.lane(0);
        let rows = shared.sizes.rows;
        self.lstm.load(lane, &shared.memory)?;
        self.begin(shared, lane)?;
        self.lstm.begin(lane)?;
        for step in 0..self.frames {
            let mut input = self.inputs().part(step * rows, rows);
            for layer in &self.encoder {
                layer.forward(lane, &input, step * rows)?;
                input = layer.output().part(step * rows, rows);
            }
            if let Some(encoded) = self.encoder.last() {
                let to = self.lstm.input().part(step * rows, rows);
                lane.copy(encoded.output().part(step * rows, rows).slice(), to.slice())?;
            }
            self.lstm.forward_step(lane, step)?;
            self.decoder.forward(lane, &self.lstm.output(step, 1), step * rows)?;
            self.end(shared, lane, step)?;
        }
        for step in (0..self.frames).rev() {
            self.decoder.backward(lane, step * rows, rows, Some(&self.lstm.gradient(step, 1)))?;
            let by_encoded = self.encoder.last().map(|layer| layer.gradient().part(step * rows, rows));
            let by_input = if step > 0 { Some(&self.by_input) } else { None };
            self.lstm.backward_step(lane, step, by_encoded.as_ref().or(by_input))?;
            for (index, layer) in self.encoder.iter().enumerate().rev() {
                let below = index.checked_sub(1).map(|below| self.encoder[below].gradient().part(step * rows, rows));
                layer.backward(lane, step * rows, rows, below.as_ref().or(by_input))?;
            }
            if step > 0 {
                self.pass_back(shared, lane, step)?;
            }
        }
        let outer = shared.device.lane(OUTER);
        outer.after(lane)?;
        self.decoder.finish(outer, &self.lstm.output(0, self.frames))?;
        for (index, layer) in self.encoder.iter().enumerate() {
            let below = index.checked_sub(1).map(|below| self.encoder[below].output());
            layer.finish(outer, below.unwrap_or(self.inputs()))?;
        }
        self.lstm.finish(lane)?;
        lane.after(outer)?;
        self.lstm.store(lane, &shared.memory)?;
        shared.weights.step(lane)?;
        let arguments = [(&shared.counter).into(), self.frames.into()];
        lane.launch(
            &shared.program,
            "end_window",
            Grid { blocks: [1, 1], threads: [1, 1], shared_bytes: 0 },
            &arguments,
        )
    }

    fn begin(&self, shared: &Shared, lane: Lane<'_>) -> Result<(), CudaError> {
        let arguments = [
            (&shared.tables.set_rows).into(),
            (&shared.starts).into(),
            (&shared.steps).into(),
            (&shared.flags).into(),
            (&shared.counter).into(),
            (&shared.tables.controls).into(),
            (&shared.own).into(),
            (&self.states).into(),
            self.inputs().slice().into(),
            (&shared.terms).into(),
        ];
        let grid = Grid { blocks: [shared.sizes.rows, 1], threads: [THREADS, 1], shared_bytes: 0 };
        lane.launch(&shared.program, "begin_window", grid, &arguments)
    }

    fn end(&self, shared: &Shared, lane: Lane<'_>, step: usize) -> Result<(), CudaError> {
        let arguments = [
            (&shared.tables.columns).into(),
            (&shared.tables.controls).into(),
            (&shared.tables.places).into(),
            (&shared.tables.lengths).into(),
            (&shared.tables.set_rows).into(),
            (&shared.starts).into(),
            (&shared.steps).into(),
            (&shared.flags).into(),
            (&shared.counter).into(),
            self.decoder.output().slice().into(),
            (&shared.own).into(),
            (&self.states).into(),
            self.decoder.gradient().slice().into(),
            self.inputs().slice().into(),
            (&shared.terms).into(),
            step.into(),
            self.frames.into(),
        ];
        let shared_bytes = shared.sizes.shared_bytes();
        let grid = Grid { blocks: [shared.sizes.rows, 1], threads: [THREADS, 1], shared_bytes };
        lane.launch(&shared.program, "end_step", grid, &arguments)
    }

    fn pass_back(&self, shared: &Shared, lane: Lane<'_>, step: usize) -> Result<(), CudaError> {
        let arguments = [
            (&shared.tables.columns).into(),
            (&self.states).into(),
            self.by_input.slice().into(),
            self.decoder.gradient().slice().into(),
            step.into(),
        ];
        lane.launch(&shared.program, "pass_back", Grid::of(shared.sizes.rows * shared.sizes.dims), &arguments)
    }
}
