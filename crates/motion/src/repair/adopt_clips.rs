//! Brings the clips of one file onto the skeleton of another, matched by joint names.

use super::names::normalised;
use crate::skeleton::Placed;
use crate::{Clip, ReadError, Rig, Skeleton};
use glam::{DQuat, DVec3};
use std::collections::BTreeMap;

/// A root lies at the origin where it is nearer to it than this, over its height above the lowest joint.
const AT_ORIGIN: f64 = 0.05;
/// A clip runs high above such a root where its median height is more than this, over the same.
const RUNS_HIGH: f64 = 0.5;

/// Appends the clips of `other`, read from `other_file`, to `rig`.
///
/// Joints are matched by exact name, else by name without case, separators and exporters' prefixes (`mixamorig:`). What moves is the turn
/// from the bind pose in the world, so that bind poses with different joint axes do no harm: `R(t) = S(t) S_bind⁻¹ R_bind` with `S` the
/// orientation of the matched joint. A joint without a match stays in its bind rotation. The root's path is scaled by the ratio of root heights in the bind
/// poses. A root that lies at the origin of its bind pose, as in most BVH files, says nothing of the ground: where its clip runs high above it, the clip's heights
/// are heights over the ground. Fails when `other` has no clips, or fewer than half of the joints match.
pub fn adopt_clips(rig: &mut Rig, other: &Rig, other_file: &str) -> Result<(), ReadError> {
    let refuse = |message: String| Err(ReadError::content(other_file, message));
    if other.clips.is_empty() {
        return refuse("no clips to take over; name a file that has some".into());
    }
    let matches = match_joints(&rig.skeleton, &other.skeleton);
    let (joints, matched) = (matches.len(), matches.iter().flatten().count());
    if 2 * matched < joints {
        return refuse(format!(
            "its clips fit only {matched} of the character's {joints} joints by name; take clips of a skeleton with the same joint names"
        ));
    }
    let map = Map::new(&rig.skeleton, &other.skeleton, matches);
    let adopted: Vec<Clip> = other.clips.iter().map(|clip| map.clip(&rig.skeleton, &other.skeleton, clip)).collect();
    rig.clips.extend(adopted);

    let unmatched: Vec<String> = rig
        .skeleton
        .joints
        .iter()
        .zip(&map.matches)
        .filter(|(_, m)| m.is_none())
        .map(|(j, _)| format!("`{}`", j.name))
        .collect();
    let count = other.clips.len();
    rig.report.repairs.push(format!(
        "Clips taken from {other_file}: {count}; joints that they move, by name: {matched} of {joints}."
    ));
    if !unmatched.is_empty() {
        rig.report.repairs.push(format!("Not moved by the clips of {other_file}: {}.", unmatched.join(", ")));
    }
    Ok(())
}

/// Whether the names of at least half of `rig`'s joints are those of `other`'s, so that [`adopt_clips`] takes its clips.
pub fn fits_by_name(rig: &Skeleton, other: &Skeleton) -> bool {
    let matches = match_joints(rig, other);
    2 * matches.iter().flatten().count() >= matches.len()
}

/// For each joint of `ours` the joint of `theirs` that it follows.
fn match_joints(ours: &Skeleton, theirs: &Skeleton) -> Vec<Option<usize>> {
    let (mut exact, mut bare) = (BTreeMap::new(), BTreeMap::new());
    for (index, joint) in theirs.joints.iter().enumerate() {
        exact.entry(joint.name.as_str()).or_insert(index);
        bare.entry(normalised(&joint.name)).or_insert(index);
    }
    let find = |name: &str| exact.get(name).or_else(|| bare.get(&normalised(name))).copied();
    ours.joints.iter().map(|j| find(&j.name)).collect()
}

struct Map {
    matches: Vec<Option<usize>>,
    /// Bind poses.
    ours: Vec<Placed>,
    theirs: Vec<Placed>,
    /// Joint of theirs that our root follows, and the ratio of paths.
    root: usize,
    ratio: f64,
    /// Height of their root above their lowest joint.
    their_height: f64,
}

impl Map {
    fn new(ours: &Skeleton, theirs: &Skeleton, matches: Vec<Option<usize>>) -> Self {
        let (our_bind, their_bind) = (ours.bind_pose(), theirs.bind_pose());
        let root = matches[0].unwrap_or(0);
        // Height of the root above the lowest joint; skeletons without height keep the path as it is.
        let above_ground = |bind: &[Placed], root: usize| {
            bind[root].position.z - bind.iter().map(|p| p.position.z).fold(f64::INFINITY, f64::min)
        };
        let their_height = above_ground(&their_bind, root);
        let ratio = above_ground(&our_bind, 0) / their_height;
        let ratio = if ratio.is_finite() && ratio > 1e-3 && ratio < 1e3 { ratio } else { 1.0 };
        Map { matches, ours: our_bind, theirs: their_bind, root, ratio, their_height }
    }

    fn clip(&self, ours: &Skeleton, theirs: &Skeleton, clip: &Clip) -> Clip {
        let count = ours.joints.len();
        let mut root_positions = Vec::with_capacity(clip.frame_count());
        let mut rotations: Vec<DQuat> = Vec::with_capacity(clip.frame_count() * count);
        let mut world = vec![DQuat::IDENTITY; count];
        let stands = self.standing_root(theirs, clip);
        for frame in 0..clip.frame_count() {
            let placed = clip.place(theirs, frame);
            root_positions.push(self.root_position(placed[self.root].position, stands));
            for (index, joint) in ours.joints.iter().enumerate() {
                let above = joint.parent.map(|p| world[p]);
                world[index] = match self.matches[index] {
                    Some(m) => {
                        placed[m].orientation * self.theirs[m].orientation.inverse() * self.ours[index].orientation
                    }
                    None => above.map_or(joint.rotation, |a| a * joint.rotation),
                };
                let local = above.map_or(world[index], |a| a.inverse() * world[index]).normalize();
                let turned = frame > 0 && rotations[rotations.len() - count].dot(local) < 0.0;
                rotations.push(if turned { -local } else { local });
            }
        }
        Clip { name: clip.name.clone(), rate_hz: clip.rate_hz, root_positions, rotations }
    }

    /// Where their root is when they stand: that of the bind pose, or over the origin where that tells nothing.
    fn standing_root(&self, theirs: &Skeleton, clip: &Clip) -> DVec3 {
        let bind = self.theirs[self.root].position;
        if bind.z.abs() > AT_ORIGIN * self.their_height {
            return bind;
        }
        let mut heights: Vec<f64> =
            (0..clip.frame_count()).map(|frame| clip.place(theirs, frame)[self.root].position.z).collect();
        heights.sort_by(f64::total_cmp);
        let median = heights.get(heights.len() / 2).copied().unwrap_or(bind.z);
        if median - bind.z > RUNS_HIGH * self.their_height { bind + self.their_height * DVec3::Z } else { bind }
    }

    /// `p_ours(t) = p_ours,bind + ratio (p_theirs(t) − p_theirs,stand)`.
    fn root_position(&self, theirs: DVec3, stands: DVec3) -> DVec3 {
        self.ours[0].position + self.ratio * (theirs - stands)
    }
}
