//! Offsets over time: a few poses in a window, and the curve through them.

use crate::config::Basis;
use serde::{Deserialize, Serialize};

/// Where a window's curve begins: offsets and their slope (per frame) that the window before left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CurveStart {
    pub offsets: Vec<f64>,
    pub slopes: Vec<f64>,
}

impl CurveStart {
    pub fn zero(count: usize) -> CurveStart {
        CurveStart { offsets: vec![0.0; count], slopes: vec![0.0; count] }
    }
}

/// Number of offset poses in a window: one every `knot_frames`, the last at or behind its end.
pub(crate) fn knot_count(frames: usize, knot_frames: usize) -> usize {
    frames.div_ceil(knot_frames)
}

/// Offsets at frames `0..=frames` of a window, row after row, from its poses at `knot_frames`, `2 knot_frames`, ….
pub(crate) fn fill(
    start: &CurveStart,
    poses: &[f64],
    basis: Basis,
    knot_frames: usize,
    frames: usize,
    curve: &mut Vec<f64>,
) {
    let count = start.offsets.len();
    let knots = poses.len() / count;
    curve.clear();
    curve.extend_from_slice(&start.offsets);
    let pose = |knot: usize, i: usize| if knot == 0 { start.offsets[i] } else { poses[(knot - 1) * count + i] };
    let spacing = knot_frames as f64;
    // Per knot interval.
    let slope = |knot: usize, i: usize| match knot {
        0 => start.slopes[i] * spacing,
        k if k == knots => pose(k, i) - pose(k - 1, i),
        k => 0.5 * (pose(k + 1, i) - pose(k - 1, i)),
    };
    for frame in 1..=frames {
        let knot = ((frame - 1) / knot_frames).min(knots - 1);
        let t = (frame - knot * knot_frames) as f64 / spacing;
        for i in 0..count {
            let (a, b) = (pose(knot, i), pose(knot + 1, i));
            curve.push(match basis {
                Basis::Linear => a + t * (b - a),
                Basis::Cubic => {
                    let (u, rise) = (1.0 - t, b - a);
                    a + t * t * (3.0 - 2.0 * t) * rise + t * u * (u * slope(knot, i) - t * slope(knot + 1, i))
                }
            });
        }
    }
}

/// Where the next window's curve begins when it takes over at `frame`.
pub(crate) fn start_at(curve: &[f64], count: usize, frame: usize) -> CurveStart {
    let row = |f: usize| &curve[f * count..(f + 1) * count];
    let last = curve.len() / count - 1;
    let (before, after) = (frame.saturating_sub(1), (frame + 1).min(last));
    let span = (after - before).max(1) as f64;
    let slopes = row(before).iter().zip(row(after)).map(|(a, b)| (b - a) / span).collect();
    CurveStart { offsets: row(frame).to_vec(), slopes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_pass_through_their_poses() {
        let start = CurveStart { offsets: vec![0.5, -1.0], slopes: vec![0.1, 0.0] };
        let poses = [1.0, 2.0, -0.5, 0.25];
        for basis in [Basis::Linear, Basis::Cubic] {
            let mut curve = Vec::new();
            fill(&start, &poses, basis, 4, 8, &mut curve);
            assert_eq!(curve.len(), 18);
            assert_eq!(curve[..2], start.offsets[..]);
            assert_eq!(curve[8..10], poses[..2]);
            assert_eq!(curve[16..], poses[2..]);
        }
    }

    #[test]
    fn a_cubic_goes_on_with_the_slope_that_it_is_given() {
        let start = CurveStart { offsets: vec![0.0], slopes: vec![0.25] };
        let mut curve = Vec::new();
        fill(&start, &[1.0, 2.0, 3.0], Basis::Cubic, 4, 12, &mut curve);
        // A straight line stays one.
        for (frame, x) in curve.iter().enumerate() {
            assert!((x - 0.25 * frame as f64).abs() < 1e-12, "{frame}: {x}");
        }
        let next = start_at(&curve, 1, 5);
        assert!((next.slopes[0] - 0.25).abs() < 1e-12 && (next.offsets[0] - 1.25).abs() < 1e-12);
    }
}
