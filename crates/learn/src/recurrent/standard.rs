//! Mean and deviation of each column over the set, by which rows are standardised.

use serde::{Deserialize, Serialize};

/// `z = (x − mean) / deviation`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Standard {
    pub mean: Vec<f32>,
    pub deviation: Vec<f32>,
}

impl Standard {
    /// Of rows of `dims` numbers; `least` is the least deviation of a column. Numbers that are none are left out.
    pub fn of<'a>(
        rows: impl Iterator<Item = &'a [f32]> + Clone,
        dims: usize,
        least: impl Fn(usize) -> f64,
    ) -> Standard {
        let (mut count, mut sum) = (vec![0.0; dims], vec![0.0; dims]);
        for row in rows.clone() {
            for (column, &x) in row.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
                count[column] += 1.0;
                sum[column] += f64::from(x);
            }
        }
        let mean: Vec<f64> = sum.iter().zip(&count).map(|(sum, count): (&f64, &f64)| sum / count.max(1.0)).collect();
        let mut squares = vec![0.0; dims];
        for row in rows {
            for (column, &x) in row.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
                squares[column] += (f64::from(x) - mean[column]) * (f64::from(x) - mean[column]);
            }
        }
        let deviation = (0..dims).map(|k| (squares[k] / count[k].max(1.0)).sqrt().max(least(k)) as f32).collect();
        Standard { mean: mean.iter().map(|&x| x as f32).collect(), deviation }
    }

    /// Whether it is for rows of so many numbers, all of them usable.
    pub fn fits(&self, dims: usize) -> bool {
        let usable = |x: &f32| x.is_finite();
        self.mean.len() == dims
            && self.deviation.len() == dims
            && self.mean.iter().all(usable)
            && self.deviation.iter().all(|x| usable(x) && *x > 0.0)
    }

    /// z of a number in a column.
    pub fn standardised(&self, column: usize, x: f64) -> f64 {
        (x - f64::from(self.mean[column])) / f64::from(self.deviation[column])
    }

    /// The number of a z in a column.
    pub fn raw(&self, column: usize, z: f64) -> f64 {
        f64::from(self.mean[column]) + f64::from(self.deviation[column]) * z
    }

    /// A row of z.
    pub fn standardised_row(&self, row: &[f64]) -> Vec<f64> {
        row.iter().enumerate().map(|(column, &x)| self.standardised(column, x)).collect()
    }

    /// Writes the numbers of a row of z.
    pub fn raw_row(&self, z: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(z.iter().enumerate().map(|(column, &z)| self.raw(column, z)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_standardised_and_come_back() {
        let rows: [&[f32]; 3] = [&[1.0, 5.0, f32::NAN], &[3.0, 5.0, 7.0], &[2.0, 5.0, 9.0]];
        let standard = Standard::of(rows.into_iter(), 3, |_| 0.5);
        assert_eq!(standard.mean, [2.0, 5.0, 8.0]);
        let expected = [(2.0f32 / 3.0).sqrt(), 0.5, 1.0];
        assert!(standard.deviation.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{standard:?}");
        assert!((standard.raw(0, standard.standardised(0, 2.7)) - 2.7).abs() < 1e-12);
        assert!(standard.fits(3) && !standard.fits(2));
        assert!(!Standard { deviation: vec![1.0, 0.0, 1.0], ..standard }.fits(3));
    }
}
