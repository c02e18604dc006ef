//! Measures what a group of worlds takes for a jump, by instruction set and worlds in it: the table of `sinew_sim::LaneChoice`.
//!
//! `cargo run --release -p sinew-pareto --example lane_times`, on a machine that does nothing else.

use sinew_pareto::{Controller, Evaluator};
use sinew_sim::{Isa, LaneChoice};
use std::time::Instant;

/// Measurements of each choice, and jumps in each; the fastest counts.
const ROUNDS: usize = 7;
const JUMPS: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let evaluator = Evaluator::new(None);
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    println!("{:12} {:>6} {:>14}", "set", "worlds", "ms for a jump");
    let mut table = Vec::new();
    for isa in Isa::same_bits() {
        let (mut few, mut all) = (0.0, 0.0);
        for worlds in [1, isa.lanes() / 2, isa.lanes()] {
            let choice = LaneChoice { isa, worlds };
            let controllers = vec![Controller::seed(); worlds];
            let jumps = if isa == Isa::Portable { JUMPS / 10 } else { JUMPS };
            let mut fastest = f64::INFINITY;
            for _ in 0..ROUNDS {
                let began = Instant::now();
                for _ in 0..jumps {
                    one_thread.install(|| evaluator.evaluate_in(choice, &controllers))?;
                }
                fastest = fastest.min(1e3 * began.elapsed().as_secs_f64() / jumps as f64);
            }
            println!("{:12} {worlds:>6} {fastest:>14.2}", isa.name());
            (few, all) = (if worlds == 1 { fastest } else { few }, fastest);
        }
        // A line through the first and the last: what the group takes, and what each world adds.
        let world = (all - few) / (isa.lanes() - 1) as f64;
        table.push((isa, few - world, world));
    }
    let unit = table.iter().find(|(isa, ..)| *isa == Isa::Avx2).unwrap_or(&table[0]).1;
    println!("\n{:12} {:>14} {:>14}", "set", "group", "each world");
    for (isa, group, world) in &table {
        println!("{:12} {:>14.2} {:>14.3}", isa.name(), group / unit, world / unit);
    }
    Ok(())
}
