//! A moment made ready to be drawn: solids checked, the camera in its place.

use crate::backdrop::Ground;
use crate::body::{Body, SCENE_LIMIT_M};
use crate::camera::{Camera, FrameBounds, View};
use crate::image::Image;
use crate::raster::{Scene, Smoothness, draw_frame};
use crate::scene::Frame;
use crate::vector::Vec3;

/// A frame with its drawable solids and its view.
pub(crate) struct Shot<'a> {
    frame: &'a Frame,
    solids: Drawable,
    view: View,
}

/// The solids of a frame that can be drawn.
struct Drawable {
    bodies: Vec<Body>,
    /// One colour per body, sRGB.
    colors: Vec<[u8; 3]>,
}

/// Checks all frames and places the camera for each: one direction and one scale for all of them.
pub(crate) fn line_up_shots<'a>(
    frames: impl Iterator<Item = &'a Frame>,
    camera: &Camera,
    width: u32,
    height: u32,
) -> Vec<Shot<'a>> {
    let prepared: Vec<(&Frame, Drawable)> = frames.map(|frame| (frame, Drawable::of(frame))).collect();
    let bounds: Vec<FrameBounds<'_>> = prepared.iter().map(|(frame, solids)| bounds(frame, solids)).collect();
    let views = camera.views(&bounds, width, height);
    drop(bounds);
    prepared.into_iter().zip(views).map(|((frame, solids), view)| Shot { frame, solids, view }).collect()
}

/// The ground to draw; `None` without a finite height.
pub(crate) fn ground_plane(height: Option<f64>, grid_spacing_m: f64) -> Option<Ground> {
    height.filter(|height| height.is_finite()).map(|height_m| Ground { height_m, grid_spacing_m })
}

impl Drawable {
    fn of(frame: &Frame) -> Self {
        let drawable = frame.solids.iter().filter_map(|s| Body::from_shape(&s.shape).map(|body| (body, s.color)));
        let (bodies, colors) = drawable.unzip();
        Self { bodies, colors }
    }
}

fn bounds<'a>(frame: &Frame, solids: &'a Drawable) -> FrameBounds<'a> {
    let is_near = |point: &Vec3| point.is_within(SCENE_LIMIT_M);
    let ends = frame.arrows.iter().map(|arrow| [arrow.from, arrow.to].map(Vec3::from));
    FrameBounds {
        bodies: &solids.bodies,
        points: ends.filter(|ends| ends.iter().all(is_near)).flatten().collect(),
        focus: frame.focus.map(Vec3::from).filter(is_near),
    }
}

impl Shot<'_> {
    /// Draws the moment, without its caption.
    pub fn draw(&self, ground: Option<Ground>, smoothness: Smoothness) -> Image {
        let Drawable { bodies, colors } = &self.solids;
        draw_frame(&Scene { bodies, colors, arrows: &self.frame.arrows, ground }, &self.view, smoothness)
    }
}
