//! Tiny motions for each thing that a DeepMimic file may say.

use super::*;

/// A frame that stands at `(x, 0.9, 0)`, its right knee and left elbow bent.
fn frame(duration: f64, x: f64, chest_yaw: f64, knee: f64, elbow: f64) -> Vec<f64> {
    let unit = [1.0, 0.0, 0.0, 0.0];
    let chest = [(chest_yaw / 2.0).cos(), 0.0, (chest_yaw / 2.0).sin(), 0.0];
    let mut f = vec![duration, x, 0.9, 0.0];
    for part in [&unit[..], &chest, &unit, &unit, &[knee], &unit, &unit, &[0.0], &unit, &[0.0], &unit, &unit, &[elbow]]
    {
        f.extend(part);
    }
    f
}

fn text(repeat: &str, frames: &[Vec<f64>]) -> String {
    format!("{{\n\"Loop\": \"{repeat}\",\n\"Frames\":\n{}}}", serde_json::to_string(frames).unwrap())
}

fn read(repeat: &str, frames: &[Vec<f64>]) -> RawRig {
    read_deepmimic(text(repeat, frames).as_bytes(), "a/humanoid3d_walk.txt").unwrap()
}

fn error(content: &str) -> String {
    let message = read_deepmimic(content.as_bytes(), "m.txt").unwrap_err().to_string();
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

#[test]
fn the_humanoid_stands_as_in_the_paper() {
    let half = std::f64::consts::FRAC_PI_2;
    let rig = read("wrap", &[frame(0.033332, 0.5, 0.0, -half, half), frame(0.0, 0.6, half, 0.0, 0.0)]);
    assert_eq!((rig.up, rig.metres_per_unit, rig.nodes.len()), (Some(Up::Y), Some(1.0), 15));
    assert!(rig.repeats && rig.notes[0].contains("Loop: wrap"));
    let clip = &rig.clips[0];
    assert_eq!((clip.name.as_str(), clip.rate_hz, clip.frame_count), ("humanoid3d_walk", 30.0, 2));
    let place = |frame: usize, name: &str| {
        let index = rig.nodes.iter().position(|node| node.name == name).unwrap();
        rig.world_at(clip, frame)[index].translation
    };
    let near = |a: DVec3, b: [f64; 3]| assert!(a.distance(b.into()) < 1e-6, "{a} {b:?}");
    // The shin goes back, the forearm to the front (+x).
    near(place(0, "right_ankle"), [0.5 - 0.40987, 0.9 - 0.421546, 0.084887]);
    near(place(0, "left_ankle"), [0.5, 0.9 - 0.831416, -0.084887]);
    near(place(0, "left_wrist"), [0.5 - 0.02405 + 0.258947, 0.9 + 0.236151 + 0.2435 - 0.274788, -0.18311]);
    // A quarter turn of the chest to the left brings the right shoulder (+z) to the front.
    near(place(1, "right_shoulder"), [0.6 + 0.18311, 0.9 + 0.236151 + 0.2435, 0.02405]);
    // Hands, feet and head have an end; the wrists do not move.
    for (node, track) in rig.nodes.iter().zip(&clip.tracks) {
        let is_end = ["neck", "right_ankle", "left_ankle", "right_wrist", "left_wrist"].contains(&node.name.as_str());
        assert_eq!(!node.tips.is_empty(), is_end, "{}", node.name);
        assert_eq!(track.rotation.is_none(), node.name.ends_with("wrist"));
        assert_eq!(track.translation.is_some(), node.name == "root");
    }
}

#[test]
fn frames_of_different_length_are_resampled() {
    let rig = read(
        "none",
        &[frame(0.1, 0.0, 0.0, 0.0, 0.0), frame(0.3, 1.0, 0.0, 0.0, 0.0), frame(0.0, 4.0, 0.9, -0.6, 0.0)],
    );
    assert!(!rig.repeats && rig.notes.is_empty());
    let clip = &rig.clips[0];
    assert_eq!((clip.rate_hz, clip.frame_count), (10.0, 5));
    for (frame, root) in clip.tracks[0].translation.as_ref().unwrap().iter().enumerate() {
        assert!((root.x - frame as f64).abs() < 1e-9, "{frame}: {root}");
    }
    let angle = |joint: usize, frame: usize| 2.0 * clip.tracks[joint].rotation.as_ref().unwrap()[frame].w.acos();
    assert!((angle(1, 3) - 0.6).abs() < 1e-6 && (angle(1, 4) - 0.9).abs() < 1e-6);
    assert!((angle(4, 2) - 0.2).abs() < 1e-6);
}

#[test]
fn one_frame_is_a_clip() {
    let clip = &read("none", &[frame(0.0, 0.0, 0.0, 0.0, 0.0)]).clips[0];
    assert_eq!((clip.rate_hz, clip.frame_count), (30.0, 1));
    assert_eq!(read("none", &[frame(0.01, 0.0, 0.0, 0.0, 0.0)]).clips[0].rate_hz, 100.0);
}

#[test]
fn quaternions_are_made_unit_and_kept_in_one_hemisphere() {
    let mut second = frame(0.02, 0.0, 0.3, 0.0, 0.0);
    second[4..8].copy_from_slice(&[-1.001, 0.0, 0.0, 0.0]);
    let rig = read("none", &[frame(0.02, 0.0, 0.3, 0.0, 0.0), second]);
    assert_eq!(rig.clips[0].tracks[0].rotation.as_ref().unwrap()[1], DQuat::IDENTITY);
}

#[test]
fn errors_are_one_sentence() {
    let good = frame(0.1, 0.0, 0.0, 0.0, 0.0);
    let with = |index: usize, value: f64| {
        let mut bad = good.clone();
        bad[index] = value;
        text("none", &[good.clone(), bad, good.clone()])
    };
    assert!(error("{\"Skeleton\": {\"Joints\": []}}").contains("is a DeepMimic character, not a motion"));
    assert!(error("{}").contains("has no \"Frames\""));
    assert!(error("{\"Frames\": []}").contains("is empty"));
    assert!(error("{\n\"Frames\": [[1, \"a\"]]}").starts_with("m.txt:2: is no DeepMimic motion"));
    assert!(error("{\n\"Frames\": [[1, 2").starts_with("m.txt:2: "));
    assert!(error("{\"Frames\": [[1e999]]}").contains("is no DeepMimic motion"));
    assert!(error(&text("none", &[good.clone(), good[..43].to_vec()])).contains("frame 2 has 43 numbers"));
    assert!(error(&with(0, -0.1)).contains("frame 2 lasts -0.1 s"));
    assert!(error(&with(4, 0.0)).contains("frame 2 has the quaternion (0, 0, 0, 0) for 'root'"));
    assert!(error(&with(2, 1e300)).contains("frame 2 has its root at"));
    assert!(error(&with(0, 1e-5)).contains("too many frames"));
    let zeros = [frame(0.0, 0.0, 0.0, 0.0, 0.0), frame(0.0, 0.0, 0.0, 0.0, 0.0)];
    assert!(error(&text("none", &zeros)).contains("no frame lasts"));
    assert!(error(&format!("{{\"Frames\": [[\"{}\"]]}}", "1, ".repeat(10_000))).len() < 400);
    assert!(error("").starts_with("m.txt:1: "));
    assert!(error(&"[".repeat(100_000)).contains("is no DeepMimic motion"));
}

#[test]
fn sniffing() {
    let motion = text("wrap", &[frame(0.1, 0.0, 0.0, 0.0, 0.0)]);
    for yes in [motion.as_str(), "\u{feff} {\"Frames\": []}", "{\"Skeleton\":\n{\n\"Joints\": []"] {
        assert!(looks_like_deepmimic(yes.as_bytes()), "{yes}");
    }
    for no in
        ["", "HIERARCHY", "[\"Frames\"]", "{\"asset\": {\"version\": \"2.0\"}, \"extras\": {\"Frames\": 1}}", "{}"]
    {
        assert!(!looks_like_deepmimic(no.as_bytes()), "{no}");
    }
}

#[test]
fn damaged_files_give_a_rig_or_one_sentence() {
    let mut random = crate::bvh::Random(11);
    let source = text(
        "wrap",
        &[frame(0.1, 0.0, 0.2, -0.1, 0.3), frame(0.2, 0.0, 0.0, 0.0, 0.0), frame(0.0, 0.0, 0.0, 0.0, 0.0)],
    );
    for _ in 0..5_000 {
        let mut bytes = source.clone().into_bytes();
        for _ in 0..1 + random.below(3) {
            random.damage(&mut bytes);
        }
        if let Ok(rig) = read_deepmimic(&bytes, "f.txt") {
            let clip = &rig.clips[0];
            assert!(clip.rate_hz > 0.0 && clip.rate_hz.is_finite());
            for frame in 0..clip.frame_count {
                assert!(rig.world_at(clip, frame).iter().all(|place| place.is_finite()));
            }
        }
    }
}
