//! The whole way, on small people and beasts.

use crate::joint_map::{JointMap, Posture, Role};
use crate::retarget::{RetargetOptions, Retargeted, retarget};
use crate::test_figures::{PERSON, Person, beast, person, still, turn_in_world, walk, worm};
use crate::{Anatomy, LimbKind, MapError, Plan, RetargetError, Section};
use glam::{DQuat, DVec3};
use sinew_motion::names::Side;
use sinew_motion::skeleton::Placed;
use sinew_motion::{Clip, Rig};

fn moved(source: &Rig, clip: &Clip, target: &Rig) -> Retargeted {
    let map = JointMap::between(source, target).expect("a map");
    retarget(source, clip, target, &map, &RetargetOptions::default()).expect("moved")
}

fn place(rig: &Rig, clip: &Clip, frame: usize, joint: &str) -> Placed {
    clip.place(&rig.skeleton, frame)[rig.skeleton.find(joint).expect("a joint")]
}

/// From one joint to another, as a direction.
fn direction(rig: &Rig, clip: &Clip, frame: usize, from: &str, to: &str) -> DVec3 {
    (place(rig, clip, frame, to).position - place(rig, clip, frame, from).position).normalize()
}

#[test]
fn parts_of_people_and_beasts_are_found() {
    let rig = person(&PERSON, DQuat::IDENTITY);
    let anatomy = Anatomy::of(&rig.skeleton, &[]);
    let name =
        |joints: &[usize]| joints.iter().map(|&j| rig.skeleton.joints[j].name.as_str()).collect::<Vec<_>>().join(" ");
    assert_eq!((anatomy.plan, anatomy.upright), (Plan::Biped, true));
    assert_eq!(
        (name(&[anatomy.pelvis]), name(&anatomy.spine), name(&anatomy.neck)),
        ("Hips".into(), "Spine".into(), "Head".into())
    );
    let arm = anatomy.limb(LimbKind::Arm, Side::Right).expect("an arm");
    assert_eq!(
        (name(arm.joints(Section::Upper)), name(arm.joints(Section::Lower)), name(arm.joints(Section::End))),
        ("RightArm".into(), "RightForeArm".into(), "RightHand".into())
    );
    let animal = beast(1.0);
    let anatomy = Anatomy::of(&animal.skeleton, &[]);
    assert_eq!((anatomy.plan, anatomy.upright, anatomy.tail.len()), (Plan::Quadruped, false, 1));
    let fore = anatomy.limb(LimbKind::ForeLeg, Side::Left).and_then(|l| l.first(Section::Upper)).expect("a fore leg");
    assert_eq!(animal.skeleton.joints[fore].name, "ForeArm.L");
}

#[test]
fn a_first_bone_to_the_side_is_a_girdle_and_no_thigh() {
    let mut rig = person(&PERSON, DQuat::IDENTITY);
    // A stub from the middle of the body to each hip.
    let mut joints = rig.skeleton.joints.clone();
    for (thigh, stub, side) in [("LeftUpLeg", "LeftStub", 1.0), ("RightUpLeg", "RightStub", -1.0)] {
        let at = joints.iter().position(|j| j.name == thigh).expect("a thigh");
        let mut joint = joints[at].clone();
        (joint.name, joint.offset) = (stub.into(), DVec3::ZERO);
        joints[at].offset = DVec3::new(0.0, 0.3 * side, 0.0);
        joints.insert(at, joint);
        for later in &mut joints[at + 1..] {
            later.parent = later.parent.map(|p| if p >= at { p + 1 } else { p });
        }
        joints[at + 1].parent = Some(at);
    }
    rig.skeleton.joints = joints;
    let anatomy = Anatomy::of(&rig.skeleton, &[]);
    let leg = anatomy.limb(LimbKind::Leg, Side::Right).expect("a leg");
    let name = |section: Section| leg.first(section).map(|j| rig.skeleton.joints[j].name.as_str());
    assert_eq!(
        [Section::Girdle, Section::Upper, Section::Lower].map(name),
        [Some("RightStub"), Some("RightUpLeg"), Some("RightLeg")]
    );
}

#[test]
fn names_are_not_needed() {
    let mut rig = person(&PERSON, DQuat::IDENTITY);
    let named = Anatomy::of(&rig.skeleton, &[]);
    for (index, joint) in rig.skeleton.joints.iter_mut().enumerate() {
        joint.name = format!("bone{index}");
    }
    let nameless = Anatomy::of(&rig.skeleton, &[]);
    assert_eq!((nameless.limbs, nameless.spine, nameless.neck), (named.limbs, named.spine, named.neck));
}

#[test]
fn a_turn_comes_through_different_rest_poses_and_frames() {
    let source = person(&PERSON, DQuat::IDENTITY);
    let down = Person { arm_direction: [0.0, 0.0, -1.0], ..PERSON };
    let slanted = Person { arm_direction: [0.0, 0.6, -0.8], ..PERSON };
    let odd = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 0.5).normalize(), 1.1);
    for target in [person(&down, DQuat::IDENTITY), person(&slanted, odd), person(&PERSON, odd)] {
        let mut clip = still(&source, 3);
        for frame in 0..3 {
            // Arms from straight out to straight ahead, the elbow bent inwards and up.
            turn_in_world(&source, &mut clip, frame, "LeftArm", DQuat::from_rotation_z(-1.5));
            turn_in_world(
                &source,
                &mut clip,
                frame,
                "LeftForeArm",
                DQuat::from_rotation_y(-0.3) * DQuat::from_rotation_z(-1.0),
            );
            turn_in_world(&source, &mut clip, frame, "Spine", DQuat::from_rotation_z(0.3));
        }
        let result = moved(&source, &clip, &target).clip;
        for (from, to) in [("LeftArm", "LeftForeArm"), ("LeftForeArm", "LeftHand"), ("LeftUpLeg", "LeftLeg")] {
            let (wanted, found) = (direction(&source, &clip, 1, from, to), direction(&target, &result, 1, from, to));
            // A straight leg keeps a little bend, so that its knee cannot turn over.
            let tolerance = if from == "LeftUpLeg" { 0.11 } else { 1e-6 };
            assert!(wanted.angle_between(found) < tolerance, "{from}: {wanted} {found}");
        }
        // The trunk has turned by as much.
        let turn =
            place(&target, &result, 1, "Spine").orientation * target.skeleton.bind_pose()[1].orientation.inverse();
        assert!(turn.angle_between(DQuat::from_rotation_z(0.3)) < 1e-6);
    }
}

#[test]
fn a_source_that_looks_elsewhere_is_turned() {
    let source = person(&PERSON, DQuat::IDENTITY);
    let clip = walk(&source, &PERSON, 1.0, 0.0, 90);
    let mut sideways = source.clone();
    let mut turned = clip.clone();
    let turn = DQuat::from_rotation_z(1.2);
    sideways.skeleton.joints[0].rotation = turn;
    let joints = sideways.skeleton.joints.len();
    for frame in 0..turned.frame_count() {
        turned.root_positions[frame] = turn * turned.root_positions[frame];
        turned.rotations[frame * joints] = turn * turned.rotations[frame * joints];
    }
    let target = person(&Person { thigh: 0.5, ..PERSON }, DQuat::IDENTITY);
    let (straight, other) = (moved(&source, &clip, &target).clip, moved(&sideways, &turned, &target).clip);
    for frame in [0, 40, 80] {
        let off =
            place(&target, &straight, frame, "Head").position.distance(place(&target, &other, frame, "Head").position);
        assert!(off < 1e-4, "{frame}: {off}");
    }
}

#[test]
fn chains_of_different_lengths_share_the_turn() {
    let one = person(&PERSON, DQuat::IDENTITY);
    let three = person(&Person { spine: &["Spine", "Spine1", "Spine2"], ..PERSON }, DQuat::IDENTITY);
    let bend = DQuat::from_rotation_y(0.6);
    let mut clip = still(&one, 2);
    (0..2).for_each(|frame| turn_in_world(&one, &mut clip, frame, "Spine", bend));
    let result = moved(&one, &clip, &three).clip;
    let angle = |joint: &str| place(&three, &result, 0, joint).orientation.angle_between(DQuat::IDENTITY);
    let angles = ["Spine", "Spine1", "Spine2"].map(angle);
    // Bones of equal length, the last one's to the head longer: shares grow to the whole turn.
    assert!(angles[0] > 0.1 && angles[0] < angles[1] && angles[1] < angles[2], "{angles:?}");
    assert!((angles[2] - 0.6).abs() < 1e-9);
    // Three onto one: the last one's turn.
    let mut clip = still(&three, 2);
    for frame in 0..2 {
        turn_in_world(&three, &mut clip, frame, "Spine", DQuat::from_rotation_y(0.2));
        turn_in_world(&three, &mut clip, frame, "Spine2", DQuat::from_rotation_y(0.3));
    }
    let result = moved(&three, &clip, &one).clip;
    assert!((place(&one, &result, 0, "Spine").orientation.angle_between(DQuat::IDENTITY) - 0.5).abs() < 1e-9);
}

#[test]
fn travel_and_steps_are_scaled_by_the_legs() {
    let source = person(&PERSON, DQuat::IDENTITY);
    let clip = walk(&source, &PERSON, 0.4, 0.0, 121);
    let small = Person { thigh: 0.28, shin: 0.28, ankle: 0.06, ..PERSON };
    let target = person(&small, DQuat::IDENTITY);
    let result = moved(&source, &clip, &target);
    let k = 0.28 / 0.42;
    assert!((result.figures.scale - k).abs() < 1e-9, "{}", result.figures.scale);
    let travel = |clip: &Clip| clip.root_positions[120].x - clip.root_positions[0].x;
    assert!((travel(&result.clip) - k * travel(&clip)).abs() < 1e-9);
    // The height over standing is scaled too: h_t + k (z − h_s).
    let wanted = 0.62 + k * (clip.root_positions[0].z - 0.92);
    assert!((result.clip.root_positions[0].z - wanted).abs() < 2e-3, "{} {wanted}", result.clip.root_positions[0].z);
    let chosen = RetargetOptions { scale: Some(0.5), ..RetargetOptions::default() };
    let map = JointMap::between(&source, &target).expect("a map");
    let half = retarget(&source, &clip, &target, &map, &chosen).expect("moved").clip;
    assert!((travel(&half) - 0.5 * travel(&clip)).abs() < 1e-9);
}

#[test]
fn a_planted_foot_stays_and_knees_never_reverse() {
    let source = person(&PERSON, DQuat::IDENTITY);
    let long = Person { thigh: 0.52, shin: 0.40, ankle: 0.1, ..PERSON };
    for slip in [0.0, 0.08] {
        let clip = walk(&source, &PERSON, 1.1, slip, 181);
        let target = person(&long, DQuat::from_rotation_x(0.7));
        let map = JointMap::between(&source, &target).expect("a map");
        let planted = retarget(&source, &clip, &target, &map, &RetargetOptions::default()).expect("moved").figures;
        assert!(planted.foot_slide.contacts >= 4, "{planted:?}");
        assert!(planted.foot_slide.max_cm < 0.3, "{planted:?}");
        assert!(planted.deepest_cm < 0.1 && planted.bends.knees_wrong == 0, "{planted:?}");
        if slip > 0.0 {
            let loose = RetargetOptions { plant_feet: false, ..RetargetOptions::default() };
            let loose = retarget(&source, &clip, &target, &map, &loose).expect("moved").figures;
            assert!(loose.foot_slide.max_cm > 2.0, "{loose:?}");
        }
    }
}

#[test]
fn a_knee_that_the_source_overstretches_is_straightened() {
    let source = person(&PERSON, DQuat::IDENTITY);
    let mut clip = walk(&source, &PERSON, 1.0, 0.0, 121);
    for frame in 30..40 {
        turn_in_world(&source, &mut clip, frame, "LeftLeg", DQuat::from_rotation_y(-1.0));
    }
    let figures = moved(&source, &clip, &person(&PERSON, DQuat::IDENTITY)).figures;
    assert!(figures.source_bends.knees_wrong > 0, "{figures:?}");
    assert_eq!(figures.bends.knees_wrong, 0, "{figures:?}");
}

#[test]
fn a_walk_in_place_stays_in_place_and_its_end_meets_its_beginning() {
    let source = person(&PERSON, DQuat::IDENTITY);
    let mut clip = walk(&source, &PERSON, 1.0, 0.0, 61);
    clip.root_positions.iter_mut().for_each(|p| p.x = 0.0);
    let target = person(&Person { thigh: 0.5, ..PERSON }, DQuat::IDENTITY);
    let result = moved(&source, &clip, &target);
    let figures = &result.figures;
    assert!(figures.foot_slide.contacts >= 2 && figures.foot_slide.max_cm < 0.5, "{figures:?}");
    let result = result.clip;
    let ends = result.root_positions[60].distance(result.root_positions[0]);
    assert!(ends < 2e-3, "{ends}");
    for foot in ["LeftFoot", "RightFoot"] {
        let apart = place(&target, &result, 60, foot).position.distance(place(&target, &result, 0, foot).position);
        assert!(apart < 5e-3, "{foot}: {apart}");
    }
}

#[test]
fn beasts_take_clips_of_beasts_in_their_own_stance() {
    let (small, large) = (beast(1.0), beast(2.5));
    let mut clip = still(&small, 30);
    for frame in 0..30 {
        turn_in_world(&small, &mut clip, frame, "Chest", DQuat::from_rotation_y(0.02 * frame as f64));
    }
    let map = JointMap::between(&small, &large).expect("a map");
    assert_eq!(map.posture, Posture::Own);
    assert!(map.chain(Role::Limb(LimbKind::ForeLeg, Side::Left, Section::Upper)).is_some());
    let result = retarget(&small, &clip, &large, &map, &RetargetOptions::default()).expect("moved");
    assert!((result.figures.scale - 2.5).abs() < 1e-9);
    let turn = place(&large, &result.clip, 29, "Chest").orientation;
    assert!((turn.angle_between(DQuat::IDENTITY) - 0.58).abs() < 1e-6);
}

#[test]
fn bodies_that_are_built_differently_are_refused_in_one_sentence() {
    let (human, animal, snake) = (person(&PERSON, DQuat::IDENTITY), beast(1.0), worm());
    let sentence = |source: &Rig, target: &Rig| JointMap::between(source, target).expect_err("refused").to_string();
    assert_eq!(
        sentence(&human, &animal),
        "its skeleton stands on two legs, the character stands on four legs; take clips of a body that stands on four legs"
    );
    assert!(
        sentence(&human, &snake)
            .ends_with("the character has no pair of legs; take clips of a body that has no pair of legs")
    );
    assert_eq!(JointMap::between(&snake, &snake), Err(RetargetError::NoLegs));
    let clip = still(&human, 2);
    let map = JointMap::between(&human, &human).expect("a map");
    let wrong = retarget(&animal, &clip, &human, &map, &RetargetOptions::default()).expect_err("another skeleton");
    assert!(matches!(wrong, RetargetError::Clip(_)), "{wrong}");
}

#[test]
fn a_map_comes_back_from_its_file_and_its_faults_are_named() {
    let (source, target) =
        (person(&PERSON, DQuat::IDENTITY), person(&Person { spine: &["A", "B"], ..PERSON }, DQuat::IDENTITY));
    let map = JointMap::between(&source, &target).expect("a map");
    let text = map.to_toml();
    let read = |text: &str| JointMap::from_toml(text, &source.skeleton, &target.skeleton);
    assert_eq!(read(&text), Ok(map.clone()));
    let line_of = |text: &str, part: &str| 1 + text.lines().position(|l| l.contains(part)).expect("there");

    let wrong = text.replace("source = [\"LeftLeg\"]", "source = [\"LeftLge\"]");
    let error = read(&wrong).expect_err("no such joint");
    assert_eq!(
        error.to_string(),
        format!(
            "line {}: the clip's skeleton has no joint `LeftLge` (did you mean `LeftLeg`?); use one of its joints' names",
            line_of(&wrong, "LeftLge")
        )
    );
    let wrong = text.replace("left_leg.lower", "left_leg.shin");
    assert_eq!(read(&wrong), Err(MapError::Role { line: line_of(&wrong, "shin"), role: "left_leg.shin".into() }));
    let wrong = text.replace("right_arm.upper", "left_arm.upper");
    assert!(matches!(read(&wrong), Err(MapError::Twice { .. })));
    let wrong = text.replace("target = [\"RightHand\"]", "target = [\"LeftHand\"]");
    assert!(matches!(read(&wrong), Err(MapError::MovedTwice { joint, .. }) if joint == "LeftHand"));
    let wrong = text.replace("role = \"pelvis\"\nsource = [\"Hips\"]", "role = \"pelvis\"\nsource = []");
    assert_eq!(read(&wrong), Err(MapError::NoPelvis));
    let wrong = text.replace("posture = \"same\"", "posture = \"some\"");
    assert!(read(&wrong).expect_err("a posture").to_string().contains("neither `same` nor `own`"));
    let wrong = text.replace("target = [", "target = ");
    assert!(matches!(read(&wrong), Err(MapError::Syntax { line, .. }) if line == line_of(&wrong, "target = ")));
}

#[test]
fn a_mended_map_is_obeyed() {
    let (source, target) = (person(&PERSON, DQuat::IDENTITY), person(&PERSON, DQuat::IDENTITY));
    let mut clip = still(&source, 2);
    (0..2).for_each(|frame| turn_in_world(&source, &mut clip, frame, "Head", DQuat::from_rotation_z(0.4)));
    let mut map = JointMap::between(&source, &target).expect("a map");
    map.chains.retain(|chain| chain.role != Role::Neck);
    let result = retarget(&source, &clip, &target, &map, &RetargetOptions::default()).expect("moved").clip;
    assert!(place(&target, &result, 0, "Head").orientation.angle_between(DQuat::IDENTITY) < 1e-9);
}
