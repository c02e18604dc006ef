//! `sinew replay`: a transferred motion performed again from its files, undisturbed or pushed.

use super::{check_outputs, show, write};
use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;
use sinew::transfer::{Push, performance_strip, replay};
use std::path::PathBuf;

/// Options of `sinew replay`.
#[derive(Args)]
pub struct Replay {
    /// Folder that `sinew transfer` has written
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Pushes the root for 0.2 s with this force, newtons
    #[arg(long, value_name = "NEWTONS", allow_negative_numbers = true)]
    push: Option<f64>,
    /// When to push, seconds
    #[arg(long, value_name = "SECS", default_value_t = 0.0, requires = "push", allow_negative_numbers = true)]
    at: f64,
    /// Where to push, degrees: 0 is along the world's x axis, 90 along y
    #[arg(long, value_name = "DEG", default_value_t = 0.0, requires = "push", allow_negative_numbers = true)]
    direction: f64,
    /// Draws moments of the run side by side
    #[arg(long, value_name = "strip.png")]
    film: Option<PathBuf>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    completed: bool,
    fell_at_secs: Option<f64>,
    duration_secs: f64,
    cost_mean: f64,
    hash: String,
    /// Whether the trajectory is the one that was written; none when pushed.
    same: Option<bool>,
}

impl Replay {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        check_outputs(None, &[("--film", self.film.as_ref(), &["png"])])?;
        for (option, value) in
            [("--push", self.push.unwrap_or(0.0)), ("--at", self.at), ("--direction", self.direction)]
        {
            if !value.is_finite() {
                bail!("{option} is {value}, but must be a number");
            }
        }
        let push = self.push.map(|newtons| Push { newtons, at_secs: self.at, direction_deg: self.direction });
        let replayed = replay(&self.folder, push.as_ref())?;
        let controls = &replayed.controls;
        if let Some(path) = &self.film {
            let pushed = push.map_or(String::new(), |p| format!(", {:.0} N at {:.2} s", p.newtons, p.at_secs));
            let title = format!("{}, {}: simulated again{pushed}", controls.character, controls.clip);
            let strip = performance_strip(replayed.target.model(), &replayed.run, title, push.as_ref());
            write(path, &strip.render()?.encode_png()?, self.json)?;
        }
        let answer = Answer {
            completed: replayed.fell_at_secs.is_none(),
            fell_at_secs: replayed.fell_at_secs,
            duration_secs: replayed.run.duration_secs(),
            cost_mean: replayed.run.mean_terms().total(),
            hash: replayed.hash.clone(),
            same: push.is_none().then(|| replayed.is_same()),
        };
        if self.json {
            show(&(serde_json::to_string_pretty(&answer)? + "\n"))?;
        } else {
            let outcome = replayed.fall.clone().unwrap_or(format!("completed, {:.2} s", answer.duration_secs));
            let hash = match answer.same {
                Some(true) => format!("hash {}, the one that was written", answer.hash),
                _ => format!("hash {}", answer.hash),
            };
            let cost = format!("  mean cost {:.3}; {hash}", answer.cost_mean);
            show(&format!("{}, {}: {outcome}\n{cost}\n", controls.character, controls.clip))?;
        }
        if answer.same == Some(false) {
            bail!(
                "the trajectory has hash {}, but {} was written; character.toml or controls.json was changed, or another version wrote them",
                answer.hash,
                controls.hash
            );
        }
        Ok(())
    }
}
