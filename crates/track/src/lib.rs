//! Policies that track motion in simulation (Park et al. 2019, §5).
//!
//! | file | does |
//! |---|---|
//! | [`TrackedBody`] | a character with the points that are watched |
//! | [`Reference`] | the motion that is tracked, with its controls where these are known |
//! | `observation`, `reward`, `starts` | what a policy sees, what it earns, where episodes begin |
//! | `environment` | many worlds on their way through the reference |
//! | `disturbance` | what brings worlds away from the reference while they learn |
//! | `frame_model`, `expert` | linear feedback along a motion whose controls are known, which policies begin as clones of |
//! | `networks`, `collect`, `advantages`, `update` | values, and proximal policy optimisation |
//! | [`TrackerWork`] | training as long work: progress, checkpoints, resume to the same bytes |
//! | [`run_trial`], [`endure`], [`push_limits`] | measuring a policy: many episodes, one long track, pushes |
//! | [`Pilot`], [`Course`] | PD targets of one character, in whatever world; the motion that a generator makes for it |
//! | [`Performer`], [`Driven`] | a policy that follows frame by frame what a generator predicts: a character that can be driven |
//! | [`Portable`], [`OpenLoop`] | what another simulator must know to run a policy; what comes of it here |
//! | [`released`] | the body and the reference that the paper's authors released |
//!
//! All of it gives the same bits on any number of threads and any instruction set. Start reading at [`TrackerWork`].

mod advantages;
mod body;
mod collect;
mod config;
mod course;
mod cuda;
mod disturbance;
mod driven;
mod endurance;
mod environment;
mod error;
mod expert;
mod frame_model;
mod networks;
mod observation;
mod open_loop;
mod performer;
mod pilot;
mod policy;
mod portable;
mod pushes;
mod reference;
pub mod released;
mod reward;
mod starts;
#[cfg(test)]
mod test_motion;
mod training;
mod trial;
mod turn;
mod update;

pub use body::TrackedBody;
pub use config::{TrackerConfig, TrackerPreset};
pub use course::Course;
pub use driven::{Driven, DrivenFigures, feeds_back_m};
pub use endurance::{EnduranceFigures, endure};
pub use environment::Episode;
pub use error::TrackError;
pub use observation::ObservationPart;
pub use open_loop::{DecidedFrame, OpenLoop};
pub use performer::Performer;
pub use pilot::{Moment, Pilot, PilotState, Seen};
pub use policy::{TrainedPolicy, time_step};
pub use portable::{FallRule, Portable, PortableJoint, PortablePoint};
pub use pushes::{TrackedPush, TrackedPushes, push_limits};
pub use reference::{PerformedFrame, Reference};
pub use reward::RewardTerms;
pub use training::{CurvePoint, TestPoint, TrackerWork, TrainingState};
pub use trial::{TrialFigures, TrialOptions, record, run_trial};
