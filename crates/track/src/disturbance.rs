//! What troubles the worlds of a training: actions that are off for a while, and pushes.
//!
//! A policy that only ever sees its own noise learns to keep to the reference, not to come back to it. Two disturbances bring it away, all through the
//! training, and are no part of its actions:
//!
//! - each number of an action is off by `d`, an Ornstein–Uhlenbeck process: `d_t = ρ·d_{t−1} + √(1 − ρ²)·σ·n_t`, `ρ = exp(−1/(rate·secs))`;
//! - now and then the whole body gets a velocity along the ground, and a spin, in one moment: the impulse of a push over its mass.
//!
//! Both are functions of (seed, update, world), so that resumed trainings see the same.

use crate::body::TrackedBody;
use crate::config::TrackerConfig;
use crate::reward::USUAL_HEIGHT_M;
use rayon::prelude::*;
use sinew_optim::NormalStream;

const OFF: u64 = 0x4f46_4600;
const PUSH: u64 = 0x5055_5348;
/// Spin that a push gives, rad/s for each m/s, of a figure of 1.7 m.
const SPIN: f64 = 1.0;

/// Disturbances of all worlds in the frames of an update.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disturbances {
    /// World after world, frame after frame; empty where actions are not disturbed.
    off: Vec<f32>,
    /// Frame after frame.
    kicks: Vec<Vec<Kick>>,
    actions: usize,
    frames: usize,
}

/// A push of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Kick {
    pub world: usize,
    /// Change of the root's velocity, then of its angular velocity.
    pub change: [f32; 6],
}

impl Disturbances {
    /// Draws those of an update.
    pub fn draw(
        &mut self,
        body: &TrackedBody,
        config: &TrackerConfig,
        rate_hz: f64,
        worlds: usize,
        (seed, number): (u64, u64),
    ) {
        let (actions, frames) = (body.coordinate_count(), config.horizon);
        (self.actions, self.frames) = (actions, frames);
        let count = |world: usize| number * worlds as u64 + world as u64;
        self.off.clear();
        if config.action_disturbance > 0.0 {
            self.off.resize(worlds * frames * actions, 0.0);
            let keeps = libm::exp(-1.0 / (rate_hz * config.action_disturbance_secs));
            let fresh = (1.0 - keeps * keeps).sqrt() * config.action_disturbance;
            self.off.par_chunks_exact_mut(frames * actions).enumerate().for_each(|(world, rows)| {
                let mut stream = NormalStream::new(seed, OFF, count(world));
                let mut now: Vec<f64> = (0..actions).map(|_| config.action_disturbance * stream.normal()).collect();
                for row in rows.chunks_exact_mut(actions) {
                    for (now, out) in now.iter_mut().zip(row) {
                        *now = keeps * *now + fresh * stream.normal();
                        *out = *now as f32;
                    }
                }
            });
        }
        self.kicks.clear();
        self.kicks.resize(frames, Vec::new());
        if config.push_speed <= 0.0 {
            return;
        }
        // Speeds of figures of the same build grow with the root of their size, spins fall with it (Froude).
        let size = body.height_m / USUAL_HEIGHT_M;
        let (speed, spin) = (config.push_speed * size.sqrt(), config.push_speed * SPIN / size.sqrt());
        let chance = 1.0 / (rate_hz * config.push_every_secs);
        for world in 0..worlds {
            let mut stream = NormalStream::new(seed, PUSH, count(world));
            for kicks in &mut self.kicks {
                if stream.uniform() >= chance {
                    continue;
                }
                let (sin, cos) = libm::sincos(2.0 * std::f64::consts::PI * stream.uniform());
                let fast = speed * stream.uniform();
                // A direction in space, from three normal numbers.
                let axis = [(); 3].map(|()| stream.normal());
                let long = axis.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-9);
                let turns = spin * stream.uniform() / long;
                let [a, b, c] = axis.map(|x| x * turns);
                kicks.push(Kick { world, change: [fast * cos, fast * sin, 0.0, a, b, c].map(|x| x as f32) });
            }
        }
    }

    /// What the action of a world is off by in a frame; empty where it is not.
    pub fn off(&self, world: usize, frame: usize) -> &[f32] {
        if self.off.is_empty() {
            return &[];
        }
        &self.off[(world * self.frames + frame) * self.actions..][..self.actions]
    }

    /// The pushes of a frame.
    pub fn kicks(&self, frame: usize) -> &[Kick] {
        &self.kicks[frame]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_motion::{small_config, swaying};

    fn drawn(config: &TrackerConfig, worlds: usize, key: (u64, u64)) -> (Disturbances, f64) {
        let (body, reference) = swaying(config);
        let mut disturbances = Disturbances::default();
        disturbances.draw(&body, config, reference.rate_hz, worlds, key);
        (disturbances, body.height_m / USUAL_HEIGHT_M)
    }

    #[test]
    fn actions_are_off_by_the_deviation_and_for_the_time_that_are_asked_for() {
        let config = TrackerConfig {
            action_disturbance: 0.3,
            action_disturbance_secs: 0.2,
            push_speed: 0.0,
            horizon: 16,
            ..small_config()
        };
        let (all, _) = drawn(&config, 400, (1, 2));
        let rows = |frame: usize| (0..400).flat_map(|world| all.off(world, frame).to_vec()).collect::<Vec<f32>>();
        let product =
            |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>() / a.len() as f64;
        for frame in [0, 8, 15] {
            assert!((product(&rows(frame), &rows(frame)) - 0.09).abs() < 0.006, "{frame}");
        }
        // After 0.2 s, six frames, e times less is left.
        let left = product(&rows(3), &rows(9)) / 0.09;
        assert!((left - (-1.0f64).exp()).abs() < 0.04, "{left}");
        assert!((0..16).all(|frame| all.kicks(frame).is_empty()));
        assert!(drawn(&config, 400, (1, 2)).0.off == all.off && drawn(&config, 400, (1, 3)).0.off != all.off);
    }

    #[test]
    fn pushes_are_as_many_and_as_fast_as_asked_for() {
        let config = TrackerConfig {
            action_disturbance: 0.0,
            push_speed: 2.0,
            push_every_secs: 0.5,
            horizon: 30,
            ..small_config()
        };
        let (all, size) = drawn(&config, 500, (3, 0));
        assert!(all.off(7, 3).is_empty());
        let kicks: Vec<Kick> = (0..30).flat_map(|frame| all.kicks(frame).to_vec()).collect();
        // A second of 500 worlds.
        assert!((kicks.len() as f64 - 1000.0).abs() < 100.0, "{}", kicks.len());
        let length = |v: &[f32]| v.iter().map(|x| f64::from(x * x)).sum::<f64>().sqrt();
        let speeds: Vec<f64> = kicks.iter().map(|kick| length(&kick.change[..3])).collect();
        let mean = speeds.iter().sum::<f64>() / speeds.len() as f64;
        assert!((mean - size.sqrt()).abs() < 0.06 * size.sqrt(), "{mean}");
        assert!(speeds.iter().all(|speed| *speed <= 2.0 * size.sqrt() + 1e-6));
        let most = kicks.iter().map(|kick| length(&kick.change[3..])).fold(0.0, f64::max);
        assert!(most > 1.9 / size.sqrt() && most <= 2.0 / size.sqrt() + 1e-6, "{most}");
        assert!(kicks.iter().all(|kick| kick.change[2] == 0.0));
        let along: f64 = kicks.iter().map(|kick| f64::from(kick.change[0])).sum::<f64>() / kicks.len() as f64;
        assert!(along.abs() < 0.1, "from all sides: {along}");
    }
}
