//! Eight f32 lanes in one AVX2 register.
//!
//! SAFETY of every block below: work in these lanes is entered only after the CPU was found to have the instruction set (`Real::run`); the
//! callers of `load` and `store` vouch for their pointers.

#![allow(clippy::undocumented_unsafe_blocks, reason = "one argument for the whole file, above")]

use super::x86::{register_methods, register_type};
use super::{Lanes, functions};
use std::arch::x86_64::*;

register_type!(
    F32x8(__m256),
    |x| unsafe { _mm256_xor_ps(x, _mm256_set1_ps(-0.0)) },
    Add add _mm256_add_ps,
    Sub sub _mm256_sub_ps,
    Mul mul _mm256_mul_ps,
    Div div _mm256_div_ps
);

impl Lanes for F32x8 {
    register_methods!(
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_fmadd_ps,
        _mm256_sqrt_ps,
        _mm256_min_ps,
        _mm256_max_ps
    );
    const TILE_ROWS: usize = 6;

    #[inline(always)]
    fn select_less(a: Self, b: Self, yes: Self, no: Self) -> Self {
        F32x8(unsafe { _mm256_blendv_ps(no.0, yes.0, _mm256_cmp_ps::<_CMP_LT_OQ>(a.0, b.0)) })
    }
    #[inline(always)]
    fn round(self) -> Self {
        F32x8(unsafe { _mm256_round_ps::<8>(self.0) })
    }
    #[inline(always)]
    fn power_of_two(self) -> Self {
        F32x8(unsafe {
            let exponent = _mm256_add_epi32(_mm256_cvtps_epi32(self.0), _mm256_set1_epi32(127));
            _mm256_castsi256_ps(_mm256_slli_epi32::<23>(exponent))
        })
    }
}
