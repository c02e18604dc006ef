//! The tree of joints while it is being repaired.

use super::names;
use super::source::{Source, in_frame};
use crate::raw::{RawRig, SKIN_POINTS};
use glam::DVec3;

/// Which nodes are joints, what they hang from, and what follows them. Indices are those of [`RawRig::nodes`].
pub(super) struct Tree {
    /// Whether the node is a joint of the repaired skeleton.
    pub kept: Vec<bool>,
    /// The joint that a kept joint hangs from; always a kept one.
    pub parent: Vec<Option<usize>>,
    /// Where the bone ends, in the joint's bind frame, file units.
    pub tips: Vec<Vec<DVec3>>,
    /// Skin that follows the joint, in its bind frame, file units.
    pub skin: Vec<Vec<DVec3>>,
    /// The joint that took a joint's place, and its skin; the joint itself where it stays, `None` where its mesh is left out.
    pub heir: Vec<Option<usize>>,
    /// Names.
    pub names: Vec<String>,
    /// Words of the names.
    pub words: Vec<Vec<String>>,
}

impl Tree {
    /// All joints, each below its nearest ancestor that is a joint. Other nodes (`Armature`, `RootNode`) only lend their transforms.
    pub fn new(raw: &RawRig) -> Self {
        let kept: Vec<bool> = raw.nodes.iter().map(|n| n.is_joint).collect();
        let mut parent: Vec<Option<usize>> = Vec::with_capacity(kept.len());
        for node in &raw.nodes {
            parent.push(node.parent.and_then(|p| if kept[p] { Some(p) } else { parent[p] }));
        }
        Tree {
            kept,
            parent,
            tips: raw.nodes.iter().map(|n| n.tips.clone()).collect(),
            skin: raw.nodes.iter().map(|n| if n.is_joint { n.skin.clone() } else { Vec::new() }).collect(),
            heir: raw.nodes.iter().enumerate().map(|(i, n)| n.is_joint.then_some(i)).collect(),
            names: raw.nodes.iter().map(|n| n.name.clone()).collect(),
            words: raw.nodes.iter().map(|n| names::words(&n.name)).collect(),
        }
    }

    /// The joints, in file order.
    pub fn joints(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.kept.len()).filter(|&j| self.kept[j])
    }

    /// Joints that hang from `joint`, in file order.
    pub fn children(&self, joint: usize) -> Vec<usize> {
        self.joints().filter(|&j| self.parent[j] == Some(joint)).collect()
    }

    /// Joints without a parent.
    pub fn roots(&self) -> Vec<usize> {
        self.joints().filter(|&j| self.parent[j].is_none()).collect()
    }

    /// Joints from the roots down, parents before children, siblings in file order.
    pub fn in_order(&self) -> Vec<usize> {
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.kept.len()];
        for joint in self.joints() {
            if let Some(p) = self.parent[joint] {
                below[p].push(joint);
            }
        }
        let mut stack = self.roots();
        stack.reverse();
        let mut order = Vec::with_capacity(self.kept.len());
        while let Some(joint) = stack.pop() {
            order.push(joint);
            stack.extend(below[joint].iter().rev());
        }
        order
    }

    /// `joint` and all below it.
    pub fn subtree(&self, joint: usize) -> Vec<usize> {
        let mut within = vec![false; self.kept.len()];
        within[joint] = true;
        let mut members = Vec::new();
        for j in self.in_order() {
            if within[j] || self.parent[j].is_some_and(|p| within[p]) {
                within[j] = true;
                members.push(j);
            }
        }
        members
    }

    /// Whether the file has a skin at all.
    pub fn has_skin(&self) -> bool {
        self.skin.iter().any(|s| !s.is_empty())
    }

    /// What a subtree weighs when the largest is sought: points of skin, then joints.
    pub fn weight(&self, joint: usize) -> (usize, usize) {
        let members = self.subtree(joint);
        (members.iter().map(|&j| self.skin[j].len()).sum(), members.len())
    }

    /// Takes a joint out: `heir` receives its skin, its tips and its children, all where they are in the bind pose.
    pub fn absorb(&mut self, joint: usize, heir: usize, source: &Source) {
        let (from, to) = (&source.bind[joint], &source.bind[heir]);
        let moved = |points: Vec<DVec3>| points.into_iter().map(|p| in_frame(to, from.place(p))).collect::<Vec<_>>();
        let (tips, skin) = (std::mem::take(&mut self.tips[joint]), std::mem::take(&mut self.skin[joint]));
        self.tips[heir].extend(moved(tips));
        self.skin[heir].extend(moved(skin));
        for child in self.children(joint) {
            self.parent[child] = Some(heir);
        }
        if self.parent[heir] == Some(joint) || self.parent[heir] == Some(heir) {
            self.parent[heir] = self.parent[joint];
        }
        self.kept[joint] = false;
        // A joint whose mesh was left out keeps none.
        self.heir[joint] = self.heir[joint].map(|_| heir);
    }

    /// The joint of the repaired skeleton that a node's skin follows.
    pub fn follower(&self, node: usize) -> Option<usize> {
        let mut at = node;
        for _ in 0..self.heir.len() {
            match self.heir.get(at).copied().flatten()? {
                next if next == at => return self.kept[at].then_some(at),
                next => at = next,
            }
        }
        None
    }

    /// Skin of a joint, thinned evenly to at most [`SKIN_POINTS`].
    pub fn thinned_skin(&self, joint: usize) -> Vec<DVec3> {
        let points = &self.skin[joint];
        let count = points.len().min(SKIN_POINTS);
        (0..count).map(|i| points[i * points.len() / count]).collect()
    }
}

/// Extent of the bind pose along an axis of the file: joints, tips and skin.
pub(super) fn extent(tree: &Tree, source: &Source, axis: DVec3) -> f64 {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for joint in tree.joints() {
        let place = &source.bind[joint];
        for &point in [DVec3::ZERO].iter().chain(&tree.tips[joint]).chain(&tree.skin[joint]) {
            let along = axis.dot(place.place(point));
            (low, high) = (low.min(along), high.max(along));
        }
    }
    (high - low).max(0.0)
}

/// Largest extent of the bind pose along any axis of the file.
pub(super) fn size(tree: &Tree, source: &Source) -> f64 {
    DVec3::AXES.iter().map(|&axis| extent(tree, source, axis)).fold(0.0, f64::max)
}
