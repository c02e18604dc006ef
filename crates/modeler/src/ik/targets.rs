//! What a frame of the clip asks of the character: a binding, resolved once against character and skeleton.

use super::error::IkError;
use super::options::IkOptions;
use super::tree::Tree;
use crate::binding::Binding;
use glam::{DQuat, DVec3};
use sinew_motion::skeleton::Placed;
use sinew_motion::{Clip, Skeleton};
use sinew_sim::{Character, JointKind};

/// Farthest place of a clip's root from the origin, m.
const FARTHEST: f64 = 1e6;

/// A binding by index: link orientations and points, each with the joint that it follows.
#[derive(Clone, Debug)]
pub(super) struct Targets {
    /// Turns of links.
    pub poses: Vec<PoseTarget>,
    /// Points of links: the end effectors, in the order of the binding, then the bodies' origins.
    pub points: Vec<PointTarget>,
    /// Names of the end effectors.
    pub effector_names: Vec<String>,
    /// The first pose of each link.
    pub pose_of_link: Vec<Option<usize>>,
    /// For each hinge with a target, the hinges without one just below it that turn nothing else, the lowest first; together they take
    /// the turn of its joint.
    pub chain_of_link: Vec<Vec<usize>>,
    /// Whether each link is in such a chain.
    pub is_chained: Vec<bool>,
    /// The pose that carries the root; absent for a root that is bolted to the world and not bound.
    pub root: Option<usize>,
    /// Largest distance of a body or end effector from the root at rest, m.
    pub reach: f64,
}

/// `link orientation = joint orientation · rotation`, `link origin = joint.place(offset)`.
#[derive(Clone, Debug)]
pub(super) struct PoseTarget {
    pub link: usize,
    /// Index of the skeleton's joint.
    pub joint: usize,
    pub offset: DVec3,
    pub rotation: DQuat,
    /// Weight in the cost.
    pub weight: f64,
}

/// `point of the link = joint.place(target)`.
#[derive(Clone, Debug)]
pub(super) struct PointTarget {
    pub link: usize,
    /// In the link's frame, m.
    pub point: DVec3,
    /// Index of the skeleton's joint.
    pub joint: usize,
    /// In the joint's frame, m.
    pub target: DVec3,
    /// Weight in the cost, 1/m².
    pub weight: f64,
}

impl Targets {
    /// Resolves names; all that are missing are named together.
    pub fn new(
        character: &Character,
        tree: &Tree,
        binding: &Binding,
        skeleton: &Skeleton,
        options: &IkOptions,
    ) -> Result<Targets, IkError> {
        check_names(character, tree, binding, skeleton)?;
        check_numbers(binding)?;
        let reach = reach(character, tree);
        let per_length2 = 1.0 / (reach * reach);
        let joint_of = |name: &str| skeleton.find(name).unwrap_or(0);
        let mut points = Vec::new();
        for effector in &binding.effectors {
            let Some(end) = character.end_effectors.iter().find(|e| e.name == effector.name) else { continue };
            let Some(body) = tree.body(&end.body).map(|b| &tree.bodies[b]) else { continue };
            points.push(PointTarget {
                link: body.link,
                point: body.position + body.rotation * DVec3::from_array(end.position),
                joint: joint_of(&effector.joint),
                target: effector.point,
                weight: options.effectors * per_length2,
            });
        }
        let mut poses = Vec::new();
        let mut pose_of_link = vec![None; tree.links.len()];
        let root_body = tree.bodies[0].name.as_str();
        // The root's own body leads where several bodies are welded to the root.
        let mut links: Vec<_> = binding.links.iter().collect();
        links.sort_by_key(|l| l.body != root_body);
        for bound in links {
            let Some(body) = tree.body(&bound.body).map(|b| &tree.bodies[b]) else { continue };
            let rotation = bound.rotation.normalize() * body.rotation.conjugate();
            let is_root = body.link == 0 && pose_of_link[0].is_none();
            let joint = joint_of(&bound.joint);
            pose_of_link[body.link].get_or_insert(poses.len());
            poses.push(PoseTarget {
                link: body.link,
                joint,
                offset: bound.offset - rotation * body.position,
                rotation,
                weight: options.pose + if is_root { options.root_orientation } else { 0.0 },
            });
            points.push(PointTarget {
                link: body.link,
                point: body.position,
                joint,
                target: bound.offset,
                weight: per_length2 * if is_root { options.root_position } else { options.body_positions },
            });
        }
        let root = pose_of_link[0];
        if root.is_none() && tree.links[0].kind != JointKind::Fixed {
            return Err(IkError::NoRootLink { character: character.name.clone(), body: root_body.to_owned() });
        }
        let effector_names = binding.effectors.iter().map(|e| e.name.clone()).collect();
        let chain_of_link = chains(tree, &pose_of_link);
        let mut is_chained = vec![false; tree.links.len()];
        chain_of_link.iter().flatten().for_each(|&i| is_chained[i] = true);
        Ok(Targets { poses, points, effector_names, pose_of_link, chain_of_link, is_chained, root, reach })
    }

    /// Orientation that each pose target asks for.
    pub fn orientations(&self, joints: &[Placed], out: &mut Vec<DQuat>) {
        out.clear();
        out.extend(self.poses.iter().map(|t| joints[t.joint].orientation * t.rotation));
    }

    /// Place that each point target asks for, m.
    pub fn places(&self, joints: &[Placed], out: &mut Vec<DVec3>) {
        out.clear();
        out.extend(self.points.iter().map(|t| joints[t.joint].place(t.target)));
    }
}

/// Refuses clips that are not poses of the skeleton.
pub(super) fn check_clip(skeleton: &Skeleton, clip: &Clip) -> Result<(), IkError> {
    let name = || clip.name.clone();
    let (frames, joints) = (clip.frame_count(), skeleton.joints.len());
    if frames == 0 {
        return Err(IkError::EmptyClip { clip: name() });
    }
    let (found, expected) = (clip.rotations.len(), frames.saturating_mul(joints));
    if found != expected || joints == 0 {
        return Err(IkError::JointCount { clip: name(), found, frames, joints, expected });
    }
    if !(0.001..=1e5).contains(&clip.rate_hz) {
        return Err(IkError::Rate { clip: name(), rate_hz: clip.rate_hz });
    }
    for frame in 0..frames {
        let position = clip.root_positions[frame];
        if !(position.is_finite() && position.abs().max_element() <= FARTHEST) {
            return Err(IkError::ClipNumber { clip: name(), frame, joint: skeleton.joints[0].name.clone() });
        }
        if let Some(bad) = clip.rotations_of(frame).iter().position(|&q| !is_rotation(q)) {
            return Err(IkError::ClipNumber { clip: name(), frame, joint: skeleton.joints[bad].name.clone() });
        }
    }
    Ok(())
}

/// Every joint's place in a frame, as [`Clip::place`], with rotations brought to unit length and memory used again.
pub(super) fn place_joints(skeleton: &Skeleton, clip: &Clip, frame: usize, placed: &mut Vec<Placed>) {
    placed.clear();
    for (joint, rotation) in skeleton.joints.iter().zip(clip.rotations_of(frame)) {
        let rotation = rotation.normalize();
        placed.push(match joint.parent {
            None => Placed { position: clip.root_positions[frame], orientation: rotation },
            Some(p) => {
                Placed { position: placed[p].place(joint.offset), orientation: placed[p].orientation * rotation }
            }
        });
    }
}

fn is_rotation(q: DQuat) -> bool {
    (1e-12..1e12).contains(&q.length_squared())
}

fn check_names(character: &Character, tree: &Tree, binding: &Binding, skeleton: &Skeleton) -> Result<(), IkError> {
    let name = || character.name.clone();
    let wanted = binding.links.iter().map(|l| &l.joint).chain(binding.effectors.iter().map(|e| &e.joint));
    let mut joints: Vec<String> = Vec::new();
    for joint in wanted {
        if skeleton.find(joint).is_none() && !joints.contains(joint) {
            joints.push(joint.clone());
        }
    }
    if !joints.is_empty() {
        return Err(IkError::MissingJoints { character: name(), joints });
    }
    let known = |body: &str| tree.body(body).is_some();
    let bodies: Vec<String> = binding.links.iter().map(|l| l.body.clone()).filter(|b| !known(b)).collect();
    if !bodies.is_empty() {
        return Err(IkError::MissingBodies { character: name(), bodies });
    }
    let known = |effector: &str| character.end_effectors.iter().any(|e| e.name == effector);
    let effectors: Vec<String> = binding.effectors.iter().map(|e| e.name.clone()).filter(|e| !known(e)).collect();
    if !effectors.is_empty() {
        return Err(IkError::MissingEffectors { character: name(), effectors });
    }
    for (i, second) in binding.links.iter().enumerate() {
        if let Some(first) = binding.links[..i].iter().find(|l| l.body == second.body) {
            let (first, body, second) = (first.joint.clone(), second.body.clone(), second.joint.clone());
            return Err(IkError::BoundTwice { body, first, second });
        }
    }
    Ok(())
}

fn check_numbers(binding: &Binding) -> Result<(), IkError> {
    let links = binding.links.iter().filter(|l| !(l.offset.is_finite() && is_rotation(l.rotation)));
    let effectors = binding.effectors.iter().filter(|e| !e.point.is_finite());
    let mut bad = links.map(|l| (&l.body, &l.joint)).chain(effectors.map(|e| (&e.name, &e.joint)));
    match bad.next() {
        Some((name, joint)) => Err(IkError::BindingNumber { name: name.clone(), joint: joint.clone() }),
        None => Ok(()),
    }
}

fn chains(tree: &Tree, pose_of_link: &[Option<usize>]) -> Vec<Vec<usize>> {
    let is_only_child = |i: usize| tree.links.iter().filter(|l| l.parent == tree.links[i].parent).count() == 1;
    let is_hinge = |i: usize| tree.links[i].kind == JointKind::Hinge;
    let chain = |i: usize| {
        let (mut chain, mut above) = (Vec::new(), i);
        while pose_of_link[i].is_some() && is_hinge(i) && is_only_child(above) {
            match tree.links[above].parent {
                Some(p) if is_hinge(p) && pose_of_link[p].is_none() => above = p,
                _ => break,
            }
            chain.insert(0, above);
        }
        chain
    };
    (0..tree.links.len()).map(chain).collect()
}

pub(super) fn reach(character: &Character, tree: &Tree) -> f64 {
    let mut placed = Vec::new();
    tree.place(&tree.rest(), &mut placed);
    let root = placed[0].position;
    let mut reach: f64 = 0.0;
    for body in 0..tree.bodies.len() {
        let frame = tree.body_place(body, &placed);
        reach = reach.max(frame.position.distance(root));
        for end in character.end_effectors.iter().filter(|e| e.body == tree.bodies[body].name) {
            reach = reach.max(frame.place(DVec3::from_array(end.position)).distance(root));
        }
    }
    // A lone body without effectors has no length of its own.
    if reach > 1e-6 { reach } else { 1.0 }
}
