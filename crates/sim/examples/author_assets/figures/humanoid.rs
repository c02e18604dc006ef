//! The benchmark's humanoid with its soles on the ground, joint limits and end effectors.

use super::{limit, mark, peer_b::peer_b};
use sinew_sim::character::Character;

/// Largest angle from the rest pose, rad.
#[rustfmt::skip]
const LARGEST_ANGLES: [(&str, f64); 10] = [
    ("spine", 0.8), ("chest", 0.8), ("head", 1.0),
    ("clav", 0.5), ("uarm", 2.8), ("farm", 2.6), ("hand", 1.4),
    ("thigh", 2.2), ("shin", 2.6), ("foot", 1.0),
];

/// 18 bodies, a free root and 17 ball joints, 49 kg, soles on the ground.
pub fn humanoid() -> Character {
    let mut character = Character { name: "humanoid".into(), ..peer_b() };
    // From the root down to the soles: 0.04 + 0.38 + 0.36 + 0.0355 + 0.025 m.
    character.joints[0].position[2] = 0.8405;
    LARGEST_ANGLES.iter().for_each(|&(name, angle)| limit(&mut character, name, [0.0, angle]));

    mark(&mut character, "head", "head", [0.0, 0.0, 0.25]);
    for side in ["l", "r"] {
        mark(&mut character, &format!("hand_{side}"), &format!("hand_{side}"), [0.0, 0.0, -0.13]);
    }
    for side in ["l", "r"] {
        mark(&mut character, &format!("foot_{side}"), &format!("foot_{side}"), [0.04, 0.0, -0.0605]);
    }
    character
}
