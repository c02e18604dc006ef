//! sRGB bytes to linear light and back.

use std::sync::LazyLock;

/// Linear red, green, blue, 0 to 1.
pub(crate) type Linear = [f32; 3];

static LINEAR_OF_BYTE: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        let s = byte as f32 / 255.0;
        if s <= 0.04045 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) }
    })
});

/// Light sent out by an sRGB colour (IEC 61966-2-1).
pub(crate) fn to_linear(srgb: [u8; 3]) -> Linear {
    srgb.map(|byte| LINEAR_OF_BYTE[usize::from(byte)])
}

/// The sRGB colour of an amount of light; clipped at white, black for NaN.
pub(crate) fn to_srgb(linear: Linear) -> [u8; 3] {
    linear.map(|light| {
        let light = light.clamp(0.0, 1.0);
        let s = if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
        (s * 255.0 + 0.5) as u8
    })
}

/// `a` at 0, `b` at 1.
pub(crate) fn mix(a: Linear, b: Linear, amount: f64) -> Linear {
    let amount = amount as f32;
    std::array::from_fn(|channel| a[channel] + (b[channel] - a[channel]) * amount)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_the_round_trip() {
        for byte in 0..=255_u8 {
            assert_eq!(to_srgb(to_linear([byte; 3])), [byte; 3]);
        }
        assert_eq!(to_srgb([-1.0, 7.0, f32::NAN]), [0, 255, 0]);
    }
}
