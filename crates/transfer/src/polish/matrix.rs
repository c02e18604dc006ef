//! Small dense matrices, row by row, with sums in one fixed order: the same bits on every machine.

mod product;
mod substitution;

use product::{Left, Product};
use substitution::Substitution;

/// Who makes a product: this thread, or all that have nothing else to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cores {
    /// This thread.
    One,
    /// All threads of the pool.
    All,
}

/// A matrix of `rows × cols` numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
    /// Row after row.
    pub data: Vec<f64>,
}

impl Matrix {
    /// Zeros.
    pub fn zeros(rows: usize, cols: usize) -> Matrix {
        Matrix { rows, cols, data: vec![0.0; rows * cols] }
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Row `i`, to be changed.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// `self = a₁·b`, a₁ being as many of the first columns of a as b has rows.
    ///
    /// # Panics
    /// Where a has fewer columns than b rows, as in all products where sizes do not fit.
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
    ///
    /// # Panics
    /// Where L and B have different numbers of rows.
    pub fn solve(&self, b: &mut Matrix) {
        assert_eq!(self.rows, b.rows);
        pulp::Arch::new().dispatch(Substitution { factor: self, b });
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

#[cfg(test)]
mod tests;
