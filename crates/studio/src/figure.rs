//! A character in a compiled scene, read off as frames: bodies in the order of its file, torques joint by joint, contacts.

use crate::project::characters::body_indices;
use crate::protocol::frame::MOST_CONTACTS;
use crate::protocol::{ContactPoint, Frame, SceneBody, SceneJoint};
use sinew_sim::{Character, ContactReading, Measured, Model, Object, ObjectShape, Shape, Touched};

/// Contacts weaker than this are left out, N.
const WEAKEST: f64 = 0.5;

/// Where the parts of a character, and of balls after it, are in a model.
pub struct Figure {
    /// Index in the model of each body in the order of the frames.
    bodies: Vec<usize>,
    /// Mass of each body of the character.
    masses: Vec<f64>,
    /// First index in `qvel` and count of each joint.
    joints: Vec<(usize, usize)>,
    scene_bodies: Vec<SceneBody>,
    scene_joints: Vec<SceneJoint>,
}

impl Figure {
    /// Of a model that holds this character first, and these balls.
    pub fn new(model: &Model, character: &Character, balls: &[Object]) -> Figure {
        let mut bodies = body_indices(model, character);
        let scene_bodies = character.bodies.iter().map(|body| SceneBody {
            name: body.name.clone(),
            is_character: true,
            mass_kg: body.mass,
            shapes: body.shapes.clone(),
        });
        let mut scene_bodies: Vec<SceneBody> = scene_bodies.collect();
        for ball in balls {
            bodies.push(model.body(&ball.name).unwrap_or(0));
            let radius = match ball.shape {
                ObjectShape::Ball { radius } => radius,
                ObjectShape::Box { half_extents } => half_extents[0],
            };
            scene_bodies.push(SceneBody {
                name: ball.name.clone(),
                is_character: false,
                mass_kg: ball.mass,
                shapes: vec![Shape::Sphere { center: [0.0; 3], radius }],
            });
        }
        let prefix = format!("{}/", character.name);
        let (mut joints, mut scene_joints) = (Vec::new(), Vec::new());
        for info in model.joints().iter().filter(|joint| !joint.kind.is_root()) {
            let Some(name) = info.name.strip_prefix(&prefix) else { continue };
            let Some(joint) = character.joints.iter().find(|joint| joint.name == name) else { continue };
            let body = character.bodies.iter().position(|body| body.name == joint.child).unwrap_or(0);
            joints.push((info.velocity_index, info.kind.velocity_count()));
            scene_joints.push(SceneJoint { name: name.to_owned(), body, torque_limit: joint.torque_limit });
        }
        let masses = character.bodies.iter().map(|body| body.mass).collect();
        Figure { bodies, masses, joints, scene_bodies, scene_joints }
    }

    /// The bodies, for the page.
    pub fn scene_bodies(&self) -> &[SceneBody] {
        &self.scene_bodies
    }
    /// The joints, for the page.
    pub fn scene_joints(&self) -> &[SceneJoint] {
        &self.scene_joints
    }
    /// Index in the model of a body of the frames.
    pub fn model_body(&self, body: usize) -> Option<usize> {
        self.bodies.get(body).copied()
    }

    /// A moment; the torques and contacts may be empty.
    pub fn frame(&self, measured: &Measured, torques: &[f64], contacts: &[ContactReading]) -> Frame {
        let pose = |&index: &usize| (measured.bodies[index].position, measured.bodies[index].orientation);
        let mut center = [0.0; 3];
        for (&index, mass) in self.bodies.iter().zip(&self.masses) {
            (0..3).for_each(|k| center[k] += mass * measured.bodies[index].center_of_mass[k]);
        }
        let total: f64 = self.masses.iter().sum::<f64>().max(1e-12);
        let size = |(first, count): &(usize, usize)| match torques.get(*first..first + count) {
            Some(values) => values.iter().map(|t| t * t).sum::<f64>().sqrt(),
            None => 0.0,
        };
        Frame {
            center_of_mass: center.map(|x| x / total),
            bodies: self.bodies.iter().map(pose).collect(),
            torques: self.joints.iter().map(size).collect(),
            contacts: self.contacts(contacts),
            ..Frame::default()
        }
    }

    /// The contacts that count, the strongest first.
    fn contacts(&self, contacts: &[ContactReading]) -> Vec<ContactPoint> {
        let place = |index: usize| self.bodies.iter().position(|&body| body == index);
        let strength = |force: &[f64; 3]| force.iter().map(|f| f * f).sum::<f64>().sqrt();
        let mut points: Vec<ContactPoint> = contacts
            .iter()
            .filter(|contact| strength(&contact.force) >= WEAKEST)
            .filter_map(|contact| {
                let other = match contact.other {
                    Touched::Ground | Touched::Box(_) => -1,
                    Touched::Body(other) => place(other)? as i32,
                };
                let body = place(contact.body)? as u32;
                Some(ContactPoint { body, other, point: contact.point, force: contact.force })
            })
            .collect();
        points.sort_by(|a, b| strength(&b.force).total_cmp(&strength(&a.force)));
        points.truncate(MOST_CONTACTS);
        points
    }
}
