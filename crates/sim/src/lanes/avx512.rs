//! Sixteen f32 lanes in one AVX-512 register.
//!
//! SAFETY of every block below: the step function that uses this type is entered only after the CPU was found to have
//! the instruction set (`Isa::is_available`), and no value of the type is made anywhere else.

#![allow(clippy::undocumented_unsafe_blocks, reason = "one argument for the whole file, above")]

use super::x86::{register_methods, register_type};
use super::{Lanes, Work, sin_cos};
use std::arch::x86_64::*;

register_type!(
    F32x16(__m512),
    _mm512_set1_ps,
    _mm512_xor_ps,
    Add add _mm512_add_ps,
    Sub sub _mm512_sub_ps,
    Mul mul _mm512_mul_ps,
    Div div _mm512_div_ps
);

impl Lanes for F32x16 {
    register_methods!(
        "avx512f,avx512vl,avx512dq,avx2,fma",
        _mm512_set1_ps,
        _mm512_fmadd_ps,
        _mm512_fnmadd_ps,
        _mm512_sqrt_ps,
        _mm512_min_ps,
        _mm512_max_ps
    );
    type Mask = __mmask16;

    #[inline(always)]
    fn abs(self) -> Self {
        F32x16(unsafe { _mm512_abs_ps(self.0) })
    }
    #[inline(always)]
    fn round(self) -> Self {
        F32x16(unsafe { _mm512_roundscale_ps::<8>(self.0) })
    }
    #[inline(always)]
    fn lt(self, b: Self) -> __mmask16 {
        unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, b.0) }
    }
    #[inline(always)]
    fn select(mask: __mmask16, yes: Self, no: Self) -> Self {
        F32x16(unsafe { _mm512_mask_blend_ps(mask, no.0, yes.0) })
    }
    #[inline(always)]
    fn and(a: __mmask16, b: __mmask16) -> __mmask16 {
        a & b
    }
    #[inline(always)]
    fn or(a: __mmask16, b: __mmask16) -> __mmask16 {
        a | b
    }
    #[inline(always)]
    fn and_not(a: __mmask16, b: __mmask16) -> __mmask16 {
        a & !b
    }
    #[inline(always)]
    fn bits(mask: __mmask16) -> u32 {
        mask as u32
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> __mmask16 {
        bits as __mmask16
    }
}
