//! Every constant of the estimate of size.

use serde::{Deserialize, Serialize};

/// How the size is told from motion; every field has a default. Spreads are standard deviations of the logarithm of a height.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SizeOptions {
    /// Lowest sole over the height, above which a figure flies.
    pub flight_clearance: f64,
    /// Shortest flight that votes, s.
    pub flight_secs: f64,
    /// Least height of a flight's arc over the height of the figure.
    pub flight_rise: f64,
    /// Largest residual of the parabola over the height of its arc.
    pub flight_residual: f64,
    /// Spread of a perfect parabola: what artists exaggerate.
    pub flight_spread: f64,

    /// Stride over leg length at Froude number 1 (Alexander and Jayes 1983: `λ / L = 2.4 Fr^0.34`).
    pub stride_scale: f64,
    /// Its exponent.
    pub stride_exponent: f64,
    /// Shortest and longest stride over leg length that is a gait.
    pub stride_bounds: [f64; 2],
    /// Stride at Froude number 1 of who walks on two legs, whose strides are longer: captured people.
    pub biped_walk_scale: f64,
    /// Spread of a steady gait: artists draw strides for the eye.
    pub gait_spread: f64,

    /// Drop of the centre of mass over its height that makes a fall.
    pub fall_drop: f64,
    /// Energy of a natural fall's greatest speed, `v² / 2gh`.
    pub fall_energy: f64,
    /// Spread of a fall.
    pub fall_spread: f64,

    /// Friction that feet can rely on.
    pub friction: f64,
    /// Half of the window in which accelerations are measured, s.
    pub window_secs: f64,
    /// Share of a clip's moments that may be quicker than gravity and friction allow.
    pub quick_share: f64,
    /// Share of the clips that may be.
    pub quick_clips: f64,
    /// Spread of the bound.
    pub pace_spread: f64,

    /// Spread that all votes of one kind share, however many there are: they are by one hand.
    pub hand_spread: f64,
    /// Chance that all votes of a kind say nothing at all.
    pub stray: f64,
    /// Usual height of people, m, and its spread.
    pub person: [f64; 2],
    /// Usual height of cartoon people, m, and its spread.
    pub cartoon: [f64; 2],
    /// Usual height of creatures, m, and its spread.
    pub creature: [f64; 2],
    /// Heights of a person that are always believed, m.
    pub trusted_person: [f64; 2],
    /// How many times likelier than the file's size a smaller one must be to replace it.
    pub odds: f64,
    /// How many times likelier a larger one must be: files are too large far more often, and what is too large does worse.
    pub odds_of_larger: f64,
    /// How many times likelier the clips alone must make it, without what is known of people and animals.
    pub odds_of_clips: f64,
    /// Factor between the two under which the file's stays.
    pub least_factor: f64,
    /// How many spreads the file's size must be off.
    pub least_spreads: f64,
}

impl Default for SizeOptions {
    fn default() -> Self {
        SizeOptions {
            flight_clearance: 0.03,
            flight_secs: 0.12,
            flight_rise: 0.02,
            flight_residual: 0.2,
            flight_spread: 0.4,
            stride_scale: 2.4,
            stride_exponent: 0.34,
            stride_bounds: [0.5, 6.0],
            biped_walk_scale: 2.9,
            gait_spread: 0.7,
            fall_drop: 0.5,
            fall_energy: 0.6,
            fall_spread: 0.6,
            friction: 0.8,
            window_secs: 0.1,
            quick_share: 0.1,
            quick_clips: 0.25,
            pace_spread: 0.4,
            hand_spread: 0.3,
            stray: 0.05,
            person: [1.65, 0.17],
            cartoon: [1.3, 0.4],
            creature: [0.9, 0.8],
            trusted_person: [1.4, 2.1],
            odds: 8.0,
            odds_of_larger: 80.0,
            odds_of_clips: 2.0,
            least_factor: 1.4,
            least_spreads: 2.0,
        }
    }
}
