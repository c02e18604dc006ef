//! Four f32 lanes in one NEON register.
//!
//! SAFETY of every block below: each AArch64 CPU that the standard library runs on has NEON; reading and writing a lane stays within
//! the register, which an assertion checks.

#![allow(clippy::undocumented_unsafe_blocks, reason = "one argument for the whole file, above")]

use super::{Lanes, Work, sin_cos};
use std::arch::aarch64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct NeonF32x4(float32x4_t);

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

/// Bit `i` in lane `i`.
#[inline(always)]
fn lane_bits() -> uint32x4_t {
    unsafe { vld1q_u32([1, 2, 4, 8].as_ptr()) }
}

impl Lanes for NeonF32x4 {
    type Scalar = f32;
    type Mask = uint32x4_t;
    const COUNT: usize = 4;
    const SINGLE: bool = true;

    #[inline(always)]
    fn splat(x: f32) -> Self {
        NeonF32x4(unsafe { vdupq_n_f32(x) })
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
        NeonF32x4(unsafe { vfmaq_f32(c.0, self.0, b.0) })
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        NeonF32x4(unsafe { vfmsq_f32(c.0, self.0, b.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        NeonF32x4(unsafe { vsqrtq_f32(self.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        NeonF32x4(unsafe { vabsq_f32(self.0) })
    }
    // NEON's own minimum and maximum treat −0 and what is not a number otherwise.
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        Self::select(self.lt(b), self, b)
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        Self::select(b.lt(self), self, b)
    }
    #[inline(always)]
    fn round(self) -> Self {
        NeonF32x4(unsafe { vrndnq_f32(self.0) })
    }
    #[inline(always)]
    fn lt(self, b: Self) -> uint32x4_t {
        unsafe { vcltq_f32(self.0, b.0) }
    }
    #[inline(always)]
    fn select(mask: uint32x4_t, yes: Self, no: Self) -> Self {
        NeonF32x4(unsafe { vbslq_f32(mask, yes.0, no.0) })
    }
    #[inline(always)]
    fn and(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        unsafe { vandq_u32(a, b) }
    }
    #[inline(always)]
    fn or(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        unsafe { vorrq_u32(a, b) }
    }
    #[inline(always)]
    fn and_not(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        unsafe { vbicq_u32(a, b) }
    }
    #[inline(always)]
    fn bits(mask: uint32x4_t) -> u32 {
        unsafe { vaddvq_u32(vandq_u32(mask, lane_bits())) }
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> uint32x4_t {
        unsafe { vtstq_u32(vdupq_n_u32(bits), lane_bits()) }
    }
    #[inline(always)]
    fn any(mask: uint32x4_t) -> bool {
        unsafe { vmaxvq_u32(mask) != 0 }
    }
    #[inline(never)]
    fn apart<W: Work>(work: W) -> W::Outcome {
        work.run()
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        sin_cos::sin_cos(self)
    }
}
