//! The curve between an animator's keys.

/// Piecewise cubic through keys (time, value), with the slopes of Steffen (1990), "A simple method for monotonic interpolation in one
/// dimension": it never overshoots, so what is keyed twice at one value stays there: a planted foot neither slides nor sinks.
pub struct Curve {
    keys: Vec<(f64, f64)>,
}

impl Curve {
    /// A curve that holds its first and last value outside its keys, which are in order of time.
    pub fn once(keys: Vec<(f64, f64)>) -> Curve {
        Curve { keys }
    }

    /// A curve that repeats after `period` seconds, raised by `gain` each time: value(t + period) = value(t) + gain. All keys lie in [0, period).
    pub fn cycle(keys: &[(f64, f64)], period: f64, gain: f64) -> Curve {
        let round = |k: f64| keys.iter().map(move |&(t, v)| (t + k * period, v + k * gain));
        Curve { keys: round(-2.0).chain(round(-1.0)).chain(round(0.0)).chain(round(1.0)).chain(round(2.0)).collect() }
    }

    /// The value at a time; 0 without keys.
    pub fn at(&self, time: f64) -> f64 {
        let k = &self.keys;
        let next = k.partition_point(|&(t, _)| t <= time);
        if next == 0 || next == k.len() {
            return if next == 0 { k.first() } else { k.last() }.map_or(0.0, |&(_, v)| v);
        }
        let ((t0, v0), (t1, v1)) = (k[next - 1], k[next]);
        let (h, d) = (t1 - t0, v1 - v0);
        let (m0, m1) = (self.slope(next - 1) * h, self.slope(next) * h);
        let u = (time - t0) / h;
        v0 + u * (m0 + u * (3.0 * d - 2.0 * m0 - m1 + u * (m0 + m1 - 2.0 * d)))
    }

    /// Slope at a key: that of the parabola through it and its neighbours, limited to twice the smaller of the slopes beside it; 0 at extrema and ends.
    fn slope(&self, i: usize) -> f64 {
        let k = &self.keys;
        if i == 0 || i + 1 == k.len() {
            return 0.0;
        }
        let (h0, h1) = (k[i].0 - k[i - 1].0, k[i + 1].0 - k[i].0);
        let (s0, s1) = ((k[i].1 - k[i - 1].1) / h0, (k[i + 1].1 - k[i].1) / h1);
        if s0 * s1 <= 0.0 {
            return 0.0;
        }
        let parabola = (s0 * h1 + s1 * h0) / (h0 + h1);
        parabola.signum() * parabola.abs().min(2.0 * s0.abs()).min(2.0 * s1.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::Curve;

    #[test]
    fn holds_stay_flat_and_nothing_overshoots() {
        let curve = Curve::once(vec![(0.0, 0.0), (1.0, 0.0), (1.5, 2.0), (2.0, 2.0)]);
        for i in 0..=200 {
            let (t, v) = (f64::from(i) * 0.01, curve.at(f64::from(i) * 0.01));
            assert!((-1e-12..=2.0 + 1e-12).contains(&v));
            assert!(t > 1.0 || v == 0.0);
        }
    }

    #[test]
    fn a_cycle_closes_up_to_its_gain() {
        let curve = Curve::cycle(&[(0.0, 0.0), (0.3, 1.0), (0.6, 0.2)], 0.8, 3.0);
        for i in 0..8 {
            let t = f64::from(i) * 0.1;
            assert!((curve.at(t + 0.8) - curve.at(t) - 3.0).abs() < 1e-12);
        }
    }
}
