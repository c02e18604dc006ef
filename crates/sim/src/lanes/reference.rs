//! One f64 lane: the reference that tests compare with.

use super::{Lanes, Work};

impl Lanes for f64 {
    type Scalar = f64;
    type Mask = bool;
    const COUNT: usize = 1;
    const SINGLE: bool = false;

    #[inline(always)]
    fn splat(x: f64) -> f64 {
        x
    }
    fn get(&self, _lane: usize) -> f64 {
        *self
    }
    fn set(&mut self, _lane: usize, x: f64) {
        *self = x;
    }
    // Unfused on purpose: f64 has no portable fast fused form, and the reference is judged by tolerance, not by bits.
    #[inline(always)]
    fn mul_add(self, b: f64, c: f64) -> f64 {
        self * b + c
    }
    #[inline(always)]
    fn neg_mul_add(self, b: f64, c: f64) -> f64 {
        c - self * b
    }
    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }
    #[inline(always)]
    fn min(self, b: f64) -> f64 {
        if self < b { self } else { b }
    }
    #[inline(always)]
    fn max(self, b: f64) -> f64 {
        if self > b { self } else { b }
    }
    #[inline(always)]
    fn round(self) -> f64 {
        f64::round_ties_even(self)
    }
    #[inline(always)]
    fn lt(self, b: f64) -> bool {
        self < b
    }
    #[inline(always)]
    fn select(mask: bool, yes: f64, no: f64) -> f64 {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn and(a: bool, b: bool) -> bool {
        a & b
    }
    #[inline(always)]
    fn or(a: bool, b: bool) -> bool {
        a | b
    }
    #[inline(always)]
    fn and_not(a: bool, b: bool) -> bool {
        a & !b
    }
    #[inline(always)]
    fn bits(mask: bool) -> u32 {
        mask as u32
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> bool {
        bits & 1 == 1
    }
    #[inline(never)]
    fn apart<W: Work>(work: W) -> W::Outcome {
        work.run()
    }
    #[inline(always)]
    fn sin_cos(self) -> (f64, f64) {
        f64::sin_cos(self)
    }
}
