//! What a body is: the readable description of one articulated character.
//!
//! Metres, kilograms, seconds, radians, newton metres; right-handed axes, `z` up.
//! A body's frame has its origin at the joint that carries the body, so a hinge turns the body about its own origin.

use serde::{Deserialize, Serialize};

/// A tree of rigid bodies held together by joints, with the PD control that moves it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Character {
    /// Name of the character; also the prefix of its bodies in a scene (`name/body`).
    pub name: String,
    /// The rigid bodies, in any order.
    #[serde(rename = "body")]
    pub bodies: Vec<Body>,
    /// One joint for each body: the one that carries it.
    #[serde(rename = "joint")]
    pub joints: Vec<Joint>,
    /// Points on bodies that tasks refer to: hands, feet, head.
    #[serde(default, rename = "end_effector", skip_serializing_if = "Vec::is_empty")]
    pub end_effectors: Vec<EndEffector>,
    /// Pairs of bodies of this character that may collide; all other pairs pass through each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collide: Vec<[String; 2]>,
    /// What the tool that made the character remembers: its source, its options, its edits. The simulator keeps and ignores it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<toml::Table>,
}

/// One rigid body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Unique name.
    pub name: String,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in the body's frame, m. Omitted: that of the shapes at uniform density.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub center_of_mass: Option<[f64; 3]>,
    /// Inertia about the centre of mass along the body's axes, `[xx, yy, zz, xy, xz, yz]`, kg·m².
    /// Omitted: that of the shapes at uniform density.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<[f64; 6]>,
    /// What collides, and what is drawn. May be empty when mass properties are given.
    #[serde(default, rename = "shape", skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<Shape>,
}

/// A collision shape, placed in its body's frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Shape {
    /// All points within `radius` of the segment.
    Capsule {
        /// One end of the segment, m.
        from: [f64; 3],
        /// Other end of the segment, m.
        to: [f64; 3],
        /// Radius, m.
        radius: f64,
    },
    /// A ball.
    Sphere {
        /// Centre, m.
        #[serde(default)]
        center: [f64; 3],
        /// Radius, m.
        radius: f64,
    },
    /// A solid box.
    Box {
        /// Centre, m.
        #[serde(default)]
        center: [f64; 3],
        /// Half the edge lengths, m.
        half_extents: [f64; 3],
        /// Orientation in the body's frame, quaternion `[w, x, y, z]`.
        #[serde(default = "identity_quaternion", skip_serializing_if = "is_identity")]
        orientation: [f64; 4],
    },
}

/// What a joint lets its child body do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JointKind {
    /// Root only: six degrees of freedom.
    Free,
    /// Root only: moves in the world's `x`–`z` plane and turns about `y`.
    Planar,
    /// Root only: bolted to the world.
    Fixed,
    /// Turns about one axis.
    Hinge,
    /// Turns freely about a point.
    Ball,
    /// No motion: the child is part of its parent.
    Weld,
}

impl JointKind {
    /// Whether the joint connects a root to the world.
    pub fn is_root(self) -> bool {
        matches!(self, JointKind::Free | JointKind::Planar | JointKind::Fixed)
    }
    /// Numbers in `qpos`: free 7, planar 3, ball 4, hinge 1.
    pub fn position_count(self) -> usize {
        match self {
            JointKind::Free => 7,
            JointKind::Planar => 3,
            JointKind::Ball => 4,
            JointKind::Hinge => 1,
            JointKind::Fixed | JointKind::Weld => 0,
        }
    }
    /// Numbers in `qvel`: free 6, planar 3, ball 3, hinge 1.
    pub fn velocity_count(self) -> usize {
        match self {
            JointKind::Free => 6,
            JointKind::Planar | JointKind::Ball => 3,
            JointKind::Hinge => 1,
            JointKind::Fixed | JointKind::Weld => 0,
        }
    }
}

/// A joint: where its child sits, how it may move, how strongly it is driven.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// What the child may do.
    #[serde(rename = "type")]
    pub kind: JointKind,
    /// Body that carries the child; absent for a root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Body that the joint carries.
    pub child: String,
    /// Origin of the child's frame in the parent's frame (for a root: in the world), m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation of the child's frame in the parent's when the joint is at zero, quaternion `[w, x, y, z]`.
    #[serde(default = "identity_quaternion", skip_serializing_if = "is_identity")]
    pub orientation: [f64; 4],
    /// Hinge only: axis in the child's frame; need not be of unit length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Hinge: smallest and largest angle. Ball: `[0, largest angle]` from the rest orientation. Radians. Absent: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// Proportional gain, N·m/rad.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub kp: f64,
    /// Derivative gain, N·m·s/rad.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub kd: f64,
    /// Largest PD torque, N·m: absolute value on a hinge, Euclidean length on a ball. Absent: unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torque_limit: Option<f64>,
    /// Rotor inertia added to the joint's own, kg·m².
    #[serde(default, skip_serializing_if = "is_zero")]
    pub armature: f64,
}

impl Joint {
    /// A joint at its parent's origin, in line with it, neither driven nor limited; a hinge still needs its axis.
    pub fn new(name: impl Into<String>, kind: JointKind, parent: Option<&str>, child: impl Into<String>) -> Joint {
        Joint {
            name: name.into(),
            kind,
            parent: parent.map(str::to_owned),
            child: child.into(),
            position: [0.0; 3],
            orientation: identity_quaternion(),
            axis: None,
            limits: None,
            kp: 0.0,
            kd: 0.0,
            torque_limit: None,
            armature: 0.0,
        }
    }
}

/// A named point on a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndEffector {
    /// Unique name.
    pub name: String,
    /// Body that it sits on.
    pub body: String,
    /// Position in the body's frame, m.
    pub position: [f64; 3],
}

pub(crate) fn identity_quaternion() -> [f64; 4] {
    [1.0, 0.0, 0.0, 0.0]
}

pub(crate) fn is_identity(q: &[f64; 4]) -> bool {
    *q == identity_quaternion()
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}
