//! The path that an objective asks for, as features to look for.
//!
//! A target that is due in time `T` is reached by the cubic that starts with the present velocity and ends without acceleration; a velocity is approached
//! by a critically damped spring. What the objective leaves open has no weight.

use super::config::MatchingConfig;
use super::features::{AHEAD, Layout};
use crate::decay::place_under_spring;
use crate::intent::{Control, Intent};

/// Values of features that are looked for, before they are standardised, and their weights, squared.
pub(super) struct Desired<'a> {
    pub layout: &'a Layout,
    pub config: &'a MatchingConfig,
    pub rate_hz: f64,
    /// Present velocity of the root in the heading frame, m/s.
    pub velocity: [f64; 2],
    /// How far the objective's action looks ahead, s.
    pub lookahead_secs: f64,
    /// Whether the objective is a moment to be achieved.
    pub is_moment: bool,
}

impl Desired<'_> {
    /// Writes what `intent` asks for.
    pub fn write(&self, intent: &Intent, values: &mut [f32], weights: &mut [f32]) {
        let get = |control| intent.get(control).map(f64::from);
        let pair = |a, b| get(a).zip(get(b)).map(|(a, b)| [a, b]);
        if let Some(target) = pair(Control::TargetForward, Control::TargetLeft) {
            let secs = get(Control::TimeLeft).unwrap_or(self.lookahead_secs);
            self.write_target(target, get(Control::TargetTurn), secs, values, weights);
        } else {
            let direction = pair(Control::DirectionForward, Control::DirectionLeft);
            let present = (self.velocity[0] * self.velocity[0] + self.velocity[1] * self.velocity[1]).sqrt();
            if get(Control::Speed).is_some() || direction.is_some() {
                let speed = get(Control::Speed).unwrap_or(present);
                let along = direction
                    .unwrap_or_else(|| if present > 1e-3 { self.velocity.map(|v| v / present) } else { [1.0, 0.0] });
                self.write_velocity(along.map(|part| speed * part), values, weights);
            }
        }
        if let Some(rate) = get(Control::TurnRate) {
            for (k, &ahead) in self.layout.ahead.iter().enumerate() {
                self.write_heading(k, rate * self.secs(ahead), 1.0, values, weights);
            }
        }
        if let Some(height) = get(Control::RootHeight) {
            let at = self.layout.height_ahead.start;
            (values[at], weights[at]) = (height as f32, square(self.config.height_weight));
        }
    }

    fn write_target(&self, target: [f64; 2], turn: Option<f64>, secs: f64, values: &mut [f32], weights: &mut [f32]) {
        if self.is_moment {
            let (place, time) = (self.layout.moment_place.start, self.layout.moment_time.start);
            (values[place], values[place + 1], values[time]) = (target[0] as f32, target[1] as f32, secs as f32);
            weights[place..=time].fill(square(self.config.moment_weight));
        }
        // The time that is nearest to the target's matters most; later ones are open.
        let times = self.layout.ahead.map(|ahead| self.secs(ahead));
        let nearest =
            (0..AHEAD).fold(0, |best, k| if (times[k] - secs).abs() < (times[best] - secs).abs() { k } else { best });
        for (k, &time) in times.iter().enumerate().take(nearest + 1) {
            let place = on_the_way(self.velocity, target, secs.max(1e-3), time);
            // Little is left to decide when a target is due before the first time.
            let late = if time > secs { secs / time } else { 1.0 };
            let weight = late * if k == nearest { self.config.target_weight } else { self.config.path_weight };
            let at = self.layout.places.start + 2 * k;
            (values[at], values[at + 1]) = (place[0] as f32, place[1] as f32);
            weights[at..at + 2].fill(square(weight));
            if let Some(turn) = turn {
                self.write_heading(k, turn * (time / secs.max(time)), late, values, weights);
            }
        }
    }

    fn write_velocity(&self, wanted: [f64; 2], values: &mut [f32], weights: &mut [f32]) {
        for (k, &ahead) in self.layout.ahead.iter().enumerate() {
            let at = self.layout.places.start + 2 * k;
            for axis in 0..2 {
                let halflife = self.config.response_halflife_secs;
                let place = place_under_spring(self.velocity[axis], wanted[axis], halflife, self.secs(ahead));
                values[at + axis] = place as f32;
                let weight = if k + 1 == AHEAD { self.config.target_weight } else { self.config.path_weight };
                weights[at + axis] = square(weight);
            }
        }
    }

    fn write_heading(&self, k: usize, turn: f64, share: f64, values: &mut [f32], weights: &mut [f32]) {
        let (sin, cos) = libm::sincos(turn);
        let at = self.layout.headings.start + 2 * k;
        (values[at], values[at + 1]) = (cos as f32, sin as f32);
        weights[at..at + 2].fill(square(share * self.config.heading_weight));
    }

    fn secs(&self, frames: usize) -> f64 {
        frames as f64 / self.rate_hz
    }
}

fn square(weight: f64) -> f32 {
    (weight * weight) as f32
}

/// Place at `time` on the cubic from the origin with `velocity` to `target` at `secs`, where its acceleration is zero; straight on after that:
/// `p(s) = v s − 3c s² + c s³` with `s = time/secs`, `v = velocity·secs`, `c = (v − target)/2`.
fn on_the_way(velocity: [f64; 2], target: [f64; 2], secs: f64, time: f64) -> [f64; 2] {
    let s = time / secs;
    std::array::from_fn(|axis| {
        let v = velocity[axis] * secs;
        let c = 0.5 * (v - target[axis]);
        if s <= 1.0 { s * (v + s * (c * s - 3.0 * c)) } else { target[axis] + (v - 3.0 * c) * (s - 1.0) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_walks::circles;

    fn desired(intent: &Intent, velocity: [f64; 2], is_moment: bool) -> (Layout, Vec<f32>, Vec<f32>) {
        let (figure, _) = circles(&[], 0);
        let config = MatchingConfig::default();
        let layout = Layout::new(&figure, &config, 30.0);
        let (mut values, mut weights) = (vec![0.0; layout.dims()], vec![0.0; layout.dims()]);
        let desired =
            Desired { layout: &layout, config: &config, rate_hz: 30.0, velocity, lookahead_secs: 1.0, is_moment };
        desired.write(intent, &mut values, &mut weights);
        (layout, values, weights)
    }

    #[test]
    fn the_way_begins_with_its_velocity_and_ends_at_its_target() {
        let (v, target) = ([1.0, -0.5], [2.0, 1.0]);
        let at = |time| on_the_way(v, target, 0.8, time);
        assert_eq!(at(0.0), [0.0; 2]);
        assert!((at(1e-6)[0] / 1e-6 - 1.0).abs() < 1e-4 && (at(1e-6)[1] / 1e-6 + 0.5).abs() < 1e-4);
        assert!((at(0.8)[0] - 2.0).abs() < 1e-12 && (at(0.8)[1] - 1.0).abs() < 1e-12);
        // No acceleration at the end, and none after it.
        let speed = |time: f64| (at(time + 1e-5)[0] - at(time - 1e-5)[0]) / 2e-5;
        assert!((speed(0.8 - 1e-4) - speed(0.9)).abs() < 1e-3);
    }

    #[test]
    fn what_is_open_has_no_weight() {
        let (_, _, weights) = desired(&Intent::new(1), [1.0, 0.0], false);
        assert!(weights.iter().all(|&w| w == 0.0));
        let target = Intent::new(1).with(Control::TargetForward, 1.0).with(Control::TargetLeft, 0.5);
        let (layout, values, weights) = desired(&target.with(Control::TimeLeft, 2.0 / 3.0), [1.0, 0.0], false);
        assert!((values[2] - 1.0).abs() < 1e-6 && (values[3] - 0.5).abs() < 1e-6, "the second time is the target's");
        assert!(weights[2] > weights[0] && weights[0] > 0.0 && weights[4] == 0.0);
        assert!(weights[layout.headings.clone()].iter().all(|&w| w == 0.0));
        assert!(weights[layout.moment_place.clone()].iter().all(|&w| w == 0.0));
        let (layout, values, weights) =
            desired(&target.with(Control::TimeLeft, 2.5).with(Control::TargetTurn, 0.9), [0.0; 2], true);
        assert_eq!((values[layout.moment_time.start], weights[layout.moment_time.start]), (2.5, 4.0));
        let heading = layout.headings.start + 4;
        assert!((values[heading + 1] - libm::sin(0.9 / 2.5) as f32).abs() < 1e-6 && weights[heading] > 0.0);
    }

    #[test]
    fn velocities_heights_and_turns_are_looked_for() {
        let intent = Intent::new(1)
            .with(Control::Speed, 2.0)
            .with(Control::DirectionForward, 0.0)
            .with(Control::DirectionLeft, 1.0)
            .with(Control::TurnRate, 0.6)
            .with(Control::RootHeight, 0.5);
        let (layout, values, weights) = desired(&intent, [0.0, 2.0], false);
        // Already as fast as is asked for: straight on.
        assert!((values[5] - 2.0).abs() < 1e-6 && values[4].abs() < 1e-6 && weights[5] > 0.0);
        assert!((values[layout.headings.start + 5] - libm::sin(0.6) as f32).abs() < 1e-6);
        assert_eq!((values[layout.height_ahead.start], weights[layout.height_ahead.start]), (0.5, 1.0));
        let from_rest = desired(&intent, [0.0; 2], false).1;
        assert!(from_rest[5] < 2.0 && from_rest[5] > 1.0, "{}", from_rest[5]);
    }
}
