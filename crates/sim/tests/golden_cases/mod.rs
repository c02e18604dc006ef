//! Scenes and states that are compared with MuJoCo: `examples/reference_values.rs` prints what the simulator makes of them,
//! `scripts/compare_mujoco.py` holds that against MuJoCo and writes the golden file, `tests/golden_mujoco.rs` reads it.

#![allow(dead_code, reason = "the example and the test each use a part of it")]

pub mod random_scene;

use random_scene::Random;
use sinew_sim::{Body, Character, Joint, JointKind, Scene, embedded};

/// Name and scene of each case, all in the air and without joint stops.
pub fn cases() -> Vec<(&'static str, Scene)> {
    let mut cases = vec![
        ("dinosaur", Scene::floating(embedded::dinosaur())),
        ("humanoid", Scene::floating(embedded::humanoid())),
        ("peer_a", Scene::floating(embedded::peer_a())),
        ("peer_b", Scene::floating(embedded::peer_b())),
        ("planar", Scene::floating(planar())),
        ("pendulum", Scene::floating(pendulum())),
        ("welded", Scene::floating(welded())),
        ("random_12", random_scene::scene(&mut Random(12), 12)),
        ("random_40", random_scene::scene(&mut Random(42), 40)),
    ];
    for (_, scene) in &mut cases {
        for placed in &mut scene.characters {
            placed.character.joints.iter_mut().for_each(|joint| joint.limits = None);
        }
    }
    cases
}

/// A turned planar root with two hinged limbs.
fn planar() -> Character {
    character(
        "planar",
        &["trunk", "thigh", "shin"],
        vec![
            Joint {
                position: [0.2, 0.1, 1.0],
                orientation: [0.8, 0.0, 0.6, 0.0],
                ..Joint::new("root", JointKind::Planar, None, "trunk")
            },
            Joint { axis: Some([0.0, 1.0, 0.0]), ..hung("hip", JointKind::Hinge, "trunk", "thigh") },
            Joint { axis: Some([0.0, 1.0, 0.0]), armature: 0.02, ..hung("knee", JointKind::Hinge, "thigh", "shin") },
        ],
    )
}

/// A bolted, turned root with a ball joint and a hinge about no main axis.
fn pendulum() -> Character {
    character(
        "pendulum",
        &["mount", "upper", "lower"],
        vec![
            Joint {
                position: [0.0, 0.3, 2.0],
                orientation: [0.6, 0.0, 0.0, 0.8],
                ..Joint::new("root", JointKind::Fixed, None, "mount")
            },
            Joint {
                orientation: [0.8, 0.6, 0.0, 0.0],
                armature: 0.01,
                ..hung("shoulder", JointKind::Ball, "mount", "upper")
            },
            Joint { axis: Some([1.0, 2.0, -0.5]), ..hung("elbow", JointKind::Hinge, "upper", "lower") },
        ],
    )
}

/// A free root with a chain of two welds that carries a hinge and a ball.
fn welded() -> Character {
    let turned = [0.5, 0.5, -0.5, 0.5];
    character(
        "welded",
        &["trunk", "plate", "arm", "hand", "tail"],
        vec![
            Joint::new("root", JointKind::Free, None, "trunk"),
            Joint { orientation: turned, ..hung("bolt", JointKind::Weld, "trunk", "plate") },
            Joint { orientation: turned, ..hung("glue", JointKind::Weld, "plate", "arm") },
            Joint { axis: Some([0.0, 0.0, 1.0]), ..hung("wrist", JointKind::Hinge, "arm", "hand") },
            Joint { orientation: turned, ..hung("wag", JointKind::Ball, "plate", "tail") },
        ],
    )
}

fn hung(name: &str, kind: JointKind, parent: &str, child: &str) -> Joint {
    Joint { position: [0.05, -0.02, -0.3], ..Joint::new(name, kind, Some(parent), child) }
}

fn character(name: &str, bodies: &[&str], joints: Vec<Joint>) -> Character {
    let body = |(i, name): (usize, &&str)| Body {
        name: name.to_string(),
        mass: 1.0 + i as f64,
        center_of_mass: Some([0.02, 0.01 * i as f64, -0.15]),
        inertia: Some([0.03, 0.04, 0.02, 0.001, -0.002, 0.003]),
        shapes: Vec::new(),
    };
    Character {
        name: name.into(),
        bodies: bodies.iter().enumerate().map(body).collect(),
        joints,
        end_effectors: Vec::new(),
        collide: Vec::new(),
        origin: None,
    }
}
