//! Clips of one skeleton on another.
//!
//! Two rigs and a clip of the first enter; the clip on the second leaves, with figures of how well it went. [`Anatomy`] finds what each joint is for,
//! [`JointMap`] says which joints move which (written as TOML, so that a person can mend it), and [`retarget`] moves the clip. Start reading at
//! `retarget.rs`, which names the steps in their order.

mod anatomy;
mod body_frame;
mod error;
mod figures;
mod follow;
mod goals;
mod hinge;
mod joint_map;
mod legs_and_arms;
mod limb_ik;
mod limbs_to_goals;
mod map_file;
mod planting;
mod reach;
mod rest_pose;
mod retarget;
mod rotations;
mod sections;
mod soles;
mod travel;
mod working_clip;

#[cfg(test)]
mod test_figures;
#[cfg(test)]
mod tests;

pub use anatomy::{Anatomy, Plan};
pub use error::{MapError, RetargetError};
pub use figures::{Bends, Figures, Slides};
pub use joint_map::{Chain, JointMap, Posture, Role};
pub use retarget::{RetargetOptions, Retargeted, retarget};
pub use sections::{Limb, LimbKind, Section};
