//! `sinew bring`: an artist's key-frames become a character that can be played.

use super::show;
use crate::bar::{Bar, Interrupted, stopped_by_interrupt};
use crate::settings::one_of;
use anyhow::{Result, bail};
use clap::Args;
use sinew::bring::{Brought, Event, Recipe, Request, bring};
use sinew::tracking::{TrackerConfig, TrackerPreset};
use sinew::transfer::Preset;
use sinew::work::RunOptions;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

/// Options of `sinew bring`.
#[derive(Args)]
pub struct Bring {
    /// A rigged file with clips, or dinosaur, human, quadruped; with --recipe a folder of captured clips
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// Makes a character of captured clips, as a TOML file says, or gorilla, hop, walk_run_stand_up, zombie
    #[arg(long, value_name = "RECIPE", conflicts_with_all = ["clips", "preset", "rehearse"])]
    recipe: Option<PathBuf>,
    /// Clips, as you would say them, separated by commas; all of the file by default
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    clips: Vec<String>,
    /// Folder of the package; by default the name of the file
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Longest training, minutes; by default 10, with the preset quick 3
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    minutes: Option<f64>,
    /// Million transitions after which training ends, instead of a time: the same on every machine
    #[arg(long, value_name = "MILLIONS", conflicts_with = "minutes", allow_negative_numbers = true)]
    transitions: Option<f64>,
    /// Trains the policy of a package of the same character further, instead of one that knows nothing
    #[arg(long, value_name = "PACKAGE")]
    from: Option<PathBuf>,
    /// How hard clips are searched for: quick, default or paper, as in `sinew transfer`
    #[arg(long, value_name = "PRESET", value_parser = one_of::<Preset>(), default_value_t)]
    preset: Preset,
    /// Minutes of motion between the clips, such as halts and turns, that are made feasible before training: about a minute of work for each 6 s
    #[arg(long, value_name = "M", default_value_t = 0.0, allow_negative_numbers = true)]
    rehearse: f64,
    /// Seconds under random objectives by which the character is measured
    #[arg(long, value_name = "SECS", default_value_t = 600.0, allow_negative_numbers = true)]
    measure: f64,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Threads; 0 for one on each core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Goes on with what an interrupted run left in the folder
    #[arg(long)]
    resume: bool,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl Bring {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let recipe = self.recipe.clone().map(|path| Recipe::open(&path).map(|recipe| (path, recipe))).transpose()?;
        let usual = match &recipe {
            Some((_, recipe)) => recipe.minutes,
            None if self.preset == Preset::Quick => 3.0,
            None => 10.0,
        };
        let minutes = self.minutes.unwrap_or(usual);
        if !(0.01..=10_000.0).contains(&minutes) {
            bail!("--minutes {minutes}: give a number from 0.01 to 10000");
        }
        if !(10.0..=36_000.0).contains(&self.measure) {
            bail!("--measure {}: give a number of seconds from 10 to 36000", self.measure);
        }
        if !(0.0..=60.0).contains(&self.rehearse) {
            bail!("--rehearse {}: give a number of minutes from 0 to 60", self.rehearse);
        }
        let driven = || TrackerConfig::preset(TrackerPreset::Driven);
        let mut tracker = recipe.as_ref().map_or_else(driven, |(_, recipe)| recipe.tracker.clone());
        let mut training = Duration::from_secs_f64(60.0 * minutes);
        if let Some(millions) = self.transitions {
            if !(0.001..=100_000.0).contains(&millions) {
                bail!("--transitions {millions}: give a number of millions from 0.001 to 100000");
            }
            tracker.transitions = (millions * 1e6) as u64;
            training = Duration::from_secs(u32::MAX.into());
        }
        let named = self.recipe.as_ref().unwrap_or(&self.input);
        let stem = named.file_stem().unwrap_or(named.as_os_str());
        let request = Request {
            input: self.input.clone(),
            recipe,
            clips: self.clips.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect(),
            preset: self.preset,
            rehearsed_minutes: self.rehearse,
            training,
            from: self.from.clone(),
            tracker,
            measured_secs: self.measure,
            seed: self.seed,
            out: self.output.clone().unwrap_or_else(|| PathBuf::from("sinew-out").join(stem)),
        };
        let options = RunOptions {
            threads: self.threads,
            resumes: self.resume,
            cancel: stopped_by_interrupt(),
            ..RunOptions::default()
        };
        let bar = Bar::new("reading")?;
        let brought = bring(&request, &options, &mut |event| {
            match event {
                Event::Working { stage, share, doing } => bar.set(share, &format!("{stage} {doing}")),
                Event::Note(note) => bar.say(note),
            }
            ControlFlow::Continue(())
        })?;
        bar.finish();
        let Brought { summary, out, .. } = brought.ok_or(Interrupted)?;
        if self.json {
            return show(&summary.to_json()?);
        }
        let mut lines = vec![summary.headline()];
        lines.extend(summary.advice.iter().map(|advice| format!("  {advice}")));
        let stages = summary.stages.iter().map(|row| format!("{} {:.0} s", row.stage, row.secs));
        lines.push(format!("  {}", stages.collect::<Vec<_>>().join(", ")));
        lines.push(format!("report:  {}", out.join("report.html").display()));
        lines.push(format!("play it: sinew play {} --random 60 --film played.png", out.display()));
        show(&(lines.join("\n") + "\n"))
    }
}
