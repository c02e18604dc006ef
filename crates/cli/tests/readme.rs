//! The commands of the README with a rig that the program does not know: an artist's file with the names that exporters write.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

const README: &str = include_str!("../../../README.md");

fn sinew(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sinew")).args(arguments).current_dir(folder).output().expect("the binary runs")
}

fn taken(folder: &Path, arguments: &[&str]) -> String {
    let output = sinew(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The commands under "What it does", without the program's name and the comments.
fn commands() -> Vec<Vec<&'static str>> {
    let block = README.split("```sh").nth(2).and_then(|rest| rest.split("```").next()).expect("the commands");
    let lines = block.lines().filter_map(|line| line.split('#').next()?.trim().strip_prefix("sinew "));
    lines.map(|line| line.split_whitespace().collect()).collect()
}

/// The human's file as Blender would write it: every clip has the armature's name before its own.
fn artists_file() -> Vec<u8> {
    let bytes = sinew::assets::find("human").expect("embedded");
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four")) as usize;
    let mut json: Value = serde_json::from_slice(&bytes[20..20 + length]).expect("JSON");
    for clip in json["animations"].as_array_mut().expect("clips") {
        clip["name"] = format!("HumanArmature|{}", clip["name"].as_str().expect("a name")).into();
    }
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let rest = &bytes[20 + length..];
    let mut file = bytes[..8].to_vec();
    file.extend(((20 + text.len() + rest.len()) as u32).to_le_bytes());
    file.extend((text.len() as u32).to_le_bytes());
    file.extend(&bytes[16..20]);
    [file, text, rest.to_vec()].concat()
}

#[test]
fn the_commands_are_those_of_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = commands();
    assert!(all.len() > 15, "{all:?}");
    for command in all {
        // What comes before `--help` is read first.
        taken(folder.path(), &[&command[..], &["--help"]].concat());
    }
    assert!(!sinew(folder.path(), &["transfer", "hero.glb", "--no-such-flag", "--help"]).status.success());
}

#[test]
fn the_first_of_them_run_with_a_foreign_rig() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("hero.glb"), artists_file()).expect("written");
    taken(here, &["export", "human", "--clip", "walk", "--from", "0.2", "--to", "0.6", "-o", "walk.bvh"]);
    // A search of moments.
    let settings = taken(here, &["transfer", "--preset", "quick", "--print-config", "hero.glb"]);
    let small = |line: &str| match line.split(" =").next().unwrap_or_default() {
        "starts" => "starts = 2".to_owned(),
        "samples" => "samples = 8".to_owned(),
        "population" => "population = 6".to_owned(),
        "iterations" => "iterations = 3".to_owned(),
        _ => line.to_owned(),
    };
    let settings: Vec<String> = settings.lines().map(small).collect();
    std::fs::write(here.join("small.toml"), settings.join("\n")).expect("written");

    let mut count = 0;
    for command in commands() {
        let more: &[&str] = match command[..] {
            ["inspect" | "model" | "edit" | "jump" | "simulate", ..] => &[],
            ["transfer", .., "--assist"] => continue,
            ["transfer", ..] => &["--config", "small.toml"],
            _ => continue,
        };
        count += 1;
        let short: Vec<&str> = command.iter().map(|word| if *word == "6" { "2" } else { *word }).collect();
        taken(here, &[&short[..], more].concat());
    }
    assert!(count >= 7, "{count}");
    for name in ["hero.png", "hero.toml", "sinew-out/hero-walk/report.html", "high/jump.png", "strip.png"] {
        assert!(here.join(name).exists(), "{name} was not made");
    }
    taken(here, &["replay", "sinew-out/hero-walk", "--push", "80", "--at", "0.2"]);
}
