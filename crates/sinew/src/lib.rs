//! sinew: animation in, simulated characters out.
//!
//! The façade over the crates that do the work, plus what joins them: film strips of simulated worlds, trajectories for
//! NumPy and MuJoCo, and seeded random streams. Start at [`sim`] for the simulator.

pub mod film;
pub mod random;
pub mod trajectory;

pub use sinew_report as report;
pub use sinew_sim as sim;
