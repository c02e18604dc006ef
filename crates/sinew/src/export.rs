//! Clips on their way out: onto the artist's own file, or onto capsules where the source has no mesh.

use crate::error::{ClipError, FileError, Result};
use crate::source::Source;
use glam::DVec3;
use sinew_modeler::{ModelOptions, Preset, model};
use sinew_motion::tools::{crop, feet, mirror, put_on_ground, repeat_cycle, resample};
use sinew_motion::{
    Capsule, Clip, Format, Skeleton, add_clip_to_gltf, self_contained_glb, write_bvh, write_capsule_glb,
};
use sinew_sim::Shape;
use std::path::Path;

/// Paint of the capsules, sRGB.
const PAINT: [u8; 3] = [110, 140, 170];

/// What is done to a clip before it is written, in this order.
#[derive(Clone, Debug, Default)]
pub struct ClipChanges {
    /// Keeps the clip as the file has it: floating, sloping or in place.
    pub keep_ground: bool,
    /// First and last second to keep.
    pub from_secs: Option<f64>,
    /// Last second to keep.
    pub to_secs: Option<f64>,
    /// Left becomes right.
    pub mirror: bool,
    /// Cycles in a row, each going on from where the last one ended.
    pub repeat: Option<usize>,
    /// Frames a second.
    pub rate_hz: Option<f64>,
}

impl ClipChanges {
    /// The changed clip.
    ///
    /// # Errors
    /// Where a change does not fit the clip.
    pub fn apply(&self, source: &Source, clip: &Clip) -> Result<Clip> {
        let skeleton = &source.rig.skeleton;
        let mut clip = clip.clone();
        if !self.keep_ground {
            clip = put_on_ground(skeleton, &clip, &feet(skeleton, &source.rig.clips))?.clip;
        }
        if self.from_secs.is_some() || self.to_secs.is_some() {
            clip = crop(&clip, self.from_secs.unwrap_or(0.0), self.to_secs.unwrap_or(clip.duration_secs()))?;
        }
        if self.mirror {
            clip = mirror(skeleton, &clip)?;
        }
        if let Some(times) = self.repeat {
            let repeated = repeat_cycle(&clip, times)?;
            if !repeated.is_cycle {
                let (seam_rad, seam_m) = (repeated.seam_rad, repeated.seam_m);
                return Err(ClipError::NoCycle { clip: clip.name, seam_rad, seam_m }.into());
            }
            clip = repeated.clip;
        }
        if let Some(rate) = self.rate_hz {
            clip = resample(&clip, rate)?;
        }
        Ok(clip)
    }
}

/// The bytes of a file for `path`: BVH, or GLB, which is the source with the clip added where the source is a glTF.
///
/// # Errors
/// Where the name ends in neither `.bvh` nor `.glb`, or the source cannot take the clip.
pub fn export(source: &Source, clip: &Clip, path: &Path) -> Result<Vec<u8>> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match extension.as_str() {
        "bvh" => Ok(write_bvh(&source.rig.skeleton, clip).into_bytes()),
        "glb" => to_glb(source, clip),
        _ => Err(FileError::ClipFormat { path: path.into() }.into()),
    }
}

/// The source's file with more clips, and how its name ends: a glTF as one GLB with them added; of other sources, the first of the clips on the skeleton
/// as BVH.
///
/// # Errors
/// Where the source cannot take the clips.
pub fn with_clips(source: &Source, clips: &[Clip]) -> Result<(Vec<u8>, &'static str)> {
    let skeleton = &source.rig.skeleton;
    if source.rig.format != Format::Gltf {
        let first = clips.first().map(|clip| write_bvh(skeleton, clip).into_bytes());
        return Ok((first.unwrap_or_default(), "bvh"));
    }
    let mut bytes = source.bytes.clone();
    for clip in clips {
        bytes = add_clip_to_gltf(&bytes, source.folder.as_deref(), skeleton, clip, &clip.name)?;
    }
    Ok((bytes, "glb"))
}

/// A GLB to look at that needs nothing beside it: the source where it is a glTF, with all its clips; otherwise capsules on the skeleton, with all clips.
///
/// # Errors
/// Where a buffer of the source is missing.
pub fn stage_glb(source: &Source) -> Result<Vec<u8>> {
    let rig = &source.rig;
    if rig.format == Format::Gltf {
        return Ok(self_contained_glb(&source.bytes, source.folder.as_deref())?);
    }
    Ok(write_capsule_glb(&rig.skeleton, &rig.clips, &capsules(source, &rig.skeleton)?))
}

fn to_glb(source: &Source, clip: &Clip) -> Result<Vec<u8>> {
    let skeleton = &source.rig.skeleton;
    if source.rig.format == Format::Gltf {
        return Ok(add_clip_to_gltf(&source.bytes, source.folder.as_deref(), skeleton, clip, &clip.name)?);
    }
    Ok(write_capsule_glb(skeleton, std::slice::from_ref(clip), &capsules(source, skeleton)?))
}

/// The capsules of the paper's construction, each in the frame of the joint that moves it.
fn capsules(source: &Source, skeleton: &Skeleton) -> Result<Vec<Capsule>> {
    let options = ModelOptions { preset: Preset::Paper, ..ModelOptions::default() };
    let modeled = model(skeleton, &source.rig.clips, &options)?;
    let mut capsules = Vec::new();
    for link in &modeled.binding.links {
        let Some(joint) = skeleton.find(&link.joint) else { continue };
        let Some(body) = modeled.character.bodies.iter().find(|b| b.name == link.body) else { continue };
        let place = |point: &[f64; 3]| link.offset + link.rotation * DVec3::from_array(*point);
        for shape in &body.shapes {
            if let Shape::Capsule { from, to, radius } = shape {
                capsules.push(Capsule { joint, from: place(from), to: place(to), radius: *radius, color: PAINT });
            }
        }
    }
    Ok(capsules)
}
