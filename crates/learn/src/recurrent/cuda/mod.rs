//! The training on a GPU: a window of frames under the network's own output as one graph, in which a step of Adam ends.
//!
//! The host draws stretches of motion and packs what the GPU needs of them (`packed.rs`); everything else happens there. `window.cu` is `unroll.rs` and
//! `losses.rs` again, in 32 bits; `tables.rs` is what it knows of the character.

mod packed;
mod tables;
mod trainer;
mod window;

#[cfg(test)]
mod tests;

pub(crate) use packed::Packed;
pub(crate) use trainer::{Plan, Trainer};
