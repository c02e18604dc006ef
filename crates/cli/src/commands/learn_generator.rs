//! `sinew learn generator`: from a data set to a character that can be driven.

use super::show;
use crate::bar::{Bar, Interrupted, stopped_by_interrupt};
use crate::settings::{ConfigArgs, one_of};
use anyhow::{Result, bail};
use clap::Args;
use sinew::learn::DeviceKind;
use sinew::learn::generator::{Event, GENERATOR, GeneratorSettings, Made, Request, make};
use sinew::learning::{GeneratorKind, MatchingConfig, RecurrentConfig, RecurrentPreset, TrialOptions};
use sinew::work::RunOptions;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Options of `sinew learn generator`.
#[derive(Args)]
pub struct Generator {
    /// Data set: a folder that `sinew learn data` made, or its file
    #[arg(value_name = "SET")]
    set: PathBuf,
    /// Kind of generator: motion matching over the set, or a network that is trained on it
    #[arg(long, value_name = "KIND", value_parser = one_of::<GeneratorKind>(), default_value_t = GeneratorKind::Matching)]
    kind: GeneratorKind,
    /// Constants of the network and its training: small and quick, or those of Park et al. 2019; default by default
    #[arg(long, value_name = "PRESET", value_parser = one_of::<RecurrentPreset>())]
    preset: Option<RecurrentPreset>,
    /// Minutes of motion under random objectives by which it is measured
    #[arg(long, value_name = "MINUTES", default_value_t = 10.0, allow_negative_numbers = true)]
    minutes: f64,
    /// Folder of the result
    #[arg(short, long, value_name = "DIR", default_value = "sinew-out/generator")]
    output: PathBuf,
    #[command(flatten)]
    settings: ConfigArgs,
    /// What a network is trained on: cpu gives the same bits everywhere, cuda is an NVIDIA GPU; by default a GPU if there is one that works
    #[arg(long, value_name = "cpu|cuda", value_parser = one_of::<DeviceKind>())]
    device: Option<DeviceKind>,
    /// Seed of the random objectives and of the training
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads; 0 for one on each core; the result is the same for every number
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Goes on from the checkpoint that an interrupted training left in the folder
    #[arg(long)]
    resume: bool,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl Generator {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let Some(settings) = self.settings()? else { return Ok(()) };
        if !(self.minutes >= 0.1 && self.minutes <= 1000.0) {
            bail!("--minutes {}: give a number from 0.1 to 1000", self.minutes);
        }
        let request = Request {
            set: self.set.clone(),
            settings,
            device: self.device,
            trial: TrialOptions { minutes: self.minutes, seed: self.seed },
            out: self.output.clone(),
        };
        let options = RunOptions {
            threads: self.threads,
            resumes: self.resume,
            cancel: stopped_by_interrupt(),
            ..RunOptions::default()
        };
        let mut bar = Bar::new("reading the set")?;
        let made = make(&request, &options, &mut |event| {
            match event {
                Event::Preparing { .. } => bar.doing("preparing the frames of the set"),
                Event::Device { gpu: Some(name) } => {
                    bar.say(&format!("trained on the {name}; --device cpu gives the same bits everywhere"))
                }
                Event::Device { gpu: None } => {}
                Event::Training { started, progress } => bar.show(started, progress),
                Event::Measuring => bar.doing("moving under random objectives"),
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

impl Generator {
    /// The settings of the kind; none where they were only to be printed.
    fn settings(&self) -> Result<Option<GeneratorSettings>> {
        const TITLE: &str = "Settings of sinew learn generator.";
        Ok(match self.kind {
            GeneratorKind::Matching => {
                if self.device.is_some() {
                    bail!("--device is of --kind lstm: motion matching trains no network");
                }
                if self.preset.is_some() {
                    bail!("--preset is of --kind lstm: motion matching has no presets");
                }
                let matching = self.settings.on_top_of(MatchingConfig::default())?;
                let is_printed = self.settings.print(&matching, TITLE)?;
                (!is_printed).then_some(GeneratorSettings::Matching(matching))
            }
            GeneratorKind::Lstm => {
                let preset = RecurrentConfig::preset(self.preset.unwrap_or_default());
                let lstm = self.settings.on_top_of(preset)?;
                let is_printed = self.settings.print(&lstm, TITLE)?;
                (!is_printed).then_some(GeneratorSettings::Lstm(lstm))
            }
        })
    }
}

fn text(made: &Made) -> String {
    let (summary, figures) = (&made.summary, &made.summary.figures);
    let mut lines = vec![summary.headline()];
    for action in &figures.actions {
        lines.push(format!(
            "  {:18} {:4} targets, {:.2} m off, {:3.0} % within 0.3 m; {} velocities, {:.2} m/s off",
            action.name,
            action.targets,
            action.target_error_m,
            100.0 * action.reached_share,
            action.velocities,
            action.velocity_error
        ));
    }
    lines.push(format!(
        "  targets that may be out of reach: {:.2} m off, {:.0} % within 0.3 m; low feet move at {:.1} cm/s, in the set at {:.1}",
        figures.any_target_error_m,
        100.0 * figures.any_reached_share,
        figures.skating_cm_per_sec,
        figures.set_skating_cm_per_sec
    ));
    lines.push(format!(
        "  answers a change of direction in {:.2} s ({:.0} % of {}); variety {:.2}; drift {:+.1}°; bones {:.3} %",
        figures.respond_secs,
        100.0 * figures.responded_share,
        figures.turns,
        figures.variety,
        figures.drift_deg,
        figures.bone_stretch_percent
    ));
    lines.push(format!(
        "  {:.0} µs for a frame, {:.0} µs in 99 of 100; {:.1} MB; made in {:.2} s",
        figures.micros_per_frame,
        figures.micros_p99,
        figures.bytes as f64 / 1e6,
        summary.train_secs.unwrap_or(0.0)
    ));
    lines.push(format!("generator: {}", made.out.join(GENERATOR).display()));
    lines.push(format!("report:    {}", made.out.join("report.html").display()));
    lines.join("\n") + "\n"
}
