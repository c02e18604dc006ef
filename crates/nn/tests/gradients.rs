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

#[test]
fn of_lstm_layers_whose_input_is_their_own_output() {
    // x(t+1) = h(t), as a generator is trained under its own output; only the first input is given.
    let (rows, steps, size) = (3, 5, 2);
    let mut stack = LstmStack::<f64>::new("test", &LstmShape { inputs: size, hidden: vec![4, size] }, 7);
    let mut statistics = RunningStatistics::new(size);
    statistics.add(&numbers::<f64>(300, 5));
    stack.set_normaliser(Normaliser::new(&statistics, 5.0));
    let input = numbers(rows * size, 2);
    let forward = |stack: &mut LstmStack<f64>, input: &[f64]| {
        stack.begin(&stack.zero_state(rows), steps);
        let (mut now, mut all) = (input.to_vec(), Vec::new());
        for _ in 0..steps {
            now = stack.forward_step(&now).to_vec();
            all.extend_from_slice(&now);
        }
        loss(&all)
    };
    assert_gradients("fed back", &mut stack, &input, forward, |stack, gradient| {
        let mut later = vec![0.0; rows * size];
        for direct in gradient.chunks(rows * size).rev() {
            let sum: Vec<f64> = direct.iter().zip(&later).map(|(a, b)| a + b).collect();
            later.copy_from_slice(stack.backward_step(&sum));
        }
        stack.finish_backward();
        later
    });
}

#[test]
fn steps_taken_one_at_a_time_are_the_sequence() {
    let (rows, steps) = (5, 4);
    let mut stack = LstmStack::<f64>::new("test", &LstmShape { inputs: 3, hidden: vec![4, 2] }, 7);
    let input = numbers::<f64>(steps * rows * 3, 2);
    let mut state = stack.zero_state(rows);
    let whole = stack.forward(&input, &mut state).to_vec();
    let (_, gradient) = loss(&whole);
    let by_input = stack.backward(&gradient, true).to_vec();
    let expected = common::gradients(&stack);
    sinew_nn::Parameters::clear_gradients(&mut stack);

    stack.begin(&stack.zero_state(rows), steps);
    let outputs: Vec<f64> = input.chunks(rows * 3).flat_map(|input| stack.forward_step(input).to_vec()).collect();
    assert_eq!(outputs, whole);
    assert_eq!(stack.output_of(1), &whole[rows * 2..2 * rows * 2]);
    let mut end = stack.zero_state(rows);
    stack.end(&mut end);
    assert_eq!(end, state);
    let mut found: Vec<Vec<f64>> =
        gradient.chunks(rows * 2).rev().map(|gradient| stack.backward_step(gradient).to_vec()).collect();
    stack.finish_backward();
    found.reverse();
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(near(&found.concat(), &by_input) && near(&common::gradients(&stack), &expected));
}
