//! Training and inference take no memory after the first time.

mod common;

use common::{numbers, pool};
use sinew_nn::{Activation, Adam, AdamConfig, LstmShape, LstmStack, Mlp, MlpShape, loss};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// Of this thread alone: the test harness has threads of its own, which take memory when they like.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: hands everything to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends has no counter any more.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's arguments are handed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's arguments are handed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of the third time that something is done, on the calling thread.
fn third_time(mut work: impl FnMut()) -> usize {
    work();
    work();
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

#[test]
fn nothing_is_allocated_after_the_first_time() {
    let mut mlp = Mlp::<f32>::new("mlp", &MlpShape::new(20, &[64, 64], 6, Activation::Silu), 1);
    let mut lstm = LstmStack::<f32>::new("lstm", &LstmShape { inputs: 20, hidden: vec![32, 24] }, 1);
    let (mut of_mlp, mut of_lstm) = (Adam::new(AdamConfig::default()), Adam::new(AdamConfig::default()));
    let (input, target): (Vec<f32>, Vec<f32>) = (numbers(40 * 20, 1), numbers(40 * 24, 2));
    let mut gradient = vec![0.0; target.len()];
    let mut state = lstm.zero_state(8);
    let (mut policy, mut generator) = (mlp.inference(), lstm.inference());
    let mut single = lstm.zero_state(1);
    let counted = pool(1).install(|| {
        third_time(|| {
            let (target, gradient) = (&target[..240], &mut gradient[..240]);
            loss::mean_squared_error(mlp.forward(&input), target, gradient);
            mlp.backward(gradient, true);
            of_mlp.step(&mut mlp, 1e-3);
            mlp.infer(&input[..20], &mut policy);
        }) + third_time(|| {
            loss::mean_squared_error(lstm.forward(&input, &mut state), &target, &mut gradient);
            lstm.backward(&gradient, true);
            of_lstm.step(&mut lstm, 1e-3);
            lstm.step(&input[..20], &mut single, &mut generator);
        })
    });
    assert_eq!(counted, 0);
}
