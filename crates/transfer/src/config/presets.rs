//! The presets.

use super::{
    Basis, Begins, Config, Damping, Differences, EmphasisConfig, Extras, LineSearch, Patience, Polish, Puppet,
    PushOffWeights, Schedule, WeaningConfig, Weights,
};
use crate::target::FRAME_SECS;

impl Config {
    /// Keys-to-Sim §5 and §6 to the letter.
    pub fn paper() -> Config {
        Config {
            dt: 0.0005,
            begins: Begins::Rest,
            window_frames: 20,
            advance_frames: 10,
            knot_frames: 4,
            cost_frames: 2,
            basis: Basis::Linear,
            starts: 20,
            samples: 400,
            population: 30,
            iterations: 200,
            sigma: 0.01,
            torque_share: None,
            shares_distributions: false,
            gives_up_at: None,
            stops_below: None,
            second_tries: 0,
            most_effort: 6.0,
            weights: Weights::PAPER,
            extras: Extras {
                center_velocity: 0.0,
                root_spin: 0.0,
                joint_velocity: 0.0,
                foot_velocity: 0.0,
                sliding: 0.0,
                offsets: 0.0,
            },
            patience: Patience::default(),
            polish: None,
            weaning: WeaningConfig::default(),
            emphasis: EmphasisConfig::default(),
        }
    }

    /// Ours: fewer steps, smooth.
    pub fn standard() -> Config {
        Config {
            dt: FRAME_SECS / 12.0,
            begins: Begins::Moving,
            window_frames: 20,
            advance_frames: 8,
            knot_frames: 4,
            cost_frames: 2,
            basis: Basis::Cubic,
            starts: 4,
            samples: 32,
            population: 32,
            iterations: 48,
            sigma: 0.05,
            torque_share: Some(0.1),
            shares_distributions: true,
            gives_up_at: Some(2.0),
            stops_below: Some(0.02),
            second_tries: 5,
            most_effort: 6.0,
            weights: Weights::PAPER,
            extras: Extras {
                center_velocity: 1.0,
                root_spin: 0.1,
                joint_velocity: 0.01,
                foot_velocity: 1.0,
                sliding: 10.0,
                offsets: 0.02,
            },
            patience: Patience::default(),
            polish: Some(Polish {
                interval_frames: 2,
                iterations: 26,
                stops_below: 0.05,
                offset_accelerations: 2e-3,
                offset_rates: 0.1,
                offsets: 0.1,
                joint_velocity: 1.0,
                joint_acceleration: 2e-3,
                foot_velocity: 1.0,
                root_velocity: 0.2,
                end_position: 1.0,
                sliding: 150.0,
                sliding_softness_m: 1e-4,
                schedule: Schedule::default(),
                differences: Differences::default(),
                damping: Damping::default(),
                line_search: LineSearch::default(),
                push_off: PushOffWeights::default(),
                puppet: Puppet::default(),
            }),
            weaning: WeaningConfig::default(),
            emphasis: EmphasisConfig::default(),
        }
    }

    /// Ours, for a first look.
    pub fn quick() -> Config {
        let standard = Config::standard();
        let polish = standard.polish.map(|p| Polish { iterations: 5, ..p });
        let weaning = WeaningConfig { second_way: false, ..standard.weaning };
        let emphasis = EmphasisConfig { tries: 0, ..standard.emphasis };
        // A sixth of the generations of a window, and half of the effort.
        let most_effort = 3.0 * standard.most_effort;
        Config {
            starts: 4,
            samples: 32,
            population: 16,
            iterations: 16,
            most_effort,
            polish,
            weaning,
            emphasis,
            ..standard
        }
    }
}
