//! Jumps, and the searches for fronts of them.
//!
//! One program for all tests of this folder, which is built sooner than one for each file.

mod jumps;
mod search;
