//! From a key-framed motion, feasible or not, to one that a simulated body performs.
//!
//! A [`Target`] (a clip in the character's coordinates) enters; a [`Search`] finds offsets to its poses, window by window, with which the
//! simulated character follows it. Start reading at [`target`], then `search/mod.rs`.

pub mod assist;
pub mod config;
pub mod cost;
mod curve;
mod dofs;
mod error;
pub mod feedback;
pub mod fidelity;
pub mod ground;
pub mod metrics;
pub mod performance;
pub mod polish;
mod preset;
mod rollouts;
pub mod search;
mod solution;
mod start_state;
mod steps;
pub mod target;
#[cfg(test)]
mod test_figure;
#[cfg(test)]
mod test_motions;
mod transfer;
mod verdict;
mod work;
pub mod wrench;

pub use assist::{AssistConfig, AssistFigures, AssistPoint, AssistSpan};
pub use config::{Begins, Config};
pub use cost::{FALL, Terms};
pub use dofs::{Dofs, Driven};
pub use error::TransferError;
pub use feedback::{FeedbackConfig, FeedbackTraining, Gains, Pilot, Policy, Reference};
pub use fidelity::Fidelity;
pub use metrics::Metrics;
pub use performance::{Moment, Performance};
pub use polish::{Cores, Matrix};
pub use preset::{FeedbackPreset, Preset};
pub use search::Search;
pub use solution::Solution;
pub use target::{ClipInput, FRAME_SECS, Target};
pub use transfer::{Stage, Transfer};
pub use verdict::{Aspect, Judgement, Verdict};
pub use work::{FeedbackWork, SweepWork, TransferWork};
pub use wrench::{AssistUnits, AssistWrench};
