//! What can be done to a [`Clip`](crate::Clip): one tool a file. Clips enter unchanged and new clips leave.
//!
//! Cutting and joining: [`crop`], [`concatenate`], [`repeat_cycle`], [`resample`]. Turning: [`mirror`], [`moved`]. Measuring:
//! [`velocities`], [`feet`], [`contacts`]. Repairing against the ground: [`align_to_ground`], [`travel_from_feet`], both by [`put_on_ground`], and [`plant_feet`]. Naming: [`find_clip`]. What an artist changes: [`edited`].

mod concatenate;
mod contact;
mod crop;
mod edit;
mod error;
mod feet;
mod ground;
mod mirror;
mod moved;
mod name_match;
mod plants;
mod put_on_ground;
mod repeat;
mod resample;
mod side_pairs;
mod travel;
mod velocity;

pub use concatenate::concatenate;
pub(crate) use contact::runs;
pub use contact::{ContactOptions, Contacts, Floor, contacts};
pub use crop::crop;
pub use edit::{ClipEdit, ClipEditError, edited};
pub use error::ToolError;
pub use feet::{Foot, SolePoint, feet};
pub use ground::{Grounded, align_to_ground};
pub use mirror::mirror;
pub use moved::moved;
pub use name_match::{ClipNameError, find_clip};
pub use plants::{Plants, plant_feet};
pub use put_on_ground::{OnGround, put_on_ground};
pub use repeat::{Repeated, repeat_cycle};
pub use resample::{resample, sample};
pub use side_pairs::side_pairs;
pub use travel::{GroundSpeed, Travel, travel_from_feet};
pub use velocity::{JointVelocity, rotation_vector, velocities};

#[cfg(test)]
pub(crate) mod walkers;
