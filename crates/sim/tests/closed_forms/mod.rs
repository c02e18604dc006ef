//! The simulator against closed forms: laws of mechanics whose answer is known without a simulator.
//!
//! Each law is checked in double precision and in the single precision of this CPU's lanes. Semi-implicit Euler is of first
//! order, so a bound is either the discrete sum it solves exactly, or a term in dt that is named beside it.

mod bounces;
mod flight;
mod friction;
mod joints;
mod pairs;
mod pendulums;
mod resting;
mod worlds;
