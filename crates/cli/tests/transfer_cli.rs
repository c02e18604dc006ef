//! `sinew transfer` and `sinew replay` as a user meets them.

use std::path::Path;
use std::process::{Command, Output};

fn sinew(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sinew")).args(arguments).current_dir(folder).output().expect("the binary runs")
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// The one line of an error, after which the folder is as before.
fn refused(folder: &Path, output: &Output, before: &[String]) -> String {
    assert!(!output.status.success(), "it was taken");
    let text = String::from_utf8(output.stderr.clone()).expect("text");
    assert!(text.trim_end().lines().count() == 1 && text.starts_with("error: "), "{text}");
    assert_eq!(names(folder), before, "{text}");
    text
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Half a second of a walk as a file of its own.
fn short_walk(folder: &Path) {
    stdout(&sinew(folder, &["export", "human", "--clip", "walk", "--from", "0.2", "--to", "0.6", "-o", "short.bvh"]));
}

#[test]
fn one_command_from_a_file_to_its_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    short_walk(here);
    let answer = stdout(&sinew(
        here,
        &["transfer", "short.bvh", "--preset", "quick", "--seed", "5", "--threads", "2", "--json"],
    ));
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("one JSON object");
    let numbers =
        ["duration_secs", "cost_mean", "jerk_ratio", "foot_skate", "worst_skate", "max_penetration", "wall_secs"];
    assert!(numbers.iter().all(|name| answer[name].is_f64()), "{answer}");
    let terms = ["height", "position", "orientation", "pose", "effectors"];
    let sum: f64 = terms.iter().map(|term| answer["cost_terms"][term].as_f64().expect("a term")).sum();
    assert!((sum - answer["cost_mean"].as_f64().expect("a cost")).abs() < 1e-9);
    assert_eq!((&answer["completed"], &answer["fell_at_secs"]), (&true.into(), &serde_json::Value::Null), "{answer}");
    assert_eq!((answer["seed"].as_u64(), answer["threads"].as_u64()), (Some(5), Some(2)));
    assert!(answer["preset"] == "quick" && answer["steps"].as_u64() > Some(1000));
    assert_eq!(answer["out"], "sinew-out/short-short");
    let out = here.join("sinew-out/short-short");
    let expected = [
        "character.mjcf",
        "character.toml",
        "controls.json",
        "manifest.json",
        "report.html",
        "simulated.bvh",
        "simulated.gif",
        "simulated.glb",
        "simulated.png",
        "summary.json",
        "target.png",
        "trajectory.npz",
    ];
    assert_eq!(names(&out), expected, "all files and no checkpoint");

    // The files alone give the same motion; a hard push another.
    let again = stdout(&sinew(here, &["replay", "sinew-out/short-short", "--film", "again.png"]));
    assert!(
        again.contains("the one that was written") && again.contains(answer["hash"].as_str().expect("a hash")),
        "{again}"
    );
    assert!(std::fs::read(here.join("again.png")).expect("a film").starts_with(b"\x89PNG"));
    let push = ["replay", "sinew-out/short-short", "--push", "4000", "--at", "0.05", "--direction", "90", "--json"];
    let pushed: serde_json::Value = serde_json::from_str(&stdout(&sinew(here, &push))).expect("one JSON object");
    assert!(pushed["same"].is_null() && pushed["hash"] != answer["hash"], "{pushed}");

    // The character that was made, with its rig, performs it again; a checkpoint that is missing is told.
    let made = "sinew-out/short-short/character.toml";
    let again = ["transfer", made, "--motion", "short.bvh", "--preset", "quick", "--seed", "5", "--resume", "--json"];
    let output = sinew(here, &again);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no checkpoint"));
    let again: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    assert_eq!(again["hash"], answer["hash"]);
    let before = names(here);
    assert!(refused(here, &sinew(here, &["transfer", made]), &before).contains("--motion"));

    // Changed by hand, the files no longer give what was written.
    let controls = std::fs::read_to_string(out.join("controls.json")).expect("controls");
    std::fs::write(
        out.join("controls.json"),
        controls.replacen("\"rest\"", "\"moving\"", 1).replacen("\"moving\"", "\"rest\"", 1),
    )
    .expect("written");
    let text = refused_after_output(&sinew(here, &["replay", "sinew-out/short-short"]));
    assert!(text.contains("was changed"), "{text}");
    let longer = controls.replacen("\"push_off\": [", "\"push_off\": [0.5,", 1);
    std::fs::write(out.join("controls.json"), longer).expect("written");
    assert!(refused(here, &sinew(here, &["replay", "sinew-out/short-short"]), &before).contains("push_off"));
}

fn refused_after_output(output: &Output) -> String {
    assert!(!output.status.success());
    String::from_utf8(output.stderr.clone()).expect("text")
}

#[test]
fn what_cannot_be_transferred_is_refused_in_one_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    short_walk(here);
    std::fs::write(here.join("file"), "x").expect("written");
    std::fs::write(here.join("plain.toml"), sinew_sim::embedded::humanoid().to_toml()).expect("written");
    let text = std::fs::read_to_string(here.join("short.bvh")).expect("text");
    let motion = text.find("Frame Time").and_then(|at| text[at..].find('\n').map(|end| at + end + 1)).expect("frames");
    let first = text[motion..].lines().next().expect("a frame");
    std::fs::write(here.join("one.bvh"), text[..motion].replace("Frames: 13", "Frames: 1") + first + "\n")
        .expect("written");
    std::fs::write(
        here.join("nan.bvh"),
        text.replacen(first, &first.replacen(first.split(' ').next().expect("x"), "nan", 1), 1),
    )
    .expect("written");
    let before = names(here);
    for (arguments, expected) in [
        (&["transfer", "short.bvh", "--cycles", "0"][..], "(--cycles N)"),
        (&["transfer", "short.bvh", "--cycles", "3"], "no cycle"),
        (&["transfer", "short.bvh", "--cycles", "3"], "sinew export"),
        (&["transfer", "short.bvh", "--threads", "100000"], "(--threads N)"),
        (&["transfer", "human", "--clip", "swim"], "walk"),
        (&["transfer", "human"], "(--clip NAME)"),
        (&["transfer", "one.bvh"], "1 frame"),
        (&["transfer", "nan.bvh"], "nan"),
        (&["transfer", "short.bvh", "--out", "file"], "folder"),
        (&["transfer", "short.bvh", "--out", "file"], "(--out DIR)"),
        (&["transfer", "short.bvh", "--out", "file/deeper"], "file/deeper"),
        (&["transfer", "short.bvh", "--out", "/dev/full/x"], "/dev/full/x"),
        (&["transfer", "plain.toml", "--motion", "short.bvh"], "origin"),
        (&["replay", "nowhere"], "nowhere"),
    ] {
        let text = refused(here, &sinew(here, arguments), &before);
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
    let unknown = refused_after_output(&sinew(here, &["transfer", "short.bvh", "--preset", "fast"]));
    assert!(unknown.contains("possible values: paper, default, quick"), "{unknown}");
}

#[test]
fn settings_come_from_a_file_on_top_of_the_preset() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let print = |command: &str, more: &[&str]| {
        let arguments: Vec<&str> = command.split(' ').chain(more.iter().copied()).chain(["--print-config"]).collect();
        stdout(&sinew(here, &arguments))
    };
    for command in ["transfer dinosaur", "feedback nowhere", "pareto jump"] {
        let printed = print(command, &[]);
        assert!(printed.starts_with("# Settings of sinew ") && printed.contains("default"), "{printed}");
        std::fs::write(here.join("all.toml"), &printed).expect("written");
        assert_eq!(print(command, &["--config", "all.toml"]), printed);
    }
    std::fs::write(here.join("my.toml"), "population = 9\n[assist]\nrounds = 3\n").expect("written");
    let printed = print("transfer dinosaur --preset quick --from-rest", &["--config", "my.toml"]);
    for line in ["population = 9", "rounds = 3", "iterations = 16", "begins = \"rest\""] {
        assert!(printed.lines().any(|printed| printed == line), "{line} is not in\n{printed}");
    }
    // A flag goes before the file.
    std::fs::write(here.join("jump.toml"), "points = 9\nmethod = \"bsoo\"\nseed = 3\n").expect("written");
    let printed = print("pareto jump --points 5", &["--config", "jump.toml"]);
    for line in ["points = 5", "method = \"bsoo\"", "seed = 3"] {
        assert!(printed.lines().any(|printed| printed == line), "{line} is not in\n{printed}");
    }

    let before = names(here);
    for (text, command, expected) in [
        ("populatoin = 9", "transfer dinosaur", "my.toml, line 1: there is no setting populatoin"),
        ("\npopulation = \"x\"", "transfer dinosaur", "my.toml, line 2: population is \"x\""),
        ("population = 3", "transfer dinosaur", "my.toml, line 1: population is 3, but must be at least 4"),
        ("rank = 20", "feedback nowhere", "my.toml, line 1: rank is 20, but must be from 1 to 19"),
        ("points = 1", "pareto jump", "my.toml, line 1: the number of points is 1"),
    ] {
        std::fs::write(here.join("my.toml"), text).expect("written");
        let arguments: Vec<&str> = command.split(' ').chain(["--config", "my.toml"]).collect();
        let told = refused(here, &sinew(here, &arguments), &before);
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn a_transfer_records_the_settings_of_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    short_walk(here);
    let settings = "starts = 2\nsamples = 8\npopulation = 7\niterations = 5\npolish = \"none\"\n";
    std::fs::write(here.join("my.toml"), settings).expect("written");
    let options = ["--preset", "quick", "--config", "my.toml", "--out", "out"];
    stdout(&sinew(here, &[&["transfer", "short.bvh"], &options[..]].concat()));
    let controls = std::fs::read_to_string(here.join("out/controls.json")).expect("controls");
    let controls: serde_json::Value = serde_json::from_str(&controls).expect("JSON");
    let config = &controls["config"];
    assert_eq!((&config["population"], &config["polish"]), (&7.into(), &serde_json::Value::Null), "{config}");
    assert_eq!(controls["preset"], "quick");
}

/// What is wrong with a character is told, and the run goes on; when it falls, everything is written all the same.
#[test]
fn a_character_too_weak_to_stand_is_told_and_tried() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    stdout(&sinew(here, &["model", "human", "--clip", "walk", "-o", "weak.toml"]));
    for joint in ["thigh_l", "shin_l"] {
        stdout(&sinew(here, &["edit", "weak.toml", "gains", joint, "--torque", "5", "--mirror"]));
    }
    let options = ["--motion", "human", "--clip", "walk", "--preset", "quick", "--out", "out"];
    let output = sinew(here, &[&["transfer", "weak.toml"][..], &options].concat());
    assert!(String::from_utf8_lossy(&output.stderr).contains("warning: ") && output.status.success());
    let text = stdout(&output);
    assert!(text.starts_with("human, walk, 1.05 s: Failed: fell at ") && text.contains("thigh_l"), "{text}");
    let report = std::fs::read_to_string(here.join("out/report.html")).expect("a report");
    assert!(report.contains("Failed: fell at ") && report.contains("torque of"));
    assert!(!here.join("out/checkpoint.bin").exists() && here.join("out/simulated.glb").exists());
    let again = stdout(&sinew(here, &["replay", "out", "--json"]));
    assert!(again.contains("\"completed\": false") && again.contains("\"same\": true"), "{again}");
}

/// A checkpoint that goes to a full disk, and files that outgrow what the system lets a process write.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing_half_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    short_walk(here);
    if Path::new("/dev/full").exists() {
        std::fs::create_dir(here.join("full")).expect("a folder");
        std::os::unix::fs::symlink("/dev/full", here.join("full/checkpoint.bin")).expect("a link");
        let before = names(here);
        let text =
            refused(here, &sinew(here, &["transfer", "short.bvh", "--preset", "quick", "--out", "full"]), &before);
        assert!(text.contains("checkpoint.bin") && text.contains("space"), "{text}");
    }
    let before = names(here);
    let limited = format!(
        "trap '' XFSZ; ulimit -f 200; exec '{}' transfer short.bvh --preset quick --out out",
        env!("CARGO_BIN_EXE_sinew")
    );
    let output = Command::new("bash").args(["-c", &limited]).current_dir(here).output().expect("a shell");
    let mut with_folder = before.clone();
    with_folder.push("out".into());
    with_folder.sort();
    let text = refused(here, &output, &with_folder);
    assert!(text.contains("cannot write"), "{text}");
    assert_eq!(names(&here.join("out")), ["checkpoint.bin"], "only what a resumed run needs");
    // With room again, the run goes on from there.
    let resumed = sinew(here, &["transfer", "short.bvh", "--preset", "quick", "--out", "out", "--resume"]);
    assert!(stdout(&resumed).contains("report.html") && String::from_utf8_lossy(&resumed.stderr).contains("going on"));
}
