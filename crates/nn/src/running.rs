//! Mean and deviation of all rows seen so far.

use crate::lanes::Real;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows that are summed up together before they are merged.
const BLOCK: usize = 256;

/// Mean and sum of squared deviations of each column, in f64. The result depends on the rows and their order alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunningStatistics {
    count: u64,
    mean: Vec<f64>,
    /// Σ (x − mean)²
    squares: Vec<f64>,
}

impl RunningStatistics {
    /// No rows yet, of so many columns.
    pub fn new(columns: usize) -> RunningStatistics {
        RunningStatistics { count: 0, mean: vec![0.0; columns], squares: vec![0.0; columns] }
    }

    /// Those of so many rows, by the mean and the deviation of each column.
    pub(crate) fn known(count: u64, mean: Vec<f64>, deviation: impl Iterator<Item = f64>) -> RunningStatistics {
        RunningStatistics { count, mean, squares: deviation.map(|d| d * d * count as f64).collect() }
    }

    /// Rows seen.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Mean of each column; 0 before the first row.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Deviation of each column, √(Σ (x − mean)² / n); 0 before the first row.
    pub fn deviation(&self) -> impl Iterator<Item = f64> {
        let count = self.count.max(1) as f64;
        self.squares.iter().map(move |squares| (squares / count).sqrt())
    }

    /// Takes in more rows.
    ///
    /// # Panics
    /// If these are not rows of as many columns.
    pub fn add<T: Real>(&mut self, rows: &[T]) {
        let columns = self.mean.len();
        assert!(columns > 0 && rows.len().is_multiple_of(columns), "{} numbers are not rows of {columns}", rows.len());
        let part = |block: &[T]| {
            let mut part = RunningStatistics::new(columns);
            part.count = (block.len() / columns) as u64;
            let share = 1.0 / part.count as f64;
            for row in block.chunks_exact(columns) {
                part.mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x.to_f64());
            }
            part.mean.iter_mut().for_each(|mean| *mean *= share);
            for row in block.chunks_exact(columns) {
                for ((squares, mean), x) in part.squares.iter_mut().zip(&part.mean).zip(row) {
                    let off = x.to_f64() - mean;
                    *squares += off * off;
                }
            }
            part
        };
        let parts: Vec<RunningStatistics> = rows.par_chunks(BLOCK * columns).map(part).collect();
        parts.iter().for_each(|part| self.merge(part));
    }

    /// Takes in the rows that another one has seen (Chan, Golub & LeVeque 1983, eq. 2.1).
    ///
    /// # Panics
    /// If it has another number of columns.
    pub fn merge(&mut self, other: &RunningStatistics) {
        assert_eq!(self.mean.len(), other.mean.len(), "columns of two statistics");
        if other.count == 0 {
            return;
        }
        let (mine, theirs) = (self.count as f64, other.count as f64);
        let all = mine + theirs;
        for j in 0..self.mean.len() {
            let off = other.mean[j] - self.mean[j];
            self.mean[j] += off * theirs / all;
            self.squares[j] += other.squares[j] + off * off * mine * theirs / all;
        }
        self.count += other.count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_merges_give_the_moments_of_all_rows() {
        let x = |i: usize| [1e4 + (i as f64 * 0.37).fract(), (i * i % 17) as f64];
        let rows: Vec<f64> = (0..1000).flat_map(x).collect();
        let mut all = RunningStatistics::new(2);
        all.add(&rows[..600]);
        let mut rest = RunningStatistics::new(2);
        rest.add(&rows[600..1900]);
        rest.add(&rows[1900..]);
        all.merge(&rest);
        all.merge(&RunningStatistics::new(2));
        assert_eq!(all.count(), 1000);
        for (j, deviation) in all.deviation().enumerate() {
            let mean = (0..1000).map(|i| x(i)[j]).sum::<f64>() / 1000.0;
            let variance = (0..1000).map(|i| (x(i)[j] - mean).powi(2)).sum::<f64>() / 1000.0;
            assert!((all.mean()[j] - mean).abs() < 1e-11 * mean.abs().max(1.0));
            assert!((deviation - variance.sqrt()).abs() < 1e-10, "{deviation}, {}", variance.sqrt());
        }
    }
}
