//! What a hostile page, a broken file or a broken program may try. The server answers the next request as if nothing had been.

mod support;

use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use std::io::Write;
use support::{PATIENCE, Running, encoded, read_answer};
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
