//! Transfers with help from outside: as jobs, and as fronts that are played.

use crate::support::{Running, frame, short_walk};
use serde_json::{Value, json};
use sinew_studio::fronts::AllFronts;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A frame as far as it matters here: time, centre of mass, force of help.
fn read(bytes: &[u8]) -> (f64, [f32; 3], [f32; 3]) {
    let sizes = [12, 14, 16].map(|at| frame::u16_at(bytes, at) as usize);
    let help_at = 48 + 28 * sizes[0] + 4 * sizes[1] + 32 * sizes[2];
    let three = |at: usize| [0, 1, 2].map(|k| frame::f32_at(bytes, at + 4 * k));
    let help = if frame::u16_at(bytes, 18) == 1 { three(help_at) } else { [0.0; 3] };
    (frame::f64_at(bytes, 32), three(20), help)
}

/// How far a centre of mass is from that of a motion at the same time, m.
fn off_m(again: &sinew::transfer::Replay, secs: f64, center: [f32; 3]) -> f64 {
    let step = ((secs / again.run.dt).round() as usize).min(again.run.moments.len() - 1);
    let moment = &again.run.moments[step];
    let measured = sinew_sim::Measured::new(again.target.model(), &moment.position, &moment.velocity, [0.0; 3]);
    (0..3).map(|k| (measured.center_of_mass[k] - f64::from(center[k])).abs()).fold(0.0, f64::max)
}

#[test]
fn a_transfer_with_help_is_paused_resumed_listed_as_a_front_and_played_along_its_dial() {
    let server = Running::start_with_fronts(Arc::new(AllFronts));
    let mut tab = server.socket();
    server.ok(server.upload("short.bvh", &short_walk()));
    let request = json!({"kind": "transfer", "rig": "rigs/short.bvh", "preset": "quick", "assist": true});
    server.ok(server.post("/api/job", &request));
    let sweeps = |m: &Value| m["job"]["message"].as_str().is_some_and(|text| text.starts_with("Help: "));
    let told = tab.until(sweeps);
    let skin = server.ok(server.get("/api/job/skin?id=1"));
    assert!(skin["nodes"].as_array().is_some_and(|n| !n.is_empty()), "the figure shows without a character's file");
    let progress = &told["job"]["progress"];
    assert!(progress["total"].as_f64() > progress["done"].as_f64(), "{told}");
    // Between two prices it can be stopped; resumed, the transfer itself is not searched again.
    let status = |wanted: &'static str| {
        move |m: &Value| m["state"]["jobs"].as_array().is_some_and(|jobs| jobs.iter().any(|j| j["status"] == wanted))
    };
    server.ok(server.post("/api/job/pause", &json!({"id": 1})));
    tab.until(status("paused"));
    assert!(server.path("results/short-quick/checkpoint.bin").exists());
    let done_of = |job: &Value| job["progress"]["done"].as_f64();
    let before = done_of(&server.ok(server.get("/api/job?id=1")));
    server.ok(server.post("/api/job/resume", &json!({"id": 1})));
    let resumed = tab.until(sweeps);
    assert!(done_of(&resumed["job"]) >= before, "it goes on where it was: {resumed}");
    let done = tab.until(status("done"));
    assert!(done["state"]["jobs"][0]["message"].as_str().is_some_and(|m| m.contains("With help")), "{done}");

    let listed =
        |fronts: &Value| fronts.as_array().and_then(|f| f.iter().find(|f| f["id"] == "results/short-quick")).cloned();
    let listed_now = listed(&server.ok(server.get("/api/fronts"))).expect("listed");
    // The page hears of it with the end of the job, or soon after.
    if listed(&done["state"]["fronts"]).is_none() {
        tab.until(|m| listed(&m["state"]["fronts"]).is_some());
    }
    let detail = server.ok(server.get("/api/front?id=results%2Fshort-quick"));
    let points = detail["points"].as_array().expect("points");
    assert_eq!(listed_now["points"], points.len());
    assert!(points.len() >= 2, "physics alone, as drawn, and what is worth choosing between them: {detail}");
    let value = |index: usize, k: usize| points[index]["values"][k].as_f64().expect("a number");
    assert!((1..points.len()).all(|i| value(i, 0) > value(i - 1, 0) && value(i, 1) < value(i - 1, 1)), "{detail}");
    assert_eq!((value(0, 0), &points[0]["label"]), (0.0, &json!("physics alone")));

    // As drawn: helped, and where the point's own files say.
    let start = json!({"what": "front", "front": "results/short-quick", "dial": 1.0});
    let started = tab.ask(json!({"type": "start", "session": start}));
    let id = started["session"]["id"].clone();
    assert_eq!(started["type"], "done", "{started}");
    let last = server.path(&format!("results/short-quick/assist/{:02}", points.len() - 1));
    let drawn = sinew::transfer::replay(&last, None).expect("performed again");
    let mut has_help = false;
    for _ in 0..40 {
        let (secs, center, force) = read(&tab.frame());
        assert!(off_m(&drawn, secs, center) < 0.002, "off by {} m at {secs} s", off_m(&drawn, secs, center));
        has_help |= force != [0.0; 3];
    }
    assert!(has_help, "the arrow of the help");
    // Slowly, so that a turn of the dial falls into the middle of the motion, which goes on from there.
    tab.ask(json!({"type": "act", "session": id, "action": "time_scale", "time_scale": 0.1}));
    tab.ask(json!({"type": "act", "session": id, "action": "reset"}));
    while !(0.15..0.3).contains(&read(&tab.frame()).0) {}
    tab.ask(json!({"type": "act", "session": id, "action": "dial", "dial": 0.0}));
    let plain = sinew::transfer::replay(&server.path("results/short-quick/assist/00"), None).expect("performed again");
    let (before, began) = (read(&tab.frame()).0, Instant::now());
    let (secs, center) = loop {
        assert!(began.elapsed() < Duration::from_secs(20), "the dial counts");
        let (secs, center, force) = read(&tab.frame());
        if force == [0.0; 3] {
            break (secs, center);
        }
    };
    assert!(secs >= before && off_m(&plain, secs, center) < 0.002, "it is where physics alone is at {secs} s");
    assert_eq!(tab.ask(json!({"type": "act", "session": id, "action": "dial", "dial": 2.0}))["type"], "error");
    tab.ask(json!({"type": "end", "session": id}));
    // A point that is damaged is left out, and said where it is asked for.
    std::fs::write(last.join("controls.json"), "{").expect("written");
    let fewer = server.ok(server.get("/api/front?id=results%2Fshort-quick"));
    assert_eq!(fewer["points"].as_array().map(Vec::len), Some(points.len() - 1));
    let refused = tab.ask(json!({"type": "start", "session": start}));
    assert!(refused["error"].as_str().is_some_and(|e| e.contains("controls.json is damaged")), "{refused}");
    server.ok(server.delete("/api/result?id=results%2Fshort-quick"));
    assert!(!server.path("results/short-quick").exists(), "the points go with it");
}
