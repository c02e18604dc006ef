//! Characters: made of a rigged file, read from TOML, written as TOML and MJCF.

use crate::error::{OrRaise, raised};
use crate::long_work::once;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use sinew::files::atomic_write::atomic_write;
use sinew::film;
use sinew::modeler::ModelOptions;
use sinew::modeling::Modeling;
use sinew::motion::ImportOptions;
use sinew::sim;
use sinew::sim::mjcf::{MjcfOptions, to_mjcf};
use sinew::sim::rotation::quaternion_product;
use sinew::sim::{Batch, BatchOptions, JointKind, Measured, Model, Scene, Shape};
use sinew::source::Source;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Length of a step where nobody says otherwise, s; the signatures for Python have it as a number.
const TIMESTEP: f64 = 0.002;

/// A body that can be simulated: rigid bodies with shapes, joints with gains and limits.
#[pyclass(frozen, module = "sinew")]
pub(crate) struct Character {
    pub described: sim::Character,
    /// On flat ground.
    pub model: Arc<Model>,
    notes: Vec<String>,
    problems: Vec<String>,
}

/// A joint and its place in rows of positions and velocities.
#[pyclass(frozen, get_all, module = "sinew")]
pub(crate) struct Joint {
    /// Its name.
    name: String,
    /// What it lets its body do: "free", "planar", "fixed", "hinge", "ball" or "weld".
    kind: &'static str,
    /// Its first number in a row of positions.
    position_index: usize,
    /// How many numbers it has there.
    position_count: usize,
    /// Its first number in a row of velocities.
    velocity_index: usize,
    /// How many numbers it has there.
    velocity_count: usize,
    /// Limits of a hinge's angle, rad; None where it has none.
    limits: Option<[f64; 2]>,
    /// Largest torque of its drive, N·m; None where there is no limit.
    torque_limit: Option<f64>,
}

#[pymethods]
impl Joint {
    fn __repr__(&self) -> String {
        format!("<sinew.Joint {:?}: {}>", self.name, self.kind)
    }
}

#[pymethods]
impl Character {
    /// Makes a character of a rigged file (GLB, glTF, FBX, BVH, DeepMimic) or of the embedded "dinosaur", "human" or "quadruped"; reads one from TOML.
    ///
    /// height and mass overrule what the file and its clips say, in m and kg. clips names those that the character must follow, all by default. motion lists other
    /// files whose clips are added. A TOML file has all of this settled.
    #[staticmethod]
    #[pyo3(signature = (file, *, height=None, mass=None, clips=Vec::new(), motion=Vec::new()))]
    fn load(
        py: Python<'_>,
        file: PathBuf,
        height: Option<f64>,
        mass: Option<f64>,
        clips: Vec<String>,
        motion: Vec<PathBuf>,
    ) -> PyResult<Character> {
        if is_toml(&file) {
            if height.or(mass).is_some() || !clips.is_empty() || !motion.is_empty() {
                return Err(raised(format!(
                    "{}: the size and joints of a character in TOML are settled; give height, mass, clips and motion with the rigged file that it is made of",
                    file.display()
                )));
            }
            return once(py, || Character::new(sim::Character::read(&file)?, Vec::new(), Vec::new()));
        }
        once(py, || {
            let import = ImportOptions { height, ..ImportOptions::default() };
            let source = Source::open(&file, &motion, &import)?;
            let modeling = Modeling::new(&source, &clips, &ModelOptions { mass, ..options_for(&source, &file) })?;
            let repairs = source.rig.report.sentences().map(str::to_owned);
            let notes = repairs.chain(modeling.report().notes).collect();
            Character::new(modeling.project.to_character(), notes, modeling.preflight.problems.clone())
        })
    }

    /// Reads a character from the text of a TOML file.
    #[classmethod]
    fn from_toml(_: &Bound<'_, PyType>, py: Python<'_>, text: &str) -> PyResult<Character> {
        once(py, || Character::new(sim::Character::from_toml(text)?, Vec::new(), Vec::new()))
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.described.name
    }
    /// Mass of all bodies, kg.
    #[getter]
    fn mass(&self) -> f64 {
        self.model.total_mass()
    }
    /// From the lowest to the highest point of its shapes in the rest pose, m.
    #[getter]
    fn height(&self) -> f64 {
        let [low, high] = extent(&self.model);
        high - low
    }
    /// Degrees of freedom, the root's included: the length of a row of velocities.
    #[getter]
    fn dof(&self) -> usize {
        self.model.velocity_count()
    }
    /// The length of a row of positions, in which a ball joint has a quaternion.
    #[getter]
    fn position_count(&self) -> usize {
        self.model.position_count()
    }
    /// Names of the bodies, in the order of the compiled character.
    #[getter]
    fn bodies(&self) -> Vec<String> {
        self.model.bodies().iter().map(|body| self.own_name(&body.name)).collect()
    }
    /// Names of the end effectors: hands, feet, head.
    #[getter]
    fn end_effectors(&self) -> Vec<String> {
        self.model.end_effectors().map(|name| self.own_name(name)).collect()
    }
    /// The joints, in the order of the compiled character.
    #[getter]
    fn joints(&self) -> Vec<Joint> {
        let joint = |info: &sim::JointInfo| Joint {
            name: self.own_name(&info.name),
            kind: match info.kind {
                JointKind::Free => "free",
                JointKind::Planar => "planar",
                JointKind::Fixed => "fixed",
                JointKind::Hinge => "hinge",
                JointKind::Ball => "ball",
                JointKind::Weld => "weld",
            },
            position_index: info.position_index,
            position_count: info.kind.position_count(),
            velocity_index: info.velocity_index,
            velocity_count: info.kind.velocity_count(),
            limits: info.limits,
            torque_limit: info.torque_limit,
        };
        self.model.joints().iter().map(joint).collect()
    }
    /// Positions of the rest pose.
    #[getter]
    fn rest<'py>(&self, py: Python<'py>) -> Bound<'py, numpy::PyArray1<f64>> {
        numpy::PyArray1::from_slice(py, self.model.rest_position())
    }
    /// What was guessed and repaired when it was made, one sentence each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
    /// What is wrong with it, one sentence each: it does not stand, for instance.
    #[getter]
    fn problems(&self) -> Vec<String> {
        self.problems.clone()
    }

    /// The character as commented TOML.
    fn to_toml(&self) -> String {
        self.described.to_toml()
    }
    /// Writes the character as TOML, with what it remembers of its making.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.described.write(&path).or_raise()
    }
    /// The character on flat ground, for MuJoCo.
    #[pyo3(signature = (*, timestep=0.002))]
    fn to_mjcf(&self, timestep: f64) -> PyResult<String> {
        // Refuses a step that nobody can take.
        let scene = Scene::on_ground(self.described.clone());
        let model = Model::new(&scene, timestep).or_raise()?;
        Ok(to_mjcf(&scene, &MjcfOptions { dt: model.dt() }))
    }
    /// Writes the character on flat ground for MuJoCo.
    #[pyo3(signature = (path, *, timestep=0.002))]
    fn export_mjcf(&self, path: PathBuf, timestep: f64) -> PyResult<()> {
        write(&path, self.to_mjcf(timestep)?.as_bytes())
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let batch = Batch::new(&self.model, 1, BatchOptions { threads: 1, ..BatchOptions::default() }).or_raise()?;
        let frame = film::frame(&self.model, &batch.world(0), "rest pose".into());
        let png = picture(&self.model, self.__repr__(), vec![frame])?;
        Ok(PyBytes::new(py, &png))
    }
    fn __repr__(&self) -> String {
        let (bodies, dof) = (self.model.bodies().len(), self.dof());
        let (mass, height) = (self.mass(), self.height());
        format!(
            "<sinew.Character {:?}: {bodies} bodies, {dof} degrees of freedom, {mass:.1} kg, {height:.2} m>",
            self.name()
        )
    }
    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((this.get_type().getattr("from_toml")?, (this.get().to_toml(),)))
    }
}

impl Character {
    fn new(described: sim::Character, notes: Vec<String>, problems: Vec<String>) -> sinew::Result<Character> {
        let model = Arc::new(Model::new(&Scene::on_ground(described.clone()), TIMESTEP)?);
        Ok(Character { described, model, notes, problems })
    }

    /// A name without the character's before it.
    pub fn own_name(&self, name: &str) -> String {
        let own = name.strip_prefix(&self.described.name).and_then(|rest| rest.strip_prefix('/'));
        own.unwrap_or(name).to_owned()
    }
}

/// How a character is made of a source.
pub(crate) fn options_for(source: &Source, file: &Path) -> ModelOptions {
    ModelOptions {
        name: source.name.clone(),
        source: file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        metres_per_unit: source.changed_unit(),
        ..ModelOptions::default()
    }
}

/// Whether a path is that of a character that was made before.
pub(crate) fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

/// Frames as the bytes of a PNG.
pub(crate) fn picture(model: &Model, title: String, frames: Vec<sinew::report::Frame>) -> PyResult<Vec<u8>> {
    film::strip(model, title, frames).render().or_raise()?.encode_png().or_raise()
}

fn write(path: &Path, bytes: &[u8]) -> PyResult<()> {
    atomic_write(path, bytes).map_err(|error| sinew::FileError::Write { path: path.into(), error }).or_raise()
}

/// Lowest and highest point of all shapes in the rest pose, m.
fn extent(model: &Model) -> [f64; 2] {
    let still = vec![0.0; model.velocity_count()];
    let measured = Measured::new(model, model.rest_position(), &still, [0.0; 3]);
    let mut extent = [f64::INFINITY, f64::NEG_INFINITY];
    for (body, motion) in model.bodies().iter().zip(&measured.bodies) {
        for shape in &body.shapes {
            let (points, reach) = match shape {
                Shape::Capsule { from, to, radius } => (vec![motion.place(*from), motion.place(*to)], *radius),
                Shape::Sphere { center, radius } => (vec![motion.place(*center)], *radius),
                Shape::Box { center, half_extents, orientation } => {
                    let [w, x, y, z] = quaternion_product(motion.orientation, *orientation);
                    // The last row of the rotation matrix.
                    let up = [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)];
                    let reach = up.iter().zip(half_extents).map(|(u, half)| u.abs() * half).sum();
                    (vec![motion.place(*center)], reach)
                }
            };
            for point in points {
                extent = [extent[0].min(point[2] - reach), extent[1].max(point[2] + reach)];
            }
        }
    }
    extent
}
