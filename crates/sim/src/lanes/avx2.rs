//! Eight f32 lanes in one AVX2 register.
//!
//! SAFETY of every block below: the step function that uses this type is entered only after the CPU was found to have
//! the instruction set (`Isa::is_available`), and no value of the type is made anywhere else.

#![allow(clippy::undocumented_unsafe_blocks, reason = "one argument for the whole file, above")]

use super::x86::{register_methods, register_type};
use super::{Lanes, Work, sin_cos};
use std::arch::{asm, x86_64::*};

register_type!(
    F32x8(__m256),
    _mm256_set1_ps,
    _mm256_xor_ps,
    Add add _mm256_add_ps,
    Sub sub _mm256_sub_ps,
    Mul mul _mm256_mul_ps,
    Div div _mm256_div_ps
);

/// `_mm256_blendv_ps`, with the compiler kept from seeing where the outcome comes from: it would write it back to where `no` was
/// read by `vmaskmovps`, which takes some CPUs twenty times as long as a blend and a store.
#[inline]
#[target_feature(enable = "avx2")]
fn blend(mask: __m256, yes: __m256, no: __m256) -> __m256 {
    let mut chosen = _mm256_blendv_ps(no, yes, mask);
    unsafe { asm!("/* {0} */", inout(ymm_reg) chosen, options(pure, nomem, nostack, preserves_flags)) };
    chosen
}

impl Lanes for F32x8 {
    register_methods!(
        "avx2,fma",
        _mm256_set1_ps,
        _mm256_fmadd_ps,
        _mm256_fnmadd_ps,
        _mm256_sqrt_ps,
        _mm256_min_ps,
        _mm256_max_ps
    );
    type Mask = __m256;

    #[inline(always)]
    fn abs(self) -> Self {
        F32x8(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }
    #[inline(always)]
    fn round(self) -> Self {
        F32x8(unsafe { _mm256_round_ps::<8>(self.0) })
    }
    #[inline(always)]
    fn lt(self, b: Self) -> __m256 {
        unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, b.0) }
    }
    #[inline(always)]
    fn select(mask: __m256, yes: Self, no: Self) -> Self {
        F32x8(unsafe { blend(mask, yes.0, no.0) })
    }
    #[inline(always)]
    fn and(a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_and_ps(a, b) }
    }
    #[inline(always)]
    fn or(a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_or_ps(a, b) }
    }
    #[inline(always)]
    fn and_not(a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_andnot_ps(b, a) }
    }
    #[inline(always)]
    fn bits(mask: __m256) -> u32 {
        unsafe { _mm256_movemask_ps(mask) as u32 }
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> __m256 {
        unsafe {
            let lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let set = _mm256_and_si256(_mm256_set1_epi32(bits as i32), lane);
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, lane))
        }
    }
}
