//! Measures training and inference of the networks that learning uses, beside PyTorch in the same run.
//!
//! `cargo run --release -p sinew-nn --example bench_networks -- [PYTHON [BEGINNING]]`: PYTHON is an interpreter that has PyTorch (`pip install torch`); without it only our
//! side is measured. Both sides take turns, several times; the best time of each counts, because others may use the machine meanwhile. For the same reason
//! one thread is measured in time on the CPU (on Unix), several in time on the clock. BEGINNING chooses lines that begin so, such as `"train MLP"`.

use serde::Serialize;
use sinew_nn::{Activation, Adam, AdamConfig, Isa, LstmShape, LstmStack, Mlp, MlpShape, loss};
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

/// Turns of each side.
const TURNS: usize = 10;

/// What is measured, as `scripts/torch_peer.py` reads it.
#[derive(Clone, Serialize)]
struct Job {
    kind: &'static str,
    train: bool,
    inputs: usize,
    hidden: Vec<usize>,
    outputs: usize,
    rows: usize,
    steps: usize,
    threads: usize,
    /// Repetitions in a turn.
    repeat: usize,
}

fn jobs() -> Vec<Job> {
    let mlp = |train, hidden: &[usize], rows, repeat| Job {
        kind: "mlp",
        train,
        inputs: 256,
        hidden: hidden.to_vec(),
        outputs: 64,
        rows,
        steps: 1,
        threads: 1,
        repeat,
    };
    let lstm = |train, rows, steps, repeat| Job {
        kind: "lstm",
        train,
        inputs: 128,
        hidden: vec![512; 4],
        outputs: 512,
        rows,
        steps,
        threads: 1,
        repeat,
    };
    vec![
        mlp(true, &[1024; 4], 1024, 2),
        mlp(true, &[256; 2], 1024, 20),
        lstm(true, 32, 48, 1),
        mlp(false, &[1024; 4], 1024, 4),
        mlp(false, &[256; 2], 1024, 40),
        mlp(false, &[1024; 4], 1, 200),
        mlp(false, &[256; 2], 1, 1000),
        lstm(false, 1, 1, 50),
    ]
}

impl Job {
    fn name(&self) -> String {
        let size = format!("{}×{}", self.hidden.len(), self.hidden[0]);
        let what = if self.train { "train" } else { "infer" };
        let rows = if self.steps > 1 { format!("{}×{}", self.rows, self.steps) } else { self.rows.to_string() };
        format!("{what} {} {size}, batch {rows}", self.kind.to_uppercase())
    }

    /// Multiplications and additions.
    fn operations(&self) -> f64 {
        let mut sum = 0;
        let mut inputs = self.inputs;
        for hidden in &self.hidden {
            sum += if self.kind == "lstm" { 4 * (inputs + hidden) * hidden } else { inputs * hidden };
            inputs = *hidden;
        }
        if self.kind == "mlp" {
            sum += inputs * self.outputs;
        }
        let passes = if self.train { 3.0 } else { 1.0 };
        2.0 * passes * (sum * self.rows * self.steps) as f64
    }
}

/// Numbers between 0 and 1.
fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i as f64 * 0.618_033_988_749).fract() as f32).collect()
}

/// Our side: returns a function that does the work once.
fn prepare(job: &Job) -> Box<dyn FnMut() + Send> {
    let rows = job.rows * job.steps;
    let (input, target) = (numbers(rows * job.inputs), numbers(rows * job.outputs));
    let mut gradient = vec![0.0; target.len()];
    let mut adam = Adam::new(AdamConfig { largest_norm: Some(1.0), ..AdamConfig::default() });
    if job.kind == "lstm" {
        let shape = LstmShape { inputs: job.inputs, hidden: job.hidden.clone() };
        let mut stack = LstmStack::<f32>::new("lstm", &shape, 1);
        let (mut state, mut memory) = (stack.zero_state(job.rows), stack.inference());
        if job.train {
            let fresh = state.clone();
            return Box::new(move || {
                state.clone_from(&fresh);
                loss::mean_squared_error(stack.forward(&input, &mut state), &target, &mut gradient);
                stack.backward(&gradient, false);
                adam.step(&mut stack, 1e-4);
            });
        }
        return Box::new(move || {
            stack.step(&input, &mut state, &mut memory);
        });
    }
    let mut mlp = Mlp::<f32>::new("mlp", &MlpShape::new(job.inputs, &job.hidden, job.outputs, Activation::Relu), 1);
    if job.train {
        return Box::new(move || {
            loss::mean_squared_error(mlp.forward(&input), &target, &mut gradient);
            mlp.backward(&gradient, false);
            adam.step(&mut mlp, 1e-4);
        });
    }
    let mut memory = mlp.inference();
    Box::new(move || {
        mlp.infer(&input, &mut memory);
    })
}

/// Time that this thread has had on a CPU, s; none where the system does not tell.
fn cpu_secs() -> Option<f64> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
    }
    #[cfg(not(unix))]
    None
}

/// PyTorch, in a process of its own.
struct Peer {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    version: String,
}

impl Peer {
    fn start(python: &str) -> Result<Peer, Box<dyn Error>> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/torch_peer.py");
        let mut process = Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let requests = process.stdin.take().ok_or("the peer has no standard input")?;
        let mut answers = BufReader::new(process.stdout.take().ok_or("the peer has no standard output")?);
        let mut line = String::new();
        answers.read_line(&mut line)?;
        let hello: serde_json::Value = serde_json::from_str(&line)?;
        let version = hello["version"].as_str().unwrap_or("?").to_string();
        Ok(Peer { process, requests, answers, version })
    }

    fn best(&mut self, job: &Job) -> Result<f64, Box<dyn Error>> {
        writeln!(self.requests, "{}", serde_json::to_string(job)?)?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let times: Vec<f64> = serde_json::from_str(&line)?;
        Ok(times.into_iter().fold(f64::INFINITY, f64::min))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut peer = std::env::args().nth(1).map(|python| Peer::start(&python)).transpose()?;
    let only = std::env::args().nth(2).unwrap_or_default();
    let against = peer.as_ref().map_or("no peer".into(), |peer| format!("PyTorch {}", peer.version));
    println!("{} lanes; best of {TURNS} turns each; {against}", Isa::detect().name());
    println!("| what | threads | ours, ms | GFLOP/s | PyTorch, ms | ours is so many times as fast |");
    println!("|---|---|---|---|---|---|");
    for job in jobs().into_iter().filter(|job| job.name().starts_with(&only)) {
        for threads in [1, 2] {
            let job = Job { threads, ..job.clone() };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            let mut work = prepare(&job);
            pool.install(&mut work);
            let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
            for _ in 0..TURNS {
                pool.install(|| {
                    for _ in 0..job.repeat {
                        let (began, on_cpu) = (Instant::now(), cpu_secs());
                        work();
                        let clock = began.elapsed().as_secs_f64();
                        let cpu = on_cpu.zip(cpu_secs()).map(|(began, ended)| ended - began);
                        ours = ours.min(if threads == 1 { cpu.unwrap_or(clock) } else { clock });
                    }
                });
                if let Some(peer) = &mut peer {
                    theirs = theirs.min(peer.best(&job)?);
                }
            }
            let rate = job.operations() / ours / 1e9;
            let beside =
                if peer.is_some() { format!("{:.3} | {:.2}", 1e3 * theirs, theirs / ours) } else { "| ".into() };
            println!("| {} | {threads} | {:.3} | {rate:.0} | {beside} |", job.name(), 1e3 * ours);
        }
    }
    if let Some(mut peer) = peer {
        drop(peer.requests);
        peer.process.wait()?;
    }
    Ok(())
}
