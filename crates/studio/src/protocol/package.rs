//! Characters that are played: packages, what their characters do, takes.

use super::ResultFile;
use serde::{Deserialize, Serialize};

/// A package.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PackageEntry {
    /// Path of its `package.toml` in the project.
    pub id: String,
    /// Name to show.
    pub name: String,
    /// What it can be told to do.
    pub actions: Vec<PackageAction>,
    /// Whether its body is simulated; otherwise its generator's motion is shown.
    pub is_simulated: bool,
    /// Why it cannot be played, in one sentence; absent where nothing is known to be wrong. Its files are checked when it is started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// An action with its key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageAction {
    /// Name.
    pub name: String,
    /// Key that begins it: `1` to `9`, `0`.
    pub key: String,
    /// What it is, in a few words.
    pub about: String,
}

/// How the characters of a package are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// Time played, s; of whole frames.
    pub time_secs: f64,
    /// FNV-1a of all states so far, as `sinew play` prints it; of whole frames.
    pub hash: String,
    /// Seconds of motion in a second, as it was in the last half second; absent while it stands still.
    pub real_time_factor: Option<f64>,
    /// What a frame of 1/30 s costs, ms.
    pub frame_ms: Option<f64>,
    /// The characters in their order.
    pub characters: Vec<PlayedCharacter>,
}

/// How a character is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedCharacter {
    /// What it does now.
    pub doing: Doing,
    /// The action that it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Where it goes, while it is told to go to a place, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<[f64; 2]>,
    /// Its team, from 0 on, while it goes for the nearest of another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<usize>,
    /// How often it fell.
    pub falls: u64,
    /// How often it then stood up by itself.
    pub stand_ups: u64,
}

/// What a character does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doing {
    /// It goes where it is told, or stands.
    Moving,
    /// It performs an action.
    Acting,
    /// It has fallen and is limp.
    Limp,
    /// It gets up by itself.
    StandingUp,
}

/// Asks for the take of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TakeRequest {
    /// Simulation.
    pub session: u32,
}

/// A take: what was played from the start of a simulation, as files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TakeDetail {
    /// Its folder in the project.
    pub id: String,
    /// What `sinew play PACKAGE --script take.toml` gives, too.
    pub hash: String,
    /// Length, s.
    pub seconds: f64,
    /// Files to download.
    pub files: Vec<ResultFile>,
    /// What was left out and why, one sentence each.
    pub notes: Vec<String>,
}
