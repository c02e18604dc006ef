//! Votes of figures that go down and stay: nothing falls faster than freely, and what collapses does not fall much slower.

use super::figure::{Course, Figure};
use super::pace::slopes;
use super::{Evidence, GRAVITY, SizeOptions, SizeVote};

/// The end of a clip that must be low: its last share.
const LAST_SHARE: f64 = 0.1;

/// A centre of mass that drops by `h` reaches `v² = 2 g h` in free fall. Figures that collapse or topple get `fall_energy` of that:
/// `k = fall_energy · 2 g h / v²`, in drawn metres.
pub(super) fn vote(figure: &Figure, course: &Course, options: &SizeOptions) -> Option<SizeVote> {
    let heights: Vec<f64> = course.center.iter().map(|c| c.z).collect();
    let frames = heights.len();
    let last = ((LAST_SHARE * frames as f64) as usize).max(1);
    let ends = heights[frames - last..].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let top = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if heights[0] < 0.8 * figure.center || heights[0] - ends < options.fall_drop * figure.center {
        return None;
    }
    let (speeds, _) = slopes(&heights, course.rate_hz, options.window_secs);
    let fastest = (0..frames).max_by(|a, b| (-speeds[*a]).total_cmp(&-speeds[*b]))?;
    let speed = -speeds[fastest];
    let drop = top - ends;
    // Who lies down with care is fastest half-way and slow: only what speeds up to the end falls.
    let gone = (top - heights[fastest]) / drop;
    if speed <= 0.0 || gone < 0.35 {
        return None;
    }
    let spread = options.fall_spread;
    Some(SizeVote {
        clip: course.name.clone(),
        evidence: Evidence::Fall,
        height_m: figure.height * options.fall_energy * 2.0 * GRAVITY * drop / (speed * speed),
        within_factor: libm::exp(spread),
        at_most: false,
        seen: format!("goes down {drop:.2} m at up to {speed:.1} m/s"),
    })
}
