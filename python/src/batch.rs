//! Many worlds of one character, written, stepped and read at once; NumPy looks at their rows without a copy.
//!
//! A batch keeps a row of positions, velocities and so on for each world. The addresses of the rows never change, and every array on them keeps the batch alive.

use crate::arguments::{finite, rows, worlds};
use crate::character::{Character, picture};
use crate::error::{OrRaise, raised};
use crate::rows::{Place, Rows};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sinew::film;
use sinew::sim::{
    self, BatchOptions, BulkError, Condition, DampsTo, Interval, Model, Readings, Scene, Status, WorldMut,
};
use std::sync::{Arc, Mutex, TryLockError};

/// Many worlds of one character on flat ground.
///
/// positions, velocities, torques, observations and conditions are read-only arrays with a row for each world; targets is written by the caller. All of them are views on
/// memory of the batch: they show what the last step or reset left, without a copy, and keep the batch alive. While another thread steps the batch, leave them alone:
/// their numbers change without the lock of the interpreter. The same targets give the same bits on every number of threads.
#[pyclass(frozen, module = "sinew")]
pub(crate) struct Batch {
    state: Mutex<State>,
    places: Places,
    model: Arc<Model>,
    character: Py<Character>,
    #[pyo3(get)]
    /// How many worlds there are.
    worlds: usize,
    #[pyo3(get)]
    /// Threads that step them.
    threads: usize,
    /// Threads do not come along when a process forks.
    process: u32,
}

struct State {
    batch: sim::Batch,
    seen: Seen,
    targets: Rows<f32>,
}

/// What is read after every step.
struct Seen {
    positions: Rows<f32>,
    velocities: Rows<f32>,
    torques: Rows<f32>,
    observations: Rows<f32>,
    conditions: Rows<Condition>,
}

struct Places {
    positions: Place<f32>,
    velocities: Place<f32>,
    torques: Place<f32>,
    observations: Place<f32>,
    conditions: Place<u8>,
    targets: Place<f32>,
}

impl Seen {
    fn readings(&mut self) -> Readings<'_> {
        Readings {
            positions: Some(self.positions.numbers()),
            velocities: Some(self.velocities.numbers()),
            torques: Some(self.torques.numbers()),
            observations: Some(self.observations.numbers()),
            conditions: Some(self.conditions.numbers()),
            ..Readings::none()
        }
    }
}

impl State {
    fn new(model: &Arc<Model>, worlds: usize, options: BatchOptions) -> sinew::Result<State> {
        let mut batch = sim::Batch::new(model, worlds, options)?;
        let numbers = |width| Rows::new(worlds, width, 0.0);
        let mut seen = Seen {
            positions: numbers(model.position_count()),
            velocities: numbers(model.velocity_count()),
            torques: numbers(model.velocity_count()),
            observations: numbers(model.observation_count()),
            conditions: Rows::new(worlds, 1, Condition::Running),
        };
        let mut targets = numbers(model.position_count());
        let all = Readings { targets: Some(targets.numbers()), ..seen.readings() };
        batch.read(all).expect("the rows are as long as they should be");
        Ok(State { batch, seen, targets })
    }

    fn reset(&mut self, worlds: &[usize], positions: &[f32], velocities: &[f32]) -> Result<(), BulkError> {
        self.batch.reset(worlds, positions, velocities)?;
        self.batch.read(self.seen.readings())?;
        for &world in worlds {
            self.targets.row(world).copy_from_slice(self.seen.positions.row(world));
        }
        Ok(())
    }
}

impl Places {
    fn of(state: &State) -> Places {
        let State { seen, targets, .. } = state;
        Places {
            positions: seen.positions.place(),
            velocities: seen.velocities.place(),
            torques: seen.torques.place(),
            observations: seen.observations.place(),
            // SAFETY: a condition is one byte, and the array of it is read-only.
            conditions: unsafe { seen.conditions.place().seen_as() },
            targets: targets.place(),
        }
    }
}

#[pymethods]
impl Batch {
    /// Makes worlds at rest in the character's pose, with that pose as the PD target. threads is 0 for one on each core.
    #[new]
    #[pyo3(signature = (character, worlds, threads=0, *, timestep=0.002))]
    fn new(py: Python<'_>, character: Py<Character>, worlds: usize, threads: usize, timestep: f64) -> PyResult<Batch> {
        // Threads of its own, not those that the process shares: they would not come along into a child of this process.
        let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let threads = if threads == 0 { cores() } else { threads };
        let described = character.get().described.clone();
        let (state, model) = py
            .detach(|| {
                let model = Arc::new(Model::new(&Scene::on_ground(described), timestep)?);
                let state = State::new(&model, worlds, BatchOptions { threads, ..BatchOptions::default() })?;
                Ok::<_, sinew::Error>((state, model))
            })
            .or_raise()?;
        let (places, process) = (Places::of(&state), std::process::id());
        Ok(Batch { state: Mutex::new(state), places, model, character, worlds, threads, process })
    }

    /// The character.
    #[getter]
    fn character(&self, py: Python<'_>) -> Py<Character> {
        self.character.clone_ref(py)
    }
    /// Length of a step, s.
    #[getter]
    fn timestep(&self) -> f64 {
        self.model.dt()
    }
    /// Where the joints are: float32, (worlds, character.position_count), read-only. In MuJoCo's order: of a free root x y z and the quaternion w x y z, of a ball joint its
    /// quaternion, of a hinge its angle.
    #[getter]
    fn positions<'py>(this: &Bound<'py, Self>) -> Bound<'py, PyArray2<f32>> {
        // SAFETY: the rows live as long as the batch, as all rows below.
        unsafe { this.get().places.positions.view(this.clone().into_any(), false) }
    }
    /// How fast they move: float32, (worlds, character.dof), read-only.
    #[getter]
    fn velocities<'py>(this: &Bound<'py, Self>) -> Bound<'py, PyArray2<f32>> {
        // SAFETY: as above.
        unsafe { this.get().places.velocities.view(this.clone().into_any(), false) }
    }
    /// PD torques of the last step, N·m: float32, (worlds, character.dof), read-only.
    #[getter]
    fn torques<'py>(this: &Bound<'py, Self>) -> Bound<'py, PyArray2<f32>> {
        // SAFETY: as above.
        unsafe { this.get().places.torques.view(this.clone().into_any(), false) }
    }
    /// Centre of mass (3), its velocity (3), end effectors (3 each), their velocities (3 each), in world axes: float32, (worlds, 6 + 6·n), read-only.
    #[getter]
    fn observations<'py>(this: &Bound<'py, Self>) -> Bound<'py, PyArray2<f32>> {
        // SAFETY: as above.
        unsafe { this.get().places.observations.view(this.clone().into_any(), false) }
    }
    /// 0 for a world that runs, 2 for one whose numbers left all reason, which stands still until it is reset: uint8, (worlds, 1), read-only.
    #[getter]
    fn conditions<'py>(this: &Bound<'py, Self>) -> Bound<'py, PyArray2<u8>> {
        // SAFETY: as above.
        unsafe { this.get().places.conditions.view(this.clone().into_any(), false) }
    }
    /// PD targets of the next step, in the order of positions; the root's are not used: float32, (worlds, character.position_count), to be written.
    #[getter]
    fn targets<'py>(this: &Bound<'py, Self>) -> Bound<'py, PyArray2<f32>> {
        // SAFETY: as above.
        unsafe { this.get().places.targets.view(this.clone().into_any(), true) }
    }

    /// Takes steps in all worlds, without the lock of the interpreter, and reads what the views show.
    ///
    /// path says how PD targets go to those in targets: "held" at once, PD damps towards rest; "ramped" linearly, they arrive with the last step; "followed" linearly,
    /// PD damps towards their velocity.
    #[pyo3(signature = (steps=1, *, path="held"))]
    fn step(&self, py: Python<'_>, steps: usize, path: &str) -> PyResult<()> {
        let interval = match path {
            "held" => Interval::held(steps),
            "ramped" => Interval::ramped(steps, DampsTo::Rest),
            "followed" => Interval::ramped(steps, DampsTo::Target),
            _ => return Err(raised(format!("there is no path {path:?} of targets; choose held, ramped or followed"))),
        };
        self.with(py, |State { batch, seen, targets }| batch.control(targets.numbers(), interval, seen.readings()))?
            .or_raise()
    }

    /// Begins again in some worlds (numbers, or a boolean for each), in all by default; positions and velocities have a row for each of these, or one for all. By default
    /// they are those of the rest pose. The new positions are also the targets.
    #[pyo3(signature = (worlds=None, positions=None, velocities=None))]
    fn reset(
        &self,
        py: Python<'_>,
        worlds: Option<&Bound<'_, PyAny>>,
        positions: Option<&Bound<'_, PyAny>>,
        velocities: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let worlds = self::worlds(worlds, self.worlds)?;
        let (count, dof) = (self.model.position_count(), self.model.velocity_count());
        let positions = match positions {
            Some(given) => rows("positions", given, worlds.len(), count)?,
            None => self.model.rest_position().iter().map(|x| *x as f32).collect::<Vec<_>>().repeat(worlds.len()),
        };
        let velocities = match velocities {
            Some(given) => rows("velocities", given, worlds.len(), dof)?,
            None => vec![0.0; worlds.len() * dof],
        };
        self.with(py, |state| state.reset(&worlds, &positions, &velocities))?.or_raise()
    }

    /// A force in world axes on a body of a world, N, at its centre of mass or at a point of the world. It stays until clear_forces or a reset.
    #[pyo3(signature = (world, body, force, point=None))]
    fn push(&self, py: Python<'_>, world: usize, body: &str, force: [f64; 3], point: Option<[f64; 3]>) -> PyResult<()> {
        finite("the force", &force)?;
        finite("the point", point.as_ref().map_or(&[], |point| point))?;
        let own = |name: &str| self.character.get().own_name(name);
        let Some(index) = self.model.bodies().iter().position(|info| own(&info.name) == body) else {
            let names: Vec<String> = self.model.bodies().iter().map(|info| own(&info.name)).collect();
            return Err(raised(format!("there is no body {body:?}; name one of {}", names.join(", "))));
        };
        self.change(py, world, move |mut world| {
            let center = world.as_world().measure().bodies[index].center_of_mass;
            world.add_force(index, force, point.unwrap_or(center));
        })
    }
    /// Takes all forces of push away from a world.
    fn clear_forces(&self, py: Python<'_>, world: usize) -> PyResult<()> {
        self.change(py, world, |mut world| world.clear_forces())
    }
    /// Scales the PD gains of a world; 0 is limp.
    fn set_gain(&self, py: Python<'_>, world: usize, gain: f64) -> PyResult<()> {
        finite("the gain", &[gain])?;
        self.change(py, world, move |mut world| world.set_gain(gain))
    }
    /// Sets the gravity of a world, m/s².
    fn set_gravity(&self, py: Python<'_>, world: usize, gravity: [f64; 3]) -> PyResult<()> {
        finite("the gravity", &gravity)?;
        self.change(py, world, move |mut world| world.set_gravity(gravity))
    }

    /// What a world does: "running", or which joint left all reason in which step.
    fn status(&self, py: Python<'_>, world: usize) -> PyResult<String> {
        self.check(world)?;
        self.with(py, |state| match state.batch.world(world).status() {
            Status::Running => "running".to_owned(),
            Status::Stopped => "stopped".to_owned(),
            Status::Diverged { step, joint } => format!("diverged at {joint} after {step} steps"),
        })
    }
    /// A world as it is now, with contact forces: the bytes of a PNG.
    #[pyo3(signature = (world=0))]
    fn picture<'py>(&self, py: Python<'py>, world: usize) -> PyResult<Bound<'py, PyBytes>> {
        self.check(world)?;
        let frame = self.with(py, |state| {
            let world = state.batch.world(world);
            film::frame(&self.model, &world, format!("{:.2} s", world.time()))
        })?;
        let title = format!("{}, world {world}", self.character.get().described.name);
        Ok(PyBytes::new(py, &picture(&self.model, title, vec![frame])?))
    }

    fn __len__(&self) -> usize {
        self.worlds
    }
    fn __repr__(&self) -> String {
        let name = &self.character.get().described.name;
        format!("<sinew.Batch of {} worlds of {name:?} on {} threads>", self.worlds, self.threads)
    }
}

impl Batch {
    /// Does something with the worlds, without the lock of the interpreter.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut State) -> T + Send) -> PyResult<T> {
        if self.process != std::process::id() {
            return Err(raised(
                "the batch was made before this process was forked; make a batch in the process that steps it",
            ));
        }
        py.detach(|| match self.state.try_lock() {
            Ok(mut state) => Ok(work(&mut state)),
            // Nothing is half-done: a step that was broken off leaves numbers, as a diverged one does.
            Err(TryLockError::Poisoned(state)) => Ok(work(&mut state.into_inner())),
            Err(TryLockError::WouldBlock) => Err(()),
        })
        .map_err(|()| raised("another thread steps this batch; wait until it is done, or make one for each thread"))
    }

    fn change(&self, py: Python<'_>, world: usize, change: impl FnOnce(WorldMut<'_>) + Send) -> PyResult<()> {
        self.check(world)?;
        self.with(py, |state| change(state.batch.world_mut(world)))
    }

    fn check(&self, world: usize) -> PyResult<()> {
        match world < self.worlds {
            true => Ok(()),
            false => Err(raised(format!("there is no world {world}: the batch has {}, from 0 on", self.worlds))),
        }
    }
}
