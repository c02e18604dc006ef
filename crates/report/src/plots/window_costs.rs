//! Costs of all samples, window by window: what was tried, what was kept, what was chosen (after Keys-to-Sim, figure 7).

use std::collections::BTreeSet;

use plotters::element::{Circle, PathElement};

use super::axis::{Axis, plottable};
use super::chart::{
    BLUE, Entry, GREEN, Header, LEFT_PX, PlotResult, RED, Svg, Swatch, draw_grid, draw_nothing_to_show, draw_svg, fill,
    open_chart, stroke, units,
};

const HEIGHT_PX: f64 = 340.0;

/// The samples of one window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowCosts {
    /// Start of the window, seconds.
    pub start_secs: f64,
    /// Costs of all samples that were generated.
    pub samples: Vec<f64>,
    /// Costs of the samples that were kept.
    pub kept: Vec<f64>,
    /// Cost of the sample that the result passes through.
    pub chosen: Option<f64>,
}

/// Costs over windows.
#[derive(Clone, Copy, Debug)]
pub struct WindowCostsPlot<'a> {
    /// Text above the plot; empty for none.
    pub title: &'a str,
    /// Windows in the order of time.
    pub windows: &'a [WindowCosts],
}

impl WindowCostsPlot<'_> {
    /// The plot. The vertical axis counts in powers of ten when the costs span a wide range.
    pub fn to_svg(&self) -> Svg {
        let header = Header::new(self.title, self.legend(), LEFT_PX);
        let description = format!("{}: costs of the samples of {} windows", self.title, self.windows.len());
        draw_svg(&description, HEIGHT_PX, |area| {
            let costs = self.windows.iter().flat_map(|w| w.samples.iter().chain(&w.kept).chain(&w.chosen)).copied();
            let y = Axis::positive(costs.clone(), 6);
            // Half a window of air, so that no dot stands on the axis.
            let starts: Vec<f64> = self.windows.iter().filter_map(|w| plottable(w.start_secs)).collect();
            let step = starts.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 0.0).fold(1.0, f64::min);
            let x = Axis::tight(starts.iter().flat_map(|start| [start - 0.5 * step, start + 0.5 * step]), 12);

            header.draw(area)?;
            let mut chart = open_chart(area, &header, &x, &y)?;
            draw_grid(&mut chart, (&x, "start of the window, s"), (&y, "cost"))?;
            if !costs.clone().any(f64::is_finite) {
                return draw_nothing_to_show(area, HEIGHT_PX, &header, "No window has a cost.");
            }

            // Dots that would hide one another are drawn once.
            let dots = |pick: fn(&WindowCosts) -> &[f64], radius_px: f64, style| -> PlotResult<()> {
                let cell = units(1.5 * radius_px).max(1);
                let mut drawn = BTreeSet::new();
                for window in self.windows {
                    let Some(start) = x.position(window.start_secs) else { continue };
                    for cost in pick(window).iter().filter_map(|cost| y.position(*cost)) {
                        let (across, down) = chart.backend_coord(&(start, cost));
                        if drawn.insert((across, down / cell)) {
                            area.draw(&Circle::new((across, down), units(radius_px), style))?;
                        }
                    }
                }
                Ok(())
            };
            dots(|window| &window.samples, 2.0, fill(BLUE, 0.45))?;
            dots(|window| &window.kept, 2.25, fill(GREEN, 1.0))?;

            let chosen = self.windows.iter().filter_map(|window| {
                Some(chart.backend_coord(&(x.position(window.start_secs)?, y.position(window.chosen?)?)))
            });
            let chosen: Vec<(i32, i32)> = chosen.collect();
            if let [only] = *chosen {
                area.draw(&Circle::new(only, units(3.0), fill(RED, 1.0)))?;
            }
            area.draw(&PathElement::new(chosen, stroke(RED, 1.0, 1.75)))
        })
    }

    fn legend(&self) -> Vec<Entry> {
        let lost = self.windows.iter().flat_map(|window| &window.samples).filter(|cost| !cost.is_finite()).count();
        let mut legend = vec![
            Entry::new("samples", Swatch::Dot, BLUE, 0.7),
            Entry::new("kept", Swatch::Dot, GREEN, 1.0),
            Entry::new("chosen", Swatch::Line, RED, 1.0),
        ];
        if lost > 0 {
            legend.push(Entry::new(format!("not shown: {lost} samples without a finite cost"), Swatch::Dot, BLUE, 0.0));
        }
        legend
    }
}
