//! The studio: characters, edits, jobs and live simulations enter from a page in the browser; what leaves are files that the command line
//! reads too, and streams of poses. Start reading at `PROTOCOL.md`, then [`protocol`].

pub mod protocol;
