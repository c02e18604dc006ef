//! Assist: a wrench from outside at the centre of mass, and how near a motion comes to its drawing for how much of it.
//!
//! The wrench, with a price, stands beside the offsets of the joints; [`Sweep`] lowers its price from infinity (physics
//! alone) until the motion is as drawn, and leaves a front of points that an artist can choose from. The idea of assist forces that are used only as far as
//! needed is that of Agrawal & van de Panne 2013, *Pareto optimal control for natural and supernatural motions*, §3.3. Start reading at `sweep.rs`.

mod config;
mod figures;
mod point;
mod polisher;
mod sweep;
mod weaning;

pub use config::AssistConfig;
pub use figures::{AssistFigures, AssistSpan};
pub use point::AssistPoint;
pub use sweep::{Sweep, can_be_assisted};
pub(crate) use weaning::Weaning;

#[cfg(test)]
mod tests;

#[cfg(test)]
mod rules_tests;
