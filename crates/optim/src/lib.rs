//! Optimisers that know nothing of what they optimise.
//!
//! A start and options enter; points to try leave (`ask`), their values come back (`tell`), and a reason to stop in the end (`stop`).
//! All state can be serialised in the middle of a run, and the same seed gives the same bits everywhere.
//! Start reading at [`normal`].

pub mod normal;

pub use normal::NormalStream;
