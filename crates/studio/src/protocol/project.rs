//! What is in the project folder.

use super::{FrontEntry, Job, PackageEntry, SessionEntry};
use serde::{Deserialize, Serialize};
use sinew::transfer::Preset;
use sinew_motion::tools::ClipEdit;

/// Every refusal: one sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorAnswer {
    /// What is wrong and what to do.
    pub error: String,
}

/// Everything that all tabs share. A section that is absent in a message has not changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Grows with every change.
    pub version: u64,
    /// The folder; only in the first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectInfo>,
    /// Rigs: embedded ones first, then files by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rigs: Option<Vec<RigEntry>>,
    /// Characters by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub characters: Option<Vec<CharacterEntry>>,
    /// Results by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<ResultEntry>>,
    /// Packages by path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packages: Option<Vec<PackageEntry>>,
    /// Jobs, oldest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<Vec<Job>>,
    /// Simulations that run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Vec<SessionEntry>>,
    /// Pareto fronts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fronts: Option<Vec<FrontEntry>>,
}

/// The project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProjectInfo {
    /// Name of the folder.
    pub name: String,
    /// Where it is.
    pub path: String,
    /// Version of sinew.
    pub sinew: String,
    /// Largest upload, bytes.
    pub largest_upload: u64,
    /// Names of the presets of a transfer.
    pub presets: Vec<Preset>,
}

/// A rigged file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RigEntry {
    /// `dinosaur`, `human`, `quadruped`, or the file's path in the project.
    pub id: String,
    /// Name to show.
    pub name: String,
    /// Whether it is part of the program.
    pub embedded: bool,
    /// Ending: `glb`, `gltf`, `fbx`, `bvh`.
    pub format: String,
    /// Size, bytes.
    pub bytes: u64,
}

/// What came of an upload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Uploaded {
    /// A rig, read and repaired.
    Rig {
        /// What it holds.
        rig: Box<RigDetail>,
        /// What became of the characters that were made of it, where the file took the place of an older one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replaced: Option<Vec<Remade>>,
        /// Whether it is the file that was there already.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unchanged: bool,
    },
    /// A buffer or picture that a glTF refers to.
    Part {
        /// Its path in the project.
        id: String,
    },
    /// A character file.
    Character {
        /// The character.
        character: Box<super::CharacterDetail>,
    },
}

/// A character whose rig has changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remade {
    /// Character.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Revision now.
    pub revision: u64,
    /// Edits that no longer fit, one sentence each.
    #[serde(default)]
    pub lost: Vec<String>,
    /// Why it stays as it was, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// What a rig holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RigDetail {
    /// As in [`RigEntry`].
    pub id: String,
    /// Name to show.
    pub name: String,
    /// Format of the file.
    pub format: String,
    /// Height in the bind pose, m.
    pub height_m: f64,
    /// How the coordinates of `stage.glb` become the world's.
    pub frame: RigFrame,
    /// Whether `stage.glb` has the artist's skin; otherwise capsules.
    pub has_skin: bool,
    /// The joints, parents first.
    pub joints: Vec<RigJoint>,
    /// The clips, in file order.
    pub clips: Vec<ClipDetail>,
    /// Guesses and repairs, one sentence each.
    pub repairs: Vec<String>,
    /// Joints that bear the character.
    pub feet: Vec<String>,
}

/// `world = metres_per_unit · rotation · file`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RigFrame {
    /// Metres in one unit of the file.
    pub metres_per_unit: f64,
    /// Quaternion `[w, x, y, z]`.
    pub rotation: [f64; 4],
}

/// A joint in the bind pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RigJoint {
    /// Name.
    pub name: String,
    /// Index of the parent.
    pub parent: Option<usize>,
    /// Place in the world, m.
    pub position: [f64; 3],
    /// Orientation in the world, `[w, x, y, z]`.
    pub orientation: [f64; 4],
}

/// A clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipDetail {
    /// Name in the file.
    pub name: String,
    /// Length, s.
    pub duration_secs: f64,
    /// Frames.
    pub frames: usize,
    /// Frames a second.
    pub rate_hz: f64,
    /// Whether it can be repeated.
    pub is_cycle: bool,
    /// How far it goes, m.
    pub travel_m: f64,
    /// What putting it on the ground took, one sentence each.
    pub notes: Vec<String>,
    /// What was changed on it in the studio; absent of a clip of the file itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<EditedClip>,
}

/// What was changed on a clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EditedClip {
    /// Clip of the file that it was made of.
    pub of: String,
    /// The changes, in order.
    pub edits: Vec<ClipEdit>,
    /// Whether a change was taken back.
    pub can_redo: bool,
}

/// Changes a clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClipEditRequest {
    /// Rig.
    pub rig: String,
    /// Clip; one of the file itself stays, and a changed one is added beside it.
    pub clip: String,
    /// The change.
    pub change: ClipEdit,
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipEdited {
    /// Name of the changed clip.
    pub clip: String,
    /// Its rig.
    pub rig: RigDetail,
}

/// Names a changed clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClipRef {
    /// Rig.
    pub rig: String,
    /// Clip.
    pub clip: String,
}

/// A character file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CharacterEntry {
    /// Path in the project.
    pub id: String,
    /// Name to show.
    pub name: String,
    /// Rig that it was made from, where that is in the project.
    pub rig: Option<String>,
    /// Grows with every edit, undo and redo.
    pub revision: u64,
}

/// A folder of a transfer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultEntry {
    /// Path in the project.
    pub id: String,
    /// Name to show.
    pub name: String,
    /// Character.
    pub character: String,
    /// Clip.
    pub clip: String,
    /// Preset.
    pub preset: String,
    /// Seed.
    pub seed: u64,
    /// `faithful`, `loose` or `failed`: what a person would say of it; absent where the folder says nothing of it.
    pub verdict: Option<String>,
    /// The same in one sentence, with the worst moment and why.
    pub verdict_sentence: String,
    /// Whether the character did not fall; absent where the folder says nothing of it.
    pub completed: Option<bool>,
    /// When it fell, s.
    pub fell_at_secs: Option<f64>,
    /// Length, s.
    pub duration_secs: f64,
    /// Mean cost, where known.
    pub cost_mean: Option<f64>,
    /// Whether a feedback policy lies beside it.
    pub has_policy: bool,
    /// FNV-1a of the trajectory.
    pub hash: String,
}

/// A result, with its figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultDetail {
    /// As in the list.
    pub entry: ResultEntry,
    /// The rig on which it can be shown, where that is in the project.
    pub rig: Option<String>,
    /// `summary.json`: the figures of the run; absent in folders without one.
    pub summary: Option<serde_json::Value>,
    /// Files to download.
    pub files: Vec<ResultFile>,
}

/// A file of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultFile {
    /// Name.
    pub name: String,
    /// Size, bytes.
    pub bytes: u64,
    /// What it holds.
    pub what: String,
}
