//! `sinew studio` as a program: killed and resumed, ended, started twice.

#![cfg(unix)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(120);

struct Studio {
    child: Child,
    port: u16,
}

impl Studio {
    fn start(folder: &Path) -> Option<Studio> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sinew"))
            .args(["studio", "project", "--no-open", "--port", "0", "--threads", "1"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let Some(port) = line.trim_end().trim_end_matches('/').rsplit(':').next().and_then(|p| p.parse().ok()) else {
            let mut why = String::new();
            child.stderr.take().expect("piped").read_to_string(&mut why).expect("text");
            // On a machine without npm there is no page, and the program says what to install.
            assert!(why.contains("npm"), "{line}{why}");
            child.wait().expect("it ended");
            return None;
        };
        Some(Studio { child, port })
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connected");
        let (port, length) = (self.port, body.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let body = answer.split_once("\r\n\r\n").expect("a body").1;
        serde_json::from_str(body).unwrap_or_else(|e| panic!("{e}: {answer}"))
    }

    fn until(&self, mut fits: impl FnMut(&Value) -> bool) -> Value {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let job = self.ask("GET", "/api/job?id=1", "");
            if fits(&job) {
                return job;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("it takes too long");
    }

    fn signal(mut self, signal: &str) -> std::process::ExitStatus {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().expect("kill runs").success());
        self.child.wait().expect("it ended")
    }
}

fn sinew(folder: &Path, arguments: &[&str]) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_sinew")).args(arguments).current_dir(folder).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_killed_studio_goes_on_to_the_bytes_of_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::create_dir(here.join("project")).expect("made");
    sinew(here, &["export", "dinosaur", "--clip", "walk", "--from", "0.1", "--to", "0.9", "-o", "project/walk.bvh"]);
    let Some(studio) = Studio::start(here) else { return };
    let request =
        json!({"kind": "transfer", "rig": "walk.bvh", "preset": "quick", "seed": 3, "name": "walk"}).to_string();
    let job = studio.ask("POST", "/api/job", &request);
    assert_eq!(job["status"], "queued", "{job}");
    // The first checkpoint is of the beginning; the second one of a window at least. Where writing is slow, they come later than the progress says.
    let checkpoint = here.join("project/results/walk/checkpoint.bin");
    let mut beginning = None;
    studio.until(|job| {
        let now = std::fs::read(&checkpoint).ok();
        let has_moved_on = now.is_some() && beginning.get_or_insert_with(|| now.clone()) != &now;
        has_moved_on || job["status"] == "done"
    });
    studio.signal("-KILL");

    // Nobody has to tell it to go on.
    let studio = Studio::start(here).expect("the page is there");
    let first = studio.until(|job| job["progress"]["done"].is_f64());
    assert!(first["progress"]["done"].as_f64() >= Some(1.0), "it does not begin anew: {first}");
    let done = studio.until(|job| job["status"] == "done" || job["status"] == "failed");
    assert_eq!(done["status"], "done", "{done}");
    // A second one does not get the same project.
    let second = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args(["studio", "project", "--no-open", "--port", "0"])
        .current_dir(here)
        .output();
    let second = second.expect("it runs");
    let why = String::from_utf8(second.stderr).expect("text");
    assert!(!second.status.success() && why.contains("another studio") && why.lines().count() == 1, "{why}");
    assert!(studio.signal("-INT").success(), "Ctrl-C ends it cleanly");

    sinew(here, &["transfer", "project/walk.bvh", "--preset", "quick", "--seed", "3", "--out", "straight"]);
    for name in ["simulated.glb", "simulated.bvh", "trajectory.npz", "controls.json", "summary.json"] {
        let [ours, theirs] =
            ["project/results/walk", "straight"].map(|f| std::fs::read(here.join(f).join(name)).expect(name));
        assert!(ours == theirs, "{name} differs");
    }
    sinew(here, &["replay", "project/results/walk"]);
}
