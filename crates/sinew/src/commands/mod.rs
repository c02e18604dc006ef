//! One file for each command of the binary.

pub mod bench_sim;
pub mod demo;
pub mod inspect;
pub mod simulate;
