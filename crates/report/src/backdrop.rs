//! What lies behind the solids: a light studio background, and the ground with its grid and shadows fading into it.

use crate::camera::View;
use crate::color::{Linear, mix, to_linear};
use crate::occlusion::Occluders;
use crate::ray::Ray;
use crate::vector::{Vec3, length_2d, smoothstep};

/// The ground plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground {
    /// Height of the plane, metres.
    pub height_m: f64,
    /// Distance between grid lines, metres.
    pub grid_spacing_m: f64,
}

const TOP: [u8; 3] = [247, 249, 252];
const BOTTOM: [u8; 3] = [222, 228, 236];
/// The ground seen exactly from the side.
const CUT: [u8; 3] = [204, 211, 221];
const FLOOR: [u8; 3] = [240, 242, 245];
const LINE: [u8; 3] = [150, 162, 178];
const SHADOW: [u8; 3] = [74, 84, 104];

impl Ground {
    /// Distance along a ray that looks down on the plane; `None` when it never meets the upper side.
    pub fn distance(&self, ray: &Ray) -> Option<f64> {
        if ray.direction.z > -1e-6 {
            return None;
        }
        let distance = (self.height_m - ray.origin.z) / ray.direction.z;
        (distance >= ray.near).then_some(distance)
    }
}

/// Shadows on the ground at the nodes of a grid over the frame.
pub(crate) struct ShadowGrid {
    columns: usize,
    darkness: Vec<f64>,
}

impl ShadowGrid {
    /// Pixels from node to node.
    const STEP: usize = 3;

    /// Darkness at a place of the frame, mixed from the four nodes around it.
    fn at(&self, x: f64, y: f64) -> f64 {
        let (column, row) = (x / Self::STEP as f64, y / Self::STEP as f64);
        let first = row as usize * self.columns + column as usize;
        let (right, down) = (column.fract(), row.fract());
        let node = |offset: usize| self.darkness.get(first + offset).copied().unwrap_or(0.0);
        let above = node(0) + (node(1) - node(0)) * right;
        let below = node(self.columns) + (node(self.columns + 1) - node(self.columns)) * right;
        above + (below - above) * down
    }
}

/// Everything the backdrop of one frame depends on.
pub(crate) struct Backdrop<'a> {
    pub view: &'a View,
    pub ground: Option<Ground>,
    pub occluders: &'a Occluders<'a>,
    pub to_light: Vec3,
    /// Shadows computed ahead; without them every pixel has its own.
    pub shadows: Option<ShadowGrid>,
}

impl Backdrop<'_> {
    /// Colour of the pixel whose centre is at `x, y`.
    pub fn color(&self, x: f64, y: f64) -> Linear {
        let background = mix(to_linear(TOP), to_linear(BOTTOM), y / f64::from(self.view.height));
        let Some(ground) = self.ground else { return background };
        let ray = self.view.ray(x, y);
        let Some(distance) = ground.distance(&ray) else {
            return if self.is_cut_through_ground(&ray, &ground) { to_linear(CUT) } else { background };
        };

        // The ground fades into the background around what the camera looks at.
        let point = ray.at(distance);
        let away = length_2d(point.x - self.view.target.x, point.y - self.view.target.y) / self.view.reach_m();
        let presence = 1.0 - smoothstep(0.9, 3.2, away);
        if presence <= 0.0 {
            return background;
        }
        let mut color = mix(background, to_linear(FLOOR), presence * 0.8);

        let line = self.grid_coverage(&ground, point, x, y);
        color = mix(color, to_linear(LINE), line * presence);

        let dark = self.shadows.as_ref().map_or_else(|| self.darkness(point), |grid| grid.at(x, y));
        mix(color, to_linear(SHADOW), dark * presence)
    }

    /// How much light the bodies take from a point of the ground, 0 to 1.
    fn darkness(&self, point: Vec3) -> f64 {
        let key = self.occluders.key_light_share(point, self.to_light, None);
        let sky = self.occluders.sky_share(point, Vec3::UP, None);
        1.0 - (0.38 + 0.62 * key) * (0.3 + 0.7 * sky)
    }

    /// Computes the shadows on the ground once for every three by three pixels, for pictures that move.
    pub fn coarsen_shadows(&mut self) {
        let Some(ground) = self.ground else { return };
        let columns = (self.view.width as usize).div_ceil(ShadowGrid::STEP) + 1;
        let rows = (self.view.height as usize).div_ceil(ShadowGrid::STEP) + 1;
        let at_node = |node: usize| {
            let pixel = |index: usize| (index * ShadowGrid::STEP) as f64;
            let ray = self.view.ray(pixel(node % columns), pixel(node / columns));
            ground.distance(&ray).map_or(0.0, |distance| self.darkness(ray.at(distance)))
        };
        self.shadows = Some(ShadowGrid { columns, darkness: (0..columns * rows).map(at_node).collect() });
    }

    /// Whether a level ray runs below the surface: the ground seen exactly from the side, as a cut.
    fn is_cut_through_ground(&self, ray: &Ray, ground: &Ground) -> bool {
        ray.direction.z.abs() <= 1e-6 && ray.origin.z < ground.height_m
    }

    /// Share of a pixel covered by grid lines, 0 to 1: lines about one pixel wide, thinned out where the pixel's
    /// footprint on the ground nears the spacing, so that the far grid does not flicker.
    fn grid_coverage(&self, ground: &Ground, point: Vec3, x: f64, y: f64) -> f64 {
        let spacing = ground.grid_spacing_m;
        if !(spacing.is_finite() && spacing > 1e-6) {
            return 0.0;
        }
        let neighbor = |dx: f64, dy: f64| {
            let ray = self.view.ray(x + dx, y + dy);
            ground.distance(&ray).map(|distance| ray.at(distance) - point)
        };
        let (Some(right), Some(down)) = (neighbor(1.0, 0.0), neighbor(0.0, 1.0)) else { return 0.0 };

        let across = |position: f64, footprint: f64| {
            let lines = position / spacing;
            let nearest = lines.round();
            let gap_pixels = (lines - nearest).abs() * spacing / footprint.max(1e-12);
            let is_even = (nearest * 0.5 - (nearest * 0.5).round()).abs() < 0.25;
            let strength = if is_even { 0.75 } else { 0.42 };
            let half_width = if is_even { 1.2 } else { 1.0 };
            strength * (half_width - gap_pixels).clamp(0.0, 1.0) * (1.0 - smoothstep(0.08, 0.4, footprint / spacing))
        };
        let along_x = across(point.x, length_2d(right.x, down.x));
        let along_y = across(point.y, length_2d(right.y, down.y));
        along_x.max(along_y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;
    use crate::camera::{Camera, FrameBounds};
    use crate::color::to_srgb;

    fn color_at(bodies: &[Body], point: Vec3) -> u8 {
        let room = FrameBounds {
            bodies: &[],
            points: vec![Vec3::new(-2.0, -2.0, 0.0), Vec3::new(2.0, 2.0, 2.0)],
            focus: None,
        };
        let view = Camera::follow(1.6, 0.5).views(&[room], 400, 400)[0];
        let ground = Some(Ground { height_m: 0.0, grid_spacing_m: 0.5 });
        let backdrop =
            Backdrop { view: &view, ground, occluders: &Occluders::new(bodies), to_light: Vec3::UP, shadows: None };
        let [x, y] = view.project(point).unwrap();
        to_srgb(backdrop.color(x, y))[1]
    }

    #[test]
    fn grid_lines_are_darker_than_the_floor_between_them() {
        let (line, floor) = (color_at(&[], Vec3::new(0.25, 0.5, 0.0)), color_at(&[], Vec3::new(0.25, 0.25, 0.0)));
        assert!(line + 5 < floor, "{line} against {floor}");
    }

    #[test]
    fn a_ball_throws_a_shadow_below_itself() {
        let center = Vec3::new(0.25, 0.25, 0.5);
        let bodies = [Body::Capsule { start: center, end: center, radius: 0.2 }];
        let under = Vec3::new(0.25, 0.25, 0.0);
        assert!(color_at(&bodies, under) + 30 < color_at(&[], under));
    }
}
