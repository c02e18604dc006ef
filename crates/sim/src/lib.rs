//! Many copies of one articulated scene, stepped together in SIMD lanes.
//!
//! A [`Scene`] of [`Character`]s enters, is compiled into a constant [`Model`], and a [`Batch`] of its worlds is stepped by
//! implicit PD control; poses, torques, contacts and energies leave, as do MJCF and NPZ files for MuJoCo and NumPy.
//! Start reading at [`character`], then `compile.rs`, then `step/mod.rs`, which is the algorithm.

pub use sinew_files::{atomic_write, fnv};
mod batch;
mod bulk;
pub mod character;
pub mod character_file;
mod compile;
mod control;
mod coordinates;
mod drive;
pub mod embedded;
mod engine;
mod fall;
mod jobs;
mod kernel;
mod lanes;
pub mod mass_properties;
mod math;
mod measure;
pub mod mjcf;
mod model;
pub mod npz;
mod observation;
mod readings;
mod rollout;
pub mod rotation;
pub mod scene;
mod step;
pub mod validate;
mod world;

pub use batch::{Batch, BatchError, BatchOptions, MAX_WORLDS};
pub use bulk::BulkError;
pub use character::{Body, Character, EndEffector, Joint, JointKind, Shape};
pub use control::{DampsTo, Interval, Path, Track};
pub use drive::Driver;
pub use fall::{FallRule, Heights};
pub use jobs::Jobs;
pub use lanes::{Isa, LaneChoice};
pub use measure::{BodyMotion, Measured};
pub use model::{BodyInfo, JointInfo, Model, ModelError};
pub use observation::{Observation, ObservationLayout};
pub use readings::{Condition, Readings};
pub use rollout::{Flow, Job, Outcome, Push, RolloutError, Rollouts, Steering};
pub use scene::{Ground, Object, ObjectShape, PlacedCharacter, STANDARD_GRAVITY, Scene, StaticBox, Surface};
pub use world::{ContactReading, Snapshot, Status, Touched, World, WorldMut, Wrench};
