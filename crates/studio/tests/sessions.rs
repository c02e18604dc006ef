//! Live simulation: frames in real time, the same for all tabs, and everything that can be done to it.

use crate::support::{Running, frame};
use serde_json::json;
use std::time::Instant;

#[test]
fn a_dropped_character_streams_the_same_frames_to_all_tabs() {
    let server = Running::start();
    server.ok(server.post("/api/character", &json!({"rig": "dinosaur"})));
    let mut first = server.socket();
    let started = first.ask(
        json!({"type": "start", "session": {"what": "drop", "character": "characters/dinosaur.toml", "height_m": 0.1}}),
    );
    assert_eq!(started["type"], "done", "{started}");
    let id = started["session"]["id"].as_u64().expect("an id");
    let mut second = server.socket();
    second.until(|m| m["type"] == "hello" && m["state"]["sessions"][0]["id"] == id);
    second.send(tokio_tungstenite::tungstenite::Message::text(
        json!({"type": "watch", "request": 1, "stream": id}).to_string(),
    ));
    let scene = second.until(|m| m["type"] == "scene");
    let bodies = scene["scene"]["bodies"].as_array().expect("bodies").len();
    let joints = scene["scene"]["joints"].as_array().expect("joints").len();
    assert!(scene["scene"]["skin"]["nodes"].as_array().is_some_and(|n| n.len() > 10));

    let theirs: Vec<Vec<u8>> = (0..30).map(|_| second.frame()).collect();
    let contacts = frame::u16_at(&theirs[0], 16) as usize;
    assert_eq!(theirs[0].len(), 48 + 28 * bodies + 4 * joints + 32 * contacts);
    assert_eq!((frame::u32_at(&theirs[0], 4), frame::u16_at(&theirs[0], 12) as usize), (id as u32, bodies));
    let wanted = frame::u32_at(&theirs[0], 8);
    let same = (0..200).map(|_| first.frame()).find(|f| frame::u32_at(f, 8) == wanted);
    assert_eq!(same.as_ref(), Some(&theirs[0]), "both tabs see the same bytes");
    // Simulated time goes on with the frames.
    let secs = |f: &[u8]| frame::f64_at(f, 32);
    let steps = f64::from(frame::u32_at(&theirs[29], 8) - wanted);
    assert!((secs(&theirs[29]) - secs(&theirs[0]) - steps / 60.0).abs() < 0.01);
    // Torques and contacts come along.
    let last = (0..60).map(|_| second.frame()).last().expect("frames");
    assert!(frame::u16_at(&last, 16) > 0 && frame::u16_at(&last, 2) == 0, "it stands");
    assert!((0..joints).any(|j| frame::f32_at(&last, 48 + 28 * bodies + 4 * j) > 1.0));
}

#[test]
fn everything_can_be_done_to_a_simulation() {
    let server = Running::start();
    server.ok(server.post("/api/character", &json!({"rig": "human"})));
    let mut tab = server.socket();
    let started = tab.ask(json!({"type": "start", "session": {"what": "drop", "character": "characters/human.toml"}}));
    let id = started["session"]["id"].as_u64().expect("an id");
    let mut act = |mut action: serde_json::Value| {
        action["type"] = "act".into();
        action["session"] = id.into();
        tab.ask(action)
    };
    let height = |f: &[u8]| frame::f32_at(f, 28);
    for action in [
        json!({"action": "push", "body": 0, "force": [100.0, 0.0, 0.0], "secs": 0.1}),
        json!({"action": "throw", "position": [2.0, 0.0, 1.0], "velocity": [-5.0, 0.0, 1.0]}),
        json!({"action": "gravity", "gravity": [0.0, 0.0, 2.0]}),
        json!({"action": "time_scale", "time_scale": 0.5}),
        json!({"action": "controller", "controller": "held_pose"}),
    ] {
        assert_eq!(act(action.clone())["type"], "done", "{action}");
    }
    for (action, part) in [
        (json!({"action": "push", "body": 999, "force": [1.0, 0.0, 0.0], "secs": 0.1}), "bodies"),
        (json!({"action": "push", "body": 0, "force": [1e9, 0.0, 0.0], "secs": 0.1}), "20000"),
        (json!({"action": "throw", "position": [0.0, 0.0, 1.0], "velocity": [500.0, 0.0, 0.0]}), "60"),
        (json!({"action": "gravity", "gravity": [0.0, 0.0, -5000.0]}), "50"),
        (json!({"action": "time_scale", "time_scale": 0.0}), "0.01"),
        (json!({"action": "dial", "dial": 0.5}), "dial"),
        (json!({"action": "steer", "steer": {"velocity": [1.0, 0.0]}}), "where to go"),
        (json!({"action": "controller", "controller": "learnt"}), "result"),
    ] {
        let answer = act(action.clone());
        assert!(
            answer["type"] == "error" && answer["error"].as_str().is_some_and(|e| e.contains(part)),
            "{action}: {answer}"
        );
    }
    let paused = act(json!({"action": "pause", "paused": true}));
    assert_eq!((&paused["session"]["paused"], &paused["session"]["gravity"][2]), (&json!(true), &json!(2.0)));
    // It rises under gravity that points up; standing still it does not move; a step moves it a little.
    let still: Vec<Vec<u8>> = (0..4).map(|_| tab.frame()).collect();
    let last = still.last().expect("a frame").clone();
    assert!(frame::u16_at(&last, 2) & 2 != 0);
    let again = tab.frame();
    assert_eq!((frame::f64_at(&again, 32), height(&again)), (frame::f64_at(&last, 32), height(&last)));
    tab.ask(json!({"type": "act", "session": id, "action": "step"}));
    let moved = (0..20).map(|_| tab.frame()).find(|f| frame::f64_at(f, 32) > frame::f64_at(&last, 32));
    assert!(moved.is_some(), "a step goes on");
    let reset = tab.ask(json!({"type": "act", "session": id, "action": "reset"}));
    assert_eq!(reset["session"]["gravity"][2], 2.0, "gravity stays");
    assert!((0..20).any(|_| frame::u16_at(&tab.frame(), 2) & 4 != 0), "it jumps back");
    // The answer and the news come in either order.
    tab.send(tokio_tungstenite::tungstenite::Message::text(
        json!({"type": "end", "session": id, "request": 1_000_000}).to_string(),
    ));
    let (mut is_answered, mut is_told) = (false, false);
    while !(is_answered && is_told) {
        let message = tab.until(|m| m["request"] == 1_000_000 || m["type"] == "ended");
        if message["type"] == "ended" {
            assert_eq!(message["stream"], id);
            is_told = true;
        } else {
            assert_eq!(message["type"], "done", "{message}");
            is_answered = true;
        }
    }
    let gone = tab.ask(json!({"type": "watch", "stream": id}));
    assert!(gone["type"] == "error", "{gone}");
}

#[test]
fn simulations_keep_real_time_and_are_few() {
    let server = Running::start();
    server.ok(server.post("/api/character", &json!({"rig": "quadruped"})));
    let mut tab = server.socket();
    let start = json!({"type": "start", "session": {"what": "drop", "character": "characters/quadruped.toml"}});
    let first = tab.ask(start.clone());
    assert_eq!(first["type"], "done", "{first}");
    let (from, began) = (tab.frame(), Instant::now());
    let to = (0..60).map(|_| tab.frame()).last().expect("frames");
    let simulated = frame::f64_at(&to, 32) - frame::f64_at(&from, 32);
    // Never faster than time; slower only on a machine that is busy.
    assert!(simulated <= began.elapsed().as_secs_f64() + 0.3, "{simulated} s");
    for _ in 1..8 {
        assert_eq!(tab.ask(start.clone())["type"], "done");
    }
    let refused = tab.ask(start);
    assert!(refused["error"].as_str().is_some_and(|e| e.contains("8 simulations")), "{refused}");
    for (session, part) in [
        (json!({"what": "drop", "character": "characters/none.toml"}), "characters/none.toml"),
        (json!({"what": "play", "result": "results/none", "controller": "feedback"}), "8 simulations"),
    ] {
        let answer = tab.ask(json!({"type": "start", "session": session}));
        assert!(answer["error"].as_str().is_some_and(|e| e.contains(part) || e.contains("8 simulations")), "{answer}");
    }
}
