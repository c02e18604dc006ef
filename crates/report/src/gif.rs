//! Animations: one moving picture of a motion, or two motions side by side in step, as a GIF that loops.

use std::num::NonZero;
use std::path::Path;

use gif::{DisposalMethod, Encoder, Repeat};

use crate::animation_page::AnimationPage;
use crate::backdrop::Ground;
use crate::camera::Camera;
use crate::error::ReportError;
use crate::image::{Image, replace_file};
use crate::palette::{ColorCounts, NearestCache, Palette};
use crate::parallel::{all_cores, parallel_map, parallel_map_with};
use crate::raster::Smoothness;
use crate::scene::Frame;
use crate::shot::{Shot, ground_plane, line_up_shots};

/// Most frames a second: viewers slow down what is faster.
const MOST_FRAMES_PER_SECOND: f64 = 50.0;
/// Least frames a second.
const LEAST_FRAMES_PER_SECOND: f64 = 0.01;
/// Most colours: one of the 256 indices is kept for "as before".
const MOST_COLORS: usize = 255;
/// Index of pixels that stay as they were.
const UNCHANGED: u8 = 255;
/// Moments that the palette is chosen from.
const PALETTE_MOMENTS: usize = 8;
/// Moments held in memory at a time.
const BATCH: usize = 64;
/// Share of the paper over a track that has ended.
const ENDED_PALENESS: f64 = 0.45;

/// A motion of an [`Animation`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// Text above the panel, such as `key-framed`; empty for none.
    pub label: String,
    /// Moments at the animation's rate. Captions stand under the panel, at most two lines of them.
    pub frames: Vec<Frame>,
}

/// Motions drawn side by side, at the same scale and in step.
///
/// A track that ends before the others keeps its last moment, paled.
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    /// Text above the panels; empty for none.
    pub title: String,
    /// Motions from left to right; one of them makes a plain animation.
    pub tracks: Vec<Track>,
    /// Moments a second, 0.01 to 50. Default 15.
    pub rate_hz: f64,
    /// Width of one panel, pixels. Default 320.
    pub width: u32,
    /// Height of one panel without its texts, pixels. Default 320.
    pub height: u32,
    /// Direction of view, shared by all panels. A following camera keeps each track in the middle of its own panel.
    pub camera: Camera,
    /// Height of the ground plane, metres; `None` draws no ground. Default 0.
    pub ground_height: Option<f64>,
    /// Distance between the lines on the ground, metres; 0 draws none. Default 0.5.
    pub grid_spacing: f64,
}

impl Default for Animation {
    fn default() -> Self {
        Self {
            title: String::new(),
            tracks: Vec::new(),
            rate_hz: 15.0,
            width: 320,
            height: 320,
            camera: Camera::default(),
            ground_height: Some(0.0),
            grid_spacing: 0.5,
        }
    }
}

impl Animation {
    /// One motion.
    pub fn single(title: impl Into<String>, frames: Vec<Frame>) -> Self {
        Self { title: title.into(), tracks: vec![Track { label: String::new(), frames }], ..Self::default() }
    }

    /// Two motions, left and right.
    pub fn side_by_side(title: impl Into<String>, left: Track, right: Track) -> Self {
        Self { title: title.into(), tracks: vec![left, right], ..Self::default() }
    }

    /// The animation as the bytes of a GIF file that loops forever. The same animation gives the same bytes, whatever
    /// the number of threads.
    ///
    /// Delays are whole hundredths of a second; they alternate where the rate needs it, so that no time is lost.
    ///
    /// # Errors
    ///
    /// [`ReportError::NoMoments`] without a single frame, [`ReportError::FrameRate`] for a rate that GIF cannot show,
    /// [`ReportError::EmptyFrame`] and [`ReportError::TooLarge`] for sizes that cannot be drawn.
    pub fn encode_gif(&self) -> Result<Vec<u8>, ReportError> {
        self.encode_gif_on(all_cores())
    }

    /// Saves the animation as GIF. The file appears whole or not at all; the folder must exist.
    pub fn save_gif(&self, path: impl AsRef<Path>) -> Result<(), ReportError> {
        let path = path.as_ref();
        let bytes = self.encode_gif()?;
        replace_file(path, &bytes).map_err(|source| ReportError::Write { path: path.to_path_buf(), source })
    }

    fn encode_gif_on(&self, threads: NonZero<usize>) -> Result<Vec<u8>, ReportError> {
        if !(LEAST_FRAMES_PER_SECOND..=MOST_FRAMES_PER_SECOND).contains(&self.rate_hz) {
            return Err(ReportError::FrameRate { rate_hz: self.rate_hz });
        }
        let moments = self.tracks.iter().map(|track| track.frames.len()).max().unwrap_or(0);
        if moments == 0 {
            return Err(ReportError::NoMoments);
        }
        let page = AnimationPage::lay_out(self)?;
        let stage = Stage::new(self, &page);

        // One palette for all moments, chosen from some of them.
        let step = moments.div_ceil(PALETTE_MOMENTS);
        let some: Vec<usize> = (0..moments).step_by(step).collect();
        let palette = self.choose_palette(&parallel_map(&some, threads, |&moment| stage.draw(moment)));

        let mut bytes = Vec::new();
        let (width, height) = page.size_u16();
        let mut encoder = Encoder::new(&mut bytes, width, height, palette.colors.as_flattened())?;
        encoder.set_repeat(Repeat::Infinite)?;

        // Batch by batch: draw, compare each moment with the one before, compress, write.
        let all: Vec<usize> = (0..moments).collect();
        let mut before: Option<Vec<u8>> = None;
        for batch in all.chunks(BATCH) {
            let drawn = parallel_map_with(batch, threads, NearestCache::new, |cache, &moment| {
                palette.index_pixels(&stage.draw(moment).rgb, cache)
            });
            let places: Vec<usize> = (0..batch.len()).collect();
            let compressed = parallel_map(&places, threads, |&place| {
                let before = if place == 0 { before.as_deref() } else { Some(&*drawn[place - 1]) };
                compress(&drawn[place], before, width, self.delay(batch[place]))
            });
            for frame in &compressed {
                encoder.write_lzw_pre_encoded_frame(frame)?;
            }
            before = drawn.into_iter().next_back();
        }
        drop(encoder);
        Ok(bytes)
    }

    /// Hundredths of a second that a moment is shown: its end less its start, both rounded.
    fn delay(&self, moment: usize) -> u16 {
        let hundredths = |moment: usize| (moment as f64 * 100.0 / self.rate_hz).round();
        (hundredths(moment + 1) - hundredths(moment)) as u16
    }

    /// Colours of some drawn moments, and of everything painted: what shows only now and then keeps its colour.
    fn choose_palette(&self, pictures: &[Image]) -> Palette {
        let mut counts = ColorCounts::new();
        for picture in pictures {
            counts.add_pixels(&picture.rgb);
        }
        for frame in self.tracks.iter().flat_map(|track| &track.frames) {
            frame.arrows.iter().for_each(|arrow| counts.add_color(arrow.color, 16));
            frame.solids.iter().for_each(|solid| counts.add_color(solid.color, 1));
        }
        counts.choose(MOST_COLORS)
    }
}

/// Everything that drawing a moment needs.
struct Stage<'a> {
    page: &'a AnimationPage,
    /// The page without pictures and captions.
    empty: Image,
    /// Shots of each track.
    tracks: Vec<(Vec<Shot<'a>>, &'a [Frame])>,
    ground: Option<Ground>,
}

impl<'a> Stage<'a> {
    fn new(animation: &'a Animation, page: &'a AnimationPage) -> Self {
        let Animation { camera, width, height, .. } = animation;
        // All tracks together, so that they share one scale.
        let frames = animation.tracks.iter().flat_map(|track| &track.frames);
        let mut shots = line_up_shots(frames, camera, *width, *height).into_iter();
        let tracks = animation.tracks.iter().map(|track| {
            let own = shots.by_ref().take(track.frames.len()).collect();
            (own, &*track.frames)
        });
        Self {
            page,
            tracks: tracks.collect(),
            empty: page.draw_empty(),
            ground: ground_plane(animation.ground_height, animation.grid_spacing),
        }
    }

    /// The whole page at a moment.
    fn draw(&self, moment: usize) -> Image {
        let mut image = self.empty.clone();
        for (panel, (shots, frames)) in self.tracks.iter().enumerate() {
            let place = moment.min(shots.len().saturating_sub(1));
            let (Some(shot), Some(frame)) = (shots.get(place), frames.get(place)) else { continue };
            let mut picture = shot.draw(self.ground, Smoothness::Moving);
            if place < moment {
                picture.fade(AnimationPage::PAPER, ENDED_PALENESS);
            }
            self.page.place_picture(&mut image, panel, &picture, &frame.caption);
        }
        image
    }
}

/// A moment as a GIF frame: the rectangle that changed, with unchanged pixels see-through where that packs better.
fn compress(pixels: &[u8], before: Option<&[u8]>, width: u16, delay: u16) -> gif::Frame<'static> {
    let stride = usize::from(width);
    let area = before.map_or_else(
        || Area { left: 0, top: 0, right: stride, bottom: pixels.len() / stride },
        |before| Area::of_changes(pixels, before, stride),
    );
    let cut = |pick: &dyn Fn(usize) -> u8| {
        let mut frame = gif::Frame {
            delay,
            dispose: DisposalMethod::Keep,
            transparent: before.map(|_| UNCHANGED),
            left: area.left as u16,
            top: area.top as u16,
            width: (area.right - area.left) as u16,
            height: (area.bottom - area.top) as u16,
            buffer: area.places(stride).map(pick).collect(),
            ..gif::Frame::default()
        };
        frame.make_lzw_pre_encoded();
        frame
    };
    let whole = cut(&|place| pixels[place]);
    let Some(before) = before else { return whole };
    let changes = cut(&|place| if pixels[place] == before[place] { UNCHANGED } else { pixels[place] });
    if changes.buffer.len() < whole.buffer.len() { changes } else { whole }
}

/// A rectangle of pixels: `left ≤ x < right`, `top ≤ y < bottom`.
struct Area {
    left: usize,
    top: usize,
    right: usize,
    bottom: usize,
}

impl Area {
    /// The least rectangle around all pixels that differ; the first pixel when none does.
    fn of_changes(pixels: &[u8], before: &[u8], stride: usize) -> Self {
        let mut area: Option<Self> = None;
        for (y, (row, old)) in pixels.chunks(stride).zip(before.chunks(stride)).enumerate() {
            let differs = |x: &usize| row[*x] != old[*x];
            let Some(first) = (0..row.len()).find(differs) else { continue };
            let last = (0..row.len()).rfind(differs).unwrap_or(first);
            let known = area.get_or_insert(Self { left: first, top: y, right: last + 1, bottom: y + 1 });
            known.left = known.left.min(first);
            known.right = known.right.max(last + 1);
            known.bottom = y + 1;
        }
        area.unwrap_or(Self { left: 0, top: 0, right: 1, bottom: 1 })
    }

    /// Places of the pixels inside, row by row.
    fn places(&self, stride: usize) -> impl Iterator<Item = usize> {
        let columns = self.left..self.right;
        (self.top..self.bottom).flat_map(move |y| columns.clone().map(move |x| y * stride + x))
    }
}

#[cfg(test)]
#[path = "gif_tests.rs"]
mod tests;
