//! `sinew transfer`: a clip becomes a motion that the simulated character performs.

use super::inspect::ReadArgs;
use super::show;
use anyhow::{Context, Result};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use sinew::modeler::ModelOptions;
use sinew::transfer::{
    ASSIST_CHECKPOINT, AssistProgress, Assisted, Begins, Finished, OutputFolder, Prepared, RunOptions, Stage, Started,
    Summary, Task, assist, assist_settings, can_be_assisted, files, prepare, preset, run,
};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Options of `sinew transfer`.
#[derive(Args)]
pub struct Transfer {
    #[command(flatten)]
    read: ReadArgs,
    /// Clip, as you would say it; `jump+jump_idle+jump_land` joins three; may be left out where there is only one
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// How hard to search: `paper` is Keys-to-Sim 2018 to the letter, `quick` gives a first look
    #[arg(long, value_name = "paper|default|quick", default_value = "default")]
    preset: String,
    /// Cycles in a row, each going on from where the last one ended
    #[arg(long, value_name = "N")]
    cycles: Option<usize>,
    /// Seed of the search
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Threads; 0 for one on each core; the result is the same for every number
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Starts standing still instead of with the clip's velocity (preset `paper` always does)
    #[arg(long)]
    from_rest: bool,
    /// Leaves feet that slide in the clip while they stand as they are, instead of planting them
    #[arg(long)]
    keep_slides: bool,
    /// Also makes motions that are helped from outside, from physics alone to the motion as drawn, as a front to choose from
    #[arg(long)]
    assist: bool,
    /// Folder of the results; by default sinew-out/FILE-CLIP
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Goes on from the checkpoint that an interrupted run left in the folder
    #[arg(long)]
    resume: bool,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl Transfer {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let mut config = preset(&self.preset)?;
        if self.from_rest {
            config.begins = Begins::Rest;
        }
        let (source, character) = self.read.open_with_character()?;
        let options =
            ModelOptions { name: source.name.clone(), source: self.read.file_name(), ..ModelOptions::default() };
        let task =
            Task { clip: self.clip.clone(), cycles: self.cycles, keeps_slides: self.keep_slides, character, options };
        let prepared = prepare(source, &task, &config)?;
        for problem in &prepared.modeling.preflight.problems {
            eprintln!("warning: {problem}");
        }

        if self.assist {
            can_be_assisted(&prepared.target)?;
        }

        let out = self.out.clone().unwrap_or_else(|| default_folder(&prepared));
        let mut folder = OutputFolder::make(&out)?;
        let options = RunOptions {
            seed: self.seed,
            threads: self.threads,
            checkpoint: Some(folder.checkpoint()),
            resumes: self.resume,
        };
        let assist_checkpoint = out.join(ASSIST_CHECKPOINT);
        if !self.resume && assist_checkpoint.exists() {
            // It is of an earlier run.
            std::fs::remove_file(&assist_checkpoint)
                .with_context(|| format!("cannot remove {}", assist_checkpoint.display()))?;
        }
        let began = Instant::now();
        let mut steps_before = 0;
        let bar = progress_bar()?;
        let transfer = run(&prepared.target, &config, &options, &mut |started, progress| {
            if progress.done == 0 || started == Started::After(progress.done) {
                tell_start(&bar, started, progress.done);
                steps_before = progress.steps;
                bar.set_position(progress.done as u64);
                bar.reset_eta();
            }
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
            if progress.done == 0 {
                return;
            }
            let speed = (progress.steps - steps_before) as f64 / began.elapsed().as_secs_f64().max(1e-3);
            let doing = match progress.stage {
                Stage::Weaning => "every try falls: held by help, which goes".to_owned(),
                _ => format!("cost {:.3}", progress.best_cost),
            };
            bar.set_message(format!("{doing}, {:.2} M steps/s", 1e-6 * speed));
        })?;
        // From here on there is something worth keeping.
        folder.keep();
        bar.set_message("writing");
        let wall_secs = began.elapsed().as_secs_f64();
        let mut finished = Finished::new(&prepared, &transfer, &self.preset)?;
        let assisted = match self.assist {
            true => {
                let options = RunOptions { checkpoint: Some(assist_checkpoint.clone()), ..options };
                let assisted = self.assisted(&prepared, &transfer, &options, &bar)?;
                assisted.write(&prepared, &transfer, &finished, &folder)?;
                finished.summary.assist = assisted.rows(&out);
                Some(assisted)
            }
            false => {
                folder.write(&files(&prepared, &transfer, &finished)?)?;
                None
            }
        };
        // Nobody needs it any more; where it cannot be removed, the next run overwrites it.
        let _ = std::fs::remove_file(folder.checkpoint());
        let _ = std::fs::remove_file(assist_checkpoint);
        bar.finish_and_clear();

        finished.summary.wall_secs = wall_secs;
        finished.summary.threads = match self.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            threads => threads,
        };
        finished.summary.out = out.display().to_string();
        match self.json {
            true => show(&(serde_json::to_string_pretty(&finished.summary)? + "\n")),
            false => show(&(text(&finished, &out) + &assisted.map_or(String::new(), |a| front_text(&a, &out)))),
        }
    }
}

impl Transfer {
    /// The front of fidelity against help, with the bar beginning anew for it.
    fn assisted(
        &self,
        prepared: &Prepared,
        transfer: &sinew::transfer::Transfer,
        options: &RunOptions,
        bar: &ProgressBar,
    ) -> Result<Assisted> {
        // The first piece of work tells nothing of how long the others take.
        let styles = [
            ProgressStyle::with_template("{bar:30} help {pos}/{len}, {msg}")?,
            ProgressStyle::with_template("{bar:30} help {pos}/{len}, {msg}, {eta} left")?,
        ];
        bar.reset();
        let mut observe = |started: Started, progress: &AssistProgress| {
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
            let is_first = progress.done == 0 || started == Started::After(progress.done);
            if is_first {
                bar.reset_eta();
            }
            bar.set_style(styles[usize::from(!is_first)].clone());
            bar.set_message(match progress.done {
                0 => "the motion as drawn".to_owned(),
                _ => format!("{:.1} M steps", 1e-6 * progress.steps as f64),
            });
        };
        let assisted = assist(prepared, transfer, &self.preset, &assist_settings(&self.preset), options, &mut observe)?;
        bar.set_message("writing");
        Ok(assisted)
    }
}

fn progress_bar() -> Result<ProgressBar> {
    // Drawn on a terminal only, and gone when done.
    let bar = ProgressBar::new(1);
    bar.set_style(ProgressStyle::with_template("{bar:30} window {pos}/{len}, {msg}, {eta} left")?);
    bar.set_message("searching");
    bar.enable_steady_tick(Duration::from_millis(250));
    Ok(bar)
}

fn tell_start(bar: &ProgressBar, started: Started, done: usize) {
    match started {
        Started::Anew => {}
        Started::WithoutCheckpoint => bar.suspend(|| eprintln!("there is no checkpoint to go on from; starting anew")),
        Started::After(_) => bar.suspend(|| eprintln!("going on after {done} pieces of work")),
    }
}

/// `sinew-out/<input>-<clip>`, with nothing in it that a file system minds.
fn default_folder(prepared: &Prepared) -> PathBuf {
    let plain = |name: &str| -> String {
        name.chars().map(|c| if c.is_alphanumeric() || "-_+".contains(c) { c } else { '_' }).collect()
    };
    let name = format!("{}-{}", plain(&prepared.source.name), plain(&prepared.clip().name));
    PathBuf::from("sinew-out").join(name)
}

fn text(finished: &Finished, out: &std::path::Path) -> String {
    let Summary { character, clip, duration_secs, cost_mean, steps, wall_secs, threads, hash, .. } = &finished.summary;
    let headline = match &finished.fall {
        Some(fall) => format!("{character}, {clip}: {fall}"),
        None => format!("{character}, {clip}: completed, {duration_secs:.2} s"),
    };
    let metrics = &finished.metrics;
    let file = |name: &str| out.join(name).display().to_string();
    [
        headline,
        format!(
            "  mean cost {cost_mean:.3}, squared jerk {:.2} times the target's, a foot slides {:.1} cm per contact, deepest {:.1} mm in the ground",
            metrics.jerk_ratio,
            100.0 * metrics.foot_skate,
            1000.0 * metrics.max_penetration
        ),
        format!("  {:.1} million steps in {wall_secs:.1} s on {threads} threads; hash {hash}", *steps as f64 / 1e6),
        format!("pictures: {}, {}, {}", file("target.png"), file("simulated.png"), file("simulated.gif")),
        format!("motion:   {}, {}, {}", file("simulated.glb"), file("simulated.bvh"), file("trajectory.npz")),
        format!("report:   {}", file("report.html")),
        format!("again:    sinew replay {}", out.display()),
        String::new(),
    ]
    .join("\n")
}

fn front_text(assisted: &Assisted, out: &std::path::Path) -> String {
    let page = out.join("assist.html").display().to_string();
    format!("\n{}help:     {page}, {}/NN\n", assisted.to_text(), out.join("assist").display())
}
