use super::*;
use crate::NormalStream;
use proptest::prelude::*;

/// `S = Σ over non-empty subsets (−1)^(|T|+1) · volume of the box that all of T dominate`, in any dimension.
fn by_inclusion_and_exclusion(points: &[Vec<f64>], reference: &[f64]) -> f64 {
    (1usize..1 << points.len())
        .map(|subset| {
            let members = || (0..points.len()).filter(|i| subset >> i & 1 == 1);
            let edge = |k: usize| (reference[k] - members().map(|i| points[i][k]).fold(f64::MIN, f64::max)).max(0.0);
            let box_volume: f64 = (0..reference.len()).map(edge).product();
            if members().count() % 2 == 1 { box_volume } else { -box_volume }
        })
        .sum()
}

fn without(points: &[Vec<f64>], index: usize) -> Vec<Vec<f64>> {
    points.iter().enumerate().filter(|&(i, _)| i != index).map(|(_, p)| p.clone()).collect()
}

fn is_close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1e-3)
}

/// Random points, some of them beyond the reference point (1, …); a coarse grid in half of the cases, so that ties occur.
fn point_sets(most: usize) -> impl Strategy<Value = Vec<Vec<f64>>> {
    let fine = (2usize..4).prop_flat_map(move |m| prop::collection::vec(prop::collection::vec(-1.0..1.1, m), 1..most));
    let coarse = (2usize..4).prop_flat_map(move |m| {
        prop::collection::vec(prop::collection::vec((-3i32..=4).prop_map(|k| f64::from(k) / 4.0), m), 1..most)
    });
    prop_oneof![fine, coarse]
}

proptest! {
    #[test]
    fn sweeps_agree_with_inclusion_and_exclusion(points in point_sets(9)) {
        let reference = vec![1.0; points[0].len()];
        let (swept, expected) = (hypervolume(&points, &reference).unwrap(), by_inclusion_and_exclusion(&points, &reference));
        prop_assert!(is_close(swept, expected, 1e-12), "{swept} is not {expected}");
    }

    #[test]
    fn contributions_are_differences_of_hypervolumes(points in point_sets(25)) {
        let reference = vec![1.0; points[0].len()];
        let all = hypervolume(&points, &reference).unwrap();
        for (i, added) in contributions(&points, &reference).unwrap().into_iter().enumerate() {
            let difference = all - hypervolume(&without(&points, i), &reference).unwrap();
            prop_assert!((added - difference).abs() <= 1e-12 * all.max(1e-3), "point {i}: {added} is not {difference}");
        }
    }

    #[test]
    fn the_order_of_the_points_does_not_matter(points in point_sets(20), turn in 0usize..20) {
        let reference = vec![1.0; points[0].len()];
        let mut turned = points.clone();
        turned.rotate_left(turn % points.len());
        prop_assert!(is_close(hypervolume(&points, &reference).unwrap(), hypervolume(&turned, &reference).unwrap(), 1e-14));
    }
}

#[test]
fn larger_random_fronts_in_space_agree_with_slices() {
    // The volume as a sum over slices of areas in the plane, with 300 points on a sphere.
    let mut random = NormalStream::new(5, 0, 0);
    let mut points: Vec<[f64; 3]> = (0..300)
        .map(|_| {
            let direction = [0; 3].map(|_| random.normal().abs());
            let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
            direction.map(|x| 1.0 - x / length)
        })
        .collect();
    let swept = hypervolume(&points, &[1.0; 3]).unwrap();
    points.sort_by(|a, b| a[2].total_cmp(&b[2]));
    let slices = (0..points.len()).map(|i| {
        let flat: Vec<[f64; 2]> = points[..=i].iter().map(|p| [p[0], p[1]]).collect();
        let height = points.get(i + 1).map_or(1.0, |p| p[2]) - points[i][2];
        hypervolume(&flat, &[1.0; 2]).unwrap() * height
    });
    assert!(is_close(swept, slices.sum(), 1e-12));
}

#[test]
fn the_best_of_each_objective_counts_infinitely_and_the_rest_as_with_any_far_reference() {
    let front = [[0.0, 5.0], [1.0, 3.0], [2.0, 2.5], [4.0, 0.0]];
    let added = contributions_with_extremes(&front, &reference_beyond(&front)).unwrap();
    assert_eq!((added[0], added[3]), (f64::INFINITY, f64::INFINITY));
    assert_eq!(added[1..3], contributions(&front, &[100.0, 100.0]).unwrap()[1..3]);
    assert_eq!(added[1..3], [2.0, 1.0]);
    let front = [[0.0, 2.0, 2.0], [2.0, 0.0, 2.0], [2.0, 2.0, 0.0], [1.0, 1.0, 1.0]];
    assert_eq!(reference_beyond(&front), [22.0; 3]);
    // Below (4, 4, 4) its box is 3³, of which the others cover three bars of 3 · 2² that share a cube of 2³.
    let added = contributions_with_extremes(&front, &[4.0; 3]).unwrap();
    assert_eq!(added, [f64::INFINITY, f64::INFINITY, f64::INFINITY, 27.0 - 3.0 * 12.0 + 2.0 * 8.0]);
}

#[test]
fn of_equal_boundary_points_the_first_alone_is_infinite() {
    let with_extremes = |points: &[[f64; 2]]| contributions_with_extremes(points, &[9.0, 9.0]).unwrap();
    let twins = [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]];
    assert_eq!(with_extremes(&twins), [f64::INFINITY, 0.0, f64::INFINITY, 0.0]);
    assert_eq!(with_extremes(&[[3.0, 3.0]; 3]), [f64::INFINITY, 0.0, 0.0]);
    assert!(with_extremes(&[]).is_empty());
}

#[test]
fn other_dimensions_and_ragged_points_are_refused() {
    assert_eq!(hypervolume(&[[0.0; 4]], &[1.0; 4]), Err(HypervolumeError::Dimension(4)));
    let ragged = [vec![0.0, 0.0], vec![0.0]];
    assert_eq!(hypervolume(&ragged, &[1.0; 2]), Err(HypervolumeError::Length { index: 1, found: 1, expected: 2 }));
    assert!(contributions(&ragged, &[1.0; 2]).is_err());
    assert_eq!(contributions(&[[0.0; 1]], &[1.0]), Err(HypervolumeError::Dimension(1)));
}

#[test]
fn points_that_are_not_numbers_add_nothing() {
    assert_eq!(hypervolume(&[[f64::NAN, 0.0], [0.5, 0.5], [0.0, f64::NAN]], &[1.0; 2]).unwrap(), 0.25);
    assert_eq!(hypervolume(&[[f64::NAN, 0.0, 0.0], [0.5, 0.5, 0.5]], &[1.0; 3]).unwrap(), 0.125);
}
