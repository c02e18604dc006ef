//! The trial passes what stands and fails what cannot.

use crate::support;
use sinew_modeler::{BodyCover, ClipPoses, Cover, ModelOptions, PreflightOptions, model, preflight};
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

#[test]
fn a_character_that_cannot_move_is_told() {
    let mut character = biped();
    for joint in character.joints.iter_mut().filter(|j| j.parent.is_some()) {
        joint.kind = sinew_sim::JointKind::Weld;
        (joint.axis, joint.limits, joint.torque_limit) = (None, None, None);
        (joint.kp, joint.kd, joint.armature) = (0.0, 0.0, 0.0);
    }
    let found = preflight(&character, &[], &PreflightOptions::default()).expect("a trial");
    assert!(found.problems.iter().any(|p| p.starts_with("Nothing can move it")), "{:?}", found.problems);
}

#[test]
fn bodies_that_miss_their_skin_are_warned_of_in_one_sentence() {
    let character = biped();
    let mut found = preflight(&character, &[], &PreflightOptions::default()).expect("a trial");
    let body = |name: &str, covered: f64, outside: f64| BodyCover {
        body: name.into(),
        covered: Some(covered),
        outside,
        center_outside: false,
        skin_volume_m3: 0.01,
    };
    let mut cover = Cover { covered: 0.8, outside: 0.1, skin_volume_m3: 0.02, bodies: vec![body("head", 0.9, 0.05)] };
    found.look_at_skin(&cover);
    assert!(found.ok && found.warnings.is_empty(), "{:?}", found.warnings);
    cover.bodies.extend([body("neck", 0.1, 0.2), body("tail", 0.6, 0.8)]);
    found.look_at_skin(&cover);
    assert_eq!(found.warnings.len(), 1);
    assert!(found.ok && found.warnings[0].contains("\"tail\" misses its skin"), "{:?}", found.warnings);
    assert!(found.warnings[0].contains("so does \"neck\""), "{:?}", found.warnings);
}
