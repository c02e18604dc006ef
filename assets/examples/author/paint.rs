//! Colours of the vertices.

use crate::character::{Character, Paint};
use crate::flesh::distance;
use glam::DVec3;

/// Linear colour of a point of a part: the paints of the flesh near it, mixed over some millimetres.
pub fn color(character: &Character, part: usize, place: DVec3, normal: DVec3) -> [u8; 4] {
    let flesh = &character.parts[part].flesh;
    let nearest = flesh.iter().map(|f| distance(f, place)).fold(f64::INFINITY, f64::min);
    let (mut sum, mut weights) = (DVec3::ZERO, 0.0);
    for f in flesh {
        let away = (distance(f, place) - nearest) / 0.006;
        if away < 4.0 {
            let weight = libm::exp(-away * away);
            sum += weight * shade(&character.paints[&f.paint], place, normal);
            weights += weight;
        }
    }
    linear(sum / weights)
}

/// The colour of a paint of one tone.
pub fn plain(character: &Character, paint: &str) -> Option<[u8; 4]> {
    character.paints.get(paint).map(|p| linear(p.top))
}

/// A paint's sRGB colour at a point: stripes on the back, the lighter tone on the under side.
fn shade(paint: &Paint, place: DVec3, normal: DVec3) -> DVec3 {
    let mut color = paint.top;
    if let Some(stripe) = paint.stripe {
        let wave = libm::cos(std::f64::consts::TAU * (place.z - 0.4 * place.y) / paint.every);
        color = color.lerp(stripe, smooth(0.1, 0.7, wave) * smooth(0.35, 0.8, normal.y));
    }
    if let Some(under) = paint.under {
        color = color.lerp(under, smooth(0.15, 0.65, normal.dot(paint.toward.normalize_or_zero())));
    }
    color
}

/// 3u² − 2u³ of u = (x − a)/(b − a), held in [0, 1].
fn smooth(a: f64, b: f64, x: f64) -> f64 {
    let u = ((x - a) / (b - a)).clamp(0.0, 1.0);
    u * u * (3.0 - 2.0 * u)
}

/// sRGB (0 to 255) to linear light, as IEC 61966-2-1 has it.
fn linear(srgb: DVec3) -> [u8; 4] {
    let channel = |v: f64| {
        let v = v / 255.0;
        let light = if v <= 0.04045 { v / 12.92 } else { libm::pow((v + 0.055) / 1.055, 2.4) };
        libm::round(255.0 * light.clamp(0.0, 1.0)) as u8
    };
    [channel(srgb.x), channel(srgb.y), channel(srgb.z), 255]
}
