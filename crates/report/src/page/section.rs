//! What a section of a page can hold, and how each of it is written.

use super::base64::base64;
use super::escape::{escape, relative_address};
use crate::plots::Svg;

/// A picture, inside the page or beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picture {
    /// A file beside the page, by its name relative to it.
    Linked(String),
    /// The bytes of a PNG file, to stand inside the page.
    Png(Vec<u8>),
    /// The bytes of a GIF file, to stand inside the page.
    Gif(Vec<u8>),
}

impl Picture {
    fn address(&self) -> String {
        match self {
            Self::Linked(name) => relative_address(name),
            Self::Png(bytes) => format!("data:image/png;base64,{}", base64(bytes)),
            Self::Gif(bytes) => format!("data:image/gif;base64,{}", base64(bytes)),
        }
    }
}

/// A table with a head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Names of the columns.
    pub head: Vec<String>,
    /// Rows of cells. A row that is shorter than the head is filled up with empty cells; cells beyond it are left out.
    pub rows: Vec<Vec<String>>,
}

/// A part of a section. All texts are plain: what looks like HTML is shown as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// Points, one below the other.
    List(Vec<String>),
    /// Names with their values, in columns.
    Facts(Vec<(String, String)>),
    /// A table; left out without rows.
    Table(Table),
    /// A plot.
    Plot(Svg),
    /// A picture under its caption.
    Picture {
        /// What it shows; also read to those who cannot see it.
        caption: String,
        /// The picture.
        picture: Picture,
    },
    /// Files beside the page, each with what it holds.
    Files(Vec<(String, String)>),
    /// Lines to type, each with what it does.
    Commands(Vec<(String, String)>),
}

impl Block {
    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::List(points) => points.is_empty(),
            Self::Facts(pairs) | Self::Files(pairs) | Self::Commands(pairs) => pairs.is_empty(),
            Self::Table(table) => table.rows.is_empty(),
            Self::Plot(_) | Self::Picture { .. } => false,
        }
    }

    pub(super) fn write(&self, html: &mut String) {
        match self {
            Self::Text(text) => html.push_str(&format!("<p>{}</p>\n", escape(text))),
            Self::List(points) => {
                html.push_str("<ul>\n");
                points.iter().for_each(|point| html.push_str(&format!("<li>{}</li>\n", escape(point))));
                html.push_str("</ul>\n");
            }
            Self::Facts(facts) => {
                html.push_str("<dl class=\"facts\">\n");
                for (name, value) in facts {
                    html.push_str(&format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(name), escape(value)));
                }
                html.push_str("</dl>\n");
            }
            Self::Table(table) => table.write(html),
            Self::Plot(svg) => html.push_str(&format!("<div class=\"card plot-card\">{}</div>\n", svg.as_str())),
            Self::Picture { caption, picture } => {
                let (address, caption) = (picture.address(), escape(caption));
                html.push_str("<figure class=\"card\">");
                let image = format!("<img src=\"{address}\" alt=\"{caption}\">");
                match picture {
                    // A click shows the file in its full size.
                    Picture::Linked(_) => html.push_str(&format!("<a href=\"{address}\">{image}</a>")),
                    Picture::Png(_) | Picture::Gif(_) => html.push_str(&image),
                }
                if !caption.is_empty() {
                    html.push_str(&format!("<figcaption>{caption}</figcaption>"));
                }
                html.push_str("</figure>\n");
            }
            Self::Files(files) => {
                html.push_str("<dl class=\"files\">\n");
                for (name, purpose) in files {
                    let (address, name) = (relative_address(name), escape(name));
                    let purpose = escape(purpose);
                    html.push_str(&format!("<dt><a href=\"{address}\">{name}</a></dt><dd>{purpose}</dd>\n"));
                }
                html.push_str("</dl>\n");
            }
            Self::Commands(commands) => {
                for (command, purpose) in commands {
                    if !purpose.is_empty() {
                        html.push_str(&format!("<p class=\"purpose\">{}</p>\n", escape(purpose)));
                    }
                    html.push_str(&format!("<pre><code>{}</code></pre>\n", escape(command)));
                }
            }
        }
    }
}

impl Table {
    fn write(&self, html: &mut String) {
        html.push_str("<div class=\"scroll\"><table>\n<thead><tr>");
        self.head.iter().for_each(|name| html.push_str(&format!("<th>{}</th>", escape(name))));
        html.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            html.push_str("<tr>");
            for column in 0..self.head.len() {
                let cell = row.get(column).map_or("", String::as_str);
                html.push_str(&format!("<td>{}</td>", escape(cell)));
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody>\n</table></div>\n");
    }
}

/// A heading with what stands under it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Heading; empty for none.
    pub heading: String,
    /// A sentence under the heading that says how to read what follows; empty for none.
    pub introduction: String,
    /// Content from top to bottom.
    pub blocks: Vec<Block>,
}

impl Section {
    /// A section without introduction.
    pub fn new(heading: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self { heading: heading.into(), introduction: String::new(), blocks }
    }

    /// The same section with a sentence under its heading.
    pub fn introduced(self, introduction: impl Into<String>) -> Self {
        Self { introduction: introduction.into(), ..self }
    }

    /// Whether nothing stands under the heading.
    pub fn is_empty(&self) -> bool {
        self.blocks.iter().all(Block::is_empty)
    }

    pub(crate) fn write(&self, html: &mut String) {
        if self.is_empty() {
            return;
        }
        html.push_str("<section>\n");
        if !self.heading.is_empty() {
            html.push_str(&format!("<h2>{}</h2>\n", escape(&self.heading)));
        }
        if !self.introduction.is_empty() {
            html.push_str(&format!("<p class=\"introduction\">{}</p>\n", escape(&self.introduction)));
        }
        self.blocks.iter().filter(|block| !block.is_empty()).for_each(|block| block.write(html));
        html.push_str("</section>\n");
    }
}
