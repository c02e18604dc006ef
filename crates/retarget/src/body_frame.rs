//! Left and right, and where a rig looks.

use glam::{DQuat, DVec3};
use sinew_motion::Skeleton;
use sinew_motion::names::{Side, side, words};
use sinew_motion::skeleton::Placed;
use sinew_motion::tools::{Foot, side_pairs};

/// Sides of the joints, and the direction that a rig looks in, in its bind pose.
#[derive(Clone, Debug)]
pub(crate) struct BodyFrame {
    /// The same joint of the other side; itself in the middle.
    pub partner: Vec<Option<usize>>,
    /// The side of each joint that has a partner other than itself.
    pub side: Vec<Option<Side>>,
    /// Level direction that it looks in, of unit length.
    pub forward: DVec3,
}

impl BodyFrame {
    /// Names tell the sides, and the sides tell the front: `forward = left × up`. Without names the toes tell it, then the head of a long body, then `+x`.
    pub fn of(skeleton: &Skeleton, bind: &[Placed], feet: &[Foot]) -> BodyFrame {
        let partner = side_pairs(skeleton);
        let named: Vec<Option<Side>> = skeleton.joints.iter().map(|j| side(&words(&j.name))).collect();
        let paired = |j: usize| partner[j].filter(|&other| other != j);
        let mut left = DVec3::ZERO;
        for joint in 0..bind.len() {
            if let (Some(Side::Left), Some(other)) = (named[joint], paired(joint)) {
                left += (bind[joint].position - bind[other].position).with_z(0.0);
            }
        }
        let by_names = left.try_normalize().map(|left| left.cross(DVec3::Z));
        let forward = by_names.or_else(|| toes(bind, feet)).or_else(|| long_axis(bind)).unwrap_or(DVec3::X);
        let leftwards = DVec3::Z.cross(forward);
        let side_of = |joint: usize| {
            let other = paired(joint)?;
            let is_left = match (named[joint], named[other]) {
                (Some(side), _) => side == Side::Left,
                (None, Some(side)) => side == Side::Right,
                (None, None) => (bind[joint].position - bind[other].position).dot(leftwards) > 0.0,
            };
            Some(if is_left { Side::Left } else { Side::Right })
        };
        let side = (0..bind.len()).map(side_of).collect();
        BodyFrame { side, partner, forward }
    }

    /// Rotation about the vertical that turns this rig's front to `other`'s.
    pub fn turn_to(&self, other: &BodyFrame) -> DQuat {
        let angle = |v: DVec3| libm::atan2(v.y, v.x);
        DQuat::from_rotation_z(angle(other.forward) - angle(self.forward))
    }
}

/// Mean level direction from the ankles to the middles of their soles.
fn toes(bind: &[Placed], feet: &[Foot]) -> Option<DVec3> {
    let sum: DVec3 = feet
        .iter()
        .map(|foot| {
            let places = foot.sole.iter().map(|point| bind[point.joint].place(point.local));
            places.sum::<DVec3>() / foot.sole.len().max(1) as f64 - bind[foot.joint].position
        })
        .sum();
    sum.with_z(0.0).try_normalize()
}

/// From the root towards the joint that is farthest from it on the level.
fn long_axis(bind: &[Placed]) -> Option<DVec3> {
    let level = |p: &Placed| (p.position - bind[0].position).with_z(0.0);
    let farthest = bind.iter().map(level).max_by(|a, b| a.length().total_cmp(&b.length()))?;
    farthest.try_normalize()
}
