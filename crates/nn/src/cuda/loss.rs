//! The mean squared error on a GPU, with its gradient.

use super::device::{Device, Lane};
use super::error::CudaError;
use super::raw::{Grid, Matrix, Slice};

/// Blocks that sum up.
const BLOCKS: usize = 128;

/// The mean squared error, `L = Σ (y − t)² / n` over all n numbers.
#[derive(Debug)]
pub struct SquaredError {
    sums: Slice<f64>,
    value: Slice<f64>,
}

impl SquaredError {
    /// Room for it.
    ///
    /// # Errors
    /// Where there is no memory.
    pub fn new(device: &Device) -> Result<SquaredError, CudaError> {
        Ok(SquaredError { sums: device.zeros(BLOCKS)?, value: device.zeros(1)? })
    }

    /// Writes the gradient by the output.
    ///
    /// # Errors
    /// Where the GPU fails.
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn gradient(
        &self,
        lane: Lane<'_>,
        output: &Matrix,
        target: &Matrix,
        gradient: &Matrix,
    ) -> Result<(), CudaError> {
        let shape = |x: &Matrix| [x.rows, x.columns];
        assert!(shape(output) == shape(target) && shape(output) == shape(gradient), "shapes of a loss");
        let count = output.rows * output.columns;
        let program = lane.device().kernels().program();
        let mut arguments = Vec::new();
        for matrix in [output, target, gradient] {
            arguments.extend([(&matrix.slice).into(), matrix.stride.into()]);
        }
        let weight = 1.0 / count.max(1) as f32;
        arguments.extend([output.columns.into(), count.into(), weight.into(), (&self.sums).into()]);
        let grid = Grid { blocks: [BLOCKS, 1], ..Grid::of(1) };
        lane.launch(program, "squared_error", grid, &arguments)?;
        let arguments = [(&self.sums).into(), BLOCKS.into(), (&self.value).into()];
        lane.launch(program, "sum_numbers", Grid::of(1), &arguments)
    }

    /// The loss; waits for the first lane.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn value(&self, device: &Device) -> Result<f64, CudaError> {
        Ok(device.read(&self.value)?[0])
    }
}
