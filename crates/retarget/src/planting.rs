//! Keeps feet that stand from sliding.
//!
//! A foot rolls: it comes down on the heel and leaves on the toes. What must not move is the part of the sole that is lowest. While a foot
//! stands, its displacement `c` takes back what that part moves by, `c(t+1) − c(t) = −Σ w_p (x_p(t+1) − x_p(t))`, with weights `w` that fall with a
//! point's height, and brings it to the ground. After a stand `c` fades to nothing, and before one it rises, along cubic curves that begin and end
//! with the displacement's own speed, so that nothing jumps; stands in quick succession are joined by one curve.

use glam::DVec3;

/// Height over the lowest point at which a point's weight has fallen by a factor e, as a part of the character's height.
const WEIGHT_HEIGHT: f64 = 0.004;
/// Longest slide in one stand that is taken back in full, as a part of the height; beyond it the foot is meant to slide.
const MOST_SLIDE: f64 = 0.3;
/// Time over which a displacement fades after a stand and rises before one, s.
pub(crate) const FADE_SECS: f64 = 0.25;

/// A foot as the clip has it before it is planted.
pub(crate) struct Sole<'a> {
    /// Places of the points of the sole, m: one list for each frame.
    pub points: &'a [Vec<DVec3>],
    /// Spans of frames in which it stands.
    pub stands: &'a [(usize, usize)],
    pub rate_hz: f64,
    pub height: f64,
    /// Farthest that a standing foot is moved up or down to the ground, as a part of the height.
    pub most_vertical: f64,
}

/// Displacement of the foot in every frame, m.
pub(crate) fn displacements(sole: &Sole) -> Vec<DVec3> {
    let frames = sole.points.len();
    let mut moved = vec![DVec3::ZERO; frames];
    let usable: Vec<(usize, usize)> =
        sole.stands.iter().copied().filter(|&(first, end)| end > first && end <= frames).collect();
    for &(first, end) in &usable {
        stand(sole, first, end, &mut moved);
    }
    settle(&usable, sole.rate_hz, &mut moved);
    let fade = ((FADE_SECS * sole.rate_hz) as usize).max(1);
    let velocity = |moved: &[DVec3], at: usize, span: (usize, usize)| {
        let (a, b) = (at.max(span.0 + 1) - 1, at.min(span.1 - 2) + 1);
        if b > a && b < span.1 { (moved[b] - moved[a]) / (b - a) as f64 } else { DVec3::ZERO }
    };
    let ends: Vec<[(usize, DVec3, DVec3); 2]> =
        usable.iter().map(|&span| [span.0, span.1 - 1].map(|at| (at, moved[at], velocity(&moved, at, span)))).collect();
    let still = |frame: usize| (frame, DVec3::ZERO, DVec3::ZERO);
    for (index, [start, end]) in ends.iter().enumerate() {
        if index == 0 {
            curve(&mut moved, still(start.0.saturating_sub(fade)), *start);
        }
        match ends.get(index + 1) {
            Some([next, _]) if next.0 - end.0 <= 2 * fade => curve(&mut moved, *end, *next),
            Some([next, _]) => {
                curve(&mut moved, *end, still(end.0 + fade));
                curve(&mut moved, still(next.0 - fade), *next);
            }
            None => curve(&mut moved, *end, still(end.0 + fade)),
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
    for (frame, moved) in (first..end).zip(&mut moved[first..end]) {
        *moved = at;
        mean += at / (end - first) as f64;
        if frame + 1 < end {
            at -= step(&sole.points[frame], &sole.points[frame + 1], sole.height);
        }
    }
    let farthest = moved[first..end].iter().map(|m| m.distance(mean)).fold(0.0, f64::max);
    let most = 0.5 * MOST_SLIDE * sole.height;
    let share = if farthest > most { most / farthest } else { 1.0 };
    let limit = sole.most_vertical * sole.height;
    for (moved, points) in moved[first..end].iter_mut().zip(&sole.points[first..end]) {
        let down = (-lowest(points)).clamp(-limit, limit);
        *moved = (share * (*moved - mean)).with_z(down);
    }
}

/// Chooses where each stand is, as a whole: near to where the clip has it, and stands in quick succession near to each other.
///
/// The shifts `b` have the least `Σ n_i |b_i|² + Σ w_i |(b + c)_{i+1, first} − (b + c)_{i, last}|²`, `n` being the frames of a stand and `w = F³/g²` for a gap
/// of `g` frames, `F` the frames of a fade: a tridiagonal system.
fn settle(stands: &[(usize, usize)], rate_hz: f64, moved: &mut [DVec3]) {
    let fade = (FADE_SECS * rate_hz).max(1.0);
    let count = stands.len();
    let mut diagonal: Vec<f64> = stands.iter().map(|(first, end)| (end - first) as f64).collect();
    let mut beside = vec![0.0; count.saturating_sub(1)];
    let mut right = vec![DVec3::ZERO; count];
    for i in 0..count.saturating_sub(1) {
        let (last, next) = (stands[i].1 - 1, stands[i + 1].0);
        let gap = (next - last) as f64;
        let weight = fade * fade * fade / (gap * gap);
        let apart = (moved[next] - moved[last]).with_z(0.0);
        diagonal[i] += weight;
        diagonal[i + 1] += weight;
        beside[i] = -weight;
        right[i] += weight * apart;
        right[i + 1] -= weight * apart;
    }
    // Forward elimination and back substitution.
    for i in 1..count {
        let l = beside[i - 1] / diagonal[i - 1];
        diagonal[i] -= l * beside[i - 1];
        right[i] = right[i] - l * right[i - 1];
    }
    for i in (0..count).rev() {
        let after = if i + 1 < count { beside[i] * right[i + 1] } else { DVec3::ZERO };
        right[i] = (right[i] - after) / diagonal[i];
    }
    for (&(first, end), shift) in stands.iter().zip(right) {
        moved[first..end].iter_mut().for_each(|m| *m += shift);
    }
}

/// Fills the frames between two with a cubic curve (Hermite): place and change in a frame at either end.
fn curve(moved: &mut [DVec3], from: (usize, DVec3, DVec3), to: (usize, DVec3, DVec3)) {
    let length = (to.0 - from.0) as f64;
    let (v0, v1) = (from.2, to.2);
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
        let sole = Sole { points: &points, stands: &[(20, 40)], rate_hz: 30.0, height: 1.7, most_vertical: 0.04 };
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
    fn stands_in_quick_succession_stay_near_each_other() {
        // A foot that slides steadily, with a gap of two frames in which it is not taken to stand.
        let points: Vec<Vec<DVec3>> = (0..60).map(|f| vec![DVec3::new(0.002 * f as f64, 0.0, 0.0)]).collect();
        let at = |stands: &[(usize, usize)]| {
            let moved =
                displacements(&Sole { points: &points, stands, rate_hz: 30.0, height: 1.7, most_vertical: 0.04 });
            (points[40][0] + moved[40]).distance(points[20][0] + moved[20])
        };
        // Apart by what it slides in the gap, not by what it slides from the middle of one stand to the middle of the other.
        assert!(at(&[(0, 30), (32, 60)]) < 0.03, "{}", at(&[(0, 30), (32, 60)]));
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
        let sole = Sole { points: &points, stands: &[(0, 20)], rate_hz: 30.0, height: 1.7, most_vertical: 0.04 };
        let farthest = displacements(&sole).iter().map(|m| m.length()).fold(0.0, f64::max);
        assert!(farthest < 0.002, "{farthest}");
    }

    #[test]
    fn a_foot_that_is_meant_to_slide_slides() {
        let points: Vec<Vec<DVec3>> = (0..60).map(|f| vec![DVec3::new(0.02 * f as f64, 0.0, 0.0)]).collect();
        let sole = Sole { points: &points, stands: &[(0, 60)], rate_hz: 30.0, height: 1.7, most_vertical: 0.04 };
        let moved = displacements(&sole);
        assert!(moved.iter().all(|m| m.length() < 0.5 * MOST_SLIDE * 1.7 + 1e-9));
    }
}
