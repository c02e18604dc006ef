//! Small dense matrices, row by row, with sums in one fixed order: the same bits on every machine.

use rayon::prelude::*;
use std::ops::Range;

/// Who makes a product: this thread, or all that have nothing else to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cores {
    One,
    All,
}

/// A matrix of `rows × cols` numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Matrix {
    pub rows: usize,
    pub cols: usize,
    pub data: Vec<f64>,
}

impl Matrix {
    pub fn zeros(rows: usize, cols: usize) -> Matrix {
        Matrix { rows, cols, data: vec![0.0; rows * cols] }
    }

    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// `self = a₁·b`, a₁ being as many of the first columns of a as b has rows.
    pub fn set_product(&mut self, a: &Matrix, b: &Matrix, cores: Cores) {
        assert!(a.cols >= b.rows);
        (self.rows, self.cols) = (a.rows, b.cols);
        self.data.clear();
        self.data.resize(a.rows * b.cols, 0.0);
        let a = Left { data: &a.data, row_stride: a.cols, col_stride: 1 };
        Product { out: &mut self.data, a, b: &b.data, cols: b.cols, first_row: 0, is_lower: false }.add(cores);
    }

    /// Adds a factor times a row of numbers to row `i`.
    pub fn add_row(&mut self, i: usize, factor: f64, other: &[f64]) {
        self.row_mut(i).iter_mut().zip(other).for_each(|(x, y)| *x += factor * y);
    }

    /// `self += aᵀ·b₁`, b₁ being as many of the first rows of b as a has.
    pub fn add_transposed_product(&mut self, a: &Matrix, b: &Matrix, cores: Cores) {
        assert!(a.rows <= b.rows && self.rows == a.cols && self.cols == b.cols);
        let b = &b.data[..a.rows * b.cols];
        let a = Left { data: &a.data, row_stride: 1, col_stride: a.cols };
        Product { out: &mut self.data, a, b, cols: self.cols, first_row: 0, is_lower: false }.add(cores);
    }

    /// `self += aᵀ·b₁` as [`Matrix::add_transposed_product`], where that is symmetric: only on and below the diagonal.
    pub fn add_symmetric_product(&mut self, a: &Matrix, b: &Matrix, cores: Cores) {
        assert!(a.rows <= b.rows && self.rows == a.cols && self.cols == b.cols && self.rows == self.cols);
        let b = &b.data[..a.rows * b.cols];
        let a = Left { data: &a.data, row_stride: 1, col_stride: a.cols };
        Product { out: &mut self.data, a, b, cols: self.cols, first_row: 0, is_lower: true }.add(cores);
    }

    /// `out += selfᵀ·x`.
    pub fn add_transposed_vector(&self, x: &[f64], out: &mut [f64]) {
        for (i, x) in x.iter().enumerate() {
            for (out, a) in out.iter_mut().zip(self.row(i)) {
                *out += a * x;
            }
        }
    }

    /// `out += self·x`.
    pub fn add_vector(&self, x: &[f64], out: &mut [f64]) {
        pulp::Arch::new().dispatch(|| {
            for (i, out) in out.iter_mut().enumerate() {
                *out += dot(self.row(i), x);
            }
        });
    }

    /// Lower factor of a symmetric positive definite matrix, `L·Lᵀ`; `None` where it is not definite.
    pub fn cholesky(mut self) -> Option<Matrix> {
        let n = self.rows;
        for j in 0..n {
            let (above, below) = self.data.split_at_mut((j + 1) * n);
            let row_j = &mut above[j * n..];
            let pivot = row_j[j] - row_j[..j].iter().map(|x| x * x).sum::<f64>();
            if !(pivot > 1e-12 && pivot.is_finite()) {
                return None;
            }
            let pivot = pivot.sqrt();
            row_j[j] = pivot;
            for row_i in below.chunks_mut(n) {
                let dot = row_i[..j].iter().zip(&row_j[..j]).map(|(a, b)| a * b).sum::<f64>();
                row_i[j] = (row_i[j] - dot) / pivot;
            }
        }
        Some(self)
    }

    /// `L·Lᵀ·X = B` solved in place, `self` being L.
    pub fn solve(&self, b: &mut Matrix) {
        assert_eq!(self.rows, b.rows);
        pulp::Arch::new().dispatch(Solution { factor: self, b });
    }

    /// `b ← L⁻ᵀ·b`, `self` being L.
    pub fn solve_transposed(&self, b: &mut [f64]) {
        for i in (0..self.rows).rev() {
            b[i] /= self.row(i)[i];
            let solved = b[i];
            b[..i].iter_mut().zip(self.row(i)).for_each(|(b, l)| *b -= l * solved);
        }
    }

    /// Copies what is below the diagonal to above it.
    pub fn mirror(&mut self) {
        for i in 0..self.rows {
            for j in 0..i {
                self.data[j * self.cols + i] = self.data[i * self.cols + j];
            }
        }
    }
}

/// The sum of products, in eight sums side by side.
#[inline(always)]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let length = a.len().min(b.len());
    let (a, rest_a) = a[..length].as_chunks::<8>();
    let (b, rest_b) = b[..length].as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        (0..8).for_each(|k| sums[k] += a[k] * b[k]);
    }
    let rest = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum::<f64>();
    let halves: [f64; 4] = std::array::from_fn(|k| sums[k] + sums[k + 4]);
    (halves[0] + halves[2]) + (halves[1] + halves[3]) + rest
}

/// `L·Lᵀ·X = B` in place.
struct Solution<'a> {
    factor: &'a Matrix,
    b: &'a mut Matrix,
}

impl pulp::WithSimd for Solution<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, _: S) {
        let next = self.columns::<64>(0);
        let next = self.columns::<8>(next);
        self.columns::<1>(next);
    }
}

impl Solution<'_> {
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

/// `aᵢₖ` is at `i·row_stride + k·col_stride`.
#[derive(Clone, Copy)]
struct Left<'a> {
    data: &'a [f64],
    row_stride: usize,
    col_stride: usize,
}

/// `outᵢ += Σ_k aᵢₖ·bₖ`, sums in the order of k.
struct Product<'a> {
    out: &'a mut [f64],
    a: Left<'a>,
    b: &'a [f64],
    cols: usize,
    /// Which row of the whole product is the first of `out`.
    first_row: usize,
    /// Whether only what is on and below the diagonal is needed; some of what is above may be made.
    is_lower: bool,
}

/// Rows that one of several threads makes, and the least number of terms for which several are worth it.
const SHARE_ROWS: usize = 16;
const SHARED_TERMS: usize = 200_000;

impl Product<'_> {
    fn add(self, cores: Cores) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn some(rows: usize, cols: usize, seed: f64) -> Matrix {
        let data = (0..rows * cols).map(|i| libm::sin(seed + 1.7 * i as f64)).collect();
        Matrix { rows, cols, data }
    }

    #[test]
    fn products_and_solutions() {
        let (a, b) = (some(7, 6, 0.1), some(6, 5, 0.2));
        let mut c = Matrix::default();
        c.set_product(&a, &b, Cores::One);
        for i in 0..7 {
            for j in 0..5 {
                let plain: f64 = (0..6).map(|k| a.row(i)[k] * b.row(k)[j]).sum();
                assert!((c.row(i)[j] - plain).abs() < 1e-14);
            }
        }
        let mut d = Matrix::zeros(6, 6);
        d.add_transposed_product(&a, &a, Cores::One);
        (0..6).for_each(|i| d.row_mut(i)[i] += 0.5);
        let mut x = b.clone();
        d.clone().cholesky().expect("definite").solve(&mut x);
        let mut again = Matrix::default();
        again.set_product(&d, &x, Cores::One);
        let worst = again.data.iter().zip(&b.data).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-12, "{worst}");
        let factor = d.clone().cholesky().expect("definite");
        let mut half: Vec<f64> = (0..6).map(|i| b.row(i)[0]).collect();
        factor.solve_transposed(&mut half);
        let back = |i: usize| (i..6).map(|k| factor.row(k)[i] * half[k]).sum::<f64>();
        assert!((0..6).all(|i| (back(i) - b.row(i)[0]).abs() < 1e-12));
        assert!(Matrix { rows: 1, cols: 1, data: vec![-1.0] }.cholesky().is_none());
    }

    #[test]
    fn products_of_all_sizes_of_tiles() {
        // Tiles of 16 and of 4 columns, single numbers; a wider left factor, a higher right one; enough for several threads.
        for (rows, terms, cols) in [(4, 3, 16), (9, 8, 39), (71, 60, 55), (103, 60, 110)] {
            let (a, b) = (some(rows, terms + 2, 0.3), some(terms, cols, 0.4));
            let mut c = Matrix::default();
            c.set_product(&a, &b, Cores::One);
            let mut shared = Matrix::default();
            shared.set_product(&a, &b, Cores::All);
            assert_eq!(c, shared);
            let (d, e) = (some(terms, rows, 0.5), some(terms + 3, cols, 0.6));
            let mut f = Matrix::zeros(rows, cols);
            f.add_transposed_product(&d, &e, Cores::One);
            let mut shared = Matrix::zeros(rows, cols);
            shared.add_transposed_product(&d, &e, Cores::All);
            assert_eq!(f, shared);
            for i in 0..rows {
                for j in 0..cols {
                    let plain: f64 = (0..terms).map(|k| a.row(i)[k] * b.row(k)[j]).sum();
                    assert!((c.row(i)[j] - plain).abs() < 1e-13);
                    let plain: f64 = (0..terms).map(|k| d.row(k)[i] * e.row(k)[j]).sum();
                    assert!((f.row(i)[j] - plain).abs() < 1e-13);
                }
            }
            let (mut whole, mut half) = (Matrix::zeros(rows, rows), Matrix::zeros(rows, rows));
            whole.add_transposed_product(&d, &d, Cores::One);
            half.add_symmetric_product(&d, &d, Cores::One);
            half.mirror();
            assert_eq!(whole, half);
            let mut shared = Matrix::zeros(rows, rows);
            shared.add_symmetric_product(&d, &d, Cores::All);
            shared.mirror();
            assert_eq!(whole, shared);
        }
    }
}
