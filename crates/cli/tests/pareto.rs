//! `sinew pareto jump` and `sinew jump` from the command line.

use std::path::Path;
use std::process::{Command, Output};

fn sinew(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sinew")).args(arguments).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn small_front(out: &Path, threads: &str) -> serde_json::Value {
    let path = out.display().to_string();
    let options =
        ["pareto", "jump", "--points", "3", "--generations", "3", "--json", "--threads", threads, "--out", &path];
    let output = sinew(&options);
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[test]
fn a_front_is_written_and_jumped_from() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("jumps");
    let summary = small_front(&out, "1");
    let points = summary["points"].as_u64().expect("a number") as usize;
    assert!(points >= 1);
    for name in
        ["front.html", "front.svg", "jumps.png", "front.csv", "front.json", "samples.csv", "controllers/00.toml"]
    {
        assert!(out.join(name).is_file(), "{name}");
    }
    assert!(!out.join("pareto-checkpoint.bin").exists());
    let lines = std::fs::read_to_string(out.join("front.csv")).expect("a table").lines().count();
    assert_eq!(lines, 1 + points);
    let samples = std::fs::read_to_string(out.join("samples.csv")).expect("a table").lines().count();
    assert_eq!(samples as u64, 1 + summary["evaluations"].as_u64().expect("a number"));

    // Other threads, the same bytes.
    let again = folder.path().join("again");
    assert_eq!(small_front(&again, "2")["hash"], summary["hash"]);
    let read = |folder: &Path| std::fs::read(folder.join("samples.csv")).expect("a table");
    assert!(read(&out) == read(&again));

    let front = out.display().to_string();
    let jumped = sinew(&["jump", "--height", "1.75", "--front", &front, "--json"]);
    assert!(jumped.status.success(), "{}", text(&jumped.stderr));

    // What the command prints is what its pages plot.
    let path = folder.path().join("told").display().to_string();
    let told = sinew(&["pareto", "jump", "--points", "3", "--generations", "3", "--out", &path]);
    let told = text(&told.stdout);
    let plotted = std::fs::read_to_string(out.join("front.html")).expect("a page");
    let first = told.lines().nth(1).expect("a point").split_whitespace().nth(3).expect("its effort").to_owned();
    let front: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("front.json")).expect("a file")).expect("JSON");
    let point = &front["points"][0];
    let price = (point["effort"].as_f64().expect("J") + point["assist"].as_f64().expect("J")).ln();
    assert!(told.contains("log effort") && plotted.contains("log effort"), "{told}");
    assert!((first.parse::<f64>().expect("a number") - price).abs() < 1e-3, "{first} is not {price}");
}

#[test]
fn a_height_beyond_the_front_is_said_to_be() {
    let jumped = sinew(&["jump", "--height", "9"]);
    assert!(jumped.status.success(), "{}", text(&jumped.stderr));
    let told = text(&jumped.stdout);
    assert!(told.starts_with("--height 9: out of range; the front goes from 1.6"), "{told}");
    let within = text(&sinew(&["jump", "--height", "1.9"]).stdout);
    assert!(!within.contains("out of range"), "{within}");
    let answer: serde_json::Value =
        serde_json::from_slice(&sinew(&["jump", "--height", "9", "--json"]).stdout).expect("one JSON object");
    assert!(answer["within_range"] == false && answer["range"][1].as_f64() > Some(3.0), "{answer}");
}

#[test]
fn the_embedded_front_jumps_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    let jumped = sinew(&["jump", "--height", "1.9", "--json", "--out", &out]);
    assert!(jumped.status.success(), "{}", text(&jumped.stderr));
    let jump: serde_json::Value = serde_json::from_slice(&jumped.stdout).expect("one JSON object");
    assert!((jump["height"].as_f64().expect("a height") - 1.9).abs() < 0.01 && jump["natural"] == true, "{jump}");
    assert!(folder.path().join("controller.toml").is_file() && folder.path().join("jump.png").is_file());
}

#[test]
fn faults_are_one_sentence() {
    let told = |arguments: &[&str]| {
        let output = sinew(arguments);
        assert!(!output.status.success());
        text(&output.stderr)
    };
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("x").display().to_string();
    assert!(told(&["jump", "--height", "99"]).contains("--height 99"));
    assert!(told(&["jump", "--height", "2", "--front", &out]).contains("front"));
    assert!(told(&["pareto", "jump", "--points", "1", "--out", &out]).contains("number of points is 1"));
    assert!(told(&["pareto", "jump", "--method", "bsoo", "--objectives", "3", "--out", &out]).contains("bsoo"));
    assert!(told(&["pareto", "jump", "--from", &out, "--out", &out]).contains("controls.json"));
    assert!(!Path::new(&out).exists(), "nothing is left behind");
}
