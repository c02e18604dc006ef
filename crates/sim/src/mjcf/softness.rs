//! How soft MuJoCo's contacts and stops are: `solref` and `solreflimit`.

use super::xml::numbers;
use crate::scene::Surface;

/// What MuJoCo's critically damped contact gives back of the impact speed: `exp(−2)`.
pub const MUJOCO_RESTITUTION: f64 = 0.135_335_283_236_612_7;

/// MuJoCo's `solref`, time constant `1/(ζω)` and damping ratio `ζ`: as stiff as its steps resolve, `ω = 1/(2.5 dt)` and at most 200 rad/s,
/// because the simulator's ground is hard; damped so that a bounce keeps the surface's restitution.
///
/// A spring-damper that pushes but never pulls lets go when its force is zero, with
/// `e(ζ) = exp(−2 ζ acos ζ / √(1 − ζ²))` of the impact speed, falling from 1 at ζ = 0 to `exp(−2)` at ζ = 1.
/// More damping than that creeps back to the surface instead of resting on it, so ζ stays at most 1.
pub(super) fn solref(surface: &Surface, dt: f64) -> String {
    let frequency = (1.0 / (2.5 * dt)).min(200.0);
    let rebound = |ratio: f64| libm::exp(-2.0 * ratio * libm::acos(ratio) / (1.0 - ratio * ratio).sqrt());
    let mut ratio = 1.0;
    if surface.restitution > MUJOCO_RESTITUTION {
        let (mut low, mut high) = (0.001, 1.0);
        for _ in 0..50 {
            ratio = 0.5 * (low + high);
            if rebound(ratio) > surface.restitution {
                low = ratio;
            } else {
                high = ratio;
            }
        }
    }
    // Six digits: more than the formula is worth, and the same text on every machine.
    let ratio = (ratio * 1e6).round() / 1e6;
    let time_constant = (1e6 / (frequency * ratio)).round() / 1e6;
    numbers(&[time_constant, ratio])
}

/// `solreflimit`: critically damped, with the shortest time constant that MuJoCo keeps stable, two steps, and at least 4 ms.
pub(super) fn stop_solref(dt: f64) -> String {
    let time_constant = ((2.0 * dt).max(0.004) * 1e6).ceil() / 1e6;
    numbers(&[time_constant, 1.0])
}
