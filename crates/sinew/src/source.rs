//! Where a character comes from: a rigged file, or one of the embedded ones.

use crate::error::{FileError, Result};
use sinew_motion::{ImportOptions, Rig, adopt_clips, read, read_bytes};
use std::path::{Path, PathBuf};

/// A rig with the bytes that it was read from, so that a clip can be written back into them.
pub struct Source {
    /// Name to call the character by: the file's stem.
    pub name: String,
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// Where files that it refers to lie.
    pub folder: Option<PathBuf>,
    /// Skeleton, clips and report.
    pub rig: Rig,
}

impl Source {
    /// Reads a file; a name of an embedded character (`dinosaur`, `human`, `quadruped`) that is no file gives that one.
    /// Clips of the files `motions` are laid onto the same joints, by name.
    ///
    /// # Errors
    /// Where a file cannot be read, or its clips do not fit.
    pub fn open(path: &Path, motions: &[PathBuf], options: &ImportOptions) -> Result<Source> {
        let mut source = match path.to_str().and_then(sinew_assets::find) {
            Some(bytes) if !path.exists() => {
                let name = path.to_string_lossy().into_owned();
                let rig = read_bytes(bytes, &format!("{name}.glb"), None, options)?;
                Source { name, bytes: bytes.to_vec(), folder: None, rig }
            }
            _ => {
                if path.is_dir() {
                    return Err(FileError::IsFolder { path: path.into() }.into());
                }
                let bytes = std::fs::read(path).map_err(|error| FileError::Read {
                    path: path.into(),
                    error,
                    remedy: format!("check the path, or name one of {}", sinew_assets::NAMES.join(", ")),
                })?;
                let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let rig = read_bytes(&bytes, &file, path.parent(), options)?;
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                Source { name, bytes, folder: path.parent().map(Path::to_path_buf), rig }
            }
        };
        for motion in motions {
            let other = read(motion, options)?;
            adopt_clips(&mut source.rig, &other, &motion.to_string_lossy())?;
        }
        Ok(source)
    }
}
