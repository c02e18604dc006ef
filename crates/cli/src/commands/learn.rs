//! `sinew learn`: data sets, from which characters learn to move.

use super::show;
use crate::bar::{Bar, Interrupted, stopped_by_interrupt};
use crate::settings::ConfigArgs;
use anyhow::Result;
use clap::{Args, Subcommand};
use sinew::learn::{Event, Made, Request, SET, make};
use sinew::learning::DataConfig;
use sinew::work::RunOptions;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// What is learnt.
#[derive(Subcommand)]
pub enum Learn {
    /// Makes a data set of clips: retargeted onto one character, labelled, augmented
    ///
    /// Brings all clips of a folder (BVH, glTF, FBX, DeepMimic, folders of `sinew transfer`) onto one character at 30 Hz, finds contacts, builds a motion
    /// graph, walks through it at random and bends, stretches and paces what comes out; infers what the character means to do in every frame.
    /// Example: sinew learn data clips --character human -o set
    Data(Data),
    /// Makes a motion generator of a data set: a character that can be driven, before it is simulated
    ///
    /// Searches the set for the motion that goes on from the present pose and leads where the objective says (motion matching; nothing is trained), blends
    /// over, and keeps feet where they stand; or trains a recurrent network that predicts the next frame (--kind lstm). Measures it for ten minutes under
    /// random objectives. Example: sinew learn generator set -o gen
    Generator(super::learn_generator::Generator),
    /// Trains a policy that tracks a motion in simulation
    ///
    /// Takes a data set, a generator, the folder of a transfer (which it follows with its own controls), clips (a file, a folder, an embedded character)
    /// or a released reference (.npy with its body as --character humanoid.xml); trains by proximal policy optimisation in many worlds, measures the
    /// policy without noise and writes it. Goes on after Ctrl-C with --resume, to the same bytes. Example: sinew learn tracker set -o policy
    Tracker(super::learn_tracker::Tracker),
    /// Measures a trained policy again, with other starts
    ///
    /// Example: sinew learn test policy set --seed 5
    Test(super::learn_tracker::Test),
    /// Writes a policy for other simulators: the network as ONNX, the character as MJCF, what its numbers mean, and a motion to follow
    ///
    /// Of a package the motion is a walk that its generator makes. scripts/policy_in_mujoco.py runs the result in MuJoCo.
    /// Example: sinew learn export human -o exported
    Export(super::learn_export::Export),
    /// Drives a simulated character by random objectives: a generator says where it goes, a policy moves its body there
    ///
    /// Counts falls and measures how well it gets to its targets. Example: sinew learn drive gen policy -o drive
    Drive(super::learn_drive::Drive),
}

impl Learn {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        match self {
            Learn::Data(data) => data.run(),
            Learn::Generator(generator) => generator.run(),
            Learn::Tracker(tracker) => tracker.run(),
            Learn::Test(test) => test.run(),
            Learn::Export(export) => export.run(),
            Learn::Drive(drive) => drive.run(),
        }
    }
}

/// Options of `sinew learn data`.
#[derive(Args)]
pub struct Data {
    /// Folder of clips, a file with clips, or `dinosaur`, `human` or `quadruped` with their own
    #[arg(value_name = "FOLDER|FILE")]
    input: PathBuf,
    /// The character: embedded, a rigged file, or one that `sinew model` made; by default the file itself, for a folder `human`
    #[arg(long, value_name = "human|hero.toml|hero.glb")]
    character: Option<PathBuf>,
    /// What the clips show: a TOML file with file, action, from and to of each clip; by default labels.toml of the folder, else MoveTo alone
    #[arg(long, value_name = "labels.toml")]
    labels: Option<PathBuf>,
    /// Minutes of augmented motion; by default 10
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true)]
    minutes: Option<f64>,
    /// Folder of the result
    #[arg(short, long, value_name = "DIR", default_value = "sinew-out/set")]
    output: PathBuf,
    #[command(flatten)]
    settings: ConfigArgs,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Threads; 0 for one on each core; the result is the same for every number
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Goes on from the checkpoint that an interrupted run left in the folder
    #[arg(long)]
    resume: bool,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl Data {
    fn run(&self) -> Result<()> {
        let mut config = self.settings.on_top_of(DataConfig::default())?;
        if let Some(minutes) = self.minutes {
            config.minutes = minutes;
        }
        if self.settings.print(&config, "Settings of sinew learn data.")? {
            return Ok(());
        }
        let request = Request {
            input: self.input.clone(),
            character: self.character.clone(),
            labels: self.labels.clone(),
            config,
            seed: self.seed,
            pictures: true,
            out: self.output.clone(),
        };
        let options = RunOptions {
            threads: self.threads,
            resumes: self.resume,
            cancel: stopped_by_interrupt(),
            ..RunOptions::default()
        };
        let mut bar = Bar::new("bringing the clips onto the character")?;
        let made = make(&request, &options, &mut |event| {
            match event {
                Event::Prepared(prepared) => {
                    for skipped in &prepared.clips.skipped {
                        bar.say(&format!("left out: {}: {}", skipped.file, skipped.why));
                    }
                }
                Event::Augmenting { started, progress } => bar.show(started, progress),
                Event::Writing => bar.doing("drawing pictures"),
            }
            ControlFlow::Continue(())
        })?;
        bar.finish();
        let made = made.ok_or(Interrupted)?;
        match self.json {
            true => show(&made.summary.to_json()?),
            false => show(&text(&made)),
        }
    }
}

fn text(made: &Made) -> String {
    let summary = &made.summary;
    let (graph, file) = (&summary.graph, |name: &str| made.out.join(name).display().to_string());
    let mut lines = vec![summary.headline()];
    lines.push(format!(
        "  graph: {} transitions, {:.0} a minute, in {:.0} % of the frames; {:.1} taken in a minute",
        graph.transitions,
        graph.transitions_per_minute,
        100.0 * graph.core_frames as f64 / graph.frames.max(1) as f64,
        summary.transitions_per_minute
    ));
    for after in &summary.ranges_after {
        let said = |q: [f64; 5]| format!("{:.2} to {:.2}", q[1], q[3]);
        let before = summary.ranges_before.iter().find(|b| b.control == after.control);
        let before = before.map_or("–".into(), |b| said(b.quantiles));
        lines.push(format!("  {:18} {before:>16}  →  {:>16} {}", after.control, said(after.quantiles), after.unit));
    }
    let areas = [summary.target_area_before_m2, summary.target_area_after_m2];
    lines.push(format!("  {:18} {:>13.2} m²  →  {:>13.2} m²", "ground of targets", areas[0], areas[1]));
    lines.extend(summary.notes.iter().map(|note| format!("  {note}")));
    lines.push(format!("  in {:.1} s", summary.wall_secs.unwrap_or(0.0)));
    lines.push(format!("set:    {}", file(SET)));
    lines.push(format!("report: {}", file("report.html")));
    lines.join("\n") + "\n"
}
