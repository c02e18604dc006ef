//! Eigenvalues of a symmetric matrix: Householder reflections to a tridiagonal matrix, then implicit QL.

/// Eigenvalues, ascending, of the symmetric matrix of which the upper triangle is given (row-major, dimension `n`).
///
/// None when QL does not converge, which happens only for numbers that are not finite.
pub fn eigenvalues(upper: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut matrix: Vec<f64> = (0..n * n).map(|e| upper[(e / n).min(e % n) * n + (e / n).max(e % n)]).collect();
    let (mut diagonal, mut beside) = tridiagonalise(&mut matrix, n);
    implicit_ql(&mut diagonal, &mut beside)?;
    diagonal.sort_by(f64::total_cmp);
    Some(diagonal)
}

/// Diagonal and off-diagonal (`beside[i]` couples i and i+1; the last is 0) of a tridiagonal matrix with the same eigenvalues.
///
/// For each column k the reflection `H = I − τ v vᵀ` clears what lies below the off-diagonal; the rest becomes
/// `A − v wᵀ − w vᵀ` with `p = τ A v` and `w = p − (τ/2)(pᵀv) v`. Golub & Van Loan, *Matrix Computations*, §8.3.1.
fn tridiagonalise(a: &mut [f64], n: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut v, mut w, mut beside) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    for k in 0..n.saturating_sub(1) {
        // v: the column below the diagonal, its first element moved away from zero.
        let column = |i: usize| a[k * n + i];
        let norm = (k + 1..n).map(|i| column(i) * column(i)).sum::<f64>().sqrt();
        let alpha = if column(k + 1) > 0.0 { -norm } else { norm };
        beside[k] = alpha;
        if norm == 0.0 || k + 2 == n {
            beside[k] = column(k + 1);
            continue;
        }
        v[k + 1..].copy_from_slice(&a[k * n + k + 1..(k + 1) * n]);
        v[k + 1] -= alpha;
        let tau = 2.0 / (k + 1..n).map(|i| v[i] * v[i]).sum::<f64>();
        // w from p = τ A v.
        w[k + 1..].fill(0.0);
        for i in k + 1..n {
            for j in k + 1..n {
                w[j] += tau * v[i] * a[i * n + j];
            }
        }
        let half = 0.5 * tau * (k + 1..n).map(|i| w[i] * v[i]).sum::<f64>();
        for i in k + 1..n {
            w[i] -= half * v[i];
        }
        for i in k + 1..n {
            for j in k + 1..n {
                a[i * n + j] -= v[i] * w[j] + w[i] * v[j];
            }
        }
    }
    ((0..n).map(|i| a[i * n + i]).collect(), beside)
}

/// Diagonalises a tridiagonal matrix by QL steps with Wilkinson's shift, each a chase of plane rotations.
///
/// Bowdler, Martin, Reinsch, Wilkinson 1968, *The QR and QL algorithms for symmetric matrices*.
fn implicit_ql(diagonal: &mut [f64], beside: &mut [f64]) -> Option<()> {
    let n = diagonal.len();
    for low in 0..n {
        for step in 0.. {
            // The block low..=high is coupled; a coupling below the rounding of its neighbours splits it.
            let split = |i: &usize| beside[*i].abs() <= f64::EPSILON * (diagonal[*i].abs() + diagonal[*i + 1].abs());
            let high = (low..n - 1).find(split).unwrap_or(n - 1);
            if high == low {
                break;
            }
            if step == 60 {
                return None;
            }
            let slope = (diagonal[low + 1] - diagonal[low]) / (2.0 * beside[low]);
            let root = libm::hypot(slope, 1.0);
            let mut g = diagonal[high] - diagonal[low] + beside[low] / (slope + root.copysign(slope));
            let (mut sine, mut cosine, mut shift) = (1.0, 1.0, 0.0);
            let mut underflow = false;
            for i in (low..high).rev() {
                let (f, b) = (sine * beside[i], cosine * beside[i]);
                let radius = libm::hypot(f, g);
                beside[i + 1] = radius;
                if radius == 0.0 {
                    diagonal[i + 1] -= shift;
                    beside[high] = 0.0;
                    underflow = true;
                    break;
                }
                (sine, cosine) = (f / radius, g / radius);
                g = diagonal[i + 1] - shift;
                let turned = (diagonal[i] - g) * sine + 2.0 * cosine * b;
                shift = sine * turned;
                diagonal[i + 1] = g + shift;
                g = cosine * turned - b;
            }
            if !underflow {
                diagonal[low] -= shift;
                beside[low] = g;
                beside[high] = 0.0;
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NormalStream;

    #[test]
    fn eigenvalues_survive_a_rotation() {
        for n in [1, 2, 3, 5, 12, 30] {
            let wanted: Vec<f64> = (0..n).map(|i| libm::pow(10.0, 6.0 * i as f64 / n as f64) - 3.0).collect();
            let mut a: Vec<f64> = (0..n * n).map(|e| if e / n == e % n { wanted[e / n] } else { 0.0 }).collect();
            // A ← H A H with reflections H of random vectors.
            let mut stream = NormalStream::new(3, 0, n as u64);
            for _ in 0..3 {
                let v: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
                let square: f64 = v.iter().map(|x| x * x).sum();
                for transpose in [false, true] {
                    for line in 0..n {
                        let at = |k: usize| if transpose { k * n + line } else { line * n + k };
                        let dot: f64 = (0..n).map(|k| a[at(k)] * v[k]).sum();
                        (0..n).for_each(|k| a[at(k)] -= 2.0 * dot / square * v[k]);
                    }
                }
            }
            let got = eigenvalues(&a, n).unwrap();
            assert!(wanted.iter().zip(&got).all(|(x, y)| (x - y).abs() < 1e-9 * wanted[n - 1].abs()), "{n}: {got:?}");
        }
    }

    #[test]
    fn special_matrices() {
        assert_eq!(eigenvalues(&[0.0; 9], 3).unwrap(), [0.0; 3]);
        let pair = eigenvalues(&[0.0, 1.0, 0.0, 0.0], 2).unwrap();
        assert!((pair[0] + 1.0).abs() < 1e-15 && (pair[1] - 1.0).abs() < 1e-15);
        assert!(eigenvalues(&[f64::NAN; 16], 4).is_none());
    }
}
