//! Gradients of every layer beside central differences in f64.

mod common;

use common::{assert_gradients, numbers};
use sinew_nn::{Activation, LstmShape, LstmStack, Mlp, MlpShape, Normaliser, RunningStatistics};

/// A loss that weighs every output differently: L = Σ w·y + ½·Σ y².
fn loss(output: &[f64]) -> (f64, Vec<f64>) {
    let weights = numbers(output.len(), 99);
    let value = output.iter().zip(&weights).map(|(y, w)| w * y + 0.5 * y * y).sum();
    (value, output.iter().zip(&weights).map(|(y, w)| w + y).collect())
}

#[test]
fn of_dense_layers_with_every_activation() {
    for activation in Activation::ALL {
        for rows in [1, 3, 7] {
            let shape = MlpShape { output_activation: activation, ..MlpShape::new(5, &[6, 4], 3, activation) };
            let mut mlp = Mlp::<f64>::new("test", &shape, 1);
            let input = numbers(rows * 5, 2);
            let name = format!("{activation:?}, {rows} rows");
            assert_gradients(
                &name,
                &mut mlp,
                &input,
                |mlp, input| loss(mlp.forward(input)),
                |mlp, gradient| mlp.backward(gradient, true).to_vec(),
            );
        }
    }
}

#[test]
fn of_a_normalised_input() {
    let mut statistics = RunningStatistics::new(4);
    statistics.add(&numbers::<f64>(400, 5));
    let mut mlp = Mlp::<f64>::new("test", &MlpShape::new(4, &[5], 2, Activation::Tanh), 1);
    mlp.set_normaliser(Normaliser::new(&statistics, 1.3));
    let input = numbers(6 * 4, 2);
    assert_gradients(
        "normalised",
        &mut mlp,
        &input,
        |mlp, input| loss(mlp.forward(input)),
        |mlp, gradient| mlp.backward(gradient, true).to_vec(),
    );
}

#[test]
fn without_the_gradient_by_the_input_the_others_are_the_same() {
    let mut mlp = Mlp::<f64>::new("test", &MlpShape::new(4, &[5], 2, Activation::Elu), 1);
    let gradients = |mlp: &mut Mlp<f64>, wanted| {
        let (_, gradient) = loss(mlp.forward(&numbers(12, 3)));
        let count = mlp.backward(&gradient, wanted).len();
        let all = common::gradients(mlp);
        sinew_nn::Parameters::clear_gradients(mlp);
        (count, all)
    };
    let (with, without) = (gradients(&mut mlp, true), gradients(&mut mlp, false));
    assert_eq!((with.0, without.0), (12, 0));
    assert_eq!(with.1, without.1);
}

#[test]
fn of_lstm_layers_through_time() {
    for (rows, steps) in [(1, 4), (3, 1), (5, 5)] {
        let shape = LstmShape { inputs: 3, hidden: vec![4, 2] };
        let mut stack = LstmStack::<f64>::new("test", &shape, 7);
        let mut state = stack.zero_state(rows);
        for (k, values) in state.outputs.iter_mut().chain(&mut state.cells).enumerate() {
            let count = values.len();
            values.copy_from_slice(&numbers(count, 20 + k as u64));
        }
        let mut statistics = RunningStatistics::new(3);
        statistics.add(&numbers::<f64>(300, 5));
        stack.set_normaliser(Normaliser::new(&statistics, 5.0));
        let input = numbers(steps * rows * 3, 2);
        let forward = |stack: &mut LstmStack<f64>, input: &[f64]| loss(stack.forward(input, &mut state.clone()));
        assert_gradients(&format!("{rows} rows, {steps} steps"), &mut stack, &input, forward, |stack, gradient| {
            stack.backward(gradient, true).to_vec()
        });
    }
}
