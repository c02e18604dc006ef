//! Whether six numbers are the inertia of a real body.

use super::field::{FieldError, check_finite, shown};

/// Smallest and largest principal moment, kg·m²; beyond these single precision breaks down.
const MOMENT_RANGE: [f64; 2] = [1e-15, 1e10];
/// Smallest ratio of principal moments that counts as positive definite.
const SMALLEST_RATIO: f64 = 1e-9;
/// Relative slack of the triangle inequality.
const TRIANGLE_TOLERANCE: f64 = 1e-6;

/// An inertia that no rigid body has.
#[derive(thiserror::Error, Debug, Clone, PartialEq)]
pub enum InertiaError {
    /// A component that cannot be used.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// Not positive definite.
    #[error(
        "{place}: inertia has the principal moments {}, but all must be greater than 0; \
         give [xx, yy, zz, xy, xz, yz] of a solid body, or leave inertia out to take it from the shapes",
        moments(.principal)
    )]
    NotPositive {
        /// Entry.
        place: String,
        /// Principal moments in rising order, kg·m².
        principal: [f64; 3],
    },
    /// Too small or too large to simulate.
    #[error(
        "{place}: inertia has the principal moments {}, but they must be between 1e-15 and 1e10 kg m^2; \
         give inertia in kilograms and metres",
        moments(.principal)
    )]
    OutOfRange {
        /// Entry.
        place: String,
        /// Principal moments in rising order, kg·m².
        principal: [f64; 3],
    },
    /// The largest moment is larger than the other two together.
    #[error(
        "{place}: inertia has the principal moments {}, but the largest may not exceed the sum of the other two; \
         check that inertia lists [xx, yy, zz, xy, xz, yz], or leave it out to take it from the shapes",
        moments(.principal)
    )]
    Triangle {
        /// Entry.
        place: String,
        /// Principal moments in rising order, kg·m².
        principal: [f64; 3],
    },
}

fn moments(principal: &[f64; 3]) -> String {
    let [a, b, c] = principal.map(rounded);
    format!("{a}, {b} and {c} kg m^2")
}

/// Six significant digits.
fn rounded(x: f64) -> String {
    shown(format!("{x:.5e}").parse().unwrap_or(x))
}

/// Positive definite, and `c ≤ a + b` for the principal moments `a ≤ b ≤ c`, as for any distribution of mass.
pub(super) fn check_inertia(place: &str, inertia: &[f64; 6]) -> Result<(), InertiaError> {
    for (i, &x) in inertia.iter().enumerate() {
        check_finite(place, &format!("inertia[{i}]"), x)?;
    }
    let place = place.to_string();
    let principal = principal_moments(inertia);
    let [a, b, c] = principal;
    // Written so that a moment that overflowed to nan fails.
    if !(a > 0.0 && a > SMALLEST_RATIO * c) && c <= f64::MAX {
        return Err(InertiaError::NotPositive { place, principal });
    }
    if !(a >= MOMENT_RANGE[0] && c <= MOMENT_RANGE[1]) {
        return Err(InertiaError::OutOfRange { place, principal });
    }
    if c > (a + b) * (1.0 + TRIANGLE_TOLERANCE) {
        return Err(InertiaError::Triangle { place, principal });
    }
    Ok(())
}

/// Eigenvalues of `[xx, yy, zz, xy, xz, yz]` in rising order, by cyclic Jacobi rotations.
///
/// Each rotation by `θ`, `tan 2θ = 2 aᵢⱼ / (aᵢᵢ − aⱼⱼ)`, makes one off-diagonal entry zero; the sum of squares of the others
/// does not grow, and sweeps converge quadratically (Golub and Van Loan, Matrix Computations, §8.5).
fn principal_moments(&[xx, yy, zz, xy, xz, yz]: &[f64; 6]) -> [f64; 3] {
    // Entries of order one, so that squares neither overflow nor vanish.
    let scale = [xx, yy, zz, xy, xz, yz].iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    if scale == 0.0 {
        return [0.0; 3];
    }
    let mut a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]].map(|row| row.map(|x| x / scale));
    for _sweep in 0..12 {
        for (i, j, k) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            if a[i][j].abs() < 1e-300 {
                continue;
            }
            // The smaller root of t² + 2 τ t − 1 = 0 is the tangent of the smaller angle.
            let tau = (a[j][j] - a[i][i]) / (2.0 * a[i][j]);
            let t = 1.0f64.copysign(tau) / (tau.abs() + tau.hypot(1.0));
            let cosine = 1.0 / t.hypot(1.0);
            let sine = t * cosine;
            let (aik, ajk) = (a[i][k], a[j][k]);
            a[i][i] -= t * a[i][j];
            a[j][j] += t * a[i][j];
            (a[i][j], a[j][i]) = (0.0, 0.0);
            a[i][k] = cosine * aik - sine * ajk;
            a[j][k] = sine * aik + cosine * ajk;
            (a[k][i], a[k][j]) = (a[i][k], a[j][k]);
        }
    }
    let mut moments = [a[0][0] * scale, a[1][1] * scale, a[2][2] * scale];
    moments.sort_by(f64::total_cmp);
    moments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_moments_undo_a_rotation() {
        // diag(1, 2, 2.5) turned by 0.5 about z, then by 0.25 about x.
        let (c, s) = (0.5f64.cos(), 0.5f64.sin());
        let (d, t) = (0.25f64.cos(), 0.25f64.sin());
        let r = [[c, -s, 0.0], [d * s, d * c, -t], [t * s, t * c, d]];
        let e = |i: usize, j: usize| (0..3).map(|k| r[i][k] * [1.0, 2.0, 2.5][k] * r[j][k]).sum::<f64>();
        let moments = principal_moments(&[e(0, 0), e(1, 1), e(2, 2), e(0, 1), e(0, 2), e(1, 2)]);
        for (moment, expected) in moments.iter().zip([1.0, 2.0, 2.5]) {
            assert!((moment - expected).abs() < 1e-14, "{moments:?}");
        }
    }

    #[test]
    fn principal_moments_of_a_matrix_of_ones() {
        let moments = principal_moments(&[1.0; 6]);
        assert!(moments[0].abs() < 1e-15 && moments[1].abs() < 1e-15 && (moments[2] - 3.0).abs() < 1e-14);
    }

    #[test]
    fn a_rod_is_on_the_edge_of_the_triangle_inequality() {
        assert_eq!(check_inertia("body", &[1e-3, 1.0, 1.0, 0.0, 0.0, 0.0]), Ok(()));
        assert_eq!(check_inertia("body", &[1.0, 1.0, 2.0, 0.0, 0.0, 0.0]), Ok(()));
    }
}
