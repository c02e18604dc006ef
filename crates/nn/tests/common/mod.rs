//! Numbers for tests, and the comparison of gradients with central differences.
#![allow(dead_code, reason = "not every test uses all of it")]

use sinew_nn::{Parameters, Real};

/// Fixed numbers between −1 and 1.
pub fn numbers<T: Real>(count: usize, seed: u64) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    };
    (0..count).map(|_| T::from_f64(next())).collect()
}

/// All gradients of a model.
pub fn gradients<T: Real>(model: &dyn Parameters<T>) -> Vec<T> {
    let mut all = Vec::new();
    model.each(&mut |parameter| all.extend_from_slice(parameter.gradient()));
    all
}

/// All values of a model.
pub fn values<T: Real>(model: &dyn Parameters<T>) -> Vec<T> {
    let mut all = Vec::new();
    model.each(&mut |parameter| all.extend_from_slice(parameter.values()));
    all
}

/// A pool of so many threads.
pub fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started")
}

/// Compares the gradients by all parameters and by the input with central differences; `forward` gives the loss and its gradient by the output.
pub fn assert_gradients<M: Parameters<f64>>(
    name: &str,
    model: &mut M,
    input: &[f64],
    forward: impl Fn(&mut M, &[f64]) -> (f64, Vec<f64>),
    backward: impl Fn(&mut M, &[f64]) -> Vec<f64>,
) {
    const STEP: f64 = 1e-5;
    model.clear_gradients();
    let (_, gradient) = forward(model, input);
    let by_input = backward(model, &gradient);
    let mut found = Vec::new();
    let mut names = Vec::new();
    model.each(&mut |parameter| {
        found.extend_from_slice(parameter.gradient());
        names.extend((0..parameter.gradient().len()).map(|i| format!("{}[{i}]", parameter.name())));
    });
    let close = |what: &str, found: f64, expected: f64| {
        let off = (found - expected).abs();
        assert!(off <= 1e-7 * (1.0 + expected.abs()), "{name}, {what}: {found}, by differences {expected}");
    };
    for at in 0..found.len() {
        change(model, at, STEP);
        let above = forward(model, input).0;
        change(model, at, -2.0 * STEP);
        let below = forward(model, input).0;
        change(model, at, STEP);
        close(&names[at], found[at], (above - below) / (2.0 * STEP));
    }
    for at in 0..input.len() {
        let mut moved = input.to_vec();
        moved[at] += STEP;
        let above = forward(model, &moved).0;
        moved[at] -= 2.0 * STEP;
        let below = forward(model, &moved).0;
        close(&format!("input {at}"), by_input[at], (above - below) / (2.0 * STEP));
    }
}

/// Changes one number of a model, counted over all parameters.
fn change<M: Parameters<f64>>(model: &mut M, at: usize, by: f64) {
    let mut offset = 0;
    model.each_mut(&mut |parameter| {
        let count = parameter.values().len();
        if (offset..offset + count).contains(&at) {
            parameter.values_mut()[at - offset] += by;
        }
        offset += count;
    });
}
