//! A motion as shapes in space, moment by moment.

use crate::scene::Shape;

/// A figure at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionFrame {
    /// Links in world space, metres, z up, the figure facing +x; the same links in the same order in every frame.
    pub shapes: Vec<Shape>,
    /// Centre of mass, metres.
    pub center_of_mass: [f64; 3],
    /// Force from outside on the centre of mass, in body weights; zero where there is none.
    pub assist: [f64; 3],
}

/// A stretch of a motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionPhase {
    /// When it begins, seconds from the first frame.
    pub start_secs: f64,
    /// Name, such as `take-off`.
    pub name: String,
}

/// A motion: frames at a steady rate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// Frames per second. The page keeps 60 or fewer.
    pub rate_hz: f64,
    /// Frames from the beginning.
    pub frames: Vec<MotionFrame>,
    /// Phases in the order of time; may be empty.
    pub phases: Vec<MotionPhase>,
    /// A height to mark with a line, such as the highest place of the head, metres.
    pub height_mark_m: Option<f64>,
}

impl Motion {
    /// Length, seconds.
    pub fn duration_secs(&self) -> f64 {
        self.frames.len().saturating_sub(1) as f64 / self.rate_hz
    }

    /// The frame shown at a time; `None` for a motion without frames.
    pub fn frame_at(&self, time_secs: f64) -> Option<&MotionFrame> {
        let last = self.frames.len().checked_sub(1)?;
        // Casts of what is not finite saturate.
        self.frames.get(((time_secs * self.rate_hz).round().max(0.0) as usize).min(last))
    }

    /// What keeps the motion from being shown, if anything.
    pub(crate) fn problem(&self) -> Option<String> {
        if !(self.rate_hz.is_finite() && self.rate_hz > 0.0) {
            return Some(format!("its rate is {} frames per second: give one above zero", self.rate_hz));
        }
        let Some(first) = self.frames.first() else {
            return Some("it has no frames: give at least one".to_owned());
        };
        for (number, frame) in self.frames.iter().enumerate() {
            let is_alike = |(a, b): (&Shape, &Shape)| std::mem::discriminant(a) == std::mem::discriminant(b);
            if frame.shapes.len() != first.shapes.len() || !frame.shapes.iter().zip(&first.shapes).all(is_alike) {
                return Some(format!("frame {number} has other shapes than frame 0: give all the same links"));
            }
            let is_finite = frame.shapes.iter().all(|shape| shape_numbers(shape).iter().all(|n| n.is_finite()))
                && frame.center_of_mass.iter().chain(&frame.assist).all(|n| n.is_finite());
            if !is_finite {
                return Some(format!("frame {number} holds a number that is not finite: leave such frames out"));
            }
        }
        None
    }
}

/// The numbers of a shape: first those that change, then its sizes.
pub(crate) fn shape_numbers(shape: &Shape) -> Vec<f64> {
    match *shape {
        Shape::Capsule { from, to, radius } => [&from[..], &to[..], &[radius]].concat(),
        Shape::Sphere { center, radius } => [&center[..], &[radius]].concat(),
        Shape::Box { center, half_extents, orientation } => [&center[..], &orientation[..], &half_extents[..]].concat(),
    }
}
