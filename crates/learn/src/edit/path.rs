//! Laplacian deformation of a path on the ground (Kim et al. 2009).
//!
//! A path `p` is to be turned by φᵢ and stretched by sᵢ around each of its points. With steps `dᵢ = pᵢ₊₁ − pᵢ` and Laplacian coordinates
//! `δᵢ = dᵢ − dᵢ₋₁`, the deformed path is the one with the least
//!
//! `Σ |δ'ᵢ − sᵢ R(φᵢ) δᵢ|² + τ Σ |d'ᵢ − sᵢ R(φᵢ) dᵢ|²`, `p'₀ = p₀`,
//!
//! so that its bends stay those of the path, and changes of φ and s between segments are spread smoothly. Nothing to deform gives the path itself; a turn
//! alone gives the turned path. The matrix has five diagonals; x and y share it.

/// How a path is deformed around each of its points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deformation {
    /// φ: turn, rad.
    pub turn: f64,
    /// s: factor of its length.
    pub stretch: f64,
}

/// Deforms a path; `tension` is τ.
pub fn deform_path(path: &[[f64; 2]], deformations: &[Deformation], tension: f64) -> Vec<[f64; 2]> {
    let n = path.len();
    if n < 2 {
        return path.to_vec();
    }
    let turned = |i: usize, [x, y]: [f64; 2]| {
        let Deformation { turn, stretch } = deformations[i];
        let (sin, cos) = libm::sincos(turn);
        [stretch * (cos * x - sin * y), stretch * (sin * x + cos * y)]
    };
    // The steps as they should be, one after the other; the unknowns are displacements from there, so that nothing is solved for where nothing bends.
    let mut plain = vec![path[0]];
    for i in 0..n - 1 {
        let step = [path[i + 1][0] - path[i][0], path[i + 1][1] - path[i][1]];
        // A step lies between two points: it is deformed as both are, on the average.
        let (here, there) = (turned(i, step), turned(i + 1, step));
        plain.push(std::array::from_fn(|k| plain[i][k] + 0.5 * (here[k] + there[k])));
    }
    // Normal equations; row i holds the entries of columns i, i − 1, i − 2.
    let mut matrix = vec![[0.0; 3]; n];
    let mut right = vec![[0.0; 2]; n];
    let mut add = |first: usize, coefficients: &[f64], wanted: [f64; 2], weight: f64| {
        for (a, &x) in coefficients.iter().enumerate() {
            for (b, &y) in coefficients[..=a].iter().enumerate() {
                matrix[first + a][a - b] += weight * x * y;
            }
            (0..2).for_each(|k| right[first + a][k] += weight * x * wanted[k]);
        }
    };
    for i in 0..n - 1 {
        add(i, &[-1.0, 1.0], [0.0; 2], tension);
        if i > 0 {
            let bend = |p: &[[f64; 2]]| std::array::from_fn(|k| p[i + 1][k] - 2.0 * p[i][k] + p[i - 1][k]);
            let (wanted, found): ([f64; 2], [f64; 2]) = (turned(i, bend(path)), bend(&plain));
            add(i - 1, &[1.0, -2.0, 1.0], std::array::from_fn(|k| wanted[k] - found[k]), 1.0);
        }
    }
    // The first point stays: its displacement is 0.
    for (row, offset) in [(1, 1), (2, 2)] {
        if row < n {
            matrix[row][offset] = 0.0;
        }
    }
    (matrix[0], right[0]) = ([1.0, 0.0, 0.0], [0.0; 2]);
    solve(&mut matrix, &mut right);
    plain.iter().zip(&right).map(|(p, by)| [p[0] + by[0], p[1] + by[1]]).collect()
}

/// Solves a symmetric positive definite system with two diagonals below the main one, by Cholesky's factors, in place.
fn solve(matrix: &mut [[f64; 3]], right: &mut [[f64; 2]]) {
    let n = matrix.len();
    for i in 0..n {
        for d in (1..=2.min(i)).rev() {
            let j = i - d;
            // Columns that both rows have.
            let shared = if d == 1 && i >= 2 { matrix[i][2] * matrix[j][1] } else { 0.0 };
            matrix[i][d] = (matrix[i][d] - shared) / matrix[j][0];
        }
        let square = matrix[i][0] - matrix[i][1] * matrix[i][1] - matrix[i][2] * matrix[i][2];
        matrix[i][0] = square.max(1e-300).sqrt();
        right[i] = std::array::from_fn(|k| {
            let below: f64 = (1..=2.min(i)).map(|d| matrix[i][d] * right[i - d][k]).sum();
            (right[i][k] - below) / matrix[i][0]
        });
    }
    for i in (0..n).rev() {
        right[i] = std::array::from_fn(|k| {
            let above: f64 = (1..=2).filter(|d| i + d < n).map(|d| matrix[i + d][d] * right[i + d][k]).sum();
            (right[i][k] - above) / matrix[i][0]
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A path with straight parts, bends and a stop.
    fn path() -> Vec<[f64; 2]> {
        (0..200)
            .map(|i| {
                let t = if (80..110).contains(&i) { 80.0 } else { f64::from(i) } / 30.0;
                [3.0 + 1.2 * t + 0.02 * libm::sin(9.0 * t), 0.4 * libm::sin(t) - 7.0]
            })
            .collect()
    }

    fn farthest(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
        a.iter().zip(b).map(|(p, q)| (p[0] - q[0]).hypot(p[1] - q[1])).fold(0.0, f64::max)
    }

    #[test]
    fn nothing_to_deform_gives_the_path_itself() {
        let path = path();
        let same = deform_path(&path, &vec![Deformation { turn: 0.0, stretch: 1.0 }; 200], 0.02);
        assert!(farthest(&path, &same) < 1e-9, "{}", farthest(&path, &same));
        assert_eq!(deform_path(&path[..1], &[Deformation { turn: 1.0, stretch: 2.0 }], 0.02), path[..1]);
    }

    proptest! {
        #[test]
        fn a_turn_alone_is_rigid_and_a_stretch_alone_a_similarity(turn in -3.0f64..3.0, stretch in 0.5f64..2.0, tension in 0.001f64..1.0) {
            let path = path();
            let (sin, cos) = libm::sincos(turn);
            let expected: Vec<[f64; 2]> = path.iter().map(|p| {
                let [x, y] = [stretch * (p[0] - path[0][0]), stretch * (p[1] - path[0][1])];
                [path[0][0] + cos * x - sin * y, path[0][1] + sin * x + cos * y]
            }).collect();
            let found = deform_path(&path, &vec![Deformation { turn, stretch }; 200], tension);
            prop_assert!(farthest(&expected, &found) < 1e-7, "{}", farthest(&expected, &found));
        }
    }

    #[test]
    fn a_straight_line_is_bent_into_an_arc_and_speeds_change_smoothly() {
        let line: Vec<[f64; 2]> = (0..121).map(|i| [0.04 * f64::from(i), 0.0]).collect();
        let bend = 0.7;
        let deformations: Vec<Deformation> = (0..121)
            .map(|i| Deformation { turn: bend * (f64::from(i) / 120.0), stretch: if i < 60 { 0.7 } else { 1.3 } })
            .collect();
        let found = deform_path(&line, &deformations, 0.02);
        let step = |i: usize| [found[i + 1][0] - found[i][0], found[i + 1][1] - found[i][1]];
        let angle = |i: usize| libm::atan2(step(i)[1], step(i)[0]);
        // A line that is straight everywhere gives way a little at its free ends only.
        for at in [30, 90] {
            let wanted = bend * (at as f64 + 0.5) / 120.0;
            assert!((angle(at) - wanted).abs() < 0.01, "{at}: {} {wanted}", angle(at));
        }
        let speed = |i: usize| step(i)[0].hypot(step(i)[1]);
        assert!(
            (speed(20) / 0.04 - 0.7).abs() < 0.03 && (speed(100) / 0.04 - 1.3).abs() < 0.03,
            "{} {}",
            speed(20) / 0.04,
            speed(100) / 0.04
        );
        let jerk = (0..118).map(|i| (speed(i + 1) - speed(i)).abs()).fold(0.0, f64::max);
        assert!(jerk < 0.2 * 0.04, "a jump of the stretch by 0.6 is spread: {}", jerk / 0.04);
    }
}
