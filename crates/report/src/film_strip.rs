//! The page: a title, frames in rows, a caption under each.

use crate::camera::Camera;
use crate::error::ReportError;
use crate::image::Image;
use crate::parallel::{all_cores, parallel_map};
use crate::raster::Smoothness;
use crate::scene::Frame;
use crate::shot::{Shot, ground_plane, line_up_shots};
use crate::text::{draw_text, line_height, text_height, text_width, wrap};

/// Most pixels of a page.
const PIXEL_LIMIT: u64 = 64_000_000;
/// Frames per row when the caller leaves it open.
const DEFAULT_COLUMNS: usize = 6;
/// Lines that a caption may take.
const CAPTION_LINES: usize = 3;
/// Lines that the title may take.
const TITLE_LINES: usize = 2;

const PAPER: [u8; 3] = [255, 255, 255];
const TITLE_INK: [u8; 3] = [28, 34, 46];
const CAPTION_INK: [u8; 3] = [58, 66, 82];
const BORDER: [u8; 3] = [200, 207, 216];

/// Moments of a scene, drawn side by side into one picture.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmStrip {
    /// Text above the frames; empty for none.
    pub title: String,
    /// Moments, in reading order.
    pub frames: Vec<Frame>,
    /// Width of one frame, pixels. Default 420.
    pub frame_width: u32,
    /// Height of one frame without its caption, pixels. Default 420.
    pub frame_height: u32,
    /// Frames per row; 0 puts up to six in a row. Default 0.
    pub columns: usize,
    /// Direction of view, shared by all frames.
    pub camera: Camera,
    /// Height of the ground plane, metres; `None` draws no ground. Default 0.
    pub ground_height: Option<f64>,
    /// Distance between the lines on the ground, metres; every second line is stronger. 0 draws none. Default 0.5.
    pub grid_spacing: f64,
}

impl Default for FilmStrip {
    fn default() -> Self {
        Self {
            title: String::new(),
            frames: Vec::new(),
            frame_width: 420,
            frame_height: 420,
            columns: 0,
            camera: Camera::default(),
            ground_height: Some(0.0),
            grid_spacing: 0.5,
        }
    }
}

impl FilmStrip {
    /// Draws the page. The same strip gives the same pixels, whatever the number of threads.
    ///
    /// Solids and arrows that are not finite are left out; a strip without frames gives a page with its title.
    ///
    /// # Errors
    ///
    /// [`ReportError::EmptyFrame`] when frames have no size, [`ReportError::TooLarge`] when the page would have more
    /// than 64 million pixels.
    pub fn render(&self) -> Result<Image, ReportError> {
        let shots = line_up_shots(self.frames.iter(), &self.camera, self.frame_width, self.frame_height);
        self.draw(&shots)
    }

    /// Draws several strips as seen by one camera, the first one's: lengths in all of them can be compared.
    ///
    /// # Errors
    ///
    /// As [`FilmStrip::render`].
    pub fn render_alike(strips: &[FilmStrip]) -> Result<Vec<Image>, ReportError> {
        let Some(first) = strips.first() else { return Ok(Vec::new()) };
        let frames = strips.iter().flat_map(|strip| &strip.frames);
        let mut shots = line_up_shots(frames, &first.camera, first.frame_width, first.frame_height).into_iter();
        let own = |strip: &FilmStrip| shots.by_ref().take(strip.frames.len()).collect::<Vec<_>>();
        let own: Vec<Vec<Shot<'_>>> = strips.iter().map(own).collect();
        strips.iter().zip(&own).map(|(strip, shots)| strip.draw(shots)).collect()
    }

    fn draw(&self, shots: &[Shot<'_>]) -> Result<Image, ReportError> {
        let page = Page::lay_out(self)?;
        let mut image = Image::filled(page.width, page.height, PAPER);

        for (i, line) in page.title.iter().enumerate() {
            let top = f64::from(page.margin) + i as f64 * line_height(page.title_dot);
            draw_text(&mut image, line, f64::from(page.margin), top, page.title_dot, TITLE_INK);
        }
        let ground = ground_plane(self.ground_height, self.grid_spacing);
        let pictures = parallel_map(shots, all_cores(), |shot: &Shot<'_>| shot.draw(ground, Smoothness::Still));
        for (i, (frame, lines)) in pictures.iter().zip(&page.captions).enumerate() {
            let (left, top) = page.frame_corner(i);
            image.paste(frame, left, top);
            draw_border(&mut image, left, top, self.frame_width, self.frame_height);
            for (line_number, line) in lines.iter().enumerate() {
                let dot = page.caption_dot;
                let indent = (f64::from(self.frame_width) - text_width(line, dot)) * 0.5;
                let below = f64::from(page.caption_gap) + line_number as f64 * line_height(dot);
                // Whole pixels keep the strokes crisp.
                let (x, y) = (f64::from(left) + indent.round(), f64::from(top + self.frame_height) + below.round());
                draw_text(&mut image, line, x, y, dot, CAPTION_INK);
            }
        }
        Ok(image)
    }
}

/// Where everything goes, in pixels.
struct Page {
    width: u32,
    height: u32,
    margin: u32,
    columns: usize,
    /// Distance from one frame to the next, right and down.
    pitch: (u32, u32),
    /// Top of the first row of frames.
    frames_top: u32,
    title: Vec<String>,
    title_dot: f64,
    captions: Vec<Vec<String>>,
    caption_dot: f64,
    /// From the frame's lower edge to the top of its caption.
    caption_gap: u32,
}

impl Page {
    fn lay_out(strip: &FilmStrip) -> Result<Self, ReportError> {
        let (frame_width, frame_height) = (u64::from(strip.frame_width), u64::from(strip.frame_height));
        if frame_width == 0 || frame_height == 0 {
            return Err(ReportError::EmptyFrame { width: strip.frame_width, height: strip.frame_height });
        }
        let count = strip.frames.len().max(1);
        let columns = if strip.columns == 0 { DEFAULT_COLUMNS } else { strip.columns }.min(count);
        let rows = count.div_ceil(columns) as u64;

        // Letters of two pixels per dot at the default frame width, larger in larger frames.
        let caption_dot = (f64::from(strip.frame_width) / 210.0).round().clamp(2.0, 6.0);
        let title_dot = caption_dot + 1.0;
        let (margin, gap) = (9 * caption_dot as u64, 6 * caption_dot as u64);
        let caption_gap = 5 * caption_dot as u64;
        let width = 2 * margin + columns as u64 * (frame_width + gap) - gap;

        // A page too wide is refused before its texts are measured.
        let within_limit = |height: u64| {
            let is_small = width.checked_mul(height).is_some_and(|pixels| pixels <= PIXEL_LIMIT);
            is_small.then_some(()).ok_or(ReportError::TooLarge { width, height, limit: PIXEL_LIMIT })
        };
        within_limit(rows * frame_height)?;

        let title = wrap(&strip.title, (width - 2 * margin) as f64, title_dot, TITLE_LINES);
        let title_room = match title.len() {
            0 => 0,
            lines => ((lines - 1) as f64 * line_height(title_dot) + text_height(title_dot)) as u64 + gap,
        };
        let captions: Vec<Vec<String>> = strip
            .frames
            .iter()
            .map(|frame| wrap(&frame.caption, f64::from(strip.frame_width), caption_dot, CAPTION_LINES))
            .collect();
        let caption_room = match captions.iter().map(Vec::len).max().unwrap_or(0) {
            0 => 0,
            lines => caption_gap + ((lines - 1) as f64 * line_height(caption_dot) + text_height(caption_dot)) as u64,
        };
        let height = 2 * margin + title_room + rows * (frame_height + caption_room + gap) - gap;
        within_limit(height)?;

        // Below the pixel limit every length fits.
        Ok(Self {
            width: width as u32,
            height: height as u32,
            margin: margin as u32,
            columns,
            pitch: ((frame_width + gap) as u32, (frame_height + caption_room + gap) as u32),
            frames_top: (margin + title_room) as u32,
            title,
            title_dot,
            captions,
            caption_dot,
            caption_gap: caption_gap as u32,
        })
    }

    /// Top left corner of a frame.
    fn frame_corner(&self, index: usize) -> (u32, u32) {
        let (column, row) = ((index % self.columns) as u32, (index / self.columns) as u32);
        (self.margin + column * self.pitch.0, self.frames_top + row * self.pitch.1)
    }
}

/// A hairline around a frame.
pub(crate) fn draw_border(image: &mut Image, left: u32, top: u32, width: u32, height: u32) {
    let (left, top) = (i64::from(left), i64::from(top));
    let (right, bottom) = (left + i64::from(width) - 1, top + i64::from(height) - 1);
    for x in left..=right {
        image.blend(x, top, BORDER, 1.0);
        image.blend(x, bottom, BORDER, 1.0);
    }
    for y in top..=bottom {
        image.blend(left, y, BORDER, 1.0);
        image.blend(right, y, BORDER, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Arrow, Shape, Solid};

    fn ball(x: f64, z: f64) -> Solid {
        Solid { shape: Shape::Sphere { center: [x, 0.0, z], radius: 0.3 }, color: [210, 60, 50] }
    }

    fn strip(count: usize) -> FilmStrip {
        let frame = |i: usize| Frame { solids: vec![ball(i as f64, 0.3)], ..Frame::default() };
        FilmStrip { frames: (0..count).map(frame).collect(), frame_width: 60, frame_height: 50, ..FilmStrip::default() }
    }

    /// Mean column of the red pixels of a frame.
    fn red_column(image: &Image, left: u32, top: u32) -> f64 {
        let pixels = (0..60 * 50).map(|i| (i % 60, i / 60));
        let is_red = |&(x, y): &(u32, u32)| {
            image.pixel(left + x, top + y).is_some_and(|[r, g, _]| i32::from(r) - i32::from(g) > 60)
        };
        let columns: Vec<f64> = pixels.filter(is_red).map(|(x, _)| f64::from(x)).collect();
        assert!(!columns.is_empty(), "the ball is in the frame");
        columns.iter().sum::<f64>() / columns.len() as f64
    }

    #[test]
    fn page_grows_by_frames_rows_captions_and_title() {
        // Margins of 18 and gaps of 12 pixels at the smallest letters.
        let bare = strip(4).render().unwrap();
        assert_eq!((bare.width, bare.height), (36 + 4 * 60 + 3 * 12, 36 + 50));
        let rows = FilmStrip { columns: 3, ..strip(4) }.render().unwrap();
        assert_eq!((rows.width, rows.height), (36 + 3 * 60 + 2 * 12, 36 + 2 * 50 + 12));

        let mut captioned = strip(4);
        captioned.frames[2].caption = "1 s".to_owned();
        assert_eq!(captioned.render().unwrap().height, bare.height + 10 + 18);
        let titled = FilmStrip { title: "T".to_owned(), ..strip(4) }.render().unwrap();
        assert_eq!(titled.height, bare.height + 27 + 12);
        assert_eq!(titled.rgb.len(), (titled.width * titled.height * 3) as usize);
    }

    #[test]
    fn captions_stand_under_their_frame() {
        let mut strip = strip(2);
        strip.frames[1].caption = "1 s".to_owned();
        let image = strip.render().unwrap();
        let has_ink = |left: u32| {
            (left..left + 60).any(|x| (18 + 52..image.height - 9).any(|y| image.pixel(x, y).unwrap()[0] < 120))
        };
        assert!(!has_ink(18), "the first frame has no caption");
        assert!(has_ink(18 + 72), "the second frame has one");
    }

    #[test]
    fn following_centres_every_frame_and_fixed_shows_travel() {
        let camera = Camera::follow(std::f64::consts::FRAC_PI_2, 0.2);
        let follow = FilmStrip { camera, ..strip(3) }.render().unwrap();
        let fixed = FilmStrip { camera: Camera { tracking: crate::Tracking::Fixed, ..camera }, ..strip(3) };
        let fixed = fixed.render().unwrap();
        for i in 0..3 {
            assert!((red_column(&follow, 18 + 72 * i, 18) - 29.5).abs() < 1.5);
        }
        assert!(red_column(&fixed, 18, 18) + 10.0 < red_column(&fixed, 18 + 72, 18));
        assert!(red_column(&fixed, 18 + 72, 18) + 10.0 < red_column(&fixed, 18 + 144, 18));
    }

    #[test]
    fn rendering_twice_gives_the_same_pixels() {
        assert_eq!(strip(5).render().unwrap(), strip(5).render().unwrap());
    }

    #[test]
    fn absurd_sizes_are_errors() {
        let huge = FilmStrip { frame_width: u32::MAX, frame_height: u32::MAX, ..strip(7) };
        assert!(matches!(huge.render(), Err(ReportError::TooLarge { .. })));
        let large = FilmStrip { frame_width: 9_000, frame_height: 9_000, ..strip(1) };
        assert!(matches!(large.render(), Err(ReportError::TooLarge { limit: 64_000_000, .. })));
        let empty = FilmStrip { frame_width: 0, ..strip(1) };
        assert!(matches!(empty.render(), Err(ReportError::EmptyFrame { width: 0, .. })));
    }

    #[test]
    fn non_finite_solids_are_left_out_and_change_nothing() {
        let clean = strip(2).render().unwrap();
        let mut dirty = strip(2);
        dirty.frames[0].solids.push(ball(f64::NAN, 1.0));
        dirty.frames[1].solids.insert(0, ball(0.0, f64::INFINITY));
        dirty.frames[1].solids.push(ball(1e300, 0.0));
        dirty.frames[1].arrows.push(Arrow { from: [f64::NAN; 3], to: [0.0; 3], color: [0; 3] });
        dirty.frames[0].focus = Some([f64::NAN, 0.0, 0.0]);
        assert_eq!(dirty.render().unwrap(), clean);
    }

    #[test]
    fn strips_that_are_rendered_alike_share_one_scale() {
        let mut small = strip(1);
        small.frames[0].focus = Some([0.0; 3]);
        let mut large = small.clone();
        large.frames[0].solids.push(ball(3.0, 2.0));
        let alike = FilmStrip::render_alike(&[small.clone(), large.clone()]).expect("two pages");
        assert_eq!(alike[1], large.render().expect("a page"), "the one that needs more room sets the scale");
        assert_ne!(alike[0], small.render().expect("a page"));
        assert!(FilmStrip::render_alike(&[]).expect("no page").is_empty());
    }

    #[test]
    fn empty_frames_and_empty_strips_are_drawn() {
        let nothing = FilmStrip { frames: vec![Frame::default(); 2], ..strip(0) };
        assert!(nothing.render().is_ok());
        assert!(FilmStrip { title: "Nothing happened".to_owned(), ..strip(0) }.render().is_ok());
        assert!(FilmStrip { ground_height: Some(f64::NAN), grid_spacing: f64::NAN, ..strip(1) }.render().is_ok());
        assert!(FilmStrip { grid_spacing: 0.0, columns: usize::MAX, ..strip(1) }.render().is_ok());
    }
}
