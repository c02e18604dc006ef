//! The character of a data set, with the skeleton that clips are moved to.

use super::body_skeleton::body_skeleton;
use crate::error::Result;
use crate::modeling::clips_on_ground;
use crate::source::Source;
use sinew_learn::{Figure, wrap_angle};
use sinew_modeler::{Binding, CharacterProject, ModelOptions, model};
use sinew_motion::tools::feet;
use sinew_motion::{Clip, Format, Report, Rig};
use sinew_retarget::Anatomy;
use sinew_sim::{Character, Model, Scene};
use std::path::Path;

/// A character, its skeleton, and the tie between the two.
pub struct Hero {
    /// Name of the file or embedded character.
    pub name: String,
    /// The character, with what it remembers of its making.
    pub character: Character,
    /// Which joint moves which body.
    pub binding: Binding,
    /// The skeleton that clips are moved to; without clips.
    pub rig: Rig,
    /// The character as learning sees it.
    pub figure: Figure,
}

impl Hero {
    /// Opens a character: a TOML file, a rigged file that one is made of, or an embedded one.
    ///
    /// # Errors
    /// Where the file cannot be read, or no character can be made of it.
    pub fn open(path: &Path) -> Result<Hero> {
        let is_toml = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
        if !is_toml {
            return Hero::of_source(Source::open(path, &[], &Default::default())?);
        }
        let character = Character::read(path)?;
        let compiled = Model::new(&Scene::on_ground(character.clone()), 0.002)?;
        let (skeleton, binding) = body_skeleton(&character, &compiled);
        let rig = Rig { format: Format::Bvh, skeleton, clips: Vec::new(), repeats: false, report: Report::default() };
        Hero::new(character.name.clone(), character, binding, rig, &[])
    }

    /// Makes a character of a rigged file, for all of its clips.
    ///
    /// # Errors
    /// Where no character can be made of it.
    pub fn of_source(source: Source) -> Result<Hero> {
        let Source { name, mut rig, .. } = source;
        let feet = feet(&rig.skeleton, &rig.clips);
        let (clips, _) = clips_on_ground(&rig, &[], &feet)?;
        let options = ModelOptions { name: name.clone(), ..ModelOptions::default() };
        let project = CharacterProject::new(model(&rig.skeleton, &clips, &options)?, &options);
        rig.clips.clear();
        Hero::new(name, project.to_character(), project.binding().clone(), rig, &clips)
    }

    fn new(name: String, character: Character, binding: Binding, rig: Rig, clips: &[Clip]) -> Result<Hero> {
        let forward = Anatomy::of(&rig.skeleton, clips).forward;
        let compiled = Model::new(&Scene::on_ground(character.clone()), 0.002)?;
        let rest = compiled.rest_position();
        // The front is known of the pose at rest; what counts is the front of a root that is not turned.
        let turned = if rest.len() >= 7 { 2.0 * libm::atan2(rest[6], rest[3]) } else { 0.0 };
        let figure = Figure::new(&character, wrap_angle(libm::atan2(forward.y, forward.x) - turned))?;
        Ok(Hero { name, character, binding, rig, figure })
    }
}
