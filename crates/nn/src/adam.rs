//! Adam (Kingma & Ba 2015, algorithm 1) with the gradient's norm bounded.

use crate::lanes::{Isa, Lanes, Real, Work, groups, read, write};
use crate::parallel::{PART, Shared, for_each};
use crate::parameter::Parameters;
use serde::{Deserialize, Serialize};

/// Constants of Adam.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AdamConfig {
    /// β₁: share of the mean gradient that stays at each step.
    pub first_decay: f64,
    /// β₂: share of the mean square that stays at each step.
    pub second_decay: f64,
    /// ε: added to the root of the mean square.
    pub epsilon: f64,
    /// The largest norm of the gradient of all parameters together; longer gradients are shortened to it. None leaves them as they are.
    pub largest_norm: Option<f64>,
}

impl Default for AdamConfig {
    fn default() -> AdamConfig {
        AdamConfig { first_decay: 0.9, second_decay: 0.999, epsilon: 1e-8, largest_norm: None }
    }
}

/// Adam's memory of a model: m and v of every parameter, and the steps taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adam<T> {
    config: AdamConfig,
    steps: u64,
    first: Vec<Vec<T>>,
    second: Vec<Vec<T>>,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Norm of the gradient before it was shortened.
    pub gradient_norm: f64,
    /// Whether the parameters changed: they stay as they are where the norm is not a finite number.
    pub is_taken: bool,
}

impl<T: Real> Adam<T> {
    /// No steps yet.
    pub fn new(config: AdamConfig) -> Adam<T> {
        Adam { config, steps: 0, first: Vec::new(), second: Vec::new() }
    }

    /// Constants, steps taken, m and v of every parameter; none before the first step.
    pub(crate) fn parts(&self) -> (&AdamConfig, u64, [&[Vec<T>]; 2]) {
        (&self.config, self.steps, [&self.first, &self.second])
    }

    /// Steps that were taken elsewhere, with the m and v that they left.
    pub(crate) fn set_parts(&mut self, steps: u64, [first, second]: [Vec<Vec<T>>; 2]) {
        (self.steps, self.first, self.second) = (steps, first, second);
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Changes the parameters of a model by their gradients, and sets the gradients to 0.
    ///
    /// `m ← β₁·m + (1 − β₁)·g`, `v ← β₂·v + (1 − β₂)·g²`, `x ← x − rate/(1 − β₁ᵗ) · m / (√v/√(1 − β₂ᵗ) + ε)`.
    ///
    /// # Panics
    /// If the model has other parameters than at the last step.
    pub fn step(&mut self, model: &mut dyn Parameters<T>, rate: f64) -> StepReport {
        let isa = Isa::detect();
        self.step_with(isa, model, rate)
    }

    /// The same on a certain instruction set.
    pub fn step_with(&mut self, isa: Isa, model: &mut dyn Parameters<T>, rate: f64) -> StepReport {
        let gradient_norm = gradient_norm(isa, model);
        if !gradient_norm.is_finite() {
            model.clear_gradients();
            return StepReport { gradient_norm, is_taken: false };
        }
        self.steps += 1;
        let AdamConfig { first_decay, second_decay, epsilon, largest_norm } = self.config;
        let shortened = largest_norm.filter(|largest| *largest < gradient_norm).map_or(1.0, |l| l / gradient_norm);
        let left = |decay: f64| 1.0 - libm::pow(decay, self.steps as f64);
        let constants = Constants {
            shortened: T::from_f64(shortened),
            first: [T::from_f64(first_decay), T::from_f64(1.0 - first_decay)],
            second: [T::from_f64(second_decay), T::from_f64(1.0 - second_decay)],
            rate: T::from_f64(-rate / left(first_decay)),
            root_scale: T::from_f64(1.0 / left(second_decay).sqrt()),
            epsilon: T::from_f64(epsilon),
        };
        let mut index = 0;
        model.each_mut(&mut |parameter| {
            let (values, gradient) = parameter.both_mut();
            if index == self.first.len() {
                self.first.push(vec![T::default(); values.len()]);
                self.second.push(vec![T::default(); values.len()]);
            }
            let (first, second) = (&mut self.first[index], &mut self.second[index]);
            assert_eq!(first.len(), values.len(), "numbers of a parameter and of Adam's memory of it");
            index += 1;
            let length = values.len();
            let all = [values, gradient, first, second].map(Shared::new);
            for_each(length.div_ceil(PART), |part| {
                // SAFETY: parts do not overlap.
                let parts = all.map(|all| unsafe { all.part(part * PART, (part + 1) * PART) });
                T::run(isa, Update(constants, parts));
            });
        });
        assert_eq!(index, self.first.len(), "parameters of a model and of Adam's memory of it");
        StepReport { gradient_norm, is_taken: true }
    }
}

#[derive(Clone, Copy)]
struct Constants<T> {
    shortened: T,
    first: [T; 2],
    second: [T; 2],
    rate: T,
    root_scale: T,
    epsilon: T,
}

struct Update<'a, T>(Constants<T>, [&'a mut [T]; 4]);

impl<T: Real> Work<T> for Update<'_, T> {
    type Outcome = ();
    #[inline(always)]
    fn run<V: Lanes<Element = T>>(self) {
        let Update(constants, [x, g, m, v]) = self;
        let Constants { shortened, first, second, rate, root_scale, epsilon } = constants;
        let [shortened, rate, root_scale, epsilon] = [shortened, rate, root_scale, epsilon].map(V::splat);
        let (first, second) = (first.map(V::splat), second.map(V::splat));
        let length = x.len();
        let [x, g, m, v] = [x, g, m, v].map(|slice| slice.as_mut_ptr());
        for (at, count) in groups::<V>(length) {
            // SAFETY: `at + count` is at most the length of all four.
            unsafe {
                let gradient = read::<V>(g.add(at), count) * shortened;
                let mean = first[0].mul_add(read(m.add(at), count), first[1] * gradient);
                let square = second[0].mul_add(read(v.add(at), count), second[1] * (gradient * gradient));
                let step = mean / square.sqrt().mul_add(root_scale, epsilon);
                write(rate.mul_add(step, read(x.add(at), count)), x.add(at), count);
                write(mean, m.add(at), count);
                write(square, v.add(at), count);
                write(V::zero(), g.add(at), count);
            }
        }
    }
}

/// Returns the norm of the gradient of all parameters together.
///
/// Parts of a fixed size are summed in 16 sums each, whatever the lanes, and the sums of parts in f64 one after the other.
pub fn gradient_norm<T: Real>(isa: Isa, model: &dyn Parameters<T>) -> f64 {
    let mut total = 0.0;
    model.each(&mut |parameter| {
        let gradient = parameter.gradient();
        let mut from = 0;
        // As many parts at a time as have room here without allocating.
        let mut sums = [0.0; 64];
        while from < gradient.len() {
            let parts = &gradient[from..gradient.len().min(from + sums.len() * PART)];
            let (count, shared) = (parts.len().div_ceil(PART), Shared::new(&mut sums));
            for_each(count, |part| {
                // SAFETY: every part writes a sum of its own.
                let sum = unsafe { shared.part(part, part + 1) };
                sum[0] = T::run(isa, Squares(&parts[part * PART..parts.len().min((part + 1) * PART)]));
            });
            total += sums[..count].iter().fold(0.0, |total, sum| total + sum);
            from += parts.len();
        }
    });
    total.sqrt()
}

/// The sum of squares.
struct Squares<'a, T>(&'a [T]);

impl<T: Real> Work<T> for Squares<'_, T> {
    type Outcome = f64;
    #[inline(always)]
    fn run<V: Lanes<Element = T>>(self) -> f64 {
        const SUMS: usize = 16;
        let mut sums = [V::zero(); SUMS];
        let used = SUMS / V::COUNT;
        // Number i goes into sum i mod 16.
        for sixteen in self.0.chunks(SUMS) {
            for (k, sum) in sums[..used].iter_mut().enumerate() {
                let count = sixteen.len().saturating_sub(k * V::COUNT).min(V::COUNT);
                if count > 0 {
                    // SAFETY: `k · COUNT + count` is at most the length of the chunk.
                    let x = unsafe { read::<V>(sixteen.as_ptr().add(k * V::COUNT), count) };
                    *sum = x.mul_add(x, *sum);
                }
            }
        }
        let mut numbers = [T::default(); SUMS];
        for (k, sum) in sums[..used].iter().enumerate() {
            // SAFETY: `used · COUNT` numbers are 16.
            unsafe { sum.store(numbers.as_mut_ptr().add(k * V::COUNT)) };
        }
        numbers.iter().fold(0.0, |total, x| total + x.to_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::Parameter;

    #[test]
    fn steps_are_those_of_the_paper() {
        let config = AdamConfig { first_decay: 0.8, second_decay: 0.95, epsilon: 1e-3, largest_norm: None };
        let mut adam = Adam::new(config);
        let mut model = Parameter::new("x", &[3], vec![1.0, -2.0, 0.5]);
        let (mut x, mut m, mut v) = ([1.0, -2.0, 0.5], [0.0f64; 3], [0.0f64; 3]);
        for t in 1..20 {
            let g: [f64; 3] = std::array::from_fn(|i| x[i] * (i + t) as f64 - 0.1);
            model.gradient_mut().copy_from_slice(&g);
            let report = adam.step(&mut model, 0.05);
            assert!((report.gradient_norm - g.iter().map(|g| g * g).sum::<f64>().sqrt()).abs() < 1e-12);
            for i in 0..3 {
                m[i] = 0.8 * m[i] + 0.2 * g[i];
                v[i] = 0.95 * v[i] + 0.05 * g[i] * g[i];
                let (m_hat, v_hat) = (m[i] / (1.0 - 0.8f64.powi(t as i32)), v[i] / (1.0 - 0.95f64.powi(t as i32)));
                x[i] -= 0.05 * m_hat / (v_hat.sqrt() + 1e-3);
                assert!((model.values()[i] - x[i]).abs() < 1e-12, "{:?}, {x:?}", model.values());
            }
            assert_eq!(model.gradient(), [0.0; 3]);
        }
    }

    #[test]
    fn long_gradients_are_shortened_together_and_short_ones_left() {
        let step = |largest_norm, gradient: [f64; 2]| {
            // With a large ε a step is as long as the gradient.
            let mut adam = Adam::new(AdamConfig { epsilon: 1e6, largest_norm, ..AdamConfig::default() });
            let [a, b] = gradient;
            let mut model = (Parameter::new("a", &[1], vec![0.0]), Parameter::new("b", &[1], vec![0.0]));
            model.0.gradient_mut()[0] = a;
            model.1.gradient_mut()[0] = b;
            adam.step(&mut model, 1e6);
            [model.0.values()[0], model.1.values()[0]]
        };
        let close = |found: [f64; 2], expected: [f64; 2]| {
            assert!((0..2).all(|i| (found[i] - expected[i]).abs() < 1e-4), "{found:?}, {expected:?}");
        };
        close(step(None, [3.0, 4.0]), [-3.0, -4.0]);
        close(step(Some(1.0), [3.0, 4.0]), [-0.6, -0.8]);
        close(step(Some(10.0), [3.0, 4.0]), [-3.0, -4.0]);
    }

    #[test]
    fn a_gradient_that_is_not_finite_changes_nothing() {
        let mut adam = Adam::new(AdamConfig::default());
        let mut model = Parameter::new("x", &[2], vec![1.0f32, 2.0]);
        model.gradient_mut()[1] = f32::NAN;
        assert!(!adam.step(&mut model, 0.1).is_taken);
        assert_eq!((model.values(), model.gradient(), adam.steps()), (&[1.0, 2.0][..], &[0.0, 0.0][..], 0));
    }

    #[test]
    fn the_norm_counts_every_number_once() {
        for length in [1, 15, 16, 17, PART, PART + 1, 70 * PART + 5] {
            let mut model = Parameter::new("x", &[length], vec![0.0f32; length]);
            model.gradient_mut().fill(0.5);
            for isa in Isa::available().filter(|isa| *isa != Isa::Portable || length < 2 * PART) {
                assert_eq!(gradient_norm(isa, &model), (length as f64 * 0.25).sqrt(), "{length} on {isa:?}");
            }
        }
    }
}
