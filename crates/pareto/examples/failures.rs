//! scratch
use sinew_pareto::{Controller, Evaluator};
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let e = Evaluator::new(Some(0.15));
    for path in &a {
        let c = if path == "seed" { Controller::seed() } else { Controller::read(path.as_ref())? };
        for sigma in [0.005, 0.015, 0.05] {
            let cs: Vec<Controller> = (0..96).map(|i| {
                let mut r = sinew_optim::NormalStream::new(7, 7, i);
                let mut p = c.scaled();
                p.iter_mut().for_each(|x| *x += sigma * r.normal());
                Controller::from_scaled(&p).unwrap()
            }).collect();
            let t = std::time::Instant::now();
            let js = e.evaluate(&cs)?;
            let mut count = std::collections::BTreeMap::new();
            for j in &js { *count.entry(format!("{:?}", j.failure)).or_insert(0) += 1; }
            for kind in ["Some(Fell)", "Some(Unsteady)"] { if sigma == 0.015 { if let Some(i) = js.iter().position(|j| format!("{:?}", j.failure) == kind) { std::fs::write(format!("/tmp/fail-{kind}.toml"), cs[i].to_toml(&[]))?; } } }
            println!("{path} {sigma} {count:?} {:.2}s", t.elapsed().as_secs_f64());
        }
    }
    Ok(())
}
