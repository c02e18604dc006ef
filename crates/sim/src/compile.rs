//! From a scene to the constants that stepping needs.
//!
//! Welded bodies become one link; links are listed depth first in the order of the file, which is also MuJoCo's order, so that
//! `qpos` and `qvel` agree with the exported MJCF.

use crate::character::{Character, Joint, JointKind, Shape};
use crate::kernel::{self, Inertia, Kernel, Link, LinkKind, LinkShape, NO_LINK, Op, Pair, SurfaceConst, Tree};
use crate::mass_properties::{self, MassProperties};
use crate::model::{BodyInfo, EndEffectorInfo, JointInfo, Model};
use crate::rotation::{self, Columns};
use crate::scene::{ObjectShape, STANDARD_GRAVITY, Scene, Surface};
use std::collections::BTreeMap;

/// Contact is scaled by standard gravity even where a world has another, m/s².
const G: f64 = STANDARD_GRAVITY;
/// Depth at which one contact carries the whole tree, m.
const REST_DEPTH: f64 = 1e-3;
/// Damper over spring of a contact, s.
const CONTACT_TIME: f64 = 0.04;
/// Speed at which sticking friction carries the whole tree's weight, m/s.
const STICK_SPEED: f64 = 1e-3;
/// Slowest impact that bounces, m/s.
const BOUNCE_SPEED: f64 = 0.1;
/// Fastest coordinate of a world that has not diverged, m/s or rad/s.
const SPEED_LIMIT: f64 = 1e5;
/// Largest turn of a coordinate in one step that is left alone, rad.
const TAME_TURN: f64 = 0.1;
/// How far the largest torque may push a joint past its stop, rad.
const STOP_GIVE: f64 = 0.005;

/// Compiles a validated scene for steps of `dt` seconds.
pub(crate) fn compile(scene: &Scene, dt: f64) -> Model {
    let mut builder = Builder::new(scene, dt);
    for (i, placed) in scene.characters.iter().enumerate() {
        builder.add_character(i, &placed.character, placed.offset, placed.heading);
    }
    for i in 0..scene.objects.len() {
        builder.add_object(i);
    }
    builder.finish()
}

/// Frame of a body in its link while welds are being merged.
#[derive(Clone, Copy)]
struct Frame {
    link: usize,
    position: [f64; 3],
    rotation: Columns,
}

struct Builder<'a> {
    scene: &'a Scene,
    kernel: Kernel<f64>,
    bodies: Vec<BodyInfo>,
    joints: Vec<JointInfo>,
    end_effectors: Vec<EndEffectorInfo>,
    rest_position: Vec<f64>,
    depth: Vec<usize>,
    masses: Vec<MassProperties>,
    shapes: Vec<Vec<LinkShape<f64>>>,
}

impl<'a> Builder<'a> {
    fn new(scene: &'a Scene, dt: f64) -> Self {
        let kernel = Kernel {
            dt,
            position_count: 0,
            velocity_count: 0,
            links: Vec::new(),
            trees: Vec::new(),
            schedule: Vec::new(),
            slot_count: 0,
            motion_slot_count: 0,
            child_segments: Vec::new(),
            segment_parents: Vec::new(),
            keeps_centers: false,
            points: Vec::new(),
            shapes: Vec::new(),
            ground: scene.ground.map(|g| (g.height, surface(&g.surface))),
            boxes: scene.boxes.iter().map(static_box).collect(),
            pairs: Vec::new(),
            between_bodies: surface(&scene.between_bodies),
            bounce_threshold: BOUNCE_SPEED,
            speed_limit: SPEED_LIMIT,
            tame_speed: TAME_TURN / dt,
        };
        Builder {
            scene,
            kernel,
            bodies: Vec::new(),
            joints: Vec::new(),
            end_effectors: Vec::new(),
            rest_position: Vec::new(),
            depth: Vec::new(),
            masses: Vec::new(),
            shapes: Vec::new(),
        }
    }

    fn add_character(&mut self, index: usize, character: &Character, offset: [f64; 3], heading: f64) {
        let first_body = self.bodies.len();
        let root = character.joints.iter().find(|j| j.kind.is_root()).expect("validated: one root");
        let turn = [libm::cos(heading / 2.0), 0.0, 0.0, libm::sin(heading / 2.0)];
        let mut root = root.clone();
        root.position = rotation::add(rotation::apply(&rotation::matrix(turn), root.position), offset);
        if heading != 0.0 {
            root.orientation = rotation::quaternion_product(turn, root.orientation);
        }
        let tree = self.add_tree();
        self.add_joint(index, character, &root, None, tree);
        for end in &character.end_effectors {
            let name = format!("{}/{}", character.name, end.body);
            let body = self.bodies[first_body..].iter().position(|b| b.name == name).expect("validated: known body");
            self.end_effectors.push(EndEffectorInfo {
                name: end.name.clone(),
                body: first_body + body,
                position: end.position,
            });
        }
    }

    fn add_tree(&mut self) -> usize {
        self.kernel.trees.push(Tree { stiffness: 0.0, normal_implicit: 0.0, stick_implicit: 0.0, pull_tolerance: 0.0 });
        self.kernel.trees.len() - 1
    }

    /// Adds the child of a joint and, depth first, all that it carries.
    fn add_joint(&mut self, index: usize, character: &Character, joint: &Joint, parent: Option<Frame>, tree: usize) {
        let body = character.bodies.iter().find(|b| b.name == joint.child).expect("validated: known child");
        let mass = mass_properties::of_body(body);
        let turn = rotation::matrix(joint.orientation);
        let frame = if joint.kind == JointKind::Weld {
            let parent = parent.expect("validated: a weld has a parent");
            let position = rotation::add(parent.position, rotation::apply(&parent.rotation, joint.position));
            Frame { link: parent.link, position, rotation: rotation::product(&parent.rotation, &turn) }
        } else {
            let name = format!("{}/{}", character.name, joint.name);
            Frame { link: self.add_link(joint, name, parent, tree), position: [0.0; 3], rotation: rotation::IDENTITY }
        };
        self.attach(frame, &mass, &body.shapes);
        self.bodies.push(BodyInfo {
            name: format!("{}/{}", character.name, body.name),
            character: Some(index),
            shapes: body.shapes.clone(),
            link: frame.link,
            position: frame.position,
            rotation: frame.rotation,
            mass,
        });
        for next in character.joints.iter().filter(|j| j.parent.as_deref() == Some(&body.name)) {
            self.add_joint(index, character, next, Some(frame), tree);
        }
    }

    fn add_object(&mut self, index: usize) {
        let object = &self.scene.objects[index];
        let (position, orientation) = (object.position, object.orientation);
        let joint = Joint { position, orientation, ..Joint::new(&object.name, JointKind::Free, None, &object.name) };
        let shape = match object.shape {
            ObjectShape::Ball { radius } => Shape::Sphere { center: [0.0; 3], radius },
            ObjectShape::Box { half_extents } => {
                Shape::Box { center: [0.0; 3], half_extents, orientation: [1.0, 0.0, 0.0, 0.0] }
            }
        };
        let tree = self.add_tree();
        let link = self.add_link(&joint, object.name.clone(), None, tree);
        let frame = Frame { link, position: [0.0; 3], rotation: rotation::IDENTITY };
        let mass = mass_properties::of_object(object);
        let shapes = vec![shape];
        self.attach(frame, &mass, &shapes);
        self.bodies.push(BodyInfo {
            name: object.name.clone(),
            character: None,
            shapes,
            link,
            position: frame.position,
            rotation: frame.rotation,
            mass,
        });
    }

    fn add_link(&mut self, joint: &Joint, name: String, parent: Option<Frame>, tree: usize) -> usize {
        let (q, v) = (self.kernel.position_count, self.kernel.velocity_count);
        let (mut offset, mut align) = (joint.position, rotation::matrix(joint.orientation));
        if let Some(parent) = parent {
            offset = rotation::add(parent.position, rotation::apply(&parent.rotation, offset));
            align = rotation::product(&parent.rotation, &align);
        }
        let axis = joint.axis.map_or([0.0; 3], |a| rotation::scale(a, 1.0 / rotation::length(a)));
        let kind = match joint.kind {
            JointKind::Free => LinkKind::Free,
            JointKind::Planar => LinkKind::Planar,
            JointKind::Ball => LinkKind::Ball,
            JointKind::Hinge if axis == [1.0, 0.0, 0.0] => LinkKind::HingeX,
            JointKind::Hinge if axis == [0.0, 1.0, 0.0] => LinkKind::HingeY,
            JointKind::Hinge if axis == [0.0, 0.0, 1.0] => LinkKind::HingeZ,
            JointKind::Hinge => LinkKind::HingeGeneral,
            JointKind::Fixed | JointKind::Weld => LinkKind::Fixed,
        };
        match joint.kind {
            JointKind::Free => {
                self.rest_position.extend(joint.position);
                let n = joint.orientation.iter().map(|x| x * x).sum::<f64>().sqrt();
                self.rest_position.extend(joint.orientation.map(|c| c / n));
            }
            JointKind::Planar => self.rest_position.extend([joint.position[0], joint.position[2], 0.0]),
            JointKind::Ball => self.rest_position.extend([1.0, 0.0, 0.0, 0.0]),
            JointKind::Hinge => self.rest_position.push(0.0),
            JointKind::Fixed | JointKind::Weld => {}
        }
        let dt = self.kernel.dt;
        let limits = joint.limits.unwrap_or([0.0; 2]);
        let (parent, depth) = parent.map_or((NO_LINK, 0), |p| (p.link, self.depth[p.link] + 1));
        let is_identity =
            align.iter().flatten().zip(rotation::IDENTITY.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-12);
        self.kernel.links.push(Link {
            kind,
            parent,
            tree,
            slot: 0,
            parent_slot: 0,
            children: 0..0,
            carrier: None,
            segment: 0,
            motion_slot: 0,
            parent_motion_slot: 0,
            is_leaf: true,
            q,
            v,
            offset,
            align: (!is_identity && joint.kind != JointKind::Free).then_some(align),
            axis,
            mass: 0.0,
            inverse_carried: 0.0,
            impact_implicit: 0.0,
            center_of_mass: [0.0; 3],
            inertia: Inertia::General([0.0; 6]),
            armature: joint.armature,
            kp: joint.kp,
            kd: joint.kd,
            pd_implicit: dt * joint.kd + dt * dt * joint.kp,
            torque_limit: joint.torque_limit.unwrap_or(f64::INFINITY),
            has_limits: joint.limits.is_some(),
            limit_low: limits[0],
            limit_high: limits[1],
            limit_stiffness: 0.0,
            limit_damping: 0.0,
            bounding_radius: 0.0,
            points: 0..0,
            shapes: 0..0,
            inverse_mass: 0.0,
            inverse_inertia: 0.0,
        });
        self.depth.push(depth);
        self.masses.push(MassProperties { mass: 0.0, center_of_mass: [0.0; 3], inertia: [0.0; 6] });
        self.shapes.push(Vec::new());
        self.kernel.position_count += joint.kind.position_count();
        self.kernel.velocity_count += joint.kind.velocity_count();
        if joint.kind.velocity_count() > 0 {
            self.joints.push(JointInfo {
                name,
                kind: joint.kind,
                position_index: q,
                velocity_index: v,
                limits: joint.limits,
                torque_limit: joint.torque_limit,
            });
        }
        self.kernel.links.len() - 1
    }

    /// Adds a body's mass and shapes to the link that it is part of.
    fn attach(&mut self, frame: Frame, mass: &MassProperties, shapes: &[Shape]) {
        let place = |p: [f64; 3]| rotation::add(frame.position, rotation::apply(&frame.rotation, p));
        let old = &self.masses[frame.link];
        let center = place(mass.center_of_mass);
        let total = old.mass + mass.mass;
        let combined: [f64; 3] =
            std::array::from_fn(|i| (old.mass * old.center_of_mass[i] + mass.mass * center[i]) / total);
        let shift = |m: f64, c: [f64; 3]| rotation::point_inertia(m, rotation::sub(c, combined));
        let (a, b) = (shift(old.mass, old.center_of_mass), shift(mass.mass, center));
        let own = rotation::turned(&mass.inertia, &frame.rotation);
        let inertia = std::array::from_fn(|i| old.inertia[i] + a[i] + own[i] + b[i]);
        self.masses[frame.link] = MassProperties { mass: total, center_of_mass: combined, inertia };
        for shape in shapes {
            self.shapes[frame.link].push(match shape {
                Shape::Capsule { from, to, radius } => {
                    LinkShape::Segment { from: place(*from), to: place(*to), radius: *radius, is_sphere: false }
                }
                Shape::Sphere { center, radius } => {
                    LinkShape::Segment { from: place(*center), to: place(*center), radius: *radius, is_sphere: true }
                }
                Shape::Box { center, half_extents, orientation } => LinkShape::Box {
                    center: place(*center),
                    columns: rotation::product(&frame.rotation, &rotation::matrix(*orientation)),
                    half: *half_extents,
                },
            });
        }
    }

    fn finish(mut self) -> Model {
        self.finish_links();
        self.finish_trees();
        let body_index: BTreeMap<String, usize> =
            self.bodies.iter().enumerate().map(|(i, b)| (b.name.clone(), i)).collect();
        self.kernel.pairs = self.pairs(&body_index);
        self.finish_schedule();
        Model {
            scene: self.scene.clone(),
            kernel: self.kernel,
            bodies: self.bodies,
            joints: self.joints,
            end_effectors: self.end_effectors,
            body_index,
            rest_position: self.rest_position,
        }
    }

    fn finish_links(&mut self) {
        for i in 0..self.kernel.links.len() {
            let mass = &self.masses[i];
            let first_point = self.kernel.points.len();
            let first_shape = self.kernel.shapes.len();
            let mut reach: f64 = 0.0;
            for shape in &self.shapes[i] {
                for point in contact_points(shape) {
                    let away = rotation::sub(point.position, mass.center_of_mass);
                    reach = reach.max(rotation::length(away) + point.radius);
                    self.kernel.points.push(point);
                }
                self.kernel.shapes.push(*shape);
            }
            let link = &mut self.kernel.links[i];
            link.mass = mass.mass;
            link.center_of_mass = mass.center_of_mass;
            link.inertia = classify(mass);
            link.bounding_radius = reach;
            link.points = first_point..self.kernel.points.len();
            link.shapes = first_shape..self.kernel.shapes.len();
            if link.kind != LinkKind::Fixed {
                let (moments, _) = rotation::eigen(&mass.inertia);
                link.inverse_mass = 1.0 / mass.mass;
                link.inverse_inertia = 1.0 / moments.into_iter().fold(f64::INFINITY, f64::min).max(1e-12);
            }
        }
    }

    fn finish_trees(&mut self) {
        let mut carried: Vec<f64> = self.kernel.links.iter().map(|l| l.mass).collect();
        for i in (0..carried.len()).rev() {
            let link = &mut self.kernel.links[i];
            link.inverse_carried = 1.0 / (3.0 * carried[i]).max(1e-9);
            if link.parent != NO_LINK {
                carried[link.parent] += carried[i];
            }
        }
        let dt = self.kernel.dt;
        for (t, tree) in self.kernel.trees.iter_mut().enumerate() {
            let members = || self.kernel.links.iter().filter(|l| l.tree == t && l.kind != LinkKind::Fixed);
            let mass = members().map(|l| l.mass).sum::<f64>().max(1e-9);
            tree.stiffness = mass * G / REST_DEPTH;
            tree.normal_implicit = tree.stiffness * (dt + CONTACT_TIME);
            tree.stick_implicit = mass * G / STICK_SPEED;
            tree.pull_tolerance = 1e-3 * mass * G;
        }
        let masses: Vec<f64> = self.kernel.trees.iter().map(|t| t.stiffness * REST_DEPTH).collect();
        for (link, carried) in self.kernel.links.iter_mut().zip(&carried) {
            let mass = (masses[link.tree] / G).min(kernel::IMPACT_SHARE * carried);
            link.impact_implicit = kernel::IMPACT_MASSES * mass / dt;
            // A stop holds the torque limit, a strong spring's pull, and the tree's weight on an arm of half a metre.
            let torque = if link.torque_limit.is_finite() { link.torque_limit } else { link.kp };
            let load = torque.max(0.5 * masses[link.tree]);
            link.limit_stiffness = load / STOP_GIVE;
            link.limit_damping = link.limit_stiffness * 0.5 * CONTACT_TIME;
        }
    }

    /// Links of the scene's and the characters' collision lists, without those that are one link after welding.
    fn pairs(&self, body_index: &BTreeMap<String, usize>) -> Vec<Pair> {
        let links_of = |name: &str| -> Vec<usize> {
            if let Some(&body) = body_index.get(name) {
                return vec![self.bodies[body].link];
            }
            let prefix = format!("{name}/");
            self.bodies.iter().filter(|b| b.name.starts_with(&prefix)).map(|b| b.link).collect()
        };
        let mut names: Vec<[String; 2]> = Vec::new();
        for placed in &self.scene.characters {
            let character = &placed.character;
            for [a, b] in &character.collide {
                names.push([format!("{}/{a}", character.name), format!("{}/{b}", character.name)]);
            }
        }
        names.extend(self.scene.collide.iter().cloned());
        let mut pairs = std::collections::BTreeSet::new();
        for [a, b] in &names {
            for a in links_of(a) {
                for b in links_of(b) {
                    let moves = |i: usize| self.kernel.links[i].kind != LinkKind::Fixed;
                    if a != b && (moves(a) || moves(b)) {
                        pairs.insert((a.min(b), a.max(b)));
                    }
                }
            }
        }
        pairs.into_iter().map(|(a, b)| Pair { a, b }).collect()
    }

    /// Slots and the order of work: each subtree goes out and back in before the next begins, so that it stays in cache.
    fn finish_schedule(&mut self) {
        let kernel = &mut self.kernel;
        let count = kernel.links.len();
        let has_pairs = !kernel.pairs.is_empty();
        kernel.keeps_centers = has_pairs || !kernel.boxes.is_empty();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (i, link) in kernel.links.iter().enumerate().filter(|(_, l)| l.parent != NO_LINK) {
            children[link.parent].push(i);
        }
        let mut base = 0;
        for tree in 0..kernel.trees.len() {
            let members = || (0..count).filter(|&i| kernel.links[i].tree == tree);
            let deepest = members().map(|i| self.depth[i]).max().unwrap_or(0);
            for i in members().collect::<Vec<_>>() {
                kernel.links[i].slot = base + self.depth[i];
            }
            base += deepest + 1;
        }
        kernel.slot_count = base;
        kernel.motion_slot_count = if has_pairs { count } else { base };
        for i in 0..count {
            let parent = kernel.links[i].parent;
            let begins_segment = parent == NO_LINK || children[parent].len() > 1;
            let segment = if begins_segment {
                let carrier =
                    if parent == NO_LINK { kernel.segment_parents.len() } else { kernel.links[parent].segment };
                kernel.segment_parents.push(carrier);
                kernel.segment_parents.len() - 1
            } else {
                kernel.links[parent].segment
            };
            let link = &mut kernel.links[i];
            link.segment = segment;
            link.is_leaf = children[i].is_empty();
            link.motion_slot = if has_pairs { i } else { link.slot };
            if parent != NO_LINK {
                kernel.links[i].parent_slot = kernel.links[parent].slot;
                kernel.links[i].parent_motion_slot = kernel.links[parent].motion_slot;
            }
        }
        for (link, children) in children.iter().enumerate() {
            let first = kernel.child_segments.len();
            for &child in children {
                kernel.child_segments.push(kernel.links[child].segment);
            }
            kernel.links[link].children = first..kernel.child_segments.len();
            if let Some(&child) = children.first() {
                // Links stand in depth-first order, and the way outwards counts on it.
                debug_assert_eq!(child, link + 1);
                kernel.links[child].carrier = Some(link);
            }
        }
        let mut open: Vec<usize> = Vec::new();
        for i in 0..count {
            while let Some(top) = open.pop_if(|top| *top != kernel.links[i].parent) {
                kernel.schedule.push(Op::Backward(top as u32));
            }
            kernel.schedule.push(Op::Forward(i as u32));
            open.push(i);
        }
        while let Some(i) = open.pop() {
            kernel.schedule.push(Op::Backward(i as u32));
        }
        if has_pairs {
            // Pairs need everybody's place first: all the way out, then all the way in, in the same order as before.
            let (out, back): (Vec<Op>, Vec<Op>) = kernel.schedule.iter().partition(|op| matches!(op, Op::Forward(_)));
            kernel.schedule = [out, vec![Op::Pairs], back].concat();
        }
    }
}

fn surface(s: &Surface) -> SurfaceConst<f64> {
    SurfaceConst { friction: s.friction, restitution: s.restitution }
}

fn static_box(b: &crate::scene::StaticBox) -> kernel::BoxConst<f64> {
    kernel::BoxConst {
        center: b.center,
        columns: rotation::matrix(b.orientation),
        half: b.half_extents,
        surface: surface(&b.surface),
    }
}

/// Ends of a capsule, centre of a sphere, corners of a box.
fn contact_points(shape: &LinkShape<f64>) -> Vec<kernel::ContactPoint<f64>> {
    let point = |position, radius| kernel::ContactPoint { position, radius };
    match *shape {
        LinkShape::Segment { from, radius, is_sphere: true, .. } => vec![point(from, radius)],
        LinkShape::Segment { from, to, radius, .. } => vec![point(from, radius), point(to, radius)],
        LinkShape::Box { center, columns, half } => (0..8)
            .map(|k| {
                let pick = |bit: usize| if k >> bit & 1 == 1 { half[bit] } else { -half[bit] };
                point(rotation::add(center, rotation::apply(&columns, [pick(0), pick(1), pick(2)])), 0.0)
            })
            .collect(),
    }
}

/// The cheapest exact form of an inertia.
fn classify(mass: &MassProperties) -> Inertia<f64> {
    let (moments, axes) = rotation::eigen(&mass.inertia);
    let scale = moments.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    let equal = |i: usize, j: usize| (moments[i] - moments[j]).abs() <= 1e-9 * scale;
    let c = mass.center_of_mass;
    let odd = match (equal(0, 1), equal(1, 2), equal(0, 2)) {
        (true, true, _) | (true, _, true) => return Inertia::AlongCenter { transverse: moments[0], slope: 0.0 },
        (true, ..) => 2,
        (_, true, _) => 0,
        (.., true) => 1,
        _ => return Inertia::General(mass.inertia),
    };
    let (axis, transverse) = (axes[odd], moments[(odd + 1) % 3]);
    let slope = moments[odd] - transverse;
    let reach = rotation::length(c);
    if reach > 1e-6 && (rotation::dot(axis, c).abs() - reach).abs() <= 1e-9 * reach {
        Inertia::AlongCenter { transverse, slope: slope / (reach * reach) }
    } else {
        Inertia::Axis { axis, transverse, slope }
    }
}
