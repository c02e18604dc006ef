//! Motions as bytes for the page: simulated ones, clips in a character's bodies, clips as joints.

use crate::error::Refusal;
use crate::figure::Figure;
use crate::project::Project;
use crate::project::characters::find_rig;
use crate::project::rigs::wxyz;
use crate::protocol::{Frame, MotionHeader, SceneBody, encode_motion};
use bytes::Bytes;
use sinew::modeling::named_clip;
use sinew::source::Source;
use sinew::transfer::{FRAME_SECS, Performance, Target, replay};
use sinew_modeler::{IkOptions, fit_clip};
use sinew_motion::tools::{feet, put_on_ground, repeat_cycle, resample};
use sinew_sim::{Character, Measured, Model, Scene, Wrench};
use std::sync::Arc;

/// Frames a second of all motions.
pub const RATE_HZ: f64 = 60.0;
/// Longest motion that is sent, s.
const LONGEST_SECS: f64 = 600.0;
/// Most cycles that can be asked for.
const MOST_CYCLES: usize = 100;

/// A simulated run.
pub fn of_performance(
    title: &str,
    model: &Model,
    character: &Character,
    run: &Performance,
    fell_at_secs: Option<f64>,
    revision: u64,
) -> Bytes {
    let figure = Figure::new(model, &[character], &[]);
    let secs = run.dt * (run.moments.len() - 1) as f64;
    let frame = |index: usize| {
        let step = (index as f64 / RATE_HZ / run.dt).round() as usize;
        let moment = &run.moments[step.min(run.moments.len() - 1)];
        let measured = Measured::new(model, &moment.position, &moment.velocity, [0.0; 3]);
        let mut frame = figure.frame(&measured, &moment.torques, &moment.contacts);
        // Help acts in the step after a moment.
        let next = &run.moments[(step + 1).min(run.moments.len() - 1)];
        frame.help = Some(next.assist).filter(|help| *help != Wrench::default());
        numbered(frame, index)
    };
    let frames: Vec<Frame> = (0..count(secs)).map(frame).collect();
    encode_motion(&header(title, &figure, frames.len(), fell_at_secs, revision), &frames)
}

/// Rows of `qpos` at a constant rate.
pub fn of_positions(title: &str, model: &Model, character: &Character, rate_hz: f64, rows: &[&[f64]]) -> Bytes {
    let figure = Figure::new(model, &[character], &[]);
    let last = rows.len().saturating_sub(1);
    let still = vec![0.0; model.velocity_count()];
    let (mut way, mut position) = (still.clone(), vec![0.0; model.position_count()]);
    let mut frame = |index: usize| {
        let at = (index as f64 / RATE_HZ * rate_hz).min(last as f64);
        let from = at as usize;
        model.difference(rows[from], rows[(from + 1).min(last)], &mut way);
        model.displace(rows[from], &way, at - from as f64, &mut position);
        let measured = Measured::new(model, &position, &still, [0.0; 3]);
        numbered(figure.frame(&measured, &[], &[]), index)
    };
    let frames: Vec<Frame> = (0..count(last as f64 / rate_hz)).map(&mut frame).collect();
    encode_motion(&header(title, &figure, frames.len(), None, 0), &frames)
}

/// What a transfer tries to follow.
pub fn of_target(title: &str, target: &Target, character: &Character) -> Bytes {
    let rows: Vec<&[f64]> = (0..target.frames()).map(|frame| target.position(frame)).collect();
    of_positions(title, target.model(), character, 1.0 / FRAME_SECS, &rows)
}

impl Project {
    /// A clip of a rig as joints, on level ground.
    ///
    /// # Errors
    /// Where the clip is not found.
    pub fn rig_motion(&self, id: &str, clip: &str) -> Result<Bytes, Refusal> {
        let source = self.rig(id)?;
        let skeleton = &source.rig.skeleton;
        let clip = on_ground(&source, clip, None)?;
        let title = format!("{}, {}", source.name, clip.name);
        let clip = resample(&clip, RATE_HZ).map_err(|e| Refusal::bad(e.to_string()))?;
        let frame = |index: usize| {
            let placed = clip.place(skeleton, index);
            let bodies = placed.iter().map(|p| (p.position.to_array(), wxyz(p.orientation))).collect();
            numbered(Frame { bodies, ..Frame::default() }, index)
        };
        let frames: Vec<Frame> = (0..clip.frame_count().min(count(LONGEST_SECS))).map(frame).collect();
        let bodies = skeleton.joints.iter().map(|joint| SceneBody {
            name: joint.name.clone(),
            is_character: true,
            mass_kg: 0.0,
            shapes: Vec::new(),
        });
        let header = MotionHeader {
            title,
            rate_hz: RATE_HZ,
            frames: frames.len(),
            bodies: bodies.collect(),
            joints: Vec::new(),
            fell_at_secs: None,
            revision: 0,
        };
        Ok(encode_motion(&header, &frames))
    }

    /// A clip of its rig in a character's bodies.
    ///
    /// # Errors
    /// Where the rig is not in the project or the clip is not found.
    pub fn character_motion(&self, id: &str, clip: &str, cycles: Option<usize>) -> Result<Bytes, Refusal> {
        let project = self.character(id)?;
        let source = find_rig(&self.scan(), &project.options().source).ok_or_else(|| {
            Refusal::missing(format!("{id}: its rig {:?} is not in the project; drop it in", project.options().source))
        })?;
        let source = self.rig_of(&source, &project)?;
        let clip = on_ground(&source, clip, cycles)?;
        let (character, skeleton) = (project.character(), &source.rig.skeleton);
        let fitted = fit_clip(character, project.binding(), skeleton, &clip, &IkOptions::default())
            .map_err(|e| Refusal::bad(e.to_string()))?;
        let model = Model::new(&Scene::on_ground(character.clone()), 1.0 / 480.0);
        let model = model.map_err(|e| Refusal::bad(e.to_string()))?;
        let rows: Vec<&[f64]> = (0..fitted.frame_count()).map(|frame| fitted.position(frame)).collect();
        let title = format!("{}, {}", character.name, clip.name);
        Ok(of_positions(&title, &model, character, fitted.rate_hz, &rows))
    }

    /// The motion of a result, simulated again from its files, or what it tries to follow.
    ///
    /// # Errors
    /// Where a file is missing or damaged.
    pub fn result_motion(&self, id: &str, is_target: bool) -> Result<Bytes, Refusal> {
        let folder = self.result_path(id)?;
        let again = replay(&folder, None)?;
        let character = Arc::new(again.target.model().scene().characters[0].character.clone());
        let title = format!("{}, {}", again.controls.character, again.controls.clip);
        if is_target {
            return Ok(of_target(&title, &again.target, &character));
        }
        Ok(of_performance(&title, again.target.model(), &character, &again.run, again.fell_at_secs, 0))
    }
}

fn on_ground(source: &Source, clip: &str, cycles: Option<usize>) -> Result<sinew_motion::Clip, Refusal> {
    let skeleton = &source.rig.skeleton;
    let named = named_clip(&source.rig, clip)?;
    let bad = |e: String| Refusal::bad(format!("{clip}: {e}"));
    let clip =
        put_on_ground(skeleton, &named, &feet(skeleton, &source.rig.clips)).map_err(|e| bad(e.to_string()))?.clip;
    match cycles {
        Some(cycles) if (1..=MOST_CYCLES).contains(&cycles) => {
            Ok(repeat_cycle(&clip, cycles).map_err(|e| bad(e.to_string()))?.clip)
        }
        Some(cycles) => Err(bad(format!("{cycles} cycles cannot be shown; give from 1 to {MOST_CYCLES}"))),
        None => Ok(clip),
    }
}

/// Frames in so many seconds.
fn count(secs: f64) -> usize {
    (secs.min(LONGEST_SECS) * RATE_HZ + 1e-6).floor() as usize + 1
}

fn numbered(frame: Frame, index: usize) -> Frame {
    Frame { sequence: index as u32, time_secs: index as f64 / RATE_HZ, ..frame }
}

fn header(title: &str, figure: &Figure, frames: usize, fell_at_secs: Option<f64>, revision: u64) -> MotionHeader {
    MotionHeader {
        title: title.into(),
        rate_hz: RATE_HZ,
        frames,
        bodies: figure.scene_bodies().to_vec(),
        joints: figure.scene_joints().to_vec(),
        fell_at_secs,
        revision,
    }
}
