//! The figures of a generator.

use crate::error::{Error, Result};
use serde::Serialize;
use sinew_learn::{
    FeasibleRange, Generator, GeneratorKind, LossTerms, MatchingConfig, RecurrentConfig, SavedGenerator, TrialFigures,
};

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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matching: Option<MatchingConfig>,
    /// Constants of the learned generator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lstm: Option<RecurrentConfig>,
    /// Loss of the training at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<LossTerms>,
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
        let [frames_captured, frames_augmented] = saved.frames();
        let (matching, lstm, loss) = match saved {
            SavedGenerator::Matching { config, .. } => (Some(config.clone()), None, None),
            SavedGenerator::Lstm { learned, .. } => {
                (None, Some(learned.config.clone()), learned.curve.last().map(|point| point.loss))
            }
        };
        Summary {
            kind: saved.kind(),
            character: saved.header().character.name.clone(),
            frames_captured,
            frames_augmented,
            file_bytes,
            figures,
            feasible: generator.feasible().clone(),
            matching,
            lstm,
            loss,
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
