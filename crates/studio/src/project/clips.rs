//! Clips that were changed in the studio: each is a clip of a rig with a list of changes, which can be taken back. They are read with their rig, so that
//! everything that takes a clip takes them.

use super::{Project, locked};
use crate::error::Refusal;
use crate::protocol::{ClipEditRequest, ClipRef, EditedClip, RigDetail};
use serde::{Deserialize, Serialize};
use sinew::source::Source;
use sinew_files::atomic_write::atomic_write;
use sinew_motion::tools::{ClipEdit, edited};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

/// Most changed clips of a rig.
const MOST: usize = 200;

/// A clip with its changes, as the file has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Kept {
    name: String,
    of: String,
    edits: Vec<ClipEdit>,
    #[serde(default)]
    undone: Vec<ClipEdit>,
}

type Table = BTreeMap<String, Vec<Kept>>;

/// All changed clips of a project, by rig.
#[derive(Default)]
pub struct ClipStore {
    table: OnceLock<Mutex<Table>>,
    changes: AtomicU64,
}

impl ClipStore {
    /// Grows with every change.
    pub fn revision(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }
}

impl Project {
    fn clips_file(&self) -> PathBuf {
        self.private().join("clips.json")
    }

    /// What cannot be read is no change: the clips of the files are there in any case.
    fn clip_table(&self) -> &Mutex<Table> {
        self.clips.table.get_or_init(|| {
            let text = std::fs::read(self.clips_file()).unwrap_or_default();
            Mutex::new(serde_json::from_slice(&text).unwrap_or_default())
        })
    }

    /// Adds the changed clips of a rig to it; one that no longer fits is left out, and the rig's repairs say so.
    pub(super) fn add_edited_clips(&self, rig: &str, source: &mut Source) {
        let kept = locked(self.clip_table()).get(rig).cloned().unwrap_or_default();
        for Kept { name, of, edits, .. } in kept {
            let own = source.rig.clips.iter().find(|clip| clip.name == of);
            let made = match own {
                Some(clip) => edited(&source.rig.skeleton, clip, &edits).map_err(|e| e.to_string()),
                None => Err(format!("there is no clip {of:?} any more")),
            };
            match made {
                Ok(clip) => source.rig.clips.push(sinew_motion::Clip { name, ..clip }),
                Err(why) => source.rig.report.repairs.push(format!("The changed clip {name:?} is left out: {why}.")),
            }
        }
    }

    /// What was changed on a clip; absent of one of the file's own.
    pub(super) fn edited_clip(&self, rig: &str, clip: &str) -> Option<EditedClip> {
        let table = locked(self.clip_table());
        let Kept { of, edits, undone, .. } = table.get(rig)?.iter().find(|kept| kept.name == clip)?;
        Some(EditedClip { of: of.clone(), edits: edits.clone(), can_redo: !undone.is_empty() })
    }

    /// Changes a clip: one of the file's own becomes a new one beside it.
    ///
    /// # Errors
    /// Where there is no such clip, or the change does not fit; then nothing has changed.
    pub fn edit_clip(&self, request: ClipEditRequest) -> Result<(RigDetail, String), Refusal> {
        let ClipEditRequest { rig, clip, change } = request;
        let source = self.rig(&rig)?;
        let (skeleton, all) = (&source.rig.skeleton, &source.rig.clips);
        let missing = || Refusal::missing(format!("{rig} has no clip {clip:?}; choose one from the list"));
        let present = all.iter().find(|own| own.name == clip).ok_or_else(missing)?;
        edited(skeleton, present, std::slice::from_ref(&change)).map_err(|e| Refusal::bad(e.to_string()))?;
        let name = self.change_clips(&rig, |kept| {
            if let Some(known) = kept.iter_mut().find(|kept| kept.name == clip) {
                known.edits.push(change);
                known.undone.clear();
                return Ok(clip);
            }
            if kept.len() >= MOST {
                return Err(Refusal::bad(format!("{rig} has {MOST} changed clips; remove some first")));
            }
            let is_taken = |name: &str| all.iter().any(|own| own.name == name);
            let number = |n: usize| if n == 1 { format!("{clip} edited") } else { format!("{clip} edited {n}") };
            let name = (1..).map(number).find(|name| !is_taken(name)).unwrap_or_default();
            kept.push(Kept { name: name.clone(), of: clip, edits: vec![change], undone: Vec::new() });
            Ok(name)
        })?;
        Ok((self.rig_detail(&rig)?, name))
    }

    /// Takes the last change of a clip back, or makes it again.
    ///
    /// # Errors
    /// Where there is none.
    pub fn turn_back_clip(&self, of: &ClipRef, is_redo: bool) -> Result<RigDetail, Refusal> {
        self.change_clips(&of.rig, |kept| {
            let none = || match is_redo {
                true => Refusal::bad("no change of this clip was taken back"),
                false => Refusal::bad("there is no change of this clip to take back"),
            };
            let Kept { edits, undone, .. } = kept.iter_mut().find(|kept| kept.name == of.clip).ok_or_else(none)?;
            let (from, to) = if is_redo { (undone, edits) } else { (edits, undone) };
            to.push(from.pop().ok_or_else(none)?);
            Ok(())
        })?;
        self.rig_detail(&of.rig)
    }

    /// Takes a changed clip away; the file's own stays.
    ///
    /// # Errors
    /// Where it is none.
    pub fn remove_clip(&self, of: &ClipRef) -> Result<RigDetail, Refusal> {
        self.change_clips(&of.rig, |kept| {
            let before = kept.len();
            kept.retain(|kept| kept.name != of.clip);
            let own = || Refusal::bad(format!("{:?} is a clip of the file itself and stays", of.clip));
            (kept.len() < before).then_some(()).ok_or_else(own)
        })?;
        self.rig_detail(&of.rig)
    }

    /// Changes the table and saves it; on an error nothing has changed.
    fn change_clips<T>(
        &self,
        rig: &str,
        change: impl FnOnce(&mut Vec<Kept>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let mut table = locked(self.clip_table());
        let mut next = table.clone();
        let done = change(next.entry(rig.to_owned()).or_default())?;
        next.retain(|_, kept| !kept.is_empty());
        let text = serde_json::to_vec_pretty(&next).map_err(|e| Refusal::fault(e.to_string()))?;
        let cannot = |e| Refusal::fault(format!("the change could not be saved and was dropped ({e})"));
        atomic_write(&self.clips_file(), &text).map_err(cannot)?;
        *table = next;
        self.clips.changes.fetch_add(1, Ordering::SeqCst);
        Ok(done)
    }
}
