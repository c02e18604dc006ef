//! Clips of other skeletons on a rig.

mod strip;

pub use strip::retarget_strip;

use crate::error::{At, Result};
use serde::Serialize;
use sinew_motion::{Clip, Rig, adopt_clips, fits_by_name};
use sinew_retarget::{Figures, JointMap, RetargetOptions, Retargeted, retarget};
use std::path::Path;

/// Largest file of a map, bytes.
const LARGEST_MAP: u64 = 1 << 20;
/// Every clip is told about where there are no more than this.
const FEW_CLIPS: usize = 3;

/// What a clip became, as `sinew retarget --json` writes it.
#[derive(Clone, Debug, Serialize)]
pub struct RetargetReport {
    /// Name of the clip.
    pub clip: String,
    /// Its frames.
    pub frames: usize,
    /// Its length, s.
    pub duration_secs: f64,
    /// How well it went.
    #[serde(flatten)]
    pub figures: Figures,
    /// What was decided, one sentence each.
    pub notes: Vec<String>,
}

impl From<&Retargeted> for RetargetReport {
    fn from(moved: &Retargeted) -> RetargetReport {
        RetargetReport {
            clip: moved.clip.name.clone(),
            frames: moved.clip.frame_count(),
            duration_secs: moved.clip.duration_secs(),
            figures: moved.figures.clone(),
            notes: moved.notes.clone(),
        }
    }
}

/// Reads a map of joints, or finds one; `file` names the clips' file in errors.
///
/// # Errors
/// Where the map cannot be read or does not fit, or the bodies are built differently.
pub fn joint_map(source: &Rig, target: &Rig, file: &str, map: Option<&Path>) -> Result<JointMap> {
    let Some(path) = map else { return JointMap::between(source, target).at(file) };
    let bytes = sinew_files::read(path, LARGEST_MAP)?;
    let text = String::from_utf8_lossy(&bytes);
    JointMap::from_toml(&text, &source.skeleton, &target.skeleton).at(path.display())
}

/// How clips came onto a rig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Onto joints of the same names.
    ByNames,
    /// From another body, by the roles of the joints.
    ByRoles,
}

/// Adds the clips of `other`, read from `file`, to `rig`: laid onto joints of the same names where at least half of them are, else (and with a map
/// always) moved by the roles of the joints.
///
/// # Errors
/// Where the clips do not fit.
pub fn add_clips(rig: &mut Rig, other: &Rig, file: &str, map: Option<&Path>) -> Result<Fit> {
    if other.clips.is_empty() || map.is_none() && fits_by_name(&rig.skeleton, &other.skeleton) {
        adopt_clips(rig, other, file)?;
        return Ok(Fit::ByNames);
    }
    let joints = joint_map(other, rig, file, map)?;
    let mut moved = Vec::new();
    for clip in &other.clips {
        moved.push(retarget(other, clip, rig, &joints, &RetargetOptions::default()).at(file)?);
    }
    let (count, all) = (moved_joints(&joints, rig), rig.skeleton.joints.len());
    rig.report.repairs.push(format!(
        "Clips moved from the skeleton of {file}: {}; joints that they move, by their roles: {count} of {all}.",
        moved.len()
    ));
    if moved.len() <= FEW_CLIPS {
        rig.report.repairs.extend(moved.iter().flat_map(|clip| clip.notes.iter().cloned()));
    }
    rig.clips.extend(moved.into_iter().map(|moved| moved.clip));
    Ok(Fit::ByRoles)
}

fn moved_joints(map: &JointMap, rig: &Rig) -> usize {
    let names = map.chains.iter().flat_map(|chain| &chain.target);
    names.filter(|name| rig.skeleton.find(name).is_some()).count()
}

/// Moves one clip, as [`retarget`] does; the error names the file.
///
/// # Errors
/// Where the clip or the map does not fit.
pub fn retarget_clip(
    source: &Rig,
    clip: &Clip,
    target: &Rig,
    map: &JointMap,
    options: &RetargetOptions,
    file: &str,
) -> Result<Retargeted> {
    retarget(source, clip, target, map, options).at(file)
}
