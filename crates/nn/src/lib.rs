//! Networks that give the same bits on every CPU and every number of threads; knows nothing of motion.
//!
//! Rows of numbers enter [`Mlp`] or [`LstmStack`]; outputs, gradients and, by [`Adam`], better parameters leave; [`safetensors`] and [`onnx`] carry them to files.
//! Start reading at `product/mod.rs`, where nearly all time goes, then `dense.rs`. All work runs on the threads of the current rayon pool.

mod activation;
mod adam;
pub mod cuda;
mod dense;
mod error;
mod initial;
mod lanes;
pub mod loss;
mod lstm;
mod lstm_cell;
mod lstm_stack;
mod mlp;
mod normaliser;
pub mod onnx;
mod parallel;
mod parameter;
mod product;
mod running;
pub mod safetensors;
mod schedule;

pub use activation::Activation;
pub use adam::{Adam, AdamConfig, StepReport, gradient_norm};
pub use dense::{Dense, Scratch};
pub use error::NetworkError;
pub use initial::Initial;
pub use lanes::{Isa, Real};
pub use lstm::Lstm;
pub use lstm_stack::{LstmInference, LstmShape, LstmStack, LstmState};
pub use mlp::{Mlp, MlpInference, MlpShape};
pub use normaliser::Normaliser;
pub use parameter::{Parameter, Parameters};
pub use product::{Packed, Start, View, product, product_of_few_rows};
pub use running::RunningStatistics;
pub use schedule::Schedule;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/networks.md")]
struct Networks;
