//! Optimisers that know nothing of what they optimise.
//!
//! A start and options enter; points to try leave (`ask`), their values come back (`tell`), and a reason to stop in the end (`stop`).
//! All state can be serialised in the middle of a run, and the same seed gives the same bits everywhere.
//! Start reading at [`normal`].

pub mod box_bounds;
pub mod cholesky;
pub mod cma_es;
pub mod cma_options;
pub mod cma_parameters;
pub mod cma_restarts;
pub mod cma_stop;
pub mod eigen;
pub mod error;
pub mod normal;

pub use cma_es::CmaEs;
pub use cma_options::Options;
pub use cma_restarts::Restarting;
pub use cma_stop::StopReason;
pub use error::OptimError;
pub use normal::NormalStream;
