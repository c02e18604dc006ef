//! All clips of a folder or file, on one character.

use super::coordinates::{converted, has_same_skeleton};
use super::hero::Hero;
use crate::error::{At as _, DataError, Error, Result};
use crate::modeling::named_clip;
use crate::retarget::add_clips;
use crate::transfer::replay;
use glam::DQuat;
use rayon::prelude::*;
use serde::Serialize;
use sinew_learn::{InputClip, wrap_angle};
use sinew_modeler::{IkOptions, fit_planted_clip};
use sinew_motion::tools::{ClipEdit, edited, feet, plant_feet, put_on_ground, repeat_cycle, resample};
use sinew_motion::{Clip, ImportOptions, Rig, Skeleton, read, read_bytes};
use sinew_sim::Character;
use sinew_work::check_cancelled;
use std::fs;
use std::path::{Path, PathBuf};

/// Clips of a higher rate are sampled down to this before they are moved, Hz: twice the rate of a set.
const MOVING_RATE_HZ: f64 = 60.0;
/// End effectors that are farther off than this on the average, over the character's height, tell that a clip does not fit.
const MOST_OFF: f64 = 0.15;
/// Deepest folder inside a folder that is looked into.
const DEEPEST: usize = 6;
/// Cycles shorter than this are repeated for a set, s.
pub(crate) const SHORT_CYCLE_SECS: f64 = 3.0;
/// Over so much of its end a clip becomes its beginning, whose file says that it repeats and whose ends are apart: at most, s, and of its length.
const CLOSES_OVER_SECS: f64 = 0.25;
const CLOSES_OVER_SHARE: f64 = 0.25;
/// A cycle that turns by less goes straight, rad.
const STRAIGHT_RAD: f64 = 1e-3;
/// File by which the folder of a transferred motion is known.
const CONTROLS: &str = "controls.json";

/// The clips that can be used, and what is to be said about them.
#[derive(Clone, Debug, Default)]
pub struct Clips {
    /// In the character's coordinates, without labels, in the order of their files' names.
    pub clips: Vec<InputClip>,
    /// Those that cannot be used.
    pub skipped: Vec<Skipped>,
    /// What was done to them, one sentence each.
    pub notes: Vec<String>,
    /// Length of the cycle of each clip, s; none for what does not repeat.
    pub periods: Vec<Option<f64>>,
}

/// Which clips are wanted, and for how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    /// Only the one of this name, as people say it.
    pub name: Option<&'a str>,
    /// Cycles shorter than this are repeated, s.
    pub least_secs: f64,
}

/// A clip or file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The file.
    pub file: String,
    /// Why.
    pub why: String,
}

/// Reads all clips of a folder, a file, the folder of a transferred motion, or an embedded character, and brings them onto the character.
///
/// What cannot be used is told and left out; where nothing is left, that is an error.
///
/// # Errors
/// Where there are no clips, or none can be used.
pub fn read_clips(input: &Path, hero: &Hero) -> Result<Clips> {
    read_wanted_clips(input, hero, Wanted { name: None, least_secs: SHORT_CYCLE_SECS })
}

/// [`read_clips`], of a name, with cycles of a length.
pub(crate) fn read_wanted_clips(input: &Path, hero: &Hero, wanted: Wanted<'_>) -> Result<Clips> {
    let files = files(input)?;
    if files.is_empty() {
        return Err(DataError::NoClips { path: input.into() }.into());
    }
    let read: Vec<Clips> = files
        .par_iter()
        .map(|path| {
            check_cancelled()?;
            Ok(clips_of_file(path, input, hero, wanted))
        })
        .collect::<Result<_>>()?;
    let mut all = Clips::default();
    for Clips { clips, skipped, notes, periods } in read {
        all.clips.extend(clips);
        all.periods.extend(periods);
        all.skipped.extend(skipped);
        all.notes.extend(notes);
    }
    match (all.clips.is_empty(), all.skipped.first()) {
        (true, Some(first)) => {
            Err(DataError::NoneUsable { path: input.into(), first: format!("{}: {}", first.file, first.why) }.into())
        }
        (true, None) => Err(DataError::NoClips { path: input.into() }.into()),
        _ => Ok(all),
    }
}

/// Files with clips and folders with transferred motions, by name.
pub(crate) fn files(input: &Path) -> Result<Vec<PathBuf>> {
    let is_embedded = !input.exists() && input.to_str().and_then(sinew_assets::find).is_some();
    if is_embedded || !input.is_dir() || input.join(CONTROLS).is_file() {
        return Ok(vec![input.to_path_buf()]);
    }
    let mut found = Vec::new();
    look_into(input, 0, &mut found)?;
    Ok(found)
}

fn look_into(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<()> {
    let cannot = |error| sinew_files::FileError::Io { path: folder.into(), error };
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        entries.push(entry.map_err(cannot)?.path());
    }
    entries.sort();
    for path in entries {
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_hidden {
            continue;
        }
        if path.join(CONTROLS).is_file() || path.is_file() && may_have_clips(&path) {
            found.push(path);
        } else if path.is_dir() && depth < DEEPEST {
            look_into(&path, depth + 1, found)?;
        }
    }
    Ok(())
}

/// Whether a file's name says that it has clips; of text files, whether they begin like a motion of DeepMimic.
fn may_have_clips(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match ending.as_str() {
        "bvh" | "glb" | "gltf" | "fbx" => true,
        "txt" | "json" => {
            let mut start = vec![0; 4096];
            let read =
                sinew_files::open(path).ok().and_then(|mut file| std::io::Read::read(&mut file, &mut start).ok());
            String::from_utf8_lossy(&start[..read.unwrap_or(0)]).contains("\"Frames\"")
        }
        _ => false,
    }
}

/// The clips of one file on the character; what is wrong with it is told, not returned.
fn clips_of_file(path: &Path, input: &Path, hero: &Hero, wanted: Wanted<'_>) -> Clips {
    let name = path.strip_prefix(input).ok().filter(|rest| !rest.as_os_str().is_empty()).unwrap_or(path);
    let file = match path == input {
        true => path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned()),
        false => name.display().to_string(),
    };
    let mut clips = Clips::default();
    let plain = |why: &Error| {
        let said = why.to_string();
        said.strip_prefix(&format!("{file}: ")).map_or_else(|| said.clone(), str::to_owned)
    };
    // Errors that name the file themselves need not name it twice.
    let skip = |why: &Error, clips: &mut Clips| clips.skipped.push(Skipped { file: file.clone(), why: plain(why) });
    if path.join(CONTROLS).is_file() {
        match transferred(path, &file, hero) {
            Ok(Some(clip)) => {
                clips.clips.push(clip);
                clips.periods.push(None);
                return clips;
            }
            // Another character's: its motion is a clip like any other.
            Ok(None) => {}
            Err(error) => {
                skip(&error, &mut clips);
                return clips;
            }
        }
    }
    let rig = if path.is_dir() { read_rig(&path.join("simulated.bvh")) } else { read_rig(path) };
    let mut rig = match rig {
        Ok(rig) => rig,
        Err(error) => {
            skip(&error, &mut clips);
            return clips;
        }
    };
    if let Some(name) = wanted.name {
        match named_clip(&rig, name) {
            Ok(clip) => rig.clips = vec![clip],
            Err(error) => {
                skip(&error, &mut clips);
                return clips;
            }
        }
    }
    for mut clip in std::mem::take(&mut rig.clips) {
        // All transfers write a file of the same name; their folders tell them apart.
        if path.is_dir() {
            clip.name.clone_from(&file);
        }
        match laid(&rig, clip, &file, hero, wanted.least_secs) {
            Ok((clip, period, notes)) => {
                clips.clips.push(clip);
                clips.periods.push(period);
                clips.notes.extend(notes);
            }
            Err(error) => skip(&error, &mut clips),
        }
    }
    clips
}

fn read_rig(path: &Path) -> Result<Rig> {
    let options = ImportOptions::default();
    match path.to_str().and_then(sinew_assets::find) {
        Some(bytes) if !path.exists() => Ok(read_bytes(bytes, &path.to_string_lossy(), None, &options)?),
        _ => Ok(read(path, &options)?),
    }
}

/// One clip of a rig on the character: moved to its skeleton, on the ground, its feet planted.
fn laid(
    source: &Rig,
    clip: Clip,
    file: &str,
    hero: &Hero,
    least_secs: f64,
) -> Result<(InputClip, Option<f64>, Vec<String>)> {
    if clip.frame_count() < 2 {
        return Err(DataError::TooShort { frames: clip.frame_count(), clip: clip.name }.into());
    }
    let clip = if clip.rate_hz > 1.01 * MOVING_RATE_HZ { resample(&clip, MOVING_RATE_HZ)? } else { clip };
    let one = Rig { clips: vec![clip], ..source.clone() };
    let mut rig = hero.rig.clone();
    add_clips(&mut rig, &one, file, None)?;
    let skeleton = &rig.skeleton;
    let feet = feet(skeleton, &rig.clips);
    let on_ground = put_on_ground(skeleton, &rig.clips[0], &feet)?;
    let Enough { clip, period_secs, note } = enough_of(skeleton, on_ground.clip, source.repeats, least_secs)?;
    let plants = plant_feet(skeleton, &clip, &feet)?;
    let options = IkOptions::default();
    let fitted = fit_planted_clip(&hero.character, &hero.binding, skeleton, &clip, &plants, &options)?;
    let off = fitted.errors.effector_mean;
    if off > MOST_OFF * hero.figure.height_m() {
        let (clip, character) = (fitted.name, hero.name.clone());
        return Err(DataError::DoesNotFit { clip, character, off_cm: 100.0 * off }.into());
    }
    let input = InputClip {
        name: fitted.name.clone(),
        source: file.to_owned(),
        rate_hz: fitted.rate_hz,
        positions: fitted.positions,
        labels: Vec::new(),
    };
    let notes = on_ground.notes.into_iter().chain(note);
    Ok((input, period_secs, notes.map(|note| format!("{file}: {note}")).collect()))
}

/// A clip that is long enough.
struct Enough {
    clip: Clip,
    /// Length of its cycle; none for what does not repeat.
    period_secs: Option<f64>,
    note: Option<String>,
}

/// A cycle, repeated where it is short; any other clip as it is. Where the file `says` that its clips repeat, the end is led to the beginning first.
fn enough_of(skeleton: &Skeleton, clip: Clip, says: bool, least_secs: f64) -> Result<Enough> {
    let drawn = clip;
    let (clip, closed) = if says { closed(skeleton, drawn.clone())? } else { (drawn.clone(), false) };
    let once = repeat_cycle(&clip, 1)?;
    if !once.is_cycle {
        return Ok(Enough { clip: drawn, period_secs: None, note: None });
    }
    let secs = clip.duration_secs();
    let period_secs = Some(if once.last_frame_repeats_first { secs } else { secs + 1.0 / clip.rate_hz });
    if secs >= least_secs {
        let note = closed.then(|| format!("{} is a cycle of {secs:.2} s; its end was led to its beginning", clip.name));
        return Ok(Enough { clip, period_secs, note });
    }
    let times = (least_secs / secs).ceil().max(1.0) as usize + 1;
    let and = if closed { "; its end was led to its beginning, and it" } else { " and" };
    let note = format!("{} is a cycle of {secs:.2} s{and} was repeated {times} times", clip.name);
    Ok(Enough { clip: repeat_cycle(&clip, times)?.clip, period_secs, note: Some(note) })
}

/// A clip whose file says that it repeats: its last frame becomes the pose and the heading of its first, only its place goes on. Returns whether it had to be changed.
fn closed(skeleton: &Skeleton, clip: Clip) -> Result<(Clip, bool)> {
    let mut clip = clip;
    let once = repeat_cycle(&clip, 1)?;
    let is_open = !(once.is_cycle && once.last_frame_repeats_first);
    if is_open {
        let blend_secs = CLOSES_OVER_SECS.min(CLOSES_OVER_SHARE * clip.duration_secs());
        clip = edited(skeleton, &clip, &[ClipEdit::Loop { blend_secs }])?;
    }
    // The heading is led back on the whole way.
    let turn_rad = wrap_angle(repeat_cycle(&clip, 1)?.turn_rad);
    let (frames, joints) = (clip.frame_count(), skeleton.joints.len());
    for (frame, root) in clip.rotations.iter_mut().step_by(joints).enumerate() {
        let back = DQuat::from_rotation_z(-turn_rad * frame as f64 / (frames - 1) as f64);
        *root = (back * *root).normalize();
    }
    Ok((clip, is_open || turn_rad.abs() > STRAIGHT_RAD))
}

/// The simulated motion in the folder of a transfer; none where it is another character's.
fn transferred(folder: &Path, file: &str, hero: &Hero) -> Result<Option<InputClip>> {
    let theirs = Character::read(&folder.join("character.toml"))?;
    if !has_same_skeleton(&theirs, &hero.character) {
        return Ok(None);
    }
    let replayed = replay(folder, None).at(file)?;
    let run = &replayed.run;
    // A motion that falls is good until then.
    let end = run.fell_at.map_or(run.moments.len(), |frame| (frame * run.steps_per_frame).min(run.moments.len()));
    let positions = run.moments[..end].iter().flat_map(|m| converted(&m.position, &theirs, &hero.character)).collect();
    let name = replayed.controls.clip.clone();
    Ok(Some(InputClip { name, source: file.to_owned(), rate_hz: 1.0 / run.dt, positions, labels: Vec::new() }))
}
