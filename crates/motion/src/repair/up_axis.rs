//! Decides which axis of the file points up.

use super::names::{is_foot, is_head};
use super::source::Source;
use super::tree::Tree;
use crate::raw::RawRig;
use crate::{ImportOptions, Report, Up};
use glam::DVec3;

/// The option, else what the file declares, else the direction from the feet up the legs in the bind pose, else from the root to the
/// head, else `y`.
pub(super) fn choose(raw: &RawRig, tree: &Tree, source: &Source, options: &ImportOptions, report: &mut Report) -> Up {
    let (up, reason) = match (options.up, raw.up) {
        (Some(up), _) => (up, "as given".to_string()),
        (None, Some(up)) => (up, "as the format says".to_string()),
        (None, None) => guess(tree, source),
    };
    report.up = format!("{} is up: {reason}.", name(up));
    up
}

/// The axis of the file as a vector.
pub(super) fn axis(up: Up) -> DVec3 {
    match up {
        Up::X => DVec3::X,
        Up::Y => DVec3::Y,
        Up::Z => DVec3::Z,
    }
}

fn name(up: Up) -> &'static str {
    match up {
        Up::X => "x",
        Up::Y => "y",
        Up::Z => "z",
    }
}

fn guess(tree: &Tree, source: &Source) -> (Up, String) {
    let candidates = [(legs(tree, source), "the legs run along it"), (to_head(tree, source), "the body runs along it")];
    for (direction, reason) in candidates {
        let Some(direction) = direction else { continue };
        let size = direction.abs();
        let up = if size.x > size.y.max(size.z) {
            Up::X
        } else if size.y >= size.z {
            Up::Y
        } else {
            Up::Z
        };
        if axis(up).dot(size) < 0.75 * direction.length() {
            continue;
        }
        let downward = axis(up).dot(direction) < 0.0;
        let note = if downward { ", though upside down; give the up axis if that is wrong" } else { "" };
        return (up, format!("{reason} in the bind pose{note}"));
    }
    (Up::Y, "nothing in the bind pose says otherwise; give the up axis if that is wrong".into())
}

/// Mean direction from the feet to the tops of their legs: where the leg leaves the first joint with several limbs.
fn legs(tree: &Tree, source: &Source) -> Option<DVec3> {
    let mut children = vec![0usize; tree.kept.len()];
    for joint in tree.joints() {
        if let Some(p) = tree.parent[joint] {
            children[p] += 1;
        }
    }
    let above = |j: usize| tree.parent[j];
    let feet = tree.joints().filter(|&j| is_foot(&tree.words[j]) && above(j).is_some_and(|p| !is_foot(&tree.words[p])));
    let mut sum = DVec3::ZERO;
    for foot in feet {
        let mut top = foot;
        while let Some(p) = above(top) {
            top = p;
            if children[p] > 1 {
                break;
            }
        }
        sum += source.bind[top].position - source.bind[foot].position;
    }
    (sum.length() > 0.0).then_some(sum)
}

fn to_head(tree: &Tree, source: &Source) -> Option<DVec3> {
    let head = tree.joints().find(|&j| is_head(&tree.words[j]))?;
    let root = tree.roots().first().copied()?;
    let direction = source.bind[head].position - source.bind[root].position;
    (direction.length() > 0.0).then_some(direction)
}
