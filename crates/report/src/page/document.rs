//! A page of any content: a title, a verdict, sections.

use std::path::Path;

use super::escape::escape;
use super::section::Section;
use super::style::STYLE;
use crate::error::ReportError;
use crate::image::replace_file;

/// What came out, in one sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it is what one hoped for; decides the colour.
    pub is_good: bool,
    /// The sentence, such as `Fell at 3.2 s: the pelvis dropped below 0.45 m`.
    pub headline: String,
    /// What else to know at first sight.
    pub details: Vec<String>,
}

/// A page: title, verdict and sections. Empty sections are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Title of the page and of its window.
    pub title: String,
    /// Coloured banner under the title.
    pub verdict: Option<Verdict>,
    /// Sections from top to bottom.
    pub sections: Vec<Section>,
}

impl Document {
    /// The page as one HTML file that loads nothing but the pictures linked from it.
    pub fn to_html(&self) -> String {
        let title = escape(&self.title);
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        );
        if let Some(verdict) = &self.verdict {
            verdict.write(&mut html);
        }
        self.sections.iter().for_each(|section| section.write(&mut html));
        html.push_str("</main>\n</body>\n</html>\n");
        html
    }

    /// Saves the page. The file appears whole or not at all; the folder must exist.
    pub fn save_html(&self, path: impl AsRef<Path>) -> Result<(), ReportError> {
        let path = path.as_ref();
        replace_file(path, self.to_html().as_bytes())
            .map_err(|source| ReportError::Write { path: path.to_path_buf(), source })
    }
}

impl Verdict {
    pub(crate) fn write(&self, html: &mut String) {
        let kind = if self.is_good { "good" } else { "bad" };
        let headline = escape(&self.headline);
        html.push_str(&format!("<div class=\"verdict {kind}\" role=\"status\"><strong>{headline}</strong>\n"));
        if !self.details.is_empty() {
            html.push_str("<ul>\n");
            self.details.iter().for_each(|detail| html.push_str(&format!("<li>{}</li>\n", escape(detail))));
            html.push_str("</ul>\n");
        }
        html.push_str("</div>\n");
    }
}
