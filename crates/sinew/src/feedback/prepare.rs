//! A transferred motion, performed again, and the cycle in it.

use super::{Reference, period_secs};
use crate::error::{At as _, MotionError, Result};
use crate::transfer::{Replay, replay};
use sinew_sim::Model;
use std::path::Path;
use std::sync::Arc;

/// Shortest and longest cycle that can be asked for, s.
const PERIODS_SECS: std::ops::RangeInclusive<f64> = 0.2..=60.0;

/// A motion and its cycle.
pub struct Prepared {
    /// The motion, performed again from its files.
    pub replay: Replay,
    /// The steadiest cycle in it, its seam blended.
    pub reference: Reference,
    /// Closed cycles of it, near which a periodic motion is searched.
    pub cycles: Vec<Reference>,
}

impl Prepared {
    /// The compiled scene.
    pub fn model(&self) -> &Arc<Model> {
        self.replay.target.model()
    }
}

/// Performs the motion in a folder again and finds its cycle; `asked_secs` says how long that is. Otherwise it is as long as the clip that was
/// repeated, or the time after which the joints come back to the same angles.
///
/// # Errors
/// Where a file is missing, damaged or of another character, or nothing repeats itself.
pub fn prepare(folder: &Path, asked_secs: Option<f64>) -> Result<Prepared> {
    if let Some(secs) = asked_secs
        && !PERIODS_SECS.contains(&secs)
    {
        let (&least, &most) = (PERIODS_SECS.start(), PERIODS_SECS.end());
        return Err(MotionError::Period { secs, least, most }.into());
    }
    let replay = replay(folder, None)?;
    let (character, clip) = (&replay.controls.character, &replay.controls.clip);
    if !replay.controls.solution.assist.is_empty() {
        return Err(MotionError::Helped { character: character.clone(), clip: clip.clone() }.into());
    }
    let known_secs = asked_secs.or(replay.controls.cycle_secs);
    let Some(secs) = known_secs.or_else(|| period_secs(&replay.target)) else {
        return Err(MotionError::NoCycle { character: character.clone(), clip: clip.clone() }.into());
    };
    let reference = Reference::new(replay.target.model(), &replay.run, secs)
        .at(format_args!("{character}, {clip} in {}", folder.display()))?;
    let cycles = Reference::closed(replay.target.model(), &replay.run, secs)?;
    Ok(Prepared { replay, reference, cycles })
}
