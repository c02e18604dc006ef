//! Jumps from effortless to supernatural.
//!
//! A [`Controller`] of 34 numbers enters, an [`Evaluator`] lets it jump in simulation and says what the jump came to; a search over controllers leaves a front
//! of effort against height. Start reading at [`parameters`], then [`phases`], which is the controller, then [`evaluate`].

pub mod archive;
pub mod bsoo;
pub mod config;
pub mod controller;
pub mod dial;
pub mod error;
pub mod evaluate;
pub mod figure;
pub mod front;
pub mod judge;
pub mod jumper;
pub mod landing_ik;
pub mod objectives;
pub mod parameters;
pub mod phases;
pub mod repair;
pub mod rmoo;
pub mod search;
pub mod virtual_force;
pub mod volume;

pub use archive::{Archive, Entry};
pub use config::{Budget, Method, SearchConfig};
pub use controller::{Assist, Controller, ControllerError};
pub use dial::{Dialled, Source, dial};
pub use error::ParetoError;
pub use evaluate::{Evaluator, Moment, Recording};
pub use front::{Front, FrontPoint};
pub use objectives::{Failure, Jump, Objectives};
pub use phases::Phase;
pub use repair::{Repair, repair};
pub use search::{FrontWork, Sample, Search};
