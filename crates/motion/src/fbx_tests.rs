use super::*;

/// Two limb nodes and a tip under a scaled armature; a strip of mesh bound to both; one stack that bends the second by 90° in one second,
/// and one stack without curves.
const TWO_BONES: &str = r#"; FBX 7.4.0 project file
FBXHeaderExtension:  {
    FBXHeaderVersion: 1003
    FBXVersion: 7400
}
GlobalSettings:  {
    Version: 1000
    Properties70:  {
        P: "UpAxis", "int", "Integer", "",2
        P: "UpAxisSign", "int", "Integer", "",1
        P: "FrontAxis", "int", "Integer", "",1
        P: "FrontAxisSign", "int", "Integer", "",-1
        P: "CoordAxis", "int", "Integer", "",0
        P: "CoordAxisSign", "int", "Integer", "",1
        P: "UnitScaleFactor", "double", "Number", "",100
        P: "TimeMode", "enum", "", "",11
    }
}
Objects:  {
    Geometry: 10, "Geometry::Strip", "Mesh" {
        Vertices: *12 {
            a: 0,0,0, 0.1,0,0.5, 0,0,1.5, 0.1,0,2
        }
        PolygonVertexIndex: *4 {
            a: 0,1,3,-3
        }
        GeometryVersion: 124
    }
    Model: 1, "Model::Armature", "Null" {
        Version: 232
        Properties70:  {
            P: "Lcl Scaling", "Lcl Scaling", "", "A",2,2,2
        }
    }
    Model: 2, "Model::Hips", "LimbNode" {
        Version: 232
        Properties70:  {
            P: "PreRotation", "Vector3D", "Vector", "",0,0,90
            P: "RotationActive", "bool", "", "",1
            P: "Lcl Translation", "Lcl Translation", "", "A",0,0,0.25
        }
    }
    Model: 3, "Model::Chest", "LimbNode" {
        Version: 232
        Properties70:  {
            P: "Lcl Translation", "Lcl Translation", "", "A",0,0,0.5
        }
    }
    Model: 4, "Model::Strip", "Mesh" {
        Version: 232
    }
    NodeAttribute: 12, "NodeAttribute::", "LimbNode" {
        TypeFlags: "Skeleton"
    }
    NodeAttribute: 13, "NodeAttribute::", "LimbNode" {
        TypeFlags: "Skeleton"
    }
    Deformer: 20, "Deformer::", "Skin" {
        Version: 101
    }
    Deformer: 21, "SubDeformer::", "Cluster" {
        Version: 100
        Indexes: *3 {
            a: 0,1,2
        }
        Weights: *3 {
            a: 1,1,0.25
        }
        Transform: *16 {
            a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,-0.5,1
        }
        TransformLink: *16 {
            a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0.5,1
        }
    }
    Deformer: 22, "SubDeformer::", "Cluster" {
        Version: 100
        Indexes: *2 {
            a: 2,3
        }
        Weights: *2 {
            a: 0.75,1
        }
        Transform: *16 {
            a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,-1.5,1
        }
        TransformLink: *16 {
            a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,1.5,1
        }
    }
    AnimationStack: 30, "AnimStack::Armature|Bend", "" {
        Properties70:  {
            P: "LocalStart", "KTime", "Time", "",0
            P: "LocalStop", "KTime", "Time", "",46186158000
        }
    }
    AnimationLayer: 31, "AnimLayer::Base", "" {
    }
    AnimationCurveNode: 32, "AnimCurveNode::R", "" {
        Properties70:  {
            P: "d|X", "Number", "", "A",0
            P: "d|Y", "Number", "", "A",0
            P: "d|Z", "Number", "", "A",0
        }
    }
    AnimationCurve: 33, "AnimCurve::", "" {
        Default: 0
        KeyVer: 4008
        KeyTime: *2 {
            a: 0,46186158000
        }
        KeyValueFloat: *2 {
            a: 0,90
        }
        KeyAttrFlags: *1 {
            a: 4
        }
        KeyAttrDataFloat: *4 {
            a: 0,0,0,0
        }
        KeyAttrRefCount: *1 {
            a: 2
        }
    }
    AnimationStack: 40, "AnimStack::Nothing", "" {
    }
    AnimationLayer: 41, "AnimLayer::Empty", "" {
    }
}
Connections:  {
    C: "OO",1,0
    C: "OO",2,1
    C: "OO",3,2
    C: "OO",4,0
    C: "OO",12,2
    C: "OO",13,3
    C: "OO",10,4
    C: "OO",20,10
    C: "OO",21,20
    C: "OO",22,20
    C: "OO",2,21
    C: "OO",3,22
    C: "OO",31,30
    C: "OO",32,31
    C: "OP",32,3, "Lcl Rotation"
    C: "OP",33,32, "d|X"
    C: "OO",41,40
}
"#;

fn two_bones() -> RawRig {
    read_fbx(TWO_BONES.as_bytes(), "two_bones.fbx").expect("the inline file is sound")
}

#[test]
fn nodes_units_and_axes_are_read() {
    let rig = two_bones();
    let names: Vec<(&str, Option<usize>, bool)> =
        rig.nodes.iter().map(|n| (n.name.as_str(), n.parent, n.is_joint)).collect();
    assert_eq!(names, [("Armature", None, false), ("Hips", Some(0), true), ("Chest", Some(1), true)]);
    assert_eq!(rig.up, Some(Up::Z));
    assert!((rig.metres_per_unit.unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(rig.format, Format::Fbx);
}

#[test]
fn pre_rotation_and_ancestors_scale_are_in_the_locals() {
    let rig = two_bones();
    let rest = rig.world_rest();
    assert!(rest[1].translation.distance(DVec3::new(0.0, 0.0, 0.5)) < 1e-12);
    assert!(rest[2].translation.distance(DVec3::new(0.0, 0.0, 1.5)) < 1e-12);
    assert!(rest[1].transform_vector3(DVec3::X).distance(DVec3::new(0.0, 2.0, 0.0)) < 1e-12);
}

#[test]
fn each_vertex_follows_its_heaviest_bone_in_the_bones_bind_frame() {
    let rig = two_bones();
    assert_eq!(rig.nodes[1].bind.unwrap().translation, DVec3::new(0.0, 0.0, 0.5));
    let near = |a: &[DVec3], b: &[DVec3]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.distance(*b) < 1e-12);
    assert!(
        near(&rig.nodes[1].skin, &[DVec3::new(0.0, 0.0, -0.5), DVec3::new(0.1, 0.0, 0.0)]),
        "{:?}",
        rig.nodes[1].skin
    );
    assert!(near(&rig.nodes[2].skin, &[DVec3::ZERO, DVec3::new(0.1, 0.0, 0.5)]), "{:?}", rig.nodes[2].skin);
}

#[test]
fn a_mesh_that_hangs_from_a_bone_belongs_to_it() {
    // Without its skin, and under the second bone, whose world is turned by a quarter and scaled by two.
    let rigid = TWO_BONES.replace("C: \"OO\",20,10\n", "").replace("C: \"OO\",4,0\n", "C: \"OO\",4,3\n");
    let rig = read_fbx(rigid.as_bytes(), "rigid.fbx").unwrap();
    assert!(rig.nodes[1].skin.is_empty());
    let rest = rig.world_rest()[2];
    let bind = rig.world_bind()[2];
    let (_, rotation, position) = bind.to_scale_rotation_translation();
    let expected = |v: DVec3| {
        let in_bind_pose = (bind * rest.inverse()).transform_point3(rest.transform_point3(v));
        rotation.inverse() * (in_bind_pose - position)
    };
    for (point, vertex) in rig.nodes[2].skin.iter().zip([DVec3::ZERO, DVec3::new(0.1, 0.0, 0.5)]) {
        assert!(point.distance(expected(vertex)) < 1e-12, "{point}");
    }
    assert_eq!(rig.nodes[2].skin.len(), 4);
}

#[test]
fn stacks_are_sampled_at_the_files_rate() {
    let rig = two_bones();
    assert_eq!(rig.clips.len(), 1);
    let clip = &rig.clips[0];
    assert_eq!((clip.name.as_str(), clip.rate_hz, clip.frame_count), ("Armature|Bend", 24.0, 25));
    assert!(clip.tracks[0].is_empty() && clip.tracks[1].is_empty());
    let rotation = clip.tracks[2].rotation.as_ref().unwrap();
    assert!(clip.tracks[2].translation.is_none() && clip.tracks[2].scale.is_none());
    for (frame, degrees) in [(0, 0.0), (12, 45.0), (24, 90.0)] {
        let expected = DQuat::from_rotation_x(f64::to_radians(degrees));
        assert!(rotation[frame].dot(expected).abs() > 1.0 - 1e-12, "frame {frame}: {}", rotation[frame]);
    }
    assert_eq!(rig.notes, ["animation stack `Nothing` moves no joint and was left out"]);
}

#[test]
fn the_header_is_recognised() {
    assert!(looks_like_fbx(TWO_BONES.as_bytes()));
    assert!(looks_like_fbx(b"Kaydara FBX Binary  \0\x1a\0"));
    for other in ["", "HIERARCHY\nROOT Hips", "{\"Loop\": \"wrap\"}", "glTF\x02", "; a comment\nkey: value"] {
        assert!(!looks_like_fbx(other.as_bytes()), "{other}");
    }
}

#[test]
fn a_file_without_bones_is_one_sentence() {
    let boneless = TWO_BONES.replace("LimbNode", "Null").replace("Cluster", "Nothing");
    let error = read_fbx(boneless.as_bytes(), "boneless.fbx").unwrap_err().to_string();
    assert_eq!(error, "boneless.fbx: has no bones; export the armature (limb nodes or a skin) with the mesh");
}

#[test]
fn rubbish_is_an_error() {
    for bytes in [&b""[..], b"x", b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0", b"; FBX 7.4.0\n", &[0xff; 300]] {
        let error = read_fbx(bytes, "rubbish.fbx").unwrap_err().to_string();
        assert!(error.starts_with("rubbish.fbx: "), "{error}");
    }
}

/// Whatever a damaged file still says must keep the promises of [`RawRig`].
fn assert_sound(rig: &RawRig) {
    for (index, node) in rig.nodes.iter().enumerate() {
        assert!(node.parent.is_none_or(|p| p < index));
        assert!(
            node.local.translation.is_finite() && node.local.rotation.is_normalized() && node.local.scale.is_finite()
        );
        assert!(node.skin.len() <= SKIN_POINTS && node.skin.iter().all(|p| p.is_finite()));
    }
    for clip in &rig.clips {
        assert!(clip.frame_count >= 1 && clip.frame_count <= MAX_FRAMES && clip.rate_hz > 0.0);
        assert_eq!(clip.tracks.len(), rig.nodes.len());
        for track in &clip.tracks {
            assert!(track.rotation.as_ref().is_none_or(|r| r.len() == clip.frame_count));
        }
    }
}

#[test]
fn hours_from_a_short_file_are_cut() {
    // Ten million seconds.
    let long = TWO_BONES.replace("\"\",46186158000", "\"\",461861580000000000");
    let rig = read_fbx(long.as_bytes(), "long.fbx").unwrap();
    assert_eq!(rig.clips[0].frame_count, MAX_FRAMES);
    assert!(rig.notes.iter().any(|n| n.contains("was cut to its first 200000 frames")), "{:?}", rig.notes);
}

#[test]
fn every_truncation_is_an_error_or_sound() {
    for length in (0..TWO_BONES.len()).step_by(7) {
        if let Ok(rig) = read_fbx(&TWO_BONES.as_bytes()[..length], "cut.fbx") {
            assert_sound(&rig);
        }
    }
}

#[test]
fn mutations_are_an_error_or_sound() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let alphabet = b"0123456789-.,:;{}\"*eE \n\0\xff";
    for _ in 0..1500 {
        let mut bytes = TWO_BONES.as_bytes().to_vec();
        for _ in 0..1 + next(6) {
            let at = next(bytes.len());
            match next(4) {
                0 => bytes[at] = alphabet[next(alphabet.len())],
                1 => bytes.insert(at, alphabet[next(alphabet.len())]),
                2 => drop(bytes.drain(at..(at + 1 + next(40)).min(bytes.len()))),
                _ => {
                    let from = next(bytes.len());
                    let copied = bytes[from..(from + 1 + next(60)).min(bytes.len())].to_vec();
                    bytes.splice(at..at, copied);
                }
            }
        }
        if let Ok(rig) = read_fbx(&bytes, "mutated.fbx") {
            assert_sound(&rig);
        }
    }
}

#[test]
fn triangles_follow_the_bones_of_the_skin() {
    let rig = two_bones();
    assert!(!rig.mesh.triangles.is_empty());
    for triangle in &rig.mesh.triangles {
        for &corner in triangle {
            let (point, (node, share)) = (rig.mesh.points[corner as usize], rig.mesh.weights[corner as usize][0]);
            assert!(point.is_finite() && share > 0.0 && rig.nodes[node as usize].is_joint);
        }
    }
}
