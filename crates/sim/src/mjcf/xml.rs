//! Indented XML text, and names that are used once.

use std::collections::BTreeSet;

/// Attributes of one element, in order.
pub(super) type Attributes = Vec<(&'static str, String)>;

/// The shortest decimal that reads back as the same number, without a negative zero.
pub(super) fn number(x: f64) -> String {
    format!("{}", x + 0.0)
}

pub(super) fn numbers(values: &[f64]) -> String {
    values.iter().map(|x| number(*x)).collect::<Vec<_>>().join(" ")
}

/// Names of one kind of element.
#[derive(Default)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    /// `name`, with as many underscores behind it as make it new.
    pub(super) fn unique(&mut self, mut name: String) -> String {
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// Indented XML text.
pub(super) struct Xml {
    pub(super) text: String,
    pub(super) depth: usize,
}

impl Xml {
    pub(super) fn open(&mut self, tag: &str, attributes: Attributes) {
        self.element(tag, attributes, ">");
        self.depth += 1;
    }

    pub(super) fn leaf(&mut self, tag: &str, attributes: Attributes) {
        self.element(tag, attributes, "/>");
    }

    pub(super) fn close(&mut self, tag: &str) {
        self.depth -= 1;
        self.text += &format!("{:1$}</{tag}>\n", "", 2 * self.depth);
    }

    /// A parent and its leaves, or nothing where there are none.
    pub(super) fn section(&mut self, tag: &str, leaf: &'static str, elements: Vec<Attributes>) {
        self.mixed_section(tag, elements.into_iter().map(|attributes| (leaf, attributes)).collect());
    }

    /// The same with leaves of several tags.
    pub(super) fn mixed_section(&mut self, tag: &str, elements: Vec<(&'static str, Attributes)>) {
        if elements.is_empty() {
            return;
        }
        self.open(tag, vec![]);
        for (leaf, attributes) in elements {
            self.leaf(leaf, attributes);
        }
        self.close(tag);
    }

    fn element(&mut self, tag: &str, attributes: Attributes, end: &str) {
        self.text += &format!("{:1$}<{tag}", "", 2 * self.depth);
        for (key, value) in attributes {
            self.text += &format!(" {key}=\"{}\"", escape(&value));
        }
        self.text += end;
        self.text.push('\n');
    }
}

/// Text as it stands between double quotes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\n' | '\r' | '\t' => escaped += &format!("&#{};", c as u32),
            _ => escaped.push(c),
        }
    }
    escaped
}
