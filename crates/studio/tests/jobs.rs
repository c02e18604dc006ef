//! Transfers as jobs: progress while they run, one at a time, paused, resumed, cancelled; their files.

use crate::support::{Running, encoded, short_walk};
use serde_json::{Value, json};

fn motion_header(bytes: &[u8]) -> Value {
    assert_eq!(&bytes[..4], b"SNWM");
    let length = u32::from_le_bytes(bytes[4..8].try_into().expect("four")) as usize;
    serde_json::from_slice(&bytes[8..8 + length]).expect("a header")
}

#[test]
fn a_transfer_tells_its_progress_and_leaves_the_files_of_the_command_line() {
    let server = Running::start();
    let mut tab = server.socket();
    server.ok(server.upload("short.bvh", &short_walk()));
    let request = json!({"kind": "transfer", "rig": "rigs/short.bvh", "preset": "quick", "seed": 5});
    let job = server.ok(server.post("/api/job", &request));
    assert_eq!((&job["id"], &job["result"]), (&json!(1), &json!("results/short-quick")));
    let second = server.ok(server.post("/api/job", &request));
    assert_eq!(second["result"], "results/short-quick-2", "results do not overwrite each other");

    // The first window is told while the job runs, and its motion can be looked at.
    let progress = tab.until(|m| m["type"] == "job" && m["job"]["windows"].as_array().is_some_and(|w| !w.is_empty()));
    let told = &progress["job"];
    assert!(
        told["progress"]["best"]["value"].as_f64() > Some(0.0)
            && told["progress"]["clock"]["steps_per_sec"].as_f64() > Some(0.0)
    );
    assert!(
        told["windows"][0]["kept"].as_array().is_some_and(|k| k.len() > 1)
            && told["motion_revision"].as_u64() >= Some(1)
    );
    let motion = server.get("/api/job/motion?id=1");
    let header = motion_header(&motion.body);
    assert!(header["frames"].as_u64() > Some(10) && header["joints"].as_array().is_some_and(|j| !j.is_empty()));

    // Only one runs at a time.
    let all = server.ok(server.get("/api/state"));
    let running = all["jobs"].as_array().expect("jobs").iter().filter(|j| j["status"] == "running").count();
    assert!(running <= 1);
    let done = |id: u64| {
        move |m: &Value| {
            let jobs = m["state"]["jobs"].as_array();
            jobs.is_some_and(|jobs| jobs.iter().any(|j| j["id"] == id && j["status"] == "done"))
        }
    };
    tab.until(done(1));
    server.ok(server.post("/api/job/cancel", &json!({"id": 2})));

    let detail = server.ok(server.get("/api/result?id=results%2Fshort-quick"));
    assert_eq!((&detail["entry"]["completed"], &detail["rig"]), (&json!(true), &json!("rigs/short.bvh")));
    assert!(detail["summary"]["windows"].as_array().is_some_and(|w| !w.is_empty()));
    let names: Vec<&str> =
        detail["files"].as_array().expect("files").iter().filter_map(|f| f["name"].as_str()).collect();
    assert!(
        ["simulated.glb", "simulated.bvh", "trajectory.npz", "report.html"].iter().all(|n| names.contains(n)),
        "{names:?}"
    );
    let glb = server.get("/api/result/file?id=results%2Fshort-quick&name=simulated.glb");
    assert!(glb.body.starts_with(b"glTF") && glb.head.contains("attachment; filename=\"short-quick-simulated.glb\""));
    let page = server.get("/api/result/file?id=results%2Fshort-quick&name=report.html&inline=true");
    assert!(page.head.contains("sandbox") && !page.head.contains("attachment"));
    // What the command line would have written, byte for byte.
    let again = sinew::transfer::replay(&server.path("results/short-quick"), None).expect("performed again");
    assert!(again.is_same() && again.controls.seed == 5);
    for which in ["simulated", "target"] {
        let motion = server.get(&format!("/api/result/motion?id=results%2Fshort-quick&which={which}"));
        assert_eq!(motion_header(&motion.body)["frames"], 25, "{which}");
    }
    assert_eq!(server.get("/api/result/file?id=results%2Fshort-quick&name=..%2F..%2Fjobs.json").status, 404);
    server.ok(server.delete("/api/job?id=1"));
    server.ok(server.delete("/api/result?id=results%2Fshort-quick"));
    assert!(!server.path("results/short-quick").exists());
}

#[test]
fn jobs_are_paused_resumed_and_cancelled() {
    let server = Running::start();
    let mut tab = server.socket();
    let request = json!({"kind": "transfer", "rig": "dinosaur", "clip": "walk", "preset": "quick"});
    server.ok(server.post("/api/job", &request));
    let waiting = server.ok(server.post("/api/job", &request));
    let status = |id: u64, status: &'static str| {
        move |m: &Value| {
            let of = |j: &Value| j["id"] == id && j["status"] == status;
            m["state"]["jobs"].as_array().is_some_and(|jobs| jobs.iter().any(of)) || of(&m["job"])
        }
    };
    tab.until(|m| m["type"] == "job" && m["job"]["windows"].as_array().is_some_and(|w| !w.is_empty()));
    server.ok(server.post("/api/job/pause", &json!({"id": 1})));
    tab.until(status(1, "paused"));
    assert!(server.path("results/dinosaur-walk-quick/checkpoint.bin").exists());
    // The next one takes its turn meanwhile.
    tab.until(status(2, "running"));
    server.ok(server.post("/api/job/cancel", &json!({"id": 2})));
    tab.until(status(2, "cancelled"));
    let gone = server.path(waiting["result"].as_str().expect("a folder"));
    let began = std::time::Instant::now();
    while gone.exists() && began.elapsed().as_secs() < 5 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(!gone.exists(), "nothing is left of it");
    assert_eq!(server.post("/api/job/resume", &json!({"id": 2})).status, 409);
    assert_eq!(server.delete("/api/job?id=1").status, 409, "it has not ended");

    let before = server.ok(server.get("/api/job?id=1"))["progress"]["done"].as_f64();
    server.ok(server.post("/api/job/resume", &json!({"id": 1})));
    let first = tab
        .until(|m| m["type"] == "job" && m["job"]["id"] == 1 && m["job"]["progress"]["clock"]["elapsed_secs"].is_f64());
    assert!(first["job"]["progress"]["done"].as_f64() >= before, "it goes on where it was");
    server.ok(server.post("/api/job/cancel", &json!({"id": 1})));
    tab.until(status(1, "cancelled"));
}

#[test]
fn what_cannot_be_done_is_said_at_once() {
    let server = Running::start();
    let refused = |request: Value, part: &str| {
        let answer = server.post("/api/job", &request);
        assert!(
            (400..500).contains(&answer.status) && answer.error().contains(part),
            "{}: {}",
            request,
            answer.error()
        );
    };
    refused(json!({"kind": "transfer", "rig": "unicorn", "preset": "quick"}), "unicorn");
    refused(json!({"kind": "transfer", "rig": "dinosaur", "preset": "instant"}), "instant");
    refused(json!({"kind": "transfer", "preset": "quick"}), "name a character");
    refused(json!({"kind": "transfer", "rig": "dinosaur", "preset": "quick", "name": "../x"}), "name of a file");
    refused(json!({"kind": "transfer", "rig": "dinosaur", "preset": "quick", "cycles": 0}), "cycles");
    refused(json!({"kind": "feedback", "result": "results/none", "preset": "default"}), "results/none");
    refused(json!({"kind": "bake"}), "bake");
    // A clip that is not there is found when the job begins; the queue goes on.
    let mut tab = server.socket();
    server
        .ok(server
            .post("/api/job", &json!({"kind": "transfer", "rig": "dinosaur", "clip": "moonwalk", "preset": "quick"})));
    let failed =
        tab.until(|m| m["state"]["jobs"].as_array().is_some_and(|j| j.iter().any(|j| j["status"] == "failed")));
    let sentence = failed["state"]["jobs"][0]["message"].as_str().expect("a sentence");
    assert!(sentence.contains("moonwalk"), "{sentence}");
    assert_eq!(server.get(&format!("/api/job/motion?id={}", encoded("1"))).status, 404);
}
