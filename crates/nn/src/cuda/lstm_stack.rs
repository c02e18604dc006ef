//! LSTM layers on top of each other on a GPU.
//!
//! Over a whole sequence, each layer has a lane of its own and is one piece of the sequence behind the layer before it, so that small products of several
//! layers share the GPU. Steps that are taken one at a time, because each input holds the output before it, have no such freedom: there at most 32 rows
//! take a step of a layer in one launch (`few_rows.cu`), and with more rows the products with the hidden state go beside the chain of those with the input.

use super::device::{Device, Lane};
use super::error::CudaError;
use super::lstm::Lstm;
use super::raw::{Matrix, Slice};
use super::weights::{Weights, stride_of};
use crate::lstm_stack::{LstmStack as HostStack, LstmState};
use std::sync::Arc;

/// The state of an LSTM between sequences: h and c of each layer.
#[derive(Debug)]
pub struct LstmMemory {
    slices: Vec<Slice>,
}

impl LstmMemory {
    /// The state of so many rows that have seen nothing.
    ///
    /// # Errors
    /// Where there is not as much memory.
    pub fn new(device: &Device, network: &HostStack<f32>, rows: usize) -> Result<LstmMemory, CudaError> {
        let slices = network.layers().iter().flat_map(|layer| [rows * layer.hidden(); 2]);
        Ok(LstmMemory { slices: slices.map(|length| device.zeros(length)).collect::<Result<_, _>>()? })
    }

    /// Forgets all.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn clear(&self, lane: Lane<'_>) -> Result<(), CudaError> {
        self.slices.iter().try_for_each(|slice| lane.clear(slice))
    }
}

/// Layers of LSTM for sequences of so many steps and rows; its parameters are among [`Weights`].
#[derive(Debug)]
pub struct LstmStack {
    device: Arc<Device>,
    layers: Vec<Lstm>,
    input: Matrix,
    steps: usize,
    rows: usize,
    piece: usize,
}

impl LstmStack {
    /// Room on a GPU for sequences of a network, whose parameters are there. Its normaliser, if it has one, is left to the caller.
    ///
    /// # Errors
    /// Where there is not as much memory.
    pub fn new(
        device: &Arc<Device>,
        weights: &Weights,
        network: &HostStack<f32>,
        steps: usize,
        rows: usize,
    ) -> Result<LstmStack, CudaError> {
        let layer = |index: usize| Lstm::new(device, weights, &format!("{}.{index}", network.name()), steps, rows);
        let stride = stride_of(network.inputs());
        Ok(LstmStack {
            device: device.clone(),
            layers: (0..network.layers().len()).map(layer).collect::<Result<_, _>>()?,
            input: Matrix::new(&device.zeros(steps * rows * stride)?, steps * rows, network.inputs(), stride),
            steps,
            rows,
            piece: 4,
        })
    }

    /// Lets layers follow each other at so many steps; 4 by default.
    pub fn set_piece(&mut self, steps: usize) {
        self.piece = steps.clamp(1, self.steps);
    }

    /// Where the input of all steps is to be written, step by step.
    pub fn input(&self) -> &Matrix {
        &self.input
    }

    /// h of the last layer of some steps.
    pub fn output(&self, step: usize, steps: usize) -> Matrix {
        self.last().output(step, steps)
    }

    /// The gradient by h of the last layer of some steps, to be written before they are taken back.
    pub fn gradient(&self, step: usize, steps: usize) -> Matrix {
        self.last().gradient(step, steps)
    }

    fn last(&self) -> &Lstm {
        &self.layers[self.layers.len() - 1]
    }

    /// Sets the state before the first step.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn set_state(&self, state: &LstmState<f32>) -> Result<(), CudaError> {
        for (index, layer) in self.layers.iter().enumerate() {
            let [h, c] = layer.state();
            self.device.write(&h, &state.outputs[index])?;
            self.device.write(&c, &state.cells[index])?;
        }
        Ok(())
    }

    /// Begins where a sequence before has ended.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn load(&self, lane: Lane<'_>, memory: &LstmMemory) -> Result<(), CudaError> {
        let pairs = self.layers.iter().flat_map(Lstm::state).zip(&memory.slices);
        pairs.into_iter().try_for_each(|(to, from)| lane.copy(from, &to))
    }

    /// Keeps the state after the last step.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn store(&self, lane: Lane<'_>, memory: &LstmMemory) -> Result<(), CudaError> {
        let pairs = self.layers.iter().flat_map(Lstm::last_state).zip(&memory.slices);
        pairs.into_iter().try_for_each(|(from, to)| lane.copy(&from, to))
    }

    fn is_fused(&self) -> bool {
        self.layers.iter().all(Lstm::is_fused)
    }

    /// The lane of a layer.
    fn beside(&self, layer: usize) -> Lane<'_> {
        self.device.lane(1 + layer)
    }

    fn input_of(&self, layer: usize, step: usize, steps: usize) -> Matrix {
        match layer.checked_sub(1) {
            Some(before) => self.layers[before].output(step, steps),
            None => self.input.part(step * self.rows, steps * self.rows),
        }
    }

    /// Goes through all steps, from the first lane's point of view at once.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn forward(&self) -> Result<(), CudaError> {
        let main = self.device.lane(0);
        (0..self.layers.len()).try_for_each(|index| self.beside(index).after(main))?;
        for from in (0..self.steps).step_by(self.piece) {
            let count = self.piece.min(self.steps - from);
            for (index, layer) in self.layers.iter().enumerate() {
                let lane = self.beside(index);
                if index > 0 {
                    lane.after(self.beside(index - 1))?;
                }
                layer.input_sums(lane, &self.input_of(index, from, count), from, count, false)?;
                for step in from..from + count {
                    layer.hidden_sums(lane, step, true)?;
                    layer.cell(lane, step)?;
                }
            }
        }
        (0..self.layers.len()).try_for_each(|index| main.after(self.beside(index)))
    }

    /// Writes the gradients of all parameters, given that by h of the last layer.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn backward(&self) -> Result<(), CudaError> {
        let main = self.device.lane(0);
        (0..self.layers.len()).try_for_each(|index| self.beside(index).after(main))?;
        let pieces: Vec<usize> = (0..self.steps).step_by(self.piece).collect();
        for from in pieces.into_iter().rev() {
            let count = self.piece.min(self.steps - from);
            for (index, layer) in self.layers.iter().enumerate().rev() {
                let lane = self.beside(index);
                if index + 1 < self.layers.len() {
                    lane.after(self.beside(index + 1))?;
                }
                for step in (from..from + count).rev() {
                    layer.cell_back(lane, step)?;
                    if step > 0 {
                        layer.hidden_back(lane, step)?;
                    }
                }
                if index > 0 {
                    layer.input_back(lane, from, count, &self.layers[index - 1].gradient(from, count))?;
                }
                if from == 0 {
                    layer.finish(lane, &self.input_of(index, 0, self.steps))?;
                }
            }
        }
        (0..self.layers.len()).try_for_each(|index| main.after(self.beside(index)))
    }

    /// Begins to take steps one at a time, in a lane.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn begin(&self, lane: Lane<'_>) -> Result<(), CudaError> {
        if self.is_fused() {
            return Ok(());
        }
        for (index, layer) in self.layers.iter().enumerate() {
            self.beside(index).after(lane)?;
            layer.hidden_sums(self.beside(index), 0, false)?;
        }
        Ok(())
    }

    /// Takes the next step, whose input is written.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn forward_step(&self, lane: Lane<'_>, step: usize) -> Result<(), CudaError> {
        if self.is_fused() {
            let mut layers = self.layers.iter().enumerate();
            return layers.try_for_each(|(index, layer)| layer.fused_step(lane, &self.input_of(index, step, 1), step));
        }
        for (index, layer) in self.layers.iter().enumerate() {
            let beside = self.beside(index);
            lane.after(beside)?;
            layer.input_sums(lane, &self.input_of(index, step, 1), step, 1, true)?;
            layer.cell(lane, step)?;
            if step + 1 < self.steps {
                // Meanwhile the next layers take this step.
                beside.after(lane)?;
                layer.hidden_sums(beside, step + 1, false)?;
            }
        }
        Ok(())
    }

    /// Takes a step back, given the gradient by its output; those after it were taken back. Writes the gradient by its input where it is wanted.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn backward_step(&self, lane: Lane<'_>, step: usize, by_input: Option<&Matrix>) -> Result<(), CudaError> {
        if self.is_fused() {
            self.last().fused_cell_back(lane, step)?;
            for (index, layer) in self.layers.iter().enumerate().rev() {
                let below = index.checked_sub(1).map(|below| &self.layers[below]);
                layer.fused_back(lane, step, below, by_input)?;
            }
            return Ok(());
        }
        for (index, layer) in self.layers.iter().enumerate().rev() {
            let beside = self.beside(index);
            lane.after(beside)?;
            layer.cell_back(lane, step)?;
            if step > 0 {
                beside.after(lane)?;
                layer.hidden_back(beside, step)?;
            }
            let below = index.checked_sub(1).map(|below| self.layers[below].gradient(step, 1));
            if let Some(into) = below.as_ref().or(by_input) {
                layer.input_back(lane, step, 1, into)?;
            }
        }
        Ok(())
    }

    /// Writes the gradients of all parameters, after every step was taken back.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn finish(&self, lane: Lane<'_>) -> Result<(), CudaError> {
        for (index, layer) in self.layers.iter().enumerate() {
            let beside = self.beside(index);
            beside.after(lane)?;
            layer.finish(beside, &self.input_of(index, 0, self.steps))?;
        }
        (0..self.layers.len()).try_for_each(|index| lane.after(self.beside(index)))
    }
}
