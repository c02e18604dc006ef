//! Where a character comes from: a rigged file, or one of the embedded ones.

use crate::error::{FileError, Result};
use crate::retarget::add_clips;
use sinew_motion::{ImportOptions, LARGEST_FILE, Rig, read, read_bytes};
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
    /// Clips of the files `motions` are added: laid onto joints of the same names, else moved to this skeleton by the roles of the joints.
    ///
    /// # Errors
    /// Where a file cannot be read, or its clips do not fit.
    pub fn open(path: &Path, motions: &[PathBuf], options: &ImportOptions) -> Result<Source> {
        Source::open_with_map(path, motions, None, options)
    }

    /// As [`Source::open`], with clips moved by the map of joints in the file `map`.
    ///
    /// # Errors
    /// Where a file cannot be read, or its clips or the map do not fit.
    pub fn open_with_map(
        path: &Path,
        motions: &[PathBuf],
        map: Option<&Path>,
        options: &ImportOptions,
    ) -> Result<Source> {
        let mut source = match path.to_str().and_then(sinew_assets::find) {
            Some(bytes) if !path.exists() => {
                let name = path.to_string_lossy().into_owned();
                let rig = read_bytes(bytes, &format!("{name}.glb"), None, options)?;
                Source { name, bytes: bytes.to_vec(), folder: None, rig }
            }
            _ => {
                let bytes = sinew_files::read(path, LARGEST_FILE).map_err(|error| FileError::Read {
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
            let other = match motion.to_str().and_then(sinew_assets::find) {
                Some(bytes) if !motion.exists() => read_bytes(bytes, &motion.to_string_lossy(), None, options)?,
                _ => read(motion, options)?,
            };
            add_clips(&mut source.rig, &other, &motion.to_string_lossy(), map)?;
        }
        Ok(source)
    }
}
