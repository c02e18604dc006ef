//! Eight f32 lanes in one AVX2 register.
//!
//! SAFETY of every block below: the step function that uses this type is entered only after the CPU was found to have
//! the instruction set (`Isa::is_available`), and no value of the type is made anywhere else.

#![allow(clippy::undocumented_unsafe_blocks, reason = "one argument for the whole file, above")]

use super::{Lanes, sin_cos};
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct F32x8(__m256);

macro_rules! lanewise {
    ($trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for F32x8 {
            type Output = F32x8;
            #[inline(always)]
            fn $method(self, b: F32x8) -> F32x8 {
                F32x8(unsafe { $intrinsic(self.0, b.0) })
            }
        }
    };
}
lanewise!(Add, add, _mm256_add_ps);
lanewise!(Sub, sub, _mm256_sub_ps);
lanewise!(Mul, mul, _mm256_mul_ps);
lanewise!(Div, div, _mm256_div_ps);

impl Neg for F32x8 {
    type Output = F32x8;
    #[inline(always)]
    fn neg(self) -> F32x8 {
        F32x8(unsafe { _mm256_xor_ps(self.0, _mm256_set1_ps(-0.0)) })
    }
}

impl Lanes for F32x8 {
    type Scalar = f32;
    type Mask = __m256;
    const COUNT: usize = 8;
    const SINGLE: bool = true;

    #[inline(always)]
    fn splat(x: f32) -> Self {
        F32x8(unsafe { _mm256_set1_ps(x) })
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
        F32x8(unsafe { _mm256_fmadd_ps(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        F32x8(unsafe { _mm256_fnmadd_ps(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        F32x8(unsafe { _mm256_sqrt_ps(self.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        F32x8(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        F32x8(unsafe { _mm256_min_ps(self.0, b.0) })
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        F32x8(unsafe { _mm256_max_ps(self.0, b.0) })
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
        F32x8(unsafe { _mm256_blendv_ps(no.0, yes.0, mask) })
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
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        sin_cos::sin_cos(self)
    }
}
