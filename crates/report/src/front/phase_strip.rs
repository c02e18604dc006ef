//! Motions by the poses at which their phases begin, side by side (after Agrawal & van de Panne 2013, figure 9).

use super::data::FrontPoint;
use super::motion::{Motion, MotionFrame};
use crate::camera::Camera;
use crate::error::ReportError;
use crate::film_strip::FilmStrip;
use crate::scene::{Frame, Shape, Solid};

/// Paint of figures without and with help.
const PAINTS: [[u8; 3]; 2] = [[186, 118, 66], [66, 126, 206]];
/// Free space between neighbouring poses, metres.
const GAP_M: f64 = 0.12;
/// How far figures are turned out of the side view, radians.
const TURN_RAD: f64 = -0.28;
/// Least time between poses, seconds: phases that begin together are one pose.
const LEAST_SECS: f64 = 0.01;

/// A film strip with a frame for each point: its pose at the beginning of every phase and at the end, each set further
/// to the right than the one before, all to one scale, brown without help and blue with it. The texts stand under the
/// frames. Points without a motion leave their frame empty.
///
/// # Errors
///
/// [`ReportError::Motion`] for a motion that cannot be shown.
pub fn phase_strip(title: impl Into<String>, shown: &[(String, &FrontPoint)]) -> Result<FilmStrip, ReportError> {
    let motions = || shown.iter().filter_map(|(_, point)| Some((*point, point.motion.as_ref()?)));
    for (point, motion) in motions() {
        if let Some(problem) = motion.problem() {
            return Err(ReportError::Motion { point: point.label.clone(), problem });
        }
    }
    // Poses stand apart by the widest of all, so that columns line up between frames.
    let widest =
        motions().flat_map(|(_, motion)| poses(motion)).map(extent).fold(0.3, |widest, (l, h)| f64::max(widest, h - l));
    let frame = |(caption, point): &(String, &FrontPoint)| {
        let poses = point.motion.as_ref().map(poses).unwrap_or_default();
        let paint = PAINTS[usize::from(point.is_assisted)];
        let solids = poses.iter().enumerate().flat_map(|(place, pose)| {
            let (low, high) = extent(pose);
            let (middle, target) = (0.5 * (low + high), place as f64 * (widest + GAP_M));
            pose.shapes.iter().map(move |shape| Solid { shape: placed(shape, middle, target), color: paint })
        });
        Frame { solids: solids.collect(), caption: caption.clone(), ..Frame::default() }
    };
    Ok(FilmStrip {
        title: title.into(),
        frames: shown.iter().map(frame).collect(),
        frame_width: 640,
        frame_height: 460,
        columns: 2,
        camera: Camera { margin: 0.05, ..Camera::fixed(std::f64::consts::FRAC_PI_2, 0.1).orthographic() },
        ..FilmStrip::default()
    })
}

/// The poses at the beginning of each phase, and the last one; evenly spaced ones without phases.
fn poses(motion: &Motion) -> Vec<&MotionFrame> {
    let end = motion.duration_secs();
    let mut times: Vec<f64> = motion.phases.iter().map(|phase| phase.start_secs).filter(|t| t.is_finite()).collect();
    if times.is_empty() {
        times = (0..5).map(|i| f64::from(i) * 0.2 * end).collect();
    }
    times.push(end);
    times.retain(|time| (0.0..=end).contains(time));
    times.sort_by(f64::total_cmp);
    times.dedup_by(|b, a| *b - *a < LEAST_SECS);
    times.into_iter().filter_map(|time| motion.frame_at(time)).collect()
}

/// Least and greatest x of a pose.
fn extent(pose: &MotionFrame) -> (f64, f64) {
    let spans = pose.shapes.iter().map(|shape| match *shape {
        Shape::Capsule { from, to, radius } => (from[0].min(to[0]) - radius, from[0].max(to[0]) + radius),
        Shape::Sphere { center, radius } => (center[0] - radius, center[0] + radius),
        Shape::Box { center, half_extents, .. } => {
            let reach = half_extents.iter().map(|n| n * n).sum::<f64>().sqrt();
            (center[0] - reach, center[0] + reach)
        }
    });
    spans.reduce(|(low, high), (l, h)| (low.min(l), high.max(h))).unwrap_or((0.0, 0.0))
}

/// A shape turned a little about the upright through `middle`, so that both sides of a figure show, and set down at
/// `target`. Turning the figures instead of the camera keeps their feet on one line.
fn placed(shape: &Shape, middle: f64, target: f64) -> Shape {
    let (sin, cos) = (libm::sin(TURN_RAD), libm::cos(TURN_RAD));
    let turned = |[x, y, z]: [f64; 3]| [target + cos * (x - middle) - sin * y, sin * (x - middle) + cos * y, z];
    match *shape {
        Shape::Capsule { from, to, radius } => Shape::Capsule { from: turned(from), to: turned(to), radius },
        Shape::Sphere { center, radius } => Shape::Sphere { center: turned(center), radius },
        Shape::Box { center, half_extents, orientation: [w, x, y, z] } => {
            let (c, s) = (libm::cos(0.5 * TURN_RAD), libm::sin(0.5 * TURN_RAD));
            let orientation = [c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w];
            Shape::Box { center: turned(center), half_extents, orientation }
        }
    }
}
