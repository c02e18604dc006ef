//! One layer of an LSTM over a sequence, and backpropagation through its steps.

use crate::dense::{Scratch, rows_of, sums};
use crate::initial::Initial;
use crate::lanes::{Isa, Real};
use crate::lstm_cell::{self, BackStep, Step};
use crate::parameter::{Parameter, Parameters};
use crate::product::{FEW_ROWS, Packed, Start, View, product, product_of_few_rows};

/// One layer of an LSTM. Its matrices have a column for each of i, f, g, o of every hidden unit: all i first, then all f, g, o.
#[derive(Clone, Debug)]
pub struct Lstm<T> {
    isa: Isa,
    input_weight: Parameter<T>,
    hidden_weight: Parameter<T>,
    bias: Parameter<T>,
    inputs: usize,
    hidden: usize,
    /// Of the last `forward`, step by step: i, f, g, o; c and h from the state before the first step on; tanh(c).
    gates: Vec<T>,
    cells: Vec<T>,
    outputs: Vec<T>,
    cell_tanh: Vec<T>,
    cell_gradient: Vec<T>,
    /// Gradient by h of the step before, where steps are taken back one at a time.
    hidden_gradient: Vec<T>,
    /// Both matrices and their transposes, as products read them.
    packed: [Packed<T>; 2],
    packed_transposed: [Packed<T>; 2],
}

/// Memory of one layer for steps without gradients.
#[derive(Clone, Debug)]
pub(crate) struct StepMemory<T> {
    packed: [Packed<T>; 2],
    gates: Vec<T>,
    cells: Vec<T>,
    cell_tanh: Vec<T>,
}

impl<T: Real> Lstm<T> {
    /// A layer whose parameters are called `name.input_weight`, `name.hidden_weight` and `name.bias`.
    ///
    /// Orthogonal matrices for each gate of the hidden units, Xavier's for the inputs; forget gates begin open, with a bias of 1
    /// (Jozefowicz et al. 2015).
    pub fn new(name: &str, inputs: usize, hidden: usize, seed: u64) -> Lstm<T> {
        let isa = Isa::detect();
        let [input_name, hidden_name] = ["input_weight", "hidden_weight"].map(|part| format!("{name}.{part}"));
        let matrix = |name: &str, rows: usize, initial: Initial| {
            let mut all = vec![T::default(); rows * 4 * hidden];
            for gate in 0..4 {
                let part: Vec<T> = initial.matrix(rows, hidden, seed, &format!("{name}.{gate}"));
                for (row, part) in all.chunks_exact_mut(4 * hidden).zip(part.chunks_exact(hidden)) {
                    row[gate * hidden..][..hidden].copy_from_slice(part);
                }
            }
            Parameter::new(name, &[rows, 4 * hidden], all)
        };
        let mut bias = vec![T::default(); 4 * hidden];
        bias[hidden..2 * hidden].fill(T::from_f64(1.0));
        let packed = || [Packed::new(isa), Packed::new(isa)];
        Lstm {
            isa,
            input_weight: matrix(&input_name, inputs, Initial::Xavier { gain: 1.0 }),
            hidden_weight: matrix(&hidden_name, hidden, Initial::Orthogonal { gain: 1.0 }),
            bias: Parameter::new(format!("{name}.bias"), &[4 * hidden], bias),
            inputs,
            hidden,
            gates: Vec::new(),
            cells: Vec::new(),
            outputs: Vec::new(),
            cell_tanh: Vec::new(),
            cell_gradient: Vec::new(),
            hidden_gradient: Vec::new(),
            packed: packed(),
            packed_transposed: packed(),
        }
    }

    /// The same layer on another instruction set: the same bits at another speed.
    pub fn with_isa(self, isa: Isa) -> Lstm<T> {
        let packed = || [Packed::new(isa), Packed::new(isa)];
        Lstm { isa, packed: packed(), packed_transposed: packed(), ..self }
    }

    /// Numbers in a row of the input.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Hidden units.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Wx: a row for each input.
    pub fn input_weight(&self) -> &Parameter<T> {
        &self.input_weight
    }

    /// Wh: a row for each hidden unit.
    pub fn hidden_weight(&self) -> &Parameter<T> {
        &self.hidden_weight
    }

    /// b.
    pub fn bias(&self) -> &Parameter<T> {
        &self.bias
    }

    /// h of every step of the last `forward`.
    pub(crate) fn output(&self, rows: usize) -> &[T] {
        &self.outputs[rows * self.hidden..]
    }

    /// Goes through a sequence of steps of `rows` rows each, from the state h, c, which it replaces by that after the last step.
    pub(crate) fn forward(&mut self, input: &[T], rows: usize, state: [&mut [T]; 2]) {
        let (all_rows, size) = (rows_of(input, self.inputs), rows * self.hidden);
        let steps = all_rows / rows;
        assert_eq!(steps * rows, all_rows, "{all_rows} rows are not steps of {rows}");
        self.begin(steps, [&*state[0], &*state[1]]);
        sums(self.isa, all_rows, input, &self.input_weight, &self.bias, &mut self.packed[0], &mut self.gates);
        (0..steps).for_each(|step| self.finish_step(step, rows));
        for (kept, state) in [&self.outputs, &self.cells].into_iter().zip(state) {
            state.copy_from_slice(&kept[steps * size..]);
        }
    }

    /// Makes room for a sequence of so many steps, which begins with the state h, c.
    pub(crate) fn begin(&mut self, steps: usize, state: [&[T]; 2]) {
        let size = state[0].len();
        self.gates.resize(4 * steps * size, T::default());
        self.cell_tanh.resize(steps * size, T::default());
        for (kept, state) in [&mut self.outputs, &mut self.cells].into_iter().zip(state) {
            kept.resize((steps + 1) * size, T::default());
            kept[..size].copy_from_slice(state);
        }
    }

    /// Takes one step of the sequence; the one before it was taken. Returns h.
    pub(crate) fn forward_step(&mut self, step: usize, input: &[T], rows: usize) -> &[T] {
        let size = rows * self.hidden;
        let gates = &mut self.gates[4 * step * size..][..4 * size];
        sums(self.isa, rows, input, &self.input_weight, &self.bias, &mut self.packed[0], gates);
        self.finish_step(step, rows);
        &self.outputs[(step + 1) * size..][..size]
    }

    /// h and c after a step.
    pub(crate) fn state_after(&self, step: usize, rows: usize) -> [&[T]; 2] {
        let size = rows * self.hidden;
        [&self.outputs, &self.cells].map(|kept| &kept[(step + 1) * size..][..size])
    }

    /// Gates, c and h of a step whose sums x·Wx + b are there.
    fn finish_step(&mut self, step: usize, rows: usize) {
        let (isa, hidden, size) = (self.isa, self.hidden, rows * self.hidden);
        let gates = &mut self.gates[4 * step * size..][..4 * size];
        let (before, after) = self.outputs.split_at_mut((step + 1) * size);
        add_hidden(isa, rows, &before[step * size..], &self.hidden_weight, &mut self.packed[1], gates);
        let (cells, new_cells) = self.cells.split_at_mut((step + 1) * size);
        lstm_cell::forward(
            isa,
            Step {
                hidden,
                gates,
                cells: &cells[step * size..],
                new_cells: &mut new_cells[..size],
                cell_tanh: &mut self.cell_tanh[step * size..][..size],
                output: &mut after[..size],
            },
        );
    }

    /// Adds the gradients by all parameters for the sequence of the last `forward`, and writes that by its input where it is wanted.
    ///
    /// `gradient` is the gradient by h of every step; the part through later steps is added to it. Nothing passes to steps before the
    /// sequence: backpropagation is truncated there. What `forward` kept is used up.
    pub(crate) fn backward(
        &mut self,
        input: &[T],
        rows: usize,
        gradient: &mut [T],
        input_gradient: Option<&mut Vec<T>>,
        scratch: &mut Scratch<T>,
    ) {
        let size = rows * self.hidden;
        assert_eq!(gradient.len(), self.cell_tanh.len(), "numbers of the output and of its gradient");
        let steps = gradient.len() / size;
        self.begin_backward(rows);
        for step in (0..steps).rev() {
            let (earlier, now) = gradient.split_at_mut(step * size);
            self.gate_gradient(step, rows, &now[..size]);
            if step > 0 {
                let before = &mut earlier[(step - 1) * size..];
                let gates = View::new(&self.gates[4 * step * size..][..4 * size], rows, 4 * self.hidden);
                product(self.isa, gates, &self.packed_transposed[1], Start::Present, before);
            }
        }
        self.finish_backward(input, rows, scratch);
        if let Some(input_gradient) = input_gradient {
            let all_rows = steps * rows;
            input_gradient.resize(all_rows * self.inputs, T::default());
            let gates = View::new(&self.gates, all_rows, 4 * self.hidden);
            product(self.isa, gates, &self.packed_transposed[0], Start::Zero, input_gradient);
        }
    }

    /// Before the last step of a sequence is taken back.
    pub(crate) fn begin_backward(&mut self, rows: usize) {
        let size = rows * self.hidden;
        for (weight, packed) in [&self.input_weight, &self.hidden_weight].into_iter().zip(&mut self.packed_transposed) {
            let [inputs, columns] = [weight.shape()[0], weight.shape()[1]];
            packed.update(View::new(weight.values(), inputs, columns).transposed(), weight.version());
        }
        for carried in [&mut self.cell_gradient, &mut self.hidden_gradient] {
            carried.clear();
            carried.resize(size, T::default());
        }
    }

    /// Takes one step back; the one after it was taken back. `gradient` is that by h of the step alone; what later steps add is added to it here.
    /// Writes the gradient by the input of the step.
    pub(crate) fn backward_step(&mut self, step: usize, rows: usize, gradient: &mut [T], input_gradient: &mut Vec<T>) {
        let size = rows * self.hidden;
        gradient.iter_mut().zip(&self.hidden_gradient).for_each(|(gradient, later)| *gradient += *later);
        self.gate_gradient(step, rows, gradient);
        let gates = View::new(&self.gates[4 * step * size..][..4 * size], rows, 4 * self.hidden);
        product(self.isa, gates, &self.packed_transposed[1], Start::Zero, &mut self.hidden_gradient);
        input_gradient.resize(rows * self.inputs, T::default());
        product(self.isa, gates, &self.packed_transposed[0], Start::Zero, input_gradient);
    }

    /// Turns the gates of a step into the gradient by their sums.
    fn gate_gradient(&mut self, step: usize, rows: usize, output_gradient: &[T]) {
        let size = rows * self.hidden;
        lstm_cell::backward(
            self.isa,
            BackStep {
                hidden: self.hidden,
                gates: &mut self.gates[4 * step * size..][..4 * size],
                cells: &self.cells[step * size..][..size],
                cell_tanh: &self.cell_tanh[step * size..][..size],
                output_gradient,
                cell_gradient: &mut self.cell_gradient,
            },
        );
    }

    /// Adds the gradients by all parameters, after every step was taken back.
    pub(crate) fn finish_backward(&mut self, input: &[T], rows: usize, scratch: &mut Scratch<T>) {
        let (isa, all_rows) = (self.isa, rows_of(input, self.inputs));
        let before = all_rows * self.hidden;
        assert_eq!(all_rows % rows, 0, "{all_rows} rows are not steps of {rows}");
        scratch.take(&self.gates, all_rows);
        scratch.add_products(isa, input, self.input_weight.gradient_mut());
        scratch.add_products(isa, &self.outputs[..before], self.hidden_weight.gradient_mut());
        scratch.add_rows(isa, &self.gates, self.bias.gradient_mut());
    }

    pub(crate) fn step_memory(&self) -> StepMemory<T> {
        let packed = [Packed::new(self.isa), Packed::new(self.isa)];
        StepMemory { packed, gates: Vec::new(), cells: Vec::new(), cell_tanh: Vec::new() }
    }

    /// One step of some rows, with nothing kept: the bits of `forward`.
    pub(crate) fn step(&self, input: &[T], [output, cells]: [&mut [T]; 2], memory: &mut StepMemory<T>) {
        let StepMemory { packed, gates, cells: old, cell_tanh } = memory;
        let (isa, hidden) = (self.isa, self.hidden);
        let rows = rows_of(input, self.inputs);
        gates.resize(4 * rows * hidden, T::default());
        cell_tanh.resize(rows * hidden, T::default());
        old.resize(rows * hidden, T::default());
        old.copy_from_slice(cells);
        sums(isa, rows, input, &self.input_weight, &self.bias, &mut packed[0], gates);
        add_hidden(isa, rows, output, &self.hidden_weight, &mut packed[1], gates);
        lstm_cell::forward(isa, Step { hidden, gates, cells: old, new_cells: cells, cell_tanh, output });
    }
}

/// Z += H·Wh.
fn add_hidden<T: Real>(isa: Isa, rows: usize, h: &[T], weight: &Parameter<T>, packed: &mut Packed<T>, sums: &mut [T]) {
    let [hidden, columns] = [weight.shape()[0], weight.shape()[1]];
    if rows < FEW_ROWS {
        product_of_few_rows(isa, h, weight.values(), columns, Start::Present, sums);
    } else {
        packed.update(View::new(weight.values(), hidden, columns), weight.version());
        product(isa, View::new(h, rows, hidden), packed, Start::Present, sums);
    }
}

impl<T: Real> Parameters<T> for Lstm<T> {
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Parameter<T>)) {
        [&self.input_weight, &self.hidden_weight, &self.bias].into_iter().for_each(visit);
    }
    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter<T>)) {
        [&mut self.input_weight, &mut self.hidden_weight, &mut self.bias].into_iter().for_each(visit);
    }
}
