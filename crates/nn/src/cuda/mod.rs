//! The same networks on an NVIDIA GPU: the parameters of a model go in, are trained there, and come back.
//!
//! [`Device::open`] looks for CUDA's libraries when it is called, so that a program runs with and without them. A [`Device`] has lanes of work;
//! [`Weights`] holds a model's parameters with Adam's memory; [`Mlp`] and [`LstmStack`] give their work to lanes; [`Device::record`] records a whole training
//! step as a [`Graph`] that is done at once. Start reading at `device.rs`, then `dense.rs`. Results are those of the CPU but for rounding.

mod dense;
mod device;
mod error;
mod few_rows;
mod library;
mod loss;
mod lstm;
mod lstm_stack;
mod mlp;
mod program;
mod raw;
mod weights;

pub use dense::{Dense, RowSum};
pub use device::{Device, LANES, Lane, Precision};
pub use error::CudaError;
pub use loss::SquaredError;
pub use lstm::Lstm;
pub use lstm_stack::{LstmMemory, LstmStack};
pub use mlp::Mlp;
pub use program::Program;
pub use raw::{Argument, Element, Graph, Grid, Kept, Matrix, Slice};
pub use weights::{Tensor, Weights};
