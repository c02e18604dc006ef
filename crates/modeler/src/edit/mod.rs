//! Changes to a character (Keys-to-Sim 2018, §4.3), each of which leaves a valid character or is refused with a sentence.

mod bodies;
mod effectors;
mod joints;
mod mirrored;
mod structure;

use crate::ModelerError;
use crate::figure::Figure;
use serde::{Deserialize, Serialize};
use sinew_sim::{JointKind, Shape};

/// One change, and whether the other side changes alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// What changes.
    #[serde(flatten)]
    pub edit: Edit,
    /// Also change the same part on the other side, mirrored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mirror: bool,
}

impl Change {
    /// What it is called, as in the character file: `set_mass thigh_l`.
    pub fn name(&self) -> String {
        let told = serde_json::to_value(&self.edit).unwrap_or_default();
        let of = |key: &str| told.get(key).and_then(|value| value.as_str());
        let what = ["body", "joint", "name"].into_iter().find_map(of);
        [of("edit"), what].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

impl From<Edit> for Change {
    fn from(edit: Edit) -> Change {
        Change { edit, mirror: false }
    }
}

/// What can be changed. Vectors are in the body's frame, which lies along the world's axes in the rest pose of a new character.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "snake_case", deny_unknown_fields)]
pub enum Edit {
    /// Moves a body's shapes and end effectors.
    MoveBody {
        /// Body.
        body: String,
        /// How far, m.
        by: [f64; 3],
        /// Also move the joint that carries the body; what the body carries stays in its place.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        with_joint: bool,
    },
    /// Turns a body's shapes about their centre of mass.
    OrientBody {
        /// Body.
        body: String,
        /// Turn, quaternion `[w, x, y, z]`.
        turn: [f64; 4],
    },
    /// Changes the size of a body's shapes; their centres stay.
    SizeBody {
        /// Body.
        body: String,
        /// How.
        size: Size,
    },
    /// Gives a body other shapes; its mass stays.
    SetShapes {
        /// Body.
        body: String,
        /// The shapes, in the body's frame.
        shapes: Vec<Shape>,
    },
    /// Sets the mass of a body.
    SetMass {
        /// Body.
        body: String,
        /// Mass, kg.
        mass: f64,
    },
    /// Sets the mass of the whole character: all bodies get heavier or lighter alike, and the joints stiffer and stronger with them, so
    /// that it moves as before.
    SetTotalMass {
        /// Mass, kg.
        mass: f64,
    },
    /// Sets the axis of a hinge.
    SetAxis {
        /// Joint.
        joint: String,
        /// Axis in the child's frame.
        axis: [f64; 3],
    },
    /// Sets or lifts the limits of a joint.
    SetLimits {
        /// Joint.
        joint: String,
        /// As in the character file; absent: none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limits: Option<[f64; 2]>,
    },
    /// Makes a joint a hinge, a ball or a weld.
    SetType {
        /// Joint.
        joint: String,
        /// New type.
        #[serde(rename = "type")]
        kind: JointKind,
        /// Axis of a new hinge in the child's frame; absent: `y`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        axis: Option<[f64; 3]>,
    },
    /// Sets those gains that are given.
    SetGains {
        /// Joint.
        joint: String,
        /// Proportional gain, N·m/rad.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kp: Option<f64>,
        /// Derivative gain, N·m·s/rad.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kd: Option<f64>,
        /// Largest torque, N·m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        torque_limit: Option<f64>,
    },
    /// Makes all joints stiffer and stronger alike: kp and torque limits times a factor, kd times its square root.
    ScaleGains {
        /// Factor.
        factor: f64,
    },
    /// Moves the centre of mass of the whole character in its rest pose: bodies on that side get heavier, the others lighter, and all of
    /// them together weigh the same.
    ShiftMass {
        /// How far, m, in world axes.
        by: [f64; 3],
    },
    /// Adds an end effector, with a ball as its contact where a radius is given.
    AddEffector {
        /// Name of the end effector.
        name: String,
        /// Body that it sits on.
        body: String,
        /// Position in the body's frame, m.
        position: [f64; 3],
        /// Radius of its ball, m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        radius: Option<f64>,
    },
    /// Moves an end effector and its ball.
    MoveEffector {
        /// End effector.
        name: String,
        /// New position in the body's frame, m.
        position: [f64; 3],
    },
    /// Sets the radius of an end effector's ball, which is added where there is none.
    SizeEffector {
        /// End effector.
        name: String,
        /// Radius, m.
        radius: f64,
    },
    /// Takes an end effector and its ball away.
    RemoveEffector {
        /// End effector.
        name: String,
    },
    /// Makes a body the root; the rest pose stays as it is in the world.
    SetRoot {
        /// Body.
        body: String,
    },
    /// Takes a body away; what it carries hangs from its parent and keeps its place.
    DeleteBody {
        /// Body.
        body: String,
    },
    /// Makes a body part of its parent; mass, centre and inertia of the two together stay the same.
    MergeBody {
        /// Body.
        body: String,
    },
}

/// A new size for the shapes of a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// Times all lengths.
    Scale(f64),
    /// Radius of its capsules and balls, m.
    Radius(f64),
    /// Length of its capsules between the centres of their ends, m.
    Length(f64),
    /// Half the edge lengths of its boxes, m.
    HalfExtents([f64; 3]),
}

impl Figure {
    /// Applies a change; on an error nothing has changed.
    pub(crate) fn apply(&mut self, change: &Change) -> Result<(), ModelerError> {
        let mut next = self.clone();
        let other = if change.mirror { Some(mirrored::mirrored(self, &change.edit)?) } else { None };
        next.apply_one(&change.edit)?;
        if let Some(other) = other {
            next.apply_one(&other)?;
        }
        next.character.validate()?;
        *self = next;
        Ok(())
    }

    fn apply_one(&mut self, edit: &Edit) -> Result<(), ModelerError> {
        match edit {
            Edit::MoveBody { body, by, with_joint } => bodies::move_body(self, body, *by, *with_joint),
            Edit::OrientBody { body, turn } => bodies::orient(self, body, *turn),
            Edit::SizeBody { body, size } => bodies::size(self, body, *size),
            Edit::SetShapes { body, shapes } => bodies::set_shapes(self, body, shapes),
            Edit::SetMass { body, mass } => bodies::set_mass(self, body, *mass),
            Edit::SetTotalMass { mass } => bodies::set_total_mass(self, *mass),
            Edit::SetAxis { joint, axis } => joints::set_axis(self, joint, *axis),
            Edit::SetLimits { joint, limits } => joints::set_limits(self, joint, *limits),
            Edit::SetType { joint, kind, axis } => joints::set_type(self, joint, *kind, *axis),
            Edit::SetGains { joint, kp, kd, torque_limit } => joints::set_gains(self, joint, [*kp, *kd, *torque_limit]),
            Edit::ScaleGains { factor } => joints::scale_gains(self, *factor),
            Edit::ShiftMass { by } => bodies::shift_mass(self, *by),
            Edit::AddEffector { name, body, position, radius } => effectors::add(self, name, body, *position, *radius),
            Edit::MoveEffector { name, position } => effectors::place(self, name, *position),
            Edit::SizeEffector { name, radius } => effectors::size(self, name, *radius),
            Edit::RemoveEffector { name } => effectors::remove(self, name),
            Edit::SetRoot { body } => structure::set_root(self, body),
            Edit::DeleteBody { body } => structure::delete(self, body),
            Edit::MergeBody { body } => structure::merge(self, body),
        }
    }
}
