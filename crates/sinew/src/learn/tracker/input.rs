//! What a policy is to track: a data set, clips on a character, or the reference that the paper's authors released.

use super::super::{Hero, SET, read_clips};
use crate::error::{FileError, Result};
use sinew_learn::{Captured, DataConfig, Figure, MotionSet, Sequence, SetHeader};
use sinew_sim::Character;
use sinew_track::{Reference, TrackedBody, TrackerConfig, released, time_step};
use std::path::Path;

/// Stretches shorter than this are not tracked, frames.
const LEAST_FRAMES: usize = 12;

/// A body and what it is to do.
pub struct Input {
    /// The character, compiled.
    pub body: TrackedBody,
    /// The motion.
    pub reference: Reference,
    /// What is to be said about it, one sentence each.
    pub notes: Vec<String>,
}

impl Input {
    /// Reads a data set (a folder or its file), a NumPy array with the released reference, or clips: a file, a folder, an embedded character.
    /// Of a set or clips only so many `frames` are taken, where that is asked for, drawn by a seed.
    ///
    /// # Errors
    /// Where it cannot be read, or the character cannot do it.
    pub fn read(
        path: &Path,
        character: Option<&Path>,
        config: &TrackerConfig,
        frames: Option<(usize, u64)>,
    ) -> Result<Input> {
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy")) {
            return released_input(path, character, config);
        }
        let set = if path.is_dir() { path.join(SET) } else { path.to_path_buf() };
        if set.extension().is_some_and(|ending| ending == "set") && set.is_file() {
            let MotionSet { header, sequences } = MotionSet::read(&set)?;
            let header = match character {
                Some(other) => SetHeader { character: same_body(&header.character, other)?, ..header },
                None => header,
            };
            return Input::of_sequences(&header, &sequences, Vec::new(), config, frames);
        }
        let embedded = path.to_str().and_then(sinew_assets::find).is_some();
        if !path.exists() && !embedded {
            let error = sinew_files::FileError::Missing { path: path.into() };
            let remedy = format!("check the path, or name one of {}", sinew_assets::NAMES.join(", "));
            return Err(FileError::Read { path: path.into(), error, remedy }.into());
        }
        let hero = match character {
            Some(character) => Hero::open(character)?,
            None if path.is_dir() => Hero::open(Path::new("human"))?,
            None => Hero::open(path)?,
        };
        let clips = read_clips(path, &hero)?;
        let captured = Captured::new(&hero.figure, &clips.clips, &[], &DataConfig::default())?;
        let header = SetHeader::new(&hero.figure, Vec::new());
        let sequences: Vec<Sequence> = captured.sequences(&hero.figure, &[]).collect();
        let skipped = clips.skipped.iter().map(|skipped| format!("left out: {}: {}", skipped.file, skipped.why));
        Input::of_sequences(&header, &sequences, skipped.chain(clips.notes).collect(), config, frames)
    }

    fn of_sequences(
        header: &SetHeader,
        sequences: &[Sequence],
        notes: Vec<String>,
        config: &TrackerConfig,
        frames: Option<(usize, u64)>,
    ) -> Result<Input> {
        let body = TrackedBody::new(&header.character, header.forward_rad, time_step(config, header.rate_hz))?;
        let reference = Reference::of_set(&body, header, sequences, LEAST_FRAMES, frames)?;
        Ok(Input { body, reference, notes })
    }
}

/// The released reference, on the released body or a character of the same joints.
fn released_input(path: &Path, character: Option<&Path>, config: &TrackerConfig) -> Result<Input> {
    let beside = path.with_file_name("humanoid.xml");
    let body = character.unwrap_or(&beside);
    let character = released::read_body(body)?;
    let body = TrackedBody::new(&character, released::FORWARD_RAD, time_step(config, released::RATE_HZ))?;
    let rows = released::read_motion(path, body.model())?;
    let reference = Reference::new(&body, released::RATE_HZ, &[rows], LEAST_FRAMES)?;
    Ok(Input { body, reference, notes: Vec::new() })
}

/// Another version of a set's character, with other masses or gains: its coordinates must be those of the set.
fn same_body(of_set: &Character, other: &Path) -> Result<Character> {
    let hero = Hero::open(other)?;
    let joints = |character: &Character| character.joints.iter().map(|j| (j.name.clone(), j.kind)).collect::<Vec<_>>();
    if joints(&hero.character) != joints(of_set) {
        return Err(
            sinew_track::TrackError::OtherJoints { character: hero.character.name, set: of_set.name.clone() }.into()
        );
    }
    // What the set's frames mean depends on the front, which it keeps.
    Figure::new(&hero.character, 0.0)?;
    Ok(hero.character)
}
