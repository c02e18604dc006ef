//! What a policy is to track: a data set, what a generator makes, clips on a character, motion that was transferred, or the reference that the paper's authors
//! released.

use super::super::clips::{SHORT_CYCLE_SECS, Wanted, read_wanted_clips};
use super::super::generator::GENERATOR;
use super::super::{Hero, SET};
use super::performed;
use crate::error::{FileError, Result};
use sinew_learn::{
    Captured, DataConfig, Figure, GeneratorError, MotionSet, SavedGenerator, Sequence, SetHeader, forecasts, practise,
};
use sinew_sim::Character;
use sinew_track::{Reference, TrackError, TrackedBody, TrackerConfig, TrackerPreset, released, time_step};
use std::path::{Path, PathBuf};

/// Stretches shorter than this are not tracked, frames.
pub(super) const LEAST_FRAMES: usize = 12;
/// A cycle that is tracked alone is repeated for at least so long, s: half of the starts have all of an episode of 10 s before them.
const CYCLE_SECS: f64 = 20.0;

/// What of an input is taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draw {
    /// Of a file with several clips the one of this name.
    pub clip: Option<String>,
    /// Where one clip is tracked and it is a cycle, it is repeated for at least so long, s, and for 20 s in any case.
    pub cycle_secs: f64,
    /// Only so many frames of a set or of clips.
    pub frames: Option<usize>,
    /// Seed by which these are drawn, and of what a generator is asked for.
    pub seed: u64,
}

/// A body and what it is to do.
pub struct Input {
    /// The character, compiled.
    pub body: TrackedBody,
    /// The motion.
    pub reference: Reference,
    /// Length of the cycle that it repeats, s; none for motion that does not repeat, and for several clips.
    pub period_secs: Option<f64>,
    /// What is to be said about it, one sentence each.
    pub notes: Vec<String>,
}

impl Input {
    /// Reads a data set or a generator (a folder or its file), the folder of a transfer, a NumPy array with the released reference, or clips: a file, a folder, an embedded
    /// character.
    ///
    /// # Errors
    /// Where it cannot be read, or the character cannot do it.
    pub fn read(path: &Path, character: Option<&Path>, config: &TrackerConfig, draw: Draw) -> Result<Input> {
        let whole = |what: &'static str, choices: &[(bool, &'static str)]| {
            let chosen = choices.iter().find(|(is_chosen, _)| *is_chosen);
            let refused = |&(_, choice)| TrackError::NoChoice { path: path.into(), what, choice };
            chosen.map_or(Ok(()), |chosen| Err(refused(chosen)))
        };
        let (clip, frames) = ((draw.clip.is_some(), "clip"), (draw.frames.is_some(), "number of frames"));
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy")) {
            whole("a released reference", &[clip, frames])?;
            return released_input(path, character, config);
        }
        if let Some(folder) = performed::folder_of(path) {
            whole("a transferred motion", &[clip, frames])?;
            return performed::performed(&folder, character, config, draw.cycle_secs);
        }
        if let Some(generator) = generator_of(path) {
            whole("a generator", &[clip, frames])?;
            return generated(&generator, character, config, draw.seed);
        }
        let set = if path.is_dir() { path.join(SET) } else { path.to_path_buf() };
        if set.extension().is_some_and(|ending| ending == "set") && set.is_file() {
            whole("a data set", &[clip])?;
            let MotionSet { header, sequences } = MotionSet::read(&set)?;
            let header = match character {
                Some(other) => SetHeader { character: same_body(&header.character, other)?, ..header },
                None => header,
            };
            return Input::of_sequences(&header, &sequences, Vec::new(), config, draw);
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
        let name = draw.clip.as_deref();
        let mut clips = read_wanted_clips(path, &hero, Wanted { name, least_secs: SHORT_CYCLE_SECS })?;
        if let [Some(_)] = clips.periods[..] {
            // What one clip asks for is practised and tested without an end.
            let least_secs = draw.cycle_secs.max(CYCLE_SECS);
            clips = read_wanted_clips(path, &hero, Wanted { name, least_secs })?;
        }
        let period_secs = if let [period] = clips.periods[..] { period } else { None };
        let captured = Captured::new(&hero.figure, &clips.clips, &[], &DataConfig::default())?;
        let header = SetHeader::new(&hero.figure, Vec::new());
        let sequences: Vec<Sequence> = captured.sequences(&hero.figure, &[]).collect();
        let skipped = clips.skipped.iter().map(|skipped| format!("left out: {}: {}", skipped.file, skipped.why));
        let input = Input::of_sequences(&header, &sequences, skipped.chain(clips.notes).collect(), config, draw)?;
        Ok(Input { period_secs, ..input })
    }

    fn of_sequences(
        header: &SetHeader,
        sequences: &[Sequence],
        notes: Vec<String>,
        config: &TrackerConfig,
        draw: Draw,
    ) -> Result<Input> {
        let body = TrackedBody::new(&header.character, header.forward_rad, time_step(config, header.rate_hz))?;
        let reference =
            Reference::of_set(&body, header, sequences, LEAST_FRAMES, draw.frames.map(|frames| (frames, draw.seed)))?;
        Ok(Input { body, reference, period_secs: None, notes })
    }
}

/// The file of a generator, where a path is one or a folder with one.
pub(super) fn generator_of(path: &Path) -> Option<PathBuf> {
    let file = if path.is_dir() { path.join(GENERATOR) } else { path.to_path_buf() };
    (file.extension().is_some_and(|ending| ending == "generator") && file.is_file()).then_some(file)
}

/// The constants that suit an input: those of driven characters for a generator, and those that use the controls of motion whose controls are known.
pub fn usual_preset(path: &Path) -> TrackerPreset {
    match () {
        () if performed::folder_of(path).is_some() => TrackerPreset::Performed,
        () if generator_of(path).is_some() => TrackerPreset::Driven,
        () => TrackerPreset::Default,
    }
}

/// Minutes of what a generator makes under random objectives: what a driven character is asked for.
fn generated(path: &Path, character: Option<&Path>, config: &TrackerConfig, seed: u64) -> Result<Input> {
    let saved = SavedGenerator::read(path)?;
    let SavedGenerator::Matching { set, .. } = &saved else {
        // Objectives are drawn from a set, which a learned generator does not keep.
        return Err(TrackError::NoSet { path: path.into() }.into());
    };
    let header = &set.header;
    let hero = character.map(|other| same_body(&header.character, other)).transpose()?;
    let options = sinew_learn::TrialOptions { minutes: config.practice_minutes, seed };
    let generator = saved.generator()?;
    let trace = practise(generator.as_ref(), set, &options).ok_or(GeneratorError::NoTasks)?;
    let character = hero.as_ref().unwrap_or(&header.character);
    let body = TrackedBody::new(character, header.forward_rad, time_step(config, header.rate_hz))?;
    let mut reference = Reference::new(&body, header.rate_hz, &[trace.rows.concat()], LEAST_FRAMES)?;
    if let Some(farthest) = config.preview.iter().max() {
        let forecasts = forecasts(generator.as_ref(), &trace, &options, farthest + 1);
        reference.foresee(&body, &forecasts, &config.preview)?;
    }
    let minutes = config.practice_minutes;
    let note = format!("{minutes:.0} min of motion that the generator makes under random objectives");
    Ok(Input { body, reference, period_secs: None, notes: vec![note] })
}

/// The released reference, on the released body or a character of the same joints.
fn released_input(path: &Path, character: Option<&Path>, config: &TrackerConfig) -> Result<Input> {
    let beside = path.with_file_name("humanoid.xml");
    let body = character.unwrap_or(&beside);
    let character = released::read_body(body)?;
    let body = TrackedBody::new(&character, released::FORWARD_RAD, time_step(config, released::RATE_HZ))?;
    let rows = released::read_motion(path, body.model())?;
    let reference = Reference::new(&body, released::RATE_HZ, &[rows], LEAST_FRAMES)?;
    Ok(Input { body, reference, period_secs: None, notes: Vec::new() })
}

/// Another version of a set's character, with other masses or gains: its coordinates must be those of the set.
pub(super) fn same_body(of_set: &Character, other: &Path) -> Result<Character> {
    let hero = Hero::open(other)?;
    let joints = |character: &Character| character.joints.iter().map(|j| (j.name.clone(), j.kind)).collect::<Vec<_>>();
    if joints(&hero.character) != joints(of_set) {
        return Err(TrackError::OtherJoints { character: hero.character.name, set: of_set.name.clone() }.into());
    }
    // What the set's frames mean depends on the front, which it keeps.
    Figure::new(&hero.character, 0.0)?;
    Ok(hero.character)
}
