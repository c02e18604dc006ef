//! Keeps feet that stand from sliding.
//!
//! A foot rolls: it comes down on the heel and leaves on the toes. What must not move is the part of the sole that is lowest. While a foot
//! stands, its displacement `c` takes back what that part moves by, `c(t+1) − c(t) = −Σ w_p (x_p(t+1) − x_p(t))`, with weights `w` that fall with a
//! point's height, and brings it to the ground. Between two stands `c` runs along a cubic curve that begins and ends with the displacement's
//! own speed, so that nothing jumps.

use glam::DVec3;

/// Height over the lowest point at which a point's weight has fallen by a factor e, as a part of the character's height.
const WEIGHT_HEIGHT: f64 = 0.004;
/// Farthest that a standing foot is moved up or down to the ground, as a part of the height.
const MOST_VERTICAL: f64 = 0.04;
/// Longest slide in one stand that is taken back in full, as a part of the height; beyond it the foot is meant to slide.
const MOST_SLIDE: f64 = 0.12;
/// Time over which a displacement fades before the first stand and after the last, s.
const FADE_SECS: f64 = 0.25;

/// A foot as the clip has it before it is planted.
pub(crate) struct Sole<'a> {
    /// Places of the points of the sole, m: one list for each frame.
    pub points: &'a [Vec<DVec3>],
    /// Spans of frames in which it stands.
    pub stands: &'a [(usize, usize)],
    pub rate_hz: f64,
    pub height: f64,
}

/// Displacement of the foot in every frame, m.
pub(crate) fn displacements(sole: &Sole) -> Vec<DVec3> {
    let frames = sole.points.len();
    let mut moved = vec![DVec3::ZERO; frames];
    let usable: Vec<(usize, usize)> = sole.stands.iter().copied().filter(|&(first, end)| end > first && end <= frames).collect();
    for &(first, end) in &usable {
        stand(sole, first, end, &mut moved);
    }
    let fade = ((FADE_SECS * sole.rate_hz) as usize).max(1);
    let velocity = |moved: &[DVec3], at: usize, span: (usize, usize)| {
        let (a, b) = (at.max(span.0 + 1) - 1, at.min(span.1 - 2) + 1);
        if b > a && b < span.1 { (moved[b] - moved[a]) / (b - a) as f64 } else { DVec3::ZERO }
    };
    let ends: Vec<[(usize, DVec3, DVec3); 2]> = usable
        .iter()
        .map(|&span| [span.0, span.1 - 1].map(|at| (at, moved[at], velocity(&moved, at, span))))
        .collect();
    for (index, [start, end]) in ends.iter().enumerate() {
        if index == 0 {
            let from = start.0.saturating_sub(fade);
            curve(&mut moved, (from, DVec3::ZERO, DVec3::ZERO), *start);
        }
        match ends.get(index + 1) {
            Some([next, _]) => curve(&mut moved, *end, *next),
            None => {
                let to = end.0 + fade;
                curve(&mut moved, *end, (to, DVec3::ZERO, DVec3::ZERO));
            }
        }
    }
    stay_above_ground(sole, &mut moved);
    moved
}

/// Weights of the points of a sole, and the height of what they stand on.
fn weights(points: &[DVec3], height: f64) -> Vec<f64> {
    let low = points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let weights: Vec<f64> = points.iter().map(|p| libm::exp(-(p.z - low) / (WEIGHT_HEIGHT * height))).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|w| w / sum).collect()
}

/// How far the standing part of a sole moves from one frame to the next, on the level.
pub(crate) fn step(now: &[DVec3], next: &[DVec3], height: f64) -> DVec3 {
    let (a, b) = (weights(now, height), weights(next, height));
    let moves = now.iter().zip(next).zip(a.iter().zip(&b));
    moves.map(|((x, y), (a, b))| 0.5 * (a + b) * (*y - *x)).sum::<DVec3>().with_z(0.0)
}

fn lowest(points: &[DVec3]) -> f64 {
    points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min)
}

fn stand(sole: &Sole, first: usize, end: usize, moved: &mut [DVec3]) {
    let mut at = DVec3::ZERO;
    let mut mean = DVec3::ZERO;
    for frame in first..end {
        moved[frame] = at;
        mean += at / (end - first) as f64;
        if frame + 1 < end {
            at -= step(&sole.points[frame], &sole.points[frame + 1], sole.height);
        }
    }
    let farthest = moved[first..end].iter().map(|m| m.distance(mean)).fold(0.0, f64::max);
    let most = 0.5 * MOST_SLIDE * sole.height;
    let share = if farthest > most { most / farthest } else { 1.0 };
    let limit = MOST_VERTICAL * sole.height;
    for frame in first..end {
        let down = (-lowest(&sole.points[frame])).clamp(-limit, limit);
        moved[frame] = (share * (moved[frame] - mean)).with_z(down);
    }
}

/// Fills the frames between two with a cubic curve (Hermite): place and change in a frame at either end.
fn curve(moved: &mut [DVec3], from: (usize, DVec3, DVec3), to: (usize, DVec3, DVec3)) {
    let length = (to.0 - from.0) as f64;
    // A curve that starts fast would swing wide: no more than a third of the way is run at either end's speed.
    let most = 0.06 * length;
    let (v0, v1) = (from.2.clamp_length_max(most.max(1e-9)), to.2.clamp_length_max(most.max(1e-9)));
    for frame in from.0 + 1..to.0.min(moved.len()) {
        let s = (frame - from.0) as f64 / length;
        let (s2, s3) = (s * s, s * s * s);
        moved[frame] = (2.0 * s3 - 3.0 * s2 + 1.0) * from.1
            + (s3 - 2.0 * s2 + s) * length * v0
            + (3.0 * s2 - 2.0 * s3) * to.1
            + (s3 - s2) * length * v1;
    }
}

/// Lifts a foot that would go through the ground.
fn stay_above_ground(sole: &Sole, moved: &mut [DVec3]) {
    for (moved, points) in moved.iter_mut().zip(sole.points) {
        let low = lowest(points) + moved.z;
        if low < 0.0 {
            moved.z -= low;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Heel and toe of a foot that slides at 0.1 m/s while it stands in the middle third.
    fn sliding(frames: usize) -> Vec<Vec<DVec3>> {
        let place = |f: usize| {
            let third = frames as f64 / 3.0;
            let lift = (f as f64 - third).min(0.0).abs().max((f as f64 - 2.0 * third).max(0.0)) * 0.004;
            let x = 0.1 * f as f64 / 30.0 + lift;
            vec![DVec3::new(x, 0.0, 0.01 + lift), DVec3::new(x + 0.2, 0.0, 0.01 + lift)]
        };
        (0..frames).map(place).collect()
    }

    #[test]
    fn a_standing_foot_stays_on_the_ground_and_nothing_jumps() {
        let points = sliding(60);
        let sole = Sole { points: &points, stands: &[(20, 40)], rate_hz: 30.0, height: 1.7 };
        let moved = displacements(&sole);
        let at = |f: usize| points[f][0] + moved[f];
        for f in 20..40 {
            assert!((at(f) - at(20)).length() < 1e-9, "{f}: {}", at(f));
            assert!(at(f).z.abs() < 1e-9);
        }
        for f in 1..60 {
            assert!(moved[f].distance(moved[f - 1]) < 0.012, "{f}: {} {}", moved[f - 1], moved[f]);
        }
        assert_eq!(moved[0], DVec3::ZERO);
    }

    #[test]
    fn a_foot_may_roll_from_heel_to_toe() {
        // The heel rises about the toe, which stays: nothing is taken back.
        let roll = |f: usize| {
            let angle = 0.02 * f as f64;
            let toe = DVec3::new(0.2, 0.0, 0.0);
            vec![toe - 0.2 * DVec3::new(libm::cos(angle), 0.0, -libm::sin(angle)), toe]
        };
        let points: Vec<Vec<DVec3>> = (0..20).map(roll).collect();
        let sole = Sole { points: &points, stands: &[(0, 20)], rate_hz: 30.0, height: 1.7 };
        let farthest = displacements(&sole).iter().map(|m| m.length()).fold(0.0, f64::max);
        assert!(farthest < 0.002, "{farthest}");
    }

    #[test]
    fn a_foot_that_is_meant_to_slide_slides() {
        let points: Vec<Vec<DVec3>> = (0..60).map(|f| vec![DVec3::new(0.02 * f as f64, 0.0, 0.0)]).collect();
        let sole = Sole { points: &points, stands: &[(0, 60)], rate_hz: 30.0, height: 1.7 };
        let moved = displacements(&sole);
        assert!(moved.iter().all(|m| m.length() < 0.5 * MOST_SLIDE * 1.7 + 1e-9));
    }
}
