//! What all tabs share, numbered and told to all of them in one order.

use crate::project::locked;
use crate::protocol::{ServerMessage, State};
use axum::extract::ws::Utf8Bytes;
use std::sync::Mutex;
use std::time::Instant;
use tokio::sync::broadcast;

/// Messages that a slow tab may be behind before it is told everything anew.
const BACKLOG: usize = 256;

/// Tells all tabs. A message becomes text once, however many listen.
pub struct Hub {
    version: Mutex<u64>,
    sender: broadcast::Sender<Utf8Bytes>,
    began: Instant,
}

impl Default for Hub {
    fn default() -> Hub {
        Hub { version: Mutex::new(0), sender: broadcast::channel(BACKLOG).0, began: Instant::now() }
    }
}

impl Hub {
    /// Milliseconds since the server started.
    pub fn clock_ms(&self) -> f64 {
        self.began.elapsed().as_secs_f64() * 1e3
    }

    /// Listens from now on.
    pub fn listen(&self) -> broadcast::Receiver<Utf8Bytes> {
        self.sender.subscribe()
    }

    /// Tells everybody.
    pub fn tell(&self, message: &ServerMessage) {
        // Nobody listening is no error.
        let _ = self.sender.send(text(message));
    }

    /// Fills in sections that changed and tells everybody. What is filled in is what counts at this moment, so that versions and contents go together;
    /// a lock that `fill` gives back is held until it is told, so that nothing newer is told before.
    pub fn publish<Held>(&self, fill: impl FnOnce(&mut State) -> Held) {
        let mut version = locked(&self.version);
        *version += 1;
        let mut state = State { version: *version, ..State::default() };
        let held = fill(&mut state);
        self.tell(&ServerMessage::State { state: Box::new(state) });
        drop(held);
    }

    /// The present version with sections filled in, for one who asks.
    pub fn snapshot(&self, fill: impl FnOnce(&mut State)) -> State {
        let version = locked(&self.version);
        let mut state = State { version: *version, ..State::default() };
        fill(&mut state);
        state
    }
}

/// A message as text.
pub fn text(message: &ServerMessage) -> Utf8Bytes {
    serde_json::to_string(message).unwrap_or_default().into()
}
