//! Dense layers one after the other, with a normalised input.

use crate::activation::Activation;
use crate::dense::{Dense, Scratch};
use crate::initial::Initial;
use crate::lanes::{Isa, Real};
use crate::normaliser::Normaliser;
use crate::parameter::{Parameter, Parameters};
use crate::product::Packed;
use serde::{Deserialize, Serialize};

/// What an [`Mlp`] is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MlpShape {
    /// Numbers in a row of the input.
    pub inputs: usize,
    /// Outputs of each hidden layer, the first first.
    pub hidden: Vec<usize>,
    /// Numbers in a row of the output.
    pub outputs: usize,
    /// After each hidden layer.
    pub activation: Activation,
    /// After the last layer.
    pub output_activation: Activation,
    /// Matrices of the hidden layers.
    pub initial: Initial,
    /// Matrix of the last layer; a small gain makes a policy begin near zero.
    pub output_initial: Initial,
}

impl MlpShape {
    /// Orthogonal matrices, an output that is not bounded and begins as large as a hidden layer.
    pub fn new(inputs: usize, hidden: &[usize], outputs: usize, activation: Activation) -> MlpShape {
        let initial = Initial::Orthogonal { gain: 1.0 };
        MlpShape {
            inputs,
            hidden: hidden.to_vec(),
            outputs,
            activation,
            output_activation: Activation::Identity,
            initial,
            output_initial: initial,
        }
    }
}

/// Dense layers one after the other.
#[derive(Clone, Debug)]
pub struct Mlp<T> {
    name: String,
    isa: Isa,
    normaliser: Option<Normaliser<T>>,
    layers: Vec<Dense<T>>,
    /// The input of the last `forward`, normalised.
    input: Vec<T>,
    /// Gradients by a layer's output and by its input, in turn.
    gradients: [Vec<T>; 2],
    scratch: Scratch<T>,
}

/// Memory for [`Mlp::infer`]; one for each thread that asks at the same time.
#[derive(Clone, Debug)]
pub struct MlpInference<T> {
    packed: Vec<Packed<T>>,
    rows: [Vec<T>; 2],
}

impl<T: Real> Mlp<T> {
    /// A network whose parameters are called `name.0.weight`, `name.0.bias`, `name.1.weight`, … The seed and these names decide its numbers.
    pub fn new(name: &str, shape: &MlpShape, seed: u64) -> Mlp<T> {
        let isa = Isa::detect();
        let mut sizes = vec![shape.inputs];
        sizes.extend(&shape.hidden);
        sizes.push(shape.outputs);
        let last = sizes.len() - 2;
        let layer = |index: usize| {
            let (activation, initial) = if index == last {
                (shape.output_activation, shape.output_initial)
            } else {
                (shape.activation, shape.initial)
            };
            Dense::new(&format!("{name}.{index}"), sizes[index], sizes[index + 1], activation, initial, seed)
        };
        Mlp {
            name: name.into(),
            isa,
            normaliser: None,
            layers: (0..=last).map(layer).collect(),
            input: Vec::new(),
            gradients: Default::default(),
            scratch: Scratch::new(isa),
        }
    }

    /// The same network on another instruction set: the same bits at another speed.
    pub fn with_isa(self, isa: Isa) -> Mlp<T> {
        let layers = self.layers.into_iter().map(|layer| layer.with_isa(isa)).collect();
        Mlp { isa, layers, scratch: Scratch::new(isa), ..self }
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
    pub fn layers(&self) -> &[Dense<T>] {
        &self.layers
    }

    /// Numbers in a row of the input.
    pub fn inputs(&self) -> usize {
        self.layers[0].inputs()
    }

    /// Numbers in a row of the output.
    pub fn outputs(&self) -> usize {
        self.layers[self.layers.len() - 1].outputs()
    }

    /// Returns the output for rows of input, and keeps what `backward` needs.
    ///
    /// # Panics
    /// If the input is not a number of rows.
    pub fn forward(&mut self, input: &[T]) -> &[T] {
        self.input.resize(input.len(), T::default());
        match &self.normaliser {
            Some(normaliser) => normaliser.apply(self.isa, input, &mut self.input),
            None => self.input.copy_from_slice(input),
        }
        for index in 0..self.layers.len() {
            let (before, rest) = self.layers.split_at_mut(index);
            rest[0].forward(before.last().map_or(&self.input, |layer| layer.output()));
        }
        self.layers[self.layers.len() - 1].output()
    }

    /// Adds the gradients by all parameters, given that by the output of the last `forward`; returns that by the input if it is wanted, else nothing.
    ///
    /// # Panics
    /// If the gradient has another size than the output.
    pub fn backward(&mut self, output_gradient: &[T], wants_input_gradient: bool) -> &[T] {
        let [gradient, next] = &mut self.gradients;
        gradient.resize(output_gradient.len(), T::default());
        gradient.copy_from_slice(output_gradient);
        for index in (0..self.layers.len()).rev() {
            let (before, rest) = self.layers.split_at_mut(index);
            let input = before.last().map_or(&self.input[..], |layer| layer.output());
            let wanted = index > 0 || wants_input_gradient;
            rest[0].backward(input, gradient, wanted.then_some(&mut *next), &mut self.scratch);
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

    /// Returns memory for [`infer`](Mlp::infer).
    pub fn inference(&self) -> MlpInference<T> {
        MlpInference { packed: vec![Packed::new(self.isa); self.layers.len()], rows: Default::default() }
    }

    /// Returns the output for rows of input: the bits of [`forward`](Mlp::forward), with nothing kept.
    ///
    /// # Panics
    /// If the input is not a number of rows, or the memory that of another network.
    pub fn infer<'a>(&self, input: &[T], memory: &'a mut MlpInference<T>) -> &'a [T] {
        let [now, next] = &mut memory.rows;
        now.resize(input.len(), T::default());
        match &self.normaliser {
            Some(normaliser) => normaliser.apply(self.isa, input, now),
            None => now.copy_from_slice(input),
        }
        assert_eq!(memory.packed.len(), self.layers.len(), "layers of a network and of the memory for it");
        for (layer, packed) in self.layers.iter().zip(&mut memory.packed) {
            layer.infer(now, packed, next);
            std::mem::swap(now, next);
        }
        now
    }
}

impl<T: Real> Parameters<T> for Mlp<T> {
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Parameter<T>)) {
        self.layers.iter().for_each(|layer| layer.each(visit));
    }
    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter<T>)) {
        self.layers.iter_mut().for_each(|layer| layer.each_mut(visit));
    }
}
