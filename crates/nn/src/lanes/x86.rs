//! What the types of x86-64's vector registers have in common: operations that differ by the names of their intrinsics alone.

/// The type of f32 lanes in one register, and its operators.
macro_rules! register_type {
    ($name:ident($register:ident), |$x:ident| $neg:expr, $($trait:ident $method:ident $intrinsic:ident),*) => {
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $name($register);

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
                let $x = self.0;
                $name($neg)
            }
        }
    };
}

/// The part of `impl Lanes` that is the same for every register.
macro_rules! register_methods {
    ($set1:ident, $load:ident, $store:ident, $fmadd:ident, $sqrt:ident, $min:ident, $max:ident) => {
        type Element = f32;
        const COUNT: usize = size_of::<Self>() / size_of::<f32>();

        #[inline(always)]
        fn splat(x: f32) -> Self {
            Self(unsafe { $set1(x) })
        }
        #[inline(always)]
        unsafe fn load(from: *const f32) -> Self {
            Self(unsafe { $load(from) })
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            unsafe { $store(to, self.0) }
        }
        #[inline(always)]
        fn mul_add(self, b: Self, c: Self) -> Self {
            Self(unsafe { $fmadd(self.0, b.0, c.0) })
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(unsafe { $sqrt(self.0) })
        }
        #[inline(always)]
        fn max(self, b: Self) -> Self {
            Self(unsafe { $max(self.0, b.0) })
        }
        #[inline(always)]
        fn min(self, b: Self) -> Self {
            Self(unsafe { $min(self.0, b.0) })
        }
        #[inline(always)]
        fn exp_minus_one(self) -> Self {
            functions::exp_minus_one(self)
        }
        #[inline(always)]
        fn exp(self) -> Self {
            functions::exp(self)
        }
    };
}
pub(super) use {register_methods, register_type};
