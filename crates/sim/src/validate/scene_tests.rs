use super::*;
use crate::character::Character;
use crate::scene::{Ground, PlacedCharacter};

fn ball_character(name: &str) -> PlacedCharacter {
    let text = format!(
        "name = {name:?}\n[[body]]\nname = \"torso\"\nmass = 1.0\nshape = [{{ type = \"sphere\", radius = 0.1 }}]\n\
         [[joint]]\nname = \"root\"\ntype = \"free\"\nchild = \"torso\"\n"
    );
    let character = Character::from_toml(&text).unwrap();
    PlacedCharacter { character, offset: [0.0; 3], heading: 0.0 }
}

/// Two characters, a crate, a step.
fn scene() -> Scene {
    let orientation = [1.0, 0.0, 0.0, 0.0];
    Scene {
        ground: Some(Ground::default()),
        characters: vec![ball_character("hero"), ball_character("rival")],
        objects: vec![Object {
            name: "crate".into(),
            shape: ObjectShape::Box { half_extents: [0.2; 3] },
            mass: 5.0,
            position: [1.0, 0.0, 0.2],
            orientation,
        }],
        boxes: vec![StaticBox {
            name: "step".into(),
            center: [2.0, 0.0, 0.1],
            half_extents: [0.5, 1.0, 0.1],
            orientation,
            surface: Surface::default(),
        }],
        collide: vec![["hero".into(), "rival/torso".into()], ["crate".into(), "hero/torso".into()]],
        ..Scene::default()
    }
}

#[track_caller]
fn refused(change: impl FnOnce(&mut Scene), parts: &[&str]) {
    let mut scene = scene();
    change(&mut scene);
    let text = scene.validate().expect_err("the change should be refused").to_string();
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
    assert!(text.contains("; ") && !text.contains('\n'), "no remedy, or not one line: {text}");
}

#[test]
fn valid_scenes() {
    assert_eq!(scene().validate(), Ok(()));
    assert_eq!(Scene::default().validate(), Ok(()));
}

#[test]
fn names() {
    refused(|s| s.objects[0].name = "hero".into(), &["object \"hero\": name is also that of character \"hero\""]);
    refused(|s| s.boxes[0].name = "crate".into(), &["box \"crate\": name is also that of object \"crate\""]);
    refused(|s| s.characters[1].character.name = "hero".into(), &["character \"hero\": name is also"]);
    refused(|s| s.boxes[0].name.clear(), &["box number 1: name is empty"]);
    refused(|s| s.objects[0].name = "a/b".into(), &["object \"a/b\": name holds '/'"]);
}

#[test]
fn characters_are_valid() {
    let change = |s: &mut Scene| s.characters[1].character.bodies[0].mass = 0.0;
    refused(change, &["character \"rival\": body \"torso\": mass is 0 kg"]);
    refused(|s| s.characters[0].offset[0] = f64::NAN, &["character \"hero\": offset[0] is nan"]);
    refused(|s| s.characters[0].heading = f64::INFINITY, &["character \"hero\": heading is inf"]);
}

#[test]
fn surfaces() {
    refused(|s| s.between_bodies.friction = -0.1, &["scene: between_bodies.friction is -0.1"]);
    refused(|s| s.between_bodies.restitution = 1.1, &["scene: between_bodies.restitution is 1.1"]);
    let ground = |surface| Some(Ground { height: 0.0, surface });
    let steep = Surface { friction: 11.0, restitution: 0.0 };
    refused(|s| s.ground = ground(steep), &["ground: surface.friction is 11, but must be between 0 and 10"]);
    let dead = Surface { friction: 0.5, restitution: f64::NAN };
    refused(|s| s.ground = ground(dead), &["ground: surface.restitution is nan"]);
    refused(|s| s.boxes[0].surface.restitution = -0.5, &["box \"step\": surface.restitution is -0.5"]);
}

#[test]
fn world_numbers() {
    refused(|s| s.gravity[2] = -2000.0, &["scene: gravity[2] is -2000 m/s^2"]);
    refused(|s| s.gravity[0] = f64::NAN, &["scene: gravity[0] is nan"]);
    refused(|s| s.ground = Some(Ground { height: 1e5, ..Ground::default() }), &["ground: height is 100000 m"]);
    refused(|s| s.boxes[0].half_extents[2] = 0.0, &["box \"step\": half_extents[2] is 0 m"]);
    refused(|s| s.boxes[0].center[0] = f64::NAN, &["box \"step\": center[0] is nan"]);
    refused(|s| s.boxes[0].orientation = [0.0; 4], &["box \"step\": orientation is a quaternion of length 0"]);
    refused(|s| s.objects[0].mass = -1.0, &["object \"crate\": mass is -1 kg"]);
    refused(|s| s.objects[0].position[1] = 2e4, &["object \"crate\": position[1] is 20000 m"]);
    refused(|s| s.objects[0].orientation[0] = 2.0, &["object \"crate\": orientation"]);
    refused(|s| s.objects[0].shape = ObjectShape::Ball { radius: 0.0 }, &["crate\": shape.ball.radius is 0 m"]);
    let thin = ObjectShape::Box { half_extents: [0.1, -0.1, 0.1] };
    refused(|s| s.objects[0].shape = thin, &["object \"crate\": shape.box.half_extents[1] is -0.1 m"]);
}

#[test]
fn collision_pairs() {
    let pair = |a: &str, b: &str| [a.to_string(), b.to_string()];
    refused(|s| s.collide.push(pair("hero", "villain")), &["collide: pair 3 names \"villain\""]);
    refused(|s| s.collide.push(pair("hero/arm", "crate")), &["collide: pair 3 names \"hero/arm\""]);
    refused(|s| s.collide.push(pair("hero", "step")), &["collide: pair 3 names the static box \"step\""]);
    refused(|s| s.collide.push(pair("hero", "hero")), &["collide: pair 3", "with itself"]);
    refused(|s| s.collide.push(pair("hero/torso", "hero")), &["collide: pair 3", "with itself"]);
    refused(|s| s.collide.push(pair("hero/torso", "crate")), &["collide: pair 3", "listed twice"]);
}
