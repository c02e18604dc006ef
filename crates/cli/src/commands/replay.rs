//! `sinew replay`: a transferred motion performed again from its files, undisturbed or pushed.

use super::{check_outputs, show, write};
use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;
use sinew::feedback::{Repeat, repeat};
use sinew::transfer::{FRAME_SECS, Push, performance_strip, replay, span_strip};
use std::path::PathBuf;

/// Options of `sinew replay`.
#[derive(Args)]
pub struct Replay {
    /// Folder that `sinew transfer` has written
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Repeats the cycle under the policy that `sinew feedback` has written
    #[arg(long)]
    feedback: bool,
    /// Repetitions under the policy; by default 32
    #[arg(long, value_name = "N", requires = "feedback")]
    cycles: Option<usize>,
    /// Pushes the root for 0.2 s with this force, newtons
    #[arg(long, value_name = "NEWTONS", allow_negative_numbers = true)]
    push: Option<f64>,
    /// When to push, seconds
    #[arg(long, value_name = "SECS", default_value_t = 0.0, requires = "push", allow_negative_numbers = true)]
    at: f64,
    /// Where to push, degrees: 0 is along the world's x axis, 90 along y; with --feedback 0 is ahead and 90 left
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

/// Repetitions when none are asked for.
const DEFAULT_CYCLES: usize = 32;
/// Cycles that a film strip shows.
const FILM_CYCLES: usize = 3;

/// The answer of `--feedback --json`.
#[derive(Serialize)]
struct FeedbackAnswer {
    /// Whole cycles before the fall.
    repetitions: usize,
    tested_repetitions: usize,
    completed: bool,
    fell_at_secs: Option<f64>,
    period_secs: f64,
    /// Mean speed before the fall, as a share of the cycle's.
    pace: f64,
    /// The same over the last cycle; 0 where it fell before.
    pace_last_cycle: f64,
    hash: String,
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
        if self.feedback {
            return self.run_feedback(push.as_ref());
        }
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

    fn run_feedback(&self, push: Option<&Push>) -> Result<()> {
        let cycles = self.cycles.unwrap_or(DEFAULT_CYCLES);
        let Repeat { controls, model, policy, repeated, push, hash, fall, is_stale } =
            repeat(&self.folder, cycles, push)?;
        if is_stale {
            eprintln!(
                "warning: the policy was trained on another motion than the one in controls.json; run sinew feedback again"
            );
        }
        let (run, reference) = (&repeated.run, &policy.reference);
        if let Some(path) = &self.film {
            // The push, or the end: a strip of all cycles would show little.
            let last = run.frames() - 1;
            let shown = FILM_CYCLES * reference.frames;
            let first = match &push {
                Some(push) => ((push.at_secs / FRAME_SECS) as usize).saturating_sub(reference.frames / 4),
                None => last.saturating_sub(shown),
            };
            let span = first.min(last)..=last.min(first + shown);
            let pushed = push.map_or(String::new(), |p| format!(", {:.0} N at {:.2} s", p.newtons, p.at_secs));
            let title = format!("{}, {} with feedback{pushed}", controls.character, controls.clip);
            let strip = span_strip(&model, run, span, title, push.as_ref());
            write(path, &strip.render()?.encode_png()?, self.json)?;
        }
        let answer = FeedbackAnswer {
            repetitions: repeated.repetitions,
            tested_repetitions: cycles,
            completed: run.fell_at.is_none(),
            fell_at_secs: run.fell_at.map(|frame| rounded(frame as f64 * FRAME_SECS)),
            period_secs: rounded(reference.period_secs()),
            pace: repeated.pace_from(0),
            pace_last_cycle: repeated.pace_from((cycles - 1) * reference.frames),
            hash,
        };
        if self.json {
            return show(&(serde_json::to_string_pretty(&answer)? + "\n"));
        }
        let FeedbackAnswer { repetitions, pace, pace_last_cycle, hash, .. } = &answer;
        let percent = |share: f64| format!("{:.0} % of the cycle's speed", 100.0 * share);
        let (headline, speed) = match fall {
            Some(fall) => (
                format!("{repetitions} of {cycles} repetitions survived. {fall}"),
                format!("{} until then", percent(*pace)),
            ),
            None => (
                format!("all {cycles} repetitions survived, {:.2} s", run.duration_secs()),
                format!("{}, {:.0} % in the last cycle", percent(*pace), 100.0 * pace_last_cycle),
            ),
        };
        show(&format!("{}, {}: {headline}\n  {speed}; hash {hash}\n", controls.character, controls.clip))
    }
}

/// Seconds as people write them.
fn rounded(secs: f64) -> f64 {
    (1e6 * secs).round() / 1e6
}
