//! A force on the centre of mass by joint torques of the legs alone.
//!
//! With the feet on the ground, the torque about joint j that acts like a force F on the part of the body above it is
//! `τⱼ = (mⱼ/m)·(cⱼ − pⱼ) × F`, the transpose of the Jacobian of the centre of mass (Coros, Beaudoin & van de Panne 2010, section 4.3).

use crate::figure::{Figure, Link, State};
use crate::jumper::GRAVITY;

/// How hard the centre of mass is drawn over the feet, and how hard its motion is braked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// Acceleration for each metre off the place, 1/s².
    pub stiffness: f64,
    /// Deceleration for each metre a second, 1/s.
    pub damping: f64,
    /// Share of the weight that is carried.
    pub support: f64,
    /// Largest horizontal acceleration, m/s².
    pub largest: f64,
}

/// Torques on the feet, shins and thighs of each side, N·m.
pub type LegTorques = [f64; 3];

impl Balance {
    /// Torques that draw the centre of mass towards `place` along `x`.
    pub fn torques(&self, figure: &Figure, state: &State, place: f64) -> LegTorques {
        let wish = self.stiffness * (place - state.center[0]) - self.damping * state.velocity[0];
        let wish = figure.mass * wish.clamp(-self.largest, self.largest);
        let up = figure.mass * GRAVITY * self.support;
        // The pressure under the sole stays between heel and toe, with a margin: heel·W ≤ x·Fz − z·Fx ≤ toe·W about the ankle.
        let (ankle, above) = (state.place_of(Link::Foot), state.center_above[0]);
        let (arm, height) = (above[0] - ankle[0], (above[1] - ankle[1]).max(0.1));
        let [heel, toe] = figure.sole.map(|corner| 0.85 * figure.mass * GRAVITY * corner[0]);
        let ahead = wish.min((arm * up - heel) / height).max((arm * up - toe) / height);
        let mut torques = transposed(figure, state, [ahead, up]);
        torques[0] = torques[0].clamp(0.5 * heel, 0.5 * toe);
        torques
    }
}

/// Torques on foot, shin and thigh of each side that act like a force `[x, z]` on the centre of mass.
pub fn transposed(figure: &Figure, state: &State, force: [f64; 2]) -> LegTorques {
    let links = [Link::Foot, Link::Shin, Link::Thigh];
    std::array::from_fn(|joint| {
        let (place, above) = (state.place_of(links[joint]), state.center_above[joint]);
        let arm = [above[0] - place[0], above[1] - place[1]];
        // About y: z·Fx − x·Fz, on what is above; the child below gets the opposite, shared by two legs.
        let torque = arm[1] * force[0] - arm[0] * force[1];
        -0.5 * torque * figure.mass_above[joint] / figure.mass
    })
}
