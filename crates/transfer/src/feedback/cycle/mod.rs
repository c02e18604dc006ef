//! A truly periodic motion near one cycle of a performance, and full-state feedback along it.
//!
//! A closed cycle enters ([`super::Reference::closed`]): its end was bent to meet its start, so the simulation does not lead from each of its frames to the next. Newton's method on
//! all frames at once closes these gaps (`linear.rs`, `periodic_riccati.rs`); the cycle repeated under the gains contracts to a motion
//! whose end is its start (`repetition.rs`). Start reading at `search.rs`.

mod closing;
mod linear;
mod periodic_riccati;
mod repetition;
mod search;
mod weights;

pub(super) use closing::Row;
pub use search::CycleSearch;

#[cfg(test)]
mod tests;
