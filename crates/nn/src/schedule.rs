//! Learning rates that change with the steps taken.

use serde::{Deserialize, Serialize};

/// A learning rate for every step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// Always the same.
    Constant {
        /// The rate.
        rate: f64,
    },
    /// `start · factor^(step / every)`, smoothly.
    Exponential {
        /// Rate of step 0.
        start: f64,
        /// What is left of it after `every` steps.
        factor: f64,
        /// Steps.
        every: u64,
    },
    /// From `start` to `end` in a straight line over `steps` steps, then `end`.
    Linear {
        /// Rate of step 0.
        start: f64,
        /// Rate at last.
        end: f64,
        /// Steps.
        steps: u64,
    },
    /// From `start` to `end` by half a cosine over `steps` steps, then `end` (Loshchilov & Hutter 2017, eq. 5).
    Cosine {
        /// Rate of step 0.
        start: f64,
        /// Rate at last.
        end: f64,
        /// Steps.
        steps: u64,
    },
}

impl Schedule {
    /// Returns the rate of a step; the first is 0.
    pub fn at(self, step: u64) -> f64 {
        let share = |steps: u64| (step as f64 / steps.max(1) as f64).min(1.0);
        match self {
            Schedule::Constant { rate } => rate,
            Schedule::Exponential { start, factor, every } => {
                start * libm::pow(factor, step as f64 / every.max(1) as f64)
            }
            Schedule::Linear { start, end, steps } => start + (end - start) * share(steps),
            Schedule::Cosine { start, end, steps } => {
                end + (start - end) * 0.5 * (1.0 + libm::cos(std::f64::consts::PI * share(steps)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_begin_pass_and_end_where_they_should() {
        let close = |schedule: Schedule, expected: [f64; 4]| {
            for (step, expected) in [0, 25, 100, 1000].into_iter().zip(expected) {
                let found = schedule.at(step);
                assert!((found - expected).abs() < 1e-12, "{schedule:?} at {step}: {found}, not {expected}");
            }
        };
        close(Schedule::Constant { rate: 0.3 }, [0.3; 4]);
        close(Schedule::Linear { start: 1.0, end: 0.2, steps: 100 }, [1.0, 0.8, 0.2, 0.2]);
        let quarter = 0.2 + 0.8 * (0.5 + 0.5 * std::f64::consts::FRAC_1_SQRT_2);
        close(Schedule::Cosine { start: 1.0, end: 0.2, steps: 100 }, [1.0, quarter, 0.2, 0.2]);
        let exponential = Schedule::Exponential { start: 2.0, factor: 0.5, every: 50 };
        close(exponential, [2.0, 2.0 * std::f64::consts::FRAC_1_SQRT_2, 0.5, 2.0 / (1u64 << 20) as f64]);
    }
}
