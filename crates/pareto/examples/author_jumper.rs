//! Writes the jumper that the crate embeds from a table: `cargo run -p sinew-pareto --example author_jumper`.

use sinew_sim::character::{Body, Character, EndEffector, Joint, JointKind, Shape};
use std::path::Path;

/// Body, parent, place of its joint in the parent, ends of the capsule, radius, mass.
type Row = (&'static str, &'static str, [f64; 3], [[f64; 3]; 2], f64, f64);

#[rustfmt::skip]
const TRUNK: [Row; 4] = [
    ("abdomen", "pelvis",  [0.0, 0.0, 0.10], [[0.0, -0.06, 0.06], [0.0, 0.06, 0.06]], 0.085, 11.0),
    ("chest",   "abdomen", [0.0, 0.0, 0.12], [[0.0, -0.07, 0.12], [0.0, 0.07, 0.12]], 0.105, 18.5),
    ("neck",    "chest",   [0.0, 0.0, 0.26], [[0.0, 0.0, 0.00], [0.0, 0.0, 0.06]],    0.045, 1.2),
    ("head",    "neck",    [0.0, 0.0, 0.07], [[0.0, 0.0, 0.08], [0.0, 0.0, 0.12]],    0.080, 5.0),
];

/// Left side; the right one mirrors `y`.
#[rustfmt::skip]
const LIMBS: [Row; 5] = [
    ("uarm",  "chest",  [0.0, 0.19, 0.22],  [[0.0, 0.0, 0.0], [0.0, 0.0, -0.27]], 0.038, 2.2),
    ("farm",  "uarm",   [0.0, 0.0, -0.27],  [[0.0, 0.0, 0.0], [0.0, 0.0, -0.24]], 0.030, 1.3),
    ("hand",  "farm",   [0.0, 0.0, -0.24],  [[0.0, 0.0, -0.03], [0.0, 0.0, -0.14]], 0.025, 0.5),
    ("thigh", "pelvis", [0.0, 0.09, 0.0],   [[0.0, 0.0, 0.0], [0.0, 0.0, -0.39]], 0.065, 8.2),
    ("shin",  "thigh",  [0.0, 0.0, -0.39],  [[0.0, 0.0, 0.0], [0.0, 0.0, -0.37]], 0.045, 3.7),
];

/// Joint, limits (rad, positive pitches the child forward), kp, kd, torque limit.
type Drive = (&'static str, [f64; 2], f64, f64, f64);

#[rustfmt::skip]
const DRIVES: [Drive; 10] = [
    ("abdomen", [-0.35, 0.60], 700.0, 60.0, 700.0),
    ("chest",   [-0.35, 0.60], 700.0, 60.0, 700.0),
    ("neck",    [-0.50, 0.50], 60.0,  5.0,  60.0),
    ("head",    [-0.40, 0.40], 40.0,  4.0,  40.0),
    ("uarm",    [-3.10, 0.90], 90.0,  9.0,  120.0),
    ("farm",    [-2.40, 0.00], 40.0,  4.0,  60.0),
    ("hand",    [-0.60, 0.60], 10.0,  1.0,  10.0),
    ("thigh",   [-2.20, 0.35], 450.0, 40.0, 700.0),
    ("shin",    [0.00, 2.50],  400.0, 35.0, 700.0),
    ("foot",    [-0.75, 0.90], 220.0, 18.0, 300.0),
];

fn main() -> Result<(), sinew_sim::character_file::CharacterFileError> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/jumper.toml");
    jumper().write(&path)?;
    println!("wrote {}", path.display());
    Ok(())
}

/// 17 links, 80 kg, 1.6 m, a planar root and 16 hinges about `y`.
fn jumper() -> Character {
    let mut character = Character {
        name: "jumper".into(),
        bodies: Vec::new(),
        joints: Vec::new(),
        end_effectors: Vec::new(),
        collide: Vec::new(),
        origin: None,
    };
    let hips = Shape::Capsule { from: [0.0, -0.07, 0.03], to: [0.0, 0.07, 0.03], radius: 0.09 };
    push_body(&mut character, "pelvis", 10.2, hips);
    // From the root down to the soles: 0.39 + 0.39 + 0.07 m.
    let root = Joint::new("root", JointKind::Planar, None, "pelvis");
    character.joints.push(Joint { position: [0.0, 0.0, 0.85], ..root });
    for &(name, parent, position, [from, to], radius, mass) in &TRUNK {
        push_body(&mut character, name, mass, Shape::Capsule { from, to, radius });
        push_hinge(&mut character, name, name, parent, position);
    }
    for (suffix, side) in [("_l", 1.0), ("_r", -1.0)] {
        for &(name, parent, [x, y, z], [from, to], radius, mass) in &LIMBS {
            let own = format!("{name}{suffix}");
            let parent =
                if ["chest", "pelvis"].contains(&parent) { parent.into() } else { format!("{parent}{suffix}") };
            push_body(&mut character, &own, mass, Shape::Capsule { from, to, radius });
            push_hinge(&mut character, name, &own, &parent, [x, side * y + 0.0, z]);
        }
        let foot = format!("foot{suffix}");
        let sole = Shape::Box {
            center: [0.055, 0.0, -0.045],
            half_extents: [0.125, 0.04, 0.025],
            orientation: [1.0, 0.0, 0.0, 0.0],
        };
        push_body(&mut character, &foot, 1.15, sole);
        push_hinge(&mut character, "foot", &foot, &format!("shin{suffix}"), [0.0, 0.0, -0.39]);
    }
    character.end_effectors.push(EndEffector { name: "head".into(), body: "head".into(), position: [0.0, 0.0, 0.20] });
    character
}

fn push_body(character: &mut Character, name: &str, mass: f64, shape: Shape) {
    character.bodies.push(Body { name: name.into(), mass, center_of_mass: None, inertia: None, shapes: vec![shape] });
}

/// A hinge with the drive that the table has for `kind`.
fn push_hinge(character: &mut Character, kind: &str, name: &str, parent: &str, position: [f64; 3]) {
    let &(_, limits, kp, kd, torque_limit) =
        DRIVES.iter().find(|drive| drive.0 == kind).expect("every joint has a drive");
    character.joints.push(Joint {
        position,
        axis: Some([0.0, 1.0, 0.0]),
        limits: Some(limits),
        kp,
        kd,
        torque_limit: Some(torque_limit),
        ..Joint::new(name, JointKind::Hinge, Some(parent), name)
    });
}
