//! Products with triangular matrices, all by one loop: `target += Σ scale_r · row_r`.
//!
//! Matrices are square, row-major, dimension `n`. The order of every sum is fixed, and no sum is contracted:
//! the loop vectorises along the row, where the elements do not meet.

/// `target[i] += Σ_r scale(r) · rows[r][first + i]`, over the first `count` rows of length `n`.
#[inline(always)]
pub fn add_scaled_rows(
    target: &mut [f64],
    rows: &[f64],
    n: usize,
    count: usize,
    first: usize,
    scale: impl Fn(usize) -> f64,
) {
    let length = target.len();
    let row = |r: usize| &rows[r * n + first..][..length];
    let whole = count - count % 4;
    for r in (0..whole).step_by(4) {
        let [a, b, c, d] = [scale(r), scale(r + 1), scale(r + 2), scale(r + 3)];
        let [ra, rb, rc, rd] = [row(r), row(r + 1), row(r + 2), row(r + 3)];
        for i in 0..length {
            target[i] += (a * ra[i] + b * rb[i]) + (c * rc[i] + d * rd[i]);
        }
    }
    for r in whole..count {
        let (a, ra) = (scale(r), row(r));
        for i in 0..length {
            target[i] += a * ra[i];
        }
    }
}

/// Factor of a symmetric matrix of which the upper triangle is given: `C = Uᵀ U` with `U` upper triangular.
///
/// Row j: `U[j][j..] = (C[j][j..] − Σ_{p<j} U[p][j] U[p][j..]) / √(…[j])`. Golub & Van Loan, *Matrix Computations*, §4.2.
/// Returns whether `C` is positive definite; if not, the factor is unusable.
pub fn factorise(covariance: &[f64], n: usize, factor: &mut [f64]) -> bool {
    for j in 0..n {
        let (above, rest) = factor.split_at_mut(j * n);
        let row = &mut rest[j..n];
        row.copy_from_slice(&covariance[j * n + j..(j + 1) * n]);
        add_scaled_rows(row, above, n, j, j, |p| -above[p * n + j]);
        let pivot = row[0];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        let root = pivot.sqrt();
        for x in row.iter_mut() {
            *x /= root;
        }
        rest[..j].fill(0.0);
    }
    true
}

/// The upper triangle of `C = Uᵀ U`; inverse of [`factorise`].
pub fn multiply_back(factor: &[f64], n: usize, covariance: &mut [f64]) {
    for j in 0..n {
        let row = &mut covariance[j * n + j..(j + 1) * n];
        row.fill(0.0);
        add_scaled_rows(row, factor, n, j + 1, j, |p| factor[p * n + j]);
    }
}

/// `y = Uᵀ z`: a sample of the normal distribution of covariance `C = Uᵀ U` from one of covariance I.
pub fn colour(factor: &[f64], n: usize, z: &[f64], y: &mut [f64]) {
    y.fill(0.0);
    // Four columns of Uᵀ at a time; left of its diagonal a row of U is zero.
    for p in (0..n).step_by(4) {
        let rows = &factor[p * n..];
        add_scaled_rows(&mut y[p..], rows, n, (n - p).min(4), p, |r| z[p + r]);
    }
}

/// `z` with `Uᵀ z = y`; inverse of [`colour`].
pub fn whiten(factor: &[f64], n: usize, y: &[f64], z: &mut [f64]) {
    z.copy_from_slice(y);
    for p in 0..n {
        z[p] /= factor[p * n + p];
        let (done, rest) = z.split_at_mut(p + 1);
        add_scaled_rows(rest, &factor[p * n..], n, 1, p + 1, |_| -done[p]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NormalStream;

    /// `C = M Mᵀ + I/10` of a random `M`.
    fn random_covariance(n: usize) -> Vec<f64> {
        let mut stream = NormalStream::new(1, 1, n as u64);
        let m: Vec<f64> = (0..n * n).map(|_| stream.normal()).collect();
        let dot = |i: usize, j: usize| (0..n).map(|k| m[i * n + k] * m[j * n + k]).sum::<f64>();
        (0..n * n).map(|e| dot(e / n, e % n) + if e / n == e % n { 0.1 } else { 0.0 }).collect()
    }

    #[test]
    fn factor_times_itself_is_the_matrix() {
        for n in [1, 2, 3, 4, 5, 8, 13] {
            let (covariance, mut factor, mut back) = (random_covariance(n), vec![7.0; n * n], vec![0.0; n * n]);
            assert!(factorise(&covariance, n, &mut factor));
            multiply_back(&factor, n, &mut back);
            for i in 0..n {
                assert!((i..n).all(|j| (covariance[i * n + j] - back[i * n + j]).abs() < 1e-12 * n as f64));
                assert!((0..i).all(|j| factor[i * n + j] == 0.0));
            }
        }
    }

    #[test]
    fn whiten_undoes_colour_and_colour_is_the_product() {
        for n in [1, 3, 4, 6, 9] {
            let (covariance, mut factor) = (random_covariance(n), vec![0.0; n * n]);
            assert!(factorise(&covariance, n, &mut factor));
            let z: Vec<f64> = (0..n).map(|i| i as f64 - 1.5).collect();
            let (mut y, mut back) = (vec![0.0; n], vec![0.0; n]);
            colour(&factor, n, &z, &mut y);
            whiten(&factor, n, &y, &mut back);
            for i in 0..n {
                let product: f64 = (0..n).map(|p| factor[p * n + i] * z[p]).sum();
                assert!((y[i] - product).abs() < 1e-12 && (back[i] - z[i]).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let mut factor = vec![0.0; 4];
        assert!(!factorise(&[1.0, 2.0, 2.0, 1.0], 2, &mut factor));
        assert!(!factorise(&[f64::NAN, 0.0, 0.0, 1.0], 2, &mut factor));
    }
}
