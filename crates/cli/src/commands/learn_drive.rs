//! `sinew learn drive`: a generator and a policy as one simulated character, driven by random objectives.

use super::show;
use crate::bar::{Bar, Interrupted, stopped_by_interrupt};
use anyhow::{Result, bail};
use clap::Args;
use sinew::learn::{DriveRequest, drive};
use sinew::learning::TrialOptions;
use sinew::work::RunOptions;
use std::path::PathBuf;

/// Options of `sinew learn drive`.
#[derive(Args)]
pub struct Drive {
    /// The generator: a folder of `sinew learn generator` (matching), or its file
    #[arg(value_name = "GENERATOR")]
    generator: PathBuf,
    /// The policy: a folder of `sinew learn tracker`, or its file
    #[arg(value_name = "POLICY")]
    policy: PathBuf,
    /// Seconds of motion
    #[arg(long, value_name = "SECS", default_value_t = 600.0, allow_negative_numbers = true)]
    seconds: f64,
    /// Seed of the objectives
    #[arg(long, value_name = "N", default_value_t = 2)]
    seed: u64,
    /// Folder for pictures of the drive; without it none are drawn
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl Drive {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        if !(1.0..=36_000.0).contains(&self.seconds) {
            bail!("--seconds {}: give a number from 1 to 36000", self.seconds);
        }
        let request = DriveRequest {
            generator: self.generator.clone(),
            policy: self.policy.clone(),
            trial: TrialOptions { minutes: self.seconds / 60.0, seed: self.seed },
            out: self.output.clone(),
        };
        let options = RunOptions { cancel: stopped_by_interrupt(), ..RunOptions::default() };
        let bar = Bar::new("driving")?;
        let driving = drive(&request, &options)?;
        bar.finish();
        let driving = driving.ok_or(Interrupted)?;
        match self.json {
            true => show(&driving.to_json()?),
            false => show(&(driving.headline() + "\n")),
        }
    }
}
