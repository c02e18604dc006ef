//! A transfer as a job: the same work as `sinew transfer`, to the same bytes.

use super::live::LiveMotion;
use super::{Ended, Shared};
use crate::error::Refusal;
use crate::project::Project;
use crate::project::characters::find_rig;
use crate::protocol::{Job, JobRequest, WindowCosts};
use anyhow::{Result, bail};
use sinew::transfer::{Event, Request, Task, Transfer, Transferred, WindowFigures, transfer};
use sinew_modeler::{CharacterProject, ModelOptions};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

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
    let JobRequest::Transfer { character, rig, clip, preset, cycles, seed, from_rest, assist, .. } = &job.request
    else {
        bail!("job {} is no transfer", job.id);
    };
    let project = &shared.project;
    let plain = |refusal: Refusal| anyhow::anyhow!(refusal.sentence);
    let made = match character {
        Some(_) => Some(CharacterProject::load(&shared.character_copy(job.id))?),
        None => None,
    };
    let rig = rig_of(project, character.as_deref(), rig.as_deref(), made.as_ref()).map_err(plain)?;
    let mut source = match &made {
        Some(made) => project.open_rig_of(&rig, made),
        None => project.open_rig(&rig),
    }
    .map_err(plain)?;
    let options = ModelOptions {
        name: source.name.clone(),
        source: rig.clone(),
        metres_per_unit: source.changed_unit(),
        ..ModelOptions::default()
    };
    if let Some(character) = character {
        source.name = Path::new(character).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    }
    let task = Task { clip: clip.clone(), cycles: *cycles, character: made, keeps_slides: false, options };
    let mut request = Request {
        seed: *seed,
        assist: assist.then(|| preset.assist()),
        out: Some(project.path(&job.result).map_err(plain)?),
        ..Request::new(task, *preset)
    };
    if *from_rest {
        request.from_rest();
    }

    let mut live = None;
    let done = transfer(source, &request, &shared.options(), &mut |event| {
        match event {
            Event::Prepared(prepared) => {
                let motion = Arc::new(LiveMotion::new(prepared, &request.config, &rig));
                shared.set_live(job.id, Some(motion.clone()));
                live = Some((motion, prepared.clone()));
            }
            Event::Searching { transfer, progress, .. } => {
                let offered = live.as_ref().map(|(live, prepared)| live.offer(|| transfer.solution(&prepared.target)));
                shared.show(job.id, progress, |job| {
                    job.windows = windows(transfer);
                    job.motion_revision = offered.unwrap_or(job.motion_revision);
                });
            }
            Event::Assisting { progress, .. } => shared.show(job.id, progress, |_| ()),
            Event::Writing => shared.update(job.id, |job| job.message = "Draws and writes.".into()),
        }
        ControlFlow::Continue(())
    })?;
    Ok(done.map_or(Ended::Stopped, |done| Ended::Done(sentence(&done))))
}

/// What the windows searched so far cost.
fn windows(transfer: &Transfer) -> Vec<WindowCosts> {
    let figures = WindowFigures::of_search(transfer).into_iter();
    figures
        .map(|WindowFigures { from_secs, to_secs, best, kept }| WindowCosts { from_secs, to_secs, best, kept })
        .collect()
}

/// What came out.
fn sentence(Transferred { finished, assisted, .. }: &Transferred) -> String {
    let sentence = format!("{}.", finished.summary.verdict_sentence);
    match assisted.as_ref().and_then(|assisted| Some((assisted.points.len(), assisted.points.last()?))) {
        Some((count, drawn)) => {
            format!("{sentence} With help: {count} motions, down to a mean cost of {:.3}.", drawn.cost_mean)
        }
        None => sentence,
    }
}
