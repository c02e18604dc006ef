//! The files of a transfer, and a folder that gets all of them or none.

use super::pictures::{Pictures, draw};
use super::{CHECKPOINT, Figures, Finished, Prepared, Transfer, page};
use crate::error::{FileError, Result};
use crate::export::export;
use crate::report::page::Section;
use sinew_motion::Format;
use sinew_sim::mjcf::{MjcfOptions, to_mjcf};
use std::fs;
use std::path::{Path, PathBuf};

/// Names and bytes of all files that a transfer leaves.
///
/// # Errors
/// Where the source cannot take the clip, or a picture cannot be drawn.
pub fn files(prepared: &Prepared, transfer: &Transfer, finished: &Finished) -> Result<Vec<(String, Vec<u8>)>> {
    files_with(prepared, transfer, finished, &draw(prepared, finished)?, Vec::new())
}

/// Like [`files`], with pictures that were drawn before, and more sections in the report.
pub(super) fn files_with(
    prepared: &Prepared,
    transfer: &Transfer,
    finished: &Finished,
    pictures: &Pictures,
    sections: Vec<Section>,
) -> Result<Vec<(String, Vec<u8>)>> {
    let clip = finished.clip(prepared)?;
    let model = prepared.model();
    let project = &prepared.modeling.project;
    let mut page = page(prepared, transfer, finished, pictures, &descriptions(prepared));
    page.sections.extend(sections);
    let Pictures { target, simulated, animation } = pictures.clone();
    let contents: Vec<Vec<u8>> = vec![
        simulated,
        target,
        animation,
        export(&prepared.source, &clip, Path::new("simulated.glb"))?,
        export(&prepared.source, &clip, Path::new("simulated.bvh"))?,
        finished.trajectory.to_npz(model, &project.character().name)?,
        to_mjcf(&prepared.scene, &MjcfOptions { dt: model.dt() }).into_bytes(),
        project.to_character().to_toml().into_bytes(),
        finished.controls.to_json()?.into_bytes(),
        Figures::new(transfer, finished).to_json()?.into_bytes(),
        page.to_html().into_bytes(),
    ];
    let names = descriptions(prepared).into_iter().map(|(name, _)| name).chain(["report.html".to_owned()]);
    Ok(names.zip(contents).collect())
}

/// Names of the files beside the report, and what they hold.
fn descriptions(prepared: &Prepared) -> Vec<(String, String)> {
    let glb = match prepared.source.rig.format {
        Format::Gltf => "the artist's own file with the simulated clip added",
        _ => "the simulated clip on capsules, because the source is no glTF",
    };
    let pairs = [
        ("simulated.png", "the simulation as a film strip, with contact forces"),
        ("target.png", "the target at the same moments, from the same camera"),
        ("simulated.gif", "target and simulation side by side"),
        ("simulated.glb", glb),
        ("simulated.bvh", "the simulated clip on the source's skeleton"),
        ("trajectory.npz", "time, qpos, qvel, ctrl and torque of every step, for NumPy"),
        ("character.mjcf", "the character on flat ground, for MuJoCo"),
        ("character.toml", "the character"),
        ("controls.json", "everything that performs the motion again"),
        ("summary.json", "the figures of the report"),
    ];
    pairs.map(|(name, what)| (name.to_owned(), what.to_owned())).to_vec()
}

/// A folder for the files of a run. Dropped before [`OutputFolder::keep`], it takes away what it made and what is empty.
pub struct OutputFolder {
    path: PathBuf,
    /// Folders that were not there before, the innermost first.
    made: Vec<PathBuf>,
    is_kept: bool,
}

impl OutputFolder {
    /// Makes the folder, and those above it.
    ///
    /// # Errors
    /// Where the system refuses, or a file is in the way.
    pub fn make(path: &Path) -> Result<OutputFolder> {
        if path.exists() && !path.is_dir() {
            return Err(FileError::NoFolder { path: path.into() }.into());
        }
        let missing = path.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists());
        let folder =
            OutputFolder { path: path.to_path_buf(), made: missing.map(Path::to_path_buf).collect(), is_kept: false };
        fs::create_dir_all(path).map_err(|error| FileError::Make { path: path.into(), error })?;
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the checkpoint of its run is.
    pub fn checkpoint(&self) -> PathBuf {
        self.path.join(CHECKPOINT)
    }

    /// Leaves the folder where it is.
    pub fn keep(&mut self) {
        self.is_kept = true;
    }

    /// Writes all files, then moves them to their names; where one cannot be written, all old ones stay as they are.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn write(&self, files: &[(String, Vec<u8>)]) -> Result<()> {
        if let Some((name, _)) = files.iter().find(|(name, _)| self.path.join(name).is_dir()) {
            return Err(FileError::FolderInTheWay { path: self.path.join(name) }.into());
        }
        let staging = self.path.join(format!(".writing-{}", std::process::id()));
        let written = fill(&staging, files).and_then(|()| {
            for (name, _) in files {
                let to = self.path.join(name);
                fs::rename(staging.join(name), &to).map_err(|error| FileError::Write { path: to, error })?;
            }
            Ok(())
        });
        // The first error is the one to report.
        let _ = fs::remove_dir_all(&staging);
        written
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if !self.is_kept {
            // Only empty folders go.
            self.made.iter().take_while(|path| fs::remove_dir(path).is_ok()).for_each(drop);
        }
    }
}

fn fill(staging: &Path, files: &[(String, Vec<u8>)]) -> Result<()> {
    fs::create_dir_all(staging).map_err(|error| FileError::Make { path: staging.into(), error })?;
    for (name, bytes) in files {
        let path = staging.join(name);
        let write = || -> std::io::Result<()> {
            let mut file = fs::File::create(&path)?;
            std::io::Write::write_all(&mut file, bytes)?;
            file.sync_all()
        };
        // Of the file that was asked for, not of the one that stands in for it.
        let path = staging.parent().unwrap_or(staging).join(name);
        write().map_err(|error| FileError::Write { path, error })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn all_files_or_the_old_ones() {
        let top = tempfile::tempdir().expect("a folder");
        let path = top.path().join("a/b");
        let mut folder = OutputFolder::make(&path).expect("made");
        let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
        folder.write(&[file("x", "1"), file("y", "1")]).expect("written");
        assert_eq!(names(&path), ["x", "y"]);
        // The second name cannot be written.
        assert!(folder.write(&[file("x", "2"), file("no/such", "2")]).is_err());
        assert_eq!((fs::read(path.join("x")).expect("x"), names(&path)), (b"1".to_vec(), vec!["x".into(), "y".into()]));
        fs::create_dir(path.join("z")).expect("a folder");
        assert!(folder.write(&[file("x", "3"), file("z", "3")]).is_err());
        assert_eq!(fs::read(path.join("x")).expect("x"), b"1");
        folder.keep();
        drop(folder);
        assert!(path.exists());
    }

    #[test]
    fn what_was_made_and_is_empty_goes_again() {
        let top = tempfile::tempdir().expect("a folder");
        drop(OutputFolder::make(&top.path().join("a/b")).expect("made"));
        assert!(names(top.path()).is_empty() && top.path().exists());
        fs::write(top.path().join("file"), "x").expect("written");
        assert!(OutputFolder::make(&top.path().join("file")).is_err());
        assert!(OutputFolder::make(&top.path().join("file/in")).is_err());
    }
}
