//! The `sinew` binary: one command line over the library.

mod bar;
mod commands;
mod hints;
mod settings;

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

/// What the program does when it is not told anything.
/// Its jump hovers as it is drawn, so that no other way leads nearer to it than the first.
const MAIN_JOB: [&str; 8] = ["sinew", "transfer", "dinosaur", "--clip", "boxing", "--first", "--out", "sinew-out"];

/// What it says of that.
const MAIN_JOB_SAYS: &str = "sinew: transferring the embedded dinosaur's boxing clip to simulation, into sinew-out, which takes up to a minute; \
     `sinew --help` lists what else it does";

/// Turns animation into simulated characters.
///
/// Without a command: transfers the boxing clip of the embedded dinosaur to simulation and writes pictures, motion and report to sinew-out.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: CommandName,
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
    /// Moves clips of one skeleton to another: people to people, beasts to beasts
    ///
    /// Finds what the joints of both are for, aligns their rest poses, scales the travel by the legs and plants the feet. --map-out writes which joints move
    /// which; mend it and give it back with --map. Example: sinew retarget hero.glb walk.bvh -o hero-walks.glb --film strip.png
    Retarget(commands::retarget::Retarget),
    /// Turns a clip into a motion that the simulated character performs
    ///
    /// Reads, models, lays the clip onto the character and searches offsets to its poses with which the simulated character follows it. FILE may also
    /// be a character that `sinew model` made; then name its rig with --motion. Example: sinew transfer hero.glb --clip walk --cycles 4
    Transfer(commands::transfer::Transfer),
    /// Trains a policy that repeats the cycle of a transferred motion and keeps the balance
    ///
    /// Performs the motion in DIR again, takes its steadiest cycle and trains a feedback with which it can be repeated for long and pushed; writes
    /// policy.json and feedback.html there. Example: sinew transfer hero.glb --clip walk --cycles 6 --out w; sinew feedback w
    Feedback(commands::feedback::Feedback),
    /// Performs a transferred motion again from its files, and can push it; with --feedback under the policy of `sinew feedback`
    ///
    /// Example: sinew replay sinew-out/hero-walk --push 100 --at 1.5 --direction 90 --film pushed.png
    Replay(commands::replay::Replay),
    /// Finds a front of motions: the least effort for every height
    #[command(subcommand)]
    Pareto(commands::pareto::Pareto),
    /// Jumps as high as it is told, with a controller picked or blended from a front
    ///
    /// Example: sinew jump --height 1.9 --out high
    Jump(commands::jump::Jump),
    /// Makes what characters learn from
    #[command(subcommand)]
    Learn(commands::learn::Learn),
    /// Brings an artist's key-frames to life: a rigged file becomes a simulated character that can be played
    ///
    /// Models it, transfers every clip, learns from the simulated motions and trains a policy. Gaits (walk, run, idle) become moving about, every other
    /// clip an action on a key. Example: sinew bring hero.glb --clips walk,jump,punch -o hero; sinew play hero --random 60 --film played.png
    Bring(commands::bring::Bring),
    /// Plays a character that `sinew bring` made: by hand in the browser, by a script or by random objectives
    ///
    /// Example: sinew play hero --script moves.toml --film played.png --out take.glb --record take.toml
    Play(commands::play::Play),
    /// Performs a clip by planning while it moves: pushed, on slopes, with other masses; nothing is trained
    ///
    /// FILE is a rigged file or the folder of a transfer. Cycles are looped. Example: sinew live hero.glb --clip walk --push 0.5:2:90 --film pushed.png
    Live(commands::live::Live),
    /// Simulates a character held or perturbed by PD control
    ///
    /// Reads a character file, lets the character stand on flat ground and holds its rest pose by implicit PD, or perturbs the
    /// targets with --noise. Example: sinew simulate dinosaur --noise 0.2 --film strip.png --out t.npz --mjcf m.xml
    Simulate(commands::simulate::Simulate),
    /// Opens the studio in the browser: drop a character in, fix its body, watch it become physical
    ///
    /// Serves one page on this machine only. The project is a folder of plain files that the other commands read and write too.
    /// Example: sinew studio my-hero
    Studio(commands::studio::Studio),
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
    /// Time to read and to write all worlds at once, as a learner does, beside the time to step them
    ///
    /// 4096 worlds of figure B, 20 steps of 1/600 s in a control interval (30 Hz), on one thread and on all cores: all positions, velocities,
    /// observations and conditions are read, and all PD targets written, in each interval.
    Control(commands::bench_control::BenchControl),
    /// Time to read a rigged file, to model it and to lay its clips onto the character
    Rig(commands::bench_rig::BenchRig),
    /// Time of a transfer, a front of jumps and a training on 1, 2, 4, 8 and 16 threads
    ///
    /// All with small budgets and of what is in the program. Ends with an error where a number of threads changes a result.
    Scaling(commands::bench_scaling::BenchScaling),
}

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let cli = match arguments.len() {
        0 | 1 => {
            // Also where no bar is drawn, because nobody looks at a terminal.
            eprintln!("{MAIN_JOB_SAYS}");
            Cli::parse_from(MAIN_JOB)
        }
        _ => Cli::parse_from(arguments),
    };
    let result = match cli.command {
        CommandName::Inspect(inspect) => inspect.run(),
        CommandName::Model(model) => model.run(),
        CommandName::Edit(edit) => edit.run(),
        CommandName::Export(export) => export.run(),
        CommandName::Retarget(retarget) => retarget.run(),
        CommandName::Transfer(transfer) => transfer.run(),
        CommandName::Feedback(feedback) => feedback.run(),
        CommandName::Replay(replay) => replay.run(),
        CommandName::Pareto(pareto) => pareto.run(),
        CommandName::Jump(jump) => jump.run(),
        CommandName::Learn(learn) => learn.run(),
        CommandName::Bring(bring) => bring.run(),
        CommandName::Play(play) => play.run(),
        CommandName::Live(live) => live.run(),
        CommandName::Simulate(simulate) => simulate.run(),
        CommandName::Studio(studio) => studio.run(),
        CommandName::Bench { what: BenchName::Sim(bench) } => bench.run(),
        CommandName::Bench { what: BenchName::Control(bench) } => bench.run(),
        CommandName::Bench { what: BenchName::Rig(bench) } => bench.run(),
        CommandName::Bench { what: BenchName::Scaling(bench) } => bench.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // As shells count a program that an interrupt ended.
        Err(error) if error.is::<bar::Interrupted>() || error.is::<bar::Broken>() => {
            eprintln!("{error}");
            ExitCode::from(130)
        }
        Err(error) => {
            eprintln!("error: {error:#}{}", hints::hint(&error));
            ExitCode::FAILURE
        }
    }
}
