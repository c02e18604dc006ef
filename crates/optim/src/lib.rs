//! Optimisers that know nothing of what they optimise.
//!
//! A start and options enter; points to try leave (`ask`), their values come back (`tell`), and a reason to stop in the end (`stop`).
//! All state can be serialised in the middle of a run, and the same seed gives the same bits everywhere.
//! Start reading at [`cma_es`], then `mo_cma.rs`.

pub mod box_bounds;
pub mod cholesky;
pub mod cma_es;
pub mod cma_options;
pub mod cma_parameters;
pub mod cma_restarts;
pub mod cma_stop;
pub mod eigen;
pub mod error;
pub mod hypervolume;
pub mod mo_cma;
pub mod mo_cma_options;
pub mod non_dominated;
pub mod normal;
pub mod one_plus_one;
pub mod select_survivors;

pub use cma_es::CmaEs;
pub use cma_options::Options;
pub use cma_restarts::Restarting;
pub use cma_stop::StopReason;
pub use error::OptimError;
pub use mo_cma::{MoCma, MoCmaStop, Solution, Told};
pub use mo_cma_options::{MoCmaBounds, MoCmaError, MoCmaOptions, Resampling};
pub use normal::NormalStream;
pub use one_plus_one::{OnePlusOne, Strategy};
pub use select_survivors::{Extremes, Selection};
