//! `sinew learn export`: a policy with all that another simulator needs to run it.

use super::show;
use crate::bar::{Bar, Interrupted, stopped_by_interrupt};
use anyhow::{Result, bail};
use clap::Args;
use sinew::learn::tracker::{ExportRequest, export};
use sinew::work::RunOptions;
use std::path::PathBuf;

/// Options of `sinew learn export`.
#[derive(Args)]
pub struct Export {
    /// A package (a folder of `sinew bring`, or dinosaur, human, quadruped), or a policy: a folder of `sinew learn tracker`, or its file
    #[arg(value_name = "PACKAGE|POLICY")]
    policy: PathBuf,
    /// What it is to follow: a generator, which is told to walk ahead, or the longest stretch of a set or of clips; by default the package's own generator
    #[arg(value_name = "GENERATOR|SET|CLIP")]
    motion: Option<PathBuf>,
    /// Most seconds of the motion
    #[arg(long, value_name = "SECS", default_value_t = 60.0, allow_negative_numbers = true)]
    seconds: f64,
    /// Seed of the moment in which a walk begins
    #[arg(long, value_name = "N", default_value_t = 2)]
    seed: u64,
    /// Folder of the result
    #[arg(short, long, value_name = "DIR", default_value = "sinew-out/exported")]
    output: PathBuf,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl Export {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        if !(0.1..=3600.0).contains(&self.seconds) {
            bail!("--seconds {}: give a number from 0.1 to 3600", self.seconds);
        }
        let request = ExportRequest {
            policy: self.policy.clone(),
            motion: self.motion.clone(),
            seconds: self.seconds,
            seed: self.seed,
            out: self.output.clone(),
        };
        let options = RunOptions { cancel: stopped_by_interrupt(), ..RunOptions::default() };
        let bar = Bar::new("making the motion and following it")?;
        let exported = export(&request, &options)?;
        bar.finish();
        let exported = exported.ok_or(Interrupted)?;
        match self.json {
            true => show(&exported.to_json()?),
            false => show(&format!("{}\nwrote {}\n", exported.headline(), exported.out)),
        }
    }
}
