//! What the votes look at: a figure's legs and masses, and the courses of its centre and feet in each clip.

use crate::skeleton::Placed;
use crate::tools::{Foot, ToolError, feet, put_on_ground, repeat_cycle};
use crate::{Clip, Rig, Skeleton};
use glam::DVec3;

/// Fewest points of skin whose spread tells a volume.
const ENOUGH_SKIN: usize = 8;
/// Radius of a bone without skin over its length.
const BONE_RADIUS: f64 = 0.15;

/// A figure as it is drawn.
pub(super) struct Figure<'a> {
    pub skeleton: &'a Skeleton,
    pub feet: Vec<Foot>,
    /// Height of the bind pose, m.
    pub height: f64,
    /// Height of the hips over the ground, m.
    pub leg: f64,
    /// Height of the centre of mass over the ground in the bind pose, m.
    pub center: f64,
    /// For each joint the share of the mass that moves with it, and where in its frame that is.
    masses: Vec<(f64, DVec3)>,
}

/// A clip on the ground: where centre and feet go.
pub(super) struct Course {
    pub name: String,
    pub rate_hz: f64,
    /// Centre of mass, one for each frame, m.
    pub center: Vec<DVec3>,
    /// Joints of the feet: frame × foot.
    pub feet: Vec<DVec3>,
    /// Height of the lowest sole, one for each frame, m.
    pub low: Vec<f64>,
    /// Length of the cycle, s, where the end meets the beginning.
    pub cycle_secs: Option<f64>,
}

impl<'a> Figure<'a> {
    pub fn of(rig: &'a Rig) -> Figure<'a> {
        let skeleton = &rig.skeleton;
        let feet = feet(skeleton, &rig.clips);
        let bind = skeleton.bind_pose();
        let masses = masses(skeleton, &bind);
        let height = skeleton.height();
        let leg = leg_length(skeleton, &bind, &feet).unwrap_or(0.5 * height);
        let mut figure = Figure { skeleton, feet, height, leg, center: 0.0, masses };
        let ground = skeleton.joints.iter().zip(&bind).flat_map(|(joint, at)| points(joint).map(|p| at.place(p).z));
        figure.center = figure.center_of(&bind).z - ground.fold(f64::INFINITY, f64::min);
        figure
    }

    /// Centre of mass of a pose.
    fn center_of(&self, placed: &[Placed]) -> DVec3 {
        self.masses.iter().zip(placed).map(|((share, local), at)| *share * at.place(*local)).sum()
    }
}

impl Course {
    /// The course of a clip, on level ground and travelling; none of a single pose.
    pub fn of(figure: &Figure, clip: &Clip) -> Result<Option<Course>, ToolError> {
        if clip.frame_count() < 3 || figure.feet.is_empty() {
            return Ok(None);
        }
        let repeated = repeat_cycle(clip, 1)?;
        let steps = clip.frame_count() - usize::from(repeated.last_frame_repeats_first);
        let cycle_secs = repeated.is_cycle.then(|| steps as f64 / clip.rate_hz);
        let clip = put_on_ground(figure.skeleton, clip, &figure.feet)?.clip;
        let (mut center, mut feet, mut low) = (Vec::new(), Vec::new(), Vec::new());
        for frame in 0..clip.frame_count() {
            let placed = clip.place(figure.skeleton, frame);
            center.push(figure.center_of(&placed));
            feet.extend(figure.feet.iter().map(|foot| placed[foot.joint].position));
            let soles = figure.feet.iter().flat_map(|foot| &foot.sole);
            low.push(soles.map(|sole| placed[sole.joint].place(sole.local).z).fold(f64::INFINITY, f64::min));
        }
        Ok(Some(Course { name: clip.name, rate_hz: clip.rate_hz, center, feet, low, cycle_secs }))
    }

    pub fn frames(&self) -> usize {
        self.center.len()
    }

    /// From the first frame to the last, s.
    pub fn secs(&self) -> f64 {
        (self.frames() - 1) as f64 / self.rate_hz
    }
}

/// Skin, bone ends and origin of a joint, in its frame.
fn points(joint: &crate::Joint) -> impl Iterator<Item = DVec3> + '_ {
    std::iter::once(DVec3::ZERO).chain(joint.tips.iter().copied()).chain(joint.skin.iter().copied())
}

/// Shares of the mass: volumes of the skin, `√det` of its covariance; of bones where there is none.
fn masses(skeleton: &Skeleton, bind: &[Placed]) -> Vec<(f64, DVec3)> {
    let mut masses: Vec<(f64, DVec3)> = skeleton.joints.iter().map(|joint| skin_volume(&joint.skin)).collect();
    if masses.iter().all(|(volume, _)| *volume <= 0.0) {
        for (index, (joint, at)) in skeleton.joints.iter().zip(bind).enumerate() {
            let children =
                skeleton.children(index).map(|c| at.orientation.inverse() * (bind[c].position - at.position));
            let ends: Vec<DVec3> = children.chain(joint.tips.iter().copied()).collect();
            let volume = |end: &DVec3| BONE_RADIUS * BONE_RADIUS * end.length() * end.length_squared();
            let total: f64 = ends.iter().map(volume).sum();
            let middle = ends.iter().map(|end| volume(end) * 0.5 * *end).sum::<DVec3>() / total.max(1e-12);
            masses[index] = (total, middle);
        }
    }
    let total: f64 = masses.iter().map(|(volume, _)| volume).sum();
    if total <= 0.0 {
        masses[0].0 = 1.0;
        return masses;
    }
    masses.into_iter().map(|(volume, middle)| (volume / total, middle)).collect()
}

/// Volume of an ellipsoid with the spread of some points, but for a factor, and their middle.
fn skin_volume(skin: &[DVec3]) -> (f64, DVec3) {
    if skin.len() < ENOUGH_SKIN {
        return (0.0, DVec3::ZERO);
    }
    let middle = skin.iter().sum::<DVec3>() / skin.len() as f64;
    let mut covariance = glam::DMat3::ZERO;
    for point in skin {
        let d = *point - middle;
        covariance += glam::DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    }
    let cubed = (skin.len() * skin.len() * skin.len()) as f64;
    (libm::sqrt((covariance.determinant() / cubed).max(0.0)), middle)
}

/// Height of the hips over the soles in the bind pose, the middle one of all legs. A hip is the highest joint that carries one foot only.
/// Where the bind pose does not stand on its legs, most of their length.
fn leg_length(skeleton: &Skeleton, bind: &[Placed], feet: &[Foot]) -> Option<f64> {
    let above = |joint: usize| std::iter::successors(Some(joint), |&j| skeleton.joints[j].parent);
    let mut lengths: Vec<f64> = Vec::new();
    for foot in feet {
        let is_shared = |joint: usize| feet.iter().any(|o| o.joint != foot.joint && above(o.joint).any(|j| j == joint));
        let way: Vec<usize> = above(foot.joint).take_while(|&j| j > 0 && !is_shared(j)).collect();
        let hip = *way.last()?;
        let sole = foot.sole.iter().map(|s| bind[s.joint].place(s.local).z).fold(f64::INFINITY, f64::min);
        let bones: f64 = way.windows(2).map(|w| bind[w[0]].position.distance(bind[w[1]].position)).sum();
        let chain = bones + (bind[foot.joint].position.z - sole).max(0.0);
        let standing = bind[hip].position.z - sole;
        lengths.push(if standing > 0.4 * chain { standing } else { 0.8 * chain });
    }
    lengths.sort_by(f64::total_cmp);
    lengths.get(lengths.len() / 2).copied().filter(|leg| *leg > 0.0)
}
