//! Non-dominated sorting: which points nothing beats, which only those beat, and so on. All objectives are minimised.

/// Whether `first` is at least as good as `second` in every objective and better in one.
///
/// `a ≺ b ⟺ ∀i: aᵢ ≤ bᵢ ∧ ∃j: aⱼ < bⱼ`. Equal points do not dominate each other, and a point with a NaN neither dominates nor is dominated.
pub fn dominates(first: &[f64], second: &[f64]) -> bool {
    let pairs = || first.iter().zip(second);
    pairs().all(|(a, b)| a <= b) && pairs().any(|(a, b)| a < b)
}

/// The fronts of a set of points, best first, each a list of indices in increasing order.
///
/// A front holds the points that no point outside the better fronts dominates; equal points share a front.
/// O(M N²) for N points with M objectives (Deb, Pratap, Agarwal & Meyarivan 2002, section III A, "fast non-dominated sort").
pub fn fronts<P: AsRef<[f64]>>(points: &[P]) -> Vec<Vec<usize>> {
    // Who beats whom, and by how many each is beaten.
    let mut beaten_by_me = vec![Vec::new(); points.len()];
    let mut beaten_by = vec![0usize; points.len()];
    for (i, first) in points.iter().enumerate() {
        for (j, second) in points.iter().enumerate().skip(i + 1) {
            let (winner, loser) = match (first.as_ref(), second.as_ref()) {
                (a, b) if dominates(a, b) => (i, j),
                (a, b) if dominates(b, a) => (j, i),
                _ => continue,
            };
            beaten_by_me[winner].push(loser);
            beaten_by[loser] += 1;
        }
    }
    // Peel off those whom nobody beats.
    let mut fronts = Vec::new();
    let mut front: Vec<usize> = (0..points.len()).filter(|&i| beaten_by[i] == 0).collect();
    while !front.is_empty() {
        let mut next = Vec::new();
        for &loser in front.iter().flat_map(|&winner| &beaten_by_me[winner]) {
            beaten_by[loser] -= 1;
            if beaten_by[loser] == 0 {
                next.push(loser);
            }
        }
        next.sort_unstable();
        fronts.push(std::mem::replace(&mut front, next));
    }
    fronts
}

/// The rank of every point: 0 for the first of the [`fronts`], 1 for the second, ...
pub fn ranks<P: AsRef<[f64]>>(points: &[P]) -> Vec<usize> {
    let mut ranks = vec![0; points.len()];
    for (rank, front) in fronts(points).iter().enumerate() {
        for &index in front {
            ranks[index] = rank;
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition: take away what nothing left dominates, until nothing is left.
    fn fronts_by_definition(points: &[Vec<f64>]) -> Vec<Vec<usize>> {
        let mut left: Vec<usize> = (0..points.len()).collect();
        let mut fronts = Vec::new();
        while !left.is_empty() {
            let undominated = |&i: &usize| {
                !left.iter().any(|&j| {
                    let (a, b) = (&points[j], &points[i]);
                    (0..a.len()).all(|k| a[k] <= b[k]) && (0..a.len()).any(|k| a[k] < b[k])
                })
            };
            let front: Vec<usize> = left.iter().copied().filter(undominated).collect();
            left.retain(|i| !front.contains(i));
            fronts.push(front);
        }
        fronts
    }

    proptest! {
        /// Coarse coordinates, so that ties and equal points are common.
        #[test]
        fn fronts_are_those_of_the_definition(
            points in (1usize..5).prop_flat_map(|m| prop::collection::vec(prop::collection::vec((0..6).prop_map(f64::from), m), 0..40))
        ) {
            prop_assert_eq!(fronts(&points), fronts_by_definition(&points));
        }
    }

    #[test]
    fn a_chain_has_one_front_each_and_equal_points_share_one() {
        assert_eq!(ranks(&[[2.0, 2.0], [1.0, 1.0], [3.0, 3.0], [1.0, 1.0]]), [1, 0, 2, 0]);
        assert_eq!(ranks(&[[0.0, 1.0], [1.0, 0.0], [0.0, 2.0]]), [0, 0, 1]);
        assert!(fronts::<[f64; 2]>(&[]).is_empty());
    }

    #[test]
    fn a_point_with_a_nan_is_in_the_first_front_and_changes_no_other() {
        assert_eq!(ranks(&[[f64::NAN, 0.0], [1.0, 1.0], [2.0, 2.0]]), [0, 0, 1]);
    }
}
