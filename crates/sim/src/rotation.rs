//! Rotations in f64 whose bits results depend on; quaternions are `[w, x, y, z]`, of unit length. The stepping code has its own in `math.rs`.

/// A 3 × 3 matrix by columns.
pub(crate) type Columns = [[f64; 3]; 3];

pub(crate) const IDENTITY: Columns = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Rotation matrix of a quaternion `[w, x, y, z]`, normalised first.
pub(crate) fn matrix(q: [f64; 4]) -> Columns {
    let n = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [w, x, y, z] = q.map(|c| c / n);
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// Quaternion `[w, x, y, z]` of a rotation matrix, w ≥ 0 (Shepperd 1978: start from the largest component).
pub(crate) fn quaternion(m: &Columns) -> [f64; 4] {
    let e = |row: usize, col: usize| m[col][row];
    let trace = e(0, 0) + e(1, 1) + e(2, 2);
    let q = if trace > 0.0 {
        let s = 2.0 * (1.0 + trace).sqrt();
        [0.25 * s, (e(2, 1) - e(1, 2)) / s, (e(0, 2) - e(2, 0)) / s, (e(1, 0) - e(0, 1)) / s]
    } else {
        let i = (0..3).fold(0, |best, i| if e(i, i) > e(best, best) { i } else { best });
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let s = 2.0 * (1.0 + e(i, i) - e(j, j) - e(k, k)).max(0.0).sqrt();
        let mut q = [0.0; 4];
        q[0] = (e(k, j) - e(j, k)) / s;
        q[1 + i] = 0.25 * s;
        q[1 + j] = (e(j, i) + e(i, j)) / s;
        q[1 + k] = (e(k, i) + e(i, k)) / s;
        q
    };
    if q[0] < 0.0 { q.map(|c| -c) } else { q }
}

/// Returns `a·b`.
pub fn quaternion_product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let ([aw, ax, ay, az], [bw, bx, by, bz]) = (a, b);
    [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
}

/// Rotation vector in the axes of `a` of the shorter way from `a` to `b`, both of unit length: `2·asin(|v|)·v/|v|` of `a⁻¹·b = (w, v)`.
pub fn turn_between(a: [f64; 4], b: [f64; 4]) -> [f64; 3] {
    let [turn] = turns_between(&[a], &[b]);
    turn
}

/// Like [`turn_between`], of several at once and to the same bits: stage by stage, so that the CPU works on all of them side by side.
pub(crate) fn turns_between<const N: usize>(a: &[[f64; 4]; N], b: &[[f64; 4]; N]) -> [[f64; 3]; N] {
    let between: [[f64; 4]; N] = std::array::from_fn(|i| {
        let [w, x, y, z] = a[i];
        quaternion_product([w, -x, -y, -z], b[i])
    });
    let square = between.map(|[_, x, y, z]| x * x + y * y + z * z);
    let mut ratio = [0.0; N];
    for term in ASIN.iter().rev() {
        (0..N).for_each(|i| ratio[i] = ratio[i] * square[i] + term);
    }
    for i in 0..N {
        let is_small = square[i] < SMALL_TURN;
        if !is_small {
            let s = square[i].sqrt();
            ratio[i] = libm::atan2(s, between[i][0].abs()) / s;
        }
    }
    std::array::from_fn(|i| {
        let [w, x, y, z] = between[i];
        let sign = if w < 0.0 { -1.0 } else { 1.0 };
        [x, y, z].map(|c| sign * 2.0 * ratio[i] * c)
    })
}

/// Axis times angle of a rotation, the shorter way round: `2·atan2(|v|, |w|)·v/|v|`.
pub fn rotation_vector([w, x, y, z]: [f64; 4]) -> [f64; 3] {
    let sign = if w < 0.0 { -1.0 } else { 1.0 };
    let s = (x * x + y * y + z * z).sqrt();
    let ratio = if s < 1e-12 { 2.0 } else { 2.0 * libm::atan2(s, w.abs()) / s };
    [x, y, z].map(|c| sign * ratio * c)
}

/// Quaternion of a rotation vector, the inverse of [`rotation_vector`].
pub fn quaternion_of_turn([x, y, z]: [f64; 3]) -> [f64; 4] {
    let angle = (x * x + y * y + z * z).sqrt();
    let (w, ratio) = if angle < 1e-8 { (1.0, 0.5) } else { (libm::cos(0.5 * angle), libm::sin(0.5 * angle) / angle) };
    [w, ratio * x, ratio * y, ratio * z]
}

/// A vector turned by a quaternion `(w, u)`: `v + 2 u×(u×v + w v)`.
pub fn rotated([w, a, b, c]: [f64; 4], [x, y, z]: [f64; 3]) -> [f64; 3] {
    let t = [b * z - c * y + w * x, c * x - a * z + w * y, a * y - b * x + w * z];
    [x + 2.0 * (b * t[2] - c * t[1]), y + 2.0 * (c * t[0] - a * t[2]), z + 2.0 * (a * t[1] - b * t[0])]
}

/// The world's upward axis in a body's own axes: the third row of the rotation matrix. A turn about the vertical leaves it as it is.
pub fn up([w, x, y, z]: [f64; 4]) -> [f64; 3] {
    [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)]
}

/// Square of the angle between two orientations: `4 asin²(s)`, as a series while `s²` is small.
///
/// Both are the first four numbers of a slice, as `qpos` has them.
pub fn angle_squared(a: &[f64], b: &[f64]) -> f64 {
    // Vector part of a⁻¹·b, whose length is the sine of half the angle.
    let x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
    let y = a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3];
    let z = a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1];
    let s = x * x + y * y + z * z;
    if s < 0.0625 {
        return 4.0 * s * (1.0 + s * (1.0 / 3.0 + s * (8.0 / 45.0 + s * (4.0 / 35.0 + s * (128.0 / 1575.0)))));
    }
    let w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    let angle = 2.0 * libm::atan2(s.sqrt(), w.abs());
    angle * angle
}

/// Square of the sine of half a turn below which a series says it to the last bit but one.
const SMALL_TURN: f64 = 0.01;
/// `asin(s)/s` in powers of `s²`.
const ASIN: [f64; 8] = [
    1.0,
    1.0 / 6.0,
    3.0 / 40.0,
    15.0 / 336.0,
    105.0 / 3456.0,
    945.0 / 42240.0,
    10395.0 / 599_040.0,
    135_135.0 / 9_676_800.0,
];

pub(crate) fn apply(m: &Columns, v: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| m[0][i] * v[0] + m[1][i] * v[1] + m[2][i] * v[2])
}

pub(crate) fn product(a: &Columns, b: &Columns) -> Columns {
    b.map(|column| apply(a, column))
}

pub(crate) fn transposed(m: &Columns) -> Columns {
    std::array::from_fn(|i| std::array::from_fn(|j| m[j][i]))
}

pub(crate) fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] + b[i])
}

pub(crate) fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

pub(crate) fn scale(a: [f64; 3], s: f64) -> [f64; 3] {
    a.map(|x| x * s)
}

pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

/// `[xx, yy, zz, xy, xz, yz]` as a matrix.
pub(crate) fn symmetric(a: &[f64; 6]) -> Columns {
    [[a[0], a[3], a[4]], [a[3], a[1], a[5]], [a[4], a[5], a[2]]]
}

/// The upper triangle of a matrix as `[xx, yy, zz, xy, xz, yz]`.
pub(crate) fn upper(m: &Columns) -> [f64; 6] {
    [m[0][0], m[1][1], m[2][2], m[1][0], m[2][0], m[2][1]]
}

/// `R·A·Rᵀ` of a symmetric matrix.
pub(crate) fn turned(inertia: &[f64; 6], r: &Columns) -> [f64; 6] {
    upper(&product(&product(r, &symmetric(inertia)), &transposed(r)))
}

/// `m·(c·c·1 − c cᵀ)`: what a mass at `c` adds to the inertia about the origin.
pub(crate) fn point_inertia(mass: f64, c: [f64; 3]) -> [f64; 6] {
    let [x, y, z] = c;
    [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z].map(|e| mass * e)
}

/// Eigenvalues and unit eigenvectors (columns) of a symmetric matrix, by Jacobi's rotations.
pub(crate) fn eigen(a: &[f64; 6]) -> ([f64; 3], Columns) {
    let mut m = symmetric(a);
    let mut vectors = IDENTITY;
    for _ in 0..32 {
        let off = m[1][0].powi(2) + m[2][0].powi(2) + m[2][1].powi(2);
        if off <= 1e-32 * (m[0][0].powi(2) + m[1][1].powi(2) + m[2][2].powi(2)) {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[q][p] == 0.0 {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[q][p]);
            let t = if theta == 0.0 { 1.0 } else { theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt()) };
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            let mut r = IDENTITY;
            (r[p][p], r[q][q], r[q][p], r[p][q]) = (c, c, s, -s);
            m = product(&product(&transposed(&r), &m), &r);
            vectors = product(&vectors, &r);
        }
    }
    ([m[0][0], m[1][1], m[2][2]], vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_as_long_as_their_angles_on_both_sides_of_the_series() {
        for angle in [1e-9, 1e-3, 0.1, 0.2, 0.2003, 0.21, 1.0, 3.0] {
            let (s, c) = (libm::sin(0.5 * angle), libm::cos(0.5 * angle));
            for sign in [1.0, -1.0] {
                let turn = turn_between([1.0, 0.0, 0.0, 0.0], [sign * c, sign * 0.6 * s, 0.0, sign * 0.8 * s]);
                let off = (turn[0] - 0.6 * angle).abs().max(turn[1].abs()).max((turn[2] - 0.8 * angle).abs());
                assert!(off <= 4e-16 * angle, "{angle}: {turn:?}");
            }
        }
    }

    fn about(axis: [f64; 3], angle: f64) -> [f64; 4] {
        let s = libm::sin(angle / 2.0);
        [libm::cos(angle / 2.0), s * axis[0], s * axis[1], s * axis[2]]
    }

    #[test]
    fn the_angle_between_orientations_does_not_depend_on_where_they_are() {
        let bases = [[1.0, 0.0, 0.0, 0.0], [0.5, -0.5, 0.5, 0.5], [0.1, 0.7, -0.1, 0.7], [0.8, 0.0, -0.6, 0.0]];
        for base in bases {
            for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.36, 0.48, -0.8]] {
                // On both sides of where the series ends, at 2·asin(¼) = 0.5054.
                for angle in [0.0, 1e-4, 0.3, 0.4, 0.49, 0.505, 0.506, 1.5, 3.0] {
                    let turned = quaternion_product(base, about(axis, angle));
                    let wanted = angle * angle;
                    for other in [turned, turned.map(|x| -x)] {
                        let found = angle_squared(&base, &other);
                        assert!(
                            (found - wanted).abs() <= 2e-7 * wanted + 1e-15,
                            "{base:?}, {axis:?}, {angle}: {found}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_quarter_turn_is_half_pi_along_its_axis() {
        let h = std::f64::consts::FRAC_1_SQRT_2;
        for q in [[-h, 0.0, -h, 0.0], [h, 0.0, h, 0.0]] {
            let [x, y, z] = rotation_vector(q);
            assert!(x == 0.0 && z == 0.0 && (y - std::f64::consts::FRAC_PI_2).abs() < 1e-12, "{x} {y} {z}");
        }
        assert_eq!(rotation_vector([1.0, 0.0, 0.0, 0.0]), [0.0; 3]);
    }

    #[test]
    fn turned_vectors_agree_with_the_matrix() {
        let q = [0.4, -0.2, 0.8, 0.4];
        let v = [0.3, -0.7, 1.1];
        let expected = apply(&matrix(q), v);
        (0..3).for_each(|k| assert!((rotated(q, v)[k] - expected[k]).abs() < 1e-12));
        (0..3).for_each(|k| assert!((up(q)[k] - matrix(q)[k][2]).abs() < 1e-12));
    }

    #[test]
    fn turns_side_by_side_are_those_one_by_one() {
        let unit = |k: usize| {
            let q: [f64; 4] = std::array::from_fn(|i| libm::sin((7 * k + 3 * i) as f64));
            let n = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            q.map(|x| x / n)
        };
        // Small and large turns, none at all, and numbers that are none.
        let mut a: [[f64; 4]; 8] = std::array::from_fn(unit);
        let b: [[f64; 4]; 8] = std::array::from_fn(|k| if k < 4 { unit(k + 20) } else { unit(k) });
        (a[4][1], a[5], a[6]) = (a[4][1] + 0.01, a[5].map(|x| -x), [f64::NAN; 4]);
        for (k, turn) in turns_between(&a, &b).into_iter().enumerate() {
            assert_eq!(turn.map(f64::to_bits), turn_between(a[k], b[k]).map(f64::to_bits), "{k}");
        }
    }

    #[test]
    fn quaternions_and_matrices_agree() {
        for q in [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.5, -0.5, 0.5, 0.5], [0.1, 0.7, -0.7, 0.1]] {
            let n = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            let back = quaternion(&matrix(q));
            let same = (0..4).map(|i| back[i] * q[i] / n).sum::<f64>().abs();
            assert!((same - 1.0).abs() < 1e-12, "{q:?} came back as {back:?}");
        }
    }

    #[test]
    fn eigenvectors_rebuild_the_matrix() {
        let a = [2.0, 3.0, 5.0, 0.4, -0.3, 0.7];
        let (values, vectors) = eigen(&a);
        let diagonal = [values[0], values[1], values[2], 0.0, 0.0, 0.0];
        for (x, y) in turned(&diagonal, &vectors).iter().zip(a) {
            assert!((x - y).abs() < 1e-12);
        }
    }
}
