//! A generator as it is driven: moments of a run with their targets, and the run in motion.

use crate::error::Result;
use crate::film::frame_of;
use crate::report::{Animation, Camera, FilmStrip, Frame, Shape, Solid};
use sinew_learn::{Generator, Trace};

/// Moments of the strip, and the time between them, frames.
const MOMENTS: usize = 16;
const EVERY: usize = 12;
/// Length of the animation, s, and its moments a second.
const ANIMATED_SECS: f64 = 15.0;
const RATE_HZ: f64 = 15.0;
const TARGET: [u8; 3] = [208, 46, 46];

/// Pictures of a run, as bytes of their files.
pub struct Pictures {
    /// PNG of moments.
    pub strip: Vec<u8>,
    /// GIF of the beginning.
    pub animation: Vec<u8>,
}

/// Draws the beginning of a run.
///
/// # Errors
/// Where a picture would be too large.
pub fn draw(generator: &dyn Generator, trace: &Trace) -> Result<Pictures> {
    let rate_hz = generator.rate_hz();
    let last = trace.rows.len() - 1;
    let moments = (0..MOMENTS).map(|moment| moment * EVERY).filter(|&frame| frame <= last);
    let title = format!("{}, driven by random objectives", generator.figure().character().name);
    let strip = FilmStrip {
        title: title.clone(),
        frames: moments.map(|frame| picture(generator, trace, frame)).collect(),
        columns: 8,
        frame_width: 200,
        frame_height: 220,
        camera: Camera::follow(1.95, 0.16),
        ..FilmStrip::default()
    };
    let step = (rate_hz / RATE_HZ).round().max(1.0) as usize;
    let end = ((ANIMATED_SECS * rate_hz) as usize).min(last);
    let frames = (0..=end).step_by(step).map(|frame| picture(generator, trace, frame)).collect();
    let animation = Animation { camera: Camera::follow(1.95, 0.3), ..Animation::single(title, frames) };
    Ok(Pictures { strip: strip.render()?.encode_png()?, animation: animation.encode_gif()? })
}

/// A moment, with the target of its objective as a ball on the ground.
fn picture(generator: &dyn Generator, trace: &Trace, frame: usize) -> Frame {
    let figure = generator.figure();
    let still = vec![0.0; figure.model().velocity_count()];
    let secs = frame as f64 / generator.rate_hz();
    let mut drawn = frame_of(figure.model(), &figure.measure(&trace.rows[frame], &still), &[], format!("{secs:.2} s"));
    let target = frame.checked_sub(1).and_then(|before| trace.objectives.get(before)?.target);
    let near = |[x, y]: &[f64; 2]| {
        let [a, b] = [x - trace.rows[frame][0], y - trace.rows[frame][1]];
        (a * a + b * b).sqrt() < 2.0 * figure.height_m()
    };
    if let Some([x, y]) = target.filter(near) {
        let radius = 0.04 * figure.height_m();
        drawn.solids.push(Solid { shape: Shape::Sphere { center: [x, y, radius], radius }, color: TARGET });
    }
    drawn
}
