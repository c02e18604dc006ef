//! The figures of a character that was brought to life.

use super::request::{Stage, told_actions};
use super::transfers::{LeftOut, TransferredClip};
use crate::bring::Role;
use crate::error::{Error, Result};
use crate::play;
use crate::transfer::Verdict;
use serde::Serialize;
use sinew_play::{KeyedAction, Package};
use sinew_track::TrainedPolicy;
use std::path::Path;

/// A character that falls more often than this in ten minutes is not good enough.
const MANY_FALLS: f64 = 3.0;

/// The figures, as `summary.json` and `sinew bring --json` have them. Times are printed, not written.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The character.
    pub name: String,
    /// Clips that it learnt from, and those that were left out.
    pub clips: Vec<ClipRow>,
    /// What it can be told to do, with keys.
    pub actions: Vec<KeyedAction>,
    /// Bytes of the policy's numbers.
    pub policy_bytes: usize,
    /// Played by random objectives.
    pub played: play::Summary,
    /// What to do, where something is to be done.
    pub advice: Option<String>,
    /// How long each stage took.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageRow>,
    /// Folder of the package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
}

/// A clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClipRow {
    /// Its name.
    pub clip: String,
    /// The action that it serves; none where it was left out.
    pub action: Option<String>,
    /// What a person would say of its simulated motion; none of captured motion, which is used as it is.
    pub verdict: Option<Verdict>,
    /// The same in a sentence.
    pub sentence: String,
    /// Whether it became an action of its own.
    #[serde(skip)]
    is_action: bool,
}

/// How long a stage took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StageRow {
    /// The stage.
    pub stage: Stage,
    /// How long it took, s.
    pub secs: f64,
}

impl Summary {
    pub(super) fn new(
        name: &str,
        clips: Vec<ClipRow>,
        package: &Package,
        played: play::Summary,
        stages: Vec<StageRow>,
        out: &Path,
    ) -> Summary {
        let missing = clips.iter().filter(|clip| clip.is_action).count() > told_actions(&package.generator);
        Summary {
            name: name.to_owned(),
            advice: advice(&played).or_else(|| {
                missing.then(|| {
                    "several clips share the name of an action; name them apart to call each of them".to_owned()
                })
            }),
            clips,
            actions: package.actions.clone(),
            policy_bytes: 4 * package.policy.as_ref().map_or(0, TrainedPolicy::parameter_count),
            played,
            stages,
            out: Some(out.display().to_string()),
        }
    }

    /// The text of `summary.json`: nothing in it depends on the time.
    pub(super) fn written(&self) -> Result<String> {
        let mut plain = Summary { stages: Vec::new(), out: None, ..self.clone() };
        plain.played.real_time_factor = 0.0;
        if let Some(trial) = &mut plain.played.trial {
            (trial.micros_per_frame, trial.micros_p99) = (0.0, 0.0);
        }
        plain.to_json()
    }

    /// The text that `--json` prints.
    ///
    /// # Errors
    /// Where it cannot be written as JSON.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self).map_err(Error::Json)? + "\n")
    }

    /// What came of it, in one sentence.
    pub fn headline(&self) -> String {
        let told: Vec<String> = self.actions.iter().map(|action| format!("{} ({})", action.name, action.key)).collect();
        let actions = if told.is_empty() { "no actions".to_owned() } else { told.join(", ") };
        format!("{} is alive: it moves about and knows {actions}. {}", self.name, self.played.headline())
    }
}

impl ClipRow {
    /// Clips that became simulated motions, and those that did not.
    pub(super) fn of(used: &[TransferredClip], left_out: &[LeftOut]) -> Vec<ClipRow> {
        used.iter().map(ClipRow::used).chain(left_out.iter().map(ClipRow::left_out)).collect()
    }

    /// A captured clip with its actions.
    pub(super) fn captured((clip, actions): (String, Vec<String>)) -> ClipRow {
        let sentence = "captured motion, used as it is".into();
        ClipRow { clip, action: Some(actions.join(", ")), verdict: None, sentence, is_action: false }
    }

    fn used(clip: &TransferredClip) -> ClipRow {
        ClipRow {
            clip: clip.clip.clone(),
            action: Some(clip.action.clone()),
            verdict: Some(clip.figures.verdict.unwrap_or_default()),
            sentence: clip.figures.verdict_sentence.clone(),
            is_action: clip.role == Role::Action,
        }
    }

    fn left_out(clip: &LeftOut) -> ClipRow {
        ClipRow {
            clip: clip.clip.clone(),
            action: None,
            verdict: Some(Verdict::Failed),
            sentence: clip.why.clone(),
            is_action: false,
        }
    }
}

/// What to do about a character that falls.
fn advice(played: &play::Summary) -> Option<String> {
    let in_ten_minutes = 600.0 * played.falls as f64 / played.seconds.max(1.0);
    if in_ten_minutes <= MANY_FALLS {
        return None;
    }
    let most = match played.mean_body_error_m {
        off if off > 0.1 => "its body is far from its motion, so that it has not learnt enough",
        _ => "it follows its motion, but some of what is asked for throws it",
    };
    Some(format!(
        "it falls {in_ten_minutes:.0} times in 10 minutes: {most}; train it for longer, transfer its clips with a better preset where they were transferred, or leave out the clips that are loose"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(falls: u64, seconds: f64, mean_body_error_m: f64) -> play::Summary {
        play::Summary {
            is_simulated: true,
            team_falls: None,
            name: "hero".into(),
            seconds,
            falls,
            stand_ups: 0,
            feedbacks: 0,
            target_error_m: None,
            foot_slide_cm: 1.0,
            mean_body_error_m,
            real_time_factor: 5.0,
            hash: String::new(),
            events: Vec::new(),
            trial: None,
        }
    }

    #[test]
    fn who_falls_too_much_is_told_so_with_what_to_do() {
        assert_eq!(advice(&played(3, 600.0, 0.2)), None);
        let said = advice(&played(2, 60.0, 0.2)).expect("advice");
        assert!(said.contains("falls 20 times in 10 minutes") && said.contains("not learnt enough"), "{said}");
        assert!(advice(&played(9, 600.0, 0.05)).is_some_and(|said| said.contains("throws it")));
    }
}
