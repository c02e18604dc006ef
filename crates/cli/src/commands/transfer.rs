//! `sinew transfer`: a clip becomes a motion that the simulated character performs.

use super::inspect::ReadArgs;
use super::show;
use crate::bar::{Bar, Interrupted, stopped_by_interrupt};
use crate::settings::{ConfigArgs, one_of};
use anyhow::Result;
use clap::Args;
use sinew::config_file::TransferSettings;
use sinew::modeler::ModelOptions;
use sinew::transfer::{Assisted, Begins, Event, Finished, Preset, Request, Summary, Task, Transferred, transfer};
use sinew::work::RunOptions;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Options of `sinew transfer`.
#[derive(Args)]
pub struct Transfer {
    #[command(flatten)]
    read: ReadArgs,
    /// Clip, as you would say it; `jump+jump_idle+jump_land` joins three; may be left out where there is only one
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// How hard to search: `paper` is Keys-to-Sim 2018 to the letter, `quick` gives a first look
    #[arg(long, value_name = "PRESET", value_parser = one_of::<Preset>(), default_value_t)]
    preset: Preset,
    #[command(flatten)]
    settings: ConfigArgs,
    /// Cycles in a row, each going on from where the last one ended
    #[arg(long, value_name = "N")]
    cycles: Option<usize>,
    /// Seed of the search
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Threads; 0 for one on each core; the result is the same for every number
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Ends with the first motion that is found, even if it is not yet as drawn (preset `quick` always does)
    #[arg(long)]
    first: bool,
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
        let mut settings = self.settings.on_top_of(TransferSettings::of(self.preset))?;
        if self.from_rest {
            settings.config.begins = Begins::Rest;
        }
        if self.first {
            settings.config.weaning.second_way = false;
            settings.config.emphasis.tries = 0;
        }
        if self.settings.print(&settings, &format!("Settings of sinew transfer, preset {}.", self.preset))? {
            return Ok(());
        }
        let TransferSettings { config, assist } = settings;
        let (source, character) = self.read.open_with_character()?;
        let options = ModelOptions {
            name: source.name.clone(),
            source: self.read.file_name(),
            metres_per_unit: source.changed_unit(),
            ..ModelOptions::default()
        };
        let task =
            Task { clip: self.clip.clone(), cycles: self.cycles, keeps_slides: self.keep_slides, character, options };
        let assist = self.assist.then_some(assist);
        let request = Request { task, preset: self.preset, config, assist, seed: self.seed, out: self.out.clone() };
        let options = RunOptions {
            threads: self.threads,
            resumes: self.resume,
            cancel: stopped_by_interrupt(),
            ..RunOptions::default()
        };
        let mut bar = Bar::new("reading and modelling")?;
        let mut assists = false;
        let done = transfer(source, &request, &options, &mut |event| {
            match event {
                Event::Prepared(prepared) => {
                    let preflight = &prepared.modeling.preflight;
                    preflight.problems.iter().for_each(|p| bar.say(&format!("warning: {p}")));
                    if let Some(mend) = &preflight.mend {
                        let how = "sinew model -o hero.toml, then sinew edit hero.toml mend";
                        bar.say(&format!("what would mend it ({how}): {}", mend.sentence));
                    }
                }
                Event::Searching { started, progress, .. } => bar.show(started, progress),
                Event::Assisting { started, progress } => {
                    if !std::mem::replace(&mut assists, true) {
                        bar.restart();
                    }
                    bar.show(started, progress);
                }
                Event::Writing => bar.doing("drawing and writing"),
            }
            ControlFlow::Continue(())
        })?;
        bar.finish();
        let Transferred { finished, assisted, out, .. } = done.ok_or(Interrupted)?;
        match self.json {
            true => show(&(serde_json::to_string_pretty(&finished.summary)? + "\n")),
            false => show(&(text(&finished, &out) + &assisted.map_or(String::new(), |a| front_text(&a, &out)))),
        }
    }
}

fn text(finished: &Finished, out: &std::path::Path) -> String {
    let Summary { character, clip, duration_secs, cost_mean, steps, wall_secs, threads, hash, .. } = &finished.summary;
    let headline = format!("{character}, {clip}, {duration_secs:.2} s: {}", finished.summary.verdict_sentence);
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
