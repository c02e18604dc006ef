//! Motions and samples as 16-bit numbers in base 64.
//!
//! A frame of a motion is, link after link, two ends of a capsule, the centre of a sphere or the centre and quaternion
//! of a box, then the centre of mass, then the assist; numbers that never change are written once, apart. Lengths are counted from the motion's origin in steps of
//! `length_step`, quaternions in 1/32767, assists in steps of `assist_step`.

use std::collections::BTreeSet;

use super::json::{json_list, json_number, json_text};
use super::motion::{Motion, MotionFrame};
use crate::page::base64;
use crate::plots::Axis;
use crate::scene::Shape;

/// Most frames per second that are kept.
const MOST_HZ: f64 = 60.0;
/// Bytes that all motions of a page may take.
const BUDGET_BYTES: usize = 1_200_000;
/// How often the rate may be halved to keep to that; the page goes between frames.
const MOST_HALVINGS: u32 = 3;
/// Largest size of a packed number.
const LIMIT: f64 = 32_767.0;
/// Places to tell samples apart, right and up.
const SAMPLE_CELLS: [f64; 2] = [900.0, 600.0];

/// Motions as JSON; when they are too many for the page, every second frame is left out until they fit.
pub(crate) fn pack_motions(motions: &[&Motion]) -> String {
    let step_of =
        |motion: &Motion, halvings: u32| ((motion.rate_hz / MOST_HZ - 1e-9).ceil() as usize).max(1) << halvings;
    let packed = |halvings: u32| json_list(motions.iter().map(|motion| pack(motion, step_of(motion, halvings))));
    (0..MOST_HALVINGS).map(packed).find(|json| json.len() <= BUDGET_BYTES).unwrap_or_else(|| packed(MOST_HALVINGS))
}

fn pack(motion: &Motion, step: usize) -> String {
    let kept: Vec<&MotionFrame> = motion.frames.iter().step_by(step).collect();
    let points = || kept.iter().flat_map(|frame| frame.shapes.iter().flat_map(points_of).chain([frame.center_of_mass]));
    let range = |axis: usize| {
        points().map(|point| point[axis]).fold((f64::MAX, f64::MIN), |(low, high), n| (low.min(n), high.max(n)))
    };
    let ranges = [0, 1, 2].map(range);
    let origin = ranges.map(|(low, high)| 0.5 * low + 0.5 * high);
    let reach = ranges.iter().map(|(low, high)| 0.5 * high - 0.5 * low).fold(0.0, f64::max);
    let length_step = (reach / LIMIT).max(1e-6);
    let strongest = kept.iter().flat_map(|frame| frame.assist).map(f64::abs).fold(0.0, f64::max);
    let assist_step = (strongest / LIMIT).max(1e-6);

    let steps = |point: [f64; 3]| [0, 1, 2].map(|axis| (point[axis] - origin[axis]) / length_step);
    let frames: Vec<Vec<i16>> = kept
        .iter()
        .map(|frame| {
            let mut numbers: Vec<f64> = Vec::new();
            for shape in &frame.shapes {
                points_of(shape).into_iter().for_each(|point| numbers.extend(steps(point)));
                if let Shape::Box { orientation, .. } = shape {
                    let length = orientation.iter().map(|n| n * n).sum::<f64>().sqrt().max(1e-12);
                    numbers.extend(orientation.map(|n| n / length * LIMIT));
                }
            }
            numbers.extend(steps(frame.center_of_mass));
            numbers.extend(frame.assist.map(|n| n / assist_step));
            numbers.into_iter().map(rounded).collect()
        })
        .collect();
    let count = frames.first().map_or(0, Vec::len);
    let is_fixed: Vec<bool> = (0..count).map(|i| frames.iter().all(|frame| frame[i] == frames[0][i])).collect();
    let fixed = (0..count).map(|i| if is_fixed[i] { frames[0][i].to_string() } else { "null".to_owned() });
    let moving = frames.iter().flat_map(|frame| frame.iter().zip(&is_fixed).filter(|(_, is_fixed)| !**is_fixed));
    let data = packed(moving.map(|(number, _)| *number));

    let sizes = kept.first().into_iter().flat_map(|frame| &frame.shapes).map(|shape| match *shape {
        Shape::Capsule { radius, .. } => format!("{{\"kind\":\"capsule\",\"radius\":{}}}", json_number(radius)),
        Shape::Sphere { radius, .. } => format!("{{\"kind\":\"sphere\",\"radius\":{}}}", json_number(radius)),
        Shape::Box { half_extents, .. } => {
            format!("{{\"kind\":\"box\",\"half\":{}}}", json_list(half_extents.map(json_number)))
        }
    });
    let phases = motion.phases.iter().filter(|phase| phase.start_secs.is_finite());
    let phases = phases.map(|phase| format!("[{},{}]", json_number(phase.start_secs), json_text(&phase.name)));
    format!(
        "{{\"rate\":{},\"frames\":{},\"origin\":{},\"lengthStep\":{},\"assistStep\":{},\"mark\":{},\"phases\":{},\
         \"shapes\":{},\"fixed\":{},\"data\":\"{data}\"}}",
        json_number(motion.rate_hz / step as f64),
        kept.len(),
        json_list(origin.map(json_number)),
        json_number(length_step),
        json_number(assist_step),
        json_number(motion.height_mark_m.unwrap_or(f64::NAN)),
        json_list(phases),
        json_list(sizes),
        json_list(fixed)
    )
}

fn rounded(number: f64) -> i16 {
    number.round().clamp(-LIMIT, LIMIT) as i16
}

/// Numbers of 16 bits, the low byte first, in base 64.
fn packed(numbers: impl IntoIterator<Item = i16>) -> String {
    base64(&numbers.into_iter().flat_map(i16::to_le_bytes).collect::<Vec<u8>>())
}

fn points_of(shape: &Shape) -> Vec<[f64; 3]> {
    match *shape {
        Shape::Capsule { from, to, .. } => vec![from, to],
        Shape::Sphere { center, .. } | Shape::Box { center, .. } => vec![center],
    }
}

/// Samples as shares of the axes, and how many there are beyond the axes or without a place.
pub(crate) struct PackedSamples {
    /// Shares of both axes in 1/32767, pair by pair.
    pub data: String,
    /// How many are left out because they have no place inside the axes.
    pub left_out: usize,
}

/// Samples inside the axes; those that would hide one another once.
pub(crate) fn pack_samples(samples: &[[f64; 2]], [x, y]: [&Axis; 2]) -> PackedSamples {
    let mut cells = BTreeSet::new();
    let mut left_out = 0;
    for [across, up] in samples {
        match (x.share(*across), y.share(*up)) {
            (Some(across), Some(up)) => {
                cells.insert([across * SAMPLE_CELLS[0], up * SAMPLE_CELLS[1]].map(|cell| cell.round() as u16));
            }
            _ => left_out += 1,
        }
    }
    let numbers = cells.iter().flat_map(|cell| [0, 1].map(|i| f64::from(cell[i]) / SAMPLE_CELLS[i] * LIMIT));
    PackedSamples { data: packed(numbers.map(rounded)), left_out }
}
