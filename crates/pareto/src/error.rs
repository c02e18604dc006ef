//! What can be wrong with a search for jumps.

use crate::controller::ControllerError;
use sinew_optim::{MoCmaError, OptimError};
use sinew_sim::BatchError;
use sinew_work::Cancelled;

/// Why there is no front, or no jump.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the sentences say it")]
pub enum ParetoError {
    #[error(transparent)]
    Batch(#[from] BatchError),
    #[error(transparent)]
    Optim(#[from] OptimError),
    #[error(transparent)]
    MultiObjective(#[from] MoCmaError),
    #[error(transparent)]
    Controller(#[from] ControllerError),
    #[error("the jump that the search would start from fails ({0}); give one that lands")]
    Seed(String),
    #[error("{field} is {value}, but must be {range}")]
    Config { field: &'static str, value: String, range: &'static str },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error("front {path}: {problem}; take one that sinew pareto has written")]
    Front { path: String, problem: String },
}
