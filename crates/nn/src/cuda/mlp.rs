//! Dense layers one after the other on a GPU, for a number of rows that is fixed.

use super::dense::Dense;
use super::device::{Device, Lane};
use super::error::CudaError;
use super::raw::{Grid, Matrix, Slice};
use super::weights::{Weights, stride_of};
use crate::mlp::Mlp as HostMlp;
use crate::normaliser::Normaliser;
use std::sync::Arc;

/// A network of dense layers for so many rows; its parameters are among [`Weights`].
#[derive(Debug)]
pub struct Mlp {
    device: Arc<Device>,
    /// Mean, scale and bound of the inputs.
    normaliser: Option<(Slice, Slice, f32)>,
    input: Matrix,
    layers: Vec<Dense>,
}

impl Mlp {
    /// Room on a GPU for so many rows of a network, whose parameters are there.
    ///
    /// # Errors
    /// Where there is not as much memory.
    pub fn new(device: &Arc<Device>, weights: &Weights, network: &HostMlp<f32>, rows: usize) -> Result<Mlp, CudaError> {
        let layer = |(index, layer): (usize, &crate::Dense<f32>)| {
            Dense::new(device, weights, &format!("{}.{index}", network.name()), layer.activation(), rows)
        };
        let normaliser = network.normaliser().map(|normaliser| {
            Ok::<_, CudaError>((device.upload(&normaliser.mean)?, device.upload(&normaliser.scale)?, normaliser.bound))
        });
        let stride = stride_of(network.inputs());
        Ok(Mlp {
            device: device.clone(),
            normaliser: normaliser.transpose()?,
            input: Matrix::new(&device.zeros(rows * stride)?, rows, network.inputs(), stride),
            layers: network.layers().iter().enumerate().map(layer).collect::<Result<_, _>>()?,
        })
    }

    /// Replaces the normaliser, from the next work on.
    ///
    /// # Errors
    /// Where the GPU fails.
    ///
    /// # Panics
    /// If the network had none when its room was made, or one with another bound.
    pub fn set_normaliser(&self, normaliser: &Normaliser<f32>) -> Result<(), CudaError> {
        let (mean, scale, bound) = self.normaliser.as_ref().expect("a network with a normaliser");
        assert_eq!(*bound, normaliser.bound, "bound of a normaliser");
        self.device.write(mean, &normaliser.mean)?;
        self.device.write(scale, &normaliser.scale)
    }

    /// Where its input is to be written, normalised if there is a normaliser.
    pub fn input(&self) -> &Matrix {
        &self.input
    }

    /// The output of all rows.
    pub fn output(&self) -> &Matrix {
        self.layers[self.layers.len() - 1].output()
    }

    /// Where the gradient by the output is to be written.
    pub fn gradient(&self) -> &Matrix {
        self.layers[self.layers.len() - 1].gradient()
    }

    /// Takes rows as they come: the rows that `chosen` names, or all; normalised where the network has a normaliser.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn take(&self, lane: Lane<'_>, from: &Matrix, chosen: Option<&Slice<u32>>) -> Result<(), CudaError> {
        let (to, program) = (&self.input, self.device.kernels().program());
        assert!(from.columns == to.columns && (chosen.is_some() || from.rows >= to.rows), "rows for a network");
        let count = to.rows * to.columns;
        let ends = |from: &Matrix| [(&to.slice).into(), to.stride.into(), from.columns.into(), count.into()];
        let gather = |from: &Matrix| {
            let mut arguments = vec![(&from.slice).into(), from.stride.into(), chosen.into()];
            arguments.extend(ends(from));
            lane.launch(program, "gather_rows", Grid::of(count), &arguments)
        };
        let normalise = |from: &Matrix, (mean, scale, bound): &(Slice, Slice, f32)| {
            let mut arguments =
                vec![(&from.slice).into(), from.stride.into(), mean.into(), scale.into(), (*bound).into()];
            arguments.extend(ends(from));
            lane.launch(program, "normalise_rows", Grid::of(count), &arguments)
        };
        match (&self.normaliser, chosen) {
            (None, _) => gather(from),
            (Some(normaliser), None) => normalise(from, normaliser),
            (Some(normaliser), Some(_)) => {
                gather(from)?;
                normalise(to, normaliser)
            }
        }
    }

    /// Computes the output of all rows of the input.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn forward(&self, lane: Lane<'_>) -> Result<(), CudaError> {
        let mut input = &self.input;
        for layer in &self.layers {
            layer.forward(lane, input, 0)?;
            input = layer.output();
        }
        Ok(())
    }

    /// Writes the gradients of all parameters, given that by the output. `beside` is a lane that computes those of matrices meanwhile.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn backward(&self, lane: Lane<'_>, beside: Lane<'_>) -> Result<(), CudaError> {
        for (index, layer) in self.layers.iter().enumerate().rev() {
            let before = index.checked_sub(1).map(|index| &self.layers[index]);
            layer.derive_all(lane)?;
            beside.after(lane)?;
            layer.add_up(beside, before.map_or(&self.input, |before| before.output()))?;
            if let Some(before) = before {
                layer.by_input(lane, before.gradient())?;
            }
        }
        lane.after(beside)
    }
}
