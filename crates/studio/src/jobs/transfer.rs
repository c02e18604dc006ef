//! A transfer as a job: the same work as `sinew transfer`, to the same bytes.

use super::assist::sweep;
use super::live::LiveMotion;
use super::{Ended, Shared};
use crate::error::Refusal;
use crate::project::Project;
use crate::project::characters::find_rig;
use crate::protocol::{Job, JobProgress, JobRequest, WindowCosts};
use anyhow::{Result, bail};
use sinew::transfer::{
    ASSIST_CHECKPOINT, Begins, Finished, OutputFolder, RunOptions, Search, Stage, Task, Transfer, WindowFigures,
    can_be_helped, files, prepare, preset, run_until,
};
use sinew_modeler::{CharacterProject, ModelOptions};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The rig whose clip is transferred: the one that is named, or the character's own.
///
/// # Errors
/// Where there is none.
pub fn rig_of(
    project: &Project,
    character: Option<&str>,
    rig: Option<&str>,
    made: Option<&CharacterProject>,
) -> Result<String, Refusal> {
    if let Some(rig) = rig {
        return project.rig_path(rig).map(|_| rig.to_owned());
    }
    let (Some(character), Some(made)) = (character, made) else {
        return Err(Refusal::bad("name a character or a rig to transfer"));
    };
    let source = &made.options().source;
    find_rig(&project.scan(), source)
        .ok_or_else(|| Refusal::missing(format!("{character}: its rig {source:?} is not in the project; drop it in")))
}

/// Works to the end, or until it is told to stop.
pub fn run(shared: &Shared, job: &Job) -> Result<Ended> {
    let JobRequest::Transfer { character, rig, clip, preset: preset_name, cycles, seed, from_rest, assist, .. } =
        &job.request
    else {
        bail!("job {} is no transfer", job.id);
    };
    let project = &shared.project;
    let plain = |refusal: Refusal| anyhow::anyhow!(refusal.sentence);
    let mut config = preset(preset_name)?;
    if *from_rest {
        config.begins = Begins::Rest;
    }
    let made = match character {
        Some(_) => Some(CharacterProject::load(&shared.character_copy(job.id))?),
        None => None,
    };
    let rig = rig_of(project, character.as_deref(), rig.as_deref(), made.as_ref()).map_err(plain)?;
    let mut source = project.open_rig(&rig).map_err(plain)?;
    let options = ModelOptions { name: source.name.clone(), source: rig.clone(), ..ModelOptions::default() };
    if let Some(character) = character {
        source.name = Path::new(character).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    }
    let task = Task { clip: clip.clone(), cycles: *cycles, character: made, keeps_slides: false, options };
    let prepared = Arc::new(prepare(source, &task, &config)?);
    if *assist {
        can_be_helped(&prepared.target)?;
    }
    let live = Arc::new(LiveMotion::new(&prepared, &config, &rig));
    shared.set_live(job.id, Some(live.clone()));

    let mut folder = OutputFolder::make(&project.path(&job.result).map_err(plain)?)?;
    folder.keep();
    let options =
        RunOptions { seed: *seed, threads: shared.threads, checkpoint: Some(folder.checkpoint()), resumes: true };
    let target = &prepared.target;
    let (began, mut start) = (Instant::now(), None);
    let transfer = run_until(target, &config, &options, &mut |_, transfer| {
        tell(shared, job.id, &live, transfer, &prepared, began, &mut start);
        match transfer.is_done() {
            true => ControlFlow::Continue(()),
            false => shared.flow(job.id),
        }
    })?;
    if !transfer.is_done() {
        return Ok(Ended::Stopped);
    }
    let help_checkpoint = folder.path().join(ASSIST_CHECKPOINT);
    let assisted = match assist {
        true => match sweep(shared, job, &prepared, &transfer, preset_name, &help_checkpoint)? {
            Some(assisted) => Some(assisted),
            None => return Ok(Ended::Stopped),
        },
        false => None,
    };
    shared.update(job.id, |job| job.message = "Draws and writes.".into());
    let finished = Finished::new(&prepared, &transfer, preset_name)?;
    match &assisted {
        Some(assisted) => assisted.write(&prepared, &transfer, &finished, &folder)?,
        None => folder.write(&files(&prepared, &transfer, &finished)?)?,
    }
    // Nobody needs it any more; where it cannot be removed, the next run overwrites it.
    let _ = std::fs::remove_file(folder.checkpoint());
    let _ = std::fs::remove_file(help_checkpoint);
    let sentence = match &finished.fall {
        Some(fall) => fall.clone(),
        None => format!(
            "Completed: all {:.2} s, mean cost {:.3}.",
            finished.summary.duration_secs, finished.summary.cost_mean
        ),
    };
    Ok(Ended::Done(
        match assisted.as_ref().and_then(|assisted| Some((assisted.points.len(), assisted.points.last()?))) {
            Some((count, drawn)) => {
                format!("{sentence} With help: {count} motions, down to a mean cost of {:.3}.", drawn.cost_mean)
            }
            None => sentence,
        },
    ))
}

/// Tells how far it is.
fn tell(
    shared: &Shared,
    id: u64,
    live: &LiveMotion,
    transfer: &Transfer,
    prepared: &sinew::transfer::Prepared,
    began: Instant,
    start: &mut Option<(usize, u64)>,
) {
    let target = &prepared.target;
    let now = transfer.progress(target);
    let (done_before, steps_before) = *start.get_or_insert((now.done, now.steps));
    let elapsed_secs = began.elapsed().as_secs_f64();
    let steps_per_sec = (now.steps - steps_before) as f64 / elapsed_secs.max(1e-3);
    let done = now.done.saturating_sub(done_before);
    let left = now.total.saturating_sub(now.done) as f64;
    let left_secs = (done > 0).then(|| elapsed_secs / done as f64 * left);
    let windows = WindowFigures::of_search(transfer).into_iter();
    let windows: Vec<WindowCosts> = windows
        .map(|WindowFigures { from_secs, to_secs, best, kept }| WindowCosts { from_secs, to_secs, best, kept })
        .collect();
    let revision = live.offer(|| transfer.solution(target));
    let message = match transfer.stage() {
        Stage::Done => "Performs what it found.".to_owned(),
        Stage::Polish => format!("Polishes, round {}.", now.rounds + 1),
        Stage::Weaning => "Every try falls: holds it by strings and lets them go.".to_owned(),
        Stage::Search => {
            format!("Searches window {} of {}.", now.windows + 1, Search::window_count(target, transfer.config()))
        }
    };
    shared.update(id, |job| {
        if job.status == crate::protocol::JobStatus::Running {
            job.message = message;
        }
        job.windows = windows;
        job.motion_revision = revision;
        job.progress = Some(JobProgress {
            done: now.done,
            total: now.total,
            best_cost: now.best_cost,
            steps: now.steps,
            steps_per_sec,
            elapsed_secs,
            left_secs,
        });
    });
}
