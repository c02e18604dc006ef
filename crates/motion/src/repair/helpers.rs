//! Leaves out joints that are no part of the body: controls, targets, slots, markers of bone ends.

use super::names::{is_body_part, is_control, is_end_marker, is_slot};
use super::source::{Source, in_frame};
use super::tree::{Tree, size};
use crate::Report;

/// Why a joint goes.
enum Verdict {
    Keep,
    /// With the mesh that hangs from it, which is no body either.
    DropWithMesh,
    /// No skin follows it.
    Drop,
    /// It marks the end of its parent's bone.
    Tip,
}

/// Goes through the joints from the leaves up and takes out every leaf that is a helper, so that chains of helpers go as a whole.
///
/// A joint with skin stays whatever it is called (a foot named `IKBackLeg.L`), save slots, whose mesh is a thing in the hand. A joint
/// without skin goes when its name says so; or, where the file has a skin, when it hangs from a root without being named as a part of the body.
pub(super) fn drop_helpers(tree: &mut Tree, source: &Source, report: &mut Report) {
    let skinned = tree.has_skin();
    let small = 1e-4 * size(tree, source);
    let mut children = vec![0usize; tree.kept.len()];
    for joint in tree.joints() {
        if let Some(p) = tree.parent[joint] {
            children[p] += 1;
        }
    }
    let (mut dropped, mut tips) = (Vec::new(), Vec::new());
    let mut left = tree.joints().count();
    for joint in tree.in_order().into_iter().rev() {
        if children[joint] > 0 || left == 1 {
            continue;
        }
        let parent = tree.parent[joint];
        match (verdict(tree, joint, skinned), parent) {
            (Verdict::Keep, _) => continue,
            (Verdict::Tip, Some(p)) => {
                // The marker's place, and the ends that it may have itself.
                let place = in_frame(&source.bind[p], source.bind[joint].position);
                let has_ends = tree.tips[joint].iter().any(|t| t.length() > small);
                tree.absorb(joint, p, source);
                if !has_ends && place.length() > small {
                    tree.tips[p].push(place);
                }
                tips.push(tree.names[joint].clone());
            }
            (Verdict::DropWithMesh, Some(p)) => {
                tree.skin[joint].clear();
                tree.heir[joint] = None;
                tree.tips[joint].clear();
                tree.absorb(joint, p, source);
                dropped.push(tree.names[joint].clone());
            }
            (Verdict::Drop, Some(p)) => {
                tree.tips[joint].clear();
                tree.absorb(joint, p, source);
                dropped.push(tree.names[joint].clone());
            }
            (_, None) => {
                tree.kept[joint] = false;
                dropped.push(tree.names[joint].clone());
            }
        }
        left -= 1;
        if let Some(p) = parent {
            children[p] -= 1;
        }
    }
    dropped.reverse();
    tips.reverse();
    if !dropped.is_empty() {
        report
            .repairs
            .push(format!("Left out as controls, targets or slots, no part of the body: {}.", list(&dropped)));
    }
    if !tips.is_empty() {
        report.repairs.push(format!("Taken for ends of their parents' bones, not joints: {}.", list(&tips)));
    }
    report.dropped.extend(dropped.into_iter().chain(tips));
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn verdict(tree: &Tree, joint: usize, skinned: bool) -> Verdict {
    let words = &tree.words[joint];
    let bare = tree.skin[joint].is_empty();
    let parent = tree.parent[joint];
    if is_slot(words) {
        return Verdict::DropWithMesh;
    }
    if !bare {
        return Verdict::Keep;
    }
    if is_control(words) {
        return Verdict::Drop;
    }
    if is_end_marker(words) && parent.is_some() {
        return Verdict::Tip;
    }
    let Some(p) = parent else { return if skinned && !is_body_part(words) { Verdict::Drop } else { Verdict::Keep } };
    if skinned && !is_body_part(words) {
        // Without skin and without a name that speaks for it: below a skinned joint it ends that bone; below a bare root it serves none.
        if !tree.skin[p].is_empty() {
            return Verdict::Tip;
        }
        if tree.parent[p].is_none() {
            return Verdict::Drop;
        }
    }
    Verdict::Keep
}
