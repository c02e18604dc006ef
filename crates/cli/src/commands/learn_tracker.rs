//! `sinew learn tracker` and `sinew learn test`: policies that track motion in simulation.

use super::show;
use crate::bar::{Bar, Interrupted, stopped_by_interrupt};
use crate::settings::{ConfigArgs, one_of};
use anyhow::{Result, bail};
use clap::Args;
use sinew::learn::DeviceKind;
use sinew::learn::tracker::{Event, Made, POLICY, Request, TestRequest, Tested, test, train, usual_preset};
use sinew::tracking::{TrackerConfig, TrackerPreset, TrialOptions};
use sinew::work::RunOptions;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

/// Options of `sinew learn tracker`.
#[derive(Args)]
pub struct Tracker {
    /// What is tracked: a folder of `sinew learn data`, `sinew learn generator`, `sinew transfer` or `sinew feedback`, a file or folder of clips, dinosaur, human, quadruped, or a released reference (.npy)
    #[arg(value_name = "SET|GENERATOR|TRANSFER|CLIP|REFERENCE")]
    input: PathBuf,
    /// The character: embedded, a rigged file, one that `sinew model` made, or a released body (.xml); by default that of the set or file
    #[arg(long, value_name = "BODY")]
    character: Option<PathBuf>,
    /// The clip of a file with several, by its name or a part of it
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// Tracks only so many frames of a set or of clips, drawn by the seed
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(12..))]
    frames: Option<u32>,
    /// A policy of the same character to go on from, instead of one that knows nothing: a folder of this command, or its file
    #[arg(long, value_name = "POLICY")]
    from: Option<PathBuf>,
    /// Constants: paper (the text), icc (its authors' code), default, driven, which is the default for generators, or performed, which is that for transfers
    #[arg(long, value_name = "NAME", value_parser = one_of::<TrackerPreset>())]
    preset: Option<TrackerPreset>,
    /// Million transitions after which training ends; by default those of the preset
    #[arg(long, value_name = "MILLIONS", allow_negative_numbers = true)]
    transitions: Option<f64>,
    /// Ends training after so many minutes; what was learnt until then is the result
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    minutes: Option<f64>,
    /// Ends training as soon as a test without noise earns this reward a frame, from 0 to 1
    #[arg(long, value_name = "REWARD", allow_negative_numbers = true)]
    until: Option<f64>,
    /// Where networks run: cpu gives the same bits everywhere, cuda is an NVIDIA GPU; by default a GPU if there is one that works
    #[arg(long, value_name = "cpu|cuda", value_parser = one_of::<DeviceKind>())]
    device: Option<DeviceKind>,
    /// Folder of the result
    #[arg(short, long, value_name = "DIR", default_value = "sinew-out/policy")]
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

impl Tracker {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let preset = self.preset.unwrap_or_else(|| usual_preset(&self.input));
        let usual = TrackerConfig::preset(preset);
        let usual = if self.from.is_some() { usual.going_on() } else { usual };
        let mut config = self.settings.on_top_of(usual)?;
        if let Some(millions) = self.transitions {
            if !(0.001..=100_000.0).contains(&millions) {
                bail!("--transitions {millions}: give a number of millions from 0.001 to 100000");
            }
            config.transitions = (millions * 1e6) as u64;
        }
        if self.settings.print(&config, "Settings of sinew learn tracker.")? {
            return Ok(());
        }
        if let Some(minutes) = self.minutes.filter(|minutes| !(0.001..=100_000.0).contains(minutes)) {
            bail!("--minutes {minutes}: give a number from 0.001 to 100000");
        }
        if let Some(until) = self.until.filter(|until| !(0.0..=1.0).contains(until)) {
            bail!("--until {until}: give a reward from 0 to 1");
        }
        let request = Request {
            input: self.input.clone(),
            character: self.character.clone(),
            clip: self.clip.clone(),
            frames: self.frames.map(|frames| frames as usize),
            from: self.from.clone(),
            config,
            seed: self.seed,
            until: self.until,
            longest: self.minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes)),
            trial: TrialOptions::default(),
            device: self.device,
            out: self.output.clone(),
        };
        let options = RunOptions {
            threads: self.threads,
            resumes: self.resume,
            cancel: stopped_by_interrupt(),
            ..RunOptions::default()
        };
        let mut bar = Bar::new("reading what is to be tracked")?;
        let made = train(&request, &options, &mut |event| {
            match event {
                Event::Prepared(input) => input.notes.iter().for_each(|note| bar.say(note)),
                Event::Device { gpu: Some(name) } => {
                    bar.say(&format!("networks run on the {name}; --device cpu gives the same bits everywhere"))
                }
                Event::Device { gpu: None } => {}
                Event::Training { started, progress } => bar.show(started, progress),
                Event::Measuring => bar.doing("measuring the policy"),
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
    let mut lines = vec![summary.headline()];
    lines.push(format!(
        "  {:.0} % of episodes within 0.5 m on average, {:.0} % with every body within 0.25 m; reward in training {:.3}",
        100.0 * summary.figures.within_half_metre,
        100.0 * summary.figures.within_quarter_metre,
        summary.training_reward_per_frame
    ));
    lines.push(format!(
        "  {:.1} M transitions, {:.0} a second, {:.0} s in all; {} numbers learnt",
        summary.transitions as f64 * 1e-6,
        summary.transitions_per_sec.unwrap_or(0.0),
        summary.wall_secs.unwrap_or(0.0),
        summary.parameters
    ));
    lines.extend(summary.advice.iter().map(|advice| format!("  {advice}")));
    lines.push(format!("policy: {}", made.out.join(POLICY).display()));
    lines.push(format!("report: {}", made.out.join("report.html").display()));
    lines.join("\n") + "\n"
}

/// Options of `sinew learn test`.
#[derive(Args)]
pub struct Test {
    /// The policy: a folder of `sinew learn tracker`, or its file
    #[arg(value_name = "POLICY")]
    policy: PathBuf,
    /// What it is to track, as in `sinew learn tracker`
    #[arg(value_name = "SET|GENERATOR|TRANSFER|CLIP|REFERENCE")]
    input: PathBuf,
    /// The character whose motion that is, where training was given one
    #[arg(long, value_name = "BODY")]
    character: Option<PathBuf>,
    /// The clip of a file with several, by its name or a part of it
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// Follows the motion for so many seconds as well, and counts falls; a cycle is repeated, other motion begun anew at its end
    #[arg(long, value_name = "SECS", allow_negative_numbers = true)]
    track: Option<f64>,
    /// Looks for the largest push in each of eight directions, as sinew feedback does: the motion must be one cycle
    #[arg(long)]
    pushes: bool,
    /// Episodes
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65536))]
    episodes: u32,
    /// Seconds of each episode
    #[arg(long, value_name = "SECS", default_value_t = 10.0, allow_negative_numbers = true)]
    seconds: f64,
    /// Seed of the starts
    #[arg(long, value_name = "N", default_value_t = 2)]
    seed: u64,
    /// Threads; 0 for one on each core; the result is the same for every number
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl Test {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        if !(0.1..=36_000.0).contains(&self.seconds) {
            bail!("--seconds {}: give a number from 0.1 to 36000", self.seconds);
        }
        if let Some(secs) = self.track.filter(|secs| !(0.1..=36_000.0).contains(secs)) {
            bail!("--track {secs}: give a number of seconds from 0.1 to 36000");
        }
        let frames = (self.seconds * 30.0).round().max(1.0) as usize;
        let request = TestRequest {
            policy: self.policy.clone(),
            input: self.input.clone(),
            character: self.character.clone(),
            clip: self.clip.clone(),
            trial: TrialOptions { episodes: self.episodes as usize, frames, seed: self.seed },
            track_secs: self.track,
            is_pushed: self.pushes,
        };
        let options = RunOptions { threads: self.threads, cancel: stopped_by_interrupt(), ..RunOptions::default() };
        let tested = test(&request, &options)?.ok_or(Interrupted)?;
        match self.json {
            true => show(&tested.to_json()?),
            false => show(&tested_text(&tested)),
        }
    }
}

fn tested_text(tested: &Tested) -> String {
    let figures = &tested.figures;
    let mut text = format!(
        "reward {:.3} a frame, completion {:.3}; {} of {} episodes fall; bodies {:.1} cm off; {:.0} % within 0.5 m on average, {:.0} % with every body within 0.25 m; {:.0} µs a decision\n",
        figures.reward_per_frame,
        figures.completion,
        figures.falls,
        figures.episodes,
        100.0 * figures.mean_body_error_m,
        100.0 * figures.within_half_metre,
        100.0 * figures.within_quarter_metre,
        tested.micros_per_frame
    );
    if let Some(track) = &tested.track {
        let begun = match track.ends {
            0 => "without a break".into(),
            ends => format!("with the motion begun anew {ends} times"),
        };
        text += &format!(
            "{:.0} s {begun}: {} falls, the longest time without one {:.0} s; bodies {:.1} cm off, reward {:.3} a frame\n",
            track.seconds,
            track.falls,
            track.longest_secs,
            100.0 * track.mean_body_error_m,
            track.reward_per_frame
        );
    }
    if let Some(pushes) = &tested.pushes {
        text += &format!(
            "largest pushes on the root for {:.2} s, cycle of {:.2} s, weight {:.0} N:\n",
            pushes.push_secs, pushes.period_secs, pushes.weight_newtons
        );
        for push in &pushes.pushes {
            text +=
                &format!("  {:3.0}°  {:5.0} N  {:.2} of the weight\n", push.direction_deg, push.newtons, push.weights);
        }
    }
    text
}
