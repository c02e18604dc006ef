//! What clips show, from a small TOML file.
//!
//! ```toml
//! [[action]]              # only for actions that are not known already
//! name = "Bow"
//! goal = "achieve"        # or "maintain", "move_to"
//! lookahead = 2.0         # seconds
//!
//! [[clip]]
//! file = "120_02.bvh"     # a file's name, with or without its ending; several entries of one file may overlap
//! clip = "roar"           # which of the file's clips; all of them where it is left out
//! action = "Roar"         # or a list
//! from = 1.5              # seconds; the whole clip where left out
//! to = 2.5
//! ```

use super::clips::Clips;
use crate::error::{DataError, Result};
use serde::{Deserialize, Serialize};
use sinew_learn::{Action, Goal, known_actions};
use std::path::{Path, PathBuf};

/// Name of the file of labels in a folder of clips.
pub const LABELS: &str = "labels.toml";
/// Largest file of labels, bytes.
const LARGEST: u64 = 1 << 22;
/// Most actions of a set: they are bits.
const MOST_ACTIONS: usize = 32;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LabelFile {
    #[serde(default)]
    action: Vec<DeclaredAction>,
    #[serde(default)]
    clip: Vec<ClipLabel>,
}

/// An action that is not known already.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredAction {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub goal: Goal,
    /// How far ahead it is asked for, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lookahead: Option<f64>,
}

/// What a clip shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClipLabel {
    /// The file.
    pub file: String,
    /// Which of the file's clips; all of them where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    action: OneOrMore,
    /// From when, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// To when, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl ClipLabel {
    /// The actions that it shows.
    pub fn actions(&self) -> &[String] {
        match &self.action {
            OneOrMore::One(name) => std::slice::from_ref(name),
            OneOrMore::More(names) => names,
        }
    }
}

/// The labels of a file; without a file, every clip moves to where it goes.
pub struct Labels {
    path: PathBuf,
    file: Option<LabelFile>,
}

impl Labels {
    /// Reads a file of labels; none gives the one action `MoveTo`.
    ///
    /// # Errors
    /// Where the file cannot be read, with the line.
    pub fn read(path: Option<&Path>) -> Result<Labels> {
        let Some(path) = path else { return Ok(Labels { path: PathBuf::new(), file: None }) };
        let text = sinew_files::read_text(path, LARGEST)?;
        let file: LabelFile = toml::from_str(&text).map_err(|error| {
            let problem = error.to_string().trim().replace('\n', " ");
            DataError::Labels { path: path.into(), problem }
        })?;
        Ok(Labels { path: path.into(), file: Some(file) })
    }

    /// Writes the labels into the clips, and returns the actions that they name.
    ///
    /// # Errors
    /// Where a label names an unknown action or file, or a time outside of its clip.
    pub fn apply(&self, clips: &mut Clips, position_count: usize) -> Result<Vec<Action>> {
        let Some(file) = &self.file else {
            clips.clips.iter_mut().for_each(|clip| clip.labels = vec![(0, 0.0, f64::INFINITY)]);
            return Ok(vec![Action::move_to()]);
        };
        let known = self.known(file)?;
        let mut actions: Vec<Action> = Vec::new();
        for label in &file.clip {
            let mut is_found = false;
            for name in label.actions() {
                let action = self.index(&known, name, &mut actions)?;
                for clip in clips.clips.iter_mut().filter(|clip| is_meant(label, &clip.source, &clip.name)) {
                    is_found = true;
                    let frames = clip.positions.len() / position_count.max(1);
                    let secs = frames.saturating_sub(1) as f64 / clip.rate_hz;
                    let (from, to) = (label.from.unwrap_or(0.0), label.to.unwrap_or(secs));
                    // Borders need not be exact: what goes over the end by little is cut.
                    if !(from >= 0.0 && from < to.min(secs) && to <= secs + 1.0) {
                        let (path, file) = (self.path.clone(), label.file.clone());
                        return Err(DataError::LabelTime { path, file, action: name.clone(), from, to, secs }.into());
                    }
                    clip.labels.push((action, from, to));
                }
            }
            if !is_found {
                let mut files: Vec<&str> = clips.clips.iter().map(|clip| clip.source.as_str()).collect();
                files.dedup();
                let known = listed(files.into_iter());
                return Err(DataError::UnknownFile { path: self.path.clone(), file: label.file.clone(), known }.into());
            }
        }
        if actions.is_empty() {
            let problem = "there is no [[clip]] with a file and an action in it".to_owned();
            return Err(DataError::Labels { path: self.path.clone(), problem }.into());
        }
        Ok(actions)
    }

    fn known(&self, file: &LabelFile) -> Result<Vec<Action>> {
        let mut known = known_actions();
        for declared in &file.action {
            let action = Action::new(declared.name.clone(), declared.goal);
            let lookahead_secs = declared.lookahead.unwrap_or(action.lookahead_secs);
            if !(0.1..=60.0).contains(&lookahead_secs) {
                let problem =
                    format!("the action {:?} looks {lookahead_secs} s ahead; give from 0.1 to 60 s", declared.name);
                return Err(DataError::Labels { path: self.path.clone(), problem }.into());
            }
            known.retain(|other| !other.name.eq_ignore_ascii_case(&declared.name));
            known.push(Action { lookahead_secs, ..action });
        }
        Ok(known)
    }

    /// Index of an action among those of the set, to which it is added.
    fn index(&self, known: &[Action], name: &str, actions: &mut Vec<Action>) -> Result<usize> {
        if let Some(index) = actions.iter().position(|action| action.name.eq_ignore_ascii_case(name)) {
            return Ok(index);
        }
        let Some(action) = known.iter().find(|action| action.name.eq_ignore_ascii_case(name)) else {
            let known = listed(known.iter().map(|action| action.name.as_str()));
            return Err(DataError::UnknownAction { path: self.path.clone(), action: name.into(), known }.into());
        };
        if actions.len() == MOST_ACTIONS {
            let count = MOST_ACTIONS + 1;
            return Err(DataError::TooManyActions { path: self.path.clone(), count, most: MOST_ACTIONS }.into());
        }
        actions.push(action.clone());
        Ok(actions.len() - 1)
    }
}

/// Whether a label is about a clip: by the file's path or name, with or without its ending, and by the clip's name.
fn is_meant(label: &ClipLabel, source: &str, clip: &str) -> bool {
    let path = Path::new(source);
    let is_file = [Some(path.as_os_str()), path.file_name(), path.file_stem()]
        .into_iter()
        .flatten()
        .any(|name| name.to_string_lossy().eq_ignore_ascii_case(&label.file));
    is_file && label.clip.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(clip))
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 50;
    let all: Vec<&str> = names.collect();
    let more = all.len().saturating_sub(MOST);
    let list = all[..all.len().min(MOST)].join(", ");
    if more > 0 { format!("{list} and {more} more") } else { list }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_learn::InputClip;

    fn clips() -> Clips {
        let clip = |name: &str, source: &str| InputClip {
            name: name.into(),
            source: source.into(),
            rate_hz: 30.0,
            positions: vec![0.0; 2 * 91],
            labels: Vec::new(),
        };
        let clips = vec![clip("walk", "a/walk.bvh"), clip("roar", "gorilla.glb"), clip("rest", "gorilla.glb")];
        Clips { clips, ..Clips::default() }
    }

    fn applied(text: &str) -> Result<(Clips, Vec<Action>)> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("labels.toml");
        std::fs::write(&path, text).expect("written");
        let mut clips = clips();
        let actions = Labels::read(Some(&path))?.apply(&mut clips, 2)?;
        Ok((clips, actions))
    }

    fn refusal(text: &str) -> String {
        applied(text).map(|_| ()).expect_err("refused").to_string()
    }

    #[test]
    fn labels_find_their_clips() {
        let (clips, actions) = applied(
            "[[action]]\nname = 'Bow'\ngoal = 'achieve'\nlookahead = 2.0\n\
             [[clip]]\nfile = 'walk'\naction = ['walk', 'MoveTo']\n\
             [[clip]]\nfile = 'gorilla.glb'\nclip = 'ROAR'\naction = 'Bow'\nfrom = 0.5\nto = 1.5\n",
        )
        .expect("labels");
        let names: Vec<&str> = actions.iter().map(|a| a.name.as_str()).collect();
        assert_eq!(names, ["Walk", "MoveTo", "Bow"]);
        assert_eq!((actions[2].goal, actions[2].lookahead_secs), (Goal::Achieve, 2.0));
        assert_eq!(clips.clips[0].labels, [(0, 0.0, 3.0), (1, 0.0, 3.0)]);
        assert_eq!(clips.clips[1].labels, [(2, 0.5, 1.5)]);
        assert!(clips.clips[2].labels.is_empty());
    }

    #[test]
    fn without_a_file_all_clips_move() {
        let mut clips = clips();
        let actions = Labels::read(None).and_then(|l| l.apply(&mut clips, 2)).expect("actions");
        assert_eq!(actions, [Action::move_to()]);
        assert!(clips.clips.iter().all(|clip| clip.labels.len() == 1));
    }

    #[test]
    fn what_is_wrong_is_said_in_a_sentence() {
        let said = refusal("[[clip]]\nfile = 'walk'\naction = 'Fly'\n");
        assert!(said.contains("\"Fly\" is not known") && said.contains("MoveTo, Walk"), "{said}");
        let said = refusal("[[clip]]\nfile = 'run.bvh'\naction = 'Run'\n");
        assert!(said.contains("\"run.bvh\"") && said.contains("a/walk.bvh, gorilla.glb"), "{said}");
        let said = refusal("[[clip]]\nfile = 'walk'\naction = 'Walk'\nfrom = 7\nto = 9\n");
        assert!(said.contains("lasts 3.00 s"), "{said}");
        let said = refusal("[[clip]]\nfile = 'walk'\naction = 'Walk'\nfrom = nan\n");
        assert!(said.contains("from NaN s"), "{said}");
        let said = refusal("[[clip]]\nfile = 'walk'\nactoin = 'Walk'\n");
        assert!(said.contains("line 3") && said.contains("actoin"), "{said}");
        assert!(refusal("").contains("no [[clip]]"));
        assert!(
            refusal("[[action]]\nname='A'\ngoal='maintain'\nlookahead=0.0\n[[clip]]\nfile='walk'\naction='A'\n")
                .contains("ahead")
        );
    }
}
