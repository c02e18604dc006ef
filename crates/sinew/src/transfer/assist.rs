//! A transferred motion with help from outside: the front, its files, and its part of the report.

use super::output::files_with;
use super::pictures::draw;
use super::run::{read_checkpoint, thread_pool};
use super::{
    AssistConfig, AssistPoint, AssistProgress, Finished, OutputFolder, Prepared, RunOptions, Started, Sweep, Transfer,
    assist_page,
};
use crate::report::front::FrontTable;
use crate::report::page::{Block, Section, Table};
use anyhow::{Context, Result};
use serde::Serialize;
use sinew_sim::atomic_write::atomic_write;
use std::path::Path;

/// Folder of the points in that of the transfer.
const FOLDER: &str = "assist";
/// Name of the front's checkpoint in the folder of the transfer.
pub const ASSIST_CHECKPOINT: &str = "assist-checkpoint.bin";

/// Points from physics alone to the motion as drawn, each performed.
pub struct Assisted {
    /// The points, by rising help; the first is the plain transfer.
    pub points: Vec<AssistPoint>,
    /// Each of them performed.
    pub finished: Vec<Finished>,
}

/// A point as `sinew transfer --assist --json` tells it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AssistRow {
    /// Price of help; none for physics alone.
    pub price: Option<f64>,
    /// Mean cost.
    pub cost_mean: f64,
    /// Root mean square of the end effectors' distances from the drawing, m.
    pub effectors_off_m: f64,
    /// Mean help: force over weight, and torque over weight times a quarter of the height.
    pub mean_help: f64,
    /// Mean force, weights.
    pub mean_force: f64,
    /// Largest force, weights.
    pub largest_force: f64,
    /// Largest torque, weights times heights.
    pub largest_torque: f64,
    /// Share of the time with help.
    pub share_of_time: f64,
    /// Whether it does not fall.
    pub completed: bool,
    /// FNV-1a of its trajectory.
    pub hash: String,
    /// Its folder.
    pub folder: String,
}

/// The settings of the front for a preset of the transfer.
pub fn assist_settings(preset: &str) -> AssistConfig {
    if preset == "quick" { AssistConfig::quick() } else { AssistConfig::standard() }
}

/// Makes the front of a finished transfer, with a checkpoint after every piece of work; `observe` is called before the first and after each. Of the options
/// the seed is not looked at: nothing here is random.
///
/// # Errors
/// Where the character is held by the world, a checkpoint is damaged, of another run or cannot be written, or the simulator refuses.
pub fn assist(
    prepared: &Prepared,
    transfer: &Transfer,
    preset: &str,
    settings: &AssistConfig,
    options: &RunOptions,
    observe: &mut (dyn FnMut(Started, &AssistProgress) + Send),
) -> Result<Assisted> {
    thread_pool(options.threads)?.install(|| {
        let (target, config) = (&prepared.target, transfer.config());
        let plain = transfer.solution(target);
        let saved = match options.checkpoint.as_ref().filter(|_| options.resumes) {
            Some(path) => read_checkpoint(path)?.map(|bytes| (path, bytes)),
            None => None,
        };
        let (mut sweep, started) = match saved {
            Some((path, bytes)) => {
                let sweep = Sweep::resume(&bytes, settings, &plain).with_context(|| path.display().to_string())?;
                let done = sweep.progress().done;
                (sweep, Started::After(done))
            }
            None => (Sweep::new(target, config, settings, &plain)?, Started::Anew),
        };
        observe(started, &sweep.progress());
        while !sweep.is_done() {
            sweep.advance(target, config)?;
            if let Some(path) = &options.checkpoint {
                atomic_write(path, &sweep.save()).with_context(|| format!("cannot write {}", path.display()))?;
            }
            observe(started, &sweep.progress());
        }
        let points = sweep.points(target, config)?;
        let performed = points.iter().map(|point| Finished::of_point(prepared, transfer, preset, point));
        let finished = performed.collect::<Result<Vec<_>>>()?;
        Ok(Assisted { points, finished })
    })
}

/// Folder of a point inside that of the transfer.
pub(super) fn point_folder(index: usize) -> String {
    format!("{FOLDER}/{index:02}")
}

impl Assisted {
    /// The points as rows of the answer; `out` is the folder of the transfer.
    pub fn rows(&self, out: &Path) -> Vec<AssistRow> {
        let row = |(index, (point, finished)): (usize, (&AssistPoint, &Finished))| AssistRow {
            price: point.price,
            cost_mean: point.cost_mean,
            effectors_off_m: point.effectors_off_m,
            mean_help: point.figures.mean_help,
            mean_force: point.figures.mean_force,
            largest_force: point.figures.largest_force,
            largest_torque: point.figures.largest_torque,
            share_of_time: point.figures.share_of_time,
            completed: point.completed,
            hash: finished.summary.hash.clone(),
            folder: out.join(point_folder(index)).display().to_string(),
        };
        self.points.iter().zip(&self.finished).enumerate().map(row).collect()
    }

    /// The front as a table for a terminal.
    pub fn to_text(&self) -> String {
        FrontTable::new(&assist_page::view(), &assist_page::front(self, None)).to_text()
    }

    /// Writes a folder for each point, and into the transfer's own its files with a section about help, `assist.html` and `assist.csv`.
    ///
    /// # Errors
    /// Where a picture cannot be drawn or a file cannot be written.
    pub fn write(
        &self,
        prepared: &Prepared,
        transfer: &Transfer,
        plain: &Finished,
        folder: &OutputFolder,
    ) -> Result<()> {
        remove_points(&folder.path().join(FOLDER), self.points.len())?;
        let mut plain_pictures = None;
        for (index, finished) in self.finished.iter().enumerate() {
            let pictures = draw(prepared, finished)?;
            let mut own = OutputFolder::make(&folder.path().join(point_folder(index)))?;
            own.write(&files_with(prepared, transfer, finished, &pictures, Vec::new())?)?;
            own.keep();
            if finished.summary.hash == plain.summary.hash {
                plain_pictures = Some(pictures);
            }
        }
        let table = FrontTable::new(&assist_page::view(), &assist_page::front(self, None));
        let pictures = plain_pictures.map_or_else(|| draw(prepared, plain), Ok)?;
        let mut files = files_with(prepared, transfer, plain, &pictures, vec![self.section()])?;
        files.push(("assist.html".into(), assist_page::page(self, prepared).to_html()?.into_bytes()));
        files.push(("assist.csv".into(), table.to_csv().into_bytes()));
        folder.write(&files)
    }

    /// What the report of the plain transfer says about help.
    fn section(&self) -> Section {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let row = |(index, point): (usize, &AssistPoint)| {
            let figures = &point.figures;
            vec![
                point_folder(index),
                assist_page::label(index, point, self.points.len()),
                format!("{:.3}", point.cost_mean),
                format!("{:.1} cm", 100.0 * point.effectors_off_m),
                percent(figures.mean_force),
                percent(figures.largest_force),
                percent(figures.share_of_time),
                if point.completed { where_helped(point) } else { "falls".into() },
            ]
        };
        let head = [
            "folder",
            "point",
            "mean cost",
            "end effectors off by",
            "mean force, of the weight",
            "largest",
            "time helped",
            "where",
        ];
        let table =
            Table { head: head.map(str::to_owned).to_vec(), rows: self.points.iter().enumerate().map(row).collect() };
        let files = [("assist.html", "the same as a front to click through"), ("assist.csv", "its numbers")];
        let files = files.map(|(name, what)| (name.to_owned(), what.to_owned())).to_vec();
        Section::new("With help from outside", vec![Block::Table(table), Block::Files(files)]).introduced(
            "How near the motion comes to its drawing where a wrench from outside may help at the centre of mass, \
             from none to as much as it takes. Each folder holds a whole transfer.",
        )
    }
}

/// Removes points that an earlier run has left beyond the first `count`: they would pass for this one's.
fn remove_points(folder: &Path, count: usize) -> Result<()> {
    let points = (count..100).map(|index| folder.join(format!("{index:02}")));
    for old in points.filter(|point| point.join("controls.json").is_file()) {
        std::fs::remove_dir_all(&old).with_context(|| format!("cannot remove {}", old.display()))?;
    }
    Ok(())
}

/// Times of help in words, the first few.
fn where_helped(point: &AssistPoint) -> String {
    const MOST: usize = 4;
    let spans = &point.figures.spans;
    let mut words: Vec<String> =
        spans.iter().take(MOST).map(|span| format!("{:.2} to {:.2} s", span.from_secs, span.to_secs)).collect();
    match spans.len() {
        0 => return "nowhere".into(),
        count if count > MOST => words.push(format!("and {} more", count - MOST)),
        _ => {}
    }
    words.join(", ")
}
