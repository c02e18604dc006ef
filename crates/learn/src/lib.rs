//! Data sets of motion, from which generators and tracking policies are learnt (Park et al. 2019, §4.1).
//!
//! Clips in the coordinates of one character enter, with labels of what they show; a [`MotionSet`] of captured and augmented sequences leaves, with contacts
//! and the intent of every frame. A [`Generator`] of a set moves the character under objectives. Start reading at [`MotionSet`], then [`Figure`], which knows
//! the character's heading and places, then [`Generator`].

mod actions;
mod augment;
mod blend;
mod captured;
mod config;
mod contact_sites;
mod contacts;
mod data_work;
mod decay;
mod edit;
mod error;
mod feasible;
mod figure;
mod foot_lock;
mod foot_slide;
mod generator;
mod generator_error;
mod generator_file;
mod graph;
mod ground_transform;
mod infer_intent;
mod intent;
mod matching;
mod motion_set;
mod objective;
mod plant;
mod polar_range;
mod ranges;
mod recurrent;
mod set_file;
#[cfg(test)]
mod test_walks;
mod trial;
mod walk;

pub use actions::{Action, Goal, known_actions};
pub use augment::{AugmentFigures, Augmented, Augmenter};
pub use blend::blended;
pub use captured::{Captured, InputClip};
pub use config::DataConfig;
pub use contact_sites::{ContactSite, contact_sites};
pub use contacts::find_contacts;
pub use data_work::{DataState, DataWork};
pub use edit::{Deformation, Motion, Segment, deform_path, edited, frame_times};
pub use error::LearnError;
pub use feasible::{ActionRange, FeasibleRange};
pub use figure::Figure;
pub use foot_lock::SiteLock;
pub use foot_slide::FootSlide;
pub use generator::{Generator, GeneratorState, Memory, Prediction};
pub use generator_error::GeneratorError;
pub use generator_file::{GeneratorKind, SavedGenerator};
pub use graph::{GraphReport, Joined, MotionGraph, Pruned, Transition, align, reached, strong_components, strong_core};
pub use ground_transform::{GroundTransform, wrap_angle};
pub use infer_intent::infer_intents;
pub use intent::{CONTROLS, Control, Intent};
pub use matching::{MatchingConfig, MatchingMemory, MotionMatching};
pub use motion_set::{MotionSet, Origin, RATE_HZ, Sequence, SetHeader};
pub use objective::Objective;
pub use plant::{Unedited, plant};
pub use polar_range::PolarRange;
pub use ranges::{ControlRange, ControlValues};
pub use recurrent::{
    CurvePoint, LearnedMotion, LossTerms, RecurrentConfig, RecurrentGenerator, RecurrentMemory, RecurrentPreset,
    TrainingState, TrainingWork,
};
pub use set_file::{SetReader, SetWriter};
pub use trial::{
    ActionFigures, Forecast, Trace, TrialFigures, TrialOptions, foot_slide_cm, forecasts, practise, run_trial,
};
pub use walk::Step;

use sinew_work::random;
