//! `controls.json`: everything that performs a motion again, beside the character.

use super::{Config, Help, Prepared, Preset, Summary};
use crate::error::{Error, FileError, MotionError, Result};
use serde::{Deserialize, Serialize};
use sinew_sim::Model;
use std::path::Path;

/// Version of the layout.
const VERSION: u32 = 1;

/// Controls of a motion: a target in the character's coordinates, and offsets to its poses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Controls {
    /// Version of the layout.
    pub version: u32,
    /// Name of the character; the character itself lies in `character.toml`.
    pub character: String,
    /// Name of the clip.
    pub clip: String,
    /// Preset.
    pub preset: Preset,
    /// Seed.
    pub seed: u64,
    /// All settings, with the time step and how the motion begins.
    pub config: Config,
    /// FNV-1a of the trajectory, 16 hexadecimal digits.
    pub hash: String,
    /// Frames of the motion in a second.
    pub rate_hz: f64,
    /// The motion that is asked for: `qpos` of each frame.
    pub motion: Vec<Vec<f64>>,
    /// Offsets of the driven joints, one row every 0.025 s: angles of hinges, rotation vectors of balls, rad.
    pub offsets: Vec<Vec<f64>>,
    /// Help from outside, one row every 0.025 s, which acts until the next: force in world axes over the weight (3), torque over the
    /// weight times a quarter of the height (3). Left out where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub help: Vec<Vec<f64>>,
}

impl Controls {
    pub(super) fn new(
        prepared: &Prepared,
        config: &Config,
        offsets: &[f64],
        help: &[Help],
        summary: &Summary,
    ) -> Controls {
        let fitted = prepared.fitted();
        let rows = |values: &[f64], width: usize| values.chunks(width.max(1)).map(<[f64]>::to_vec).collect();
        Controls {
            version: VERSION,
            character: summary.character.clone(),
            clip: summary.clip.clone(),
            preset: summary.preset,
            seed: summary.seed,
            config: config.clone(),
            hash: summary.hash.clone(),
            rate_hz: fitted.rate_hz,
            motion: rows(&fitted.positions, fitted.position_count),
            offsets: rows(offsets, offset_count(prepared.model())),
            help: help.iter().map(|row| row.to_vec()).collect(),
        }
    }

    /// The text of the file, a row on each line.
    pub fn to_json(&self) -> Result<String> {
        let mut head = serde_json::to_value(self).map_err(Error::Json)?;
        let mut text = String::from("{\n");
        let mut rows: Vec<(&str, &Vec<Vec<f64>>)> = vec![("motion", &self.motion), ("offsets", &self.offsets)];
        if !self.help.is_empty() {
            rows.push(("help", &self.help));
        }
        if let Some(fields) = head.as_object_mut() {
            for (name, value) in fields.iter().filter(|(name, _)| !rows.iter().any(|(row, _)| row == name)) {
                text += &format!("  {name:?}: {value},\n");
            }
        }
        let last = rows.len() - 1;
        for (index, (name, rows)) in rows.iter().enumerate() {
            let lines = rows.iter().map(|row| Ok(format!("    {}", serde_json::to_string(row).map_err(Error::Json)?)));
            let lines = lines.collect::<Result<Vec<_>>>()?.join(",\n");
            let comma = if index < last { "," } else { "" };
            text += &format!("  {name:?}: [\n{lines}\n  ]{comma}\n");
        }
        Ok(text + "}\n")
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Where it is missing or not of this layout.
    pub fn read(path: &Path) -> Result<Controls> {
        let unread =
            |error| FileError::Read { path: path.into(), error, remedy: "name the folder of a transfer".into() };
        let damaged = |error: serde_json::Error| FileError::Damaged {
            path: path.into(),
            problem: error.to_string(),
            remedy: "make the transfer again",
        };
        let controls: Controls = serde_json::from_slice(&std::fs::read(path).map_err(unread)?).map_err(damaged)?;
        if controls.version != VERSION {
            return Err(FileError::Version { path: path.into(), found: controls.version, known: VERSION }.into());
        }
        Ok(controls)
    }

    /// Offsets one after the other, checked against a model.
    pub(super) fn offset_values(&self, model: &Model) -> Result<Vec<f64>> {
        flat("offsets", &self.offsets, offset_count(model))
    }

    /// Rows of help, checked.
    pub(super) fn help_values(&self) -> Result<Vec<Help>> {
        let row = |(index, row): (usize, &Vec<f64>)| match <Help>::try_from(row.as_slice()) {
            Ok(help) if help.iter().all(|x| x.is_finite()) => Ok(help),
            _ => Err(MotionError::HelpRow { row: index, found: row.len() }.into()),
        };
        self.help.iter().enumerate().map(row).collect()
    }

    /// The motion's `qpos` one after the other, checked against a model.
    pub(super) fn motion_values(&self, model: &Model) -> Result<Vec<f64>> {
        flat("motion", &self.motion, model.position_count())
    }
}

/// Numbers in a row of offsets: one for each velocity but the root's.
fn offset_count(model: &Model) -> usize {
    model.joints().iter().filter(|j| !j.kind.is_root()).map(|j| j.kind.velocity_count()).sum()
}

fn flat(field: &'static str, rows: &[Vec<f64>], width: usize) -> Result<Vec<f64>> {
    match rows.iter().position(|row| row.len() != width) {
        Some(row) => Err(MotionError::OtherCharacter { field, row, found: rows[row].len(), wanted: width }.into()),
        None => Ok(rows.concat()),
    }
}
