//! Fronts with their samples (after Agrawal & van de Panne 2013, figures 6 to 8).

use std::collections::BTreeSet;

use plotters::element::{Circle, PathElement, Rectangle};
use plotters::style::RGBColor;

use super::axis::Axis;
use super::chart::{
    Area, Entry, GREEN, HUES, Header, LEFT_PX, PlotResult, RED, SOFT_INK, Svg, Swatch, dashes, draw_grid,
    draw_nothing_to_show, draw_svg, fill, open_chart, stroke, units,
};
use crate::front::{Front, FrontPoint, FrontView, Scale};

const HEIGHT_PX: f64 = 380.0;
const BROWN: RGBColor = RGBColor(158, 94, 46);
const SKY: RGBColor = RGBColor(43, 108, 184);
const WHITE: RGBColor = RGBColor(255, 255, 255);
/// From low to high, when a quantity is shown as colour: from deep violet over green to yellow.
const RAMP: [RGBColor; 5] = [
    RGBColor(112, 72, 176),
    RGBColor(58, 108, 178),
    RGBColor(33, 144, 141),
    RGBColor(98, 184, 88),
    RGBColor(226, 190, 40),
];

/// What the colour of a point says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrontPaint {
    /// Brown without help, blue with help; a second front has a dashed line and square points.
    #[default]
    Kinds,
    /// To which front it belongs: green, red, and so on.
    Fronts,
}

/// One or more fronts over each other.
#[derive(Clone, Copy, Debug)]
pub struct FrontPlot<'a> {
    /// Text above the plot; empty for none.
    pub title: &'a str,
    /// Which quantities are the axes and the colour.
    pub view: &'a FrontView,
    /// The fronts; later ones are drawn over earlier ones.
    pub fronts: &'a [Front],
    /// What colours say where no quantity is shown as colour.
    pub paint: FrontPaint,
}

/// Axes that hold all points of all fronts, and the samples that are near them.
pub(crate) fn front_axes(view: &FrontView, fronts: &[Front]) -> [Axis; 2] {
    [(view.x, 0, 11), (view.y, 1, 7)].map(|(quantity, side, most_ticks)| {
        let points = fronts.iter().flat_map(|front| &front.points).map(|point| view.place(point));
        let points = points.filter(|place| place.iter().all(|n| n.is_finite())).map(move |place| place[side]);
        let samples = fronts.iter().flat_map(|front| &front.samples).map(move |sample| sample[side]);
        let scale = view.quantities.get(quantity).map(|quantity| quantity.scale);
        Axis::around(points, samples, scale == Some(Scale::Logarithmic), most_ticks)
    })
}

impl FrontPlot<'_> {
    /// The plot.
    pub fn to_svg(&self) -> Svg {
        let title = |index: usize| self.view.quantities.get(index).map_or(String::new(), |quantity| quantity.title());
        let (x_title, y_title) = (title(self.view.x), title(self.view.y));
        let [x, y] = front_axes(self.view, self.fronts);
        let header = Header::new(self.title, self.legend(&x, &y), LEFT_PX);
        let names: Vec<&str> = self.fronts.iter().map(|front| &*front.name).collect();
        let description = format!("{}: {y_title} against {x_title} ({})", self.title, names.join(", "));
        let mut samples = Vec::new();
        let svg = draw_svg(&description, HEIGHT_PX, |area| {
            header.draw(area)?;
            let mut chart = open_chart(area, &header, &x, &y)?;
            draw_grid(&mut chart, (&x, &x_title), (&y, &y_title))?;
            let place = |[across, up]: [f64; 2]| {
                // What is beyond the axes is left out, not moved to their ends.
                x.share(across).and(y.share(up))?;
                Some(chart.backend_coord(&(x.position(across)?, y.position(up)?)))
            };
            samples.extend(self.fronts.iter().flat_map(|front| &front.samples).filter_map(|sample| place(*sample)));
            for (number, front) in self.fronts.iter().enumerate() {
                self.draw_front(area, number, front, &place)?;
            }
            if self.fronts.iter().all(|front| front.points.is_empty() && front.samples.is_empty()) {
                return draw_nothing_to_show(area, HEIGHT_PX, &header, "The front has no points.");
            }
            Ok(())
        });
        if samples.is_empty() { svg } else { svg.over(&sample_dots(&samples)) }
    }

    fn draw_front(
        &self,
        area: &Area<'_>,
        number: usize,
        front: &Front,
        place: &dyn Fn([f64; 2]) -> Option<(i32, i32)>,
    ) -> PlotResult<()> {
        let points: Vec<(&FrontPoint, (i32, i32))> = self
            .view
            .ordered(front)
            .into_iter()
            .filter_map(|point| Some((point, place(self.view.place(point))?)))
            .collect();
        if front.is_joined {
            for pair in points.windows(2) {
                let style = stroke(self.color(number, pair[1].0), 0.85, 1.75);
                let line = [pair[0].1, pair[1].1];
                match number {
                    0 => area.draw(&PathElement::new(line.to_vec(), style))?,
                    _ => {
                        for dash in dashes(&line, f64::from(units(5.0)), f64::from(units(3.0))) {
                            area.draw(&PathElement::new(dash, style))?;
                        }
                    }
                }
            }
        }
        for (point, (across, down)) in points {
            let color = self.color(number, point);
            let square = |half: i32| [(across - half, down - half), (across + half, down + half)];
            match number % 2 {
                0 => {
                    area.draw(&Circle::new((across, down), units(5.75), fill(WHITE, 1.0)))?;
                    area.draw(&Circle::new((across, down), units(4.5), fill(color, 1.0)))?;
                }
                _ => {
                    area.draw(&Rectangle::new(square(units(5.0)), fill(WHITE, 1.0)))?;
                    area.draw(&Rectangle::new(square(units(3.75)), fill(color, 1.0)))?;
                }
            }
        }
        Ok(())
    }

    fn color(&self, number: usize, point: &FrontPoint) -> RGBColor {
        if let Some(quantity) = self.view.color {
            let value = point.values.get(quantity).copied().unwrap_or(f64::NAN);
            return self.color_axis(quantity).share(value).map_or(SOFT_INK, ramp);
        }
        match self.paint {
            FrontPaint::Kinds => [BROWN, SKY][usize::from(point.is_assisted)],
            FrontPaint::Fronts => front_color(number),
        }
    }

    fn color_axis(&self, quantity: usize) -> Axis {
        let points = self.fronts.iter().flat_map(|front| &front.points);
        Axis::tight(points.filter_map(|point| point.values.get(quantity)).copied(), 4)
    }

    fn legend(&self, x: &Axis, y: &Axis) -> Vec<Entry> {
        let mut legend = Vec::new();
        let is_alone = self.fronts.len() < 2;
        match (self.view.color, self.paint) {
            (Some(quantity), _) => {
                let axis = self.color_axis(quantity);
                if let Some(quantity) = self.view.quantities.get(quantity) {
                    for (value, color) in [(axis.low, RAMP[0]), (axis.high, RAMP[4])] {
                        let name = format!("{} {} {}", quantity.name, quantity.format(value), quantity.unit);
                        legend.push(Entry::new(name.trim_end(), Swatch::Dot, color, 1.0));
                    }
                }
            }
            (None, FrontPaint::Kinds) => {
                for (is_assisted, color) in [(false, BROWN), (true, SKY)] {
                    let mut points = self.fronts.iter().flat_map(|front| &front.points);
                    if points.any(|point| point.is_assisted == is_assisted) {
                        let name = &*self.view.kinds[usize::from(is_assisted)];
                        legend.push(Entry::new(name, Swatch::Dot, color, 1.0));
                    }
                }
                if !is_alone {
                    for (number, front) in self.fronts.iter().enumerate() {
                        let swatch = if number == 0 { Swatch::Line } else { Swatch::Dashes };
                        legend.push(Entry::new(&*front.name, swatch, SOFT_INK, 1.0));
                    }
                }
            }
            (None, FrontPaint::Fronts) => {
                for (number, front) in self.fronts.iter().enumerate() {
                    let swatch = if number == 0 { Swatch::Line } else { Swatch::Dashes };
                    legend.push(Entry::new(&*front.name, swatch, front_color(number), 1.0));
                }
            }
        }
        let samples: Vec<&[f64; 2]> = self.fronts.iter().flat_map(|front| &front.samples).collect();
        if !samples.is_empty() {
            legend.push(Entry::new(format!("{} samples", samples.len()), Swatch::Dot, SOFT_INK, 0.45));
            let is_shown = |sample: &&&[f64; 2]| x.share(sample[0]).is_some() && y.share(sample[1]).is_some();
            let beyond = samples.len() - samples.iter().filter(is_shown).count();
            if beyond > 0 {
                legend.push(Entry::new(format!("not shown: {beyond} beyond the axes"), Swatch::Dot, SOFT_INK, 0.0));
            }
        }
        legend
    }
}

fn front_color(number: usize) -> RGBColor {
    match number {
        0 => GREEN,
        1 => RED,
        more => HUES[more % HUES.len()],
    }
}

fn ramp(share: f64) -> RGBColor {
    let at = share * (RAMP.len() - 1) as f64;
    let from = (at as usize).min(RAMP.len() - 2);
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * (at - from as f64)).round() as u8;
    let (a, b) = (RAMP[from], RAMP[from + 1]);
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// Small dots as one path, which takes a tenth of the room of circles; those that would hide one another once.
fn sample_dots(places: &[(i32, i32)]) -> String {
    let cell = units(1.25);
    let cells: BTreeSet<(i32, i32)> = places.iter().map(|(across, down)| (across / cell, down / cell)).collect();
    let dots: String = cells.iter().map(|(across, down)| format!("M{} {}h0", across * cell, down * cell)).collect();
    let RGBColor(red, green, blue) = SOFT_INK;
    format!(
        "<path class=\"samples\" fill=\"none\" stroke=\"#{red:02X}{green:02X}{blue:02X}\" stroke-opacity=\"0.4\" \
         stroke-width=\"{}\" stroke-linecap=\"round\" d=\"{dots}\"/>",
        units(2.5)
    )
}
