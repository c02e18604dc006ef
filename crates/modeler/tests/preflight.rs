//! The trial passes what stands and fails what cannot.

mod support;

use sinew_modeler::{ClipPoses, ModelOptions, PreflightOptions, model, preflight};
use sinew_sim::{Character, Model, Scene, Shape};

fn biped() -> Character {
    let skeleton = support::biped(true);
    model(&skeleton, &[support::walk(&skeleton, "walk", 30)], &ModelOptions::default()).unwrap().character
}

fn problems(character: &Character) -> Vec<String> {
    preflight(character, &[], &PreflightOptions::default()).unwrap().problems
}

#[test]
fn weak_legs_fall() {
    let mut character = biped();
    for joint in character.joints.iter_mut().filter(|j| j.parent.is_some()) {
        (joint.kp, joint.kd) = (0.5, 0.05);
    }
    assert!(problems(&character).iter().any(|p| p.contains("does not stand")), "{:?}", problems(&character));
}

#[test]
fn weight_in_front_of_the_feet_is_seen() {
    let mut character = biped();
    let head = character.bodies.iter_mut().find(|b| b.name == "head").unwrap();
    (head.mass, head.center_of_mass) = (60.0, Some([0.6, 0.0, 0.1]));
    assert!(problems(&character).iter().any(|p| p.contains("outside its feet")), "{:?}", problems(&character));
}

#[test]
fn unequal_sides_and_weak_joints_are_named() {
    let mut character = biped();
    character.bodies.iter_mut().find(|b| b.name == "thigh_r").unwrap().mass *= 1.5;
    character.joints.iter_mut().find(|j| j.name == "upper_arm_l").unwrap().torque_limit = Some(0.5);
    let found = problems(&character);
    assert!(found.iter().any(|p| p.contains("thigh_l") && p.contains("thigh_r")), "{found:?}");
    assert!(found.iter().any(|p| p.contains("upper_arm_l") && p.contains("torque_limit")), "{found:?}");
}

#[test]
fn a_character_in_the_air_or_in_the_ground_is_seen() {
    let mut character = biped();
    character.joints[0].position[2] += 0.2;
    assert!(problems(&character).iter().any(|p| p.contains("Nothing touches the ground")));
    character.joints[0].position[2] -= 0.3;
    assert!(problems(&character).iter().any(|p| p.contains("inside the ground")));
}

#[test]
fn a_clip_beyond_the_limits_is_named() {
    let character = biped();
    let model = Model::new(&Scene::on_ground(character.clone()), 0.002).unwrap();
    let rest = model.rest_position().to_vec();
    let knee = model.joints().iter().find(|j| j.name.ends_with("shin_l")).unwrap();
    let mut bent = rest.clone();
    bent[knee.position_index] = -2.0;
    let clips = [
        ClipPoses { name: "stand".into(), poses: vec![rest.clone()] },
        ClipPoses { name: "bend".into(), poses: vec![rest, bent] },
        ClipPoses { name: "other".into(), poses: vec![vec![0.0; 3]] },
    ];
    let found = preflight(&character, &clips, &PreflightOptions::default()).unwrap();
    assert_eq!(found.problems.len(), 2, "{:?}", found.problems);
    assert!(found.problems[0].contains("bend") && found.problems[0].contains("shin_l"));
    assert!(found.problems[1].contains("other"));
}

#[test]
fn feet_shrunk_to_points_do_not_hold_a_push_of_their_own_weight() {
    let mut character = biped();
    for body in character.bodies.iter_mut().filter(|b| b.name.starts_with("foot")) {
        for shape in &mut body.shapes {
            if let Shape::Box { center, half_extents, .. } = shape {
                center[0] -= 0.2;
                *half_extents = [0.01, 0.01, half_extents[2]];
            }
        }
    }
    let found = preflight(&character, &[], &PreflightOptions::default()).unwrap();
    assert!(!found.ok && found.support_margin.unwrap() < 0.0, "{found:?}");
}
