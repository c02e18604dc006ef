//! The jumper: a human of 17 links in the sagittal plane, 80 kg, 1.6 m, and the scene that it jumps in.

use sinew_sim::{Character, Model, Scene};

/// Acceleration of gravity, m/s².
pub const GRAVITY: f64 = sinew_sim::STANDARD_GRAVITY;
/// Length of a simulation step, s.
pub const STEP_SECS: f64 = 1.0 / 600.0;
/// Simulation steps between two decisions of the controller.
pub const STEPS_PER_TICK: usize = 3;
/// Time between two decisions of the controller, s.
pub const TICK_SECS: f64 = STEPS_PER_TICK as f64 * STEP_SECS;

/// The embedded character, as `assets/jumper.toml` has it (Agrawal & van de Panne 2013, section 3).
///
/// A planar root and 16 hinges about `y`; a positive angle pitches the child forward, seen from its parent.
pub fn jumper() -> Character {
    Character::from_toml(include_str!("../assets/jumper.toml"))
        .expect("the embedded character is valid, which a test checks")
}

/// The jumper on flat ground, compiled. Its feet do not rebound.
pub fn jumper_model() -> Model {
    let mut scene = Scene::on_ground(jumper());
    if let Some(ground) = &mut scene.ground {
        ground.surface.restitution = 0.0;
        ground.surface.friction = 1.0;
    }
    Model::new(&scene, STEP_SECS).expect("the embedded character is valid, which a test checks")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::JointKind;

    #[test]
    fn the_jumper_is_the_papers_human() {
        let character = jumper();
        let mass: f64 = character.bodies.iter().map(|body| body.mass).sum();
        assert_eq!(character.bodies.len(), 17);
        assert!((mass - 80.0).abs() < 1e-9, "{mass} kg");
        assert_eq!(character.joints.iter().filter(|joint| joint.kind == JointKind::Hinge).count(), 16);
        assert!(character.joints.iter().any(|joint| joint.kind == JointKind::Planar));
        let model = jumper_model();
        let still = vec![0.0; model.velocity_count()];
        let measured = sinew_sim::Measured::new(&model, model.rest_position(), &still, [0.0; 3]);
        assert!((measured.end_effectors[0][2] - 1.6).abs() < 1e-9, "{:?}", measured.end_effectors);
    }

    #[test]
    fn left_and_right_are_alike() {
        let character = jumper();
        for joint in character.joints.iter().filter(|joint| joint.name.ends_with("_l")) {
            let name = joint.name.replace("_l", "_r");
            let other = character.joints.iter().find(|joint| joint.name == name).expect("a right side");
            assert_eq!(
                (joint.kp, joint.kd, joint.limits, joint.torque_limit),
                (other.kp, other.kd, other.limits, other.torque_limit)
            );
            let [[x, y, z], [u, v, w]] = [joint.position, other.position];
            assert_eq!([x, y, z], [u, -v + 0.0, w]);
        }
    }
}
