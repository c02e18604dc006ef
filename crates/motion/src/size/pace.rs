//! Bounds of every clip: feet only push, and friction holds them only so far.
//!
//! The centre of mass is accelerated by gravity and by what the ground gives: `z̈ ≥ −g`, and sideways `|ẍ| ≤ μ (g + z̈)`. With drawn accelerations `a`
//! and `b = z̈` a figure of `k` times the size needs `k (−b) ≤ g` and `k (|a| − μ b) ≤ μ g`. The clip's quickest moments are left out, for artists
//! exaggerate.

use super::figure::{Course, Figure};
use super::{Evidence, GRAVITY, SizeOptions, SizeVote};

/// Bounds above this many heights of the file say nothing.
const LARGEST: f64 = 20.0;

/// The largest size at which all but `quick_share` of the clip's moments can be.
pub(super) fn vote(figure: &Figure, course: &Course, options: &SizeOptions) -> Option<SizeVote> {
    let of = |axis: usize| -> Vec<f64> {
        let values: Vec<f64> = course.center.iter().map(|c| c[axis]).collect();
        slopes(&values, course.rate_hz, options.window_secs).1
    };
    let [x, y, z] = [of(0), of(1), of(2)];
    let friction = options.friction;
    let mut factors: Vec<f64> = (0..course.frames())
        .map(|f| {
            let down = -z[f] / GRAVITY;
            let sideways = (libm::hypot(x[f], y[f]) - friction * z[f]) / (friction * GRAVITY);
            1.0 / down.max(sideways).max(1.0 / (2.0 * LARGEST))
        })
        .collect();
    factors.sort_by(f64::total_cmp);
    let factor = factors[(options.quick_share * (factors.len() - 1) as f64) as usize];
    (factor < LARGEST).then(|| SizeVote {
        clip: course.name.clone(),
        evidence: Evidence::Pace,
        height_m: factor * figure.height,
        within_factor: libm::exp(options.pace_spread),
        at_most: true,
        seen: format!("its quickest moves need at least {:.1} m/s² of gravity", GRAVITY / factor),
    })
}

/// First and second derivatives of evenly sampled values, by parabolas through the values within `window_secs` of each.
pub(super) fn slopes(values: &[f64], rate_hz: f64, window_secs: f64) -> (Vec<f64>, Vec<f64>) {
    let half = (libm::round(window_secs * rate_hz) as usize).clamp(2, values.len().max(5) / 2);
    let one = |i: usize| {
        // At the ends the window is moved inwards.
        let width = (2 * half + 1).min(values.len());
        let first = i.saturating_sub(half).min(values.len() - width);
        let window = &values[first..first + width];
        let (bend, _) = super::flight::parabola(window, 1.0 / rate_hz);
        let middle = 0.5 * (width - 1) as f64;
        let spread: f64 = (0..width).map(|j| (j as f64 - middle) * (j as f64 - middle)).sum();
        let slope: f64 = window.iter().enumerate().map(|(j, v)| v * (j as f64 - middle)).sum();
        let slope = slope * rate_hz / spread.max(1e-300);
        let off = (i as f64 - first as f64 - middle) / rate_hz;
        (slope + 2.0 * bend * off, 2.0 * bend)
    };
    (0..values.len()).map(one).unzip()
}
