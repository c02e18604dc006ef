//! Data sets of motion, from which generators and tracking policies are learnt (Park et al. 2019, §4.1).
//!
//! Clips in the coordinates of one character enter, with labels of what they show; a [`MotionSet`] of captured and augmented sequences leaves, with contacts
//! and the intent of every frame. Start reading at [`MotionSet`], then [`Figure`], which knows the character's heading and places.

mod actions;
mod contact_sites;
mod error;
mod feasible;
mod figure;
mod foot_slide;
mod generator;
mod ground_transform;
mod intent;
mod matching;
mod motion_set;
mod objective;
mod polar_range;
mod set_file;
#[cfg(test)]
mod test_walks;

pub use actions::{Action, Goal, known_actions};
pub use contact_sites::{ContactSite, contact_sites};
pub use error::LearnError;
pub use feasible::{ActionRange, FeasibleRange};
pub use figure::Figure;
pub use foot_slide::FootSlide;
pub use generator::{Generator, GeneratorState, Memory, Prediction};
pub use ground_transform::{GroundTransform, wrap_angle};
pub use intent::{CONTROLS, Control, Intent};
pub use matching::{MatchingConfig, MatchingMemory, MotionMatching, SiteLock};
pub use motion_set::{MotionSet, Origin, RATE_HZ, Sequence, SetHeader};
pub use objective::Objective;
pub use polar_range::PolarRange;
pub use set_file::{SetReader, SetWriter};
