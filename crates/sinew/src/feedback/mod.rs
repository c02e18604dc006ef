//! From a transferred motion to a policy that repeats its cycle and keeps the balance, and everything that is written about it.
//!
//! [`train`] does all of it: [`prepare`] performs the motion in a folder again and finds its cycle; the training runs as long work, with checkpoints; [`Trained`] puts the policy to the
//! test and records it at work; [`files`] makes the files. [`repeat`] goes the way back from those files.

mod limits;
mod output;
mod page;
mod pictures;
mod prepare;
mod repeat;
mod request;
mod trained;

pub use limits::limited_by;
pub use output::{FILES, files};
pub use page::page;
pub use pictures::{Pictures, draw};
pub use prepare::{Prepared, prepare};
pub use repeat::{MOST_CYCLES, Repeat, repeat};
pub use request::{CHECKPOINT, Event, Request, train};
pub use sinew_transfer::feedback::{
    Choice, FeedbackConfig, FeedbackReport, FeedbackTraining, Policy, PushLimit, Reference, Repeated, Test, TimedPush,
    TrackingConfig, Trouble, period_secs,
};
pub use sinew_transfer::{FeedbackPreset, FeedbackWork};
pub use trained::{Results, Trained};
