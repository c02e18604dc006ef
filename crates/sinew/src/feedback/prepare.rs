//! A transferred motion, performed again, and the cycle in it.

use super::{FeedbackConfig, Reference, period_secs};
use crate::transfer::{Replay, replay};
use anyhow::{Context, Result, bail};
use sinew_sim::Model;
use std::path::Path;
use std::sync::Arc;

/// Shortest and longest cycle that can be asked for, s.
const PERIODS_SECS: std::ops::RangeInclusive<f64> = 0.2..=60.0;

/// A motion and its cycle.
pub struct Prepared {
    /// The motion, performed again from its files.
    pub replay: Replay,
    /// The steadiest cycle in it.
    pub reference: Reference,
}

impl Prepared {
    /// The compiled scene.
    pub fn model(&self) -> &Arc<Model> {
        self.replay.target.model()
    }
}

/// The settings of a preset.
///
/// # Errors
/// Where there is none of this name.
pub fn preset(name: &str) -> Result<FeedbackConfig> {
    match name {
        "paper" => Ok(FeedbackConfig::paper()),
        "default" => Ok(FeedbackConfig::standard()),
        _ => bail!("--preset {name}: there is no such preset; choose paper or default"),
    }
}

/// Performs the motion in a folder again and finds its cycle; `asked_secs` says how long that is, where the motion does not tell.
///
/// # Errors
/// Where a file is missing, damaged or of another character, or nothing repeats itself.
pub fn prepare(folder: &Path, asked_secs: Option<f64>) -> Result<Prepared> {
    if let Some(secs) = asked_secs
        && !PERIODS_SECS.contains(&secs)
    {
        bail!("--period {secs} s: a cycle takes from {} s to {} s", PERIODS_SECS.start(), PERIODS_SECS.end());
    }
    let replay = replay(folder, None)?;
    let (character, clip) = (&replay.controls.character, &replay.controls.clip);
    if !replay.controls.solution.assist.is_empty() {
        bail!(
            "{character}, {clip}: the motion is helped from outside, which no policy can learn; train on the plain transfer"
        );
    }
    let Some(secs) = asked_secs.or_else(|| period_secs(&replay.target)) else {
        bail!(
            "{character}, {clip}: the motion does not repeat itself, so there is no cycle to train on; transfer it with --cycles 5 or more, or give the length of a cycle with --period"
        );
    };
    let reference = Reference::new(replay.target.model(), &replay.run, secs)
        .with_context(|| format!("{character}, {clip} in {}", folder.display()))?;
    Ok(Prepared { replay, reference })
}
