//! Runs both methods and the ablations over several seeds and prints a table:
//! `compare_methods [first seed-last seed] [rmoo|bsoo|no-resampling|linear,...] [generations]`.

use sinew_pareto::{Controller, Method, Search, SearchConfig};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seeds = arguments.first().map_or("1-5", String::as_str);
    let (first, last) = seeds.split_once('-').unwrap_or((seeds, seeds));
    let seeds = first.parse::<u64>()?..=last.parse::<u64>()?;
    let names = arguments.get(1).map_or("rmoo,bsoo,no-resampling,linear", String::as_str);
    println!(
        "{:14} {:>4} {:>8} {:>8} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8}",
        "method", "seed", "volume", "own", "tried", "failed", "secs", "natural", "highest", "top"
    );
    for name in names.split(',') {
        for seed in seeds.clone() {
            let method = if name == "bsoo" { Method::Bsoo } else { Method::Rmoo };
            let mut config = SearchConfig { seed, ..SearchConfig::standard(method) };
            match name {
                "no-resampling" => config.allowed_failures = None,
                "linear" => config.objectives.is_linear = true,
                _ => {}
            }
            if let Some(generations) = arguments.get(2) {
                config.generations = generations.parse()?;
            }
            let evaluator = Search::evaluator(&config);
            let began = Instant::now();
            let mut search = Search::new(&evaluator, &config, &Controller::seed())?;
            while !search.is_done() {
                search.advance(&evaluator)?;
                if arguments.len() > 3 && search.progress().0 % 100 == 0 {
                    println!("{} {} {:.4}", search.progress().0, search.evaluations(), search.hypervolume());
                }
            }
            let front = search.front();
            let naturals: Vec<f64> = front.iter().filter(|e| e.jump.is_natural()).map(|e| e.jump.height).collect();
            let failed = search.samples().iter().filter(|sample| sample.failed).count();
            println!(
                "{name:14} {seed:4} {:8.4} {:8.4} {:7} {failed:7} {:7.1} {:8} {:8.3} {:8.3}",
                search.front_hypervolume(),
                search.own_hypervolume(),
                search.evaluations(),
                began.elapsed().as_secs_f64(),
                naturals.len(),
                naturals.iter().fold(0.0_f64, |a, b| a.max(*b)),
                front.last().map_or(0.0, |entry| entry.jump.height),
            );
            if arguments.len() > 3 {
                std::fs::create_dir_all(&arguments[3])?;
                for (index, entry) in front.iter().enumerate() {
                    let assist = entry.controller.assist();
                    println!(
                        "{index:2} {:.3} m price {:.3} effort {:7.3} {:.2} {:.3} landing {:.3} flight {:.2}",
                        entry.jump.height,
                        entry.values[0],
                        1e-4 * entry.jump.effort,
                        assist.reduction,
                        assist.duration_secs,
                        entry.jump.landing,
                        entry.jump.flight_secs
                    );
                    std::fs::write(format!("{}/{index:02}.toml", arguments[3]), entry.controller.to_toml(&[]))?;
                }
            }
        }
    }
    Ok(())
}
