//! Folders that a transfer has written.

use super::characters::find_rig;
use super::{Found, Project, ResultStamp, locked};
use crate::error::Refusal;
use crate::protocol::{ResultDetail, ResultEntry, ResultFile, Skin};
use serde::Deserialize;
use serde::de::IgnoredAny;
use sinew::transfer::{ASSIST_CHECKPOINT, CHECKPOINT, Figures, LARGEST_FILE, MANIFEST};
use sinew_modeler::CharacterProject;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files of a result that can be downloaded, and what they hold.
pub const FILES: [(&str, &str); 18] = [
    ("simulated.glb", "the simulated clip on the artist's own file, or on capsules"),
    ("simulated.bvh", "the simulated clip on the source's skeleton"),
    ("trajectory.npz", "time, qpos, qvel, ctrl and torque of every step, for NumPy"),
    ("report.html", "the report"),
    ("simulated.gif", "target and simulation side by side"),
    ("simulated.png", "the simulation as a film strip"),
    ("target.png", "the target at the same moments"),
    ("character.toml", "the character"),
    ("character.mjcf", "the character on flat ground, for MuJoCo"),
    ("controls.json", "everything that performs the motion again"),
    ("summary.json", "the figures of the report"),
    ("assist.html", "fidelity against help from outside, to click through"),
    ("assist.csv", "its numbers"),
    ("policy.json", "the feedback policy"),
    ("feedback.json", "the figures of the feedback"),
    ("feedback.html", "the report of the feedback"),
    ("feedback.png", "the last cycles with feedback"),
    ("open-loop.png", "the last cycles without feedback"),
];

/// What was read of results.
#[derive(Default)]
pub struct ResultCache {
    entries: BTreeMap<String, (ResultStamp, Option<ResultEntry>)>,
}

/// The head of `controls.json`.
#[derive(Deserialize)]
struct Head {
    character: String,
    clip: String,
    preset: String,
    seed: u64,
    hash: String,
    rate_hz: f64,
    motion: Vec<IgnoredAny>,
}

impl Project {
    /// The list of results.
    pub fn result_entries(&self, found: &Found) -> Vec<ResultEntry> {
        let mut cache = locked(&self.results);
        cache.entries.retain(|id, _| found.results.contains_key(id));
        let mut entries = Vec::new();
        for (id, now) in &found.results {
            if cache.entries.get(id).is_none_or(|(kept, _)| kept != now) {
                let entry = self.path(id).ok().and_then(|folder| read_entry(id, &folder));
                cache.entries.insert(id.clone(), (*now, entry));
            }
            let Some((_, Some(entry))) = cache.entries.get(id) else { continue };
            entries.push(entry.clone());
        }
        entries
    }

    /// The folder of a result.
    ///
    /// # Errors
    /// Where there is none.
    pub fn result_path(&self, id: &str) -> Result<PathBuf, Refusal> {
        let path = self.path(id)?;
        match path.join("controls.json").is_file() {
            true => Ok(path),
            false => Err(Refusal::missing(format!("there is no result {id}; choose one from the list"))),
        }
    }

    /// A result with its figures and files.
    ///
    /// # Errors
    /// Where it is not there or damaged.
    pub fn result_detail(&self, id: &str) -> Result<ResultDetail, Refusal> {
        let folder = self.result_path(id)?;
        let damaged = || Refusal::bad(format!("{id}: controls.json is damaged; run the transfer again"));
        let entry = read_entry(id, &folder).ok_or_else(damaged)?;
        let size = |name: &str| std::fs::metadata(folder.join(name)).ok().filter(|d| d.is_file()).map(|d| d.len());
        let files = FILES.iter().filter_map(|(name, what)| {
            size(name).map(|bytes| ResultFile { name: (*name).into(), bytes, what: (*what).into() })
        });
        let summary = sinew_files::read(&folder.join("summary.json"), LARGEST_FILE).ok();
        Ok(ResultDetail {
            rig: self.rig_of_result(id)?,
            summary: summary.and_then(|bytes| serde_json::from_slice(&bytes).ok()),
            files: files.collect(),
            entry,
        })
    }

    /// The character of a result, with its history.
    ///
    /// # Errors
    /// Where its file is missing or damaged.
    pub fn character_of_result(&self, id: &str) -> Result<CharacterProject, Refusal> {
        let path = self.result_path(id)?.join("character.toml");
        CharacterProject::load(&path).map_err(|e| Refusal::bad(e.to_string()))
    }

    /// The rig of a result's character, where the project has it.
    ///
    /// # Errors
    /// Where there is no such result.
    pub fn rig_of_result(&self, id: &str) -> Result<Option<String>, Refusal> {
        self.result_path(id)?;
        let source = self.character_of_result(id).map(|project| project.options().source.clone());
        Ok(source.ok().and_then(|source| find_rig(&self.scan(), &source)))
    }

    /// How the nodes of its rig follow the bodies of a result.
    ///
    /// # Errors
    /// Where there is no such result, or the project has not its rig.
    pub fn skin_of_result(&self, id: &str) -> Result<Skin, Refusal> {
        let made = self.character_of_result(id)?;
        let missing = || Refusal::missing(format!("{id}: its rig is not in the project; drop it in"));
        self.skin(&made)?.ok_or_else(missing)
    }

    /// A file of a result.
    ///
    /// # Errors
    /// Where it is none of those that can be downloaded, or not there.
    pub fn result_file(&self, id: &str, name: &str) -> Result<PathBuf, Refusal> {
        self.result_path(id)?;
        let known = FILES.iter().any(|(known, _)| *known == name);
        let path = self.path(&format!("{id}/{name}"));
        match path {
            Ok(path) if known && path.is_file() => Ok(path),
            _ => Err(Refusal::missing(format!("{id} has no file {name:?}"))),
        }
    }

    /// Takes a result away: its own files, and the folder where nothing else is in it.
    ///
    /// # Errors
    /// Where it is not there.
    pub fn remove_result(&self, id: &str) -> Result<(), Refusal> {
        let folder = self.result_path(id)?;
        let own = FILES.iter().map(|(name, _)| *name);
        for name in own.chain([MANIFEST, CHECKPOINT, ASSIST_CHECKPOINT, sinew::feedback::CHECKPOINT]) {
            match std::fs::remove_file(folder.join(name)) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Refusal::bad(format!("{id}/{name} cannot be removed ({e})")));
                }
                _ => {}
            }
        }
        self.remove_points(&folder.join("assist"));
        // What others have put there stays.
        let _ = std::fs::remove_dir(&folder);
        Ok(())
    }

    /// Takes the points of a front of help away, of which each is a result; what others have put there stays.
    fn remove_points(&self, folder: &Path) {
        for index in 0..100 {
            let point = self.id(&folder.join(format!("{index:02}")));
            if self.remove_result(&point).is_err() {
                break;
            }
        }
        let _ = std::fs::remove_dir(folder);
    }
}

fn read_entry(id: &str, folder: &Path) -> Option<ResultEntry> {
    let bytes = sinew_files::read(&folder.join("controls.json"), LARGEST_FILE).ok()?;
    let head: Head = serde_json::from_slice(&bytes).ok()?;
    let figures = Figures::read(&folder.join("summary.json")).ok();
    let duration_secs = head.motion.len().saturating_sub(1) as f64 / head.rate_hz.max(1e-3);
    Some(ResultEntry {
        id: id.into(),
        name: Path::new(id).file_name().unwrap_or_default().to_string_lossy().into_owned(),
        character: head.character,
        clip: head.clip,
        preset: head.preset,
        seed: head.seed,
        verdict: figures.as_ref().and_then(|f| f.verdict).map(|verdict| verdict.to_string()),
        verdict_sentence: figures.as_ref().map_or(String::new(), |f| f.verdict_sentence.clone()),
        completed: figures.as_ref().map(|f| f.completed),
        fell_at_secs: figures.as_ref().and_then(|f| f.fell_at_secs),
        duration_secs: figures.as_ref().map_or(duration_secs, |f| f.duration_secs),
        cost_mean: figures.as_ref().map(|f| f.cost_mean),
        has_policy: folder.join("policy.json").is_file(),
        hash: head.hash,
    })
}
