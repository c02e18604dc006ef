//! Laws of laying clips onto characters.

use super::rotation_vector::rotation_vector;
use super::test_rigs::{Rig, TestRig, biped};
use super::*;
use crate::binding::Link;
use glam::{DQuat, DVec3};
use proptest::prelude::*;
use sinew_sim::{Batch, BatchOptions, JointKind, Model, PlacedCharacter, Scene};
use std::sync::Arc;

const HEIGHT: f64 = 1.75;

fn fit(rig: &TestRig, clip: &Clip) -> FittedClip {
    fit_clip(&rig.character, &rig.binding, &rig.skeleton, clip, &IkOptions::default()).unwrap()
}

fn to_clip(rig: &TestRig, rate_hz: f64, positions: &[f64]) -> Clip {
    fitted_to_clip(&rig.character, &rig.binding, &rig.skeleton, rate_hz, "back", positions, None).unwrap()
}

fn wave(i: usize, time: f64) -> f64 {
    0.45 * libm::sin(2.0 * time + 1.7 * i as f64)
}

fn waves(i: usize, time: f64) -> DVec3 {
    DVec3::new(wave(3 * i, time), wave(3 * i + 1, 1.3 * time), wave(3 * i + 2, 0.7 * time))
}

fn angle_between(a: DQuat, b: DQuat) -> f64 {
    rotation_vector(a.conjugate() * b).length()
}

/// Largest difference in `qvel` terms between two motions.
fn apart(rig: &TestRig, a: &[f64], b: &[f64]) -> f64 {
    let tree = Tree::new(&rig.character).unwrap();
    let mut difference = vec![0.0; tree.velocity_count];
    let mut largest: f64 = 0.0;
    assert_eq!(a.len(), b.len());
    for (a, b) in a.chunks(tree.position_count).zip(b.chunks(tree.position_count)) {
        tree.difference(a, b, &mut difference);
        largest = difference.iter().fold(largest, |l, d| l.max(d.abs()));
    }
    largest
}

fn limit_excess(rig: &TestRig, fitted: &FittedClip) -> f64 {
    let tree = Tree::new(&rig.character).unwrap();
    let mut excess = f64::NEG_INFINITY;
    for frame in 0..fitted.frame_count() {
        let q = fitted.position(frame);
        for link in &tree.links {
            let Some([low, high]) = link.limits else { continue };
            excess = excess.max(match link.kind {
                JointKind::Hinge => (q[link.q] - high).max(low - q[link.q]),
                _ => rotation_vector(tree::read_quaternion(&q[link.q..])).length() - high,
            });
        }
    }
    excess
}

#[test]
fn forward_kinematics_and_layout_are_the_simulations() {
    for kind in [Rig::Hinged, Rig::Balls, Rig::Hinges] {
        let rig = biped(kind);
        let tree = Tree::new(&rig.character).unwrap();
        let scene = Scene {
            characters: vec![PlacedCharacter { character: rig.character.clone(), offset: [0.0; 3], heading: 0.0 }],
            ..Scene::default()
        };
        let model = Arc::new(Model::new(&scene, 0.002).unwrap());
        assert_eq!((tree.position_count, tree.velocity_count), (model.position_count(), model.velocity_count()));
        let moving: Vec<_> = tree.links.iter().filter(|l| l.kind.velocity_count() > 0).collect();
        for (link, joint) in moving.iter().zip(model.joints()) {
            assert_eq!(format!("biped/{}", link.joint), joint.name);
            assert_eq!((link.q, link.v), (joint.position_index, joint.velocity_index));
        }
        let q = rig.motion(1, 1.0, |i, _| wave(i, 3.0));
        let mut batch = Batch::new(&model, 1, BatchOptions { threads: 1, ..BatchOptions::default() }).unwrap();
        batch.world_mut(0).set_position(&q);
        let measured = batch.world(0).measure();
        let mut placed = Vec::new();
        tree.place(&q, &mut placed);
        for (i, body) in tree.bodies.iter().enumerate() {
            let ours = tree.body_place(i, &placed);
            let theirs = measured.bodies[model.body(&body.name).unwrap()];
            assert!(ours.position.distance(DVec3::from_array(theirs.position)) < 1e-6, "{kind:?} {}", body.name);
            assert!(angle_between(ours.orientation, tree::quaternion(theirs.orientation)) < 1e-6, "{}", body.name);
        }
    }
}

#[test]
fn velocities_carry_one_frame_to_the_next_in_the_simulations_convention() {
    let rig = biped(Rig::Hinged);
    let tree = Tree::new(&rig.character).unwrap();
    let rate = 1000.0;
    let positions = rig.motion(40, rate, wave);
    let fitted = fit(&rig, &to_clip(&rig, rate, &positions));
    let velocities = fitted.velocities();
    // Body velocities by the simulation's measure against differences of places.
    let scene = Scene {
        characters: vec![PlacedCharacter { character: rig.character.clone(), offset: [0.0; 3], heading: 0.0 }],
        ..Scene::default()
    };
    let model = Model::new(&scene, 0.002).unwrap();
    let nv = tree.velocity_count;
    let frame = 20;
    let measure = |f: usize| {
        sinew_sim::Measured::new(&model, fitted.position(f), &velocities[f * nv..(f + 1) * nv], [0.0; 3]).bodies
    };
    let (before, now, after) = (measure(frame - 1), measure(frame), measure(frame + 1));
    for i in 0..now.len() {
        let at = |b: &sinew_sim::BodyMotion| DVec3::from_array(b.position);
        let moved = (at(&after[i]) - at(&before[i])) * (rate / 2.0);
        assert!(moved.distance(DVec3::from_array(now[i].velocity)) < 1e-4);
        let turned = tree::quaternion(after[i].orientation) * tree::quaternion(before[i].orientation).conjugate();
        let turned = rotation_vector(turned) * (rate / 2.0);
        assert!(turned.distance(DVec3::from_array(now[i].angular_velocity)) < 1e-4);
    }
    // The root's straight motion is the wave itself, so its speed is known, at the ends too.
    for (frame, tolerance) in [(0, 1e-3), (20, 1e-6), (39, 1e-3)] {
        for i in 0..3 {
            let slope = 0.9 * libm::cos(2.0 * frame as f64 / rate + 1.7 * i as f64);
            assert!((velocities[frame * nv + i] - slope).abs() < tolerance, "frame {frame}");
        }
    }
}

#[test]
fn the_bind_pose_is_the_rest_pose() {
    for kind in [Rig::Hinged, Rig::Balls, Rig::Hinges] {
        let rig = biped(kind);
        let clip = rig.clip(1, 30.0, |_, _| DVec3::ZERO);
        let fitted = fit(&rig, &clip);
        let model = Model::new(
            &Scene {
                characters: vec![PlacedCharacter { character: rig.character.clone(), offset: [0.0; 3], heading: 0.0 }],
                ..Scene::default()
            },
            0.002,
        )
        .unwrap();
        assert!(apart(&rig, &fitted.positions, model.rest_position()) < 1e-9);
        assert!(fitted.velocities().iter().all(|&v| v == 0.0));
    }
}

#[test]
fn motions_that_the_character_can_do_come_back_exactly() {
    for kind in [Rig::Hinged, Rig::Balls, Rig::Hinges] {
        let rig = biped(kind);
        let positions = rig.motion(60, 30.0, wave);
        let fitted = fit(&rig, &to_clip(&rig, 30.0, &positions));
        assert!(apart(&rig, &positions, &fitted.positions) < 1e-6, "{kind:?}");
        let errors = &fitted.errors;
        assert!(errors.effector_max < 1e-6 && errors.root_max < 1e-6 && errors.pose_max < 1e-6, "{errors:?}");
        assert!((errors.joint_speed_max / errors.source_speed_max - 1.0).abs() < 1e-6);
    }
}

#[test]
fn a_ball_character_gives_the_clip_back() {
    let rig = biped(Rig::Balls);
    let clip = rig.clip(50, 30.0, waves);
    let fitted = fit(&rig, &clip);
    let reference = Some(&clip);
    let back = fitted_to_clip(&rig.character, &rig.binding, &rig.skeleton, 30.0, "back", &fitted.positions, reference)
        .unwrap();
    for (a, b) in back.root_positions.iter().zip(&clip.root_positions) {
        assert!(a.distance(*b) < 1e-6);
    }
    assert_eq!(back.rotations.len(), clip.rotations.len());
    for (a, b) in back.rotations.iter().zip(&clip.rotations) {
        assert!(angle_between(*a, *b) < 1e-6);
    }
    // Without the reference, joints without a body keep the bind pose.
    let bare = to_clip(&rig, 30.0, &fitted.positions);
    let jaw = rig.skeleton.find("jaw").unwrap();
    assert!(angle_between(bare.rotations_of(20)[jaw], rig.skeleton.joints[jaw].rotation) < 1e-12);
    for frame in 1..50 {
        let pairs = back.rotations_of(frame).iter().zip(back.rotations_of(frame - 1));
        assert!(pairs.into_iter().all(|(a, b)| a.dot(*b) > 0.0), "neighbours lie in one hemisphere");
    }
}

#[test]
fn effectors_follow_where_hinges_cannot_turn() {
    let rig = biped(Rig::Hinged);
    // Every joint turns about three axes, knees and elbows too.
    let clip = rig.clip(120, 30.0, |i, t| 0.6 * waves(i, t));
    let fitted = fit(&rig, &clip);
    let errors = &fitted.errors;
    assert!(errors.pose_max > 0.05, "the source must ask for more than the hinges have");
    assert!(errors.effector_max < 0.02 * HEIGHT, "{} m at {:?}", errors.effector_max, errors.worst_effector);
    assert!(errors.root_max < 0.02 * HEIGHT);
    assert!(limit_excess(&rig, &fitted) < 1e-9);
    let (frame, name) = errors.worst_effector.clone().unwrap();
    let column = errors.effector_names.iter().position(|n| *n == name).unwrap();
    assert_eq!(errors.effector_distances[frame * errors.effector_names.len() + column], errors.effector_max);
}

#[test]
fn least_squares_beat_the_closed_form() {
    let rig = biped(Rig::Hinged);
    let clip = rig.clip(60, 30.0, |i, t| 0.6 * waves(i, t));
    let loose = IkOptions { effectors: 0.0, body_positions: 0.0, ..IkOptions::default() };
    let pose_only = fit_clip(&rig.character, &rig.binding, &rig.skeleton, &clip, &loose).unwrap();
    let full = fit(&rig, &clip);
    assert!(full.errors.effector_mean < 0.3 * pose_only.errors.effector_mean);
}

#[test]
fn no_joint_is_faster_than_the_source() {
    let rig = biped(Rig::Hinged);
    for amplitude in [0.5, 1.0, 2.0, 4.0] {
        // Far beyond the limits, so that joints rest on them and turn round at them.
        let clip = rig.clip(150, 60.0, |i, t| amplitude * waves(i, t));
        let fitted = fit(&rig, &clip);
        let errors = &fitted.errors;
        assert!(limit_excess(&rig, &fitted) < 1e-9);
        assert!(
            errors.joint_speed_max <= 1.5 * errors.source_speed_max + 0.2,
            "{} rad/s at {:?}, but the source has {}",
            errors.joint_speed_max,
            errors.fastest_joint,
            errors.source_speed_max
        );
    }
}

#[test]
fn hinges_turn_on_through_half_turns() {
    let rig = biped(Rig::Hinges);
    // Three full turns of every joint.
    let positions = rig.motion(200, 60.0, |i, t| if i < 6 { 0.0 } else { 6.0 * t });
    let fitted = fit(&rig, &to_clip(&rig, 60.0, &positions));
    let nq = fitted.position_count;
    for frame in 0..200 {
        for i in 7..nq {
            assert!((fitted.position(frame)[i] - positions[frame * nq + i]).abs() < 1e-6, "frame {frame}");
        }
    }
}

#[test]
fn the_same_bits_every_time_and_for_every_clip_of_the_rig() {
    let rig = biped(Rig::Hinged);
    let clip = rig.clip(40, 30.0, waves);
    assert_eq!(fit(&rig, &clip), fit(&rig, &clip));
    // Another take of the same rig: joints in another order, one more of them.
    let mut other = rig.skeleton.clone();
    let mut extra = other.joints[18].clone();
    extra.name = "tongue".into();
    extra.parent = Some(18);
    other.joints.push(extra);
    other.joints.swap(16, 17);
    let rotations = (0..40)
        .flat_map(|f| {
            let mut r = clip.rotations_of(f).to_vec();
            r.swap(16, 17);
            r.push(DQuat::IDENTITY);
            r
        })
        .collect();
    let take = Clip { rotations, ..clip.clone() };
    let fitted = fit_clip(&rig.character, &rig.binding, &other, &take, &IkOptions::default()).unwrap();
    assert_eq!(fitted, fit(&rig, &clip));
}

#[test]
fn standing_still_and_single_frames_are_clips_too() {
    let rig = biped(Rig::Hinged);
    for frames in [1, 2, 30] {
        let clip = rig.clip(frames, 30.0, |i, _| waves(i, 4.0));
        let fitted = fit(&rig, &clip);
        assert_eq!(fitted.frame_count(), frames);
        assert!(fitted.positions.iter().chain(&fitted.velocities()).all(|x| x.is_finite()));
    }
}

#[test]
fn smoothing_does_not_pull_corrections_back() {
    let rig = biped(Rig::Hinged);
    let stiff = IkOptions { smoothing_secs: 1.0, ..IkOptions::default() };
    let fit = |frames| {
        let clip = rig.clip(frames, 1e5, |i, _| 0.6 * waves(i, 4.0));
        fit_clip(&rig.character, &rig.binding, &rig.skeleton, &clip, &stiff).unwrap()
    };
    let (single, still) = (fit(1), fit(30));
    assert!(single.errors.pose_max > 0.05, "there must be something to correct");
    // The root moves by 0.01 mm a frame.
    assert!(apart(&rig, single.position(0), still.position(29)) < 1e-3);
}

#[test]
fn errors_name_what_is_missing() {
    let rig = biped(Rig::Hinged);
    let clip = rig.clip(2, 30.0, waves);
    let refuse = |change: &dyn Fn(&mut TestRig, &mut Clip, &mut IkOptions), words: &[&str]| {
        let (mut rig, mut clip, mut options) = (biped(Rig::Hinged), clip.clone(), IkOptions::default());
        change(&mut rig, &mut clip, &mut options);
        let error = fit_clip(&rig.character, &rig.binding, &rig.skeleton, &clip, &options).unwrap_err().to_string();
        assert!(words.iter().all(|w| error.contains(w)), "{error}");
        assert!(!error.contains('\n'));
    };
    refuse(
        &|rig, _, _| {
            rig.skeleton.joints[4].name = "x".into();
            rig.skeleton.joints[5].name = "y".into();
        },
        &["no joint \"l_elbow\", \"l_hand\",", "\"biped\""],
    );
    refuse(&|rig, _, _| rig.binding.links[3].body = "wing".into(), &["body \"wing\"", "bind it again"]);
    refuse(&|rig, _, _| rig.binding.effectors[1].name = "claw".into(), &["end effector \"claw\""]);
    refuse(&|rig, _, _| rig.binding.links[3].body = "head body".into(), &["\"head body\" to the joints \"head\""]);
    refuse(&|rig, _, _| drop(rig.binding.links.remove(0)), &["root body \"hips body\""]);
    refuse(&|rig, _, _| rig.binding.links[2].rotation = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), &["\"head\""]);
    refuse(&|_, clip, _| (clip.root_positions, clip.rotations) = Default::default(), &["\"clip\" has no frames"]);
    refuse(&|_, clip, _| clip.rotations.truncate(37), &["37 rotations", "needs 38"]);
    refuse(&|_, clip, _| clip.rate_hz = 0.0, &["0 frames a second"]);
    refuse(&|_, clip, _| clip.rotations[20].x = f64::NAN, &["frame 1", "\"spine\""]);
    refuse(&|_, clip, _| clip.root_positions[1].z = f64::INFINITY, &["frame 1", "\"hips\""]);
    refuse(&|_, _, options| options.pose = -1.0, &["option pose", "-1"]);
    refuse(&|rig, _, _| rig.character.joints[2].axis = Some([0.0; 3]), &["\"biped\"", "\"head\""]);
    let positions = vec![0.0; 5];
    let back = fitted_to_clip(&rig.character, &rig.binding, &rig.skeleton, 30.0, "m", &positions, None);
    assert!(back.unwrap_err().to_string().contains("5 numbers"));
}

#[test]
fn a_planar_and_a_bolted_root_move_as_far_as_they_can() {
    for kind in [JointKind::Planar, JointKind::Fixed] {
        let mut rig = biped(Rig::Balls);
        rig.character.joints[0].kind = kind;
        let clip = rig.clip(30, 30.0, |i, t| if i == 0 { DVec3::ZERO } else { waves(i, t) });
        let fitted = fit(&rig, &clip);
        let is_planar = kind == JointKind::Planar;
        assert_eq!(fitted.errors.root_max < 1e-6, is_planar);
        assert_eq!(fitted.errors.pose_max < 1e-6, is_planar);
        assert!(fitted.positions.iter().all(|x| x.is_finite()));
    }
}

#[test]
fn a_character_without_coordinates_has_frames_too() {
    let mut rig = biped(Rig::Balls);
    rig.character.joints[0].kind = JointKind::Fixed;
    for joint in &mut rig.character.joints[1..] {
        joint.kind = JointKind::Weld;
    }
    let fitted = fit(&rig, &rig.clip(5, 30.0, waves));
    assert_eq!((fitted.frame_count(), fitted.position_count), (5, 0));
    assert!(fitted.velocities().is_empty() && fitted.errors.effector_mean > 0.01);
    assert_eq!(to_clip(&rig, 30.0, &[]).frame_count(), 1);
}

#[test]
fn a_knee_near_its_stretch_does_not_pop() {
    let rig = biped(Rig::Hinged);
    // Legs swing stretched while the pelvis bobs towards feet that turn in a way that only a bent knee could follow.
    let clip = rig.clip(240, 60.0, |i, t| match i {
        9 | 12 => 0.5 * waves(i, 2.0 * t),
        10 | 13 => 0.12 * waves(i, 3.0 * t),
        _ => 0.1 * waves(i, t),
    });
    let free = IkOptions { speed_ratio: 1e9, ..IkOptions::default() };
    let free = fit_clip(&rig.character, &rig.binding, &rig.skeleton, &clip, &free).unwrap().errors;
    let errors = fit(&rig, &clip).errors;
    assert!(errors.joint_speed_max <= 1.5 * errors.source_speed_max + 0.2);
    assert!(errors.joint_speed_max <= free.joint_speed_max * (1.0 + 1e-9));
    assert!(errors.effector_max < 0.02 * HEIGHT, "{} m", errors.effector_max);
}

#[test]
fn three_hinges_in_a_row_turn_as_a_ball() {
    let mut rig = biped(Rig::Balls);
    // Each arm on three hinges, with bodies between them that follow no joint.
    for name in ["l_arm", "r_arm"] {
        let last = rig.character.joints.iter().position(|j| j.name == name).unwrap();
        let ball = rig.character.joints[last].clone();
        let carrier = rig.character.bodies.iter().find(|b| b.name == ball.child).unwrap().clone();
        let mut parent = ball.parent.clone();
        for (k, axis) in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].into_iter().enumerate() {
            let between = format!("{name} {k}");
            rig.character.bodies.push(sinew_sim::Body { name: between.clone(), ..carrier.clone() });
            let mut hinge = ball.clone();
            (hinge.name, hinge.kind, hinge.axis) = (between.clone(), JointKind::Hinge, Some(axis));
            (hinge.parent, hinge.child) = (parent, between.clone());
            if k > 0 {
                (hinge.position, hinge.orientation) = ([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
            }
            rig.character.joints.push(hinge);
            parent = Some(between);
        }
        let joint = &mut rig.character.joints[last];
        (joint.kind, joint.axis, joint.parent) = (JointKind::Hinge, Some([0.0, 0.0, 1.0]), parent);
        (joint.position, joint.orientation) = ([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
    }
    let fitted = fit(&rig, &rig.clip(60, 30.0, waves));
    assert!(fitted.errors.pose_max < 1e-6, "{}", fitted.errors.pose_max);
    assert!(fitted.errors.effector_max < 1e-6, "{}", fitted.errors.effector_max);
}

#[test]
fn bodies_without_a_joint_follow_their_parents() {
    let mut rig = biped(Rig::Balls);
    rig.binding.links.retain(|l: &Link| l.body != "head body");
    rig.binding.effectors.retain(|e| e.name != "head top");
    let fitted = fit(&rig, &rig.clip(20, 30.0, waves));
    let tree = Tree::new(&rig.character).unwrap();
    let head = tree.links.iter().find(|l| l.joint == "head").unwrap();
    for frame in 0..20 {
        let turn = tree::read_quaternion(&fitted.position(frame)[head.q..]);
        assert!(angle_between(turn, DQuat::IDENTITY) < 1e-9);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn limits_hold_and_numbers_are_finite(
        amplitudes in prop::collection::vec(-6.0f64..6.0, 57),
        speeds in prop::collection::vec(0.0f64..20.0, 19),
        stretch in 0.2f64..3.0,
    ) {
        let mut rig = biped(Rig::Hinged);
        // Targets that no pose reaches.
        for effector in &mut rig.binding.effectors {
            effector.point *= stretch;
        }
        let clip = rig.clip(12, 30.0, |i, t| DVec3::from_slice(&amplitudes[3 * i..]) * libm::sin(speeds[i] * t + i as f64));
        let fitted = fit(&rig, &clip);
        prop_assert!(limit_excess(&rig, &fitted) < 1e-9);
        prop_assert!(fitted.positions.iter().all(|x| x.is_finite()));
        for joint in &fitted.tree.links {
            if let Some(at) = joint.quaternion_index() {
                let turn = |frame: usize| tree::read_quaternion(&fitted.position(frame)[at..]);
                prop_assert!((0..12).all(|f| (turn(f).length() - 1.0).abs() < 1e-12));
                prop_assert!((1..12).all(|f| turn(f).dot(turn(f - 1)) >= 0.0));
            }
        }
    }
}
