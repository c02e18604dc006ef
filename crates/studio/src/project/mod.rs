//! The project folder: rigs, characters and results as plain files, which the command line reads and writes too.

pub mod characters;
pub mod clips;
pub mod packages;
pub mod remake;
pub mod results;
pub mod rigs;
pub mod skin;
pub mod takes;
pub mod upload;

use crate::error::Refusal;
use crate::names::{id_of, is_within, resolve};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// Endings of rigged files.
pub const RIG_ENDINGS: [&str; 5] = ["glb", "gltf", "fbx", "bvh", "txt"];
/// Where files lie that the page has sent: what has been read is a rig, also where its ending says little, as that of DeepMimic does.
const RIGS: &str = "rigs/";
/// How deep files are looked for.
const DEEPEST: usize = 3;
/// Most files and folders that are looked at.
const MOST_ENTRIES: usize = 20_000;

/// The folder of a project, held by this server alone.
pub struct Project {
    root: PathBuf,
    /// Held open as long as the server lives.
    _lock: File,
    pub(crate) sources: Mutex<rigs::SourceCache>,
    pub(crate) characters: Mutex<characters::CharacterStore>,
    pub(crate) results: Mutex<results::ResultCache>,
    pub(crate) clips: clips::ClipStore,
}

/// When a file was written and how long it is: whether it has changed.
pub type Stamp = (Option<SystemTime>, u64);

/// What was found in the folder, by id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Rigged files.
    pub rigs: BTreeMap<String, Stamp>,
    /// TOML files.
    pub characters: BTreeMap<String, Stamp>,
    /// Folders with a `controls.json`.
    pub results: BTreeMap<String, ResultStamp>,
    /// Files `package.toml`.
    pub packages: BTreeMap<String, Stamp>,
}

/// Whether a result has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ResultStamp {
    /// Of `controls.json`.
    pub controls: Option<Stamp>,
    /// Of `summary.json`.
    pub summary: Option<Stamp>,
    /// Of `policy.json`.
    pub policy: Option<Stamp>,
}

impl Project {
    /// Opens a folder, which is made where it is not there yet.
    ///
    /// # Errors
    /// Where it cannot be made or written, or another studio has it open.
    pub fn open(folder: &Path) -> Result<Project> {
        if folder.exists() && !folder.is_dir() {
            bail!("{}: that is no folder; name one, or a name that is free", folder.display());
        }
        let private = folder.join(".studio");
        fs::create_dir_all(&private)
            .with_context(|| format!("cannot make the folder {}; name one that can be written", private.display()))?;
        let root = folder.canonicalize().with_context(|| format!("cannot open {}", folder.display()))?;
        // A pipe in its place would wait for a reader.
        if fs::metadata(private.join("lock")).is_ok_and(|data| !data.is_file()) {
            bail!("{}: that is no plain file; remove it", private.join("lock").display());
        }
        let lock = File::create(private.join("lock"))
            .with_context(|| format!("cannot write into {}; name a folder that can be written", private.display()))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!("{}: another studio has this project open; close it first", folder.display())
            }
            // Some file systems have no locks.
            Err(TryLockError::Error(_)) => {}
        }
        // What was left by an upload or a take that was cut off.
        let _ = fs::remove_dir_all(private.join("uploads"));
        let _ = fs::remove_dir_all(private.join(takes::TAKES));
        Ok(Project {
            root,
            _lock: lock,
            sources: Mutex::default(),
            characters: Mutex::default(),
            results: Mutex::default(),
            clips: clips::ClipStore::default(),
        })
    }

    /// Where it is; canonical.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The studio's own folder in it.
    pub fn private(&self) -> PathBuf {
        self.root.join(".studio")
    }

    /// The path of an id.
    ///
    /// # Errors
    /// Where it leaves the folder.
    pub fn path(&self, id: &str) -> Result<PathBuf, Refusal> {
        resolve(&self.root, id)
    }

    /// Whether an id names what another one names, or something in it.
    pub fn is_within(&self, id: &str, of: &str) -> bool {
        is_within(&self.root, id, of)
    }

    /// The id of a path.
    pub fn id(&self, path: &Path) -> String {
        id_of(&self.root, path)
    }

    /// Looks through the folder.
    pub fn scan(&self) -> Found {
        let mut found = Found::default();
        let mut left = MOST_ENTRIES;
        self.scan_folder(&self.root, 0, &mut left, &mut found);
        found
    }

    fn scan_folder(&self, folder: &Path, depth: usize, left: &mut usize, found: &mut Found) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let mut folders = Vec::new();
        let mut result = ResultStamp::default();
        let (mut is_package, mut is_take) = (false, false);
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if *left == 0 || name.starts_with('.') {
                continue;
            }
            *left -= 1;
            let path = entry.path();
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if is_link && !path.canonicalize().is_ok_and(|real| real.starts_with(&self.root)) {
                continue;
            }
            let Ok(data) = fs::metadata(&path) else { continue };
            // Links to folders could lead in circles.
            if data.is_dir() {
                if !is_link {
                    folders.push(path);
                }
                continue;
            }
            // Pipes and devices are nobody's rigs.
            if !data.is_file() {
                continue;
            }
            let stamp = (data.modified().ok(), data.len());
            let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
            match (name.as_str(), ending.as_str()) {
                ("controls.json", _) => result.controls = Some(stamp),
                ("summary.json", _) => result.summary = Some(stamp),
                ("policy.json", _) => result.policy = Some(stamp),
                (packages::PACKAGE, _) => {
                    is_package = true;
                    found.packages.insert(self.id(&path), stamp);
                }
                (takes::SCRIPT, _) => is_take = true,
                (_, "toml") => drop(found.characters.insert(self.id(&path), stamp)),
                (_, "txt") if !self.id(&path).starts_with(RIGS) => {}
                (_, ending) if RIG_ENDINGS.contains(&ending) => drop(found.rigs.insert(self.id(&path), stamp)),
                _ => {}
            }
        }
        let is_result = result.controls.is_some() && depth > 0;
        if is_result || is_package || is_take {
            // Its files are not rigs and characters of the project; of its folders none was looked into yet.
            let own = |id: &String| Path::new(id).parent() == Some(Path::new(&self.id(folder)));
            found.rigs.retain(|id, _| !own(id));
            found.characters.retain(|id, _| !own(id));
        }
        if is_result {
            found.results.insert(self.id(folder), result);
        }
        if is_result || is_take || is_package && depth > 0 {
            return;
        }
        if is_package {
            // The project is a package: what it was made of is not the project's.
            folders.retain(|path| path.file_name().is_none_or(|name| name != packages::WORK));
        }
        if depth < DEEPEST {
            folders.sort();
            folders.iter().for_each(|path| self.scan_folder(path, depth + 1, left, found));
        }
    }
}

/// The stamp of a file.
pub fn stamp(path: &Path) -> Option<Stamp> {
    fs::metadata(path).ok().map(|data| (data.modified().ok(), data.len()))
}

/// A lock whose holder may have panicked; what it guards is whole at any time.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The project, shared.
pub type SharedProject = Arc<Project>;
