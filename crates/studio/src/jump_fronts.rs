//! Fronts of jumps in the studio: the embedded one, and those that `sinew pareto jump --out PROJECT/fronts/NAME` found.

use crate::fronts::{Front, FrontSource};
use crate::protocol::{ControllerKind, FrontAxis, FrontDetail, FrontEntry, FrontPoint, Steer};
use crate::sessions::controller::{Controller, Next};
use anyhow::{Context, Result};
use sinew::pareto::figure::State;
use sinew::pareto::jumper::{STEP_SECS, STEPS_PER_TICK, jumper};
use sinew::pareto::phases::{Machine, standing_position};
use sinew::pareto::{self, Evaluator, Phase};
use sinew_sim::{Character, Snapshot, Surface, World, WorldMut};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Where a project keeps its fronts, and the one that is always there.
const FOLDER: &str = "fronts";
const EMBEDDED: &str = "fronts/jumps";
/// Time for which a jumper stands after landing before it jumps again, s.
const STANDS_SECS: f64 = 1.5;
/// Longest time in one phase, s: who is stuck begins again.
const LONGEST_PHASE_SECS: f64 = 5.0;

/// Fronts of jumps.
pub struct JumpFronts;

impl FrontSource for JumpFronts {
    fn list(&self, project: &Path, _: &[String]) -> Vec<FrontEntry> {
        let mut ids = vec![EMBEDDED.to_owned()];
        let found = std::fs::read_dir(project.join(FOLDER)).into_iter().flatten().flatten();
        let names = found.filter(|entry| entry.path().join("front.json").is_file());
        ids.extend(names.filter_map(|entry| Some(format!("{FOLDER}/{}", entry.file_name().to_str()?))));
        ids.sort();
        ids.dedup();
        let entry = |id: String| {
            let front = read(project, &id).ok()?;
            Some(FrontEntry { title: title(&id), points: front.points.len(), id })
        };
        ids.into_iter().filter_map(entry).collect()
    }

    fn open(&self, project: &Path, id: &str) -> Result<Box<dyn Front>> {
        let front = read(project, id)?;
        anyhow::ensure!(!front.points.is_empty(), "{id} has no jump; find one with `sinew pareto jump`");
        Ok(Box::new(JumpFront { id: id.to_owned(), front: Arc::new(front), evaluator: Arc::new(Evaluator::new(None)) }))
    }
}

fn read(project: &Path, id: &str) -> Result<pareto::Front> {
    let folder = project.join(id);
    if id == EMBEDDED && !folder.join("front.json").exists() {
        return Ok(pareto::Front::embedded());
    }
    pareto::Front::read(&folder).with_context(|| format!("there is no front {id}; choose one from the list"))
}

fn title(id: &str) -> String {
    if id == EMBEDDED {
        "Jumps, from a hop to the supernatural".to_owned()
    } else {
        format!("Jumps, {}", &id[FOLDER.len() + 1..])
    }
}

/// A front that was opened.
struct JumpFront {
    id: String,
    front: Arc<pareto::Front>,
    evaluator: Arc<Evaluator>,
}

/// Lowest and highest jump of a front, m.
fn heights(front: &pareto::Front) -> [f64; 2] {
    let heights = || front.points.iter().map(|point| point.height);
    [heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max)]
}

impl Front for JumpFront {
    fn detail(&self) -> FrontDetail {
        let axis = |name: &str, unit: &str, less_is_better| FrontAxis {
            name: name.to_owned(),
            unit: unit.to_owned(),
            less_is_better,
            is_logarithmic: false,
        };
        let [low, high] = heights(&self.front);
        let point = |point: &pareto::FrontPoint| FrontPoint {
            values: vec![point.height, (point.effort + point.assist).ln(), point.take_off_gravity, point.assist_secs],
            dial: ((point.height - low) / (high - low).max(1e-9)).clamp(0.0, 1.0),
            label: Some(if point.is_natural() { "natural" } else { "supernatural" }.to_owned()),
        };
        FrontDetail {
            id: self.id.clone(),
            title: title(&self.id),
            axes: vec![
                axis("height", "m", false),
                axis("log effort", "", true),
                axis("take-off gravity", "m/s²", true),
                axis("assist time", "s", true),
            ],
            points: self.front.points.iter().map(point).collect(),
            dial: ["height".to_owned(), format!("{low:.2} m, least effort"), format!("{high:.2} m, most help")],
            is_stepped: false,
        }
    }

    fn character(&self) -> Character {
        jumper()
    }

    fn surface(&self) -> Option<Surface> {
        self.evaluator.model().scene().ground.map(|ground| ground.surface)
    }

    fn dt(&self) -> f64 {
        STEP_SECS
    }

    fn controller(&self, dial: f64) -> Result<Box<dyn Controller>> {
        let controller = dialled(&self.evaluator, &self.front, dial)?;
        let position = standing_position(self.evaluator.figure(), self.evaluator.model().rest_position());
        let velocity = vec![0.0; self.evaluator.model().velocity_count()];
        Ok(Box::new(Jumper {
            front: self.front.clone(),
            evaluator: self.evaluator.clone(),
            machine: Machine::new(&controller),
            next: Arc::new(Mutex::new(controller)),
            turns: Arc::default(),
            start: Snapshot::new(&position, &velocity),
            target: position,
            state: State::default(),
            step: 0,
            reduction: 0.0,
        }))
    }
}

/// The controller at a place of the dial: a point of the front, or a blend that lands.
fn dialled(evaluator: &Evaluator, front: &pareto::Front, dial: f64) -> Result<pareto::Controller> {
    let [low, high] = heights(front);
    let height = low + dial * (high - low);
    let near = front.points.iter().find(|point| (point.height - height).abs() < 1e-4);
    match near {
        Some(point) => Ok(point.controller()?),
        None => Ok(pareto::dial(evaluator, front, height)?.controller),
    }
}

/// Jumps, stands, and jumps again; a turned dial counts from the next jump on.
struct Jumper {
    front: Arc<pareto::Front>,
    evaluator: Arc<Evaluator>,
    machine: Machine,
    /// What the next jump is, and how often the dial was turned.
    next: Arc<Mutex<pareto::Controller>>,
    turns: Arc<AtomicU64>,
    start: Snapshot,
    /// PD target, in `qpos` order.
    target: Vec<f64>,
    state: State,
    step: usize,
    /// Upward acceleration by which gravity is less, m/s².
    reduction: f64,
}

impl Controller for Jumper {
    fn kind(&self) -> ControllerKind {
        ControllerKind::Front
    }

    fn start(&self) -> Snapshot {
        self.start.clone()
    }

    fn target(&mut self, frame: usize, _: &World<'_>, _: &Steer, out: &mut [f64]) -> Next {
        if frame == 0 {
            self.machine = Machine::new(&self.next.lock().unwrap_or_else(PoisonError::into_inner));
            self.target.copy_from_slice(&self.start.values()[..out.len()]);
            (self.step, self.reduction) = (0, 0.0);
        }
        out.copy_from_slice(&self.target);
        let secs = self.machine.secs_in_phase();
        let is_over = (self.machine.phase() == Phase::Land && secs > STANDS_SECS) || secs > LONGEST_PHASE_SECS;
        if is_over { Next::Restart } else { Next::Continue }
    }

    fn before_step(&mut self, _: f64, gravity: [f64; 3], world: &mut WorldMut<'_>) {
        let mut row = world.as_world().position();
        let count = self.target.len();
        if self.step.is_multiple_of(STEPS_PER_TICK) {
            let velocity = world.as_world().velocity();
            let figure = self.evaluator.figure();
            figure.look(&row[..count], &velocity[..self.start.values().len() - count], &mut self.state);
            self.reduction = self.machine.tick(figure, &self.state, &mut self.target).reduction;
        }
        self.step += 1;
        row[..count].copy_from_slice(&self.target);
        world.set_target(&row);
        world.set_target_velocity(&vec![0.0; world.as_world().velocity().len()]);
        world.set_gravity([gravity[0], gravity[1], gravity[2] + self.reduction]);
    }

    fn set_dial(&mut self, dial: f64) -> Result<()> {
        // Blends are tried in simulation: apart from the clock of this one. Only the last turn counts.
        let (front, evaluator, next) = (self.front.clone(), self.evaluator.clone(), self.next.clone());
        let (turns, turn) = (self.turns.clone(), self.turns.fetch_add(1, Ordering::SeqCst) + 1);
        std::thread::Builder::new().name("dial".to_owned()).spawn(move || {
            let is_last = || turns.load(Ordering::SeqCst) == turn;
            if !is_last() {
                return;
            }
            if let Ok(found) = dialled(&evaluator, &front, dial) {
                let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
                if is_last() {
                    *next = found;
                }
            }
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sessions::simulation::Simulation;

    /// How high the centre of mass comes in `secs`, and where it ends, m.
    fn heights_of(simulation: &mut Simulation, secs: f64) -> [f64; 2] {
        let mut highest = 0.0f64;
        for _ in 0..(secs / 0.025) as usize {
            simulation.simulate(0.025);
            highest = highest.max(simulation.moment().center_of_mass[2]);
        }
        [highest, simulation.moment().center_of_mass[2]]
    }

    #[test]
    fn the_embedded_front_jumps_as_high_as_its_dial_says_and_lands() {
        let nowhere = Path::new("there is no such project");
        let listed = JumpFronts.list(nowhere, &[]);
        assert!(listed.len() == 1 && listed[0].id == EMBEDDED && listed[0].points > 4, "{listed:?}");
        let front = JumpFronts.open(nowhere, EMBEDDED).expect("a front");
        let detail = front.detail();
        assert!(detail.points.iter().any(|p| p.dial == 0.0) && detail.points.iter().any(|p| p.dial == 1.0));
        let simulate = |dial| {
            let controller = front.controller(dial).expect("a controller");
            Simulation::on_surface(&front.character(), front.surface(), front.dt(), controller).expect("a simulation")
        };
        let [low, low_end] = heights_of(&mut simulate(0.0), 2.0);
        let mut high = simulate(1.0);
        let [top, top_end] = heights_of(&mut high, 3.0);
        let [first, last] = [&detail.points[0], &detail.points[detail.points.len() - 1]].map(|p| p.values[0]);
        assert!((top - low - (last - first)).abs() < 0.35, "{low} m to {top} m, heads {first} m to {last} m");
        assert!((top_end - low_end).abs() < 0.3 && low_end > 0.6, "both stand: {low_end} and {top_end}");
        assert!(JumpFronts.open(nowhere, "fronts/none").is_err());
    }
}
