//! A transfer from what is asked for to the files: the one use-case that command line, studio and programs share.

use super::{
    Assisted, Begins, Config, Finished, OutputFolder, Prepared, Preset, Task, Transfer, assist, can_be_assisted, files,
    prepare,
};
use crate::error::{FileError, Result};
use crate::source::Source;
use sinew_transfer::{AssistConfig, TransferWork};
use sinew_work::{Progress, RunOptions, Started, run, run_once};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Name of the transfer's checkpoint in the folder of the result.
pub const CHECKPOINT: &str = "checkpoint.bin";
/// Name of the front's checkpoint beside it.
pub const ASSIST_CHECKPOINT: &str = "assist-checkpoint.bin";

/// All that a transfer is asked for.
pub struct Request {
    /// Clip, cycles, character.
    pub task: Task,
    /// Preset that the settings are of, for the record.
    pub preset: Preset,
    /// Settings.
    pub config: Config,
    /// Settings of the front of motions with help; none for physics alone.
    pub assist: Option<AssistConfig>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Folder of the result; none for `sinew-out/FILE-CLIP`.
    pub out: Option<PathBuf>,
}

impl Request {
    /// A transfer by a preset.
    pub fn new(task: Task, preset: Preset) -> Request {
        Request { task, preset, config: preset.config(), assist: None, seed: 0, out: None }
    }

    /// Starts the character standing still instead of with the clip's velocity.
    pub fn from_rest(&mut self) {
        self.config.begins = Begins::Rest;
    }
}

/// What a transfer tells on its way.
pub enum Event<'a> {
    /// The character is made and the clip laid onto it.
    Prepared(&'a Arc<Prepared>),
    /// The search or the polish has done a piece of work.
    Searching {
        /// Where it began.
        started: Started,
        /// What it has found so far.
        transfer: &'a Transfer,
        /// How far it is.
        progress: &'a Progress,
    },
    /// The front of motions with help has got a piece further.
    Assisting {
        /// Where it began.
        started: Started,
        /// How far it is.
        progress: &'a Progress,
    },
    /// Pictures are drawn and files are written.
    Writing,
}

/// What came of a transfer.
pub struct Transferred {
    /// The character and its target.
    pub prepared: Arc<Prepared>,
    /// The search.
    pub transfer: Transfer,
    /// What was found, performed and measured.
    pub finished: Finished,
    /// The front of motions with help, where it was asked for.
    pub assisted: Option<Assisted>,
    /// Folder of the result.
    pub out: PathBuf,
}

/// Prepares, searches and writes. Returns none where it was told to stop, by `options.cancel` or because `observe` breaks: what was found so far is in
/// the checkpoint, from which the same request goes on with `options.resumes`. The checkpoint's place is the result's folder.
///
/// # Errors
/// Where the request does not fit the file, a checkpoint is of another run, the simulator refuses, or a file cannot be written.
pub fn transfer(
    source: Source,
    request: &Request,
    options: &RunOptions,
    observe: &mut (dyn FnMut(Event<'_>) -> ControlFlow<()> + Send),
) -> Result<Option<Transferred>> {
    let prepared = Arc::new(prepare(source, &request.task, &request.config)?);
    if request.assist.is_some() {
        can_be_assisted(&prepared.target)?;
    }
    if observe(Event::Prepared(&prepared)).is_break() {
        return Ok(None);
    }
    let out = request.out.clone().unwrap_or_else(|| default_folder(&prepared, request.task.clip.as_deref()));
    let mut folder = OutputFolder::make(&out)?;
    let [of_search, of_assist] =
        [CHECKPOINT, ASSIST_CHECKPOINT].map(|name| RunOptions { checkpoint: Some(out.join(name)), ..options.clone() });
    if !options.resumes {
        // It is of an earlier run.
        remove(&out.join(ASSIST_CHECKPOINT))?;
    }

    let began = Instant::now();
    let work = TransferWork { target: &prepared.target, config: &request.config, seed: request.seed };
    let outcome = run(&work, &of_search, &mut |started, transfer, progress| {
        // There is a checkpoint now.
        folder.keep();
        observe(Event::Searching { started, transfer, progress })
    })?;
    let Some(transfer) = outcome.finished() else { return Ok(None) };
    let wall_secs = began.elapsed().as_secs_f64();
    let assisted = match &request.assist {
        None => None,
        Some(settings) => {
            let mut observe = |started, progress: &Progress| observe(Event::Assisting { started, progress });
            let assisted = assist(&prepared, &transfer, request.preset, settings, &of_assist, &mut observe)?;
            let Some(assisted) = assisted else { return Ok(None) };
            Some(assisted)
        }
    };

    if observe(Event::Writing).is_break() {
        return Ok(None);
    }
    let written = run_once(options, || -> Result<Finished> {
        let mut finished = Finished::new(&prepared, &transfer, request.preset)?;
        match &assisted {
            Some(assisted) => {
                assisted.write(&prepared, &transfer, &finished, &folder)?;
                finished.summary.assist = assisted.rows(&out);
            }
            None => folder.write(&files(&prepared, &transfer, &finished)?)?,
        }
        finished.summary.wall_secs = wall_secs;
        finished.summary.threads = rayon::current_num_threads();
        finished.summary.out = out.display().to_string();
        Ok(finished)
    })?;
    let Some(finished) = written else { return Ok(None) };
    // Nobody needs them any more.
    remove(&out.join(CHECKPOINT))?;
    remove(&out.join(ASSIST_CHECKPOINT))?;
    Ok(Some(Transferred { prepared, transfer, finished, assisted, out }))
}

/// Removes a file, where it is there.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(FileError::Remove { path: path.into(), error }.into())
        }
        _ => Ok(()),
    }
}

/// `sinew-out/<input>-<clip>`, with nothing in it that a file system minds: the clip as it was asked for, without what exporters put before its name.
fn default_folder(prepared: &Prepared, asked: Option<&str>) -> PathBuf {
    let clip = asked.unwrap_or(&prepared.clip().name);
    let parts: Vec<&str> = clip.split('+').map(last_part).collect();
    PathBuf::from("sinew-out").join(format!("{}-{}", plain(&prepared.source.name), plain(&parts.join("+"))))
}

/// The last part of a clip's name: `Walk` of `HumanArmature|Walk`.
pub fn last_part(clip: &str) -> &str {
    let last = clip.rsplit(['|', ':', '/']).next().unwrap_or_default().trim();
    if last.is_empty() { clip } else { last }
}

fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "-_+".contains(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_by_the_last_part_of_a_clip() {
        for (clip, part) in
            [("HumanArmature|Walk", "Walk"), ("walk", "walk"), ("a:b|c/Run 2", "Run 2"), ("odd|", "odd|"), ("", "")]
        {
            assert_eq!(last_part(clip), part, "{clip}");
        }
        assert_eq!(plain("Run 2"), "Run_2");
    }
}
