//! A figure of three bodies with every kind of joint, small enough to compute by hand: for tests.

use crate::target::{ClipInput, FRAME_SECS, Target};
use sinew_sim::{Batch, BatchOptions, Body, Character, EndEffector, Joint, JointKind, Model, Scene, Shape};
use std::sync::Arc;

/// Step of the simulation, s.
pub(crate) const DT: f64 = FRAME_SECS / 10.0;
/// Height of the root, m.
pub(crate) const ROOT_HEIGHT: f64 = 1.0;
/// The hip and the end effectors at rest, from the root, m: foot, hand, head.
pub(crate) const HIP: [f64; 3] = [0.0, 0.0, -0.3];
pub(crate) const EFFECTORS: [[f64; 3]; 3] = [[0.05, 0.0, -1.0], [0.0, 0.2, -0.3], [0.0, 0.0, 0.5]];
/// Places in `qpos` and in `qvel`: of the hinge of the leg, of the ball of the arm.
pub(crate) const LEG: [usize; 2] = [7, 6];
pub(crate) const ARM: [usize; 2] = [8, 7];
/// Numbers in a row of offsets, and in `qvel`.
pub(crate) const DRIVEN: usize = 4;
pub(crate) const SPEEDS: usize = 6 + DRIVEN;

/// A trunk on one leg with a flat foot, and an arm: a free root, a hinge about y, and a ball. The sole is at the ground.
pub(crate) fn figure(root: JointKind) -> Character {
    let body = |name: &str, mass: f64, shapes: Vec<Shape>| Body {
        name: name.to_owned(),
        mass,
        center_of_mass: None,
        inertia: None,
        shapes,
    };
    let hung = |name: &str, kind: JointKind, position: [f64; 3], [kp, kd, limit]: [f64; 3]| Joint {
        position,
        kp,
        kd,
        torque_limit: Some(limit),
        ..Joint::new(name, kind, Some("trunk"), name)
    };
    let effector = |name: &str, body: &str, position: [f64; 3]| EndEffector {
        name: name.to_owned(),
        body: body.to_owned(),
        position,
    };
    let trunk = Shape::Box { center: [0.0; 3], half_extents: [0.1, 0.15, 0.3], orientation: [1.0, 0.0, 0.0, 0.0] };
    let shin = Shape::Capsule { from: [0.0; 3], to: [0.0, 0.0, -0.55], radius: 0.08 };
    let foot =
        Shape::Box { center: [0.05, 0.0, -0.65], half_extents: [0.2, 0.12, 0.05], orientation: [1.0, 0.0, 0.0, 0.0] };
    let arm = Shape::Capsule { from: [0.0; 3], to: [0.0, 0.0, -0.5], radius: 0.05 };
    Character {
        name: "figure".to_owned(),
        bodies: vec![body("trunk", 10.0, vec![trunk]), body("leg", 4.0, vec![shin, foot]), body("arm", 2.0, vec![arm])],
        joints: vec![
            Joint { position: [0.0, 0.0, ROOT_HEIGHT], ..Joint::new("root", root, None, "trunk") },
            Joint { axis: Some([0.0, 1.0, 0.0]), ..hung("leg", JointKind::Hinge, HIP, [400.0, 40.0, 200.0]) },
            hung("arm", JointKind::Ball, [0.0, 0.2, 0.2], [40.0, 4.0, 20.0]),
        ],
        end_effectors: vec![
            effector("foot", "leg", [0.05, 0.0, -0.7]),
            effector("hand", "arm", [0.0, 0.0, -0.5]),
            effector("head", "trunk", [0.0, 0.0, 0.5]),
        ],
        collide: Vec::new(),
        origin: None,
    }
}

/// The figure on the ground.
pub(crate) fn model(root: JointKind) -> Arc<Model> {
    Arc::new(Model::new(&Scene::on_ground(figure(root)), DT).expect("a valid scene"))
}

/// A motion of so many frames: each is the rest pose moved along `way`, in `qvel` order.
pub(crate) fn motion(model: &Arc<Model>, frames: usize, way: impl Fn(usize) -> [f64; SPEEDS]) -> Target {
    let positions: Vec<f64> = (0..frames).flat_map(|frame| moved(model, &way(frame))).collect();
    let clip = ClipInput { name: "motion", rate_hz: 1.0 / FRAME_SECS, positions: &positions };
    Target::new(model, &clip).expect("a target")
}

/// Standing still for nine frames.
pub(crate) fn standing() -> Target {
    motion(&model(JointKind::Free), 9, |_| [0.0; SPEEDS])
}

/// The rest pose moved along `way`, in `qvel` order.
pub(crate) fn moved(model: &Model, way: &[f64]) -> Vec<f64> {
    let mut position = model.rest_position().to_vec();
    model.displace(model.rest_position(), way, 1.0, &mut position);
    position
}

/// A row in `qvel` order that is zero but for some numbers.
pub(crate) fn row(numbers: &[(usize, f64)]) -> [f64; SPEEDS] {
    let mut row = [0.0; SPEEDS];
    numbers.iter().for_each(|&(k, x)| row[k] = x);
    row
}

/// One world in a state, observed.
pub(crate) fn observed(model: &Arc<Model>, position: &[f64], velocity: &[f64]) -> Batch {
    let mut batch = Batch::new(model, 1, BatchOptions { threads: 1, ..BatchOptions::default() }).expect("a world");
    batch.world_mut(0).set_position(position);
    batch.world_mut(0).set_velocity(velocity);
    batch.observe();
    batch
}
