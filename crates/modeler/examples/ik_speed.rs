//! How many frames a second inverse kinematics fits on one core: a humanoid of 40 joints with fingers, moving in ways that its hinges cannot
//! follow exactly. Run with `cargo run --release -p sinew-modeler --example ik_speed`.

use glam::{DQuat, DVec3};
use sinew_modeler::{Binding, EffectorLink, IkOptions, Link, fit_clip};
use sinew_motion::{Clip, Joint, Skeleton, SourceFrame, Up};
use sinew_sim::{Body, Character, EndEffector, JointKind, Shape};
use std::time::Instant;

/// A joint of skeleton and character: name, parent, offset, and the axis of a hinge.
struct Part {
    name: String,
    parent: Option<usize>,
    offset: DVec3,
    hinge: Option<DVec3>,
}

fn main() {
    let parts = humanoid();
    let (skeleton, character, binding) = (skeleton(&parts), character(&parts), binding());
    let clip = clip(&skeleton, 3000);
    println!("joints  sweeps  frames/s  effectors mean, max (mm)  speed over source  bridged");
    for sweeps in 1..=3 {
        let options = IkOptions { sweeps, ..IkOptions::default() };
        let start = Instant::now();
        let fitted = match fit_clip(&character, &binding, &skeleton, &clip, &options) {
            Ok(fitted) => fitted,
            Err(error) => return eprintln!("{error}"),
        };
        let rate = clip.frame_count() as f64 / start.elapsed().as_secs_f64();
        let errors = &fitted.errors;
        println!(
            "{:6}  {sweeps:6}  {rate:8.0}  {:10.2}, {:10.2}  {:17.2}  {:7}",
            parts.len() - 1,
            1e3 * errors.effector_mean,
            1e3 * errors.effector_max,
            errors.joint_speed_max / errors.source_speed_max,
            errors.bridged_frames
        );
    }
}

fn humanoid() -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut add = |name: &str, parent: &str, offset: [f64; 3], hinge: Option<DVec3>| {
        let parent = parts.iter().position(|p| p.name == parent);
        parts.push(Part { name: name.into(), parent, offset: DVec3::from_array(offset), hinge });
    };
    add("hips", "", [0.0, 0.0, 0.95], None);
    for (name, parent) in [("spine1", "hips"), ("spine2", "spine1"), ("spine3", "spine2"), ("chest", "spine3")] {
        add(name, parent, [0.0, 0.0, 0.1], None);
    }
    add("neck", "chest", [0.0, 0.0, 0.12], None);
    add("head", "neck", [0.0, 0.0, 0.1], None);
    for (side, y) in [("l", 1.0), ("r", -1.0)] {
        let name = |part: &str| format!("{side}_{part}");
        add(&name("clavicle"), "chest", [0.0, 0.05 * y, 0.08], None);
        add(&name("arm"), &name("clavicle"), [0.0, 0.14 * y, 0.0], None);
        add(&name("elbow"), &name("arm"), [0.0, 0.28 * y, 0.0], Some(DVec3::Z));
        add(&name("wrist"), &name("elbow"), [0.0, 0.25 * y, 0.0], None);
        for finger in 0..3 {
            let mut parent = name("wrist");
            for knuckle in 0..3 {
                let own = format!("{side}_finger{finger}{knuckle}");
                let x = if knuckle == 0 { 0.03 * (finger as f64 - 1.0) } else { 0.0 };
                add(&own, &parent, [x, 0.04 * y, 0.0], Some(DVec3::X));
                parent = own;
            }
        }
        add(&name("leg"), "hips", [0.0, 0.1 * y, -0.05], None);
        add(&name("knee"), &name("leg"), [0.01, 0.0, -0.42], Some(DVec3::Y));
        add(&name("ankle"), &name("knee"), [-0.02, 0.0, -0.4], None);
        add(&name("toes"), &name("ankle"), [0.13, 0.0, -0.05], Some(DVec3::Y));
    }
    parts
}

fn skeleton(parts: &[Part]) -> Skeleton {
    let joint = |(i, part): (usize, &Part)| Joint {
        name: part.name.clone(),
        parent: part.parent,
        offset: part.offset,
        rotation: DQuat::IDENTITY,
        tips: Vec::new(),
        skin: Vec::new(),
        source_node: i,
    };
    let joints = parts.iter().enumerate().map(joint).collect();
    Skeleton { joints, source: SourceFrame { up: Up::Z, metres_per_unit: 1.0 }, mesh: None }
}

fn character(parts: &[Part]) -> Character {
    let body = |part: &Part| Body {
        name: part.name.clone(),
        mass: 1.5,
        center_of_mass: None,
        inertia: None,
        shapes: vec![Shape::Sphere { center: [0.0; 3], radius: 0.05 }],
    };
    let joint = |part: &Part| sinew_sim::Joint {
        name: part.name.clone(),
        kind: match (part.parent, part.hinge) {
            (None, _) => JointKind::Free,
            (_, Some(_)) => JointKind::Hinge,
            _ => JointKind::Ball,
        },
        parent: part.parent.map(|p| parts[p].name.clone()),
        child: part.name.clone(),
        position: part.offset.to_array(),
        orientation: [1.0, 0.0, 0.0, 0.0],
        axis: part.hinge.map(|a| a.to_array()),
        limits: part.hinge.map(|_| [-2.0, 2.0]).or(part.parent.map(|_| [0.0, 2.0])),
        kp: 0.0,
        kd: 0.0,
        torque_limit: None,
        armature: 0.0,
    };
    let end = |(name, joint, position): (&str, &str, [f64; 3])| EndEffector {
        name: name.into(),
        body: joint.into(),
        position,
    };
    Character {
        name: "humanoid".into(),
        bodies: parts.iter().map(body).collect(),
        joints: parts.iter().map(joint).collect(),
        end_effectors: ENDS.into_iter().map(end).collect(),
        collide: Vec::new(),
        origin: None,
    }
}

const ENDS: [(&str, &str, [f64; 3]); 7] = [
    ("head", "head", [0.0, 0.0, 0.2]),
    ("left hand", "l_wrist", [0.0, 0.08, 0.0]),
    ("right hand", "r_wrist", [0.0, -0.08, 0.0]),
    ("left heel", "l_ankle", [-0.05, 0.0, -0.07]),
    ("left toes", "l_toes", [0.06, 0.0, -0.02]),
    ("right heel", "r_ankle", [-0.05, 0.0, -0.07]),
    ("right toes", "r_toes", [0.06, 0.0, -0.02]),
];

fn binding() -> Binding {
    let links = humanoid().into_iter().map(|part| Link {
        body: part.name.clone(),
        joint: part.name,
        offset: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
    });
    let effectors = ENDS.into_iter().map(|(name, joint, point)| EffectorLink {
        name: name.into(),
        joint: joint.into(),
        point: DVec3::from_array(point),
    });
    Binding { links: links.collect(), effectors: effectors.collect() }
}

/// Walks along `x` while every joint turns about all three axes.
fn clip(skeleton: &Skeleton, frames: usize) -> Clip {
    let mut clip = Clip { name: "waves".into(), rate_hz: 60.0, root_positions: Vec::new(), rotations: Vec::new() };
    for frame in 0..frames {
        let time = frame as f64 / clip.rate_hz;
        clip.root_positions.push(DVec3::new(time, 0.0, 0.95 + 0.03 * libm::sin(12.0 * time)));
        for i in 0..skeleton.joints.len() {
            let wave = |k: usize| libm::sin((3.0 + 0.4 * k as f64) * time + (3 * i + k) as f64);
            clip.rotations.push(DQuat::from_scaled_axis(0.35 * DVec3::new(wave(0), wave(1), wave(2))));
        }
    }
    clip
}
