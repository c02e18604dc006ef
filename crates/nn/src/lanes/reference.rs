//! One f64: the reference, in which gradients are compared with finite differences.

use super::Lanes;
use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F64x1(f64);

macro_rules! operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for F64x1 {
            type Output = F64x1;
            #[inline(always)]
            fn $method(self, b: F64x1) -> F64x1 {
                F64x1(self.0 $op b.0)
            }
        }
    };
}
operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

impl Neg for F64x1 {
    type Output = F64x1;
    #[inline(always)]
    fn neg(self) -> F64x1 {
        F64x1(-self.0)
    }
}

impl Lanes for F64x1 {
    type Element = f64;
    const COUNT: usize = 1;
    const TILE_ROWS: usize = 4;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        F64x1(x)
    }
    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: the caller vouches for one number.
        F64x1(unsafe { *from })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        // SAFETY: the caller vouches for room for one number.
        unsafe { *to = self.0 }
    }
    /// Rounded twice: the reference need not fuse.
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        F64x1(self.0 * b.0 + c.0)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        F64x1(self.0.sqrt())
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        if self.0 > b.0 { self } else { b }
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        if self.0 < b.0 { self } else { b }
    }
    #[inline(always)]
    fn select_less(a: Self, b: Self, yes: Self, no: Self) -> Self {
        if a.0 < b.0 { yes } else { no }
    }
    #[inline(always)]
    fn round(self) -> Self {
        F64x1(libm::rint(self.0))
    }
    #[inline(always)]
    fn power_of_two(self) -> Self {
        F64x1(libm::exp2(self.0))
    }
    #[inline(always)]
    fn exp_minus_one(self) -> Self {
        F64x1(libm::expm1(self.0))
    }
    #[inline(always)]
    fn exp(self) -> Self {
        F64x1(libm::exp(self.0))
    }
}
