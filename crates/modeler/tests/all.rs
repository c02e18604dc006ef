//! Characters made from small creatures, edited, weighed and tried.
//!
//! One program for all tests of this folder, which is built sooner than one for each file.

mod construct;
mod edits;
mod masses;
mod preflight;
mod strength;
mod support;
