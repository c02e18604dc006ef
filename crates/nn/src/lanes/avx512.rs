//! Sixteen f32 lanes in one AVX-512 register.
//!
//! SAFETY of every block below: work in these lanes is entered only after the CPU was found to have the instruction set (`Real::run`); the
//! callers of `load` and `store` vouch for their pointers.

#![allow(clippy::undocumented_unsafe_blocks, reason = "one argument for the whole file, above")]

use super::x86::{register_methods, register_type};
use super::{Lanes, functions};
use std::arch::x86_64::*;

register_type!(
    F32x16(__m512),
    |x| unsafe { _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(x), _mm512_set1_epi32(i32::MIN))) },
    Add add _mm512_add_ps,
    Sub sub _mm512_sub_ps,
    Mul mul _mm512_mul_ps,
    Div div _mm512_div_ps
);

impl Lanes for F32x16 {
    register_methods!(
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_fmadd_ps,
        _mm512_sqrt_ps,
        _mm512_min_ps,
        _mm512_max_ps
    );
    const TILE_ROWS: usize = 14;

    #[inline(always)]
    unsafe fn load_first(from: *const f32, count: usize) -> Self {
        F32x16(unsafe { _mm512_maskz_loadu_ps(((1u32 << count) - 1) as u16, from) })
    }
    #[inline(always)]
    unsafe fn store_first(self, to: *mut f32, count: usize) {
        unsafe { _mm512_mask_storeu_ps(to, ((1u32 << count) - 1) as u16, self.0) }
    }
    #[inline(always)]
    fn select_less(a: Self, b: Self, yes: Self, no: Self) -> Self {
        F32x16(unsafe { _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(a.0, b.0), no.0, yes.0) })
    }
    #[inline(always)]
    fn round(self) -> Self {
        F32x16(unsafe { _mm512_roundscale_ps::<8>(self.0) })
    }
    #[inline(always)]
    fn power_of_two(self) -> Self {
        F32x16(unsafe {
            let exponent = _mm512_add_epi32(_mm512_cvtps_epi32(self.0), _mm512_set1_epi32(127));
            _mm512_castsi512_ps(_mm512_slli_epi32::<23>(exponent))
        })
    }
}
