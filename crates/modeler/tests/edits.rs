//! Edits: what each does, that it is refused where it makes no sense, and that history is exact.

use crate::support;
use glam::{DMat3, DQuat, DVec3};
use proptest::prelude::*;
use sinew_modeler::{Change, CharacterProject, Edit, ModelOptions, Modeled, Size, model};
use sinew_sim::mass_properties::of_body;
use sinew_sim::{Character, JointKind, Model, Scene, Shape};

fn project() -> CharacterProject {
    let skeleton = support::dinosaur();
    let options = ModelOptions { name: "dino".into(), source: "dino.glb".into(), ..ModelOptions::default() };
    let clips = [support::walk(&skeleton, "walk", 30)];
    CharacterProject::new(model(&skeleton, &clips, &options).unwrap(), &options)
}

/// Mass, centre and inertia about it of the whole figure in its rest pose, and the place of every body's frame.
struct Whole {
    mass: f64,
    center: DVec3,
    inertia: DMat3,
    bodies: Vec<(String, DVec3, DQuat, DVec3)>,
}

fn whole(character: &Character) -> Whole {
    let model = Model::new(&Scene::floating(character.clone()), 0.002).unwrap();
    let rest = sinew_sim::Measured::new(&model, model.rest_position(), &vec![0.0; model.velocity_count()], [0.0; 3]);
    let center = DVec3::from_array(rest.center_of_mass);
    let (mut mass, mut inertia) = (0.0, DMat3::ZERO);
    let mut bodies = Vec::new();
    for (info, motion) in model.bodies().iter().zip(&rest.bodies) {
        let name = info.name.rsplit('/').next().unwrap().to_owned();
        let body = character.bodies.iter().find(|b| b.name == name).unwrap();
        let of = of_body(body);
        let [w, x, y, z] = motion.orientation;
        let turn = DQuat::from_xyzw(x, y, z, w);
        let r = DMat3::from_quat(turn);
        let [xx, yy, zz, xy, xz, yz] = of.inertia;
        let own = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
        let d = DVec3::from_array(motion.center_of_mass) - center;
        let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        inertia += r * own * r.transpose() + of.mass * (DMat3::from_diagonal(DVec3::splat(d.dot(d))) - outer);
        mass += of.mass;
        bodies.push((name, DVec3::from_array(motion.position), turn, DVec3::from_array(motion.center_of_mass)));
    }
    Whole { mass, center, inertia, bodies }
}

fn assert_same_matter(a: &Whole, b: &Whole) {
    assert!((a.mass - b.mass).abs() < 1e-9 * a.mass, "{} {}", a.mass, b.mass);
    assert!(a.center.distance(b.center) < 1e-9);
    let difference = a.inertia - b.inertia;
    assert!(difference.to_cols_array().iter().all(|x| x.abs() < 1e-8), "{difference}");
}

#[test]
fn merging_keeps_the_matter() {
    let mut project = project();
    let before = whole(project.character());
    for body in ["tail4", "forearm_l", "spine1", "tail3"] {
        project.edit(Edit::MergeBody { body: body.into() }).unwrap();
        assert_same_matter(&before, &whole(project.character()));
        assert!(!project.binding().links.iter().any(|l| l.body == body));
    }
}

#[test]
fn another_root_changes_no_place_and_no_matter() {
    let mut project = project();
    let before = whole(project.character());
    for root in ["spine2", "toe_l", "tail4", "pelvis"] {
        project.edit(Edit::SetRoot { body: root.into() }).unwrap();
        let now = whole(project.character());
        assert_same_matter(&before, &now);
        for (name, _, turn, center) in &now.bodies {
            let (_, _, turn_before, center_before) = before.bodies.iter().find(|b| b.0 == *name).unwrap();
            assert!(center.distance(*center_before) < 1e-9, "{root}: {name} moved");
            assert!(turn.dot(*turn_before).abs() > 1.0 - 1e-12, "{root}: {name} turned");
        }
        let carrier = project.character().joints.iter().find(|j| j.child == root).unwrap();
        assert_eq!(carrier.kind, JointKind::Free);
    }
}

#[test]
fn a_new_root_bends_the_same_way() {
    // The knee, bent by an angle, makes the same angle between the same bodies whichever end is the root.
    let relative = |character: &Character| {
        let model = Model::new(&Scene::floating(character.clone()), 0.002).unwrap();
        let mut position = model.rest_position().to_vec();
        let knee = model.joints().iter().find(|j| j.name.ends_with("/shin_l")).unwrap();
        position[knee.position_index] = 0.7;
        let measured = sinew_sim::Measured::new(&model, &position, &vec![0.0; model.velocity_count()], [0.0; 3]);
        let pose = |name: &str| {
            let motion = &measured.bodies[model.body(name).unwrap()];
            let [w, x, y, z] = motion.orientation;
            (DQuat::from_xyzw(x, y, z, w), DVec3::from_array(motion.center_of_mass))
        };
        let ((a, x), (b, y)) = (pose("thigh_l"), pose("toe_l"));
        (a.inverse() * b, a.inverse() * (y - x))
    };
    let mut project = project();
    let before = relative(project.character());
    project.edit(Edit::SetRoot { body: "toe_l".into() }).unwrap();
    let after = relative(project.character());
    assert!(before.0.dot(after.0).abs() > 1.0 - 1e-12 && before.1.distance(after.1) < 1e-9);
}

#[test]
fn a_deleted_body_leaves_its_children_in_place() {
    let mut project = project();
    let before = whole(project.character());
    project.edit(Edit::DeleteBody { body: "shin_l".into() }).unwrap();
    let after = whole(project.character());
    let find = |w: &Whole, name: &str| w.bodies.iter().find(|b| b.0 == name).unwrap().1;
    assert!(find(&before, "foot_l").distance(find(&after, "foot_l")) < 1e-12);
    assert!(project.edit(Edit::DeleteBody { body: "pelvis".into() }).unwrap_err().to_string().contains("root"));
}

#[test]
fn mirrored_edits_change_both_sides() {
    let mut project = project();
    let edit = Edit::MoveBody { body: "thigh_l".into(), by: [0.01, 0.02, 0.03], with_joint: true };
    project.edit(Change { edit, mirror: true }).unwrap();
    let edit = Edit::AddEffector {
        name: "knee_l".into(),
        body: "thigh_l".into(),
        position: [0.1, 0.05, 0.0],
        radius: Some(0.03),
    };
    project.edit(Change { edit, mirror: true }).unwrap();
    let position = |name: &str| project.character().joints.iter().find(|j| j.name == name).unwrap().position;
    let (left, right) = (position("thigh_l"), position("thigh_r"));
    assert!((left[1] + right[1]).abs() < 1e-9 && (left[2] - right[2]).abs() < 1e-9 && left[1] > 0.12);
    let knee = project.character().end_effectors.iter().find(|e| e.name == "knee_r").unwrap();
    assert!((knee.position[1] + 0.05).abs() < 1e-12);
    assert!(project.binding().effectors.iter().any(|e| e.name == "knee_r" && e.joint == "thigh_r"));
    let error = project.edit(Change { edit: Edit::SetMass { body: "tail1".into(), mass: 1.0 }, mirror: true });
    assert!(error.unwrap_err().to_string().contains("no other side"));
}

#[test]
fn an_effector_and_its_ball_move_together() {
    let mut project = project();
    let balls = |project: &CharacterProject| -> Vec<([f64; 3], f64)> {
        let body = project.character().bodies.iter().find(|b| b.name == "tail4").unwrap();
        let ball = |s: &Shape| match s {
            Shape::Sphere { center, radius } => Some((*center, *radius)),
            _ => None,
        };
        body.shapes.iter().filter_map(ball).collect()
    };
    let at = |name: &str, position| Edit::MoveEffector { name: name.into(), position };
    let name = || "sting".to_owned();
    project
        .edit(Edit::AddEffector { name: name(), body: "tail4".into(), position: [-0.2, 0.0, 0.0], radius: Some(0.02) })
        .unwrap();
    project.edit(at("sting", [-0.25, 0.0, 0.01])).unwrap();
    project.edit(Edit::SizeEffector { name: name(), radius: 0.04 }).unwrap();
    assert_eq!(balls(&project), [([-0.25, 0.0, 0.01], 0.04)]);
    project.edit(Edit::RemoveEffector { name: name() }).unwrap();
    assert!(balls(&project).is_empty());
    assert!(project.edit(at("sting", [0.0; 3])).unwrap_err().to_string().contains("sting"));
}

#[test]
fn what_makes_no_sense_is_refused_in_one_sentence() {
    let mut project = project();
    let before = project.to_character();
    let wrong = [
        Edit::SetMass { body: "wing".into(), mass: 1.0 },
        Edit::SetMass { body: "tail1".into(), mass: -1.0 },
        Edit::SetMass { body: "tail1".into(), mass: f64::NAN },
        Edit::SizeBody { body: "tail1".into(), size: Size::HalfExtents([0.1; 3]) },
        Edit::SizeBody { body: "tail1".into(), size: Size::Scale(1e9) },
        Edit::OrientBody { body: "tail1".into(), turn: [2.0, 0.0, 0.0, 0.0] },
        Edit::SetAxis { joint: "thigh_l".into(), axis: [0.0, 1.0, 0.0] },
        Edit::SetAxis { joint: "shin_l".into(), axis: [0.0; 3] },
        Edit::SetLimits { joint: "shin_l".into(), limits: Some([1.0, -1.0]) },
        Edit::SetType { joint: "pelvis".into(), kind: JointKind::Ball, axis: None },
        Edit::SetGains { joint: "shin_l".into(), kp: Some(-4.0), kd: None, torque_limit: None },
        Edit::SetRoot { body: "nobody".into() },
        Edit::MergeBody { body: "pelvis".into() },
    ];
    for edit in wrong {
        let error = project.edit(edit.clone()).expect_err(&format!("{edit:?}")).to_string();
        assert!(!error.contains('\n') && error.len() > 20, "{edit:?}: {error}");
        assert_eq!(project.to_character(), before);
    }
}

#[test]
fn a_saved_project_comes_back_with_its_history() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dino.toml");
    let mut project = project();
    let first = project.to_character().to_toml();
    project.edit(Edit::SetAxis { joint: "shin_l".into(), axis: [0.1, 1.0, 0.0] }).unwrap();
    project.edit(Change { edit: Edit::MergeBody { body: "forearm_l".into() }, mirror: true }).unwrap();
    project.edit(Edit::SizeBody { body: "head".into(), size: Size::Scale(1.1) }).unwrap();
    project.undo();
    project.save(&path).unwrap();
    let mut back = CharacterProject::load(&path).unwrap();
    assert_eq!(back.to_character(), project.to_character());
    assert_eq!(back.options().source, "dino.glb");
    assert!(back.redo() && !back.redo());
    assert!(back.undo() && back.undo() && back.undo() && !back.undo());
    back.edit(Edit::SetMass { body: "head".into(), mass: 2.0 }).unwrap();
    back.undo();
    // Without the edit that can be redone, the file is the one that was first written.
    let undone = back.to_character();
    let mut origin = undone.origin.clone().unwrap();
    origin.remove("undone");
    assert_eq!(Character { origin: Some(origin), ..undone }.to_toml(), first);

    // By hand: the file wins, and its history ends there.
    let mut changed = project.to_character();
    changed.bodies[0].mass += 1.0;
    let project = CharacterProject::from_character(changed.clone(), "dino.toml").unwrap();
    assert!(project.edits().is_empty() && project.notes().iter().any(|n| n.contains("by hand")));
    assert_eq!(project.character().bodies, changed.bodies);
    changed.origin = None;
    assert!(CharacterProject::from_character(changed, "dino.toml").unwrap_err().to_string().contains("dino.toml"));
}

#[test]
fn a_total_mass_makes_everything_heavier_and_stronger_alike() {
    let mut project = project();
    let before = project.character().clone();
    let mass = |character: &Character| character.bodies.iter().map(|b| b.mass).sum::<f64>();
    project.edit(Edit::SetTotalMass { mass: 2.0 * mass(&before) }).unwrap();
    let after = project.character();
    assert!((mass(after) - 2.0 * mass(&before)).abs() < 1e-9 * mass(&before));
    for (old, new) in before.joints.iter().zip(&after.joints) {
        assert!((new.kp - 2.0 * old.kp).abs() <= 1e-9 * old.kp && (new.kd - 2.0 * old.kd).abs() <= 1e-9 * old.kd);
        assert_eq!(old.torque_limit.map(|limit| 2.0 * limit), new.torque_limit);
    }
    // It moves as before: the state after a second of standing is the same.
    let after_a_second = |character: &Character| {
        let scene = Scene::on_ground(Character { origin: None, ..character.clone() });
        let model = std::sync::Arc::new(Model::new(&scene, 0.002).unwrap());
        let mut batch = sinew_sim::Batch::new(&model, 1, sinew_sim::BatchOptions::default()).unwrap();
        batch.step(500);
        batch.world(0).position()
    };
    let (light, heavy) = (after_a_second(&before), after_a_second(after));
    let off = light.iter().zip(&heavy).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 0.02, "{off}");
    let error = project.edit(Edit::SetTotalMass { mass: 0.0 }).unwrap_err().to_string();
    assert!(error.contains("in kilograms"), "{error}");
}

#[test]
fn a_character_made_again_keeps_its_edits_says_which_no_longer_fit_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dino.toml");
    let mut first = project();
    first.edit(Edit::SetMass { body: "head".into(), mass: 2.0 }).unwrap();
    first.edit(Edit::SetMass { body: "tail4".into(), mass: 0.3 }).unwrap();
    let before = first.to_character().to_toml();

    // The new one has no tail's end.
    let mut other = project();
    other.edit(Edit::MergeBody { body: "tail4".into() }).unwrap();
    let options = ModelOptions { source: "dino-2.glb".into(), ..other.options().clone() };
    let modeled = Modeled { character: other.character().clone(), binding: other.binding().clone(), notes: Vec::new() };
    let lost = first.remake(CharacterProject::new(modeled, &options));
    assert!(matches!(&lost[..], [one] if one.contains("`set_mass tail4` no longer fits")), "{lost:?}");
    assert!(first.notes().iter().any(|note| note.contains("set_mass tail4")));
    assert_eq!((first.edits().len(), first.options().source.as_str()), (1, "dino-2.glb"));
    assert_eq!(first.character().bodies.iter().find(|b| b.name == "head").map(|b| b.mass), Some(2.0));
    let again = first.to_character().to_toml();

    // The history goes through the making, also out of a file; and forth again.
    first.edit(Edit::SetMass { body: "head".into(), mass: 3.0 }).unwrap();
    first.save(&path).unwrap();
    let mut back = CharacterProject::load(&path).unwrap();
    assert!(back.can_undo() && back.undo() && back.undo());
    let plain = |project: &CharacterProject| Character { origin: None, ..project.to_character() }.to_toml();
    let made = Character::from_toml(&before).unwrap();
    assert_eq!(plain(&back), Character { origin: None, ..made }.to_toml());
    assert_eq!((back.edits().len(), back.options().source.as_str()), (2, "dino.glb"));
    back.save(&path).unwrap();
    let mut back = CharacterProject::load(&path).unwrap();
    assert!(back.can_redo() && back.redo());
    let made = Character::from_toml(&again).unwrap();
    assert_eq!(plain(&back), Character { origin: None, ..made }.to_toml());
    assert!(back.redo() && !back.redo());
    assert!(back.undo() && back.undo() && back.undo() && back.undo() && !back.undo());

    // Another file with the same skeleton is a step of its own.
    back.take_source("dino-step.glb");
    assert_eq!((back.options().source.as_str(), back.can_redo()), ("dino-step.glb", false));
    assert!(back.undo() && back.options().source == "dino.glb" && !back.can_undo());
}

fn any_change() -> impl Strategy<Value = Change> {
    let names = project().character().bodies.iter().map(|b| b.name.clone()).collect::<Vec<_>>();
    let name = || prop::sample::select(names.clone());
    let small = || prop::array::uniform3(-0.1f64..0.1);
    let kind = prop::sample::select(vec![JointKind::Hinge, JointKind::Ball, JointKind::Weld, JointKind::Free]);
    let size = prop_oneof![
        (0.5f64..2.0).prop_map(Size::Scale),
        (0.001f64..0.1).prop_map(Size::Radius),
        (0.01f64..0.5).prop_map(Size::Length),
        prop::array::uniform3(0.01f64..0.1).prop_map(Size::HalfExtents),
    ];
    let edit = prop_oneof![
        (name(), small(), any::<bool>()).prop_map(|(body, by, with_joint)| Edit::MoveBody { body, by, with_joint }),
        (name(), small()).prop_map(|(body, v)| {
            let q = DQuat::from_scaled_axis(10.0 * DVec3::from_array(v));
            Edit::OrientBody { body, turn: [q.w, q.x, q.y, q.z] }
        }),
        (name(), size).prop_map(|(body, size)| Edit::SizeBody { body, size }),
        (name(), -0.1f64..5.0).prop_map(|(body, mass)| Edit::SetMass { body, mass }),
        (name(), small()).prop_map(|(joint, axis)| Edit::SetAxis { joint, axis }),
        (name(), prop::option::of(prop::array::uniform2(-1.0f64..2.0)))
            .prop_map(|(joint, limits)| Edit::SetLimits { joint, limits }),
        (name(), kind).prop_map(|(joint, kind)| Edit::SetType { joint, kind, axis: None }),
        (name(), prop::option::of(-1.0f64..900.0)).prop_map(|(joint, kp)| Edit::SetGains {
            joint,
            kp,
            kd: Some(3.0),
            torque_limit: None
        }),
        (name(), small(), prop::option::of(-0.01f64..0.1)).prop_map(|(body, position, radius)| Edit::AddEffector {
            name: format!("{body}_tip_l"),
            body,
            position,
            radius
        }),
        (name(), small()).prop_map(|(name, position)| Edit::MoveEffector { name, position }),
        name().prop_map(|name| Edit::RemoveEffector { name }),
        name().prop_map(|body| Edit::SetRoot { body }),
        name().prop_map(|body| Edit::DeleteBody { body }),
        name().prop_map(|body| Edit::MergeBody { body }),
    ];
    (edit, any::<bool>()).prop_map(|(edit, mirror)| Change { edit, mirror })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever is done, the character is valid and compiles, the binding names bodies that exist, and undoing gives back the same bytes.
    #[test]
    fn edits_keep_the_character_valid_and_undo_is_exact(changes in prop::collection::vec(any_change(), 1..12)) {
        let mut project = project();
        let mut history = vec![project.character().to_toml()];
        for change in changes {
            let before = project.to_character();
            match project.edit(change) {
                Ok(()) => history.push(project.character().to_toml()),
                Err(error) => {
                    prop_assert!(!error.to_string().contains('\n'));
                    prop_assert_eq!(project.to_character(), before);
                }
            }
            prop_assert!(project.character().validate().is_ok());
            prop_assert!(Model::new(&Scene::on_ground(project.character().clone()), 0.002).is_ok());
            for link in &project.binding().links {
                prop_assert!(project.character().bodies.iter().any(|b| b.name == link.body));
            }
            let names: Vec<&str> = project.character().end_effectors.iter().map(|e| e.name.as_str()).collect();
            let bound: Vec<&str> = project.binding().effectors.iter().map(|e| e.name.as_str()).collect();
            prop_assert_eq!(bound, names);
        }
        let text = project.to_character().to_toml();
        let back = CharacterProject::from_character(Character::from_toml(&text).unwrap(), "file").unwrap();
        prop_assert_eq!(back.edits(), project.edits());
        let last = project.to_character().to_toml();
        let count = project.edits().len();
        while let Some(text) = history.pop() {
            prop_assert_eq!(project.character().to_toml(), text);
            project.undo();
        }
        for _ in 0..count {
            prop_assert!(project.redo());
        }
        prop_assert_eq!(project.to_character().to_toml(), last);
    }
}

#[test]
fn shifted_mass_moves_the_centre_and_keeps_the_weight() {
    let mut project = project();
    let before = whole(project.character());
    let by = [-0.02, 0.0, 0.01];
    project.edit(Edit::ShiftMass { by }).unwrap();
    let after = whole(project.character());
    assert!((after.mass - before.mass).abs() < 1e-9 * before.mass, "{} {}", after.mass, before.mass);
    let moved = after.center - before.center;
    assert!((moved - DVec3::from_array(by)).length() < 1e-5, "{moved}");
    let error = project.edit(Edit::ShiftMass { by: [1.0, 0.0, 0.0] }).unwrap_err().to_string();
    assert!(error.contains("shift less"), "{error}");
    assert_eq!(whole(project.character()).mass, after.mass, "what is refused changes nothing");
}

#[test]
fn all_gains_scale_alike_and_damping_stays_as_strong() {
    let mut project = project();
    let before = project.character().joints.clone();
    project.edit(Edit::ScaleGains { factor: 4.0 }).unwrap();
    for (was, is) in before.iter().zip(&project.character().joints) {
        assert_eq!((is.kp, is.kd), (4.0 * was.kp, 2.0 * was.kd));
        assert_eq!(is.torque_limit, was.torque_limit.map(|limit| 4.0 * limit));
    }
    let mirrored = project.edit(Change { edit: Edit::ScaleGains { factor: 2.0 }, mirror: true });
    assert!(mirrored.unwrap_err().to_string().contains("both sides already"));
    assert!(project.edit(Edit::ScaleGains { factor: 0.0 }).unwrap_err().to_string().contains("0.001 to 1000"));
}
