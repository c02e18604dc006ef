//! Everything behind the routes: the project, the queue, the simulations, and the news of all of them.

use crate::fronts::FrontSource;
use crate::hub::Hub;
use crate::jobs::Queue;
use crate::project::{Found, Project, SharedProject, locked};
use crate::protocol::{FrontEntry, ProjectInfo, ServerMessage, State};
use crate::sessions::Sessions;
use anyhow::Result;
use sinew::transfer::Preset;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Largest file that is taken, bytes.
pub const LARGEST_UPLOAD: u64 = 512 << 20;

/// The studio of one project.
pub struct Studio {
    pub(crate) project: SharedProject,
    pub(crate) hub: Arc<Hub>,
    pub(crate) jobs: Queue,
    pub(crate) sessions: Sessions,
    pub(crate) fronts: Arc<dyn FrontSource>,
    pub(crate) largest_upload: u64,
    /// What was told last.
    told: Mutex<Found>,
}

impl Studio {
    /// Opens a project and goes on with its jobs.
    ///
    /// # Errors
    /// Where the folder cannot be made or written, or another studio has it open.
    pub fn open(folder: &Path, fronts: Arc<dyn FrontSource>, largest_upload: u64, threads: usize) -> Result<Studio> {
        let project: SharedProject = Arc::new(Project::open(folder)?);
        let hub = Arc::new(Hub::default());
        let told = Mutex::new(project.scan());
        Ok(Studio {
            jobs: Queue::start(&project, &hub, threads),
            sessions: Sessions::new(&project, &hub, &fronts),
            project,
            hub,
            fronts,
            largest_upload,
            told,
        })
    }

    /// Everything, as it is now.
    pub fn state(&self) -> State {
        self.hub.snapshot(|state| {
            let found = self.project.scan();
            self.fill_folder(&found, state);
            state.project = Some(self.info());
            state.jobs = Some(self.jobs.list());
            state.sessions = Some(self.sessions.list());
        })
    }

    /// Looks whether the folder has changed, and tells everybody.
    pub fn look(&self) {
        let mut told = locked(&self.told);
        let found = self.project.scan();
        if *told != found {
            *told = found;
            self.hub.publish(|state| self.fill_folder(&told, state));
        }
    }

    /// Tells everybody that a character has changed.
    pub fn tell_character(&self, id: &str, revision: u64) {
        self.hub.tell(&ServerMessage::Character { id: id.into(), revision });
        self.tell_folder();
    }

    /// Tells everybody what is in the folder.
    pub fn tell_folder(&self) {
        let mut told = locked(&self.told);
        *told = self.project.scan();
        self.hub.publish(|state| self.fill_folder(&told, state));
    }

    /// Ends simulations and lets the job stop; everything is saved at any time.
    pub fn close(&self) {
        self.jobs.stop();
        self.sessions.end_all();
    }

    fn fill_folder(&self, found: &Found, state: &mut State) {
        state.rigs = Some(self.project.rig_entries(found));
        state.characters = Some(self.project.character_entries(found));
        state.results = Some(self.project.result_entries(found));
        state.packages = Some(self.project.package_entries(found));
        state.fronts = Some(self.fronts(found));
    }

    /// The fronts of the project.
    pub fn fronts(&self, found: &Found) -> Vec<FrontEntry> {
        let results: Vec<String> = found.results.keys().cloned().collect();
        self.fronts.list(self.project.root(), &results)
    }

    fn info(&self) -> ProjectInfo {
        let root = self.project.root();
        ProjectInfo {
            name: root.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            path: root.display().to_string(),
            sinew: env!("CARGO_PKG_VERSION").into(),
            largest_upload: self.largest_upload,
            presets: vec![Preset::Quick, Preset::Default, Preset::Paper],
        }
    }
}
