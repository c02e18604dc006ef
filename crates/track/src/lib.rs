//! Policies that track motion in simulation (Park et al. 2019, §5).
//!
//! | file | does |
//! |---|---|
//! | [`TrackedBody`] | a character with the points that are watched |
//! | [`Reference`] | the motion that is tracked |
//! | `observation`, `reward`, `starts` | what a policy sees, what it earns, where episodes begin |
//! | `environment` | many worlds on their way through the reference |
//! | `networks`, `collect`, `advantages`, `update` | values, and proximal policy optimisation |
//! | `slopes`, `ascent` | policy gradients by the simulator's own differences |
//! | [`TrackerWork`] | training as long work: progress, checkpoints, resume to the same bytes |
//! | [`run_trial`] | measuring a policy |
//! | [`Performer`], [`Driven`] | a policy that follows frame by frame what a generator predicts: a character that can be driven |
//! | [`released`] | the body and the reference that the paper's authors released |
//!
//! All of it gives the same bits on any number of threads and any instruction set. Start reading at [`TrackerWork`].

mod advantages;
mod ascent;
mod body;
mod collect;
mod config;
mod driven;
mod environment;
mod error;
mod networks;
mod observation;
mod performer;
mod policy;
mod reference;
pub mod released;
mod reward;
mod slopes;
mod starts;
#[cfg(test)]
mod test_motion;
mod training;
mod trial;
mod turn;
mod update;

pub use body::TrackedBody;
pub use config::{Method, TrackerConfig, TrackerPreset};
pub use driven::{Driven, DrivenFigures};
pub use environment::Episode;
pub use error::TrackError;
pub use performer::{Moment, Performer};
pub use policy::{TrainedPolicy, time_step};
pub use reference::Reference;
pub use reward::RewardTerms;
pub use training::{CurvePoint, TestPoint, TrackerWork, TrainingState};
pub use trial::{TrialFigures, TrialOptions, record, run_trial};
