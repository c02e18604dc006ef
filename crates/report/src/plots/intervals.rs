//! When feet touch the ground: for every foot a bar of the target's contacts above a bar of the simulated ones.

use plotters::element::Rectangle;
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::{Axis, plottable};
use super::chart::{
    BELOW_PX, BLUE, Entry, Header, INK, PlotResult, SOFT_INK, Svg, Swatch, draw_grid, draw_label, draw_nothing_to_show,
    draw_svg, fill, letters, open_chart, shortened,
};

/// Height of a row, pixels.
const ROW_PX: f64 = 34.0;
/// Room for the names, pixels.
const NAMES_PX: f64 = 130.0;

/// How strongly the target's bars are painted.
const TARGET_OPACITY: f64 = 0.55;

/// Contacts of one foot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactRow {
    /// Name of the foot.
    pub foot: String,
    /// Start and end of each contact in the target, seconds.
    pub target: Vec<[f64; 2]>,
    /// Start and end of each simulated contact, seconds.
    pub simulated: Vec<[f64; 2]>,
}

/// Contacts of all feet.
#[derive(Clone, Copy, Debug)]
pub struct ContactPlot<'a> {
    /// Text above the plot; empty for none.
    pub title: &'a str,
    /// One row per foot, from the top.
    pub rows: &'a [ContactRow],
}

impl ContactPlot<'_> {
    /// The plot.
    pub fn to_svg(&self) -> Svg {
        let legend = vec![
            Entry::new("target", Swatch::Block, SOFT_INK, TARGET_OPACITY),
            Entry::new("simulated", Swatch::Block, BLUE, 1.0),
        ];
        let header = Header::new(self.title, legend, NAMES_PX);
        let rows = self.rows.len().max(1) as f64;
        let height_px = header.height_px() + rows * ROW_PX + BELOW_PX;
        let feet: Vec<&str> = self.rows.iter().map(|row| &*row.foot).collect();
        let description = format!("{}: contacts of {} over time", self.title, feet.join(", "));
        draw_svg(&description, height_px, |area| {
            let spans = || self.rows.iter().flat_map(|row| row.target.iter().chain(&row.simulated)).filter_map(span);
            let x = Axis::tight(spans().flatten(), 12);
            let y = Axis::of_rows(rows);

            header.draw(area)?;
            let mut chart = open_chart(area, &header, &x, &y)?;
            draw_grid(&mut chart, (&x, "time, s"), (&y, ""))?;
            if spans().next().is_none() {
                draw_nothing_to_show(area, height_px, &header, "No foot touches the ground.")?;
            }
            for (i, row) in self.rows.iter().enumerate() {
                let middle = header.height_px() + (i as f64 + 0.5) * ROW_PX;
                let name = shortened(&row.foot, 12.5, NAMES_PX - 14.0);
                draw_label(area, &name, NAMES_PX - 8.0, middle, letters(12.5, INK, HPos::Right, VPos::Center))?;
                let draw_bars = |spans: &[[f64; 2]], top: f64, bottom: f64, style| -> PlotResult<()> {
                    let height = |share: f64| rows - (i as f64 + share);
                    for [from, to] in spans.iter().filter_map(span) {
                        let corners = [(from, height(top)), (to, height(bottom))];
                        area.draw(&Rectangle::new(corners.map(|corner| chart.backend_coord(&corner)), style))?;
                    }
                    Ok(())
                };
                draw_bars(&row.target, 0.14, 0.46, fill(SOFT_INK, TARGET_OPACITY))?;
                draw_bars(&row.simulated, 0.52, 0.84, fill(BLUE, 1.0))?;
            }
            Ok(())
        })
    }
}

/// A span that can be drawn: finite, its end not before its start.
fn span([from, to]: &[f64; 2]) -> Option<[f64; 2]> {
    let (from, to) = (plottable(*from)?, plottable(*to)?);
    (from <= to).then_some([from, to])
}
