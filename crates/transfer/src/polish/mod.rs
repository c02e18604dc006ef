//! The pass over the whole trajectory: what the windows found is made smoother and closer to the target everywhere at once.
//!
//! Differential dynamic programming in its Gauss–Newton form (Tassa, Erez & Todorov 2012) on the simulator itself: each round measures how
//! every interval's end follows from its beginning and its offsets, by finite differences that all run side by side in lanes (`linear.rs`);
//! meanwhile solves the linear–quadratic model backwards for corrections and feedback gains (`model.rs`, `riccati.rs`); and simulates the
//! corrected trajectory under that feedback at several step sizes (`line_search.rs`). What feedback adds becomes part of the offsets, so that
//! the result is plain open-loop control again. Start reading at `polishing.rs`.

mod assisted;
mod corrected;
mod course;
mod launch;
mod line_search;
mod linear;
mod matrix;
mod model;
mod motion_cost;
mod nominal;
mod polishing;
mod priced_assist;
mod puppet;
mod quadratic;
mod riccati;
mod round;
mod transition;
mod trial;

pub(crate) use assisted::{AssistedPolish, knot_count};
pub use matrix::{Cores, Matrix};
pub use polishing::Polishing;
pub(crate) use priced_assist::PricedAssist;

#[cfg(test)]
mod tests;

#[cfg(test)]
#[path = "terms_tests.rs"]
mod terms_tests;
