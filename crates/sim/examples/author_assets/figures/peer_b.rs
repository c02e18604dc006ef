//! The benchmark's second figure: a humanoid on ball joints.

use super::{Drive, attach, capsule, mirrored, rooted};
use sinew_sim::character::{Character, Shape};

const DRIVE: Drive = Drive { kp: 500.0, kd: 50.0, torque_limit: 400.0 };
const HIP: Drive = Drive { kp: 1000.0, kd: 100.0, torque_limit: 400.0 };

/// Name, parent, place in the parent, ends of the capsule, radius, mass.
type Row = (&'static str, &'static str, [f64; 3], [[f64; 3]; 2], f64, f64);

#[rustfmt::skip]
const TRUNK: [Row; 3] = [
    ("spine", "pelvis", [0.0, 0.0, 0.06], [[0.0, -0.06, 0.06], [0.0, 0.06, 0.06]], 0.07, 5.0),
    ("chest", "spine",  [0.0, 0.0, 0.13], [[0.0, -0.07, 0.09], [0.0, 0.07, 0.09]], 0.09, 8.5),
    ("head",  "chest",  [0.0, 0.0, 0.22], [[0.0, 0.0, 0.06], [0.0, 0.0, 0.17]],    0.08, 4.0),
];

/// Left side; the right one mirrors `y`.
#[rustfmt::skip]
const ARM: [Row; 4] = [
    ("clav", "chest", [0.0, 0.03, 0.17],  [[0.0, 0.02, 0.0], [0.0, 0.1, 0.0]],  0.03,  1.0),
    ("uarm", "clav",  [0.0, 0.14, 0.0],   [[0.0, 0.0, 0.0], [0.0, 0.0, -0.25]], 0.035, 1.5),
    ("farm", "uarm",  [0.0, 0.0, -0.25],  [[0.0, 0.0, 0.0], [0.0, 0.0, -0.22]], 0.03,  1.0),
    ("hand", "farm",  [0.0, 0.0, -0.22],  [[0.0, 0.0, 0.0], [0.0, 0.0, -0.13]], 0.025, 0.5),
];

/// Left side; the right one mirrors `y`. The foot, a box, follows.
#[rustfmt::skip]
const LEG: [Row; 2] = [
    ("thigh", "pelvis", [0.0, 0.09, -0.04], [[0.0, 0.0, 0.0], [0.0, 0.0, -0.38]], 0.055, 5.0),
    ("shin",  "thigh",  [0.0, 0.0, -0.38],  [[0.0, 0.0, 0.0], [0.0, 0.0, -0.34]], 0.042, 2.7),
];

/// 16 capsules and two boxes, a free root and 17 ball joints, 49 kg; bodies in depth-first order.
pub fn peer_b() -> Character {
    let hips = capsule([0.0, -0.07, 0.0], [0.0, 0.07, 0.0], 0.08);
    let mut character = rooted("peer_b", "pelvis", 6.5, hips, [0.0, 0.0, 0.84]);
    for &(name, parent, position, [from, to], radius, mass) in &TRUNK {
        attach(&mut character, (name, parent, position), (mass, capsule(from, to, radius)), None, &DRIVE);
    }
    add_side(&mut character, &ARM, "_l", 1.0);
    add_side(&mut character, &ARM, "_r", -1.0);
    for (suffix, side) in [("_l", 1.0), ("_r", -1.0)] {
        add_side(&mut character, &LEG, suffix, side);
        let orientation = [1.0, 0.0, 0.0, 0.0];
        let sole = Shape::Box { center: [0.04, 0.0, -0.0355], half_extents: [0.1, 0.04, 0.025], orientation };
        let (foot, shin) = (format!("foot{suffix}"), format!("shin{suffix}"));
        attach(&mut character, (&foot, &shin, [0.0, 0.0, -0.36]), (0.8, sole), None, &DRIVE);
    }
    character
}

fn add_side(character: &mut Character, rows: &[Row], suffix: &str, side: f64) {
    let mirrored = |point| mirrored(point, side);
    for (index, &(name, parent, position, [from, to], radius, mass)) in rows.iter().enumerate() {
        // The first of a limb hangs from the trunk, which has no side.
        let parent = if index == 0 { parent.to_string() } else { format!("{parent}{suffix}") };
        let drive = if name == "thigh" { &HIP } else { &DRIVE };
        let place = (&*format!("{name}{suffix}"), &*parent, mirrored(position));
        attach(character, place, (mass, capsule(mirrored(from), mirrored(to), radius)), None, drive);
    }
}
