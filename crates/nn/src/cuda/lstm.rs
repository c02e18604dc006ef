//! One layer of an LSTM on a GPU, for sequences of a fixed number of steps and rows.

use super::dense::{parts_of, sum_into_bias};
use super::device::{Device, Lane};
use super::error::CudaError;
use super::few_rows::{Back, Cell, Onto, take_back};
use super::raw::{Argument, Grid, Matrix, Slice};
use super::weights::{Tensor, Weights};
use std::sync::Arc;

/// Parts in which the gradient through the next step is made: a part for each gate.
const PARTS: usize = 4;

/// One layer for so many steps of so many rows. Sums of gates are made in two products, in any order; then follows the cell.
#[derive(Debug)]
pub struct Lstm {
    device: Arc<Device>,
    input_weight: Tensor,
    hidden_weight: Tensor,
    bias: Tensor,
    steps: usize,
    rows: usize,
    hidden: usize,
    /// Step by step: i, f, g, o, or the gradient by their sums.
    gates: Matrix,
    /// c and h from the state before the first step on; tanh(c).
    cells: Slice,
    outputs: Slice,
    cell_tanh: Slice,
    /// Gradient by h of every step, without the part through later steps; that part; gradient by c.
    by_output: Matrix,
    by_later: Slice,
    by_cell: Slice,
    parts: Slice,
}

impl Lstm {
    /// The layer whose parameters are called `name.input_weight`, `name.hidden_weight` and `name.bias`.
    ///
    /// # Errors
    /// Where there is no such layer or not as much memory.
    pub fn new(
        device: &Arc<Device>,
        weights: &Weights,
        name: &str,
        steps: usize,
        rows: usize,
    ) -> Result<Lstm, CudaError> {
        let tensor = |part: &str| weights.tensor(&format!("{name}.{part}"));
        let hidden_weight = tensor("hidden_weight")?;
        let hidden = hidden_weight.values.rows;
        let size = rows * hidden;
        Ok(Lstm {
            device: device.clone(),
            input_weight: tensor("input_weight")?,
            hidden_weight,
            bias: tensor("bias")?,
            steps,
            rows,
            hidden,
            gates: Matrix::new(&device.zeros(4 * steps * size)?, steps * rows, 4 * hidden, 4 * hidden),
            cells: device.zeros((steps + 1) * size)?,
            outputs: device.zeros((steps + 1) * size)?,
            cell_tanh: device.zeros(steps * size)?,
            by_output: Matrix::new(&device.zeros(steps * size)?, steps * rows, hidden, hidden),
            by_later: device.zeros(PARTS * size)?,
            by_cell: device.zeros(size)?,
            parts: device.zeros(parts_of(steps * rows, 4 * hidden))?,
        })
    }

    /// Hidden units.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    fn size(&self) -> usize {
        self.rows * self.hidden
    }

    /// h of some steps.
    pub fn output(&self, step: usize, steps: usize) -> Matrix {
        let part = self.outputs.part((step + 1) * self.size(), steps * self.size());
        Matrix::new(&part, steps * self.rows, self.hidden, self.hidden)
    }

    /// The gradient by h of some steps, to be written before they are taken back.
    pub fn gradient(&self, step: usize, steps: usize) -> Matrix {
        self.by_output.part(step * self.rows, steps * self.rows)
    }

    /// h and c before the first step.
    pub fn state(&self) -> [Slice; 2] {
        [self.outputs.part(0, self.size()), self.cells.part(0, self.size())]
    }

    /// h and c after the last step.
    pub fn last_state(&self) -> [Slice; 2] {
        let from = self.steps * self.size();
        [self.outputs.part(from, self.size()), self.cells.part(from, self.size())]
    }

    fn gates_of(&self, step: usize, steps: usize) -> Matrix {
        self.gates.part(step * self.rows, steps * self.rows)
    }

    /// Z = X·Wx of some steps; added where `adds`.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn input_sums(
        &self,
        lane: Lane<'_>,
        input: &Matrix,
        step: usize,
        steps: usize,
        adds: bool,
    ) -> Result<(), CudaError> {
        let gates = self.gates_of(step, steps);
        match adds {
            true => lane.add_product(input, &self.input_weight.values, &gates),
            false => lane.product(input, &self.input_weight.values, &gates),
        }
    }

    /// Z = H·Wh of a step, with h of the step before; added where `adds`.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn hidden_sums(&self, lane: Lane<'_>, step: usize, adds: bool) -> Result<(), CudaError> {
        let before = self.outputs.part(step * self.size(), self.size());
        let (before, gates) = (Matrix::new(&before, self.rows, self.hidden, self.hidden), self.gates_of(step, 1));
        match adds {
            true => lane.add_product(&before, &self.hidden_weight.values, &gates),
            false => lane.product(&before, &self.hidden_weight.values, &gates),
        }
    }

    /// Gates, c and h of a step whose sums are there.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn cell(&self, lane: Lane<'_>, step: usize) -> Result<(), CudaError> {
        let size = self.size();
        let of = |slice: &Slice, step: usize| slice.part(step * size, size);
        let arguments = [
            (&self.gates_of(step, 1).slice).into(),
            (&self.bias.values.slice).into(),
            (&of(&self.cells, step)).into(),
            (&of(&self.cells, step + 1)).into(),
            (&of(&self.cell_tanh, step)).into(),
            (&of(&self.outputs, step + 1)).into(),
            self.hidden.into(),
            size.into(),
        ];
        self.launch(lane, "lstm_forward", &arguments)
    }

    /// Turns the gates of a step into the gradient by their sums, given those by its h.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn cell_back(&self, lane: Lane<'_>, step: usize) -> Result<(), CudaError> {
        self.cell_back_of(lane, step, PARTS)
    }

    fn cell_back_of(&self, lane: Lane<'_>, step: usize, parts: usize) -> Result<(), CudaError> {
        let size = self.size();
        let of = |slice: &Slice| slice.part(step * size, size);
        let is_last = usize::from(step + 1 == self.steps);
        let arguments = [
            (&self.gates_of(step, 1).slice).into(),
            (&of(&self.cells)).into(),
            (&of(&self.cell_tanh)).into(),
            (&of(&self.by_output.slice)).into(),
            (&self.by_later).into(),
            (&self.by_cell).into(),
            self.hidden.into(),
            size.into(),
            is_last.into(),
            parts.into(),
        ];
        self.launch(lane, "lstm_backward", &arguments)
    }

    fn launch(&self, lane: Lane<'_>, name: &str, arguments: &[Argument]) -> Result<(), CudaError> {
        // Small blocks, so that few rows still keep many multiprocessors busy.
        let grid = Grid { blocks: [self.size().div_ceil(128), 1], threads: [128, 1], shared_bytes: 0 };
        lane.launch(self.device.kernels().program(), name, grid, arguments)
    }

    /// The part of the gradient by h of the step before that goes through this one.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn hidden_back(&self, lane: Lane<'_>, step: usize) -> Result<(), CudaError> {
        let weight = self.hidden_weight.values.transposed();
        lane.product_in_parts(&self.gates_of(step, 1), &weight, &self.by_later, PARTS)
    }

    /// The gradient by the input of some steps that were taken back.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn input_back(&self, lane: Lane<'_>, step: usize, steps: usize, into: &Matrix) -> Result<(), CudaError> {
        lane.product(&self.gates_of(step, steps), &self.input_weight.values.transposed(), into)
    }

    /// Whether few rows take a step in one launch.
    pub(super) fn is_fused(&self) -> bool {
        self.device.takes_few_rows(self.rows) && self.hidden.is_multiple_of(8)
    }

    /// A whole step in one launch.
    pub(super) fn fused_step(&self, lane: Lane<'_>, input: &Matrix, step: usize) -> Result<(), CudaError> {
        let size = self.size();
        let of = |slice: &Slice, step: usize| slice.part(step * size, size);
        let arguments = [
            (&input.slice).into(),
            input.stride.into(),
            input.columns.into(),
            (&self.input_weight.values.slice).into(),
            (&of(&self.outputs, step)).into(),
            (&self.hidden_weight.values.slice).into(),
            (&self.bias.values.slice).into(),
            (&of(&self.cells, step)).into(),
            (&self.gates_of(step, 1).slice).into(),
            (&of(&self.cells, step + 1)).into(),
            (&of(&self.cell_tanh, step)).into(),
            (&of(&self.outputs, step + 1)).into(),
            self.hidden.into(),
            self.rows.into(),
        ];
        let grid = Grid { blocks: [self.hidden / 8, 1], threads: [512, 1], shared_bytes: 0 };
        lane.launch(self.device.kernels().program(), "lstm_step", grid, &arguments)
    }

    /// The cell of a step of the last layer, whose other steps are taken back in one launch each.
    pub(super) fn fused_cell_back(&self, lane: Lane<'_>, step: usize) -> Result<(), CudaError> {
        self.cell_back_of(lane, step, 1)
    }

    /// What goes back through both weights of a step whose gates were taken back, in one launch with the cell of the layer below.
    pub(super) fn fused_back(
        &self,
        lane: Lane<'_>,
        step: usize,
        below: Option<&Lstm>,
        by_input: Option<&Matrix>,
    ) -> Result<(), CudaError> {
        let onto = match below {
            Some(below) => Some(Onto::Cell(below.cell_of(step))),
            None => by_input.map(Onto::Rows),
        };
        let first = onto.map(|onto| Back { weight: &self.input_weight.values, onto });
        let second = (step > 0).then_some((&self.hidden_weight.values, &self.by_later));
        take_back(lane, &self.gates_of(step, 1), first, second)
    }

    fn cell_of(&self, step: usize) -> Cell {
        let of = |slice: &Slice| slice.part(step * self.size(), self.size());
        Cell {
            gates: self.gates_of(step, 1).slice,
            cells: of(&self.cells),
            cell_tanh: of(&self.cell_tanh),
            by_later: self.by_later.clone(),
            by_cell: self.by_cell.clone(),
            is_last: step + 1 == self.steps,
        }
    }

    /// Writes the gradients of all parameters, after every step was taken back.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn finish(&self, lane: Lane<'_>, input: &Matrix) -> Result<(), CudaError> {
        let all = self.steps * self.rows;
        let before = Matrix::new(&self.outputs.part(0, self.steps * self.size()), all, self.hidden, self.hidden);
        lane.product(&input.transposed(), &self.gates, &self.input_weight.gradient)?;
        lane.product(&before.transposed(), &self.gates, &self.hidden_weight.gradient)?;
        sum_into_bias(lane, &self.gates, &self.parts, &self.bias.gradient)
    }
}
