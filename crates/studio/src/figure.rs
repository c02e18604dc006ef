//! Characters in a compiled scene, read off as frames: bodies in the order of their files, torques joint by joint, contacts.

use crate::project::characters::body_indices;
use crate::protocol::frame::MOST_CONTACTS;
use crate::protocol::{ContactPoint, Frame, SceneBody, SceneJoint};
use sinew::playing::HIDDEN_M;
use sinew_sim::{Character, ContactReading, Measured, Model, Object, ObjectShape, Shape, Touched};

/// Contacts weaker than this are left out, N.
const WEAKEST: f64 = 0.5;

/// Where the parts of characters, and of balls after them, are in a model.
pub struct Figure {
    /// Index in the model of each body in the order of the frames.
    bodies: Vec<usize>,
    /// Index of the first ball among them.
    first_ball: usize,
    /// Mass of each body of the first character.
    masses: Vec<f64>,
    /// First index in `qvel` and count of each joint.
    joints: Vec<(usize, usize)>,
    scene_bodies: Vec<SceneBody>,
    scene_joints: Vec<SceneJoint>,
}

impl Figure {
    /// Of a model that holds these characters first, and these balls.
    pub fn new(model: &Model, characters: &[&Character], balls: &[Object]) -> Figure {
        let mut bodies: Vec<usize> = characters.iter().flat_map(|character| body_indices(model, character)).collect();
        let scene_bodies = characters.iter().flat_map(|character| &character.bodies).map(|body| SceneBody {
            name: body.name.clone(),
            is_character: true,
            mass_kg: body.mass,
            shapes: body.shapes.clone(),
        });
        let mut scene_bodies: Vec<SceneBody> = scene_bodies.collect();
        let first_ball = bodies.len();
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
        let (mut joints, mut scene_joints) = (Vec::new(), Vec::new());
        let mut first_body = 0;
        for character in characters {
            let prefix = format!("{}/", character.name);
            let place = |name: &str| character.bodies.iter().position(|body| body.name == name).map(|b| first_body + b);
            for info in model.joints().iter().filter(|joint| !joint.kind.is_root()) {
                let Some(name) = info.name.strip_prefix(&prefix) else { continue };
                let Some(joint) = character.joints.iter().find(|joint| joint.name == name) else { continue };
                joints.push((info.velocity_index, info.kind.velocity_count()));
                scene_joints.push(SceneJoint {
                    name: name.to_owned(),
                    body: place(&joint.child).unwrap_or(0),
                    parent: joint.parent.as_deref().and_then(place),
                    torque_limit: joint.torque_limit,
                });
            }
            first_body += character.bodies.len();
        }
        let masses = characters.first().map_or(Vec::new(), |first| first.bodies.iter().map(|body| body.mass).collect());
        Figure { bodies, masses, joints, scene_bodies, scene_joints, first_ball }
    }

    /// Tells viewers of balls that wait as far below the ground, and of nothing that they touch.
    pub fn hide(&self, frame: &mut Frame, waits: impl Fn(usize) -> bool) {
        for (ball, (position, _)) in frame.bodies[self.first_ball..].iter_mut().enumerate() {
            if waits(ball) {
                *position = [0.0, 0.0, HIDDEN_M];
            }
        }
        let hidden = |body: u32| (body as usize).checked_sub(self.first_ball).is_some_and(&waits);
        frame.contacts.retain(|contact| !hidden(contact.body));
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
