//! Measures training on a GPU beside PyTorch on the same GPU in the same run: MLP 4×1024 and LSTM 4×512, PyTorch in eager mode and as a CUDA graph.
//!
//! `bench_cuda [PYTHON [BEGINNING]]`: PYTHON is an interpreter with a PyTorch that sees the GPU; it runs `scripts/torch_peer.py`, or the file that
//! TORCH_PEER names. BEGINNING chooses lines that begin so, such as `"MLP"`. Both sides take turns; the best turn of each counts.
//! With TF32, factors of products are rounded on both sides; with F32 on neither.

use serde::Serialize;
use sinew_nn::cuda::{self, CudaError, Device, Graph, Precision, SquaredError, Weights};
use sinew_nn::{Activation, Adam, AdamConfig, LstmShape, LstmStack, Mlp, MlpShape};
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

/// Turns of each side.
const TURNS: usize = 5;

/// What is measured, as `scripts/torch_peer.py` reads it.
#[derive(Clone, Serialize)]
struct Job {
    kind: &'static str,
    train: bool,
    device: &'static str,
    graph: bool,
    tf32: bool,
    inputs: usize,
    hidden: Vec<usize>,
    outputs: usize,
    rows: usize,
    steps: usize,
    threads: usize,
    /// Steps of training in a turn, measured together.
    repeat: usize,
}

impl Job {
    fn name(&self) -> String {
        let size = format!("{}×{}", self.hidden.len(), self.hidden[0]);
        let rows = if self.steps > 1 { format!("{}×{}", self.rows, self.steps) } else { self.rows.to_string() };
        let precision = if self.tf32 { "TF32" } else { "F32" };
        format!("{} {size}, batch {rows}, {precision}", self.kind.to_uppercase())
    }
}

fn jobs() -> Vec<Job> {
    let mut jobs = Vec::new();
    for tf32 in [true, false] {
        let job = Job {
            kind: "mlp",
            train: true,
            device: "cuda",
            graph: false,
            tf32,
            inputs: 256,
            hidden: vec![1024; 4],
            outputs: 64,
            rows: 1024,
            steps: 1,
            threads: 2,
            repeat: 300,
        };
        let lstm =
            Job { kind: "lstm", inputs: 128, hidden: vec![512; 4], outputs: 512, rows: 256, steps: 48, ..job.clone() };
        jobs.extend([job, Job { repeat: 30, ..lstm }]);
    }
    jobs
}

/// Numbers between 0 and 1.
fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i as f64 * 0.618_033_988_749).fract() as f32).collect()
}

/// Our side: a training step as a graph, with all that it uses.
fn prepare(device: &Arc<Device>, job: &Job, piece: usize) -> Result<Graph, CudaError> {
    let rows = job.rows * job.steps;
    let adam = Adam::new(AdamConfig { largest_norm: Some(1.0), ..AdamConfig::default() });
    let target = device.upload(&numbers(rows * job.outputs))?;
    let target = cuda::Matrix::new(&target, rows, job.outputs, job.outputs);
    let squared = SquaredError::new(device)?;
    let [lane, beside] = [0, 1].map(|index| device.lane(index));
    if job.kind == "lstm" {
        let shape = LstmShape { inputs: job.inputs, hidden: job.hidden.clone() };
        let stack = LstmStack::<f32>::new("lstm", &shape, 1);
        let weights = Weights::new(device, &stack, &adam)?;
        weights.set_rate(1e-4)?;
        let mut lstm = cuda::LstmStack::new(device, &weights, &stack, job.steps, job.rows)?;
        lstm.set_piece(piece);
        device.write_rows(lstm.input(), &numbers(rows * job.inputs))?;
        return device.record(|| {
            lstm.forward()?;
            squared.gradient(lane, &lstm.output(0, job.steps), &target, &lstm.gradient(0, job.steps))?;
            lstm.backward()?;
            weights.step(lane)
        });
    }
    let mlp = Mlp::<f32>::new("mlp", &MlpShape::new(job.inputs, &job.hidden, job.outputs, Activation::Relu), 1);
    let weights = Weights::new(device, &mlp, &adam)?;
    weights.set_rate(1e-4)?;
    let on_gpu = cuda::Mlp::new(device, &weights, &mlp, job.rows)?;
    device.write_rows(on_gpu.input(), &numbers(rows * job.inputs))?;
    device.record(|| {
        on_gpu.forward(lane)?;
        squared.gradient(lane, on_gpu.output(), &target, on_gpu.gradient())?;
        on_gpu.backward(lane, beside)?;
        weights.step(lane)
    })
}

/// Seconds of a step in the best turn.
fn turn(device: &Device, graph: &Graph, repeat: usize) -> Result<f64, CudaError> {
    device.wait()?;
    let began = Instant::now();
    for _ in 0..repeat {
        graph.launch()?;
    }
    device.wait()?;
    Ok(began.elapsed().as_secs_f64() / repeat as f64)
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
        let script = std::env::var("TORCH_PEER").unwrap_or_else(|_| script.into());
        let mut process = Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let requests = process.stdin.take().ok_or("the peer has no standard input")?;
        let mut answers = BufReader::new(process.stdout.take().ok_or("the peer has no standard output")?);
        let mut line = String::new();
        answers.read_line(&mut line)?;
        let hello: serde_json::Value = serde_json::from_str(&line)?;
        let version = hello["version"].as_str().unwrap_or("?").to_string();
        Ok(Peer { process, requests, answers, version })
    }

    /// Seconds of a step.
    fn turn(&mut self, job: &Job) -> Result<f64, Box<dyn Error>> {
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
    let pieces = std::env::var("PIECES").unwrap_or_else(|_| "4".into());
    let name = Device::open(Precision::Tf32)?.name().to_string();
    println!("{name}; best of {TURNS} turns each; PyTorch {}", peer.as_ref().map_or("not asked", |peer| &peer.version));
    println!(
        "| what | ours, ms | rows/s | PyTorch eager, ms | as a graph, ms | ours is so many times as fast as eager | as the graph |"
    );
    println!("|---|---|---|---|---|---|---|");
    for job in jobs().into_iter().filter(|job| job.name().starts_with(&only)) {
        let device = Device::open(if job.tf32 { Precision::Tf32 } else { Precision::F32 })?;
        let pieces: Vec<usize> = match job.kind {
            "lstm" => pieces.split(',').filter_map(|piece| piece.parse().ok()).collect(),
            _ => vec![1],
        };
        for piece in pieces {
            let graph = prepare(&device, &job, piece)?;
            turn(&device, &graph, job.repeat)?;
            let (mut ours, mut theirs) = (f64::INFINITY, [f64::INFINITY; 2]);
            for _ in 0..TURNS {
                ours = ours.min(turn(&device, &graph, job.repeat)?);
                if let Some(peer) = &mut peer {
                    for (theirs, graph) in theirs.iter_mut().zip([false, true]) {
                        *theirs = theirs.min(peer.turn(&Job { graph, ..job.clone() })?);
                    }
                }
            }
            let rows = (job.rows * job.steps) as f64 / ours;
            let [eager, graph] = theirs;
            let what = if job.kind == "lstm" { format!("{}, pieces of {piece}", job.name()) } else { job.name() };
            println!(
                "| {what} | {:.3} | {rows:.0} | {:.3} | {:.3} | {:.2} | {:.2} |",
                1e3 * ours,
                1e3 * eager,
                1e3 * graph,
                eager / ours,
                graph / ours
            );
        }
    }
    if let Some(mut peer) = peer {
        drop(peer.requests);
        peer.process.wait()?;
    }
    Ok(())
}
