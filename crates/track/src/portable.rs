//! What another simulator must know to run a policy: what the numbers of its observation and its action are, and when its character has fallen.
//!
//! Lengths are metres, angles radians, quaternions `[w, x, y, z]`; indices are those of `qpos` and `qvel` of the character's MJCF.

use crate::body::TrackedBody;
use crate::environment::LOW_TOP;
use crate::error::TrackError;
use crate::observation::{ObservationPart, Observer, VELOCITY_SCALE};
use crate::pilot::action_rad;
use crate::policy::TrainedPolicy;
use crate::reward::USUAL_HEIGHT_M;
use crate::trial::trial_ends;
use serde::Serialize;

/// A policy's interface to a simulator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Portable {
    /// Name of the character.
    pub character: String,
    /// Decisions a second.
    pub rate_hz: f64,
    /// Steps of the simulator from one decision to the next.
    pub steps_per_frame: usize,
    /// Length of a step, s.
    pub dt: f64,
    /// Lengths are seen in this unit, m.
    pub length_unit_m: f64,
    /// Velocities of joints, and the root's angular velocity, are multiplied by this, s.
    pub angular_velocity_scale: f32,
    /// What is seen, in its order.
    pub observation: Vec<ObservationPart>,
    /// Joints that turn, in the order of their coordinates and of the action.
    pub joints: Vec<PortableJoint>,
    /// Points of bodies that are watched: end effectors, origins of all bodies, soles.
    pub points: Vec<PortablePoint>,
    /// Largest shift of a PD target, rad.
    pub most_action_rad: f64,
    /// Whether PD targets move from frame to frame of the motion and PD damps towards their velocity; otherwise they jump, and PD damps towards rest.
    pub targets_move: bool,
    /// Where bodies are farther off than this on average, the motion goes on at the place of the root on the ground, m; 0 for never.
    pub motion_follows_beyond_m: f64,
    /// When it has fallen, or lost its motion.
    pub fall: FallRule,
}

/// A joint that turns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PortableJoint {
    /// Its name in the character's file and in the MJCF.
    pub name: String,
    /// `ball` or `hinge`.
    pub kind: &'static str,
    /// First index in `qpos`.
    pub qpos: usize,
    /// First index in `qvel`.
    pub qvel: usize,
    /// First index among the coordinates of all joints, and in the action.
    pub coordinate: usize,
    /// What an action of 1 turns its PD target by, rad.
    pub action_rad: f32,
    /// Stiffness, N·m/rad.
    pub kp: f64,
    /// Damping, N·m·s/rad.
    pub kd: f64,
    /// Largest torque, N·m: of a ball the length of its torque.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub torque_limit: Option<f64>,
}

/// A point of a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PortablePoint {
    /// `effector`, `body` or `sole`.
    pub kind: &'static str,
    /// Name of the body.
    pub body: String,
    /// Place in the body's frame, m.
    pub position: [f64; 3],
}

/// A character has fallen or lost its motion where one of these holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FallRule {
    /// The root is farther away than this, m.
    pub root_distance_m: f64,
    /// The root is turned off by more than this, rad.
    pub root_turn_rad: f64,
    /// The cosine of the angle between the upward axes of the root and of the motion's is less than this.
    pub least_upright: f64,
    /// Bodies are farther off than this on average, m.
    pub body_distance_m: f64,
    /// The root is lower than this share of its height in the motion.
    pub least_root_height: f64,
    /// Index of the point that is highest at rest.
    pub top_point: usize,
    /// That point is lower than this share of its height in the motion,
    pub least_top_height: f64,
    /// unless the motion itself has it lower than this, m.
    pub lying_top_m: f64,
}

impl Portable {
    /// The interface of a policy on a body of its character.
    ///
    /// # Errors
    /// Where the policy can follow no other motion than the one that it was trained on.
    pub fn new(body: &TrackedBody, policy: &TrainedPolicy) -> Result<Portable, TrackError> {
        let (config, character) = (&policy.config, &body.character);
        if config.sees_phase {
            return Err(TrackError::SeesPhase { character: character.name.clone() });
        }
        policy.check_follows_any()?;
        let observer = Observer::new(body, config);
        let turning = body.model.joints().iter().filter(|joint| !joint.kind.is_root());
        let joints = turning.zip(&body.joints).map(|(joint, slot)| {
            let plain = joint.name.strip_prefix(&character.name).and_then(|rest| rest.strip_prefix('/'));
            let own = character.joints.iter().find(|own| Some(own.name.as_str()) == plain);
            PortableJoint {
                name: plain.unwrap_or(&joint.name).to_owned(),
                kind: if slot.is_ball { "ball" } else { "hinge" },
                qpos: slot.q,
                qvel: slot.v,
                coordinate: slot.c,
                action_rad: action_rad(config, slot),
                kp: own.map_or(0.0, |own| own.kp),
                kd: own.map_or(0.0, |own| own.kd),
                torque_limit: joint.torque_limit,
            }
        });
        let kinds = [("effector", body.points.effectors), ("body", body.points.bodies), ("sole", body.points.soles)];
        let kinds = kinds.into_iter().flat_map(|(kind, count)| std::iter::repeat_n(kind, count));
        let watched = body.model.scene().characters.iter().flat_map(|placed| &placed.character.end_effectors);
        let points = kinds.zip(watched).map(|(kind, point)| PortablePoint {
            kind,
            body: point.body.clone(),
            position: point.position,
        });
        let ends = trial_ends(body, policy);
        Ok(Portable {
            character: character.name.clone(),
            rate_hz: policy.rate_hz,
            steps_per_frame: config.steps_per_frame,
            dt: body.model.dt(),
            length_unit_m: observer.length_unit_m(),
            angular_velocity_scale: VELOCITY_SCALE,
            observation: observer.parts(body),
            joints: joints.collect(),
            points: points.collect(),
            most_action_rad: config.most_action_rad,
            targets_move: config.targets_move,
            motion_follows_beyond_m: follows_beyond_m(body, policy),
            fall: FallRule {
                root_distance_m: f64::from(ends.root_distance),
                root_turn_rad: f64::from(ends.root_turn),
                least_upright: f64::from(ends.least_upright),
                body_distance_m: f64::from(ends.body_distance),
                least_root_height: f64::from(ends.least_root_height),
                top_point: body.top,
                least_top_height: f64::from(ends.least_top_height),
                lying_top_m: f64::from(LOW_TOP) * body.height_m,
            },
        })
    }
}

/// Distance of a body from its motion, on average over its parts, beyond which the motion follows the body, m; 0 for never.
pub(crate) fn follows_beyond_m(body: &TrackedBody, policy: &TrainedPolicy) -> f64 {
    policy.config.motion_follows_beyond * body.height_m / USUAL_HEIGHT_M
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TrackerConfig;
    use crate::observation::State;
    use crate::reference::Reference;
    use crate::test_motion::{small_config, swaying};

    fn portable(config: &TrackerConfig) -> (TrackedBody, Reference, Portable) {
        let (body, reference) = swaying(config);
        let policy = TrainedPolicy::untrained(&body, config, 30.0, 1);
        let portable = Portable::new(&body, &policy).unwrap();
        (body, reference, portable)
    }

    /// The numbers of the named part, where the parts say that they are.
    fn part<'a>(portable: &Portable, row: &'a [f32], name: &str, ahead: Option<usize>) -> &'a [f32] {
        let mut at = 0;
        for part in &portable.observation {
            if part.name == name && part.frames_ahead == ahead {
                return &row[at..at + part.size];
            }
            at += part.size;
        }
        panic!("no part {name}");
    }

    #[test]
    fn every_part_of_the_observation_is_where_it_is_said_to_be() {
        let config = TrackerConfig { preview: vec![1, 10], ..small_config() };
        let (body, reference, portable) = portable(&config);
        let observer = Observer::new(&body, &config);
        let frame = reference.frame(5);
        // Every number that is seen of the state has a value of its own.
        let position = frame.position.to_vec();
        let velocity: Vec<f32> = (0..body.model.velocity_count()).map(|k| 1.0 + k as f32).collect();
        let seen: Vec<f32> = (0..6 + 3 * body.points.count()).map(|k| 1000.0 + k as f32).collect();
        let mut row = vec![f32::NAN; observer.width(&body)];
        observer.write(&body, &reference, 5, State { position: &position, velocity: &velocity, seen: &seen }, &mut row);
        let part = |name, ahead| part(&portable, &row, name, ahead);
        let close = |found: &[f32], wanted: &[f32]| {
            assert_eq!(found.len(), wanted.len());
            assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-3), "{found:?}, {wanted:?}");
        };
        let unit = portable.length_unit_m as f32;
        assert_eq!(part("joint_coordinates", None), frame.coordinates);
        close(part("joint_velocities", None), &velocity[6..].iter().map(|v| 0.1 * v).collect::<Vec<_>>());
        close(part("up", None), &[0.0, 0.0, 1.0]);
        close(part("root_height", None), &[position[2] / unit]);
        close(part("root_velocity", None), &[1.0 / unit, 2.0 / unit, 3.0 / unit]);
        close(part("root_angular_velocity", None), &[0.4, 0.5, 0.6]);
        assert_eq!(part("effectors", None).len(), 3 * body.points.effectors);
        close(&part("effectors", None)[2..3], &[seen[8] / unit]);
        let first_sole = 6 + 3 * (body.points.effectors + body.points.bodies);
        close(&part("sole_heights", None)[..1], &[seen[first_sole + 2] / unit]);
        for ahead in [1, 10] {
            let next = reference.frame(5 + ahead);
            let away = (next.position[0] - position[0]) / unit;
            close(part("motion_root_place", Some(ahead)), &[away, 0.0, next.position[2] / unit]);
            close(part("motion_root_x_axis", Some(ahead)), &[1.0, 0.0, 0.0]);
            close(part("motion_root_z_axis", Some(ahead)), &[0.0, 0.0, 1.0]);
            close(part("motion_root_velocity", Some(ahead))[..1].as_ref(), &[0.3 / unit]);
            assert_eq!(part("motion_joint_coordinates", Some(ahead)), next.coordinates);
        }
        let speeds: Vec<f32> = reference.frame(6).velocity[6..].iter().map(|v| 0.1 * v).collect();
        close(part("motion_joint_velocities", Some(1)), &speeds);
        assert_eq!(portable.observation.iter().map(|part| part.size).sum::<usize>(), row.len());
        assert_eq!(portable.angular_velocity_scale, 0.1);
    }

    #[test]
    fn joints_and_points_are_those_of_the_character() {
        let config = small_config();
        let (body, _, portable) = portable(&config);
        let character = &body.character;
        let mut coordinate = 0;
        for joint in &portable.joints {
            let own = character.joints.iter().find(|own| own.name == joint.name).expect("a joint of the character");
            assert_eq!((joint.kp, joint.kd, joint.torque_limit), (own.kp, own.kd, own.torque_limit));
            assert_eq!((joint.coordinate, joint.qvel, joint.action_rad), (coordinate, 6 + coordinate, 0.2));
            coordinate += if joint.kind == "ball" { 3 } else { 1 };
        }
        assert_eq!(coordinate, body.coordinate_count());
        for (point, effector) in portable.points.iter().zip(&character.end_effectors) {
            assert_eq!((point.kind, &point.body, point.position), ("effector", &effector.body, effector.position));
        }
        let bodies: Vec<&str> =
            portable.points.iter().filter(|point| point.kind == "body").map(|point| point.body.as_str()).collect();
        assert_eq!(bodies, character.bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>());
        assert_eq!(portable.points.len(), body.points.count());
        assert_eq!((portable.steps_per_frame, portable.motion_follows_beyond_m), (8, 0.0));
        assert!((portable.dt * 240.0 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn who_sees_the_phase_is_refused() {
        let config = TrackerConfig { sees_phase: true, ..small_config() };
        let (body, _) = swaying(&config);
        let error = Portable::new(&body, &TrainedPolicy::untrained(&body, &config, 30.0, 1)).unwrap_err().to_string();
        assert!(error.contains("sees_phase = false"), "{error}");
    }
}
