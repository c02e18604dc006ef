//! `sinew live` as a user meets it.

use std::path::Path;
use std::process::{Command, Output};

fn sinew(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sinew")).args(arguments).current_dir(folder).output().expect("the binary runs")
}

/// Few rollouts, for a quick test.
const QUICK: &str =
    "horizon_frames = 8\nnear_frames = 2\nstarts = 4\nshares = 4\nsamples = 16\nsample_rounds = 1\ntwo_sided = false\n";

fn answer(folder: &Path, more: &[&str]) -> serde_json::Value {
    std::fs::write(folder.join("quick.toml"), QUICK).expect("written");
    let command = ["live", "dinosaur", "--clip", "walk", "--seconds", "0.5", "--config", "quick.toml", "--json"];
    let output = sinew(folder, &[&command[..], more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_clip_is_performed_live_to_the_same_hash_on_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = ["--film", "film.png", "--out", "take.glb", "--out", "take.npz"];
    let one = answer(folder.path(), &[&["--threads", "1"][..], &files].concat());
    let two = answer(folder.path(), &["--threads", "2"]);
    assert_eq!((&one["hash"], &one["falls"]), (&two["hash"], &serde_json::json!(0)));
    assert_eq!((&one["is_cycle"], &one["is_transferred"]), (&true.into(), &false.into()));
    assert!(one["joints_off_deg"].as_f64().expect("a number") < 10.0, "{one}");
    let pushed = answer(folder.path(), &["--push", "0.5:0.1:90"]);
    assert_ne!(pushed["hash"], one["hash"]);
    let begins = |name: &str| std::fs::read(folder.path().join(name)).expect("written")[..4].to_vec();
    assert_eq!((begins("film.png"), begins("take.glb")), (b"\x89PNG".to_vec(), b"glTF".to_vec()));
    assert!(begins("take.npz").starts_with(b"PK"));
}

#[test]
fn what_cannot_be_performed_is_refused_in_one_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |arguments: &[&str]| {
        let output = sinew(folder.path(), &[&["live"][..], arguments].concat());
        assert!(!output.status.success(), "{arguments:?} was taken");
        let text = String::from_utf8(output.stderr).expect("text");
        assert_eq!(text.trim_end().lines().count(), 1, "{text}");
        text
    };
    assert!(refused(&["dinosaur", "--clip", "walk", "--push", "hard"]).contains("--push hard: give numbers"));
    assert!(refused(&["dinosaur", "--clip", "walk", "--seconds", "0"]).contains("--seconds 0: give a number"));
    assert!(refused(&["dinosaur"]).contains("--clip NAME"));
    assert!(refused(&["dinosaur", "--clip", "flying"]).contains("flying"));
    assert!(refused(&["dinosaur", "--clip", "walk", "--out", "take.txt"]).contains("take.txt"));
}
