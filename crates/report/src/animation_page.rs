//! Where the texts and panels of an animation stand.

use crate::error::ReportError;
use crate::film_strip::draw_border;
use crate::gif::Animation;
use crate::image::Image;
use crate::text::{draw_text, line_height, text_height, text_width, wrap};

/// Most pixels of one moment.
const PIXEL_LIMIT: u64 = 16_000_000;
/// Longest side that a GIF can have, pixels.
const SIDE_LIMIT: u64 = 65_535;
/// Lines that the title may take.
const TITLE_LINES: usize = 2;
/// Lines that a caption may take.
const CAPTION_LINES: usize = 2;

const TITLE_INK: [u8; 3] = [28, 34, 46];
const LABEL_INK: [u8; 3] = [58, 66, 82];

/// The layout of an animation, in pixels.
pub(crate) struct AnimationPage {
    width: u32,
    height: u32,
    margin: u32,
    panel: (u32, u32),
    panels: usize,
    panels_top: u32,
    /// Distance from one panel to the next.
    pitch: u32,
    title: Vec<String>,
    /// One line above each panel.
    labels: Vec<String>,
    labels_top: u32,
    text_dot: f64,
    text_gap: u32,
}

impl AnimationPage {
    /// Colour behind panels and texts.
    pub const PAPER: [u8; 3] = [255, 255, 255];

    pub fn lay_out(animation: &Animation) -> Result<Self, ReportError> {
        let (panel_width, panel_height) = (u64::from(animation.width), u64::from(animation.height));
        if panel_width == 0 || panel_height == 0 {
            return Err(ReportError::EmptyFrame { width: animation.width, height: animation.height });
        }
        let panels = animation.tracks.len().max(1);
        // The letters of film strips: two pixels per dot, larger in large panels.
        let text_dot = (f64::from(animation.width) / 210.0).round().clamp(2.0, 6.0);
        let dot = text_dot as u64;
        let (margin, gap, text_gap) = (6 * dot, 6 * dot, 4 * dot);
        let width = 2 * margin + panels as u64 * (panel_width + gap) - gap;
        let within_limits = |height: u64| {
            let is_small = width.checked_mul(height).is_some_and(|pixels| pixels <= PIXEL_LIMIT)
                && width.max(height) <= SIDE_LIMIT;
            is_small.then_some(()).ok_or(ReportError::TooLarge { width, height, limit: PIXEL_LIMIT })
        };
        within_limits(panel_height)?;

        let block = |lines: usize| match lines {
            0 => 0,
            lines => ((lines - 1) as f64 * line_height(text_dot) + text_height(text_dot)) as u64 + text_gap,
        };
        let title = wrap(&animation.title, (width - 2 * margin) as f64, text_dot, TITLE_LINES);
        let fitted = |text: &str| wrap(text, f64::from(animation.width), text_dot, 1).into_iter().next();
        let labels: Vec<String> =
            animation.tracks.iter().map(|track| fitted(&track.label).unwrap_or_default()).collect();
        let label_lines = usize::from(labels.iter().any(|label| !label.is_empty()));
        let captions = animation.tracks.iter().flat_map(|track| &track.frames).map(|frame| &frame.caption);
        let caption_lines = captions
            .map(|text| wrap(text, f64::from(animation.width), text_dot, CAPTION_LINES).len())
            .max()
            .unwrap_or(0);

        let labels_top = margin + block(title.len());
        let panels_top = labels_top + block(label_lines);
        let height = panels_top + panel_height + block(caption_lines) + margin;
        within_limits(height)?;

        // Within the limits every length fits.
        Ok(Self {
            width: width as u32,
            height: height as u32,
            margin: margin as u32,
            panel: (animation.width, animation.height),
            panels,
            panels_top: panels_top as u32,
            pitch: (panel_width + gap) as u32,
            title,
            labels,
            labels_top: labels_top as u32,
            text_dot,
            text_gap: text_gap as u32,
        })
    }

    /// Width and height as GIF counts them.
    pub fn size_u16(&self) -> (u16, u16) {
        (self.width as u16, self.height as u16)
    }

    /// The page with its title, labels and the borders of empty panels.
    pub fn draw_empty(&self) -> Image {
        let mut image = Image::filled(self.width, self.height, Self::PAPER);
        for (i, line) in self.title.iter().enumerate() {
            let top = f64::from(self.margin) + i as f64 * line_height(self.text_dot);
            draw_text(&mut image, line, f64::from(self.margin), top, self.text_dot, TITLE_INK);
        }
        for (panel, label) in self.labels.iter().enumerate() {
            self.draw_centred(&mut image, panel, label, self.labels_top, TITLE_INK);
        }
        for panel in 0..self.panels {
            draw_border(&mut image, self.panel_left(panel), self.panels_top, self.panel.0, self.panel.1);
        }
        image
    }

    /// Puts a picture and its caption into a panel.
    pub fn place_picture(&self, image: &mut Image, panel: usize, picture: &Image, caption: &str) {
        let left = self.panel_left(panel);
        image.paste(picture, left, self.panels_top);
        draw_border(image, left, self.panels_top, self.panel.0, self.panel.1);
        let lines = wrap(caption, f64::from(self.panel.0), self.text_dot, CAPTION_LINES);
        for (i, line) in lines.iter().enumerate() {
            let below = (i as f64 * line_height(self.text_dot)).round() as u32;
            let top = self.panels_top + self.panel.1 + self.text_gap + below;
            self.draw_centred(image, panel, line, top, LABEL_INK);
        }
    }

    fn panel_left(&self, panel: usize) -> u32 {
        self.margin + panel as u32 * self.pitch
    }

    fn draw_centred(&self, image: &mut Image, panel: usize, text: &str, top: u32, ink: [u8; 3]) {
        let indent = ((f64::from(self.panel.0) - text_width(text, self.text_dot)) * 0.5).round();
        let left = f64::from(self.panel_left(panel)) + indent;
        draw_text(image, text, left, f64::from(top), self.text_dot, ink);
    }
}
