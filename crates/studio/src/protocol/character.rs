//! A character on the stage and in the modeler.

use serde::{Deserialize, Serialize};
use sinew_modeler::{Change, Cover, Mend, ShapeKind};
use sinew_motion::Up;
use sinew_sim::Character;

/// Makes a character of a rig.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MakeRequest {
    /// Rig.
    pub rig: String,
    /// Name of the file without its ending; absent: the rig's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Clips that it must follow; empty: all.
    #[serde(default)]
    pub clips: Vec<String>,
    /// `default` or `paper`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Mass, kg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_kg: Option<f64>,
    /// Height, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height_m: Option<f64>,
    /// Axis of the file that points up: `x`, `y` or `z`; absent: as the file says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Up>,
    /// Whose size counts: `file` or `motion`; absent: the file's unless the clips clearly contradict it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
}

/// Changes a character.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EditRequest {
    /// Character.
    pub id: String,
    /// Revision that the change was made on; where it is not the present one, the change is refused with 409. Absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// The change, as in the character file.
    pub change: Change,
}

/// Makes a character again; what is absent stays as it is, and so do its edits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemakeRequest {
    /// Character.
    pub id: String,
    /// Revision that was seen; where it is not the present one, the request is refused with 409. Absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// Height in the bind pose, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height_m: Option<f64>,
    /// Metres in one unit of the file; a height overrules it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metres_per_unit: Option<f64>,
    /// Axis of the file that points up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Up>,
    /// Guesses anew what is absent instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guess: bool,
}

/// Gives a body other shapes: fitted to its skin, or of another kind and as large.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefitRequest {
    /// Character.
    pub id: String,
    /// Revision that was seen; where it is not the present one, the request is refused with 409. Absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// Body.
    pub body: String,
    /// Kind of shape; absent: what fits best, up to three of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ShapeKind>,
    /// The shape that gets that kind and stays as large; absent: all are fitted to the skin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<usize>,
    /// Also on the other side, mirrored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mirror: bool,
}

/// Whose size a character has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SizeSource {
    /// That of the file, or of its clips where they clearly contradict it.
    #[default]
    Guess,
    /// One that was given.
    User,
}

/// How large a character is, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SizeDetail {
    /// Height of the rig in its bind pose, m; absent where the rig is not in the project, as what follows.
    pub height_m: Option<f64>,
    /// Metres in one unit of the rig's file.
    pub metres_per_unit: Option<f64>,
    /// Axis of the file that points up.
    pub up: Option<Up>,
    /// Whose size that is.
    pub size_source: SizeSource,
    /// Height that was guessed, m.
    pub guessed_height_m: Option<f64>,
    /// Why it was guessed to be that.
    pub size_reason: String,
    /// Why that axis is up.
    pub up_reason: String,
    /// Mass when it was made, kg; the notes say why.
    pub guessed_mass_kg: f64,
    /// Volume of all shapes, m³; where they overlap, it counts twice.
    pub volume_m3: f64,
}

/// Undoes or redoes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryRequest {
    /// Character.
    pub id: String,
}

/// Copies a character.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CopyRequest {
    /// Character.
    pub id: String,
    /// Name of the copy, without its ending.
    pub name: String,
}

/// A character with all that the modeler shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CharacterDetail {
    /// Path in the project.
    pub id: String,
    /// Grows with every edit, undo and redo.
    pub revision: u64,
    /// Rig that it was made from, where that is in the project.
    pub rig: Option<String>,
    /// How large it is, and why.
    #[serde(default)]
    pub size: SizeDetail,
    /// Bodies, joints and end effectors, as in the file. Quaternions are `[w, x, y, z]`.
    pub character: Character,
    /// The same as it was made, before its edits: what a field goes back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Character>,
    /// Where each body stands in the rest pose, in the order of the bodies.
    pub rest: Vec<RestPose>,
    /// The body on the other side, for each body that has one.
    pub mirrored: Vec<Option<String>>,
    /// Mass, kg.
    pub mass_kg: f64,
    /// Degrees of freedom, the root's included.
    pub dof: usize,
    /// Changes that hold, in order.
    pub edits: Vec<Change>,
    /// Whether there is a change to take back.
    pub can_undo: bool,
    /// Whether a change was taken back.
    pub can_redo: bool,
    /// What was guessed when it was made, as far as no edit has overruled it, one sentence each.
    pub notes: Vec<String>,
}

/// Where a body stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RestPose {
    /// Origin of its frame in the world, m.
    pub position: [f64; 3],
    /// Orientation `[w, x, y, z]`.
    pub orientation: [f64; 4],
    /// Centre of mass in the world, m.
    pub center_of_mass: [f64; 3],
}

/// Whether a character stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreflightAnswer {
    /// Character.
    pub id: String,
    /// Revision that was tried.
    pub revision: u64,
    /// Whether nothing is wrong.
    pub ok: bool,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// What looks wrong but need not be.
    pub warnings: Vec<Problem>,
    /// Mass, kg.
    pub mass_kg: f64,
    /// Height of the centre of mass at the end over that at the start.
    pub height_kept: f64,
    /// Turn of the root, rad.
    pub tilt_rad: f64,
    /// Distance of the centre of mass from the edge of the support, m; negative: outside.
    pub support_margin_m: Option<f64>,
    /// How well the bodies fill the skin; absent where the rig is not in the project or has none.
    pub cover: Option<Cover>,
    /// One edit that would mend it.
    #[serde(default)]
    pub mend: Option<Mend>,
}

/// One problem and its culprits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// What is wrong and what to change.
    pub sentence: String,
    /// Bodies to select.
    pub bodies: Vec<String>,
    /// Joints to select.
    pub joints: Vec<String>,
    /// Clip that shows it.
    pub clip: Option<String>,
}

/// How the nodes of `stage.glb` follow the bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skin {
    /// Rig.
    pub rig: String,
    /// Metres in one unit of `stage.glb` for this character; the rig's own frame may say otherwise.
    pub metres_per_unit: f64,
    /// Nodes that a body moves, parents first. All others keep their place in their parent.
    pub nodes: Vec<SkinNode>,
}

/// A node that follows a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkinNode {
    /// Index of the node in `stage.glb`.
    pub node: usize,
    /// Name of the joint.
    pub joint: String,
    /// Index of the body.
    pub body: usize,
    /// Orientation of the joint in the body's frame, `[w, x, y, z]`.
    pub rotation: [f64; 4],
    /// Place of the joint in the body's frame, m, for joints whose place a body decides; absent: it keeps its place in its parent.
    pub position: Option<[f64; 3]>,
}
