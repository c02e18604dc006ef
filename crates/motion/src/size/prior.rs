//! What is known of heights before a clip is looked at.

use super::SizeOptions;
use crate::{Rig, repair};

/// What kind of figure the names of the joints tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Person,
    Creature,
}

impl Kind {
    pub fn of(rig: &Rig) -> Kind {
        if repair::is_person(&rig.skeleton) { Kind::Person } else { Kind::Creature }
    }

    /// Density of the logarithm of a height: people are people or cartoons, creatures anything.
    pub fn density(self, log_height: f64, options: &SizeOptions) -> f64 {
        let at = |[height, spread]: [f64; 2]| normal(log_height - libm::log(height), spread);
        match self {
            Kind::Person => 0.6 * at(options.person) + 0.35 * at(options.cartoon) + 0.05 * at(options.creature),
            Kind::Creature => at(options.creature),
        }
    }
}

/// `exp(−½ x² / s²) / (s √2π)`.
pub(super) fn normal(x: f64, spread: f64) -> f64 {
    libm::exp(-0.5 * x * x / (spread * spread)) / (spread * libm::sqrt(2.0 * std::f64::consts::PI))
}
