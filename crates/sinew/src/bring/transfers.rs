//! The transfers of all clips, several at a time; each is kept, and not made again.

use super::gaits::{Role, action_name, role_of};
use super::request::{Event, Request, Stage};
use crate::error::{At as _, BringError, Error, FileError, Result};
use crate::modeling::{clips_on_ground, named_clip};
use crate::source::Source;
use crate::transfer::{self, Figures, Task, Verdict};
use sinew_modeler::CharacterProject;
use sinew_motion::Clip;
use sinew_motion::tools::{feet, repeat_cycle};
use sinew_work::{Progress, RunOptions};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Folders in the folder `work`: motions that can be used, and those that cannot.
pub(super) const USED: &str = "transfers";
const FAILED: &str = "failed";
/// A gait is transferred for at least so long, s.
const GAIT_SECS: f64 = 4.0;
/// An action begins and ends without its label for so long, s, and at most this share of it, so that other motion may follow.
const MARGIN_SECS: f64 = 0.25;
const MARGIN_SHARE: f64 = 0.15;

/// A clip that became a simulated motion.
#[derive(Clone, Debug)]
pub struct TransferredClip {
    /// The clip.
    pub clip: String,
    /// What it is for.
    pub role: Role,
    /// Its action.
    pub action: String,
    /// Folder of the transfer, under `work/transfers`.
    pub folder: String,
    /// Its figures.
    pub figures: Figures,
}

/// A clip that is left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The clip.
    pub clip: String,
    /// Why.
    pub why: String,
}

/// A clip to be transferred.
pub(super) struct Planned {
    pub clip: String,
    pub role: Role,
    pub folder: String,
    cycles: Option<usize>,
}

impl Planned {
    /// A piece of motion, in a folder of its own name.
    pub fn piece(name: String) -> Planned {
        Planned { clip: name.clone(), role: Role::Gait, folder: name, cycles: None }
    }
}

/// Transfers of one source's clips to one character.
#[derive(Clone, Copy)]
pub(super) struct Transfers<'a> {
    pub request: &'a Request,
    /// The rig with the clips.
    pub source: &'a Source,
    pub project: &'a CharacterProject,
    /// The stage that they are told as.
    pub stage: Stage,
}

/// What came of transfers.
pub(super) struct Transferred {
    pub used: Vec<TransferredClip>,
    pub left_out: Vec<LeftOut>,
}

/// A simulated motion with what it shows: actions, and from when to when, s.
pub(super) struct Labelled {
    pub folder: String,
    pub spans: Vec<(String, f64, f64)>,
}

/// The clips that are asked for, and what they are for.
///
/// # Errors
/// Where a name leads to no clip, or there is no gait among them.
pub(super) fn plan(source: &Source, wanted: &[String]) -> Result<(Vec<Clip>, Vec<Planned>)> {
    let rig = &source.rig;
    let clips: Vec<Clip> = match wanted {
        [] => rig.clips.iter().filter(|clip| clip.frame_count() > 2).cloned().collect(),
        names => names.iter().map(|name| named_clip(rig, name)).collect::<Result<_>>()?,
    };
    if clips.is_empty() {
        return Err(crate::error::ClipError::None { file: source.name.clone() }.into());
    }
    let names: Vec<String> = clips.iter().map(|clip| clip.name.clone()).collect();
    let (grounded, _) = clips_on_ground(rig, &names, &feet(&rig.skeleton, &rig.clips))?;
    let mut taken = BTreeSet::new();
    let mut planned = Vec::new();
    for clip in &grounded {
        let role = role_of(clip, rig.skeleton.height());
        let is_cycle = repeat_cycle(clip, 1).is_ok_and(|repeated| repeated.is_cycle);
        let cycles = (GAIT_SECS / clip.duration_secs()).ceil().clamp(1.0, 20.0) as usize;
        let cycles = (role == Role::Gait && is_cycle && cycles > 1).then_some(cycles);
        let plain: String = clip.name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let folder = std::iter::once(plain.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(plain);
        taken.insert(folder.clone());
        planned.push(Planned { clip: clip.name.clone(), role, folder, cycles });
    }
    if planned.iter().all(|clip| clip.role != Role::Gait) {
        return Err(BringError::NoGait { character: source.name.clone(), clips: names }.into());
    }
    Ok((grounded, planned))
}

/// Transfers all clips, several at a time. Returns none where it was told to stop.
///
/// # Errors
/// Where a transfer cannot be made at all.
pub(super) fn transfer_all(
    transfers: &Transfers<'_>,
    planned: &[Planned],
    options: &RunOptions,
    observe: &mut (dyn FnMut(Event<'_>) -> ControlFlow<()> + Send),
) -> Result<Option<Transferred>> {
    let threads = if options.threads == 0 { rayon::current_num_threads() } else { options.threads };
    let at_once = threads.min(planned.len()).max(1);
    let each = RunOptions { threads: (threads / at_once).max(1), ..options.clone() };
    let queue = Mutex::new(planned.iter());
    let observe = Mutex::new((observe, vec![0.0; planned.len()]));
    let failed: Mutex<Option<Error>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let next = lock(&queue).next();
                    let Some(clip) = next else { return };
                    let index = planned.iter().position(|other| other.folder == clip.folder).unwrap_or(0);
                    let mut tell = |share: f64, doing: &str| {
                        let (observe, shares) = &mut *lock(&observe);
                        shares[index] = share;
                        let all = shares.iter().sum::<f64>() / shares.len() as f64;
                        observe(Event::Working { stage: transfers.stage, share: all, doing })
                    };
                    match one(transfers, clip, &each, &mut tell) {
                        Ok(true) => {}
                        Ok(false) => return,
                        Err(error) => {
                            lock(&failed).get_or_insert(error);
                            return;
                        }
                    }
                }
            });
        }
    });
    if let Some(error) = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        return Err(error);
    }
    if options.cancel.is_cancelled() {
        return Ok(None);
    }
    sorted_out(transfers.request, planned).map(Some)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Transfers a clip, where that is not done. Returns false where it was told to stop.
fn one(
    transfers: &Transfers<'_>,
    clip: &Planned,
    options: &RunOptions,
    tell: &mut (dyn FnMut(f64, &str) -> ControlFlow<()> + Send),
) -> Result<bool> {
    let Transfers { request, source, project, .. } = *transfers;
    let work = request.work();
    let is_done = |name: &str| work.join(name).join(&clip.folder).join("summary.json").is_file();
    if is_done(USED) || is_done(FAILED) {
        return Ok(tell(1.0, &clip.clip).is_continue());
    }
    let task = Task {
        clip: Some(clip.clip.clone()),
        cycles: clip.cycles,
        character: Some(project.clone()),
        options: project.options().clone(),
        ..Task::default()
    };
    let mut asked = transfer::Request::new(task, request.preset);
    asked.seed = request.seed;
    asked.out = Some(work.join(USED).join(&clip.folder));
    let options = RunOptions { resumes: true, ..options.clone() };
    let done = transfer::transfer(source.clone(), &asked, &options, &mut |event| match event {
        transfer::Event::Searching { progress, .. } => tell(progress.share(), &line(&clip.clip, progress)),
        _ => ControlFlow::Continue(()),
    });
    match done.at(&clip.clip)? {
        Some(_) => Ok(tell(1.0, &clip.clip).is_continue()),
        None => Ok(false),
    }
}

fn line(clip: &str, progress: &Progress) -> String {
    format!("{clip}: {}", progress.doing)
}

/// Puts motions that failed aside.
fn sorted_out(request: &Request, planned: &[Planned]) -> Result<Transferred> {
    let work = request.work();
    let mut done = Transferred { used: Vec::new(), left_out: Vec::new() };
    for clip in planned {
        let folder = [USED, FAILED].map(|name| work.join(name).join(&clip.folder));
        let place = folder.iter().find(|folder| folder.join("summary.json").is_file()).unwrap_or(&folder[0]);
        let figures = Figures::read(&place.join("summary.json"))?;
        if figures.verdict == Some(Verdict::Failed) {
            if *place == folder[0] {
                make(&work.join(FAILED))?;
                fs::rename(&folder[0], &folder[1])
                    .map_err(|error| FileError::Write { path: folder[1].clone(), error })?;
            }
            done.left_out.push(LeftOut { clip: clip.clip.clone(), why: figures.verdict_sentence.clone() });
            continue;
        }
        let action = match clip.role {
            Role::Gait => "MoveTo".to_owned(),
            Role::Action => action_name(&clip.clip),
        };
        let (role, folder) = (clip.role, clip.folder.clone());
        done.used.push(TransferredClip { clip: clip.clip.clone(), role, action, folder, figures });
    }
    Ok(done)
}

/// Refuses a character none of whose clips can be used, or no gait.
pub(super) fn check_usable(
    request: &Request,
    project: &CharacterProject,
    planned: &[Planned],
    done: &Transferred,
) -> Result<()> {
    let character = project.character().name.clone();
    if let (true, Some(first)) = (done.used.is_empty(), done.left_out.first()) {
        let report = request.work().join(FAILED).join(&planned[0].folder).join("report.html");
        let (clip, why) = (first.clip.clone(), first.why.clone());
        return Err(BringError::AllFailed { character, clip, why, report }.into());
    }
    if done.used.iter().all(|clip| clip.role != Role::Gait) {
        let clips = done.used.iter().map(|clip| clip.clip.clone()).collect();
        return Err(BringError::NoGait { character, clips }.into());
    }
    Ok(())
}

/// Writes what the simulated motions show beside them.
pub(super) fn put_labels(request: &Request, text: &str) -> Result<()> {
    let path = request.work().join(USED).join(crate::learn::LABELS);
    Ok(fs::write(&path, text).map_err(|error| FileError::Write { path, error })?)
}

/// The file of labels: gaits move about, every other clip is an action of its own, and what was rehearsed shows both in turn.
pub(super) fn labels(clips: &[TransferredClip], rehearsed: &[Labelled]) -> String {
    let mut text = String::from("# What the simulated motions show.\n");
    let quoted = |name: &str| toml::Value::String(name.to_owned()).to_string();
    let mut declared = BTreeSet::new();
    for clip in clips.iter().filter(|clip| clip.role == Role::Action) {
        if declared.insert(clip.action.to_lowercase()) {
            let _ = writeln!(text, "\n[[action]]\nname = {}\ngoal = \"achieve\"", quoted(&clip.action));
        }
    }
    for clip in clips {
        let _ = writeln!(text, "\n[[clip]]\nfile = {}\naction = {}", quoted(&clip.folder), quoted(&clip.action));
        // A motion that falls counts until then.
        let secs = clip.figures.fell_at_secs.unwrap_or(clip.figures.duration_secs);
        let margin = MARGIN_SECS.min(MARGIN_SHARE * secs);
        if clip.role == Role::Action {
            let _ = writeln!(text, "from = {margin:?}\nto = {:?}", secs - margin);
        }
    }
    for Labelled { folder, spans } in rehearsed {
        for (action, from, to) in spans {
            let _ = writeln!(text, "\n[[clip]]\nfile = {}\naction = {}", quoted(folder), quoted(action));
            let _ = writeln!(text, "from = {from:?}\nto = {to:?}");
        }
    }
    text
}

/// Makes a folder.
pub(super) fn make(path: &Path) -> Result<PathBuf> {
    fs::create_dir_all(path).map_err(|error| FileError::Make { path: path.into(), error })?;
    Ok(path.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_transfer::{Fidelity, Terms};

    fn clip(name: &str, role: Role) -> TransferredClip {
        let figures = Figures {
            verdict: Some(Verdict::Loose),
            verdict_sentence: String::new(),
            fidelity: Fidelity::default(),
            completed: true,
            fell_at_secs: None,
            fall: None,
            duration_secs: 1.0,
            cost_mean: 0.0,
            cost_terms: Terms::default(),
            jerk_ratio: 1.0,
            foot_skate: 0.0,
            worst_skate: 0.0,
            max_penetration: 0.0,
            steps: 0,
            windows: Vec::new(),
        };
        let action = if role == Role::Gait { "MoveTo".into() } else { action_name(name) };
        TransferredClip { clip: name.into(), role, action, folder: name.into(), figures }
    }

    #[test]
    fn gaits_move_about_and_actions_are_declared_once_with_margins() {
        let rehearsed = Labelled { folder: "rehearsal-01".into(), spans: vec![("Wave".into(), 1.5, 2.25)] };
        let clips = [clip("walk", Role::Gait), clip("wave", Role::Action), clip("Wave", Role::Action)];
        let text = labels(&clips, &[rehearsed]);
        assert_eq!(text.matches("[[action]]").count(), 1, "{text}");
        let table: toml::Table = toml::from_str(&text).expect("TOML");
        let clips = table["clip"].as_array().expect("clips");
        assert_eq!(clips[0]["action"].as_str(), Some("MoveTo"));
        assert!(clips[0].get("from").is_none());
        assert_eq!((clips[1]["action"].as_str(), clips[1]["from"].as_float()), (Some("Wave"), Some(0.15)));
        assert_eq!(clips[1]["to"].as_float(), Some(0.85));
        assert_eq!((clips[3]["file"].as_str(), clips[3]["action"].as_str()), (Some("rehearsal-01"), Some("Wave")));
        assert_eq!((clips[3]["from"].as_float(), clips[3]["to"].as_float()), (Some(1.5), Some(2.25)));
    }

    #[test]
    fn plans_refuse_what_is_not_there_and_what_cannot_move() {
        let source = Source::open("human".as_ref(), &[], &Default::default()).expect("a source");
        let said = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            plan(&source, &names).map(|_| ()).expect_err("refused").to_string()
        };
        let unknown = said(&["fly"]);
        assert!(unknown.contains("fly") && unknown.contains("walk") && unknown.contains("jump"), "{unknown}");
        let gaitless = said(&["jump", "punch"]);
        assert!(gaitless.contains("jump, punch") && gaitless.contains("gait"), "{gaitless}");
        let (clips, planned) = plan(&source, &["walk".into(), "punch".into()]).expect("a plan");
        assert_eq!(clips.len(), 2);
        assert!(planned[0].role == Role::Gait && planned[0].cycles.is_some_and(|cycles| cycles >= 3));
        assert!(planned[1].role == Role::Action && planned[1].cycles.is_none());
    }
}
