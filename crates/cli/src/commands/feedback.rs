//! `sinew feedback`: a policy that repeats a transferred cycle and keeps the balance.

use super::show;
use crate::settings::{ConfigArgs, one_of};
use anyhow::Result;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use sinew::feedback::{
    CHECKPOINT, FeedbackConfig, FeedbackPreset, FeedbackTraining, Test, Trained, files, prepare, run,
};
use sinew::transfer::{OutputFolder, RunOptions, Started};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Options of `sinew feedback`.
#[derive(Args)]
pub struct Feedback {
    /// Folder that `sinew transfer` has written; the policy is written there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// How to train: `paper` is Keys-to-Sim 2018 to the letter, `default` also learns to survive pushes
    #[arg(long, value_name = "PRESET", value_parser = one_of::<FeedbackPreset>(), default_value_t)]
    preset: FeedbackPreset,
    #[command(flatten)]
    settings: ConfigArgs,
    /// Seed of the training
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Threads; 0 for one on each core; the result is the same for every number
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Goes on from the checkpoint that an interrupted training left in the folder
    #[arg(long)]
    resume: bool,
    /// Length of a cycle, seconds; found where the motion repeats itself
    #[arg(long, value_name = "SECS", allow_negative_numbers = true)]
    period: Option<f64>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl Feedback {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let config = self.settings.on_top_of(self.preset.config())?;
        if self.settings.print(&config, &format!("Settings of sinew feedback, preset {}.", self.preset))? {
            return Ok(());
        }
        let prepared = prepare(&self.folder, self.period)?;
        if !prepared.replay.is_same() {
            eprintln!(
                "warning: the motion is not the one that sinew transfer wrote; character.toml or controls.json was changed, or another version wrote them"
            );
        }
        let folder = OutputFolder::make(&self.folder)?;
        let checkpoint = self.folder.join(CHECKPOINT);
        let options = RunOptions {
            seed: self.seed,
            threads: self.threads,
            checkpoint: Some(checkpoint.clone()),
            resumes: self.resume,
        };
        let began = Instant::now();
        let mut progress = Progress::new(&config)?;
        let training = run(&prepared, &config, &options, &mut |started, done, training| {
            progress.tell(started, done, training);
        })?;
        progress.bar.set_message("trying it with pushes");
        let mut trained = Trained::new(&prepared, &training, Test::default(), self.preset, self.threads)?;
        let wall_secs = began.elapsed().as_secs_f64();
        progress.bar.set_message("writing");
        folder.write(&files(&prepared, &trained)?)?;
        // Nobody needs it any more; where it cannot be removed, the next training overwrites it.
        let _ = std::fs::remove_file(checkpoint);
        progress.bar.finish_and_clear();

        trained.results.wall_secs = Some(wall_secs);
        trained.results.threads = Some(match self.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            threads => threads,
        });
        match self.json {
            true => show(&(serde_json::to_string_pretty(&trained.results)? + "\n")),
            false => show(&self.text(&trained)),
        }
    }

    fn text(&self, trained: &Trained) -> String {
        let results = &trained.results;
        let file = |name: &str| self.folder.join(name).display().to_string();
        let mut lines = vec![format!("{}, {}: {}", results.character, results.clip, results.headline())];
        lines.push(format!("  largest pushes survived, for {:.1} s: without and with feedback", results.push_secs));
        for push in &results.pushes {
            lines.push(format!(
                "    {:>4.0}° {:>5.0} N {:>5.0} N",
                push.direction_deg, push.newtons_open_loop, push.newtons_feedback
            ));
        }
        lines.push(format!(
            "  {:.1} million steps in {:.1} s on {} threads; hash {}",
            results.steps as f64 / 1e6,
            results.wall_secs.unwrap_or(0.0),
            results.threads.unwrap_or(0),
            results.hash
        ));
        lines.push(format!("policy:   {}, {}", file("policy.json"), file("feedback.json")));
        lines.push(format!("pictures: {}, {}", file("feedback.png"), file("open-loop.png")));
        lines.push(format!("report:   {}", file("feedback.html")));
        lines.push(format!("again:    sinew replay {} --feedback", self.folder.display()));
        lines.join("\n") + "\n"
    }
}

/// The bar, and what is needed to guess the time that is left.
struct Progress<'a> {
    bar: ProgressBar,
    config: &'a FeedbackConfig,
    began: Instant,
    steps_before: u64,
    /// Repetitions simulated since the beginning of this call: a generation of a stage counts the stage's.
    work: f64,
    /// Tries and stages ended, and generations, at the last look.
    last: (usize, usize, usize),
    /// Generations of the stages that ended in this call.
    ended: Vec<usize>,
}

impl Progress<'_> {
    fn new(config: &FeedbackConfig) -> Result<Progress<'_>> {
        // Drawn on a terminal only, and gone when done.
        let bar = ProgressBar::new(1);
        bar.set_style(ProgressStyle::with_template("{bar:30} {msg}")?);
        bar.set_message("training");
        bar.enable_steady_tick(Duration::from_millis(250));
        let ended = Vec::new();
        Ok(Progress { bar, config, began: Instant::now(), steps_before: 0, work: 0.0, last: (0, 0, 0), ended })
    }

    fn tell(&mut self, started: Started, done: usize, training: &FeedbackTraining) {
        let now = training.progress();
        if done == 0 {
            match started {
                Started::Anew => {}
                Started::WithoutCheckpoint => {
                    self.bar.suspend(|| eprintln!("there is no checkpoint to go on from; starting anew"))
                }
                Started::After(done) => self.bar.suspend(|| eprintln!("going on after {done} generations")),
            }
            (self.steps_before, self.last) = (now.steps, (now.tries, now.stages, now.generations));
            return;
        }
        let stages = &self.config.stages;
        let (tries, stage, generations) = self.last;
        self.work += stages.get(stage).map_or(0.0, |repetitions| *repetitions as f64);
        if (now.tries, now.stages) != (tries, stage) {
            self.ended.push(generations + 1);
        }
        self.last = (now.tries, now.stages, now.generations);
        let Some(repetitions) = stages.get(now.stages) else { return };
        let secs = self.began.elapsed().as_secs_f64().max(1e-3);
        let speed = (now.steps - self.steps_before) as f64 / secs;
        let (left, is_bound) = self.work_left();
        self.bar.set_length((self.work + left) as u64);
        self.bar.set_position(self.work as u64);
        let left = Duration::from_secs((left * secs / self.work.max(1.0)) as u64);
        let attempt = match now.tries < now.try_count && now.try_count > 1 {
            true => format!("try {}/{}, ", now.tries + 1, now.try_count),
            false => String::new(),
        };
        self.bar.set_message(format!(
            "{attempt}stage {}/{}, {repetitions} repetitions, cost {:.3}, {:.2} M steps/s, {} {} left",
            now.stages + 1,
            now.stage_count,
            now.best_cost,
            1e-6 * speed,
            if is_bound { "at most" } else { "about" },
            indicatif::HumanDuration(left),
        ));
    }

    /// Repetitions that are still to be simulated, and whether that is a bound: once a stage has ended, the others are taken to need as many generations.
    fn work_left(&self) -> (f64, bool) {
        let most = self.config.iterations;
        let is_bound = self.ended.is_empty() && self.config.stops_below.is_some();
        let expected = match self.ended.len() {
            0 => most,
            count => self.ended.iter().sum::<usize>().div_ceil(count),
        };
        let (tries, stage, generations) = self.last;
        let stage_left =
            expected.saturating_sub(generations).max(self.config.patience.min(most - generations.min(most)));
        let stages = &self.config.stages;
        let now = stages.get(stage).map_or(0, |repetitions| repetitions * stage_left);
        let later: usize = stages.iter().skip(stage + 1).map(|repetitions| repetitions * expected).sum();
        let first: usize = stages.iter().take(self.config.try_stages).sum();
        // The try that is under way is counted with the stages.
        let more_tries = self.config.tries.saturating_sub(tries + 1) * first * expected;
        ((now + later + more_tries) as f64, is_bound)
    }
}
