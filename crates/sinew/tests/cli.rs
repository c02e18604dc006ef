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
fn without_arguments_it_draws_the_dinosaur() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = stdout(&sinew(folder.path(), &[]));
    assert!(text.contains("22 bodies") && text.contains("dinosaur.png"), "{text}");
    let picture = std::fs::read(folder.path().join("sinew-out/dinosaur.png")).expect("a picture");
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 50_000);
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
