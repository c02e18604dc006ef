//! From files to characters, transfers and data sets, through the library's own functions.
//!
//! One program for all tests of this folder, which is built sooner than one for each file.

mod assist;
mod fuzz_transfer;
mod learn_data;
mod learn_export;
mod learn_generator;
mod learn_tracker;
mod rigs;
mod size;
mod transfer;
