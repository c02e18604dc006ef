//! The studio's server, by a client that says exactly what it is told to.
//!
//! One program for all tests of this folder, which is built sooner than one for each file.

mod assist;
mod clips;
mod hostile;
mod jobs;
mod modeler;
mod packages;
mod play;
mod sessions;
mod support;

#[path = "../../sinew/examples/toy_package.rs"]
mod toy_package;
