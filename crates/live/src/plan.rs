//! A plan: where the character is to be in each frame, with which PD targets, and what to do where it is not.

use crate::motion::Motion;
use crate::regulator::Regulator;
use crate::weights::deviation;
use crate::window::Window;
use sinew_sim::Model;
use sinew_transfer::Matrix;
use std::sync::Arc;

/// What a plan has for a frame: `u = ū + K·(x ⊖ x̄)`, u being the change of the PD targets from the motion's.
#[derive(Clone, Debug)]
pub struct Knot {
    /// `qpos` expected at the beginning of the frame.
    pub position: Vec<f64>,
    /// `qvel` expected there.
    pub velocity: Vec<f64>,
    /// ū, rad.
    pub control: Vec<f64>,
    /// K: a row for each angle, a column for each number of (position, velocity).
    pub gain: Arc<Matrix>,
}

/// Knots of frames one after another.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Frame of the first knot, counted from the beginning.
    pub first: u64,
    /// One for each frame.
    pub knots: Vec<Knot>,
}

impl Knot {
    /// Writes u, each number at most `largest`.
    pub fn decide(
        &self,
        model: &Model,
        position: &[f64],
        velocity: &[f64],
        largest: f64,
        room: &mut Vec<f64>,
        out: &mut [f64],
    ) {
        deviation(model, (&self.position, &self.velocity), (position, velocity), room);
        out.copy_from_slice(&self.control);
        self.gain.add_vector(room, out);
        out.iter_mut().for_each(|u| *u = if u.is_finite() { u.clamp(-largest, largest) } else { 0.0 });
    }
}

impl Plan {
    /// The knot of a frame; none where the plan has come to its end.
    pub fn knot(&self, frame: u64) -> Option<&Knot> {
        self.knots.get(frame.checked_sub(self.first)? as usize)
    }
}

/// The motion's own policy in a frame: follow it under its regulator's gains.
pub(crate) fn own_knot(motion: &Motion, regulator: &Regulator, window: &Window, frame: u64) -> Knot {
    let row = window.row(frame);
    Knot {
        position: row.position.clone(),
        velocity: row.velocity.clone(),
        control: vec![0.0; motion.dofs().count],
        gain: regulator.gains[row.frame].clone(),
    }
}
