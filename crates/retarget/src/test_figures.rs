//! Small people and beasts for the tests, with walks of known speed.

use glam::{DQuat, DVec3};
use sinew_motion::{Clip, Format, Joint, Report, Rig, Skeleton, SourceFrame, Up};
use std::f64::consts::TAU;

/// A joint: name, parent, offset in the world's axes, and where its bone ends if no joint does.
pub struct Part(pub &'static str, pub Option<&'static str>, pub [f64; 3], pub &'static [[f64; 3]]);

/// A rig of parts whose frames all lie along `frame` in the bind pose.
pub fn rig(parts: &[Part], frame: DQuat) -> Rig {
    let mut joints: Vec<Joint> = Vec::new();
    for (index, Part(name, parent, offset, tips)) in parts.iter().enumerate() {
        let parent = parent.map(|p| joints.iter().position(|j| j.name == p).expect("a parent before its child"));
        let local = |v: [f64; 3]| frame.inverse() * DVec3::from_array(v);
        joints.push(Joint {
            name: (*name).into(),
            parent,
            offset: if parent.is_some() { local(*offset) } else { DVec3::from_array(*offset) },
            rotation: if parent.is_some() { DQuat::IDENTITY } else { frame },
            tips: tips.iter().map(|&tip| local(tip)).collect(),
            skin: Vec::new(),
            source_node: index,
        });
    }
    let skeleton = Skeleton { joints, source: SourceFrame { up: Up::Z, metres_per_unit: 1.0 }, mesh: None };
    Rig { format: Format::Bvh, skeleton, clips: Vec::new(), repeats: false, report: Report::default() }
}

/// Sizes of a person, m: thigh, shin, ankle over the ground, upper arm, forearm, and directions of the arms.
pub struct Person {
    pub thigh: f64,
    pub shin: f64,
    pub ankle: f64,
    pub arm: f64,
    /// Direction of the left arm in the bind pose: `y` is out, `z` is up.
    pub arm_direction: [f64; 3],
    /// Joints between pelvis and head.
    pub spine: &'static [&'static str],
}

pub const PERSON: Person =
    Person { thigh: 0.42, shin: 0.42, ankle: 0.08, arm: 0.28, arm_direction: [0.0, 1.0, 0.0], spine: &["Spine"] };

/// A person that looks along `+x`, soles at `z = 0` in the bind pose.
pub fn person(person: &Person, frame: DQuat) -> Rig {
    let hip = person.thigh + person.shin + person.ankle;
    let mut parts = vec![Part("Hips", None, [0.0, 0.0, hip], &[])];
    let mut below = "Hips";
    for name in person.spine {
        parts.push(Part(name, Some(below), [0.0, 0.0, 0.4 / person.spine.len() as f64], &[]));
        below = name;
    }
    parts.push(Part("Head", Some(below), [0.0, 0.0, 0.25], &[[0.0, 0.0, 0.2]]));
    const SOLE: &[[f64; 3]] = &[[0.15, 0.0, -0.08], [-0.05, 0.0, -0.08]];
    for (names, side) in [
        (["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftArm", "LeftForeArm", "LeftHand"], 1.0),
        (["RightUpLeg", "RightLeg", "RightFoot", "RightArm", "RightForeArm", "RightHand"], -1.0),
    ] {
        let [x, y, z] = person.arm_direction;
        let out = [person.arm * x, person.arm * y * side, person.arm * z];
        parts.push(Part(names[0], Some("Hips"), [0.0, 0.1 * side, 0.0], &[]));
        parts.push(Part(names[1], Some(names[0]), [0.0, 0.0, -person.thigh], &[]));
        parts.push(Part(names[2], Some(names[1]), [0.0, 0.0, -person.shin], SOLE));
        parts.push(Part(names[3], Some(below), [0.0, 0.2 * side, 0.1], &[]));
        parts.push(Part(names[4], Some(names[3]), out, &[]));
        parts.push(Part(names[5], Some(names[4]), out, &[]));
    }
    let mut rig = rig(&parts, frame);
    // Soles lie on the ground whatever the ankle's height.
    for name in ["LeftFoot", "RightFoot"] {
        if let Some(foot) = rig.skeleton.find(name) {
            let low = |x: f64| frame.inverse() * DVec3::new(x, 0.0, -person.ankle);
            rig.skeleton.joints[foot].tips = vec![low(0.15), low(-0.05)];
        }
    }
    rig
}

/// A beast on four legs that looks along `+x`.
pub fn beast(scale: f64) -> Rig {
    const PAW: &[[f64; 3]] = &[[0.05, 0.0, -0.04], [-0.03, 0.0, -0.04]];
    let mut parts = vec![
        Part("Hips", None, [0.0, 0.0, 0.6], &[]),
        Part("Spine", Some("Hips"), [0.35, 0.0, 0.0], &[]),
        Part("Chest", Some("Spine"), [0.35, 0.0, 0.0], &[]),
        Part("Head", Some("Chest"), [0.25, 0.0, 0.2], &[[0.15, 0.0, 0.0]]),
        Part("Tail", Some("Hips"), [-0.3, 0.0, 0.05], &[[-0.2, 0.0, 0.0]]),
    ];
    for (names, side, from) in [
        (["HindThigh.L", "HindShin.L", "HindFoot.L"], 1.0, "Hips"),
        (["HindThigh.R", "HindShin.R", "HindFoot.R"], -1.0, "Hips"),
        (["ForeArm.L", "ForeShin.L", "ForeFoot.L"], 1.0, "Chest"),
        (["ForeArm.R", "ForeShin.R", "ForeFoot.R"], -1.0, "Chest"),
    ] {
        parts.push(Part(names[0], Some(from), [0.0, 0.1 * side, 0.0], &[]));
        parts.push(Part(names[1], Some(names[0]), [0.0, 0.0, -0.28], &[]));
        parts.push(Part(names[2], Some(names[1]), [0.0, 0.0, -0.28], PAW));
    }
    let mut rig = rig(&parts, DQuat::IDENTITY);
    for joint in &mut rig.skeleton.joints {
        joint.offset *= scale;
        joint.tips.iter_mut().for_each(|tip| *tip *= scale);
    }
    rig
}

/// A worm: a chain on the ground.
pub fn worm() -> Rig {
    rig(
        &[
            Part("Head", None, [0.0, 0.0, 0.1], &[]),
            Part("Body1", Some("Head"), [-0.3, 0.0, 0.0], &[]),
            Part("Body2", Some("Body1"), [-0.3, 0.0, 0.0], &[]),
            Part("Body3", Some("Body2"), [-0.3, 0.0, 0.0], &[[-0.3, 0.0, 0.0]]),
        ],
        DQuat::IDENTITY,
    )
}

/// A clip that holds the bind pose, `frames` long.
pub fn still(rig: &Rig, frames: usize) -> Clip {
    let rotations: Vec<DQuat> = rig.skeleton.joints.iter().map(|j| j.rotation).collect();
    Clip {
        name: "still".into(),
        rate_hz: 60.0,
        root_positions: vec![rig.skeleton.joints[0].offset; frames],
        rotations: (0..frames).flat_map(|_| rotations.clone()).collect(),
    }
}

/// Turns a joint of a clip in the world's axes, in one frame; what hangs from it goes along.
pub fn turn_in_world(rig: &Rig, clip: &mut Clip, frame: usize, joint: &str, turn: DQuat) {
    let index = rig.skeleton.find(joint).expect("a joint");
    let placed = clip.place(&rig.skeleton, frame);
    let above = rig.skeleton.joints[index].parent.map_or(DQuat::IDENTITY, |p| placed[p].orientation);
    let at = frame * rig.skeleton.joints.len() + index;
    clip.rotations[at] = (above.inverse() * turn * placed[index].orientation).normalize();
}

/// A walk along `+x` at `speed`, m/s: each leg swings a two-bone leg whose foot stands for 60 % of a cycle of 1 s. Returns the clip; `slip` is how much
/// of the speed the standing feet slide by.
pub fn walk(rig: &Rig, person: &Person, speed: f64, slip: f64, frames: usize) -> Clip {
    let mut clip = still(rig, frames);
    clip.name = "walk".into();
    let hip_height = 0.97 * (person.thigh + person.shin) + person.ankle;
    for frame in 0..frames {
        let secs = frame as f64 / clip.rate_hz;
        clip.root_positions[frame] = DVec3::new(speed * secs, 0.0, hip_height);
        for (upper, lower, foot, late) in
            [("LeftUpLeg", "LeftLeg", "LeftFoot", 0.0), ("RightUpLeg", "RightLeg", "RightFoot", 0.5)]
        {
            let phase = (secs + late).rem_euclid(1.0);
            // Of the foot relative to the hip: backwards while it stands, ahead and up while it swings.
            let stride = 0.6 * speed * (1.0 - slip);
            let (x, lift) = if phase < 0.6 {
                (stride * (0.5 - phase / 0.6), 0.0)
            } else {
                let s = (phase - 0.6) / 0.4;
                (stride * (0.5 - 0.5 * libm::cos(0.5 * TAU * s) - 0.5), 0.08 * libm::sin(0.5 * TAU * s))
            };
            let down = hip_height - person.ankle - lift;
            let distance = (x * x + down * down).sqrt().min(0.999 * (person.thigh + person.shin));
            let (a, b) = (person.thigh, person.shin);
            let bent = libm::acos(((distance * distance - a * a - b * b) / (2.0 * a * b)).clamp(-1.0, 1.0));
            let to_foot = libm::atan2(x, down);
            let ahead = libm::asin((b * libm::sin(bent) / distance).clamp(-1.0, 1.0));
            turn_in_world(rig, &mut clip, frame, upper, DQuat::from_rotation_y(-(to_foot + ahead)));
            turn_in_world(rig, &mut clip, frame, lower, DQuat::from_rotation_y(bent));
            turn_in_world(rig, &mut clip, frame, foot, DQuat::from_rotation_y(to_foot + ahead - bent));
        }
    }
    clip
}
