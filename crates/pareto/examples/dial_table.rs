//! Dials many heights of a front, and prints how near the jumps come and how long each takes:
//! `dial_table [heights] [folder of a front]`.

use sinew_pareto::{Evaluator, Front, Source, dial};
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let count: usize = arguments.first().map_or(Ok(200), |text| text.parse())?;
    let front = arguments.get(1).map_or_else(|| Ok(Front::embedded()), |path| Front::read(Path::new(path)))?;
    let evaluator = Evaluator::new(Some(0.15));
    let (low, high) = (1.70, front.points.iter().fold(0.0_f64, |most, point| most.max(point.height)));
    let (mut near, mut fallen, mut secs) = (0, 0, Vec::new());
    let mut sources = [0; 3];
    for index in 0..count {
        let height = low + (high - low) * index as f64 / (count - 1) as f64;
        let began = Instant::now();
        let dialled = dial(&evaluator, &front, height)?;
        secs.push(began.elapsed().as_secs_f64());
        let again = evaluator.perform(&dialled.controller)?.jump;
        fallen += usize::from(again.failure.is_some() || again != dialled.jump);
        sources[match dialled.source {
            Source::Point(_) => 0,
            Source::Blend(..) => 1,
            Source::Near(_) => 2,
        }] += 1;
        let off = dialled.jump.height - height;
        near += usize::from(off.abs() <= 0.01);
        if off.abs() > 0.01 {
            println!("{height:.3} m: {:+.3} m, {:?}", off, dialled.source);
        }
    }
    secs.sort_by(f64::total_cmp);
    println!(
        "{near} of {count} within 1 cm, {fallen} come out otherwise when simulated again; points {}, blends {}, searched {}; median {:.0} ms, 95 % {:.0} ms, longest {:.0} ms",
        sources[0],
        sources[1],
        sources[2],
        1e3 * secs[count / 2],
        1e3 * secs[count * 95 / 100],
        1e3 * secs[count - 1]
    );
    Ok(())
}
