//! The studio: characters, edits, jobs and live simulations enter from a page in the browser; what leaves are files that the command line
//! reads too, and streams of poses. Start reading at `PROTOCOL.md`, then [`protocol`], then `studio.rs`, which holds everything together.

pub mod assist_fronts;
mod browser;
mod error;
mod figure;
pub mod fronts;
mod guard;
mod hub;
mod jobs;
pub mod jump_fronts;
mod motions;
mod names;
mod pace;
mod page;
mod project;
pub mod protocol;
mod routes;
mod run;
mod server;
pub mod sessions;
mod socket;
mod stall;
mod studio;

pub use error::Refusal;
pub use run::{Options, USUAL_PORT, run};
pub use server::{Patience, PortError, Server};
pub use studio::{LARGEST_UPLOAD, Studio};
