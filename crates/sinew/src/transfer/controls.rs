//! `controls.json`: everything that performs a motion again, beside the character.

use super::{AssistWrench, Config, LARGEST_FILE, Prepared, Preset, Solution, Summary, Target};
use crate::error::{Error, FileError, MotionError, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sinew_sim::Model;
use std::path::Path;

/// Version of the layout.
const VERSION: u32 = 2;

/// Controls of a motion: a target in the character's coordinates, and the solution that follows it.
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
    /// Length of a cycle, where the clip was repeated, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle_secs: Option<f64>,
    /// The motion that is asked for: `qpos` of each frame.
    pub motion: Vec<Vec<f64>>,
    /// What performs the motion.
    pub solution: SolutionRows,
}

/// A [`Solution`] as the file has it, row by row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolutionRows {
    /// Velocity at the start beyond that of the first frame, in `qvel` order; empty for none.
    pub push_off: Vec<f64>,
    /// Offsets of the driven joints, one row every 0.025 s: angles of hinges, rotation vectors of balls, rad.
    pub offsets: Vec<Vec<f64>>,
    /// Help from outside, one row every 0.025 s, which acts until the next: force in world axes over the weight (3), torque over the
    /// weight times a quarter of the height (3); empty for none.
    pub assist: Vec<AssistWrench>,
}

impl SolutionRows {
    fn new(solution: &Solution, width: usize) -> SolutionRows {
        let Solution { offsets, push_off, assist } = solution.clone();
        SolutionRows { push_off, offsets: rows(&offsets, width), assist }
    }

    /// The solution, checked against its target.
    ///
    /// # Errors
    /// Where it is of another character or motion.
    pub fn values(&self, target: &Target) -> Result<Solution> {
        let offsets = flat("offsets", &self.offsets, offset_count(target.model()))?;
        let solution = Solution { offsets, push_off: self.push_off.clone(), assist: self.assist.clone() };
        solution.check(target)?;
        Ok(solution)
    }
}

impl Controls {
    pub(super) fn new(prepared: &Prepared, config: &Config, solution: &Solution, summary: &Summary) -> Controls {
        let fitted = prepared.fitted();
        Controls {
            version: VERSION,
            character: summary.character.clone(),
            clip: summary.clip.clone(),
            preset: summary.preset,
            seed: summary.seed,
            config: config.clone(),
            hash: summary.hash.clone(),
            rate_hz: fitted.rate_hz,
            cycle_secs: prepared.cycle_secs,
            motion: rows(&fitted.positions, fitted.position_count),
            solution: SolutionRows::new(solution, offset_count(prepared.model())),
        }
    }

    /// The text of the file, a row on each line.
    pub fn to_json(&self) -> Result<String> {
        let head = serde_json::to_value(self).map_err(Error::Json)?;
        let fields =
            head.as_object().into_iter().flatten().filter(|(name, _)| !["motion", "solution"].contains(&&name[..]));
        let mut text = String::from("{\n");
        fields.for_each(|(name, value)| text += &format!("  {name:?}: {value},\n"));
        let SolutionRows { push_off, offsets, assist } = &self.solution;
        text += &format!("  \"motion\": {},\n  \"solution\": {{\n", lines(&self.motion, "  ")?);
        text += &format!("    \"push_off\": {},\n", serde_json::to_string(push_off).map_err(Error::Json)?);
        text += &format!("    \"offsets\": {},\n", lines(offsets, "    ")?);
        text += &format!("    \"assist\": {}\n  }}\n}}\n", lines(assist, "    ")?);
        Ok(text)
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
        let bytes = sinew_files::read(path, LARGEST_FILE).map_err(unread)?;
        let controls: Controls =
            serde_json::from_slice(&bytes).or_else(|problem| upgraded(&bytes).ok_or(problem)).map_err(damaged)?;
        if controls.version != VERSION {
            return Err(FileError::Version { path: path.into(), found: controls.version, known: VERSION }.into());
        }
        Ok(controls)
    }

    /// The motion's `qpos` one after the other, checked against a model.
    pub(super) fn motion_values(&self, model: &Model) -> Result<Vec<f64>> {
        flat("motion", &self.motion, model.position_count())
    }
}

/// Reads a file of version 1, which had the push-off among the settings, and offsets and help at the top.
fn upgraded(bytes: &[u8]) -> Option<Controls> {
    let mut file: Value = serde_json::from_slice(bytes).ok().filter(|file: &Value| file["version"] == 1)?;
    let part = |value: Option<Value>| value.unwrap_or_else(|| json!([]));
    let push_off = part(file["config"].as_object_mut()?.remove("push_off"));
    let top = file.as_object_mut()?;
    let (offsets, assist) = (part(top.remove("offsets")), part(top.remove("help")));
    top.insert("version".into(), VERSION.into());
    top.insert("solution".into(), json!({ "offsets": offsets, "push_off": push_off, "assist": assist }));
    serde_json::from_value(file).ok()
}

/// An array of rows, each on a line of its own; `indent` is that of its brackets.
fn lines<Row: Serialize>(rows: &[Row], indent: &str) -> Result<String> {
    let lines = rows.iter().map(|row| Ok(format!("{indent}  {}", serde_json::to_string(row).map_err(Error::Json)?)));
    let lines = lines.collect::<Result<Vec<_>>>()?.join(",\n");
    Ok(if rows.is_empty() { "[]".to_owned() } else { format!("[\n{lines}\n{indent}]") })
}

fn rows(values: &[f64], width: usize) -> Vec<Vec<f64>> {
    values.chunks(width.max(1)).map(<[f64]>::to_vec).collect()
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
