//! Time of `ask` and `tell` for each generation of 30 points.
//!
//! `cargo run --release -p sinew-optim --example cma_speed`

use sinew_optim::{CmaEs, Options};
use std::time::Instant;

fn main() -> Result<(), sinew_optim::OptimError> {
    for dimension in [20, 100] {
        for active in [true, false] {
            let options = Options { population: Some(30), active, seed: 1, ..Options::default() };
            let mut strategy = CmaEs::new(&vec![1.0; dimension], 1.0, options)?;
            let (generations, mut values) = (3000, vec![0.0; 30]);
            let start = Instant::now();
            for _ in 0..generations {
                for (x, value) in strategy.ask().zip(&mut values) {
                    *value = x.iter().enumerate().map(|(i, x)| (i + 1) as f64 * x * x).sum();
                }
                strategy.tell(&values)?;
                std::hint::black_box(strategy.stop());
            }
            let micros = start.elapsed().as_secs_f64() * 1e6 / f64::from(generations);
            println!("n = {dimension:3}, population 30, active {active:5}: {micros:6.1} µs per generation");
        }
    }
    Ok(())
}
