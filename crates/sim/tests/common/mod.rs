//! Small scenes, and the assertion that prints what it measured (`cargo test -- --nocapture` shows the table).

use sinew_sim::{
    Batch, BatchOptions, Body, Character, Ground, Isa, Joint, JointKind, Model, Object, ObjectShape, Scene, Shape,
    StaticBox, Surface, World,
};
use std::sync::Arc;

/// Standard gravity, m/s².
pub const G: f64 = 9.81;
pub const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// Double precision, and single in the fastest lanes of this CPU.
pub fn precisions() -> [Isa; 2] {
    [Isa::Reference64, Isa::detect()]
}

/// The first for f64, the second for f32.
pub fn by_precision<T>(isa: Isa, double: T, single: T) -> T {
    if isa == Isa::Reference64 { double } else { single }
}

/// `worlds` worlds of a scene on the calling thread.
pub fn batch(scene: &Scene, dt: f64, isa: Isa, worlds: usize) -> Batch {
    let model = Arc::new(Model::new(scene, dt).expect("a valid test scene"));
    Batch::new(&model, worlds, BatchOptions { isa: Some(isa), threads: 1 }).expect("an available instruction set")
}

/// Prints a measured value beside its bound, and fails when it is larger or not a number.
#[track_caller]
pub fn at_most(law: &str, isa: Isa, value: f64, bound: f64) {
    println!("LAW {law:<62} {:<12} {value:>12.3e}  bound {bound:.1e}", isa.name());
    assert!(value <= bound, "{law} ({}): {value:e} exceeds {bound:e}", isa.name());
}

/// `|value / expected − 1|`.
pub fn off(value: f64, expected: f64) -> f64 {
    (value / expected - 1.0).abs()
}

pub fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] + b[i])
}

pub fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

pub fn scale(a: [f64; 3], s: f64) -> [f64; 3] {
    a.map(|x| x * s)
}

pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

pub fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

/// Quaternion of a turn about a unit axis.
pub fn turn(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let [x, y, z] = scale(axis, (angle / 2.0).sin());
    [(angle / 2.0).cos(), x, y, z]
}

/// Angle of a unit quaternion, 0 to π.
pub fn angle_of(q: &[f64]) -> f64 {
    2.0 * length([q[1], q[2], q[3]]).atan2(q[0].abs())
}

/// Lowest point of all shapes of a body, m.
pub fn lowest(world: &World<'_>, b: &Batch, index: usize) -> f64 {
    let pose = world.measure().bodies[index];
    let mut low = f64::INFINITY;
    for shape in &b.model().bodies()[index].shapes {
        match shape {
            Shape::Capsule { from, to, radius } => {
                low = low.min(pose.place(*from)[2] - radius).min(pose.place(*to)[2] - radius);
            }
            Shape::Sphere { center, radius } => low = low.min(pose.place(*center)[2] - radius),
            Shape::Box { center, half_extents, .. } => {
                for k in 0..8 {
                    let corner =
                        std::array::from_fn(|i| center[i] + half_extents[i] * if k >> i & 1 == 1 { 1.0 } else { -1.0 });
                    low = low.min(pose.place(corner)[2]);
                }
            }
        }
    }
    low
}

/// A body of given mass properties and no shape.
pub fn body(name: &str, mass: f64, center_of_mass: [f64; 3], principal: [f64; 3]) -> Body {
    let [x, y, z] = principal;
    Body {
        name: name.into(),
        mass,
        center_of_mass: Some(center_of_mass),
        inertia: Some([x, y, z, 0.0, 0.0, 0.0]),
        shapes: Vec::new(),
    }
}

/// A body of one shape at uniform density.
pub fn solid(name: &str, mass: f64, shape: Shape) -> Body {
    Body { name: name.into(), mass, center_of_mass: None, inertia: None, shapes: vec![shape] }
}

/// A joint without drive and limits; a hinge turns about y.
pub fn joint(kind: JointKind, parent: Option<&str>, child: &str, position: [f64; 3]) -> Joint {
    let axis = (kind == JointKind::Hinge).then_some([0.0, 1.0, 0.0]);
    Joint { position, axis, ..Joint::new(format!("to_{child}"), kind, parent, child) }
}

pub fn character(bodies: Vec<Body>, joints: Vec<Joint>) -> Character {
    Character { name: "figure".into(), bodies, joints, end_effectors: Vec::new(), collide: Vec::new(), origin: None }
}

/// One body on one joint to a bolted post at the origin.
pub fn on_post(swinging: Body, drive: Joint) -> Character {
    let post = body("post", 1.0, [0.0; 3], [1.0; 3]);
    character(vec![post, swinging], vec![joint(JointKind::Fixed, None, "post", [0.0; 3]), drive])
}

pub fn ball(name: &str, radius: f64, mass: f64, position: [f64; 3]) -> Object {
    Object { name: name.into(), shape: ObjectShape::Ball { radius }, mass, position, orientation: IDENTITY }
}

pub fn block(name: &str, half_extents: [f64; 3], mass: f64, position: [f64; 3]) -> Object {
    Object { name: name.into(), shape: ObjectShape::Box { half_extents }, mass, position, orientation: IDENTITY }
}

pub fn ground(friction: f64, restitution: f64) -> Option<Ground> {
    Some(Ground { height: 0.0, surface: Surface { friction, restitution } })
}

/// A static box whose top face is centred at `top`.
pub fn platform(name: &str, top: [f64; 3], half_extents: [f64; 3], surface: Surface) -> StaticBox {
    let center = [top[0], top[1], top[2] - half_extents[2]];
    StaticBox { name: name.into(), center, half_extents, orientation: IDENTITY, surface }
}

/// Targets that throw every joint about: `amplitude` rad, between 1 and 3 Hz, each joint in its own phase.
pub fn thrashing(model: &Model, seed: usize, time: f64, amplitude: f64) -> Vec<f64> {
    let mut target = model.rest_position().to_vec();
    for j in model.joints() {
        let k = j.velocity_index * 13 + seed * 7;
        let frequency = 1.0 + 2.0 * (k % 101) as f64 / 101.0;
        let angle = amplitude * (std::f64::consts::TAU * frequency * time + (k % 97) as f64).sin();
        let at = j.position_index;
        match j.kind {
            JointKind::Hinge => target[at] = angle,
            JointKind::Ball => {
                let axis = scale([1.0, (k % 3) as f64, (k % 5) as f64 - 2.0], 1.0);
                target[at..at + 4].copy_from_slice(&turn(scale(axis, 1.0 / length(axis)), angle));
            }
            _ => {}
        }
    }
    target
}
