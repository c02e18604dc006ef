//! The same edit on the other side.

use super::Edit;
use crate::ModelerError;
use crate::construct::mirrored_shape;
use crate::figure::{Figure, Pose};
use crate::frames::{moved, quaternion, wxyz};
use crate::sides::{Mirror, counterpart, swapped};
use glam::DVec3;
use sinew_sim::Shape;

/// The edit that does on the other side what `edit` does on this one; an error where there is no other side.
pub(super) fn mirrored(figure: &Figure, edit: &Edit) -> Result<Edit, ModelerError> {
    let sides = Sides::of(figure)?;
    Ok(match edit.clone() {
        Edit::MoveBody { body, by, with_joint } => {
            let (other, by) = sides.vector(&body, by)?;
            Edit::MoveBody { body: other, by, with_joint }
        }
        Edit::OrientBody { body, turn } => {
            let (other, turn) = sides.turn(&body, turn)?;
            Edit::OrientBody { body: other, turn }
        }
        Edit::SizeBody { body, size } => Edit::SizeBody { body: sides.body(&body)?, size },
        Edit::SetShapes { body, shapes } => {
            let (other, own, there) = sides.poses(&body)?;
            let image = |shape: &Shape| {
                let world = moved(shape, own.orientation, DVec3::ZERO);
                moved(&mirrored_shape(&world, &sides.mirror), there.orientation.inverse(), DVec3::ZERO)
            };
            Edit::SetShapes { body: other, shapes: shapes.iter().map(image).collect() }
        }
        Edit::SetMass { body, mass } => Edit::SetMass { body: sides.body(&body)?, mass },
        Edit::SetAxis { joint, axis } => {
            let (joint, axis) = sides.axis(&joint, axis)?;
            Edit::SetAxis { joint, axis }
        }
        Edit::SetLimits { joint, limits } => Edit::SetLimits { joint: sides.joint(&joint)?, limits },
        Edit::SetType { joint, kind, axis } => match axis {
            Some(axis) => {
                let (joint, axis) = sides.axis(&joint, axis)?;
                Edit::SetType { joint, kind, axis: Some(axis) }
            }
            None => Edit::SetType { joint: sides.joint(&joint)?, kind, axis: None },
        },
        Edit::SetGains { joint, kp, kd, torque_limit } => {
            Edit::SetGains { joint: sides.joint(&joint)?, kp, kd, torque_limit }
        }
        Edit::AddEffector { name, body, position, radius } => {
            let (body, position) = sides.point(&body, position)?;
            let name = swapped(&name).into_iter().next().unwrap_or_else(|| format!("{name} mirrored"));
            Edit::AddEffector { name, body, position, radius }
        }
        Edit::MoveEffector { name, position } => {
            let (other, body) = sides.effector(&name)?;
            let (_, position) = sides.point(&body, position)?;
            Edit::MoveEffector { name: other, position }
        }
        Edit::SizeEffector { name, radius } => Edit::SizeEffector { name: sides.effector(&name)?.0, radius },
        Edit::RemoveEffector { name } => Edit::RemoveEffector { name: sides.effector(&name)?.0 },
        Edit::DeleteBody { body } => Edit::DeleteBody { body: sides.body(&body)? },
        Edit::MergeBody { body } => Edit::MergeBody { body: sides.body(&body)? },
        Edit::ScaleGains { .. } | Edit::ShiftMass { .. } | Edit::SetTotalMass { .. } => {
            let problem = "the change is of both sides already; leave mirror out";
            return Err(ModelerError::refused(format!("character {:?}", figure.character.name), problem));
        }
        Edit::SetRoot { body } => {
            let problem = "there is one root, so it cannot be chosen on both sides; leave mirror out";
            return Err(ModelerError::refused(format!("body {body:?}"), problem));
        }
    })
}

/// What is needed to go to the other side.
struct Sides<'a> {
    figure: &'a Figure,
    mirror: Mirror,
    rest: std::collections::BTreeMap<String, Pose>,
}

impl<'a> Sides<'a> {
    fn of(figure: &'a Figure) -> Result<Self, ModelerError> {
        let problem = "it has no left and right bodies by name; leave mirror out, or name them such as arm_l and arm_r";
        let place = || format!("character {:?}", figure.character.name);
        let mirror = figure.mirror().ok_or_else(|| ModelerError::refused(place(), problem))?;
        Ok(Sides { figure, mirror, rest: figure.rest() })
    }

    fn other(kind: &'static str, name: &str, names: Vec<&str>) -> Result<String, ModelerError> {
        if !names.contains(&name) {
            return Err(ModelerError::unknown(kind, name, names.into_iter()));
        }
        let problem = "it has no other side by its name; leave mirror out";
        let other = counterpart(name, &names);
        other.map(str::to_owned).ok_or_else(|| ModelerError::refused(format!("{kind} {name:?}"), problem))
    }

    fn body(&self, name: &str) -> Result<String, ModelerError> {
        Self::other("body", name, self.figure.character.bodies.iter().map(|b| b.name.as_str()).collect())
    }

    fn joint(&self, name: &str) -> Result<String, ModelerError> {
        Self::other("joint", name, self.figure.character.joints.iter().map(|j| j.name.as_str()).collect())
    }

    /// The other end effector, and the body of this one.
    fn effector(&self, name: &str) -> Result<(String, String), ModelerError> {
        let effectors = &self.figure.character.end_effectors;
        let other = Self::other("end effector", name, effectors.iter().map(|e| e.name.as_str()).collect())?;
        let body = effectors.iter().find(|e| e.name == name).map(|e| e.body.clone()).unwrap_or_default();
        Ok((other, body))
    }

    fn poses(&self, body: &str) -> Result<(String, Pose, Pose), ModelerError> {
        let other = self.body(body)?;
        match (self.rest.get(body), self.rest.get(&other)) {
            (Some(own), Some(there)) => Ok((other, *own, *there)),
            _ => Err(ModelerError::refused(format!("body {body:?}"), "no joint carries it; add one")),
        }
    }

    fn vector(&self, body: &str, v: [f64; 3]) -> Result<(String, [f64; 3]), ModelerError> {
        let (other, own, there) = self.poses(body)?;
        let image = self.mirror.direction(own.orientation * DVec3::from_array(v));
        Ok((other, (there.orientation.inverse() * image).to_array()))
    }

    fn point(&self, body: &str, x: [f64; 3]) -> Result<(String, [f64; 3]), ModelerError> {
        // Relative to the joints, so that a figure in a crooked pose gets the same lengths.
        self.vector(body, x)
    }

    fn turn(&self, body: &str, turn: [f64; 4]) -> Result<(String, [f64; 4]), ModelerError> {
        let (other, own, there) = self.poses(body)?;
        let world = own.orientation * quaternion(turn) * own.orientation.inverse();
        let image = self.mirror.rotation(world);
        Ok((other, wxyz(there.orientation.inverse() * image * there.orientation)))
    }

    fn axis(&self, joint: &str, axis: [f64; 3]) -> Result<(String, [f64; 3]), ModelerError> {
        let other = self.joint(joint)?;
        let find = |name: &str| self.figure.character.joints.iter().find(|j| j.name == name);
        let pose = |name: &str| find(name).and_then(|j| self.rest.get(&j.child)).map(|p| p.orientation);
        let (own, there) = (pose(joint).unwrap_or_default(), pose(&other).unwrap_or_default());
        let image = self.mirror.axis(own * DVec3::from_array(axis));
        Ok((other, (there.inverse() * image).to_array()))
    }
}
