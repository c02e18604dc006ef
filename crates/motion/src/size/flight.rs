//! Votes of flights: nothing touches the ground, so that the centre of mass falls with `g`.

use super::figure::{Course, Figure};
use super::{Evidence, GRAVITY, SizeOptions, SizeVote};

/// A flying figure's centre is at least this high, over its height in the bind pose; lower ones lie with their feet up.
const LOWEST_CENTER: f64 = 0.6;
/// Fewest frames of a flight.
const FEWEST_FRAMES: usize = 5;

/// The longest flight of a clip: `z = c₀ + c₁ t + c₂ t²` by least squares, `k = g / (−2 c₂)`.
///
/// A flight begins or ends on the ground within the clip, for figures that hover prove nothing. Poor parabolas and short flights are less sure.
pub(super) fn vote(figure: &Figure, course: &Course, options: &SizeOptions) -> Option<SizeVote> {
    let flies = |f: usize| {
        course.low[f] > options.flight_clearance * figure.height && course.center[f].z > LOWEST_CENTER * figure.center
    };
    let spans = crate::tools::runs(course.frames(), flies);
    let lands = |(first, end): &(usize, usize)| *first > 0 || *end < course.frames();
    let (first, end) = spans.into_iter().filter(lands).max_by_key(|(first, end)| end - first)?;
    let secs = (end - 1 - first) as f64 / course.rate_hz;
    if end - first < FEWEST_FRAMES || secs < options.flight_secs {
        return None;
    }
    let heights: Vec<f64> = course.center[first..end].iter().map(|c| c.z).collect();
    let (bend, residual) = parabola(&heights, 1.0 / course.rate_hz);
    let acceleration = -2.0 * bend;
    let arc = acceleration * secs * secs / 8.0;
    if arc < options.flight_rise * figure.height || residual > options.flight_residual * arc {
        return None;
    }
    // An edge may be off by a frame, which the square of the time doubles.
    let edges = 2.0 / (end - first) as f64;
    let spread = libm::sqrt(squared(options.flight_spread) + squared(edges) + squared(2.0 * residual / arc));
    Some(SizeVote {
        clip: course.name.clone(),
        evidence: Evidence::Flight,
        height_m: figure.height * GRAVITY / acceleration,
        within_factor: libm::exp(spread),
        at_most: false,
        seen: format!("flies for {secs:.2} s and falls with {acceleration:.1} m/s²"),
    })
}

fn squared(x: f64) -> f64 {
    x * x
}

/// `c₂` of the parabola through evenly spaced values by least squares, and the root mean square of what it leaves.
///
/// With `u` the time from the middle, `1`, `u` and `u² − ⟨u²⟩` are orthogonal.
pub(super) fn parabola(values: &[f64], step: f64) -> (f64, f64) {
    let n = values.len() as f64;
    let time = |i: usize| (i as f64 - 0.5 * (n - 1.0)) * step;
    let mean = values.iter().sum::<f64>() / n;
    let mean_square = (0..values.len()).map(|i| squared(time(i))).sum::<f64>() / n;
    let third = |i: usize| squared(time(i)) - mean_square;
    let project = |basis: &dyn Fn(usize) -> f64| {
        let over: f64 = values.iter().enumerate().map(|(i, v)| v * basis(i)).sum();
        over / (0..values.len()).map(|i| squared(basis(i))).sum::<f64>().max(1e-300)
    };
    let (slope, bend) = (project(&time), project(&third));
    let left = |(i, v): (usize, &f64)| squared(v - mean - slope * time(i) - bend * third(i));
    (bend, libm::sqrt(values.iter().enumerate().map(left).sum::<f64>() / n))
}
