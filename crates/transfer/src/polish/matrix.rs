//! Small dense matrices, row by row, with sums in one fixed order: the same bits on every machine.

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

    /// `self = a·b`.
    pub fn set_product(&mut self, a: &Matrix, b: &Matrix) {
        assert_eq!(a.cols, b.rows);
        (self.rows, self.cols) = (a.rows, b.cols);
        self.data.clear();
        self.data.resize(a.rows * b.cols, 0.0);
        multiply(&mut self.data, &a.data, a.cols, 1, a.rows, b);
    }

    /// `self += aᵀ·b`.
    pub fn add_transposed_product(&mut self, a: &Matrix, b: &Matrix) {
        assert!(a.rows == b.rows && self.rows == a.cols && self.cols == b.cols);
        multiply(&mut self.data, &a.data, 1, a.cols, a.cols, b);
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
        for (i, out) in out.iter_mut().enumerate() {
            *out += self.row(i).iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
        }
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
        let n = self.rows;
        for i in 0..n {
            let (done, rest) = b.data.split_at_mut(i * b.cols);
            let row = &mut rest[..b.cols];
            for (k, l) in self.row(i)[..i].iter().enumerate() {
                axpy(row, -l, &done[k * b.cols..(k + 1) * b.cols]);
            }
            let inverse = 1.0 / self.row(i)[i];
            row.iter_mut().for_each(|x| *x *= inverse);
        }
        for i in (0..n).rev() {
            let (head, done) = b.data.split_at_mut((i + 1) * b.cols);
            let row = &mut head[i * b.cols..];
            for k in i + 1..n {
                axpy(row, -self.row(k)[i], &done[(k - i - 1) * b.cols..(k - i) * b.cols]);
            }
            let inverse = 1.0 / self.row(i)[i];
            row.iter_mut().for_each(|x| *x *= inverse);
        }
    }

    /// The mean of the matrix and its transpose.
    pub fn symmetrize(&mut self) {
        for i in 0..self.rows {
            for j in 0..i {
                let mean = 0.5 * (self.data[i * self.cols + j] + self.data[j * self.cols + i]);
                self.data[i * self.cols + j] = mean;
                self.data[j * self.cols + i] = mean;
            }
        }
    }
}

fn axpy(row: &mut [f64], factor: f64, other: &[f64]) {
    if factor != 0.0 {
        row.iter_mut().zip(other).for_each(|(x, y)| *x += factor * y);
    }
}

/// `out[i] += Σ_k a[i·row_stride + k·col_stride]·b[k]`, rows of `b` four at a time; sums in the order of k.
fn multiply(out: &mut [f64], a: &[f64], row_stride: usize, col_stride: usize, rows: usize, b: &Matrix) {
    let cols = b.cols;
    for i in 0..rows {
        let out = &mut out[i * cols..(i + 1) * cols];
        let mut k = 0;
        while k + 4 <= b.rows {
            let at = |j: usize| a[i * row_stride + (k + j) * col_stride];
            let [f0, f1, f2, f3] = [at(0), at(1), at(2), at(3)];
            if f0 != 0.0 || f1 != 0.0 || f2 != 0.0 || f3 != 0.0 {
                let (b0, b1, b2, b3) = (b.row(k), b.row(k + 1), b.row(k + 2), b.row(k + 3));
                for ((((out, x0), x1), x2), x3) in out.iter_mut().zip(b0).zip(b1).zip(b2).zip(b3) {
                    *out += f0 * x0 + f1 * x1 + (f2 * x2 + f3 * x3);
                }
            }
            k += 4;
        }
        while k < b.rows {
            axpy(out, a[i * row_stride + k * col_stride], b.row(k));
            k += 1;
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
        c.set_product(&a, &b);
        for i in 0..7 {
            for j in 0..5 {
                let plain: f64 = (0..6).map(|k| a.row(i)[k] * b.row(k)[j]).sum();
                assert!((c.row(i)[j] - plain).abs() < 1e-14);
            }
        }
        let mut d = Matrix::zeros(6, 6);
        d.add_transposed_product(&a, &a);
        (0..6).for_each(|i| d.row_mut(i)[i] += 0.5);
        let mut x = b.clone();
        d.clone().cholesky().expect("definite").solve(&mut x);
        let mut again = Matrix::default();
        again.set_product(&d, &x);
        let worst = again.data.iter().zip(&b.data).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-12, "{worst}");
        assert!(Matrix { rows: 1, cols: 1, data: vec![-1.0] }.cholesky().is_none());
    }
}
