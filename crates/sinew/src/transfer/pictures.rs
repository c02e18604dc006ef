//! Target and simulation as film strips and side by side in motion.

use super::finished::position_at;
use super::{FRAME_SECS, Finished, Moment, Performance, Prepared, Push, Target};
use crate::error::Result;
use crate::film;
use crate::report::{Animation, Arrow, Camera, FilmStrip, Frame, Image, Track};
use sinew_sim::{Measured, Model};
use sinew_work::check_cancelled;
use std::ops::RangeInclusive;

/// Moments of a film strip.
const MOMENTS: usize = 8;
/// Moments a second of the animation, and most of them in all.
const RATE_HZ: f64 = 15.0;
const MOST_MOMENTS: f64 = 450.0;
/// Length of the arrow of a push, m.
const PUSH_ARROW: f64 = 0.7;
/// Size of a picture in the animation, pixels.
const PANEL: u32 = 300;

/// Pictures of a transfer, as bytes of their files.
#[derive(Clone, Debug)]
pub struct Pictures {
    /// PNG of the target.
    pub target: Vec<u8>,
    /// PNG of the simulation at the same moments.
    pub simulated: Vec<u8>,
    /// GIF of both.
    pub animation: Vec<u8>,
}

/// Draws all pictures.
///
/// # Errors
/// Where a page would be too large.
pub fn draw(prepared: &Prepared, finished: &Finished) -> Result<Pictures> {
    let (model, target, run) = (prepared.model(), &prepared.target, &finished.run);
    let (name, clip) = (&finished.summary.character, &finished.summary.clip);
    let last = run.frames() - 1;
    let moments: Vec<usize> = (0..MOMENTS.min(last + 1)).map(|i| i * last / (MOMENTS - 1)).collect();
    let wanted = moments.iter().map(|&frame| target_frame(target, frame as f64 * FRAME_SECS)).collect();
    let simulated = moments.iter().map(|&frame| run_frame(model, run, frame)).collect();
    let fell = match finished.summary.fell_at_secs {
        Some(secs) => format!("simulated, fell at {secs:.2} s"),
        None => "simulated".into(),
    };
    let strips = [
        film::strip(model, format!("{name}, {clip}: target"), wanted),
        film::strip(model, format!("{name}, {clip}: {fell}"), simulated),
    ];
    check_cancelled()?;
    let pages = FilmStrip::render_alike(&strips)?;
    check_cancelled()?;
    let [wanted, simulated] = [pages[0].encode_png()?, pages[1].encode_png()?];
    Ok(Pictures { target: wanted, simulated, animation: animation(model, target, run)?.encode_gif()? })
}

/// Target and performance at the same moments in small frames, a row each, to look at many motions at once.
///
/// # Errors
/// Where a picture would be too large.
pub fn beside_target(
    target: &Target,
    run: &Performance,
    title: &str,
    moments: usize,
    pixels: u32,
) -> Result<[Image; 2]> {
    let (model, last) = (target.model(), run.frames() - 1);
    let frames = (0..moments).map(|i| i * last / (moments - 1).max(1));
    let wanted = frames.clone().map(|frame| target_frame(target, frame as f64 * FRAME_SECS)).collect();
    let simulated = frames.map(|frame| run_frame(model, run, frame)).collect();
    let small = |title: String, frames: Vec<Frame>| FilmStrip {
        columns: moments,
        frame_width: pixels,
        frame_height: pixels,
        ..film::strip(model, title, frames)
    };
    let rows = [small(title.into(), wanted), small(String::new(), simulated)];
    let mut pages = FilmStrip::render_alike(&rows)?.into_iter();
    let (Some(wanted), Some(simulated)) = (pages.next(), pages.next()) else { unreachable!("two strips, two pages") };
    Ok([wanted, simulated])
}

/// The film strip of a performance alone; a push is shown at its middle.
pub fn performance_strip(model: &Model, run: &Performance, title: String, push: Option<&Push>) -> FilmStrip {
    span_strip(model, run, 0..=run.frames() - 1, title, push)
}

/// The film strip of some frames of a performance; a push among them is shown at its middle.
pub fn span_strip(
    model: &Model,
    run: &Performance,
    span: RangeInclusive<usize>,
    title: String,
    push: Option<&Push>,
) -> FilmStrip {
    let (first, last) = (*span.start(), *span.end());
    let count = MOMENTS.min(last - first + 1);
    let mut moments: Vec<usize> = (0..count).map(|i| first + i * (last - first) / (MOMENTS - 1)).collect();
    let middle = push.map(|push| (((push.at_secs + 0.5 * Push::SECS) / FRAME_SECS) as usize).min(last));
    if let Some(middle) = middle.filter(|middle| *middle >= first) {
        let nearest = (0..moments.len()).min_by_key(|&i| moments[i].abs_diff(middle)).unwrap_or(0);
        moments[nearest] = middle;
    }
    let frames = moments.into_iter().map(|moment| {
        let mut frame = run_frame(model, run, moment);
        if let Some(push) = push.filter(|push| push.acts_at(moment as f64 * FRAME_SECS)) {
            let root = run.at_frame(moment);
            let at = Measured::new(model, &root.position, &root.velocity, [0.0; 3]).bodies[0].center_of_mass;
            let along = push.direction_deg.to_radians();
            let side = PUSH_ARROW * push.newtons.signum();
            let from = [at[0] - side * libm::cos(along), at[1] - side * libm::sin(along), at[2]];
            frame.arrows.push(Arrow { from, to: at, color: film::PUSH });
            frame.caption += "  pushed";
        }
        frame
    });
    film::strip(model, title, frames.collect())
}

fn animation(model: &Model, target: &Target, run: &Performance) -> Result<Animation> {
    let rate_hz = RATE_HZ.min(MOST_MOMENTS / run.duration_secs()).max(1.0);
    let times: Vec<f64> = (0..=(run.duration_secs() * rate_hz) as usize).map(|i| i as f64 / rate_hz).collect();
    let wanted = times.iter().map(|&time| target_frame(target, time)).collect();
    let still = vec![0.0; model.velocity_count()];
    let simulated = times.iter().map(|&time| {
        let measured = Measured::new(model, &position_at(model, run, time), &still, [0.0; 3]);
        let step = ((time / run.dt).round() as usize).min(run.moments.len() - 1);
        let mut drawn = film::frame_of(model, &measured, &run.moments[step].contacts, format!("{time:.2} s"));
        drawn.arrows.extend(assist_arrow(&run.moments[step], &measured));
        drawn
    });
    let tracks = [("target", wanted), ("simulated", simulated.collect())];
    let [left, right] = tracks.map(|(label, frames)| Track { label: label.into(), frames });
    Ok(Animation {
        rate_hz,
        width: PANEL,
        height: PANEL,
        camera: camera(),
        ground_height: model.scene().ground.map(|g| g.height),
        ..Animation::side_by_side("", left, right)
    })
}

fn camera() -> Camera {
    Camera::follow(1.95, 0.16)
}

fn run_frame(model: &Model, run: &Performance, frame: usize) -> Frame {
    let moment = run.at_frame(frame);
    let measured = Measured::new(model, &moment.position, &moment.velocity, [0.0; 3]);
    let mut drawn = film::frame_of(model, &measured, &moment.contacts, format!("{:.2} s", frame as f64 * FRAME_SECS));
    drawn.arrows.extend(assist_arrow(moment, &measured));
    drawn
}

/// The force of help from outside, drawn from the centre of mass.
fn assist_arrow(moment: &Moment, measured: &Measured) -> Option<Arrow> {
    let force = moment.assist.force;
    (force != [0.0; 3]).then(|| film::arrow(measured.center_of_mass, force, film::PUSH))
}

/// The target at a time, on the way between two of its frames.
fn target_frame(target: &Target, time_secs: f64) -> Frame {
    let model = target.model();
    let at = time_secs / FRAME_SECS + 1e-9;
    let frame = at.floor() as usize;
    let (from, to) = (target.position(frame), target.position(frame + 1));
    let mut way = vec![0.0; model.velocity_count()];
    model.difference(from, to, &mut way);
    let mut position = from.to_vec();
    model.displace(from, &way, at - frame as f64, &mut position);
    let measured = Measured::new(model, &position, &vec![0.0; model.velocity_count()], [0.0; 3]);
    film::frame_of(model, &measured, &[], format!("{time_secs:.2} s"))
}
