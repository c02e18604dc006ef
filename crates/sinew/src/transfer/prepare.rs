//! What is asked for, made ready: a character, and the motion that it should perform.

use super::{ClipInput, Config, Target};
use crate::error::{ClipError, Result};
use crate::modeling::{Modeling, named_clip};
use crate::source::Source;
use sinew_modeler::{CharacterProject, FittedClip, ModelOptions, model};
use sinew_motion::Clip;
use sinew_motion::tools::{Plants, feet, plant_feet, put_on_ground, repeat_cycle};
use sinew_sim::{Model, Scene};
use std::sync::Arc;

/// What is to be transferred.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// Clip, as people say it; none where the file has only one.
    pub clip: Option<String>,
    /// Cycles in a row.
    pub cycles: Option<usize>,
    /// A character that was made before; none makes one of the rig, for this clip.
    pub character: Option<CharacterProject>,
    /// Whether feet that slide in the clip while they stand go on to do so; otherwise they are planted.
    pub keeps_slides: bool,
    /// How a character is made.
    pub options: ModelOptions,
}

/// A character and the motion that it should perform.
pub struct Prepared {
    /// Where both come from.
    pub source: Source,
    /// The character, with the one clip laid onto it.
    pub modeling: Modeling,
    /// The character on flat ground.
    pub scene: Scene,
    /// The motion, sampled for the search.
    pub target: Target,
    /// Length of a cycle, where several in a row were asked for, s.
    pub cycle_secs: Option<f64>,
}

impl Prepared {
    /// The clip on the skeleton, on the ground and repeated as asked for.
    pub fn clip(&self) -> &Clip {
        &self.modeling.clips[0]
    }
    /// The clip in the character's coordinates.
    pub fn fitted(&self) -> &FittedClip {
        &self.modeling.fitted[0]
    }
    /// The compiled scene.
    pub fn model(&self) -> &Arc<Model> {
        self.target.model()
    }
}

/// Reads the clip out of a rig, puts it on the ground, repeats it, makes a character where none is given, and lays the clip onto it.
///
/// # Errors
/// Where a step does not fit the clip or the rig.
pub fn prepare(source: Source, task: &Task, config: &Config) -> Result<Prepared> {
    config.check()?;
    let skeleton = &source.rig.skeleton;
    let named = chosen_clip(&source, task.clip.as_deref())?;
    let feet = feet(skeleton, &source.rig.clips);
    let on_ground = put_on_ground(skeleton, &named, &feet)?;
    let (mut clip, mut notes) = (on_ground.clip, on_ground.notes);
    let mut cycle_secs = None;
    if let Some(cycles) = task.cycles {
        clip = cycles_of(&clip, cycles)?;
        cycle_secs = (cycles > 1).then(|| clip.duration_secs() / cycles as f64);
    }
    let project = match &task.character {
        Some(project) => project.clone(),
        None => CharacterProject::new(model(skeleton, std::slice::from_ref(&clip), &task.options)?, &task.options),
    };
    let modeling = if task.keeps_slides {
        Modeling::of_project(project, skeleton, vec![clip], notes)?
    } else {
        let plants = plant_feet(skeleton, &clip, &feet)?;
        notes.extend(slide_note(&clip, &plants));
        Modeling::planted(project, skeleton, clip, &plants, notes)?
    };
    let scene = Scene::on_ground(modeling.project.character().clone());
    let compiled = Arc::new(Model::new(&scene, config.dt)?);
    let fitted = &modeling.fitted[0];
    let input = ClipInput { name: &fitted.name, rate_hz: fitted.rate_hz, positions: &fitted.positions };
    let target = Target::new(&compiled, &input)?;
    Ok(Prepared { source, scene, target, modeling, cycle_secs })
}

/// What was done about feet that slid.
fn slide_note(clip: &Clip, plants: &Plants) -> Option<String> {
    (plants.largest_displacement > 0.005).then(|| {
        format!(
            "{}: its feet slide by up to {:.0} cm while they stand; they are planted, which moves them by up to {:.0} cm",
            clip.name,
            100.0 * plants.longest_slide,
            100.0 * plants.largest_displacement
        )
    })
}

/// The clip that is named, or the only one: of a rig that got a clip of another file, that one.
fn chosen_clip(source: &Source, name: Option<&str>) -> Result<Clip> {
    let all = &source.rig.clips;
    match (name, &all[all.len() - source.added..]) {
        (Some(name), _) => return named_clip(&source.rig, name),
        (None, [only]) => return Ok(only.clone()),
        _ => {}
    }
    match &all[..] {
        [only] => Ok(only.clone()),
        [] => Err(ClipError::None { file: source.name.clone() }.into()),
        all => {
            let names = all.iter().map(|clip| clip.name.clone()).collect();
            Err(ClipError::Several { file: source.name.clone(), names }.into())
        }
    }
}

fn cycles_of(clip: &Clip, cycles: usize) -> Result<Clip> {
    if cycles == 0 {
        return Err(ClipError::NoCycles.into());
    }
    let repeated = repeat_cycle(clip, cycles)?;
    if !repeated.is_cycle && cycles > 1 {
        let (seam_rad, seam_m) = (repeated.seam_rad, repeated.seam_m);
        return Err(ClipError::NoCycle { clip: clip.name.clone(), seam_rad, seam_m }.into());
    }
    Ok(repeated.clip)
}
