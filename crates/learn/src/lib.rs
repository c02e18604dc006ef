//! Data sets of motion, from which generators and tracking policies are learnt (Park et al. 2019, §4.1).
//!
//! Clips in the coordinates of one character enter, with labels of what they show; a [`MotionSet`] of captured and augmented sequences leaves, with contacts
//! and the intent of every frame. Start reading at [`MotionSet`], then [`Figure`], which knows the character's heading and places.

mod actions;
mod contact_sites;
mod error;
mod figure;
mod foot_slide;
mod ground_transform;
mod intent;
mod motion_set;
mod set_file;

pub use actions::{Action, Goal, known_actions};
pub use contact_sites::{ContactSite, contact_sites};
pub use error::LearnError;
pub use figure::Figure;
pub use foot_slide::FootSlide;
pub use ground_transform::{GroundTransform, wrap_angle};
pub use intent::{CONTROLS, Control, Intent};
pub use motion_set::{MotionSet, Origin, RATE_HZ, Sequence, SetHeader};
pub use set_file::{SetReader, SetWriter};
