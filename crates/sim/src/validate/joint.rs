//! Whether one joint makes sense by itself.

use super::field::{
    FieldError, LARGEST_OFFSET, Range, check_finite, check_point, check_positive, check_quaternion, check_range, place,
    shown,
};
use crate::character::{Joint, JointKind};
use std::f64::consts::PI;

/// Largest hinge limit either way, rad.
const LARGEST_HINGE_LIMIT: f64 = 100.0;
/// Largest gain, torque limit or armature, in SI units.
const LARGEST_GAIN: f64 = 1e9;

/// A joint whose fields do not fit its type.
#[derive(thiserror::Error, Debug, Clone, PartialEq)]
pub enum JointError {
    /// A number that cannot be used.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// A root joint that names a parent.
    #[error(
        "joint {joint:?}: parent is {parent:?}, but a joint of type {kind:?} carries a root, which hangs from no body; \
         remove parent, or use type \"hinge\", \"ball\" or \"weld\""
    )]
    RootWithParent {
        /// Joint.
        joint: String,
        /// Its type.
        kind: &'static str,
        /// The parent it names.
        parent: String,
    },
    /// An inner joint without a parent.
    #[error(
        "joint {joint:?}: parent is missing, but a joint of type {kind:?} hangs from a body; \
         name that body in parent, or use type \"free\", \"planar\" or \"fixed\" if this is the root"
    )]
    NoParent {
        /// Joint.
        joint: String,
        /// Its type.
        kind: &'static str,
    },
    /// A hinge without an axis.
    #[error("joint {joint:?}: axis is missing, but a hinge needs one; add for instance axis = [0.0, 1.0, 0.0]")]
    NoAxis {
        /// Joint.
        joint: String,
    },
    /// An axis that points nowhere.
    #[error("joint {joint:?}: axis has no length; give a direction such as axis = [0.0, 1.0, 0.0]")]
    ZeroAxis {
        /// Joint.
        joint: String,
    },
    /// A field that this type of joint does not have.
    #[error("joint {joint:?}: {field} is given, but a joint of type {kind:?} has none; remove {field}")]
    NotAllowed {
        /// Joint.
        joint: String,
        /// Its type.
        kind: &'static str,
        /// Field.
        field: &'static str,
    },
    /// Hinge limits in the wrong order.
    #[error(
        "joint {joint:?}: limits are [{}, {}] rad, but the first must be less than the second; \
         swap or widen them, or use type \"weld\" for a joint that does not move",
        shown(.limits[0]), shown(.limits[1])
    )]
    LimitsReversed {
        /// Joint.
        joint: String,
        /// Its limits, rad.
        limits: [f64; 2],
    },
    /// Ball limits that are not `[0, largest angle]`.
    #[error(
        "joint {joint:?}: limits are [{}, {}] rad, but those of a ball are [0, largest angle] with an angle \
         greater than 0 and at most pi (3.14159); change them, or leave limits out for none",
        shown(.limits[0]), shown(.limits[1])
    )]
    BallLimits {
        /// Joint.
        joint: String,
        /// Its limits, rad.
        limits: [f64; 2],
    },
}

/// The type as the file spells it.
fn kind_name(kind: JointKind) -> &'static str {
    match kind {
        JointKind::Free => "free",
        JointKind::Planar => "planar",
        JointKind::Fixed => "fixed",
        JointKind::Hinge => "hinge",
        JointKind::Ball => "ball",
        JointKind::Weld => "weld",
    }
}

/// Parent, placement, axis, limits and gains against the joint's type.
pub(super) fn check_joint(joint: &Joint) -> Result<(), JointError> {
    let place = place("joint", &joint.name, 0);
    check_parent(joint)?;
    check_point(&place, "position", &joint.position, LARGEST_OFFSET)?;
    check_quaternion(&place, "orientation", &joint.orientation)?;
    check_axis(&place, joint)?;
    check_limits(&place, joint)?;
    check_gains(&place, joint)
}

fn check_parent(joint: &Joint) -> Result<(), JointError> {
    let (name, kind) = (joint.name.clone(), kind_name(joint.kind));
    match (&joint.parent, joint.kind.is_root()) {
        (Some(parent), true) => Err(JointError::RootWithParent { joint: name, kind, parent: parent.clone() }),
        (None, false) => Err(JointError::NoParent { joint: name, kind }),
        _ => Ok(()),
    }
}

fn check_axis(place: &str, joint: &Joint) -> Result<(), JointError> {
    match (&joint.axis, joint.kind) {
        (Some(axis), JointKind::Hinge) => {
            let range = Range { low: -1e6, high: 1e6, unit: "", remedy: "give a direction of length 1" };
            for (i, &x) in axis.iter().enumerate() {
                check_range(place, &format!("axis[{i}]"), x, &range)?;
            }
            if axis.iter().all(|x| x.abs() < 1e-6) {
                return Err(JointError::ZeroAxis { joint: joint.name.clone() });
            }
            Ok(())
        }
        (None, JointKind::Hinge) => Err(JointError::NoAxis { joint: joint.name.clone() }),
        (Some(_), _) => Err(not_allowed(joint, "axis")),
        (None, _) => Ok(()),
    }
}

fn check_limits(place: &str, joint: &Joint) -> Result<(), JointError> {
    let Some(limits) = joint.limits else { return Ok(()) };
    for (i, &limit) in limits.iter().enumerate() {
        check_finite(place, &format!("limits[{i}]"), limit)?;
    }
    let name = joint.name.clone();
    match joint.kind {
        JointKind::Hinge => {
            let remedy = "give angles in radians, or leave limits out for none";
            let range = Range { low: -LARGEST_HINGE_LIMIT, high: LARGEST_HINGE_LIMIT, unit: " rad", remedy };
            for (i, &limit) in limits.iter().enumerate() {
                check_range(place, &format!("limits[{i}]"), limit, &range)?;
            }
            if limits[0] >= limits[1] {
                return Err(JointError::LimitsReversed { joint: name, limits });
            }
            Ok(())
        }
        JointKind::Ball if limits[0] != 0.0 || limits[1] <= 0.0 || limits[1] > PI => {
            Err(JointError::BallLimits { joint: name, limits })
        }
        JointKind::Ball => Ok(()),
        _ => Err(not_allowed(joint, "limits")),
    }
}

fn check_gains(place: &str, joint: &Joint) -> Result<(), JointError> {
    let driven = matches!(joint.kind, JointKind::Hinge | JointKind::Ball);
    let gains = [
        ("kp", joint.kp, " N m/rad", "give a gain of 0 or more"),
        ("kd", joint.kd, " N m s/rad", "give a gain of 0 or more"),
        ("armature", joint.armature, " kg m^2", "give 0 or more"),
    ];
    for (field, value, unit, remedy) in gains {
        check_range(place, field, value, &Range { low: 0.0, high: LARGEST_GAIN, unit, remedy })?;
        if value != 0.0 && !driven {
            return Err(not_allowed(joint, field));
        }
    }
    if let Some(value) = joint.torque_limit {
        let remedy = "give a positive torque, or leave torque_limit out for none";
        let range = Range { low: 1e-9, high: LARGEST_GAIN, unit: " N m", remedy };
        check_positive(place, "torque_limit", value, &range)?;
        if !driven {
            return Err(not_allowed(joint, "torque_limit"));
        }
    }
    Ok(())
}

fn not_allowed(joint: &Joint, field: &'static str) -> JointError {
    JointError::NotAllowed { joint: joint.name.clone(), kind: kind_name(joint.kind), field }
}
