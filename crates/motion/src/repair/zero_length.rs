//! Merges joints that coincide with their parent in every pose.

use super::source::{Source, in_frame};
use super::tree::{Tree, extent, size};
use super::up_axis::axis;
use crate::{Report, Up};
use glam::DVec3;

/// Distance that counts as none, in heights.
const NO_LENGTH: f64 = 1e-4;
/// Largest displacement that a merge may cause, in heights.
const TOLERATED: f64 = 0.002;
/// A limb without skin that is shorter than this, in heights, is too small for a joint of its own (a finger's base, a thumb).
const STUB: f64 = 0.08;

/// Merges a joint `X` that lies on its parent `P` in the bind pose and in all clips:
/// into `P` where nothing that follows `X` then moves; with all below it where that is but a stub; else, where `P` has no other child and no skin, `P` into `X`.
/// Else both stay: the joint turns a limb of its own (a collar bone that starts in the spine).
///
/// What counts as a stub depends on the bind pose alone, so that all clips of a performer get the same skeleton.
pub(super) fn merge(tree: &mut Tree, source: &Source, up: Up, report: &mut Report) {
    let height = extent(tree, source, axis(up)).max(0.1 * size(tree, source));
    for joint in tree.in_order() {
        let Some(parent) = tree.parent[joint] else { continue };
        let near = |pose: &[_]| coincide(pose, joint, parent, NO_LENGTH * height);
        if !source.poses().all(near) {
            continue;
        }
        let only_child = tree.children(parent).len() == 1;
        if !tree.kept[joint] {
            continue;
        }
        if reach_below(tree, source, joint) < STUB * height {
            merge_stub(tree, source, joint, parent, report);
            continue;
        }
        let (gone, heir) = if displacement(tree, source, joint, parent) < TOLERATED * height {
            (joint, parent)
        } else if only_child && tree.skin[parent].is_empty() && tree.tips[parent].is_empty() {
            (parent, joint)
        } else {
            continue;
        };
        tree.absorb(gone, heir, source);
        report.merged.push(tree.names[gone].clone());
        let (gone, heir) = (&tree.names[gone], &tree.names[heir]);
        report.repairs.push(format!("`{gone}` lies on `{heir}`, a bone of no length: they became one joint."));
    }
}

/// Makes a stub part of `parent`, with its joints' ends as ends of the parent's bone.
fn merge_stub(tree: &mut Tree, source: &Source, stub: usize, parent: usize, report: &mut Report) {
    let members = tree.subtree(stub);
    for &member in members.iter().rev() {
        let is_end = member != stub && tree.children(member).is_empty() && tree.tips[member].is_empty();
        if is_end {
            tree.tips[member].push(DVec3::ZERO);
        }
        tree.absorb(member, parent, source);
    }
    let names: Vec<String> = members.iter().map(|&m| tree.names[m].clone()).collect();
    let (list, heir) = (names.join("`, `"), &tree.names[parent]);
    report.repairs.push(format!("`{list}`: a small limb that starts on `{heir}` itself became part of it."));
    report.merged.extend(names);
}

fn coincide(pose: &[crate::skeleton::Placed], a: usize, b: usize, distance: f64) -> bool {
    pose[a].position.distance(pose[b].position) <= distance
}

/// Length of the limb below a joint, tips and all; boundless where skin follows it.
fn reach_below(tree: &Tree, source: &Source, joint: usize) -> f64 {
    let members = tree.subtree(joint);
    let mut farthest = vec![0.0f64; tree.kept.len()];
    let mut longest = 0.0;
    for &member in &members {
        if !tree.skin[member].is_empty() {
            return f64::INFINITY;
        }
        if let (Some(p), true) = (tree.parent[member], member != joint) {
            farthest[member] = farthest[p] + source.bind[member].position.distance(source.bind[p].position);
        }
        let to_tip = tree.tips[member].iter().map(|t| t.length()).fold(0.0, f64::max);
        longest = f64::max(longest, farthest[member] + to_tip);
    }
    longest
}

/// How far children and skin of `joint` stray from a constant place in its parent's frame: `max |x − mean x|`.
fn displacement(tree: &Tree, source: &Source, joint: usize, parent: usize) -> f64 {
    if source.samples.is_empty() {
        return 0.0;
    }
    let stray = |place: &dyn Fn(&[crate::skeleton::Placed]) -> DVec3| {
        let seen: Vec<DVec3> = source.samples.iter().map(|pose| in_frame(&pose[parent], place(pose))).collect();
        let mean = seen.iter().sum::<DVec3>() / seen.len() as f64;
        seen.iter().map(|x| x.distance(mean)).fold(0.0, f64::max)
    };
    let children = tree.children(joint);
    let by_children = children.iter().map(|&c| stray(&|pose| pose[c].position)).fold(0.0, f64::max);
    // The farthest points of the skin stand for all: two that lie apart, as one may lie on the axis of the turn.
    let skin = &tree.skin[joint];
    let far = skin.iter().copied().max_by(|a, b| a.length().total_cmp(&b.length()));
    let across = far.and_then(|f| {
        let off_axis = |p: &DVec3| p.reject_from_normalized(f.normalize_or(DVec3::X)).length();
        skin.iter().copied().max_by(|a, b| off_axis(a).total_cmp(&off_axis(b)))
    });
    let scale = |p: DVec3| move |pose: &[crate::skeleton::Placed]| pose[joint].place(p);
    let by_skin = far.into_iter().chain(across).map(|p| stray(&scale(p))).fold(0.0, f64::max);
    by_children.max(by_skin)
}
