//! Networks learn functions that are known.

mod common;

use common::numbers;
use sinew_nn::{
    Activation, Adam, AdamConfig, Dense, Initial, LstmShape, LstmStack, Mlp, MlpShape, Schedule, Scratch, loss,
};

#[test]
fn an_mlp_learns_a_smooth_function() {
    let function = |x: f32, y: f32| (2.5 * x).sin() * y + x * x;
    // Two inputs alone: larger weights, so that the first layer bends.
    let initial = Initial::Xavier { gain: 3.0 };
    let shape = MlpShape { initial, ..MlpShape::new(2, &[64, 64], 1, Activation::Tanh) };
    let mut mlp = Mlp::<f32>::new("mlp", &shape, 1);
    let mut adam = Adam::new(AdamConfig { largest_norm: Some(1.0), ..AdamConfig::default() });
    let schedule = Schedule::Cosine { start: 5e-3, end: 1e-4, steps: 800 };
    let batch = |seed| {
        let input: Vec<f32> = numbers(256 * 2, seed);
        let target: Vec<f32> = input.chunks(2).map(|x| function(x[0], x[1])).collect();
        (input, target)
    };
    let mut gradient = vec![0.0; 256];
    for step in 0..800 {
        let (input, target) = batch(step);
        loss::mean_squared_error(mlp.forward(&input), &target, &mut gradient);
        mlp.backward(&gradient, false);
        adam.step(&mut mlp, schedule.at(step));
    }
    // Points that it has not seen.
    let (input, target) = batch(1 << 40);
    let error = loss::mean_squared_error(mlp.forward(&input), &target, &mut gradient).sqrt();
    println!("root mean square error {error:.4}");
    assert!(error < 0.02, "{error}");
}

/// The output of each step is the product of the inputs of this step and of the third before it: nothing but memory can know.
#[test]
fn an_lstm_learns_to_remember() {
    const ROWS: usize = 32;
    const STEPS: usize = 24;
    const DELAY: usize = 3;
    let mut lstm = LstmStack::<f32>::new("lstm", &LstmShape { inputs: 1, hidden: vec![32, 32] }, 1);
    let mut head = Dense::new("head", 32, 1, Activation::Identity, Initial::Xavier { gain: 1.0 }, 1);
    let mut scratch = Scratch::new(sinew_nn::Isa::detect());
    let mut adam = Adam::new(AdamConfig { largest_norm: Some(1.0), ..AdamConfig::default() });
    let schedule = Schedule::Exponential { start: 1e-2, factor: 0.5, every: 200 };
    let (mut gradient, mut by_hidden) = (vec![0.0; STEPS * ROWS], Vec::new());
    let mut last = f64::INFINITY;
    for step in 0..500 {
        let input: Vec<f32> = numbers(STEPS * ROWS, step);
        let earlier = |at: usize| if at < DELAY * ROWS { 0.0 } else { input[at - DELAY * ROWS] };
        let target: Vec<f32> = (0..input.len()).map(|at| input[at] * earlier(at)).collect();
        let mut state = lstm.zero_state(ROWS);
        let hidden = lstm.forward(&input, &mut state).to_vec();
        last = loss::mean_squared_error(head.forward(&hidden), &target, &mut gradient);
        head.backward(&hidden, &mut gradient, Some(&mut by_hidden), &mut scratch);
        lstm.backward(&by_hidden, false);
        adam.step(&mut (&mut lstm, &mut head), schedule.at(step));
    }
    // The targets have mean square 1/9: whoever guesses 0 is off by 1/3.
    println!("root mean square error {:.4}", last.sqrt());
    assert!(last.sqrt() < 0.05, "{}", last.sqrt());
}
