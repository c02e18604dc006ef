//! Where a character comes from: a rigged file, or one of the embedded ones.

use crate::error::{FileError, Result};
use crate::retarget::{Fit, add_clips};
use sinew_motion::{
    ImportOptions, LARGEST_FILE, Rig, SizeFrom, SizeOptions, SizeRule, Sizing, read, read_bytes, settle_size,
};
use std::path::{Path, PathBuf};

/// A rig with the bytes that it was read from, so that a clip can be written back into them.
#[derive(Clone)]
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
    /// How many of the clips, the last ones, came from other files.
    pub added: usize,
}

/// Files whose clips are added, and the map of joints by which they are moved.
#[derive(Clone, Copy)]
struct Motions<'a> {
    files: &'a [PathBuf],
    map: Option<&'a Path>,
}

impl Source {
    /// Reads a file; a name of an embedded character (`dinosaur`, `human`, `quadruped`) that is no file gives that one.
    /// Clips of the files `motions` are added: laid onto joints of the same names, else moved to this skeleton by the roles of the joints. The file's own
    /// clips settle the size; where it has none, clips that were laid on by names do.
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
        let motions = Motions { files: motions, map };
        match path.to_str().and_then(sinew_assets::find) {
            // A folder of that name, such as that of a package, is no rig.
            Some(bytes) if !path.is_file() => Source::embedded_with(&path.to_string_lossy(), bytes, motions, options),
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
        Source::embedded_with(name, bytes, Motions { files: motions, map: None }, options)
    }

    fn embedded_with(name: &str, bytes: &[u8], motions: Motions, options: &ImportOptions) -> Result<Source> {
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
        motions: Motions,
        options: &ImportOptions,
    ) -> Result<Source> {
        let own = rig.clips.len();
        let mut sizing = settle_size(&mut rig, options, &SizeOptions::default())?;
        let mut laid = false;
        for motion in motions.files {
            let other = match motion.to_str().and_then(sinew_assets::find) {
                Some(bytes) if !motion.exists() => read_bytes(bytes, &motion.to_string_lossy(), None, options)?,
                _ => read(motion, options)?,
            };
            // Clips that come from another body say nothing about the size of this one.
            laid |= add_clips(&mut rig, &other, &motion.to_string_lossy(), motions.map)? == Fit::ByNames;
        }
        if own == 0 && laid {
            sizing = settle_size(&mut rig, options, &SizeOptions::default())?;
        }
        let added = rig.clips.len() - own;
        Ok(Source { name, bytes, folder, rig, sizing, added })
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
