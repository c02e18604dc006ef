//! What a jump is judged by: effort, height, landing place, help (Agrawal & van de Panne 2013, section 3.2 and equation 5).

use crate::figure::{Figure, Link};
use serde::{Deserialize, Serialize};
use sinew_settings::documented;

documented! {
/// Settings of the objectives; the defaults are the paper's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Objectives {
    /// Weight of the joints' effort, w_JE. 1e-4, which brings efforts to the order of 10.
    pub effort_weight: f64,
    /// Weight of help over that of effort, w_SE / w_JE. 5000.
    pub assist_ratio: f64,
    /// Weight of a height outside of its band, w_p. 5000.
    pub height_weight: f64,
    /// Half the band of heights within which a bin's height holds, h_r, m. 0.025.
    pub height_band: f64,
    /// Farthest that a jump in place may land from where it began, l_r, m. 0.15.
    pub landing_band: f64,
    /// Value of a failure, f_p. 100000.
    pub failure: f64,
    /// Whether the sum of efforts is taken as it is, without the logarithm.
    pub is_linear: bool,
}
}

impl Default for Objectives {
    fn default() -> Objectives {
        Objectives {
            effort_weight: 1e-4,
            assist_ratio: 5000.0,
            height_weight: 5000.0,
            height_band: 0.025,
            landing_band: 0.15,
            failure: 100_000.0,
            is_linear: false,
        }
    }
}

/// Weights of the joints before they are normalised (the paper's table 1), by the link that the joint carries.
#[rustfmt::skip]
pub const EFFORT_WEIGHTS: [(Link, f64); 10] = [
    (Link::Thigh, 2.5), (Link::Shin, 2.0), (Link::Foot, 1.0), (Link::UpperArm, 1.0), (Link::Forearm, 0.5),
    (Link::Hand, 0.25), (Link::Head, 1.0), (Link::Neck, 1.0), (Link::Chest, 2.5), (Link::Abdomen, 3.0),
];

/// Weight of each torque in `qvel` order: zero at the root, summing to the number of joints.
pub fn effort_weights(figure: &Figure, velocity_count: usize) -> Vec<f64> {
    let mut weights = vec![0.0; velocity_count];
    for (link, weight) in EFFORT_WEIGHTS {
        figure.velocity_indices(link).iter().for_each(|&joint| weights[joint] = weight);
    }
    let (sum, joints) = (weights.iter().sum::<f64>(), weights.iter().filter(|weight| **weight > 0.0).count());
    weights.iter_mut().for_each(|weight| *weight *= joints as f64 / sum);
    weights
}

/// Why a jump is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// The feet did not leave the ground, or for less than 0.1 s.
    NoFlight,
    /// It fell, or touched the ground with something else than its feet.
    Fell,
    /// It landed too far from where it should.
    MissedPlace,
    /// It did not stand still for 2 s after the landing.
    Unsteady,
    /// A joint was beyond what a human can do in flight or landing.
    Contorted,
    /// The simulation left all reason.
    Diverged,
}

impl Failure {
    /// What went wrong, in words.
    pub fn words(self) -> &'static str {
        match self {
            Failure::NoFlight => "the feet do not leave the ground for 0.1 s",
            Failure::Fell => "it falls",
            Failure::MissedPlace => "it lands too far away",
            Failure::Unsteady => "it does not stand still after the landing",
            Failure::Contorted => "it turns or bends too far in flight",
            Failure::Diverged => "the simulation diverges",
        }
    }
}

/// What one jump came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Jump {
    /// Why it failed; none: it landed and stood.
    pub failure: Option<Failure>,
    /// Greatest height of the top of the head above the ground, m.
    pub height: f64,
    /// `e_JE = ∫ Σ wᵢ τᵢ² dt` (equation 4), N²·m²·s.
    pub effort: f64,
    /// `e_SE = ∫ |F_ext|² dt` (equation 6), N²·s; exactly 0 for a natural jump.
    pub assist: f64,
    /// Where the feet touched down, from where they began, m.
    pub landing: f64,
    /// Time from take-off to touch-down, s.
    pub flight_secs: f64,
    /// Time from the start to the failure or the end, s.
    pub lasted_secs: f64,
}

impl Jump {
    /// Whether no outer force helped.
    pub fn is_natural(&self) -> bool {
        self.assist == 0.0
    }
}

impl Objectives {
    /// `w_JE e_JE`, the number that tables show.
    pub fn shown_effort(&self, jump: &Jump) -> f64 {
        self.effort_weight * jump.effort
    }

    /// `log(w_JE e_JE + w_SE e_SE)`, or without the logarithm.
    pub fn price(&self, jump: &Jump) -> f64 {
        let sum = self.effort_weight * (jump.effort + self.assist_ratio * jump.assist);
        if self.is_linear { sum } else { libm::log(sum) }
    }

    /// Effort and height, both to be minimised; with three objectives the distance of the landing, too.
    pub fn values(&self, jump: &Jump, count: usize) -> Vec<f64> {
        let all = [self.price(jump), -jump.height, -jump.landing];
        all[..count].to_vec()
    }

    /// `f_H + log(w_JE e_JE + w_SE e_SE)` for a bin of heights (equations 1, 2, 3 and 5).
    pub fn binned(&self, jump: &Jump, height: f64) -> f64 {
        if jump.failure.is_some() {
            return self.failure;
        }
        let off = jump.height - height;
        let band = if off.abs() > self.height_band { self.height_weight * off * off } else { 0.0 };
        band + self.price(jump)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jumper::jumper_model;

    #[test]
    fn weights_sum_to_the_number_of_joints() {
        let model = jumper_model();
        let weights = effort_weights(&Figure::new(&model), model.velocity_count());
        assert!((weights.iter().sum::<f64>() - 16.0).abs() < 1e-12);
        assert_eq!(weights[..3], [0.0; 3]);
        assert!(weights[3..].iter().all(|weight| *weight > 0.0));
    }

    #[test]
    fn a_bin_pays_outside_of_its_band_alone() {
        let jump = Jump {
            failure: None,
            height: 2.0,
            effort: 1e5,
            assist: 0.0,
            landing: 0.0,
            flight_secs: 0.4,
            lasted_secs: 4.0,
        };
        let objectives = Objectives::default();
        assert_eq!(objectives.binned(&jump, 2.02), libm::log(1e-4 * 1e5));
        assert!((objectives.binned(&jump, 2.1) - libm::log(10.0) - 5000.0 * 0.01).abs() < 1e-9);
        assert_eq!(objectives.binned(&Jump { failure: Some(Failure::Fell), ..jump.clone() }, 2.0), 100_000.0);
        let helped = Jump { assist: 1.0, ..jump };
        assert!((objectives.price(&helped) - libm::log(10.0 + 0.5)).abs() < 1e-12);
        let linear = Objectives { is_linear: true, ..objectives };
        assert!((linear.price(&helped) - 10.5).abs() < 1e-12);
        assert_eq!(linear.values(&helped, 3), [linear.price(&helped), -2.0, -0.0]);
    }
}
