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
