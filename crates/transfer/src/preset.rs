//! Settings under a name.

use crate::{AssistConfig, Config, FeedbackConfig};
use serde::{Deserialize, Serialize};
use sinew_settings::named;

named! {
/// How hard a transfer searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset, "preset" {
    /// Keys-to-Sim 2018 to the letter.
    Paper = "paper",
    /// Ours: fewer steps, smooth.
    #[default]
    Default = "default",
    /// Ours, for a first look.
    Quick = "quick",
}
}

impl Preset {
    /// Returns the settings of a transfer.
    pub fn config(self) -> Config {
        match self {
            Preset::Paper => Config::paper(),
            Preset::Default => Config::standard(),
            Preset::Quick => Config::quick(),
        }
    }

    /// Returns the settings of its front of fidelity against help. The paper has none, so its preset takes ours.
    pub fn assist(self) -> AssistConfig {
        match self {
            Preset::Paper | Preset::Default => AssistConfig::standard(),
            Preset::Quick => AssistConfig::quick(),
        }
    }
}

named! {
/// How a feedback policy is trained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FeedbackPreset, "preset" {
    /// Keys-to-Sim 2018, supplement, to the letter.
    Paper = "paper",
    /// Ours: also learns to survive pushes.
    #[default]
    Default = "default",
}
}

impl FeedbackPreset {
    /// Returns the settings of a training.
    pub fn config(self) -> FeedbackConfig {
        match self {
            FeedbackPreset::Paper => FeedbackConfig::paper(),
            FeedbackPreset::Default => FeedbackConfig::standard(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_settings::Named;

    #[test]
    fn files_and_people_use_the_same_names() {
        fn check<T: Named + Serialize + PartialEq + std::fmt::Debug + for<'a> Deserialize<'a>>() {
            for &value in T::ALL {
                let text = format!("{:?}", value.name());
                assert_eq!(serde_json::to_string(&value).expect("text"), text);
                assert_eq!(serde_json::from_str::<T>(&text).expect("a value"), value);
            }
        }
        check::<Preset>();
        check::<FeedbackPreset>();
    }

    #[test]
    fn every_preset_has_settings_of_its_own_that_pass_their_check() {
        let configs: Vec<Config> = Preset::ALL.iter().map(|preset| preset.config()).collect();
        assert!(configs.iter().all(|config| config.check().is_ok()));
        assert!(configs[0] != configs[1] && configs[1] != configs[2] && configs[0] != configs[2]);
        assert!(Preset::Quick.assist().rounds < Preset::Default.assist().rounds);
        assert_eq!(Preset::Paper.assist(), Preset::Default.assist());
        assert!(FeedbackPreset::ALL.iter().all(|preset| preset.config().check().is_ok()));
        assert_ne!(FeedbackPreset::Paper.config(), FeedbackPreset::Default.config());
    }
}
