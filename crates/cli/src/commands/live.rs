//! `sinew live`: a motion performed by planning while it moves: pushed, on slopes, with other masses; nothing is trained.

use super::inspect::ReadArgs;
use super::{check_outputs, show};
use crate::bar::{Bar, Broken, stopped_by_interrupt};
use crate::settings::{ConfigArgs, one_of};
use anyhow::{Result, bail};
use clap::Args;
use sinew::live::{Changes, Limits, Origin, PushRow, Request, TimedPush, live, prepare, push_limits};
use sinew::living::{LiveConfig, Method};
use sinew::modeler::ModelOptions;
use sinew::transfer::Task;
use sinew::work::{RunOptions, run_once};
use std::path::PathBuf;

/// Options of `sinew live`.
#[derive(Args)]
pub struct Live {
    #[command(flatten)]
    read: ReadArgs,
    /// Clip, as you would say it; may be left out where there is only one
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// How long it performs, seconds
    #[arg(long, value_name = "SECS", default_value_t = 60.0, allow_negative_numbers = true)]
    seconds: f64,
    /// How plans are found
    #[arg(long, value_name = "METHOD", value_parser = one_of::<Method>(), default_value_t)]
    method: Method,
    #[command(flatten)]
    settings: ConfigArgs,
    /// Pushes the root: force over the weight, and after colons when (s), towards where (degrees from ahead to the left) and how long (s): 0.5:2:90:0.2; may be repeated
    #[arg(long, value_name = "WEIGHTS[:AT[:DEG[:SECS]]]", allow_hyphen_values = true)]
    push: Vec<String>,
    /// Finds the largest push that is survived, in 8 directions and both halves of the motion
    #[arg(long)]
    push_limits: bool,
    /// Factor of all masses in the world; the planner does not know
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    mass: Option<f64>,
    /// Friction of the ground in the world; the planner does not know
    #[arg(long, value_name = "COEFFICIENT", allow_negative_numbers = true)]
    friction: Option<f64>,
    /// A step up ahead, metres; the planner does not know
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    step: Option<f64>,
    /// A slope up ahead, degrees; the planner does not know
    #[arg(long, value_name = "DEG", allow_negative_numbers = true)]
    slope: Option<f64>,
    /// Distance to the step or the slope, metres
    #[arg(long, value_name = "M", default_value_t = 2.0, allow_negative_numbers = true)]
    ahead: f64,
    /// How often the feedback law decides in a frame of 0.025 s
    #[arg(long, value_name = "N", default_value_t = 1)]
    decisions: usize,
    /// Writes a film strip as PNG
    #[arg(long, value_name = "FILE")]
    film: Option<PathBuf>,
    /// Writes the beginning as GIF
    #[arg(long, value_name = "FILE")]
    gif: Option<PathBuf>,
    /// Writes the motion: .glb on the artist's skin, .bvh on its skeleton, .npz; may be given several times
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Threads; 0 for one on each core; the result is the same for every number
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl Live {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let config = self.settings.on_top_of(LiveConfig { method: self.method, ..LiveConfig::default() })?;
        if self.settings.print(&config, "Settings of sinew live.")? {
            return Ok(());
        }
        let mut outputs: Vec<(&str, Option<&PathBuf>, &[&str])> =
            vec![("--film", self.film.as_ref(), &["png"]), ("--gif", self.gif.as_ref(), &["gif"])];
        outputs.extend(self.out.iter().map(|out| ("--out", Some(out), &["glb", "bvh", "npz"][..])));
        check_outputs(Some(self.read.path()), &outputs)?;
        for (option, value, range) in [
            ("--seconds", Some(self.seconds), 0.1..=36_000.0),
            ("--mass", self.mass, 0.05..=20.0),
            ("--friction", self.friction, 0.0..=10.0),
            ("--step", self.step, -2.0..=2.0),
            ("--slope", self.slope, -45.0..=45.0),
            ("--ahead", Some(self.ahead), 0.0..=1000.0),
        ] {
            if let Some(value) = value.filter(|value| !range.contains(value)) {
                bail!("{option} {value}: give a number from {} to {}", range.start(), range.end());
            }
        }
        let pushes = self.push.iter().map(|text| parsed(text)).collect::<Result<Vec<TimedPush>>>()?;
        let changes = Changes {
            mass: self.mass,
            friction: self.friction,
            step_m: self.step,
            slope_deg: self.slope,
            ahead_m: self.ahead,
            heading_rad: 0.0,
        };
        let bar = Bar::new("preparing and performing")?;
        let options = RunOptions { threads: self.threads, cancel: stopped_by_interrupt(), ..RunOptions::default() };
        let origin = self.origin()?;
        if self.push_limits {
            bar.doing("pushing");
            let rows = run_once(&options, || {
                let prepared = prepare(origin)?;
                push_limits(&prepared, &config, self.decisions, &changes, &Limits::default())
            })?;
            bar.finish();
            let rows = rows.ok_or(Broken)?;
            return match self.json {
                true => show(&(serde_json::to_string_pretty(&rows)? + "\n")),
                false => show(&table(&rows)),
            };
        }
        let request = Request {
            origin,
            config,
            seconds: self.seconds,
            decisions: self.decisions,
            changes,
            pushes,
            film: self.film.clone(),
            gif: self.gif.clone(),
            out: self.out.clone(),
        };
        let summary = live(request, &options)?;
        bar.finish();
        let summary = summary.ok_or(Broken)?;
        if self.json {
            return show(&summary.to_json()?);
        }
        let mut lines = vec![summary.headline()];
        lines.extend(summary.notes.iter().map(|note| format!("  {note}")));
        let written = [&self.film, &self.gif].into_iter().flatten().chain(&self.out);
        lines.extend(written.map(|path| format!("wrote {}", path.display())));
        show(&(lines.join("\n") + "\n"))
    }

    fn origin(&self) -> Result<Origin> {
        let folder = self.read.path();
        if folder.is_dir() {
            return Ok(Origin::Folder(folder.to_path_buf()));
        }
        let (source, character) = self.read.open_with_character()?;
        let options = ModelOptions {
            name: source.name.clone(),
            source: self.read.file_name(),
            metres_per_unit: source.changed_unit(),
            ..ModelOptions::default()
        };
        let task = Task { clip: self.clip.clone(), character, options, ..Task::default() };
        Ok(Origin::Clip(Box::new(source), Box::new(task)))
    }
}

/// Reads `WEIGHTS[:AT[:DEG[:SECS]]]`.
fn parsed(text: &str) -> Result<TimedPush> {
    let numbers: Option<Vec<f64>> =
        text.split(':').map(|part| part.parse().ok().filter(|x: &f64| x.is_finite())).collect();
    let Some(numbers) = numbers.filter(|numbers| numbers.len() <= 4) else {
        bail!("--push {text}: give numbers as in 0.5:2:90:0.2, that is half the weight at 2 s to the left for 0.2 s");
    };
    let at = |index: usize, otherwise: f64| numbers.get(index).copied().unwrap_or(otherwise);
    Ok(TimedPush { weights: at(0, 0.0), at_secs: at(1, 1.0), direction_deg: at(2, 0.0), secs: at(3, 0.2) })
}

fn table(rows: &[PushRow]) -> String {
    let mut text =
        String::from("largest push survived for 0.2 s, over the weight\ndirection  first half  second half\n");
    for row in rows {
        text += &format!("{:>8.0}°  {:>10.1}  {:>11.1}\n", row.direction_deg, row.first_half, row.second_half);
    }
    text
}
