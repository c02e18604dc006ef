//! The files of a transfer.

use super::pictures::{Pictures, draw};
use super::{Figures, Finished, Prepared, Transfer, page};
use crate::export::export;
use crate::report::page::Section;
use anyhow::Result;
use sinew_motion::Format;
use sinew_sim::mjcf::{MjcfOptions, to_mjcf};
use std::path::Path;

/// Largest text file of a result that is read, bytes.
pub const LARGEST_FILE: u64 = 256 << 20;

/// Names of all files that a transfer leaves.
pub const NAMES: [&str; 11] = [
    "simulated.png",
    "target.png",
    "simulated.gif",
    "simulated.glb",
    "simulated.bvh",
    "trajectory.npz",
    "character.mjcf",
    "character.toml",
    "controls.json",
    "summary.json",
    "report.html",
];

/// Names and bytes of all files that a transfer leaves.
///
/// # Errors
/// Where the source cannot take the clip, or a picture cannot be drawn.
pub fn files(prepared: &Prepared, transfer: &Transfer, finished: &Finished) -> Result<Vec<(String, Vec<u8>)>> {
    files_with(prepared, transfer, finished, &draw(prepared, finished)?, Vec::new())
}

/// Like [`files`], with pictures that were drawn before, and more sections in the report.
pub(super) fn files_with(
    prepared: &Prepared,
    transfer: &Transfer,
    finished: &Finished,
    pictures: &Pictures,
    sections: Vec<Section>,
) -> Result<Vec<(String, Vec<u8>)>> {
    let clip = finished.clip(prepared)?;
    let model = prepared.model();
    let project = &prepared.modeling.project;
    let mut page = page(prepared, transfer, finished, pictures, &descriptions(prepared));
    page.sections.extend(sections);
    let Pictures { target, simulated, animation } = pictures.clone();
    let contents: Vec<Vec<u8>> = vec![
        simulated,
        target,
        animation,
        export(&prepared.source, &clip, Path::new("simulated.glb"))?,
        export(&prepared.source, &clip, Path::new("simulated.bvh"))?,
        finished.trajectory.to_npz(model, &project.character().name)?,
        to_mjcf(&prepared.scene, &MjcfOptions { dt: model.dt() }).into_bytes(),
        project.to_character().to_toml().into_bytes(),
        finished.controls.to_json()?.into_bytes(),
        Figures::new(transfer, finished).to_json()?.into_bytes(),
        page.to_html().into_bytes(),
    ];
    Ok(NAMES.map(str::to_owned).into_iter().zip(contents).collect())
}

/// Names of the files beside the report, and what they hold.
fn descriptions(prepared: &Prepared) -> Vec<(String, String)> {
    let glb = match prepared.source.rig.format {
        Format::Gltf => "the artist's own file with the simulated clip added",
        _ => "the simulated clip on capsules, because the source is no glTF",
    };
    let what = [
        "the simulation as a film strip, with contact forces",
        "the target at the same moments, from the same camera",
        "target and simulation side by side",
        glb,
        "the simulated clip on the source's skeleton",
        "time, qpos, qvel, ctrl and torque of every step, for NumPy",
        "the character on flat ground, for MuJoCo",
        "the character",
        "everything that performs the motion again",
        "the figures of the report",
    ];
    NAMES.iter().zip(what).map(|(name, what)| ((*name).to_owned(), what.to_owned())).collect()
}
