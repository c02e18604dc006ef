//! The binary as a user meets it.

use std::path::Path;
use std::process::{Command, Output};

fn sinew(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sinew")).args(arguments).current_dir(folder).output().expect("the binary runs")
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// The one line of an error, after which nothing may be left behind.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let before = std::fs::read_dir(folder).expect("a folder").count();
    let output = sinew(folder, arguments);
    assert!(!output.status.success(), "{arguments:?} was taken");
    assert_eq!(std::fs::read_dir(folder).expect("a folder").count(), before, "{arguments:?} left a file");
    let text = String::from_utf8(output.stderr).expect("text");
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    text
}

#[test]
fn simulate_writes_arrays_a_model_and_a_film_and_the_same_bytes_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |name: &str, seed: &str| {
        let (npz, xml, png) = (format!("{name}.npz"), format!("{name}.xml"), format!("{name}.png"));
        let options = ["--duration", "0.2", "--noise", "0.2", "--seed", seed];
        let files = ["--out", &npz, "--mjcf", &xml, "--film", &png];
        stdout(&sinew(folder.path(), &[&["simulate", "humanoid"][..], &options, &files].concat()));
        [npz, xml, png].map(|f| std::fs::read(folder.path().join(f)).expect("written"))
    };
    let (first, again, other) = (run("a", "1"), run("b", "1"), run("c", "2"));
    assert!(first[0].starts_with(b"PK") && first[1].starts_with(b"<mujoco") && first[2].starts_with(b"\x89PNG"));
    assert_eq!(first, again);
    assert_ne!(first[0], other[0]);
    assert_eq!(first[1], other[1]);
}

#[test]
fn a_written_character_can_be_simulated() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    sinew_sim::embedded::dinosaur().write(&path).expect("written");
    let text = stdout(&sinew(folder.path(), &["simulate", "mine.toml", "--duration", "0.1", "--f64"]));
    assert!(text.contains("50 steps"), "{text}");
    // Embedded rigs are modelled on the way.
    let text = stdout(&sinew(folder.path(), &["simulate", "quadruped", "--duration", "0.1"]));
    assert!(text.starts_with("quadruped: 0.100 s"), "{text}");
}

#[test]
fn errors_are_one_sentence_and_leave_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("broken.toml"), "name = \"x\"\n[[body]\n").expect("written");
    let heavy = sinew_sim::embedded::dinosaur().to_toml().replacen("mass = ", "mass = -", 1);
    std::fs::write(here.join("negative.toml"), heavy).expect("written");
    for (arguments, expected) in [
        (&["simulate", "missing.toml"][..], "missing.toml"),
        (&["simulate", "broken.toml"], "line 2"),
        (&["simulate", "negative.toml", "--out", "t.npz"], "mass"),
        (&["simulate", "dinosaur", "--dt", "0.5", "--out", "t.npz"], "time step"),
        (&["simulate", "dinosaur", "--dt", "nan"], "time step"),
        (&["simulate", "dinosaur", "--duration", "-1"], "--duration"),
        (&["simulate", "dinosaur", "--duration", "1e9"], "steps"),
        (&["simulate", "dinosaur", "--noise", "inf"], "--noise"),
        (&["simulate", "dinosaur", "--duration", "0.01", "--out", "no/such/folder/t.npz"], "t.npz"),
    ] {
        let text = refused(here, arguments);
        assert!(text.starts_with("error: ") && text.contains(expected), "{arguments:?}: {text}");
    }
}

#[test]
fn only_packages_are_played_and_each_output_is_a_file_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    for by_hand in [&["play", "nowhere"][..], &["play", "nowhere", "--random", "5"]] {
        assert!(refused(here, by_hand).contains("sinew bring"));
    }
    let twice = ["play", "nowhere", "--random", "5", "--out", "a.bvh", "--out", "a.bvh"];
    assert!(refused(here, &twice).contains("another output"));
    let other = ["play", "nowhere", "--random", "5", "--out", "a.npz", "--out", "a.txt"];
    assert!(refused(here, &other).contains(".glb or .bvh or .npz"));
}

fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&stdout(&sinew(folder, arguments))).expect("one JSON object")
}

#[test]
fn characters_that_come_with_the_program_are_played() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("moves.toml");
    std::fs::write(&script, "seconds = 6.0\n[[input]]\nat = 0.0\ntarget = [3.0, 0.0]\n").expect("written");
    for (name, actions) in [("dinosaur", &["Boxing"][..]), ("human", &["Jump", "Punch"]), ("quadruped", &[])] {
        let played = json(folder.path(), &["play", name, "--script", "moves.toml", "--json"]);
        assert_eq!(played["falls"], 0, "{name}: {played}");
        assert!(played["target_error_m"].as_f64().expect("a number") < 1.0, "{name}: {played}");
        let unknown = refused(folder.path(), &["play", name, "--script", "moves.toml", "--json", "--out", "a.txt"]);
        assert!(unknown.contains(".npz"), "{unknown}");
        let dance = "[[input]]\nat = 1.0\naction = \"Dance\"\n";
        std::fs::write(folder.path().join("dance.toml"), dance).expect("written");
        let told = refused(folder.path(), &["play", name, "--script", "dance.toml", "--json"]);
        assert!(actions.iter().all(|action| told.contains(action)), "{told}");
    }
}

#[test]
fn inspect_tells_what_a_file_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = stdout(&sinew(folder.path(), &["inspect", "quadruped"]));
    assert!(text.contains("27 joints") && text.contains("walk") && text.contains("y is up"), "{text}");
    let answer = json(folder.path(), &["inspect", "dinosaur", "--json"]);
    assert_eq!(answer["joints"], 22);
    let boxing = answer["clips"].as_array().expect("clips").iter().find(|c| c["name"] == "boxing").expect("boxing");
    assert_eq!((boxing["duration_secs"].as_f64(), boxing["frames"].as_u64()), (Some(9.0), Some(271)));
    assert!(answer["repairs"].as_array().expect("sentences").len() >= 2);
    // A height that is given wins over the file's unit.
    let tall = json(folder.path(), &["inspect", "human", "--height", "2.5", "--json"]);
    assert!((tall["height_m"].as_f64().expect("a height") - 2.5).abs() < 1e-6);
}

#[test]
fn model_writes_a_character_that_edit_changes_and_simulate_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let files = ["-o", "hero.toml", "--mjcf", "hero.xml", "--film", "hero.png"];
    let answer = json(here, &[&["model", "human", "--clip", "walk", "--mass", "70", "--json"][..], &files].concat());
    assert!((answer["mass_kg"].as_f64().expect("a mass") - 70.0).abs() < 0.01);
    assert_eq!(answer["preflight"]["ok"], true, "{answer}");
    assert!(answer["bodies"].as_u64() >= Some(16) && answer["dof"].as_u64() >= Some(20));
    assert!(answer["ik"][0]["mean_error_m"].as_f64() < Some(0.01));
    assert!(std::fs::read(here.join("hero.png")).expect("a film").starts_with(b"\x89PNG"));

    let first = std::fs::read(here.join("hero.toml")).expect("written");
    stdout(&sinew(here, &["edit", "hero.toml", "mass", "thigh_l", "9", "--mirror"]));
    let heavier = sinew_sim::Character::read(&here.join("hero.toml")).expect("a character");
    let mass = |name: &str| heavier.bodies.iter().find(|b| b.name == name).expect("a thigh").mass;
    assert_eq!((mass("thigh_l"), mass("thigh_r")), (9.0, 9.0));
    stdout(&sinew(here, &["edit", "hero.toml", "limits", "shin_l", "-120", "5"]));
    assert!(stdout(&sinew(here, &["edit", "hero.toml", "list"])).contains("-120 to 5 degrees"));
    stdout(&sinew(here, &["edit", "hero.toml", "undo"]));
    stdout(&sinew(here, &["edit", "hero.toml", "undo"]));
    let back = sinew_sim::Character::read(&here.join("hero.toml")).expect("a character");
    let was = sinew_sim::Character::from_toml(std::str::from_utf8(&first).expect("text")).expect("a character");
    assert_eq!((back.bodies, back.joints), (was.bodies, was.joints));
    stdout(&sinew(here, &["simulate", "hero.toml", "--duration", "0.1"]));
}

#[test]
fn export_writes_what_can_be_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    stdout(&sinew(here, &["export", "dinosaur", "--clip", "walk", "--repeat", "3", "-o", "walk.glb"]));
    let clips = json(here, &["inspect", "walk.glb", "--json"])["clips"].clone();
    let clips = clips.as_array().expect("clips");
    assert_eq!(clips.len(), 4);
    assert!((clips[3]["duration_secs"].as_f64().expect("secs") - 3.0).abs() < 1e-3, "{clips:?}");
    assert!((clips[3]["travel_m"].as_f64().expect("travel") - 2.64).abs() < 0.02, "{clips:?}");
    stdout(&sinew(here, &["export", "human", "--clip", "jump", "--from", "1", "--to", "2", "--mirror", "-o", "j.bvh"]));
    stdout(&sinew(here, &["export", "j.bvh", "--clip", "j", "--rate", "60", "-o", "capsules.glb"]));
    assert_eq!(json(here, &["inspect", "capsules.glb", "--json"])["clips"][0]["frames"], 61);
}

#[test]
fn rigs_that_cannot_be_used_are_refused_in_one_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("picture.glb"), b"\x89PNG\r\n").expect("written");
    std::fs::write(here.join("cut.bvh"), "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0\n").expect("written");
    std::fs::write(here.join("plain.toml"), sinew_sim::embedded::humanoid().to_toml()).expect("written");
    for (arguments, expected) in [
        (&["inspect", "missing.glb"][..], "missing.glb"),
        (&["inspect", "picture.glb"], "picture.glb"),
        (&["inspect", "cut.bvh"], "cut.bvh:5"),
        (&["inspect", "."], "folder"),
        (&["inspect", "human", "--height", "-1"], "height"),
        (&["model", "human", "--clip", "swim", "-o", "h.toml"], "walk"),
        (&["model", "human", "--mass", "0", "-o", "h.toml"], "mass"),
        (&["edit", "plain.toml", "undo"], "origin"),
        (&["export", "human", "--clip", "jump", "--to", "1.2", "--repeat", "2", "-o", "j.bvh"], "no cycle"),
        (&["export", "human", "--clip", "walk", "-o", "walk.fbx"], ".bvh or .glb"),
        (&["export", "human", "--clip", "walk", "--repeat", "0", "-o", "walk.glb"], "--repeat"),
        (&["model", "human", "-o", "hero.glb"], ".toml"),
        (&["model", "plain.toml", "-o", "plain.toml"], "the input"),
        (&["edit", "plain.toml", "gains", "knee_l"], "origin"),
    ] {
        let text = refused(here, arguments);
        assert!(text.starts_with("error: ") && text.contains(expected), "{arguments:?}: {text}");
    }
}
