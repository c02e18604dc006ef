//! sinew: animation in, simulated characters out.
//!
//! The façade over the crates that do the work, plus what joins them: film strips of simulated worlds, trajectories for
//! NumPy and MuJoCo, transfers from a file to its report, policies that repeat them, fronts of jumps, and seeded random streams. Start at [`transfer`], or at [`sim`] for the simulator.

pub mod config_file;
mod error;
pub mod export;
pub mod feedback;
pub mod film;
pub mod inspect;
pub mod modeling;
pub mod pareto;
pub mod random;
pub mod source;
pub mod trajectory;
pub mod transfer;

pub use error::{ClipError, Error, FileError, MotionError, Result};
pub use sinew_assets as assets;
pub use sinew_modeler as modeler;
pub use sinew_motion as motion;
pub use sinew_report as report;
pub use sinew_settings as settings;
pub use sinew_sim as sim;
