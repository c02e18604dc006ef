//! Each repair, on rigs that need it.

use super::testing::{Builder, about, person, person_on_targets};
use super::{adopt_clips, repair};
use crate::raw::Transform;
use crate::{Format, ImportOptions, Rig, Up};
use glam::{DQuat, DVec3};
use proptest::prelude::*;

fn parent_of<'a>(rig: &'a Rig, name: &str) -> Option<&'a str> {
    let joint = &rig.skeleton.joints[rig.skeleton.find(name).expect(name)];
    joint.parent.map(|p| rig.skeleton.joints[p].name.as_str())
}

/// Turns every joint of a person a little, differently in each frame.
fn moving(mut b: Builder, frames: usize, amount: f64) -> Builder {
    b.clip(frames);
    let names: Vec<String> = b.raw.nodes.iter().map(|n| n.name.clone()).collect();
    for (i, name) in names.iter().enumerate() {
        let axis = DVec3::new(1.0 + i as f64, 2.0, -0.5 * i as f64).normalize();
        b.turn(name, |frame| about(axis, amount * libm::sin(0.3 * frame as f64 + i as f64)));
    }
    b
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    /// A rig without defects comes out where it was, in every frame, for every axis and unit.
    #[test]
    fn a_sound_rig_is_left_alone(amount in 0.0..1.5f64, scale in 0.01..100.0f64, up in 0usize..3, frames in 1usize..8) {
        let mut b = moving(person(Format::Bvh), frames, amount);
        b.shift("Hips", |frame| DVec3::new(0.1 * frame as f64, 0.0, 0.02 * frame as f64));
        let up = [Up::X, Up::Y, Up::Z][up];
        let rig = b.repair_with(&ImportOptions { up: Some(up), scale: Some(scale), ..Default::default() });
        prop_assert_eq!(rig.skeleton.joints.len(), b.raw.nodes.len());
        prop_assert!(rig.report.stretch_error_m[0] < 1e-9 * scale.max(1.0));
        for frame in 0..frames {
            let world = b.raw.world_at(&b.raw.clips[0], frame);
            for (joint, placed) in rig.skeleton.joints.iter().zip(rig.clips[0].place(&rig.skeleton, frame)) {
                let expected = rig.skeleton.source.position(world[joint.source_node].translation);
                prop_assert!(placed.position.distance(expected) < 1e-9 * scale.max(1.0), "{} in frame {frame}", joint.name);
                let turned = rig.skeleton.source.orientation(DQuat::from_mat3(&world[joint.source_node].matrix3));
                prop_assert!(placed.orientation.dot(turned).abs() > 1.0 - 1e-9);
            }
        }
    }

    /// Whatever the tree, names and skin: one connected skeleton of unit rotations comes out, or a sentence; never a panic.
    #[test]
    fn any_rig_gives_one_tree_or_a_sentence(
        nodes in prop::collection::vec((0usize..12, any::<prop::sample::Index>(), [-1i8..3, -1i8..3, -1i8..3], any::<[bool; 3]>()), 1..24),
        frames in 1usize..5,
        bvh in any::<bool>(),
        turns in prop::collection::vec(-3.0..3.0f64, 24),
    ) {
        let names = ["root", "Hips", "Foot.L", "hand_r", "PoleTarget", "Head_end", "leg", "IKArm.R", "handslot.l", "Tail", "x", ""];
        let mut b = Builder::new(if bvh { Format::Bvh } else { Format::Gltf });
        for (i, (name, parent, place, [joint, skinned, rooted])) in nodes.iter().enumerate() {
            b.joint(&format!("{} {i}", names[*name]), "", place.map(|x| 0.3 * f64::from(x)));
            b.raw.nodes[i].parent = (i > 0 && !(*rooted && i % 3 == 0)).then(|| parent.index(i));
            b.raw.nodes[i].is_joint = *joint || i % 4 != 1;
            if *skinned {
                b.raw.nodes[i].skin = vec![DVec3::splat(0.1); i];
            }
        }
        b.raw.up = None;
        b.clip(frames);
        let all: Vec<String> = b.raw.nodes.iter().map(|n| n.name.clone()).collect();
        for (name, turn) in all.iter().zip(&turns) {
            b.turn(name, |f| about(DVec3::Z, turn * f as f64));
            b.shift(name, |f| DVec3::Y * (0.1 * turn * f as f64));
        }
        if let Ok(rig) = repair(b.raw, &ImportOptions::default(), "f") {
            for (index, joint) in rig.skeleton.joints.iter().enumerate() {
                prop_assert_eq!(joint.parent.is_none(), index == 0);
                prop_assert!(joint.parent.is_none_or(|p| p < index));
            }
            prop_assert_eq!(rig.clips[0].rotations.len(), rig.skeleton.joints.len() * rig.clips[0].frame_count());
            prop_assert!(rig.clips[0].rotations.iter().all(|q| (q.length() - 1.0).abs() < 1e-9));
        }
    }

    /// Bones may stretch at will: feet and hands still come to their places while these are in reach, and no bone changes its length.
    #[test]
    fn stretched_limbs_reach(stretch in 0.0..0.08f64, bend in 0.6..1.0f64) {
        let mut b = person(Format::Gltf);
        b.clip(6).turn("LeftUpLeg", |_| about(DVec3::Y, -bend)).turn("LeftLeg", |_| about(DVec3::Y, 2.0 * bend));
        b.shift("LeftLeg", |f| DVec3::new(0.0, 0.0, -stretch * f as f64 / 5.0));
        let rig = b.repair();
        let foot = rig.skeleton.find("LeftFoot").unwrap();
        for frame in 0..6 {
            let world = b.raw.world_at(&b.raw.clips[0], frame);
            let placed = rig.clips[0].place(&rig.skeleton, frame);
            prop_assert!(placed[foot].position.distance(world[b.node("LeftFoot")].translation) < 1e-4);
            let orientation = DQuat::from_mat3(&world[b.node("LeftFoot")].matrix3);
            prop_assert!(placed[foot].orientation.dot(orientation).abs() > 1.0 - 1e-9);
        }
        prop_assert!(stretch < 0.02 || rig.report.stretch_error_m[0] > 0.5e-3, "the knee cannot be where it was");
    }
}

#[test]
fn a_bone_that_all_clips_place_elsewhere_is_as_in_the_clips() {
    let mut b = person(Format::Gltf);
    b.clip(20).shift("Spine", |f| DVec3::new(0.1, 0.0, 0.001 * f as f64));
    let rig = b.repair();
    assert!(rig.report.stretch_error_m[0] < 0.011, "{:?}", rig.report.stretch_error_m);
    assert!(rig.report.repairs.iter().any(|s| s.contains("`Spine`")));
    // One that wanders keeps the length of the bind pose.
    let mut b = person(Format::Gltf);
    b.clip(20).shift("Spine", |f| DVec3::new(0.01 * f as f64, 0.0, 0.0));
    let rig = b.repair();
    let spine = &rig.skeleton.joints[rig.skeleton.find("Spine").unwrap()];
    assert!(spine.offset.distance(DVec3::new(0.0, 0.0, 0.2)) < 1e-12);
}

#[test]
fn stretching_is_told_with_its_worst_joint() {
    let mut b = person(Format::Gltf);
    b.clip(4).shift("LeftFoot", |f| DVec3::new(0.0, 0.0, -0.1 * f as f64));
    let rig = b.repair();
    let [worst, mean] = rig.report.stretch_error_m;
    assert!((worst - 0.3).abs() < 0.02 && mean > 0.0 && mean < worst, "{worst} {mean}");
    let joint = rig.report.stretch_worst_joint.as_deref();
    assert!(joint == Some("LeftFoot") || joint == Some("LeftToe"), "{joint:?}");
}

#[test]
fn feet_on_the_ground_root_hang_from_the_shins() {
    let mut b = person_on_targets();
    b.clip(8).shift("Body", |f| DVec3::new(0.0, 0.0, -0.01 * f as f64));
    let rig = b.repair();
    assert_eq!(parent_of(&rig, "Foot.L"), Some("LowerLeg.L"));
    assert_eq!(parent_of(&rig, "Foot.R"), Some("LowerLeg.R"));
    assert_eq!(rig.report.reattached.len(), 2);
    assert_eq!(rig.report.dropped, ["PoleTarget.L", "PoleTarget.R"]);
    // The root only marked the ground; its child carries on.
    assert_eq!(rig.skeleton.joints[0].name, "Body");
    assert_eq!(rig.report.merged, ["Root"]);
}

#[test]
fn feet_without_skin_are_known_by_name() {
    let mut b = person_on_targets();
    b.raw.nodes.iter_mut().for_each(|n| n.skin.clear());
    let rig = b.repair();
    assert_eq!(parent_of(&rig, "Foot.L"), Some("LowerLeg.L"));
    assert_eq!(rig.skeleton.joints[0].name, "Body");
}

#[test]
fn a_crouching_animal_gets_its_own_feet() {
    // The back foot is nearer to the front shin than to its own; each shin has one foot, and the sum decides.
    let mut b = Builder::new(Format::Gltf);
    b.joint("root", "", [0.0, 0.0, 0.0])
        .joint("Body", "root", [0.0, 0.0, 1.7])
        .joint("FrontLeg", "Body", [0.54, 0.0, 1.0])
        .joint("FrontLowLeg", "FrontLeg", [0.06, 0.0, 0.36])
        .joint("BackLeg", "Body", [-1.0, 0.0, 0.5])
        .joint("BackUpLeg", "BackLeg", [-0.31, 0.0, 0.31])
        .joint("BackLowLeg", "BackUpLeg", [-1.4, 0.0, 0.06])
        .joint("A", "root", [-0.42, 0.0, 0.0])
        .joint("B", "root", [0.85, 0.0, -0.05]);
    b.skin(&["Body", "FrontLeg", "FrontLowLeg", "BackLeg", "BackUpLeg", "BackLowLeg", "A", "B"]);
    b.raw.nodes[7].name = "foot".into();
    b.raw.nodes[8].name = "hand".into();
    let rig = b.repair();
    assert_eq!(parent_of(&rig, "foot"), Some("BackLowLeg"));
    assert_eq!(parent_of(&rig, "hand"), Some("FrontLowLeg"));
}

#[test]
fn a_foot_with_toes_does_not_hang_from_its_own_toe() {
    let mut b = Builder::new(Format::Gltf);
    b.joint("Hips", "", [0.0, 0.0, 0.9]).joint("Leg", "Hips", [0.0, 0.0, 0.8]).joint("Shin", "Leg", [0.0, 0.0, 0.4]);
    b.joint("Head", "Hips", [0.0, 0.0, 1.6]).joint("Foot", "Hips", [0.0, 0.0, 0.1]);
    b.joint("Ball", "Foot", [0.1, 0.0, 0.05]).joint("Claws", "Ball", [0.15, 0.0, 0.05]);
    let all: Vec<String> = b.raw.nodes.iter().map(|n| n.name.clone()).collect();
    b.skin(&all.iter().map(String::as_str).collect::<Vec<_>>());
    let rig = b.repair();
    assert_eq!(parent_of(&rig, "Foot"), Some("Shin"));
    assert_eq!((parent_of(&rig, "Ball"), rig.skeleton.joints.len()), (Some("Foot"), 7));
}

#[test]
fn several_roots_become_one_tree() {
    let mut b = person(Format::Gltf);
    b.joint("hat", "", [0.0, 0.0, 1.75]);
    let all: Vec<String> = b.raw.nodes.iter().map(|n| n.name.clone()).collect();
    b.skin(&all.iter().map(String::as_str).collect::<Vec<_>>());
    let rig = b.repair();
    assert_eq!(parent_of(&rig, "hat"), Some("Head"));
    assert_eq!(rig.report.reattached, [["hat".to_string(), "Head".to_string()]]);
}

#[test]
fn helpers_go_and_their_mesh_with_them() {
    let mut b = person(Format::Gltf);
    b.joint("handslot.l", "LeftHand", [0.0, 0.85, 1.4]).joint("kneeIK.l", "Hips", [0.6, 0.1, 0.5]);
    b.joint("control-toe-roll", "Hips", [0.2, 0.1, 0.0]).joint("heelIK", "control-toe-roll", [0.0, 0.1, 0.0]);
    let body = ["Hips", "Spine", "Head", "LeftHand", "LeftFoot", "LeftLeg", "RightLeg", "RightFoot", "RightHand"];
    b.skin(&body).skin(&["handslot.l"]);
    let rig = b.repair();
    for gone in ["handslot.l", "kneeIK.l", "control-toe-roll", "heelIK"] {
        assert!(rig.skeleton.find(gone).is_none(), "{gone} is still there");
        assert!(rig.report.dropped.iter().any(|d| d == gone), "{gone} is not told");
    }
    let hand = &rig.skeleton.joints[rig.skeleton.find("LeftHand").unwrap()];
    assert_eq!(hand.skin.len(), 3, "the axe is no part of the hand");
}

#[test]
fn end_markers_become_tips() {
    let mut b = person(Format::Bvh);
    b.joint("HeadTop_End", "Head", [0.0, 0.0, 1.85]);
    let rig = b.repair();
    assert!(rig.skeleton.find("HeadTop_End").is_none());
    let head = &rig.skeleton.joints[rig.skeleton.find("Head").unwrap()];
    assert!(head.tips.len() == 1 && head.tips[0].distance(DVec3::new(0.0, 0.0, 0.15)) < 1e-12, "{:?}", head.tips);
}

/// A person with a joint of no length between hips and left thigh.
fn with_hip_joint(turn: f64) -> Builder {
    let mut b = Builder::new(Format::Bvh);
    b.joint("Hips", "", [0.0, 0.0, 0.95]).joint("LHipJoint", "Hips", [0.0, 0.0, 0.95]);
    b.joint("LeftUpLeg", "LHipJoint", [0.0, 0.1, 0.85]).joint("LeftLeg", "LeftUpLeg", [0.0, 0.1, 0.5]);
    b.joint("LeftFoot", "LeftLeg", [0.0, 0.1, 0.0]).joint("Spine", "Hips", [0.0, 0.0, 1.2]);
    b.joint("Head", "Spine", [0.0, 0.0, 1.7]);
    b.clip(10).turn("LeftUpLeg", |f| about(DVec3::Y, 0.1 * f as f64));
    b.turn("LHipJoint", |f| about(DVec3::X, turn * f as f64));
    b
}

#[test]
fn a_bone_of_no_length_is_merged_when_that_moves_nothing() {
    let still = with_hip_joint(0.0).repair();
    assert_eq!(still.report.merged, ["LHipJoint"]);
    assert_eq!(parent_of(&still, "LeftUpLeg"), Some("Hips"));
    assert!(still.report.stretch_error_m[0] < 1e-12);
    // One that swings the thigh about is a joint of its own.
    let swinging = with_hip_joint(0.1).repair();
    assert_eq!(parent_of(&swinging, "LeftUpLeg"), Some("LHipJoint"));
    assert!(swinging.report.merged.is_empty() && swinging.report.stretch_error_m[0] < 1e-9);
}

#[test]
fn a_parent_that_only_doubles_its_child_gives_way() {
    let mut b = person(Format::Bvh);
    b.joint("Neck", "Head", [0.0, 0.0, 1.7]).joint("Skull", "Neck", [0.0, 0.0, 1.9]);
    b.clip(5).turn("Neck", |f| about(DVec3::X, 0.3 * f as f64));
    let rig = b.repair();
    assert_eq!(rig.report.merged, ["Head"]);
    assert_eq!(parent_of(&rig, "Skull"), Some("Neck"));
    assert!(rig.report.stretch_error_m[0] < 1e-9);
}

#[test]
fn a_thumb_of_no_length_leaves_its_tip() {
    let mut b = person(Format::Bvh);
    b.joint("LThumb", "LeftHand", [0.0, 0.75, 1.4]);
    let thumb = b.node("LThumb");
    b.raw.nodes[thumb].tips.push(DVec3::new(0.03, 0.03, 0.0));
    let rig = b.repair();
    let hand = &rig.skeleton.joints[rig.skeleton.find("LeftHand").unwrap()];
    assert!(hand.tips.len() == 1 && hand.tips[0].distance(DVec3::new(0.03, 0.03, 0.0)) < 1e-12, "{:?}", hand.tips);
}

#[test]
fn a_finger_that_starts_on_the_hand_is_part_of_it_whatever_it_does() {
    let mut b = person(Format::Bvh);
    b.joint("FingerBase", "LeftHand", [0.0, 0.75, 1.4]).joint("Finger", "FingerBase", [0.0, 0.83, 1.4]);
    b.clip(5).turn("FingerBase", |f| about(DVec3::X, 0.3 * f as f64));
    let rig = b.repair();
    assert_eq!(rig.report.merged, ["FingerBase", "Finger"]);
    let hand = &rig.skeleton.joints[rig.skeleton.find("LeftHand").unwrap()];
    assert!(hand.tips.len() == 1 && hand.tips[0].distance(DVec3::new(0.0, 0.08, 0.0)) < 1e-12, "{:?}", hand.tips);
    assert!(rig.report.stretch_error_m[0] < 1e-9);
}

#[test]
fn legs_tell_the_up_axis() {
    let mut b = person(Format::Bvh);
    b.raw.up = None;
    assert_eq!(b.repair().skeleton.source.up, Up::Z);
    // The same person, y up: (x, y, z) → (y, z, x).
    for node in &mut b.raw.nodes {
        let t = node.local.translation;
        node.local.translation = DVec3::new(t.y, t.z, t.x);
    }
    let rig = b.repair();
    assert_eq!(rig.skeleton.source.up, Up::Y);
    assert!(rig.report.up.contains("legs"), "{}", rig.report.up);
    let forced = b.repair_with(&ImportOptions { up: Some(Up::X), ..ImportOptions::default() });
    assert_eq!(forced.skeleton.source.up, Up::X);
}

#[test]
fn units_are_guessed_from_a_persons_height() {
    for unit in [1.0, 0.1, 0.01, 0.001, 0.0254, 0.3048, 0.0254 / 0.45] {
        let mut b = person(Format::Bvh);
        b.raw.metres_per_unit = None;
        b.raw.nodes.iter_mut().for_each(|n| n.local.translation /= unit);
        let rig = b.repair();
        assert!((rig.skeleton.source.metres_per_unit / unit - 1.0).abs() < 1e-12, "{unit}: {}", rig.report.unit);
        assert!((rig.skeleton.height() - 1.7).abs() < 1e-9);
    }
}

#[test]
fn absurd_sizes_are_replaced_and_options_overrule() {
    let mut b = person(Format::Gltf);
    b.raw.nodes.iter_mut().for_each(|n| n.local.translation *= 4.0);
    let rig = b.repair();
    assert!((rig.skeleton.height() - 1.7).abs() < 1e-9, "{}", rig.report.unit);
    let tall = b.repair_with(&ImportOptions { height: Some(2.5), ..ImportOptions::default() });
    assert!((tall.skeleton.height() - 2.5).abs() < 1e-9);
    let scaled = b.repair_with(&ImportOptions { scale: Some(2.0), ..ImportOptions::default() });
    assert!((scaled.skeleton.height() - 1.7 * 8.0).abs() < 1e-9);
}

#[test]
fn a_leading_t_pose_is_dropped_from_bvh_alone() {
    let make = |format| {
        let mut b = person(format);
        b.clip(40);
        for name in ["LeftArm", "RightArm", "LeftUpLeg", "Spine", "Hips"] {
            let angle = |f: usize| if f == 0 { 0.0 } else { 1.0 + 0.005 * f as f64 };
            b.turn(name, |f| about(DVec3::X, angle(f)));
        }
        b
    };
    assert_eq!(make(Format::Bvh).repair().clips[0].frame_count(), 39);
    assert_eq!(make(Format::Gltf).repair().clips[0].frame_count(), 40);
    // Converters straighten the legs in it, and leave the root where the motion has it.
    let mut straightened = make(Format::Bvh);
    straightened.shift("Hips", |f| DVec3::X * 0.01 * f.saturating_sub(1) as f64);
    for leg in ["LeftLeg", "RightLeg"] {
        straightened.turn(leg, |f| about(DVec3::X, if f == 0 { 0.37 } else { -0.4 }));
    }
    for name in ["Head", "LeftForeArm", "RightForeArm"] {
        straightened.turn(name, |f| about(DVec3::X, if f == 0 { 0.0 } else { 0.2 }));
    }
    assert_eq!(straightened.repair().clips[0].frame_count(), 39);
    // A motion that starts in the bind pose without a jump stays whole.
    let smooth = moving(person(Format::Bvh), 40, 0.5);
    assert_eq!(smooth.repair().clips[0].frame_count(), 40);
}

#[test]
fn neighbouring_frames_share_a_hemisphere() {
    let mut b = person(Format::Gltf);
    b.clip(30).turn("Spine", |f| {
        let q = about(DVec3::Z, 0.3 * f as f64);
        if f % 2 == 0 { q } else { -q }
    });
    let rig = b.repair();
    let joints = rig.skeleton.joints.len();
    for (earlier, later) in rig.clips[0].rotations.iter().zip(&rig.clips[0].rotations[joints..]) {
        assert!(earlier.dot(*later) > 0.0);
    }
}

#[test]
fn scale_above_the_joints_is_size_not_motion() {
    // An armature node that turns and enlarges, as exporters write it, with tiny bones below.
    let plain = moving(person(Format::Gltf), 4, 0.4);
    let mut wrapped = Builder::new(Format::Gltf);
    wrapped.joint("Armature", "", [0.0; 3]);
    wrapped.raw.nodes[0].is_joint = false;
    let turn = about(DVec3::X, -1.2);
    wrapped.raw.nodes[0].local = Transform { rotation: turn, scale: DVec3::splat(100.0), ..Transform::IDENTITY };
    for node in &plain.raw.nodes {
        let mut node = node.clone();
        node.parent = Some(node.parent.map_or(0, |p| p + 1));
        node.local.translation /= 100.0;
        wrapped.raw.nodes.push(node);
    }
    wrapped.raw.clips = plain.raw.clips.clone();
    wrapped.raw.clips[0].tracks.insert(0, Default::default());
    let options = ImportOptions { scale: Some(1.0), ..ImportOptions::default() };
    let (a, b) = (plain.repair_with(&options), wrapped.repair_with(&options));
    for frame in 0..4 {
        let (a, b) = (a.clips[0].place(&a.skeleton, frame), b.clips[0].place(&b.skeleton, frame));
        assert!(a.iter().zip(&b).all(|(a, b)| (turn * a.position).distance(b.position) < 1e-9));
    }
}

#[test]
fn a_joint_scaled_to_nothing_still_turns() {
    let mut b = person(Format::Gltf);
    b.clip(3).turn("LeftHand", |f| about(DVec3::X, 0.2 * f as f64));
    let hand = b.node("LeftHand");
    b.raw.clips[0].tracks[hand].scale = Some(vec![DVec3::ZERO; 3]);
    let rig = b.repair();
    let placed = rig.clips[0].place(&rig.skeleton, 2)[rig.skeleton.find("LeftHand").unwrap()];
    let expected = rig.skeleton.source.orientation(about(DVec3::X, 0.4));
    assert!(placed.orientation.dot(expected).abs() > 1.0 - 1e-9);
}

#[test]
fn what_overflows_is_refused() {
    let mut b = person(Format::Gltf);
    b.raw.nodes.iter_mut().for_each(|n| n.local.scale = DVec3::splat(1e200));
    let error = repair(b.raw, &ImportOptions::default(), "hero.glb").unwrap_err().to_string();
    assert!(error.starts_with("hero.glb"), "{error}");
}

#[test]
fn what_is_not_finite_is_refused_by_name() {
    let mut b = person(Format::Gltf);
    b.clip(3).shift("LeftHand", |f| DVec3::splat(if f == 1 { f64::NAN } else { 0.0 }));
    let error = repair(b.raw, &ImportOptions::default(), "hero.glb").unwrap_err().to_string();
    assert!(["hero.glb", "move", "LeftHand", "frame 1"].iter().all(|w| error.contains(w)), "{error}");
}

#[test]
fn senseless_input_is_refused() {
    let refuse = |b: &Builder, options: ImportOptions| repair(b.raw.clone(), &options, "f").unwrap_err().to_string();
    assert!(refuse(&Builder::new(Format::Gltf), ImportOptions::default()).contains("no joints"));
    let bad_scale = ImportOptions { scale: Some(-1.0), ..ImportOptions::default() };
    assert!(refuse(&person(Format::Bvh), bad_scale).contains("scale"));
    let mut huge = Builder::new(Format::Gltf);
    huge.joint("bone", "", [0.0; 3]);
    huge.raw.nodes = vec![huge.raw.nodes[0].clone(); 3000];
    assert!(refuse(&huge, ImportOptions::default()).contains("3000 joints"));
}

#[test]
fn clips_of_another_file_are_adopted_by_name() {
    let donor = moving(person(Format::Gltf), 6, 0.5).repair();
    // The same person under other names and with other joint axes.
    let turn = about(DVec3::new(1.0, 2.0, 3.0).normalize(), 1.1);
    let mut b = person(Format::Gltf);
    for node in &mut b.raw.nodes {
        node.name = format!("mixamorig:{}", node.name.to_uppercase());
        node.local.rotation = if node.parent.is_none() { turn } else { DQuat::IDENTITY };
        if node.parent.is_some() {
            node.local.translation = turn.inverse() * node.local.translation;
        }
    }
    b.joint("antler", "mixamorig:HEAD", [0.0, 0.0, 2.0]);
    let mut rig = b.repair();
    adopt_clips(&mut rig, &donor, "moves.glb").unwrap();
    assert_eq!(rig.clips.len(), 1);
    for frame in 0..6 {
        let (a, b) = (donor.clips[0].place(&donor.skeleton, frame), rig.clips[0].place(&rig.skeleton, frame));
        for (joint, a) in donor.skeleton.joints.iter().zip(&a) {
            let index = rig.skeleton.find(&format!("mixamorig:{}", joint.name.to_uppercase())).unwrap();
            assert!(a.position.distance(b[index].position) < 1e-9, "{} in frame {frame}", joint.name);
        }
    }
    assert!(rig.report.repairs.iter().any(|s| s.contains("antler")));
}

/// A donor whose bind pose has its root at the origin, as BVH files do: heights of its clip are over the ground, unless they are about the root's own.
#[test]
fn a_root_at_the_origin_of_its_bind_pose_says_nothing_of_the_ground() {
    let standing = moving(person(Format::Gltf), 6, 0.5).repair();
    let hip = standing.skeleton.bind_pose()[0].position;
    let lowest = standing.skeleton.bind_pose().iter().map(|p| p.position.z).fold(f64::INFINITY, f64::min);
    let mut hanging = standing.clone();
    hanging.skeleton.joints[0].offset = DVec3::ZERO;
    let stands = hip.z - lowest;
    for (over, expected) in [(stands, 0.0), (0.0, 0.0), (1.5 * stands, 0.5 * stands), (-0.2 * stands, -0.2 * stands)] {
        let mut donor = hanging.clone();
        donor.clips[0].root_positions = vec![DVec3::new(0.0, 0.0, over); 6];
        let mut rig = Rig { clips: Vec::new(), ..standing.clone() };
        adopt_clips(&mut rig, &donor, "moves.bvh").unwrap();
        let found = rig.clips[0].root_positions[3].z - hip.z;
        assert!((found - expected).abs() < 1e-9, "{over}: {found} instead of {expected}");
    }
    // A root that is somewhere else is where it stands.
    let mut donor = standing.clone();
    donor.clips[0].root_positions = vec![hip + 0.9 * stands * DVec3::Z; 6];
    let mut rig = Rig { clips: Vec::new(), ..standing.clone() };
    adopt_clips(&mut rig, &donor, "moves.bvh").unwrap();
    assert!((rig.clips[0].root_positions[0].z - hip.z - 0.9 * stands).abs() < 1e-9);
}

#[test]
fn clips_of_a_stranger_are_refused() {
    let donor = moving(person(Format::Gltf), 2, 0.5).repair();
    let mut dog = Builder::new(Format::Gltf);
    dog.joint("body", "", [0.0, 0.0, 0.5]).joint("tail", "body", [-0.5, 0.0, 0.5]).joint(
        "Head",
        "body",
        [0.4, 0.0, 0.6],
    );
    let mut dog = dog.repair();
    assert!(adopt_clips(&mut dog, &donor, "f").unwrap_err().to_string().contains("1 of the character's 3"));
}

/// A snake of fifteen bones, each below a control of its own that hangs above it from the root.
fn snake_of_controls() -> Builder {
    let mut b = Builder::new(Format::Gltf);
    b.joint("Root", "", [0.7, 0.0, 0.0]);
    for k in 0..15 {
        let (control, bone) = (format!("Control.{k:03}"), format!("Bone.{k:03}"));
        b.joint(&control, "Root", [0.1 * f64::from(k), 0.0, 0.3]).joint(
            &bone,
            &control,
            [0.1 * f64::from(k), 0.0, 0.05],
        );
        b.skin(&[&bone]);
    }
    b
}

#[test]
fn a_snake_in_pieces_becomes_a_chain() {
    let rig = snake_of_controls().repair();
    assert_eq!(rig.skeleton.joints.len(), 15, "{:?}", rig.skeleton.joints.iter().map(|j| &j.name).collect::<Vec<_>>());
    for (index, joint) in rig.skeleton.joints.iter().enumerate().skip(1) {
        assert!((joint.offset.length() - 0.1).abs() < 1e-9, "{} hangs {} away", joint.name, joint.offset.length());
        let most = if index == 0 { 2 } else { 1 };
        assert!(rig.skeleton.children(index).count() <= most, "{} carries several", joint.name);
    }
}

#[test]
fn a_mesh_in_a_slot_is_no_skin_and_the_rest_follows_the_repaired_joints() {
    let mut b = person(Format::Gltf);
    b.joint("Handslot", "LeftHand", [0.0, 0.8, 1.4]).skin(&["LeftHand", "Handslot", "Hips"]);
    let triangle = |node: usize, y: f64| {
        let share = (node as u32, 1.0);
        crate::SkinMesh {
            points: vec![DVec3::new(0.0, y, 1.4), DVec3::new(0.1, y, 1.4), DVec3::new(0.0, y, 1.5)],
            weights: vec![[share, (0, 0.0), (0, 0.0), (0, 0.0)]; 3],
            triangles: vec![[0, 1, 2]],
        }
    };
    for (name, y) in [("LeftHand", 0.75), ("Handslot", 0.9)] {
        let part = triangle(b.node(name), y);
        b.raw.mesh.append(part);
    }
    let skeleton = b.repair().skeleton;
    let mesh = skeleton.mesh.as_ref().expect("a mesh");
    assert_eq!(mesh.triangles.len(), 1);
    let corner = mesh.triangles[0][0] as usize;
    assert_eq!(mesh.weights[corner][0].0 as usize, skeleton.find("LeftHand").expect("a hand"));
    assert!(mesh.placed(&skeleton)[corner].distance(DVec3::new(0.0, 0.75, 1.4)) < 1e-9);
}
