//! Every constant of the learned generator and of its training.

use serde::{Deserialize, Serialize};
use sinew_settings::{documented, named};

named! {
/// Sets of constants of the learned generator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecurrentPreset, "preset of the learned generator" {
    /// Small, with a falling learning rate: minutes on two cores.
    #[default]
    Default = "default",
    /// As in Park et al. 2019 and the code that they released.
    Paper = "paper",
}
}

documented! {
/// How the learned generator is built, trained and driven.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecurrentConfig {
    /// Outputs of each layer of the encoder; none for no encoder.
    pub encoder_units: Vec<usize>,
    /// Units of each LSTM layer, the first first.
    pub lstm_units: Vec<usize>,
    /// Share of the present pose that the next one begins with, in deviations from the mean, before the network adds its part; 0 for none.
    pub carried_share: f64,
    /// Frames of a window: backpropagation ends at its beginning, where the true pose is given.
    pub window_frames: usize,
    /// Frames of a window when the training begins; windows grow from there over its first half.
    pub first_window_frames: usize,
    /// Consecutive windows of full length in a stretch of motion, through which the LSTM keeps its state.
    pub windows: usize,
    /// Stretches of motion at a time.
    pub batch: usize,
    /// Batches of stretches in all; each window of them is a step of Adam.
    pub batches: u64,
    /// Learning rate at the beginning; it falls by half a cosine.
    pub rate: f64,
    /// Learning rate at the end.
    pub final_rate: f64,
    /// Largest norm of the gradient; longer ones are shortened to it.
    pub largest_gradient: f64,
    /// w₁ of the paper: weight of the difference from the motion of the set.
    pub motion_weight: f64,
    /// w₂: weight of the difference from the intent of the set.
    pub objective_weight: f64,
    /// w₃: weight of the way of feet that stand.
    pub contact_weight: f64,
    /// w₄: weight of the change of the links' lengths.
    pub rigid_weight: f64,
    /// How many times as much the root's way and turn count as other parts of the motion.
    pub step_weight: f64,
    /// Time in which the generated root is to return to that of the set, s; 0 asks for the steps of the set, wherever the root is.
    pub return_secs: f64,
    /// Share of the given control values that are left open in training, so that users may leave them open.
    pub drop_share: f64,
    /// A foot is locked when the motion moves it no faster than this, over √(g · height), the speed scale of walking.
    pub lock_speed: f64,
    /// Half-life in which the body follows feet that stand elsewhere than the motion has them, s.
    pub follow_halflife_secs: f64,
    /// A foot is let go when the motion carries it this far from where it stands, over the character's height.
    pub release_distance: f64,
    /// Half-life of the spring by which a foot that was let go returns to the motion, s.
    pub release_halflife_secs: f64,
    /// Feet of a body that is farther than this from the generated pose are locked anew, in deviations over the set (root mean square).
    pub elsewhere: f64,
}
}

impl Default for RecurrentConfig {
    fn default() -> RecurrentConfig {
        RecurrentConfig::preset(RecurrentPreset::Default)
    }
}

impl RecurrentConfig {
    /// The constants of a preset.
    pub fn preset(preset: RecurrentPreset) -> RecurrentConfig {
        let paper = RecurrentConfig {
            encoder_units: Vec::new(),
            lstm_units: vec![512; 4],
            carried_share: 0.0,
            window_frames: 48,
            first_window_frames: 48,
            windows: 4,
            batch: 32,
            batches: 10_000,
            rate: 1e-4,
            final_rate: 1e-4,
            largest_gradient: 0.5,
            motion_weight: 1.0,
            objective_weight: 0.3,
            contact_weight: 6.0,
            rigid_weight: 0.01,
            step_weight: 1.0,
            return_secs: 0.0,
            drop_share: 0.5,
            lock_speed: 0.1,
            follow_halflife_secs: 0.3,
            release_distance: 0.08,
            release_halflife_secs: 0.1,
            elsewhere: 1.0,
        };
        match preset {
            RecurrentPreset::Paper => paper,
            RecurrentPreset::Default => RecurrentConfig {
                lstm_units: vec![256],
                carried_share: 0.8,
                first_window_frames: 6,
                batch: 16,
                batches: 400,
                rate: 2e-3,
                final_rate: 2e-5,
                step_weight: 5.0,
                return_secs: 0.5,
                ..paper
            },
        }
    }

    /// Name, value and range of the first field that is unusable.
    pub fn fault(&self) -> Option<(&'static str, f64, &'static str)> {
        let layers = [("encoder_units", &self.encoder_units, 0), ("lstm_units", &self.lstm_units, 1)];
        for (name, units, least) in layers {
            if units.len() < least || units.len() > 16 {
                return Some((
                    name,
                    units.len() as f64,
                    if least == 0 { "at most 16 layers" } else { "1 to 16 layers" },
                ));
            }
            if let Some(&bad) = units.iter().find(|&&u| u == 0 || u > 8192) {
                return Some((name, bad as f64, "layers of 1 to 8192 units"));
            }
        }
        let counts = [
            ("window_frames", self.window_frames as u64, 2..=1000, "from 2 to 1000"),
            ("windows", self.windows as u64, 1..=100, "from 1 to 100"),
            ("batch", self.batch as u64, 1..=4096, "from 1 to 4096"),
            ("batches", self.batches, 1..=1_000_000_000, "from 1 to 1000000000"),
            (
                "first_window_frames",
                self.first_window_frames as u64,
                2..=self.window_frames as u64,
                "from 2 to window_frames",
            ),
        ];
        if let Some((name, value, _, told)) = counts.into_iter().find(|(_, value, range, _)| !range.contains(value)) {
            return Some((name, value as f64, told));
        }
        let ranges = [
            ("carried_share", self.carried_share, 0.0..=1.0, "from 0 to 1"),
            ("rate", self.rate, 1e-9..=1.0, "from 1e-9 to 1"),
            ("final_rate", self.final_rate, 0.0..=1.0, "from 0 to 1"),
            ("largest_gradient", self.largest_gradient, 1e-6..=1e6, "from 1e-6 to 1e6"),
            ("motion_weight", self.motion_weight, 0.0..=1000.0, "from 0 to 1000"),
            ("objective_weight", self.objective_weight, 0.0..=1000.0, "from 0 to 1000"),
            ("contact_weight", self.contact_weight, 0.0..=1000.0, "from 0 to 1000"),
            ("rigid_weight", self.rigid_weight, 0.0..=1000.0, "from 0 to 1000"),
            ("step_weight", self.step_weight, 0.0..=1000.0, "from 0 to 1000"),
            ("return_secs", self.return_secs, 0.0..=100.0, "from 0 to 100"),
            ("drop_share", self.drop_share, 0.0..=1.0, "from 0 to 1"),
            ("lock_speed", self.lock_speed, 0.0..=10.0, "from 0 to 10"),
            ("follow_halflife_secs", self.follow_halflife_secs, 0.01..=100.0, "from 0.01 to 100"),
            ("release_distance", self.release_distance, 0.0..=1.0, "from 0 to 1"),
            ("release_halflife_secs", self.release_halflife_secs, 0.01..=10.0, "from 0.01 to 10"),
            ("elsewhere", self.elsewhere, 0.0..=100.0, "from 0 to 100"),
        ];
        let bad = ranges.into_iter().find(|(_, value, range, _)| !range.contains(value));
        bad.map(|(name, value, _, told)| (name, value, told))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_a_range_that_the_presets_are_in() {
        for preset in [RecurrentPreset::Default, RecurrentPreset::Paper] {
            assert_eq!(RecurrentConfig::preset(preset).fault(), None);
        }
        let fields = toml::Table::try_from(RecurrentConfig::default()).unwrap();
        for (name, value) in &fields {
            let mut broken = fields.clone();
            let bad = match value {
                toml::Value::Array(_) => toml::Value::Array(vec![toml::Value::Integer(0)]),
                toml::Value::Integer(_) => toml::Value::Integer(0),
                _ => toml::Value::Float(-1.0),
            };
            broken.insert(name.clone(), bad);
            let fault = broken.try_into::<RecurrentConfig>().unwrap().fault();
            assert_eq!(fault.map(|(field, ..)| field), Some(name.as_str()));
        }
    }

    #[test]
    fn the_preset_of_the_paper_has_its_numbers() {
        let paper = RecurrentConfig::preset(RecurrentPreset::Paper);
        let weights = [paper.motion_weight, paper.objective_weight, paper.contact_weight, paper.rigid_weight];
        assert_eq!((paper.lstm_units, weights), (vec![512; 4], [1.0, 0.3, 6.0, 0.01]));
        assert_eq!((paper.batch, paper.windows, paper.window_frames, paper.first_window_frames), (32, 4, 48, 48));
        assert_eq!((paper.rate, paper.final_rate, paper.largest_gradient), (1e-4, 1e-4, 0.5));
    }
}
