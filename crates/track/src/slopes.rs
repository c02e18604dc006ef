//! Slopes of the return by the simulator's own differences: how every number of every action changes what is earned later.
//!
//! A policy gradient from noise needs thousands of transitions to tell the effects of fifty joints over twenty frames apart. Where simulation is nearly
//! free they can be measured one by one: each frame of a rollout is simulated again from its state with one coordinate moved at a time, the policy acting
//! on what it then sees, and with one number of the action moved at a time. With x the state, a the action, `r + γ·V(x')` the return,
//!
//! `λ_t[i] = (r_i − r_0 + γ·((1 − l)·(V(x'_i) − V(x'_0)) + l·λ_{t+1}·(x'_i ⊖ x'_0)))/ε_i`, the same for actions,
//!
//! backwards in time; where the rollout or an episode ends, l is 0 and the learnt value alone says what comes later (the adjoint of the closed loop;
//! compare Xu et al. 2022, *Accelerated policy learning with parallel differentiable simulation*, which asks for a differentiable simulator; mixing
//! horizons by l is TD(λ) for slopes). Differences are coarse, so that contacts that come and go a little later are seen, too. Start reading at
//! [`Slopes::measure`].

use crate::body::TrackedBody;
use crate::config::TrackerConfig;
use crate::environment::{Ends, Environment, EnvironmentState, Episode, Place};
use crate::error::TrackError;
use crate::networks::Networks;
use crate::reference::Reference;
use crate::turn::{between, four, product, quaternion};
use rayon::prelude::*;
use sinew_nn::MlpInference;

/// How far positions (m, rad) and velocities (m/s, rad/s) are moved.
const POSITION: f32 = 8e-3;
const VELOCITY: f32 = 8e-2;
/// How far PD targets are moved, rad.
const TARGET_RAD: f32 = 4e-2;

/// A rollout: what happened in each frame of each world, world after world within a frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rollout {
    /// States before each frame.
    pub states: Vec<EnvironmentState>,
    /// What was added to the policy's mean.
    pub noise: Vec<f32>,
    /// How episodes stood after each frame.
    pub episodes: Vec<Episode>,
}

/// Worlds for differences.
pub(crate) struct Slopes<'a> {
    environment: Environment<'a>,
    worlds: usize,
    memory: Option<[MlpInference<f32>; 2]>,
    /// V of the states that each row led to.
    values: Vec<f32>,
}

impl<'a> Slopes<'a> {
    /// Worlds for a rollout of so many.
    ///
    /// # Errors
    /// Where so many worlds cannot be made.
    pub fn new(
        body: &'a TrackedBody,
        reference: &'a Reference,
        config: &'a TrackerConfig,
        worlds: usize,
    ) -> Result<Slopes<'a>, TrackError> {
        let ends = Ends::new(body, config);
        let environment = Environment::new(body, reference, config, ends, worlds * rows(body))?;
        Ok(Slopes { environment, worlds, memory: None, values: Vec::new() })
    }

    /// Writes the slope of the return by each number of each action, frame after frame, world after world. Returns the transitions that were simulated.
    ///
    /// # Errors
    /// Where the work was told to stop.
    pub fn measure(
        &mut self,
        networks: &Networks,
        config: &TrackerConfig,
        rollout: &Rollout,
        slopes: &mut Vec<f32>,
    ) -> Result<u64, TrackError> {
        let body = self.environment.body;
        let (nv, n) = (body.model.velocity_count(), body.coordinate_count());
        let (frames, worlds) = (rollout.states.len(), self.worlds);
        slopes.resize(frames * worlds * n, 0.0);
        let mut adjoint = vec![0.0; worlds * 2 * nv];
        for frame in (0..frames).rev() {
            sinew_work::check_cancelled()?;
            self.differ(networks, config, rollout, frame)?;
            let discount = config.discount as f32;
            let slopes = &mut slopes[frame * worlds * n..(frame + 1) * worlds * n];
            let (environment, values) = (&self.environment, &self.values);
            let all = adjoint.par_chunks_exact_mut(2 * nv).zip(slopes.par_chunks_exact_mut(n)).enumerate();
            all.for_each(|(world, (adjoint, slopes))| {
                let goes = frame + 1 < frames && rollout.episodes[frame * worlds + world] == Episode::Goes;
                let mix = if goes { config.slope_decay as f32 } else { 0.0 };
                let found = returns(environment, values, world, adjoint, (discount, mix));
                let step = |row: usize| if row < nv { POSITION } else { VELOCITY };
                let of_action = TARGET_RAD / config.action_rad as f32;
                for (row, slope) in slopes.iter_mut().enumerate() {
                    *slope = found[2 * nv + row] / of_action;
                }
                for (row, slope) in adjoint.iter_mut().enumerate() {
                    *slope = found[row] / step(row);
                }
            });
        }
        Ok((frames * self.environment.worlds()) as u64)
    }

    /// Simulates a frame of the rollout with everything moved, one at a time.
    fn differ(
        &mut self,
        networks: &Networks,
        config: &TrackerConfig,
        rollout: &Rollout,
        frame: usize,
    ) -> Result<(), TrackError> {
        let body = self.environment.body;
        let (nq, nv) = (body.model.position_count(), body.model.velocity_count());
        let (n, per_world, worlds) = (body.coordinate_count(), rows(body), self.worlds);
        let from = &rollout.states[frame];
        let mut state = std::mem::replace(
            &mut self.environment.state,
            EnvironmentState { positions: Vec::new(), velocities: Vec::new(), places: Vec::new(), begun: 0 },
        );
        let moved = state.positions.par_chunks_exact_mut(nq * per_world);
        let moved = moved.zip(state.velocities.par_chunks_exact_mut(nv * per_world));
        moved.zip(state.places.par_chunks_exact_mut(per_world)).enumerate().for_each(
            |(world, ((positions, velocities), places))| {
                let position = &from.positions[world * nq..(world + 1) * nq];
                let velocity = &from.velocities[world * nv..(world + 1) * nv];
                places.fill(Place { ..from.places[world] });
                for row in 0..per_world {
                    positions[row * nq..(row + 1) * nq].copy_from_slice(position);
                    velocities[row * nv..(row + 1) * nv].copy_from_slice(velocity);
                }
                for v in 0..nv {
                    displace(body, &mut positions[(1 + v) * nq..(2 + v) * nq], v);
                    velocities[(1 + nv + v) * nv + v] += VELOCITY;
                }
            },
        );
        self.environment.resume(state)?;
        let [policy_memory, value_memory] =
            self.memory.get_or_insert_with(|| [networks.policy.mean.inference(), networks.value.inference()]);
        let mut actions = networks.policy.mean.infer(&self.environment.observations, policy_memory).to_vec();
        let of_action = TARGET_RAD / config.action_rad as f32;
        let noise = &rollout.noise[frame * worlds * n..(frame + 1) * worlds * n];
        actions.par_chunks_exact_mut(n * per_world).zip(noise.par_chunks_exact(n)).for_each(|(actions, noise)| {
            for action in actions.chunks_exact_mut(n) {
                action.iter_mut().zip(noise).for_each(|(action, noise)| *action += noise);
            }
            for j in 0..n {
                actions[(1 + 2 * nv + j) * n + j] += of_action;
            }
        });
        self.environment.step(&actions)?;
        let unit = (config.slope_value_share / (1.0 - config.discount)) as f32;
        self.values.clear();
        if config.slope_value_share == 0.0 {
            self.values.resize(self.environment.worlds(), 0.0);
            return Ok(());
        }
        self.values.extend(networks.value.infer(&self.environment.observations, value_memory).iter().map(|v| v * unit));
        Ok(())
    }
}

/// Rows of a world: as it is, each coordinate and velocity moved, each number of the action moved.
fn rows(body: &TrackedBody) -> usize {
    1 + 2 * body.model.velocity_count() + body.coordinate_count()
}

/// What each row of a world earns beyond the first.
fn returns(
    environment: &Environment<'_>,
    values: &[f32],
    world: usize,
    adjoint: &[f32],
    (discount, mix): (f32, f32),
) -> Vec<f32> {
    let body = environment.body;
    let (nq, nv, per_world) = (body.model.position_count(), body.model.velocity_count(), rows(body));
    let first = world * per_world;
    let position = |row: usize| &environment.state.positions[(first + row) * nq..(first + row + 1) * nq];
    let velocity = |row: usize| &environment.state.velocities[(first + row) * nv..(first + row + 1) * nv];
    let mut way = vec![0.0; 2 * nv];
    (1..per_world)
        .map(|row| {
            difference(body, position(0), position(row), &mut way[..nv]);
            for (way, (a, b)) in way[nv..].iter_mut().zip(velocity(0).iter().zip(velocity(row))) {
                *way = b - a;
            }
            let measured: f32 = way.iter().zip(adjoint).map(|(a, b)| a * b).sum();
            let later = mix * measured + (1.0 - mix) * (values[first + row] - values[first]);
            let [own, other] = [0, row].map(|row| environment.outcomes[first + row].reward);
            let found = other - own + discount * later;
            if found.is_finite() { found } else { 0.0 }
        })
        .collect()
}

/// Moves one coordinate of a row of `qpos`, by its number in `qvel`.
fn displace(body: &TrackedBody, position: &mut [f32], v: usize) {
    if v < 3 {
        position[v] += POSITION;
        return;
    }
    let turn = |position: &mut [f32], q: usize, axis: usize| {
        let mut way = [0.0; 3];
        way[axis] = POSITION;
        let turned = product(four(position, q), quaternion(way));
        position[q..q + 4].copy_from_slice(&turned);
    };
    if v < 6 {
        return turn(position, 3, v - 3);
    }
    let joint = body.joints.iter().rev().find(|joint| joint.v <= v).expect("a joint has this velocity");
    if joint.is_ball { turn(position, joint.q, v - joint.v) } else { position[joint.q] += POSITION }
}

/// The way from one row of `qpos` to another, in the order of `qvel`.
fn difference(body: &TrackedBody, a: &[f32], b: &[f32], way: &mut [f32]) {
    (0..3).for_each(|k| way[k] = b[k] - a[k]);
    way[3..6].copy_from_slice(&between(four(a, 3), four(b, 3)));
    for joint in &body.joints {
        if joint.is_ball {
            way[joint.v..joint.v + 3].copy_from_slice(&between(four(a, joint.q), four(b, joint.q)));
        } else {
            way[joint.v] = b[joint.q] - a[joint.q];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Method;
    use crate::test_motion::{small_config, swaying, swaying_at};
    use sinew_nn::RunningStatistics;

    /// Three frames of one world from frame 4 on, with what is added to the first action. Returns the rollout and the discounted return.
    fn rolled(
        body: &TrackedBody,
        reference: &Reference,
        config: &TrackerConfig,
        networks: &Networks,
        first: &[f32],
    ) -> (Rollout, f64) {
        let mut environment = Environment::new(body, reference, config, Ends::new(body, config), 1).unwrap();
        environment.place(&[0], &[4]).unwrap();
        let mut memory = networks.policy.mean.inference();
        let (mut rollout, mut earned, n) = (Rollout::default(), 0.0, body.coordinate_count());
        for frame in 0..3 {
            rollout.states.push(environment.first_states(1));
            let mut action = networks.policy.mean.infer(&environment.observations, &mut memory).to_vec();
            let noise = if frame == 0 { first.to_vec() } else { vec![0.0; n] };
            action.iter_mut().zip(&noise).for_each(|(a, b)| *a += b);
            rollout.noise.extend(noise);
            environment.step(&action).unwrap();
            rollout.episodes.push(environment.outcomes[0].episode);
            earned += config.discount.powi(frame) * f64::from(environment.outcomes[0].reward);
        }
        (rollout, earned)
    }

    #[test]
    fn slopes_are_those_of_the_whole_return() {
        let config = TrackerConfig { method: Method::Slopes, slope_worlds: 1, ..small_config() };
        // In the air: nothing comes or goes within a difference.
        let (body, reference) = swaying_at(&config, 3.0);
        let n = body.coordinate_count();
        let mut environment = Environment::new(&body, &reference, &config, Ends::new(&body, &config), 8).unwrap();
        environment.begin(&crate::starts::Starts::new(&reference, &config), 1).unwrap();
        let mut statistics = RunningStatistics::new(environment.width());
        statistics.add(&environment.observations);
        let mut networks = Networks::new(&config, environment.width(), n, 2);
        networks.set_statistics(&statistics);
        // A start off the reference, so that slopes are not those of a maximum.
        let off: Vec<f32> = (0..n).map(|j| if j % 2 == 0 { 0.5 } else { -0.3 }).collect();
        let (rollout, _) = rolled(&body, &reference, &config, &networks, &off);
        assert!(rollout.episodes.iter().all(|episode| *episode == Episode::Goes));
        let mut slopes = Vec::new();
        let mut measuring = Slopes::new(&body, &reference, &config, 1).unwrap();
        let simulated = measuring.measure(&networks, &config, &rollout, &mut slopes).unwrap();
        assert_eq!((simulated, slopes.len()), ((3 * rows(&body)) as u64, 3 * n));
        let step = TARGET_RAD / config.action_rad as f32;
        let (mut same, mut theirs, mut ours) = (0.0, 0.0, 0.0);
        for j in 0..n {
            let returns = [0.5, -0.5].map(|side| {
                let mut moved = off.clone();
                moved[j] += side * step;
                rolled(&body, &reference, &config, &networks, &moved).1
            });
            let direct = (returns[0] - returns[1]) / f64::from(step);
            let found = f64::from(slopes[j]);
            same += direct * found;
            theirs += direct * direct;
            ours += found * found;
        }
        let (cosine, ratio) = (same / (theirs * ours).sqrt(), (ours / theirs).sqrt());
        assert!(cosine > 0.97 && (ratio - 1.0).abs() < 0.2, "cosine {cosine}, ratio {ratio}");
    }

    #[test]
    fn moving_a_coordinate_is_what_the_difference_finds() {
        let (body, reference) = swaying(&small_config());
        let nv = body.model.velocity_count();
        for v in 0..nv {
            let from = reference.frame(9).position;
            let mut to = from.to_vec();
            displace(&body, &mut to, v);
            let mut way = vec![0.0; nv];
            difference(&body, from, &to, &mut way);
            for (at, x) in way.iter().enumerate() {
                let expected = if at == v { POSITION } else { 0.0 };
                assert!((x - expected).abs() < 1e-6, "{v}, {at}: {x}");
            }
        }
    }
}
