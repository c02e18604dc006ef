//! An input layer that brings every column to mean 0 and deviation 1, and bounds it.

use crate::lanes::{Isa, Lanes, Real, Work, groups, read, write};
use crate::parallel::{Shared, bound, for_each, parts};
use crate::running::RunningStatistics;

/// The least deviation that is divided by; columns that never change stay 0.
const LEAST_DEVIATION: f64 = 1e-4;

/// `y = clamp((x − mean) · scale, −bound, bound)`
#[derive(Clone, Debug, PartialEq)]
pub struct Normaliser<T> {
    pub(crate) mean: Vec<T>,
    pub(crate) scale: Vec<T>,
    pub(crate) bound: T,
}

impl<T: Real> Normaliser<T> {
    /// Mean and inverse deviation of the rows seen; a bound of 5 to 10 is usual.
    pub fn new(statistics: &RunningStatistics, bound: f64) -> Normaliser<T> {
        let scale = statistics.deviation().map(|deviation| T::from_f64(1.0 / deviation.max(LEAST_DEVIATION)));
        let mean = statistics.mean().iter().map(|mean| T::from_f64(*mean)).collect();
        Normaliser { mean, scale: scale.collect(), bound: T::from_f64(bound) }
    }

    /// Statistics of so many rows that would give this normaliser: those to go on from where the rows are gone.
    pub fn statistics(&self, rows: u64) -> RunningStatistics {
        let mean = self.mean.iter().map(|mean| mean.to_f64()).collect();
        RunningStatistics::known(rows, mean, self.scale.iter().map(|scale| 1.0 / scale.to_f64()))
    }

    /// Numbers in a row.
    pub fn columns(&self) -> usize {
        self.mean.len()
    }

    /// Writes normalised rows.
    ///
    /// # Panics
    /// If the sizes do not fit.
    pub fn apply(&self, isa: Isa, input: &[T], output: &mut [T]) {
        let columns = self.columns();
        assert_eq!(input.len(), output.len(), "input and output of a normaliser");
        assert!(input.len().is_multiple_of(columns), "{} numbers are not rows of {columns}", input.len());
        let (rows, output) = (input.len() / columns, Shared::new(output));
        let count = parts(input.len(), crate::parallel::PART).min(rows.max(1));
        for_each(count, |part| {
            let (from, to) = (bound(rows, count, part) * columns, bound(rows, count, part + 1) * columns);
            // SAFETY: every part writes rows of its own.
            let output = unsafe { output.part(from, to) };
            T::run(isa, Rows(self, &input[from..to], output));
        });
    }

    /// Turns a gradient by normalised rows into that by the rows themselves: `· scale`, and 0 where the bound was reached.
    pub(crate) fn derive(&self, normalised: &[T], gradient: &mut [T]) {
        let columns = self.columns();
        for (y, gradient) in normalised.chunks_exact(columns).zip(gradient.chunks_exact_mut(columns)) {
            for ((y, g), scale) in y.iter().zip(gradient).zip(&self.scale) {
                let inside = *y < self.bound && -*y < self.bound;
                *g = if inside { *g * *scale } else { T::default() };
            }
        }
    }
}

struct Rows<'a, T>(&'a Normaliser<T>, &'a [T], &'a mut [T]);

impl<T: Real> Work<T> for Rows<'_, T> {
    type Outcome = ();
    #[inline(always)]
    fn run<V: Lanes<Element = T>>(self) {
        let Rows(Normaliser { mean, scale, bound }, input, output) = self;
        let (high, low) = (V::splat(*bound), -V::splat(*bound));
        for (input, output) in input.chunks_exact(mean.len()).zip(output.chunks_exact_mut(mean.len())) {
            for (at, count) in groups::<V>(mean.len()) {
                // SAFETY: `at + count` is at most the length of a row.
                unsafe {
                    let x = read::<V>(input.as_ptr().add(at), count);
                    let y = (x - read(mean.as_ptr().add(at), count)) * read(scale.as_ptr().add(at), count);
                    // What is not a number stays so.
                    write(high.min(low.max(y)), output.as_mut_ptr().add(at), count);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statistics_of_a_normaliser_give_it_again() {
        let mut statistics = RunningStatistics::new(2);
        statistics.add(&[1.0, 7.0, 3.0, -2.0, 4.0, 1.0]);
        let normaliser = Normaliser::<f64>::new(&statistics, 2.0);
        let known = normaliser.statistics(1000);
        assert_eq!(known.count(), 1000);
        let again = Normaliser::<f64>::new(&known, 2.0);
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near(&again.mean, &normaliser.mean) && near(&again.scale, &normaliser.scale));
    }

    #[test]
    fn columns_get_mean_0_and_deviation_1_and_are_bounded() {
        let mut statistics = RunningStatistics::new(3);
        statistics.add(&[1.0, 7.0, -4.0, 3.0, 7.0, 0.0]);
        let normaliser = Normaliser::<f32>::new(&statistics, 2.0);
        let mut out = [0.0; 6];
        normaliser.apply(Isa::detect(), &[1.0, 7.0, 0.0, 3.5, 7.0, -40.0], &mut out);
        assert_eq!(out, [-1.0, 0.0, 1.0, 1.5, 0.0, -2.0]);
        let mut gradient = [1.0; 6];
        normaliser.derive(&out, &mut gradient);
        assert_eq!(gradient, [1.0, 1e4, 0.5, 1.0, 1e4, 0.0]);
    }
}
