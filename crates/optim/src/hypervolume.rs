//! Exact hypervolume of points in two and three dimensions, and what each point adds to it. All objectives are minimised.
//!
//! `S(X) = Λ(⋃ₓ [x₁, r₁] × … × [xₘ, rₘ])`, the volume between the points X and the reference point r (Zitzler & Thiele 1998);
//! the contribution of a point is `Δ(x, X) = S(X) − S(X \ {x})`.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Why there is no hypervolume.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HypervolumeError {
    /// Only planes and spaces are implemented.
    #[error("hypervolume is implemented for 2 and 3 objectives, not for {0}: use fewer objectives")]
    Dimension(usize),
    /// A point has another dimension than the reference point.
    #[error(
        "point {index} has {found} objectives where {expected} are needed: give every point as many as the reference point"
    )]
    Length {
        /// Which point.
        index: usize,
        /// Its dimension.
        found: usize,
        /// The dimension of the reference point.
        expected: usize,
    },
}

/// The volume that `points` dominate below `reference`, by a sweep in O(n log n).
///
/// Points that are not better than the reference point in every objective (or have a NaN) add nothing; neither do dominated ones.
pub fn hypervolume<P: AsRef<[f64]>>(points: &[P], reference: &[f64]) -> Result<f64, HypervolumeError> {
    check_lengths(points, reference.len())?;
    Ok(match *reference {
        [x, y] => area(points.iter().map(plane).collect(), [x, y]),
        [x, y, z] => volume(points.iter().map(space).collect(), [x, y, z]),
        _ => return Err(HypervolumeError::Dimension(reference.len())),
    })
}

/// What each point adds to the hypervolume of all: `Δ(x, X) = S(X) − S(X \ {x})`; 0 for dominated points and for equal ones.
///
/// O(n log n) in two dimensions, O(n² log n) in three.
pub fn contributions<P: AsRef<[f64]>>(points: &[P], reference: &[f64]) -> Result<Vec<f64>, HypervolumeError> {
    check_lengths(points, reference.len())?;
    Ok(match *reference {
        [x, y] => area_contributions(&points.iter().map(plane).collect::<Vec<_>>(), [x, y]),
        [x, y, z] => volume_contributions(&points.iter().map(space).collect::<Vec<_>>(), [x, y, z]),
        _ => return Err(HypervolumeError::Dimension(reference.len())),
    })
}

/// A reference point for a front that has none: beyond the worst value of each objective by ten times the objective's range.
///
/// It moves with the units of the objectives, so that what it leads to does not depend on them; and it is far enough away for the
/// ends of the front to weigh more than what lies between them.
pub fn reference_beyond<P: AsRef<[f64]>>(points: &[P]) -> Vec<f64> {
    let dimension = points.iter().map(|p| p.as_ref().len()).min().unwrap_or(0);
    let beyond_worst = |k: usize| {
        let values = || points.iter().map(|p| p.as_ref()[k]);
        let (best, worst) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        worst + 10.0 * (worst - best)
    };
    (0..dimension).map(beyond_worst).collect()
}

/// The [`contributions`] to a front below `reference`, but the best point of each objective counts infinitely much
/// (Igel, Hansen & Roth 2007, section 3.2.2).
///
/// In two dimensions any reference beyond the front gives the other points the same. Among points that are equally good in
/// an objective, the one that is better in the next objective is the best, and then the one with the smaller index; so of equal points,
/// one alone is infinite.
pub fn contributions_with_extremes<P: AsRef<[f64]>>(
    points: &[P],
    reference: &[f64],
) -> Result<Vec<f64>, HypervolumeError> {
    let mut added = contributions(points, reference)?;
    let dimension = reference.len();
    if points.is_empty() {
        return Ok(added);
    }
    for objective in 0..dimension {
        let compare = |a: &[f64], b: &[f64]| {
            let cyclic = (0..dimension).map(|k| (objective + k) % dimension);
            cyclic.map(|k| a[k].total_cmp(&b[k])).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        let best = (0..points.len()).min_by(|&i, &j| compare(points[i].as_ref(), points[j].as_ref()));
        added[best.unwrap_or(0)] = f64::INFINITY;
    }
    Ok(added)
}

fn check_lengths<P: AsRef<[f64]>>(points: &[P], expected: usize) -> Result<(), HypervolumeError> {
    match points.iter().map(|p| p.as_ref().len()).enumerate().find(|&(_, found)| found != expected) {
        Some((index, found)) => Err(HypervolumeError::Length { index, found, expected }),
        None => Ok(()),
    }
}

fn plane<P: AsRef<[f64]>>(point: &P) -> [f64; 2] {
    [point.as_ref()[0], point.as_ref()[1]]
}

fn space<P: AsRef<[f64]>>(point: &P) -> [f64; 3] {
    [point.as_ref()[0], point.as_ref()[1], point.as_ref()[2]]
}

fn is_inside<const M: usize>(point: &[f64; M], reference: &[f64; M]) -> bool {
    (0..M).all(|k| point[k] < reference[k])
}

fn lexicographic(a: &[f64; 2], b: &[f64; 2]) -> Ordering {
    a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
}

/// Sweep along x: each point that goes lower than all before it adds the rectangle to the right of it and below their ceiling.
fn area(mut points: Vec<[f64; 2]>, reference: [f64; 2]) -> f64 {
    points.retain(|p| is_inside(p, &reference));
    points.sort_unstable_by(lexicographic);
    area_of_sorted(points.iter(), reference)
}

fn area_of_sorted<'a>(points: impl Iterator<Item = &'a [f64; 2]>, reference: [f64; 2]) -> f64 {
    let (mut area, mut ceiling) = (0.0, reference[1]);
    for &[x, y] in points {
        if y < ceiling {
            area += (reference[0] - x) * (ceiling - y);
            ceiling = y;
        }
    }
    area
}

/// Each point of the staircase owns the rectangle up to its neighbours, less what the dominated points in there cover.
///
/// Sorted by x, the dominated points that a step may own follow it directly, up to the next step.
fn area_contributions(points: &[[f64; 2]], reference: [f64; 2]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..points.len()).filter(|&i| is_inside(&points[i], &reference)).collect();
    order.sort_by(|&i, &j| lexicographic(&points[i], &points[j]));
    let mut added = vec![0.0; points.len()];
    let (mut start, mut ceiling) = (0, reference[1]);
    while start < order.len() {
        let [x, y] = points[order[start]];
        let end = (start + 1..order.len()).find(|&k| points[order[k]][1] < y).unwrap_or(order.len());
        let right = order.get(end).map_or(reference[0], |&next| points[next][0]);
        let covered = area_of_sorted(order[start + 1..end].iter().map(|&k| &points[k]), [right, ceiling]);
        added[order[start]] = ((right - x) * (ceiling - y) - covered).max(0.0);
        (start, ceiling) = (end, y);
    }
    added
}

/// Sweep along z: the area that the points so far dominate in the xy-plane, times the distance to the next point.
///
/// The staircase of the plane lies in a balanced tree; each point enters and leaves it once
/// (Beume, Fonseca, López-Ibáñez, Paquete & Vahrenhold 2009, section III).
fn volume(mut points: Vec<[f64; 3]>, reference: [f64; 3]) -> f64 {
    points.retain(|p| is_inside(p, &reference));
    points.sort_unstable_by(|a, b| a[2].total_cmp(&b[2]));
    let mut staircase = Staircase { steps: BTreeMap::new(), area: 0.0, reference: [reference[0], reference[1]] };
    let mut volume = 0.0;
    for (i, &[x, y, z]) in points.iter().enumerate() {
        staircase.add(x, y);
        volume += staircase.area * (points.get(i + 1).map_or(reference[2], |next| next[2]) - z);
    }
    volume
}

/// The exclusive volume of a point is its own box, less what the others cover of that box.
fn volume_contributions(points: &[[f64; 3]], reference: [f64; 3]) -> Vec<f64> {
    let exclusive = |i: usize| {
        let own = points[i];
        if !is_inside(&own, &reference) {
            return 0.0;
        }
        let clipped = |j: usize| [0, 1, 2].map(|k| own[k].max(points[j][k]));
        let others = (0..points.len()).filter(|&j| j != i && is_inside(&points[j], &reference));
        let covered = volume(others.map(clipped).collect(), reference);
        ((0..3).map(|k| reference[k] - own[k]).product::<f64>() - covered).max(0.0)
    };
    (0..points.len()).map(exclusive).collect()
}

/// A number that can order a tree.
#[derive(PartialEq)]
struct Key(f64);

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        // Adding 0 makes one zero of the two, so that equality and order agree.
        (self.0 + 0.0).total_cmp(&(other.0 + 0.0))
    }
}

/// The non-dominated points of a plane, y falling as x grows, and the area that they dominate.
struct Staircase {
    steps: BTreeMap<Key, f64>,
    area: f64,
    reference: [f64; 2],
}

impl Staircase {
    fn add(&mut self, x: f64, y: f64) {
        let before = self.steps.range(..=Key(x)).next_back().map(|(_, &y)| y);
        if before.is_some_and(|height| height <= y) {
            return;
        }
        // From x to the right, fill up to the ceiling of the steps there, and take away those that are now dominated.
        let (mut left, mut ceiling) = (x, before.unwrap_or(self.reference[1]));
        while let Some((right, height)) = self.steps.range(Key(x)..).next().map(|(right, &height)| (right.0, height)) {
            self.area += (right - left) * (ceiling - y);
            if height < y {
                left = self.reference[0];
                break;
            }
            self.steps.remove(&Key(right));
            (left, ceiling) = (right, height);
        }
        self.area += (self.reference[0] - left) * (ceiling - y);
        self.steps.insert(Key(x), y);
    }
}

#[cfg(test)]
#[path = "hypervolume_tests.rs"]
mod tests;
