//! From settings to a front of jumps and everything that is written about it.
//!
//! [`search`] does all of it, as long work with checkpoints; [`Finished`] holds the front, all samples, and lets any of its controllers jump again; [`write()`] writes the files.
//! [`seed_from`] makes the first jump from a transferred motion.

mod comparison;
mod figures;
mod finished;
mod motion_seed;
mod output;
mod page;
mod pictures;
mod request;

pub use comparison::{Compared, compared, comparison_csv, comparison_table};
pub use figures::{find, searches, write_figures};
pub use finished::Finished;
pub use motion_seed::{MotionSeed, seed_from};
pub use output::write;
pub use page::{four_jumps, front_page, front_plot, method_name, shown_front};
pub use pictures::jump_strip;
pub use request::{CHECKPOINT, Event, Request, search};
pub use sinew_pareto::{
    Budget, Controller, Dialled, Evaluator, Failure, Front, FrontPoint, FrontWork, Jump, Method, Moment, ParetoError,
    Phase, Recording, Repair, Sample, Search, SearchConfig, Source, dial, figure, jumper, parameters, phases, repair,
};
