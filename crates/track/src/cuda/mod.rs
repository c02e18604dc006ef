//! Policy and value on a GPU: they act and are updated there, while the cores simulate.

mod learner;

pub(crate) use learner::Learner;

#[cfg(test)]
mod tests;
