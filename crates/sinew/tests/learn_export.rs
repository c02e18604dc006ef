//! A policy on its way to another simulator: the files hold what they say, in their order.

use serde_json::Value;
use sinew::learn::tracker::{DECIDED, ExportRequest, Exported, INTERFACE, MOTION, export};
use sinew::playing::walk_ahead;
use sinew::work::RunOptions;
use std::path::Path;

const SECONDS: f64 = 1.5;

fn request(policy: &Path, motion: Option<&Path>, out: &Path) -> ExportRequest {
    ExportRequest { policy: policy.into(), motion: motion.map(Into::into), seconds: SECONDS, seed: 1, out: out.into() }
}

fn exported(policy: &Path, motion: Option<&Path>, out: &Path) -> Exported {
    export(&request(policy, motion, out), &RunOptions::default()).expect("exported").expect("not stopped")
}

/// An array of f32 in an NPZ file, whose members are stored as they are: its rows.
fn rows(file: &Path, name: &str) -> Vec<Vec<f32>> {
    let bytes = std::fs::read(file).expect("a file");
    let name = format!("{name}.npy");
    let find =
        |from: usize, what: &[u8]| from + bytes[from..].windows(what.len()).position(|w| w == what).expect("there");
    let header = find(find(0, name.as_bytes()), b"\x93NUMPY");
    let data = header + 10 + usize::from(u16::from_le_bytes([bytes[header + 8], bytes[header + 9]]));
    let text = std::str::from_utf8(&bytes[header + 10..data]).expect("text");
    assert!(text.contains("'<f4'"), "{text}");
    let shape = text.split(['(', ')']).nth(1).expect("a shape");
    let shape: Vec<usize> = shape.split(',').map(|n| n.trim().parse().expect("a length")).collect();
    let row = |index: usize| -> Vec<f32> {
        let at = data + 4 * index * shape[1];
        bytes[at..at + 4 * shape[1]].chunks_exact(4).map(|x| f32::from_le_bytes([x[0], x[1], x[2], x[3]])).collect()
    };
    (0..shape[0]).map(row).collect()
}

fn close(found: &[f32], wanted: &[f32], most: f32, what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() <= most), "{what}: {found:?}, {wanted:?}");
}

/// The numbers of a part of an observation, where the interface says that they are.
fn part<'a>(interface: &Value, row: &'a [f32], name: &str, ahead: Option<u64>) -> &'a [f32] {
    let mut at = 0;
    for part in interface["observation"].as_array().expect("parts") {
        let size = part["size"].as_u64().expect("a size") as usize;
        if part["name"] == name && part["frames_ahead"].as_u64() == ahead {
            return &row[at..at + size];
        }
        at += size;
    }
    panic!("no part {name}");
}

#[test]
fn a_package_is_exported_with_a_walk_that_it_follows() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("exported");
    let made = exported(Path::new("quadruped"), None, &out);
    assert_eq!((made.run.fell_at_secs, made.run.seconds), (None, SECONDS), "{made:?}");
    assert!(made.run.mean_body_error_m > 0.0 && made.run.mean_body_error_m < 0.15, "{made:?}");
    assert!(made.headline().contains("keeps its feet for all 1.5 s"), "{}", made.headline());
    let json: Value = serde_json::from_str(&made.to_json().expect("JSON")).expect("JSON");
    assert!(json["fell_at_secs"].is_null() && json["observation"].as_u64().expect("a number") > 50);

    let package = sinew::play::open(Path::new("quadruped")).expect("a package");
    let policy = package.policy.as_ref().expect("a policy");
    assert_eq!(std::fs::read(out.join("policy.onnx")).expect("a network"), policy.to_onnx());
    let interface: Value =
        serde_json::from_str(&std::fs::read_to_string(out.join(INTERFACE)).expect("text")).expect("JSON");
    let frames = interface["frames"].as_u64().expect("frames") as usize;
    assert_eq!((frames, interface["first_frame"].as_u64(), interface["format"].as_u64()), (45, Some(1), Some(1)));
    let mjcf = std::fs::read_to_string(out.join("character.mjcf")).expect("text");
    let dt = interface["dt"].as_f64().expect("a time");
    assert!((dt * 600.0 - 1.0).abs() < 1e-12 && mjcf.contains(&format!("timestep=\"{dt}\"")));
    for joint in interface["joints"].as_array().expect("joints") {
        assert!(mjcf.contains(&format!("joint name={}", joint["name"])), "{joint}");
    }

    // The motion is the walk, with as many frames as the last decision looks ahead to.
    let [positions, velocities] = ["qpos", "qvel"].map(|name| rows(&out.join(MOTION), name));
    let walk = walk_ahead(&package.part().expect("a part"), 1, positions.len());
    assert_eq!((positions.len(), velocities.len()), (1 + frames + policy.frames_ahead(), positions.len()));
    for (found, wanted) in positions.iter().zip(&walk) {
        assert_eq!(*found, wanted.iter().map(|x| *x as f32).collect::<Vec<_>>());
    }
    let speed = (positions[21][0] - positions[19][0]) * 15.0;
    close(&velocities[20][..1], &[speed], 1e-4, "velocity");
    assert!(positions[frames][0] > 0.8, "it walks: {}", positions[frames][0]);

    // The character begins on it; what it sees and does can be computed again from these files.
    let decided = |name: &str| rows(&out.join(DECIDED), name);
    let (qpos, qvel, observation, action) =
        (decided("qpos"), decided("qvel"), decided("observation"), decided("action"));
    assert_eq!((qpos.len(), decided("shift")[0].clone()), (30, vec![0.0, 0.0]));
    assert_eq!((&qpos[0], &qvel[0]), (&positions[1], &velocities[1]));
    let (unit, most) =
        (interface["length_unit_m"].as_f64().expect("a length") as f32, interface["most_action_rad"].as_f64());
    let [from, to] = ["target_from", "target_to"].map(decided);
    for index in [0, 7, 29] {
        let seen = |name, ahead| part(&interface, &observation[index], name, ahead);
        close(seen("root_height", None), &[qpos[index][2] / unit], 1e-5, "root_height");
        let slow: Vec<f32> = qvel[index][6..].iter().map(|v| 0.1 * v).collect();
        close(seen("joint_velocities", None), &slow, 1e-5, "joint_velocities");
        close(&seen("motion_root_place", Some(10))[2..], &[positions[11 + index][2] / unit], 1e-5, "place");
        let mut hinges = 0;
        for joint in interface["joints"].as_array().expect("joints").iter().filter(|joint| joint["kind"] == "hinge") {
            let [q, c] = ["qpos", "coordinate"].map(|key| joint[key].as_u64().expect("an index") as usize);
            close(&seen("joint_coordinates", None)[c..=c], &qpos[index][q..=q], 1e-6, "a hinge");
            close(&seen("motion_joint_coordinates", Some(1))[c..=c], &positions[index + 2][q..=q], 1e-6, "a hinge");
            let scale = joint["action_rad"].as_f64().expect("a scale") as f32;
            let most = most.expect("a bound") as f32;
            let shift = (scale * action[index][c]).clamp(-most, most);
            close(&from[index][q..=q], &[positions[index + 1][q] + shift], 1e-6, "a target");
            close(&to[index][q..=q], &[positions[index + 2][q] + shift], 1e-6, "a target");
            hinges += 1;
        }
        assert!(hinges > 4, "{hinges}");
    }
    // The same request gives the same bytes.
    let again = folder.path().join("again");
    exported(Path::new("quadruped"), None, &again);
    for name in [MOTION, DECIDED, INTERFACE, "policy.onnx", "character.mjcf"] {
        assert!(std::fs::read(out.join(name)).unwrap() == std::fs::read(again.join(name)).unwrap(), "{name}");
    }
}

#[test]
fn a_policy_alone_follows_what_it_is_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, out) = (folder.path().join("policy.safetensors"), folder.path().join("exported"));
    let package = sinew::play::open(Path::new("quadruped")).expect("a package");
    package.policy.as_ref().expect("a policy").write(&file).expect("written");
    let said = |motion: Option<&str>| {
        export(&request(&file, motion.map(Path::new), &out), &RunOptions::default()).expect_err("refused").to_string()
    };
    assert!(said(None).contains("name what it is to follow"), "{}", said(None));
    assert!(said(Some("human")).contains("has other joints than"), "{}", said(Some("human")));
    assert!(!out.join(INTERFACE).exists());
    // Its own clips: the longest of them, as far as it goes. A folder with the policy is as good as its file.
    let made = exported(folder.path(), Some(Path::new("quadruped")), &out);
    assert!(made.run.seconds > 0.2 && made.run.seconds <= SECONDS, "{made:?}");
    assert_eq!(rows(&out.join(MOTION), "qpos").len(), 12 + (30.0 * made.run.seconds).round() as usize);
}
