//! Characters that are played: packages, and a player that is told what to do in each frame.

use crate::arguments::finite;
use crate::character::picture;
use crate::error::{OrRaise, raised};
use crate::long_work::once;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sinew::film;
use sinew::playing::{self, Happening, Input, MOST_FORESIGHT_SECS, PlayerOptions, Push, Steer, Throw};
use sinew::report::Frame;
use sinew::sim::Measured;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, TryLockError};

/// Moments of the film strip of a player, and frames from one to the next.
const MOMENTS: usize = 12;
const FRAMES_BETWEEN: u64 = 10;
// What Python's signature says.
const _: () = assert!(playing::FORESIGHT_SECS == 3.5);

/// A character with all that it needs to be played.
#[pyclass(frozen, module = "sinew")]
pub(crate) struct Package {
    package: playing::Package,
}

/// What a character can be told to do.
#[pyclass(frozen, get_all, module = "sinew")]
pub(crate) struct Action {
    /// Its name.
    name: String,
    /// The key that begins it in the studio.
    key: String,
    /// What it is, in a few words.
    about: String,
}

/// What happened to a character in a frame.
#[pyclass(frozen, get_all, module = "sinew")]
pub(crate) struct Event {
    /// When, s.
    time: f64,
    /// "began", "achieved", "fell", "stands up", "stood up" or "placed".
    what: &'static str,
    /// The action that it began or went through; None for the others.
    action: Option<String>,
}

#[pymethods]
impl Action {
    fn __repr__(&self) -> String {
        format!("<sinew.Action {:?}>", self.name)
    }
}

#[pymethods]
impl Event {
    fn __repr__(&self) -> String {
        let action = self.action.as_ref().map_or(String::new(), |action| format!(" {action}"));
        format!("<sinew.Event {:.2} s: {}{action}>", self.time, self.what)
    }
}

#[pymethods]
impl Package {
    /// Reads a package: a folder, as `sinew bring` writes it, or by name one that comes with the program: "dinosaur", "human", "quadruped".
    #[staticmethod]
    fn load(py: Python<'_>, folder: PathBuf) -> PyResult<Package> {
        let package = once(py, || sinew::play::open(Path::new(&folder)))?;
        Ok(Package { package })
    }
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.package.name
    }
    /// What it can be told to do.
    #[getter]
    fn actions(&self) -> Vec<Action> {
        let action = |action: &playing::KeyedAction| Action {
            name: action.name.clone(),
            key: action.key.clone(),
            about: action.about.clone(),
        };
        self.package.actions.iter().map(action).collect()
    }
    /// Whether its body is simulated; otherwise its motion is shown as the generator makes it.
    #[getter]
    fn is_simulated(&self) -> bool {
        self.package.policy.is_some()
    }
    fn __repr__(&self) -> String {
        let actions = self.package.actions.iter().map(|action| action.name.as_str()).collect::<Vec<_>>();
        format!("<sinew.Package {:?}: {}>", self.package.name, actions.join(", "))
    }
}

/// One character in a world of its own, with balls; a frame is 1/30 s. The same inputs give the same bits.
#[pyclass(frozen, module = "sinew")]
pub(crate) struct Player {
    state: Mutex<State>,
    name: String,
    bodies: Vec<String>,
    process: u32,
}

struct State {
    player: playing::Player,
    /// A thread of its own: those that the process shares would not come along into a child of this process.
    pool: rayon::ThreadPool,
    /// Frames and `qpos` of the last moments.
    moments: VecDeque<(u64, Vec<f64>, Vec<bool>)>,
}

/// A body, a force in world axes in N, and for how long in s.
type PushArgument = (String, [f64; 3], f64);

#[pymethods]
impl Player {
    /// Puts a character into a world. seed says where its motion begins; foresight is how far ahead it tries out what it is asked for, in s, 0 for not at all.
    #[new]
    #[pyo3(signature = (package, *, seed=1, foresight=3.5))]
    fn new(py: Python<'_>, package: &Bound<'_, Package>, seed: u64, foresight: f64) -> PyResult<Player> {
        if !(0.0..=MOST_FORESIGHT_SECS).contains(&foresight) {
            return Err(raised(format!(
                "a foresight of {foresight} s is asked for; give 0 to {MOST_FORESIGHT_SECS} s"
            )));
        }
        let package = &package.get().package;
        let options = PlayerOptions { seed, foresight_secs: foresight, ..PlayerOptions::default() };
        let player = once(py, || Ok(playing::Player::new(&[package.part()?], &options)?))?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().or_raise()?;
        let bodies = player.part(0).body_names().into_iter().map(str::to_owned).collect();
        let mut state = State { player, pool, moments: VecDeque::new() };
        state.remember();
        let (name, process) = (package.name.clone(), std::process::id());
        Ok(Player { state: Mutex::new(state), name, bodies, process })
    }

    /// A frame of 1/30 s, without the lock of the interpreter; returns what happened in it.
    ///
    /// stick is a velocity along the ground, m/s; target a place on it, m; at most one of them. action is the name of one that begins now; push a body, a force in N and a
    /// time in s; ball a mass in kg, a speed in m/s and where it comes from, in degrees from the x axis.
    #[pyo3(signature = (*, stick=None, target=None, action=None, push=None, ball=None))]
    fn step(
        &self,
        py: Python<'_>,
        stick: Option<[f64; 2]>,
        target: Option<[f64; 2]>,
        action: Option<&str>,
        push: Option<PushArgument>,
        ball: Option<[f64; 3]>,
    ) -> PyResult<Vec<Event>> {
        finite("the stick", stick.as_ref().map_or(&[], |stick| stick))?;
        finite("the target", target.as_ref().map_or(&[], |target| target))?;
        finite("the ball", ball.as_ref().map_or(&[], |ball| ball))?;
        let steer = match (stick, target) {
            (None, None) => Steer::Free,
            (Some(stick), None) => Steer::Stick(stick),
            (None, Some(target)) => Steer::Target(target),
            (Some(_), Some(_)) => return Err(raised("a stick and a target are given; give one of them")),
        };
        let mut input = Input { steer, ..Input::default() };
        input.pushes.extend(push.map(|push| self.pushed(push)).transpose()?);
        input.throws.extend(ball.map(|[mass, speed, from_deg]| Throw::At { mass_kg: Some(mass), speed, from_deg }));
        self.with(py, |state| {
            input.action = action.map(|name| action_of(&state.player, name)).transpose()?;
            let State { player, pool, .. } = state;
            pool.install(|| player.step(&[input]).map(|_| ())).or_raise()?;
            state.remember();
            Ok(state.events())
        })?
    }

    /// Where the character's joints are: float64, in the order of a row of Batch.positions.
    #[getter]
    fn position<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_vec(py, self.with(py, |state| state.player.position(0))?))
    }
    /// How fast they move: float64.
    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_vec(py, self.with(py, |state| state.player.velocity(0))?))
    }
    /// Origins of the bodies in the world, m: float64, (bodies, 3).
    #[getter]
    fn body_positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = self.with(py, |state| state.of_bodies(|body| body.position.to_vec()))?;
        PyArray2::from_vec2(py, &rows).or_raise()
    }
    /// Orientations of the bodies, quaternions w x y z: float64, (bodies, 4).
    #[getter]
    fn body_orientations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = self.with(py, |state| state.of_bodies(|body| body.orientation.to_vec()))?;
        PyArray2::from_vec2(py, &rows).or_raise()
    }
    /// Names of the bodies.
    #[getter]
    fn bodies(&self) -> Vec<String> {
        self.bodies.clone()
    }
    /// Time since the start, s.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |state| state.player.frame() as f64 / state.player.rate_hz())
    }
    /// The action that is under way; None where there is none.
    #[getter]
    fn action(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.with(py, |state| state.player.action(0).map(|action| action_name(&state.player, action)))
    }
    /// Whether it lies limp after a fall.
    #[getter]
    fn is_limp(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |state| state.player.is_limp(0))
    }
    /// How often it fell or lost its motion.
    #[getter]
    fn falls(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |state| state.player.figures(0).falls)
    }
    /// How often it then stood up by itself.
    #[getter]
    fn stand_ups(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |state| state.player.figures(0).stand_ups)
    }
    /// A number that another motion does not share, 16 hexadecimal digits.
    #[getter]
    fn hash(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |state| format!("{:016x}", state.player.hash()))
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let png = self.with(py, |state| {
            let frames = state.moments.iter().map(|moment| state.frame(moment)).collect();
            picture(state.player.model(), format!("{}, the last seconds", self.name), frames)
        })??;
        Ok(PyBytes::new(py, &png))
    }
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<sinew.Player of {:?} at {:.2} s>", self.name, self.time(py)?))
    }
}

impl Player {
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut State) -> T + Send) -> PyResult<T> {
        if self.process != std::process::id() {
            return Err(raised(
                "the player was made before this process was forked; make one in the process that steps it",
            ));
        }
        py.detach(|| match self.state.try_lock() {
            Ok(mut state) => Ok(work(&mut state)),
            Err(TryLockError::Poisoned(_)) => {
                Err("a fault in the program ended a frame of this player; make another one")
            }
            Err(TryLockError::WouldBlock) => Err("another thread steps this player; wait until it is done"),
        })
        .map_err(raised)
    }

    fn pushed(&self, (body, force, secs): PushArgument) -> PyResult<Push> {
        finite("the push", &[force[0], force[1], force[2], secs])?;
        let index = self.bodies.iter().position(|name| *name == body);
        let none = || raised(format!("there is no body {body:?}; name one of {}", self.bodies.join(", ")));
        Ok(Push { body: index.ok_or_else(none)?, force, point: None, secs })
    }
}

impl State {
    fn remember(&mut self) {
        if !self.player.frame().is_multiple_of(FRAMES_BETWEEN) {
            return;
        }
        if self.moments.len() == MOMENTS {
            self.moments.pop_front();
        }
        let flies = self.player.balls().iter().map(Option::is_some).collect();
        self.moments.push_back((self.player.frame(), self.player.world().position(), flies));
    }

    fn events(&self) -> Vec<Event> {
        let player = &self.player;
        let told = |event: &playing::Event| {
            let (what, action) = match event.what {
                Happening::Began(action) => ("began", Some(action)),
                Happening::Achieved(action) => ("achieved", Some(action)),
                Happening::Fell => ("fell", None),
                Happening::StandsUp => ("stands up", None),
                Happening::StoodUp => ("stood up", None),
                Happening::PlacedAnew => ("placed", None),
            };
            let time = event.frame as f64 / player.rate_hz();
            Event { time, what, action: action.map(|action| action_name(player, action)) }
        };
        player.events().iter().map(told).collect()
    }

    fn of_bodies(&self, read: impl Fn(&sinew::sim::BodyMotion) -> Vec<f64>) -> Vec<Vec<f64>> {
        let measured = self.player.world().measure();
        measured.bodies[self.player.bodies(0)].iter().map(read).collect()
    }

    /// A moment of the last seconds; balls that wait far away are left out.
    fn frame(&self, (frame, position, flies): &(u64, Vec<f64>, Vec<bool>)) -> Frame {
        let model = self.player.model();
        let measured = Measured::new(model, position, &vec![0.0; model.velocity_count()], [0.0; 3]);
        let caption = format!("{:.2} s", *frame as f64 / self.player.rate_hz());
        let mut drawn = film::frame_of(model, &measured, &[], caption);
        let own = self.player.bodies(0);
        let shapes: Vec<bool> = model
            .bodies()
            .iter()
            .enumerate()
            .flat_map(|(index, body)| {
                let is_seen = index.checked_sub(own.end).is_none_or(|ball| flies[ball]);
                body.shapes.iter().map(move |_| is_seen)
            })
            .collect();
        let mut is_seen = shapes.into_iter();
        drawn.solids.retain(|_| is_seen.next().unwrap_or(true));
        drawn.focus = Some([position[0], position[1], 0.0]);
        drawn
    }
}

fn action_of(player: &playing::Player, name: &str) -> PyResult<usize> {
    let names = || player.part(0).actions().iter().map(|action| action.name.clone()).collect::<Vec<_>>().join(", ");
    let none = || raised(format!("there is no action {name:?}; name one of {}", names()));
    player.part(0).action(name).ok_or_else(none)
}

fn action_name(player: &playing::Player, action: usize) -> String {
    player.part(0).actions().get(action).map_or("?".to_owned(), |action| action.name.clone())
}
