//! Characters made from small creatures: what they have, how they move, that they stand.

use crate::support;
use glam::{DQuat, DVec3};
use sinew_modeler::{ModelOptions, Modeled, PreflightOptions, Preset, model, preflight};
use sinew_motion::Skeleton;
use sinew_sim::{Body, Character, Joint, JointKind, Shape};

/// A character of the default preset; with `SINEW_KEEP=folder` it is also written there, to be drawn by the `draw` example.
fn made(skeleton: &Skeleton, name: &str) -> Modeled {
    let clips = [support::walk(skeleton, "walk", 60)];
    let options = ModelOptions { name: name.into(), ..ModelOptions::default() };
    let modeled = model(skeleton, &clips, &options).unwrap();
    if let Ok(folder) = std::env::var("SINEW_KEEP") {
        modeled.character.write(std::path::Path::new(&format!("{folder}/{name}.toml"))).unwrap();
        println!("{name}: {:#?}", modeled.notes);
    }
    modeled
}

fn joint<'a>(character: &'a Character, name: &str) -> &'a Joint {
    character.joints.iter().find(|j| j.name == name).unwrap_or_else(|| panic!("no joint {name}"))
}

fn body<'a>(character: &'a Character, name: &str) -> &'a Body {
    character.bodies.iter().find(|b| b.name == name).unwrap_or_else(|| panic!("no body {name}"))
}

#[test]
fn every_creature_stands() {
    let creatures = [
        ("biped", support::biped(false)),
        ("skinned", support::biped(true)),
        ("dog", support::quadruped()),
        ("dinosaur", support::dinosaur()),
    ];
    for (name, skeleton) in creatures {
        let modeled = made(&skeleton, name);
        let found = preflight(&modeled.character, &[], &PreflightOptions::default()).unwrap();
        assert!(found.ok, "{name}: {found:#?}");
    }
}

#[test]
fn joints_move_as_in_the_clips() {
    let character = made(&support::biped(false), "biped").character;
    for (name, kind) in [
        ("shin_l", JointKind::Hinge),
        ("shin_r", JointKind::Hinge),
        ("forearm_l", JointKind::Hinge),
        ("thigh_l", JointKind::Ball),
        ("upper_arm_r", JointKind::Ball),
        ("spine", JointKind::Ball),
        ("hips", JointKind::Free),
    ] {
        assert_eq!(joint(&character, name).kind, kind, "{name}");
    }
    let knee = joint(&character, "shin_l");
    let axis = DVec3::from_array(knee.axis.unwrap());
    assert!(axis.dot(DVec3::Y) > 0.9999, "{axis}");
    let [low, high] = knee.limits.unwrap();
    // The knee turns from 0.05 to 0.95 in the clip.
    assert!(low <= 0.0 && low > -0.3 && high > 0.95 && high < 1.3, "{low} {high}");
    // Arms hang in the clip but are stretched out in the bind pose, so they rest as in the clip.
    let elbow = DVec3::from_array(joint(&character, "forearm_l").position);
    assert!(elbow.z < -0.2, "{elbow}");
}

#[test]
fn both_sides_are_alike() {
    for skeleton in [support::biped(true), support::quadruped(), support::dinosaur()] {
        let character = made(&skeleton, "figure").character;
        for left in character.joints.iter().filter(|j| j.name.ends_with("_l")) {
            let right = joint(&character, &left.name.replace("_l", "_r"));
            assert_eq!(left.kind, right.kind);
            let driven = |j: &Joint| (j.kp, j.kd, j.torque_limit, j.armature);
            assert_eq!(driven(left), driven(right));
            let mirrored = |p: [f64; 3]| DVec3::new(p[0], -p[1], p[2]);
            assert!(mirrored(left.position).distance(DVec3::from_array(right.position)) < 1e-5, "{}", left.name);
            if let (Some(a), Some(b)) = (left.axis, right.axis) {
                assert!(DVec3::new(-a[0], a[1], -a[2]).distance(DVec3::from_array(b)) < 1e-5, "{}", left.name);
                assert!((left.limits.unwrap()[0] - right.limits.unwrap()[0]).abs() < 2e-3, "{}", left.name);
            }
            let mass = |name: &str| body(&character, name).mass;
            assert!((mass(&left.child) - mass(&right.child)).abs() < 2e-6);
        }
    }
}

/// The ankle bears the body and moves a light foot: its rotor keeps it below 100 rad/s. A wrist bears nothing and has none.
#[test]
fn strong_joints_of_light_parts_have_rotors() {
    let character = made(&support::biped(false), "biped").character;
    for name in ["foot_l", "foot_r"] {
        let ankle = joint(&character, name);
        let quickest = ankle.kp / (100.0 * 100.0);
        assert!((0.5 * quickest..quickest).contains(&ankle.armature), "{name}: {} of {quickest}", ankle.armature);
    }
    let free = character.joints.iter().filter(|j| j.armature == 0.0 && j.parent.is_some()).count();
    assert!(free > 0, "some joints bear nothing");
}

#[test]
fn soles_are_flat_on_the_ground() {
    for (skeleton, sole) in
        [(support::biped(false), "foot_l"), (support::dinosaur(), "toe_r"), (support::quadruped(), "paw_l")]
    {
        let character = made(&skeleton, "figure").character;
        let Shape::Box { center, half_extents, orientation } = body(&character, sole).shapes[0] else {
            panic!("{sole} is no box")
        };
        let turn = DQuat::from_xyzw(orientation[1], orientation[2], orientation[3], orientation[0]);
        assert!((turn * DVec3::Z).z > 0.99999, "{sole}");
        let mut at = center[2] - half_extents[2];
        let mut name = sole.to_owned();
        loop {
            let carrier = character.joints.iter().find(|j| j.child == name).unwrap();
            at += carrier.position[2];
            match &carrier.parent {
                Some(parent) => name = parent.clone(),
                None => break,
            }
        }
        assert!(at.abs() < 1e-4, "{sole} is at {at}");
        assert!(half_extents[0] > 0.02 && half_extents[1] > 0.01, "{half_extents:?}");
    }
}

#[test]
fn soles_are_flat_where_feet_stand_however_the_joints_rest() {
    let skeleton = support::biped(false);
    // Legs apart, one knee bent more than the other, both soles level: joints that hardly move rest between both sides, and so at a slant.
    let crouch = support::clip(&skeleton, "crouch", 30, |joint, t| {
        let (side, bend) = if joint.ends_with("_l") { (1.0, 0.9) } else { (-1.0, 0.3) };
        let thigh = DQuat::from_rotation_x(0.4 * side) * DQuat::from_rotation_y(-0.6 * bend);
        let shin = DQuat::from_rotation_y(bend + 0.02 * (std::f64::consts::TAU * t).sin());
        match joint.trim_end_matches("_l").trim_end_matches("_r") {
            "thigh" => thigh.to_scaled_axis(),
            "shin" => shin.to_scaled_axis(),
            "foot" => (thigh * shin).inverse().to_scaled_axis(),
            _ => DVec3::ZERO,
        }
    });
    let modeled = model(&skeleton, std::slice::from_ref(&crouch), &ModelOptions::default()).unwrap();
    for foot in ["foot_l", "foot_r"] {
        let Shape::Box { orientation, .. } = body(&modeled.character, foot).shapes[0] else {
            panic!("{foot} is no box")
        };
        let turn = DQuat::from_xyzw(orientation[1], orientation[2], orientation[3], orientation[0]);
        let link = modeled.binding.links.iter().find(|l| l.body == foot).unwrap();
        let joint = &crouch.place(&skeleton, 0)[skeleton.find(&link.joint).unwrap()];
        let up = joint.orientation * link.rotation * turn * DVec3::Z;
        assert!(up.z > 0.999, "{foot}: {up}");
    }
}

#[test]
fn fingers_are_merged_and_reported() {
    let modeled = made(&support::biped(true), "figure");
    assert!(!modeled.character.bodies.iter().any(|b| b.name.contains("index") || b.name.contains("thumb")));
    assert!(modeled.notes.iter().any(|n| n.contains("index1_l") && n.contains("hand_l")), "{:?}", modeled.notes);
}

#[test]
fn skin_gives_the_thickness_and_the_mass() {
    let character = made(&support::biped(true), "figure").character;
    let Shape::Capsule { radius, .. } = body(&character, "thigh_l").shapes[0] else { panic!("no capsule") };
    assert!((radius - 0.075).abs() < 0.01, "{radius}");
    let mass: f64 = character.bodies.iter().map(|b| b.mass).sum();
    assert!((40.0..110.0).contains(&mass), "{mass}");
    let options = ModelOptions { mass: Some(64.0), ..ModelOptions::default() };
    let given = model(&support::biped(true), &[], &options).unwrap().character;
    assert!((given.bodies.iter().map(|b| b.mass).sum::<f64>() - 64.0).abs() < 1e-3);
}

#[test]
fn the_binding_puts_bodies_where_the_skeleton_has_them() {
    for skeleton in [support::biped(false), support::dinosaur()] {
        let modeled = made(&skeleton, "figure");
        let clip = support::walk(&skeleton, "walk", 20);
        for frame in [0, 7, 13] {
            let placed = clip.place(&skeleton, frame);
            for carrier in modeled.character.joints.iter().filter(|j| j.parent.is_some()) {
                let link = |body: &str| modeled.binding.links.iter().find(|l| l.body == body).unwrap();
                let pose = |body: &str| {
                    let link = link(body);
                    let joint = &placed[skeleton.find(&link.joint).unwrap()];
                    (joint.place(link.offset), joint.orientation * link.rotation)
                };
                let (parent, child) = (pose(carrier.parent.as_ref().unwrap()), pose(&carrier.child));
                let expected = parent.0 + parent.1 * DVec3::from_array(carrier.position);
                // Joints between merged bones bend a little; all others keep the joint in place.
                assert!(expected.distance(child.0) < 2e-6, "{}: {}", carrier.name, expected.distance(child.0));
            }
        }
    }
}

#[test]
fn the_paper_preset_follows_the_paper() {
    let options = ModelOptions { preset: Preset::Paper, ..ModelOptions::default() };
    let skeleton = support::dinosaur();
    let modeled = model(&skeleton, &[], &options).unwrap();
    let character = &modeled.character;
    // Each joint with a child or an end has a body, and all but the root are hinges of the same gains.
    assert_eq!(character.bodies.len(), skeleton.joints.len());
    for joint in character.joints.iter().filter(|j| j.parent.is_some()) {
        assert_eq!((joint.kind, joint.kp, joint.kd, joint.torque_limit), (JointKind::Hinge, 500.0, 50.0, Some(400.0)));
    }
    assert!((character.bodies.iter().map(|b| b.mass).sum::<f64>() - 50.0).abs() < 1e-4);
    for body in &character.bodies {
        let [Shape::Capsule { from, to, radius }] = body.shapes[..] else { panic!("one capsule each") };
        let length = DVec3::from_array(from).distance(DVec3::from_array(to));
        assert!((radius - 0.1 * length).abs() < 2e-6);
        // The enclosing box: largest moment m/3 ((L/2 + r)² + r²).
        let [xx, yy, zz, ..] = body.inertia.unwrap();
        let (long, expected) = (0.5 * length + radius, body.mass / 3.0);
        let trace = expected * (2.0 * (long * long + radius * radius) + 2.0 * radius * radius);
        assert!((xx + yy + zz - trace).abs() < 1e-3 * trace, "{}", body.name);
    }
    // The knee's axis is orthogonal to thigh and shin, which lie in the x–z plane.
    let axis = DVec3::from_array(joint(character, "shin_l").axis.unwrap());
    assert!(axis.y.abs() > 0.999, "{axis}");
}

#[test]
fn a_skeleton_without_bones_is_refused() {
    let mut skeleton = support::biped(false);
    skeleton.joints.truncate(1);
    skeleton.joints[0].tips.clear();
    let error = model(&skeleton, &[], &ModelOptions::default()).unwrap_err();
    assert!(error.to_string().contains("no bone"), "{error}");
    let mut skeleton = support::biped(false);
    skeleton.joints[3].offset.x = f64::NAN;
    assert!(model(&skeleton, &[], &ModelOptions::default()).unwrap_err().to_string().contains("neck"));
}

#[test]
fn without_clips_the_creature_stands_too() {
    for skeleton in [support::biped(false), support::quadruped()] {
        let character = model(&skeleton, &[], &ModelOptions::default()).unwrap().character;
        let found = preflight(&character, &[], &PreflightOptions::default()).unwrap();
        assert!(found.ok, "{found:#?}");
    }
}
