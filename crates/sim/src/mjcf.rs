//! MJCF out: a scene as a model file that MuJoCo loads, with the same bodies, joints, gains and contacts.
//!
//! Bodies, and with them `qpos` and `qvel`, come in MuJoCo's order: characters, then objects; within a character
//! depth first, the children of a body in the order in which their joints stand in the file.
//!
//! What MuJoCo cannot say exactly: a ball's torque limit holds for each axis instead of for the length of the vector,
//! restitution below [`MUJOCO_RESTITUTION`] bounces at that value, and `<position>` actuators have no velocity target.

use crate::character::{Body, Character, Joint, JointKind, Shape, is_identity};
use crate::mass_properties::{self, MassProperties};
use crate::scene::{Object, ObjectShape, PlacedCharacter, Scene, Surface};
use std::collections::{BTreeMap, BTreeSet};

/// What MuJoCo's critically damped contact gives back of the impact speed: `exp(−2)`.
pub const MUJOCO_RESTITUTION: f64 = 0.135_335_283_236_612_7;

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
    let mut exporter = Exporter::new(scene);
    exporter.header(options);
    exporter.world();
    exporter.contact_pairs();
    exporter.actuators();
    exporter.rest_keyframe();
    exporter.xml.close("mujoco");
    exporter.xml.text
}

/// Attributes of one element, in order.
type Attributes = Vec<(&'static str, String)>;

struct Exporter<'a> {
    scene: &'a Scene,
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
    /// `<position>` elements, in joint order.
    position_actuators: Vec<Attributes>,
    /// Rest pose.
    qpos: Vec<f64>,
}

impl<'a> Exporter<'a> {
    fn new(scene: &'a Scene) -> Self {
        let mut exporter = Exporter {
            scene,
            xml: Xml { text: String::new(), depth: 0 },
            body_names: Names::default(),
            joint_names: Names::default(),
            geom_names: Names::default(),
            site_names: Names::default(),
            actuator_names: Names::default(),
            geoms: BTreeMap::new(),
            position_actuators: Vec::new(),
            qpos: Vec::new(),
        };
        exporter.body_names.unique("world".into()); // MuJoCo's own
        exporter
    }

    fn header(&mut self, options: &MjcfOptions) {
        let name = match &self.scene.characters[..] {
            [only] => only.character.name.clone(),
            _ => "scene".into(),
        };
        self.xml.open("mujoco", vec![("model", name)]);
        let flags = [("angle", "radian"), ("autolimits", "true"), ("inertiafromgeom", "false")];
        self.xml.leaf("compiler", flags.map(|(key, value)| (key, value.into())).into());
        let option = vec![
            ("timestep", number(options.dt)),
            ("gravity", numbers(&self.scene.gravity)),
            ("integrator", "implicitfast".into()),
            ("cone", "elliptic".into()),
        ];
        self.xml.leaf("option", option);
        // What moves meets what stands (1 & 1); what moves meets what moves only in listed pairs.
        self.xml.open("default", vec![]);
        self.xml.leaf("geom", vec![("contype", "1".into()), ("conaffinity", "0".into()), ("condim", "3".into())]);
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
            ("solref", solref(surface)),
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
                self.position_actuator(joint, &name, name.clone(), None);
            }
            JointKind::Ball => {
                let name = self.joint_names.unique(name);
                let mut attributes = vec![("name", name.clone()), ("type", "ball".into())];
                attributes.extend(range_and_armature(joint));
                self.xml.leaf("joint", attributes);
                self.qpos.extend([1.0, 0.0, 0.0, 0.0]);
                for (suffix, gear) in [("x", "1 0 0 0 0 0"), ("y", "0 1 0 0 0 0"), ("z", "0 0 1 0 0 0")] {
                    self.position_actuator(joint, &name, format!("{name}_{suffix}"), Some(gear));
                }
            }
        }
    }

    fn position_actuator(&mut self, joint: &Joint, joint_name: &str, name: String, gear: Option<&str>) {
        if joint.kp == 0.0 && joint.kd == 0.0 {
            return;
        }
        let mut attributes = vec![("name", self.actuator_names.unique(name)), ("joint", joint_name.into())];
        attributes.extend(gear.map(|gear| ("gear", gear.into())));
        attributes.extend([("kp", number(joint.kp)), ("kv", number(joint.kd))]);
        attributes.extend(joint.torque_limit.map(|limit| ("forcerange", numbers(&[-limit, limit]))));
        self.position_actuators.push(attributes);
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
                        ("solref", solref(&surface)),
                    ]);
                }
            }
        }
        self.xml.section("contact", "pair", elements);
    }

    fn actuators(&mut self) {
        let elements = std::mem::take(&mut self.position_actuators);
        self.xml.section("actuator", "position", elements);
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
    let (sin, cos) = (0.5 * placed.heading).sin_cos();
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

/// MuJoCo's `solref`, time constant `1/(ζω)` and damping ratio `ζ`: its default stiffness (ω = 50 rad/s),
/// damped so that a bounce keeps the surface's restitution.
///
/// A spring-damper that pushes but never pulls lets go when its force is zero, with
/// `e(ζ) = exp(−2 ζ acos ζ / √(1 − ζ²))` of the impact speed, falling from 1 at ζ = 0 to `exp(−2)` at ζ = 1.
/// More damping than that creeps back to the surface instead of resting on it, so ζ stays at most 1.
fn solref(surface: &Surface) -> String {
    const FREQUENCY: f64 = 50.0;
    let rebound = |ratio: f64| (-2.0 * ratio * ratio.acos() / (1.0 - ratio * ratio).sqrt()).exp();
    let mut ratio = 1.0;
    if surface.restitution > MUJOCO_RESTITUTION {
        let (mut low, mut high) = (0.001, 1.0);
        for _ in 0..50 {
            ratio = 0.5 * (low + high);
            if rebound(ratio) > surface.restitution {
                low = ratio;
            } else {
                high = ratio;
            }
        }
    }
    // Six digits: more than the formula is worth, and the same text on every machine.
    let ratio = (ratio * 1e6).round() / 1e6;
    let time_constant = (1e6 / (FREQUENCY * ratio)).round() / 1e6;
    numbers(&[time_constant, ratio])
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

/// The shortest decimal that reads back as the same number, without a negative zero.
fn number(x: f64) -> String {
    format!("{}", x + 0.0)
}

fn numbers(values: &[f64]) -> String {
    values.iter().map(|x| number(*x)).collect::<Vec<_>>().join(" ")
}

/// Names of one kind of element.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    /// `name`, with as many underscores behind it as make it new.
    fn unique(&mut self, mut name: String) -> String {
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// Indented XML text.
struct Xml {
    text: String,
    depth: usize,
}

impl Xml {
    fn open(&mut self, tag: &str, attributes: Attributes) {
        self.element(tag, attributes, ">");
        self.depth += 1;
    }

    fn leaf(&mut self, tag: &str, attributes: Attributes) {
        self.element(tag, attributes, "/>");
    }

    fn close(&mut self, tag: &str) {
        self.depth -= 1;
        self.text += &format!("{:1$}</{tag}>\n", "", 2 * self.depth);
    }

    /// A parent and its leaves, or nothing where there are none.
    fn section(&mut self, tag: &str, leaf: &str, elements: Vec<Attributes>) {
        if elements.is_empty() {
            return;
        }
        self.open(tag, vec![]);
        for attributes in elements {
            self.leaf(leaf, attributes);
        }
        self.close(tag);
    }

    fn element(&mut self, tag: &str, attributes: Attributes, end: &str) {
        self.text += &format!("{:1$}<{tag}", "", 2 * self.depth);
        for (key, value) in attributes {
            self.text += &format!(" {key}=\"{}\"", escape(&value));
        }
        self.text += end;
        self.text.push('\n');
    }
}

/// Text as it stands between double quotes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\n' | '\r' | '\t' => escaped += &format!("&#{};", c as u32),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
#[path = "mjcf_tests.rs"]
mod tests;
