//! From a rigged file to a character and back, on the embedded characters.

use sinew::modeler::{CharacterProject, ModelOptions, fitted_to_clip};
use sinew::modeling::{Modeling, named_clip};
use sinew::motion::{add_clip_to_gltf, read_bytes, read_gltf, write_bvh};
use sinew::source::Source;
use std::path::Path;

fn open(name: &str) -> Source {
    Source::open(Path::new(name), &[], &Default::default()).expect("embedded")
}

#[test]
fn embedded_characters_stand_and_follow_their_clips() {
    for name in sinew::assets::NAMES {
        let source = open(name);
        assert!(source.rig.report.dropped.is_empty() && source.rig.report.stretched.is_empty(), "{name}");
        let modeling = Modeling::new(&source, &[], &ModelOptions::default()).expect("a character");
        assert!(modeling.preflight.ok, "{name}: {:?}", modeling.preflight.problems);
        for fitted in &modeling.fitted {
            let share = fitted.errors.effector_mean / modeling.height_m;
            assert!(share < 0.005, "{name}, {}: {share}", fitted.name);
            let (speed, source) = (fitted.errors.joint_speed_max, fitted.errors.source_speed_max);
            assert!(speed < 1.3 * source + 1.0, "{name}, {}: {speed} rad/s after {source}", fitted.name);
        }
    }
}

/// Meshes, skins and nodes are the source's own bytes, so equal transforms of all nodes are equal pictures.
#[test]
fn a_clip_written_back_into_its_file_moves_every_node_as_before() {
    for name in sinew::assets::NAMES {
        let source = open(name);
        for clip in &source.rig.clips {
            let bytes = add_clip_to_gltf(&source.bytes, None, &source.rig.skeleton, clip, "again").expect("written");
            let raw = read_gltf(&bytes, "again.glb", None).expect("read");
            let old = raw.clips.iter().find(|c| c.name == clip.name).expect("the old clip");
            let new = raw.clips.iter().find(|c| c.name == "again").expect("the new clip");
            assert_eq!(old.frame_count, new.frame_count);
            for frame in 0..old.frame_count {
                for (a, b) in raw.world_at(old, frame).iter().zip(raw.world_at(new, frame)) {
                    assert!(a.abs_diff_eq(b, 2e-5), "{name}, {}, frame {frame}: {a} and {b}", clip.name);
                }
            }
        }
    }
}

#[test]
fn a_clip_written_as_bvh_is_the_same_motion() {
    for name in sinew::assets::NAMES {
        let source = open(name);
        let skeleton = &source.rig.skeleton;
        for clip in &source.rig.clips {
            let text = write_bvh(skeleton, clip);
            let options = sinew::motion::ImportOptions {
                up: Some(skeleton.source.up),
                scale: Some(skeleton.source.metres_per_unit),
                ..Default::default()
            };
            let again = read_bytes(text.as_bytes(), "again.bvh", None, &options).expect("read");
            assert_eq!(again.clips[0].frame_count(), clip.frame_count(), "{name}, {}", clip.name);
            for frame in [0, clip.frame_count() / 2, clip.frame_count() - 1] {
                let (before, after) = (clip.place(skeleton, frame), again.clips[0].place(&again.skeleton, frame));
                for (joint, placed) in again.skeleton.joints.iter().zip(after) {
                    let index = skeleton.find(&joint.name).expect("the same joint");
                    let apart = placed.position.distance(before[index].position);
                    assert!(apart < 1e-5, "{name}, {}, frame {frame}, {}: {apart} m", clip.name, joint.name);
                }
            }
        }
    }
}

/// The way a simulated motion goes home: coordinates of the character, back to the artist's joints, into the artist's file.
#[test]
fn a_fitted_clip_goes_back_onto_the_skeleton() {
    let source = open("human");
    let modeling = Modeling::new(&source, &["walk".into()], &ModelOptions::default()).expect("a character");
    let (fitted, clip, skeleton) = (&modeling.fitted[0], &modeling.clips[0], &source.rig.skeleton);
    let (character, binding) = (modeling.project.character(), modeling.project.binding());
    let back = fitted_to_clip(character, binding, skeleton, fitted.rate_hz, "back", &fitted.positions, Some(clip))
        .expect("a clip");
    let mut worst = 0.0f64;
    for frame in 0..clip.frame_count() {
        for (a, b) in clip.place(skeleton, frame).iter().zip(back.place(skeleton, frame)) {
            worst = worst.max(a.position.distance(b.position));
        }
    }
    // Joints that the clip moves almost about one axis are hinges: what they leave out is small, and ends are where they were.
    assert!(worst < 0.04, "{worst} m");
}

#[test]
fn another_take_fits_the_same_character() {
    let source = open("human");
    let first = Modeling::new(&source, &[], &ModelOptions::default()).expect("a character");
    let saved = first.project.to_character();
    let project = CharacterProject::from_character(saved, "human.toml").expect("its history");
    let mut other = open("human");
    other.rig.clips.iter_mut().for_each(|clip| clip.name.push_str(", take 2"));
    let second = Modeling::with_character(&other, &["jump".into(), "punch".into()], project).expect("laid on");
    assert_eq!(second.project.character(), first.project.character());
    assert_eq!(second.fitted.len(), 2);
    assert!(second.fitted.iter().all(|f| f.errors.effector_mean < 0.01), "{:?}", second.report().ik);
}

#[test]
fn parts_in_place_travel_when_they_are_joined() {
    let mut source = open("dinosaur");
    let mut walk = source.rig.clips.iter().find(|c| c.name == "walk").expect("a walk").clone();
    let frames = walk.frame_count();
    let travel = walk.root_positions[frames - 1] - walk.root_positions[0];
    for (frame, position) in walk.root_positions.iter_mut().enumerate() {
        let share = frame as f64 / (frames - 1) as f64;
        (position.x, position.y) = (position.x - share * travel.x, position.y - share * travel.y);
    }
    source.rig.clips = ["first", "second"].map(|name| sinew::motion::Clip { name: name.into(), ..walk.clone() }).into();
    let joined = named_clip(&source.rig, "first+second").expect("joined");
    let went = joined.root_positions[joined.frame_count() - 1] - joined.root_positions[0];
    let wanted = 2.0 * travel.length();
    assert!((went.length() - wanted).abs() < 0.15 * wanted, "{} m instead of {wanted}", went.length());
}

#[test]
fn the_same_file_gives_the_same_bytes() {
    let make = || {
        let source = open("dinosaur");
        let modeling = Modeling::new(&source, &[], &ModelOptions::default()).expect("a character");
        let positions: Vec<u64> = modeling.fitted.iter().flat_map(|f| &f.positions).map(|x| x.to_bits()).collect();
        (modeling.project.to_character().to_toml(), positions)
    };
    assert_eq!(make(), make());
}

/// A clip of the human as BVH, its joints called otherwise where `renamed`.
fn walk_as_bvh(renamed: bool) -> String {
    let human = open("human");
    let walk = human.rig.clips.iter().find(|clip| clip.name == "walk").expect("a walk");
    let mut text =
        String::from_utf8(sinew::export::export(&human, walk, Path::new("walk.bvh")).expect("written")).expect("text");
    let others = [
        ("hips", "Pelvis"),
        ("spine", "Back"),
        ("thigh_", "UpLeg_"),
        ("shin_", "LoLeg_"),
        ("foot_", "Ankle_"),
        ("toe_", "Ball_"),
        ("clavicle_", "Collar_"),
        ("upper_arm_", "Humerus_"),
        ("forearm_", "Radius_"),
        ("hand_", "Wrist_"),
    ];
    if renamed {
        others.iter().for_each(|(ours, theirs)| text = text.replace(ours, theirs));
    }
    text
}

#[test]
fn clips_come_by_joint_names_or_by_the_roles_of_the_joints() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    let (same, other) = (file("same.bvh", &walk_as_bvh(false)), file("other.bvh", &walk_as_bvh(true)));
    let with = |path: &Path| Source::open(Path::new("human"), &[path.to_path_buf()], &Default::default());

    // Joints of the same names: exactly what laying the clips onto them gives.
    let by_names = with(&same).expect("read");
    let mut laid = open("human").rig;
    let clips = sinew::motion::read(&same, &Default::default()).expect("read");
    sinew::motion::adopt_clips(&mut laid, &clips, &same.to_string_lossy()).expect("fits");
    assert_eq!(by_names.rig.clips, laid.clips);

    // Other names: the same walk, on a skeleton that is the same but for its names.
    let by_roles = with(&other).expect("moved");
    let (clip, walk) = (by_roles.rig.clips.last().expect("a clip"), laid.clips.last().expect("a clip"));
    let place = |clip: &sinew::motion::Clip, frame: usize| clip.place(&laid.skeleton, frame);
    for frame in [0, 10, 20] {
        let (moved, drawn) = (place(clip, frame), place(walk, frame));
        for (joint, (m, d)) in moved.iter().zip(&drawn).enumerate() {
            let (m, d) = (m.position - moved[0].position, d.position - drawn[0].position);
            assert!(m.distance(d) < 0.06, "frame {frame}, joint {joint}: {m} {d}");
        }
    }
    assert!(by_roles.rig.report.repairs.iter().any(|s| s.starts_with("Clips moved from the skeleton of")));

    // A map is obeyed, and its faults are named with its file.
    let map = file("map.toml", "[[chain]]\nrole = \"pelvis\"\nsource = [\"Pelvis\"]\ntarget = [\"hip\"]\n");
    let mapped = Source::open_with_map(Path::new("human"), &[other], Some(&map), &Default::default());
    let sentence = mapped.err().expect("a fault").to_string();
    assert!(
        sentence.ends_with(
            "map.toml: line 4: the character has no joint `hip` (did you mean `hips`?); use one of its joints' names"
        ),
        "{sentence}"
    );
}

#[test]
fn a_walk_on_two_legs_is_refused_by_a_beast_in_one_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("walk.bvh");
    std::fs::write(&path, walk_as_bvh(true)).expect("written");
    let refused =
        Source::open(Path::new("quadruped"), &[path], &Default::default()).err().expect("refused").to_string();
    assert!(refused.ends_with("walk.bvh: its skeleton stands on two legs, the character stands on four legs; take clips of a body that stands on four legs"), "{refused}");
}
