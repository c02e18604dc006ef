//! From a kinematic skeleton to a body that can be simulated.
//!
//! A [`sinew_motion::Skeleton`] with its clips enters; a [`sinew_sim::Character`] leaves, with a [`Binding`] that says which joint of the
//! skeleton moves which body, so that inverse kinematics can lay any clip of the same rig onto the character.
//! Start reading at [`binding`], then `construct/mod.rs`, `edit/mod.rs` and [`CharacterProject`]; [`preflight`] says whether a
//! character can stand and follow its clips.

pub mod binding;
mod construct;
mod cover;
mod edit;
mod error;
mod figure;
mod frames;
pub mod ik;
mod inertia;
mod mend;
mod notes;
mod options;
mod preflight;
mod project;
mod refit;
mod sides;

pub use binding::{Binding, EffectorLink, Link};
pub use construct::{Modeled, model};
pub use cover::{BodyCover, Cover, cover};
pub use edit::{Change, Edit, Size};
pub use error::ModelerError;
pub use ik::{FitErrors, FittedClip, IkError, IkOptions, fit_clip, fit_planted_clip, fitted_to_clip};
pub use mend::{Mend, mend};
pub use options::{ModelOptions, Preset};
pub use preflight::{ClipPoses, Preflight, PreflightOptions, preflight};
pub use project::CharacterProject;
pub use refit::{ShapeKind, as_kind, refit};
pub use sides::counterpart;
