//! The web socket: news to every tab, simulations to those who watch. A tab that reads too slowly loses frames, never state.

use crate::error::{Refusal, on_a_thread};
use crate::hub::text;
use crate::protocol::{ClientMessage, PROTOCOL, ServerMessage, SessionEntry};
use crate::routes::App;
use crate::studio::Studio;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};
use tokio::task::JoinHandle;

/// Longest message that is read, bytes.
const LONGEST: usize = 64 << 10;
/// Most sockets at once.
const MOST_SOCKETS: usize = 256;
/// Answers that may wait to be sent.
const ANSWERS: usize = 64;
/// Frames that may wait to be sent; older ones are dropped.
const FRAMES: usize = 4;
/// A tab that takes nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(30);

static OPEN: AtomicUsize = AtomicUsize::new(0);

/// Counts a socket as long as it lives.
struct Counted;

impl Counted {
    fn new() -> Option<Counted> {
        let before = OPEN.fetch_add(1, Ordering::SeqCst);
        let counted = Counted;
        (before < MOST_SOCKETS).then_some(counted)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        OPEN.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Turns a request into a socket.
pub async fn upgrade(
    State(studio): App,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    let Ok(upgrade) = upgrade else {
        return Refusal::bad("this is the address of a web socket; open the page instead").into_response();
    };
    let Some(counted) = Counted::new() else {
        return Refusal::conflict(format!("{MOST_SOCKETS} tabs are open; close some")).into_response();
    };
    upgrade.max_message_size(LONGEST).max_frame_size(LONGEST).on_upgrade(move |socket| async move {
        talk(studio, socket).await;
        drop(counted);
    })
}

async fn talk(studio: Arc<Studio>, socket: WebSocket) {
    let (sink, mut incoming) = socket.split();
    let (answers, answered) = mpsc::channel(ANSWERS);
    let (frames, framed) = mpsc::channel(FRAMES);
    // News are listened to before the first state is read, so that none is missed.
    let news = studio.hub.listen();
    let mut writer = tokio::spawn(write(studio.clone(), sink, news, answered, framed));
    let mut tab = Tab { studio, answers, frames, watched: BTreeMap::new() };
    while let Some(message) = incoming.next().await {
        let message = match message {
            Ok(message) => message,
            Err(error) => {
                let Some((code, sentence)) = broken(error) else { break };
                let error = ServerMessage::Error { request: None, error: sentence.into() };
                let close = CloseFrame { code, reason: sentence.into() };
                // Where the tab has gone, nothing more is to be done.
                let _ = tab.answers.send(Message::Text(text(&error))).await;
                let _ = tab.answers.send(Message::Close(Some(close))).await;
                let _ = tokio::time::timeout(PATIENCE, &mut writer).await;
                break;
            }
        };
        let understood = match message {
            Message::Text(text) => serde_json::from_str(&text).map_err(|e| e.to_string()),
            Message::Binary(_) => Err("binary messages go from the server to the page only".into()),
            Message::Close(_) => break,
            Message::Ping(_) | Message::Pong(_) => continue,
        };
        let answer = match understood {
            Ok(message) => tab.obey(message).await,
            Err(why) => {
                let error = format!("that message is no JSON that this server knows: {why}");
                Some(ServerMessage::Error { request: None, error })
            }
        };
        if let Some(answer) = answer
            && tab.answers.send(Message::Text(text(&answer))).await.is_err()
        {
            break;
        }
        if writer.is_finished() {
            break;
        }
    }
    tab.watched.values().for_each(JoinHandle::abort);
    writer.abort();
}

/// What a client is told whose bytes cannot be read on as messages (RFC 6455, sections 7.4.1 and 8.1); none where the connection is gone.
fn broken(error: axum::Error) -> Option<(u16, &'static str)> {
    match error.into_inner().downcast_ref::<tungstenite::Error>()? {
        tungstenite::Error::Utf8(_) => {
            Some((close_code::INVALID, "that message is no UTF-8 text; the socket is closed, open it again"))
        }
        tungstenite::Error::Capacity(_) => {
            Some((close_code::SIZE, "that message is longer than 64 KiB; the socket is closed, open it again"))
        }
        tungstenite::Error::Protocol(_) => {
            Some((close_code::PROTOCOL, "those bytes are no web socket's; the socket is closed, open it again"))
        }
        _ => None,
    }
}

/// Everything that goes out, in the order of its weight: answers, news, frames.
async fn write(
    studio: Arc<Studio>,
    mut sink: SplitSink<WebSocket, Message>,
    mut news: broadcast::Receiver<axum::extract::ws::Utf8Bytes>,
    mut answers: mpsc::Receiver<Message>,
    mut frames: mpsc::Receiver<Bytes>,
) {
    let mut message = hello(&studio).await;
    loop {
        let is_last = matches!(message, Message::Close(_));
        let sent = tokio::time::timeout(PATIENCE, sink.send(message)).await;
        if is_last || !matches!(sent, Ok(Ok(()))) {
            return;
        }
        message = tokio::select! {
            biased;
            answer = answers.recv() => match answer {
                Some(answer) => answer,
                None => return,
            },
            told = news.recv() => match told {
                Ok(text) => Message::Text(text),
                // It was too slow and missed some: everything anew.
                Err(RecvError::Lagged(_)) => {
                    news = studio.hub.listen();
                    hello(&studio).await
                }
                Err(RecvError::Closed) => return,
            },
            Some(frame) = frames.recv() => Message::Binary(frame),
        };
    }
}

async fn hello(studio: &Arc<Studio>) -> Message {
    let studio = studio.clone();
    let state = on_a_thread(move || Ok(studio.state())).await.unwrap_or_default();
    Message::Text(text(&ServerMessage::Hello { protocol: PROTOCOL, state: Box::new(state) }))
}

/// What one tab watches.
struct Tab {
    studio: Arc<Studio>,
    answers: mpsc::Sender<Message>,
    frames: mpsc::Sender<Bytes>,
    watched: BTreeMap<u32, JoinHandle<()>>,
}

impl Tab {
    /// Does what a message asks for and gives the answer.
    async fn obey(&mut self, message: ClientMessage) -> Option<ServerMessage> {
        let studio = self.studio.clone();
        let (request, done) = match message {
            ClientMessage::Ping { request } => (request, Ok(None)),
            ClientMessage::Start { request, session } => {
                let started = on_a_thread(move || studio.sessions.start(&session)).await;
                let started = match started {
                    Ok(entry) => self.watch(entry.id).await.map(|()| Some(entry)),
                    Err(refusal) => Err(refusal),
                };
                (request, started)
            }
            ClientMessage::Watch { request, stream } => (request, self.watch(stream).await.map(|()| None)),
            ClientMessage::Unwatch { request, stream } => {
                if let Some(task) = self.watched.remove(&stream) {
                    task.abort();
                }
                (request, Ok(None))
            }
            ClientMessage::End { request, session } => {
                (request, studio.sessions.end(session, "It was ended.").map(|()| None))
            }
            ClientMessage::Act { request, session, action } => {
                let acted: Result<Option<SessionEntry>, Refusal> = match studio.sessions.act(session, action) {
                    Ok(answer) => match answer.await {
                        Ok(done) => done.map(Some),
                        Err(_) => Err(Refusal::missing(format!("simulation {session} has ended"))),
                    },
                    Err(refusal) => Err(refusal),
                };
                (request, acted)
            }
        };
        Some(match done {
            Ok(session) => {
                ServerMessage::Done { request, session: session.map(Box::new), clock_ms: self.studio.hub.clock_ms() }
            }
            Err(refusal) => ServerMessage::Error { request: Some(request), error: refusal.sentence },
        })
    }

    /// Sends what a stream means, then its frames.
    async fn watch(&mut self, stream: u32) -> Result<(), Refusal> {
        let (scene, mut receiver) = self.studio.sessions.watch(stream)?;
        let scene = Message::Text(text(&ServerMessage::Scene { scene: Box::new((*scene).clone()) }));
        // Where the tab has gone, nothing more is to be done.
        let _ = self.answers.send(scene).await;
        let frames = self.frames.clone();
        let task = tokio::spawn(async move {
            loop {
                match receiver.recv().await {
                    // A full queue: this frame is dropped, the next one counts.
                    Ok(frame) => drop(frames.try_send(frame)),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                }
            }
        });
        if let Some(old) = self.watched.insert(stream, task) {
            old.abort();
        }
        Ok(())
    }
}
