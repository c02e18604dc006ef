//! The program as a user meets it: commands, files, errors.
//!
//! One program for all tests of this folder, which is built sooner than one for each file.

mod cli;
mod feedback;
mod library_words;
mod live;
mod pareto;
mod readme;
mod studio;
mod transfer_cli;
