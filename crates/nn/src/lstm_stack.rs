//! LSTM layers on top of each other, with a normalised input and their state outside.

use crate::dense::Scratch;
use crate::lanes::{Isa, Real};
use crate::lstm::{Lstm, StepMemory};
use crate::normaliser::Normaliser;
use crate::parameter::{Parameter, Parameters};
use serde::{Deserialize, Serialize};

/// What an [`LstmStack`] is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LstmShape {
    /// Numbers in a row of the input.
    pub inputs: usize,
    /// Hidden units of each layer, the first first.
    pub hidden: Vec<usize>,
}

/// LSTM layers on top of each other. Sequences lie step by step, and each step row by row.
#[derive(Clone, Debug)]
pub struct LstmStack<T> {
    name: String,
    isa: Isa,
    normaliser: Option<Normaliser<T>>,
    layers: Vec<Lstm<T>>,
    rows: usize,
    /// Steps taken one at a time since `begin`.
    taken: usize,
    input: Vec<T>,
    gradients: [Vec<T>; 2],
    scratch: Scratch<T>,
}

/// What an LSTM remembers of each row: h and c of every layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LstmState<T> {
    /// h of each layer, row by row.
    pub outputs: Vec<Vec<T>>,
    /// c of each layer, row by row.
    pub cells: Vec<Vec<T>>,
}

/// Memory for [`LstmStack::step`]; one for each thread that asks at the same time.
#[derive(Clone, Debug)]
pub struct LstmInference<T> {
    input: Vec<T>,
    layers: Vec<StepMemory<T>>,
}

impl<T: Real> LstmStack<T> {
    /// Layers whose parameters are called `name.0.input_weight`, `name.0.hidden_weight`, `name.0.bias`, … The seed and these names decide their numbers.
    ///
    /// # Panics
    /// If there is no layer.
    pub fn new(name: &str, shape: &LstmShape, seed: u64) -> LstmStack<T> {
        assert!(!shape.hidden.is_empty(), "an LSTM has at least one layer");
        let isa = Isa::detect();
        let inputs = std::iter::once(shape.inputs).chain(shape.hidden.iter().copied());
        let layers = inputs.zip(&shape.hidden).enumerate();
        let layers = layers.map(|(k, (inputs, hidden))| Lstm::new(&format!("{name}.{k}"), inputs, *hidden, seed));
        LstmStack {
            name: name.into(),
            isa,
            normaliser: None,
            layers: layers.collect(),
            rows: 0,
            taken: 0,
            input: Vec::new(),
            gradients: Default::default(),
            scratch: Scratch::new(isa),
        }
    }

    /// The same network on another instruction set: the same bits at another speed.
    pub fn with_isa(self, isa: Isa) -> LstmStack<T> {
        let layers = self.layers.into_iter().map(|layer| layer.with_isa(isa)).collect();
        LstmStack { isa, layers, scratch: Scratch::new(isa), ..self }
    }

    /// Normalises inputs before the first layer from now on.
    ///
    /// # Panics
    /// If it is not for rows of as many numbers.
    pub fn set_normaliser(&mut self, normaliser: Normaliser<T>) {
        assert_eq!(normaliser.columns(), self.inputs(), "columns of a normaliser and inputs of its network");
        self.normaliser = Some(normaliser);
    }

    /// What normalises the input.
    pub fn normaliser(&self) -> Option<&Normaliser<T>> {
        self.normaliser.as_ref()
    }

    /// Its name in files.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its layers, the first first.
    pub fn layers(&self) -> &[Lstm<T>] {
        &self.layers
    }

    /// Numbers in a row of the input.
    pub fn inputs(&self) -> usize {
        self.layers[0].inputs()
    }

    /// Numbers in a row of the output: hidden units of the last layer.
    pub fn outputs(&self) -> usize {
        self.layers[self.layers.len() - 1].hidden()
    }

    /// Returns a state of zeros for so many rows.
    pub fn zero_state(&self, rows: usize) -> LstmState<T> {
        let zeros: Vec<Vec<T>> = self.layers.iter().map(|layer| vec![T::default(); rows * layer.hidden()]).collect();
        LstmState { outputs: zeros.clone(), cells: zeros }
    }

    /// Returns h of the last layer at every step, keeps what `backward` needs, and replaces the state by that after the last step.
    ///
    /// # Panics
    /// If the input is not a number of steps of as many rows as the state has, or has none.
    pub fn forward(&mut self, input: &[T], state: &mut LstmState<T>) -> &[T] {
        self.rows = state.outputs[0].len() / self.layers[0].hidden();
        assert!(self.rows > 0 && !input.is_empty(), "an LSTM needs at least one row and one step");
        self.input.resize(input.len(), T::default());
        match &self.normaliser {
            Some(normaliser) => normaliser.apply(self.isa, input, &mut self.input),
            None => self.input.copy_from_slice(input),
        }
        for index in 0..self.layers.len() {
            let (before, rest) = self.layers.split_at_mut(index);
            let input = before.last().map_or(&self.input[..], |layer| layer.output(self.rows));
            rest[0].forward(input, self.rows, [&mut state.outputs[index], &mut state.cells[index]]);
        }
        self.layers[self.layers.len() - 1].output(self.rows)
    }

    /// Adds the gradients by all parameters, given that by the output of the last `forward`; returns that by the input if it is wanted, else nothing.
    ///
    /// Backpropagation ends at the first step of the sequence. What `forward` kept is used up: it must be called again before the next `backward`.
    ///
    /// # Panics
    /// If the gradient has another size than the output.
    pub fn backward(&mut self, output_gradient: &[T], wants_input_gradient: bool) -> &[T] {
        let [gradient, next] = &mut self.gradients;
        gradient.resize(output_gradient.len(), T::default());
        gradient.copy_from_slice(output_gradient);
        for index in (0..self.layers.len()).rev() {
            let (before, rest) = self.layers.split_at_mut(index);
            let input = before.last().map_or(&self.input[..], |layer| layer.output(self.rows));
            let wanted = index > 0 || wants_input_gradient;
            rest[0].backward(input, self.rows, gradient, wanted.then_some(&mut *next), &mut self.scratch);
            if wanted {
                std::mem::swap(gradient, next);
            }
        }
        if !wants_input_gradient {
            return &[];
        }
        if let Some(normaliser) = &self.normaliser {
            normaliser.derive(&self.input, gradient);
        }
        gradient
    }

    /// Begins a sequence whose steps are taken one at a time, because a later input depends on an earlier output: `forward_step` for each step, then
    /// `backward_step` for each, the last first, then `finish_backward`. The numbers are those of [`forward`](LstmStack::forward).
    ///
    /// # Panics
    /// If the state has no rows, or there are no steps.
    pub fn begin(&mut self, state: &LstmState<T>, steps: usize) {
        self.rows = state.outputs[0].len() / self.layers[0].hidden();
        assert!(self.rows > 0 && steps > 0, "an LSTM needs at least one row and one step");
        self.taken = 0;
        self.input.resize(steps * self.rows * self.inputs(), T::default());
        for (index, layer) in self.layers.iter_mut().enumerate() {
            layer.begin(steps, [&state.outputs[index], &state.cells[index]]);
        }
    }

    /// Takes the next step. Returns h of the last layer.
    ///
    /// # Panics
    /// If the input has another size than a step, or more steps are taken than were begun.
    pub fn forward_step(&mut self, input: &[T]) -> &[T] {
        let (size, step) = (self.rows * self.inputs(), self.taken);
        self.taken += 1;
        let kept = &mut self.input[step * size..][..size];
        match &self.normaliser {
            Some(normaliser) => normaliser.apply(self.isa, input, kept),
            None => kept.copy_from_slice(input),
        }
        for index in 0..self.layers.len() {
            let (before, rest) = self.layers.split_at_mut(index);
            let input =
                before.last().map_or(&self.input[step * size..][..size], |layer| layer.state_after(step, self.rows)[0]);
            rest[0].forward_step(step, input, self.rows);
        }
        self.layers[self.layers.len() - 1].state_after(step, self.rows)[0]
    }

    /// Returns h of the last layer after a step since `begin`.
    ///
    /// # Panics
    /// If the step was not taken.
    pub fn output_of(&self, step: usize) -> &[T] {
        assert!(step < self.taken, "step {step} was not taken");
        self.layers[self.layers.len() - 1].state_after(step, self.rows)[0]
    }

    /// Replaces a state by that after the last step that was taken.
    ///
    /// # Panics
    /// If the state is of another network or number of rows, or no step was taken.
    pub fn end(&self, state: &mut LstmState<T>) {
        for (index, layer) in self.layers.iter().enumerate() {
            let [output, cells] = layer.state_after(self.taken - 1, self.rows);
            state.outputs[index].copy_from_slice(output);
            state.cells[index].copy_from_slice(cells);
        }
    }

    /// Takes the last step back that is not yet taken back, given the gradient by its output. Returns the gradient by its input.
    ///
    /// # Panics
    /// If the gradient has another size than the output of a step, or all steps are taken back.
    pub fn backward_step(&mut self, output_gradient: &[T]) -> &[T] {
        let rows = self.rows;
        let last = self.input.len() == self.taken * rows * self.inputs();
        self.taken = self.taken.checked_sub(1).expect("a step to take back");
        let [gradient, next] = &mut self.gradients;
        gradient.clear();
        gradient.extend_from_slice(output_gradient);
        for layer in self.layers.iter_mut().rev() {
            if last {
                layer.begin_backward(rows);
            }
            layer.backward_step(self.taken, rows, gradient, next);
            std::mem::swap(gradient, next);
        }
        if let Some(normaliser) = &self.normaliser {
            let size = gradient.len();
            normaliser.derive(&self.input[self.taken * size..][..size], gradient);
        }
        gradient
    }

    /// Adds the gradients by all parameters, after every step was taken back.
    ///
    /// # Panics
    /// If a step is not yet taken back.
    pub fn finish_backward(&mut self) {
        assert_eq!(self.taken, 0, "steps that are not taken back");
        for index in 0..self.layers.len() {
            let (before, rest) = self.layers.split_at_mut(index);
            let input = before.last().map_or(&self.input[..], |layer| layer.output(self.rows));
            rest[0].finish_backward(input, self.rows, &mut self.scratch);
        }
    }

    /// Returns memory for [`step`](LstmStack::step).
    pub fn inference(&self) -> LstmInference<T> {
        LstmInference { input: Vec::new(), layers: self.layers.iter().map(|layer| layer.step_memory()).collect() }
    }

    /// Takes one step, which changes the state, and returns h of the last layer: the bits of [`forward`](LstmStack::forward), with nothing kept.
    ///
    /// # Panics
    /// If input, state and memory do not fit each other.
    pub fn step<'a>(&self, input: &[T], state: &'a mut LstmState<T>, memory: &mut LstmInference<T>) -> &'a [T] {
        memory.input.resize(input.len(), T::default());
        match &self.normaliser {
            Some(normaliser) => normaliser.apply(self.isa, input, &mut memory.input),
            None => memory.input.copy_from_slice(input),
        }
        for (index, (layer, step)) in self.layers.iter().zip(&mut memory.layers).enumerate() {
            let (before, rest) = state.outputs.split_at_mut(index);
            let input = before.last().unwrap_or(&memory.input);
            layer.step(input, [&mut rest[0], &mut state.cells[index]], step);
        }
        &state.outputs[self.layers.len() - 1]
    }
}

impl<T: Real> Parameters<T> for LstmStack<T> {
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Parameter<T>)) {
        self.layers.iter().for_each(|layer| layer.each(visit));
    }
    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter<T>)) {
        self.layers.iter_mut().for_each(|layer| layer.each_mut(visit));
    }
}
