//! A character as a tracker sees it: its joints, and the points of it that are watched.
//!
//! The simulator observes the end effectors of a character. Here these are replaced by all points that a tracker looks at: the character's own end
//! effectors, the origin of every body and the soles of its feet, so that one bulk reading has all of them. Start reading at [`TrackedBody`].

use crate::error::TrackError;
use sinew_learn::contact_sites;
use sinew_sim::{Character, EndEffector, JointKind, Measured, Model, Scene};
use std::sync::Arc;

/// A character, compiled, with the points that are watched.
#[derive(Clone, Debug)]
pub struct TrackedBody {
    /// The character as it was given.
    pub character: Character,
    /// Angle that it looks along when its root is not turned, rad.
    pub forward_rad: f64,
    pub(crate) model: Arc<Model>,
    pub(crate) joints: Vec<JointSlot>,
    pub(crate) points: Points,
    /// The watched point that is highest at rest: the head of whoever stands.
    pub(crate) top: usize,
    pub(crate) height_m: f64,
}

/// A joint that turns, and its numbers in rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JointSlot {
    /// First index in `qpos`.
    pub q: usize,
    /// First index in `qvel`.
    pub v: usize,
    /// First index among the coordinates of all joints: rotation vectors of balls, angles of hinges.
    pub c: usize,
    pub is_ball: bool,
    /// Distance from its target at which its PD torque reaches the limit, rad; infinite without a limit.
    pub yield_rad: f32,
}

impl JointSlot {
    pub fn width(self) -> usize {
        if self.is_ball { 3 } else { 1 }
    }
}

/// Which of the watched points are what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Points {
    /// End effectors of the character: the first points.
    pub effectors: usize,
    /// Origins of bodies: the next ones.
    pub bodies: usize,
    /// Points of the soles: the last ones.
    pub soles: usize,
}

impl Points {
    pub fn count(self) -> usize {
        self.effectors + self.bodies + self.soles
    }
}

impl TrackedBody {
    /// Compiles a character for steps of `dt` s.
    ///
    /// # Errors
    /// Where it cannot be simulated, is held by the world, has no end effector or no joint that turns.
    pub fn new(character: &Character, forward_rad: f64, dt: f64) -> Result<TrackedBody, TrackError> {
        let name = character.name.clone();
        let plain = Model::new(&Scene::on_ground(character.clone()), dt)?;
        let is_free = plain.joints().first().is_some_and(|joint| joint.kind == JointKind::Free);
        if !is_free || plain.joints().iter().filter(|joint| joint.kind.is_root()).count() != 1 {
            return Err(TrackError::NotFree { character: name });
        }
        if character.end_effectors.is_empty() {
            return Err(TrackError::NoEffectors { character: name });
        }
        let soles = contact_sites(character, &plain, forward_rad).into_iter().filter(|site| site.is_foot);
        let soles: Vec<(String, [f64; 3])> = soles.map(|site| (site.body, site.center)).collect();
        let mut watched = character.clone();
        let origins = character.bodies.iter().map(|body| (body.name.clone(), [0.0; 3]));
        let points =
            Points { effectors: character.end_effectors.len(), bodies: character.bodies.len(), soles: soles.len() };
        watched.end_effectors.extend(origins.chain(soles).enumerate().map(|(index, (body, position))| EndEffector {
            name: format!("watched point {index}"),
            body,
            position,
        }));
        let model = Arc::new(Model::new(&Scene::on_ground(watched), dt)?);
        let joints = joint_slots(&model, character);
        if joints.is_empty() {
            return Err(TrackError::NoJoints { character: name });
        }
        let still = vec![0.0; model.velocity_count()];
        let rest = Measured::new(&model, model.rest_position(), &still, [0.0; 3]);
        let heights = || rest.end_effectors.iter().map(|place| place[2]);
        let (top, low) = (heights().fold(f64::MIN, f64::max), heights().fold(f64::MAX, f64::min));
        let height_m = (top - low).max(1e-3);
        let top = heights().position(|height| height == top).unwrap_or(0);
        Ok(TrackedBody { character: character.clone(), forward_rad, model, joints, points, top, height_m })
    }

    /// The compiled character. Its end effectors are those of the character, then points that are watched.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Height from the lowest to the highest joint or end effector at rest, m.
    pub fn height_m(&self) -> f64 {
        self.height_m
    }

    /// Numbers that say how all joints are turned, and of an action.
    pub fn coordinate_count(&self) -> usize {
        self.joints.last().map_or(0, |joint| joint.c + joint.width())
    }
}

fn joint_slots(model: &Model, character: &Character) -> Vec<JointSlot> {
    let mut slots: Vec<JointSlot> = Vec::new();
    for joint in model.joints().iter().filter(|joint| !joint.kind.is_root()) {
        let c = slots.last().map_or(0, |last| last.c + last.width());
        let is_ball = joint.kind == JointKind::Ball;
        let plain = joint.name.strip_prefix(&character.name).and_then(|rest| rest.strip_prefix('/'));
        let kp = character.joints.iter().find(|own| Some(own.name.as_str()) == plain).map_or(0.0, |own| own.kp);
        let yield_rad = joint.torque_limit.filter(|_| kp > 0.0).map_or(f64::INFINITY, |limit| limit / kp) as f32;
        slots.push(JointSlot { q: joint.position_index, v: joint.velocity_index, c, is_ball, yield_rad });
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::embedded;

    #[test]
    fn effectors_come_first_then_bodies_then_soles() {
        let character = embedded::humanoid();
        let body = TrackedBody::new(&character, 0.0, 1.0 / 600.0).unwrap();
        let Points { effectors, bodies, soles } = body.points;
        assert_eq!((effectors, bodies), (character.end_effectors.len(), character.bodies.len()));
        assert!(soles >= 2, "{soles}");
        let model = &body.model;
        let rest = Measured::new(model, model.rest_position(), &vec![0.0; model.velocity_count()], [0.0; 3]);
        for (index, motion) in rest.bodies.iter().enumerate() {
            let place = rest.end_effectors[effectors + index];
            assert!((0..3).all(|k| (place[k] - motion.position[k]).abs() < 1e-12));
        }
        let floor = rest.end_effectors.iter().map(|p| p[2]).fold(f64::MAX, f64::min);
        let low = |place: &[f64; 3]| place[2] < floor + 0.1 * body.height_m;
        assert!(rest.end_effectors[effectors + bodies..].iter().all(low));
        assert_eq!(body.coordinate_count(), model.velocity_count() - 6);
    }

    #[test]
    fn characters_without_effectors_are_refused() {
        let mut character = embedded::humanoid();
        character.end_effectors.clear();
        let error = TrackedBody::new(&character, 0.0, 0.002).unwrap_err().to_string();
        assert!(error.contains("has no end effector"), "{error}");
    }
}
