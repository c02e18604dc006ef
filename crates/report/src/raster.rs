//! One frame: rays through 2 × 2 or 3 × 3 samples per pixel find the nearest solid, each solid in a pixel is shaded once, and
//! samples at a step in depth are darkened into an outline.
//!
//! Frames are drawn tile by tile, so that the samples in memory stay few whatever the size of the picture.

use crate::arrow::draw_arrow;
use crate::backdrop::{Backdrop, Ground};
use crate::body::Body;
use crate::camera::{Rect, View};
use crate::color::{Linear, mix, to_linear, to_srgb};
use crate::image::Image;
use crate::occlusion::Occluders;
use crate::ray::intersect;
use crate::scene::Arrow;
use crate::shade::{Surface, shade, to_key_light};
use crate::vector::{Vec3, smoothstep};

/// Most samples along each side of a pixel.
const MOST_SAMPLES: usize = 3;
/// Pixels along each side of a tile.
const TILE: u32 = 32;
/// No solid in this sample.
const NOTHING: u32 = u32::MAX;

/// What one frame shows, ready to be drawn.
pub(crate) struct Scene<'a> {
    pub bodies: &'a [Body],
    /// One colour per body, sRGB.
    pub colors: &'a [[u8; 3]],
    pub arrows: &'a [Arrow],
    pub ground: Option<Ground>,
}

/// How finely the edges of solids are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Smoothness {
    /// 2 × 2 samples per pixel and coarse shadows on the ground, for pictures that move.
    Moving,
    /// 3 × 3 samples per pixel, for pictures that are looked at.
    Still,
}

impl Smoothness {
    /// Samples along each side of a pixel.
    fn samples(self) -> usize {
        match self {
            Self::Moving => 2,
            Self::Still => MOST_SAMPLES,
        }
    }
}

/// Draws a frame.
pub(crate) fn draw_frame(scene: &Scene<'_>, view: &View, smoothness: Smoothness) -> Image {
    let mut image = Image::filled(view.width, view.height, [255; 3]);
    let to_light = to_key_light(&view.axes);
    let occluders = Occluders::new(scene.bodies);
    let mut backdrop = Backdrop { view, ground: scene.ground, occluders: &occluders, to_light, shadows: None };
    if smoothness == Smoothness::Moving {
        backdrop.coarsen_shadows();
    }
    let bounds: Vec<Rect> = scene.bodies.iter().map(|body| view.bounds(body)).collect();
    let mut tile = Tile::new(view, smoothness.samples());
    for top in (0..view.height).step_by(TILE as usize) {
        for left in (0..view.width).step_by(TILE as usize) {
            tile.place(left, top);
            tile.cast(scene, view, &bounds);
            tile.resolve(scene, view, &backdrop, &mut image);
        }
    }
    for arrow in scene.arrows {
        draw_arrow(&mut image, view, arrow);
    }
    image
}

/// Nearest solid of one sample.
#[derive(Clone, Copy)]
struct Sample {
    body: u32,
    distance: f64,
    normal: Vec3,
}

const EMPTY: Sample = Sample { body: NOTHING, distance: f64::INFINITY, normal: Vec3::UP };

/// The samples of one tile, with a rim of `rim` samples on every side for the outline to look at.
struct Tile {
    left: u32,
    top: u32,
    /// Samples along each side of a pixel.
    per_side: usize,
    rim: usize,
    side: usize,
    samples: Vec<Sample>,
    /// Whether any sample found a solid.
    is_hit: bool,
    /// A step in depth above this is outlined, metres.
    outline_step_m: f64,
    /// Offsets in samples of the neighbours that an outline looks at.
    outline_ring: Vec<(isize, isize)>,
}

impl Tile {
    fn new(view: &View, per_side: usize) -> Self {
        // The outline is 1.3 pixels wide at 400 pixels and grows with the frame.
        let rim = (f64::from(view.height) / 300.0 * per_side as f64).round().clamp(2.0, 9.0) as usize;
        let side = TILE as usize * per_side + 2 * rim;
        let ring = |radius: f64| {
            (0..12).map(move |i| {
                let (sin, cos) = libm::sincos(f64::from(i) * std::f64::consts::PI / 6.0);
                ((radius * cos).round() as isize, (radius * sin).round() as isize)
            })
        };
        let mut outline_ring: Vec<_> = ring(rim as f64).chain(ring(rim as f64 * 0.5)).collect();
        outline_ring.sort_unstable();
        outline_ring.dedup();
        Self {
            left: 0,
            top: 0,
            per_side,
            rim,
            side,
            samples: vec![EMPTY; side * side],
            is_hit: false,
            outline_step_m: view.reach_m() * 0.06,
            outline_ring,
        }
    }

    fn place(&mut self, left: u32, top: u32) {
        (self.left, self.top) = (left, top);
        if self.is_hit {
            self.samples.fill(EMPTY);
            self.is_hit = false;
        }
    }

    /// Frame position, in pixels, of the sample in column or row `index`, for a tile that starts at `start`.
    fn position(&self, start: u32, index: usize) -> f64 {
        f64::from(start) + (index as f64 + 0.5 - self.rim as f64) / self.per_side as f64
    }

    /// Finds the nearest solid of every sample.
    fn cast(&mut self, scene: &Scene<'_>, view: &View, bounds: &[Rect]) {
        let area = Rect {
            left: self.position(self.left, 0),
            top: self.position(self.top, 0),
            right: self.position(self.left, self.side - 1),
            bottom: self.position(self.top, self.side - 1),
        };
        for (index, (body, rect)) in scene.bodies.iter().zip(bounds).enumerate() {
            if !rect.overlaps(&area) {
                continue;
            }
            let to_index = |pixel: f64, start: u32| {
                let index = (pixel - f64::from(start)) * self.per_side as f64 + self.rim as f64 - 0.5;
                index.clamp(0.0, (self.side - 1) as f64)
            };
            let columns =
                to_index(rect.left, self.left).floor() as usize..=to_index(rect.right, self.left).ceil() as usize;
            let rows = to_index(rect.top, self.top).floor() as usize..=to_index(rect.bottom, self.top).ceil() as usize;
            for row in rows {
                for column in columns.clone() {
                    let ray = view.ray(self.position(self.left, column), self.position(self.top, row));
                    let Some(hit) = intersect(&ray, body) else { continue };
                    let sample = &mut self.samples[row * self.side + column];
                    let ground = scene.ground.and_then(|ground| ground.distance(&ray)).unwrap_or(f64::INFINITY);
                    if hit.distance < sample.distance && hit.distance < ground {
                        *sample = Sample { body: index as u32, distance: hit.distance, normal: hit.normal };
                        self.is_hit = true;
                    }
                }
            }
        }
    }

    /// Turns samples into pixels.
    fn resolve(&self, scene: &Scene<'_>, view: &View, backdrop: &Backdrop<'_>, image: &mut Image) {
        for y in self.top..(self.top + TILE).min(view.height) {
            for x in self.left..(self.left + TILE).min(view.width) {
                let color = self.pixel(scene, view, backdrop, x, y);
                let at = (y as usize * view.width as usize + x as usize) * 3;
                image.rgb[at..at + 3].copy_from_slice(&to_srgb(color));
            }
        }
    }

    fn pixel(&self, scene: &Scene<'_>, view: &View, backdrop: &Backdrop<'_>, x: u32, y: u32) -> Linear {
        let (pixel_x, pixel_y) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
        if !self.is_hit {
            return backdrop.color(pixel_x, pixel_y);
        }

        // Gather the solids in this pixel: samples, outlined samples, mean distance and normal.
        let mut parts = [Part::NONE; MOST_SAMPLES * MOST_SAMPLES];
        let mut used = 0;
        let mut bare = 0.0_f32;
        for sub in 0..self.per_side * self.per_side {
            let column = (x - self.left) as usize * self.per_side + self.rim + sub % self.per_side;
            let row = (y - self.top) as usize * self.per_side + self.rim + sub / self.per_side;
            let sample = &self.samples[row * self.side + column];
            if sample.body == NOTHING {
                bare += 1.0;
                continue;
            }
            let slot = parts[..used].iter().position(|part| part.body == sample.body).unwrap_or_else(|| {
                parts[used].body = sample.body;
                used += 1;
                used - 1
            });
            let part = &mut parts[slot];
            part.count += 1.0;
            part.outline += self.outline(column, row, sample);
            part.distance += sample.distance;
            part.normal = part.normal + sample.normal;
        }

        // Shade each of them once.
        let mut sum: Linear = if bare > 0.0 { backdrop.color(pixel_x, pixel_y).map(|c| c * bare) } else { [0.0; 3] };
        let ray = view.ray(pixel_x, pixel_y);
        for part in &parts[..used] {
            let body = part.body as usize;
            let normal = part.normal.normalized();
            // Off the surface a little, so that joined solids do not shade their own seam.
            let point = ray.at(part.distance / part.count) + normal * (1e-3 * backdrop.view.reach_m());
            let ground_gap = scene.ground.map_or(f64::INFINITY, |ground| point.z - ground.height_m);
            let near_ground = 0.62 + 0.38 * smoothstep(0.0, 0.35 * backdrop.view.reach_m(), ground_gap);
            let downward = 0.5 - 0.5 * normal.z;
            let surface = Surface {
                paint: to_linear(scene.colors[body]),
                normal,
                to_eye: -ray.direction,
                to_light: backdrop.to_light,
                key_share: backdrop.occluders.key_light_share(point, backdrop.to_light, Some(body)),
                sky_share: backdrop.occluders.sky_share(point, normal, Some(body))
                    * (1.0 - downward * (1.0 - near_ground)),
            };
            let lit = shade(&surface);
            let inked = mix(lit, lit.map(|c| c * 0.08), part.outline / part.count);
            sum = std::array::from_fn(|c| sum[c] + inked[c] * part.count as f32);
        }
        sum.map(|c| c / (self.per_side * self.per_side) as f32)
    }

    /// How much ink a sample gets, 0 to 1: full at the solid's silhouette and where it stands well in front of what is
    /// behind it.
    fn outline(&self, column: usize, row: usize, sample: &Sample) -> f64 {
        let is_step = |&(right, down): &(isize, isize)| {
            let at = (row as isize + down) * self.side as isize + column as isize + right;
            let neighbor = &self.samples[at as usize];
            neighbor.body == NOTHING
                || (neighbor.body != sample.body && neighbor.distance - sample.distance > self.outline_step_m)
        };
        if self.outline_ring.iter().any(is_step) { 1.0 } else { 0.0 }
    }
}

/// The share of one solid in one pixel; sums over its samples.
#[derive(Clone, Copy)]
struct Part {
    body: u32,
    count: f64,
    outline: f64,
    distance: f64,
    normal: Vec3,
}

impl Part {
    const NONE: Self = Self { body: NOTHING, count: 0.0, outline: 0.0, distance: 0.0, normal: Vec3::ZERO };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Camera, FrameBounds};

    fn ball(center: Vec3, radius: f64) -> Body {
        Body::Capsule { start: center, end: center, radius }
    }

    fn draw(bodies: &[Body], colors: &[[u8; 3]], ground: Option<Ground>, size: u32) -> Image {
        let bounds = FrameBounds { bodies, points: Vec::new(), focus: None };
        let view = Camera::follow(std::f64::consts::FRAC_PI_2, 0.3).views(&[bounds], size, size)[0];
        draw_frame(&Scene { bodies, colors, arrows: &[], ground }, &view, Smoothness::Still)
    }

    #[test]
    fn the_nearer_ball_hides_the_farther_one() {
        let balls = [ball(Vec3::new(0.0, 3.0, 0.0), 1.0), ball(Vec3::new(0.0, 0.0, 0.0), 1.0)];
        let [red, _, blue] = draw(&balls, &[[255, 0, 0], [0, 0, 255]], None, 40).pixel(20, 22).unwrap();
        assert!(blue > red + 50, "the blue ball is in front: {red} red, {blue} blue");
    }

    #[test]
    fn what_lies_under_the_ground_is_hidden() {
        let bodies = [ball(Vec3::new(0.0, 0.0, 1.0), 0.5), ball(Vec3::new(0.0, 0.0, -1.0), 0.5)];
        let colors = [[0, 0, 255], [255, 0, 0]];
        let red = |ground| {
            let image = draw(&bodies, &colors, ground, 60);
            image.rgb.chunks(3).filter(|p| p[0] > p[2].saturating_add(40)).count()
        };
        assert!(red(None) > 50);
        assert_eq!(red(Some(Ground { height_m: 0.0, grid_spacing_m: 0.5 })), 0);
    }

    #[test]
    fn edges_are_blended_and_outlined() {
        let image = draw(&[ball(Vec3::ZERO, 1.0)], &[[240, 240, 240]], None, 400);
        let row: Vec<u8> = (0..200).map(|x| image.pixel(x, 200).unwrap()[1]).collect();
        let darkest = row.iter().copied().min().unwrap();
        let (outside, inside) = (row[0], row[199]);
        assert!(darkest + 40 < outside.min(inside), "{outside} outside, {darkest} at the edge, {inside} inside");
    }

    #[test]
    fn moving_pictures_look_like_still_ones() {
        let bodies = [ball(Vec3::new(0.0, 0.0, 0.6), 0.4), ball(Vec3::new(0.5, 0.2, 0.2), 0.2)];
        let ground = Some(Ground { height_m: 0.0, grid_spacing_m: 0.5 });
        let bounds = FrameBounds { bodies: &bodies, points: Vec::new(), focus: None };
        let view = Camera::follow(std::f64::consts::FRAC_PI_2, 0.3).views(&[bounds], 121, 90)[0];
        let scene = Scene { bodies: &bodies, colors: &[[200, 90, 60]; 2], arrows: &[], ground };
        let [moving, still] = [Smoothness::Moving, Smoothness::Still].map(|s| draw_frame(&scene, &view, s).rgb);
        let differences = moving.iter().zip(&still).map(|(a, b)| f64::from(a.abs_diff(*b)));
        let mean = differences.sum::<f64>() / still.len() as f64;
        assert!(mean < 2.0 && moving != still, "{mean} levels apart on average");
    }

    #[test]
    fn tiles_leave_no_seams() {
        // A wide ball across several tiles: inside it neighbouring pixels differ little.
        let image = draw(&[ball(Vec3::ZERO, 1.0)], &[[200, 200, 200]], None, 128);
        for x in 50..78 {
            let (here, next) = (image.pixel(x, 64).unwrap()[0], image.pixel(x + 1, 64).unwrap()[0]);
            assert!(here.abs_diff(next) < 6, "step at {x}");
        }
    }
}
