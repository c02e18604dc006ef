//! What can be wrong with a search for jumps.

use crate::controller::ControllerError;
use sinew_optim::{MoCmaError, OptimError};
use sinew_sim::BatchError;

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
    #[error("the checkpoint is of another {what}; remove it, or start anew")]
    OtherRun { what: &'static str },
    #[error("the checkpoint cannot be used: {0}; remove it, or start anew")]
    Checkpoint(String),
    #[error("front {path}: {problem}; take one that sinew pareto has written")]
    Front { path: String, problem: String },
}
