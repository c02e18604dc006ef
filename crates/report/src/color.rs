//! sRGB bytes to linear light and back.

use std::sync::LazyLock;

/// Linear red, green, blue, 0 to 1.
pub(crate) type Linear = [f32; 3];

static LINEAR_OF_BYTE: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| linear_of_share(byte as f32 / 255.0)));

/// Least light that is shown as byte 1, 2, … 255: half way between two neighbours in sRGB.
static LEAST_LIGHT_OF_BYTE: LazyLock<[f32; 255]> =
    LazyLock::new(|| std::array::from_fn(|byte| linear_of_share((byte as f32 + 0.5) / 255.0)));

/// Steps of light from which the search for a byte starts.
const SEARCH_STEPS: usize = 1024;

/// The byte of the light at the lower end of each step.
static BYTE_OF_STEP: LazyLock<[u8; SEARCH_STEPS + 1]> = LazyLock::new(|| {
    std::array::from_fn(|step| {
        let light = step as f32 / SEARCH_STEPS as f32;
        LEAST_LIGHT_OF_BYTE.partition_point(|least| *least <= light) as u8
    })
});

/// Light of an sRGB value between 0 and 1 (IEC 61966-2-1).
fn linear_of_share(s: f32) -> f32 {
    if s <= 0.04045 { s / 12.92 } else { libm::powf((s + 0.055) / 1.055, 2.4) }
}

/// Light sent out by an sRGB colour.
pub(crate) fn to_linear(srgb: [u8; 3]) -> Linear {
    srgb.map(|byte| LINEAR_OF_BYTE[usize::from(byte)])
}

/// The sRGB colour of an amount of light; clipped at white, black for NaN.
pub(crate) fn to_srgb(linear: Linear) -> [u8; 3] {
    let (least_light, byte_of_step): (&[f32; 255], &[u8; SEARCH_STEPS + 1]) = (&LEAST_LIGHT_OF_BYTE, &BYTE_OF_STEP);
    linear.map(|light| {
        let mut byte = byte_of_step[((light * SEARCH_STEPS as f32) as usize).min(SEARCH_STEPS)];
        while byte < 255 && least_light[usize::from(byte)] <= light {
            byte += 1;
        }
        byte
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
