//! The benchmark's dinosaur with feet to stand on, joint limits and end effectors.

use super::{capsule, limit, mark, peer_a::peer_a};
use sinew_sim::character::{Character, Shape};

/// Smallest and largest angle; a positive turn about `y` lowers what points forward and raises what points back.
#[rustfmt::skip]
const LIMITS: [(&str, [f64; 2]); 15] = [
    ("spine1", [-0.5, 0.5]), ("spine2", [-0.5, 0.5]), ("neck", [-0.9, 0.9]), ("head", [-0.9, 0.9]), ("jaw", [-0.1, 0.7]),
    ("uarm", [-1.5, 1.0]), ("farm", [-1.2, 1.1]),
    ("tail1", [-0.6, 0.6]), ("tail2", [-0.7, 0.7]), ("tail3", [-0.6, 0.6]), ("tail4", [-0.7, 0.7]),
    ("thigh", [-1.0, 1.2]), ("shin", [-0.9, 1.3]), ("foot", [-1.0, 0.9]), ("toe", [-1.2, 0.9]),
];

/// 22 bodies, a free root and 21 hinges, 50 kg, soles on the ground.
///
/// The legs are straighter than the benchmark's and stand farther forward, so that the centre of mass is over the toes'
/// axes: with that, and flat feet, the figure stands when all joints are driven to zero.
pub fn dinosaur() -> Character {
    let mut character = Character { name: "dinosaur".into(), ..peer_a() };
    // From the root down to the toe's axis, 0.7755 m; a toe's radius more, and the soles touch the ground.
    character.joints[0].position[2] = 0.8005;
    for side in ["_l", "_r"] {
        position(&mut character, "thigh", side)[0] = 0.24;
        position(&mut character, "foot", side)[0] = -0.14;
        position(&mut character, "toe", side)[0] = 0.1;
        *shapes(&mut character, "shin", side) = vec![capsule([0.0; 3], [-0.14, 0.0, -0.24], 0.036)];
        // Ends above the toe's axis, clear of the ground.
        *shapes(&mut character, "foot", side) = vec![capsule([0.0; 3], [0.088, 0.0, -0.186], 0.026)];
        // A heel and three toes spread, flat on the ground.
        *shapes(&mut character, "toe", side) = vec![
            capsule([-0.1, 0.0, 0.0], [0.2, 0.0, 0.0], 0.025),
            capsule([0.02, 0.02, 0.0], [0.15, 0.07, 0.0], 0.025),
            capsule([0.02, -0.02, 0.0], [0.15, -0.07, 0.0], 0.025),
        ];
    }
    LIMITS.iter().for_each(|&(name, limits)| limit(&mut character, name, limits));

    mark(&mut character, "head", "head", [0.24, 0.0, 0.0]);
    mark(&mut character, "jaw", "jaw", [0.18, 0.0, -0.03]);
    mark(&mut character, "tail", "tail4", [-0.18, 0.0, 0.0]);
    for side in ["l", "r"] {
        mark(&mut character, &format!("hand_{side}"), &format!("farm_{side}"), [0.13, 0.0, -0.08]);
    }
    for side in ["l", "r"] {
        mark(&mut character, &format!("foot_{side}"), &format!("toe_{side}"), [0.08, 0.0, -0.025]);
    }
    character
}

/// Where the body `name` with the suffix `side` sits in its parent.
fn position<'a>(character: &'a mut Character, name: &str, side: &str) -> &'a mut [f64; 3] {
    let child = format!("{name}{side}");
    &mut character.joints.iter_mut().find(|joint| joint.child == child).expect("a limb of the figure").position
}

/// The shapes of the body `name` with the suffix `side`.
fn shapes<'a>(character: &'a mut Character, name: &str, side: &str) -> &'a mut Vec<Shape> {
    let name = format!("{name}{side}");
    &mut character.bodies.iter_mut().find(|body| body.name == name).expect("a limb of the figure").shapes
}
