//! Torques against their limits: for every joint a bar of the peak and a bar of the time spent at the limit.

use plotters::element::Rectangle;
use plotters::style::RGBColor;
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::{Axis, plottable};
use super::chart::{
    BELOW_PX, BLUE, Entry, Header, INK, ORANGE, RED, SOFT_INK, Svg, Swatch, WIDTH_PX, draw_grid, draw_label,
    draw_nothing_to_show, draw_svg, fill, letters, open_chart, shortened,
};

/// Height of a row, pixels.
const ROW_PX: f64 = 27.0;
/// Room for the names, pixels.
const NAMES_PX: f64 = 170.0;
/// Share of a limit from which a torque counts as at the limit.
const AT_LIMIT: f64 = 0.995;
/// Longest bar, as a share of the limit.
const LONGEST: f64 = 2.0;

/// How a joint used its torque.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TorqueBar {
    /// Name of the joint.
    pub joint: String,
    /// Largest torque as a share of the limit: 1 is at the limit.
    pub peak_share: f64,
    /// Share of the time spent at the limit, 0 to 1.
    pub time_at_limit_share: f64,
}

/// Torques of all joints.
#[derive(Clone, Copy, Debug)]
pub struct TorquePlot<'a> {
    /// Text above the plot; empty for none.
    pub title: &'a str,
    /// One row per joint, from the top.
    pub bars: &'a [TorqueBar],
}

impl TorquePlot<'_> {
    /// The plot.
    pub fn to_svg(&self) -> Svg {
        let legend = vec![
            Entry::new("peak torque", Swatch::Block, BLUE, 1.0),
            Entry::new("peak at the limit", Swatch::Block, RED, 1.0),
            Entry::new("share of the time at the limit", Swatch::Block, ORANGE, 1.0),
        ];
        let header = Header::new(self.title, legend, NAMES_PX);
        let rows = self.bars.len().max(1) as f64;
        let height_px = header.height_px() + rows * ROW_PX + BELOW_PX;
        let description = format!("{}: torques of {} joints against their limits", self.title, self.bars.len());
        draw_svg(&description, height_px, |area| {
            let shares = self.bars.iter().flat_map(|bar| [bar.peak_share, bar.time_at_limit_share]);
            let longest = shares.filter_map(plottable).fold(1.0, f64::max).min(LONGEST);
            // Room at the right for the figures.
            let x = Axis::between(0.0, 100.0 * longest * 1.2, 12).labelled_up_to(100.0 * longest + 0.5);
            let y = Axis::of_rows(rows);

            header.draw(area)?;
            let mut chart = open_chart(area, &header, &x, &y)?;
            draw_grid(&mut chart, (&x, "% of the limit, % of the time"), (&y, ""))?;
            if self.bars.is_empty() {
                return draw_nothing_to_show(area, height_px, &header, "No joint has a torque limit.");
            }
            let across_px = |percent: f64| {
                let right = WIDTH_PX - super::chart::RIGHT_PX;
                NAMES_PX + (right - NAMES_PX) * percent / (x.high - x.low)
            };
            for (i, bar) in self.bars.iter().enumerate() {
                let top = header.height_px() + i as f64 * ROW_PX;
                let name = shortened(&bar.joint, 12.0, NAMES_PX - 14.0);
                let style = letters(12.0, INK, HPos::Right, VPos::Center);
                draw_label(area, &name, NAMES_PX - 8.0, top + 0.5 * ROW_PX, style)?;

                let peak_color = if bar.peak_share >= AT_LIMIT { RED } else { BLUE };
                // A peak alone stands in the middle of its row.
                let down = if bar.time_at_limit_share > 0.0 { 0.0 } else { 0.15 };
                let rows_of_bar: [(f64, f64, f64, RGBColor); 2] = [
                    (bar.peak_share, 0.14 + down, 0.56 + down, peak_color),
                    (bar.time_at_limit_share, 0.62, 0.86, ORANGE),
                ];
                let mut end_px = NAMES_PX;
                for (share, high, low, color) in rows_of_bar {
                    let Some(share) = plottable(share).filter(|share| *share > 0.0) else { continue };
                    let percent = 100.0 * share.min(LONGEST);
                    let height = |down: f64| rows - (i as f64 + down);
                    let corners =
                        [chart.backend_coord(&(0.0, height(high))), chart.backend_coord(&(percent, height(low)))];
                    area.draw(&Rectangle::new(corners, fill(color, 1.0)))?;
                    end_px = f64::max(end_px, across_px(percent));
                }
                let figures = figures(bar);
                let style = letters(11.0, SOFT_INK, HPos::Left, VPos::Center);
                draw_label(area, &figures, end_px + 6.0, top + 0.5 * ROW_PX, style)?;
            }
            Ok(())
        })
    }
}

/// The numbers beside the bars; the time only where there is some.
fn figures(bar: &TorqueBar) -> String {
    let percent = |share: f64| plottable(share).map(|share| format!("{:.0} %", 100.0 * share.clamp(0.0, 1e4)));
    let peak = percent(bar.peak_share).unwrap_or_else(|| "not measured".to_owned());
    match percent(bar.time_at_limit_share).filter(|_| bar.time_at_limit_share > 0.0) {
        Some(time) => format!("{peak}, {time} of time"),
        None => peak,
    }
}
