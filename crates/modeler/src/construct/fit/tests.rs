use super::target::Target;
use crate::cover::test_skins::{box_skin, skeleton, tube_skin};
use crate::cover::{Skin, cover};
use crate::{ModelOptions, Modeled, PreflightOptions, model, preflight};
use glam::DVec3;
use sinew_motion::{Skeleton, SkinMesh};
use sinew_sim::Shape;

type Joints = Vec<(&'static str, Option<usize>, [f64; 3])>;

/// A leg from a hip straight down, as a tube; joints are added to the list.
fn leg(joints: &mut Joints, names: [&'static str; 3], parent: usize, [x, y, z]: [f64; 3], half: f64) -> SkinMesh {
    let first = joints.len();
    for (k, (name, share)) in names.into_iter().zip([1.0, 0.5, 0.1]).enumerate() {
        joints.push((name, Some(if k == 0 { parent } else { first + k - 1 }), [x, y, share * z]));
    }
    let ring = |share: f64, joint: usize| (DVec3::new(x, y, share * z), half, (first + joint) as u32);
    tube_skin(&[ring(1.05, 0), ring(0.55, 0), ring(0.45, 1), ring(0.12, 1), ring(0.08, 2), ring(0.0, 2)])
}

/// A quadruped whose root, which no skin follows, sits above its back.
fn beast() -> Skeleton {
    let mut joints: Joints =
        vec![("Body", None, [0.4, 0.0, 1.6]), ("Hips", Some(0), [0.0, 0.0, 1.0]), ("Chest", Some(0), [0.8, 0.0, 1.0])];
    let ring = |x: f64, half: f64, joint: u32| (DVec3::new(x, 0.0, 1.0), half, joint);
    let trunk = [ring(-0.2, 0.18, 1), ring(0.38, 0.2, 1), ring(0.42, 0.2, 2), ring(1.1, 0.18, 2)];
    let mut skins = vec![tube_skin(&trunk)];
    for (names, parent, at) in [
        (["HindUp.L", "HindLow.L", "HindFoot.L"], 1, [0.0, 0.15, 0.9]),
        (["HindUp.R", "HindLow.R", "HindFoot.R"], 1, [0.0, -0.15, 0.9]),
        (["ForeUp.L", "ForeLow.L", "ForeFoot.L"], 2, [0.8, 0.15, 0.9]),
        (["ForeUp.R", "ForeLow.R", "ForeFoot.R"], 2, [0.8, -0.15, 0.9]),
    ] {
        skins.push(leg(&mut joints, names, parent, at, 0.07));
    }
    skeleton(&joints, skins)
}

fn made(rig: &Skeleton) -> Modeled {
    model(rig, &[], &ModelOptions::default()).expect("a character")
}

#[test]
fn bodies_fill_a_skin_below_its_root() {
    let rig = beast();
    let made = made(&rig);
    let found = cover(&made.character, &made.binding, &rig).expect("a skin");
    assert!(found.is_good() && found.missed().is_empty(), "{found:#?}");
    assert!(made.notes.iter().any(|n| n.starts_with("Shapes were fitted to the skin")), "{:?}", made.notes);
    for body in &made.character.bodies {
        assert!((1..=3).contains(&body.shapes.len()), "{} has {} shapes", body.name, body.shapes.len());
    }
}

#[test]
fn fitted_feet_keep_their_soles() {
    let made = made(&beast());
    let soles: Vec<[f64; 2]> = made
        .character
        .bodies
        .iter()
        .filter(|b| b.name.contains("Foot"))
        .map(|b| match b.shapes[0] {
            Shape::Box { half_extents: [x, y, _], .. } => [2.0 * x, 2.0 * y],
            ref other => panic!("{} stands on {other:?}", b.name),
        })
        .collect();
    assert_eq!(soles.len(), 4);
    assert!(soles.iter().all(|[x, y]| x * y > 0.6 * 0.14 * 0.14), "{soles:?}");
    let trial = preflight(&made.character, &[], &PreflightOptions::default()).expect("a trial");
    assert!(trial.ok, "{:?}", trial.problems);
}

#[test]
fn sides_are_images_of_each_other() {
    let made = made(&beast());
    for (left, right) in [("HindUp.L", "HindUp.R"), ("ForeFoot.L", "ForeFoot.R")] {
        let mass = |name: &str| made.character.bodies.iter().find(|b| b.name == name).expect("a body").mass;
        assert!((mass(left) / mass(right) - 1.0).abs() < 1e-6, "{left}");
    }
}

#[test]
fn a_sword_is_no_part_of_the_hand() {
    let fist = box_skin([0.0, -0.05, -0.05], [0.1, 0.05, 0.05], 1);
    let sword = box_skin([0.2, -0.02, -0.01], [0.3, 0.02, 0.01], 1);
    let torso = box_skin([-0.5, -0.15, -0.3], [-0.2, 0.15, 0.3], 0);
    let rig =
        skeleton(&[("torso", None, [-0.35, 0.0, 0.0]), ("hand", Some(0), [0.0, 0.0, 0.0])], vec![torso, fist, sword]);
    let skin = Skin::of(&rig, &[Some(0), Some(1)]).expect("a skin");
    let target = Target::of(&skin, 1, DVec3::ZERO).expect("a target");
    assert!(target.own_points().all(|p| p.x < 0.11), "the sword counts");
}

/// A ball of a body with eight legs around it.
fn spider() -> Skeleton {
    const NAMES: [[&str; 3]; 8] = [
        ["A1.L", "A2.L", "A3.L"],
        ["A1.R", "A2.R", "A3.R"],
        ["B1.L", "B2.L", "B3.L"],
        ["B1.R", "B2.R", "B3.R"],
        ["C1.L", "C2.L", "C3.L"],
        ["C1.R", "C2.R", "C3.R"],
        ["D1.L", "D2.L", "D3.L"],
        ["D1.R", "D2.R", "D3.R"],
    ];
    let mut joints: Joints = vec![("Thorax", None, [0.0, 0.0, 0.4])];
    let mut skins = vec![box_skin([-0.3, -0.15, 0.3], [0.3, 0.15, 0.5], 0)];
    for (k, names) in NAMES.into_iter().enumerate() {
        let (side, along) = (if k % 2 == 0 { 1.0 } else { -1.0 }, (k / 2) as f64 * 0.18 - 0.27);
        skins.push(leg(&mut joints, names, 0, [along, 0.3 * side, 0.45], 0.03));
    }
    skeleton(&joints, skins)
}

#[test]
fn spiders_have_eight_feet() {
    let made = made(&spider());
    let feet = made.character.end_effectors.iter().filter(|e| e.body.contains('3')).count();
    assert_eq!(feet, 8, "{:?}", made.character.end_effectors);
    let trial = preflight(&made.character, &[], &PreflightOptions::default()).expect("a trial");
    assert!(trial.ok, "{:?}", trial.problems);
}

/// Fifteen joints in a row on the ground.
fn snake() -> Skeleton {
    const NAMES: [&str; 15] =
        ["b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9", "b10", "b11", "b12", "b13", "b14"];
    let at = |k: usize| [0.1 * k as f64, 0.0, 0.05];
    let joints: Joints = (0..15).map(|k| (NAMES[k], k.checked_sub(1), at(k))).collect();
    let ring = |k: usize| {
        let half = if k > 28 { 0.02 } else { 0.05 };
        (DVec3::new(0.05 * k as f64, 0.0, 0.05), half, (k / 2).min(14) as u32)
    };
    skeleton(&joints, vec![tube_skin(&(0..31).map(ring).collect::<Vec<_>>())])
}

#[test]
fn a_snake_lies_on_its_belly() {
    let rig = snake();
    let made = made(&rig);
    assert!(made.character.bodies.len() >= 12, "{} bodies", made.character.bodies.len());
    let has_box = made.character.bodies.iter().skip(1).flat_map(|b| &b.shapes).any(|s| matches!(s, Shape::Box { .. }));
    assert!(!has_box, "it has feet");
    let found = cover(&made.character, &made.binding, &rig).expect("a skin");
    assert!(found.covered > 0.65 && found.outside < 0.2, "{found:#?}");
    // All of it lies: its lowest points are at the ground.
    let trial = preflight(&made.character, &[], &PreflightOptions::default()).expect("a trial");
    assert!(trial.ok && trial.height_kept > 0.8, "{trial:#?}");
}
