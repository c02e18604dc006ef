//! A character while it is made: parts in frames along the world's axes of the bind pose, with the origin at the joint.

use super::anatomy::{Anatomy, Role, reaches};
use super::stance::Stance;
use crate::options::ModelOptions;
use glam::{DQuat, DVec3};
use sinew_motion::Skeleton;
use sinew_motion::skeleton::Placed;
use sinew_sim::{JointKind, Shape};

/// What all steps of the construction read.
pub(crate) struct Plan<'a> {
    pub skeleton: &'a Skeleton,
    pub options: &'a ModelOptions,
    /// Every joint in the bind pose.
    pub bind: Vec<Placed>,
    pub stance: Stance,
    pub anatomy: Anatomy,
    /// Turn of each joint from the bind pose to the stance, in the world.
    pub turns: Vec<DQuat>,
    /// Longest way from each joint to a tip, m.
    pub reach: Vec<f64>,
    /// Direction in which the figure looks, horizontal in the stance.
    pub forward: DVec3,
    /// How each joint stands before joints get their types, which may rest elsewhere: its turn from the bind pose, and its height over the ground.
    standing: Vec<(DQuat, f64)>,
}

/// A body to be, with the joint that carries it.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Joint of the skeleton.
    pub joint: usize,
    /// Index of the part that carries it; smaller than its own.
    pub parent: Option<usize>,
    /// Joints of the skeleton that it stands for: its own and those merged into it.
    pub owned: Vec<usize>,
    /// Same part on the other side.
    pub pair: Option<usize>,
    pub role: Role,
    /// Whether it is or carries a sole.
    pub carries_sole: bool,
    /// Where its bones end: child parts, merged joints, tips; in its frame, m.
    pub ends: Vec<DVec3>,
    /// The one that its bone leads to.
    pub main_end: DVec3,
    /// Skin in its frame, m.
    pub skin: Vec<DVec3>,

    /// Shapes in its frame.
    pub shapes: Vec<Shape>,
    /// Volume of its part of the skin, m³, where its shapes were fitted to that; they may overlap others'.
    pub skin_volume: Option<f64>,
    pub mass: f64,
    /// Inertia about the centre of its shapes where it is not that of the shapes.
    pub inertia: Option<[f64; 6]>,

    pub kind: JointKind,
    /// Axis of a hinge in its frame.
    pub axis: DVec3,
    /// Turn in the parent's frame at the joint's zero.
    pub rest: DQuat,
    pub limits: Option<[f64; 2]>,
    pub kp: f64,
    pub kd: f64,
    pub torque_limit: f64,
}

impl<'a> Plan<'a> {
    pub fn new(
        skeleton: &'a Skeleton,
        options: &'a ModelOptions,
        bind: Vec<Placed>,
        stance: Stance,
        anatomy: Anatomy,
    ) -> Self {
        let turns = stance.turns(&bind);
        let reach = reaches(skeleton, &bind);
        let forward = forward(skeleton, &stance, &anatomy);
        let heights = stance.placed.iter().map(|at| at.position.z - stance.ground);
        let standing = turns.iter().copied().zip(heights).collect();
        Plan { skeleton, options, bind, stance, anatomy, turns, reach, forward, standing }
    }

    /// The vertical of who stands, in the frame of a joint's part.
    pub fn up(&self, joint: usize) -> DVec3 {
        self.standing[joint].0.inverse() * DVec3::Z
    }

    /// The direction of the toes of who stands, in the frame of a joint's part.
    pub fn forward_of(&self, joint: usize) -> DVec3 {
        self.standing[joint].0.inverse() * self.forward
    }

    /// Height of a joint over the ground that the figure stands on.
    pub fn height_of(&self, joint: usize) -> f64 {
        self.standing[joint].1
    }

    /// A point of `joint`'s own frame, in the frame of the part of `part_joint`.
    fn in_part(&self, part_joint: usize, joint: usize, local: DVec3) -> DVec3 {
        self.bind[joint].place(local) - self.bind[part_joint].position
    }

    /// Parts for the joints that `has_body` names; the others join their nearest ancestor. The root must have one.
    pub fn parts(&self, has_body: &[bool]) -> Vec<Part> {
        let joints = &self.skeleton.joints;
        let mut owner: Vec<Option<usize>> = vec![None; joints.len()];
        let mut parts: Vec<Part> = Vec::new();
        for j in 0..joints.len() {
            let parent = joints[j].parent.and_then(|p| owner[p]);
            if j != self.anatomy.root && parent.is_none() {
                continue;
            }
            if j == self.anatomy.root || has_body[j] {
                owner[j] = Some(parts.len());
                let mut part = Part::new(j, parent, self.anatomy.roles[j]);
                part.carries_sole |= self.stance.is_stump[j] && part.role == Role::Limb;
                parts.push(part);
            } else {
                owner[j] = parent;
                parts[parent.expect("checked above")].owned.push(j);
            }
        }
        for index in 0..parts.len() {
            let (joint, owned) = (parts[index].joint, parts[index].owned.clone());
            parts[index].pair = self.anatomy.pairs[joint].and_then(|k| owner[k].filter(|&p| parts[p].joint == k));
            for &k in &owned {
                if k != joint {
                    let end = self.in_part(joint, k, DVec3::ZERO);
                    parts[index].ends.push(end);
                }
                parts[index].ends.extend(joints[k].tips.iter().map(|&t| self.in_part(joint, k, t)));
                parts[index].skin.extend(joints[k].skin.iter().map(|&p| self.in_part(joint, k, p)));
            }
            // The farthest child leads on; without one, the middle of the ends.
            let children: Vec<usize> =
                (index + 1..parts.len()).filter(|&c| parts[c].parent == Some(index)).map(|c| parts[c].joint).collect();
            let place = |c: usize| self.bind[c].position - self.bind[joint].position;
            parts[index].ends.extend(children.iter().map(|&c| place(c)));
            let is_trunk = parts[index].role == Role::Trunk;
            let leads = |c: &usize| {
                let on = matches!(self.anatomy.roles[*c], Role::Trunk | Role::Neck | Role::Head);
                (if is_trunk && on { 1e3 } else { 0.0 }) + self.reach[*c] + place(*c).length()
            };
            let next = children.iter().copied().max_by(|a, b| leads(a).total_cmp(&leads(b)));
            let ends = &parts[index].ends;
            parts[index].main_end = match next {
                Some(c) => place(c),
                None if ends.is_empty() => DVec3::ZERO,
                None => {
                    let mean = ends.iter().sum::<DVec3>() / ends.len() as f64;
                    let along = mean.normalize_or_zero();
                    along * ends.iter().map(|e| e.dot(along)).fold(0.0, f64::max)
                }
            };
        }
        for index in (1..parts.len()).rev() {
            if let (true, Some(parent)) = (parts[index].carries_sole, parts[index].parent) {
                parts[parent].carries_sole = true;
            }
        }
        self.pool_skin(&mut parts);
        parts
    }

    /// Takes the pose in which all joints of the parts are at zero for the stance, and its lowest point for the ground.
    pub fn rest_in(&mut self, parts: &[Part]) {
        let mut ground = f64::INFINITY;
        for index in 0..parts.len() {
            let part = &parts[index];
            let own = part.joint;
            if let Some(parent) = part.parent.map(|p| parts[p].joint) {
                self.turns[own] = (self.turns[parent] * part.rest).normalize();
                let bone = self.bind[own].position - self.bind[parent].position;
                self.stance.placed[own].position = self.stance.placed[parent].position + self.turns[parent] * bone;
            }
            let (origin, turn) = (self.stance.placed[own].position, self.turns[own]);
            for &k in &part.owned {
                let bone = self.bind[k].position - self.bind[own].position;
                self.turns[k] = turn;
                let orientation = (turn * self.bind[k].orientation).normalize();
                let placed = Placed { position: origin + turn * bone, orientation };
                let joint = &self.skeleton.joints[k];
                for &local in [DVec3::ZERO].iter().chain(&joint.tips).chain(&joint.skin) {
                    ground = ground.min(placed.place(local).z);
                }
                self.stance.placed[k] = placed;
            }
        }
        self.stance.ground = ground;
    }

    /// Both sides get the skin of both, so that they come out the same; the middle gets its own image.
    fn pool_skin(&self, parts: &mut [Part]) {
        let Some(mirror) = self.anatomy.mirror else { return };
        let before: Vec<Vec<DVec3>> = parts.iter().map(|p| p.skin.clone()).collect();
        for (index, part) in parts.iter_mut().enumerate() {
            let other = part.pair.unwrap_or(index);
            let is_middle = self.anatomy.pairs[part.joint].is_none();
            let off = (self.bind[part.joint].position - mirror.point).dot(mirror.normal).abs();
            if part.pair.is_some() || is_middle && off < 0.02 * self.stance.height {
                part.skin.extend(before[other].iter().map(|&p| mirror.direction(p)));
            }
        }
    }
}

impl Part {
    pub fn new(joint: usize, parent: Option<usize>, role: Role) -> Part {
        Part {
            joint,
            parent,
            owned: vec![joint],
            pair: None,
            role,
            carries_sole: role == Role::Sole,
            ends: Vec::new(),
            main_end: DVec3::ZERO,
            skin: Vec::new(),
            shapes: Vec::new(),
            skin_volume: None,
            mass: 0.0,
            inertia: None,
            kind: if parent.is_none() { JointKind::Free } else { JointKind::Ball },
            axis: DVec3::Y,
            rest: DQuat::IDENTITY,
            limits: None,
            kp: 0.0,
            kd: 0.0,
            torque_limit: 1.0,
        }
    }

    /// Volume of its part of the skin where that is known, else of its shapes, m³.
    pub fn volume(&self) -> f64 {
        self.skin_volume.unwrap_or_else(|| self.shapes.iter().map(volume).sum())
    }
}

/// Volume of a shape, m³.
pub(crate) fn volume(shape: &Shape) -> f64 {
    use std::f64::consts::PI;
    match *shape {
        Shape::Capsule { from, to, radius } => {
            let length = DVec3::from_array(from).distance(DVec3::from_array(to));
            PI * radius * radius * (length + 4.0 / 3.0 * radius)
        }
        Shape::Sphere { radius, .. } => 4.0 / 3.0 * PI * radius * radius * radius,
        Shape::Box { half_extents: [x, y, z], .. } => 8.0 * x * y * z,
    }
}

/// Toes tell where forward is, else the plane between the sides, else `x`.
fn forward(skeleton: &Skeleton, stance: &Stance, anatomy: &Anatomy) -> DVec3 {
    let mut toes = DVec3::ZERO;
    for (j, joint) in skeleton.joints.iter().enumerate().filter(|(j, _)| anatomy.roles[*j] == Role::Sole) {
        let at = &stance.placed[j];
        let children = skeleton.children(j).map(|c| stance.placed[c].position);
        let ends = children.chain(joint.tips.iter().chain(&joint.skin).map(|&t| at.place(t)));
        toes += ends.map(|e| e - at.position).sum::<DVec3>().normalize_or_zero();
    }
    toes.z = 0.0;
    // In the stance the sides lie where they lie.
    let pairs: Vec<(DVec3, DVec3)> = (0..stance.placed.len())
        .filter(|&j| anatomy.is_left[j])
        .filter_map(|j| anatomy.pairs[j].map(|k| (stance.placed[j].position, stance.placed[k].position)))
        .collect();
    let left: DVec3 = pairs.iter().map(|(l, r)| *l - *r).sum();
    let across = DVec3::new(left.y, -left.x, 0.0).try_normalize();
    match (across, toes.try_normalize()) {
        (Some(across), Some(toes)) if across.dot(toes) < -0.3 => -across,
        (Some(across), _) => across,
        (None, Some(toes)) => toes,
        (None, None) => DVec3::X,
    }
}
