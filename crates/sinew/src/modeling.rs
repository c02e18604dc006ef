//! From a rigged file to a character that can be simulated, with its clips laid onto it and a trial of whether it stands.

use crate::error::{ClipError, Result};
use crate::hanging::lower_hanging;
use crate::source::Source;
use serde::Serialize;
use sinew_modeler::{
    CharacterProject, ClipPoses, Cover, FittedClip, IkOptions, ModelOptions, Preflight, PreflightOptions, cover,
    fit_clip, fit_planted_clip, mend, model, preflight,
};
use sinew_motion::tools::{Foot, GroundSpeed, Plants, concatenate, feet, find_clip, put_on_ground, travel_from_feet};
use sinew_motion::{Clip, Rig, SizeFrom, SizeVote, Sizing, Skeleton};
use sinew_sim::{Character, Model, Scene};

/// Seconds over which the parts of a clip such as `Jump+Jump_Idle+Jump_Land` are blended.
const BLEND_SECS: f64 = 0.1;

/// A character made from a rig, and how well it took its clips.
pub struct Modeling {
    /// The character with its binding and its history.
    pub project: CharacterProject,
    /// The clips, on level ground and travelling.
    pub clips: Vec<Clip>,
    /// The clips in the character's own coordinates.
    pub fitted: Vec<FittedClip>,
    /// What was done to the clips, one sentence each.
    pub clip_notes: Vec<String>,
    /// Whether it stands.
    pub preflight: Preflight,
    /// How well its bodies fill the skin; `None` where the file has none.
    pub cover: Option<Cover>,
    /// Degrees of freedom, the root's included.
    pub dof: usize,
    /// Height of the skeleton in the bind pose, m.
    pub height_m: f64,
    /// Where that comes from, and what each clip says about it.
    pub sizing: Option<Sizing>,
}

/// The answer of `sinew model --json`.
#[derive(Debug, Serialize)]
pub struct ModelReport {
    /// Number of rigid bodies.
    pub bodies: usize,
    /// Degrees of freedom, the root's included.
    pub dof: usize,
    /// Mass, kg.
    pub mass_kg: f64,
    /// Height, m.
    pub height_m: f64,
    /// Where the height comes from: `file`, `motion` or `user`.
    pub size_from: SizeFrom,
    /// Height by the clips, m, with what is known of people and animals.
    pub motion_height_m: Option<f64>,
    /// How sure that is: it is off by more than this factor in one case of three.
    pub motion_within_factor: Option<f64>,
    /// What each clip says about the height, and how sure it is.
    pub size_votes: Vec<SizeVote>,
    /// The trial.
    pub preflight: Preflight,
    /// How well the bodies fill the skin, on the whole and one by one; `None` where the file has none.
    pub cover: Option<Cover>,
    /// How far the end effectors are from where the clips want them.
    pub ik: Vec<ClipFit>,
    /// What was guessed, one sentence each.
    pub notes: Vec<String>,
}

/// One clip laid onto the character.
#[derive(Debug, Serialize)]
pub struct ClipFit {
    /// Name of the clip.
    pub clip: String,
    /// Its frames.
    pub frames: usize,
    /// Mean distance of the end effectors from their targets, m.
    pub mean_error_m: f64,
    /// Largest such distance, m.
    pub max_error_m: f64,
    /// Where that is: frame and end effector.
    pub worst: Option<(usize, String)>,
    /// Mean angle between the bodies and the joints that they follow, rad.
    pub pose_error_rad: f64,
    /// Fastest joint, and the fastest of the source, rad/s.
    pub joint_speed: [f64; 2],
}

impl Modeling {
    /// Makes a character of a rig. `wanted` names the clips that it must follow, all of them when empty; parts joined by `+` become one.
    ///
    /// # Errors
    /// Where a clip is not found, or no character can be made of the skeleton.
    pub fn new(source: &Source, wanted: &[String], options: &ModelOptions) -> Result<Modeling> {
        let (project, clips, clip_notes) = made(source, wanted, options)?;
        let modeling = Modeling::of_project(project, &source.rig.skeleton, clips, clip_notes)?;
        Ok(Modeling { sizing: Some(source.sizing.clone()), ..modeling })
    }

    /// Makes a character as [`Self::new`] does, without laying its clips onto it.
    ///
    /// # Errors
    /// Where a clip is not found, or no character can be made of the skeleton.
    pub fn character(source: &Source, wanted: &[String], options: &ModelOptions) -> Result<CharacterProject> {
        Ok(made(source, wanted, options)?.0)
    }

    /// Lays the clips of a rig onto a character that was made before.
    ///
    /// # Errors
    /// Where a clip is not found, or the rig is not the one that the character was made from.
    pub fn with_character(source: &Source, wanted: &[String], project: CharacterProject) -> Result<Modeling> {
        let skeleton = &source.rig.skeleton;
        let feet = feet(skeleton, &source.rig.clips);
        let (clips, clip_notes) = clips_on_ground(&source.rig, wanted, &feet)?;
        let modeling = Modeling::of_project(project, skeleton, clips, clip_notes)?;
        Ok(Modeling { sizing: Some(source.sizing.clone()), ..modeling })
    }

    pub(crate) fn of_project(
        project: CharacterProject,
        skeleton: &Skeleton,
        clips: Vec<Clip>,
        clip_notes: Vec<String>,
    ) -> Result<Modeling> {
        let (character, binding) = (project.character(), project.binding());
        let fit = |clip: &Clip| fit_clip(character, binding, skeleton, clip, &IkOptions::default());
        let fitted = clips.iter().map(fit).collect::<Result<Vec<_>, _>>()?;
        Modeling::of_fitted(project, skeleton, clips, fitted, clip_notes)
    }

    /// Lays a clip onto a character that was made before, its feet planted.
    pub(crate) fn planted(
        project: CharacterProject,
        skeleton: &Skeleton,
        clip: Clip,
        plants: &Plants,
        clip_notes: Vec<String>,
    ) -> Result<Modeling> {
        let (character, binding) = (project.character(), project.binding());
        let fitted = fit_planted_clip(character, binding, skeleton, &clip, plants, &IkOptions::default())?;
        Modeling::of_fitted(project, skeleton, vec![clip], vec![fitted], clip_notes)
    }

    fn of_fitted(
        project: CharacterProject,
        skeleton: &Skeleton,
        mut clips: Vec<Clip>,
        mut fitted: Vec<FittedClip>,
        mut clip_notes: Vec<String>,
    ) -> Result<Modeling> {
        let character = project.character();
        let scene = Scene::on_ground(Character { origin: None, ..character.clone() });
        let compiled = Model::new(&scene, 0.002)?;
        for (clip, fitted) in clips.iter_mut().zip(&mut fitted) {
            clip_notes.extend(lower_hanging(&compiled, skeleton.height(), clip, fitted));
        }
        let poses: Vec<ClipPoses> = fitted.iter().map(poses).collect();
        let mut preflight = preflight(character, &poses, &PreflightOptions::default())?;
        let cover = cover(character, project.binding(), skeleton);
        cover.iter().for_each(|cover| preflight.look_at_skin(cover));
        preflight.mend = mend(&project, &poses, &preflight);
        let dof = compiled.velocity_count();
        let height_m = skeleton.height();
        Ok(Modeling { clips, fitted, clip_notes, preflight, cover, dof, height_m, sizing: None, project })
    }

    /// The figures of the character.
    pub fn report(&self) -> ModelReport {
        let fit = |fitted: &FittedClip| ClipFit {
            clip: fitted.name.clone(),
            frames: fitted.frame_count(),
            mean_error_m: fitted.errors.effector_mean,
            max_error_m: fitted.errors.effector_max,
            worst: fitted.errors.worst_effector.clone(),
            pose_error_rad: fitted.errors.pose_mean,
            joint_speed: [fitted.errors.joint_speed_max, fitted.errors.source_speed_max],
        };
        let heard = self.sizing.as_ref().map(|sizing| &sizing.estimate).filter(|estimate| !estimate.votes.is_empty());
        ModelReport {
            bodies: self.project.character().bodies.len(),
            dof: self.dof,
            mass_kg: self.preflight.mass,
            height_m: self.height_m,
            size_from: self.sizing.as_ref().map_or(SizeFrom::File, |sizing| sizing.from),
            motion_height_m: heard.map(|estimate| estimate.height_m),
            motion_within_factor: heard.map(|estimate| estimate.within_factor),
            size_votes: heard.map_or(Vec::new(), |estimate| estimate.votes.clone()),
            preflight: self.preflight.clone(),
            cover: self.cover.clone(),
            ik: self.fitted.iter().map(fit).collect(),
            notes: self.project.notes().iter().chain(&self.clip_notes).cloned().collect(),
        }
    }
}

/// A character without edits, and its clips on level ground with what that took.
fn made(
    source: &Source,
    wanted: &[String],
    options: &ModelOptions,
) -> Result<(CharacterProject, Vec<Clip>, Vec<String>)> {
    let skeleton = &source.rig.skeleton;
    let feet = feet(skeleton, &source.rig.clips);
    let (clips, notes) = clips_on_ground(&source.rig, wanted, &feet)?;
    let modeled = model(skeleton, &clips, options)?;
    Ok((CharacterProject::new(modeled, options), clips, notes))
}

fn poses(fitted: &FittedClip) -> ClipPoses {
    let poses = (0..fitted.frame_count()).map(|frame| fitted.position(frame).to_vec()).collect();
    ClipPoses { name: fitted.name.clone(), poses }
}

/// The clips that are asked for, put on level ground, and what that took.
pub(crate) fn clips_on_ground(rig: &Rig, wanted: &[String], feet: &[Foot]) -> Result<(Vec<Clip>, Vec<String>)> {
    let chosen: Vec<Clip> = match wanted {
        [] => rig.clips.clone(),
        names => names.iter().map(|name| named_clip(rig, name)).collect::<Result<_>>()?,
    };
    let (mut clips, mut notes) = (Vec::new(), Vec::new());
    for clip in &chosen {
        let placed = put_on_ground(&rig.skeleton, clip, feet)?;
        clips.push(placed.clip);
        notes.extend(placed.notes);
    }
    Ok((clips, notes))
}

/// One clip, or several joined by `+`, as people say them. Parts in place are made to travel before they are joined.
///
/// # Errors
/// Where no clip fits the name, or several do.
pub fn named_clip(rig: &Rig, name: &str) -> Result<Clip> {
    let all = &rig.clips;
    let whole = find_clip(all, name);
    if whole.is_ok() || !name.contains('+') {
        return Ok(whole?.clone());
    }
    let feet = feet(&rig.skeleton, all);
    let mut parts = Vec::new();
    for part in name.split('+').map(str::trim) {
        if part.is_empty() {
            return Err(ClipError::MissingPart { name: name.into() }.into());
        }
        parts.push(travel_from_feet(&rig.skeleton, find_clip(all, part)?, &feet, GroundSpeed::default())?.clip);
    }
    let parts: Vec<&Clip> = parts.iter().collect();
    Ok(concatenate(&parts, BLEND_SECS).map_err(|error| ClipError::Join { name: name.into(), error })?)
}
