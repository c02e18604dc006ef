//! The second half of a transfer with help from outside: the sweep over prices of help, stopped between two of them.

use super::Shared;
use crate::protocol::{Job, JobProgress, JobStatus};
use anyhow::{Context, Result};
use sinew::transfer::{Assisted, Prepared, Preset, RunOptions, Transfer, assist, assist_settings};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::time::Instant;

/// What unwinds a sweep that is told to stop: it has no other way out.
struct ToldToStop;

/// Makes the front of a finished transfer; none where the job is told to stop meanwhile. Resumed, it goes on from its checkpoint.
pub(super) fn sweep(
    shared: &Shared,
    job: &Job,
    prepared: &Prepared,
    transfer: &Transfer,
    preset: Preset,
    checkpoint: &Path,
) -> Result<Option<Assisted>> {
    let before = transfer.progress(&prepared.target);
    let (began, mut first) = (Instant::now(), None);
    let options = RunOptions {
        threads: shared.threads,
        checkpoint: Some(checkpoint.into()),
        resumes: true,
        ..RunOptions::default()
    };
    let swept = catch_unwind(AssertUnwindSafe(|| {
        assist(prepared, transfer, preset, &assist_settings(preset), &options, &mut |_, now| {
            let elapsed_secs = began.elapsed().as_secs_f64();
            let (done_before, steps_before) = *first.get_or_insert((now.done, now.steps));
            let done = now.done - done_before;
            let left = now.total.saturating_sub(now.done) as f64;
            shared.update(job.id, |job| {
                if job.status == JobStatus::Running {
                    job.message = format!("Tries help from outside, {} of {}.", now.done + 1, now.total);
                }
                job.progress = Some(JobProgress {
                    done: before.done + now.done,
                    total: before.total + now.total,
                    best_cost: before.best_cost,
                    steps: before.steps + now.steps,
                    steps_per_sec: (now.steps - steps_before) as f64 / elapsed_secs.max(1e-3),
                    elapsed_secs,
                    left_secs: (done > 0).then(|| elapsed_secs / done as f64 * left),
                });
            });
            if shared.flow(job.id).is_break() {
                resume_unwind(Box::new(ToldToStop));
            }
        })
    }));
    match swept {
        Ok(assisted) => assisted.map(Some).context("the motions with help"),
        Err(payload) if payload.is::<ToldToStop>() => Ok(None),
        Err(payload) => resume_unwind(payload),
    }
}
