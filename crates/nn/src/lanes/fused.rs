//! The fused multiply–add in f32 for targets whose baseline lacks it.

/// `a · b + c`, rounded once.
///
/// Where the target has the instruction this is it. Elsewhere: the product is exact in f64 (24 + 24 ≤ 53 bits), and
/// the sum is rounded *to odd* in f64, after which rounding to f32 is the rounding of the exact value (Boldo & Melquiond
/// 2008, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", theorem 3: 53 ≥ 24 + 2).
#[inline(always)]
pub(super) fn mul_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) { a.mul_add(b, c) } else { round_to_odd(a, b, c) }
}

#[inline(always)]
fn round_to_odd(a: f32, b: f32, c: f32) -> f32 {
    let product = a as f64 * b as f64;
    let c = c as f64;
    let sum = product + c;
    // Two-sum (Knuth 1969): sum + error is exact.
    let c_part = sum - product;
    let error = (product - (sum - c_part)) + (c - c_part);
    // An inexact sum whose last bit is even moves one unit towards the error, which makes it odd.
    let bits = sum.to_bits();
    let inexact = (error != 0.0 && !error.is_nan()) as u64;
    let even = (bits & 1) ^ 1;
    let away = ((error > 0.0) == (sum > 0.0)) as u64;
    let up = inexact & even & away;
    let down = inexact & even & (away ^ 1);
    f64::from_bits(bits.wrapping_add(up).wrapping_sub(down)) as f32
}

#[cfg(test)]
mod tests {
    use super::round_to_odd;

    #[test]
    fn agrees_with_the_hardware_on_random_and_awkward_operands() {
        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 32) as u32
        };
        let awkward = [0.0, -0.0, 1.0, -1.0, f32::MIN_POSITIVE, f32::EPSILON, 1.0 + f32::EPSILON, 3.0e38, 1e-40];
        for i in 0..300_000 {
            let mut pick = |mask: u32| {
                let r = next();
                if i % 7 == 0 {
                    awkward[r as usize % awkward.len()]
                } else {
                    // Exponents close together, so that cancellation and ties happen often.
                    f32::from_bits((r & 0x807f_ffff & mask) | ((120 + (r >> 23) % 16) << 23))
                }
            };
            let (a, b, c) = (pick(!0), pick(!0xfff), pick(!0xff));
            let (ours, exact) = (round_to_odd(a, b, c), a.mul_add(b, c));
            assert_eq!(ours.to_bits(), exact.to_bits(), "{a:e} * {b:e} + {c:e}");
        }
    }
}
