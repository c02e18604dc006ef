//! Characters, gains, forces and starts that nobody should ask for: nothing panics, nothing leaks into neighbours, and
//! what is passive does not gain energy.

use crate::worlds::{Random, state};
use proptest::prelude::*;
use sinew_sim::{
    Batch, BatchOptions, Body, Character, Ground, Isa, Joint, JointKind, Model, Object, ObjectShape, PlacedCharacter,
    Scene, Shape, StaticBox, Status, Surface,
};
use std::sync::Arc;

/// Knobs of a random scene; everything else follows from the seed.
#[derive(Clone, Copy, Debug)]
struct Knobs {
    seed: u64,
    bodies: usize,
    /// Masses lie within a factor of 10 to this power.
    mass_decades: f64,
    /// Largest kp is 10 to this power, N·m/rad.
    gain_decades: f64,
    has_torque_limits: bool,
    has_limits: bool,
    /// Boxes, objects, a second character and pairs.
    is_crowded: bool,
    dt: f64,
}

fn knobs() -> impl Strategy<Value = Knobs> {
    let sizes = (any::<u64>(), 1usize..9, 0.0..4.0, 0.0..5.0);
    (sizes, any::<[bool; 3]>(), 0.0005..1.0 / 240.0).prop_map(|((seed, bodies, mass_decades, gain_decades), b, dt)| {
        Knobs {
            seed,
            bodies,
            mass_decades,
            gain_decades,
            has_torque_limits: b[0],
            has_limits: b[1],
            is_crowded: b[2],
            dt,
        }
    })
}

fn shape(random: &mut Random) -> Shape {
    match random.below(3) {
        0 => Shape::Sphere { center: random.vector(0.1), radius: random.between(0.02, 0.15) },
        1 => {
            let from = random.vector(0.1);
            let along = random.vector(0.3);
            let to = std::array::from_fn(|i| from[i] + along[i] + 0.01);
            Shape::Capsule { from, to, radius: random.between(0.02, 0.1) }
        }
        _ => Shape::Box {
            center: random.vector(0.1),
            half_extents: std::array::from_fn(|_| random.between(0.02, 0.15)),
            orientation: random.turn(3.0),
        },
    }
}

fn character(knobs: &Knobs, name: &str, random: &mut Random) -> Character {
    let (mut bodies, mut joints) = (Vec::new(), Vec::new());
    for i in 0..knobs.bodies {
        let mass = 10f64.powf(random.between(-knobs.mass_decades / 2.0, knobs.mass_decades / 2.0));
        let shapes = (0..1 + random.below(2)).map(|_| shape(random)).collect();
        bodies.push(Body { name: format!("b{i}"), mass, center_of_mass: None, inertia: None, shapes });
        let kind = match (i, random.below(10)) {
            (0, 0..=6) => JointKind::Free,
            (0, 7..=8) => JointKind::Planar,
            (0, _) => JointKind::Fixed,
            (_, 0..=4) => JointKind::Hinge,
            (_, 5..=8) => JointKind::Ball,
            _ => JointKind::Weld,
        };
        let is_driven = matches!(kind, JointKind::Hinge | JointKind::Ball);
        let axis = match random.below(4) {
            3 => random.vector(1.0).map(|x| x + 0.01),
            k => std::array::from_fn(|i| (i == k) as u8 as f64),
        };
        let kp = 10f64.powf(random.between(-1.0, knobs.gain_decades));
        let kd = kp * 10f64.powf(random.between(-3.0, -0.5));
        let limits = match kind {
            JointKind::Hinge => [random.between(-2.0, 0.3), random.between(0.4, 2.0)],
            _ => [0.0, random.between(0.1, 3.0)],
        };
        let position = if i == 0 { [0.0, 0.0, random.between(-0.1, 0.8)] } else { random.vector(0.3) };
        joints.push(Joint {
            name: format!("j{i}"),
            kind,
            parent: (i > 0).then(|| format!("b{}", random.below(i))),
            child: format!("b{i}"),
            position,
            orientation: if random.chance(0.5) { [1.0, 0.0, 0.0, 0.0] } else { random.turn(3.0) },
            axis: (kind == JointKind::Hinge).then_some(axis),
            limits: (is_driven && knobs.has_limits && random.chance(0.7)).then_some(limits),
            kp: if is_driven { kp } else { 0.0 },
            kd: if is_driven { kd } else { 0.0 },
            torque_limit: (is_driven && knobs.has_torque_limits).then(|| 10f64.powf(random.between(-1.0, 4.0))),
            armature: if is_driven && random.chance(0.3) { random.between(0.0, 0.1) } else { 0.0 },
        });
    }
    Character { name: name.into(), bodies, joints, end_effectors: Vec::new(), collide: Vec::new(), origin: None }
}

fn scene(knobs: &Knobs) -> Scene {
    let mut random = Random(knobs.seed);
    let mut surface = || Surface { friction: random.between(0.0, 1.5), restitution: random.between(0.0, 1.0) };
    let (on_ground, on_boxes, between_bodies) = (surface(), surface(), surface());
    let mut scene = Scene::floating(character(knobs, "one", &mut random));
    scene.ground = random.chance(0.9).then_some(Ground { height: 0.0, surface: on_ground });
    scene.between_bodies = between_bodies;
    if knobs.is_crowded {
        let character = character(&Knobs { bodies: knobs.bodies.min(3), ..*knobs }, "two", &mut random);
        scene.characters.push(PlacedCharacter {
            character,
            offset: random.vector(0.3),
            heading: random.between(-3.0, 3.0),
        });
        for i in 0..random.below(3) {
            scene.boxes.push(StaticBox {
                name: format!("box{i}"),
                center: random.vector(0.5),
                half_extents: std::array::from_fn(|_| random.between(0.05, 0.4)),
                orientation: random.turn(1.0),
                surface: on_boxes,
            });
        }
        for (name, shape) in [
            ("ball", ObjectShape::Ball { radius: random.between(0.03, 0.2) }),
            ("crate", ObjectShape::Box { half_extents: std::array::from_fn(|_| random.between(0.03, 0.2)) }),
        ] {
            let mass = 10f64.powf(random.between(-knobs.mass_decades / 2.0, knobs.mass_decades / 2.0));
            let mut position = random.vector(0.4);
            position[2] += 0.4;
            scene.objects.push(Object { name: name.into(), shape, mass, position, orientation: random.turn(3.0) });
        }
        for [a, b] in [["one", "two"], ["ball", "one"], ["crate", "one"], ["ball", "crate"]] {
            if random.chance(0.7) {
                scene.collide.push([a.to_owned(), b.to_owned()]);
            }
        }
    }
    scene
}

fn compile(scene: &Scene, dt: f64) -> Arc<Model> {
    Arc::new(Model::new(scene, dt).unwrap_or_else(|e| panic!("the generator makes valid scenes: {e}")))
}

fn batch(model: &Arc<Model>, worlds: usize) -> Batch {
    Batch::new(model, worlds, BatchOptions { isa: Some(Isa::detect()), threads: 1 }).expect("a batch")
}

/// A start that world `w` of a scene gets: pose, speed, targets, forces.
fn torment(batch: &mut Batch, world: usize, seed: u64) {
    let model = batch.model().clone();
    let mut random = Random(seed);
    let spin = 10f64.powf(random.between(-1.0, 2.0));
    let mut q = model.rest_position().to_vec();
    let mut target = q.clone();
    for joint in model.joints() {
        let i = joint.position_index;
        match joint.kind {
            JointKind::Hinge => (q[i], target[i]) = (random.between(-1.5, 1.5), random.between(-3.0, 3.0)),
            JointKind::Ball => {
                q[i..i + 4].copy_from_slice(&random.turn(2.0));
                target[i..i + 4].copy_from_slice(&random.turn(3.0));
            }
            JointKind::Free => q[i + 3..i + 7].copy_from_slice(&random.turn(3.0)),
            _ => {}
        }
    }
    let v: Vec<f64> = (0..model.velocity_count()).map(|_| random.between(-spin, spin)).collect();
    let mut world = batch.world_mut(world);
    world.set_position(&q);
    world.set_velocity(&v);
    world.set_target(&target);
    for _ in 0..random.below(3) {
        let body = random.below(model.bodies().len());
        let size = 10f64.powf(random.between(0.0, 5.0));
        let center = world.as_world().measure().bodies[body].center_of_mass;
        world.add_force(body, random.vector(size), center);
        world.add_torque(body, random.vector(size * 0.1));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// One second of anything: a world runs on with finite numbers, or has diverged and stands still with finite numbers.
    #[test]
    fn nothing_panics_and_nothing_leaks(knobs in knobs()) {
        let scene = scene(&knobs);
        let model = compile(&scene, knobs.dt);
        let mut crowd = batch(&model, 7);
        let mut alone = batch(&model, 1);
        (0..7).for_each(|w| torment(&mut crowd, w, knobs.seed ^ w as u64));
        torment(&mut alone, 0, knobs.seed ^ 3);
        let steps = (1.0 / knobs.dt) as usize;
        crowd.step(steps);
        alone.step(steps);
        for w in 0..7 {
            let world = crowd.world(w);
            let numbers = [world.position(), world.velocity(), world.torques(), world.stop_torques()].concat();
            prop_assert!(numbers.iter().all(|x| x.is_finite()), "world {w}, {:?}: {numbers:?}", world.status());
            let forces = world.contacts().into_iter().flat_map(|c| [c.force, c.point, c.normal].concat());
            prop_assert!(forces.into_iter().all(|x| x.is_finite()), "world {w}");
            prop_assert!(world.measure().energy().is_finite());
            match world.status() {
                Status::Diverged { step, joint } => {
                    prop_assert_eq!(step, world.steps());
                    prop_assert!(!joint.is_empty() && world.velocity().iter().all(|v| *v == 0.0));
                }
                status => prop_assert_eq!((status, world.steps()), (Status::Running, steps as u64)),
            }
        }
        prop_assert!(state(crowd.world(3)) == state(alone.world(0)), "the neighbours leave a trace");
        prop_assert_eq!(crowd.world(3).status(), alone.world(0).status());
    }
}

/// Largest growth of energy over one second, and what it may be measured by.
struct Growth {
    gained: f64,
    /// Kinetic energy at the start.
    kinetic: f64,
    /// Most that gravity gave, to the lowest place of the centre of mass.
    fallen: f64,
    /// What a fall from the start to the ground sets free.
    fall: f64,
    diverged: bool,
}

/// Sets a limp world going with joint speeds up to `spin` and watches its energy.
fn watch(model: &Arc<Model>, seed: u64, spin: f64) -> Growth {
    let mut batch = batch(model, 1);
    torment(&mut batch, 0, seed);
    let mut random = Random(seed ^ 99);
    let v: Vec<f64> = (0..model.velocity_count()).map(|_| random.between(-spin, spin)).collect();
    let mut world = batch.world_mut(0);
    world.clear_forces();
    world.set_gain(0.0);
    world.set_velocity(&v);
    let start = batch.world(0).measure();
    let (mut gained, mut fallen) = (0.0f64, 0.0f64);
    let steps = (1.0 / model.dt()) as usize;
    for _ in 0..steps / 8 {
        batch.step(8);
        let now = batch.world(0).measure();
        gained = gained.max(now.energy() - start.energy());
        fallen = fallen.max(start.potential_energy - now.potential_energy);
    }
    let diverged = batch.world(0).status() != Status::Running;
    let fall = 9.81 * model.total_mass() * start.center_of_mass[2].max(0.0);
    Growth { gained, kinetic: start.kinetic_energy, fallen, fall, diverged }
}

fn passive(seed: u64, mass_decades: f64, has_limits: bool, is_crowded: bool) -> Knobs {
    let bodies = 1 + Random(seed * 77 + 5).below(8);
    Knobs { seed, bodies, mass_decades, gain_decades: 2.0, has_torque_limits: false, has_limits, is_crowded, dt: 0.002 }
}

/// Random trees for each range of masses.
const SEEDS: u64 = 1000;

/// Trees in free fall or hanging, joints at up to 3 rad/s, steps of 2 ms, masses within a factor of 10⁴: what explicit Coriolis forces add in a
/// second stays below what motion and fall had to give, and in most trees is nothing. Over 6,000 trees for each range of masses the largest share is 0.95.
#[test]
fn trees_that_fall_slowly_gain_little_energy() {
    let mut shares: Vec<f64> = Vec::new();
    for decades in [0.0, 2.0, 4.0] {
        for seed in 0..SEEDS {
            let mut scene = scene(&passive(seed, decades, false, false));
            scene.ground = None;
            let growth = watch(&compile(&scene, 0.002), seed, 3.0);
            let share = growth.gained / (growth.kinetic + growth.fallen).max(1e-9);
            assert!(!growth.diverged && share < 1.0, "seed {seed}, {decades} decades: {share}");
            shares.push(share);
        }
    }
    shares.sort_by(f64::total_cmp);
    println!("LAW free fall: largest share gained {:.3}", shares[shares.len() - 1]);
    assert!(shares[shares.len() / 2] < 1e-4, "median {}", shares[shares.len() / 2]);
}

/// The same trees dropped onto the ground or started inside it gain at most twice what they had at hand (their motion and their fall) and what
/// lifting them out takes, weight times depth, for masses within a factor of 10⁴. Over 8,000 trees for each range of masses none gains more; rare
/// trees among more seeds gain many times that (see the known limits).
#[test]
fn trees_on_and_in_the_ground_gain_little_more_than_it_takes_to_lift_them_out() {
    let mut most = 0.0f64;
    for decades in [0.0, 2.0, 4.0] {
        for seed in 0..SEEDS {
            let model = compile(&scene(&passive(seed, decades, false, false)), 0.002);
            let lift = 9.81 * model.total_mass() * depth(&model, seed);
            let growth = watch(&model, seed, 3.0);
            let share = growth.gained / (growth.kinetic + growth.fall + lift).max(1e-9);
            assert!(!growth.diverged && share < 2.0, "seed {seed}, {decades} decades: {share}");
            most = most.max(share);
        }
    }
    println!("LAW on the ground: largest share gained {most:.3}");
}

/// How deep the lowest point of the start that `watch` sets up lies in the ground, at most, m.
fn depth(model: &Arc<Model>, seed: u64) -> f64 {
    let mut batch = batch(model, 1);
    torment(&mut batch, 0, seed);
    let measured = batch.world(0).measure();
    let mut lowest = 0.0f64;
    for (body, motion) in model.bodies().iter().zip(&measured.bodies) {
        for shape in &body.shapes {
            let low = match shape {
                Shape::Capsule { from, to, radius } => motion.place(*from)[2].min(motion.place(*to)[2]) - radius,
                Shape::Sphere { center, radius } => motion.place(*center)[2] - radius,
                Shape::Box { center, half_extents, .. } => {
                    motion.place(*center)[2] - half_extents.iter().map(|h| h * h).sum::<f64>().sqrt()
                }
            };
            lowest = lowest.min(low);
        }
    }
    -lowest
}

/// A light limb set spinning at 100 rad/s, a fifth of a radian in a step: friction brings it down to the tame speed, takes energy in each step, and
/// leaves momentum alone; slowing the limb by itself would cost 1 kg·m/s.
#[test]
fn a_joint_that_spins_too_fast_is_braked_without_changing_momentum() {
    let ball = |name: &str, mass: f64, x: f64| Body {
        name: name.into(),
        mass,
        center_of_mass: None,
        inertia: None,
        shapes: vec![Shape::Sphere { center: [x, 0.0, 0.0], radius: 0.1 }],
    };
    let mut character = sinew_sim::embedded::dinosaur();
    let mut hinge = character.joints.iter().find(|j| j.kind == JointKind::Hinge).expect("a hinge").clone();
    let mut root = character.joints.iter().find(|j| j.kind == JointKind::Free).expect("a root").clone();
    (root.child, hinge.parent, hinge.child) = ("trunk".into(), Some("trunk".into()), "limb".into());
    (hinge.position, hinge.axis, hinge.limits) = ([0.3, 0.0, 0.0], Some([0.0, 1.0, 0.0]), None);
    character.bodies = vec![ball("trunk", 10.0, 0.0), ball("limb", 0.1, 0.2)];
    character.joints = vec![root, hinge];
    (character.end_effectors, character.collide) = (Vec::new(), Vec::new());
    let mut scene = Scene::floating(character);
    scene.ground = None;
    scene.gravity = [0.0; 3];
    let model = compile(&scene, 0.002);
    let mut batch = Batch::new(&model, 1, BatchOptions { isa: Some(Isa::Reference64), threads: 1 }).expect("a batch");
    batch.world_mut(0).set_gain(0.0);
    batch.world_mut(0).set_velocity(&[0.1, 0.2, 0.3, 1.0, 2.0, 0.5, 100.0]);
    let start = batch.world(0).measure();
    let mut energy = start.energy();
    batch.step(1);
    let braked = batch.world(0).measure();
    // The limb lies along x and turns about y: what the friction takes from it along z, the trunk must get.
    let changed = braked.linear_momentum[2] - start.linear_momentum[2];
    assert!(changed.abs() < 0.05, "{:?} after {:?}", braked.linear_momentum, start.linear_momentum);
    for _ in 0..20 {
        let now = batch.world(0).measure();
        assert!(now.energy() < energy * 1.005, "{} J after {energy} J", now.energy());
        energy = now.energy();
        batch.step(1);
    }
    let speed = batch.world(0).velocity()[6].abs();
    assert!(speed < 1.2 * 0.1 / 0.002, "still {speed} rad/s");
}

/// A limp figure that drops to the ground from where it stands has no more energy at any time than at the start.
fn collapse(figure: Character) {
    let model = compile(&Scene::on_ground(figure), 0.002);
    let mut batch = batch(&model, 1);
    batch.world_mut(0).set_gain(0.0);
    let start = batch.world(0).measure();
    for _ in 0..500 {
        batch.step(1);
        let gained = batch.world(0).measure().energy() - start.energy();
        assert!(gained < 1e-3 * start.potential_energy, "{gained} J at {} s", batch.world(0).time());
    }
    assert_eq!(batch.world(0).status(), Status::Running);
}

#[test]
fn a_limp_dinosaur_gains_no_energy() {
    collapse(sinew_sim::embedded::dinosaur());
}

#[test]
fn a_limp_humanoid_gains_no_energy() {
    collapse(sinew_sim::embedded::humanoid());
}

/// Limp, and thrashing under full PD, from disturbed starts: nothing diverges, and a limp figure gains no more than a fiftieth of what it had.
#[test]
fn figures_that_fall_and_thrash_do_not_diverge() {
    for figure in [sinew_sim::embedded::humanoid(), sinew_sim::embedded::dinosaur()] {
        let name = figure.name.clone();
        let model = compile(&Scene::on_ground(figure), 0.002);
        for gain in [0.0, 1.0] {
            let mut batch =
                Batch::new(&model, 64, BatchOptions { isa: Some(Isa::detect()), threads: 1 }).expect("a batch");
            batch.for_each_world(|index, world| {
                let swing = |k: usize| ((index * 131 + k * 71) % 97) as f64 / 48.5 - 1.0;
                let velocity: Vec<f64> =
                    (0..model.velocity_count()).map(|k| if k < 6 { 0.0 } else { swing(k) }).collect();
                world.set_velocity(&velocity);
                world.set_gain(gain);
            });
            let start = batch.world(0).measure().energy();
            let mut most = f64::NEG_INFINITY;
            for stretch in 0..20 {
                batch.for_each_world(|index, world| world.ramp_target(&bent(&model, index + 97 * stretch), 25));
                batch.step(25);
                for index in 0..batch.len() {
                    let world = batch.world(index);
                    assert_eq!(world.status(), Status::Running, "{name}, gain {gain}, world {index}");
                    let gained = world.measure().energy() - start;
                    most = most.max(gained);
                    assert!(
                        gain > 0.0 || gained < 0.02 * start,
                        "limp {name}, world {index}: {gained} J on top of {start} J"
                    );
                }
            }
            println!("LAW {name}, gain {gain}: gained at most {:.3} of its energy", most / start);
        }
    }
}

/// The rest pose with every joint bent by up to half a radian.
fn bent(model: &Model, seed: usize) -> Vec<f64> {
    let mut target = model.rest_position().to_vec();
    for (k, joint) in model.joints().iter().enumerate() {
        let (angle, q) = (((seed * 37 + k * 53) % 89) as f64 / 89.0 - 0.5, joint.position_index);
        match joint.kind {
            JointKind::Hinge => target[q] = angle,
            JointKind::Ball => target[q..q + 4].copy_from_slice(&[(angle / 2.0).cos(), 0.0, (angle / 2.0).sin(), 0.0]),
            _ => {}
        }
    }
    target
}
