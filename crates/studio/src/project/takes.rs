//! Takes: what was played of a package, as files in a folder of their own.

use super::Project;
use super::packages::OpenPackage;
use crate::error::Refusal;
use crate::names::{free_path, plain};
use crate::protocol::{ResultFile, TakeDetail};
use crate::sessions::Recording;
use sinew::play::{Moves, Request, play};
use sinew::work::RunOptions;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Folder of all takes; also, in the studio's own folder, of those that are not whole yet.
pub const TAKES: &str = "takes";
/// What was told; a folder that has it is a take.
pub const SCRIPT: &str = "take.toml";
/// Longest take of which every step is written, s: the file has a megabyte or more for each second.
const LONGEST_NPZ_SECS: f64 = 120.0;
/// Files of a take and what they hold.
const FILES: [(&str, &str); 5] = [
    ("take.glb", "the motion on the artist's own file"),
    ("take.bvh", "the motion on its skeleton"),
    ("take.npz", "every step of the world, for NumPy"),
    ("take.gif", "the first 20 seconds as an animation"),
    (SCRIPT, "what was told, as a script that plays to the same hash"),
];

/// Number of the next take that is written, so that several may be at once.
static NEXT: AtomicU64 = AtomicU64::new(1);

impl Project {
    /// Plays a recording again and writes it as files; the hash must be the same.
    ///
    /// # Errors
    /// Where the package has changed meanwhile, or a file cannot be written.
    pub fn save_take(&self, recording: &Recording) -> Result<TakeDetail, Refusal> {
        let OpenPackage { package, source, .. } = self.open_package(&recording.package)?;
        let unfinished = self.private().join(TAKES).join(NEXT.fetch_add(1, Ordering::Relaxed).to_string());
        let written =
            self.write_take(recording, &source, package.rig.as_ref().map(|(name, _)| name.as_str()), &unfinished);
        let (seconds, notes) = written.inspect_err(|_| drop(std::fs::remove_dir_all(&unfinished)))?;
        let cannot = |error: std::io::Error| Refusal::bad(format!("the take cannot be kept in {TAKES} ({error})"));
        let folder = self.root().join(TAKES);
        std::fs::create_dir_all(&folder).map_err(cannot)?;
        let folder = free_path(&folder, &plain(&package.name), "", &|_| false);
        std::fs::rename(&unfinished, &folder).map_err(cannot)?;
        let size = |name: &str| std::fs::metadata(folder.join(name)).ok().map(|data| data.len());
        let files = FILES.iter().filter_map(|(name, what)| {
            size(name).map(|bytes| ResultFile { name: (*name).into(), bytes, what: (*what).into() })
        });
        let hash = format!("{:016x}", recording.hash);
        Ok(TakeDetail { id: self.id(&folder), hash, seconds, files: files.collect(), notes })
    }

    fn write_take(
        &self,
        recording: &Recording,
        source: &Path,
        rig: Option<&str>,
        folder: &Path,
    ) -> Result<(f64, Vec<String>), Refusal> {
        let cannot = |error: std::io::Error| Refusal::bad(format!("the take cannot be written ({error})"));
        std::fs::create_dir_all(folder).map_err(cannot)?;
        let text =
            recording.script.to_toml().map_err(|e| Refusal::fault(format!("the take cannot be written ({e})")))?;
        let script = folder.join(SCRIPT);
        std::fs::write(&script, text).map_err(cannot)?;
        let mut out = vec![folder.join("take.bvh")];
        let mut notes = Vec::new();
        match rig {
            Some(rig) if rig.to_lowercase().ends_with(".glb") => out.push(folder.join("take.glb")),
            Some(_) => notes.push("There is no GLB: the artist's file is no glTF.".into()),
            None => notes.push("There is no GLB: the package has no file of the artist.".into()),
        }
        match recording.script.seconds {
            Some(seconds) if seconds > LONGEST_NPZ_SECS => {
                notes.push(format!("There is no NPZ: the take is longer than {LONGEST_NPZ_SECS} s."));
            }
            _ => out.push(folder.join("take.npz")),
        }
        let gif = Some(folder.join("take.gif"));
        let request =
            Request { package: source.into(), moves: Moves::Script(script), film: None, gif, out, record: None };
        let stopped = || Refusal::fault("the take was not played to its end; save it again");
        let summary = play(&request, &RunOptions::default())?.ok_or_else(stopped)?;
        if summary.hash != format!("{:016x}", recording.hash) {
            return Err(Refusal::conflict(
                "the take plays to another hash, because the package has changed since it was opened; reset the simulation",
            ));
        }
        Ok((summary.seconds, notes))
    }

    /// A file of a take.
    ///
    /// # Errors
    /// Where it is none of those that can be downloaded, or not there.
    pub fn take_file(&self, id: &str, name: &str) -> Result<PathBuf, Refusal> {
        let known = FILES.iter().any(|(known, _)| *known == name);
        let is_take = self.path(&format!("{id}/{SCRIPT}")).is_ok_and(|script| script.is_file());
        match self.path(&format!("{id}/{name}")) {
            Ok(path) if known && is_take && path.is_file() => Ok(path),
            _ => Err(Refusal::missing(format!("{id} has no file {name:?}"))),
        }
    }
}
