//! A small biped with its skeleton and binding, for tests; frames of joints and bodies are turned against each other on purpose.

use super::rotation_vector::rotation_by;
use super::tree::Tree;
use crate::binding::{Binding, EffectorLink, Link};
use glam::{DQuat, DVec3};
use sinew_motion::skeleton::Placed;
use sinew_motion::{Clip, Joint, Skeleton, SourceFrame, Up};
use sinew_sim::{Body, Character, EndEffector, JointKind, Shape};

/// What carries the limbs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rig {
    /// Hinges at knees and elbows, balls elsewhere.
    Hinged,
    /// Balls without limits.
    Balls,
    /// One hinge for each body.
    Hinges,
}

pub struct TestRig {
    pub character: Character,
    pub binding: Binding,
    pub skeleton: Skeleton,
}

/// Joint, parent, place in the bind pose, whether it is a knee or an elbow. The last three have no body.
const JOINTS: [(&str, &str, [f64; 3], bool); 19] = [
    ("hips", "", [0.1, 0.2, 0.95], false),
    ("spine", "hips", [0.1, 0.2, 1.05], false),
    ("head", "spine", [0.1, 0.2, 1.5], false),
    ("l_arm", "spine", [0.1, 0.4, 1.42], false),
    ("l_elbow", "l_arm", [0.1, 0.68, 1.42], true),
    ("l_hand", "l_elbow", [0.1, 0.93, 1.42], false),
    ("r_arm", "spine", [0.1, 0.0, 1.42], false),
    ("r_elbow", "r_arm", [0.1, -0.28, 1.42], true),
    ("r_hand", "r_elbow", [0.1, -0.53, 1.42], false),
    ("l_leg", "hips", [0.1, 0.3, 0.9], false),
    ("l_knee", "l_leg", [0.11, 0.3, 0.48], true),
    ("l_foot", "l_knee", [0.09, 0.3, 0.08], false),
    ("r_leg", "hips", [0.1, 0.1, 0.9], false),
    ("r_knee", "r_leg", [0.11, 0.1, 0.48], true),
    ("r_foot", "r_knee", [0.09, 0.1, 0.08], false),
    ("tail", "hips", [0.0, 0.2, 0.95], false),
    ("l_toe", "l_foot", [0.2, 0.3, 0.03], false),
    ("r_toe", "r_foot", [0.2, 0.1, 0.03], false),
    ("jaw", "head", [0.15, 0.2, 1.55], false),
];
const BOUND: usize = 16;
const EFFECTORS: [(&str, usize, [f64; 3]); 5] = [
    ("head top", 2, [0.1, 0.2, 1.75]),
    ("left hand", 5, [0.1, 1.05, 1.42]),
    ("right hand", 8, [0.1, -0.65, 1.42]),
    ("left foot", 11, [0.2, 0.3, 0.0]),
    ("right foot", 14, [0.2, 0.1, 0.0]),
];

fn joint_turn(i: usize) -> DQuat {
    let i = i as f64;
    rotation_by(DVec3::new(libm::sin(i), libm::cos(2.0 * i), libm::sin(3.0 * i + 1.0)))
}

fn body_turn(i: usize) -> DQuat {
    let i = i as f64;
    rotation_by(DVec3::new(libm::cos(5.0 * i), 0.7 * libm::sin(i + 2.0), 0.4))
}

fn parent_of(i: usize) -> Option<usize> {
    JOINTS.iter().position(|j| j.0 == JOINTS[i].1)
}

fn joint_frame(i: usize) -> Placed {
    Placed { position: DVec3::from_array(JOINTS[i].2), orientation: joint_turn(i) }
}

fn body_frame(i: usize) -> Placed {
    Placed { position: DVec3::from_array(JOINTS[i].2), orientation: joint_turn(i) * body_turn(i) }
}

fn local(frame: &Placed, point: DVec3) -> DVec3 {
    frame.orientation.conjugate() * (point - frame.position)
}

pub fn numbers(q: DQuat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z]
}

fn skeleton() -> Skeleton {
    let joints = (0..JOINTS.len())
        .map(|i| {
            let own = joint_frame(i);
            let above = parent_of(i).map(joint_frame);
            Joint {
                name: JOINTS[i].0.into(),
                parent: parent_of(i),
                offset: above.map_or(own.position, |p| local(&p, own.position)),
                rotation: above.map_or(own.orientation, |p| p.orientation.conjugate() * own.orientation),
                tips: Vec::new(),
                skin: Vec::new(),
                source_node: i,
            }
        })
        .collect();
    Skeleton { joints, source: SourceFrame { up: Up::Z, metres_per_unit: 1.0 }, mesh: None }
}

fn body_name(i: usize) -> String {
    format!("{} body", JOINTS[i].0)
}

fn character_joint(i: usize, rig: Rig) -> sinew_sim::Joint {
    let (name, _, _, is_middle) = JOINTS[i];
    let own = body_frame(i);
    let above = parent_of(i).map(body_frame);
    let is_hinge = rig == Rig::Hinges || (rig == Rig::Hinged && is_middle);
    // The tail is welded on.
    let kind = match (i, is_hinge) {
        (0, _) => JointKind::Free,
        (15, _) => JointKind::Weld,
        (_, true) => JointKind::Hinge,
        _ => JointKind::Ball,
    };
    // Knees and arms bend about the world's y, elbows about z.
    let axis = if name.ends_with("elbow") { DVec3::Z } else { DVec3::Y };
    let limits = match (rig, kind) {
        (Rig::Hinged, JointKind::Hinge) => Some([-1.5, 1.5]),
        (Rig::Hinged, JointKind::Ball) => Some([0.0, 1.4]),
        _ => None,
    };
    sinew_sim::Joint {
        name: name.into(),
        kind,
        parent: parent_of(i).map(body_name),
        child: body_name(i),
        position: above.map_or(own.position, |p| local(&p, own.position)).to_array(),
        orientation: numbers(above.map_or(own.orientation, |p| p.orientation.conjugate() * own.orientation)),
        axis: (kind == JointKind::Hinge).then(|| (2.0 * (own.orientation.conjugate() * axis)).to_array()),
        limits,
        kp: 0.0,
        kd: 0.0,
        torque_limit: None,
        armature: 0.0,
    }
}

pub fn biped(rig: Rig) -> TestRig {
    let body = |i: usize| Body {
        name: body_name(i),
        mass: 3.0,
        center_of_mass: None,
        inertia: None,
        shapes: vec![Shape::Sphere { center: [0.0; 3], radius: 0.06 }],
    };
    let end = |&(name, i, place): &(&str, usize, [f64; 3])| EndEffector {
        name: name.into(),
        body: body_name(i),
        position: local(&body_frame(i), DVec3::from_array(place)).to_array(),
    };
    let character = Character {
        name: "biped".into(),
        bodies: (0..BOUND).map(body).collect(),
        joints: (0..BOUND).map(|i| character_joint(i, rig)).collect(),
        end_effectors: EFFECTORS.iter().map(end).collect(),
        collide: Vec::new(),
        origin: None,
    };
    let link =
        |i: usize| Link { body: body_name(i), joint: JOINTS[i].0.into(), offset: DVec3::ZERO, rotation: body_turn(i) };
    let effector = |&(name, i, place): &(&str, usize, [f64; 3])| EffectorLink {
        name: name.into(),
        joint: JOINTS[i].0.into(),
        point: local(&joint_frame(i), DVec3::from_array(place)),
    };
    // The welded tail is not bound.
    let binding =
        Binding { links: (0..BOUND - 1).map(link).collect(), effectors: EFFECTORS.iter().map(effector).collect() };
    TestRig { character, binding, skeleton: skeleton() }
}

impl TestRig {
    /// The bind pose, with every joint turned by `turn(joint, time)` in its own axes; the root walks along `x`.
    pub fn clip(&self, frames: usize, rate_hz: f64, turn: impl Fn(usize, f64) -> DVec3) -> Clip {
        let mut clip = Clip { name: "clip".into(), rate_hz, root_positions: Vec::new(), rotations: Vec::new() };
        for frame in 0..frames {
            let time = frame as f64 / rate_hz;
            clip.root_positions
                .push(self.skeleton.joints[0].offset + DVec3::new(time, 0.0, 0.05 * libm::sin(7.0 * time)));
            for (i, joint) in self.skeleton.joints.iter().enumerate() {
                clip.rotations.push((joint.rotation * rotation_by(turn(i, time))).normalize());
            }
        }
        clip
    }

    /// A motion in the character's own coordinates: degree of freedom `i` is at `angle(i, time)`; the root moves 10 times as much.
    pub fn motion(&self, frames: usize, rate_hz: f64, angle: impl Fn(usize, f64) -> f64) -> Vec<f64> {
        let tree = Tree::new(&self.character).unwrap();
        let mut positions = Vec::new();
        for frame in 0..frames {
            let time = frame as f64 / rate_hz;
            let step: Vec<f64> = (0..tree.velocity_count).map(|i| angle(i, time)).collect();
            let mut q = tree.rest();
            tree.advance(&mut q, &step);
            tree.project(&mut q);
            positions.extend(q);
        }
        positions
    }
}
