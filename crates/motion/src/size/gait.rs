//! Votes of walks and runs: their strides tell how fast they are for their legs, and the time of a stride then tells the legs.
//!
//! Animals of all sizes that move alike have the same Froude number `Fr = v² / (g L)`, `L` the height of the hips, and strides of `λ / L = 2.4 Fr^0.34`
//! (Alexander and Jayes 1983). The drawing gives `λ / L` whatever its scale; with `v = λ / T` the legs are `L = λ² / (g T² Fr)` long, `k` times
//! as drawn: `k = Fr g L_drawn / v_drawn²`.

use super::figure::{Course, Figure};
use super::{Evidence, GRAVITY, SizeOptions, SizeVote};
use glam::{DVec2, DVec3};

/// Least swing of a foot against the body over the length of the legs.
const LEAST_SWING: f64 = 0.2;
/// Least way over the length of the path of someone who goes straight.
const STRAIGHT: f64 = 0.8;
/// Froude number from which strides are longer than those of nature: the surplus adds to the spread.
const FASTEST_NATURAL: f64 = 4.0;

/// The vote of a clip that goes straight on with steady strides.
pub(super) fn vote(figure: &Figure, course: &Course, options: &SizeOptions) -> Option<SizeVote> {
    let last = course.frames() - 1;
    let flat = |v: DVec3| DVec2::new(v.x, v.y);
    let way = flat(course.center[last] - course.center[0]);
    let path: f64 = course.center.windows(2).map(|w| flat(w[1] - w[0]).length()).sum();
    let forward = way.try_normalize()?;
    if way.length() < STRAIGHT * path {
        return None;
    }
    let speed = way.length() / course.secs();
    let count = figure.feet.len();
    let (mut periods, mut standing) = (Vec::new(), 0.0);
    for foot in 0..count {
        let along = |f: usize| flat(course.feet[f * count + foot] - course.center[f]).dot(forward);
        let ahead: Vec<f64> = (0..course.frames()).map(along).collect();
        let Some(period) = period(&ahead, course, LEAST_SWING * figure.leg) else { continue };
        // A foot that stands goes back under the body.
        let back = ahead.windows(2).filter(|w| (w[1] - w[0]) * course.rate_hz < -0.1 * speed).count();
        standing += back as f64 / (ahead.len() - 1) as f64;
        periods.push(period);
    }
    if periods.len() < 2 || 2 * periods.len() < count {
        return None;
    }
    let duty = standing / periods.len() as f64;
    periods.sort_by(f64::total_cmp);
    let secs = periods[periods.len() / 2];
    let uneven = libm::log(periods[periods.len() - 1] / periods[0]);

    let stride = speed * secs / figure.leg;
    let [least, most] = options.stride_bounds;
    if !(least..=most).contains(&stride) {
        return None;
    }
    let walks = duty > 0.5;
    let scale = if walks && count == 2 { options.biped_walk_scale } else { options.stride_scale };
    let froude = libm::pow(stride / scale, 1.0 / options.stride_exponent);
    let factor = froude * GRAVITY * figure.leg / (speed * speed);
    let unnatural = 0.5 * libm::log(froude / FASTEST_NATURAL).max(0.0);
    let spread = libm::sqrt(options.gait_spread * options.gait_spread + uneven * uneven + unnatural * unnatural);
    let verb = if walks { "walks" } else { "runs" };
    Some(SizeVote {
        clip: course.name.clone(),
        evidence: Evidence::Gait,
        height_m: factor * figure.height,
        within_factor: libm::exp(spread),
        at_most: false,
        seen: format!("{verb} with strides of {stride:.1} legs and {secs:.2} s"),
    })
}

/// Time between the swings of a foot that is `ahead` of the body in each frame, s; `None` where it hardly swings.
///
/// A swing is a rise through the middle of the range, from below its lower to above its upper third.
fn period(ahead: &[f64], course: &Course, least: f64) -> Option<f64> {
    let (low, high) = ahead.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
    if high - low < least {
        return None;
    }
    let [lower, upper] = [1.0, 2.0].map(|third| low + third / 3.0 * (high - low));
    // A cycle is looked at twice, so that a swing over its seam is seen.
    let frames = ahead.len() - 1;
    let rounds = if course.cycle_secs.is_some() { 2 } else { 1 };
    let (mut swings, mut is_back) = (Vec::new(), false);
    for i in 0..=rounds * frames {
        let x = ahead[if i == rounds * frames { frames } else { i % frames }];
        is_back |= x < lower;
        if is_back && x > upper {
            swings.push(i);
            is_back = false;
        }
    }
    match course.cycle_secs {
        Some(secs) => {
            let once = swings.iter().filter(|i| (frames / 2..frames / 2 + frames).contains(i)).count();
            (once > 0).then(|| secs / once as f64)
        }
        None => {
            let (first, last) = (swings.first()?, swings.last()?);
            (swings.len() >= 2).then(|| (last - first) as f64 / (swings.len() - 1) as f64 / course.rate_hz)
        }
    }
}
