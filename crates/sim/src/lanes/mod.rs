//! Numbers in lanes: one value for each of several worlds, worked on together.
//!
//! The simulator is written once over [`Lanes`] and instantiated for every instruction set. All f32 back-ends give the
//! same bits: each operation is either exactly rounded by IEEE 754 (`+ − × ÷ √` and the fused multiply–add) or built here
//! from such operations in a fixed order. Reciprocal estimates, whose bits differ between makers of CPUs, are not used.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod choice;
mod fused;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
mod reference;
mod sin_cos;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::F32x8;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::F32x16;
pub use choice::LaneChoice;
#[cfg(target_arch = "aarch64")]
pub(crate) use neon::NeonF32x4;
pub(crate) use portable::F32x4;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A constant of the model in the precision of a back-end.
pub(crate) trait Scalar: Copy + Default + Send + Sync + std::fmt::Debug + 'static {
    fn from_f64(x: f64) -> Self;
    fn to_f64(self) -> f64;
}

impl Scalar for f32 {
    fn from_f64(x: f64) -> f32 {
        x as f32
    }
    fn to_f64(self) -> f64 {
        self as f64
    }
}

impl Scalar for f64 {
    fn from_f64(x: f64) -> f64 {
        x
    }
    fn to_f64(self) -> f64 {
        self
    }
}

/// A stage of the step with what it works on, for [`Lanes::apart`].
///
/// Everything else is inlined, because only what is inlined is compiled for the instruction set of its caller. One function of all stages
/// would have far more values at hand than a CPU has registers. `run` must be `#[inline(always)]`.
pub(crate) trait Work {
    type Outcome;
    fn run(self) -> Self::Outcome;
}

/// One number per lane. A mask selects lanes.
pub(crate) trait Lanes:
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
    type Scalar: Scalar;
    type Mask: Copy + Send + Sync + 'static;
    /// How many worlds share one value; a power of two, at most 16.
    const COUNT: usize;
    /// Whether the back-end rounds to f32.
    const SINGLE: bool;

    fn splat(x: Self::Scalar) -> Self;
    fn get(&self, lane: usize) -> f64;
    fn set(&mut self, lane: usize, x: f64);

    /// `self · b + c`, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// `c − self · b`, rounded once.
    fn neg_mul_add(self, b: Self, c: Self) -> Self;
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    /// `self < b ? self : b`: the second operand where either is not a number.
    fn min(self, b: Self) -> Self;
    /// `self > b ? self : b`: the second operand where either is not a number.
    fn max(self, b: Self) -> Self;
    /// Nearest integer, ties to even, for |x| < 2²².
    fn round(self) -> Self;

    fn lt(self, b: Self) -> Self::Mask;
    /// `yes` where the mask is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    fn and(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn or(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// `a` and not `b`.
    fn and_not(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Bit `i` is lane `i`.
    fn bits(mask: Self::Mask) -> u32;
    fn from_bits(bits: u32) -> Self::Mask;

    /// Sine and cosine, |x| up to about 10⁴.
    fn sin_cos(self) -> (Self, Self);

    /// Does the work in a function of its own that is compiled for the instruction set.
    fn apart<W: Work>(work: W) -> W::Outcome;

    #[inline(always)]
    fn zero() -> Self {
        Self::splat(Self::Scalar::default())
    }
    #[inline(always)]
    fn constant(x: f64) -> Self {
        Self::splat(Self::Scalar::from_f64(x))
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        Self::bits(mask) != 0
    }
    #[inline(always)]
    fn clamp(self, low: Self, high: Self) -> Self {
        self.max(low).min(high)
    }
}

/// The instruction sets that the simulator can run on; all but the reference give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// Any CPU, f32, 4 worlds to a group.
    Portable,
    /// x86-64 with AVX2 and FMA, f32, 8 worlds to a group.
    Avx2,
    /// x86-64 with AVX-512F, f32, 16 worlds to a group.
    Avx512,
    /// AArch64, f32, 4 worlds to a group.
    Neon,
    /// f64, one world at a time: the reference that tests compare with.
    Reference64,
}

impl Isa {
    /// All of them; those of vectors first, the widest at the front.
    pub const ALL: [Isa; 5] = [Isa::Avx512, Isa::Avx2, Isa::Neon, Isa::Portable, Isa::Reference64];

    /// The fastest one that this CPU has.
    pub fn detect() -> Isa {
        Isa::same_bits()[0]
    }

    /// Those that this CPU has and that give the same bits, the fastest first.
    pub fn same_bits() -> Vec<Isa> {
        Isa::ALL.into_iter().filter(|isa| *isa != Isa::Reference64 && isa.is_available()).collect()
    }

    /// Whether this CPU can run it.
    pub fn is_available(self) -> bool {
        match self {
            Isa::Portable | Isa::Reference64 => true,
            Isa::Neon => cfg!(target_arch = "aarch64"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("fma")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Avx2 | Isa::Avx512 => false,
        }
    }

    /// Worlds in one group.
    pub fn lanes(self) -> usize {
        match self {
            Isa::Avx512 => 16,
            Isa::Avx2 => 8,
            Isa::Neon | Isa::Portable => 4,
            Isa::Reference64 => 1,
        }
    }

    /// Name as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Neon => "neon",
            Isa::Reference64 => "reference64",
        }
    }
}

impl std::str::FromStr for Isa {
    type Err = String;
    fn from_str(name: &str) -> Result<Isa, String> {
        Isa::ALL.into_iter().find(|isa| isa.name() == name).ok_or_else(|| {
            format!("\"{name}\" is no instruction set; choose portable, avx2, avx512, neon or reference64")
        })
    }
}

#[cfg(test)]
mod tests;
