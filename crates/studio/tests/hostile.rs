//! What a hostile page, a broken file or a broken program may try. The server answers the next request as if nothing had been.

use crate::support::{PATIENCE, Running, encoded, read_answer};
use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

fn is_alive(server: &Running) {
    assert_eq!(server.get("/api/state").status, 200);
}

#[test]
fn names_do_not_leave_the_project() {
    let server = Running::start();
    let outside = server.folder.path().parent().expect("above").join("secret-of-sinew.glb");
    std::fs::write(&outside, sinew::assets::dinosaur()).expect("written");
    let up = format!("../{}", outside.file_name().expect("a name").to_string_lossy());
    let absolute = outside.display().to_string();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&outside, server.path("link.glb")).expect("linked");
    for id in [
        up.as_str(),
        absolute.as_str(),
        "/etc/passwd",
        "..",
        "rigs/../../x",
        ".studio/jobs.json",
        "link.glb",
        "a\0b",
        "C:\\x",
        ".",
    ] {
        for path in [
            "rig?id=",
            "rig/stage.glb?id=",
            "rig/motion?clip=walk&id=",
            "character?id=",
            "character/file?id=",
            "character/skin?id=",
            "character/preflight?id=",
            "character/motion?clip=a&id=",
            "result?id=",
            "result/motion?id=",
            "result/skin?id=",
            "result/file?name=controls.json&id=",
            "front?id=",
        ] {
            let answer = server.get(&format!("/api/{path}{}", encoded(id)));
            assert!((400..500).contains(&answer.status), "{path} {id:?}: {}", answer.status);
            assert!(!answer.error().is_empty() && answer.body.len() < 1000);
        }
        for path in ["rig?id=", "character?id=", "result?id="] {
            assert!((400..500).contains(&server.delete(&format!("/api/{path}{}", encoded(id))).status));
        }
        assert!((400..500).contains(&server.post("/api/character", &json!({"rig": id})).status));
        // As a new name a link's is as good as any.
        if id == "link.glb" {
            continue;
        }
        assert!(
            (400..500).contains(&server.post("/api/character", &json!({"rig": "human", "name": id})).status),
            "{id}"
        );
        for query in [format!("name={}", encoded(id)), format!("name=a.bin&folder={}", encoded(id))] {
            let answer = server.request("POST", &format!("/api/upload?{query}"), "", b"x");
            assert!((400..500).contains(&answer.status), "{query}");
        }
    }
    let state = server.ok(server.get("/api/state"));
    assert_eq!(state["rigs"].as_array().map(Vec::len), Some(3), "links out of the folder are not listed");
    assert!(outside.exists());
    std::fs::remove_file(outside).expect("removed");
    is_alive(&server);
}

#[test]
fn foreign_pages_and_names_are_refused() {
    let server = Running::start();
    let port = server.port;
    let with = |headers: &str| {
        server.raw(format!("GET /api/state HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").as_bytes()).status
    };
    assert_eq!(with(&format!("Host: localhost:{port}\r\n")), 200);
    assert_eq!(with(&format!("Host: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n")), 200);
    assert_eq!(with(&format!("Host: rebound.example:{port}\r\n")), 403);
    assert_eq!(with("Host: 127.0.0.1\r\n"), 403);
    for origin in ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", "file://"] {
        assert_eq!(with(&format!("Host: 127.0.0.1:{port}\r\nOrigin: {origin}\r\n")), 403, "{origin}");
    }
    assert_eq!(with(&format!("Host: 127.0.0.1:{port}\r\nSec-Fetch-Site: cross-site\r\n")), 403);
    let foreign = server.request("POST", "/api/character", "Origin: http://evil.example\r\n", br#"{"rig":"human"}"#);
    assert_eq!((foreign.status, server.path("characters").exists()), (403, false));
    // Neither does a foreign page get a socket.
    let mut request = format!("ws://127.0.0.1:{port}/api/socket").into_client_request().expect("a request");
    request.headers_mut().insert("origin", "http://evil.example".parse().expect("a value"));
    assert!(server.runtime().block_on(connect_async(request)).is_err());
    is_alive(&server);
}

#[test]
fn an_upload_that_is_too_large_is_not_kept() {
    let server = Running::start_with(1 << 20);
    let small = server.upload("small.bvh", &vec![b'x'; 1 << 19]);
    assert_eq!(small.status, 400, "it is no rig, but not too large");
    // Announced: refused though nothing of it is kept.
    let large = server.upload("large.glb", &vec![0; 8 << 20]);
    assert_eq!(large.status, 413, "{}", large.error());
    // In pieces whose number nobody announces.
    let mut stream = server.connect();
    let head = format!(
        "POST /api/upload?name=large.glb HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        server.port
    );
    stream.write_all(head.as_bytes()).expect("sent");
    let piece = [b"10000\r\n".as_slice(), &vec![7; 0x10000], b"\r\n"].concat();
    for _ in 0..200 {
        stream.write_all(&piece).expect("taken and thrown away");
    }
    stream.write_all(b"0\r\n\r\n").expect("sent");
    let answer = read_answer(stream);
    assert!(answer.status == 413 && answer.error().contains("1 MB"), "{} {}", answer.status, answer.error());
    let left = std::fs::read_dir(server.path(".studio/uploads")).map_or(0, Iterator::count);
    assert_eq!((left, server.path("rigs/large.glb").exists()), (0, false), "nothing is left");
    // One that breaks off.
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).expect("sent");
    stream.write_all(&piece).expect("sent");
    drop(stream);
    is_alive(&server);
    // Other requests are short.
    assert_eq!(server.request("POST", "/api/character", "", &vec![b' '; 2 << 20]).status, 413);
}

#[test]
fn broken_files_and_requests_get_one_sentence() {
    let server = Running::start();
    let dinosaur = sinew::assets::dinosaur();
    let broken: [(&str, Vec<u8>); 7] = [
        ("empty.glb", vec![]),
        ("garbage.glb", (0..4000u32).flat_map(|x| x.wrapping_mul(2654435761).to_le_bytes()).collect()),
        ("half.glb", dinosaur[..dinosaur.len() / 2].to_vec()),
        ("head.glb", dinosaur[..20].to_vec()),
        ("text.bvh", b"HIERARCHY\nROOT a\n{".to_vec()),
        ("fake.fbx", b"Kaydara FBX Binary  \0\x1a\0garbage".to_vec()),
        ("bad.toml", b"name = [".to_vec()),
    ];
    for (name, bytes) in &broken {
        let answer = server.upload(name, bytes);
        assert!(answer.status == 400 && !answer.error().is_empty(), "{name}: {}", answer.status);
        assert!(answer.error().trim().lines().count() == 1, "{}", answer.error());
    }
    assert_eq!(server.upload("virus.exe", b"MZ").status, 400);
    assert_eq!(std::fs::read_dir(server.path("rigs")).map_or(0, Iterator::count), 0, "nothing of them is kept");
    // A file that was put there by hand and is broken is listed, and says what is wrong when it is opened.
    std::fs::write(server.path("hand.glb"), b"nothing").expect("written");
    std::fs::write(server.path("hand.toml"), b"nothing").expect("written");
    std::fs::create_dir(server.path("hand")).expect("made");
    std::fs::write(server.path("hand/controls.json"), b"nothing").expect("written");
    for path in [
        "rig?id=hand.glb",
        "rig/stage.glb?id=hand.glb",
        "character?id=hand.toml",
        "result?id=hand",
        "result/motion?id=hand",
    ] {
        let answer = server.get(&format!("/api/{path}"));
        assert!(answer.status == 400 && !answer.error().is_empty(), "{path}: {}", answer.status);
    }
    for (path, body) in [
        ("/api/character", "{"),
        ("/api/character", "[]"),
        ("/api/job", "{\"kind\":7}"),
        ("/api/job/pause", "\"\""),
        ("/api/character/edit", "{\"id\":\"a\"}"),
    ] {
        let answer = server.request("POST", path, "", body.as_bytes());
        assert!(answer.status == 400 && !answer.error().is_empty(), "{path} {body}");
    }
    assert_eq!(
        (
            server.get("/api/nothing").status,
            server.get("/api/rig").status,
            server.request("PUT", "/api/rig?id=human", "", b"").status
        ),
        (404, 400, 404)
    );
    let raw = server.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 no HTTP at all\r\n\r\n");
    assert!(raw.status == 400 || raw.status == 0);
    is_alive(&server);
}

#[test]
fn garbage_on_the_socket_gets_an_error_and_the_socket_goes_on() {
    let server = Running::start();
    let mut tab = server.socket();
    tab.until(|m| m["type"] == "hello");
    for text in [
        "",
        "{",
        "null",
        "{\"type\":\"act\"}",
        "{\"type\":\"fly\",\"request\":1}",
        "{\"type\":\"act\",\"request\":1,\"session\":1,\"action\":\"explode\"}",
        "\u{0}",
    ] {
        tab.send(Message::text(text));
        let answer = tab.until(|m| m["type"] == "error");
        assert!(answer["error"].as_str().is_some_and(|e| !e.is_empty()), "{text}");
    }
    tab.send(Message::binary(vec![1, 2, 3]));
    tab.until(|m| m["type"] == "error");
    let nan = tab.ask(json!({"type": "act", "session": 1, "action": "push", "body": 0, "force": [0, 0, 0], "secs": 1}));
    assert!(nan["error"].as_str().is_some_and(|e| e.contains("ended")), "{nan}");
    assert_eq!(tab.ask(json!({"type": "ping"}))["type"], "done");
    // A message that is too long ends that socket, and nothing else.
    let mut other = server.socket();
    let _ = server.runtime().block_on(other.stream.send(Message::text("x".repeat(1 << 20))));
    let closed = async {
        while let Ok(Some(Ok(message))) = tokio::time::timeout(PATIENCE, other.stream.next()).await {
            if message.is_close() {
                break;
            }
        }
    };
    server.runtime().block_on(closed);
    // Bytes that are no frames of a socket at all.
    let mut stream = server.connect();
    let head = format!(
        "GET /api/socket HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        server.port
    );
    stream.write_all(head.as_bytes()).expect("sent");
    stream.write_all(&[0xff; 4096]).expect("sent");
    drop(stream);
    assert_eq!(tab.ask(json!({"type": "ping"}))["type"], "done");
    is_alive(&server);
}

#[test]
fn fifty_tabs_hear_the_same_and_a_deaf_one_harms_nobody() {
    let server = Running::start();
    server.ok(server.post("/api/character", &json!({"rig": "dinosaur"})));
    let mut tabs: Vec<_> = (0..50).map(|_| server.socket()).collect();
    // It never reads.
    let mut deaf = server.socket();
    let started =
        tabs[0].ask(json!({"type": "start", "session": {"what": "drop", "character": "characters/dinosaur.toml"}}));
    let stream = started["session"]["id"].clone();
    deaf.send(Message::text(json!({"type": "watch", "request": 1, "stream": stream}).to_string()));
    for tab in &mut tabs[1..] {
        let watching = tab.ask(json!({"type": "watch", "stream": stream}));
        assert_eq!(watching["type"], "done");
    }
    for tab in &mut tabs {
        assert!(tab.frame().len() > 500);
    }
    let edit = json!({"id": "characters/dinosaur.toml", "change": {"edit": "set_mass", "body": "head", "mass": 5.0}});
    let edited = server.ok(server.post("/api/character/edit", &edit));
    for tab in &mut tabs {
        assert_eq!(tab.until(|m| m["type"] == "character")["revision"], edited["revision"]);
    }
    is_alive(&server);
}

/// The head of a request with a body that is announced.
fn head(server: &Running, path: &str, length: usize) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {length}\r\n\r\n", server.port)
}

#[test]
fn requests_that_do_not_go_on_are_given_up() {
    let server = Running::start_impatient();
    // Heads that never end, and nothing at all: closed, or refused and closed.
    for begun in ["", "GET /api/state HT", "GET /api/state HTTP/1.1\r\nHost: 127.0.0.1\r\nX-More: "] {
        let answer = server.raw(begun.as_bytes());
        assert!(answer.status == 0 || answer.status == 408, "{begun:?}: {}", answer.head);
    }
    // A head that drips.
    let mut stream = server.connect();
    let drips = std::iter::repeat_n(b"x", 400).take_while(|byte| {
        std::thread::sleep(Duration::from_millis(20));
        stream.write_all(*byte).is_ok()
    });
    assert!(drips.count() < 400, "it was given up");
    // Bodies that never end.
    for path in ["/api/character", "/api/job/pause", "/api/upload?name=slow.glb"] {
        let answer = server.raw(format!("{}{{\"rig\":", head(&server, path, 1000)).as_bytes());
        assert!(answer.status == 408 && !answer.error().is_empty(), "{path}: {}", answer.head);
    }
    let left = std::fs::read_dir(server.path(".studio/uploads")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "nothing is left of the upload");
    // A body that nobody reads.
    let request = head(&server, "/api/nothing", 1000).replacen("POST", "GET", 1);
    assert_eq!(server.raw(request.as_bytes()).status, 404);
    is_alive(&server);
}

#[test]
fn an_upload_that_drips_is_given_up() {
    let server = Running::start_impatient();
    let mut stream = server.connect();
    stream.write_all(head(&server, "/api/upload?name=slow.glb", 100_000).as_bytes()).expect("sent");
    let mut reader = stream.try_clone().expect("the same socket");
    let dripping = std::thread::spawn(move || {
        while stream.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let mut answer = [0; 12];
    reader.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 408");
    dripping.join().expect("it ends when the socket is closed");
    is_alive(&server);
}

/// More half-open requests than are served at once: they are given up, and others are served.
#[test]
fn half_open_requests_do_not_lock_others_out() {
    let server = Running::start_impatient();
    let held: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(b"GET /api/state HTTP/1.1\r\n").expect("sent");
            stream
        })
        .collect();
    is_alive(&server);
    drop(held);
}

/// A web socket by hand: the opening, and frames from the server.
struct RawSocket {
    stream: TcpStream,
}

impl RawSocket {
    fn open(server: &Running) -> RawSocket {
        let mut stream = server.connect();
        let head = format!(
            "GET /api/socket HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            server.port
        );
        stream.write_all(head.as_bytes()).expect("sent");
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("an answer");
            answer.push(byte[0]);
        }
        assert!(answer.starts_with(b"HTTP/1.1 101"));
        RawSocket { stream }
    }

    /// A frame under a mask of zeros.
    fn send(&mut self, first: u8, payload: &[u8]) {
        let length = u8::try_from(payload.len()).expect("short");
        let frame = [&[first, 0x80 | length, 0, 0, 0, 0], payload].concat();
        self.stream.write_all(&frame).expect("sent");
    }

    /// The next frame: its kind and its payload.
    fn next(&mut self) -> (u8, Vec<u8>) {
        let mut read = |count: usize| {
            let mut bytes = vec![0; count];
            self.stream.read_exact(&mut bytes).expect("a frame");
            bytes
        };
        let head = read(2);
        let length = match head[1] {
            126 => read(2).iter().fold(0, |sum, byte| 256 * sum + usize::from(*byte)),
            127 => read(8).iter().fold(0, |sum, byte| 256 * sum + usize::from(*byte)),
            short => usize::from(short),
        };
        (head[0] & 15, read(length))
    }

    /// What is said last: the error, the code of the close, and that nothing comes after it.
    fn refusal(&mut self) -> (String, u16) {
        let mut error = String::new();
        loop {
            match self.next() {
                (1, text) => {
                    let text: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
                    if text["type"] == "error" {
                        text["error"].as_str().unwrap_or_default().clone_into(&mut error);
                    }
                }
                (8, close) => {
                    let mut rest = Vec::new();
                    self.stream.read_to_end(&mut rest).expect("closed in order");
                    assert!(rest.is_empty());
                    return (error, u16::from_be_bytes([close[0], close[1]]));
                }
                _ => {}
            }
        }
    }
}

#[test]
fn bytes_that_are_no_text_get_an_error_and_the_socket_is_closed_with_its_code() {
    let server = Running::start();
    let mut tab = server.socket();
    tab.until(|m| m["type"] == "hello");
    let refused = |first: u8, payload: &[u8]| {
        let mut socket = RawSocket::open(&server);
        socket.send(first, payload);
        socket.refusal()
    };
    // Text whose bytes are no UTF-8, cut within a letter, or joined from two frames.
    for payload in [&b"\xff\xfe"[..], b"{\"type\":\"\xc3\x28\"}", b"\xe2\x82"] {
        let (error, code) = refused(0x81, payload);
        assert!(code == 1007 && error.contains("UTF-8"), "{code} {error}");
    }
    let mut socket = RawSocket::open(&server);
    socket.send(0x01, b"\xe2");
    socket.send(0x80, b"x");
    let (error, code) = socket.refusal();
    assert!(code == 1007 && error.contains("UTF-8"), "{code} {error}");
    // A kind of frame that there is not.
    let (error, code) = refused(0x83, b"x");
    assert!(code == 1002 && error.contains("web socket"), "{code} {error}");
    assert_eq!(tab.ask(json!({"type": "ping"}))["type"], "done");
    is_alive(&server);
}

/// Pipes in the place of every file that is looked for: the server neither waits for them nor lists them.
#[cfg(unix)]
#[test]
fn pipes_in_the_project_are_no_files() {
    let server = Running::start();
    std::fs::create_dir_all(server.path("results/pipe")).expect("made");
    let names = ["hero.glb", "hero.toml", "hero.bvh", "results/pipe/controls.json", "results/pipe/policy.json"];
    for name in names {
        let made = std::process::Command::new("mkfifo").arg(server.path(name)).status().expect("mkfifo");
        assert!(made.success());
    }
    let state = server.ok(server.get("/api/state"));
    assert_eq!(
        (state["rigs"].as_array().map(Vec::len), state["characters"].as_array().map(Vec::len)),
        (Some(3), Some(0))
    );
    assert_eq!(state["results"].as_array().map(Vec::len), Some(0));
    for path in ["rig?id=hero.glb", "character?id=hero.toml", "result?id=results/pipe", "result/motion?id=results/pipe"]
    {
        let answer = server.get(&format!("/api/{path}"));
        assert!((400..500).contains(&answer.status) && !answer.error().is_empty(), "{path}: {}", answer.status);
    }
    is_alive(&server);
}

/// Whatever spelling or link leads to it, a result that a job works on is not removed.
#[cfg(unix)]
#[test]
fn a_result_in_use_has_no_second_name() {
    let server = Running::start();
    let job = server.ok(server.post(
        "/api/job",
        &json!({"kind": "transfer", "rig": "dinosaur", "preset": "paper", "clip": "walk", "name": "x"}),
    ));
    assert_eq!(job["result"], "results/x");
    server.ok(server.post("/api/job/pause", &json!({"id": job["id"]})));
    std::fs::write(server.path("results/x/controls.json"), "{}").expect("written");
    std::os::unix::fs::symlink("results", server.path("linked")).expect("linked");
    let names = [
        ("results/x", 409),
        ("linked/x", 409),
        ("results/./x", 400),
        ("./results/x", 400),
        ("results//x", 400),
        ("results/x/", 400),
        ("results/x/.", 400),
        ("results/y/../x", 400),
        ("results/none", 404),
    ];
    for (id, status) in names {
        let answer = server.delete(&format!("/api/result?id={}", encoded(id)));
        assert_eq!(answer.status, status, "{id}: {}", answer.error());
        if status != 409 {
            let training = server.post("/api/job", &json!({"kind": "feedback", "result": id, "preset": "default"}));
            assert_eq!(training.status, status, "{id}: {}", training.error());
        }
    }
    assert!(server.path("results/x/controls.json").exists());
    server.ok(server.post("/api/job/cancel", &json!({"id": job["id"]})));
    is_alive(&server);
}
