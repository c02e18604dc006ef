//! The same bits for every number of threads and every instruction set, in whole trainings.

mod common;

use common::{numbers, pool, values};
use sinew_nn::{
    Activation, Adam, AdamConfig, Isa, LstmShape, LstmStack, Mlp, MlpShape, Normaliser, Parameters, Real,
    RunningStatistics, loss,
};

const THREADS: [usize; 4] = [1, 2, 3, 8];

fn config() -> AdamConfig {
    AdamConfig { largest_norm: Some(0.5), ..AdamConfig::default() }
}

fn normaliser(columns: usize) -> Normaliser<f32> {
    let mut statistics = RunningStatistics::new(columns);
    statistics.add(&numbers::<f32>(columns * 50, 3));
    Normaliser::new(&statistics, 1.5)
}

/// Parameters after some steps of training; wide enough that work is split.
fn trained_mlp(isa: Isa, activation: Activation, hidden: usize, rows: usize) -> Vec<u32> {
    let shape = MlpShape::new(37, &[hidden, 70], 11, activation);
    let mut mlp = Mlp::<f32>::new("mlp", &shape, 4).with_isa(isa);
    mlp.set_normaliser(normaliser(37));
    let mut adam = Adam::new(config());
    let (input, target) = (numbers(rows * 37, 1), numbers(rows * 11, 2));
    let mut gradient = vec![0.0; target.len()];
    for _ in 0..3 {
        loss::mean_squared_error(mlp.forward(&input), &target, &mut gradient);
        mlp.backward(&gradient, true);
        assert!(adam.step_with(isa, &mut mlp, 0.01).is_taken);
    }
    bits(&values(&mlp))
}

fn trained_lstm(isa: Isa, rows: usize) -> Vec<u32> {
    let shape = LstmShape { inputs: 19, hidden: vec![70, 45] };
    let mut stack = LstmStack::<f32>::new("lstm", &shape, 4).with_isa(isa);
    stack.set_normaliser(normaliser(19));
    let mut adam = Adam::new(config());
    let (input, target) = (numbers(5 * rows * 19, 1), numbers(5 * rows * 45, 2));
    let mut gradient = vec![0.0; target.len()];
    let mut state = stack.zero_state(rows);
    for _ in 0..3 {
        loss::mean_squared_error(stack.forward(&input, &mut state), &target, &mut gradient);
        stack.backward(&gradient, true);
        assert!(adam.step_with(isa, &mut stack, 0.01).is_taken);
    }
    let mut all = values(&stack);
    all.extend(state.outputs.concat());
    bits(&all)
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn training_an_mlp_gives_the_same_bits_on_all_threads_and_instruction_sets() {
    for activation in Activation::ALL {
        let expected = trained_mlp(Isa::Portable, activation, 130, 9);
        for isa in Isa::available() {
            assert_eq!(pool(2).install(|| trained_mlp(isa, activation, 130, 9)), expected, "{activation:?}, {isa:?}");
        }
    }
    let expected = pool(1).install(|| trained_mlp(Isa::detect(), Activation::Silu, 700, 300));
    for threads in THREADS {
        let found = pool(threads).install(|| trained_mlp(Isa::detect(), Activation::Silu, 700, 300));
        assert_eq!(found, expected, "{threads} threads");
    }
}

#[test]
fn training_an_lstm_gives_the_same_bits_on_all_threads_and_instruction_sets() {
    for rows in [2, 9] {
        let expected = trained_lstm(Isa::Portable, rows);
        for (isa, threads) in Isa::available().flat_map(|isa| THREADS.map(|threads| (isa, threads))) {
            assert_eq!(pool(threads).install(|| trained_lstm(isa, rows)), expected, "{isa:?}, {threads} threads");
        }
    }
    let expected = pool(1).install(|| trained_lstm(Isa::detect(), 200));
    for threads in THREADS {
        assert_eq!(pool(threads).install(|| trained_lstm(Isa::detect(), 200)), expected, "{threads} threads");
    }
}

/// These numbers are the same on every machine; `cargo test --target aarch64-unknown-linux-gnu` tells it of another one.
#[test]
fn trainings_give_the_bits_that_they_gave_on_other_machines() {
    let hash = |bits: Vec<u32>| sinew_files::fnv::fnv1a(bits.iter().flat_map(|x| x.to_le_bytes()));
    let found = [
        hash(trained_mlp(Isa::detect(), Activation::Tanh, 130, 9)),
        hash(trained_mlp(Isa::detect(), Activation::Elu, 130, 2)),
        hash(trained_lstm(Isa::detect(), 9)),
    ];
    assert_eq!(found, [0x3599_f743_fb07_4d0b, 0x2954_3759_c88d_55c1, 0xabeb_f5b3_9475_0540], "{found:#x?}");
}

#[test]
fn inference_gives_the_bits_of_training_for_any_number_of_rows() {
    let mut mlp = Mlp::<f32>::new("mlp", &MlpShape::new(37, &[130, 70], 11, Activation::Elu), 4);
    mlp.set_normaliser(normaliser(37));
    let input = numbers(50 * 37, 1);
    let expected = bits(mlp.forward(&input));
    let mut memory = mlp.inference();
    for rows in [1, 3, 4, 50] {
        let found: Vec<f32> = input.chunks(rows * 37).flat_map(|rows| mlp.infer(rows, &mut memory).to_vec()).collect();
        assert_eq!(bits(&found), expected, "{rows} rows at a time");
    }
}

#[test]
fn weights_that_change_are_noticed_by_all_who_keep_a_copy() {
    let mut mlp = Mlp::<f32>::new("mlp", &MlpShape::new(37, &[50], 11, Activation::Elu), 4);
    let mut stack = LstmStack::<f32>::new("lstm", &LstmShape { inputs: 37, hidden: vec![20, 11] }, 4);
    let (input, gradient): (Vec<f32>, Vec<f32>) = (numbers(8 * 37, 1), numbers(8 * 11, 2));
    let (mut policy, mut generator) = (mlp.inference(), stack.inference());
    let mut all = |mlp: &mut Mlp<f32>, stack: &mut LstmStack<f32>| {
        let mut states = [4, 4].map(|rows| stack.zero_state(rows));
        let results = [
            mlp.infer(&input, &mut policy).to_vec(),
            mlp.forward(&input).to_vec(),
            mlp.backward(&gradient, true).to_vec(),
            stack.step(&input[..4 * 37], &mut states[0], &mut generator).to_vec(),
            stack.forward(&input, &mut states[1]).to_vec(),
            stack.backward(&gradient, true).to_vec(),
        ];
        results.map(|result| bits(&result))
    };
    let before = all(&mut mlp, &mut stack);
    Parameters::each_mut(&mut (&mut mlp, &mut stack), &mut |parameter| parameter.values_mut()[0] += 0.5);
    let found = all(&mut mlp, &mut stack);
    // The same networks without copies.
    let expected = all(&mut mlp.with_isa(Isa::detect()), &mut stack.with_isa(Isa::detect()));
    assert_eq!(found, expected);
    assert!(found.iter().zip(&before).all(|(found, before)| found != before));
}

#[test]
fn steps_of_an_lstm_give_the_bits_of_a_sequence() {
    let (rows, steps) = (6, 7);
    let mut stack = LstmStack::<f32>::new("lstm", &LstmShape { inputs: 19, hidden: vec![33, 20] }, 4);
    stack.set_normaliser(normaliser(19));
    let input: Vec<f32> = numbers(steps * rows * 19, 1);
    let mut whole = stack.zero_state(rows);
    let expected = bits(stack.forward(&input, &mut whole));
    // Step by step.
    let (mut state, mut memory) = (stack.zero_state(rows), stack.inference());
    let step = |input: &[f32]| stack.step(input, &mut state, &mut memory).to_vec();
    let found: Vec<f32> = input.chunks(rows * 19).flat_map(step).collect();
    assert_eq!(bits(&found), expected);
    assert_eq!(state, whole);
    // One row alone.
    let (mut state, mut memory) = (stack.zero_state(1), stack.inference());
    for at in 0..steps {
        let found = stack.step(&input[(at * rows + 4) * 19..][..19], &mut state, &mut memory);
        assert_eq!(bits(found), expected[(at * rows + 4) * 20..][..20]);
    }
    // In two parts.
    let mut state = stack.zero_state(rows);
    let mut found = stack.forward(&input[..3 * rows * 19], &mut state).to_vec();
    found.extend(stack.forward(&input[3 * rows * 19..], &mut state));
    assert_eq!(bits(&found), expected);
}

#[test]
fn f32_agrees_with_the_f64_reference() {
    fn outputs<T: Real>() -> Vec<f64> {
        let mut mlp = Mlp::<T>::new("mlp", &MlpShape::new(20, &[64, 64], 5, Activation::Tanh), 4);
        let mut stack = LstmStack::<T>::new("lstm", &LstmShape { inputs: 20, hidden: vec![40, 30] }, 4);
        let input = numbers(8 * 20, 1);
        let mut state = stack.zero_state(4);
        let all = [mlp.forward(&input), stack.forward(&input, &mut state)].concat();
        all.iter().map(|x| x.to_f64()).collect()
    }
    let (single, double) = (outputs::<f32>(), outputs::<f64>());
    let worst = single.iter().zip(&double).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-6, "{worst:e}");
}
