//! Where a character comes from: a rigged file, or one of the embedded ones.

use crate::error::{FileError, Result};
use sinew_motion::{
    ImportOptions, LARGEST_FILE, Rig, SizeFrom, SizeOptions, SizeRule, Sizing, adopt_clips, read, read_bytes,
    settle_size,
};
use std::path::{Path, PathBuf};

/// A rig with the bytes that it was read from, so that a clip can be written back into them.
pub struct Source {
    /// Name to call the character by: the file's stem.
    pub name: String,
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// Where files that it refers to lie.
    pub folder: Option<PathBuf>,
    /// Skeleton, clips and report, at the size that was settled on.
    pub rig: Rig,
    /// Where that size comes from.
    pub sizing: Sizing,
}

impl Source {
    /// Reads a file; a name of an embedded character (`dinosaur`, `human`, `quadruped`) that is no file gives that one.
    /// Clips of the files `motions` are laid onto the same joints, by name. The file's own clips settle the size; where it has none, those do.
    ///
    /// # Errors
    /// Where a file cannot be read, or its clips do not fit.
    pub fn open(path: &Path, motions: &[PathBuf], options: &ImportOptions) -> Result<Source> {
        match path.to_str().and_then(sinew_assets::find) {
            Some(bytes) if !path.exists() => Source::embedded(&path.to_string_lossy(), bytes, motions, options),
            _ => {
                let bytes = sinew_files::read(path, LARGEST_FILE).map_err(|error| FileError::Read {
                    path: path.into(),
                    error,
                    remedy: format!("check the path, or name one of {}", sinew_assets::NAMES.join(", ")),
                })?;
                let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let rig = read_bytes(&bytes, &file, path.parent(), options)?;
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                Source::settled(name, bytes, path.parent().map(Path::to_path_buf), rig, motions, options)
            }
        }
    }

    /// Reads an embedded character. Ours are as large as they should be: their clips do not overrule that unless they are asked to.
    ///
    /// # Errors
    /// Where the clips of a file `motions` do not fit.
    pub fn embedded(name: &str, bytes: &[u8], motions: &[PathBuf], options: &ImportOptions) -> Result<Source> {
        let size = if options.size == SizeRule::Judged { SizeRule::File } else { options.size };
        let options = ImportOptions { size, ..*options };
        let rig = read_bytes(bytes, &format!("{name}.glb"), None, &options)?;
        Source::settled(name.into(), bytes.to_vec(), None, rig, motions, &options)
    }

    /// Settles the size of a rig that was read, and adds the clips of other files.
    fn settled(
        name: String,
        bytes: Vec<u8>,
        folder: Option<PathBuf>,
        mut rig: Rig,
        motions: &[PathBuf],
        options: &ImportOptions,
    ) -> Result<Source> {
        let has_own = !rig.clips.is_empty();
        let mut sizing = settle_size(&mut rig, options, &SizeOptions::default())?;
        for motion in motions {
            let other = read(motion, options)?;
            adopt_clips(&mut rig, &other, &motion.to_string_lossy())?;
        }
        if !has_own && !motions.is_empty() {
            sizing = settle_size(&mut rig, options, &SizeOptions::default())?;
        }
        Ok(Source { name, bytes, folder, rig, sizing })
    }

    /// Metres in one unit of the file, where these are not those of the file's own size.
    pub fn changed_unit(&self) -> Option<f64> {
        (self.sizing.from != SizeFrom::File).then_some(self.rig.skeleton.source.metres_per_unit)
    }

    /// Resizes the rig to a unit, as [`Self::changed_unit`] gave it when a character was made of it.
    pub fn resize_to_unit(&mut self, metres_per_unit: f64) {
        self.rig.resize(metres_per_unit / self.rig.skeleton.source.metres_per_unit);
    }
}
