//! The parameters of a model on a GPU, with their gradients and Adam's memory: each kind in one row, so that a step is three launches.

use super::device::{Device, Lane};
use super::error::CudaError;
use super::raw::{Grid, Matrix, Slice};
use crate::adam::Adam;
use crate::parameter::{Parameter, Parameters};
use std::collections::HashMap;
use std::sync::Arc;

/// Rows of matrices begin at multiples of so many numbers: 16 bytes, which tensor cores need.
pub(super) const ALIGNMENT: usize = 4;
/// Parameters begin at multiples of so many numbers.
const PARAMETER_ALIGNMENT: usize = 64;
/// Blocks that sum squares.
const BLOCKS: usize = 264;

/// Numbers of Adam on the GPU, as `kernels/adam.cu` names them.
const STATE: usize = 12;
const STEPS: usize = 0;
const RATE: usize = 1;
const NORM: usize = 6;
const REFUSED: usize = 8;

/// Numbers of a row with the room to the next one.
pub(super) fn stride_of(columns: usize) -> usize {
    columns.next_multiple_of(ALIGNMENT)
}

/// One parameter on the GPU; a vector is a matrix of one row.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// Its numbers.
    pub values: Matrix,
    /// The gradient of the loss; it is written, not added to.
    pub gradient: Matrix,
}

/// The parameters of a model with their gradients and Adam's memory.
#[derive(Debug)]
pub struct Weights {
    device: Arc<Device>,
    /// Where each parameter begins, and its rows and columns, in the order of the model.
    places: Vec<Place>,
    by_name: HashMap<String, usize>,
    values: Slice,
    gradient: Slice,
    first: Slice,
    second: Slice,
    state: Slice<f64>,
    sums: Slice<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    from: usize,
    rows: usize,
    columns: usize,
}

impl Place {
    fn of(parameter: &Parameter<f32>, from: usize) -> Place {
        let columns = parameter.shape().last().copied().unwrap_or(1).max(1);
        Place { from, rows: parameter.values().len() / columns, columns }
    }

    fn length(&self) -> usize {
        self.rows * stride_of(self.columns)
    }

    /// Writes rows of the host into a row of all parameters.
    fn spread(&self, values: &[f32], all: &mut [f32]) {
        let stride = stride_of(self.columns);
        for (row, from) in all[self.from..].chunks_mut(stride).zip(values.chunks(self.columns)) {
            row[..self.columns].copy_from_slice(from);
        }
    }

    fn gather(&self, all: &[f32], values: &mut [f32]) {
        let stride = stride_of(self.columns);
        for (row, to) in all[self.from..].chunks(stride).zip(values.chunks_mut(self.columns)) {
            to.copy_from_slice(&row[..self.columns]);
        }
    }
}

impl Weights {
    /// Copies a model and Adam's memory of it to a GPU.
    ///
    /// # Errors
    /// Where there is not as much memory.
    pub fn new(device: &Arc<Device>, model: &dyn Parameters<f32>, adam: &Adam<f32>) -> Result<Weights, CudaError> {
        let (mut places, mut by_name, mut end) = (Vec::new(), HashMap::new(), 0usize);
        model.each(&mut |parameter| {
            let place = Place::of(parameter, end);
            by_name.insert(parameter.name().to_owned(), places.len());
            places.push(place);
            end = (end + place.length()).next_multiple_of(PARAMETER_ALIGNMENT);
        });
        let room = || device.zeros::<f32>(end);
        let weights = Weights {
            device: device.clone(),
            places,
            by_name,
            values: room()?,
            gradient: room()?,
            first: room()?,
            second: room()?,
            state: device.zeros(STATE)?,
            sums: device.zeros(BLOCKS)?,
        };
        weights.write(model, adam)?;
        Ok(weights)
    }

    /// Copies a model and Adam's memory of it to the GPU again.
    ///
    /// # Errors
    /// Where the GPU fails.
    ///
    /// # Panics
    /// If the model has other parameters.
    pub fn write(&self, model: &dyn Parameters<f32>, adam: &Adam<f32>) -> Result<(), CudaError> {
        let mut all = vec![0.0; self.values.len()];
        let mut places = self.places.iter();
        model.each(&mut |parameter| {
            let place = places.next().expect("a parameter that the model had");
            assert_eq!(place.rows * place.columns, parameter.values().len(), "numbers of a parameter");
            place.spread(parameter.values(), &mut all);
        });
        self.device.write(&self.values, &all)?;
        let (config, steps, memory) = adam.parts();
        for (slice, memory) in [&self.first, &self.second].into_iter().zip(memory) {
            all.fill(0.0);
            for (place, values) in self.places.iter().zip(memory) {
                place.spread(values, &mut all);
            }
            self.device.write(slice, &all)?;
        }
        let mut state = [0.0; STATE];
        state[STEPS] = steps as f64;
        state[2..6].copy_from_slice(&[
            config.first_decay,
            config.second_decay,
            config.epsilon,
            config.largest_norm.unwrap_or(-1.0),
        ]);
        self.device.write(&self.state, &state)
    }

    /// Copies all back into the model and Adam; waits for the first lane.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn read(&self, model: &mut dyn Parameters<f32>, adam: &mut Adam<f32>) -> Result<(), CudaError> {
        let values = self.device.read(&self.values)?;
        let mut places = self.places.iter();
        model.each_mut(&mut |parameter| {
            let place = places.next().expect("a parameter that the model had");
            place.gather(&values, parameter.values_mut());
        });
        let memory = [self.device.read(&self.first)?, self.device.read(&self.second)?].map(|all| {
            let one = |place: &Place| {
                let mut values = vec![0.0; place.rows * place.columns];
                place.gather(&all, &mut values);
                values
            };
            self.places.iter().map(one).collect::<Vec<Vec<f32>>>()
        });
        let steps = self.device.read(&self.state)?[STEPS] as u64;
        adam.set_parts(steps, memory);
        Ok(())
    }

    /// The gradients, in the order of the model; waits for the first lane.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn gradients(&self) -> Result<Vec<Vec<f32>>, CudaError> {
        let all = self.device.read(&self.gradient)?;
        let one = |place: &Place| {
            let mut values = vec![0.0; place.rows * place.columns];
            place.gather(&all, &mut values);
            values
        };
        Ok(self.places.iter().map(one).collect())
    }

    /// A parameter by its name.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn tensor(&self, name: &str) -> Result<Tensor, CudaError> {
        let place = self.by_name.get(name).ok_or_else(|| CudaError::Missing(name.into()))?;
        let place = self.places[*place];
        let part = |all: &Slice| {
            let slice = all.part(place.from, place.length());
            Matrix::new(&slice, place.rows, place.columns, stride_of(place.columns))
        };
        Ok(Tensor { values: part(&self.values), gradient: part(&self.gradient) })
    }

    /// Sets the rate of the steps to come.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn set_rate(&self, rate: f64) -> Result<(), CudaError> {
        self.device.write(&self.state.part(RATE, 1), &[rate])
    }

    /// Changes the parameters by their gradients, as [`Adam::step`]; where the norm of the gradient is not a finite number, it leaves them as they are.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn step(&self, lane: Lane<'_>) -> Result<(), CudaError> {
        let program = self.device.kernels().program();
        let quads = self.values.len() / 4;
        let grid = |blocks: usize| Grid { blocks: [blocks, 1], threads: [256, 1], shared_bytes: 0 };
        let (sums, state) = ((&self.sums).into(), (&self.state).into());
        lane.launch(program, "sum_squares", grid(BLOCKS), &[(&self.gradient).into(), quads.into(), sums])?;
        lane.launch(program, "prepare_step", grid(1), &[(&self.sums).into(), BLOCKS.into(), state])?;
        let [x, g, m, v] = [&self.values, &self.gradient, &self.first, &self.second].map(Into::into);
        lane.launch(program, "adam", Grid::of(quads), &[x, g, m, v, quads.into(), (&self.state).into()])
    }

    /// The norm of the last gradient before it was shortened, and how many steps were not taken so far; waits for the first lane.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn report(&self) -> Result<(f64, u64), CudaError> {
        let state = self.device.read(&self.state)?;
        Ok((state[NORM], state[REFUSED] as u64))
    }
}
