//! The page about one transfer: how close the simulated motion came to its target, and where it did not.

use std::path::Path;

use super::document::{Document, Verdict};
use super::section::{Block, Picture, Section, Table};
use crate::error::ReportError;
use crate::plots::{ContactPlot, ContactRow, SeriesPlot, TorqueBar, TorquePlot, WindowCosts, WindowCostsPlot};

/// A picture with the words under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptionedPicture {
    /// What it shows.
    pub caption: String,
    /// The picture.
    pub picture: Picture,
}

/// A moment at which the result is far from its target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deviation {
    /// When, seconds.
    pub time_secs: f64,
    /// What deviates, such as `left foot`.
    pub what: String,
    /// How far, with its unit, such as `0.14 m`.
    pub size: String,
    /// The likely reason.
    pub why: String,
}

/// Everything about one transfer, in the order in which it is shown. What is empty is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransferPage {
    /// Title of the page.
    pub title: String,
    /// Whether the motion was completed, and if not, which limit was hit and when.
    pub verdict: Option<Verdict>,
    /// Character, clip, preset, seed, costs and so on: names with their values.
    pub facts: Vec<(String, String)>,
    /// Film strips of target and simulation, one above the other.
    pub strips: Vec<CaptionedPicture>,
    /// Target and simulation moving side by side.
    pub animation: Option<CaptionedPicture>,
    /// Costs of the samples of every window.
    pub windows: Vec<WindowCosts>,
    /// Curves over time: root height, centre of mass.
    pub series: Vec<SeriesPlot>,
    /// Contacts of every foot.
    pub contacts: Vec<ContactRow>,
    /// Torques of every joint against its limit.
    pub torques: Vec<TorqueBar>,
    /// Worst deviations from the target.
    pub deviations: Vec<Deviation>,
    /// Sections of another kind, after the deviations.
    pub sections: Vec<Section>,
    /// Files written beside the page: name, and what it holds.
    pub files: Vec<(String, String)>,
    /// Lines to type to see the motion again: command, and what it does.
    pub commands: Vec<(String, String)>,
    /// Remarks.
    pub notes: Vec<String>,
}

impl TransferPage {
    /// The page as one HTML file. The same content gives the same bytes.
    pub fn to_html(&self) -> String {
        self.to_document().to_html()
    }

    /// Saves the page. The file appears whole or not at all; the folder must exist.
    pub fn save_html(&self, path: impl AsRef<Path>) -> Result<(), ReportError> {
        self.to_document().save_html(path)
    }

    /// The page as plain sections.
    pub fn to_document(&self) -> Document {
        let picture = |shown: &CaptionedPicture| Block::Picture {
            caption: shown.caption.clone(),
            picture: shown.picture.clone(),
        };
        let mut sections = vec![
            Section::new("", vec![Block::Facts(self.facts.clone())]),
            Section::new("Film strips", self.strips.iter().map(picture).collect()),
            Section::new("In motion", self.animation.iter().map(picture).collect()),
            Section::new("Cost per window", self.plot_of_windows()).introduced(
                "Every dot is a sample. Green ones were kept as starts of the next window; the result passes \
                 through the red line.",
            ),
            Section::new(
                "Root and centre of mass",
                self.series.iter().map(|plot| Block::Plot(plot.to_svg())).collect(),
            )
            .introduced("Dashed is the target, solid is the simulation."),
            Section::new("Contacts", self.plot_of_contacts()),
            Section::new("Torques", self.plot_of_torques())
                .introduced("A joint that stays at its limit cannot follow its target."),
            Section::new("Worst deviations", vec![Block::Table(self.table_of_deviations())]),
        ];
        sections.extend(self.sections.iter().cloned());
        sections.push(Section::new("Files", vec![Block::Files(self.files.clone())]));
        sections.push(Section::new("See it again", vec![Block::Commands(self.commands.clone())]));
        sections.push(Section::new("Notes", vec![Block::List(self.notes.clone())]));
        Document { title: self.title.clone(), verdict: self.verdict.clone(), sections }
    }

    fn plot_of_windows(&self) -> Vec<Block> {
        let plot = WindowCostsPlot { title: "", windows: &self.windows };
        if self.windows.is_empty() { Vec::new() } else { vec![Block::Plot(plot.to_svg())] }
    }

    fn plot_of_contacts(&self) -> Vec<Block> {
        let plot = ContactPlot { title: "", rows: &self.contacts };
        if self.contacts.is_empty() { Vec::new() } else { vec![Block::Plot(plot.to_svg())] }
    }

    fn plot_of_torques(&self) -> Vec<Block> {
        let plot = TorquePlot { title: "", bars: &self.torques };
        if self.torques.is_empty() { Vec::new() } else { vec![Block::Plot(plot.to_svg())] }
    }

    fn table_of_deviations(&self) -> Table {
        let row = |deviation: &Deviation| {
            let time =
                if deviation.time_secs.is_finite() { format!("{:.2} s", deviation.time_secs) } else { String::new() };
            vec![time, deviation.what.clone(), deviation.size.clone(), deviation.why.clone()]
        };
        Table {
            head: ["time", "what", "how far", "why"].map(str::to_owned).to_vec(),
            rows: self.deviations.iter().map(row).collect(),
        }
    }
}
