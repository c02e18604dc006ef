//! Interpolation between the keys of one animation channel.

use super::node_tree::unit;
use glam::{DQuat, DVec3, DVec4};

/// How values between keys are made (Khronos, glTF 2.0, appendix C).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interpolation {
    Step,
    Linear,
    CubicSpline,
}

/// What a channel moves: how its values are mixed.
pub(crate) trait Key: Copy {
    fn linear(a: Self, b: Self, u: f64) -> Self;
    /// `p0 v0 + p1 m0 + p2 v1 + p3 m1`, made valid.
    fn combine(values: [Self; 4], factors: [f64; 4]) -> Self;
}

impl Key for DVec3 {
    fn linear(a: Self, b: Self, u: f64) -> Self {
        a + (b - a) * u
    }

    fn combine(values: [Self; 4], factors: [f64; 4]) -> Self {
        values.iter().zip(factors).map(|(&v, f)| v * f).sum()
    }
}

impl Key for DQuat {
    /// Spherical, on the shorter way.
    fn linear(a: Self, b: Self, u: f64) -> Self {
        a.slerp(b, u).normalize()
    }

    fn combine(values: [Self; 4], factors: [f64; 4]) -> Self {
        let sum: DVec4 = values.iter().zip(factors).map(|(&v, f)| DVec4::from(v) * f).sum();
        unit(DQuat::from_vec4(sum)).unwrap_or(values[0])
    }
}

/// Times and values of one channel; with [`Interpolation::CubicSpline`] three values for each time: in-tangent, value, out-tangent.
pub(crate) struct Keys<'a, T> {
    pub times: &'a [f64],
    pub values: Vec<T>,
    pub interpolation: Interpolation,
}

impl<T: Key> Keys<'_, T> {
    /// Values at `start + k / rate_hz`. Held before the first key and after the last; a key nearer to a sample than `snap` of a frame is hit.
    pub(crate) fn sample(&self, start: f64, rate_hz: f64, frame_count: usize, snap: f64) -> Vec<T> {
        let mut samples = Vec::with_capacity(frame_count);
        let mut key = 0;
        let near = snap / rate_hz;
        for frame in 0..frame_count {
            let time = start + frame as f64 / rate_hz;
            while key + 1 < self.times.len() && self.times[key + 1] <= time + near {
                key += 1;
            }
            samples.push(self.between(key, time, near));
        }
        samples
    }

    /// Value at `time`, which lies after key `key` and before the next.
    fn between(&self, key: usize, time: f64, near: f64) -> T {
        let before = self.times[key];
        let next = self.times.get(key + 1).copied();
        match next {
            Some(next) if time > before + near && self.interpolation != Interpolation::Step => {
                let span = next - before;
                self.mix(key, ((time - before) / span).clamp(0.0, 1.0), span)
            }
            _ => self.value(key),
        }
    }

    fn mix(&self, key: usize, u: f64, span: f64) -> T {
        if self.interpolation == Interpolation::Linear {
            return T::linear(self.values[key], self.values[key + 1], u);
        }
        let (u2, u3) = (u * u, u * u * u);
        let values = [self.value(key), self.values[3 * key + 2], self.value(key + 1), self.values[3 * key + 3]];
        let factors = [2.0 * u3 - 3.0 * u2 + 1.0, span * (u3 - 2.0 * u2 + u), -2.0 * u3 + 3.0 * u2, span * (u3 - u2)];
        T::combine(values, factors)
    }

    fn value(&self, key: usize) -> T {
        match self.interpolation {
            Interpolation::CubicSpline => self.values[3 * key + 1],
            _ => self.values[key],
        }
    }
}

/// A rate at which every key falls on a frame.
///
/// The common rates are tried first, lowest first; then the smallest distance between keys; where neither fits, 60 Hz.
/// `times` are sorted and count from the clip's start, s.
pub(crate) fn key_rate(times: &[f64], tolerance: f64) -> f64 {
    let fits = |rate: f64| {
        times.iter().all(|t| {
            let frame = t * rate;
            // Single precision counts for more in long clips.
            (frame - frame.round()).abs() <= tolerance.max(2e-7 * frame).min(0.2)
        })
    };
    const COMMON_HZ: [f64; 11] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 144.0, 240.0];
    if let Some(rate) = COMMON_HZ.into_iter().find(|&rate| fits(rate)) {
        return rate;
    }
    let last = times.last().copied().unwrap_or(0.0);
    let smallest = times.windows(2).map(|w| w[1] - w[0]).filter(|d| *d > 1e-4).fold(f64::INFINITY, f64::min);
    let spans = (last / smallest).round();
    if spans >= 1.0 && spans.is_finite() {
        let rate = spans / last;
        if (1.0..=1000.0).contains(&rate) && fits(rate) {
            return rate * (24.0 / rate).ceil().max(1.0);
        }
    }
    60.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_recognised() {
        let every =
            |rate: f64, count: usize| (0..count).map(|k| f64::from((k as f64 / rate) as f32)).collect::<Vec<_>>();
        for rate in [24.0, 25.0, 30.0, 50.0, 60.0, 100.0, 120.0] {
            assert_eq!(key_rate(&every(rate, 500), 0.02), rate);
        }
        assert_eq!(key_rate(&every(12.0, 50), 0.02), 24.0);
        assert!((key_rate(&every(29.97, 500), 0.02) - 29.97).abs() < 1e-3);
        assert!((key_rate(&every(7.0, 50), 0.02) - 28.0).abs() < 1e-3);
        assert_eq!(key_rate(&[0.0, 0.0137, 0.1177, 0.5], 0.02), 60.0);
        assert_eq!(key_rate(&[0.0], 0.02), 24.0);
    }

    #[test]
    fn the_three_interpolations() {
        let times = [0.0, 1.0];
        let [a, b] = [DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0)];
        let keys = |values: Vec<DVec3>, interpolation| Keys { times: &times, values, interpolation };
        let x = |keys: Keys<DVec3>| keys.sample(0.0, 4.0, 6, 0.0).iter().map(|v| v.x).collect::<Vec<_>>();
        assert_eq!(x(keys(vec![a, b], Interpolation::Step)), [0.0, 0.0, 0.0, 0.0, 4.0, 4.0]);
        assert_eq!(x(keys(vec![a, b], Interpolation::Linear)), [0.0, 1.0, 2.0, 3.0, 4.0, 4.0]);
        // With out-tangent 1 and in-tangent 0: 4 (3u² − 2u³) + (u³ − 2u² + u).
        let cubic = vec![a, a, DVec3::X, DVec3::ZERO, b, b];
        let expected = [0.0, 4.0 * 0.15625 + 0.140625, 2.0 + 0.125, 4.0 * 0.84375 + 0.046875, 4.0, 4.0];
        assert_eq!(x(keys(cubic, Interpolation::CubicSpline)), expected);
    }

    #[test]
    fn rotations_take_the_shorter_way() {
        let (a, b) = (DQuat::from_rotation_z(0.2), -DQuat::from_rotation_z(0.6));
        let keys = Keys { times: &[0.0, 1.0], values: vec![a, b], interpolation: Interpolation::Linear };
        let half = keys.sample(0.0, 2.0, 2, 0.0)[1];
        assert!(half.dot(DQuat::from_rotation_z(0.4)).abs() > 1.0 - 1e-12);
    }
}
