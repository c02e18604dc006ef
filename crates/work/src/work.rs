//! What long work is.

use crate::{Identity, Progress};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Work that takes long: what it reads is `self` and never changes; what it has found so far is its state.
///
/// The state is all that a checkpoint holds. Work is deterministic: from the same state, the next piece leads to the same state, on any number of
/// threads. Random numbers come from the seed and from counters in the state.
pub trait Work: Sync {
    /// What was found so far.
    type State: Clone + Send + Serialize + DeserializeOwned;
    /// Why a piece of work may fail.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Names the kind of work in checkpoints: one short word.
    const KIND: &'static str;
    /// Counts the layouts that the state has had; checkpoints of another are refused.
    const VERSION: u32;

    /// What tells this run from others: inputs, settings, seed. A checkpoint of another run is refused.
    fn identity(&self) -> Identity;

    /// The state before the first piece.
    ///
    /// # Errors
    /// Where the inputs do not allow the work.
    fn begin(&self) -> Result<Self::State, Self::Error>;

    /// Whether nothing is left to do.
    fn is_done(&self, state: &Self::State) -> bool;

    /// Does the next piece, on the threads of the present pool.
    ///
    /// Where [`crate::is_cancelled`] becomes true, it returns any error soon (well within a second); the state may then be half changed, and
    /// [`crate::run`] goes back to what it was before the piece.
    ///
    /// # Errors
    /// Where the piece cannot be done.
    fn advance(&self, state: &mut Self::State) -> Result<(), Self::Error>;

    /// How far it is; the driver fills in the clock.
    fn progress(&self, state: &Self::State) -> Progress;
}
