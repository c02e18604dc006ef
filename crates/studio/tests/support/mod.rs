//! A server on a free port with a project of its own, and a client that says exactly what it is told to.

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use sinew_studio::fronts::{FrontSource, NoFronts};
use sinew_studio::{Patience, Server, Studio};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// How long anything may take before a test gives up.
pub const PATIENCE: Duration = Duration::from_secs(120);

pub struct Running {
    pub port: u16,
    pub folder: TempDir,
    runtime: Runtime,
    end: Option<tokio::sync::oneshot::Sender<()>>,
}

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }
    /// The sentence of a refusal.
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_default().to_owned()
    }
}

impl Running {
    pub fn start() -> Running {
        Running::start_with(64 << 20)
    }

    pub fn start_with(largest_upload: u64) -> Running {
        Running::open(largest_upload, Arc::new(NoFronts), Patience::default())
    }

    pub fn start_with_fronts(fronts: Arc<dyn FrontSource>) -> Running {
        Running::open(64 << 20, fronts, Patience::default())
    }

    /// A server that gives a client up soon.
    pub fn start_impatient() -> Running {
        let soon = Duration::from_millis(300);
        Running::open(64 << 20, Arc::new(NoFronts), Patience { head: soon, body: soon, answer: PATIENCE })
    }

    fn open(largest_upload: u64, fronts: Arc<dyn FrontSource>, patience: Patience) -> Running {
        let folder = tempfile::tempdir().expect("a folder");
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let server = runtime.block_on(Server::bind(0)).expect("a port").with_patience(patience);
        let port = server.port();
        let studio = Studio::open(folder.path(), fronts, largest_upload, 2).expect("a project");
        runtime.spawn(server.serve(Arc::new(studio), async move {
            let _ = ended.await;
        }));
        Running { port, folder, runtime, end: Some(end) }
    }

    pub fn path(&self, id: &str) -> PathBuf {
        self.folder.path().join(id)
    }

    /// A request as it is; reads the whole answer.
    pub fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request).expect("sent");
        read_answer(stream)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connected");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        stream
    }

    pub fn request(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
        let (port, length) = (self.port, body.len());
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        self.raw(&[head.as_bytes(), body].concat())
    }

    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, "", b"")
    }
    pub fn delete(&self, path: &str) -> Answer {
        self.request("DELETE", path, "", b"")
    }
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.request("POST", path, "Content-Type: application/json\r\n", body.to_string().as_bytes())
    }
    pub fn upload(&self, name: &str, bytes: &[u8]) -> Answer {
        self.request("POST", &format!("/api/upload?name={name}"), "", bytes)
    }

    /// A request that must be taken.
    pub fn ok(&self, answer: Answer) -> Value {
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
        answer.json()
    }

    pub fn socket(&self) -> Socket<'_> {
        let address = format!("ws://127.0.0.1:{}/api/socket", self.port);
        let request = address.into_client_request().expect("a request");
        let (stream, _) = self.runtime.block_on(connect_async(request)).expect("a socket");
        Socket { running: self, stream, next_request: 1 }
    }

    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            let _ = end.send(());
        }
    }
}

pub fn read_answer(mut stream: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    // A server that closes before it has read everything resets the connection; what it said first counts.
    let _ = stream.read_to_end(&mut bytes);
    let split = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(bytes.len());
    let head = String::from_utf8_lossy(&bytes[..split]).into_owned();
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    Answer { status, head, body: bytes[(split + 4).min(bytes.len())..].to_vec() }
}

pub struct Socket<'a> {
    running: &'a Running,
    pub stream: WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>,
    next_request: u64,
}

impl Socket<'_> {
    pub fn send(&mut self, message: Message) {
        self.running.runtime.block_on(self.stream.send(message)).expect("sent");
    }

    /// Sends a message and gives the answer to it, with what came before.
    pub fn ask(&mut self, mut message: Value) -> Value {
        let request = self.next_request;
        self.next_request += 1;
        message["request"] = request.into();
        self.send(Message::text(message.to_string()));
        self.until(|m| m["request"] == request)
    }

    pub fn next(&mut self) -> Message {
        let next = async { tokio::time::timeout(PATIENCE, self.stream.next()).await };
        self.running.runtime.block_on(next).expect("in time").expect("open").expect("a message")
    }

    /// The next text that fits.
    pub fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Message::Text(text) = self.next() {
                let value: Value = serde_json::from_str(&text).expect("JSON");
                if fits(&value) {
                    return value;
                }
            }
        }
        panic!("nothing came");
    }

    /// The next frame.
    pub fn frame(&mut self) -> Vec<u8> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Message::Binary(bytes) = self.next() {
                return bytes.to_vec();
            }
        }
        panic!("no frame came");
    }
}

/// Numbers of a frame.
pub mod frame {
    pub fn u16_at(bytes: &[u8], at: usize) -> u16 {
        u16::from_le_bytes(bytes[at..at + 2].try_into().expect("two"))
    }
    pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"))
    }
    pub fn f32_at(bytes: &[u8], at: usize) -> f32 {
        f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"))
    }
    pub fn f64_at(bytes: &[u8], at: usize) -> f64 {
        f64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"))
    }
}

/// Half a second of a walk as a BVH file.
pub fn short_walk() -> Vec<u8> {
    use sinew::export::{ClipChanges, export};
    let source = sinew::source::Source::open(Path::new("human"), &[], &Default::default()).expect("embedded");
    let walk = source.rig.clips.iter().find(|c| c.name == "walk").expect("walk");
    let changes = ClipChanges { from_secs: Some(0.2), to_secs: Some(0.6), ..ClipChanges::default() };
    let clip = changes.apply(&source, walk).expect("cropped");
    export(&source, &clip, Path::new("short.bvh")).expect("written")
}

/// Percent-encodes an id.
pub fn encoded(id: &str) -> String {
    id.bytes()
        .map(|b| if b.is_ascii_alphanumeric() || b == b'.' { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect()
}
