//! The page of a front: one HTML file with the plot, the motions and the tables, which needs nothing else.

use std::path::Path;

use super::data::{Front, FrontPoint, FrontView};
use super::json::{json_list, json_number, json_text};
use super::motion::Motion;
use super::pack::{pack_motions, pack_samples};
use super::table::FrontTable;
use crate::error::ReportError;
use crate::image::replace_file;
use crate::page::{STYLE, Section, Verdict, escape};
use crate::plots::{Axis, FrontPaint, FrontPlot, front_axes};

const FRONT_STYLE: &str = include_str!("page/front.css");
/// The script, part by part: each part is a function of what stands before it.
const SCRIPT: [&str; 9] = [
    include_str!("page/motion.js"),
    include_str!("page/figure.js"),
    include_str!("page/stage.js"),
    include_str!("page/parade.js"),
    include_str!("page/plot.js"),
    include_str!("page/player.js"),
    include_str!("page/elements.js"),
    include_str!("page/main.js"),
    include_str!("page/events.js"),
];
/// What the page may load: nothing but pictures beside it.
const POLICY: &str = "default-src 'none';script-src 'unsafe-inline';style-src 'unsafe-inline';\
                      img-src 'self' file: data:";

/// A front to look at, click by click.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrontPage {
    /// Title of the page.
    pub title: String,
    /// A sentence under the title that says what the front is about; empty for none.
    pub introduction: String,
    /// Coloured banner under it.
    pub verdict: Option<Verdict>,
    /// Which quantities there are, and which are the axes and the colour.
    pub view: FrontView,
    /// The front, and others to compare it with.
    pub fronts: Vec<Front>,
    /// What stands below: figures, files, notes.
    pub sections: Vec<Section>,
}

impl FrontPage {
    /// The page as one HTML file. The same content gives the same bytes.
    ///
    /// # Errors
    ///
    /// [`ReportError::QuantityIndex`] and [`ReportError::ValueCount`] where quantities and values do not fit together,
    /// [`ReportError::Motion`] for a motion that cannot be shown.
    pub fn to_html(&self) -> Result<String, ReportError> {
        self.view.check(&self.fronts)?;
        let data = self.data()?;
        let title = escape(&self.title);
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n<link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{STYLE}{FRONT_STYLE}</style>\n</head>\n<body>\n<main class=\"front\">\n\
             <h1>{title}</h1>\n"
        );
        if !self.introduction.is_empty() {
            html.push_str(&format!("<p class=\"introduction\">{}</p>\n", escape(&self.introduction)));
        }
        if let Some(verdict) = &self.verdict {
            verdict.write(&mut html);
        }
        let fronts: Vec<Front> = self.fronts.iter().map(Front::outline).collect();
        let plot = FrontPlot { title: "", view: &self.view, fronts: &fronts, paint: FrontPaint::Kinds };
        html.push_str(&format!(
            "<noscript><p>This page plays motions with a script, which is switched off here.</p>\
             <div class=\"card plot-card\">{}</div></noscript>\n<div id=\"front\"></div>\n",
            plot.to_svg().as_str()
        ));
        for (number, front) in self.fronts.iter().enumerate() {
            self.write_table(&mut html, number, front);
        }
        self.sections.iter().for_each(|section| section.write(&mut html));
        html.push_str(&format!(
            "</main>\n<script type=\"application/json\" id=\"front-data\">{data}</script>\n<script>\n(() => {{\n\
             \"use strict\";\n{}}})();\n</script>\n</body>\n</html>\n",
            SCRIPT.concat()
        ));
        Ok(html)
    }

    /// Saves the page. The file appears whole or not at all; the folder must exist.
    ///
    /// # Errors
    ///
    /// As [`FrontPage::to_html`], and [`ReportError::Write`].
    pub fn save_html(&self, path: impl AsRef<Path>) -> Result<(), ReportError> {
        let path = path.as_ref();
        replace_file(path, self.to_html()?.as_bytes())
            .map_err(|source| ReportError::Write { path: path.to_path_buf(), source })
    }

    /// The table of a front; its rows carry the numbers by which the script knows their points.
    fn write_table(&self, html: &mut String, number: usize, front: &Front) {
        let table = FrontTable::new(&self.view, front);
        html.push_str(&format!("<section>\n<h2>{}</h2>\n", escape(&front.name)));
        html.push_str("<div class=\"scroll\"><table class=\"points\">\n<thead><tr>");
        table.head.iter().for_each(|name| html.push_str(&format!("<th scope=\"col\">{}</th>", escape(name))));
        html.push_str("</tr></thead>\n<tbody>\n");
        let points = self.view.ordered(front);
        for (place, (row, point)) in table.rows.iter().zip(points).enumerate() {
            let kind = ["natural", "assisted"][usize::from(point.is_assisted)];
            html.push_str(&format!("<tr class=\"{kind}\" data-front=\"{number}\" data-point=\"{place}\">"));
            for (column, cell) in row.iter().enumerate() {
                let cell = escape(cell);
                html.push_str(&match column {
                    0 => format!("<th scope=\"row\">{cell}</th>"),
                    1 => format!("<td class=\"kind\"><i></i>{cell}</td>"),
                    _ => format!("<td class=\"number\">{cell}</td>"),
                });
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody>\n</table></div>\n</section>\n");
    }

    /// Everything that the script needs, as JSON.
    fn data(&self) -> Result<String, ReportError> {
        let [x, y] = front_axes(&self.view, &self.fronts);
        let mut motions: Vec<&Motion> = Vec::new();
        let mut fronts = Vec::new();
        for front in &self.fronts {
            let mut points = Vec::new();
            for point in self.view.ordered(front) {
                if let Some(motion) = &point.motion {
                    if let Some(problem) = motion.problem() {
                        return Err(ReportError::Motion { point: point.label.clone(), problem });
                    }
                    motions.push(motion);
                }
                let motion = point.motion.as_ref().map_or("null".to_owned(), |_| (motions.len() - 1).to_string());
                points.push(self.point(point, [&x, &y], &motion));
            }
            let samples = pack_samples(&front.samples, [&x, &y]);
            fronts.push(format!(
                "{{\"name\":{},\"isJoined\":{},\"points\":{},\"sampleCount\":{},\"samplesLeftOut\":{},\
                 \"samples\":\"{}\"}}",
                json_text(&front.name),
                front.is_joined,
                json_list(points),
                front.samples.len(),
                samples.left_out,
                samples.data
            ));
        }
        let quantities = self.view.quantities.iter().map(|quantity| {
            format!("{{\"name\":{},\"unit\":{}}}", json_text(&quantity.name), json_text(&quantity.unit))
        });
        Ok(format!(
            "{{\"quantities\":{},\"x\":{},\"y\":{},\"color\":{},\"kinds\":{},\"axes\":[{},{}],\"fronts\":{},\
             \"motions\":{}}}",
            json_list(quantities),
            self.view.x,
            self.view.y,
            self.view.color.map_or("null".to_owned(), |index| index.to_string()),
            json_list(self.view.kinds.iter().map(|kind| json_text(kind))),
            self.axis(&x, self.view.x),
            self.axis(&y, self.view.y),
            json_list(fronts),
            pack_motions(&motions)
        ))
    }

    fn point(&self, point: &FrontPoint, [x, y]: [&Axis; 2], motion: &str) -> String {
        let [across, up] = self.view.place(point);
        let share = |share: Option<f64>| json_number(share.unwrap_or(f64::NAN));
        let texts = self.view.quantities.iter().zip(&point.values);
        let texts = json_list(texts.map(|(quantity, value)| json_text(&quantity.format(*value))));
        let color = self.view.color.and_then(|index| point.values.get(index)).copied();
        format!(
            "{{\"label\":{},\"values\":{texts},\"place\":[{},{}],\"color\":{},\"isAssisted\":{},\"motion\":{motion}}}",
            json_text(&point.label),
            share(x.share(across)),
            share(y.share(up)),
            json_number(color.unwrap_or(f64::NAN)),
            point.is_assisted
        )
    }

    fn axis(&self, axis: &Axis, quantity: usize) -> String {
        let title = self.view.quantities.get(quantity).map_or(String::new(), |quantity| quantity.title());
        let span = axis.high - axis.low;
        let tick =
            |tick: &f64| format!("[{},{}]", json_number((tick - axis.low) / span), json_text(&axis.label(*tick)));
        format!("{{\"title\":{},\"ticks\":{}}}", json_text(&title), json_list(axis.ticks.iter().map(tick)))
    }
}
