//! A region of the ground seen from a character: for each sector of directions, the nearest and the farthest distance that occur.

use serde::{Deserialize, Serialize};
use std::f64::consts::{PI, TAU};

/// Number of sectors, from −π on, each 15° wide.
const SECTORS: usize = 24;
/// A sector with fewer samples than this share of a mean sector's is empty.
const LEAST_SHARE: f64 = 0.02;

/// Annular sectors around the character; x is forward, y to the left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolarRange {
    /// Nearest and farthest of each sector; none where nothing occurs.
    sectors: Vec<Option<[f64; 2]>>,
}

impl PolarRange {
    /// The region that samples lie in. Sectors with very few samples are left out.
    pub fn of(samples: &[[f64; 2]]) -> PolarRange {
        let mut found: Vec<(usize, [f64; 2])> = vec![(0, [f64::INFINITY, 0.0]); SECTORS];
        for &[x, y] in samples {
            let (count, [near, far]) = &mut found[sector(libm::atan2(y, x))];
            let distance = (x * x + y * y).sqrt();
            (*count, *near, *far) = (*count + 1, near.min(distance), far.max(distance));
        }
        let least = (LEAST_SHARE * samples.len() as f64 / SECTORS as f64).max(1.0);
        let sectors = found.into_iter().map(|(count, ends)| (count as f64 >= least).then_some(ends)).collect();
        PolarRange { sectors }
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.sectors.iter().all(Option::is_none)
    }

    /// Nearest and farthest distance in any direction.
    pub fn distances(&self) -> Option<[f64; 2]> {
        let known = self.sectors.iter().flatten();
        known.copied().reduce(|[a, b], [c, d]| [a.min(c), b.max(d)])
    }

    /// Returns the point of the region that is nearest to `point`: itself inside; `point` where nothing is known.
    pub fn project(&self, point: [f64; 2]) -> [f64; 2] {
        let [x, y] = point;
        let (own, radius) = (sector(libm::atan2(y, x)), (x * x + y * y).sqrt());
        let mut best = (f64::INFINITY, point);
        for (index, ends) in self.sectors.iter().enumerate() {
            let &Some([near, far]) = ends else { continue };
            if index == own {
                let wanted = radius.clamp(near, far);
                if wanted == radius {
                    return point;
                }
                let scale = if radius > 0.0 { wanted / radius } else { 0.0 };
                let at = if radius > 0.0 { [scale * x, scale * y] } else { [wanted, 0.0] };
                best = nearer(best, point, at);
                continue;
            }
            // Outside its angles, the nearest point lies on one of its two straight edges.
            for edge in [index, index + 1] {
                let (sin, cos) = libm::sincos(edge as f64 * TAU / SECTORS as f64 - PI);
                let along = (x * cos + y * sin).clamp(near, far);
                best = nearer(best, point, [along * cos, along * sin]);
            }
        }
        best.1
    }

    /// Returns the angle nearest to `angle` that lies in a known sector, rad.
    pub fn project_angle(&self, angle: f64) -> f64 {
        let own = sector(angle);
        let step = TAU / SECTORS as f64;
        for away in 0..=SECTORS / 2 {
            let mut best: Option<f64> = None;
            for index in [(own + away) % SECTORS, (own + SECTORS - away) % SECTORS] {
                if self.sectors[index].is_none() {
                    continue;
                }
                let middle = (index as f64 + 0.5) * step - PI;
                let off = crate::wrap_angle(angle - middle);
                let at = middle + off.clamp(-0.5 * step, 0.5 * step);
                let is_nearer = |b: f64| crate::wrap_angle(angle - at).abs() < crate::wrap_angle(angle - b).abs();
                if best.is_none_or(is_nearer) {
                    best = Some(at);
                }
            }
            if let Some(at) = best {
                return if away == 0 { angle } else { crate::wrap_angle(at) };
            }
        }
        angle
    }
}

fn sector(angle: f64) -> usize {
    let share = (angle + PI) / TAU;
    ((share * SECTORS as f64).max(0.0) as usize).min(SECTORS - 1)
}

fn nearer(best: (f64, [f64; 2]), point: [f64; 2], at: [f64; 2]) -> (f64, [f64; 2]) {
    let distance = (at[0] - point[0]) * (at[0] - point[0]) + (at[1] - point[1]) * (at[1] - point[1]);
    if distance < best.0 { (distance, at) } else { best }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forward within 15° of the left, 1 to 2 m.
    fn wedge() -> PolarRange {
        let samples: Vec<[f64; 2]> = (0..40)
            .map(|i| {
                let (angle, radius) = (0.26 * f64::from(i % 8) / 8.0 + 0.001, 1.0 + f64::from(i % 5) / 4.0);
                [radius * libm::cos(angle), radius * libm::sin(angle)]
            })
            .collect();
        PolarRange::of(&samples)
    }

    fn near(a: [f64; 2], b: [f64; 2]) -> bool {
        (a[0] - b[0]).abs() < 1e-9 && (a[1] - b[1]).abs() < 1e-9
    }

    #[test]
    fn points_are_led_to_the_nearest_point_of_the_region() {
        let range = wedge();
        let along = |angle: f64, radius: f64| [radius * libm::cos(angle), radius * libm::sin(angle)];
        assert!(near(range.project(along(0.1, 1.5)), along(0.1, 1.5)), "inside");
        assert!(near(range.project(along(0.1, 5.0)), along(0.1, 2.0)), "too far");
        assert!(near(range.project(along(0.1, 0.2)), along(0.1, 1.0)), "too near");
        // To the right, the nearest is the edge at 0°: its foot point, or its end.
        assert!(near(range.project([1.5, -0.4]), [1.5, 0.0]));
        assert!(near(range.project([3.0, -1.0]), [2.0, 0.0]));
        // From behind, the inner corner on the left.
        assert!(near(range.project([-4.0, -0.1]), range.project(along(TAU / 24.0, 1.0))));
        assert!(near(range.project([-4.0, -3.0]), [1.0, 0.0]));
        assert_eq!(range.distances().map(|d| d.map(|x| (x * 1e6).round() / 1e6)), Some([1.0, 2.0]));
    }

    #[test]
    fn angles_are_led_to_the_nearest_edge() {
        let range = wedge();
        assert!((range.project_angle(0.2) - 0.2).abs() < 1e-12);
        assert!((range.project_angle(-1.0)).abs() < 1e-9);
        assert!((range.project_angle(2.0) - TAU / 24.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_known_changes_nothing() {
        let range = PolarRange::of(&[]);
        assert!(range.is_empty());
        assert_eq!((range.project([3.0, 4.0]), range.project_angle(1.0)), ([3.0, 4.0], 1.0));
    }
}
