//! What is reported of a world, in closed form: momentum, energy, velocities of bodies and end effectors, and the work of friction.

use sinew_sim::{
    Batch, BatchOptions, Body, Character, EndEffector, Ground, Isa, Joint, JointKind, Measured, Model, Object,
    ObjectShape, Observation, Scene, Shape, Surface,
};
use std::sync::Arc;

const DT: f64 = 0.001;
const MASS: f64 = 3.0;
const HALF_EXTENTS: [f64; 3] = [0.1, 0.2, 0.05];

/// A box of 3 kg that stands on the ground, which has a friction.
fn block(friction: f64) -> Scene {
    let object = Object {
        name: "block".to_owned(),
        shape: ObjectShape::Box { half_extents: HALF_EXTENTS },
        mass: MASS,
        position: [0.0, 0.0, HALF_EXTENTS[2]],
        orientation: [1.0, 0.0, 0.0, 0.0],
    };
    let ground = Ground { height: 0.0, surface: Surface { friction, restitution: 0.0 } };
    Scene { ground: Some(ground), objects: vec![object], ..Scene::default() }
}

/// A trunk, a thigh on a hinge, a shin on a ball and a foot that is welded to it; masses have their own centres and inertias.
fn figure(root: JointKind) -> Scene {
    let body = |name: &str, mass: f64, center: [f64; 3], inertia: [f64; 6]| Body {
        name: name.to_owned(),
        mass,
        center_of_mass: Some(center),
        inertia: Some(inertia),
        shapes: vec![Shape::Sphere { center: [0.0; 3], radius: 0.01 }],
    };
    let turned = |axis: [f64; 3], angle: f64| {
        let s = libm::sin(0.5 * angle);
        [libm::cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2]]
    };
    let joint = |name: &str, kind: JointKind, parent: Option<&str>, position: [f64; 3], orientation: [f64; 4]| Joint {
        position,
        orientation,
        ..Joint::new(name, kind, parent, name)
    };
    let hinge = Joint {
        axis: Some([0.6, 0.0, 0.8]),
        armature: 0.3,
        ..joint("thigh", JointKind::Hinge, Some("trunk"), [0.1, 0.2, -0.3], turned([0.0, 0.6, 0.8], 0.5))
    };
    let effector = |name: &str, body: &str, position: [f64; 3]| EndEffector {
        name: name.to_owned(),
        body: body.to_owned(),
        position,
    };
    Scene::floating(Character {
        name: "figure".to_owned(),
        bodies: vec![
            body("trunk", 5.0, [0.01, -0.02, 0.03], [0.5, 0.6, 0.7, 0.01, -0.02, 0.03]),
            body("thigh", 2.0, [0.1, 0.0, -0.2], [0.05, 0.06, 0.02, 0.0, 0.01, 0.0]),
            body("shin", 1.0, [0.0, 0.1, -0.1], [0.03, 0.02, 0.02, 0.002, 0.0, 0.0]),
            body("foot", 0.5, [0.05, 0.0, 0.0], [0.002, 0.003, 0.004, 0.0, 0.0, 0.0]),
        ],
        joints: vec![
            joint("trunk", root, None, [0.3, 0.4, 2.0], turned([0.0, 1.0, 0.0], 0.3)),
            hinge,
            joint("shin", JointKind::Ball, Some("thigh"), [0.05, 0.0, -0.4], turned([1.0, 0.0, 0.0], -0.4)),
            joint("foot", JointKind::Weld, Some("shin"), [0.0, 0.02, -0.3], turned([0.0, 0.0, 1.0], 0.7)),
        ],
        end_effectors: vec![effector("toe", "foot", [0.1, 0.01, 0.0]), effector("head", "trunk", [0.0, 0.1, 0.5])],
        collide: Vec::new(),
        origin: None,
    })
}

/// A model, a position away from rest, and a velocity.
fn state(root: JointKind) -> (Arc<Model>, Vec<f64>, Vec<f64>) {
    let model = Arc::new(Model::new(&figure(root), DT).expect("a valid scene"));
    let way: Vec<f64> = (0..model.velocity_count()).map(|k| 0.4 * libm::sin(1.0 + 2.0 * k as f64)).collect();
    let mut position = model.rest_position().to_vec();
    model.displace(&position.clone(), &way, 1.0, &mut position);
    let velocity = (0..model.velocity_count()).map(|k| 1.5 * libm::cos(3.0 * k as f64)).collect();
    (model, position, velocity)
}

const ROOTS: [JointKind; 3] = [JointKind::Free, JointKind::Planar, JointKind::Fixed];
/// A moment too short for the velocity to change, s.
const MOMENT: f64 = 1e-6;

fn moved(model: &Model, position: &[f64], velocity: &[f64], secs: f64) -> Measured {
    let mut later = position.to_vec();
    model.displace(position, velocity, secs, &mut later);
    Measured::new(model, &later, velocity, [0.0, 0.0, -9.81])
}

fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| a[k] + b[k])
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn scale(a: [f64; 3], s: f64) -> [f64; 3] {
    a.map(|x| s * x)
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[track_caller]
fn near(found: [f64; 3], expected: [f64; 3], bound: f64) {
    assert!((0..3).all(|k| (found[k] - expected[k]).abs() <= bound), "{found:?} instead of {expected:?}");
}

#[test]
fn velocities_are_the_rates_of_positions() {
    for root in ROOTS {
        let (model, q, v) = state(root);
        let [before, now, after] = [-MOMENT, 0.0, MOMENT].map(|secs| moved(&model, &q, &v, secs));
        let rate = |of: &dyn Fn(&Measured) -> [f64; 3]| scale(sub(of(&after), of(&before)), 0.5 / MOMENT);
        for (index, body) in now.bodies.iter().enumerate() {
            near(body.velocity, rate(&|m| m.bodies[index].position), 1e-7);
            // Points that are fixed to the body move by ω×r: three of them say all of ω.
            for point in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
                let arm = sub(body.place(point), body.position);
                near(
                    add(body.velocity, cross(body.angular_velocity, arm)),
                    rate(&|m| m.bodies[index].place(point)),
                    1e-7,
                );
            }
        }
        let moves: f64 = model.total_mass();
        near(
            scale(now.linear_momentum, 1.0 / moves.max(1.0)),
            scale(rate(&|m| m.center_of_mass), moves / moves.max(1.0)),
            1e-7,
        );
        // As worlds are observed, with the velocities of end effectors.
        let mut batch =
            Batch::new(&model, 1, BatchOptions { isa: Some(Isa::Reference64), threads: 1 }).expect("a world");
        batch.world_mut(0).set_position(&q);
        batch.world_mut(0).set_velocity(&v);
        batch.observe();
        let mut seen = vec![0.0; model.observation_count()];
        batch.world(0).read_observation(&mut seen);
        let seen = Observation::new(&seen);
        near(seen.center(), now.center_of_mass, 1e-12);
        near(seen.center_velocity(), rate(&|m| m.center_of_mass), 1e-7);
        for e in 0..2 {
            near(seen.effector(e), now.end_effectors[e], 1e-12);
            near(seen.effector_velocity(e), rate(&|m| m.end_effectors[e]), 1e-7);
        }
        near(now.end_effectors[1], now.bodies[0].place([0.0, 0.1, 0.5]), 1e-12);
    }
}

/// Inertia `[xx, yy, zz, xy, xz, yz]` times a vector.
fn inertia_times([xx, yy, zz, xy, xz, yz]: [f64; 6], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z]
}

#[test]
fn momentum_and_energy_are_the_sums_over_bodies() {
    for root in ROOTS {
        let (model, q, v) = state(root);
        let found = moved(&model, &q, &v, 0.0);
        let scene = figure(root);
        let bodies = &scene.characters[0].character.bodies;
        let (mut mass, mut first, mut momentum, mut spin) = (0.0, [0.0; 3], [0.0; 3], [0.0; 3]);
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for (body, motion) in bodies.iter().zip(&found.bodies) {
            let center = motion.place(body.center_of_mass.expect("given"));
            near(motion.center_of_mass, center, 1e-12);
            // What stands still counts for nothing.
            if root == JointKind::Fixed && body.name == "trunk" {
                continue;
            }
            let velocity = add(motion.velocity, cross(motion.angular_velocity, sub(center, motion.position)));
            // ω in the body's axes, I·ω there, and back.
            let axes =
                [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|e| sub(motion.place(e), motion.position));
            let own = axes.map(|axis| dot(axis, motion.angular_velocity));
            let turns = inertia_times(body.inertia.expect("given"), own);
            let spins = (0..3).fold([0.0; 3], |sum, k| add(sum, scale(axes[k], turns[k])));
            mass += body.mass;
            first = add(first, scale(center, body.mass));
            momentum = add(momentum, scale(velocity, body.mass));
            spin = add(spin, add(spins, cross(center, scale(velocity, body.mass))));
            kinetic += 0.5 * (body.mass * dot(velocity, velocity) + dot(motion.angular_velocity, spins));
            potential += 9.81 * body.mass * center[2];
        }
        let center = scale(first, 1.0 / mass);
        let hinge = model.joints().iter().find(|j| j.kind == JointKind::Hinge).expect("a hinge").velocity_index;
        kinetic += 0.5 * 0.3 * v[hinge] * v[hinge];
        near(found.center_of_mass, center, 1e-12);
        near(found.linear_momentum, momentum, 1e-12);
        near(found.angular_momentum, sub(spin, cross(center, momentum)), 1e-12);
        assert!((found.kinetic_energy - kinetic).abs() < 1e-12, "{} instead of {kinetic}", found.kinetic_energy);
        assert!(
            (found.potential_energy - potential).abs() < 1e-12,
            "{} instead of {potential}",
            found.potential_energy
        );
        assert!((found.energy() - kinetic - potential).abs() < 1e-12);
        assert!((model.total_mass() - mass).abs() < 1e-12);
    }
}

#[test]
fn a_box_that_flies_and_spins_has_the_momentum_of_the_textbook() {
    let model = Model::new(&block(0.0), DT).expect("a valid scene");
    // On its side: its z is the world's y. It spins about its own x and y.
    let h = std::f64::consts::FRAC_1_SQRT_2;
    let position = [1.0, 2.0, 3.0, h, -h, 0.0, 0.0];
    let velocity = [0.5, -1.0, 2.0, 3.0, 4.0, 0.0];
    let found = Measured::new(&model, &position, &velocity, [0.0, 0.0, -9.81]);
    near(found.linear_momentum, [1.5, -3.0, 6.0], 1e-12);
    let [a, b, c] = HALF_EXTENTS.map(|x| x * x);
    let (ix, iy) = (MASS / 3.0 * (b + c), MASS / 3.0 * (a + c));
    near(found.angular_momentum, [3.0 * ix, 0.0, -4.0 * iy], 1e-12);
    let kinetic = 0.5 * MASS * 5.25 + 0.5 * (ix * 9.0 + iy * 16.0);
    assert!(
        (found.kinetic_energy - kinetic).abs() < 1e-12 && (found.potential_energy - MASS * 9.81 * 3.0).abs() < 1e-12
    );
}

/// Speed, way, and friction's work after so many steps of a block that starts with a velocity.
fn slid(friction: f64, velocity: [f64; 3], steps: usize, isa: Isa) -> (f64, f64, f64) {
    let model = Arc::new(Model::new(&block(friction), DT).expect("a valid scene"));
    let mut batch = Batch::new(&model, 1, BatchOptions { isa: Some(isa), threads: 1 }).expect("a world");
    let mut settled = sinew_sim::Snapshot::default();
    batch.step(500);
    batch.world(0).save(&mut settled);
    batch.world_mut(0).restore(&settled);
    assert_eq!(batch.world(0).friction_work(), 0.0, "counted from where the state was restored");
    let before = batch.world(0).position();
    let mut speeds = batch.world(0).velocity();
    speeds[..3].copy_from_slice(&velocity);
    batch.world_mut(0).set_velocity(&speeds);
    batch.step(steps);
    let (world, mut level) = (batch.world(0), [0.0; 2]);
    let (position, v) = (world.position(), world.velocity());
    (0..2).for_each(|k| level[k] = position[k] - before[k]);
    let length = |[x, y]: [f64; 2]| (x * x + y * y).sqrt();
    (length([v[0], v[1]]), length(level), world.friction_work())
}

#[test]
fn friction_takes_what_a_block_loses_on_its_way() {
    for isa in [Isa::Reference64, Isa::detect()] {
        for (friction, velocity) in [(0.5, [2.0_f64, 0.0, 0.0]), (0.3, [-0.9, 1.2, 0.0])] {
            let speed = (velocity[0] * velocity[0] + velocity[1] * velocity[1]).sqrt();
            // Half a second: v = v₀ − μ·g·t, or it has come to rest after v₀²/(2·μ·g).
            let (left, way, work) = slid(friction, velocity, 200, isa);
            let expected = speed - friction * 9.81 * 0.2;
            assert!((left - expected).abs() < 0.02 * speed, "{left} m/s instead of {expected}");
            let taken = friction * MASS * 9.81 * way;
            assert!((work - taken).abs() < 0.02 * taken, "{work} J instead of μ·m·g·d = {taken} J");
            let lost = 0.5 * MASS * (speed * speed - left * left);
            assert!((work - lost).abs() < 0.02 * lost, "{work} J instead of {lost} J of motion");
            let (left, way, work) = slid(friction, velocity, 2000, isa);
            let (stops, energy) = (speed * speed / (2.0 * friction * 9.81), 0.5 * MASS * speed * speed);
            assert!(left < 1e-2 && (way - stops).abs() < 0.03 * stops, "{way} m instead of {stops} m");
            assert!((work - energy).abs() < 0.03 * energy, "{work} J instead of {energy} J");
        }
        let (left, way, work) = slid(0.0, [2.0, 0.0, 0.0], 200, isa);
        assert!((left - 2.0).abs() < 1e-3 && (way - 0.4).abs() < 1e-3 && work.abs() < 1e-3, "ice: {left} {way} {work}");
        let (_, _, work) = slid(0.8, [0.0; 3], 500, isa);
        assert!(work.abs() < 1e-3, "who stands does not slide: {work} J");
    }
}
