//! Arrows: flat, smooth-edged, with a white halo, drawn over the finished frame.

use crate::body::SCENE_LIMIT_M;
use crate::camera::View;
use crate::image::Image;
use crate::scene::Arrow;
use crate::vector::{Vec3, length_2d};

type Point = [f64; 2];

/// Draws an arrow; nothing when an end is not finite or behind the eye.
pub(crate) fn draw_arrow(image: &mut Image, view: &View, arrow: &Arrow) {
    let [from, to] = [arrow.from, arrow.to].map(Vec3::from);
    if !(from.is_within(SCENE_LIMIT_M) && to.is_within(SCENE_LIMIT_M)) {
        return;
    }
    let (Some(tail), Some(tip)) = (view.project(from), view.project(to)) else { return };
    let outline = Outline::new(tail, tip, f64::from(view.height));

    // Only pixels of the frame near the arrow; an arrow far outside costs nothing.
    let pad = outline.head_half_width + 4.0;
    let range = |a: f64, b: f64, end: u32| {
        let low = (a.min(b) - pad).clamp(0.0, f64::from(end)) as i64;
        let high = (a.max(b) + pad).clamp(0.0, f64::from(end)) as i64;
        low..high
    };
    let halo = (f64::from(view.height) / 300.0).max(1.2);
    for y in range(tail[1], tip[1], view.height) {
        for x in range(tail[0], tip[0], view.width) {
            let gap = outline.distance([x as f64 + 0.5, y as f64 + 0.5]);
            image.blend(x, y, [255; 3], (halo + 0.5 - gap).clamp(0.0, 1.0) * 0.9);
            image.blend(x, y, arrow.color, 0.5 - gap);
        }
    }
}

/// A shaft and a triangular head, in pixels.
struct Outline {
    tail: Point,
    /// Unit direction from tail to tip.
    along: Point,
    length: f64,
    shaft_half_width: f64,
    head_length: f64,
    head_half_width: f64,
}

impl Outline {
    /// Widths follow the frame height; a short arrow shrinks as a whole, so that it still reads as an arrow.
    fn new(tail: Point, tip: Point, frame_height: f64) -> Self {
        let (dx, dy) = (tip[0] - tail[0], tip[1] - tail[1]);
        let length = length_2d(dx, dy);
        let along = if length > 1e-9 { [dx / length, dy / length] } else { [1.0, 0.0] };
        let head_length = (frame_height / 22.0).max(9.0);
        let shrink = (length / (1.6 * head_length)).clamp(0.35, 1.0);
        Self {
            tail,
            along,
            length,
            shaft_half_width: (frame_height / 170.0).max(1.3) * shrink,
            head_length: head_length * shrink,
            head_half_width: head_length * 0.42 * shrink,
        }
    }

    /// Distance to the arrow, negative inside.
    fn distance(&self, point: Point) -> f64 {
        let offset = [point[0] - self.tail[0], point[1] - self.tail[1]];
        let x = offset[0] * self.along[0] + offset[1] * self.along[1];
        let y = (offset[1] * self.along[0] - offset[0] * self.along[1]).abs();

        // The shaft ends inside the head.
        let neck = (self.length - self.head_length).max(0.0);
        let beyond = [(-x).max(x - neck - 0.25 * self.head_length), y - self.shaft_half_width];
        let shaft = length_2d(beyond[0].max(0.0), beyond[1].max(0.0)) + beyond[0].max(beyond[1]).min(0.0);

        // The head: behind its base, or beyond its slanted side.
        let side_length = length_2d(self.head_length, self.head_half_width);
        let base = self.length - self.head_length - x;
        let side = ((x - self.length) * self.head_half_width + y * self.head_length) / side_length;
        shaft.min(base.max(side))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_is_negative_inside_the_shaft_and_the_head_only() {
        let arrow = Outline::new([10.0, 50.0], [110.0, 50.0], 400.0);
        assert!(arrow.distance([40.0, 50.0]) < 0.0);
        assert!(arrow.distance([108.0, 50.0]) < 0.0);
        assert!(arrow.distance([95.0, 50.0 + arrow.head_half_width * 0.6]) < 0.0, "the head is wider than the shaft");
        assert!((arrow.distance([40.0, 60.0]) - (10.0 - arrow.shaft_half_width)).abs() < 1e-12);
        assert!(arrow.distance([115.0, 50.0]) > 1.0);
        assert!(arrow.distance([0.0, 50.0]) > 9.0);
    }
}
