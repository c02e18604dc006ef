//! What the types of x86-64's vector registers have in common: operations that differ by the names of their intrinsics alone.
//!
//! SAFETY of every block below: the step function that uses these types is entered only after the CPU was found to have
//! the instruction set (`Isa::is_available`), and no value of the types is made anywhere else.

/// The type of f32 lanes in one register, and its operators.
macro_rules! register_type {
    ($name:ident($register:ident), $set1:ident, $xor:ident, $($trait:ident $method:ident $intrinsic:ident),*) => {
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub(crate) struct $name($register);

        $(impl std::ops::$trait for $name {
            type Output = $name;
            #[inline(always)]
            fn $method(self, b: $name) -> $name {
                $name(unsafe { $intrinsic(self.0, b.0) })
            }
        })*

        impl std::ops::Neg for $name {
            type Output = $name;
            #[inline(always)]
            fn neg(self) -> $name {
                $name(unsafe { $xor(self.0, $set1(-0.0)) })
            }
        }
    };
}

/// The part of `impl Lanes` that is the same for every register.
macro_rules! register_methods {
    ($features:literal, $set1:ident, $fmadd:ident, $fnmadd:ident, $sqrt:ident, $min:ident, $max:ident) => {
        type Scalar = f32;
        const COUNT: usize = size_of::<Self>() / size_of::<f32>();
        const SINGLE: bool = true;

        #[inline(always)]
        fn splat(x: f32) -> Self {
            Self(unsafe { $set1(x) })
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
            Self(unsafe { $fmadd(self.0, b.0, c.0) })
        }
        #[inline(always)]
        fn neg_mul_add(self, b: Self, c: Self) -> Self {
            Self(unsafe { $fnmadd(self.0, b.0, c.0) })
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(unsafe { $sqrt(self.0) })
        }
        #[inline(always)]
        fn min(self, b: Self) -> Self {
            Self(unsafe { $min(self.0, b.0) })
        }
        #[inline(always)]
        fn max(self, b: Self) -> Self {
            Self(unsafe { $max(self.0, b.0) })
        }
        #[inline(always)]
        fn apart<W: Work>(work: W) -> W::Outcome {
            #[target_feature(enable = $features)]
            #[inline(never)]
            unsafe fn run<W: Work, V: Lanes>(work: W) -> W::Outcome {
                // A value that must lie in memory makes the compiler align the stack; else what it keeps there straddles cache lines.
                std::hint::black_box(&std::mem::MaybeUninit::<V>::uninit());
                work.run()
            }
            unsafe { run::<W, Self>(work) }
        }
        #[inline(always)]
        fn sin_cos(self) -> (Self, Self) {
            sin_cos::sin_cos(self)
        }
    };
}
pub(super) use {register_methods, register_type};
