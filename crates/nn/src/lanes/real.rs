//! The numbers that networks are made of: f32, the product, and f64, the reference that tests compare with.

use super::{Isa, Lanes, portable, reference};
use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// Work that is compiled once for every instruction set. `run` must be `#[inline(always)]`, as all that it calls: only what is inlined
/// is compiled for the instruction set.
pub trait Work<T> {
    /// What comes out.
    type Outcome;
    /// Does the work in lanes `V`.
    fn run<V: Lanes<Element = T>>(self) -> Self::Outcome;
}

/// A number: f32 or f64.
pub trait Real:
    sealed::Sealed
    + Copy
    + Default
    + Debug
    + PartialEq
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
{
    /// Rounds to the nearest.
    fn from_f64(x: f64) -> Self;
    /// The same number in f64.
    fn to_f64(self) -> f64;
    /// Does work in the lanes of an instruction set; one that the CPU lacks is replaced by the portable one, which gives the same bits.
    #[doc(hidden)]
    fn run<W: Work<Self>>(isa: Isa, work: W) -> W::Outcome;
}

impl Real for f32 {
    #[inline(always)]
    fn from_f64(x: f64) -> f32 {
        x as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self as f64
    }
    #[inline]
    fn run<W: Work<f32>>(isa: Isa, work: W) -> W::Outcome {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 if isa.is_available() => {
                #[target_feature(enable = "avx512f,avx2,fma")]
                fn run<W: Work<f32>>(work: W) -> W::Outcome {
                    work.run::<super::avx512::F32x16>()
                }
                // SAFETY: the CPU was found to have the instruction set.
                unsafe { run(work) }
            }
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 if isa.is_available() => {
                #[target_feature(enable = "avx2,fma")]
                fn run<W: Work<f32>>(work: W) -> W::Outcome {
                    work.run::<super::avx2::F32x8>()
                }
                // SAFETY: the CPU was found to have the instruction set.
                unsafe { run(work) }
            }
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => work.run::<super::neon::NeonF32x4>(),
            _ => work.run::<portable::F32x4>(),
        }
    }
}

impl Real for f64 {
    #[inline(always)]
    fn from_f64(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline]
    fn run<W: Work<f64>>(_: Isa, work: W) -> W::Outcome {
        work.run::<reference::F64x1>()
    }
}
