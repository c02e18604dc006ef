//! What was played, in pictures.

use super::Take;
use crate::error::Result;
use crate::film::frame_of;
use crate::report::{Animation, Camera, FilmStrip, Frame, Shape, Solid};
use sinew_play::Package;
use sinew_sim::Measured;

/// Moments of a strip.
const MOMENTS: usize = 24;
/// Longest animation, s, and its moments a second.
const ANIMATED_SECS: f64 = 20.0;
const ANIMATED_HZ: f64 = 15.0;
/// Balls and targets within so many heights of the root are drawn.
const NEAR: f64 = 2.0;
const TARGET: [u8; 3] = [208, 46, 46];

/// PNG of moments, evenly over the whole take.
///
/// # Errors
/// Where the picture would be too large.
pub fn strip(package: &Package, take: &Take) -> Result<Vec<u8>> {
    let last = take.rows.len() - 1;
    let moments = MOMENTS.min(last + 1);
    let frames = (0..moments).map(|moment| picture(take, moment * last / (moments - 1).max(1))).collect();
    let strip = FilmStrip {
        title: format!("{}, played for {:.1} s", package.name, take.secs()),
        frames,
        columns: 8,
        frame_width: 200,
        frame_height: 220,
        camera: Camera::follow(1.95, 0.16),
        ..FilmStrip::default()
    };
    Ok(strip.render()?.encode_png()?)
}

/// GIF of the beginning.
///
/// # Errors
/// Where the picture would be too large.
pub fn animation(package: &Package, take: &Take) -> Result<Vec<u8>> {
    let step = (take.rate_hz / ANIMATED_HZ).round().max(1.0) as usize;
    let end = ((ANIMATED_SECS * take.rate_hz) as usize).min(take.rows.len() - 1);
    let frames = (0..=end).step_by(step).map(|frame| picture(take, frame)).collect();
    let animation = Animation { camera: Camera::follow(1.95, 0.3), ..Animation::single(package.name.clone(), frames) };
    Ok(animation.encode_gif()?)
}

/// A moment: the character, balls that were thrown, and the target as a ball on the ground.
pub(super) fn picture(take: &Take, frame: usize) -> Frame {
    let (model, row) = (&take.model, &take.rows[frame]);
    let still = vec![0.0; model.velocity_count()];
    let measured = Measured::new(model, &take.worlds[frame], &still, [0.0; 3]);
    let limp = if take.is_limp[frame] { ", limp" } else { "" };
    let mut drawn = frame_of(model, &measured, &[], format!("{:.2} s{limp}", frame as f64 / take.rate_hz));
    drawn.focus = Some([row[0], row[1], 0.0]);
    // Balls are the last bodies, one shape each; those that wait or are far away would only make the character small.
    let first_ball = drawn.solids.len() - take.thrown[frame].len();
    let balls = &measured.bodies[measured.bodies.len() - take.thrown[frame].len()..];
    let places: Vec<[f64; 2]> = balls.iter().map(|ball| [ball.position[0], ball.position[1]]).collect();
    let mut index = 0usize;
    drawn.solids.retain(|_| {
        let ball = index.checked_sub(first_ball);
        index += 1;
        ball.is_none_or(|ball| take.thrown[frame][ball] && is_near(row, places[ball]))
    });
    if let Some([x, y]) = take.targets[frame].filter(|place| is_near(row, *place)) {
        let radius = 0.05;
        drawn.solids.push(Solid { shape: Shape::Sphere { center: [x, y, radius], radius }, color: TARGET });
    }
    drawn
}

/// Whether something is so near to the character that it belongs into its picture.
fn is_near(row: &[f64], [x, y]: [f64; 2]) -> bool {
    let (a, b) = (x - row[0], y - row[1]);
    (a * a + b * b).sqrt() < NEAR * row[2].max(0.3)
}
