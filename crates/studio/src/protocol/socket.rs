//! Messages of the web socket that are text.

use super::{Job, Played, SceneDescription, SessionAction, SessionEntry, SessionStart, State};
use serde::{Deserialize, Serialize};

/// From the page. `request` comes back in the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ClientMessage {
    /// Starts a simulation and watches it.
    Start {
        /// Number of the request.
        request: u64,
        /// What is to be simulated.
        session: SessionStart,
    },
    /// Does something to a simulation.
    Act {
        /// Number of the request.
        request: u64,
        /// Simulation.
        session: u32,
        /// What.
        #[serde(flatten)]
        action: SessionAction,
    },
    /// Ends a simulation.
    End {
        /// Number of the request.
        request: u64,
        /// Simulation.
        session: u32,
    },
    /// Asks for the frames of a stream.
    Watch {
        /// Number of the request.
        request: u64,
        /// Stream: the number of the session.
        stream: u32,
    },
    /// Wants no more of them.
    Unwatch {
        /// Number of the request.
        request: u64,
        /// Stream.
        stream: u32,
    },
    /// Measures the way there and back.
    Ping {
        /// Number of the request.
        request: u64,
    },
}

/// From the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    /// First message: everything.
    Hello {
        /// Version of the protocol.
        protocol: u32,
        /// Everything.
        state: Box<State>,
    },
    /// Sections that changed.
    State {
        /// Version and the changed sections, each whole.
        state: Box<State>,
    },
    /// A job went on.
    Job {
        /// The job.
        job: Box<Job>,
    },
    /// A character changed: ask for it again.
    Character {
        /// Character.
        id: String,
        /// Its revision now.
        revision: u64,
    },
    /// What the numbers of a stream mean; comes before its first frame, and again where that changes.
    Scene {
        /// The description.
        scene: Box<SceneDescription>,
    },
    /// How the characters of a package are: when that changes, and twice a second.
    Played {
        /// Stream.
        stream: u32,
        /// How they are.
        played: Box<Played>,
    },
    /// A stream has ended.
    Ended {
        /// Stream.
        stream: u32,
        /// Why, in one sentence.
        reason: String,
    },
    /// A request was done.
    Done {
        /// Number of the request.
        request: u64,
        /// The simulation, where one was started.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<Box<SessionEntry>>,
        /// The server's clock, ms since it started.
        clock_ms: f64,
    },
    /// A request was refused, or a message could not be understood.
    Error {
        /// Number of the request; absent where the message had none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<u64>,
        /// What is wrong and what to do.
        error: String,
    },
    /// Something to know, for everybody.
    Notice {
        /// One sentence.
        text: String,
    },
}
