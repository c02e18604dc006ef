//! Measures the training of the learned generator of the paper's size, on a GPU and, for comparison, on the CPU.
//!
//! `cargo run --release -p sinew-learn --example bench_training -- SET [SECS [cpu]]`: SET is the file `motions.set` of `sinew learn data`. Trains for so many
//! seconds (10) on the GPU, with `cpu` one batch on the CPU as well, and prints the time of a window: forward and back through 48 frames of 32 stretches,
//! and a step of Adam.

use sinew_learn::{MotionSet, RecurrentConfig, RecurrentPreset, TrainingWork};
use sinew_nn::cuda::{Device, Precision};
use sinew_work::Work;
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let path = PathBuf::from(std::env::args().nth(1).ok_or("which set?")?);
    let secs: f64 = std::env::args().nth(2).map_or(Ok(10.0), |secs| secs.parse())?;
    let set = MotionSet::read(&path)?;
    let config = RecurrentConfig::preset(RecurrentPreset::Paper);
    let with_cpu = std::env::args().nth(3).is_some_and(|word| word == "cpu");
    for precision in [Some(Precision::Tf32), Some(Precision::F32), None] {
        let work = TrainingWork::new(&set, &config, 1)?;
        let work = match precision {
            Some(precision) => work.on(Device::open(precision)?),
            None if with_cpu => work,
            None => continue,
        };
        let name = precision.map_or("CPU".into(), |precision| format!("GPU, {precision:?}"));
        let mut state = work.begin()?;
        // The first piece also copies everything to the GPU and records the graph.
        work.advance(&mut state)?;
        let (began, first) = (Instant::now(), state.updates);
        while began.elapsed().as_secs_f64() < secs {
            work.advance(&mut state)?;
            if precision.is_none() {
                break;
            }
        }
        let windows = (state.updates - first) as f64;
        let each = began.elapsed().as_secs_f64() / windows;
        let all = each * (config.batches * config.windows as u64) as f64;
        let frames = (config.batch * config.window_frames) as f64 / each;
        let loss = state.curve.last().map_or(f64::NAN, |point| point.loss.total);
        println!("{name}: {:.2} ms a window, {frames:.0} frames/s, {all:.0} s for all; loss {loss:.3}", 1e3 * each);
    }
    Ok(())
}
