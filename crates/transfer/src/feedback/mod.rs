//! A policy that repeats one cycle of a transferred motion and keeps the balance (Keys-to-Sim §6.1 and supplement).
//!
//! A recorded [`crate::Performance`] enters; the steadiest [`Reference`] cycle in it is repeated, and a [`FeedbackTraining`] finds [`Gains`] that
//! turn deviations of the state ([`features`]) into changes of the PD targets. A [`Policy`] leaves, and a [`FeedbackReport`] says what it is
//! worth. Start reading at [`Reference`], then `policy.rs`, then `training.rs`.

mod choice;
mod config;
mod cycle;
pub mod features;
mod policy;
mod recording;
mod reference;
mod report;
mod scenarios;
#[cfg(test)]
mod tests;
mod tracking;
mod training;
mod trial;

pub use choice::Choice;
pub use config::{FeedbackConfig, Sizes, TrackingConfig, Trouble};
pub use cycle::CycleSearch;
pub use policy::{Gains, Pilot, Policy};
pub use recording::{Repeated, TimedPush};
pub use reference::{Reference, period_secs};
pub use report::{FeedbackReport, PushLimit, Test};
pub use tracking::Tracking;
pub use training::FeedbackTraining;
pub use trial::{FALLEN_TILT, STILL_SPEED};
