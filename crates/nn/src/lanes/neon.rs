//! Four f32 lanes in one NEON register.
//!
//! SAFETY of every block below: each AArch64 CPU that the standard library runs on has NEON; the callers of `load` and `store` vouch for their pointers.

#![allow(clippy::undocumented_unsafe_blocks, reason = "one argument for the whole file, above")]

use super::{Lanes, functions};
use std::arch::aarch64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct NeonF32x4(float32x4_t);

macro_rules! lanewise {
    ($trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for NeonF32x4 {
            type Output = NeonF32x4;
            #[inline(always)]
            fn $method(self, b: NeonF32x4) -> NeonF32x4 {
                NeonF32x4(unsafe { $intrinsic(self.0, b.0) })
            }
        }
    };
}
lanewise!(Add, add, vaddq_f32);
lanewise!(Sub, sub, vsubq_f32);
lanewise!(Mul, mul, vmulq_f32);
lanewise!(Div, div, vdivq_f32);

impl Neg for NeonF32x4 {
    type Output = NeonF32x4;
    #[inline(always)]
    fn neg(self) -> NeonF32x4 {
        NeonF32x4(unsafe { vnegq_f32(self.0) })
    }
}

impl Lanes for NeonF32x4 {
    type Element = f32;
    const COUNT: usize = 4;
    const TILE_ROWS: usize = 12;

    #[inline(always)]
    fn splat(x: f32) -> Self {
        NeonF32x4(unsafe { vdupq_n_f32(x) })
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        NeonF32x4(unsafe { vld1q_f32(from) })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { vst1q_f32(to, self.0) }
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        NeonF32x4(unsafe { vfmaq_f32(c.0, self.0, b.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        NeonF32x4(unsafe { vsqrtq_f32(self.0) })
    }
    // NEON's own minimum and maximum treat −0 and what is not a number otherwise.
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        Self::select_less(b, self, self, b)
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        Self::select_less(self, b, self, b)
    }
    #[inline(always)]
    fn select_less(a: Self, b: Self, yes: Self, no: Self) -> Self {
        NeonF32x4(unsafe { vbslq_f32(vcltq_f32(a.0, b.0), yes.0, no.0) })
    }
    #[inline(always)]
    fn round(self) -> Self {
        NeonF32x4(unsafe { vrndnq_f32(self.0) })
    }
    #[inline(always)]
    fn power_of_two(self) -> Self {
        NeonF32x4(unsafe {
            vreinterpretq_f32_s32(vshlq_n_s32::<23>(vaddq_s32(vcvtnq_s32_f32(self.0), vdupq_n_s32(127))))
        })
    }
    #[inline(always)]
    fn exp_minus_one(self) -> Self {
        functions::exp_minus_one(self)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        functions::exp(self)
    }
}
