//! Poses a leg from its sole: foot and toes first, then thigh and shin by the law of cosines.

use crate::character::{Character, Knee, Leg};
use crate::pose_table::Sole;
use glam::{DMat3, DQuat, DVec3};

/// World rotations of a leg's four joints, relative to the bind pose.
pub struct LegPose {
    /// Thigh, shin, foot, toe.
    pub rotations: [DQuat; 4],
    /// Distance from hip to ankle over the length of the stretched leg.
    pub stretch: f64,
}

/// Solves one leg at a time; `hip` is the place of its upper joint, `pelvis` the world rotation of the joint above it.
pub fn solve(
    character: &Character,
    leg: &Leg,
    sole: &Sole,
    time: f64,
    hip: DVec3,
    pelvis: DQuat,
    lift: DVec3,
) -> LegPose {
    let rest = |joint: usize| character.joints[joint].at;
    let (ball, ankle) = (rest(leg.toe), rest(leg.foot));
    let ground = DVec3::new(ball.x, 0.0, ball.z);

    // Frame of the sole: at its plant, yawed, tipped about the heel or the tip of the toes.
    let place = DVec3::from_array([0, 1, 2].map(|i| sole.at[i].at(time))) + ground + lift;
    let yaw = DQuat::from_rotation_y(sole.yaw.at(time).to_radians());
    let tip = sole.tip.at(time);
    let pivot = DVec3::new(0.0, 0.0, if tip > 0.0 { leg.heel } else { leg.tip });
    let tipped = yaw * DQuat::from_rotation_x(-tip.to_radians());
    let on_sole = |p: DVec3| place + yaw * pivot + tipped * (p - ground - pivot);

    let foot = tipped * DQuat::from_rotation_x(sole.roll.at(time).to_radians());
    let toe = tipped * DQuat::from_rotation_x(-sole.curl.at(time).to_radians());
    let target = on_sole(ball) + foot * (ankle - ball);

    // The plane of the leg: through hip and ankle, towards the mean of where pelvis and foot point.
    let sign = if leg.knee == Knee::Forward { 1.0 } else { -1.0 };
    let pole = sign * (pelvis * DVec3::Z + yaw * DVec3::Z);
    let (upper, lower) = (rest(leg.lower) - rest(leg.upper), ankle - rest(leg.lower));
    let (a, b) = (upper.length(), lower.length());
    let to_target = target - hip;
    let stretch = to_target.length() / (a + b);
    let d = to_target.length().clamp((a - b).abs() + 1e-6, 0.9995 * (a + b));
    let along = to_target.normalize();
    let across = (pole - along * pole.dot(along)).normalize();

    // Law of cosines: the foot of the knee's perpendicular lies (a² + d² − b²) / 2d from the hip.
    let x = (a * a + d * d - b * b) / (2.0 * d);
    let knee = hip + along * x + across * (a * a - x * x).max(0.0).sqrt();
    let end = hip + along * d;
    let axis = sign * across.cross(along);
    let bind_axis = bind_axis(upper, lower);
    let thigh = turn(upper, bind_axis, knee - hip, axis);
    let shin = turn(lower, bind_axis, end - knee, axis);
    LegPose { rotations: [thigh, shin, foot, toe], stretch }
}

/// Axis of the knee or elbow in the bind pose, on the side of +x.
fn bind_axis(upper: DVec3, lower: DVec3) -> DVec3 {
    let axis = upper.cross(lower).normalize();
    if axis.x < 0.0 { -axis } else { axis }
}

/// The rotation that takes direction `from` to `to` and the axis perpendicular to it to the other axis.
fn turn(from: DVec3, from_axis: DVec3, to: DVec3, to_axis: DVec3) -> DQuat {
    let frame = |direction: DVec3, axis: DVec3| {
        let y = direction.normalize();
        let x = (axis - y * axis.dot(y)).normalize();
        DMat3::from_cols(x, y, x.cross(y))
    };
    DQuat::from_mat3(&(frame(to, to_axis) * frame(from, from_axis).transpose())).normalize()
}
