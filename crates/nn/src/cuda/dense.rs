//! A fully connected layer on a GPU, `Y = f(X·W + b)`, for a number of rows that is fixed.

use super::device::{Device, Lane};
use super::error::CudaError;
use super::few_rows::{Back, Onto, take_back};
use super::raw::{Grid, Matrix, Slice};
use super::weights::{Tensor, Weights, stride_of};
use crate::activation::Activation;
use std::sync::Arc;

/// Rows whose gradients a block sums up.
const ROWS_EACH: usize = 64;

/// A fully connected layer for so many rows.
#[derive(Debug)]
pub struct Dense {
    device: Arc<Device>,
    weight: Tensor,
    bias: Tensor,
    activation: Activation,
    output: Matrix,
    /// X·W + b, where the derivative needs it.
    sums: Option<Slice>,
    gradient: Matrix,
    parts: Slice,
}

impl Dense {
    /// The layer whose parameters are called `name.weight` and `name.bias`.
    ///
    /// # Errors
    /// Where there is no such layer or not as much memory.
    pub fn new(
        device: &Arc<Device>,
        weights: &Weights,
        name: &str,
        activation: Activation,
        rows: usize,
    ) -> Result<Dense, CudaError> {
        let weight = weights.tensor(&format!("{name}.weight"))?;
        let columns = weight.values.columns;
        let stride = stride_of(columns);
        let room = || device.zeros::<f32>(rows * stride);
        Ok(Dense {
            device: device.clone(),
            weight,
            bias: weights.tensor(&format!("{name}.bias"))?,
            activation,
            output: Matrix::new(&room()?, rows, columns, stride),
            sums: activation.derives_from_sums().then(room).transpose()?,
            gradient: Matrix::new(&room()?, rows, columns, stride),
            parts: device.zeros(rows.div_ceil(ROWS_EACH) * stride)?,
        })
    }

    /// Y of all rows.
    pub fn output(&self) -> &Matrix {
        &self.output
    }

    /// The gradient by Y, to be written before [`backward`](Dense::backward).
    pub fn gradient(&self) -> &Matrix {
        &self.gradient
    }

    /// Computes as many rows as the input has, the first of which is number `at`.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn forward(&self, lane: Lane<'_>, input: &Matrix, at: usize) -> Result<(), CudaError> {
        let output = self.output.part(at, input.rows);
        if self.device.takes_few_rows(input.rows) && input.stride.is_multiple_of(4) {
            return self.forward_few(lane, input, &output, at);
        }
        lane.product(input, &self.weight.values, &output)?;
        let (quads, count) = (output.stride / 4, output.rows * output.stride / 4);
        let sums = self.sums.as_ref().map(|sums| sums.part(at * output.stride, output.rows * output.stride));
        let bias = (&self.bias.values.slice).into();
        let function = self.activation.number().into();
        let arguments = [(&output.slice).into(), sums.as_ref().into(), bias, quads.into(), count.into(), function];
        lane.launch(self.device.kernels().program(), "add_bias_and_activate", Grid::of(count), &arguments)
    }

    fn forward_few(&self, lane: Lane<'_>, input: &Matrix, output: &Matrix, at: usize) -> Result<(), CudaError> {
        let sums = self.sums.as_ref().map(|sums| sums.part(at * output.stride, output.rows * output.stride));
        let weight = &self.weight.values;
        let arguments = [
            (&input.slice).into(),
            input.stride.into(),
            input.columns.into(),
            (&weight.slice).into(),
            weight.stride.into(),
            (&self.bias.values.slice).into(),
            (&output.slice).into(),
            sums.as_ref().into(),
            output.stride.into(),
            output.columns.into(),
            output.rows.into(),
            self.activation.number().into(),
        ];
        let grid = Grid { blocks: [output.columns.div_ceil(32), 1], threads: [512, 1], shared_bytes: 0 };
        lane.launch(self.device.kernels().program(), "dense_step", grid, &arguments)
    }

    /// Turns the gradient by Y of some rows into that by X·W + b, and writes that by X where it is wanted.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn backward(&self, lane: Lane<'_>, at: usize, rows: usize, by_input: Option<&Matrix>) -> Result<(), CudaError> {
        if self.activation != Activation::Identity {
            self.derive(lane, at, rows, false)?;
        }
        match by_input {
            Some(by_input) if self.device.takes_few_rows(rows) => {
                let first = Back { weight: &self.weight.values, onto: Onto::Rows(by_input) };
                take_back(lane, &self.gradient.part(at, rows), Some(first), None)
            }
            Some(by_input) => lane.product(&self.gradient.part(at, rows), &self.weight.values.transposed(), by_input),
            None => Ok(()),
        }
    }

    /// Writes the gradients of W and b, once all rows were taken back.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn finish(&self, lane: Lane<'_>, input: &Matrix) -> Result<(), CudaError> {
        let kept = Activation::Identity;
        self.derive_or_sum(lane, 0, self.gradient.rows, kept, true)?;
        self.add_up(lane, input)
    }

    /// The first part of both for all rows at once: derivatives, and the parts of the gradient of b.
    pub(super) fn derive_all(&self, lane: Lane<'_>) -> Result<(), CudaError> {
        self.derive(lane, 0, self.gradient.rows, true)
    }

    /// The second part: the gradients of W and b.
    pub(super) fn add_up(&self, lane: Lane<'_>, input: &Matrix) -> Result<(), CudaError> {
        let (parts, stride) = (self.gradient.rows.div_ceil(ROWS_EACH), self.gradient.stride);
        let bias = &self.bias.gradient;
        let arguments = [(&self.parts).into(), parts.into(), stride.into(), (&bias.slice).into(), bias.columns.into()];
        lane.launch(self.device.kernels().program(), "sum_parts", Grid::of(bias.columns), &arguments)?;
        lane.product(&input.transposed(), &self.gradient, &self.weight.gradient)
    }

    pub(super) fn by_input(&self, lane: Lane<'_>, by_input: &Matrix) -> Result<(), CudaError> {
        lane.product(&self.gradient, &self.weight.values.transposed(), by_input)
    }

    fn derive(&self, lane: Lane<'_>, at: usize, rows: usize, sums: bool) -> Result<(), CudaError> {
        self.derive_or_sum(lane, at, rows, self.activation, sums)
    }

    fn derive_or_sum(
        &self,
        lane: Lane<'_>,
        at: usize,
        rows: usize,
        activation: Activation,
        sums: bool,
    ) -> Result<(), CudaError> {
        let stride = self.gradient.stride;
        let part = |slice: &Slice| slice.part(at * stride, rows * stride);
        let kept = part(self.sums.as_ref().unwrap_or(&self.output.slice));
        sum_columns(
            lane,
            &part(&self.gradient.slice),
            Some(&kept),
            sums.then_some(&self.parts),
            [rows, stride],
            activation,
        )
    }
}

/// `g *= dy/dz`, and the sums of every [`ROWS_EACH`] rows into a row of `parts`.
fn sum_columns(
    lane: Lane<'_>,
    gradient: &Slice,
    kept: Option<&Slice>,
    parts: Option<&Slice>,
    [rows, stride]: [usize; 2],
    activation: Activation,
) -> Result<(), CudaError> {
    let quads = stride / 4;
    let grid = Grid { blocks: [quads.div_ceil(32), rows.div_ceil(ROWS_EACH)], threads: [32, 8], shared_bytes: 0 };
    let arguments = [
        gradient.into(),
        kept.into(),
        parts.into(),
        quads.into(),
        rows.into(),
        ROWS_EACH.into(),
        activation.number().into(),
    ];
    lane.launch(lane.device().kernels().program(), "derive_and_sum", grid, &arguments)
}

/// Sums of the columns of rows of one shape.
#[derive(Debug)]
pub struct RowSum {
    parts: Slice,
}

impl RowSum {
    /// Room for it.
    ///
    /// # Errors
    /// Where there is no memory.
    pub fn new(device: &Device, rows: &Matrix) -> Result<RowSum, CudaError> {
        Ok(RowSum { parts: device.zeros(parts_of(rows.rows, rows.stride))? })
    }

    /// Writes the sum of all rows.
    ///
    /// # Errors
    /// Where the GPU fails.
    ///
    /// # Panics
    /// If there are more rows than it has room for, or the sum is of another shape.
    pub fn write(&self, lane: Lane<'_>, rows: &Matrix, sum: &Matrix) -> Result<(), CudaError> {
        assert!(parts_of(rows.rows, rows.stride) <= self.parts.len() && sum.columns == rows.columns, "sums of rows");
        sum_into_bias(lane, rows, &self.parts, sum)
    }
}

/// Sums the columns of rows into the gradient of a bias; `parts` is memory for it.
pub(super) fn sum_into_bias(lane: Lane<'_>, rows: &Matrix, parts: &Slice, bias: &Matrix) -> Result<(), CudaError> {
    sum_columns(lane, &rows.slice, None, Some(parts), [rows.rows, rows.stride], Activation::Identity)?;
    let count = rows.rows.div_ceil(ROWS_EACH);
    let arguments = [parts.into(), count.into(), rows.stride.into(), (&bias.slice).into(), bias.columns.into()];
    lane.launch(lane.device().kernels().program(), "sum_parts", Grid::of(bias.columns), &arguments)
}

/// Numbers of memory that [`sum_into_bias`] needs.
pub(super) fn parts_of(rows: usize, stride: usize) -> usize {
    rows.div_ceil(ROWS_EACH) * stride
}
