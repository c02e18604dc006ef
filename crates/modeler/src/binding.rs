//! Which joint of the skeleton moves which body of the character.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// The tie between a skeleton and the character made from it.
///
/// Joints are named, not numbered, so that another take of the same rig fits the same character.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    /// One for each body that follows a joint; bodies without one follow their parent.
    pub links: Vec<Link>,
    /// One for each end effector.
    pub effectors: Vec<EffectorLink>,
}

/// A body follows a joint: `body orientation = joint orientation · rotation`, `body origin = joint.place(offset)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Name of the body.
    pub body: String,
    /// Name of the skeleton's joint.
    pub joint: String,
    /// Origin of the body's frame in the joint's frame, m.
    pub offset: DVec3,
    /// Orientation of the body's frame in the joint's frame.
    pub rotation: DQuat,
}

/// Where the skeleton wants an end effector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffectorLink {
    /// Name of the character's end effector.
    pub name: String,
    /// Name of the skeleton's joint.
    pub joint: String,
    /// The point, in the joint's frame, m.
    pub point: DVec3,
}
