//! Numbers in SIMD lanes, and the choice of the instruction set.
//!
//! Everything that is hot is written once over [`Lanes`] and instantiated for every instruction set. All f32 back-ends give the same bits: each
//! operation is exactly rounded by IEEE 754 (`+ − × ÷ √` and the fused multiply–add) or built from such operations in a fixed order.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod functions;
mod fused;
mod isa;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
mod real;
mod reference;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use functions::{sigmoid, tanh};
pub use isa::Isa;
pub use real::{Real, Work};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Several numbers that are worked on together.
pub trait Lanes:
    Copy
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The type of one number.
    type Element: Real;
    /// How many there are: 1, 4, 8 or 16.
    const COUNT: usize;
    /// Rows of the largest tile of a matrix product whose sums, two registers a row, stay in registers.
    const TILE_ROWS: usize;

    /// The same number in all lanes.
    fn splat(x: Self::Element) -> Self;
    /// Reads `COUNT` numbers.
    ///
    /// # Safety
    /// `from` points to at least `COUNT` numbers.
    unsafe fn load(from: *const Self::Element) -> Self;
    /// Writes `COUNT` numbers.
    ///
    /// # Safety
    /// `to` points to room for at least `COUNT` numbers.
    unsafe fn store(self, to: *mut Self::Element);
    /// Reads `count` numbers, at most `COUNT`; the other lanes are 0.
    ///
    /// # Safety
    /// `from` points to at least `count` numbers.
    #[inline(always)]
    unsafe fn load_first(from: *const Self::Element, count: usize) -> Self {
        let mut numbers = [Self::Element::default(); 16];
        // SAFETY: `count` is at most `COUNT`, which is at most 16; the caller vouches for `from`.
        unsafe {
            std::ptr::copy_nonoverlapping(from, numbers.as_mut_ptr(), count);
            Self::load(numbers.as_ptr())
        }
    }
    /// Writes the first `count` numbers, at most `COUNT`.
    ///
    /// # Safety
    /// `to` points to room for at least `count` numbers.
    #[inline(always)]
    unsafe fn store_first(self, to: *mut Self::Element, count: usize) {
        let mut numbers = [Self::Element::default(); 16];
        // SAFETY: `count` is at most `COUNT`, which is at most 16; the caller vouches for `to`.
        unsafe {
            self.store(numbers.as_mut_ptr());
            std::ptr::copy_nonoverlapping(numbers.as_ptr(), to, count);
        }
    }

    /// `self · b + c`, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// `self` where it is greater, else `b`: the second operand where either is not a number.
    fn max(self, b: Self) -> Self;
    /// `self` where it is less, else `b`: the second operand where either is not a number.
    fn min(self, b: Self) -> Self;
    /// `yes` where `a < b`, else `no`.
    fn select_less(a: Self, b: Self, yes: Self, no: Self) -> Self;
    /// The nearest integer, ties to even.
    fn round(self) -> Self;
    /// 2ⁿ of integers −126 ≤ n ≤ 127.
    fn power_of_two(self) -> Self;
    /// `eˣ − 1`, accurate for small `x` too.
    fn exp_minus_one(self) -> Self;
    /// `eˣ`.
    fn exp(self) -> Self;

    /// 0 in all lanes.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(Self::Element::default())
    }
    /// A constant in all lanes.
    #[inline(always)]
    fn constant(x: f64) -> Self {
        Self::splat(Self::Element::from_f64(x))
    }
}

/// The beginning and the count of each group of lanes in `0..length`; the last group may be short.
///
/// An iterator, because the body of a loop is compiled for the instruction set of its function, and a closure need not be.
#[inline(always)]
pub fn groups<V: Lanes>(length: usize) -> Groups {
    Groups { at: 0, length, lanes: V::COUNT }
}

/// What [`groups`] returns.
pub struct Groups {
    at: usize,
    length: usize,
    lanes: usize,
}

impl Iterator for Groups {
    type Item = (usize, usize);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, usize)> {
        let at = self.at;
        if at >= self.length {
            return None;
        }
        self.at += self.lanes;
        Some((at, self.lanes.min(self.length - at)))
    }
}

/// Reads a group of `count` numbers.
///
/// # Safety
/// `from` points to at least `count` numbers; `count` is at most `COUNT`.
#[inline(always)]
pub unsafe fn read<V: Lanes>(from: *const V::Element, count: usize) -> V {
    // SAFETY: the caller vouches for both.
    unsafe { if count == V::COUNT { V::load(from) } else { V::load_first(from, count) } }
}

/// Writes a group of `count` numbers.
///
/// # Safety
/// `to` points to room for at least `count` numbers; `count` is at most `COUNT`.
#[inline(always)]
pub unsafe fn write<V: Lanes>(value: V, to: *mut V::Element, count: usize) {
    // SAFETY: the caller vouches for both.
    unsafe { if count == V::COUNT { value.store(to) } else { value.store_first(to, count) } }
}

#[cfg(test)]
mod tests;
