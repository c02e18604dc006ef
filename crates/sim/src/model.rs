//! A compiled scene, as users ask about it.

use crate::character::{JointKind, Shape};
use crate::compile;
use crate::kernel::{Kernel, Link, LinkKind};
use crate::mass_properties::MassProperties;
use crate::rotation::{self, Columns};
use crate::scene::{STANDARD_GRAVITY, Scene};
use crate::validate::SceneError;
use std::collections::BTreeMap;

/// A scene compiled for stepping; constant, shared by all worlds and threads.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) scene: Scene,
    pub(crate) kernel: Kernel<f64>,
    pub(crate) bodies: Vec<BodyInfo>,
    pub(crate) joints: Vec<JointInfo>,
    pub(crate) end_effectors: Vec<EndEffectorInfo>,
    pub(crate) body_index: BTreeMap<String, usize>,
    pub(crate) rest_position: Vec<f64>,
}

/// Where a body of the scene ended up.
#[derive(Clone, Debug)]
pub struct BodyInfo {
    /// `character/body`, or the object's name.
    pub name: String,
    /// Index of the character in the scene; `None` for objects.
    pub character: Option<usize>,
    /// Shapes in the body's frame.
    pub shapes: Vec<Shape>,
    pub(crate) link: usize,
    pub(crate) position: [f64; 3],
    pub(crate) rotation: Columns,
    pub(crate) mass: MassProperties,
}

/// A joint and its place in the state.
#[derive(Clone, Debug)]
pub struct JointInfo {
    /// `character/joint`, or the object's name.
    pub name: String,
    /// What it lets its child do.
    pub kind: JointKind,
    /// First index in `qpos`.
    pub position_index: usize,
    /// First index in `qvel`.
    pub velocity_index: usize,
    /// Limits, rad.
    pub limits: Option<[f64; 2]>,
    /// Largest PD torque, N·m.
    pub torque_limit: Option<f64>,
}

#[derive(Clone, Debug)]
pub(crate) struct EndEffectorInfo {
    pub name: String,
    pub body: usize,
    pub position: [f64; 3],
}

/// Why a model could not be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// The scene is not valid.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The time step is unusable.
    #[error("the time step is {0} s, but must lie between 0.00001 and 0.02 s; 0.002 suits most characters")]
    TimeStep(f64),
    /// Nothing in the scene can move or be asked about.
    #[error("the scene holds no character and no object; add one to simulate")]
    Empty,
}

impl Model {
    /// Validates and compiles a scene for steps of `dt` seconds.
    pub fn new(scene: &Scene, dt: f64) -> Result<Model, ModelError> {
        if !(1e-5..=0.02).contains(&dt) {
            return Err(ModelError::TimeStep(dt));
        }
        scene.validate()?;
        if scene.characters.is_empty() && scene.objects.is_empty() {
            return Err(ModelError::Empty);
        }
        Ok(compile::compile(scene, dt))
    }

    /// The scene that was compiled.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }
    /// Length of a step, s.
    pub fn dt(&self) -> f64 {
        self.kernel.dt
    }
    /// Length of `qpos`.
    pub fn position_count(&self) -> usize {
        self.kernel.position_count
    }
    /// Length of `qvel`.
    pub fn velocity_count(&self) -> usize {
        self.kernel.velocity_count
    }
    /// `qpos` of the scene as described.
    pub fn rest_position(&self) -> &[f64] {
        &self.rest_position
    }
    /// All bodies: characters in order, then objects.
    pub fn bodies(&self) -> &[BodyInfo] {
        &self.bodies
    }
    /// All joints with degrees of freedom, in the order of `qpos`.
    pub fn joints(&self) -> &[JointInfo] {
        &self.joints
    }
    /// Index of a body by `character/body`, by an object's name, or, with one character alone, by the body's plain name.
    pub fn body(&self, name: &str) -> Option<usize> {
        self.body_index.get(name).copied().or_else(|| {
            let [only] = &self.scene.characters[..] else { return None };
            self.body_index.get(&format!("{}/{name}", only.character.name)).copied()
        })
    }
    /// Names of the end effectors, in the order in which they are read.
    pub fn end_effectors(&self) -> impl Iterator<Item = &str> {
        self.end_effectors.iter().map(|e| e.name.as_str())
    }
    /// Name of the joint whose velocity has this index.
    pub fn joint_of_velocity(&self, index: usize) -> &str {
        let joint = self.joints.iter().rev().find(|j| j.velocity_index <= index);
        joint.map_or("", |j| j.name.as_str())
    }
    /// Size of the scene's gravity, m/s².
    pub fn gravity(&self) -> f64 {
        rotation::length(self.scene.gravity)
    }
    /// Weight of everything that moves, N. Where there is no gravity, that under [`STANDARD_GRAVITY`]: a unit of force needs one.
    pub fn weight(&self) -> f64 {
        let gravity = self.gravity();
        (if gravity > 0.0 { gravity } else { STANDARD_GRAVITY }) * self.total_mass()
    }
    /// Mass of everything that moves, kg.
    pub fn total_mass(&self) -> f64 {
        let moves = |l: &&Link<f64>| l.kind != LinkKind::Fixed;
        self.kernel.links.iter().filter(moves).map(|l| l.mass).sum()
    }
}
