//! Plots as SVG text: plain numbers enter, one [`Svg`] leaves. Start reading at `chart.rs`, which all of them share.
//!
//! The same data give the same bytes on every machine. Numbers that are not finite are left out and never reach the
//! output; a plot without data says so.

mod axis;
mod bars;
mod chart;
mod front;
mod intervals;
mod series;
mod window_costs;

pub(crate) use axis::Axis;
pub use bars::{TorqueBar, TorquePlot};
pub use chart::Svg;
pub(crate) use front::front_axes;
pub use front::{FrontPaint, FrontPlot};
pub use intervals::{ContactPlot, ContactRow};
pub use series::{Curve, CurveStyle, Mark, SeriesPlot, Shade};
pub use window_costs::{WindowCosts, WindowCostsPlot};

#[cfg(test)]
mod tests;
