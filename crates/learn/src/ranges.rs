//! Which control values occur in a set: the ranges that a user may ask for.

use crate::intent::{CONTROLS, Control, Intent};
use serde::{Deserialize, Serialize};

/// Side of the cells in which targets are counted, m.
const CELL_M: f32 = 0.1;

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

    /// Area of the ground on which targets lie, seen from the character, m²: cells of 0.1 m that hold at least one frame in 2000.
    pub fn target_area(&self) -> f64 {
        let [forward, left] = [Control::TargetForward, Control::TargetLeft].map(|c| &self.values[c as usize]);
        let cell = |x: f32| (x / CELL_M).floor() as i64;
        let mut cells: Vec<(i64, i64)> = forward.iter().zip(left).map(|(&x, &y)| (cell(x), cell(y))).collect();
        cells.sort_unstable();
        let least = cells.len().div_ceil(2000);
        let full = cells.chunk_by(|a, b| a == b).filter(|cell| cell.len() >= least).count();
        full as f64 * f64::from(CELL_M * CELL_M)
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
    fn targets_cover_the_cells_that_they_lie_in() {
        let mut values = ControlValues::default();
        let target = |x: f32, y: f32| Intent::new(1).with(Control::TargetForward, x).with(Control::TargetLeft, y);
        values.add(&vec![target(0.55, -0.05); 3000]);
        values.add(&vec![target(0.65, 0.05); 3000]);
        values.add(&[target(9.0, 9.0)]);
        assert!((values.target_area() - 0.02).abs() < 1e-6, "one frame of 6001 does not count");
    }

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
