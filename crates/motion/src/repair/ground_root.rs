//! Merges a root that only marks the ground, the origin or a control into the joint that it carries.

use super::names::is_origin;
use super::source::Source;
use super::tree::Tree;
use crate::Report;

/// While the root has one child alone and is no part of the body (no skin follows it; or, where the file has no skin, its name is that of
/// an origin), the child becomes the root. The motion of the old root stays: the child's is taken in the world.
pub(super) fn merge(tree: &mut Tree, source: &Source, report: &mut Report) {
    let skinned = tree.has_skin();
    loop {
        let root = match tree.roots()[..] {
            [root] => root,
            _ => return,
        };
        let no_body = if skinned { tree.skin[root].is_empty() } else { is_origin(&tree.words[root]) };
        let child = match tree.children(root)[..] {
            [child] if no_body && tree.tips[root].is_empty() => child,
            _ => return,
        };
        tree.absorb(root, child, source);
        let (root, child) = (tree.names[root].clone(), &tree.names[child]);
        report.repairs.push(format!("`{root}` only carries `{child}`, so `{child}` is the root of the skeleton."));
        report.merged.push(root);
    }
}
