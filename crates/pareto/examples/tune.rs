//! Repairs a controller: `tune IN.toml OUT.toml HEIGHT GENERATIONS`.
use sinew_pareto::{Controller, Evaluator, Repair, repair};
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let c = if a[0] == "seed" { Controller::seed() } else { Controller::read(a[0].as_ref())? };
    let e = Evaluator::new(Some(0.15));
    let began = std::time::Instant::now();
    let height: f64 = a[2].parse()?;
    let r = Repair { height: (height > 0.0).then_some(height), generations: a[3].parse()?, stops_at_landing: false, ..Repair::default() };
    let (c, jump) = repair(&e, &c, &r)?;
    println!("{jump:?} {:.1} s", began.elapsed().as_secs_f64());
    std::fs::write(&a[1], c.to_toml(&[]))?;
    Ok(())
}
