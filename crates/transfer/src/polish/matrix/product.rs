//! Products in tiles that fit into registers.

use super::Cores;
use rayon::prelude::*;

/// `aᵢₖ` is at `i·row_stride + k·col_stride`.
#[derive(Clone, Copy)]
pub(super) struct Left<'a> {
    pub data: &'a [f64],
    pub row_stride: usize,
    pub col_stride: usize,
}

/// `outᵢ += Σ_k aᵢₖ·bₖ`, sums in the order of k.
pub(super) struct Product<'a> {
    pub out: &'a mut [f64],
    pub a: Left<'a>,
    pub b: &'a [f64],
    pub cols: usize,
    /// Which row of the whole product is the first of `out`.
    pub first_row: usize,
    /// Whether only what is on and below the diagonal is needed; some of what is above may be made.
    pub is_lower: bool,
}

/// Rows that one of several threads makes, and the least number of terms for which several are worth it.
const SHARE_ROWS: usize = 16;
const SHARED_TERMS: usize = 200_000;

impl Product<'_> {
    /// Adds the product, by one thread or several.
    pub fn add(self, cores: Cores) {
        if self.cols == 0 {
            return;
        }
        let Product { out, a, b, cols, first_row, is_lower } = self;
        let terms = out.len() * (b.len() / cols);
        if cores == Cores::One || terms < SHARED_TERMS {
            pulp::Arch::new().dispatch(Product { out, a, b, cols, first_row, is_lower });
            return;
        }
        out.par_chunks_mut(SHARE_ROWS * cols).enumerate().for_each(|(share, out)| {
            let first_row = share * SHARE_ROWS;
            let a = Left { data: &a.data[first_row * a.row_stride..], ..a };
            pulp::Arch::new().dispatch(Product { out, a, b, cols, first_row, is_lower });
        });
    }
}

impl pulp::WithSimd for Product<'_> {
    type Output = ();

    /// In tiles that fit into registers, over columns that fit into the nearest cache. Compiled for every width of vectors; all of them fuse
    /// products and sums, in software where a processor does not.
    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, _: S) {
        let next = if S::F64_LANES == 8 { self.columns::<8, 16>(0) } else { 0 };
        let next = self.columns::<4, 8>(next);
        let next = self.columns::<4, 4>(next);
        self.columns::<4, 1>(next);
    }
}

impl Product<'_> {
    /// Columns from `column` on, so many at a time, as far as that goes; gives the first that is left.
    #[inline(always)]
    fn columns<const R: usize, const W: usize>(&mut self, mut column: usize) -> usize {
        let rows = self.out.len() / self.cols;
        while column + W <= self.cols {
            let above = column.saturating_sub(self.first_row).min(rows);
            let mut row = if self.is_lower { above / R * R } else { 0 };
            while row + R <= rows {
                self.tile::<R, W>(row, column);
                row += R;
            }
            while row < rows {
                self.tile::<1, W>(row, column);
                row += 1;
            }
            column += W;
        }
        column
    }

    /// `R × W` numbers.
    #[inline(always)]
    fn tile<const R: usize, const W: usize>(&mut self, row: usize, column: usize) {
        let Left { data, row_stride, col_stride } = self.a;
        let a = &data[row * row_stride..];
        let mut sums = [[0.0; W]; R];
        for (k, b) in self.b.chunks_exact(self.cols).enumerate() {
            let b: &[f64; W] = b[column..column + W].try_into().expect("as wide");
            for (i, sums) in sums.iter_mut().enumerate() {
                let factor = a[i * row_stride + k * col_stride];
                for (sum, x) in sums.iter_mut().zip(b) {
                    *sum = factor.mul_add(*x, *sum);
                }
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            let out = &mut self.out[(row + i) * self.cols + column..][..W];
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum);
        }
    }
}
