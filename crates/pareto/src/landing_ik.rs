//! Where and when the feet will touch the ground, and the hip angle that brings them there.

use crate::figure::{Figure, Link, State};
use crate::jumper::GRAVITY;

/// Time until the soles reach the ground in free fall: the later root of `z + v·t − g·t²/2 = 0`, s.
pub fn time_to_touch_down(sole_height: f64, vertical_speed: f64) -> f64 {
    let height = sole_height.max(0.0);
    (vertical_speed + (vertical_speed * vertical_speed + 2.0 * GRAVITY * height).sqrt()) / GRAVITY
}

/// Time until a jump that leaves the ground at `speed` is highest, under a gravity that is reduced at first, s.
///
/// `v(t) = v₀ − g·t + a·(t − t²/2T)` for t < T, and `v₀ − g·t + a·T/2` after; the first t at which it is zero.
pub fn time_to_apex(speed: f64, reduction: f64, duration_secs: f64) -> f64 {
    let after = (speed + 0.5 * reduction * duration_secs) / GRAVITY;
    if duration_secs <= 0.0 || after >= duration_secs {
        return after.max(0.0);
    }
    // (a/2T)·t² + (g − a)·t − v₀ = 0.
    let (a, b) = (0.5 * reduction / duration_secs, GRAVITY - reduction);
    ((b * b + 4.0 * a * speed.max(0.0)).sqrt() - b) / (2.0 * a)
}

/// Hip angle at which the middle of the foot will come down `ahead` of the centre of mass, with the knee bent by `knee` and the leg pitched by `beyond` more.
///
/// Thigh and shin of lengths L₁, L₂ reach `ℓ² = L₁² + L₂² + 2 L₁ L₂ cos k`, pitched by `β = atan2(L₂ sin k, L₁ + L₂ cos k)` against the thigh;
/// a leg of pitch φ puts the ankle `−ℓ sin φ` ahead of the hip.
pub fn hip_angle(figure: &Figure, state: &State, knee: f64, ahead: f64, beyond: f64) -> f64 {
    let [thigh, shin] = figure.leg;
    let (sin, cos) = libm::sincos(knee);
    let length = (thigh * thigh + shin * shin + 2.0 * thigh * shin * cos).max(1e-6).sqrt();
    let against_thigh = libm::atan2(shin * sin, thigh + shin * cos);
    let foot_middle = 0.5 * (figure.sole[0][0] + figure.sole[1][0]);
    let from_hip = ahead - foot_middle + state.center[0] - state.place_of(Link::Thigh)[0];
    let pitch = libm::asin((-from_hip / length).clamp(-0.8, 0.8)) + beyond;
    pitch - against_thigh - state.pitch_of(Link::Pelvis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jumper::jumper_model;

    #[test]
    fn the_foot_comes_down_where_it_should() {
        let model = jumper_model();
        let figure = Figure::new(&model);
        let mut position = model.rest_position().to_vec();
        position[2] = 0.2;
        let velocity = vec![0.0; model.velocity_count()];
        let mut state = State::default();
        figure.look(&position, &velocity, &mut state);
        // Legs weigh something, so that moving them moves the centre of mass: a few rounds.
        for _ in 0..60 {
            let hip = hip_angle(&figure, &state, 0.7, 0.1, 0.0);
            figure.aim(Link::Thigh, hip, &mut position);
            figure.aim(Link::Shin, 0.7, &mut position);
            figure.look(&position, &velocity, &mut state);
            let flat = state.angle_of(Link::Foot) - state.pitch_of(Link::Foot);
            figure.aim(Link::Foot, flat, &mut position);
            figure.look(&position, &velocity, &mut state);
        }
        assert!((state.foot_middle() - state.center[0] - 0.1).abs() < 1e-6);
    }

    #[test]
    fn times_are_those_of_the_closed_forms() {
        let t = time_to_touch_down(0.5, 1.0);
        assert!((0.5 + t - 0.5 * GRAVITY * t * t).abs() < 1e-12);
        assert!((time_to_apex(2.0, 0.0, 0.0) - 2.0 / GRAVITY).abs() < 1e-12);
        for (speed, reduction, duration) in [(2.0, 3.0, 0.1), (2.0, 3.0, 0.8), (2.5, 12.0, 0.8), (1.0, GRAVITY, 0.7)] {
            let apex = time_to_apex(speed, reduction, duration);
            let (mut v, mut t, dt) = (speed, 0.0, 1e-6);
            while v > 0.0 {
                v += dt * (reduction * (1.0_f64 - t / duration).max(0.0) - GRAVITY);
                t += dt;
            }
            assert!((apex - t).abs() < 1e-4, "{apex} instead of {t}");
        }
    }
}
