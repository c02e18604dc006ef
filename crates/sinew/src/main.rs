//! The `sinew` binary: one command line over the library.

mod commands;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Turns animation into simulated characters.
///
/// Without a command: drops, pushes and holds the embedded dinosaur, and writes a film strip of it to sinew-out/dinosaur.png.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Option<CommandName>,
}

#[derive(Subcommand)]
enum CommandName {
    /// Says what a rigged file holds, and what had to be guessed or repaired
    ///
    /// Example: sinew inspect hero.glb --height 1.8
    Inspect(commands::inspect::Inspect),
    /// Makes a character that can be simulated from a rigged file, and tries whether it stands
    ///
    /// Example: sinew model hero.glb --clip walk --clip jump -o hero.toml --film hero.png
    Model(commands::model::Model),
    /// Changes a character: bodies, joints, end effectors, structure; with undo
    ///
    /// Lengths are metres along the body's axes, which lie along the world's in the rest pose (x ahead, y left, z up); angles are degrees, masses
    /// kilograms; sizes leave masses alone. Example: sinew edit hero.toml axis thigh_l 0 1 0 --mirror
    Edit(commands::edit::Edit),
    /// Writes a clip as BVH or GLB: cut, joined, repeated, mirrored, resampled
    ///
    /// Example: sinew export hero.glb --clip walk --repeat 4 -o walk.glb
    Export(commands::export::Export),
    /// Simulates a character held or perturbed by PD control
    ///
    /// Reads a character file, lets the character stand on flat ground and holds its rest pose by implicit PD, or perturbs the
    /// targets with --noise. Example: sinew simulate dinosaur --noise 0.2 --film strip.png --out t.npz --mjcf m.xml
    Simulate(commands::simulate::Simulate),
    /// Measures speed
    Bench {
        #[command(subcommand)]
        what: BenchName,
    },
}

#[derive(Subcommand)]
enum BenchName {
    /// Simulation steps per second on two figures, beside MuJoCo's fastest stable setting
    ///
    /// A: 22 capsules and 21 hinges; B: 18 bodies and 17 ball joints; both on the ground under PD control, restarted every
    /// 0.5 s. The peer runs in the same run where python3 has the package mujoco.
    Sim(commands::bench_sim::BenchSim),
    /// Time to read a rigged file, to model it and to lay its clips onto the character
    Rig(commands::bench_rig::BenchRig),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        None => commands::demo::run(&PathBuf::from("sinew-out")),
        Some(CommandName::Inspect(inspect)) => inspect.run(),
        Some(CommandName::Model(model)) => model.run(),
        Some(CommandName::Edit(edit)) => edit.run(),
        Some(CommandName::Export(export)) => export.run(),
        Some(CommandName::Simulate(simulate)) => simulate.run(),
        Some(CommandName::Bench { what: BenchName::Sim(bench) }) => bench.run(),
        Some(CommandName::Bench { what: BenchName::Rig(bench) }) => bench.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
