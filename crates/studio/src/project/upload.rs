//! Files that come in: written beside the project's own, read, and kept only where they can be read.

use super::{Project, RIG_ENDINGS};
use crate::error::Refusal;
use crate::names::{free_path, plain, plain_name};
use crate::pace::is_late;
use crate::protocol::{Remade, Uploaded};
use axum::body::{Body, BodyDataStream};
use axum::http::StatusCode;
use futures_util::StreamExt;
use sinew::export::with_clips;
use sinew::retarget::add_clips;
use sinew_files::atomic_write::atomic_write;
use sinew_modeler::CharacterProject;
use sinew_motion::{ImportOptions, read_bytes};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::AsyncWriteExt;

/// Endings of what a glTF may refer to.
const PART_ENDINGS: [&str; 6] = ["bin", "png", "jpg", "jpeg", "webp", "ktx2"];
/// What is too large is read to its end and thrown away, so that the browser listens to the answer: at most so many bytes.
const MOST_DISCARDED: u64 = 8 << 30;

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// A file that has arrived; removed unless it is moved.
pub struct Arrived {
    path: PathBuf,
}

impl Drop for Arrived {
    fn drop(&mut self) {
        // It may have been moved.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Writes a body, which the server keeps to its pace, to a file piece by piece, at most `largest` bytes.
///
/// # Errors
/// Where it is larger, comes too slowly, breaks off or cannot be written.
pub async fn receive(project: &Project, body: Body, announced: Option<u64>, largest: u64) -> Result<Arrived, Refusal> {
    let too_large = || Refusal {
        status: StatusCode::PAYLOAD_TOO_LARGE,
        sentence: format!(
            "the file is larger than {} MB, the most that is taken; leave pictures or meshes out",
            largest >> 20
        ),
    };
    let mut stream = body.into_data_stream();
    if announced.is_some_and(|bytes| bytes > largest) {
        discard(&mut stream, 0).await;
        return Err(too_large());
    }
    let cannot =
        |e: std::io::Error| Refusal::fault(format!("the upload cannot be written ({e}); make room on the disk"));
    let folder = project.private().join("uploads");
    tokio::fs::create_dir_all(&folder).await.map_err(cannot)?;
    let arrived = Arrived { path: folder.join(COUNTER.fetch_add(1, Ordering::Relaxed).to_string()) };
    let mut file = tokio::fs::File::create(&arrived.path).await.map_err(cannot)?;
    let mut count = 0;
    loop {
        let chunk = match stream.next().await {
            None => break,
            Some(Ok(chunk)) => chunk,
            Some(Err(error)) if is_late(&error) => {
                return Err(Refusal::late("the upload came too slowly or stood still; drop the file in again"));
            }
            Some(Err(_)) => return Err(Refusal::bad("the upload broke off; drop the file in again")),
        };
        count += chunk.len() as u64;
        if count > largest {
            // The part that was written need not wait for the rest that is thrown away.
            drop((file, arrived));
            discard(&mut stream, count).await;
            return Err(too_large());
        }
        file.write_all(&chunk).await.map_err(cannot)?;
    }
    file.flush().await.map_err(cannot)?;
    Ok(arrived)
}

async fn discard(stream: &mut BodyDataStream, mut count: u64) {
    while let Some(Ok(chunk)) = stream.next().await {
        count += chunk.len() as u64;
        if count > MOST_DISCARDED {
            break;
        }
    }
}

impl Project {
    /// Refuses names and endings before a byte is read.
    ///
    /// # Errors
    /// Says which endings are taken.
    pub fn check_upload(&self, name: &str, folder: Option<&str>) -> Result<(), Refusal> {
        plain_name(name)?;
        folder.map(plain_name).transpose()?;
        let ending = ending_of(name);
        let known = RIG_ENDINGS.contains(&ending.as_str()) || ending == "toml";
        let part = folder.is_some() && PART_ENDINGS.contains(&ending.as_str());
        match (known || part, PART_ENDINGS.contains(&ending.as_str())) {
            (true, _) => Ok(()),
            (false, true) => {
                Err(Refusal::bad(format!("{name} is part of a glTF; drop it in together with its .gltf file")))
            }
            (false, false) => Err(Refusal::bad(format!(
                "{name}: files ending in .{} are taken; export the character as one of these",
                RIG_ENDINGS.join(", .")
            ))),
        }
    }

    /// Reads what has arrived and keeps it where it can be read.
    ///
    /// # Errors
    /// Where it is no rig, or a part of it is missing; then nothing is kept of it.
    pub fn keep_upload(
        &self,
        arrived: &Arrived,
        name: &str,
        folder: Option<&str>,
        replaces: bool,
    ) -> Result<Uploaded, Refusal> {
        self.check_upload(name, folder)?;
        let ending = ending_of(name);
        if ending == "toml" {
            return self.keep_character(arrived, name);
        }
        let rigs = match folder {
            Some(folder) => self.path(&format!("rigs/{folder}"))?,
            None => self.path("rigs")?,
        };
        let cannot =
            |e: std::io::Error| Refusal::fault(format!("{name} cannot be written ({e}); make room on the disk"));
        std::fs::create_dir_all(&rigs).map_err(cannot)?;
        if !RIG_ENDINGS.contains(&ending.as_str()) {
            let path = self.path(&format!("{}/{name}", self.id(&rigs)))?;
            std::fs::rename(&arrived.path, &path).map_err(cannot)?;
            return Ok(Uploaded::Part { id: self.id(&path) });
        }
        let bytes = std::fs::read(&arrived.path).map_err(cannot)?;
        read_bytes(&bytes, name, Some(&rigs), &ImportOptions::default()).map_err(|e| Refusal::bad(e.to_string()))?;
        if let Some(old) = replaces.then(|| self.rig_named(name, &rigs)).flatten() {
            return self.replace_rig(arrived, &bytes, &old);
        }
        drop(bytes);
        let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let path = free_path(&rigs, &stem, &format!(".{ending}"), &|_| false);
        std::fs::rename(&arrived.path, &path).map_err(cannot)?;
        let detail = self.rig_detail(&self.id(&path));
        if detail.is_err() {
            // It reads, but cannot be put on the ground.
            let _ = std::fs::remove_file(&path);
        }
        Ok(Uploaded::Rig { rig: Box::new(detail?), replaced: None, unchanged: false })
    }

    /// The rig that a file of that name would be a new version of: that in its folder, else the only one of that name.
    fn rig_named(&self, name: &str, rigs: &Path) -> Option<String> {
        let own = self.id(&rigs.join(name));
        let found = self.scan().rigs;
        let of_name = |id: &&String| Path::new(id).file_name().is_some_and(|file| file == name);
        let mut others = found.keys().filter(of_name);
        match (found.contains_key(&own), others.next(), others.next()) {
            (true, ..) => Some(own),
            (false, Some(only), None) => Some(only.clone()),
            _ => None,
        }
    }

    /// Puts a new version in the place of a rig and makes its characters again. The older version goes to `.studio/replaced`.
    fn replace_rig(&self, arrived: &Arrived, bytes: &[u8], id: &str) -> Result<Uploaded, Refusal> {
        let cannot = |e: std::io::Error| Refusal::fault(format!("{id} cannot be written ({e}); make room on the disk"));
        let path = self.path(id)?;
        let before = std::fs::read(&path).map_err(cannot)?;
        if before == bytes {
            return Ok(Uploaded::Rig {
                rig: Box::new(self.rig_detail(id)?),
                replaced: Some(Vec::new()),
                unchanged: true,
            });
        }
        let found = self.scan();
        let made = self.character_entries(&found).into_iter().filter(|entry| entry.rig.as_deref() == Some(id));
        let made: Vec<_> = made.collect();
        let kept = self.private().join("replaced");
        std::fs::create_dir_all(&kept).map_err(cannot)?;
        atomic_write(&kept.join(path.file_name().unwrap_or_default()), &before).map_err(cannot)?;
        std::fs::rename(&arrived.path, &path).map_err(cannot)?;
        let detail = self.rig_detail(id);
        if detail.is_err() {
            // It reads, but cannot be put on the ground.
            atomic_write(&path, &before).map_err(cannot)?;
        }
        let rig = Box::new(detail?);
        let remade = made.into_iter().map(|entry| {
            let (revision, lost, problem) = match self.remake_of_changed_rig(&entry.id) {
                Ok((detail, lost)) => (detail.revision, lost, None),
                Err(refusal) => (entry.revision, Vec::new(), Some(refusal.sentence)),
            };
            Remade { id: entry.id, name: entry.name, revision, lost, problem }
        });
        Ok(Uploaded::Rig { rig, replaced: Some(remade.collect()), unchanged: false })
    }

    /// Moves the clips of what has arrived to a rig of the project, and keeps that rig with them as a new file beside it.
    ///
    /// # Errors
    /// Where it cannot be read, has no clips, or its body is built otherwise; then nothing is kept.
    pub fn keep_clips(
        &self,
        arrived: &Arrived,
        name: &str,
        folder: Option<&str>,
        onto: &str,
    ) -> Result<Uploaded, Refusal> {
        self.check_upload(name, folder)?;
        let cannot =
            |e: std::io::Error| Refusal::fault(format!("{name} cannot be written ({e}); make room on the disk"));
        let bytes = std::fs::read(&arrived.path).map_err(cannot)?;
        let parts = folder.map(|folder| self.path(&format!("rigs/{folder}"))).transpose()?;
        let other = read_bytes(&bytes, name, parts.as_deref(), &ImportOptions::default());
        let other = other.map_err(|e| Refusal::bad(e.to_string()))?;
        let mut source = self.open_rig(onto)?;
        let own = source.rig.clips.len();
        add_clips(&mut source.rig, &other, name, None)?;
        let (bytes, ending) = with_clips(&source, &source.rig.clips[own..])?;
        let rigs = self.path("rigs")?;
        std::fs::create_dir_all(&rigs).map_err(cannot)?;
        let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
        let path = free_path(&rigs, &plain(&format!("{}-{stem}", source.name)), &format!(".{ending}"), &|_| false);
        atomic_write(&path, &bytes).map_err(cannot)?;
        let mut detail = self.rig_detail(&self.id(&path))?;
        detail.repairs = source.rig.report.sentences().map(str::to_owned).collect();
        Ok(Uploaded::Rig { rig: Box::new(detail), replaced: None, unchanged: false })
    }

    fn keep_character(&self, arrived: &Arrived, name: &str) -> Result<Uploaded, Refusal> {
        let cannot =
            |e: std::io::Error| Refusal::fault(format!("{name} cannot be written ({e}); make room on the disk"));
        let text = std::fs::read_to_string(&arrived.path)
            .map_err(|_| Refusal::bad(format!("{name} is no text; drop in a character that sinew has written")))?;
        let character = sinew_sim::Character::from_toml(&text).map_err(|e| Refusal::bad(format!("{name}: {e}")))?;
        CharacterProject::from_character(character, name).map_err(|e| Refusal::bad(e.to_string()))?;
        let folder = self.path("characters")?;
        std::fs::create_dir_all(&folder).map_err(cannot)?;
        let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let path = free_path(&folder, &stem, ".toml", &|_| false);
        std::fs::rename(&arrived.path, &path).map_err(cannot)?;
        Ok(Uploaded::Character { character: Box::new(self.character_detail(&self.id(&path))?) })
    }
}

fn ending_of(name: &str) -> String {
    Path::new(name).extension().unwrap_or_default().to_string_lossy().to_lowercase()
}
