//! A clip performed live: a rigged file or the folder of a transfer enters, a character that plans while it moves leaves, disturbed as asked.
//!
//! [`live`] does all of it: it prepares the motion, lets it be performed in a world that may differ from what the planner knows ([`Changes`]), and
//! writes pictures, motion and figures. The controller itself is [`sinew_live::Controller`].

mod changes;
mod clock;
mod prepare;
mod pushes;
mod request;
mod written;

pub use changes::Changes;
pub use prepare::{Origin, Prepared, prepare};
pub use pushes::{Limits, PushRow, push_limits};
pub use request::{Request, Summary, TimedPush, live};
