//! Forward and backward substitution, many columns at a time.

use super::Matrix;
use std::ops::Range;

/// `L·Lᵀ·X = B` in place.
pub(super) struct Substitution<'a> {
    pub factor: &'a Matrix,
    pub b: &'a mut Matrix,
}

impl pulp::WithSimd for Substitution<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, _: S) {
        let next = self.columns::<64>(0);
        let next = self.columns::<8>(next);
        self.columns::<1>(next);
    }
}

impl Substitution<'_> {
    /// Columns from `column` on, so many at a time, as far as that goes; gives the first that is left.
    #[inline(always)]
    fn columns<const W: usize>(&mut self, mut column: usize) -> usize {
        let (n, cols) = (self.factor.rows, self.b.cols);
        while column + W <= cols {
            for i in 0..n {
                self.row::<W>(column, i, 0..i, |k| i * n + k);
            }
            for i in (0..n).rev() {
                self.row::<W>(column, i, i + 1..n, |k| k * n + i);
            }
            column += W;
        }
        column
    }

    /// `xᵢ ← (xᵢ − Σ_k lₖ·xₖ)/lᵢᵢ`, with `lₖ` where `place` says.
    #[inline(always)]
    fn row<const W: usize>(&mut self, column: usize, i: usize, ks: Range<usize>, place: impl Fn(usize) -> usize) {
        let (n, cols) = (self.factor.rows, self.b.cols);
        let at = |row: usize| row * cols + column..row * cols + column + W;
        let mut sums: [f64; W] = self.b.data[at(i)].try_into().expect("as wide");
        for k in ks {
            let factor = -self.factor.data[place(k)];
            let x: &[f64; W] = self.b.data[at(k)].try_into().expect("as wide");
            sums.iter_mut().zip(x).for_each(|(sum, x)| *sum = factor.mul_add(*x, *sum));
        }
        let inverse = 1.0 / self.factor.data[i * n + i];
        self.b.data[at(i)].iter_mut().zip(&sums).for_each(|(x, sum)| *x = sum * inverse);
    }
}
