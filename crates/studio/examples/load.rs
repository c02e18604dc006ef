//! Measures what watching costs: the same transfer without and with 50 tabs that watch it, and how late frames of a simulation come.
//!
//! `cargo run --release -p sinew-studio --example load [latency]`; `latency` leaves the watching out. The tabs are in another process; what is compared is the time that the server's own
//! process computes for the same work, so that what else runs on the machine matters little.

use anyhow::{Context, Result, bail};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use sinew_studio::fronts::NoFronts;
use sinew_studio::{LARGEST_UPLOAD, Server, Studio};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

const TABS: usize = 50;
const ROUNDS: usize = 3;
/// What is transferred.
const CLIP: &str = "boxing";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    match arguments.get(1).map(String::as_str) {
        Some("tabs") => {
            let port = arguments.get(2).context("a port")?.parse()?;
            runtime.block_on(tabs(port, arguments.get(3).context("a count")?.parse()?))
        }
        which => runtime.block_on(measure(which == Some("latency"))),
    }
}

async fn measure(only_latency: bool) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("sinew-studio-load-{}", std::process::id()));
    let server = Server::bind(0).await?;
    let port = server.port();
    let studio = Arc::new(Studio::open(&folder, Arc::new(NoFronts), LARGEST_UPLOAD, 0)?);
    tokio::spawn(server.serve(studio, std::future::pending()));
    if !only_latency {
        watching(port).await?;
    }
    latency(port).await?;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

async fn watching(port: u16) -> Result<()> {
    println!("{CLIP}, quick, {TABS} tabs; computing time of the server, and steps a second by the clock");
    let (mut alone, mut watched, mut tabs_secs) = ((0.0, 0.0), (0.0, 0.0), 0.0);
    for round in 1..=ROUNDS {
        let without = transfer(port).await?;
        let mut child = start_tabs(port)?;
        tokio::time::sleep(Duration::from_millis(500)).await;
        let with = transfer(port).await?;
        tabs_secs += computing_secs(&child.id().to_string())?;
        child.kill()?;
        child.wait()?;
        println!(
            "round {round}: alone {:.2} s, {:.2} M steps/s; watched {:.2} s, {:.2} M steps/s",
            without.0,
            1e-6 * without.1,
            with.0,
            1e-6 * with.1
        );
        alone = (alone.0 + without.0, alone.1 + without.1);
        watched = (watched.0 + with.0, watched.1 + with.1);
    }
    println!(
        "watching costs the server {:.1} % more computing time; the tabs computed {:.2} s in a round",
        100.0 * (watched.0 / alone.0 - 1.0),
        tabs_secs / ROUNDS as f64
    );
    println!(
        "speed by the clock, with the tabs on this machine too: {:.1} % less",
        100.0 * (1.0 - watched.1 / alone.1)
    );
    Ok(())
}

fn start_tabs(port: u16) -> Result<Child> {
    let program = std::env::current_exe()?;
    Ok(Command::new(program).args(["tabs", &port.to_string(), &TABS.to_string()]).stdout(Stdio::null()).spawn()?)
}

/// Runs a transfer; gives the computing time of this process, s, and the steps a second.
async fn transfer(port: u16) -> Result<(f64, f64)> {
    let before = computing_secs("self")?;
    let job =
        ask(port, "POST", "/api/job", &json!({"kind": "transfer", "rig": "dinosaur", "clip": CLIP, "preset": "quick"}))
            .await?;
    let id = job["id"].as_u64().context("a number")?;
    // Up to the end of the search: pictures and files come later.
    loop {
        let job = ask(port, "GET", &format!("/api/job?id={id}"), &Value::Null).await?;
        let progress = &job["progress"];
        if job["status"] == "failed" {
            bail!("{}", job["message"]);
        }
        if progress["done"].is_u64() && progress["done"] == progress["total"] {
            let spent = computing_secs("self")? - before;
            let speed = progress["steps_per_sec"].as_f64().unwrap_or(0.0);
            while ask(port, "GET", &format!("/api/job?id={id}"), &Value::Null).await?["status"] != "done" {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            return Ok((spent, speed));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Time that a process has computed on all its threads, s (Linux).
fn computing_secs(process: &str) -> Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).context("this example needs Linux")?;
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|f| f.parse::<f64>().ok()).context("a number");
    // User and system time, in hundredths of a second.
    Ok((ticks(11)? + ticks(12)?) / 100.0)
}

/// Tabs that show a run: each takes all news, and the best motion whenever there is a new one.
async fn tabs(port: u16, count: usize) -> Result<()> {
    let tab = |_| async move {
        let (mut socket, _) = connect_async(format!("ws://127.0.0.1:{port}/api/socket")).await?;
        let mut shown = 0;
        while let Some(message) = socket.next().await {
            let Message::Text(text) = message? else { continue };
            let value: Value = serde_json::from_str(&text)?;
            let revision = value["job"]["motion_revision"].as_u64().unwrap_or(0);
            if revision != 0 && revision != shown {
                shown = revision;
                fetch(port, "GET", &format!("/api/job/motion?id={}", value["job"]["id"]), &Value::Null).await?;
            }
        }
        anyhow::Ok(())
    };
    futures_util::future::join_all((0..count).map(tab)).await;
    Ok(())
}

/// How late frames come: in an idle server, then while a transfer runs on all cores.
async fn latency(port: u16) -> Result<()> {
    ask(port, "POST", "/api/character", &json!({"rig": "dinosaur"})).await?;
    lateness(port, "nothing else running").await?;
    let job = ask(
        port,
        "POST",
        "/api/job",
        &json!({"kind": "transfer", "rig": "dinosaur", "clip": CLIP, "preset": "default"}),
    )
    .await?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    lateness(port, "a transfer on all cores").await?;
    ask(port, "POST", "/api/job/cancel", &json!({"id": job["id"]})).await?;
    Ok(())
}

async fn lateness(port: u16, beside: &str) -> Result<()> {
    let (mut socket, _) = connect_async(format!("ws://127.0.0.1:{port}/api/socket")).await?;
    let began = Instant::now();
    let now_ms = || began.elapsed().as_secs_f64() * 1e3;
    // The quickest of some pings tells what the server's clock says at our time.
    let (mut best, mut offset) = (f64::INFINITY, 0.0);
    for request in 0..50 {
        let sent = now_ms();
        socket.send(Message::text(json!({"type": "ping", "request": request}).to_string())).await?;
        loop {
            let Some(Message::Text(text)) = socket.next().await.transpose()? else { bail!("the socket ended") };
            let value: Value = serde_json::from_str(&text)?;
            if value["request"] == request {
                let took = now_ms() - sent;
                if took < best {
                    (best, offset) = (took, value["clock_ms"].as_f64().unwrap_or(0.0) - (sent + took / 2.0));
                }
                break;
            }
        }
    }
    let start =
        json!({"type": "start", "request": 99, "session": {"what": "drop", "character": "characters/dinosaur.toml"}});
    socket.send(Message::text(start.to_string())).await?;
    let (mut late, mut gaps, mut last) = (Vec::new(), Vec::new(), None);
    while late.len() < 600 {
        let Some(message) = socket.next().await.transpose()? else { bail!("the socket ended") };
        let Message::Binary(bytes) = message else { continue };
        let now = now_ms();
        late.push(now + offset - f64::from_le_bytes(bytes[40..48].try_into()?));
        gaps.extend(last.map(|last: f64| now - last));
        last = Some(now);
    }
    late.sort_by(f64::total_cmp);
    gaps.sort_by(f64::total_cmp);
    let at = |values: &[f64], share: f64| values[((values.len() - 1) as f64 * share) as usize];
    println!(
        "frames, {beside}: late by {:.2} ms (median), {:.2} ms (99 %), {:.2} ms (worst); {:.1} ms apart (median), {:.1} ms (99 %)",
        at(&late, 0.5),
        at(&late, 0.99),
        at(&late, 1.0),
        at(&gaps, 0.5),
        at(&gaps, 0.99)
    );
    socket.close(None).await?;
    Ok(())
}

async fn ask(port: u16, method: &str, path: &str, body: &Value) -> Result<Value> {
    Ok(serde_json::from_slice(&fetch(port, method, path, body).await?)?)
}

async fn fetch(port: u16, method: &str, path: &str, body: &Value) -> Result<Vec<u8>> {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await?;
    let split = bytes.windows(4).position(|w| w == b"\r\n\r\n").context("an answer")?;
    Ok(bytes.split_off(split + 4))
}
