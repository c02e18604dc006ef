//! Differences that decay: inertialised transitions (Bollo 2018, *Inertialization*), by a critically damped spring instead of his polynomial.

/// Rate `y` of a critically damped spring whose swing from rest is about halved in `halflife_secs`, 1/s: `2 ln 2` over it (Holden 2021, *Spring-roll-call*).
fn rate(halflife_secs: f64) -> f64 {
    2.0 * std::f64::consts::LN_2 / halflife_secs
}

/// A spring's motion over one time step, computed once for all coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decay {
    rate: f64,
    secs: f64,
    left: f64,
}

impl Decay {
    /// Over `secs`, with this half-life.
    pub fn new(halflife_secs: f64, secs: f64) -> Decay {
        let rate = rate(halflife_secs);
        Decay { rate, secs, left: libm::exp(-rate * secs) }
    }

    /// `x(t) = (x + (v + y·x)·t)·e^(−y·t)`, the motion of `x″ + 2y·x′ + y²·x = 0`, and its speed.
    pub fn apply(&self, x: &mut f64, v: &mut f64) {
        let push = *v + self.rate * *x;
        let moved = self.left * (*x + push * self.secs);
        *v = self.left * (*v - self.rate * push * self.secs);
        *x = moved;
    }
}

/// Place at the time `t` of a motion whose velocity follows `wanted` by a critically damped spring, from rest at the velocity `now`: with `d = now − wanted`,
/// `∫ wanted + (d + y·d·t)·e^(−y·t) = wanted·t + d·(2 − (2 + y·t)·e^(−y·t))/y`.
pub(crate) fn place_under_spring(now: f64, wanted: f64, halflife_secs: f64, t: f64) -> f64 {
    let y = rate(halflife_secs);
    wanted * t + (now - wanted) * (2.0 - (2.0 + y * t) * libm::exp(-y * t)) / y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_small_steps_are_one_large_step_and_all_decays() {
        let (mut x, mut v) = (0.4, -3.0);
        let (mut once, mut once_v) = (x, v);
        Decay::new(0.1, 0.5).apply(&mut once, &mut once_v);
        let small = Decay::new(0.1, 0.005);
        (0..100).for_each(|_| small.apply(&mut x, &mut v));
        assert!((x - once).abs() < 1e-12 && (v - once_v).abs() < 1e-11, "{x} {once}");
        assert!(once.abs() < 0.01);
    }

    #[test]
    fn the_motion_begins_at_its_place_with_its_speed() {
        let (x0, v0) = (0.3, 1.2);
        let (mut x, mut v) = (x0, v0);
        Decay::new(0.1, 1e-6).apply(&mut x, &mut v);
        assert!(((x - x0) / 1e-6 - v0).abs() < 1e-3);
    }

    #[test]
    fn the_spring_of_the_velocity_is_integrated() {
        // The velocity of the closed form, summed in small steps.
        let (now, wanted, half) = (0.2, 1.5, 0.2);
        let (mut d, mut rate_of_d) = (now - wanted, 0.0);
        let step = Decay::new(half, 1e-4);
        let mut place = 0.0;
        for _ in 0..10_000 {
            let before = wanted + d;
            step.apply(&mut d, &mut rate_of_d);
            place += 0.5e-4 * (before + wanted + d);
        }
        assert!((place_under_spring(now, wanted, half, 1.0) - place).abs() < 1e-6, "{place}");
        assert_eq!(place_under_spring(1.0, 1.0, half, 0.7), 0.7);
    }
}
