//! The per-frame generator as a network: encoder, LSTM layers, decoder (Park et al. 2019, §4), with steps that are taken one at a time, because each input
//! holds the output before it.

use serde::{Deserialize, Serialize};
use sinew_nn::{Activation, LstmShape, LstmStack, LstmState, Mlp, MlpShape, Parameter, Parameters, Real};

/// What a network is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NetworkShape {
    pub inputs: usize,
    pub encoder: Vec<usize>,
    pub hidden: Vec<usize>,
    pub outputs: usize,
}

/// Encoder, LSTM layers and a linear decoder.
#[derive(Clone, Debug)]
pub(crate) struct Network<T> {
    encoder: Option<Mlp<T>>,
    lstm: LstmStack<T>,
    decoder: Mlp<T>,
    rows: usize,
    taken: usize,
    /// Inputs of all steps since `begin`.
    inputs: Vec<T>,
    gradient: Vec<T>,
}

impl<T: Real> Network<T> {
    pub fn new(shape: &NetworkShape, seed: u64) -> Network<T> {
        let encoder = shape.encoder.split_last().map(|(&outputs, hidden)| {
            let shape = MlpShape::new(shape.inputs, hidden, outputs, Activation::Elu);
            Mlp::new("encoder", &MlpShape { output_activation: Activation::Elu, ..shape }, seed)
        });
        let encoded = shape.encoder.last().copied().unwrap_or(shape.inputs);
        let lstm = LstmStack::new("lstm", &LstmShape { inputs: encoded, hidden: shape.hidden.clone() }, seed);
        let decoder = MlpShape::new(lstm.outputs(), &[], shape.outputs, Activation::Identity);
        let small = sinew_nn::Initial::Orthogonal { gain: 0.1 };
        let decoder = Mlp::new("decoder", &MlpShape { output_initial: small, ..decoder }, seed);
        Network { encoder, lstm, decoder, rows: 0, taken: 0, inputs: Vec::new(), gradient: Vec::new() }
    }

    /// Numbers in a row of the output.
    pub fn outputs(&self) -> usize {
        self.decoder.outputs()
    }

    /// Its LSTM layers.
    pub fn lstm(&self) -> &LstmStack<T> {
        &self.lstm
    }

    /// Encoder, LSTM layers and decoder.
    pub fn parts(&self) -> (Option<&Mlp<T>>, &LstmStack<T>, &Mlp<T>) {
        (self.encoder.as_ref(), &self.lstm, &self.decoder)
    }

    /// An LSTM that has seen nothing.
    pub fn zero_state(&self, rows: usize) -> LstmState<T> {
        self.lstm.zero_state(rows)
    }

    /// Begins a window of so many steps.
    pub fn begin(&mut self, state: &LstmState<T>, rows: usize, steps: usize) {
        (self.rows, self.taken) = (rows, 0);
        self.inputs.clear();
        self.lstm.begin(state, steps);
    }

    /// Takes the next step. Returns its output.
    pub fn forward_step(&mut self, input: &[T]) -> &[T] {
        self.inputs.extend_from_slice(input);
        self.taken += 1;
        let encoded = self.encoder.as_mut().map_or(input, |encoder| encoder.forward(input));
        self.decoder.forward(self.lstm.forward_step(encoded))
    }

    /// Replaces a state by that after the last step.
    pub fn end(&self, state: &mut LstmState<T>) {
        self.lstm.end(state);
    }

    /// Takes the last step back that is not yet taken back, given the gradient by its output. Returns the gradient by its input.
    pub fn backward_step(&mut self, output_gradient: &[T]) -> &[T] {
        self.taken -= 1;
        // The small outer layers are computed again instead of kept.
        self.decoder.forward(self.lstm.output_of(self.taken));
        let by_hidden = self.decoder.backward(output_gradient, true);
        let by_encoded = self.lstm.backward_step(by_hidden);
        let size = self.inputs.len() / (self.taken + 1);
        let Some(encoder) = &mut self.encoder else {
            self.inputs.truncate(self.taken * size);
            self.gradient.clear();
            self.gradient.extend_from_slice(by_encoded);
            return &self.gradient;
        };
        encoder.forward(&self.inputs[self.taken * size..]);
        self.inputs.truncate(self.taken * size);
        encoder.backward(by_encoded, true)
    }

    /// Adds the gradients that are left, after every step was taken back.
    pub fn finish_backward(&mut self) {
        self.lstm.finish_backward();
    }

    /// One step without gradients, of some rows: the bits of `forward_step`.
    pub fn step(&self, input: &[T], state: &mut LstmState<T>) -> Vec<T> {
        let mut encoder_memory = self.encoder.as_ref().map(Mlp::inference);
        let encoded = match (&self.encoder, &mut encoder_memory) {
            (Some(encoder), Some(memory)) => encoder.infer(input, memory),
            _ => input,
        };
        let hidden = self.lstm.step(encoded, state, &mut self.lstm.inference());
        self.decoder.infer(hidden, &mut self.decoder.inference()).to_vec()
    }
}

impl<T: Real> Parameters<T> for Network<T> {
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Parameter<T>)) {
        self.encoder.iter().for_each(|encoder| encoder.each(visit));
        self.lstm.each(visit);
        self.decoder.each(visit);
    }
    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter<T>)) {
        self.encoder.iter_mut().for_each(|encoder| encoder.each_mut(visit));
        self.lstm.each_mut(visit);
        self.decoder.each_mut(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_without_gradients_is_a_step_of_training() {
        for encoder in [vec![], vec![6, 5]] {
            let shape = NetworkShape { inputs: 4, encoder, hidden: vec![7, 5], outputs: 3 };
            let mut network = Network::<f32>::new(&shape, 3);
            let mut state = network.zero_state(2);
            network.begin(&network.zero_state(2), 2, 3);
            for step in 0..3 {
                let input: Vec<f32> = (0..8).map(|k| libm::sinf((8 * step + k) as f32)).collect();
                let trained = network.forward_step(&input).to_vec();
                assert_eq!(network.step(&input, &mut state), trained);
            }
        }
    }
}
