//! The table of a front, after tables 2 and 3 of Agrawal & van de Panne 2013.

use super::data::{Front, FrontView};
use crate::page::Table;

/// A row for each point from left to right: its name, whether it is helped, and every quantity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrontTable {
    /// Names of the columns with their units; the first is empty.
    pub head: Vec<String>,
    /// Cells as text.
    pub rows: Vec<Vec<String>>,
    /// Values with all their digits, for CSV; empty where a value is not finite.
    exact: Vec<Vec<String>>,
}

impl FrontTable {
    /// The table of a front.
    pub fn new(view: &FrontView, front: &Front) -> Self {
        let points = view.ordered(front);
        let head = ["point".to_owned(), "kind".to_owned()];
        let row = |write: &dyn Fn(usize, f64) -> String| -> Vec<Vec<String>> {
            let one = |point: &&super::data::FrontPoint| {
                let start = [point.label.clone(), view.kinds[usize::from(point.is_assisted)].clone()];
                let values = point.values.iter().take(view.quantities.len()).enumerate();
                start.into_iter().chain(values.map(|(column, value)| write(column, *value))).collect()
            };
            points.iter().map(one).collect()
        };
        Self {
            head: head.into_iter().chain(view.quantities.iter().map(|quantity| quantity.title())).collect(),
            rows: row(&|column, value| view.quantities[column].format(value)),
            exact: row(&|_, value| if value.is_finite() { format!("{value}") } else { String::new() }),
        }
    }

    /// Columns side by side, for a terminal: texts to the left, numbers to the right.
    pub fn to_text(&self) -> String {
        let lines: Vec<&Vec<String>> = std::iter::once(&self.head).chain(&self.rows).collect();
        let width = |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|c| c.chars().count()).max();
        let widths: Vec<usize> = (0..self.head.len()).map(|column| width(column).unwrap_or(0)).collect();
        let mut text = String::new();
        for line in lines {
            let mut written = String::new();
            for (column, width) in widths.iter().enumerate() {
                let cell = line.get(column).map_or("", String::as_str);
                let room = " ".repeat(width - cell.chars().count());
                let gap = if column == 0 { "" } else { "  " };
                written += &if column < 2 { format!("{gap}{cell}{room}") } else { format!("{gap}{room}{cell}") };
            }
            text += written.trim_end();
            text.push('\n');
        }
        text
    }

    /// Comma-separated values (RFC 4180) with all digits; what is not finite is empty.
    pub fn to_csv(&self) -> String {
        let cell = |text: &String| match text.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.clone(),
        };
        let line = |cells: &Vec<String>| cells.iter().map(cell).collect::<Vec<_>>().join(",") + "\r\n";
        std::iter::once(&self.head).chain(&self.exact).map(line).collect()
    }

    /// As a table of a page.
    pub fn to_table(&self) -> Table {
        Table { head: self.head.clone(), rows: self.rows.clone() }
    }
}
