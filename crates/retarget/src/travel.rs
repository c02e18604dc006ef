//! How the path of the source becomes the path of the character.

use crate::joint_map::Posture;
use crate::legs_and_arms::{Body, LimbPair};
use crate::rest_pose::RestPoses;
use crate::rotations::smooth_step;
use crate::sections::Section;
use glam::{DQuat, DVec3};
use sinew_motion::skeleton::Placed;

/// Scales of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Travel {
    /// Level lengths: ratio of the legs.
    pub level: f64,
    /// Heights of the pelvises over the ground in the rest poses, source and target, m.
    pub standing: [f64; 2],
}

/// Heights of a pelvis, in standing ones, between which a body comes from lying to standing.
const RISES: [f64; 2] = [0.4, 0.8];

impl Travel {
    /// Ratios of leg lengths and of standing heights. Between bodies with stances of their own, the height of the hips stands for the length of the legs.
    pub fn between(
        source: &Body,
        target: &Body,
        limbs: &[LimbPair],
        rest: &RestPoses,
        pelvis: [usize; 2],
        posture: Posture,
    ) -> Travel {
        let legs: Vec<&LimbPair> = limbs.iter().filter(|pair| pair.kind.is_leg()).collect();
        let floors = [floor(&rest.source, &legs, true), floor(&rest.target, &legs, false)];
        let sum = |of: &dyn Fn(&LimbPair) -> Option<f64>| legs.iter().filter_map(|pair| of(pair)).sum::<f64>();
        let lengths = match posture {
            Posture::Same => [sum(&|p| p.source.length(&source.bind)), sum(&|p| p.target.length(&target.bind))],
            Posture::Own => {
                let hip =
                    |limb: Option<usize>, placed: &[Placed], floor: f64| limb.map(|j| placed[j].position.z - floor);
                let ours = sum(&|p| hip(p.source.first(Section::Upper), &rest.source, floors[0]));
                [ours, sum(&|p| hip(p.target.first(Section::Upper), &rest.target, floors[1]))]
            }
        };
        let heights = [rest.source[pelvis[0]].position.z - floors[0], rest.target[pelvis[1]].position.z - floors[1]];
        let level = ratio(lengths).unwrap_or(1.0);
        let standing = if ratio(heights).is_some() { heights } else { [1.0, level] };
        Travel { level, standing }
    }

    /// Where the pelvis of the character is. On the level `k x`. A body that stands rises and sinks by `k` times what the source does,
    /// `h_t + k (z − h_s)`; one that lies is as high in its own standing height as the source, `h_t z / h_s`.
    pub fn pelvis(&self, source: DVec3) -> DVec3 {
        let [ours, theirs] = self.standing;
        let (lying, standing) = (theirs * source.z / ours, theirs + self.level * (source.z - ours));
        let share = smooth_step(RISES[0], RISES[1], source.z / ours);
        DVec3::new(self.level * source.x, self.level * source.y, lying + share * (standing - lying))
    }
}

fn ratio([source, target]: [f64; 2]) -> Option<f64> {
    let ratio = target / source;
    (ratio.is_finite() && ratio > 1e-3 && ratio < 1e3).then_some(ratio)
}

/// Lowest point of the soles in a pose.
pub(crate) fn floor(placed: &[Placed], legs: &[&LimbPair], of_source: bool) -> f64 {
    let limb = |pair: &&&LimbPair| if of_source { pair.source.foot.clone() } else { pair.target.foot.clone() };
    let points = legs.iter().filter_map(|pair| limb(&pair)).flat_map(|foot| foot.sole);
    let low = points.map(|p| placed[p.joint].place(p.local).z).fold(f64::INFINITY, f64::min);
    if low.is_finite() { low } else { placed.iter().map(|p| p.position.z).fold(f64::INFINITY, f64::min) }
}

/// Heading of a body that is turned by `turn` from its rest pose, as a rotation about the vertical; where it looks up or down, `before` goes on.
pub(crate) fn heading(turn: DQuat, forward: DVec3, before: DQuat) -> DQuat {
    let now = turn * forward;
    if now.with_z(0.0).length() < 0.3 {
        return before;
    }
    let angle = |v: DVec3| libm::atan2(v.y, v.x);
    DQuat::from_rotation_z(angle(now) - angle(forward))
}
