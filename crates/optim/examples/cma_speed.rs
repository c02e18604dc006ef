//! Processor time of `ask`, `tell` and `stop` for each generation of 30 points, over 3000 generations.
//!
//! `cargo run --release -p sinew-optim --example cma_speed`

use sinew_optim::{CmaEs, Options};
use std::time::Instant;

/// Seconds that this process was running; of the wall clock where the system does not tell.
fn seconds(start: Instant) -> f64 {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split(' ').next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.map_or(start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds * 1e-9)
}

fn main() -> Result<(), sinew_optim::OptimError> {
    let start = Instant::now();
    for dimension in [20, 100] {
        for active in [true, false] {
            let options = Options { population: Some(30), active, seed: 1, ..Options::default() };
            let mut strategy = CmaEs::new(&vec![1.0; dimension], 1.0, options)?;
            let (generations, mut values) = (3000, vec![0.0; 30]);
            let before = seconds(start);
            for _ in 0..generations {
                for (x, value) in strategy.ask().zip(&mut values) {
                    *value = x.iter().enumerate().map(|(i, x)| (i + 1) as f64 * x * x).sum();
                }
                strategy.tell(&values)?;
                std::hint::black_box(strategy.stop());
            }
            let micros = (seconds(start) - before) * 1e6 / f64::from(generations);
            println!("n = {dimension:3}, population 30, active {active:5}: {micros:6.1} µs per generation");
        }
    }
    Ok(())
}
