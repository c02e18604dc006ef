//! A feedback training as a job: the same work as `sinew feedback`.

use super::{Ended, Shared};
use crate::protocol::{Job, JobProgress, JobRequest, JobStatus};
use anyhow::{Result, bail};
use sinew::feedback::{CHECKPOINT, Test, Trained, files, prepare, run_until};
use sinew::transfer::{OutputFolder, RunOptions};
use std::ops::ControlFlow;
use std::time::Instant;

/// Works to the end, or until it is told to stop.
pub fn run(shared: &Shared, job: &Job) -> Result<Ended> {
    let JobRequest::Feedback { result, preset, seed } = &job.request else {
        bail!("job {} is no training", job.id);
    };
    let config = preset.config();
    let path = shared.project.result_path(result).map_err(|refusal| anyhow::anyhow!(refusal.sentence))?;
    let prepared = prepare(&path, None)?;
    let folder = OutputFolder::make(&path)?;
    let checkpoint = path.join(CHECKPOINT);
    let options =
        RunOptions { seed: *seed, threads: shared.threads, checkpoint: Some(checkpoint.clone()), resumes: true };
    let (began, mut steps_before) = (Instant::now(), None);
    let training = run_until(&prepared, &config, &options, &mut |_, _, training| {
        let now = training.progress();
        let elapsed_secs = began.elapsed().as_secs_f64();
        let steps = now.steps - *steps_before.get_or_insert(now.steps);
        let repetitions = config.stages.get(now.stages).copied().unwrap_or(0);
        shared.update(job.id, |job| {
            if job.status == JobStatus::Running {
                job.message = format!(
                    "Stage {} of {}, {repetitions} repetitions, generation {}.",
                    (now.stages + 1).min(now.stage_count),
                    now.stage_count,
                    now.generations
                );
            }
            job.progress = Some(JobProgress {
                done: now.stages * config.iterations + now.generations.min(config.iterations),
                total: now.stage_count * config.iterations,
                best_cost: if now.best_cost.is_finite() { now.best_cost } else { 0.0 },
                steps: now.steps,
                steps_per_sec: steps as f64 / elapsed_secs.max(1e-3),
                elapsed_secs,
                left_secs: None,
            });
        });
        match training.is_done() {
            true => ControlFlow::Continue(()),
            false => shared.flow(job.id),
        }
    })?;
    if !training.is_done() {
        return Ok(Ended::Stopped);
    }
    shared.update(job.id, |job| job.message = "Tries it with pushes.".into());
    let trained = Trained::new(&prepared, &training, Test::default(), *preset, shared.threads)?;
    folder.write(&files(&prepared, &trained)?)?;
    // Nobody needs it any more; where it cannot be removed, the next training overwrites it.
    let _ = std::fs::remove_file(checkpoint);
    Ok(Ended::Done(trained.results.headline()))
}
