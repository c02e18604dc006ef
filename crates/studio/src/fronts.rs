//! Pareto fronts, from wherever they come: the seam to whoever finds and simulates them.

use crate::assist_fronts::AssistFronts;
use crate::jump_fronts::JumpFronts;
use crate::protocol::{FrontDetail, FrontEntry};
use crate::sessions::controller::Controller;
use anyhow::Result;
use sinew_modeler::CharacterProject;
use sinew_sim::{Character, Surface};
use std::path::Path;

/// Knows the fronts of a project.
pub trait FrontSource: Send + Sync {
    /// The fronts in a project folder that has these results.
    fn list(&self, project: &Path, results: &[String]) -> Vec<FrontEntry>;

    /// Opens one.
    ///
    /// # Errors
    /// Where it is not there or damaged.
    fn open(&self, project: &Path, id: &str) -> Result<Box<dyn Front>>;
}

/// A front that was opened.
pub trait Front: Send {
    /// Its points.
    fn detail(&self) -> FrontDetail;

    /// Headline.
    fn title(&self) -> String {
        self.detail().title
    }

    /// The character that performs it.
    fn character(&self) -> Character;

    /// The same with its binding to a rig, where there is one: its skin.
    fn made(&self) -> Option<CharacterProject> {
        None
    }

    /// The ground that it is performed on; none for the usual one.
    fn surface(&self) -> Option<Surface> {
        None
    }

    /// Length of a simulation step, s.
    fn dt(&self) -> f64;

    /// What performs the motion at a place of the dial between 0 and 1; it may be between two points. [`Controller::set_dial`] moves it later.
    ///
    /// # Errors
    /// Where there is nothing to perform there.
    fn controller(&self, dial: f64) -> Result<Box<dyn Controller>>;
}

/// Jumps, and transfers with help from outside.
pub struct AllFronts;

impl FrontSource for AllFronts {
    fn list(&self, project: &Path, results: &[String]) -> Vec<FrontEntry> {
        [JumpFronts.list(project, results), AssistFronts.list(project, results)].concat()
    }

    fn open(&self, project: &Path, id: &str) -> Result<Box<dyn Front>> {
        match AssistFronts::has(project, id) {
            true => AssistFronts.open(project, id),
            false => JumpFronts.open(project, id),
        }
    }
}

/// No fronts at all.
pub struct NoFronts;

impl FrontSource for NoFronts {
    fn list(&self, _project: &Path, _results: &[String]) -> Vec<FrontEntry> {
        Vec::new()
    }

    fn open(&self, _project: &Path, id: &str) -> Result<Box<dyn Front>> {
        anyhow::bail!("there is no front {id}; choose one from the list")
    }
}
