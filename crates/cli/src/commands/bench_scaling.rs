//! `sinew bench scaling`: how transfer, fronts of jumps and feedback gain from threads.

use super::show;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Serialize;
use sinew::feedback::{self, FeedbackConfig, FeedbackWork, Reference};
use sinew::modeler::ModelOptions;
use sinew::motion::ImportOptions;
use sinew::pareto::{Controller, FrontWork, Method, Search, SearchConfig};
use sinew::source::Source;
use sinew::transfer::{self, Config, Finished, Preset, Replay, Task, TransferWork};
use sinew::work::{RunOptions, Work};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// Cycles of the walk that is transferred, and trained on.
const CYCLES: usize = 6;
/// Generations of the front of jumps, and of each of the two stages of the training.
const JUMP_GENERATIONS: u64 = 200;
const TRAINING_GENERATIONS: usize = 36;

/// Options of `sinew bench scaling`.
#[derive(Args)]
pub struct BenchScaling {
    /// Numbers of threads, separated by commas; by default 1, 2, 4, 8 and 16 as far as there are cores
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    threads: Vec<usize>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    cores: usize,
    rows: Vec<Row>,
}

/// One job on so many threads.
#[derive(Serialize)]
struct Row {
    job: &'static str,
    threads: usize,
    wall_secs: f64,
    /// Time of all threads together, where the system tells.
    cpu_secs: Option<f64>,
    /// Time on the first number of threads over the time on these.
    speed_up: f64,
    /// Speed-up over the share by which threads grew.
    efficiency: f64,
}

impl BenchScaling {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = match self.threads.is_empty() {
            true => [1, 2, 4, 8, 16].into_iter().filter(|threads| *threads <= cores).collect(),
            false => self.threads.clone(),
        };
        if threads.contains(&0) {
            bail!("--threads 0: give numbers of threads from 1 on, as in --threads 1,2,4");
        }
        let walk = Walk::new()?;
        let motion = walk.motion()?;
        let jobs: [(&'static str, &Job<'_>); 3] = [
            ("transfer", &|threads| bytes(&walk.transfer(threads)?)),
            ("pareto", &jumps),
            ("feedback", &|threads| training(&motion, threads)),
        ];
        let mut rows = Vec::new();
        for (job, work) in jobs {
            rows.extend(measured(job, &threads, work)?);
        }
        let report = Report { cores, rows };
        match self.json {
            true => show(&(serde_json::to_string_pretty(&report)? + "\n")),
            false => show(&table(&report)),
        }
    }
}

/// What is timed: on so many threads, with what was found as bytes.
type Job<'a> = dyn Fn(usize) -> Result<Vec<u8>> + 'a;

/// Times one job on every number of threads.
///
/// # Errors
/// Where a result differs from that on the first number of threads.
fn measured(job: &'static str, threads: &[usize], work: &Job<'_>) -> Result<Vec<Row>> {
    let mut expected: Option<Vec<u8>> = None;
    let mut rows: Vec<Row> = Vec::new();
    for &threads in threads {
        let (began, cpu_began) = (Instant::now(), cpu_secs());
        let found = work(threads)?;
        let wall_secs = began.elapsed().as_secs_f64();
        let cpu_secs = cpu_secs().zip(cpu_began).map(|(end, begin)| end - begin);
        if *expected.get_or_insert_with(|| found.clone()) != found {
            bail!("{job}: the result on {threads} threads differs from that on {}", rows[0].threads);
        }
        let (first_secs, first_threads) = rows.first().map_or((wall_secs, threads), |row| (row.wall_secs, row.threads));
        let speed_up = first_secs / wall_secs;
        let efficiency = speed_up * first_threads as f64 / threads as f64;
        rows.push(Row { job, threads, wall_secs, cpu_secs, speed_up, efficiency });
    }
    Ok(rows)
}

fn table(report: &Report) -> String {
    let mut text = format!(
        "{} cores\n{:10} {:>8} {:>10} {:>10} {:>9} {:>11}\n",
        report.cores, "job", "threads", "wall s", "CPU s", "speed-up", "efficiency"
    );
    for Row { job, threads, wall_secs, cpu_secs, speed_up, efficiency } in &report.rows {
        let cpu = cpu_secs.map_or("-".to_owned(), |secs| format!("{secs:.2}"));
        text += &format!(
            "{job:10} {threads:>8} {wall_secs:>10.2} {cpu:>10} {speed_up:>9.2} {:>9.0} %\n",
            100.0 * efficiency
        );
    }
    text + "every job gives the same bytes on all of them\n"
}

/// Time that all threads of this program have taken so far, s; none where the system does not tell it as Linux does.
fn cpu_secs() -> Option<f64> {
    /// Clock ticks a second in what Linux shows to programs.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the program's name, in brackets: utime and stime are the 12th and 13th.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks = |field: Option<&str>| field?.parse::<f64>().ok();
    Some((ticks(fields.next())? + ticks(fields.next())?) / TICKS)
}

/// Runs work to its end on so many threads.
fn run<W: Work>(work: &W, threads: usize) -> Result<W::State> {
    let options = RunOptions { threads, ..RunOptions::default() };
    Ok(sinew::work::run(work, &options, &mut |_, _, _| ControlFlow::Continue(()))?.into_state())
}

/// What was found, to be compared.
fn bytes(found: &impl Serialize) -> Result<Vec<u8>> {
    Ok(serde_json::to_vec(found)?)
}

/// The embedded dinosaur's walk.
struct Walk {
    prepared: transfer::Prepared,
    config: Config,
}

impl Walk {
    fn new() -> Result<Walk> {
        let config = Preset::Quick.config();
        let source = Source::open(Path::new("dinosaur"), &[], &ImportOptions::default())?;
        let options = ModelOptions { name: source.name.clone(), ..ModelOptions::default() };
        let task = Task { clip: Some("walk".into()), cycles: Some(CYCLES), options, ..Task::default() };
        Ok(Walk { prepared: transfer::prepare(source, &task, &config)?, config })
    }

    fn transfer(&self, threads: usize) -> Result<transfer::Transfer> {
        run(&TransferWork { target: &self.prepared.target, config: &self.config, seed: 0 }, threads)
    }

    /// The transferred motion and the cycle in it, as a training takes them.
    fn motion(self: &Walk) -> Result<feedback::Prepared> {
        let Finished { run, controls, summary, fall, .. } =
            Finished::new(&self.prepared, &self.transfer(0)?, Preset::Quick)?;
        let target = self.prepared.target.clone();
        let secs = feedback::period_secs(&target).context("a walk repeats itself")?;
        let reference = Reference::new(self.prepared.model(), &run, secs)?;
        let replay = Replay { controls, target, run, hash: summary.hash, fell_at_secs: summary.fell_at_secs, fall };
        Ok(feedback::Prepared { replay, reference, cycles: Vec::new() })
    }
}

/// A short search for a front of jumps.
fn jumps(threads: usize) -> Result<Vec<u8>> {
    let config = SearchConfig { generations: JUMP_GENERATIONS, ..SearchConfig::standard(Method::Rmoo) };
    let evaluator = Search::evaluator(&config);
    bytes(&run(&FrontWork { evaluator: &evaluator, config: &config, start: &Controller::seed() }, threads)?)
}

/// The first stages of a training.
fn training(motion: &feedback::Prepared, threads: usize) -> Result<Vec<u8>> {
    let config = FeedbackConfig {
        stages: vec![2, 4],
        iterations: TRAINING_GENERATIONS,
        tries: 1,
        chooses_by: None,
        ..FeedbackConfig::standard()
    };
    let work =
        FeedbackWork { model: motion.model(), reference: &motion.reference, cycles: &[], config: &config, seed: 0 };
    bytes(&run(&work, threads)?)
}
