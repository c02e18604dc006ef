//! Characters that perform a motion by planning ahead while they move: a motion and a body enter, PD targets leave, and nothing is trained.
//!
//! A [`Motion`] is what the character is to do, looped where it is a cycle. A [`Controller`] sees the character's state in every frame of 0.025 s,
//! simulates what would come of many ways to go on (differential dynamic programming or sampling, with a budget counted in rollouts), and gives PD
//! targets with feedback gains that act until its next plan is there. A [`Stage`] is a world in which such a character is pushed, dragged and put on
//! steps. Start reading at [`Controller`].

mod config;
mod controller;
mod error;
mod fan;
mod gauss_newton;
mod linear;
#[cfg(test)]
mod live_tests;
mod motion;
mod plan;
mod regulator;
mod riccati;
mod sampling;
mod stage;
mod weights;
mod window;

pub use config::{LiveConfig, LiveSizes, Method};
pub use controller::{Controller, Holding, State};
pub use error::LiveError;
pub use motion::Motion;
pub use plan::{Knot, Plan};
pub use stage::{Disturbance, Drag, Frame, Stage, StageFigures};
