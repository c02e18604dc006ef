//! The queue of heavy work: one job at a time, kept in a file, resumed after a restart.

mod feedback;
mod live;
mod store;
mod transfer;

use crate::error::Refusal;
use crate::hub::Hub;
use crate::names::{free_path, plain, plain_name};
use crate::project::{SharedProject, locked};
use crate::protocol::{Job, JobRequest, JobStatus, ServerMessage, Skin};
use bytes::Bytes;
use live::LiveMotion;
use sinew::settings::Named;
use sinew::transfer::last_part;
use sinew::work::{Cancel, Progress, RunOptions};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Most jobs in the list.
const MOST_JOBS: usize = 200;

/// The queue. Dropping it stops the job that runs, which leaves a checkpoint.
pub struct Queue {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub project: SharedProject,
    pub hub: Arc<Hub>,
    list: Mutex<store::List>,
    wake: Condvar,
    live: Mutex<Option<(u64, Arc<LiveMotion>)>>,
    stops: AtomicBool,
    /// Threads of a job; 0 for one on each core.
    threads: usize,
    /// Stops the job that runs.
    cancel: Mutex<Cancel>,
}

/// How a job's work ended.
pub(crate) enum Ended {
    /// All is written; what came out, in one sentence.
    Done(String),
    /// It was told to stop, and has a checkpoint.
    Stopped,
}

impl Queue {
    /// Reads the list of a project and goes on with what was under way.
    pub fn start(project: &SharedProject, hub: &Arc<Hub>, threads: usize) -> Queue {
        let shared = Arc::new(Shared {
            project: project.clone(),
            hub: hub.clone(),
            list: Mutex::new(store::List::load(&project.private())),
            wake: Condvar::new(),
            live: Mutex::new(None),
            stops: AtomicBool::new(false),
            threads,
            cancel: Mutex::default(),
        });
        let worker = shared.clone();
        let spawned = std::thread::Builder::new().name("jobs".into()).spawn(move || worker.work());
        if spawned.is_err() {
            hub.tell(&ServerMessage::Notice {
                text: "The system starts no thread for jobs; restart the studio.".into(),
            });
        }
        Queue { shared }
    }

    /// All jobs, oldest first.
    pub fn list(&self) -> Vec<Job> {
        locked(&self.shared.list).jobs.clone()
    }

    /// One job.
    ///
    /// # Errors
    /// Where there is none of that number.
    pub fn get(&self, id: u64) -> Result<Job, Refusal> {
        let list = locked(&self.shared.list);
        list.jobs.iter().find(|job| job.id == id).cloned().ok_or_else(|| no_job(id))
    }

    /// Puts a job at the end of the queue.
    ///
    /// # Errors
    /// Where what it names is not there, or the list is full.
    pub fn submit(&self, request: JobRequest) -> Result<Job, Refusal> {
        let project = &self.shared.project;
        let (title, folder, character) = match &request {
            JobRequest::Transfer { character, rig, clip, preset, name, cycles, .. } => {
                if cycles.is_some_and(|cycles| !(1..=1000).contains(&cycles)) {
                    return Err(Refusal::bad("give from 1 to 1000 cycles"));
                }
                let made = character.as_deref().map(|id| project.character(id)).transpose()?;
                transfer::rig_of(project, character.as_deref(), rig.as_deref(), made.as_ref())?;
                let of = character.as_deref().or(rig.as_deref()).unwrap_or_default();
                let stem = std::path::Path::new(of).file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let parts: Vec<&str> = [Some(stem.as_str()), clip.as_deref().map(last_part), Some(preset.name())]
                    .into_iter()
                    .flatten()
                    .collect();
                let title = parts.join(", ");
                let name = match name {
                    Some(name) => plain_name(name)?.to_owned(),
                    None => plain(&parts.join("-")),
                };
                (title, Err(name), made)
            }
            JobRequest::Feedback { result, .. } => {
                project.result_path(result)?;
                let name = result.rsplit('/').next().unwrap_or(result);
                (format!("{name}, feedback"), Ok(result.clone()), None)
            }
        };
        let mut list = locked(&self.shared.list);
        if list.jobs.len() >= MOST_JOBS {
            return Err(Refusal::bad(format!("the list holds {MOST_JOBS} jobs; take some away first")));
        }
        let result = match folder {
            Ok(result) => result,
            Err(name) => {
                let results = project.path("results")?;
                let taken = |path: &std::path::Path| list.jobs.iter().any(|job| job.result == project.id(path));
                let path = free_path(&results, &name, "", &taken);
                let cannot = |e| Refusal::fault(format!("the folder {} cannot be made ({e})", path.display()));
                std::fs::create_dir_all(&path).map_err(cannot)?;
                project.id(&path)
            }
        };
        let job = Job {
            id: list.next_id,
            title,
            request,
            status: JobStatus::Queued,
            message: "Waits for its turn.".into(),
            result,
            progress: None,
            windows: Vec::new(),
            curve: Vec::new(),
            motion_revision: 0,
        };
        if let Some(character) = character {
            // Later edits are for later jobs.
            let path = self.shared.character_copy(job.id);
            let cannot = |e: String| Refusal::fault(format!("the job cannot be saved ({e})"));
            std::fs::create_dir_all(path.parent().unwrap_or(&path)).map_err(|e| cannot(e.to_string()))?;
            character.save(&path).map_err(|e| cannot(e.to_string()))?;
        }
        list.next_id += 1;
        list.jobs.push(job.clone());
        self.shared.changed(list)?;
        self.shared.wake.notify_all();
        Ok(job)
    }

    /// Lets a job stop, to be resumed.
    ///
    /// # Errors
    /// Where it does not run or wait.
    pub fn pause(&self, id: u64) -> Result<Job, Refusal> {
        self.turn(id, |status| match status {
            JobStatus::Running | JobStatus::Pausing => Some(JobStatus::Pausing),
            JobStatus::Queued | JobStatus::Paused => Some(JobStatus::Paused),
            _ => None,
        })
    }

    /// Lets a job go on.
    ///
    /// # Errors
    /// Where it has ended well or was cancelled.
    pub fn resume(&self, id: u64) -> Result<Job, Refusal> {
        self.turn(id, |status| match status {
            JobStatus::Paused | JobStatus::Queued | JobStatus::Failed => Some(JobStatus::Queued),
            JobStatus::Running | JobStatus::Pausing => Some(JobStatus::Running),
            _ => None,
        })
    }

    /// Ends a job; what it has found so far is thrown away.
    ///
    /// # Errors
    /// Where it has ended already.
    pub fn cancel(&self, id: u64) -> Result<Job, Refusal> {
        self.turn(id, |status| match status {
            JobStatus::Running | JobStatus::Pausing | JobStatus::Cancelling => Some(JobStatus::Cancelling),
            JobStatus::Queued | JobStatus::Paused | JobStatus::Failed => Some(JobStatus::Cancelled),
            _ => None,
        })
    }

    /// Takes a job that has ended off the list; its files stay.
    ///
    /// # Errors
    /// Where it has not ended.
    pub fn remove(&self, id: u64) -> Result<(), Refusal> {
        let mut list = locked(&self.shared.list);
        let job = list.jobs.iter().find(|job| job.id == id).ok_or_else(|| no_job(id))?;
        if !matches!(job.status, JobStatus::Done | JobStatus::Failed | JobStatus::Cancelled) {
            return Err(Refusal::conflict(format!("job {id} has not ended; cancel it first")));
        }
        list.jobs.retain(|job| job.id != id);
        self.shared.changed(list)
    }

    /// The best motion of a job so far; of one that is done, its motion.
    ///
    /// # Errors
    /// Where there is none yet.
    pub fn motion(&self, id: u64, is_target: bool) -> Result<Bytes, Refusal> {
        let job = self.get(id)?;
        let live = locked(&self.shared.live).clone();
        match live.filter(|(of, _)| *of == id) {
            Some((_, live)) if is_target => live.target(),
            Some((_, live)) => live.motion(),
            None if job.status == JobStatus::Done => self.shared.project.result_motion(&job.result, is_target),
            None => Err(Refusal::missing(format!("job {id} has no motion yet; wait for its first window"))),
        }
    }

    /// How the nodes of a job's rig follow its bodies, also where the project has no character for it.
    ///
    /// # Errors
    /// Where it has not begun, or its rig is gone.
    pub fn skin(&self, id: u64) -> Result<Skin, Refusal> {
        let job = self.get(id)?;
        let live = locked(&self.shared.live).clone();
        match live.filter(|(of, _)| *of == id) {
            Some((_, live)) => Ok(live.skin()),
            None => self.shared.project.skin_of_result(&job.result),
        }
    }

    /// Stops the job that runs, and starts none.
    pub fn stop(&self) {
        self.shared.stops.store(true, Ordering::SeqCst);
        locked(&self.shared.cancel).cancel();
        self.shared.wake.notify_all();
    }

    fn turn(&self, id: u64, next: impl FnOnce(JobStatus) -> Option<JobStatus>) -> Result<Job, Refusal> {
        let mut list = locked(&self.shared.list);
        let job = list.jobs.iter_mut().find(|job| job.id == id).ok_or_else(|| no_job(id))?;
        let Some(status) = next(job.status) else {
            return Err(Refusal::conflict(format!("job {id} has ended; that can no longer be done")));
        };
        job.status = status;
        job.message = match status {
            JobStatus::Queued => "Waits for its turn.",
            JobStatus::Pausing => "Stops.",
            JobStatus::Paused => "Stands still.",
            JobStatus::Cancelling => "Ends.",
            JobStatus::Cancelled => "Cancelled.",
            _ => "Goes on.",
        }
        .into();
        let job = job.clone();
        if matches!(status, JobStatus::Pausing | JobStatus::Cancelling) {
            locked(&self.shared.cancel).cancel();
        }
        if status == JobStatus::Cancelled {
            self.shared.clear(&job);
        }
        self.shared.changed(list)?;
        self.shared.wake.notify_all();
        Ok(job)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    /// The character as it was when the job was asked for.
    pub fn character_copy(&self, id: u64) -> PathBuf {
        self.project.private().join("jobs").join(format!("{id}.toml"))
    }

    fn stops(&self) -> bool {
        self.stops.load(Ordering::SeqCst)
    }

    /// Saves the list and tells everybody.
    fn changed(&self, list: std::sync::MutexGuard<'_, store::List>) -> Result<(), Refusal> {
        let saved = list.save(&self.project.private());
        drop(list);
        self.hub.publish(|state| {
            let list = locked(&self.list);
            state.jobs = Some(list.jobs.clone());
            list
        });
        saved.map_err(|e| Refusal::fault(format!("the list of jobs cannot be saved ({e}); make room on the disk")))
    }

    /// Changes the job that runs and tells everybody; saved only where its status changes.
    pub fn update(&self, id: u64, change: impl FnOnce(&mut Job)) {
        let mut list = locked(&self.list);
        let Some(job) = list.jobs.iter_mut().find(|job| job.id == id) else { return };
        let before = job.status;
        change(job);
        if job.status == before {
            // Told before anybody can change it again.
            self.hub.tell(&ServerMessage::Job { job: Box::new(job.clone()) });
        } else if let Err(refusal) = self.changed(list) {
            self.hub.tell(&ServerMessage::Notice { text: refusal.sentence });
        }
    }

    /// How the job that was taken last is run: from its checkpoint, until it is told to stop.
    pub fn options(&self) -> RunOptions {
        RunOptions {
            threads: self.threads,
            resumes: true,
            cancel: locked(&self.cancel).clone(),
            ..RunOptions::default()
        }
    }

    /// Shows how far a job is, with whatever else has changed.
    pub fn show(&self, id: u64, progress: &Progress, change: impl FnOnce(&mut Job)) {
        self.update(id, |job| {
            change(job);
            if job.status == JobStatus::Running {
                job.message = sentence(&progress.doing);
            }
            job.progress = Some(progress.clone());
        });
    }

    pub fn set_live(&self, id: u64, live: Option<Arc<LiveMotion>>) {
        *locked(&self.live) = live.map(|live| (id, live));
    }

    /// Takes away what a cancelled job has left.
    fn clear(&self, job: &Job) {
        // What is not there need not be removed.
        let _ = std::fs::remove_file(self.character_copy(job.id));
        if let Ok(folder) = self.project.path(&job.result) {
            let checkpoint = match job.request {
                JobRequest::Transfer { .. } => sinew::transfer::CHECKPOINT,
                JobRequest::Feedback { .. } => sinew::feedback::CHECKPOINT,
            };
            let _ = std::fs::remove_file(folder.join(checkpoint));
            let _ = std::fs::remove_file(folder.join(sinew::transfer::ASSIST_CHECKPOINT));
            let _ = std::fs::remove_dir(&folder);
        }
    }

    /// Runs one job after the other until told to stop.
    fn work(self: Arc<Shared>) {
        while let Some(job) = self.next() {
            let worked = catch_unwind(AssertUnwindSafe(|| match &job.request {
                JobRequest::Transfer { .. } => transfer::run(&self, &job),
                JobRequest::Feedback { .. } => feedback::run(&self, &job),
            }));
            let worked =
                worked.unwrap_or_else(|_| Err(anyhow::anyhow!("it broke down inside the program; please report it")));
            self.set_live(job.id, None);
            let was_told_to_stop = self.stops();
            if let Ok(Ended::Done(_)) = &worked {
                let _ = std::fs::remove_file(self.character_copy(job.id));
            }
            self.update(job.id, |job| {
                (job.status, job.message) = match (worked, job.status) {
                    (Ok(Ended::Done(sentence)), _) => (JobStatus::Done, sentence),
                    (_, JobStatus::Cancelling) => (JobStatus::Cancelled, "Cancelled.".into()),
                    (Err(error), _) => (JobStatus::Failed, Refusal::from(error).sentence),
                    (Ok(Ended::Stopped), JobStatus::Pausing) => (JobStatus::Paused, "Stands still.".into()),
                    // Told to go on again just before it stopped, or the server ends.
                    (Ok(Ended::Stopped), _) => (JobStatus::Queued, "Waits for its turn.".into()),
                };
            });
            if let Some(job) =
                locked(&self.list).jobs.iter().find(|j| j.id == job.id && j.status == JobStatus::Cancelled)
            {
                self.clear(job);
            }
            let found = self.project.scan();
            self.hub.publish(|state| state.results = Some(self.project.result_entries(&found)));
            if was_told_to_stop {
                return;
            }
        }
    }

    /// Waits for a job and takes it.
    fn next(&self) -> Option<Job> {
        let mut list = locked(&self.list);
        loop {
            if self.stops() {
                return None;
            }
            if let Some(job) = list.jobs.iter_mut().find(|job| job.status == JobStatus::Queued) {
                job.status = JobStatus::Running;
                job.message = "Reads and models.".into();
                *locked(&self.cancel) = Cancel::new();
                let job = job.clone();
                // A list that cannot be saved is told about, and the job done all the same.
                if let Err(refusal) = self.changed(list) {
                    self.hub.tell(&ServerMessage::Notice { text: refusal.sentence });
                }
                return Some(job);
            }
            list = self.wake.wait(list).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Words with a capital and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}

fn no_job(id: u64) -> Refusal {
    Refusal::missing(format!("there is no job {id}; choose one from the list"))
}
