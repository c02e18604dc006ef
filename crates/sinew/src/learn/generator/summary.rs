//! The figures of a generator.

use crate::error::{Error, Result};
use serde::Serialize;
use sinew_learn::{FeasibleRange, Generator, GeneratorKind, MatchingConfig, Origin, SavedGenerator, TrialFigures};

/// The figures of a generator, as `summary.json` and `sinew learn generator --json` have them. Times are printed, not written.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The kind.
    pub kind: GeneratorKind,
    /// The character.
    pub character: String,
    /// Captured frames of the set.
    pub frames_captured: usize,
    /// Augmented frames of the set.
    pub frames_augmented: usize,
    /// Bytes of the file.
    pub file_bytes: usize,
    /// Of the measurement.
    #[serde(flatten)]
    pub figures: TrialFigures,
    /// What can be asked of it.
    pub feasible: FeasibleRange,
    /// Constants of motion matching.
    pub matching: MatchingConfig,
    /// Time that making it took, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub train_secs: Option<f64>,
    /// Folder of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
}

impl Summary {
    /// Gathers the figures.
    pub fn new(saved: &SavedGenerator, generator: &dyn Generator, figures: TrialFigures, file_bytes: usize) -> Summary {
        Summary {
            kind: saved.kind,
            character: saved.set.header.character.name.clone(),
            frames_captured: saved.set.frames(Origin::Captured),
            frames_augmented: saved.set.frames(Origin::Augmented),
            file_bytes,
            figures,
            feasible: generator.feasible().clone(),
            matching: saved.matching.clone(),
            train_secs: None,
            out: None,
        }
    }

    /// The text that `--json` prints.
    ///
    /// # Errors
    /// Where it cannot be written as JSON.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self).map_err(Error::Json)? + "\n")
    }

    /// The text of `summary.json`: the same, without what differs from run to run.
    ///
    /// # Errors
    /// Where it cannot be written as JSON.
    pub fn written(&self) -> Result<String> {
        let mut value = serde_json::to_value(self).map_err(Error::Json)?;
        if let Some(fields) = value.as_object_mut() {
            for name in ["micros_per_frame", "micros_p99", "train_secs", "out"] {
                fields.remove(name);
            }
        }
        Ok(serde_json::to_string_pretty(&value).map_err(Error::Json)? + "\n")
    }

    /// What came out, in one sentence.
    pub fn headline(&self) -> String {
        let figures = &self.figures;
        format!(
            "{} of {}: {:.0} % of {} targets within 0.3 m in their time, {:.2} m off in the median; feet slide {:.2} cm in a contact",
            self.kind,
            self.character,
            100.0 * figures.reached_share,
            figures.targets,
            figures.target_error_m,
            figures.foot_slide_cm
        )
    }
}
