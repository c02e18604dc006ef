//! `sinew bench control`: what it costs to read and to write all worlds at once, beside stepping them.

use super::bench_sim::{cpu_name, figure_b, median, sinusoids};
use anyhow::{Result, ensure};
use clap::Args;
use serde::Serialize;
use sinew::sim::{Batch, BatchOptions, BulkError, Condition, DampsTo, Interval, Isa, Model, Readings};
use std::sync::Arc;
use std::time::Instant;

/// Control intervals that are measured, after some that are not; the median counts.
const ROUNDS: usize = 30;
const WARM_UP: usize = 3;
/// One world in so many is reset after each interval.
const RESET_EVERY: usize = 100;

/// Options of `sinew bench control`.
#[derive(Args)]
pub struct BenchControl {
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
    /// Instruction set; by default the fastest of this CPU
    #[arg(long, value_name = "portable|avx2|avx512")]
    isa: Option<Isa>,
    /// Threads; by default one, and then all cores
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Worlds driven together
    #[arg(long, default_value_t = 4096, value_name = "N")]
    worlds: usize,
    /// Simulation steps in a control interval: 20 steps of 1/600 s are 30 Hz
    #[arg(long, default_value_t = 20, value_name = "N")]
    steps: usize,
}

#[derive(Serialize)]
struct Report {
    isa: &'static str,
    cpu: String,
    worlds: usize,
    steps: usize,
    rows: Vec<Row>,
}

/// Milliseconds for all worlds in one interval.
#[derive(Serialize)]
struct Row {
    threads: usize,
    /// The steps alone.
    step_ms: f64,
    /// PD targets (linear, with their velocities) written, the same steps, and positions, velocities, observations and conditions read.
    control_ms: f64,
    /// The same readings by a call of their own.
    read_ms: f64,
    /// A hundredth of all worlds.
    reset_ms: f64,
    /// What reading and writing add, as a share of stepping.
    share: f64,
}

impl BenchControl {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        ensure!(self.steps > 0, "a control interval has at least 1 step; give --steps 20 for 30 Hz");
        let isa = self.isa.unwrap_or_else(Isa::detect);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut threads = self.threads.map_or(vec![1, cores], |threads| vec![threads]);
        threads.dedup();
        let (scene, dt) = figure_b();
        let model = Arc::new(Model::new(&scene, dt)?);
        let flat = |rows: Vec<Vec<f64>>| rows.iter().flatten().map(|x| *x as f32).collect();
        let targets: Vec<Vec<f32>> = sinusoids(&model, self.worlds).into_iter().map(flat).collect();
        let measure = |threads| self.measure(&model, BatchOptions { isa: Some(isa), threads }, &targets);
        let rows = threads.into_iter().map(measure).collect::<Result<Vec<Row>>>()?;
        let report = Report { isa: isa.name(), cpu: cpu_name(), worlds: self.worlds, steps: self.steps, rows };
        if self.json {
            println!("{}", serde_json::to_string(&report)?);
        } else {
            print_table(&report);
        }
        Ok(())
    }

    /// Two batches of the same worlds go the same way: one is stepped alone, the other written, stepped and read.
    fn measure(&self, model: &Arc<Model>, options: BatchOptions, targets: &[Vec<f32>]) -> Result<Row> {
        let mut batches = [Batch::new(model, self.worlds, options)?, Batch::new(model, self.worlds, options)?];
        let interval = Interval::ramped(self.steps, DampsTo::Target);
        let nv = model.velocity_count();
        let mut buffers = Buffers::new(model, self.worlds);
        let start: Vec<f32> = model.rest_position().iter().map(|x| *x as f32).collect();
        let mut times: [Vec<f64>; 4] = Default::default();
        for round in 0..WARM_UP + ROUNDS {
            let over: Vec<usize> = (round % RESET_EVERY..self.worlds).step_by(RESET_EVERY).collect();
            let (starts, rest) = (start.repeat(over.len()), vec![0.0; over.len() * nv]);
            let targets = &targets[round % targets.len()];
            let [alone, controlled] = &mut batches;
            alone.begin_interval(targets, interval)?;
            let mut step = || {
                ms(|| {
                    alone.step(self.steps);
                    Ok(())
                })
            };
            let mut control = |readings| ms(|| controlled.control(targets, interval, readings));
            // Each goes first every other time.
            let (stepped, written) = if round % 2 == 0 {
                (step()?, control(buffers.all())?)
            } else {
                let written = control(buffers.all())?;
                (step()?, written)
            };
            let read = ms(|| controlled.read(buffers.all()))?;
            let reset = ms(|| controlled.reset(&over, &starts, &rest))?;
            alone.reset(&over, &starts, &rest)?;
            ensure!(buffers.conditions.iter().all(|c| *c == Condition::Running), "a world diverged");
            if round >= WARM_UP {
                times.iter_mut().zip([stepped, written, read, reset]).for_each(|(times, time)| times.push(time));
            }
        }
        let [step_ms, control_ms, read_ms, reset_ms] = times.map(|times| median(&times));
        let share = control_ms / step_ms - 1.0;
        Ok(Row { threads: batches[0].threads(), step_ms, control_ms, read_ms, reset_ms, share })
    }
}

/// What is read of all worlds.
struct Buffers {
    positions: Vec<f32>,
    velocities: Vec<f32>,
    observations: Vec<f32>,
    conditions: Vec<Condition>,
}

impl Buffers {
    fn new(model: &Model, worlds: usize) -> Buffers {
        let counts = [model.position_count(), model.velocity_count(), model.observation_count()];
        let [positions, velocities, observations] = counts.map(|n| vec![0.0; worlds * n]);
        Buffers { positions, velocities, observations, conditions: vec![Condition::Running; worlds] }
    }

    fn all(&mut self) -> Readings<'_> {
        Readings {
            positions: Some(&mut self.positions),
            velocities: Some(&mut self.velocities),
            observations: Some(&mut self.observations),
            conditions: Some(&mut self.conditions),
            ..Readings::none()
        }
    }
}

/// How long some work takes, ms.
fn ms(work: impl FnOnce() -> Result<(), BulkError>) -> Result<f64> {
    let began = Instant::now();
    work()?;
    Ok(began.elapsed().as_secs_f64() * 1e3)
}

fn print_table(report: &Report) {
    println!(
        "{} worlds of B (18 bodies, 17 ball joints), {} steps of 1/600 s in a control interval; {} of {}",
        report.worlds, report.steps, report.isa, report.cpu
    );
    for row in &report.rows {
        let rate = (report.worlds * report.steps) as f64 / row.step_ms / 1e3;
        println!(
            "{} thread(s): stepping {:.2} ms ({rate:.2} M steps/s), with targets written and all read {:.2} ms: {:.1} % more; read alone {:.2} ms; a hundredth reset in {:.3} ms",
            row.threads,
            row.step_ms,
            row.control_ms,
            100.0 * row.share,
            row.read_ms,
            row.reset_ms
        );
    }
}
