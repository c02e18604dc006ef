//! Which control values occur in a set: the ranges that a user may ask for.

use crate::intent::{CONTROLS, Control, Intent};
use serde::{Deserialize, Serialize};

/// The range of a control value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ControlRange {
    /// Its name.
    pub control: String,
    /// Its unit.
    pub unit: String,
    /// Frames that have it.
    pub frames: usize,
    /// Least value, 5th percentile, median, 95th percentile, largest value.
    pub quantiles: [f64; 5],
}

/// Gathers control values: four bytes for each value of each frame.
#[derive(Clone, Debug, Default)]
pub struct ControlValues {
    values: [Vec<f32>; CONTROLS],
}

impl ControlValues {
    /// Takes the values that intents give.
    pub fn add(&mut self, intents: &[Intent]) {
        for intent in intents {
            for control in Control::ALL {
                self.values[control as usize].extend(intent.get(control));
            }
        }
    }

    /// The ranges of the values that occur.
    pub fn ranges(mut self) -> Vec<ControlRange> {
        let mut ranges = Vec::new();
        for control in Control::ALL {
            let values = &mut self.values[control as usize];
            if values.is_empty() {
                continue;
            }
            values.sort_by(f32::total_cmp);
            let last = values.len() - 1;
            let quantile = |share: f64| f64::from(values[(share * last as f64).round() as usize]);
            ranges.push(ControlRange {
                control: control.name().into(),
                unit: control.unit().into(),
                frames: values.len(),
                quantiles: [0.0, 0.05, 0.5, 0.95, 1.0].map(quantile),
            });
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_the_values_that_are_given() {
        let mut values = ControlValues::default();
        let intents: Vec<Intent> = (0..=100).map(|i| Intent::new(1).with(Control::Speed, i as f32)).collect();
        values.add(&intents);
        let ranges = values.ranges();
        assert_eq!(ranges.len(), 1, "a value that no frame has has no range");
        assert_eq!((ranges[0].control.as_str(), ranges[0].frames), ("speed", 101));
        assert_eq!(ranges[0].quantiles, [0.0, 5.0, 50.0, 95.0, 100.0]);
    }
}
