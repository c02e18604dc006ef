//! What an import gives: a skeleton, its clips, and what had to be guessed.

use crate::{Clip, Report, SizeRule, Skeleton, Up};
use serde::Serialize;

/// A skeleton with its clips.
#[derive(Clone, Debug)]
pub struct Rig {
    /// Where it was read from.
    pub format: Format,
    /// The repaired skeleton.
    pub skeleton: Skeleton,
    /// The clips, in file order; may be empty.
    pub clips: Vec<Clip>,
    /// Whether the file says that its clips repeat, however far their ends are from their beginnings.
    pub repeats: bool,
    /// What was guessed and repaired.
    pub report: Report,
}

/// The formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Biovision hierarchy.
    Bvh,
    /// glTF 2.0, as text with buffers beside it or as one binary file.
    Gltf,
    /// Autodesk FBX.
    Fbx,
    /// DeepMimic motion file.
    DeepMimic,
}

/// What a user may overrule while reading.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ImportOptions {
    /// Up axis of the file.
    pub up: Option<Up>,
    /// Metres in one unit of the file.
    pub scale: Option<f64>,
    /// Height of the character in its bind pose, m; decides the scale.
    pub height: Option<f64>,
    /// Whether the clips may overrule the size of the file; [`settle_size`](crate::settle_size) reads it, not the readers.
    pub size: SizeRule,
}
