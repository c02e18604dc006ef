//! A policy beside what it tracks.

use super::Input;
use crate::error::Result;
use crate::film::frame_of;
use crate::report::{Camera, FilmStrip, Frame};
use sinew_track::{TrainedPolicy, record};

/// Moments of each row, and the time between them, frames.
const MOMENTS: usize = 10;
const EVERY: usize = 6;

/// PNG of two rows: the reference from the middle of its longest stretch on, and what the policy makes of it.
///
/// # Errors
/// Where the world cannot be made, or the picture would be too large.
pub fn strip(input: &Input, policy: &TrainedPolicy) -> Result<Vec<u8>> {
    let longest = input.reference.stretches().iter().max_by_key(|stretch| stretch.len());
    let stretch = longest.cloned().unwrap_or(0..1);
    let length = (MOMENTS * EVERY).min(stretch.len().saturating_sub(2));
    let start = (stretch.start + stretch.len() / 2).min(stretch.end - 1 - length);
    let rows = record(&input.body, &input.reference, policy, start, length)?;
    let rate_hz = input.reference.rate_hz;
    let picture = |what: &str, frame: usize, position: &[f64]| -> Frame {
        let model = input.body.model();
        let still = vec![0.0; model.velocity_count()];
        let measured = crate::sim::Measured::new(model, position, &still, [0.0; 3]);
        frame_of(model, &measured, &[], format!("{what} {:.2} s", frame as f64 / rate_hz))
    };
    let moments: Vec<usize> =
        (0..MOMENTS).map(|moment| moment * EVERY).filter(|&frame| frame < length.max(1)).collect();
    let mut frames: Vec<Frame> =
        moments.iter().map(|&frame| picture("reference", frame, &input.reference.position(start + frame))).collect();
    // A figure that has fallen is shown as it lies.
    frames.extend(moments.iter().map(|&frame| picture("policy", frame, &rows[frame.min(rows.len() - 1)])));
    let strip = FilmStrip {
        title: format!("{}, tracking", input.body.character.name),
        columns: moments.len(),
        frames,
        frame_width: 160,
        frame_height: 200,
        camera: Camera::follow(1.95, 0.16),
        ..FilmStrip::default()
    };
    Ok(strip.render()?.encode_png()?)
}
