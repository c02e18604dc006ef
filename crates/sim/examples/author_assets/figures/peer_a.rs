//! The benchmark's first figure: a two-legged dinosaur on hinges.

use super::{Drive, attach, capsule, mirrored, rooted};
use sinew_sim::character::Character;

const Y: [f64; 3] = [0.0, 1.0, 0.0];
const Z: [f64; 3] = [0.0, 0.0, 1.0];
const DRIVE: Drive = Drive { kp: 500.0, kd: 50.0, torque_limit: 400.0 };

/// Name, parent, place in the parent, axis, end of the capsule from the origin, radius, mass.
type Row = (&'static str, &'static str, [f64; 3], [f64; 3], [f64; 3], f64, f64);

#[rustfmt::skip]
const SPINE: [Row; 5] = [
    ("spine1", "pelvis", [0.27, 0.0, 0.0],   Y, [0.18, 0.0, 0.06],  0.026, 6.0),
    ("spine2", "spine1", [0.18, 0.0, 0.06],  Y, [0.19, 0.0, 0.07],  0.026, 6.0),
    ("neck",   "spine2", [0.19, 0.0, 0.07],  Y, [0.16, 0.0, 0.17],  0.028, 2.5),
    ("head",   "neck",   [0.16, 0.0, 0.17],  Y, [0.24, 0.0, 0.0],   0.034, 3.5),
    ("jaw",    "head",   [0.02, 0.0, -0.07], Y, [0.18, 0.0, -0.03], 0.022, 0.8),
];

/// Left side; the right one mirrors `y`.
#[rustfmt::skip]
const ARM: [Row; 2] = [
    ("uarm", "spine2", [0.14, 0.1, 0.0],    Y, [-0.02, 0.0, -0.16], 0.02,  0.7),
    ("farm", "uarm",   [-0.02, 0.0, -0.16], Y, [0.13, 0.0, -0.08],  0.019, 0.5),
];

#[rustfmt::skip]
const TAIL: [Row; 4] = [
    ("tail1", "pelvis", [0.0, 0.0, 0.0],     Y, [-0.22, 0.0, 0.0],   0.03,  3.0),
    ("tail2", "tail1",  [-0.22, 0.0, 0.0],   Z, [-0.21, 0.0, -0.01], 0.028, 2.0),
    ("tail3", "tail2",  [-0.21, 0.0, -0.01], Y, [-0.19, 0.0, -0.01], 0.024, 1.2),
    ("tail4", "tail3",  [-0.19, 0.0, -0.01], Z, [-0.18, 0.0, 0.0],   0.02,  0.6),
];

/// Left side; the right one mirrors `y`.
#[rustfmt::skip]
const LEG: [Row; 4] = [
    ("thigh", "pelvis", [0.197514, 0.13, -0.03], Y, [0.12, 0.0, -0.29],   0.04,  3.2),
    ("shin",  "thigh",  [0.12, 0.0, -0.29],      Y, [-0.2, 0.0, -0.24],   0.036, 1.8),
    ("foot",  "shin",   [-0.2, 0.0, -0.24],      Y, [0.08, 0.0, -0.2125], 0.026, 0.9),
    ("toe",   "foot",   [0.08, 0.0, -0.2155],    Y, [0.2, 0.0, 0.0],      0.025, 0.6),
];

/// 22 capsules, a free root and 21 hinges, 50 kg; bodies in depth-first order.
pub fn peer_a() -> Character {
    let trunk = capsule([0.0; 3], [0.27, 0.0, 0.0], 0.04);
    let mut character = rooted("peer_a", "pelvis", 9.0, trunk, [-0.12, 0.0, 0.8]);
    SPINE.iter().for_each(|row| add(&mut character, row));
    add_side(&mut character, &ARM, "_l", 1.0);
    add_side(&mut character, &ARM, "_r", -1.0);
    TAIL.iter().for_each(|row| add(&mut character, row));
    add_side(&mut character, &LEG, "_l", 1.0);
    add_side(&mut character, &LEG, "_r", -1.0);
    character
}

fn add(character: &mut Character, &(name, parent, position, axis, to, radius, mass): &Row) {
    let body = (mass, capsule([0.0; 3], to, radius));
    attach(character, (name, parent, position), body, Some(axis), &DRIVE);
}

fn add_side(character: &mut Character, rows: &[Row], suffix: &str, side: f64) {
    for (index, &(name, parent, position, axis, to, radius, mass)) in rows.iter().enumerate() {
        // The first of a limb hangs from the trunk, which has no side.
        let parent = if index == 0 { parent.to_string() } else { format!("{parent}{suffix}") };
        let place = (&*format!("{name}{suffix}"), &*parent, mirrored(position, side));
        attach(character, place, (mass, capsule([0.0; 3], to, radius)), Some(axis), &DRIVE);
    }
}
