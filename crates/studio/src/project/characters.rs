//! Characters: made, edited, undone; every change is in the file before it is answered.

use super::{Found, Project, Stamp, locked, stamp};
use crate::error::Refusal;
use crate::names::{free_path, plain, plain_name};
use crate::protocol::{
    CharacterDetail, CharacterEntry, CopyRequest, EditRequest, MakeRequest, PreflightAnswer, Problem, RestPose,
};
use sinew::modeling::Modeling;
use sinew_modeler::{
    CharacterProject, ModelOptions, Preflight, PreflightOptions, Preset, counterpart, cover, mend, preflight,
};
use sinew_motion::{ImportOptions, SizeRule};
use sinew_sim::{Character, JointKind, Measured, Model, Scene};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Characters that were looked at, with their revisions.
#[derive(Default)]
pub struct CharacterStore {
    open: BTreeMap<String, Open>,
    entries: BTreeMap<String, (Stamp, Option<(String, String)>)>,
    /// Grows with every change of any character.
    last_revision: u64,
}

struct Open {
    project: CharacterProject,
    stamp: Option<Stamp>,
    revision: u64,
}

impl CharacterStore {
    /// The character of a file; read again where the file has changed.
    fn open(&mut self, id: &str, path: &Path) -> Result<&mut Open, Refusal> {
        let now = stamp(path);
        if now.is_none() {
            self.open.remove(id);
            return Err(Refusal::missing(format!("there is no character {id}; choose one from the list")));
        }
        let is_fresh = self.open.get(id).is_some_and(|open| open.stamp == now);
        if !is_fresh {
            let project = CharacterProject::load(path).map_err(|e| Refusal::bad(e.to_string()))?;
            self.last_revision += 1;
            self.open.insert(id.into(), Open { project, stamp: now, revision: self.last_revision });
        }
        self.open.get_mut(id).ok_or_else(|| Refusal::missing(format!("there is no character {id}")))
    }
}

impl Project {
    /// The list of characters. Other TOML files are left out.
    pub fn character_entries(&self, found: &Found) -> Vec<CharacterEntry> {
        let mut store = locked(&self.characters);
        store.entries.retain(|id, _| found.characters.contains_key(id));
        let mut entries = Vec::new();
        for (id, now) in &found.characters {
            if store.entries.get(id).is_none_or(|(kept, _)| kept != now) {
                let read = self.path(id).ok().and_then(|path| CharacterProject::load(&path).ok());
                let names = read.map(|project| (project.character().name.clone(), project.options().source.clone()));
                store.entries.insert(id.clone(), (*now, names));
            }
            let Some((_, Some((_, source)))) = store.entries.get(id) else { continue };
            entries.push(CharacterEntry {
                id: id.clone(),
                name: Path::new(id).file_stem().unwrap_or_default().to_string_lossy().into_owned(),
                rig: find_rig(found, source),
                revision: store.open.get(id).map_or(0, |open| open.revision),
            });
        }
        entries
    }

    /// Makes a character of a rig and saves it.
    ///
    /// # Errors
    /// Where the rig cannot be read or no character can be made of it.
    pub fn make_character(&self, request: &MakeRequest) -> Result<CharacterDetail, Refusal> {
        let preset = match request.preset.as_deref() {
            None | Some("default") => Preset::Default,
            Some("paper") => Preset::Paper,
            Some(other) => return Err(Refusal::bad(format!("there is no preset {other}; choose default or paper"))),
        };
        let size = match request.size.as_deref() {
            None => SizeRule::Judged,
            Some("file") => SizeRule::File,
            Some("motion") => SizeRule::Motion,
            Some(other) => return Err(Refusal::bad(format!("there is no size {other}; choose file or motion"))),
        };
        let read = ImportOptions { up: request.up, height: request.height_m, size, ..ImportOptions::default() };
        let source = match read == ImportOptions::default() {
            true => self.rig(&request.rig)?,
            false => Arc::new(self.open_sized_rig(&request.rig, &read)?),
        };
        let name = match &request.name {
            Some(name) => plain_name(name)?.to_owned(),
            None => plain(&source.name),
        };
        let options = ModelOptions {
            name: name.clone(),
            source: request.rig.clone(),
            metres_per_unit: source.changed_unit(),
            up: request.up,
            preset,
            mass: request.mass_kg,
            ..ModelOptions::default()
        };
        let project = Modeling::character(&source, &request.clips, &options)?;
        self.save_new(&name, project)
    }

    /// Copies a character under another name.
    ///
    /// # Errors
    /// Where it is not there, or the name is none.
    pub fn copy_character(&self, request: &CopyRequest) -> Result<CharacterDetail, Refusal> {
        let project = self.character(&request.id)?;
        self.save_new(plain_name(&request.name)?, project)
    }

    fn save_new(&self, name: &str, project: CharacterProject) -> Result<CharacterDetail, Refusal> {
        let folder = self.path("characters")?;
        let cannot = |e: String| Refusal::bad(format!("the character cannot be saved: {e}"));
        std::fs::create_dir_all(&folder).map_err(|e| cannot(e.to_string()))?;
        let path = free_path(&folder, name, ".toml", &|_| false);
        project.save(&path).map_err(|e| cannot(e.to_string()))?;
        self.character_detail(&self.id(&path))
    }

    /// The character as it is now.
    ///
    /// # Errors
    /// Where it is not there or cannot be read.
    pub fn character(&self, id: &str) -> Result<CharacterProject, Refusal> {
        let path = self.character_path(id)?;
        Ok(locked(&self.characters).open(id, &path)?.project.clone())
    }

    /// Where its file is.
    ///
    /// # Errors
    /// Where the id is none of a character.
    pub fn character_path(&self, id: &str) -> Result<std::path::PathBuf, Refusal> {
        let path = self.path(id)?;
        match path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
            true => Ok(path),
            false => Err(Refusal::missing(format!("there is no character {id}; characters end in .toml"))),
        }
    }

    /// Everything about it.
    ///
    /// # Errors
    /// Where it is not there or cannot be read.
    pub fn character_detail(&self, id: &str) -> Result<CharacterDetail, Refusal> {
        let path = self.character_path(id)?;
        let (project, revision) = {
            let mut store = locked(&self.characters);
            let open = store.open(id, &path)?;
            (open.project.clone(), open.revision)
        };
        self.detail(id, &project, revision)
    }

    /// Applies a change and saves it.
    ///
    /// # Errors
    /// Where the change is refused, made on another revision, or cannot be saved; then nothing has changed.
    pub fn edit_character(&self, request: EditRequest) -> Result<CharacterDetail, Refusal> {
        let EditRequest { id, revision, change } = request;
        self.change(&id, revision, |project| project.edit(change).map_err(|e| Refusal::bad(e.to_string())))
    }

    /// Takes the last change back.
    ///
    /// # Errors
    /// Where there is none.
    pub fn undo_character(&self, id: &str) -> Result<CharacterDetail, Refusal> {
        self.change(id, None, |project| match project.undo() {
            true => Ok(()),
            false => Err(Refusal::bad("there is no change to take back")),
        })
    }

    /// Makes the change that was undone last again.
    ///
    /// # Errors
    /// Where there is none.
    pub fn redo_character(&self, id: &str) -> Result<CharacterDetail, Refusal> {
        self.change(id, None, |project| match project.redo() {
            true => Ok(()),
            false => Err(Refusal::bad("no change was taken back")),
        })
    }

    pub(super) fn change(
        &self,
        id: &str,
        revision: Option<u64>,
        change: impl FnOnce(&mut CharacterProject) -> Result<(), Refusal>,
    ) -> Result<CharacterDetail, Refusal> {
        let path = self.character_path(id)?;
        let mut store = locked(&self.characters);
        let open = store.open(id, &path)?;
        if let Some(seen) = revision.filter(|seen| *seen != open.revision) {
            let now = open.revision;
            return Err(Refusal::conflict(format!(
                "{id} was changed elsewhere meanwhile (revision {now}, not {seen}); look at it and make the change again"
            )));
        }
        let mut next = open.project.clone();
        change(&mut next)?;
        next.save(&path).map_err(|e| Refusal::fault(format!("the change could not be saved and was dropped: {e}")))?;
        open.project = next;
        open.stamp = stamp(&path);
        store.last_revision += 1;
        let revision = store.last_revision;
        let project = match store.open.get_mut(id) {
            Some(open) => {
                open.revision = revision;
                open.project.clone()
            }
            None => return Err(Refusal::missing(format!("there is no character {id}"))),
        };
        drop(store);
        self.detail(id, &project, revision)
    }

    /// Takes a character away.
    ///
    /// # Errors
    /// Where it is not there or cannot be removed.
    pub fn remove_character(&self, id: &str) -> Result<(), Refusal> {
        let path = self.character_path(id)?;
        let mut store = locked(&self.characters);
        store.open(id, &path)?;
        store.open.remove(id);
        std::fs::remove_file(&path).map_err(|e| Refusal::bad(format!("{id} cannot be removed ({e})")))
    }

    /// Whether the character stands; with its clips, whether they lie within its limits.
    ///
    /// # Errors
    /// Where it is not there, or a clip does not fit.
    pub fn preflight(&self, id: &str, with_clips: bool) -> Result<PreflightAnswer, Refusal> {
        let path = self.character_path(id)?;
        let (project, revision) = {
            let mut store = locked(&self.characters);
            let open = store.open(id, &path)?;
            (open.project.clone(), open.revision)
        };
        let character = project.character().clone();
        let mut clips = Vec::new();
        let rig = find_rig(&self.scan(), &project.options().source);
        let (found, cover) = match (with_clips, rig) {
            (true, Some(rig)) => {
                let source = self.rig_of(&rig, &project)?;
                clips.extend(source.rig.clips.iter().map(|clip| clip.name.clone()));
                let modeling = Modeling::with_character(&source, &[], project)?;
                (modeling.preflight, modeling.cover)
            }
            (_, rig) => {
                let tried = preflight(&character, &[], &PreflightOptions::default());
                let mut found = tried.map_err(|e| Refusal::bad(e.to_string()))?;
                let source = rig.and_then(|rig| self.rig_of(&rig, &project).ok());
                let cover = source.and_then(|s| cover(&character, project.binding(), &s.rig.skeleton));
                cover.iter().for_each(|cover| found.look_at_skin(cover));
                found.mend = mend(&project, &[], &found);
                (found, cover)
            }
        };
        let named = |sentences: &[String]| sentences.iter().map(|s| culprits(s, &character, &clips)).collect();
        let (problems, warnings) = (named(&found.problems), named(&found.warnings));
        let Preflight { ok, mass, height_kept, tilt, support_margin, mend, .. } = found;
        Ok(PreflightAnswer {
            id: id.into(),
            revision,
            ok,
            problems,
            warnings,
            mass_kg: mass,
            height_kept,
            tilt_rad: tilt,
            support_margin_m: support_margin,
            cover,
            mend,
        })
    }

    fn detail(&self, id: &str, project: &CharacterProject, revision: u64) -> Result<CharacterDetail, Refusal> {
        let character = project.character();
        let model = Model::new(&Scene::on_ground(character.clone()), 1.0 / 480.0);
        let model = Arc::new(model.map_err(|e| Refusal::bad(e.to_string()))?);
        let names: Vec<&str> = character.bodies.iter().map(|b| b.name.as_str()).collect();
        let other = |name: &str| counterpart(name, &names).map(str::to_owned);
        let rig = find_rig(&self.scan(), &project.options().source);
        Ok(CharacterDetail {
            id: id.into(),
            revision,
            size: self.size_of(rig.as_deref(), project),
            rig,
            made: (!project.edits().is_empty()).then(|| project.made_character().clone()),
            rest: rest(&model, character),
            mirrored: names.iter().map(|name| other(name)).collect(),
            mass_kg: model.total_mass(),
            dof: model.velocity_count(),
            edits: project.edits().to_vec(),
            can_undo: project.can_undo(),
            can_redo: project.can_redo(),
            notes: project.present_notes(),
            character: character.clone(),
        })
    }
}

/// The rig of that id, or the one whose file has that name.
pub fn find_rig(found: &Found, source: &str) -> Option<String> {
    if sinew::assets::find(source).is_some() || found.rigs.contains_key(source) {
        return Some(source.to_owned());
    }
    let name = |id: &str| Path::new(id).file_name().map(|n| n.to_string_lossy().into_owned());
    let wanted = name(source)?;
    found.rigs.keys().find(|id| name(id).as_deref() == Some(&wanted)).cloned()
}

/// Where each body of a character's file is in a model that holds it first.
pub fn body_indices(model: &Model, character: &Character) -> Vec<usize> {
    let index = |name: &str| model.body(&format!("{}/{name}", character.name)).unwrap_or(0);
    character.bodies.iter().map(|body| index(&body.name)).collect()
}

fn rest(model: &Model, character: &Character) -> Vec<RestPose> {
    let still = vec![0.0; model.velocity_count()];
    let measured = Measured::new(model, model.rest_position(), &still, [0.0; 3]);
    let pose = |index: usize| {
        let body = &measured.bodies[index];
        RestPose { position: body.position, orientation: body.orientation, center_of_mass: body.center_of_mass }
    };
    body_indices(model, character).into_iter().map(pose).collect()
}

/// The names that a sentence quotes; of a sentence without any, what it is about.
fn culprits(sentence: &str, character: &Character, clips: &[String]) -> Problem {
    let names = |before: &str, name: &str| sentence.contains(&format!("{before}{name:?}"));
    let joints: Vec<String> =
        character.joints.iter().filter(|joint| names("oint ", &joint.name)).map(|joint| joint.name.clone()).collect();
    let clip = clips.iter().find(|clip| names("Clip ", clip)).cloned();
    let quoted = |name: &str| names("", name) && !names("oint ", name) && !names("Clip ", name);
    let mut bodies: Vec<String> =
        character.bodies.iter().filter(|body| quoted(&body.name)).map(|body| body.name.clone()).collect();
    if joints.is_empty() && bodies.is_empty() {
        // It does not stand: what it stands on; it starts in the ground: its root.
        let root = character.joints.iter().filter(|joint| joint.parent.is_none()).map(|joint| joint.child.clone());
        match sentence.contains("root joint") {
            true => bodies.extend(root),
            false => bodies.extend(leaves(character)),
        }
    }
    Problem { sentence: sentence.to_owned(), bodies, joints, clip }
}

/// Bodies with end effectors that carry nothing and stand low in the rest pose.
fn leaves(character: &Character) -> Vec<String> {
    let Ok(model) = Model::new(&Scene::on_ground(character.clone()), 0.002) else { return Vec::new() };
    let rest = rest(&model, character);
    let lowest = rest.iter().map(|pose| pose.center_of_mass[2]).fold(f64::INFINITY, f64::min);
    let highest = rest.iter().map(|pose| pose.center_of_mass[2]).fold(f64::NEG_INFINITY, f64::max);
    let carries =
        |name: &str| character.joints.iter().any(|j| j.parent.as_deref() == Some(name) && j.kind != JointKind::Weld);
    let is_foot = |(body, pose): &(&sinew_sim::Body, &RestPose)| {
        !carries(&body.name) && pose.center_of_mass[2] < lowest + 0.15 * (highest - lowest)
    };
    character.bodies.iter().zip(&rest).filter(is_foot).map(|(body, _)| body.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_names_its_culprits() {
        let character = sinew_sim::embedded::dinosaur();
        let (joint, body) = (&character.joints[3].name, &character.bodies[2].name);
        let found = culprits(&format!("Joint {joint:?} needs all its torque."), &character, &[]);
        assert_eq!((&found.joints, found.bodies.len()), (&vec![joint.clone()], 0));
        let found = culprits(&format!("Bodies {body:?} and \"x\" weigh too much."), &character, &[]);
        assert_eq!((&found.bodies, found.joints.len()), (&vec![body.clone()], 0));
        let clips = ["walk".to_owned()];
        let found = culprits(&format!("Clip \"walk\" turns joint {joint:?} beyond its limits."), &character, &clips);
        assert_eq!((found.clip.as_deref(), found.joints.len(), found.bodies.len()), (Some("walk"), 1, 0));
        assert!(!culprits("It does not stand.", &character, &[]).bodies.is_empty());
    }
}
