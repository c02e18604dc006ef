//! Characters of packages: listed, played, recorded; and what is wrong with them.

use crate::support::{Running, Socket, encoded, frame};
use crate::toy_package;
use serde_json::{Value, json};
use sinew::play::{Moves, Request, play};
use sinew::work::RunOptions;

const ID: &str = "packages/toy/package.toml";

fn with_toy() -> Running {
    let server = Running::start();
    toy_package::write(&server.path("packages/toy"), 5).expect("a package");
    server
}

fn start(tab: &mut Socket<'_>, characters: usize) -> Value {
    tab.ask(json!({"type": "start", "session": {"what": "package", "package": ID, "characters": characters}}))
}

/// How the characters are, as soon as it is so.
fn played(tab: &mut Socket<'_>, fits: impl Fn(&Value) -> bool) -> Value {
    tab.until(|m| m["type"] == "played" && fits(&m["played"]))["played"].take()
}

#[test]
fn a_package_is_listed_and_goes_where_it_is_told() {
    let server = with_toy();
    let state = server.ok(server.get("/api/state"));
    let listed = &state["packages"][0];
    assert_eq!((&listed["id"], &listed["name"]), (&json!(ID), &json!("toy")), "{state}");
    assert_eq!(listed["actions"][0], json!({"name": "Jump", "key": "1", "about": "performs Jump"}));
    let none = [&state["characters"], &state["results"]];
    assert!(none.iter().all(|list| **list == json!([])), "its files are its own: {none:?}");
    assert!(state["rigs"].as_array().is_some_and(|rigs| rigs.iter().all(|rig| rig["embedded"] == true)));

    let mut tab = server.socket();
    tab.send(tokio_tungstenite::tungstenite::Message::text(
        json!({"type": "start", "request": 1, "session": {"what": "package", "package": ID}}).to_string(),
    ));
    let scene = tab.until(|m| m["type"] == "scene")["scene"].take();
    let bodies = scene["characters"][0]["bodies"].as_u64().expect("a count") as usize;
    assert_eq!(scene["bodies"].as_array().map(Vec::len), Some(bodies + 6), "with six balls");
    assert_eq!(scene["rig"], "packages/toy/rig.glb");
    assert!(scene["skin"]["nodes"].as_array().is_some_and(|nodes| nodes.len() > 10));
    assert_eq!(server.get(&format!("/api/rig/stage.glb?id={}", encoded("packages/toy/rig.glb"))).status, 200);
    let started = tab.until(|m| m["request"] == 1);
    assert_eq!(
        (&started["session"]["controller"], &started["session"]["steers"]),
        (&json!("learnt"), &json!(true)),
        "{started}"
    );
    let id = started["session"]["id"].clone();
    let act = |mut action: Value| {
        action["type"] = "act".into();
        action["session"] = id.clone();
        action
    };

    // Poses come between its frames, too, and the clock goes with them.
    let frames: Vec<Vec<u8>> = (0..12).map(|_| tab.frame()).collect();
    let steps = frames.windows(2).map(|two| frame::f64_at(&two[1], 32) - frame::f64_at(&two[0], 32));
    assert!(steps.filter(|step| (step - 1.0 / 60.0).abs() < 1e-6).count() > 6);
    let hidden = |bytes: &[u8]| (bodies..bodies + 6).filter(|b| frame::f32_at(bytes, 48 + 28 * b + 8) < -900.0).count();
    assert_eq!(hidden(&frames[11]), 6);

    assert_eq!(tab.ask(act(json!({"action": "time_scale", "time_scale": 4.0})))["session"]["time_scale"], 4.0);
    let place = |bytes: &[u8]| [frame::f32_at(bytes, 20), frame::f32_at(bytes, 24)];
    let from = place(&frames[11]);
    assert_eq!(tab.ask(act(json!({"action": "steer", "steer": {"velocity": [-1.2, 0.0]}})))["type"], "done");
    let arrives = (0..60 * 60).any(|_| place(&tab.frame())[0] < from[0] - 0.7);
    assert!(arrives, "it goes back from {from:?}");

    assert_eq!(tab.ask(act(json!({"action": "steer", "steer": {"target": [3.0, 0.5]}})))["type"], "done");
    let now = played(&mut tab, |p| p["characters"][0]["target"] == json!([3.0, 0.5]));
    let [x, y] = place(&tab.frame());
    tab.ask(act(json!({"action": "steer", "steer": {"target": [x, y]}})));
    let arrived = played(&mut tab, |p| {
        p["characters"][0]["target"] != json!([3.0, 0.5]) && p["characters"][0]["target"] != json!([x, y])
    });
    assert!(arrived["characters"][0]["target"].is_null(), "it is there: {arrived}");
    assert!(now["real_time_factor"].is_number() && now["frame_ms"].is_number(), "{now}");
    assert_eq!(
        tab.ask(act(
            json!({"action": "throw", "position": [9.0, 0.0, 1.0], "velocity": [0.0, 0.0, 5.0], "mass_kg": 10.0})
        ))["type"],
        "done"
    );
    assert!((0..600).any(|_| hidden(&tab.frame()) == 5), "a ball flies");
    tab.ask(act(json!({"action": "perform", "name": "jump"})));
    let acts = |p: &Value| p["characters"][0]["doing"] == "acting" && p["characters"][0]["action"] == "Jump";
    // Who lies limp does not hear it.
    while !(0..3).any(|_| acts(&played(&mut tab, |_| true))) {
        tab.ask(act(json!({"action": "perform", "name": "Jump"})));
    }
    let blow = json!({"action": "push", "body": 0, "force": [0.0, 6000.0, 0.0], "secs": 0.2});
    tab.ask(act(blow));
    let fallen = played(&mut tab, |p| p["characters"][0]["doing"] == "limp");
    assert!(fallen["characters"][0]["falls"].as_u64() > Some(0), "{fallen}");

    for (action, part) in [
        (json!({"action": "perform", "name": "Fly"}), "MoveTo, Jump"),
        (json!({"action": "steer", "character": 1, "steer": "free"}), "no character 1"),
        (json!({"action": "steer", "steer": {"velocity": [99.0, 0.0]}}), "20 m/s"),
        (json!({"action": "push", "body": 99, "force": [1.0, 0.0, 0.0], "secs": 0.1}), "body 99"),
        (json!({"action": "gravity", "gravity": [0.0, 0.0, -1.0]}), "Earth"),
        (json!({"action": "controller", "controller": "held_pose"}), "own policy"),
    ] {
        let answer = tab.ask(act(action.clone()));
        assert!(answer["error"].as_str().is_some_and(|e| e.contains(part)), "{action}: {answer}");
    }
}

#[test]
fn a_take_of_two_characters_plays_to_the_hash_that_was_shown() {
    let server = with_toy();
    let mut tab = server.socket();
    let started = start(&mut tab, 2);
    assert_eq!(started["session"]["title"], "toy, 2 of it", "{started}");
    let id = started["session"]["id"].clone();
    let act = |tab: &mut Socket<'_>, mut action: Value| {
        action["type"] = "act".into();
        action["session"] = id.clone();
        assert_eq!(tab.ask(action.clone())["type"], "done", "{action}");
    };
    act(&mut tab, json!({"action": "steer", "character": 1, "steer": {"velocity": [0.3, 1.1]}}));
    act(&mut tab, json!({"action": "push", "body": 1, "force": [200.0, 10.0, 0.0], "secs": 0.1}));
    act(&mut tab, json!({"action": "throw", "position": [2.0, 0.0, 1.0], "velocity": [-9.0, 0.0, 1.0]}));
    act(&mut tab, json!({"action": "perform", "character": 1, "name": "Jump"}));
    played(&mut tab, |p| p["time_secs"].as_f64() > Some(1.5));
    act(&mut tab, json!({"action": "pause", "paused": true}));
    let shown = played(&mut tab, |p| p["real_time_factor"].is_null());

    let take = server.ok(server.post("/api/take", &json!({"session": id})));
    assert_eq!((&take["id"], &take["hash"]), (&json!("takes/toy"), &shown["hash"]), "{take}");
    assert_eq!(take["seconds"], shown["time_secs"]);
    let names: Vec<&str> = take["files"].as_array().expect("files").iter().filter_map(|f| f["name"].as_str()).collect();
    assert_eq!(names, ["take.glb", "take.bvh", "take.npz", "take.gif", "take.toml"]);
    let file = server.get(&format!("/api/take/file?id={}&name=take.gif", encoded("takes/toy")));
    assert!(file.status == 200 && file.body.starts_with(b"GIF") && file.head.contains("toy-take.gif"), "{}", file.head);
    let missing = server.get(&format!("/api/take/file?id={}&name=package.toml", encoded("packages/toy")));
    assert!(missing.error().contains("package.toml"), "only files of takes are sent");
    let script = std::fs::read_to_string(server.path("takes/toy/take.toml")).expect("a script");
    for told in ["characters = 2", "stick = [0.3, 1.1]", "action = \"Jump\"", "force = [200.0, 10.0, 0.0]"] {
        assert!(script.contains(told), "{told} was told:\n{script}");
    }
    let request = Request {
        package: server.path("packages/toy"),
        moves: Moves::Script(server.path("takes/toy/take.toml")),
        film: None,
        gif: None,
        out: Vec::new(),
        record: None,
    };
    let again = play(&request, &RunOptions::default()).expect("played").expect("to the end");
    assert_eq!(json!(again.hash), shown["hash"]);

    // From the start again it is the same motion until somebody is told something else.
    act(&mut tab, json!({"action": "reset"}));
    let fresh = played(&mut tab, |p| p["time_secs"] == 0.0);
    assert_eq!(fresh["characters"][1]["falls"], 0);
    let refused = server.post("/api/take", &json!({"session": id}));
    assert!(refused.error().contains("nothing was played"), "{}", refused.error());
    let state = server.ok(server.get("/api/state"));
    assert!(state["rigs"].as_array().is_some_and(|rigs| rigs.iter().all(|rig| rig["embedded"] == true)), "{state}");

    // A package that is another one by now does not play to that hash.
    act(&mut tab, json!({"action": "pause", "paused": false}));
    played(&mut tab, |p| p["time_secs"].as_f64() > Some(0.1));
    toy_package::write(&server.path("packages/toy"), 6).expect("another package");
    let refused = server.post("/api/take", &json!({"session": id}));
    assert!(refused.status == 409 && refused.error().contains("another hash"), "{}", refused.error());
    let left =
        [server.path(".studio/takes"), server.path("takes")].map(|path| path.read_dir().map_or(0, Iterator::count));
    assert_eq!(left, [0, 1], "nothing is left of it");
}

#[test]
fn what_is_wrong_with_a_package_is_one_sentence() {
    let server = with_toy();
    let mut tab = server.socket();
    let refused = |tab: &mut Socket<'_>, characters: usize| {
        let answer = start(tab, characters);
        answer["error"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    };
    assert!(refused(&mut tab, 7).contains("from 1 to 6"));
    let folder = server.path("packages/toy");
    let policy = std::fs::read(folder.join("policy.safetensors")).expect("read");
    std::fs::write(folder.join("policy.safetensors"), b"other").expect("written");
    let said = refused(&mut tab, 1);
    assert!(said.contains("policy.safetensors") && said.contains("has changed") && !said.contains('\n'), "{said}");
    std::fs::write(folder.join("policy.safetensors"), policy).expect("written");
    let text = std::fs::read_to_string(folder.join("package.toml")).expect("read");
    std::fs::write(folder.join("package.toml"), text.replace("format = 1", "format = 7")).expect("written");
    let said = refused(&mut tab, 1);
    assert!(said.contains("format 7") && said.contains("reads 1"), "{said}");
    let state = server.ok(server.get("/api/state"));
    assert_eq!(state["packages"][0]["name"], "toy", "its folder's name");
    assert!(state["packages"][0]["problem"].as_str().is_some_and(|p| p.contains("format 7")), "{state}");
    std::fs::remove_file(folder.join("package.toml")).expect("removed");
    assert!(refused(&mut tab, 1).contains("no package packages/toy/package.toml"));
    let dropped = tab.ask(json!({"type": "start", "session": {"what": "package", "package": "../package.toml"}}));
    assert!(dropped["error"].as_str().is_some_and(|e| e.contains("none of a thing")), "{dropped}");
}

#[test]
fn a_project_may_be_a_package_itself() {
    let server = Running::start();
    toy_package::write(server.folder.path(), 5).expect("a package");
    std::fs::create_dir_all(server.path("work/set")).expect("made");
    std::fs::copy(server.path("character.toml"), server.path("work/set/character.toml")).expect("copied");
    let state = server.ok(server.get("/api/state"));
    assert_eq!((&state["packages"][0]["id"], &state["characters"]), (&json!("package.toml"), &json!([])), "{state}");
    let mut tab = server.socket();
    let started = tab.ask(json!({"type": "start", "session": {"what": "package", "package": "package.toml"}}));
    assert_eq!(started["session"]["title"], "toy", "{started}");
    played(&mut tab, |p| p["time_secs"].as_f64() > Some(0.2));
    let take = server.ok(server.post("/api/take", &json!({"session": started["session"]["id"]})));
    assert!(server.path("takes/toy/take.glb").is_file(), "{take}");
}
