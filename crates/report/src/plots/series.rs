//! Curves over time: targets dashed, results solid, with moments marked and spans of time shaded.

use plotters::element::{PathElement, Rectangle};
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::{Axis, plottable};
use super::chart::{
    Area, Chart, Entry, HUES, Header, LEFT_PX, PlotResult, RED, SOFT_INK, Svg, Swatch, WIDTH_PX, dashes, draw_grid,
    draw_label, draw_nothing_to_show, draw_svg, fill, letters, open_chart, pixels, stroke, units,
};

const HEIGHT_PX: f64 = 280.0;
/// Room for the labels of marks above the plot's area, pixels.
const MARK_LABELS_PX: f64 = 12.0;
/// Points of a curve above which neighbours are merged.
const MOST_POINTS: usize = 4_000;

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CurveStyle {
    /// A full line, for what happened.
    #[default]
    Solid,
    /// A dashed line, for what was asked.
    Dashed,
}

/// A named curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// Time in seconds and value, in the order of time. The line breaks where a number is not finite.
    pub points: Vec<[f64; 2]>,
    /// Solid or dashed.
    pub style: CurveStyle,
    /// Number of the colour. Curves that belong together, such as a target and what became of it, share it.
    pub hue: usize,
}

/// A moment to point at, drawn as an upright line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mark {
    /// When, seconds.
    pub time_secs: f64,
    /// What happened, such as `fell`.
    pub label: String,
}

/// A span of time to set apart, drawn as a shaded band.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shade {
    /// Start, seconds.
    pub from_secs: f64,
    /// End, seconds.
    pub to_secs: f64,
    /// What it is, such as `flight`; the legend names each label once.
    pub label: String,
}

/// Curves over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeriesPlot {
    /// Text above the plot; empty for none.
    pub title: String,
    /// What the horizontal axis measures; empty for `time, s`.
    pub x_label: String,
    /// What the vertical axis measures, with its unit, such as `root height, m`.
    pub y_label: String,
    /// The curves; later ones are drawn over earlier ones.
    pub curves: Vec<Curve>,
    /// Moments to point at.
    pub marks: Vec<Mark>,
    /// Spans of time to set apart.
    pub shades: Vec<Shade>,
}

impl SeriesPlot {
    /// The plot.
    pub fn to_svg(&self) -> Svg {
        let mut header = Header::new(&self.title, self.legend(), LEFT_PX);
        if !self.marks.is_empty() {
            header.gap_px += MARK_LABELS_PX;
        }
        let names: Vec<&str> = self.curves.iter().map(|curve| &*curve.name).collect();
        let over = if self.x_label.is_empty() { "time" } else { &self.x_label };
        let description = format!("{}: {} over {over} ({})", self.title, self.y_label, names.join(", "));
        draw_svg(&description, HEIGHT_PX, |area| {
            let is_shown = |point: &&[f64; 2]| point.iter().all(|number| number.is_finite());
            let points = || self.curves.iter().flat_map(|curve| &curve.points).filter(is_shown);
            let moments = self.marks.iter().map(|mark| mark.time_secs);
            let x = Axis::tight(points().map(|point| point[0]).chain(moments), 12);
            let y = Axis::airy(points().map(|point| point[1]), 6);

            header.draw(area)?;
            let mut chart = open_chart(area, &header, &x, &y)?;
            self.draw_shades(area, &chart, &x, &y)?;
            let x_label = if self.x_label.is_empty() { "time, s" } else { &self.x_label };
            draw_grid(&mut chart, (&x, x_label), (&y, &self.y_label))?;
            if points().next().is_none() {
                return draw_nothing_to_show(area, HEIGHT_PX, &header, "Nothing was measured.");
            }
            for curve in &self.curves {
                draw_curve(area, &chart, curve)?;
            }
            self.draw_marks(area, &chart, &y)
        })
    }

    fn legend(&self) -> Vec<Entry> {
        let curves = self.curves.iter().map(|curve| {
            let swatch = if curve.style == CurveStyle::Dashed { Swatch::Dashes } else { Swatch::Line };
            Entry::new(&*curve.name, swatch, hue(curve), 1.0)
        });
        let mut labels: Vec<&str> = Vec::new();
        for shade in &self.shades {
            if !shade.label.is_empty() && !labels.contains(&&*shade.label) {
                labels.push(&shade.label);
            }
        }
        curves.chain(labels.into_iter().map(|label| Entry::new(label, Swatch::Block, SOFT_INK, 0.22))).collect()
    }

    fn draw_shades(&self, area: &Area<'_>, chart: &Chart<'_, '_>, x: &Axis, y: &Axis) -> PlotResult<()> {
        for shade in &self.shades {
            let (Some(from), Some(to)) = (plottable(shade.from_secs), plottable(shade.to_secs)) else { continue };
            let (from, to) = (from.max(x.low), to.min(x.high));
            if from < to {
                let corners = [chart.backend_coord(&(from, y.high)), chart.backend_coord(&(to, y.low))];
                area.draw(&Rectangle::new(corners, fill(SOFT_INK, 0.13)))?;
            }
        }
        Ok(())
    }

    fn draw_marks(&self, area: &Area<'_>, chart: &Chart<'_, '_>, y: &Axis) -> PlotResult<()> {
        for mark in &self.marks {
            let Some(time) = plottable(mark.time_secs) else { continue };
            let line = [chart.backend_coord(&(time, y.high)), chart.backend_coord(&(time, y.low))];
            for piece in dashes(&line, f64::from(units(2.0)), f64::from(units(2.0))) {
                area.draw(&PathElement::new(piece, stroke(RED, 1.0, 1.25)))?;
            }
            // The label stands above its line, inside the picture.
            let (across, down) = (pixels(line[0].0), pixels(line[0].1));
            let half_width = 0.5 * 6.5 * mark.label.chars().count() as f64;
            let across = across.min(WIDTH_PX - 4.0 - half_width).max(4.0 + half_width);
            let style = letters(11.5, RED, HPos::Center, VPos::Center);
            draw_label(area, &mark.label, across, down - 8.0, style)?;
        }
        Ok(())
    }
}

fn hue(curve: &Curve) -> plotters::style::RGBColor {
    HUES[curve.hue % HUES.len()]
}

fn draw_curve(area: &Area<'_>, chart: &Chart<'_, '_>, curve: &Curve) -> PlotResult<()> {
    let style = stroke(hue(curve), 1.0, if curve.style == CurveStyle::Dashed { 1.5 } else { 1.75 });
    let is_gap = |point: &[f64; 2]| point.iter().any(|number| !number.is_finite());
    for piece in curve.points.split(is_gap) {
        let places = piece.iter().filter_map(|[time, value]| Some((plottable(*time)?, plottable(*value)?)));
        let mut line: Vec<(i32, i32)> = places.map(|place| chart.backend_coord(&place)).collect();
        if let [(across, down)] = *line {
            // A single point becomes a short line, so that it shows.
            line = vec![(across - units(2.0), down), (across + units(2.0), down)];
        }
        let line = thinned(&line);
        match curve.style {
            CurveStyle::Solid => area.draw(&PathElement::new(line, style))?,
            CurveStyle::Dashed => {
                for dash in dashes(&line, f64::from(units(6.0)), f64::from(units(3.5))) {
                    area.draw(&PathElement::new(dash, style))?;
                }
            }
        }
    }
    Ok(())
}

/// A line of many points with one column of pixels after the other reduced to its first, lowest, highest and last
/// point: it covers the same pixels.
fn thinned(line: &[(i32, i32)]) -> Vec<(i32, i32)> {
    if line.len() <= MOST_POINTS {
        return line.to_vec();
    }
    let column = |point: &(i32, i32)| point.0.div_euclid(units(1.0));
    let mut kept = Vec::new();
    for run in line.chunk_by(|a, b| column(a) == column(b)) {
        let mut places = [Some(0), Some(run.len() - 1), extreme(run, 1), extreme(run, -1)];
        places.sort_unstable();
        let mut last = None;
        for place in places.into_iter().flatten() {
            if last != Some(place) {
                kept.push(run[place]);
            }
            last = Some(place);
        }
    }
    kept
}

/// Place of the point lowest on the page (sign 1) or highest (sign -1).
fn extreme(run: &[(i32, i32)], sign: i32) -> Option<usize> {
    (0..run.len()).max_by_key(|place| run[*place].1 * sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_peaks_and_ends() {
        let line: Vec<(i32, i32)> = (0..100_000).map(|i| (i / 100, if i == 54_321 { 900 } else { i % 7 })).collect();
        let thin = thinned(&line);
        assert!(thin.len() <= 4 * 251, "{}", thin.len());
        assert!(thin.contains(&(543, 900)));
        assert_eq!((thin.first(), thin.last()), (line.first(), line.last()));
        assert_eq!(thinned(&line[..100]), line[..100]);
    }
}
