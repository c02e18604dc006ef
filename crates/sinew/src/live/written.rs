//! What was performed, in pictures and as motion for other programs.

use super::prepare::Prepared;
use super::request::Take;
use crate::error::{FileError, MotionError, Result};
use crate::export::with_clips;
use crate::film::{PUSH, arrow, frame_of};
use crate::report::{Animation, Camera, FilmStrip, Frame};
use sinew_files::atomic_write::atomic_write;
use sinew_modeler::fitted_to_clip;
use sinew_motion::{Format, write_bvh};
use sinew_sim::Measured;
use sinew_sim::npz::{NpzArray, NpzData, write_npz};
use std::path::Path;

/// Moments of a strip, and frames between them where something was pushed.
const MOMENTS: usize = 24;
const PUSHED_STEP: usize = 4;
/// Longest animation, s, and its moments a second.
const ANIMATED_SECS: f64 = 12.0;
const ANIMATED_HZ: f64 = 20.0;

/// Writes all that is asked for.
///
/// # Errors
/// Where a file cannot be written, or its kind needs what is not there.
pub(super) fn write(
    prepared: &Prepared,
    take: &Take,
    film: Option<&Path>,
    gif: Option<&Path>,
    out: &[std::path::PathBuf],
) -> Result<()> {
    if let Some(path) = film {
        put(path, &strip(prepared, take)?)?;
    }
    if let Some(path) = gif {
        put(path, &animation(prepared, take)?)?;
    }
    for path in out {
        put(path, &motion(prepared, take, path)?)?;
    }
    Ok(())
}

fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    let cannot = |error| FileError::Write { path: path.into(), error };
    Ok(atomic_write(path, bytes).map_err(cannot)?)
}

/// PNG of moments: around the first push or fall where there is one, else evenly over the whole take.
fn strip(prepared: &Prepared, take: &Take) -> Result<Vec<u8>> {
    let last = take.worlds.len() - 1;
    let pushed = take.pushes.iter().position(Option::is_some);
    let fallen = take.fell_at.first().map(|frame| (*frame as usize).saturating_sub(PUSHED_STEP * MOMENTS * 3 / 4));
    let frames: Vec<usize> = match pushed.or(fallen) {
        Some(first) => (0..MOMENTS)
            .map(|k| first.saturating_sub(PUSHED_STEP) + k * PUSHED_STEP)
            .take_while(|f| *f <= last)
            .collect(),
        None => {
            let moments = MOMENTS.min(last + 1);
            (0..moments).map(|moment| moment * last / (moments - 1).max(1)).collect()
        }
    };
    let strip = FilmStrip {
        title: format!("{}, {} live", prepared.character, prepared.clip),
        frames: frames.into_iter().map(|frame| picture(take, frame)).collect(),
        columns: 8,
        frame_width: 200,
        frame_height: 220,
        camera: Camera::follow(1.95, 0.16),
        ground_height: take.model.scene().ground.map(|g| g.height),
        ..FilmStrip::default()
    };
    Ok(strip.render()?.encode_png()?)
}

/// GIF of the beginning.
fn animation(prepared: &Prepared, take: &Take) -> Result<Vec<u8>> {
    let step = (Take::RATE_HZ / ANIMATED_HZ).round().max(1.0) as usize;
    let end = ((ANIMATED_SECS * Take::RATE_HZ) as usize).min(take.worlds.len() - 1);
    let frames = (0..=end).step_by(step).map(|frame| picture(take, frame)).collect();
    let title = format!("{}, {} live", prepared.character, prepared.clip);
    let animation = Animation { camera: Camera::follow(1.95, 0.3), ..Animation::single(title, frames) };
    Ok(animation.encode_gif()?)
}

fn picture(take: &Take, frame: usize) -> Frame {
    let (model, row) = (&take.model, &take.worlds[frame]);
    let still = vec![0.0; model.velocity_count()];
    let measured = Measured::new(model, row, &still, [0.0; 3]);
    let limp = if take.is_limp[frame] { ", limp" } else { "" };
    let mut drawn = frame_of(model, &measured, &[], format!("{:.2} s{limp}", frame as f64 / Take::RATE_HZ));
    drawn.focus = Some([row[0], row[1], 0.0]);
    if let Some(force) = take.pushes[frame] {
        drawn.arrows.push(arrow(measured.bodies[0].center_of_mass, force, PUSH));
    }
    drawn
}

/// The bytes of a file whose name ends in `.glb`, `.bvh` or `.npz`.
fn motion(prepared: &Prepared, take: &Take, path: &Path) -> Result<Vec<u8>> {
    let refused = |problem| MotionError::Take { path: path.into(), problem }.into();
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let rows: Vec<f64> = {
        let nq = prepared.motion.model().position_count();
        take.worlds.iter().flat_map(|row| row[..nq].to_vec()).collect()
    };
    if ending == "npz" {
        let nq = prepared.motion.model().position_count();
        let time: Vec<f64> = (0..take.worlds.len()).map(|frame| frame as f64 / Take::RATE_HZ).collect();
        let array = |name: &str, shape: Vec<usize>, values: &[f64]| NpzArray {
            name: name.into(),
            shape,
            data: NpzData::F64(values.to_vec()),
        };
        return Ok(write_npz(&[array("time", vec![time.len()], &time), array("qpos", vec![time.len(), nq], &rows)])?);
    }
    let Some((source, project)) = &prepared.rig else {
        return Err(refused(
            "the folder of a transfer does not hold the artist's file; end the name in .npz, or give that file and its clip",
        ));
    };
    let (character, binding) = (project.character(), project.binding());
    let clip = fitted_to_clip(character, binding, &source.rig.skeleton, Take::RATE_HZ, "live", &rows, None)?;
    match ending.as_str() {
        "bvh" => Ok(write_bvh(&source.rig.skeleton, &clip).into_bytes()),
        "glb" if source.rig.format == Format::Gltf => Ok(with_clips(source, &[clip])?.0),
        "glb" => Err(refused(
            "the artist's file is no glTF, so that its skin cannot be written; end the name in .bvh or .npz",
        )),
        _ => Err(refused("end the name in .glb, .bvh or .npz")),
    }
}
