//! The velocity that a motion starts with.
//!
//! A drawing says where the body is in its first frame, and hardly how fast it sways: a walk that starts with the drawn velocity may begin with
//! a fall to the side that no step mends. What a deviation at the start costs to the end of the motion the value function says; so the
//! round that corrects the offsets also corrects the root's velocity along the ground and its spin, as far as that pays for leaving the
//! drawn ones: `min ½ δᵀ·V·δ + vᵀ·δ + Σ w·(p + δ)²`, p being the present push-off. Upwards nothing is given: who jumps has to push.

use super::matrix::Matrix;
use super::riccati::Value;
use crate::config::{Begins, Config};
use crate::start_state;
use crate::target::Target;
use sinew_sim::Snapshot;

/// Velocities that may change, along the ground and about all axes, with their weights, s²/m² and s²/rad².
const FREE: [(usize, f64); 5] = [(0, 1.0), (1, 1.0), (3, 0.1), (4, 0.1), (5, 0.1)];
/// Shares of the correction that are tried.
const SHARES: [f64; 4] = [1.0, 0.5, 0.2, 0.05];

/// The push-off of a trajectory.
pub(super) struct Launch {
    /// p
    now: Vec<f64>,
}

impl Launch {
    /// Of who starts with a state; none where motions start at rest or hang from the world.
    pub fn new(target: &Target, config: &Config, start: &Snapshot) -> Option<Launch> {
        if config.begins == Begins::Rest || !target.dofs.has_free_root {
            return None;
        }
        let nq = target.model.position_count();
        let drawn = start_state::start_state(target, config, &[]);
        let now = start.values()[nq..].iter().zip(&drawn.values()[nq..]).map(|(is, was)| is - was);
        Some(Launch { now: now.collect() })
    }

    /// The push-off itself.
    pub fn into_push_off(self) -> Vec<f64> {
        self.now
    }

    /// What the push-off costs.
    pub fn cost(&self) -> f64 {
        FREE.iter().map(|&(k, weight)| weight * self.now[k] * self.now[k]).sum()
    }

    /// Starts to be tried, each with its share of the correction and its cost; none where the value function does not say where to go.
    pub fn starts(&self, value: &Value, start: &Snapshot) -> Vec<(Snapshot, f64, f64)> {
        let Some(change) = self.change(value) else { return Vec::new() };
        let (q, v) = start.values().split_at(start.values().len() - self.now.len());
        let moved = |share: f64| {
            let (mut velocity, mut now) = (v.to_vec(), self.now.clone());
            for ((k, _), change) in FREE.iter().zip(&change) {
                velocity[*k] += share * change;
                now[*k] += share * change;
            }
            (Snapshot::new(q, &velocity), share, Launch { now }.cost())
        };
        SHARES.iter().map(|&share| moved(share)).collect()
    }

    /// `(V + 2·W)·δ = −(v + 2·W·p)`.
    fn change(&self, value: &Value) -> Option<Vec<f64>> {
        let (nv, count) = (self.now.len(), FREE.len());
        let (slope, mut curvature) = value.of(&FREE.map(|(k, _)| nv + k));
        let pull = slope.iter().zip(FREE).map(|(v, (k, weight))| -(v + 2.0 * weight * self.now[k]));
        let mut change = Matrix { rows: count, cols: 1, data: pull.collect() };
        for (i, (_, weight)) in FREE.iter().enumerate() {
            curvature.data[i * count + i] += 2.0 * weight;
        }
        curvature.cholesky()?.solve(&mut change);
        change.data.iter().all(|x| x.is_finite()).then_some(change.data)
    }
}
