//! The embedded characters, built from tables.

use sinew_sim::character::{Body, Character, EndEffector, Joint, JointKind, Shape};

mod dinosaur;
mod humanoid;
mod peer_a;
mod peer_b;

/// Every embedded character.
pub fn all() -> [Character; 4] {
    [dinosaur::dinosaur(), humanoid::humanoid(), peer_a::peer_a(), peer_b::peer_b()]
}

/// Gains and torque limit of a joint.
struct Drive {
    kp: f64,
    kd: f64,
    torque_limit: f64,
}

/// A character whose only body so far is the root, on a free joint at `position`.
fn rooted(name: &str, body: &str, mass: f64, shape: Shape, position: [f64; 3]) -> Character {
    let mut character = Character {
        name: name.into(),
        bodies: Vec::new(),
        joints: Vec::new(),
        end_effectors: Vec::new(),
        collide: Vec::new(),
        origin: None,
    };
    push(&mut character, body, mass, shape);
    character.joints.push(Joint { name: "root".into(), ..joint(JointKind::Free, None, body, position) });
    character
}

/// Adds a body on a hinge about `axis`, or on a ball joint when there is none.
fn attach(
    character: &mut Character,
    (name, parent, position): (&str, &str, [f64; 3]),
    (mass, shape): (f64, Shape),
    axis: Option<[f64; 3]>,
    drive: &Drive,
) {
    push(character, name, mass, shape);
    let kind = if axis.is_some() { JointKind::Hinge } else { JointKind::Ball };
    let &Drive { kp, kd, torque_limit } = drive;
    let base = joint(kind, Some(parent.into()), name, position);
    character.joints.push(Joint { axis, kp, kd, torque_limit: Some(torque_limit), ..base });
}

fn push(character: &mut Character, name: &str, mass: f64, shape: Shape) {
    character.bodies.push(Body { name: name.into(), mass, center_of_mass: None, inertia: None, shapes: vec![shape] });
}

fn joint(kind: JointKind, parent: Option<String>, child: &str, position: [f64; 3]) -> Joint {
    Joint { position, ..Joint::new(child, kind, parent.as_deref(), child) }
}

fn capsule(from: [f64; 3], to: [f64; 3], radius: f64) -> Shape {
    Shape::Capsule { from, to, radius }
}

/// A point of the left side (`side` 1) on the right (`side` −1), without negative zeros.
fn mirrored([x, y, z]: [f64; 3], side: f64) -> [f64; 3] {
    [x, side * y + 0.0, z]
}

/// Limits for `name`, or for `name_l` and `name_r`.
fn limit(character: &mut Character, name: &str, limits: [f64; 2]) {
    let sides = [name.to_string(), format!("{name}_l"), format!("{name}_r")];
    character
        .joints
        .iter_mut()
        .filter(|joint| sides.contains(&joint.name))
        .for_each(|joint| joint.limits = Some(limits));
}

fn mark(character: &mut Character, name: &str, body: &str, position: [f64; 3]) {
    character.end_effectors.push(EndEffector { name: name.into(), body: body.into(), position });
}
