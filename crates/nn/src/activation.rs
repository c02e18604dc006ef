//! Functions of one number between layers, and their derivatives.

use crate::lanes::{Isa, Lanes, Real, Work, for_each_group, read, sigmoid, tanh, write};
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
        match activation {
            Activation::Identity => {}
            Activation::Tanh => map::<V>(values, tanh),
            Activation::Relu => map::<V>(values, |z| V::select_less(z, V::zero(), V::zero(), z)),
            Activation::Elu => map::<V>(values, |z| V::select_less(z, V::zero(), z.exp_minus_one(), z)),
            Activation::Silu => map::<V>(values, |z| z * sigmoid(z)),
            Activation::Sigmoid => map::<V>(values, sigmoid),
        }
    }
}

#[inline(always)]
fn map<V: Lanes>(values: &mut [V::Element], function: impl Fn(V) -> V) {
    let (length, values) = (values.len(), values.as_mut_ptr());
    for_each_group::<V>(length, |at, count| {
        // SAFETY: `at + count` is at most the length.
        unsafe { write(function(read(values.add(at), count)), values.add(at), count) }
    });
}

struct Backward<'a, T>(Activation, &'a [T], &'a mut [T]);

impl<T: Real> Work<T> for Backward<'_, T> {
    type Outcome = ();
    #[inline(always)]
    fn run<V: Lanes<Element = T>>(self) {
        let Backward(activation, kept, gradient) = self;
        let one = V::constant(1.0);
        match activation {
            Activation::Identity => {}
            Activation::Tanh => zip::<V>(kept, gradient, |y, g| g * (-y).mul_add(y, one)),
            Activation::Relu => zip::<V>(kept, gradient, |y, g| V::select_less(V::zero(), y, g, V::zero())),
            Activation::Elu => zip::<V>(kept, gradient, |y, g| V::select_less(y, V::zero(), g * (y + one), g)),
            Activation::Silu => zip::<V>(kept, gradient, |z, g| {
                let s = sigmoid(z);
                g * (s * z.mul_add(one - s, one))
            }),
            Activation::Sigmoid => zip::<V>(kept, gradient, |y, g| g * (y * (one - y))),
        }
    }
}

#[inline(always)]
fn zip<V: Lanes>(kept: &[V::Element], gradient: &mut [V::Element], function: impl Fn(V, V) -> V) {
    let (length, kept, gradient) = (gradient.len().min(kept.len()), kept.as_ptr(), gradient.as_mut_ptr());
    for_each_group::<V>(length, |at, count| {
        // SAFETY: `at + count` is at most the length of both.
        unsafe {
            let changed = function(read(kept.add(at), count), read(gradient.add(at), count));
            write(changed, gradient.add(at), count);
        }
    });
}
