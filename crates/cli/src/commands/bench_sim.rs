//! `sinew bench sim`: our steps per second beside MuJoCo's, in one run.

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Serialize;
use sinew::random::Stream;
use sinew::sim::mjcf::{MjcfOptions, to_mjcf};
use sinew::sim::{Batch, BatchOptions, Character, Ground, Isa, JointKind, Model, Scene, Snapshot, Surface, embedded};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

const PEER_SCRIPT: &str = include_str!("../../../../scripts/mujoco_peer.py");
const EPISODE_SECS: f64 = 0.5;
/// Targets are sinusoids of this amplitude around the start pose, sampled every `KNOT_SECS` and linear in between.
const AMPLITUDE_RAD: f64 = 0.1;
const KNOT_SECS: f64 = 0.05;
/// Shortest measurement, and how many are taken; the median counts.
const ROUND_SECS: f64 = 0.6;
const ROUNDS: usize = 7;

/// Options of `sinew bench sim`.
#[derive(Args)]
pub struct BenchSim {
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
    /// Instruction set; by default the fastest of this CPU
    #[arg(long, value_name = "portable|avx2|avx512|neon")]
    isa: Option<Isa>,
    /// Threads for us; the peer always runs on one
    #[arg(long, default_value_t = 1, value_name = "N")]
    threads: usize,
    /// Worlds stepped together; by default 256 for each thread
    #[arg(long, value_name = "N")]
    worlds: Option<usize>,
    /// Leaves the peer out
    #[arg(long)]
    no_peer: bool,
}

#[derive(Serialize)]
struct Report {
    isa: &'static str,
    threads: usize,
    cpu: String,
    worlds: usize,
    #[serde(rename = "A")]
    a: Row,
    #[serde(rename = "B")]
    b: Row,
}

#[derive(Serialize)]
struct Row {
    dt: f64,
    steps_per_sec: f64,
    peer: Option<String>,
    peer_setting: Option<String>,
    peer_steps_per_sec: Option<f64>,
    ratio: Option<f64>,
    bytes_per_world: usize,
    save_ns: f64,
    restore_ns: f64,
}

struct Case {
    name: &'static str,
    scene: Scene,
    dt: f64,
    rounds: Vec<f64>,
    bytes_per_world: usize,
    /// Cost of a snapshot of one world and of putting it back, ns.
    snapshot_ns: (f64, f64),
}

/// A character on ground without restitution: the exported contact is then MuJoCo's default, its fastest.
fn on_ground(character: Character) -> Scene {
    let surface = Surface { friction: 0.8, restitution: 0.0 };
    Scene { ground: Some(Ground { height: 0.0, surface }), ..Scene::floating(character) }
}

/// The scene of figure B and its time step, s.
pub(super) fn figure_b() -> (Scene, f64) {
    (on_ground(embedded::peer_b()), 1.0 / 600.0)
}

impl Case {
    fn new(name: &'static str, (scene, dt): (Scene, f64)) -> Case {
        Case { name, scene, dt, rounds: Vec::new(), bytes_per_world: 0, snapshot_ns: (0.0, 0.0) }
    }
}

impl BenchSim {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let isa = self.isa.unwrap_or_else(Isa::detect);
        let options = BatchOptions { isa: Some(isa), threads: self.threads };
        let mut cases = [Case::new("A", (on_ground(embedded::peer_a()), 0.002)), Case::new("B", figure_b())];
        // Half of our rounds before the peer and half after, so that a drifting clock meets both.
        self.measure(&mut cases, options, ROUNDS / 2)?;
        let peer = if self.no_peer { None } else { run_peer(&cases)? };
        self.measure(&mut cases, options, ROUNDS - ROUNDS / 2)?;

        let row = |case: &Case| {
            let ours = median(&case.rounds);
            let version = peer.as_ref().and_then(|p| p["mujoco"].as_str());
            let theirs = peer.as_ref().and_then(|p| p[case.name]["steps_per_sec"].as_f64());
            let setting = peer.as_ref().and_then(|p| p[case.name]["setting"].as_str());
            Row {
                dt: case.dt,
                steps_per_sec: ours.round(),
                peer: version.map(|v| format!("mujoco {v}")),
                peer_setting: setting.map(str::to_owned),
                peer_steps_per_sec: theirs.map(f64::round),
                ratio: theirs.map(|t| (10.0 * ours / t).round() / 10.0),
                bytes_per_world: case.bytes_per_world,
                save_ns: case.snapshot_ns.0.round(),
                restore_ns: case.snapshot_ns.1.round(),
            }
        };
        let report = Report {
            isa: isa.name(),
            threads: self.threads,
            cpu: cpu_name(),
            worlds: self.worlds(),
            a: row(&cases[0]),
            b: row(&cases[1]),
        };
        if self.json {
            println!("{}", serde_json::to_string(&report)?);
        } else {
            print_table(&report, self.no_peer);
        }
        Ok(())
    }

    fn worlds(&self) -> usize {
        self.worlds.unwrap_or(256 * self.threads.max(1))
    }

    fn measure(&self, cases: &mut [Case], options: BatchOptions, rounds: usize) -> Result<()> {
        for case in cases {
            let model = Arc::new(Model::new(&case.scene, case.dt)?);
            let mut batch = Batch::new(&model, self.worlds(), options)?;
            let targets = sinusoids(&model, self.worlds());
            for _ in 0..rounds {
                case.rounds.push(round(&mut batch, &model, &targets));
            }
            case.bytes_per_world = batch.bytes() / batch.len();
            case.snapshot_ns = snapshot_ns(&mut batch);
        }
        Ok(())
    }
}

/// Steps per second over whole episodes, setting of states and targets included.
fn round(batch: &mut Batch, model: &Model, targets: &[Vec<Vec<f64>>]) -> f64 {
    let knot_steps = (KNOT_SECS / model.dt()).round() as usize;
    let start = Snapshot::new(model.rest_position(), &vec![0.0; model.velocity_count()]);
    let mut steps = 0;
    let began = Instant::now();
    while began.elapsed().as_secs_f64() < ROUND_SECS {
        for (knot, row) in targets.iter().enumerate() {
            batch.for_each_world(|index, world| {
                if knot == 0 {
                    world.restore(&start);
                    world.set_target(&row[index]);
                } else {
                    world.ramp_target(&row[index], knot_steps);
                }
            });
            if knot > 0 {
                batch.step(knot_steps);
                steps += knot_steps * batch.len();
            }
        }
    }
    steps as f64 / began.elapsed().as_secs_f64()
}

/// Time to save and to restore one world, over all worlds many times.
fn snapshot_ns(batch: &mut Batch) -> (f64, f64) {
    const REPEATS: usize = 200;
    let mut snapshot = Snapshot::default();
    let count = (REPEATS * batch.len()) as f64;
    let began = Instant::now();
    for world in (0..batch.len()).cycle().take(REPEATS * batch.len()) {
        batch.world(world).save(std::hint::black_box(&mut snapshot));
    }
    let saved = began.elapsed().as_secs_f64();
    for world in (0..batch.len()).cycle().take(REPEATS * batch.len()) {
        batch.world_mut(world).restore(std::hint::black_box(&snapshot));
    }
    let restored = began.elapsed().as_secs_f64() - saved;
    (saved * 1e9 / count, restored * 1e9 / count)
}

/// Targets by knot and world: each joint swings with its own frequency (0.5 to 2 Hz) and phase.
pub(super) fn sinusoids(model: &Model, worlds: usize) -> Vec<Vec<Vec<f64>>> {
    let knots = (EPISODE_SECS / KNOT_SECS).round() as usize + 1;
    let mut waves: Vec<Vec<(f64, f64)>> = Vec::new();
    for world in 0..worlds {
        let mut stream = Stream::new(0, "bench target", world as u64);
        let wave = (0..model.velocity_count()).map(|_| (stream.uniform(0.5, 2.0), stream.uniform(0.0, 1.0)));
        waves.push(wave.collect());
    }
    let target = |world: usize, time: f64| {
        let swing = |v: usize| {
            let (frequency, phase) = waves[world][v];
            AMPLITUDE_RAD * (std::f64::consts::TAU * (frequency * time + phase)).sin()
        };
        let mut target = model.rest_position().to_vec();
        for joint in model.joints() {
            let (q, v) = (joint.position_index, joint.velocity_index);
            match joint.kind {
                JointKind::Hinge => target[q] += swing(v),
                JointKind::Ball => {
                    let half = [swing(v), swing(v + 1), swing(v + 2)].map(|x| x / 2.0);
                    let angle = half.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-12);
                    target[q] = angle.cos();
                    (0..3).for_each(|k| target[q + 1 + k] = half[k] * angle.sin() / angle);
                }
                _ => {}
            }
        }
        target
    };
    (0..knots).map(|k| (0..worlds).map(|w| target(w, k as f64 * KNOT_SECS)).collect()).collect()
}

/// The peer's figures, or `None` where Python has no MuJoCo.
fn run_peer(cases: &[Case]) -> Result<Option<serde_json::Value>> {
    let folder = std::env::temp_dir().join(format!("sinew-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let result = run_peer_in(&folder, cases);
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn run_peer_in(folder: &std::path::Path, cases: &[Case]) -> Result<Option<serde_json::Value>> {
    let script = folder.join("mujoco_peer.py");
    std::fs::write(&script, PEER_SCRIPT).context("cannot write the peer's script")?;
    let mut command = Command::new("python3");
    command.arg(&script);
    for case in cases {
        let path = folder.join(format!("{}.xml", case.name));
        std::fs::write(&path, to_mjcf(&case.scene, &MjcfOptions { dt: case.dt }))
            .context("cannot write the peer's model")?;
        command.args(["--case", case.name]).arg(path).arg(case.dt.to_string());
    }
    let Ok(output) = command.output() else { return Ok(None) };
    match output.status.code() {
        Some(0) => Ok(Some(serde_json::from_slice(&output.stdout).context("the peer printed no JSON")?)),
        Some(3) => Ok(None),
        _ => bail!("the peer failed: {}", String::from_utf8_lossy(&output.stderr).trim()),
    }
}

fn print_table(report: &Report, without_peer: bool) {
    println!("{} on {} thread(s) of {}, {} worlds", report.isa, report.threads, report.cpu, report.worlds);
    for (name, what, row) in [("A", "22 bodies, 21 hinges", &report.a), ("B", "18 bodies, 17 ball joints", &report.b)] {
        print!("{name} ({what}, dt {:.5} s): {:.2} M steps/s", row.dt, row.steps_per_sec / 1e6);
        match (&row.peer, row.peer_steps_per_sec, row.ratio) {
            (Some(peer), Some(theirs), Some(ratio)) => {
                let setting = row.peer_setting.as_deref().unwrap_or("");
                println!(", {peer} ({setting}) {:.1} k: {ratio:.1} x", theirs / 1e3);
            }
            _ if without_peer => println!(),
            _ => println!(" (no MuJoCo in python3: pip install mujoco to compare)"),
        }
        println!(
            "   {} bytes a world; a snapshot takes {} ns, restoring it {} ns",
            row.bytes_per_world, row.save_ns, row.restore_ns
        );
    }
}

pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

pub(super) fn cpu_name() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name =
        info.lines().find_map(|l| l.strip_prefix("model name")?.split_once(':').map(|(_, n)| n.trim().to_owned()));
    name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}
