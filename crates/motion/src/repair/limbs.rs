//! Finds the limbs that may bend so that their ends come to their places.

use super::limb_reach::Limb;
use super::names::{is_limb_end, words};
use crate::Skeleton;
use glam::DVec3;

/// A limb's end, with all below it, is at most this long in lengths of the limb above it.
const END_SHARE: f64 = 0.5;
/// Share of the limb's length that the bones which bend make up: stubs before them (a hip's, a collar's) stay as they are.
const BENDING_SHARE: f64 = 0.6;
/// An end this near to the lowest joint, in heights, stands on the ground.
const ON_GROUND: f64 = 0.15;

/// The limbs with feet or hands: above each such end at least two joints that have one child alone.
///
/// An end is called so, or stands on the ground in the bind pose, and is the joint nearest to the root below which no more than half the
/// limb's length follows (the foot, not the toes). Tails, heads and fingers keep the source's orientations instead: they touch nothing.
pub(super) fn limbs(skeleton: &Skeleton) -> Vec<Limb> {
    let joints = &skeleton.joints;
    let bind = skeleton.bind_pose();
    let lowest = bind.iter().map(|p| p.position.z).fold(f64::INFINITY, f64::min);
    let ground = lowest + ON_GROUND * skeleton.height();
    let (children, below) = measure(skeleton);
    let mut limbs: Vec<Limb> = Vec::new();
    let mut taken = vec![false; joints.len()];
    for end in 0..joints.len() {
        if !(is_limb_end(&words(&joints[end].name)) || bind[end].position.z < ground) {
            continue;
        }
        // Ancestors with one child alone, below the root.
        let mut run = vec![end];
        let mut above = joints[end].parent;
        while let Some(p) = above.filter(|&p| children[p] == 1 && p != 0 && !taken[p]) {
            run.push(p);
            above = joints[p].parent;
        }
        let bone = |&j: &usize| joints[j].offset.length();
        let length: f64 = run[..run.len() - 1].iter().map(bone).sum();
        if run.len() < 3 || below[end] > END_SHARE * length {
            continue;
        }
        // From the end up: two bones, and more until they make up most of the limb.
        let mut bones = 2;
        while run[..bones].iter().map(bone).sum::<f64>() < BENDING_SHARE * length {
            bones += 1;
        }
        run.truncate(bones + 1);
        run.reverse();
        run.iter().for_each(|&j| taken[j] = true);

        // The bend of the bind pose: the joint farthest aside from the line between first and last.
        let (first, last) = (&bind[run[0]], &bind[run[bones]]);
        let along = (last.position - first.position).normalize_or(DVec3::X);
        let aside = |&j: &usize| (bind[j].position - first.position).reject_from_normalized(along);
        let farthest = run.iter().map(aside).fold(DVec3::ZERO, |a, b| if b.length() > a.length() { b } else { a });
        let bend = if farthest.length() > 1e-3 * length { farthest.normalize() } else { DVec3::ZERO };
        limbs.push(Limb {
            lengths: run.iter().map(bone).collect(),
            bend: first.orientation.inverse() * bend,
            joints: run,
        });
    }
    limbs
}

/// Number of children, and longest way down from each joint to a tip.
fn measure(skeleton: &Skeleton) -> (Vec<usize>, Vec<f64>) {
    let count = skeleton.joints.len();
    let (mut children, mut below) = (vec![0usize; count], vec![0.0f64; count]);
    for (index, joint) in skeleton.joints.iter().enumerate().rev() {
        let to_tip = joint.tips.iter().map(|t| t.length()).fold(0.0, f64::max);
        below[index] = below[index].max(to_tip);
        if let Some(p) = joint.parent {
            children[p] += 1;
            below[p] = below[p].max(below[index] + joint.offset.length());
        }
    }
    (children, below)
}
