//! Bounds of coordinates by a smooth map: the strategy moves freely, the points that leave it lie within.
//!
//! Within the margins the map is the identity; a margin `a` at each bound is bent into a parabola that touches the bound at distance
//! `a` outside of it, and from there on the map is mirrored, again and again:
//!
//! ```text
//! x(g) = g                             lower + a ≤ g ≤ upper − a
//! x(g) = lower + (g − lower + a)²/4a   lower − a ≤ g < lower + a       (and so at the upper bound)
//! x(g) = x(mirror image of g)          g beyond
//! ```
//!
//! It has a continuous derivative. The shape is that of Hansen's pycma (`BoxConstraintsLinQuadTransformation`); the margin is a twentieth
//! of the interval, so that the map moves with the bounds, and at a single bound a twentieth of max(1, |bound|).

use crate::OptimError;
use serde::{Deserialize, Serialize};

/// The bounds of one coordinate, infinite where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    lower: f64,
    upper: f64,
    margin: f64,
}

impl Interval {
    /// From `[lower, upper]`; either may be infinite. An error if there is no room between them.
    pub fn new(coordinate: usize, [lower, upper]: [f64; 2]) -> Result<Interval, OptimError> {
        // Infinities of the same sign leave no room either, and NaN is never less.
        let room = lower < upper;
        if !room {
            return Err(OptimError::BadBounds { coordinate, lower, upper });
        }
        let single = if lower.is_finite() { lower } else { upper };
        let margin = match (lower.is_finite(), upper.is_finite()) {
            (true, true) => (0.05 * upper - 0.05 * lower).max(f64::MIN_POSITIVE),
            (false, false) => 0.0,
            _ => 0.05 * single.abs().max(1.0),
        };
        Ok(Interval { lower, upper, margin })
    }

    /// The bounds.
    pub fn bounds(&self) -> [f64; 2] {
        [self.lower, self.upper]
    }

    /// The point within the bounds that belongs to the free coordinate `g`.
    pub fn point(&self, g: f64) -> f64 {
        let Interval { lower, upper, margin } = *self;
        if g >= lower + margin && g <= upper - margin {
            return g;
        }
        let (start, end) = (lower - margin, upper + margin);
        // Into start ..= end: whole periods first, then at most one mirror at either end.
        let mut g = g;
        let period = 2.0 * (end - start);
        if period.is_finite() && !(g >= start - 0.5 * period && g <= end + 0.5 * period) {
            g -= period * ((g - start) / period).floor();
        }
        if g > end {
            g = end - (g - end);
        }
        if g < start {
            g = start + (start - g);
        }
        let x = if g < lower + margin {
            lower + (g - start) * (g - start) / (4.0 * margin)
        } else if g > upper - margin {
            upper - (end - g) * (end - g) / (4.0 * margin)
        } else {
            g
        };
        if x.is_nan() { if lower.is_finite() { lower } else { upper } } else { x.clamp(lower, upper) }
    }

    /// The free coordinate nearest the interval that gives `x`, which lies within the bounds.
    pub fn free(&self, x: f64) -> f64 {
        let Interval { lower, upper, margin } = *self;
        if x < lower + margin {
            lower - margin + 2.0 * (margin * (x - lower).max(0.0)).sqrt()
        } else if x > upper - margin {
            upper + margin - 2.0 * (margin * (upper - x).max(0.0)).sqrt()
        } else {
            x
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn points_lie_within_and_come_back(lower in -1e3..1e3f64, width in 1e-6..1e3f64, g in -1e6..1e6f64, part in 0.0..=1.0f64) {
            let interval = Interval::new(0, [lower, lower + width]).unwrap();
            let x = interval.point(g);
            prop_assert!(x >= lower && x <= lower + width);
            let x = (lower + part * width).min(lower + width);
            prop_assert!((interval.point(interval.free(x)) - x).abs() <= 1e-9 * width + 1e-12 * lower.abs());
        }

        #[test]
        fn the_map_has_no_jump_and_no_kink(g in -10.0..10.0f64) {
            for bounds in [[-1.0, 2.0], [0.5, f64::INFINITY], [f64::NEG_INFINITY, 0.25]] {
                let interval = Interval::new(0, bounds).unwrap();
                let slope = |g: f64| (interval.point(g + 1e-6) - interval.point(g)) / 1e-6;
                prop_assert!(slope(g).abs() < 1.0 + 1e-6);
                prop_assert!((slope(g + 1e-4) - slope(g)).abs() < 2e-3);
            }
        }
    }

    #[test]
    fn bounds_are_reached_and_free_coordinates_are_left_alone() {
        let interval = Interval::new(0, [0.0, 1.0]).unwrap();
        assert_eq!([interval.point(-0.05), interval.point(1.05), interval.point(0.3)], [0.0, 1.0, 0.3]);
        let open = Interval::new(0, [f64::NEG_INFINITY, f64::INFINITY]).unwrap();
        assert_eq!((open.point(1e300), open.free(-1e300)), (1e300, -1e300));
        for g in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e308, -1e308] {
            assert!((0.0..=1.0).contains(&interval.point(g)));
            assert!(Interval::new(0, [0.0, f64::INFINITY]).unwrap().point(g) >= 0.0);
        }
        for bad in [[1.0, 1.0], [2.0, 1.0], [f64::NAN, 1.0], [f64::INFINITY, f64::INFINITY]] {
            assert!(Interval::new(3, bad).is_err());
        }
    }

    #[test]
    fn the_map_is_periodic_and_mirrored() {
        let interval = Interval::new(0, [-1.0, 2.0]).unwrap();
        let margin = interval.margin;
        // From one end with its margin to the other and back.
        let period = 2.0 * (3.0 + 2.0 * margin);
        for g in [-0.9, 0.0, 0.7, 1.99, 2.0 + 0.9 * margin] {
            let x = interval.point(g);
            for periods in [1.0, -3.0, 40.0] {
                assert!((interval.point(g + periods * period) - x).abs() < 1e-9, "{g} and {periods} periods");
            }
            assert!((interval.point(2.0 * (2.0 + margin) - g) - x).abs() < 1e-12, "mirrored at the upper end");
            assert!((interval.point(2.0 * (-1.0 - margin) - g) - x).abs() < 1e-12, "mirrored at the lower end");
        }
        // The nearest free coordinate of a point, on either side.
        for x in [-1.0, -1.0 + 0.5 * margin, 0.5, 2.0 - 0.5 * margin, 2.0] {
            let g = interval.free(x);
            assert!((interval.point(g) - x).abs() < 1e-12 && g >= -1.0 - margin && g <= 2.0 + margin, "{x}: {g}");
        }
    }
}
