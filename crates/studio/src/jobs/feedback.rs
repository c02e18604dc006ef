//! A feedback training as a job: the same work as `sinew feedback`.

use super::{Ended, Shared};
use crate::protocol::{Job, JobRequest};
use anyhow::{Result, bail};
use sinew::feedback::{Event, Request, Test, train};
use std::ops::ControlFlow;

/// Works to the end, or until it is told to stop.
pub fn run(shared: &Shared, job: &Job) -> Result<Ended> {
    let JobRequest::Feedback { result, preset, seed } = &job.request else {
        bail!("job {} is no training", job.id);
    };
    let request = Request {
        folder: shared.project.result_path(result).map_err(|refusal| anyhow::anyhow!(refusal.sentence))?,
        preset: *preset,
        config: preset.config(),
        seed: *seed,
        period_secs: None,
        test: Test::default(),
    };
    let trained = train(&request, &shared.options(), &mut |event| {
        match event {
            Event::Prepared(_) => {}
            Event::Training { progress, .. } => shared.show(job.id, progress, |_| ()),
            Event::Testing => shared.update(job.id, |job| job.message = "Tries it with pushes.".into()),
        }
        ControlFlow::Continue(())
    })?;
    Ok(trained.map_or(Ended::Stopped, |trained| Ended::Done(trained.results.headline())))
}
