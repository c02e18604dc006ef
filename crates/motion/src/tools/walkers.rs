//! A biped and a quadruped that walk by two-bone legs at a known speed, for the tests of the tools.

use crate::{Clip, Joint, Skeleton, SourceFrame, Up};
use glam::{DQuat, DVec3};
use std::f64::consts::{PI, TAU};

/// A walker with its motions.
pub struct Walk {
    /// The walker, facing `+x`, with its soles at `z = 0` in the bind pose; joint frames are turned arbitrarily.
    pub skeleton: Skeleton,
    /// Four cycles along `+x`.
    pub clip: Clip,
    /// One cycle in place, its last frame as its first.
    pub cycle: Clip,
    /// Speed of `clip`, m/s.
    pub speed: f64,
    /// Length of a cycle, s.
    pub cycle_secs: f64,
}

struct Leg {
    /// Index of the upper joint; the lower joint and the foot follow.
    first: usize,
    /// Hip in the root's frame of the bind pose, world axes, m.
    hip: DVec3,
    /// Part of the cycle by which this leg is late.
    phase: f64,
}

const ANKLE: f64 = 0.08;
const STANCE: f64 = 0.6;
const RATE_HZ: f64 = 60.0;

/// A human of about 1.6 m that walks at 0.9 m/s.
pub fn biped_walk() -> Walk {
    let mut parts = vec![
        ("Hips", None, DVec3::ZERO),
        ("Spine", Some(0), DVec3::new(0.0, 0.0, 0.25)),
        ("Head", Some(1), DVec3::new(0.0, 0.0, 0.35)),
        ("LeftArm", Some(1), DVec3::new(0.0, 0.2, 0.25)),
        ("LeftHand", Some(3), DVec3::new(0.05, 0.1, -0.45)),
        ("RightArm", Some(1), DVec3::new(0.0, -0.2, 0.25)),
        ("RightHand", Some(5), DVec3::new(0.05, -0.1, -0.45)),
    ];
    let mut legs = Vec::new();
    for (names, side, phase) in
        [(["LeftUpLeg", "LeftLeg", "LeftFoot"], 1.0, 0.0), (["RightUpLeg", "RightLeg", "RightFoot"], -1.0, 0.5)]
    {
        push_leg(&mut parts, &mut legs, names, 0, DVec3::new(0.0, 0.1 * side, 0.0), 0.43, phase);
    }
    walk(&parts, &legs, 0.9, 0.43, 0.9, 0.8)
}

/// A beast of about 0.7 m that walks at 0.5 m/s, its joints named as in game rigs.
pub fn quadruped_walk() -> Walk {
    let mut parts = vec![
        ("b_Root_00", None, DVec3::ZERO),
        ("b_Spine_01", Some(0), DVec3::new(0.5, 0.0, 0.0)),
        ("b_Head_02", Some(1), DVec3::new(0.3, 0.0, 0.2)),
        ("b_Tail_03", Some(0), DVec3::new(-0.3, 0.0, -0.1)),
    ];
    let mut legs = Vec::new();
    for (names, parent, hip, phase) in [
        (["b_HindThigh_L_04", "b_HindShin_L_05", "b_HindPaw_L_06"], 0, DVec3::new(0.0, 0.1, 0.0), 0.0),
        (["b_HindThigh_R_07", "b_HindShin_R_08", "b_HindPaw_R_09"], 0, DVec3::new(0.0, -0.1, 0.0), 0.5),
        (["b_ForeArm_L_10", "b_ForeShin_L_11", "b_ForePaw_L_12"], 1, DVec3::new(0.5, 0.1, 0.0), 0.25),
        (["b_ForeArm_R_13", "b_ForeShin_R_14", "b_ForePaw_R_15"], 1, DVec3::new(0.5, -0.1, 0.0), 0.75),
    ] {
        push_leg(&mut parts, &mut legs, names, parent, hip, 0.24, phase);
    }
    walk(&parts, &legs, 0.52, 0.24, 0.5, 0.6)
}

type Part = (&'static str, Option<usize>, DVec3);

fn push_leg(
    parts: &mut Vec<Part>,
    legs: &mut Vec<Leg>,
    names: [&'static str; 3],
    parent: usize,
    hip: DVec3,
    bone: f64,
    phase: f64,
) {
    let first = parts.len();
    let from_parent = hip - if parent == 1 { parts[1].2 } else { DVec3::ZERO };
    legs.push(Leg { first, hip, phase });
    parts.push((names[0], Some(parent), from_parent));
    parts.push((names[1], Some(first), DVec3::new(0.0, 0.0, -bone)));
    parts.push((names[2], Some(first + 1), DVec3::new(0.0, 0.0, -bone)));
}

fn walk(parts: &[Part], legs: &[Leg], hip_height: f64, bone: f64, speed: f64, cycle_secs: f64) -> Walk {
    // Frames of the joints in the bind pose: anything.
    let frames: Vec<DQuat> = (0..parts.len())
        .map(|j| DQuat::from_axis_angle(DVec3::new(1.0, j as f64 - 3.0, 0.5).normalize(), 0.7 * j as f64))
        .collect();
    let mut joints: Vec<Joint> = Vec::new();
    for (index, &(name, parent, offset)) in parts.iter().enumerate() {
        let outer = parent.map_or(DQuat::IDENTITY, |p| frames[p]);
        let is_foot = legs.iter().any(|leg| leg.first + 2 == index);
        let sole = [DVec3::new(0.5 * ANKLE, 0.0, -ANKLE), DVec3::new(-0.5 * ANKLE, 0.0, -ANKLE)];
        joints.push(Joint {
            name: name.into(),
            parent,
            offset: outer.inverse() * offset,
            rotation: outer.inverse() * frames[index],
            tips: if is_foot { sole.map(|tip| frames[index].inverse() * tip).to_vec() } else { vec![] },
            skin: vec![],
            source_node: index,
        });
    }
    // Stretched legs in the bind pose stand on the ground.
    joints[0].offset = DVec3::new(0.0, 0.0, 2.0 * bone + ANKLE);
    let skeleton = Skeleton { joints, source: SourceFrame { up: Up::Z, metres_per_unit: 1.0 }, mesh: None };

    let make = |frame_count: usize, advance: f64| {
        let mut clip = Clip { name: "walk".into(), rate_hz: RATE_HZ, root_positions: vec![], rotations: vec![] };
        for frame in 0..frame_count {
            let secs = frame as f64 / RATE_HZ;
            clip.root_positions.push(DVec3::new(advance * secs, 0.0, hip_height));
            let mut turns = vec![DQuat::IDENTITY; parts.len()];
            for leg in legs {
                let [upper, lower] = bend(leg, hip_height, bone, speed, cycle_secs, secs);
                turns[leg.first] = upper;
                turns[leg.first + 1] = lower;
            }
            let world: Vec<DQuat> = turns.iter().zip(&frames).map(|(turn, frame)| *turn * *frame).collect();
            clip.rotations.extend(parts.iter().enumerate().map(|(j, (_, parent, _))| match parent {
                None => world[j],
                Some(p) => world[*p].inverse() * world[j],
            }));
        }
        super::moved::same_hemisphere(&mut clip.rotations, parts.len());
        clip
    };
    let frames_per_cycle = libm::round(cycle_secs * RATE_HZ) as usize;
    Walk {
        clip: make(4 * frames_per_cycle + 1, speed),
        cycle: make(frames_per_cycle + 1, 0.0),
        skeleton,
        speed,
        cycle_secs,
    }
}

/// World turns of thigh and shin that put the ankle on its path: at rest on the ground in stance, lifted and forward in swing.
fn bend(leg: &Leg, hip_height: f64, bone: f64, speed: f64, cycle_secs: f64, secs: f64) -> [DQuat; 2] {
    let phase = (secs / cycle_secs + leg.phase).rem_euclid(1.0);
    let half_stride = 0.5 * speed * STANCE * cycle_secs;
    let (forward, lift) = if phase < STANCE {
        (half_stride - speed * cycle_secs * phase, 0.0)
    } else {
        let part = (phase - STANCE) / (1.0 - STANCE);
        let eased = 0.5 - 0.5 * libm::cos(PI * part);
        (half_stride * (2.0 * eased - 1.0), 0.06 * bone / 0.43 * (1.0 - libm::cos(TAU * part)))
    };
    let to_ankle = DVec3::new(forward, 0.0, ANKLE + lift - hip_height - leg.hip.z);
    let reach = to_ankle.length().min(2.0 * bone);
    let knee = libm::acos(reach / (2.0 * bone));
    // A turn by `a` about y takes straight down to (−sin a, 0, −cos a).
    let line = libm::atan2(-to_ankle.x, -to_ankle.z);
    [DQuat::from_rotation_y(line - knee), DQuat::from_rotation_y(line + knee)]
}
