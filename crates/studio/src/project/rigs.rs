//! Rigged files: what they hold, what was repaired, and how they look.

use super::{Found, Project, Stamp, locked, stamp};
use crate::error::Refusal;
use crate::protocol::{ClipDetail, RigDetail, RigEntry, RigFrame, RigJoint};
use sinew::assets;
use sinew::export::stage_glb;
use sinew::inspect::Inspection;
use sinew::source::Source;
use sinew_modeler::CharacterProject;
use sinew_motion::{Format, ImportOptions, SizeRule};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Rigs that are kept in memory.
const MOST_KEPT: usize = 4;

/// The rigs that were looked at last.
#[derive(Default)]
pub struct SourceCache {
    kept: Vec<Kept>,
    sized: Vec<Sized>,
}

/// Whether a rig or its changed clips have changed.
type RigStamp = (Option<Stamp>, u64);

/// A rig in memory at the size of a character.
struct Sized {
    id: String,
    stamp: RigStamp,
    /// Axis that is up and bits of the unit, where they are not the file's own.
    size: (Option<u8>, Option<u64>),
    source: Arc<Source>,
}

/// A rig in memory, and what it holds once somebody has asked.
#[derive(Clone)]
struct Kept {
    id: String,
    stamp: RigStamp,
    source: Arc<Source>,
    detail: Arc<OnceLock<RigDetail>>,
}

impl Project {
    /// The list of rigs: embedded ones first.
    pub fn rig_entries(&self, found: &Found) -> Vec<RigEntry> {
        let embedded = assets::NAMES.iter().map(|name| RigEntry {
            id: (*name).into(),
            name: (*name).into(),
            embedded: true,
            format: "glb".into(),
            bytes: assets::find(name).map_or(0, |bytes| bytes.len() as u64),
        });
        let files = found.rigs.iter().map(|(id, stamp)| {
            let path = Path::new(id);
            RigEntry {
                id: id.clone(),
                name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
                embedded: false,
                format: path.extension().unwrap_or_default().to_string_lossy().to_lowercase(),
                bytes: stamp.1,
            }
        });
        embedded.chain(files).collect()
    }

    /// What to give to [`Source::open`] for a rig.
    ///
    /// # Errors
    /// Where there is no such rig.
    pub fn rig_path(&self, id: &str) -> Result<PathBuf, Refusal> {
        if assets::find(id).is_some() {
            return Ok(PathBuf::from(id));
        }
        let path = self.path(id)?;
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match path.is_file() && super::RIG_ENDINGS.contains(&ending.as_str()) {
            true => Ok(path),
            false => Err(Refusal::missing(format!("there is no rig {id}; drop the file in again"))),
        }
    }

    /// Reads a rig, for somebody who keeps it.
    ///
    /// # Errors
    /// Where it is not there or cannot be read.
    pub fn open_rig(&self, id: &str) -> Result<Source, Refusal> {
        self.open_sized_rig(id, &ImportOptions::default())
    }

    /// Reads a rig at a size.
    ///
    /// # Errors
    /// Where it is not there or cannot be read.
    pub fn open_sized_rig(&self, id: &str, options: &ImportOptions) -> Result<Source, Refusal> {
        let mut source = match assets::find(id) {
            Some(bytes) => Source::embedded(id, bytes, &[], options)?,
            None => Source::open(&self.rig_path(id)?, &[], options)?,
        };
        self.add_edited_clips(id, &mut source);
        Ok(source)
    }

    /// Reads a rig at the size that it had when a character was made of it, for somebody who keeps it.
    ///
    /// # Errors
    /// Where it is not there or cannot be read.
    pub fn open_rig_of(&self, id: &str, character: &CharacterProject) -> Result<Source, Refusal> {
        let read = ImportOptions { up: character.options().up, size: SizeRule::File, ..ImportOptions::default() };
        let mut source = self.open_sized_rig(id, &read)?;
        if let Some(unit) = character.options().metres_per_unit {
            source.resize_to_unit(unit);
        }
        Ok(source)
    }

    /// The same, from memory where the rig has that size anyway.
    ///
    /// # Errors
    /// Where it is not there or cannot be read.
    pub fn rig_of(&self, id: &str, character: &CharacterProject) -> Result<Arc<Source>, Refusal> {
        let rig = self.rig(id)?;
        let options = character.options();
        if options.up.is_none() && rig.changed_unit() == options.metres_per_unit {
            return Ok(rig);
        }
        let now = self.rig_stamp(id)?;
        let size = (options.up.map(|up| up as u8), options.metres_per_unit.map(f64::to_bits));
        let find = |cache: &SourceCache| {
            cache
                .sized
                .iter()
                .find(|kept| kept.id == id && kept.stamp == now && kept.size == size)
                .map(|k| k.source.clone())
        };
        if let Some(source) = find(&locked(&self.sources)) {
            return Ok(source);
        }
        let source = Arc::new(self.open_rig_of(id, character)?);
        let mut cache = locked(&self.sources);
        cache.sized.retain(|kept| kept.id != id || kept.size != size);
        cache.sized.insert(0, Sized { id: id.into(), stamp: now, size, source: source.clone() });
        cache.sized.truncate(MOST_KEPT);
        Ok(source)
    }

    /// Reads a rig, or takes it from memory.
    ///
    /// # Errors
    /// Where it is not there or cannot be read.
    pub fn rig(&self, id: &str) -> Result<Arc<Source>, Refusal> {
        self.kept_rig(id).map(|kept| kept.source)
    }

    fn rig_stamp(&self, id: &str) -> Result<RigStamp, Refusal> {
        Ok((stamp(&self.rig_path(id)?), self.clips.revision()))
    }

    fn kept_rig(&self, id: &str) -> Result<Kept, Refusal> {
        let now = self.rig_stamp(id)?;
        let find = |cache: &SourceCache| cache.kept.iter().find(|kept| kept.id == id && kept.stamp == now).cloned();
        if let Some(kept) = find(&locked(&self.sources)) {
            return Ok(kept);
        }
        let source = Arc::new(self.open_rig(id)?);
        let kept = Kept { id: id.into(), stamp: now, source, detail: Arc::default() };
        let mut cache = locked(&self.sources);
        cache.kept.retain(|kept| kept.id != id);
        cache.kept.insert(0, kept.clone());
        cache.kept.truncate(MOST_KEPT);
        Ok(kept)
    }

    /// What a rig holds.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn rig_detail(&self, id: &str) -> Result<RigDetail, Refusal> {
        let kept = self.kept_rig(id)?;
        if let Some(detail) = kept.detail.get() {
            return Ok(detail.clone());
        }
        let source = &kept.source;
        let skeleton = &source.rig.skeleton;
        let inspection = Inspection::new(source)?;
        let joints = skeleton.joints.iter().zip(skeleton.bind_pose()).map(|(joint, placed)| RigJoint {
            name: joint.name.clone(),
            parent: joint.parent,
            position: placed.position.to_array(),
            orientation: wxyz(placed.orientation),
        });
        let clips = inspection.clips.iter().map(|clip| ClipDetail {
            name: clip.name.clone(),
            duration_secs: clip.duration_secs,
            frames: clip.frames,
            rate_hz: clip.rate_hz,
            is_cycle: clip.is_cycle,
            travel_m: clip.travel_m,
            notes: clip.notes.clone(),
            edited: self.edited_clip(id, &clip.name),
        });
        let format = serde_json::to_value(source.rig.format).ok();
        let has_skin = source.rig.format == Format::Gltf && skeleton.joints.iter().any(|j| !j.skin.is_empty());
        let detail = RigDetail {
            id: id.into(),
            name: source.name.clone(),
            format: format.and_then(|f| f.as_str().map(str::to_owned)).unwrap_or_default(),
            height_m: skeleton.height(),
            frame: stage_frame(source),
            has_skin,
            joints: joints.collect(),
            clips: clips.collect(),
            repairs: inspection.repairs.clone(),
            feet: inspection.feet.clone(),
        };
        Ok(kept.detail.get_or_init(|| detail).clone())
    }

    /// The GLB to show.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn rig_stage(&self, id: &str) -> Result<Vec<u8>, Refusal> {
        Ok(stage_glb(&*self.rig(id)?)?)
    }

    /// Takes a rig away, with the folder that came with it.
    ///
    /// # Errors
    /// Where it is embedded or cannot be removed.
    pub fn remove_rig(&self, id: &str) -> Result<(), Refusal> {
        if assets::find(id).is_some() {
            return Err(Refusal::bad(format!("{id} is part of the program and stays")));
        }
        let path = self.rig_path(id)?;
        let gone = |e: std::io::Error| Refusal::bad(format!("{id} cannot be removed ({e}); close what uses it"));
        let is_gltf = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gltf"));
        let folder = path.parent().unwrap_or(self.root());
        // An upload in parts has a folder of its own.
        if is_gltf && folder.parent() == Some(&self.root().join("rigs")) {
            return std::fs::remove_dir_all(folder).map_err(gone);
        }
        std::fs::remove_file(&path).map_err(gone)
    }
}

/// How the coordinates of the GLB to show become the world's: the artist's own file keeps its own, capsules are written as glTF wants.
pub fn stage_frame(source: &Source) -> RigFrame {
    match source.rig.format {
        Format::Gltf => {
            let frame = source.rig.skeleton.source;
            RigFrame { metres_per_unit: frame.metres_per_unit, rotation: wxyz(frame.up.rotation()) }
        }
        _ => RigFrame { metres_per_unit: 1.0, rotation: [0.5, 0.5, 0.5, 0.5] },
    }
}

/// A quaternion as files have it.
pub fn wxyz(q: glam::DQuat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z]
}
