//! A tensor that is learnt, with its gradient; and models as the collections of their parameters.

use crate::lanes::Real;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers that are learnt, and the gradient of the loss by them.
#[derive(Clone, Debug)]
pub struct Parameter<T> {
    name: String,
    shape: Vec<usize>,
    values: Vec<T>,
    gradient: Vec<T>,
    /// Changes whenever the values may have changed, so that who keeps a copy in another order knows when to make it anew.
    version: u64,
}

fn new_version() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl<T: Real> Parameter<T> {
    /// A parameter with these values and no gradient.
    ///
    /// # Panics
    /// If there are not as many values as the shape has.
    pub fn new(name: impl Into<String>, shape: &[usize], values: Vec<T>) -> Parameter<T> {
        assert_eq!(values.len(), shape.iter().product::<usize>(), "values of a parameter");
        let gradient = vec![T::default(); values.len()];
        Parameter { name: name.into(), shape: shape.to_vec(), values, gradient, version: new_version() }
    }

    /// Its name in files.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its sizes, the slowest first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Its numbers, row by row.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Its numbers, to be changed.
    pub fn values_mut(&mut self) -> &mut [T] {
        self.version = new_version();
        &mut self.values
    }

    /// The gradient of the loss, summed up since it was last cleared.
    pub fn gradient(&self) -> &[T] {
        &self.gradient
    }

    /// The gradient, to be changed.
    pub fn gradient_mut(&mut self) -> &mut [T] {
        &mut self.gradient
    }

    /// The values and the gradient, both to be changed.
    pub(crate) fn both_mut(&mut self) -> (&mut [T], &mut [T]) {
        self.version = new_version();
        (&mut self.values, &mut self.gradient)
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }
}

/// A model as the collection of its parameters, always in the same order.
pub trait Parameters<T: Real> {
    /// Shows every parameter.
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Parameter<T>));
    /// Shows every parameter, to be changed.
    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter<T>));

    /// Returns how many numbers are learnt.
    fn parameter_count(&self) -> usize {
        let mut count = 0;
        self.each(&mut |parameter| count += parameter.values().len());
        count
    }

    /// Sets every gradient to 0.
    fn clear_gradients(&mut self) {
        self.each_mut(&mut |parameter| parameter.gradient_mut().fill(T::default()));
    }
}

impl<T: Real> Parameters<T> for Parameter<T> {
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Parameter<T>)) {
        visit(self);
    }
    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter<T>)) {
        visit(self);
    }
}

impl<T: Real, P: Parameters<T> + ?Sized> Parameters<T> for &mut P {
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Parameter<T>)) {
        (**self).each(visit);
    }
    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter<T>)) {
        (**self).each_mut(visit);
    }
}

impl<T: Real, A: Parameters<T>, B: Parameters<T>> Parameters<T> for (A, B) {
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Parameter<T>)) {
        self.0.each(visit);
        self.1.each(visit);
    }
    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter<T>)) {
        self.0.each_mut(visit);
        self.1.each_mut(visit);
    }
}
