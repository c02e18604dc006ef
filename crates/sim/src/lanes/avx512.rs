//! Sixteen f32 lanes in one AVX-512 register.
//!
//! SAFETY of every block below: the step function that uses this type is entered only after the CPU was found to have
//! the instruction set (`Isa::is_available`), and no value of the type is made anywhere else.

#![allow(clippy::undocumented_unsafe_blocks, reason = "one argument for the whole file, above")]

use super::{Lanes, sin_cos};
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct F32x16(__m512);

macro_rules! lanewise {
    ($trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for F32x16 {
            type Output = F32x16;
            #[inline(always)]
            fn $method(self, b: F32x16) -> F32x16 {
                F32x16(unsafe { $intrinsic(self.0, b.0) })
            }
        }
    };
}
lanewise!(Add, add, _mm512_add_ps);
lanewise!(Sub, sub, _mm512_sub_ps);
lanewise!(Mul, mul, _mm512_mul_ps);
lanewise!(Div, div, _mm512_div_ps);

impl Neg for F32x16 {
    type Output = F32x16;
    #[inline(always)]
    fn neg(self) -> F32x16 {
        F32x16(unsafe { _mm512_xor_ps(self.0, _mm512_set1_ps(-0.0)) })
    }
}

impl Lanes for F32x16 {
    type Scalar = f32;
    type Mask = __mmask16;
    const COUNT: usize = 16;
    const SINGLE: bool = true;

    #[inline(always)]
    fn splat(x: f32) -> Self {
        F32x16(unsafe { _mm512_set1_ps(x) })
    }
    #[inline]
    fn get(&self, lane: usize) -> f64 {
        assert!(lane < Self::COUNT);
        unsafe { *(self as *const Self).cast::<f32>().add(lane) as f64 }
    }
    #[inline]
    fn set(&mut self, lane: usize, x: f64) {
        assert!(lane < Self::COUNT);
        unsafe { *(self as *mut Self).cast::<f32>().add(lane) = x as f32 }
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        F32x16(unsafe { _mm512_fmadd_ps(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        F32x16(unsafe { _mm512_fnmadd_ps(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        F32x16(unsafe { _mm512_sqrt_ps(self.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        F32x16(unsafe { _mm512_abs_ps(self.0) })
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        F32x16(unsafe { _mm512_min_ps(self.0, b.0) })
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        F32x16(unsafe { _mm512_max_ps(self.0, b.0) })
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
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        sin_cos::sin_cos(self)
    }
}
