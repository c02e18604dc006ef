//! Tiny files for everything that real BVH files do to their readers.

use super::{looks_like_bvh, read_bvh};
use crate::raw::RawRig;
use glam::DVec3;

/// A root and an arm, two frames of six and three channels.
const ARM: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Arm
  {
    OFFSET 0 10 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 5 0 0
    }
  }
}
MOTION
Frames: 2
Frame Time: .0083333
1 2 3 0 0 0 0 0 0
1 2 4 90 0 0 90 0 0
";

fn read(text: &str) -> RawRig {
    read_bvh(text.as_bytes(), "folder/arm.bvh").unwrap_or_else(|error| panic!("{error}"))
}

fn error(text: &str) -> String {
    read_bvh(text.as_bytes(), "arm.bvh").expect_err("should not be read").to_string()
}

/// Where joint `joint` is in frame `frame` of the only clip.
fn place(rig: &RawRig, frame: usize, joint: usize) -> DVec3 {
    rig.world_at(&rig.clips[0], frame)[joint].translation
}

#[track_caller]
fn near(a: DVec3, b: [f64; 3]) {
    assert!(a.distance(b.into()) < 1e-12, "{a} instead of {b:?}");
}

#[test]
fn a_plain_file() {
    let rig = read(ARM);
    assert_eq!(rig.notes, [""; 0]);
    assert_eq!((rig.up, rig.metres_per_unit), (None, None));
    let [hips, arm] = &rig.nodes[..] else { panic!("{} nodes", rig.nodes.len()) };
    assert_eq!((hips.name.as_str(), hips.parent, hips.source_node), ("Hips", None, 0));
    assert_eq!((arm.name.as_str(), arm.parent, arm.source_node), ("Arm", Some(0), 1));
    assert!(hips.is_joint && arm.is_joint && arm.bind.is_none());
    assert_eq!((arm.local.translation, &arm.tips[..]), (DVec3::new(0.0, 10.0, 0.0), &[DVec3::new(5.0, 0.0, 0.0)][..]));
    let clip = &rig.clips[0];
    assert_eq!((clip.name.as_str(), clip.rate_hz, clip.frame_count), ("arm", 120.0, 2));
    assert!(clip.tracks[0].translation.is_some() && clip.tracks[1].translation.is_none());
    near(place(&rig, 0, 1), [1.0, 12.0, 3.0]);
    near(place(&rig, 1, 1), [-9.0, 2.0, 4.0]);
    let tip = rig.world_at(clip, 1)[1].transform_point3(arm.tips[0]);
    near(tip, [-14.0, 2.0, 4.0]);
}

#[test]
fn line_ends_blanks_case_and_byte_order_mark_change_nothing() {
    let plain = read(ARM);
    let mixed: String =
        ARM.lines().enumerate().map(|(i, l)| format!("{l}{}", ["\r\n", "\n", " \t\r\n"][i % 3])).collect();
    for text in [
        mixed,
        ARM.replace('\n', "\r"),
        ARM.replace("  ", "\t"),
        ARM.to_lowercase(),
        ARM.to_uppercase(),
        format!("\u{feff}\n\n{ARM}\n \n\n"),
        ARM.replace("Hips\n{", "Hips {").replace("Arm\n  {", "Arm{").replace("Site\n    {\n", "Site {"),
        ARM.replace("Frames: 2", "Frames:2").replace("Time: ", "Time:\t"),
        ARM.replace("1 2 3", "1e0 +2.0 .3E+1"),
        format!("{ARM}\0\u{1a}"),
        ARM.trim_end().into(),
    ] {
        let rig = read(&text);
        assert_eq!(rig.notes, [""; 0], "{text}");
        assert_eq!(rig.clips[0].rate_hz, 120.0);
        for frame in 0..2 {
            assert_eq!(plain.world_at(&plain.clips[0], frame), rig.world_at(&rig.clips[0], frame), "{text}");
        }
    }
}

#[test]
fn rotations_apply_in_the_order_of_their_channels() {
    // Turning about y and then about the turned x sends z to x and then leaves it; the other order sends it to −y.
    for (order, expected) in [("Yrotation Xrotation", [0.0, -1.0, 0.0]), ("Xrotation Yrotation", [1.0, 0.0, 0.0])] {
        let text = format!(
            "HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\nCHANNELS 2 {order}\nJOINT b\n{{\nOFFSET 0 0 1\n}}\n}}\nMOTION\nFrames: 1\nFrame Time: 1\n90 90\n"
        );
        near(place(&read(&text), 0, 1), expected);
    }
}

#[test]
fn positions_stand_anywhere_among_the_channels_and_may_miss_axes() {
    let text = "HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\nCHANNELS 3 Zrotation Yposition Xrotation\nJOINT b\n{\nOFFSET 0 0 7\nCHANNELS 2 Zposition Xposition\n}\n}\n\
                MOTION\nFrames: 1\nFrame Time: 0.5\n90 20 0 8 1\n";
    let rig = read(text);
    near(place(&rig, 0, 0), [1.0, 20.0, 3.0]);
    near(place(&rig, 0, 1), [1.0, 21.0, 11.0]);
    assert!(rig.clips[0].tracks[1].rotation.is_none());
    assert_eq!(rig.clips[0].rate_hz, 2.0);
}

#[test]
fn a_root_position_near_zero_adds_to_a_far_offset() {
    let moved = |offset: &str, row: &str| {
        let text = ARM.replacen("OFFSET 0 0 0", offset, 1).replace("1 2 3", row).replace("1 2 4", row);
        let rig = read(&text);
        (place(&rig, 0, 0), rig.notes)
    };
    // In place, at its OFFSET.
    let (at, notes) = moved("OFFSET 0 1.2 9.5", "0 0 0");
    near(at, [0.0, 1.2, 9.5]);
    assert!(notes.len() == 1 && notes[0].contains("'Hips'"), "{notes:?}");
    // Walking away from it.
    near(moved("OFFSET 0 0 9.5", "-40 3 0.2").0, [-40.0, 3.0, 9.7]);
    // Absolute: the height is about that of the OFFSET, or the OFFSET is near zero itself.
    let (at, notes) = moved("OFFSET 11 9.5 -54", "0 9.7 -163");
    near(at, [0.0, 9.7, -163.0]);
    assert_eq!(notes, [""; 0]);
    near(moved("OFFSET 0 0.6 0.6", "0 0.6 0").0, [0.0, 0.6, 0.0]);
}

#[test]
fn positions_below_the_root_are_compared_to_their_offsets() {
    let text = ARM.replace("CHANNELS 3", "CHANNELS 6 Xposition Yposition Zposition");
    let rows = |row: &str| {
        text.replace("0 0 0 0 0 0\n", &format!("0 0 0 {row} 0 0 0\n")).replace("90 0 0 90", &format!("90 0 0 {row} 90"))
    };
    let absolute = read(&rows("0 10 1"));
    near(place(&absolute, 0, 1), [1.0, 12.0, 4.0]);
    assert_eq!(absolute.notes, [""; 0]);
    let added = read(&rows("0 0 1"));
    near(place(&added, 0, 1), [1.0, 12.0, 4.0]);
    assert!(added.notes.len() == 1 && added.notes[0].contains("(joints: 1)"), "{:?}", added.notes);
}

#[test]
fn names_keep_dots_blanks_and_colons() {
    let rig = read(&ARM.replace("Hips", "mixamorig:Left Hip.001 ").replace("JOINT Arm", "JOINT"));
    assert_eq!([rig.nodes[0].name.as_str(), &rig.nodes[1].name], ["mixamorig:Left Hip.001", "joint 1"]);
}

#[test]
fn tips_without_length_are_left_out() {
    assert!(read(&ARM.replace("OFFSET 5 0 0", "OFFSET 0 -0.0 0")).nodes[1].tips.is_empty());
}

#[test]
fn several_roots() {
    let hierarchy = ARM.split("MOTION").next().unwrap();
    let second = hierarchy.replace("HIERARCHY", "").replace("Hips", "Other");
    let rig =
        read(&format!("{hierarchy}{second}MOTION\nFrames: 1\nFrame Time: 0.04\n1 0 0 0 0 0 0 0 0 2 0 0 0 0 0 0 0 0\n"));
    let parents: Vec<_> = rig.nodes.iter().map(|node| node.parent).collect();
    assert_eq!(parents, [None, Some(0), None, Some(2)]);
    near(place(&rig, 0, 3), [2.0, 10.0, 0.0]);
    assert_eq!(rig.clips[0].rate_hz, 25.0);
}

#[test]
fn scale_channels_are_read_over() {
    let text = ARM
        .replace("CHANNELS 3 ", "CHANNELS 4 Xscale ")
        .replace("3 0 0 0 0 0 0\n", "3 0 0 0 1 0 0 0\n")
        .replace("90 0 0\n", "1 90 0 0\n");
    let rig = read(&text);
    near(place(&rig, 1, 1), [-9.0, 2.0, 4.0]);
    assert!(rig.notes[0].contains("scale"));
}

#[test]
fn a_wrong_number_of_frames_is_noted() {
    for declared in ["1", "3", "1000000000", "0"] {
        let rig = read(&ARM.replace("Frames: 2", &format!("Frames: {declared}")));
        assert_eq!(rig.clips[0].frame_count, 2);
        assert!(rig.notes[0].contains(&format!("says {declared} frames but holds 2")), "{:?}", rig.notes);
    }
    let single = read(&ARM.replace("Frames: 2", "Frames: 1").replace("1 2 4 90 0 0 90 0 0\n", ""));
    assert_eq!((single.clips[0].frame_count, single.notes.len()), (1, 0));
}

#[test]
fn a_file_that_is_cut_off_keeps_its_whole_frames() {
    for cut in [" 90 0 0\n", " 0\n", " 90 0 0", "0 0\n"] {
        let rig = read(ARM.strip_suffix(cut).unwrap_or(&ARM[..ARM.len() - cut.len()]));
        assert_eq!(rig.clips[0].frame_count, 1);
        assert!(rig.notes[0].contains("frame 2 is cut off"), "{:?}", rig.notes);
    }
    let rig = read(&ARM.replace("90 0 0 90 0 0\n", "90 0 0 -"));
    assert_eq!(rig.clips[0].frame_count, 1);
}

#[test]
fn without_motion_or_channels_there_is_no_clip() {
    let rig = read(ARM.split("MOTION").next().unwrap());
    assert!(rig.clips.is_empty() && rig.nodes.len() == 2 && rig.notes[0].contains("no MOTION"));
    let rig = read("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 1000000000\nFrame Time: 1\n");
    assert!(rig.clips.is_empty() && rig.notes[0].contains("no joint has CHANNELS"));
}

#[test]
fn rates_are_whole_where_the_frame_time_is_rounded() {
    for (secs, rate) in [
        (".0083333", 120.0),
        ("0.00833", 120.0),
        ("0.041667", 24.0),
        ("0.0333333015", 30.0),
        ("0.016666", 60.0),
        ("2", 0.5),
        ("0.0333666667", 29.97002997),
        ("0.0417083333", 23.976024),
        ("0.0305", 32.78688525),
    ] {
        let rig = read(&ARM.replace(".0083333", secs));
        assert!((rig.clips[0].rate_hz - rate).abs() < 1e-5 * rate, "{secs}: {}", rig.clips[0].rate_hz);
    }
}

#[test]
fn neighbouring_frames_lie_in_one_hemisphere() {
    let rows: String = (0..200).map(|i| format!("0 0 0 {} 0 0 0 0 {}\n", (i * 7) % 360 - 180, i * 50)).collect();
    let text =
        format!("{}1 2 3 0 0 0 0 0 0\n{rows}", ARM.split("1 2 3").next().unwrap()).replace("Frames: 2", "Frames: 201");
    let rig = read(&text);
    for track in &rig.clips[0].tracks {
        let rotations = track.rotation.as_ref().unwrap();
        // The first row stands apart; from then on, steps are of 7 and 50 degrees.
        for pair in rotations[1..].windows(2) {
            assert!(pair[0].dot(pair[1]) > 0.9, "{pair:?}");
        }
        assert!(rotations.iter().all(|q| (q.length() - 1.0).abs() < 1e-14));
    }
}

#[test]
fn errors_name_file_and_line() {
    let cases: [(String, &str); 22] = [
        ("".into(), "arm.bvh:1: a BVH file starts with the word HIERARCHY"),
        (ARM.replace("HIERARCHY", "HIER"), "arm.bvh:1: "),
        (ARM.replace("OFFSET 0 10 0", "OFFSET 0 ten 0"), "arm.bvh:8: 'ten' should be a coordinate"),
        (ARM.replace("OFFSET 0 10 0", "OFFSET 0 10"), "arm.bvh:9: 'CHANNELS' should be a coordinate"),
        (ARM.replace("CHANNELS 3", "CHANNELS 4"), "arm.bvh:10: joint 'Arm' should have 4 CHANNELS, but 'End' is none"),
        (ARM.replace("CHANNELS 3", "CHANNELS 2"), "arm.bvh:9: 'Xrotation' is out of place in joint 'Arm'"),
        (ARM.replace("CHANNELS 3", "CHANNELS 2.5"), "arm.bvh:9: joint 'Arm' should have a whole number of CHANNELS"),
        (ARM.replace(".0083333", "1e9"), "arm.bvh:18: 'Frame Time: 1000000000' should lie"),
        (ARM.replace("Hips\n{", "Hips\n"), "after 'Hips' a '{' should stand"),
        (ARM.replace("}\nMOTION", "MOTION"), "arm.bvh:15: 'MOTION' is out of place in joint 'Hips'"),
        (ARM.replace("}\nMOTION", "}\n}\nMOTION"), "arm.bvh:16: '}' is out of place; here ROOT or MOTION"),
        (ARM.split("End").next().unwrap().into(), "the file ends inside joint 'Hips'"),
        (ARM.replace("OFFSET 5", "JOINT 5"), "arm.bvh:12: 'JOINT' is out of place in an End Site"),
        ("HIERARCHY\nMOTION\nFrames: 1\n".into(), "arm.bvh:2: the HIERARCHY has no ROOT"),
        (ARM.replace("Frames: 2", "Frames: 2.5"), "arm.bvh:17: 'Frames: 2.5'"),
        (ARM.replace("Frames: 2\n", ""), "arm.bvh:16: after MOTION a line 'Frames: <number>'"),
        (ARM.replace(".0083333", "0"), "arm.bvh:18: 'Frame Time: 0' should lie between"),
        (ARM.replace(".0083333", "-1"), "arm.bvh:18: 'Frame Time: -1' should lie between"),
        (ARM.replace("1 2 4", "1 nan 4"), "arm.bvh:20: 'nan' should be a channel value"),
        (ARM.replace("1 2 4", "1 1e400 4"), "arm.bvh:20: '1e400' should be a channel value"),
        (ARM.replace("1 2 3", "1 2"), "arm.bvh:19: the line has 8 values, but the hierarchy has 9 channels"),
        (ARM.replace("1 2 3", "1 2 3 4"), "arm.bvh:19: the line has more values than the 9 channels"),
    ];
    for (text, start) in cases {
        for text in [text.clone(), text.replace('\n', "\r\n")] {
            let message = error(&text);
            assert!(message.contains(start), "{message}\ninstead of\n{start}");
            assert_eq!(message.lines().count(), 1, "{message}");
        }
    }
    let empty = ARM.split("1 2 3").next().unwrap();
    assert!(error(empty).contains("MOTION holds no complete frame"));
    assert!(error(&format!("{empty}1 2 3")).contains("MOTION holds no complete frame"));
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(ARM.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert!(read_bvh(&utf16, "arm.bvh").unwrap_err().to_string().contains("UTF-16"));
}

#[test]
fn errors_stay_short_whatever_they_quote() {
    let long = "x".repeat(50_000);
    for text in [
        ARM.replace("Arm", &long).replace("CHANNELS 3", "CHANNELS 4"),
        ARM.replace("Arm\n  {", &long),
        ARM.replace("Arm", &long).replace("OFFSET 5 0 0\n    }", ""),
        ARM.replace("OFFSET 5", &long),
        ARM.replace("1 2 4", &long),
    ] {
        assert!(error(&text).len() < 400, "{}", error(&text));
    }
}

#[test]
fn joints_without_offset_sit_at_their_parent() {
    let rig = read(&ARM.replace("OFFSET 0 10 0", ""));
    near(place(&rig, 0, 1), [1.0, 2.0, 3.0]);
    assert!(rig.notes[0].contains("'Arm'") && rig.notes[0].contains("no OFFSET"), "{:?}", rig.notes);
}

#[test]
fn deep_trees_are_refused_without_recursion() {
    let nested = |depth: usize| {
        let joints = "JOINT j\n{\nOFFSET 0 1 0\n".repeat(depth - 1);
        format!("HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\n{joints}{}", "}\n".repeat(depth)).replacen(
            "}",
            "End Site\n{\nOFFSET 0 1 0\n}\n}",
            1,
        )
    };
    assert_eq!(read(&nested(512)).nodes.len(), 512);
    assert!(error(&nested(513)).contains("more than 512 joints"));
    assert!(error(&nested(100_000)).contains("more than 512 joints"));
}

#[test]
fn sniffing() {
    for yes in [ARM, "  \r\n hierarchy\n", "\u{feff}HIERARCHY\r\nROOT"] {
        assert!(looks_like_bvh(yes.as_bytes()), "{yes}");
    }
    for no in ["", "HIERARCHYX", "{\"Frames\": []}", "glTF", "; FBX 7.4 HIERARCHY"] {
        assert!(!looks_like_bvh(no.as_bytes()), "{no}");
    }
}

#[test]
fn damaged_files_give_a_rig_or_one_sentence() {
    let mut random = super::Random(7);
    let source = format!(
        "\u{feff}{}",
        ARM.replace("CHANNELS 3", "CHANNELS 6 Xposition Yposition Zposition")
            .replace(" 0 0 0\n", " 1e-1 -.5 0 0 0 0\n")
    );
    for _ in 0..20_000 {
        let mut bytes = source.clone().into_bytes();
        for _ in 0..1 + random.below(4) {
            random.damage(&mut bytes);
        }
        match read_bvh(&bytes, "f.bvh") {
            Ok(rig) => {
                for clip in &rig.clips {
                    assert!(clip.rate_hz > 0.0 && clip.rate_hz.is_finite() && clip.frame_count > 0);
                    for frame in 0..clip.frame_count {
                        assert!(rig.world_at(clip, frame).iter().all(|place| place.is_finite()));
                    }
                }
            }
            Err(error) => assert_eq!(error.to_string().trim().lines().count(), 1),
        }
    }
}
