//! sinew: animation in, simulated characters out.
//!
//! The façade over the crates that do the work, plus what joins them: film strips of simulated worlds, trajectories for
//! NumPy and MuJoCo, transfers from a file to its report, policies that repeat them, fronts of jumps, and seeded random streams. Start at [`transfer`], or at [`sim`] for the simulator.
//!
//! Reads the embedded human and makes a character of it:
//!
//! ```
//! use sinew::modeler::ModelOptions;
//! use sinew::modeling::Modeling;
//! use sinew::source::Source;
//!
//! let source = Source::open("human".as_ref(), &[], &Default::default())?;
//! let modeling = Modeling::new(&source, &["walk".into()], &ModelOptions::default())?;
//! assert!(modeling.preflight.problems.is_empty(), "{:?}", modeling.preflight.problems);
//! println!("{} bodies, {:.0} kg", modeling.report().bodies, modeling.preflight.mass);
//! # Ok::<(), sinew::Error>(())
//! ```

pub mod bring;
pub mod config_file;
mod error;
pub mod export;
pub mod feedback;
pub mod film;
mod hanging;
pub mod inspect;
pub mod learn;
pub mod live;
mod manifest;
pub mod modeling;
mod output_folder;
pub mod pareto;
pub mod play;
mod readme;
pub mod retarget;
pub mod source;
pub mod trajectory;
pub mod transfer;

pub use error::{BringError, ClipError, DataError, Error, FileError, MotionError, Result};
pub use sinew_assets as assets;
pub use sinew_files as files;
pub use sinew_learn as learning;
pub use sinew_live as living;
pub use sinew_modeler as modeler;
pub use sinew_motion as motion;
pub use sinew_nn as networks;
pub use sinew_play as playing;
pub use sinew_report as report;
pub use sinew_retarget as retargeting;
pub use sinew_settings as settings;
pub use sinew_sim as sim;
pub use sinew_track as tracking;
pub use sinew_work as work;
pub use sinew_work::random;
