//! Assist from outside in a trajectory: a wrench at the knots where intervals meet, linear in between, and its price.
//!
//! The price of a knot is `λ·(φ(|F|) + φ(|T|))` with `φ(x) = √(x² + ε²) − ε`, which is as good as `|x|` for a small softness ε: a price
//! of that kind buys a lot in few places instead of a little everywhere. Its quadratic model has the curvature `λ/√(x² + ε²)` of the last
//! round's assist (Daubechies, DeVore, Fornasier & Güntürk 2010, *Iteratively reweighted least squares for sparse recovery*). A knot without
//! assist stays without, exactly, unless the first bit of it would gain more than λ.

use crate::wrench::{AssistUnits, AssistWrench, sizes};
use serde::{Deserialize, Serialize};

/// Assist at all knots and what it costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PricedAssist {
    /// One for each place where intervals meet. The first interval keeps the assist of its end all along, so the first one is not used.
    pub knots: Vec<AssistWrench>,
    /// Whether the force and the torque of a knot have to go in the next round.
    pub goes: Vec<[bool; 2]>,
    /// What the first bit of assist at a knot without any has to gain so that there may be assist at all.
    pub begins_at: f64,
    /// λ, cost of one unit of assist at one knot.
    pub price: f64,
    /// ε, in units of assist.
    pub softness: f64,
    pub units: AssistUnits,
}

impl PricedAssist {
    /// No assist at so many knots.
    pub fn none(knots: usize, price: f64, softness: f64, units: AssistUnits) -> PricedAssist {
        PricedAssist {
            knots: vec![[0.0; 6]; knots],
            goes: vec![[false; 2]; knots],
            begins_at: price,
            price,
            softness,
            units,
        }
    }

    /// Whether there is no assist at all.
    pub fn is_none(&self) -> bool {
        self.knots.iter().flatten().all(|x| *x == 0.0)
    }

    /// What assist at a knot costs.
    pub fn cost(&self, assist: &AssistWrench) -> f64 {
        let soft = |x: f64| (x * x + self.softness * self.softness).sqrt() - self.softness;
        let [force, torque] = sizes(assist);
        self.price * (soft(force) + soft(torque))
    }

    /// Weights of the squares at a knot.
    pub fn weights(&self, knot: usize) -> [f64; 2] {
        sizes(&self.knots[knot]).map(|x| 0.5 * self.price / (x * x + self.softness * self.softness).sqrt())
    }

    /// Assist in the frame that begins at a share of an interval, given that at its ends; `frames` is the interval's length.
    pub fn during(interval: usize, share: f64, frames: usize, ends: [&AssistWrench; 2]) -> AssistWrench {
        let [before, after] = shares(interval, share, frames);
        std::array::from_fn(|k| before * ends[0][k] + after * ends[1][k])
    }
}

/// Shares of the assist at an interval's beginning and end in a frame, taken at the frame's middle.
pub(super) fn shares(interval: usize, share: f64, frames: usize) -> [f64; 2] {
    if interval == 0 {
        return [0.0, 1.0];
    }
    let middle = share + 0.5 / frames as f64;
    [1.0 - middle, middle]
}
