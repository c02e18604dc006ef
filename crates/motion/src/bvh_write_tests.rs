//! What is written is read back as the same motion, whatever the axes, the unit and the bind pose.

use super::*;
use crate::{Joint, SourceFrame, Up, read_bvh};
use proptest::prelude::*;

fn joint(name: &str, parent: Option<usize>, offset: DVec3, rotation: DQuat, tips: Vec<DVec3>) -> Joint {
    Joint { name: name.into(), parent, offset, rotation, tips, skin: Vec::new(), source_node: 0 }
}

/// A root with an arm and a leg, `y` up in centimetres, all frames parallel to the source's axes.
fn small() -> (Skeleton, Clip) {
    let up = Up::Y.rotation();
    let joints = vec![
        joint("Hips", None, DVec3::new(0.0, 0.0, 1.0), up, vec![]),
        joint("Left Arm", Some(0), DVec3::new(0.1, 0.2, 0.0), DQuat::IDENTITY, vec![DVec3::new(0.3, 0.0, 0.0)]),
        joint("Leg", Some(0), DVec3::new(0.0, -0.5, 0.0), DQuat::IDENTITY, vec![]),
    ];
    let skeleton = Skeleton { joints, source: SourceFrame { up: Up::Y, metres_per_unit: 0.01 }, mesh: None };
    let clip = Clip {
        name: "c".into(),
        rate_hz: 120.0,
        root_positions: vec![DVec3::new(0.3, 0.1, 0.9)],
        rotations: vec![up, DQuat::from_rotation_z(0.5), DQuat::IDENTITY],
    };
    (skeleton, clip)
}

#[test]
fn a_small_file_as_text() {
    let (skeleton, clip) = small();
    let expected = "HIERARCHY
ROOT Hips
{
	OFFSET 0 0 0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
	JOINT Left_Arm
	{
		OFFSET 10 20 0
		CHANNELS 3 Zrotation Yrotation Xrotation
		End Site
		{
			OFFSET 30 0 0
		}
	}
	JOINT Leg
	{
		OFFSET 0 -50 0
		CHANNELS 3 Zrotation Yrotation Xrotation
		End Site
		{
			OFFSET 0 0 0
		}
	}
}
MOTION
Frames: 1
Frame Time: 0.008333333333333333
10 90 30 0 0 0 28.6478898 0 0 0 0 0
";
    assert_eq!(write_bvh(&skeleton, &clip), expected);
}

#[test]
fn angles_do_not_jump_between_frames() {
    let (skeleton, mut clip) = small();
    let frames = 400;
    clip.root_positions = vec![DVec3::ZERO; frames];
    // A somersault that passes through the middle angle's 90 degrees, with a lean.
    let turn = |i: usize| DQuat::from_rotation_y(i as f64 * 0.03) * DQuat::from_rotation_x(0.2);
    clip.rotations = (0..frames).flat_map(|i| [Up::Y.rotation() * turn(i), turn(i), DQuat::IDENTITY]).collect();
    let text = write_bvh(&skeleton, &clip);
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip_while(|l| !l.starts_with("Frame Time"))
        .skip(1)
        .map(|l| l.split(' ').map(|v| v.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows.len(), frames);
    for pair in rows.windows(2) {
        for (a, b) in pair[0].iter().zip(&pair[1]) {
            assert!((a - b).abs() < 45.0, "{a} then {b}");
        }
    }
}

#[test]
fn straight_up_is_no_singularity() {
    for degrees in [90.0, -90.0, 89.999_999, 90.000_01] {
        for (first, last) in [(20.0f64, 0.0f64), (0.0, 70.0), (-50.0, 130.0)] {
            let q = DQuat::from_rotation_z(first.to_radians())
                * DQuat::from_rotation_y(f64::to_radians(degrees))
                * DQuat::from_rotation_x(last.to_radians());
            for before in [DVec3::ZERO, DVec3::new(10.0, 80.0, 400.0)] {
                let a = euler_zyx_near(q, before);
                let again = DQuat::from_rotation_z(a.x.to_radians())
                    * DQuat::from_rotation_y(a.y.to_radians())
                    * DQuat::from_rotation_x(a.z.to_radians());
                assert!((q.inverse() * again).xyz().length() < 1e-6, "{degrees} {first} {last}: {a}");
                // Where only the sum of the outer angles counts, the last one stays as it was.
                assert!(degrees.abs() != 90.0 || (a.z - before.z).abs() < 1e-9, "{degrees} {first} {last}: {a}");
            }
        }
    }
}

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    [-size..size, -size..size, -size..size].prop_map(DVec3::from_array)
}

fn rotation() -> impl Strategy<Value = DQuat> {
    [-1.0..1.0f64, -1.0..1.0, -1.0..1.0, -1.0..1.0].prop_filter_map("too short", |q| {
        Some(DQuat::from_array(q)).filter(|q| q.length() > 0.1).map(|q| q.normalize())
    })
}

fn skeleton() -> impl Strategy<Value = Skeleton> {
    let source = (
        prop_oneof![Just(Up::X), Just(Up::Y), Just(Up::Z)],
        prop_oneof![Just(1.0), Just(0.01), Just(0.0254 / 0.45), Just(3.0)],
    );
    let joints = proptest::collection::vec((0usize..12, vector(0.5), rotation(), vector(0.3), any::<bool>()), 1..=12);
    (source, joints, any::<bool>()).prop_map(|((up, metres_per_unit), random, parallel)| {
        let joints = random.into_iter().enumerate().map(|(index, (parent, offset, rotation, tip, has_tip))| {
            let straight = if index == 0 { up.rotation() } else { DQuat::IDENTITY };
            let parent = (index > 0).then(|| parent % index.max(1));
            joint(
                &format!("joint {index}"),
                parent,
                offset,
                if parallel { straight } else { rotation },
                if has_tip { vec![tip] } else { vec![] },
            )
        });
        Skeleton { joints: joints.collect(), source: SourceFrame { up, metres_per_unit }, mesh: None }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_written_is_read_back(
        skeleton in skeleton(),
        frames in proptest::collection::vec((vector(5.0), proptest::collection::vec(rotation(), 12)), 1..5),
        rate in prop_oneof![Just(24.0), Just(30.0), Just(120.0), Just(29.97), 1.0..500.0],
    ) {
        let count = skeleton.joints.len();
        let clip = Clip {
            name: "random".into(),
            rate_hz: rate,
            root_positions: frames.iter().map(|f| f.0).collect(),
            rotations: frames.iter().flat_map(|f| f.1[..count].iter().copied()).collect(),
        };
        let rig = read_bvh(write_bvh(&skeleton, &clip).as_bytes(), "random.bvh").unwrap();
        prop_assert_eq!(rig.notes.len(), 0);
        prop_assert!((rig.clips[0].rate_hz / rate - 1.0).abs() <= 1e-3);
        let bind = skeleton.bind_pose();
        for frame in 0..clip.frame_count() {
            let placed = clip.place(&skeleton, frame);
            let read = rig.world_at(&rig.clips[0], frame);
            for (node, world) in rig.nodes.iter().zip(&read) {
                let index: usize = node.name.trim_start_matches("joint_").parse().unwrap();
                let original = &skeleton.joints[index];
                prop_assert!(skeleton.source.position(world.translation).distance(placed[index].position) < 1e-6);
                // Tips follow, and each joint turns from the bind pose as it did.
                prop_assert_eq!(node.tips.len(), original.tips.len());
                for (&tip, &expected) in node.tips.iter().zip(&original.tips) {
                    let tip = skeleton.source.position(world.transform_point3(tip));
                    prop_assert!(tip.distance(placed[index].place(expected)) < 1e-6);
                }
                let (s, (_, g, _)) = (skeleton.source.up.rotation(), world.to_scale_rotation_translation());
                let again = s * g * s.inverse() * bind[index].orientation;
                prop_assert!(2.0 * (again.inverse() * placed[index].orientation).xyz().length() < 1e-5);
            }
        }
    }
}
