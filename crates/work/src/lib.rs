//! Long work, run in one way: in pieces, with progress, cancelled at any time, saved and resumed to the same bytes.
//!
//! A [`Work`] says what it reads, how it begins and what its next piece is; its state is plain data. [`run`] drives it: threads, checkpoint,
//! progress, cancelling. Random numbers for work come from [`random`]. Start reading at [`Work`], then [`run`].

mod cancel;
mod checkpoint;
mod driver;
mod progress;
pub mod random;
mod work;

pub use cancel::{Cancel, Cancelled, check_cancelled, is_cancelled};
pub use checkpoint::{Checkpoint, CheckpointError, Identity};
pub use driver::{Observe, Outcome, RunError, RunOptions, Started, run, run_once};
pub use progress::{Best, Clock, Progress};
pub use work::Work;
