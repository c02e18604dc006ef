//! Axis, limits, type and gains of a joint.

use super::bodies::check_numbers;
use crate::ModelerError;
use crate::figure::Figure;
use sinew_sim::JointKind;
use std::f64::consts::PI;

pub(super) fn set_axis(figure: &mut Figure, name: &str, axis: [f64; 3]) -> Result<(), ModelerError> {
    let place = format!("joint {name:?}");
    check_numbers(&place, &axis)?;
    let joint = figure.joint(name)?;
    if joint.kind != JointKind::Hinge {
        return Err(ModelerError::refused(place, "only a hinge has an axis; set its type to hinge first"));
    }
    joint.axis = Some(axis);
    Ok(())
}

/// People turn joints by degrees, and so says the refusal; the file has radians.
pub(super) fn set_limits(figure: &mut Figure, name: &str, limits: Option<[f64; 2]>) -> Result<(), ModelerError> {
    let place = format!("joint {name:?}");
    let joint = figure.joint(name)?;
    if let Some([low, high]) = limits {
        check_numbers(&place, &[low, high])?;
        let degrees = |angle: f64| format!("{:.0}°", angle.to_degrees());
        let problem = match joint.kind {
            JointKind::Hinge if low >= high => Some(format!(
                "its limits would go from {} to {}, but the first must be less than the second; swap or widen them",
                degrees(low),
                degrees(high)
            )),
            JointKind::Ball if low != 0.0 || high <= 0.0 || high > PI => {
                Some(format!("a ball turns by at most {}, but that is above 0° and at most 180°", degrees(high)))
            }
            _ => None,
        };
        if let Some(problem) = problem {
            return Err(ModelerError::refused(place, problem));
        }
    }
    joint.limits = limits;
    Ok(())
}

/// A ball keeps the wider of a hinge's limits, a hinge a ball's to both sides; a weld has none and is not driven.
pub(super) fn set_type(
    figure: &mut Figure,
    name: &str,
    kind: JointKind,
    axis: Option<[f64; 3]>,
) -> Result<(), ModelerError> {
    let place = format!("joint {name:?}");
    let joint = figure.joint(name)?;
    if joint.kind.is_root() || kind.is_root() {
        let problem = "the root joint keeps its type; choose hinge, ball or weld for a joint between two bodies";
        return Err(ModelerError::refused(place, problem));
    }
    match kind {
        JointKind::Hinge => {
            joint.axis = axis.or(joint.axis).or(Some([0.0, 1.0, 0.0]));
            if joint.kind == JointKind::Ball {
                joint.limits = joint.limits.map(|[_, angle]| [-angle, angle]);
            }
        }
        JointKind::Ball => {
            joint.axis = None;
            if joint.kind == JointKind::Hinge {
                joint.limits = joint.limits.map(|[low, high]| [0.0, low.abs().max(high.abs()).clamp(0.01, PI)]);
            }
        }
        _ => {
            (joint.axis, joint.limits, joint.torque_limit) = (None, None, None);
            (joint.kp, joint.kd, joint.armature) = (0.0, 0.0, 0.0);
        }
    }
    joint.kind = kind;
    Ok(())
}

pub(super) fn scale_gains(figure: &mut Figure, factor: f64) -> Result<(), ModelerError> {
    if !(factor.is_finite() && (1e-3..=1e3).contains(&factor)) {
        let place = format!("character {:?}", figure.character.name);
        return Err(ModelerError::refused(place, "gains can be multiplied by 0.001 to 1000; give such a factor"));
    }
    for joint in &mut figure.character.joints {
        joint.kp *= factor;
        joint.kd *= factor.sqrt();
        joint.torque_limit = joint.torque_limit.map(|limit| factor * limit);
    }
    Ok(())
}

pub(super) fn set_gains(figure: &mut Figure, name: &str, gains: [Option<f64>; 3]) -> Result<(), ModelerError> {
    let joint = figure.joint(name)?;
    let [kp, kd, torque_limit] = gains;
    joint.kp = kp.unwrap_or(joint.kp);
    joint.kd = kd.unwrap_or(joint.kd);
    joint.torque_limit = torque_limit.or(joint.torque_limit);
    Ok(())
}
