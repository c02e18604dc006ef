//! A fully connected layer, `Y = f(X·W + b)`.

use crate::activation::Activation;
use crate::initial::Initial;
use crate::lanes::{Isa, Real};
use crate::parameter::{Parameter, Parameters};
use crate::product::{FEW_ROWS, Packed, Start, View, product, product_of_few_rows};

/// A fully connected layer. W has a row for each input and a column for each output.
#[derive(Clone, Debug)]
pub struct Dense<T> {
    isa: Isa,
    weight: Parameter<T>,
    bias: Parameter<T>,
    activation: Activation,
    inputs: usize,
    outputs: usize,
    /// Of the last `forward`: Y; and Z = X·W + b, where the derivative needs it.
    output: Vec<T>,
    sums: Vec<T>,
    /// W and its transpose, as products read them.
    packed: Packed<T>,
    packed_transposed: Packed<T>,
}

/// Memory that the layers of a network use one after the other.
#[derive(Clone, Debug)]
pub struct Scratch<T> {
    pub(crate) packed: Packed<T>,
    pub(crate) ones: Vec<T>,
}

impl<T: Real> Scratch<T> {
    /// Memory for an instruction set.
    pub fn new(isa: Isa) -> Scratch<T> {
        Scratch { packed: Packed::new(isa), ones: Vec::new() }
    }

    /// Takes the gradient by a layer's sums, B, as [`add_products`](Scratch::add_products) reads it.
    pub(crate) fn take(&mut self, b: &[T], rows: usize) {
        self.packed.pack(View::new(b, rows, b.len() / rows));
    }

    /// Adds `Aᵀ·B` to the gradient of a matrix.
    pub(crate) fn add_products(&self, isa: Isa, a: &[T], weight: &mut [T]) {
        let rows = self.packed.depth();
        product(isa, View::new(a, rows, a.len() / rows).transposed(), &self.packed, Start::Present, weight);
    }

    /// Adds the sum of all rows of B to the gradient of a bias.
    pub(crate) fn add_rows(&mut self, isa: Isa, b: &[T], bias: &mut [T]) {
        self.ones.clear();
        self.ones.resize(b.len() / bias.len(), T::from_f64(1.0));
        product_of_few_rows(isa, &self.ones, b, bias.len(), Start::Present, bias);
    }
}

impl<T: Real> Dense<T> {
    /// A layer whose parameters are called `name.weight` and `name.bias`.
    pub fn new(
        name: &str,
        inputs: usize,
        outputs: usize,
        activation: Activation,
        initial: Initial,
        seed: u64,
    ) -> Dense<T> {
        let isa = Isa::detect();
        let weight = format!("{name}.weight");
        let values = initial.matrix(inputs, outputs, seed, &weight);
        Dense {
            isa,
            weight: Parameter::new(weight, &[inputs, outputs], values),
            bias: Parameter::new(format!("{name}.bias"), &[outputs], vec![T::default(); outputs]),
            activation,
            inputs,
            outputs,
            output: Vec::new(),
            sums: Vec::new(),
            packed: Packed::new(isa),
            packed_transposed: Packed::new(isa),
        }
    }

    /// The same layer on another instruction set: the same bits at another speed.
    pub fn with_isa(self, isa: Isa) -> Dense<T> {
        Dense { isa, packed: Packed::new(isa), packed_transposed: Packed::new(isa), ..self }
    }

    /// Numbers in a row of X.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Numbers in a row of Y.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The function after the sums.
    pub fn activation(&self) -> Activation {
        self.activation
    }

    /// W.
    pub fn weight(&self) -> &Parameter<T> {
        &self.weight
    }

    /// b.
    pub fn bias(&self) -> &Parameter<T> {
        &self.bias
    }

    /// Y of the last `forward`.
    pub fn output(&self) -> &[T] {
        &self.output
    }

    /// Returns Y, and keeps what `backward` needs.
    ///
    /// # Panics
    /// If X is not a number of rows.
    pub fn forward(&mut self, input: &[T]) -> &[T] {
        let rows = rows_of(input, self.inputs);
        self.output.resize(rows * self.outputs, T::default());
        sums(self.isa, rows, input, &self.weight, &self.bias, &mut self.packed, &mut self.output);
        if self.activation.derives_from_sums() {
            self.sums.clone_from(&self.output);
        }
        self.activation.apply(self.isa, &mut self.output);
        &self.output
    }

    /// Writes Y without keeping anything; `packed` is this layer's, for as long as its weights stay.
    pub fn infer(&self, input: &[T], packed: &mut Packed<T>, output: &mut Vec<T>) {
        let rows = rows_of(input, self.inputs);
        output.resize(rows * self.outputs, T::default());
        sums(self.isa, rows, input, &self.weight, &self.bias, packed, output);
        self.activation.apply(self.isa, output);
    }

    /// Adds the gradients by W and b for the X of the last `forward`; returns the gradient by X where there is room for it.
    ///
    /// `gradient` is the gradient by Y, and afterwards that by Z: `∂L/∂W = Xᵀ·∂L/∂Z`, `∂L/∂b = Σ rows of ∂L/∂Z`, `∂L/∂X = ∂L/∂Z·Wᵀ`.
    ///
    /// # Panics
    /// If the sizes are not those of the last `forward`.
    pub fn backward(
        &mut self,
        input: &[T],
        gradient: &mut [T],
        input_gradient: Option<&mut Vec<T>>,
        scratch: &mut Scratch<T>,
    ) {
        let rows = rows_of(input, self.inputs);
        assert_eq!(gradient.len(), self.output.len(), "numbers of a layer's output and of its gradient");
        assert_eq!(rows * self.outputs, gradient.len(), "rows of a layer's input and of its gradient");
        if rows == 0 {
            return;
        }
        let kept = if self.activation.derives_from_sums() { &self.sums } else { &self.output };
        self.activation.derive(self.isa, kept, gradient);
        scratch.take(gradient, rows);
        scratch.add_products(self.isa, input, self.weight.gradient_mut());
        scratch.add_rows(self.isa, gradient, self.bias.gradient_mut());
        if let Some(input_gradient) = input_gradient {
            input_gradient.resize(rows * self.inputs, T::default());
            let weight = View::new(self.weight.values(), self.inputs, self.outputs).transposed();
            self.packed_transposed.update(weight, self.weight.version());
            let gradient = View::new(gradient, rows, self.outputs);
            product(self.isa, gradient, &self.packed_transposed, Start::Zero, input_gradient);
        }
    }
}

/// Z = X·W + b.
pub(crate) fn sums<T: Real>(
    isa: Isa,
    rows: usize,
    input: &[T],
    weight: &Parameter<T>,
    bias: &Parameter<T>,
    packed: &mut Packed<T>,
    out: &mut [T],
) {
    let [inputs, outputs] = [weight.shape()[0], weight.shape()[1]];
    let start = Start::Row(bias.values());
    if rows < FEW_ROWS {
        product_of_few_rows(isa, input, weight.values(), outputs, start, out);
    } else {
        packed.update(View::new(weight.values(), inputs, outputs), weight.version());
        product(isa, View::new(input, rows, inputs), packed, start, out);
    }
}

/// Rows of so many numbers.
pub(crate) fn rows_of<T>(input: &[T], columns: usize) -> usize {
    assert!(input.len().is_multiple_of(columns.max(1)), "{} numbers are not rows of {columns}", input.len());
    input.len() / columns.max(1)
}

impl<T: Real> Parameters<T> for Dense<T> {
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Parameter<T>)) {
        visit(&self.weight);
        visit(&self.bias);
    }
    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter<T>)) {
        visit(&mut self.weight);
        visit(&mut self.bias);
    }
}
