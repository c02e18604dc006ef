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

/// Fills in the offsets at frames 0, 1, … of a window, row after row, from its poses at `knot_frames`, `2 knot_frames`, ….
pub(crate) fn fill(start: &CurveStart, poses: &[f64], basis: Basis, knot_frames: usize, curve: &mut [f64]) {
    let count = start.offsets.len();
    let knots = poses.len() / count;
    let pose = |knot: usize| if knot == 0 { &start.offsets[..] } else { &poses[(knot - 1) * count..knot * count] };
    let spacing = knot_frames as f64;
    // Per knot interval.
    let slopes = |knot: usize| -> Vec<f64> {
        let rise = |a: usize, b: usize, share: f64| pose(b).iter().zip(pose(a)).map(|(b, a)| share * (b - a)).collect();
        match knot {
            0 => start.slopes.iter().map(|slope| slope * spacing).collect(),
            k if k == knots => rise(k - 1, k, 1.0),
            k => rise(k - 1, k + 1, 0.5),
        }
    };
    let (first, rest) = curve.split_at_mut(count);
    first.copy_from_slice(&start.offsets);
    let mut before = slopes(0);
    for (knot, rows) in rest.chunks_mut(knot_frames * count).enumerate() {
        let ([a, b], after) = ([pose(knot), pose(knot + 1)], slopes(knot + 1));
        for (frame, row) in rows.chunks_mut(count).enumerate() {
            let t = (frame + 1) as f64 / spacing;
            let (u, eased) = (1.0 - t, t * t * (3.0 - 2.0 * t));
            for (i, x) in row.iter_mut().enumerate() {
                let rise = b[i] - a[i];
                *x = match basis {
                    Basis::Linear => a[i] + t * rise,
                    Basis::Cubic => a[i] + eased * rise + t * u * (u * before[i] - t * after[i]),
                };
            }
        }
        before = after;
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
            let mut curve = [0.0; 18];
            fill(&start, &poses, basis, 4, &mut curve);
            assert_eq!(curve[..2], start.offsets[..]);
            assert_eq!(curve[8..10], poses[..2]);
            assert_eq!(curve[16..], poses[2..]);
        }
    }

    #[test]
    fn a_cubic_goes_on_with_the_slope_that_it_is_given() {
        let start = CurveStart { offsets: vec![0.0], slopes: vec![0.25] };
        let mut curve = [0.0; 13];
        fill(&start, &[1.0, 2.0, 3.0], Basis::Cubic, 4, &mut curve);
        // A straight line stays one.
        for (frame, x) in curve.iter().enumerate() {
            assert!((x - 0.25 * frame as f64).abs() < 1e-12, "{frame}: {x}");
        }
        let next = start_at(&curve, 1, 5);
        assert!((next.slopes[0] - 0.25).abs() < 1e-12 && (next.offsets[0] - 1.25).abs() < 1e-12);
    }

    #[test]
    fn there_is_a_pose_for_every_interval_that_begins() {
        assert_eq!([1, 3, 4, 5, 8, 9].map(|frames| knot_count(frames, 4)), [1, 1, 1, 2, 2, 3]);
    }

    #[test]
    fn straight_curves_are_straight_between_poses() {
        let start = CurveStart { offsets: vec![1.0, 0.0], slopes: vec![9.0, 9.0] };
        let mut curve = [0.0; 14];
        fill(&start, &[4.0, 0.5, 1.0, 0.5], Basis::Linear, 3, &mut curve);
        assert_eq!(curve.iter().step_by(2).copied().collect::<Vec<_>>(), [1.0, 2.0, 3.0, 4.0, 3.0, 2.0, 1.0]);
    }

    #[test]
    fn cubic_curves_have_the_mean_slope_of_both_sides_in_their_poses() {
        // Poses at frames 4, 8, 12 of f², from f = 0 with the slope 0: exact while there is a pose behind.
        let start = CurveStart { offsets: vec![0.0], slopes: vec![0.0] };
        let mut curve = [0.0; 13];
        fill(&start, &[16.0, 64.0, 144.0], Basis::Cubic, 4, &mut curve);
        for (frame, x) in curve[..9].iter().enumerate() {
            assert!((x - (frame * frame) as f64).abs() < 1e-12, "{frame}: {x}");
        }
        // The last slope is that of the last way, 80 per interval: in its middle ½·(64 + 144) + ⅛·(64 − 80).
        assert!((curve[10] - 102.0).abs() < 1e-12, "{}", curve[10]);
        // A start that is neither zero nor level.
        let start = CurveStart { offsets: vec![9.0], slopes: vec![6.0] };
        let mut curve = [0.0; 9];
        fill(&start, &[49.0, 121.0], Basis::Cubic, 4, &mut curve);
        let expected = [9.0, 16.0, 25.0, 36.0, 49.0];
        assert!(curve[..5].iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{curve:?}");
    }

    #[test]
    fn the_next_window_goes_on_with_value_and_slope() {
        let curve: Vec<f64> = (0..6).flat_map(|f| [(f * f) as f64, 10.0 - f as f64]).collect();
        let at = |frame: usize| start_at(&curve, 2, frame);
        assert_eq!(at(3), CurveStart { offsets: vec![9.0, 7.0], slopes: vec![6.0, -1.0] });
        assert_eq!(at(0), CurveStart { offsets: vec![0.0, 10.0], slopes: vec![1.0, -1.0] });
        assert_eq!(at(5), CurveStart { offsets: vec![25.0, 5.0], slopes: vec![9.0, -1.0] });
        assert_eq!(CurveStart::zero(2), CurveStart { offsets: vec![0.0; 2], slopes: vec![0.0; 2] });
    }
}
