//! Four f32 lanes for any CPU.

use super::{Lanes, Work, fused, sin_cos};
use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub(crate) struct F32x4([f32; 4]);

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

/// As the instruction does it, for every input: −0.3 becomes −0, and what has no fraction stays.
#[inline(always)]
fn round_to_even(x: f32) -> f32 {
    // Between 2²³ and 2²⁴ floats are the integers: the sum is rounded to one, ties to even.
    let shift = 8_388_608.0;
    let size = x.abs();
    if size < shift { ((size + shift) - shift).copysign(x) } else { x }
}

impl Neg for F32x4 {
    type Output = F32x4;
    #[inline(always)]
    fn neg(self) -> F32x4 {
        F32x4(self.0.map(|x| -x))
    }
}

impl Lanes for F32x4 {
    type Scalar = f32;
    type Mask = [bool; 4];
    const COUNT: usize = 4;
    const SINGLE: bool = true;

    #[inline(always)]
    fn splat(x: f32) -> Self {
        F32x4([x; 4])
    }
    fn get(&self, lane: usize) -> f64 {
        self.0[lane] as f64
    }
    fn set(&mut self, lane: usize, x: f64) {
        self.0[lane] = x as f32;
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        F32x4(std::array::from_fn(|i| fused::mul_add(self.0[i], b.0[i], c.0[i])))
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        (-self).mul_add(b, c)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        F32x4(self.0.map(f32::sqrt))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        F32x4(self.0.map(f32::abs))
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        F32x4(std::array::from_fn(|i| if self.0[i] < b.0[i] { self.0[i] } else { b.0[i] }))
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        F32x4(std::array::from_fn(|i| if self.0[i] > b.0[i] { self.0[i] } else { b.0[i] }))
    }
    #[inline(always)]
    fn round(self) -> Self {
        F32x4(self.0.map(round_to_even))
    }
    #[inline(always)]
    fn lt(self, b: Self) -> [bool; 4] {
        std::array::from_fn(|i| self.0[i] < b.0[i])
    }
    #[inline(always)]
    fn select(mask: [bool; 4], yes: Self, no: Self) -> Self {
        F32x4(std::array::from_fn(|i| if mask[i] { yes.0[i] } else { no.0[i] }))
    }
    #[inline(always)]
    fn and(a: [bool; 4], b: [bool; 4]) -> [bool; 4] {
        std::array::from_fn(|i| a[i] & b[i])
    }
    #[inline(always)]
    fn or(a: [bool; 4], b: [bool; 4]) -> [bool; 4] {
        std::array::from_fn(|i| a[i] | b[i])
    }
    #[inline(always)]
    fn and_not(a: [bool; 4], b: [bool; 4]) -> [bool; 4] {
        std::array::from_fn(|i| a[i] & !b[i])
    }
    #[inline(always)]
    fn bits(mask: [bool; 4]) -> u32 {
        (0..4).fold(0, |bits, i| bits | (mask[i] as u32) << i)
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> [bool; 4] {
        std::array::from_fn(|i| bits >> i & 1 == 1)
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
