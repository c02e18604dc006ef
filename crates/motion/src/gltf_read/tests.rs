use super::test_files::{FOOT, HIPS, SHIN, TestFile, glb};
use super::*;
use glam::{DAffine3, DQuat, DVec3};
use proptest::prelude::*;
use serde_json::{Value, json};

fn read_file(file: &TestFile) -> RawRig {
    read_gltf(&file.glb(), "leg.glb", None).unwrap()
}

fn refusal(file: &TestFile) -> String {
    read_gltf(&file.glb(), "leg.glb", None).unwrap_err().to_string()
}

fn node(rig: &RawRig, source_node: usize) -> usize {
    rig.nodes.iter().position(|n| n.source_node == source_node).unwrap()
}

#[test]
fn joints_and_their_ancestors_are_kept() {
    let rig = read_file(&TestFile::leg());
    let names: Vec<(&str, Option<usize>, bool)> =
        rig.nodes.iter().map(|n| (n.name.as_str(), n.parent, n.is_joint)).collect();
    let expected =
        [("Armature", None, false), ("hips", Some(0), true), ("shin", Some(1), true), ("foot", Some(1), true)];
    assert_eq!(names, expected);
    assert_eq!((rig.up, rig.metres_per_unit, rig.clips.len()), (Some(Up::Y), Some(1.0), 0));
    assert!(rig.notes.is_empty(), "{:?}", rig.notes);
}

#[test]
fn skin_points_are_in_the_joints_frame_in_file_units() {
    let rig = read_file(&TestFile::leg());
    let counts: Vec<usize> = rig.nodes.iter().map(|n| n.skin.len()).collect();
    assert_eq!(counts, [0, 1, 1, 2]);
    // Hips at (0, 2, 0), turned by −90° about x: the world's (0, 0, 0.5) is (0, −0.5, 0) there.
    assert!(rig.nodes[1].skin[0].distance(DVec3::new(0.0, -0.5, 0.0)) < 1e-6);
}

#[test]
fn vertices_without_inverse_bind_matrices_are_in_their_joints_frames() {
    let mut file = TestFile::leg();
    file.json["skins"][0].as_object_mut().unwrap().remove("inverseBindMatrices");
    let rig = read_file(&file);
    // The armature's scale of 2 becomes part of the point.
    assert!(rig.nodes[1].skin[0].distance(DVec3::new(0.0, 4.0, 1.0)) < 1e-6, "{}", rig.nodes[1].skin[0]);
    assert!(rig.nodes.iter().all(|n| n.bind.is_none()));
}

/// Writes the inverse bind matrices of the leg in the frame `space`: they get it on their right.
fn write_in(file: &mut TestFile, space: DAffine3) {
    let start = file.json["bufferViews"][0]["byteOffset"].as_u64().unwrap() as usize;
    for joint in 0..3 {
        let at = |k: usize| start + 4 * (16 * joint + k);
        let value = |k: usize| f64::from(f32::from_le_bytes(file.bin[at(k)..at(k) + 4].try_into().unwrap()));
        let columns: Vec<f64> = (0..4).flat_map(|c| [value(4 * c), value(4 * c + 1), value(4 * c + 2)]).collect();
        let moved = DAffine3::from_cols_slice(&columns) * space;
        for (index, value) in moved.to_cols_array().iter().enumerate() {
            let k = at(4 * (index / 3) + index % 3);
            file.bin[k..k + 4].copy_from_slice(&(*value as f32).to_le_bytes());
        }
    }
}

#[test]
fn the_bind_pose_is_brought_to_the_world() {
    let turned = DAffine3::from_scale_rotation_translation(
        DVec3::splat(0.01),
        DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 1.0),
        DVec3::new(3.0, 4.0, 5.0),
    );
    for space in [DAffine3::IDENTITY, turned] {
        let mut file = TestFile::leg();
        write_in(&mut file, space);
        let rig = read_file(&file);
        for (rest, bind) in rig.world_rest().iter().zip(rig.world_bind()).skip(1) {
            assert!(rest.translation.distance(bind.translation) < 1e-4, "{rest:?} {bind:?}");
            assert!(decompose(rest).rotation.dot(decompose(&bind).rotation).abs() > 1.0 - 1e-8);
        }
    }
}

#[test]
fn a_joint_that_no_pose_has_moved_decides_the_bind_space() {
    // Bound in the frame of the mesh, 0.1 above the world; the rest pose is bent and lower, so that the world fits it better on the whole.
    let mut file = TestFile::leg();
    write_in(&mut file, DAffine3::from_translation(DVec3::Y * 0.1));
    file.json["nodes"][4]["translation"] = json!([0, 0.1, 0]);
    file.json["nodes"][4]["scale"] = json!([1, 1, 1]);
    file.json["nodes"][0]["children"] = json!([HIPS, FOOT]);
    file.json["nodes"][HIPS]["children"] = json!([SHIN]);
    file.json["nodes"][FOOT]["translation"] = json!([0, -0.1, 0.1]);
    file.json["nodes"][HIPS]["translation"] = json!([0, 0, 0.95]);
    file.json["nodes"][HIPS]["rotation"] = json!([0.05, 0, 0, 1]);
    let rig = read_file(&file);
    let bind = rig.world_bind();
    assert!(bind[node(&rig, FOOT)].translation.distance(DVec3::new(0.0, 0.2, 0.2)) < 1e-5);
    assert!(bind[node(&rig, HIPS)].translation.distance(DVec3::new(0.0, 2.0, 0.0)) < 1e-5);
}

#[test]
fn channels_are_sampled_at_the_rate_of_their_keys() {
    let mut file = TestFile::leg();
    file.channel(0, HIPS, "translation", "LINEAR", &[0.5, 1.0], &[0.0, 0.0, 0.0, 0.0, 3.0, 6.0]);
    file.channel(0, SHIN, "scale", "STEP", &[0.5, 0.75], &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    // Out-tangent 1/s in x at the first key, values 0 and 1: 0.5 s · (u³ − 2u² + u) + (3u² − 2u³).
    let spline = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    file.channel(0, FOOT, "translation", "CUBICSPLINE", &[0.5, 1.0], &spline);
    let rig = read_file(&file);
    let clip = &rig.clips[0];
    assert_eq!((clip.name.as_str(), clip.rate_hz, clip.frame_count), ("clip 0", 24.0, 13));
    assert!(rig.notes.iter().any(|n| n.contains("start") && n.contains("0.500 s")), "{:?}", rig.notes);
    let hips = clip.tracks[node(&rig, HIPS)].translation.as_ref().unwrap();
    assert!(hips[6].distance(DVec3::new(0.0, 1.5, 3.0)) < 1e-12);
    assert_eq!(hips[12], DVec3::new(0.0, 3.0, 6.0));
    let scale: Vec<f64> = clip.tracks[node(&rig, SHIN)].scale.as_ref().unwrap().iter().map(|s| s.x).collect();
    assert_eq!(scale, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]);
    let foot = clip.tracks[node(&rig, FOOT)].translation.as_ref().unwrap();
    assert!((foot[6].x - (0.5 * 0.125 + 0.5)).abs() < 1e-12, "{}", foot[6].x);
    assert!(clip.tracks[0].is_empty());
}

#[test]
fn spline_rotations_are_unit_and_one_key_is_one_frame() {
    let mut file = TestFile::leg();
    let spline = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let spline = [&spline[..], &[0.0; 4]].concat();
    file.channel(0, SHIN, "rotation", "CUBICSPLINE", &[0.0, 1.0], &spline);
    file.channel(1, SHIN, "rotation", "LINEAR", &[2.0], &[0.0, 0.0, 0.0, 1.0]);
    let rig = read_file(&file);
    let turns = rig.clips[0].tracks[node(&rig, SHIN)].rotation.as_ref().unwrap();
    assert!(turns.iter().all(|q| (q.length() - 1.0).abs() < 1e-12));
    // Half way: (0, 0, 0.5 + 2/8, 0.5), normalised.
    let half = DQuat::from_xyzw(0.0, 0.0, 0.75, 0.5).normalize();
    assert!((turns[12].dot(half).abs() - 1.0).abs() < 1e-12);
    assert_eq!(rig.clips[1].frame_count, 1);
}

#[test]
fn what_needs_no_decoding_does_not_stop_a_clip() {
    let mut file = TestFile::walking_leg();
    file.json["extensionsRequired"] = json!(["KHR_draco_mesh_compression", "VENDOR_unknown"]);
    file.json["meshes"][0]["primitives"][0]["extensions"] =
        json!({"KHR_draco_mesh_compression": {"bufferView": 99, "attributes": {}}});
    file.json["images"] = json!([{"uri": "missing.png"}]);
    file.json["animations"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "smile", "samplers": [{"input": 0, "output": 0}],
        "channels": [{"sampler": 0, "target": {"node": 4, "path": "weights"}}]}));
    let rig = read_file(&file);
    assert_eq!((rig.clips.len(), rig.clips[0].frame_count), (1, 5));
    for word in ["Draco", "morph", "smile"] {
        assert!(rig.notes.iter().any(|n| n.contains(word)), "{word}: {:?}", rig.notes);
    }
}

#[test]
fn without_a_skin_the_moving_nodes_are_joints() {
    let mut file = TestFile::leg();
    file.json.as_object_mut().unwrap().remove("skins");
    file.json["nodes"][4].as_object_mut().unwrap().remove("skin");
    assert!(refusal(&file).contains("nothing in it is animated"));
    file.json["nodes"][4]["scale"] = json!([1, 1, 1]);
    file.json["nodes"][0]["children"] = json!([]);
    file.json["nodes"][1]["children"] = json!([2]);
    file.json["nodes"][2]["children"] = json!([3]);
    file.json["nodes"][3]["children"] = json!([4]);
    file.channel(0, HIPS, "translation", "LINEAR", &[0.0, 1.0], &[0.0; 6]);
    file.channel(0, FOOT, "translation", "LINEAR", &[0.0, 1.0], &[0.0; 6]);
    let rig = read_file(&file);
    let joints: Vec<usize> = rig.nodes.iter().filter(|n| n.is_joint).map(|n| n.source_node).collect();
    assert_eq!(joints, [HIPS, SHIN, FOOT]);
    // The mesh hangs rigidly from the foot.
    assert_eq!(rig.nodes.iter().map(|n| n.skin.len()).collect::<Vec<_>>(), [0, 0, 4]);
}

#[test]
fn text_files_with_data_uris_read_the_same() {
    let file = TestFile::walking_leg();
    let mut json = file.json.clone();
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in file.bin.chunks(3) {
        let bits = three.iter().fold(0u32, |a, &b| (a << 8) | u32::from(b)) << (8 * (3 - three.len()));
        for k in 0..=three.len() {
            text.push(digits[(bits >> (18 - 6 * k) & 63) as usize] as char);
        }
    }
    json["buffers"][0]["uri"] = json!(format!("data:application/octet-stream;base64,{text}"));
    let rig = read_gltf(json.to_string().as_bytes(), "leg.gltf", None).unwrap();
    assert_eq!(format!("{rig:?}"), format!("{:?}", read_file(&file)));
}

#[test]
fn broken_files_get_a_sentence() {
    let edit = |pointer: &str, value: Value| {
        let mut file = TestFile::walking_leg();
        *file.json.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        refusal(&file)
    };
    let cases = [
        ("/nodes/2", json!({"children": [0]}), "its own ancestor"),
        ("/nodes/2", json!({"children": [3]}), "two parents"),
        ("/nodes/2", json!({"children": [77]}), "child 77"),
        ("/nodes/1/translation", json!([1e300, 0, 0]), "`hips`"),
        ("/nodes/0/scale", json!([1e200, 1, 1]), "`Armature`"),
        ("/skins/0/joints", json!([1, 2, 99]), "node 99"),
        ("/skins/0/joints", json!([1, 2, 3, 4]), "3 inverse bind matrices for 4"),
        ("/accessors/0/count", json!(4_000_000_000u64), "more than its bytes hold"),
        ("/accessors/0/type", json!("VEC3"), "MAT4"),
        ("/accessors/0/componentType", json!(1), "component type 1"),
        ("/bufferViews/0/byteLength", json!(1u64 << 62), "beyond its buffer"),
        ("/bufferViews/0/buffer", json!(3), "buffer 3"),
        ("/buffers/0/byteLength", json!(1u64 << 40), "are promised"),
        ("/animations/0/channels/0/sampler", json!(9), "sampler"),
        ("/animations/0/channels/0/target/node", json!(9), "node 9"),
        ("/animations/0/samplers/0/input", json!(99), "accessor 99"),
        ("/animations/0/samplers/0/interpolation", json!("CUBICSPLINE"), "5 values for 15 keys"),
        ("/animations/0/samplers/0/interpolation", json!("WOBBLY"), "WOBBLY"),
        ("/asset/version", json!("1.0"), "glTF 2.0"),
        ("/nodes", json!(5), "not a glTF document"),
    ];
    for (pointer, value, expected) in cases {
        let message = edit(pointer, value.clone());
        assert!(message.contains(expected), "{pointer} = {value}: {message}");
        assert!(message.starts_with("leg.glb: ") && !message.contains('\n'), "{message}");
    }
}

#[test]
fn long_clips_and_wrong_times_are_refused() {
    let with = |times: &[f32], values: &[f32]| {
        let mut file = TestFile::leg();
        file.channel(0, HIPS, "translation", "LINEAR", times, values);
        refusal(&file)
    };
    assert!(with(&[0.0, 1e6], &[0.0; 6]).contains("shorten"));
    assert!(with(&[0.0, f32::MAX], &[0.0; 6]).contains("shorten"));
    assert!(with(&[1.0, 0.0], &[0.0; 6]).contains("comes before"));
    assert!(with(&[0.0, f32::NAN], &[0.0; 6]).contains("not a finite number"));
    assert!(with(&[0.0, 1.0], &[0.0, 0.0, f32::NAN, 0.0, 0.0, 0.0]).contains("not a finite number"));
    assert!(with(&[0.0, 1.0], &[f32::MAX; 6]).contains("`hips`"));
}

#[test]
fn two_keys_do_not_become_gigabytes() {
    let mut file = TestFile::leg();
    file.channel(0, HIPS, "translation", "LINEAR", &[0.0, 8000.0], &[0.0; 6]);
    let clip = file.json["animations"][0].clone();
    file.json["animations"] = json!(vec![clip; 100]);
    assert!(refusal(&file).contains("split the file"));
}

#[test]
fn one_accessor_is_not_decoded_without_end() {
    let mut file = TestFile::walking_leg();
    let output = file.floats(&vec![0.5; 40_000], "VEC4", 4);
    file.json["animations"][0]["samplers"][0]["output"] = json!(output);
    let channel = file.json["animations"][0]["channels"][0].clone();
    file.json["animations"][0]["channels"] = json!(vec![channel; 1000]);
    assert!(refusal(&file).contains("split the file"));
}

#[test]
fn cut_files_never_panic() {
    let bytes = TestFile::walking_leg().glb();
    for length in 0..bytes.len() {
        assert!(read_gltf(&bytes[..length], "cut.glb", None).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut bytes = TestFile::walking_leg().glb();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(rig) = read_gltf(&bytes, "changed.glb", None) {
            check_promises(&rig);
        }
    }

    #[test]
    fn changed_numbers_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12), 1..4)) {
        let file = TestFile::walking_leg();
        let text = file.json.to_string();
        let numbers: Vec<(usize, usize)> = number_places(&text);
        let mut text = text;
        for (at, choice) in changes {
            let (start, end) = numbers[at.index(numbers.len())];
            let width = end - start;
            let new = ["0", "1", "2", "3", "4", "-1", "9", "99", "1e9", "4294967296", "18446744073709551615", "null"][choice];
            // Padded or cut to the old width, so that later places stay where they are.
            text.replace_range(start..end, &format!("{new:width$}")[..width]);
        }
        if let Ok(rig) = read_gltf(&glb(text.as_bytes(), &file.bin), "changed.glb", None) {
            check_promises(&rig);
        }
    }
}

/// What every rig keeps to, whatever the file.
fn check_promises(rig: &RawRig) {
    for (index, node) in rig.nodes.iter().enumerate() {
        assert!(node.parent.is_none_or(|p| p < index));
        assert!(node.bind.is_none_or(|b| b.is_finite()));
        assert!(node.skin.iter().all(|p| p.is_finite()) && node.skin.len() <= crate::raw::SKIN_POINTS);
    }
    for clip in &rig.clips {
        assert!(clip.frame_count > 0 && clip.tracks.len() == rig.nodes.len() && clip.rate_hz > 0.0);
        let tracks = clip.tracks.iter();
        let lengths = tracks.flat_map(|t| {
            [t.translation.as_ref().map(Vec::len), t.rotation.as_ref().map(Vec::len), t.scale.as_ref().map(Vec::len)]
        });
        assert!(lengths.flatten().all(|n| n == clip.frame_count));
        assert!(rig.world_at(clip, clip.frame_count - 1).iter().all(DAffine3::is_finite));
    }
    assert!(rig.world_bind().iter().all(DAffine3::is_finite));
}

/// Start and end of every number in a JSON text.
fn number_places(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_part = |b: u8| b.is_ascii_digit() || matches!(b, b'-' | b'.' | b'e' | b'+');
    let mut places = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if matches!(bytes[at], b':' | b',' | b'[')
            && bytes.get(at + 1).is_some_and(|&b| b.is_ascii_digit() || b == b'-')
        {
            let start = at + 1;
            at = start;
            while at < bytes.len() && is_part(bytes[at]) {
                at += 1;
            }
            places.push((start, at));
        } else {
            at += 1;
        }
    }
    places
}

#[test]
fn triangles_are_where_the_bind_pose_has_them() {
    let rig = read_file(&TestFile::leg());
    assert_eq!(rig.mesh.triangles, [[0, 1, 2]], "four vertices without indices");
    assert!(rig.mesh.points[1].distance(DVec3::new(0.0, 1.0, 0.0)) < 1e-6, "{}", rig.mesh.points[1]);
    let [strongest, next, ..] = rig.mesh.weights[1];
    assert_eq!(
        (rig.nodes[strongest.0 as usize].name.as_str(), rig.nodes[next.0 as usize].name.as_str()),
        ("shin", "hips")
    );
    assert!((strongest.1 - 0.6).abs() < 1e-6 && (next.1 - 0.4).abs() < 1e-6);
}

#[test]
fn strips_fans_and_lines_are_told_apart() {
    let triangles = |mode: u32| {
        let mut file = TestFile::leg();
        file.json["meshes"][0]["primitives"][0]["mode"] = serde_json::json!(mode);
        read_file(&file).mesh.triangles
    };
    assert_eq!(triangles(5), [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(triangles(6), [[0, 1, 2], [0, 2, 3]]);
    assert!(triangles(1).is_empty());
}

#[test]
fn triangles_of_vertices_that_are_not_there_are_left_out() {
    let mut file = TestFile::leg();
    let indices = file.accessor(&[0, 1, 2, 1, 2, 9], 5121, "SCALAR", 6);
    file.json["meshes"][0]["primitives"][0]["indices"] = serde_json::json!(indices);
    assert_eq!(read_file(&file).mesh.triangles, [[0, 1, 2]]);
}
