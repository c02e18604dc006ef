//! What all plots share: the canvas, colours, the header with its legend, the grid, dashed lines.

use std::io;

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{PathElement, Rectangle, Text};
use plotters::prelude::SVGBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, IntoFont, RGBColor, ShapeStyle, TextStyle};

use super::axis::Axis;

/// SVG units per pixel: the backend counts in whole units, curves need quarters of pixels.
const UNITS: f64 = 4.0;
/// Width of every plot, pixels.
pub(crate) const WIDTH_PX: f64 = 920.0;
/// Room left of the plot's area for the labels of the vertical axis, pixels.
pub(crate) const LEFT_PX: f64 = 66.0;
/// Room right of the plot's area, pixels.
pub(crate) const RIGHT_PX: f64 = 18.0;
/// Room below the plot's area for the labels of the horizontal axis, pixels.
pub(crate) const BELOW_PX: f64 = 44.0;
/// Height of a legend's line, pixels.
const LEGEND_LINE_PX: f64 = 21.0;

pub(crate) const INK: RGBColor = RGBColor(34, 41, 54);
pub(crate) const SOFT_INK: RGBColor = RGBColor(92, 102, 118);
pub(crate) const GRID: RGBColor = RGBColor(222, 227, 234);
pub(crate) const AXIS_LINE: RGBColor = RGBColor(150, 160, 174);
pub(crate) const BLUE: RGBColor = RGBColor(47, 111, 181);
pub(crate) const ORANGE: RGBColor = RGBColor(217, 119, 43);
pub(crate) const GREEN: RGBColor = RGBColor(46, 139, 87);
pub(crate) const RED: RGBColor = RGBColor(200, 55, 45);
/// Colours of curves, in turn.
pub(crate) const HUES: [RGBColor; 6] = [BLUE, ORANGE, GREEN, RGBColor(122, 85, 168), RGBColor(31, 138, 146), RED];

/// A plot as SVG text, made by this crate alone: names inside it are escaped, numbers are finite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Svg(String);

impl Svg {
    /// The `<svg>` element.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same plot with an element of our own under everything else.
    pub(crate) fn over(self, element: &str) -> Self {
        match self.0.split_once('\n') {
            Some((start, body)) => Self(format!("{start}\n{element}\n{body}")),
            None => self,
        }
    }
}

pub(crate) type PlotResult<T> = Result<T, DrawingAreaErrorKind<io::Error>>;
pub(crate) type Area<'s> = DrawingArea<SVGBackend<'s>, Shift>;
pub(crate) type Chart<'r, 's> = ChartContext<'r, SVGBackend<'s>, Cartesian2d<Axis, Axis>>;

/// Pixels in SVG units.
pub(crate) fn units(pixels: f64) -> i32 {
    (pixels * UNITS).round() as i32
}

/// SVG units in pixels.
pub(crate) fn pixels(units: i32) -> f64 {
    f64::from(units) / UNITS
}

/// A line `width_px` wide.
pub(crate) fn stroke(color: RGBColor, opacity: f64, width_px: f64) -> ShapeStyle {
    ShapeStyle { color: color.mix(opacity), filled: false, stroke_width: units(width_px).max(1) as u32 }
}

/// A filled shape.
pub(crate) fn fill(color: RGBColor, opacity: f64) -> ShapeStyle {
    ShapeStyle { color: color.mix(opacity), filled: true, stroke_width: 0 }
}

/// Letters of a size, anchored at a side of their box.
pub(crate) fn letters(size_px: f64, color: RGBColor, across: HPos, down: VPos) -> TextStyle<'static> {
    // The backend writes the size divided by 1.24.
    let font = ("sans-serif", size_px * UNITS * 1.24).into_font();
    TextStyle { font, color: color.to_backend_color(), pos: Pos::new(across, down) }
}

/// Text with its anchor at a place in pixels; characters that XML forbids are left out.
pub(crate) fn draw_label(
    area: &Area<'_>,
    text: &str,
    x_px: f64,
    y_px: f64,
    style: TextStyle<'static>,
) -> PlotResult<()> {
    area.draw(&Text::new(printable(text), (units(x_px), units(y_px)), style))
}

/// The text without control characters, which XML forbids.
pub(crate) fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() && !matches!(*c, '\u{fffe}' | '\u{ffff}')).collect()
}

/// The text, cut to about `room_px` pixels.
pub(crate) fn shortened(text: &str, size_px: f64, room_px: f64) -> String {
    let most = (room_px / (GLYPH_WIDTH * size_px)).max(1.0) as usize;
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Mean width of a letter, as a share of its size.
const GLYPH_WIDTH: f64 = 0.56;

/// Makes a plot of a height. What is drawn goes to a string, so drawing does not fail; if it ever does, the plot says so.
pub(crate) fn draw_svg(description: &str, height_px: f64, draw: impl FnOnce(&Area<'_>) -> PlotResult<()>) -> Svg {
    let mut text = String::new();
    let size = (units(WIDTH_PX) as u32, units(height_px) as u32);
    let outcome = {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        draw(&area).and_then(|()| area.present())
    };
    // Sizes in pixels instead of units, and words for those who cannot see it.
    let body = match outcome {
        Ok(()) => text.split_once('\n').map_or("</svg>\n", |(_, body)| body),
        Err(_) => "<text y=\"60\" font-size=\"48\">This plot could not be drawn.</text></svg>\n",
    };
    let description = crate::page::escape(&printable(description));
    Svg(format!(
        "<svg class=\"plot\" role=\"img\" aria-label=\"{description}\" width=\"{WIDTH_PX}\" height=\"{height_px}\" \
         viewBox=\"0 0 {} {}\" xmlns=\"http://www.w3.org/2000/svg\">\n{body}",
        size.0, size.1
    ))
}

/// How an entry of a legend is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Swatch {
    Line,
    Dashes,
    Dot,
    Block,
}

/// An entry of a legend.
pub(crate) struct Entry {
    pub name: String,
    pub swatch: Swatch,
    pub color: RGBColor,
    pub opacity: f64,
}

impl Entry {
    pub fn new(name: impl Into<String>, swatch: Swatch, color: RGBColor, opacity: f64) -> Self {
        Self { name: name.into(), swatch, color, opacity }
    }

    fn width_px(&self) -> f64 {
        46.0 + GLYPH_WIDTH * 12.0 * self.name.chars().count() as f64
    }
}

/// The title of a plot and its legend.
pub(crate) struct Header {
    title: String,
    lines: Vec<Vec<Entry>>,
    /// Where title, legend and the plot's area begin, pixels from the left edge.
    pub left_px: f64,
    /// Room between the legend and the plot's area, pixels.
    pub gap_px: f64,
}

impl Header {
    pub fn new(title: &str, entries: Vec<Entry>, left_px: f64) -> Self {
        let room = WIDTH_PX - left_px - RIGHT_PX;
        let mut lines: Vec<Vec<Entry>> = Vec::new();
        let mut used = f64::INFINITY;
        for mut entry in entries {
            entry.name = shortened(&entry.name, 12.0, room - 60.0);
            if used + entry.width_px() > room {
                lines.push(Vec::new());
                used = 0.0;
            }
            used += entry.width_px();
            if let Some(line) = lines.last_mut() {
                line.push(entry);
            }
        }
        Self { title: shortened(title, 15.0, room), lines, left_px, gap_px: 8.0 }
    }

    /// Height that the header takes, pixels.
    pub fn height_px(&self) -> f64 {
        self.title_px() + self.lines.len() as f64 * LEGEND_LINE_PX + self.gap_px
    }

    fn title_px(&self) -> f64 {
        if self.title.is_empty() { 2.0 } else { 32.0 }
    }

    pub fn draw(&self, area: &Area<'_>) -> PlotResult<()> {
        if !self.title.is_empty() {
            let font = ("sans-serif", 15.0 * UNITS * 1.24, FontStyle::Bold).into_font();
            let style = TextStyle::from(font).color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
            draw_label(area, &self.title, self.left_px, 17.0, style)?;
        }
        for (i, line) in self.lines.iter().enumerate() {
            let middle = self.title_px() + (i as f64 + 0.5) * LEGEND_LINE_PX;
            let mut left = self.left_px;
            for entry in line {
                draw_swatch(area, entry, left, middle)?;
                let style = letters(12.0, SOFT_INK, HPos::Left, VPos::Center);
                draw_label(area, &entry.name, left + 28.0, middle, style)?;
                left += entry.width_px();
            }
        }
        Ok(())
    }
}

fn draw_swatch(area: &Area<'_>, entry: &Entry, left: f64, middle: f64) -> PlotResult<()> {
    let (color, opacity) = (entry.color, entry.opacity);
    let line = |from: f64, to: f64| {
        let ends = vec![(units(from), units(middle)), (units(to), units(middle))];
        area.draw(&PathElement::new(ends, stroke(color, opacity, 2.0)))
    };
    match entry.swatch {
        Swatch::Line => line(left, left + 22.0),
        Swatch::Dashes => {
            line(left, left + 6.0)?;
            line(left + 8.5, left + 14.5)?;
            line(left + 17.0, left + 22.0)
        }
        Swatch::Dot => {
            let center = (units(left + 14.0), units(middle));
            area.draw(&plotters::element::Circle::new(center, units(3.5), fill(color, opacity)))
        }
        Swatch::Block => {
            let corners = [(units(left), units(middle - 5.0)), (units(left + 22.0), units(middle + 5.0))];
            area.draw(&Rectangle::new(corners, fill(color, opacity)))
        }
    }
}

/// Lays out the area of a plot between its header and its horizontal axis.
pub(crate) fn open_chart<'r, 's>(area: &'r Area<'s>, header: &Header, x: &Axis, y: &Axis) -> PlotResult<Chart<'r, 's>> {
    ChartBuilder::on(area)
        .margin_top(units(header.height_px()))
        .margin_right(units(RIGHT_PX))
        .margin_left(units(10.0))
        .margin_bottom(units(4.0))
        .x_label_area_size(units(BELOW_PX - 4.0))
        .y_label_area_size(units(header.left_px - 10.0))
        .build_cartesian_2d(x.clone(), y.clone())
}

/// Grid lines, axes, labels and what the axes measure.
pub(crate) fn draw_grid(chart: &mut Chart<'_, '_>, x: (&Axis, &str), y: (&Axis, &str)) -> PlotResult<()> {
    let (label_x, label_y) = (|tick: &f64| x.0.label(*tick), |tick: &f64| y.0.label(*tick));
    let label = letters(11.5, SOFT_INK, HPos::Center, VPos::Center);
    chart
        .configure_mesh()
        .bold_line_style(stroke(GRID, 1.0, 1.0))
        .light_line_style(stroke(GRID, 0.0, 1.0))
        .axis_style(stroke(AXIS_LINE, 1.0, 1.0))
        .label_style(label)
        .axis_desc_style(letters(12.0, INK, HPos::Center, VPos::Center))
        .set_all_tick_mark_size(units(3.0))
        .x_label_formatter(&label_x)
        .y_label_formatter(&label_y)
        .x_desc(printable(x.1))
        .y_desc(printable(&shortened(y.1, 12.0, 240.0)))
        .draw()
}

/// A sentence in the middle of an empty plot.
pub(crate) fn draw_nothing_to_show(area: &Area<'_>, height_px: f64, header: &Header, sentence: &str) -> PlotResult<()> {
    let middle = 0.5 * (header.height_px() + height_px - BELOW_PX);
    draw_label(area, sentence, 0.5 * WIDTH_PX, middle, letters(13.0, SOFT_INK, HPos::Center, VPos::Center))
}

/// Pieces of a line in SVG units, `dash` long with gaps of `gap` between them.
pub(crate) fn dashes(line: &[(i32, i32)], dash: f64, gap: f64) -> Vec<Vec<(i32, i32)>> {
    let rounded = |(x, y): (f64, f64)| (x.round() as i32, y.round() as i32);
    let mut pieces = Vec::new();
    let (mut is_drawn, mut left) = (true, dash);
    let mut piece: Vec<(i32, i32)> = line.first().copied().into_iter().collect();
    for ends in line.windows(2) {
        let [from, to] = [ends[0], ends[1]].map(|(x, y)| (f64::from(x), f64::from(y)));
        let (across, down) = (to.0 - from.0, to.1 - from.1);
        let length = (across * across + down * down).sqrt();
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let at = rounded((from.0 + across * done / length, from.1 + down * done / length));
            if is_drawn {
                piece.push(at);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![at];
            }
            is_drawn = !is_drawn;
            left = if is_drawn { dash } else { gap };
        }
        left -= length - done;
        if is_drawn {
            piece.push(ends[1]);
        }
    }
    if piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_and_gaps_alternate_around_corners() {
        let corner = [(0, 0), (10, 0), (10, 10)];
        let pieces = dashes(&corner, 6.0, 3.0);
        assert_eq!(pieces, [vec![(0, 0), (6, 0)], vec![(9, 0), (10, 0), (10, 5)], vec![(10, 8), (10, 10)]]);
        assert!(dashes(&[], 6.0, 3.0).is_empty());
        assert!(dashes(&[(3, 3)], 6.0, 3.0).is_empty());
    }

    #[test]
    fn long_legends_wrap_and_long_names_are_cut() {
        let entry = |name: &str| Entry::new(name, Swatch::Line, BLUE, 1.0);
        assert_eq!(Header::new("t", vec![entry("a"), entry("b")], LEFT_PX).lines.len(), 1);
        assert_eq!(Header::new("t", (0..30).map(|_| entry("a long name")).collect(), LEFT_PX).lines.len(), 5);
        let endless = Header::new(&"t".repeat(4_000), vec![entry(&"n".repeat(4_000))], LEFT_PX);
        assert!(endless.title.chars().count() < 120 && endless.lines[0][0].name.chars().count() < 130);
    }
}
