//! The reference: a NumPy array of 52 numbers a frame.

use super::z_up;
use crate::error::TrackError;
use sinew_sim::rotation::{quaternion_of_turn, quaternion_product};
use sinew_sim::{JointKind, Model};
use std::path::Path;

/// Frames a second.
pub const RATE_HZ: f64 = 30.0;
/// Numbers of a frame: root x, height and z in cm, heading θ, then rotation vectors.
const WIDTH: usize = 52;
/// Joints whose rotation vectors follow the heading; the first is the root's, after its heading.
pub const JOINTS: [&str; 16] = [
    "Torso", "Spine", "Neck", "Head", "ArmL", "ForeArmL", "HandL", "ArmR", "ForeArmR", "HandR", "FemurL", "TibiaL",
    "FootL", "FemurR", "TibiaR", "FootR",
];
const LARGEST_FILE: u64 = 1 << 30;

/// Reads the frames as rows of `qpos` of a model of the released body.
///
/// # Errors
/// Where the file is no such array, or the body lacks a joint.
pub fn read_motion(path: &Path, model: &Model) -> Result<Vec<f64>, TrackError> {
    let bytes = sinew_files::read(path, LARGEST_FILE)?;
    let problem = |problem: String| TrackError::Released { path: path.into(), problem };
    let (frames, values) = npy(&bytes).map_err(problem)?;
    let mut rows = Vec::with_capacity(frames * model.position_count());
    for (frame, values) in values.chunks_exact(WIDTH).enumerate() {
        if let Some(column) = values.iter().position(|x| !x.is_finite()) {
            return Err(problem(format!("column {column} of frame {frame} is not a finite number")));
        }
        rows.extend(row(values, model).map_err(problem)?);
    }
    Ok(rows)
}

fn row(values: &[f64], model: &Model) -> Result<Vec<f64>, String> {
    let mut row = model.rest_position().to_vec();
    let place = z_up([values[0] * 0.01, values[1] * 0.01, values[2] * 0.01]);
    let heading = quaternion_of_turn(z_up([0.0, -values[3], 0.0]));
    for (index, name) in JOINTS.iter().enumerate() {
        let turn = quaternion_of_turn(z_up([values[4 + 3 * index], values[5 + 3 * index], values[6 + 3 * index]]));
        let is_it = |joint: &&sinew_sim::JointInfo| joint.name.rsplit('/').next() == Some(name);
        let joint = model.joints().iter().find(is_it).ok_or_else(|| format!("the body has no joint {name}"))?;
        match joint.kind {
            JointKind::Free => {
                row[..3].copy_from_slice(&place);
                row[3..7].copy_from_slice(&quaternion_product(heading, turn));
            }
            JointKind::Ball => row[joint.position_index..joint.position_index + 4].copy_from_slice(&turn),
            _ => return Err(format!("joint {name} is neither free nor a ball")),
        }
    }
    Ok(row)
}

/// Frames and numbers of an array of `float32` or `float64` in C order, of 52 columns (NumPy's format, version 1 to 3).
fn npy(bytes: &[u8]) -> Result<(usize, Vec<f64>), String> {
    let rest = bytes.strip_prefix(b"\x93NUMPY").ok_or("this is no array of NumPy (.npy)")?;
    let (version, rest) = rest.split_first_chunk::<2>().ok_or("it ends too early")?;
    let (length, rest) = if version[0] == 1 {
        let (length, rest) = rest.split_first_chunk().ok_or("it ends too early")?;
        (usize::from(u16::from_le_bytes(*length)), rest)
    } else {
        let (length, rest) = rest.split_first_chunk().ok_or("it ends too early")?;
        (u32::from_le_bytes(*length) as usize, rest)
    };
    let (header, data) = rest.split_at_checked(length).ok_or("it ends too early")?;
    let header = String::from_utf8_lossy(header);
    let size = if header.contains("'<f4'") {
        4
    } else if header.contains("'<f8'") {
        8
    } else {
        return Err("its numbers are neither float32 nor float64".into());
    };
    if header.contains("'fortran_order': True") {
        return Err("it is stored column by column; store it row by row".into());
    }
    let shape = header.split("'shape': (").nth(1).and_then(|text| text.split(')').next()).unwrap_or("");
    let shape: Vec<usize> = shape.split(',').filter_map(|word| word.trim().parse().ok()).collect();
    let [frames, WIDTH] = shape[..] else {
        return Err(format!("its shape is {shape:?}, and a released reference has {WIDTH} columns"));
    };
    if frames.checked_mul(WIDTH * size) != Some(data.len()) {
        return Err(format!("{frames} frames are promised, but {} bytes follow", data.len()));
    }
    let values = match size {
        4 => data.as_chunks().0.iter().map(|x| f64::from(f32::from_le_bytes(*x))).collect(),
        _ => data.as_chunks().0.iter().map(|x| f64::from_le_bytes(*x)).collect(),
    };
    Ok((frames, values))
}
