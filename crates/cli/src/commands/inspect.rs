//! `sinew inspect`: what a rigged file holds, and what had to be guessed.

use super::show;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use sinew::inspect::Inspection;
use sinew::modeler::CharacterProject;
use sinew::motion::{ImportOptions, SizeRule, Up};
use sinew::source::Source;
use std::path::{Path, PathBuf};

/// How a file is to be read; shared by all commands that read one.
#[derive(Args)]
pub struct ReadArgs {
    /// Rigged file (GLB, glTF, FBX, BVH, DeepMimic), or `dinosaur`, `human` or `quadruped` for an embedded one
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Adds the clips of another file: onto joints of the same names, else by what the joints are for (see `sinew retarget`); may be repeated
    #[arg(long, value_name = "FILE")]
    motion: Vec<PathBuf>,
    /// Which joints of --motion move which joints of this file, as `sinew retarget --map-out` writes it
    #[arg(long, value_name = "map.toml", requires = "motion")]
    map: Option<PathBuf>,
    /// Axis of the file that points up; by default as the file says, or guessed
    #[arg(long, value_name = "x|y|z")]
    up: Option<UpName>,
    /// Metres in one unit of the file; by default as the file says, or guessed
    #[arg(long, value_name = "M", conflicts_with = "height", allow_negative_numbers = true)]
    scale: Option<f64>,
    /// Height of the character, metres; decides the scale
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    height: Option<f64>,
    /// Whose size counts: the file's, or the one that its clips move with; by default the file's unless the clips clearly contradict it
    #[arg(long, value_name = "file|motion", conflicts_with_all = ["height", "scale"])]
    size: Option<SizeName>,
}

#[derive(Clone, Copy, ValueEnum)]
enum SizeName {
    File,
    Motion,
}

#[derive(Clone, Copy, ValueEnum)]
enum UpName {
    X,
    Y,
    Z,
}

impl ReadArgs {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.file
    }

    /// Name of the file without its folder.
    pub fn file_name(&self) -> String {
        self.file.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Reads the file.
    pub fn open(&self) -> Result<Source> {
        Ok(Source::open_with_map(&self.file, &self.motion, self.map.as_deref(), &self.options())?)
    }

    /// Reads the file; where it is a character that was made before, also the rig that it was made from, the first `--motion`.
    pub fn open_with_character(&self) -> Result<(Source, Option<CharacterProject>)> {
        if !self.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml")) {
            return Ok((self.open()?, None));
        }
        let project = CharacterProject::load(&self.file)?;
        let Some((rig, others)) = self.motion.split_first() else {
            bail!(
                "{}: a character holds no motion; name the rig that it was made from with --motion {}",
                self.file.display(),
                if project.options().source.is_empty() { "FILE" } else { &project.options().source }
            );
        };
        // The rig gets the size that it had when the character was made, unless somebody says otherwise.
        let mut options = self.options();
        let is_told = self.size.is_some() || options.scale.or(options.height).is_some();
        if !is_told {
            options.size = SizeRule::File;
        }
        let mut source = Source::open_with_map(rig, others, self.map.as_deref(), &options)?;
        if let (false, Some(unit)) = (is_told, project.options().metres_per_unit) {
            source.resize_to_unit(unit);
        }
        source.name = self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok((source, Some(project)))
    }

    fn options(&self) -> ImportOptions {
        let up = self.up.map(|up| match up {
            UpName::X => Up::X,
            UpName::Y => Up::Y,
            UpName::Z => Up::Z,
        });
        let size = match self.size {
            None => SizeRule::Judged,
            Some(SizeName::File) => SizeRule::File,
            Some(SizeName::Motion) => SizeRule::Motion,
        };
        ImportOptions { up, scale: self.scale, height: self.height, size }
    }
}

/// Options of `sinew inspect`.
#[derive(Args)]
pub struct Inspect {
    #[command(flatten)]
    read: ReadArgs,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl Inspect {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let inspection = Inspection::new(&self.read.open()?)?;
        match self.json {
            true => show(&(serde_json::to_string_pretty(&inspection)? + "\n")),
            false => show(&inspection.text()),
        }
    }
}
