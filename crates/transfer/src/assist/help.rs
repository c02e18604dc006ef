//! Help from outside as numbers without units, and what it is in newtons.

use crate::ground::extent;
use serde::{Deserialize, Serialize};
use sinew_sim::{Model, Wrench};

/// A wrench at the centre of mass in world axes: force over the weight (3), torque over weight times [`HelpUnits::arm_m`] (3).
pub type Help = [f64; 6];

/// What a unit of help is for a character.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HelpUnits {
    /// Weight, N.
    pub weight_newtons: f64,
    /// Arm of a unit of torque, m: a quarter of the height in the rest pose.
    pub arm_m: f64,
}

impl HelpUnits {
    /// Arm of the torque's unit as a share of the height: about the radius of gyration of somebody who stands upright, so that one unit of
    /// either kind changes a body's motion about as much.
    pub const ARM_SHARE: f64 = 0.25;

    /// Those of a model's bodies together.
    pub fn of(model: &Model) -> HelpUnits {
        HelpUnits {
            weight_newtons: model.weight(),
            arm_m: HelpUnits::ARM_SHARE * extent(model, model.rest_position()).max(1e-3),
        }
    }

    /// Help in newtons and newton metres; none where there is no help.
    pub fn wrench(&self, help: &Help) -> Option<Wrench> {
        let turn = self.weight_newtons * self.arm_m;
        (*help != [0.0; 6]).then(|| Wrench {
            force: [0, 1, 2].map(|k| self.weight_newtons * help[k]),
            torque: [3, 4, 5].map(|k| turn * help[k]),
        })
    }
}

/// Sizes of the force and of the torque.
pub fn sizes(help: &Help) -> [f64; 2] {
    let length = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    [length(&help[..3]), length(&help[3..])]
}
