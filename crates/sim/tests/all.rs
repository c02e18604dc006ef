//! The simulator: laws of mechanics, determinism, bulk work, abuse, and MuJoCo's figures.
//!
//! One program for all tests of this folder, which is built sooner than one for each file.

mod abuse;
mod algebra;
mod assets;
mod bulk;
mod closed_forms;
mod common;
mod dense;
mod determinism;
mod divergence;
mod drive;
mod golden_cases;
mod golden_mujoco;
mod measured;
mod rollouts;
mod worlds;
