//! Four f32 lanes for any CPU.

use super::{Lanes, functions, fused};
use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub struct F32x4([f32; 4]);

macro_rules! lanewise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for F32x4 {
            type Output = F32x4;
            #[inline(always)]
            fn $method(self, b: F32x4) -> F32x4 {
                F32x4(std::array::from_fn(|i| self.0[i] $op b.0[i]))
            }
        }
    };
}
lanewise!(Add, add, +);
lanewise!(Sub, sub, -);
lanewise!(Mul, mul, *);
lanewise!(Div, div, /);

impl Neg for F32x4 {
    type Output = F32x4;
    #[inline(always)]
    fn neg(self) -> F32x4 {
        F32x4(self.0.map(|x| -x))
    }
}

impl Lanes for F32x4 {
    type Element = f32;
    const COUNT: usize = 4;
    const TILE_ROWS: usize = 4;

    #[inline(always)]
    fn splat(x: f32) -> Self {
        F32x4([x; 4])
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for four numbers.
        F32x4(unsafe { from.cast::<[f32; 4]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller vouches for room for four numbers.
        unsafe { to.cast::<[f32; 4]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        F32x4(std::array::from_fn(|i| fused::mul_add(self.0[i], b.0[i], c.0[i])))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        F32x4(self.0.map(f32::sqrt))
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        F32x4(std::array::from_fn(|i| if self.0[i] > b.0[i] { self.0[i] } else { b.0[i] }))
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        F32x4(std::array::from_fn(|i| if self.0[i] < b.0[i] { self.0[i] } else { b.0[i] }))
    }
    #[inline(always)]
    fn select_less(a: Self, b: Self, yes: Self, no: Self) -> Self {
        F32x4(std::array::from_fn(|i| if a.0[i] < b.0[i] { yes.0[i] } else { no.0[i] }))
    }
    #[inline(always)]
    fn round(self) -> Self {
        F32x4(self.0.map(|x| {
            // Between 2²³ and 2²⁴ floats are the integers: the sum is rounded to one, ties to even.
            let (shift, size) = (8_388_608.0, x.abs());
            if size < shift { ((size + shift) - shift).copysign(x) } else { x }
        }))
    }
    #[inline(always)]
    fn power_of_two(self) -> Self {
        F32x4(self.0.map(|n| f32::from_bits(((n as i32 + 127) as u32) << 23)))
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
