//! The reward of a frame: `r = r_q · r_v · r_e · r_com` (Park et al. 2019, eq. 11).
//!
//! Each term is `exp(−Σ|d|²/σ²)`, or with [`TrackerConfig::reward_of_means`] `exp(−Σ|d|²/(σ²·n))` with n the numbers of d, as the authors' code has it.
//! d is the difference of rotations (root and joints that the reference moves), of their velocities, of end effectors and of the centre of mass.

use crate::body::TrackedBody;
use crate::config::TrackerConfig;
use crate::reference::{Frame, Reference};
use crate::turn::{between, four};

/// A figure as tall as this has the lengths of the settings, m.
pub(crate) const USUAL_HEIGHT_M: f64 = 1.7;

/// Scales of the terms, made ready.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RewardScales {
    rotation: f32,
    velocity: f32,
    effector: f32,
    center: f32,
}

/// The four terms of a frame; their product is the reward.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RewardTerms {
    /// r_q
    pub rotation: f32,
    /// r_v
    pub velocity: f32,
    /// r_e
    pub effector: f32,
    /// r_com
    pub center: f32,
}

impl RewardTerms {
    /// r
    pub fn product(self) -> f32 {
        self.rotation * self.velocity * self.effector * self.center
    }
}

impl RewardScales {
    pub fn new(body: &TrackedBody, reference: &Reference, config: &TrackerConfig) -> RewardScales {
        let moved = body.joints.iter().zip(&reference.is_moved).filter(|(_, moved)| **moved);
        let turning = 3 + moved.map(|(joint, _)| joint.width()).sum::<usize>();
        let length = body.height_m / USUAL_HEIGHT_M;
        let scale = |sigma: f64, count: usize| {
            let count = if config.reward_of_means { count as f64 } else { 1.0 };
            (1.0 / (sigma * sigma * count)) as f32
        };
        RewardScales {
            rotation: scale(config.rotation_sigma, turning),
            velocity: scale(config.velocity_sigma, turning),
            effector: scale(config.effector_sigma * length, 3 * body.points.effectors),
            center: scale(config.center_sigma * length, 3),
        }
    }

    /// The terms of a state against a frame. `seen` is a row of the simulator's observations: centre of mass, its velocity, points, their velocities.
    pub fn terms(
        &self,
        body: &TrackedBody,
        is_moved: &[bool],
        frame: &Frame<'_>,
        position: &[f32],
        velocity: &[f32],
        seen: &[f32],
    ) -> RewardTerms {
        let mut rotations = square(&frame.root_turn(position));
        // The root's angular velocity is in its own axes.
        let mut velocities = distance(&velocity[3..6], &frame.velocity[3..6]);
        for (joint, _) in body.joints.iter().zip(is_moved).filter(|(_, moved)| **moved) {
            if joint.is_ball {
                rotations += square(&between(four(position, joint.q), four(frame.position, joint.q)));
                velocities += distance(&velocity[joint.v..joint.v + 3], &frame.velocity[joint.v..joint.v + 3]);
            } else {
                rotations += distance(&position[joint.q..=joint.q], &frame.position[joint.q..=joint.q]);
                velocities += distance(&velocity[joint.v..=joint.v], &frame.velocity[joint.v..=joint.v]);
            }
        }
        let effectors = 3 * body.points.effectors;
        let effectors = distance(&seen[6..6 + effectors], &frame.places[3..3 + effectors]);
        let center = distance(&seen[..3], &frame.places[..3]);
        let term = |scale: f32, square: f32| libm::expf(-scale * square);
        RewardTerms {
            rotation: term(self.rotation, rotations),
            velocity: term(self.velocity, velocities),
            effector: term(self.effector, effectors),
            center: term(self.center, center),
        }
    }
}

fn square(v: &[f32]) -> f32 {
    v.iter().map(|x| x * x).sum()
}

fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_motion::{small_config, swaying};

    /// The terms of a frame's own state after something was changed.
    fn terms(
        config: &TrackerConfig,
        change: impl Fn(&TrackedBody, &mut Vec<f32>, &mut Vec<f32>, &mut Vec<f32>),
    ) -> [f64; 4] {
        let (body, reference) = swaying(config);
        let frame = reference.frame(7);
        let (mut position, mut velocity) = (frame.position.to_vec(), frame.velocity.to_vec());
        let mut seen = frame.places[..3].to_vec();
        seen.extend([0.0; 3]);
        seen.extend(&frame.places[3..]);
        change(&body, &mut position, &mut velocity, &mut seen);
        let scales = RewardScales::new(&body, &reference, config);
        let terms = scales.terms(&body, &reference.is_moved, &frame, &position, &velocity, &seen);
        assert!((terms.product() - terms.rotation * terms.velocity * terms.effector * terms.center).abs() < 1e-6);
        [terms.rotation, terms.velocity, terms.effector, terms.center].map(|term| -f64::from(term).ln())
    }

    fn close(found: [f64; 4], expected: [f64; 4]) {
        assert!((0..4).all(|k| (found[k] - expected[k]).abs() < 1e-4), "{found:?}, {expected:?}");
    }

    #[test]
    fn each_term_is_its_squares_over_its_deviation() {
        let config = TrackerConfig { reward_of_means: false, ..small_config() };
        let [q, v, e, c] = [0.5, 1.0, 0.2, 0.2];
        let length = { swaying(&config).0.height_m / USUAL_HEIGHT_M };
        close(terms(&config, |_, _, _, _| {}), [0.0; 4]);
        let turned = |_: &TrackedBody, position: &mut Vec<f32>, _: &mut Vec<f32>, _: &mut Vec<f32>| {
            let turn = crate::turn::product(four(position, 3), crate::turn::quaternion([0.0, 0.3, 0.0]));
            position[3..7].copy_from_slice(&turn);
        };
        close(terms(&config, turned), [0.09 / (q * q), 0.0, 0.0, 0.0]);
        close(terms(&config, |_, _, velocity, _| velocity[4] += 0.5), [0.0, 0.25 / (v * v), 0.0, 0.0]);
        // The root's own velocity is not asked for.
        close(terms(&config, |_, _, velocity, _| velocity[1] += 0.5), [0.0; 4]);
        close(terms(&config, |_, _, _, seen| seen[7] += 0.1), [0.0, 0.0, 0.01 / (e * length * e * length), 0.0]);
        close(terms(&config, |_, _, _, seen| seen[2] += 0.1), [0.0, 0.0, 0.0, 0.01 / (c * length * c * length)]);
        // Velocities of the centre, bodies and soles are not asked for.
        close(terms(&config, |body, _, _, seen| seen[6 + 3 * body.points.effectors] += 0.1), [0.0; 4]);
    }

    #[test]
    fn joints_that_the_reference_moves_count_and_others_do_not() {
        let config = TrackerConfig { reward_of_means: false, ..small_config() };
        let turned = |joint: usize| {
            terms(&config, move |body, position, velocity, _| {
                let slot = body.joints[joint];
                velocity[slot.v] += 1.0;
                if slot.is_ball {
                    let turn = crate::turn::product(four(position, slot.q), crate::turn::quaternion([0.1, 0.0, 0.0]));
                    position[slot.q..slot.q + 4].copy_from_slice(&turn);
                } else {
                    position[slot.q] += 0.1;
                }
            })
        };
        close(turned(0), [0.01 / 0.25, 1.0, 0.0, 0.0]);
        close(turned(1), [0.0; 4]);
    }

    #[test]
    fn means_divide_by_how_many_numbers_there_are() {
        let config = small_config();
        let (body, _) = swaying(&config);
        let turning = (3 + body.joints[0].width()) as f64;
        close(terms(&config, |_, _, velocity, _| velocity[4] += 0.5), [0.0, 0.25 / turning, 0.0, 0.0]);
        let length = body.height_m / USUAL_HEIGHT_M;
        let scale = |numbers: f64| 0.01 / (0.04 * length * length * numbers);
        close(
            terms(&config, |_, _, _, seen| seen[7] += 0.1),
            [0.0, 0.0, scale(3.0 * body.points.effectors as f64), 0.0],
        );
        close(terms(&config, |_, _, _, seen| seen[0] += 0.1), [0.0, 0.0, 0.0, scale(3.0)]);
    }
}
