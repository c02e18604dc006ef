//! From what is asked for to a simulation.

use super::controller::{Controller, Feedback, HeldPose, OpenLoop};
use super::live::Live;
use super::played::PlayedPackage;
use super::simulation::Simulation;
use crate::error::Refusal;
use crate::fronts::FrontSource;
use crate::project::Project;
use crate::project::characters::find_rig;
use crate::project::packages::OpenPackage;
use crate::protocol::{ControllerKind, SceneDescription, SessionStart};
use sinew::playing::{MOST_CHARACTERS, Script};
use sinew::transfer::{Replay, replay};
use sinew_modeler::{CharacterProject, PreflightOptions};
use sinew_sim::{Character, Model, STANDARD_GRAVITY, Scene};
use sinew_transfer::Policy;
use std::sync::Arc;

/// Length of a step where nothing says otherwise, s.
const DT: f64 = 1.0 / 480.0;
/// Highest drop, m.
const HIGHEST: f64 = 20.0;

/// A simulation with what the page needs to show it.
pub struct Built {
    /// The simulation.
    pub live: Box<dyn Live>,
    /// What moves its characters.
    pub controller: ControllerKind,
    /// Whether they go where they are told.
    pub steers: bool,
    /// Gravity, m/s².
    pub gravity: [f64; 3],
    /// What its frames mean.
    pub scene: SceneDescription,
    /// Headline.
    pub title: String,
}

/// Builds what is asked for.
///
/// # Errors
/// Where a file is missing or damaged, or a number is out of its range.
pub fn build(project: &Project, fronts: &dyn FrontSource, start: &SessionStart) -> Result<Built, Refusal> {
    match start {
        SessionStart::Drop { character: id, height_m } => {
            if !(0.0..=HIGHEST).contains(height_m) {
                return Err(Refusal::bad(format!("a character is dropped from 0 to {HIGHEST} m; give such a height")));
            }
            let made = project.character(id)?;
            let model = compiled(made.character(), DT)?;
            let held = HeldPose::new(&model, model.rest_position(), *height_m);
            let simulation = Simulation::new(made.character(), DT, Box::new(held))?;
            let simulation = simulation.judged_at_rest(PreflightOptions::default().fall_rule());
            let title = format!("{}, dropped", made.character().name);
            Ok(controlled(scene(project, &simulation, Some(&made), Some(id.clone()))?, simulation, title))
        }
        SessionStart::Play { result, controller } => {
            let again = replay(&project.result_path(result)?, None)?;
            let model = again.target.model();
            let character = model.scene().characters[0].character.clone();
            let control = controller_of(project, result, *controller, &again)?;
            let simulation = Simulation::new(&character, model.dt(), control)?;
            let made = project.character_of_result(result).ok();
            let how = match controller {
                ControllerKind::Feedback => ", under feedback",
                ControllerKind::HeldPose => ", holding its pose",
                _ => "",
            };
            let title = format!("{}, {}{how}", again.controls.character, again.controls.clip);
            Ok(controlled(scene(project, &simulation, made.as_ref(), None)?, simulation, title))
        }
        SessionStart::Front { front, dial } => {
            project.path(front)?;
            check_dial(*dial)?;
            let front = fronts.open(project.root(), front)?;
            let simulation =
                Simulation::on_surface(&front.character(), front.surface(), front.dt(), front.controller(*dial)?)?;
            let title = front.title();
            let made = front.made();
            Ok(controlled(scene(project, &simulation, made.as_ref(), None)?, simulation, title))
        }
        SessionStart::Package { package, characters, seed } => played(project, package, *characters, *seed),
    }
}

/// A character under a controller.
fn controlled(scene: SceneDescription, mut simulation: Simulation, title: String) -> Built {
    let gravity = simulation.gravity();
    let controller = simulation.controller();
    let (controller, steers) = (controller.kind(), controller.steers());
    Built { controller, steers, gravity, live: Box::new(simulation), scene, title }
}

/// Characters of a package.
fn played(project: &Project, id: &str, characters: usize, seed: u64) -> Result<Built, Refusal> {
    if !(1..=MOST_CHARACTERS).contains(&characters) {
        return Err(Refusal::bad(format!("from 1 to {MOST_CHARACTERS} characters share a world; give such a number")));
    }
    let OpenPackage { package, rig, .. } = project.open_package(id)?;
    let part = package.part().map_err(sinew::Error::from)?;
    let live = PlayedPackage::new(id, part, Script { characters, ..Script::new(seed) })?;
    let made = CharacterProject::from_character(package.character, "character.toml").ok();
    let skin = match (&rig, &made) {
        (Some(rig), Some(made)) => Some(project.skin_on(rig, made)?),
        _ => None,
    };
    let scene = SceneDescription {
        stream: 0,
        bodies: live.figure().scene_bodies().to_vec(),
        joints: live.figure().scene_joints().to_vec(),
        characters: live.characters(),
        character: None,
        rig: rig.filter(|_| skin.is_some()),
        skin,
        rate_hz: super::RATE_HZ,
    };
    let title = match characters {
        1 => package.name,
        several => format!("{}, {several} of it", package.name),
    };
    let gravity = [0.0, 0.0, -STANDARD_GRAVITY];
    Ok(Built { controller: ControllerKind::Learnt, steers: true, gravity, live: Box::new(live), scene, title })
}

/// Another controller for the same simulation.
///
/// # Errors
/// Where it does not go with what is simulated.
pub fn other_controller(
    project: &Project,
    start: &SessionStart,
    kind: ControllerKind,
    simulation: &Simulation,
) -> Result<Box<dyn Controller>, Refusal> {
    let model = simulation.alone();
    match (start, kind) {
        (SessionStart::Play { result, .. }, kind) => {
            controller_of(project, result, kind, &replay(&project.result_path(result)?, None)?)
        }
        (_, ControllerKind::HeldPose) => Ok(Box::new(HeldPose::new(model, model.rest_position(), 0.0))),
        _ => Err(Refusal::bad("only the character of a result can be moved like that; play a result")),
    }
}

/// Refuses a dial outside of its range.
///
/// # Errors
/// Says the range.
pub fn check_dial(dial: f64) -> Result<(), Refusal> {
    match (0.0..=1.0).contains(&dial) {
        true => Ok(()),
        false => Err(Refusal::bad("the dial goes from 0 to 1")),
    }
}

fn controller_of(
    project: &Project,
    result: &str,
    kind: ControllerKind,
    again: &Replay,
) -> Result<Box<dyn Controller>, Refusal> {
    let model = again.target.model();
    match kind {
        ControllerKind::OpenLoop => Ok(Box::new(OpenLoop::new(&again.run))),
        ControllerKind::HeldPose => Ok(Box::new(HeldPose::new(model, again.target.position(0), 0.0))),
        ControllerKind::Feedback => {
            let path = project.result_path(result)?.join("policy.json");
            let text = sinew_files::read_text(&path, sinew::transfer::LARGEST_FILE).map_err(|error| {
                let why = error.reason();
                Refusal::bad(format!(
                    "{result} has no feedback policy ({why}); train one, or choose another controller"
                ))
            })?;
            let policy = Policy::from_json(&text, model).map_err(|e| Refusal::bad(format!("{result}: {e}")))?;
            Ok(Box::new(Feedback::new(policy, model)))
        }
        ControllerKind::Front => Err(Refusal::bad("that controller belongs to a front; start one of a front")),
        ControllerKind::Learnt => Err(Refusal::bad("a result has no learnt character; play a package")),
    }
}

fn compiled(character: &Character, dt: f64) -> Result<Arc<Model>, Refusal> {
    let model = Model::new(&Scene::on_ground(character.clone()), dt);
    Ok(Arc::new(model.map_err(|e| Refusal::bad(e.to_string()))?))
}

fn scene(
    project: &Project,
    simulation: &Simulation,
    made: Option<&CharacterProject>,
    character: Option<String>,
) -> Result<SceneDescription, Refusal> {
    let figure = simulation.figure();
    let skin = made.map(|made| project.skin(made)).transpose()?.flatten();
    Ok(SceneDescription {
        stream: 0,
        bodies: figure.scene_bodies().to_vec(),
        joints: figure.scene_joints().to_vec(),
        characters: Vec::new(),
        character,
        rig: made.and_then(|made| find_rig(&project.scan(), &made.options().source)),
        skin,
        rate_hz: super::RATE_HZ,
    })
}
