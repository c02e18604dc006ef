//! `sinew feedback`: a policy that repeats a transferred cycle and keeps the balance.

use super::show;
use crate::bar::{Bar, Interrupted, stopped_by_interrupt};
use crate::settings::{ConfigArgs, one_of};
use anyhow::Result;
use clap::Args;
use sinew::feedback::{Event, FeedbackPreset, Request, Test, Trained, train};
use sinew::work::RunOptions;
use std::ops::ControlFlow;
use std::path::PathBuf;

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
        let request = Request {
            folder: self.folder.clone(),
            preset: self.preset,
            config,
            seed: self.seed,
            period_secs: self.period,
            test: Test::default(),
        };
        let options = RunOptions {
            threads: self.threads,
            resumes: self.resume,
            cancel: stopped_by_interrupt(),
            ..RunOptions::default()
        };
        let mut bar = Bar::new("performing the motion")?;
        let trained = train(&request, &options, &mut |event| {
            match event {
                Event::Prepared(prepared) if !prepared.replay.is_same() => bar.say(
                    "warning: the motion is not the one that sinew transfer wrote; character.toml or controls.json was changed, or another version wrote them",
                ),
                Event::Prepared(_) => {}
                Event::Training { started, progress } => bar.show(started, progress),
                Event::Testing => bar.doing("trying it with pushes"),
            }
            ControlFlow::Continue(())
        })?;
        bar.finish();
        let trained = trained.ok_or(Interrupted)?;
        match self.json {
            true => show(&(serde_json::to_string_pretty(&trained.results)? + "\n")),
            false => show(&self.text(&trained)),
        }
    }

    fn text(&self, trained: &Trained) -> String {
        let results = &trained.results;
        let file = |name: &str| self.folder.join(name).display().to_string();
        let mut lines = vec![format!("{}, {}: {}", results.character, results.clip, results.headline())];
        if let Some(gap) = results.nearest_gap {
            lines.push(format!(
                "  no periodic motion was found near this one: the nearest ends {gap:.4} from its start and falls; trained on the steadiest cycle"
            ));
        }
        lines.push(format!(
            "  largest pushes survived, for {:.1} s: without and with feedback, impulse over weight, and what ends the next larger one",
            results.push_secs
        ));
        for push in &results.pushes {
            lines.push(format!(
                "    {:>4.0}° {:>5.0} N {:>5.0} N {:>6.3} s  {}",
                push.direction_deg,
                push.newtons_open_loop,
                push.newtons_feedback,
                push.weight_secs_feedback,
                push.limited_by
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
