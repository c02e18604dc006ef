//! From a kinematic skeleton to a body that can be simulated.
//!
//! A [`sinew_motion::Skeleton`] with its clips enters; a [`sinew_sim::Character`] leaves, with a [`Binding`] that says which joint of the
//! skeleton moves which body, so that inverse kinematics can lay any clip of the same rig onto the character.
//! Start reading at [`binding`].

pub mod binding;
pub mod ik;

pub use binding::{Binding, EffectorLink, Link};
pub use ik::{FitErrors, FittedClip, IkError, IkOptions, fit_clip, fitted_to_clip};
