//! Axes: the range that holds all values, round numbers along it, and how they are written.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

/// Largest size of a number that is plotted; larger ones are drawn at this size.
const VALUE_LIMIT: f64 = 1e15;
/// Ratio of largest to smallest value above which an axis counts in powers of ten.
const LOGARITHMIC_RATIO: f64 = 12.0;

/// A number that can be plotted; `None` when it is not finite.
pub(crate) fn plottable(value: f64) -> Option<f64> {
    value.is_finite().then(|| value.clamp(-VALUE_LIMIT, VALUE_LIMIT))
}

/// One axis of a chart.
#[derive(Clone)]
pub(crate) struct Axis {
    /// Position of the lower end; for logarithmic axes positions are `log₁₀` of values.
    pub low: f64,
    /// Position of the upper end.
    pub high: f64,
    /// Positions of the labelled lines.
    pub ticks: Vec<f64>,
    /// Digits after the point of a label.
    decimals: usize,
    is_logarithmic: bool,
}

impl Axis {
    /// An axis that just holds all values, for time.
    pub fn tight(values: impl Iterator<Item = f64>, most_ticks: usize) -> Self {
        let (low, high) = range(values).unwrap_or((0.0, 1.0));
        Self::between(low, high, most_ticks)
    }

    /// An axis with some air beyond the extreme values.
    pub fn airy(values: impl Iterator<Item = f64>, most_ticks: usize) -> Self {
        let (low, high) = range(values).unwrap_or((0.0, 1.0));
        let air = 0.07 * (high - low);
        Self::between(low - air, high + air, most_ticks)
    }

    /// An axis for positive quantities: from zero, or in powers of ten when the values span a wide range and none of
    /// them is zero or below.
    pub fn positive(values: impl Iterator<Item = f64> + Clone, most_ticks: usize) -> Self {
        let (low, high) = values
            .clone()
            .filter_map(plottable)
            .fold((f64::INFINITY, -f64::INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > 0.0 && low.is_finite() && high / low > LOGARITHMIC_RATIO {
            return Self::logarithmic(libm::log10(low), libm::log10(high));
        }
        let (low, high) = range(values.chain([0.0])).unwrap_or((0.0, 1.0));
        let air = 0.07 * (high - low);
        Self::between(if low < 0.0 { low - air } else { 0.0 }, high + air, most_ticks)
    }

    /// An axis from `low` to `high` with at most `most_ticks` round numbers on it.
    pub fn between(low: f64, high: f64, most_ticks: usize) -> Self {
        let (low, high) = widened(low, high);
        let (step, decimals) = round_step((high - low) / most_ticks.max(1) as f64);
        let (first, last) = ((low / step - 1e-6).ceil() as i64, (high / step + 1e-6).floor() as i64);
        let ticks = (first..=last.min(first + 100)).map(|i| i as f64 * step).collect();
        Self { low, high, ticks, decimals, is_logarithmic: false }
    }

    /// The vertical axis of a chart of rows, each one high and named beside it.
    pub fn of_rows(count: f64) -> Self {
        Self { low: 0.0, high: count, ticks: Vec::new(), decimals: 0, is_logarithmic: false }
    }

    /// The same axis without labels beyond a position.
    pub fn labelled_up_to(mut self, last: f64) -> Self {
        self.ticks.retain(|tick| *tick <= last);
        self
    }

    /// An axis from `10^low` to `10^high`, with some air.
    fn logarithmic(low: f64, high: f64) -> Self {
        let (low, high) = (low - 0.05 * (high - low), high + 0.05 * (high - low));
        let (first, last) = (low.ceil() as i32, high.floor() as i32);
        let decades = last - first + 1;
        // Every decade, or fewer when there are many; twos and fives between a few.
        let stride = (decades + 7) / 8;
        let mut ticks: Vec<f64> = (first..=last).step_by(stride.max(1) as usize).map(f64::from).collect();
        if decades <= 3 {
            let between = (first - 1..=last).flat_map(|decade| [2.0, 5.0].map(|k| f64::from(decade) + libm::log10(k)));
            ticks.extend(between.filter(|tick| (low..=high).contains(tick)));
            ticks.sort_by(f64::total_cmp);
        }
        Self { low, high, ticks, decimals: 0, is_logarithmic: true }
    }

    /// Where a value stands on the axis; `None` when it cannot be shown.
    pub fn position(&self, value: f64) -> Option<f64> {
        let value = plottable(value)?;
        match self.is_logarithmic {
            true => (value > 0.0).then(|| libm::log10(value)),
            false => Some(value),
        }
    }

    /// An axis for what matters, and for as many of the other values as lie within a third of its length beyond it.
    pub fn around(
        matters: impl Iterator<Item = f64> + Clone,
        others: impl Iterator<Item = f64> + Clone,
        is_logarithmic: bool,
        most_ticks: usize,
    ) -> Self {
        let position = |value: f64| match is_logarithmic {
            true => plottable(value).filter(|value| *value > 0.0).map(libm::log10),
            false => plottable(value),
        };
        let inner = range(matters.filter_map(position));
        let (low, high) = match (inner, range(others.clone().filter_map(position))) {
            (Some((low, high)), Some((lowest, highest))) => {
                // A single point has no length: its neighbourhood is a tenth of its size.
                let length = if high > low { high - low } else { (0.3 * high.abs()).max(0.1) };
                (low.min(lowest.max(low - length / 3.0)), high.max(highest.min(high + length / 3.0)))
            }
            (Some(range), None) | (None, Some(range)) => range,
            (None, None) => (0.0, 1.0),
        };
        if is_logarithmic {
            let (low, high) = widened(low, high);
            return Self::logarithmic(low, high);
        }
        let air = 0.05 * (high - low);
        Self::between(low - air, high + air, most_ticks)
    }

    /// How far along the axis a value stands, 0 to 1; `None` when it is beyond it or cannot be shown.
    pub fn share(&self, value: f64) -> Option<f64> {
        let share = (self.position(value)? - self.low) / (self.high - self.low);
        (0.0..=1.0).contains(&share).then_some(share)
    }

    /// The label of a tick.
    pub fn label(&self, tick: f64) -> String {
        if self.is_logarithmic {
            return logarithmic_label(tick);
        }
        // Negative zero would be written with its sign.
        let tick = if tick == 0.0 { 0.0 } else { tick };
        if self.low.abs().max(self.high.abs()) >= 1e6 {
            format!("{tick:e}")
        } else {
            format!("{tick:.*}", self.decimals)
        }
    }
}

/// Positions become units of the canvas: `limit.0` at the lower end, `limit.1` at the upper one.
impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

/// The value at a position of a logarithmic axis: one digit and a power of ten.
fn logarithmic_label(tick: f64) -> String {
    let decade = (tick + 1e-6).floor();
    let digit = libm::pow(10.0, tick - decade).round();
    match decade as i32 {
        decade @ 0..=4 => format!("{}", digit * libm::pow(10.0, f64::from(decade)).round()),
        decade @ -3..=-1 => format!("{:.*}", -decade as usize, digit * libm::pow(10.0, f64::from(decade))),
        decade => format!("{digit}e{decade}"),
    }
}

/// Least and greatest of the plottable values.
fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter_map(plottable).fold(None, |range, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}

/// The same range, or a wider one where its ends are too near each other to tell numbers between them.
fn widened(low: f64, high: f64) -> (f64, f64) {
    let least = (1e-6 * low.abs().max(high.abs())).max(1e-9);
    if high - low >= least {
        return (low, high);
    }
    let (middle, half) = (0.5 * (low + high), (0.1 * low.abs().max(high.abs())).max(0.5));
    (middle - half, middle + half)
}

/// The least of 1, 2, 5, 10, … times a power of ten that is not below `rough`, and the digits it has after the point.
fn round_step(rough: f64) -> (f64, usize) {
    let decade = libm::log10(rough).floor();
    let power = libm::pow(10.0, decade);
    let (factor, decade) = match rough / power {
        ratio if ratio <= 1.0 => (1.0, decade),
        ratio if ratio <= 2.0 => (2.0, decade),
        ratio if ratio <= 5.0 => (5.0, decade),
        _ => (1.0, decade + 1.0),
    };
    let step = factor * libm::pow(10.0, decade);
    (step, (-decade).clamp(0.0, 12.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks.iter().map(|tick| axis.label(*tick)).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(labels(&Axis::between(0.0, 9.0, 10)), ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
        assert_eq!(labels(&Axis::between(-0.11, 0.13, 5)), ["-0.10", "-0.05", "0.00", "0.05", "0.10"]);
        assert_eq!(labels(&Axis::between(0.0, 4e7, 4)), ["0e0", "1e7", "2e7", "3e7", "4e7"]);
    }

    #[test]
    fn wide_positive_ranges_count_in_powers_of_ten() {
        let wide = [0.02, 500.0];
        let axis = Axis::positive(wide.into_iter(), 6);
        assert!(axis.is_logarithmic);
        assert_eq!(labels(&axis), ["0.1", "1", "10", "100"]);
        assert_eq!(axis.position(10.0), Some(1.0));
        assert_eq!(axis.position(0.0), None);
        assert!(!Axis::positive([0.0, 700.0].into_iter(), 6).is_logarithmic);
        assert!(!Axis::positive([20.0, 70.0].into_iter(), 6).is_logarithmic);
        assert_eq!(labels(&Axis::positive([0.9, 60.0].into_iter(), 6)), ["1", "2", "5", "10", "20", "50"]);
        let thirty_decades = Axis::positive([1e-15, 1e15].into_iter(), 6);
        assert!((4..=8).contains(&thirty_decades.ticks.len()));
    }

    #[test]
    fn degenerate_ranges_still_have_two_ends_and_few_ticks() {
        let nan = f64::NAN;
        let cases: [&[f64]; 7] =
            [&[], &[nan], &[3.0], &[0.0, 0.0], &[-1e300, 1e300], &[1e15, 1e15 + 1.0], &[1e-300, 2e-300]];
        for values in cases {
            for axis in [
                Axis::tight(values.iter().copied(), 8),
                Axis::airy(values.iter().copied(), 8),
                Axis::positive(values.iter().copied(), 8),
            ] {
                assert!(axis.low < axis.high && (axis.high - axis.low).is_finite(), "{values:?}");
                assert!(axis.ticks.len() <= 20, "{values:?} has {} ticks", axis.ticks.len());
                assert!(axis.ticks.iter().all(|tick| tick.is_finite()));
            }
        }
    }
}
