//! MJCF out: a scene as a model file that MuJoCo loads, with the same bodies, joints, gains and contacts.
//!
//! Bodies, and with them `qpos` and `qvel`, come in MuJoCo's order: characters, then objects; within a character
//! depth first, the children of a body in the order in which their joints stand in the file.
//!
//! The actuators are [`Drive`]s: MuJoCo's `implicitfast` integrator makes of them the simulator's own implicit PD, and
//! [`Drive::control`] is the control with which one exerts the torque of a recorded step.
//!
//! What MuJoCo cannot say exactly:
//! - A torque limit. `forcerange` cuts a torque before its implicit part is taken off, and with it the damping: a light limb that meets it
//!   shakes until the simulation breaks down. So limits stand in the actuators' `user` values, and recorded controls have them inside.
//! - A ball's error: MuJoCo takes the difference of rotation vectors, the simulator the rotation vector of the difference.
//! - Contacts and stops, which are softer; and restitution below [`MUJOCO_RESTITUTION`] bounces at that value.

mod drive;
mod softness;
mod xml;

pub use drive::Drive;
pub use softness::MUJOCO_RESTITUTION;

use crate::character::{Body, Character, Joint, JointKind, Shape, is_identity};
use crate::mass_properties::{self, MassProperties};
use crate::scene::{Object, ObjectShape, PlacedCharacter, Scene, Surface};
use softness::{solref, stop_solref};
use std::collections::{BTreeMap, BTreeSet};
use xml::{Attributes, Names, Xml, number, numbers};

/// What the scene itself does not say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MjcfOptions {
    /// Time step written to the file, s. Default: 0.002, MuJoCo's own.
    pub dt: f64,
}

impl Default for MjcfOptions {
    fn default() -> Self {
        MjcfOptions { dt: 0.002 }
    }
}

/// The scene as MJCF text. Bodies, joints and sites keep their names in a scene of one character;
/// with more characters (or none) they are called `character/name`.
///
/// The scene is taken as valid; a body that no root reaches is left out.
pub fn to_mjcf(scene: &Scene, options: &MjcfOptions) -> String {
    let mut exporter = Exporter::new(scene, options);
    exporter.header();
    exporter.world();
    exporter.contact_pairs();
    exporter.actuators();
    exporter.rest_keyframe();
    exporter.xml.close("mujoco");
    exporter.xml.text
}

struct Exporter<'a> {
    scene: &'a Scene,
    /// Time step, s.
    dt: f64,
    xml: Xml,
    // Names in use; MuJoCo has one namespace for each kind of element.
    body_names: Names,
    joint_names: Names,
    geom_names: Names,
    site_names: Names,
    actuator_names: Names,
    // Filled while the bodies are written.
    /// Geoms of each moving body, by its name in `Scene::collide`.
    geoms: BTreeMap<String, Vec<String>>,
    /// Actuators with their tags, in joint order.
    actuators: Vec<(&'static str, Attributes)>,
    /// Rest pose.
    qpos: Vec<f64>,
}

impl<'a> Exporter<'a> {
    fn new(scene: &'a Scene, options: &MjcfOptions) -> Self {
        let mut exporter = Exporter {
            scene,
            dt: options.dt,
            xml: Xml { text: String::new(), depth: 0 },
            body_names: Names::default(),
            joint_names: Names::default(),
            geom_names: Names::default(),
            site_names: Names::default(),
            actuator_names: Names::default(),
            geoms: BTreeMap::new(),
            actuators: Vec::new(),
            qpos: Vec::new(),
        };
        exporter.body_names.unique("world".into()); // MuJoCo's own
        exporter
    }

    fn header(&mut self) {
        let name = match &self.scene.characters[..] {
            [only] => only.character.name.clone(),
            _ => "scene".into(),
        };
        self.xml.open("mujoco", vec![("model", name)]);
        let flags = [("angle", "radian"), ("autolimits", "true"), ("inertiafromgeom", "false")];
        self.xml.leaf("compiler", flags.map(|(key, value)| (key, value.into())).into());
        let option = vec![
            ("timestep", number(self.dt)),
            ("gravity", numbers(&self.scene.gravity)),
            ("integrator", "implicitfast".into()),
            ("cone", "elliptic".into()),
        ];
        self.xml.leaf("option", option);
        // What moves meets what stands (1 & 1); what moves meets what moves only in listed pairs.
        self.xml.open("default", vec![]);
        self.xml.leaf("geom", vec![("contype", "1".into()), ("conaffinity", "0".into()), ("condim", "3".into())]);
        self.xml.leaf("joint", vec![("solreflimit", stop_solref(self.dt))]);
        self.xml.close("default");
    }

    fn world(&mut self) {
        let scene = self.scene;
        self.xml.open("worldbody", vec![]);
        if let Some(ground) = &scene.ground {
            let shape =
                vec![("type", "plane".into()), ("size", "0 0 1".into()), ("pos", numbers(&[0.0, 0.0, ground.height]))];
            self.static_geom("ground", shape, &ground.surface);
        }
        for wall in &scene.boxes {
            let mut shape = vec![("type", "box".into()), ("size", numbers(&wall.half_extents))];
            shape.extend(placement(wall.center, normalized(wall.orientation)));
            self.static_geom(&wall.name, shape, &wall.surface);
        }
        for placed in &scene.characters {
            let prefix = match scene.characters.len() {
                1 => String::new(),
                _ => format!("{}/", placed.character.name),
            };
            let mut written = BTreeSet::new();
            for root in placed.character.joints.iter().filter(|joint| joint.parent.is_none()) {
                self.body(placed, &prefix, root, &mut written);
            }
        }
        for object in &scene.objects {
            self.object(object);
        }
        self.xml.close("worldbody");
    }

    /// A geom of the world. Its priority makes its own friction and solref count, not a mixture with the other geom's.
    fn static_geom(&mut self, name: &str, shape: Attributes, surface: &Surface) {
        let mut attributes = vec![("name", self.geom_names.unique(name.into()))];
        attributes.extend(shape);
        attributes.extend([
            ("contype", "0".into()),
            ("conaffinity", "1".into()),
            ("priority", "1".into()),
            ("friction", numbers(&[surface.friction, 0.005, 0.0001])),
            ("solref", solref(surface, self.dt)),
        ]);
        self.xml.leaf("geom", attributes);
    }

    /// The body that `joint` carries, and below it its children.
    fn body<'c>(
        &mut self,
        placed: &'c PlacedCharacter,
        prefix: &str,
        joint: &'c Joint,
        written: &mut BTreeSet<&'c str>,
    ) {
        let character = &placed.character;
        let Some(body) = character.bodies.iter().find(|body| body.name == joint.child) else { return };
        if !written.insert(&body.name) {
            return;
        }
        let (position, orientation) = match joint.parent {
            None => in_world(placed, joint),
            Some(_) => (joint.position, normalized(joint.orientation)),
        };

        let mut attributes = vec![("name", self.body_names.unique(format!("{prefix}{}", body.name)))];
        attributes.extend(placement(position, orientation));
        self.xml.open("body", attributes);
        self.joint(prefix, joint, position, orientation);
        self.inertial(&mass_properties::of_body(body));
        self.body_geoms(character, prefix, body);
        for effector in character.end_effectors.iter().filter(|effector| effector.body == body.name) {
            let name = self.site_names.unique(format!("{prefix}{}", effector.name));
            self.xml.leaf("site", vec![("name", name), ("pos", numbers(&effector.position))]);
        }
        for child in character.joints.iter().filter(|child| child.parent.as_deref() == Some(&body.name)) {
            self.body(placed, prefix, child, written);
        }
        self.xml.close("body");
    }

    /// The joint's element or elements, its rest position and its actuators.
    fn joint(&mut self, prefix: &str, joint: &Joint, position: [f64; 3], orientation: [f64; 4]) {
        let name = format!("{prefix}{}", joint.name);
        match joint.kind {
            JointKind::Fixed | JointKind::Weld => {}
            JointKind::Free => {
                let name = self.joint_names.unique(name);
                self.xml.leaf("freejoint", vec![("name", name)]);
                self.qpos.extend(position);
                self.qpos.extend(orientation);
            }
            JointKind::Planar => {
                // MuJoCo wants axes in the body's frame; these are the world's. `ref` makes qpos the world's x and z.
                let [w, x, y, z] = orientation;
                let axes = [("x", 0, "slide"), ("z", 2, "slide"), ("y", 1, "hinge")];
                for (suffix, index, kind) in axes {
                    let mut axis = [0.0; 3];
                    axis[index] = 1.0;
                    let rest = if kind == "slide" { position[index] } else { 0.0 };
                    let attributes = vec![
                        ("name", self.joint_names.unique(format!("{name}_{suffix}"))),
                        ("type", kind.into()),
                        ("axis", numbers(&rotate([w, -x, -y, -z], axis))),
                        ("ref", number(rest)),
                    ];
                    self.xml.leaf("joint", attributes);
                    self.qpos.push(rest);
                }
            }
            JointKind::Hinge => {
                let axis = joint.axis.unwrap_or([0.0, 0.0, 1.0]);
                let name = self.joint_names.unique(name);
                let mut attributes =
                    vec![("name", name.clone()), ("type", "hinge".into()), ("axis", numbers(&normalized(axis)))];
                attributes.extend(range_and_armature(joint));
                self.xml.leaf("joint", attributes);
                self.qpos.push(0.0);
                self.actuator(joint, &name, name.clone(), None);
            }
            JointKind::Ball => {
                let name = self.joint_names.unique(name);
                let mut attributes = vec![("name", name.clone()), ("type", "ball".into())];
                attributes.extend(range_and_armature(joint));
                self.xml.leaf("joint", attributes);
                self.qpos.extend([1.0, 0.0, 0.0, 0.0]);
                for (suffix, gear) in [("x", "1 0 0 0 0 0"), ("y", "0 1 0 0 0 0"), ("z", "0 0 1 0 0 0")] {
                    self.actuator(joint, &name, format!("{name}_{suffix}"), Some(gear));
                }
            }
        }
    }

    fn actuator(&mut self, joint: &Joint, joint_name: &str, name: String, gear: Option<&str>) {
        let Some(drive) = Drive::of(joint, self.dt) else { return };
        let mut attributes = vec![("name", self.actuator_names.unique(name)), ("joint", joint_name.into())];
        attributes.extend(gear.map(|gear| ("gear", gear.into())));
        let tag = match drive {
            Drive::Position { kp, kv } => {
                attributes.extend([("kp", number(kp)), ("kv", number(kv))]);
                "position"
            }
            Drive::Velocity { kv } => {
                attributes.push(("kv", number(kv)));
                "velocity"
            }
        };
        attributes.extend(joint.torque_limit.map(|limit| ("user", number(limit))));
        self.actuators.push((tag, attributes));
    }

    fn inertial(&mut self, properties: &MassProperties) {
        let attributes = vec![
            ("pos", numbers(&properties.center_of_mass)),
            ("mass", number(properties.mass)),
            ("fullinertia", numbers(&properties.inertia)),
        ];
        self.xml.leaf("inertial", attributes);
    }

    fn body_geoms(&mut self, character: &Character, prefix: &str, body: &Body) {
        let mut geoms = Vec::new();
        for (index, shape) in body.shapes.iter().enumerate() {
            let name = self.geom_names.unique(format!("{prefix}{}#{index}", body.name));
            let mut attributes = vec![("name", name.clone())];
            attributes.extend(match *shape {
                // MuJoCo refuses a capsule without length.
                Shape::Capsule { from, to, radius } if from == to => sphere(from, radius),
                Shape::Capsule { from, to, radius } => {
                    let ends = [from, to].concat();
                    vec![("type", "capsule".into()), ("size", number(radius)), ("fromto", numbers(&ends))]
                }
                Shape::Sphere { center, radius } => sphere(center, radius),
                Shape::Box { center, half_extents, orientation } => {
                    let mut solid = vec![("type", "box".into()), ("size", numbers(&half_extents))];
                    solid.extend(placement(center, normalized(orientation)));
                    solid
                }
            });
            self.xml.leaf("geom", attributes);
            geoms.push(name);
        }
        self.geoms.insert(format!("{}/{}", character.name, body.name), geoms);
    }

    fn object(&mut self, object: &Object) {
        let name = self.body_names.unique(object.name.clone());
        let orientation = normalized(object.orientation);
        let mut attributes = vec![("name", name.clone())];
        attributes.extend(placement(object.position, orientation));
        self.xml.open("body", attributes);
        let joint = self.joint_names.unique(name.clone());
        self.xml.leaf("freejoint", vec![("name", joint)]);
        self.qpos.extend(object.position);
        self.qpos.extend(orientation);
        self.inertial(&mass_properties::of_object(object));
        let geom = self.geom_names.unique(format!("{name}#0"));
        let (kind, size) = match object.shape {
            ObjectShape::Ball { radius } => ("sphere", number(radius)),
            ObjectShape::Box { half_extents } => ("box", numbers(&half_extents)),
        };
        self.xml.leaf("geom", vec![("name", geom.clone()), ("type", kind.into()), ("size", size)]);
        self.xml.close("body");
        self.geoms.insert(object.name.clone(), vec![geom]);
    }

    /// Every shape of the one body with every shape of the other, for all listed pairs, each pair once.
    fn contact_pairs(&mut self) {
        let mut listed: Vec<(&str, Vec<String>)> = Vec::new();
        let mut pairs: Vec<[Vec<String>; 2]> = Vec::new();
        for placed in &self.scene.characters {
            let character = &placed.character;
            let full_names: Vec<String> =
                character.bodies.iter().map(|body| format!("{}/{}", character.name, body.name)).collect();
            listed.push((&character.name, full_names));
            for pair in &character.collide {
                pairs.push(pair.each_ref().map(|body| vec![format!("{}/{body}", character.name)]));
            }
        }
        for pair in &self.scene.collide {
            pairs.push(pair.each_ref().map(|name| match listed.iter().find(|(character, _)| character == name) {
                Some((_, bodies)) => bodies.clone(),
                None => vec![name.clone()],
            }));
        }

        let mut seen = BTreeSet::new();
        let mut elements = Vec::new();
        let surface = self.scene.between_bodies;
        let friction = numbers(&[surface.friction, surface.friction, 0.005, 0.0001, 0.0001]);
        for [first, second] in &pairs {
            for (a, b) in first.iter().flat_map(|a| second.iter().map(move |b| (a, b))) {
                if a == b || !seen.insert((a.min(b).clone(), a.max(b).clone())) {
                    continue;
                }
                let (Some(geoms_a), Some(geoms_b)) = (self.geoms.get(a), self.geoms.get(b)) else { continue };
                for (geom1, geom2) in geoms_a.iter().flat_map(|a| geoms_b.iter().map(move |b| (a, b))) {
                    elements.push(vec![
                        ("geom1", geom1.clone()),
                        ("geom2", geom2.clone()),
                        ("condim", "3".into()),
                        ("friction", friction.clone()),
                        ("solref", solref(&surface, self.dt)),
                    ]);
                }
            }
        }
        self.xml.section("contact", "pair", elements);
    }

    fn actuators(&mut self) {
        let elements = std::mem::take(&mut self.actuators);
        self.xml.mixed_section("actuator", elements);
    }

    fn rest_keyframe(&mut self) {
        if !self.qpos.is_empty() {
            let key = vec![("name", "rest".into()), ("qpos", numbers(&self.qpos))];
            self.xml.section("keyframe", "key", vec![key]);
        }
    }
}

/// Where a root starts: turned by the heading about the world's vertical, then moved by the offset.
fn in_world(placed: &PlacedCharacter, root: &Joint) -> ([f64; 3], [f64; 4]) {
    let (sin, cos) = libm::sincos(0.5 * placed.heading);
    let heading = [cos, 0.0, 0.0, sin];
    let turned = rotate(heading, root.position);
    let position = std::array::from_fn(|i| turned[i] + placed.offset[i]);
    (position, multiply(heading, normalized(root.orientation)))
}

fn placement(position: [f64; 3], orientation: [f64; 4]) -> Attributes {
    let mut attributes = vec![("pos", numbers(&position))];
    if !is_identity(&orientation) {
        attributes.push(("quat", numbers(&orientation)));
    }
    attributes
}

fn sphere(center: [f64; 3], radius: f64) -> Attributes {
    vec![("type", "sphere".into()), ("size", number(radius)), ("pos", numbers(&center))]
}

fn range_and_armature(joint: &Joint) -> Attributes {
    let mut attributes = Vec::new();
    if let Some([low, high]) = joint.limits {
        // MuJoCo refuses an empty range.
        attributes.push(("range", numbers(&[low, high.max(low + 1e-6)])));
    }
    if joint.armature != 0.0 {
        attributes.push(("armature", number(joint.armature)));
    }
    attributes
}

fn normalized<const N: usize>(v: [f64; N]) -> [f64; N] {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.map(|x| x / length)
}

/// Quaternion product, `[w, x, y, z]`.
fn multiply(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// `q v q*` for a unit quaternion.
fn rotate(q: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let conjugate = [q[0], -q[1], -q[2], -q[3]];
    let [_, x, y, z] = multiply(multiply(q, [0.0, v[0], v[1], v[2]]), conjugate);
    [x, y, z]
}

#[cfg(test)]
#[path = "mjcf_tests.rs"]
mod tests;
