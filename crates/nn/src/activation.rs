//! Functions of one number between layers, and their derivatives.

use crate::lanes::{Isa, Lanes, Real, Work, groups, read, sigmoid, tanh, write};
use crate::parallel::{PART, Shared, for_each};
use serde::{Deserialize, Serialize};

/// A function of one number, applied to each output of a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// y = z
    #[default]
    Identity,
    /// y = tanh z
    Tanh,
    /// y = max(z, 0)
    Relu,
    /// y = z where z ≥ 0, else eᶻ − 1 (Clevert et al. 2016, α = 1)
    Elu,
    /// y = z / (1 + e⁻ᶻ) (Elfwing et al. 2018)
    Silu,
    /// y = 1 / (1 + e⁻ᶻ)
    Sigmoid,
}

impl Activation {
    /// All of them.
    pub const ALL: [Activation; 6] = [
        Activation::Identity,
        Activation::Tanh,
        Activation::Relu,
        Activation::Elu,
        Activation::Silu,
        Activation::Sigmoid,
    ];

    /// Its number in kernels of a GPU: its place in [`Activation::ALL`].
    pub(crate) fn number(self) -> usize {
        self as usize
    }

    /// Whether the derivative needs z; that of the others follows from y.
    pub(crate) fn derives_from_sums(self) -> bool {
        self == Activation::Silu
    }

    /// Replaces every z by y.
    pub fn apply<T: Real>(self, isa: Isa, values: &mut [T]) {
        if self == Activation::Identity {
            return;
        }
        let (length, values) = (values.len(), Shared::new(values));
        for_each(length.div_ceil(PART), |part| {
            // SAFETY: parts do not overlap.
            let values = unsafe { values.part(part * PART, (part + 1) * PART) };
            T::run(isa, Forward(self, values));
        });
    }

    /// Multiplies every number of a gradient by dy/dz. `kept` holds y, or z for SiLU.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn derive<T: Real>(self, isa: Isa, kept: &[T], gradient: &mut [T]) {
        assert_eq!(kept.len(), gradient.len(), "numbers of a layer and of its gradient");
        if self == Activation::Identity {
            return;
        }
        let gradient = Shared::new(gradient);
        for_each(kept.len().div_ceil(PART), |part| {
            // SAFETY: parts do not overlap.
            let gradient = unsafe { gradient.part(part * PART, (part + 1) * PART) };
            T::run(isa, Backward(self, &kept[part * PART..][..gradient.len()], gradient));
        });
    }
}

struct Forward<'a, T>(Activation, &'a mut [T]);

impl<T: Real> Work<T> for Forward<'_, T> {
    type Outcome = ();
    #[inline(always)]
    fn run<V: Lanes<Element = T>>(self) {
        let Forward(activation, values) = self;
        let (length, values) = (values.len(), values.as_mut_ptr());
        // A macro, because a closure need not be compiled for the instruction set.
        macro_rules! each {
            ($z:ident, $y:expr) => {
                for (at, count) in groups::<V>(length) {
                    // SAFETY: `at + count` is at most the length.
                    unsafe {
                        let $z = read::<V>(values.add(at), count);
                        write($y, values.add(at), count);
                    }
                }
            };
        }
        let zero = V::zero();
        match activation {
            Activation::Identity => {}
            Activation::Tanh => each!(z, tanh(z)),
            Activation::Relu => each!(z, V::select_less(z, zero, zero, z)),
            Activation::Elu => each!(z, V::select_less(z, zero, z.exp_minus_one(), z)),
            Activation::Silu => each!(z, z * sigmoid(z)),
            Activation::Sigmoid => each!(z, sigmoid(z)),
        }
    }
}

struct Backward<'a, T>(Activation, &'a [T], &'a mut [T]);

impl<T: Real> Work<T> for Backward<'_, T> {
    type Outcome = ();
    #[inline(always)]
    fn run<V: Lanes<Element = T>>(self) {
        let Backward(activation, kept, gradient) = self;
        assert_eq!(kept.len(), gradient.len());
        let (length, kept, gradient) = (gradient.len(), kept.as_ptr(), gradient.as_mut_ptr());
        macro_rules! each {
            ($kept:ident, $g:ident, $changed:expr) => {
                for (at, count) in groups::<V>(length) {
                    // SAFETY: `at + count` is at most the length of both.
                    unsafe {
                        let $kept = read::<V>(kept.add(at), count);
                        let $g = read::<V>(gradient.add(at), count);
                        write($changed, gradient.add(at), count);
                    }
                }
            };
        }
        let (zero, one) = (V::zero(), V::constant(1.0));
        match activation {
            Activation::Identity => {}
            Activation::Tanh => each!(y, g, g * (-y).mul_add(y, one)),
            Activation::Relu => each!(y, g, V::select_less(zero, y, g, zero)),
            Activation::Elu => each!(y, g, V::select_less(y, zero, g * (y + one), g)),
            Activation::Silu => each!(z, g, {
                let s = sigmoid(z);
                g * (s * z.mul_add(one - s, one))
            }),
            Activation::Sigmoid => each!(y, g, g * (y * (one - y))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_kernels() {
        let kernels = include_str!("cuda/kernels/activation.cu");
        let names = Activation::ALL.map(|activation| format!("{activation:?}").to_uppercase()).join(", ");
        assert!(kernels.contains(&format!("enum {{ {names} }};")), "{names}");
        assert!(Activation::ALL.into_iter().enumerate().all(|(number, activation)| activation.number() == number));
    }
}
