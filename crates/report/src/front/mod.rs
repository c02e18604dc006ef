//! A front of trade-offs: its interactive page, its figures and its tables.
//!
//! Points with their numbers and, where there are any, their motions enter: jumps between height and effort, or
//! performances between fidelity and help from outside. One HTML file leaves, in which a click plays a motion
//! ([`FrontPage`]), plots of fronts with their samples ([`FrontPlot`](crate::plots::FrontPlot)), a picture of several
//! motions by the poses at which their phases begin ([`phase_strip`]), and tables as text, CSV or HTML ([`FrontTable`]).
//! Start reading at `data.rs`.

mod data;
mod json;
mod jump;
mod motion;
mod pack;
mod page;
mod phase_strip;
mod table;

pub use data::{Front, FrontPoint, FrontView, Quantity, Scale};
pub use jump::Jump;
pub use motion::{Motion, MotionFrame, MotionPhase};
pub use page::FrontPage;
pub use phase_strip::phase_strip;
pub use table::FrontTable;

#[cfg(test)]
mod tests;
