//! The structs that can be files of settings, and where their documentation is.

use crate::error::Result;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sinew_learn::{DataConfig, GeneratorError, LearnError, MatchingConfig, RecurrentConfig};
use sinew_live::{LiveConfig, LiveSizes};
use sinew_pareto::{Budget, Method, Objectives, SearchConfig};
use sinew_settings::{Documented, Field};
use sinew_track::{TrackError, TrackerConfig};
use sinew_transfer::config::{
    Damping, Differences, EmphasisConfig, Extras, LineSearch, Patience, Polish, Puppet, PushOffWeights, Schedule,
    WeaningConfig, Weights,
};
use sinew_transfer::feedback::{Sizes, Test, TrackingConfig, Trouble};
use sinew_transfer::{AssistConfig, Config, FeedbackConfig, FeedbackPreset, Preset};

/// A part of a file of settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Its name; empty for what stands at the top of the file.
    pub name: &'static str,
    /// What it is about, in one line.
    pub about: &'static str,
    /// Its fields.
    pub fields: &'static [Field],
}

/// Settings that can be a file.
pub trait Settings: Clone + PartialEq + Serialize + DeserializeOwned {
    /// The parts of the file, the top of it first.
    const SECTIONS: &'static [Section];

    /// Returns settings in which every optional section is filled: what a section starts from where the base leaves it out.
    fn complete() -> Self;

    /// Refuses values that cannot work.
    ///
    /// # Errors
    /// Names the field.
    fn check(&self) -> Result<()>;
}

/// All settings of a transfer: those of the search and the polish, and those of the front of fidelity against help.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TransferSettings {
    /// The transfer.
    #[serde(flatten)]
    pub config: Config,
    /// The front.
    pub assist: AssistConfig,
}

impl TransferSettings {
    /// Returns the settings of a preset.
    pub fn of(preset: Preset) -> TransferSettings {
        TransferSettings { config: preset.config(), assist: preset.assist() }
    }
}

impl Settings for TransferSettings {
    const SECTIONS: &'static [Section] = &[
        Section { name: "", about: "The search. Times are counted in frames of 0.025 s.", fields: Config::FIELDS },
        Section { name: "weights", about: "Weights of the cost.", fields: Weights::FIELDS },
        Section { name: "extras", about: "Weights of terms beyond the paper.", fields: Extras::FIELDS },
        Section { name: "patience", about: "When a window's search no longer pays.", fields: Patience::FIELDS },
        Section { name: "polish", about: "The pass over the whole trajectory.", fields: Polish::FIELDS },
        Section { name: "polish.schedule", about: "The levels of the polish.", fields: Schedule::FIELDS },
        Section { name: "polish.differences", about: "Sizes of the finite differences.", fields: Differences::FIELDS },
        Section { name: "polish.damping", about: "Damping of the corrections.", fields: Damping::FIELDS },
        Section { name: "polish.line_search", about: "Trials along a correction.", fields: LineSearch::FIELDS },
        Section { name: "polish.push_off", about: "The velocity at the start.", fields: PushOffWeights::FIELDS },
        Section { name: "polish.puppet", about: "The motion as drawn.", fields: Puppet::FIELDS },
        Section { name: "weaning", about: "What is done where every search falls.", fields: WeaningConfig::FIELDS },
        Section { name: "emphasis", about: "Weight on what is not as drawn.", fields: EmphasisConfig::FIELDS },
        Section { name: "assist", about: "The front of fidelity against help.", fields: AssistConfig::FIELDS },
    ];

    fn complete() -> TransferSettings {
        TransferSettings::of(Preset::Default)
    }

    fn check(&self) -> Result<()> {
        self.config.check()?;
        Ok(self.assist.check()?)
    }
}

impl Settings for FeedbackConfig {
    const SECTIONS: &'static [Section] = &[
        Section { name: "", about: "The training. A frame takes 0.025 s.", fields: FeedbackConfig::FIELDS },
        Section { name: "trouble", about: "Pushes and disturbed starts in training.", fields: Trouble::FIELDS },
        Section { name: "chooses_by", about: "The test by which policies are compared.", fields: Test::FIELDS },
        Section { name: "tracking", about: "The periodic motion and its feedback.", fields: TrackingConfig::FIELDS },
        Section { name: "tracking.sizes", about: "Deviations that cost 1.", fields: Sizes::FIELDS },
        Section { name: "tracking.chooses_by", about: "The test by which gains are compared.", fields: Test::FIELDS },
    ];

    fn complete() -> FeedbackConfig {
        FeedbackPreset::Default.config()
    }

    fn check(&self) -> Result<()> {
        Ok(FeedbackConfig::check(self)?)
    }
}

impl Settings for SearchConfig {
    const SECTIONS: &'static [Section] = &[
        Section { name: "", about: "The search.", fields: SearchConfig::FIELDS },
        Section { name: "objectives", about: "What a jump is judged by.", fields: Objectives::FIELDS },
    ];

    fn complete() -> SearchConfig {
        Budget::Default.config(Method::Rmoo)
    }

    fn check(&self) -> Result<()> {
        Ok(SearchConfig::check(self)?)
    }
}

impl Settings for DataConfig {
    const SECTIONS: &'static [Section] =
        &[Section { name: "", about: "The data set. Frames are 1/30 s.", fields: DataConfig::FIELDS }];

    fn complete() -> DataConfig {
        DataConfig::default()
    }

    fn check(&self) -> Result<()> {
        match self.fault() {
            Some((name, value, range)) => Err(LearnError::Setting { name, value, range }.into()),
            None => Ok(()),
        }
    }
}

impl Settings for TrackerConfig {
    const SECTIONS: &'static [Section] =
        &[Section { name: "", about: "A tracking policy and its training.", fields: TrackerConfig::FIELDS }];

    fn complete() -> TrackerConfig {
        TrackerConfig::default()
    }

    fn check(&self) -> Result<()> {
        match self.fault() {
            Some((field, value, range)) => Err(TrackError::Config { field, value, range }.into()),
            None => Ok(()),
        }
    }
}

impl Settings for MatchingConfig {
    const SECTIONS: &'static [Section] =
        &[Section { name: "", about: "Motion matching.", fields: MatchingConfig::FIELDS }];

    fn complete() -> MatchingConfig {
        MatchingConfig::default()
    }

    fn check(&self) -> Result<()> {
        match self.fault() {
            Some((field, value, range)) => Err(GeneratorError::Setting { field, value, range }.into()),
            None => Ok(()),
        }
    }
}

impl Settings for LiveConfig {
    const SECTIONS: &'static [Section] = &[
        Section { name: "", about: "A character that plans while it moves.", fields: LiveConfig::FIELDS },
        Section { name: "sizes", about: "Deviations that cost 1.", fields: LiveSizes::FIELDS },
    ];

    fn complete() -> LiveConfig {
        LiveConfig::default()
    }

    fn check(&self) -> Result<()> {
        Ok(LiveConfig::check(self)?)
    }
}

impl Settings for RecurrentConfig {
    const SECTIONS: &'static [Section] =
        &[Section { name: "", about: "The learned generator and its training.", fields: RecurrentConfig::FIELDS }];

    fn complete() -> RecurrentConfig {
        RecurrentConfig::default()
    }

    fn check(&self) -> Result<()> {
        match self.fault() {
            Some((field, value, range)) => Err(GeneratorError::Setting { field, value, range }.into()),
            None => Ok(()),
        }
    }
}
