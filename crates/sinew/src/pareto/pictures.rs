//! A jump as a film strip.

use super::{Phase, Recording};
use crate::film;
use crate::report::{Camera, FilmStrip, Frame};
use sinew_sim::{Measured, Model};

/// Colours of a natural and of a helped jumper (Agrawal & van de Panne 2013, figure 9: brown and blue).
const NATURAL: [u8; 3] = [176, 116, 66];
const HELPED: [u8; 3] = [66, 118, 190];
/// Moments of a strip.
const MOMENTS: usize = 12;
/// Time after touch-down that a strip shows, s.
const AFTER_LANDING_SECS: f64 = 1.0;

/// Film strip of a jump from the crouch to a second after touch-down; brown where it is natural, blue where it is helped.
pub fn jump_strip(model: &Model, recording: &Recording, title: String) -> FilmStrip {
    let moments = &recording.moments;
    let index_of = |phase| moments.iter().position(|moment| moment.phase == phase);
    let first = index_of(Phase::Crouch).unwrap_or(0);
    let touched = index_of(Phase::Land).unwrap_or(moments.len() - 1);
    let end = moments[touched].time_secs + AFTER_LANDING_SECS;
    let last = moments.iter().rposition(|moment| moment.time_secs <= end).unwrap_or(moments.len() - 1);
    let frames = (0..MOMENTS).map(|index| frame(model, recording, first + index * (last - first) / (MOMENTS - 1)));
    FilmStrip {
        title,
        frames: frames.collect(),
        columns: 6,
        camera: Camera::follow(1.9, 0.08),
        ground_height: Some(0.0),
        ..FilmStrip::default()
    }
}

fn frame(model: &Model, recording: &Recording, index: usize) -> Frame {
    let moment = &recording.moments[index];
    let measured = Measured::new(model, &moment.position, &moment.velocity, [0.0; 3]);
    let mut frame = film::frame_of(model, &measured, &[], format!("{:.2} s", moment.time_secs));
    let color = if recording.jump.is_natural() { NATURAL } else { HELPED };
    // The farther side a little darker.
    for (body, solid) in model.bodies().iter().zip(&mut frame.solids) {
        let is_far = body.name.ends_with("_l");
        solid.color = if is_far { color.map(|part| (f64::from(part) * 0.75) as u8) } else { color };
    }
    if moment.assist_newtons > 0.0 {
        let force = [0.0, 0.0, moment.assist_newtons];
        frame.arrows.push(film::arrow(measured.center_of_mass, force, film::PUSH));
    }
    frame
}
