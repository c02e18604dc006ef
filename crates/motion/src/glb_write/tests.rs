use super::*;
use crate::gltf_read::test_files::{FOOT, HIPS, SHIN, TestFile, plain_rig};
use crate::gltf_read::{decompose, open, read_gltf};
use crate::raw::RawRig;
use crate::skeleton::Placed;
use crate::{Clip, Skeleton};
use glam::{DQuat, DVec3};
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(bytes: &[u8]) -> RawRig {
    read_gltf(bytes, "file.glb", None).unwrap()
}

fn json_of(bytes: &[u8]) -> Value {
    serde_json::from_slice(open(bytes).unwrap().json).unwrap()
}

/// Where the last clip of a file puts a node, in the skeleton's world.
fn placed(rig: &RawRig, skeleton: &Skeleton, node: usize, frame: usize) -> Placed {
    let index = rig.nodes.iter().position(|n| n.source_node == node).unwrap();
    let world = decompose(&rig.world_at(rig.clips.last().unwrap(), frame)[index]);
    Placed {
        position: skeleton.source.position(world.translation),
        orientation: skeleton.source.orientation(world.rotation),
    }
}

fn assert_same(a: &Placed, b: &Placed, what: &str) {
    assert!(a.position.distance(b.position) < 1e-6, "{what}: {} {}", a.position, b.position);
    assert!(a.orientation.dot(b.orientation).abs() > 1.0 - 1e-10, "{what}: {} {}", a.orientation, b.orientation);
}

/// The foot under the shin, where the file has it under the hips.
fn rehung(rig: &RawRig) -> (Skeleton, Clip) {
    let (mut skeleton, mut clips) = plain_rig(rig, 0.5);
    let bind = skeleton.bind_pose();
    skeleton.joints[2].parent = Some(1);
    skeleton.joints[2].offset = bind[1].orientation.inverse() * (bind[2].position - bind[1].position);
    skeleton.joints[2].rotation = bind[1].orientation.inverse() * bind[2].orientation;
    (skeleton, clips.remove(0))
}

#[test]
fn a_clip_that_is_added_reads_back() {
    let source = TestFile::walking_leg().glb();
    let (skeleton, clip) = rehung(&read(&source));
    let written = add_clip_to_gltf(&source, None, &skeleton, &clip, "walk").unwrap();
    let again = read(&written);
    assert_eq!(again.clips.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["walk", "walk 2"]);
    assert_eq!(again.clips[1].frame_count, clip.frame_count());
    for frame in 0..clip.frame_count() {
        for (joint, expected) in skeleton.joints.iter().zip(clip.place(&skeleton, frame)) {
            assert_same(&placed(&again, &skeleton, joint.source_node, frame), &expected, &joint.name);
        }
    }
}

proptest! {
    #[test]
    fn any_pose_under_any_armature_reads_back(
        turns in prop::collection::vec(prop::array::uniform4(-1.0f64..1.0), 4),
        root in prop::array::uniform3(-5.0f64..5.0), scale in 0.01f64..100.0, mirrored: bool,
    ) {
        let turns: Vec<DQuat> = turns.iter().map(|&q| DQuat::from_array(q)).collect();
        prop_assume!(turns.iter().all(|q| q.length() > 0.1));
        let mut file = TestFile::walking_leg();
        file.json["nodes"][0]["rotation"] = json!(turns[3].normalize().to_array());
        file.json["nodes"][0]["scale"] = json!([if mirrored { -scale } else { scale }, scale, scale]);
        let source = file.glb();
        let (skeleton, mut clip) = rehung(&read(&source));
        clip.root_positions = vec![DVec3::from_array(root)];
        clip.rotations = turns[..3].iter().map(|q| q.normalize()).collect();
        let again = read(&add_clip_to_gltf(&source, None, &skeleton, &clip, "new").unwrap());
        for (joint, expected) in skeleton.joints.iter().zip(clip.place(&skeleton, 0)) {
            let found = placed(&again, &skeleton, joint.source_node, 0);
            let size = 1.0 + expected.position.length() + root.iter().fold(0.0, |a: f64, c| a.max(c.abs()));
            prop_assert!(found.position.distance(expected.position) < 1e-5 * size);
            prop_assert!(found.orientation.dot(expected.orientation).abs() > 1.0 - 1e-10);
        }
    }
}

#[test]
fn the_rest_of_the_file_stays_as_it_was() {
    let file = TestFile::walking_leg();
    let source = file.glb();
    let (skeleton, clip) = rehung(&read(&source));
    let written = add_clip_to_gltf(&source, None, &skeleton, &clip, "new").unwrap();
    assert!(open(&written).unwrap().bin.unwrap().starts_with(&file.bin));
    let mut json = json_of(&written);
    for (name, old) in file.json.as_object().unwrap() {
        if let (Value::Array(old), Value::Array(new)) = (old, &mut json[name]) {
            if name == "buffers" {
                continue;
            }
            new.truncate(old.len());
        }
        if name != "buffers" {
            assert_eq!(&json[name], old, "{name}");
        }
    }
    let (before, after) = (read(&source), read(&written));
    assert_eq!(format!("{:?}", before.clips[0]), format!("{:?}", after.clips[0]));
}

#[test]
fn a_loose_joint_that_was_left_out_follows_the_nearest() {
    // The foot hangs from the armature, and the skeleton knows nothing of it.
    let mut file = TestFile::walking_leg();
    file.json["nodes"][0]["children"] = json!([HIPS, FOOT]);
    file.json["nodes"][HIPS]["children"] = json!([SHIN]);
    file.json["nodes"][FOOT]["translation"] = json!([0.0, -0.1, 0.1]);
    let source = file.glb();
    let (mut skeleton, mut clips) = plain_rig(&read(&source), 1.0);
    let (bind, mut clip) = (skeleton.bind_pose(), clips.remove(0));
    skeleton.joints.pop();
    clip.rotations = clip.rotations.chunks(3).flat_map(|r| r[..2].to_vec()).collect();
    let again = read(&add_clip_to_gltf(&source, None, &skeleton, &clip, "new").unwrap());
    for frame in 0..clip.frame_count() {
        let shin = clip.place(&skeleton, frame)[1];
        let back = bind[1].orientation.inverse();
        let expected = Placed {
            position: shin.place(back * (bind[2].position - bind[1].position)),
            orientation: shin.orientation * back * bind[2].orientation,
        };
        assert_same(&placed(&again, &skeleton, FOOT, frame), &expected, "foot");
    }
}

#[test]
fn a_joint_with_vertices_follows_the_joint_at_which_it_lies() {
    // The foot lies at the shin, hangs from the hips, and the skeleton knows nothing of it.
    let mut file = TestFile::walking_leg();
    file.json["skins"][0].as_object_mut().unwrap().remove("inverseBindMatrices");
    file.json["nodes"][FOOT]["translation"] = json!([0.0, 0.01, -0.42]);
    let source = file.glb();
    let (mut skeleton, mut clips) = plain_rig(&read(&source), 1.0);
    let (bind, mut clip) = (skeleton.bind_pose(), clips.remove(0));
    skeleton.joints.pop();
    clip.rotations = clip.rotations.chunks(3).flat_map(|r| r[..2].to_vec()).collect();
    let again = read(&add_clip_to_gltf(&source, None, &skeleton, &clip, "new").unwrap());
    let shin = clip.place(&skeleton, 3)[1];
    let back = bind[1].orientation.inverse();
    let expected = shin.place(back * (bind[2].position - bind[1].position));
    assert!(placed(&again, &skeleton, FOOT, 3).position.distance(expected) < 1e-6);
}

#[test]
fn matrix_nodes_become_animatable() {
    let mut file = TestFile::walking_leg();
    let shin = file.json["nodes"][SHIN].as_object_mut().unwrap();
    shin.remove("translation");
    shin.remove("rotation");
    // The quaternion (0, 0.6, 0, 0.8) as a matrix, by columns.
    shin.insert("matrix".into(), json!([0.28, 0, -0.96, 0, 0, 1, 0, 0, 0.96, 0, 0.28, 0, 0, 0, -0.4, 1]));
    let source = file.glb();
    let (skeleton, clip) = rehung(&read(&source));
    let json = json_of(&add_clip_to_gltf(&source, None, &skeleton, &clip, "new").unwrap());
    assert!(json["nodes"][SHIN]["matrix"].is_null());
    let rotation: Vec<f64> = serde_json::from_value(json["nodes"][SHIN]["rotation"].clone()).unwrap();
    assert!((DQuat::from_slice(&rotation).dot(DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8)).abs() - 1.0).abs() < 1e-12);
}

#[test]
fn files_beside_a_text_file_are_folded_in() {
    let folder = std::env::temp_dir().join(format!("sinew-fold-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut file = TestFile::walking_leg();
    let (glb, bin) = (file.glb(), file.bin.clone());
    file.json["buffers"][0]["uri"] = json!("leg%20data.bin");
    file.json["images"] = json!([{"uri": "skin.png"}, {"uri": "lost.png"}]);
    std::fs::write(folder.join("leg data.bin"), &bin).unwrap();
    std::fs::write(folder.join("skin.png"), b"\x89PNG\r\n\x1a\n and so on").unwrap();
    let text = file.json.to_string();
    let (skeleton, clip) = rehung(&read(&glb));
    let written = add_clip_to_gltf(text.as_bytes(), Some(&folder), &skeleton, &clip, "new");
    let without_folder = add_clip_to_gltf(text.as_bytes(), None, &skeleton, &clip, "new");
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(without_folder.unwrap_err().to_string().contains("folder is not known"));
    let written = written.unwrap();
    assert_eq!(format!("{:?}", read(&written).clips[0]), format!("{:?}", read(&glb).clips[0]));
    let json = json_of(&written);
    assert!(json["buffers"][0]["uri"].is_null());
    assert_eq!(json["images"][1], json!({"uri": "lost.png"}));
    let view = &json["bufferViews"][json["images"][0]["bufferView"].as_u64().unwrap() as usize];
    let start = view["byteOffset"].as_u64().unwrap() as usize;
    assert!(open(&written).unwrap().bin.unwrap()[start..].starts_with(b"\x89PNG"));
}

#[test]
fn what_cannot_be_written_is_a_sentence() {
    let source = TestFile::walking_leg().glb();
    let (skeleton, clip) = rehung(&read(&source));
    let refusal = |source: &[u8], skeleton: &Skeleton, clip: &Clip| {
        add_clip_to_gltf(source, None, skeleton, clip, "new").unwrap_err().to_string()
    };
    let mut other = skeleton.clone();
    other.joints[1].source_node = 50;
    assert!(refusal(&source, &other, &clip).contains("node 50"));
    let mut short = clip.clone();
    short.rotations.pop();
    assert!(refusal(&source, &skeleton, &short).contains("make it for this skeleton"));
    let mut lost = clip.clone();
    lost.root_positions[2].x = f64::NAN;
    assert!(refusal(&source, &skeleton, &lost).contains("frame 2"));
    let mut still = clip.clone();
    still.rate_hz = 0.0;
    assert!(refusal(&source, &skeleton, &still).contains("positive"));
    assert!(refusal(&source[..40], &skeleton, &clip).contains("cut short"));
    let empty = Clip { root_positions: vec![], rotations: vec![], ..clip };
    assert!(refusal(&source, &skeleton, &empty).contains("0 frames"));
}

#[test]
fn changed_sources_never_panic() {
    let source = TestFile::walking_leg().glb();
    let (skeleton, clip) = rehung(&read(&source));
    let mut state = 7u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for _ in 0..2000 {
        let mut bytes = source.clone();
        for _ in 0..=next(3) {
            let at = next(bytes.len());
            bytes[at] = next(256) as u8;
        }
        let _ = add_clip_to_gltf(&bytes, None, &skeleton, &clip, "new");
    }
}

#[test]
fn a_capsule_character_reads_back_with_y_up() {
    let (skeleton, clip) = rehung(&read(&TestFile::walking_leg().glb()));
    let capsule = Capsule { joint: 1, from: DVec3::ZERO, to: DVec3::Z, radius: 0.1, color: [255, 0, 188] };
    let capsules = [
        capsule,
        Capsule { joint: 2, ..capsule },
        Capsule { joint: 0, color: [1, 2, 3], ..capsule },
        Capsule { joint: 9, ..capsule },
        Capsule { radius: f64::NAN, ..capsule },
    ];
    let written = write_capsule_glb(&skeleton, std::slice::from_ref(&clip), &capsules);
    let json = json_of(&written);
    assert_eq!(json["meshes"].as_array().unwrap().len(), 3);
    assert_eq!(json["materials"].as_array().unwrap().len(), 2);
    let rig = read(&written);
    for frame in 0..clip.frame_count() {
        let world = rig.world_at(&rig.clips[0], frame);
        for (joint, expected) in clip.place(&skeleton, frame).iter().enumerate() {
            let Some(index) = rig.nodes.iter().position(|n| n.source_node == joint) else { continue };
            let [x, y, z] = expected.position.to_array();
            assert!(world[index].translation.distance(DVec3::new(y, z, x)) < 1e-6);
        }
    }
    assert_eq!(rig.nodes.len(), 3);
    // Nothing at all is still a file.
    assert!(open(&write_capsule_glb(&skeleton, &[], &[])).is_ok());
}
