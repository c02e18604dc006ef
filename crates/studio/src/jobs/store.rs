//! The list of jobs in `.studio/jobs.json`.

use crate::protocol::{Job, JobStatus};
use serde::{Deserialize, Serialize};
use sinew_sim::atomic_write::atomic_write;
use std::path::Path;

/// Name of the file.
const FILE: &str = "jobs.json";
/// Largest list, bytes.
const LARGEST: u64 = 64 << 20;

/// The list and the next number.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct List {
    pub next_id: u64,
    pub jobs: Vec<Job>,
}

impl Default for List {
    fn default() -> List {
        List { next_id: 1, jobs: Vec::new() }
    }
}

impl List {
    /// Reads the list. What was running waits again; a file that is damaged is put aside.
    pub fn load(folder: &Path) -> List {
        let path = folder.join(FILE);
        let Ok(bytes) = sinew::files::read(&path, LARGEST) else { return List::default() };
        let Ok(mut list) = serde_json::from_slice::<List>(&bytes) else {
            // Where it cannot be moved it is overwritten.
            let _ = std::fs::rename(&path, folder.join("jobs.damaged.json"));
            return List::default();
        };
        for job in &mut list.jobs {
            job.motion_revision = 0;
            (job.status, job.message) = match job.status {
                JobStatus::Running | JobStatus::Queued => (JobStatus::Queued, "Waits for its turn.".into()),
                JobStatus::Pausing => (JobStatus::Paused, "Stands still.".into()),
                JobStatus::Cancelling => (JobStatus::Cancelled, "Cancelled.".into()),
                ended => (ended, std::mem::take(&mut job.message)),
            };
        }
        list.next_id = list.jobs.iter().map(|job| job.id + 1).fold(list.next_id.max(1), u64::max);
        list
    }

    /// Writes the list, whole or not at all.
    pub fn save(&self, folder: &Path) -> std::io::Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(std::io::Error::other)?;
        atomic_write(&folder.join(FILE), text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::JobRequest;

    #[test]
    fn what_was_running_waits_again_and_damage_is_put_aside() {
        let folder = tempfile::tempdir().expect("a folder");
        let job = |id: u64, status: JobStatus| Job {
            id,
            title: "a".into(),
            request: JobRequest::Feedback {
                result: "r".into(),
                preset: Default::default(),
                seed: 0,
                period_secs: None,
            },
            status,
            message: "m".into(),
            result: "r".into(),
            progress: None,
            windows: Vec::new(),
            curve: Vec::new(),
            motion_revision: 4,
        };
        let jobs = vec![job(3, JobStatus::Running), job(4, JobStatus::Pausing), job(9, JobStatus::Done)];
        List { next_id: 2, jobs }.save(folder.path()).expect("saved");
        let list = List::load(folder.path());
        let statuses: Vec<JobStatus> = list.jobs.iter().map(|j| j.status).collect();
        assert_eq!(statuses, [JobStatus::Queued, JobStatus::Paused, JobStatus::Done]);
        assert_eq!((list.next_id, list.jobs[2].message.as_str()), (10, "m"));
        std::fs::write(folder.path().join(FILE), "{").expect("written");
        assert!(List::load(folder.path()).jobs.is_empty() && folder.path().join("jobs.damaged.json").exists());
    }
}
