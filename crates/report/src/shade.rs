//! Light on the solids: one key light over the camera's left shoulder, a sky that is brighter above, a soft gloss.

use crate::camera::Axes;
use crate::color::Linear;
use crate::vector::{Vec3, smoothstep};

/// Light of the key lamp on a surface that faces it.
const KEY: Linear = [0.80, 0.77, 0.72];
/// Light of the sky on a surface that faces up.
const SKY: Linear = [0.52, 0.55, 0.60];
/// Light that the ground throws back on a surface that faces down.
const BOUNCE: Linear = [0.25, 0.24, 0.23];
/// Brightness of the gloss.
const GLOSS: f32 = 0.07;

/// Direction from the scene to the key light: left of the camera, high, on the camera's side.
pub(crate) fn to_key_light(axes: &Axes) -> Vec3 {
    let level_forward = Vec3::UP.cross(axes.right);
    (axes.right * -0.55 - level_forward * 0.45 + Vec3::UP * 1.15).normalized()
}

/// How a point of a surface is lit.
pub(crate) struct Surface {
    pub paint: Linear,
    pub normal: Vec3,
    /// Unit vector to the eye.
    pub to_eye: Vec3,
    /// Unit vector to the key light.
    pub to_light: Vec3,
    /// Share of the key light that arrives, 0 to 1.
    pub key_share: f64,
    /// Share of the sky that is seen, 0 to 1.
    pub sky_share: f64,
}

/// `paint · (key · wrap(n·l) + hemisphere(n_z)) + gloss · (n·h)⁴⁰ + rim`, softly clipped at 1.
pub(crate) fn shade(surface: &Surface) -> Linear {
    let Surface { paint, normal, to_eye, to_light, key_share, sky_share } = *surface;
    // Lambert, wrapped a little so that the turn into shade is soft.
    let facing = ((normal.dot(to_light) + 0.12) / 1.12).max(0.0);
    let key = (facing * key_share) as f32;
    let upward = (0.5 + 0.5 * normal.z) as f32;
    let sky = sky_share as f32;
    let half_way = (to_eye + to_light).normalized();
    let facing_half_way = normal.dot(half_way).max(0.0);
    let to_8 = squared(squared(squared(facing_half_way)));
    let gloss = GLOSS * (squared(squared(to_8)) * to_8 * key_share) as f32;
    // Skimming views catch some sky.
    let rim = 0.10 * smoothstep(0.35, 1.0, 1.0 - normal.dot(to_eye).max(0.0)) as f32 * upward * sky;
    std::array::from_fn(|c| {
        let ambient = BOUNCE[c] + (SKY[c] - BOUNCE[c]) * upward;
        soft_clip(paint[c] * (KEY[c] * key + ambient * sky) + gloss + rim)
    })
}

fn squared(value: f64) -> f64 {
    value * value
}

/// Keeps light below `0.65` and bends the rest towards 1, so that white paint still shows its form.
fn soft_clip(light: f32) -> f32 {
    const KNEE: f32 = 0.65;
    if light <= KNEE { light } else { KNEE + (1.0 - KNEE) * (1.0 - libm::expf((KNEE - light) / (1.0 - KNEE))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;

    #[test]
    fn lit_is_brighter_than_shaded_and_up_brighter_than_down() {
        let light = |normal: Vec3, key_share: f64| {
            let surface = Surface {
                paint: [0.5; 3],
                normal,
                to_eye: Vec3::new(0.0, -1.0, 0.0),
                to_light: Vec3::UP,
                key_share,
                sky_share: 1.0,
            };
            shade(&surface)[1]
        };
        assert!(light(Vec3::UP, 1.0) > light(Vec3::UP, 0.0));
        assert!(light(Vec3::UP, 0.0) > light(-Vec3::UP, 0.0));
        assert!(light(-Vec3::UP, 0.0) > 0.0);
    }

    #[test]
    fn soft_clip_is_continuous_and_stays_below_one() {
        assert_eq!(soft_clip(0.3), 0.3);
        assert!((soft_clip(0.6501) - 0.6501).abs() < 1e-4);
        assert!(soft_clip(1.0) > soft_clip(0.9) && soft_clip(50.0) <= 1.0);
    }

    #[test]
    fn key_light_comes_from_above_whatever_the_camera() {
        for pitch_rad in [-1.5, 0.0, 0.4, 1.57] {
            let view = Camera::follow(1.0, pitch_rad).views(
                &[crate::camera::FrameBounds { bodies: &[], points: Vec::new(), focus: None }],
                10,
                10,
            )[0];
            assert!(to_key_light(&view.axes).z > 0.5);
        }
    }
}
