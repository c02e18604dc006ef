//! Prints, as JSON, what the f64 simulator makes of the scenes that `scripts/compare_mujoco.py` holds against MuJoCo.

#[path = "../tests/golden_cases/mod.rs"]
mod golden_cases;

use golden_cases::random_scene::{self, Random};
use sinew_sim::mjcf::{MjcfOptions, to_mjcf};
use sinew_sim::{
    Batch, BatchOptions, Isa, JointInfo, JointKind, Model, Object, ObjectShape, Scene, WorldMut, embedded,
};
use std::sync::Arc;

/// States of each case.
const STATES: usize = 4;
/// Starts of each limp fall; odd, for the median.
const STARTS: usize = 21;
/// Step of everything with contact, s.
const DT: f64 = 0.002;

fn main() {
    let cases: Vec<String> = golden_cases::cases().iter().map(|(name, scene)| case(name, scene)).collect();
    let driven: Vec<String> =
        [embedded::dinosaur(), embedded::humanoid()].into_iter().map(|c| driven_motion(Scene::floating(c))).collect();
    let grounded: Vec<String> = [embedded::dinosaur(), embedded::humanoid()]
        .into_iter()
        .map(|character| on_the_ground(&Scene::on_ground(character)))
        .collect();
    println!(
        "{{\"cases\": {}, \"driven\": {}, \"grounded\": {}, \"friction\": {}}}",
        list(&cases),
        list(&driven),
        list(&grounded),
        friction()
    );
}

fn reference(scene: &Scene, dt: f64) -> Batch {
    let model = Arc::new(Model::new(scene, dt).expect("a valid scene"));
    Batch::new(&model, 1, BatchOptions { isa: Some(Isa::Reference64), threads: 1 }).expect("a batch of one")
}

/// Accelerations, energies and places in random states, M⁻¹ in the first of them, and half a second of limp motion.
fn case(name: &str, scene: &Scene) -> String {
    let mut batch = reference(scene, DT);
    batch.world_mut(0).set_gain(0.0);
    let model = batch.model().clone();
    let mut random = Random(name.len() as u64);
    let mut states = Vec::new();
    let mut inverse_mass = Vec::new();
    for state in 0..STATES {
        let q = random_scene::position(&mut random, &model, 3.0);
        let v = random_scene::velocity(&mut random, &model, 5.0);
        batch.world_mut(0).set_position(&q);
        batch.world_mut(0).set_velocity(&v);
        let acceleration = batch.accelerations(0);
        let measured = batch.world(0).measure();
        let places: Vec<String> = measured.bodies.iter().map(|b| numbers(&b.position)).collect();
        states.push(format!(
            "{{\"qpos\": {}, \"qvel\": {}, \"qacc\": {}, \"kinetic_energy\": {:?}, \"body_positions\": {}}}",
            numbers(&q),
            numbers(&v),
            numbers(&acceleration),
            measured.kinetic_energy,
            list(&places)
        ));
        if state == 0 {
            inverse_mass = responses(&mut batch, &acceleration);
        }
    }
    let start = (model.rest_position().to_vec(), random_scene::velocity(&mut random, &model, 1.0));
    let motions: Vec<String> = [1e-3, 2e-5].iter().map(|&dt| motion(scene, dt, 0.5, 0.0, &start)).collect();
    format!(
        "{{\"name\": {}, \"mjcf\": {}, \"states\": {}, \"inverse_mass\": {}, \"motions\": {}}}",
        text(name),
        text(&mjcf(scene)),
        list(&states),
        list(&inverse_mass),
        list(&motions)
    )
}

/// Columns of M⁻¹: what a unit of each generalised force adds to the accelerations.
fn responses(batch: &mut Batch, without: &[f64]) -> Vec<String> {
    let model = batch.model().clone();
    let mut columns = Vec::new();
    for joint in model.joints() {
        for k in 0..joint.kind.velocity_count() {
            push(&model, &mut batch.world_mut(0), joint, k);
            let column: Vec<f64> = batch.accelerations(0).iter().zip(without).map(|(a, b)| a - b).collect();
            batch.world_mut(0).clear_forces();
            columns.push(numbers(&column));
        }
    }
    columns
}

/// A unit of the joint's `k`-th generalised force, with its reaction on the parent.
fn push(model: &Model, world: &mut WorldMut, joint: &JointInfo, k: usize) {
    let scene = model.scene();
    let described = scene.characters.iter().find_map(|placed| {
        let name = joint.name.strip_prefix(&format!("{}/", placed.character.name))?;
        let joint = placed.character.joints.iter().find(|j| j.name == name)?;
        let body = |b: &str| model.body(&format!("{}/{b}", placed.character.name)).expect("a body of the model");
        Some((body(&joint.child), joint.parent.as_deref().map(body), joint.axis))
    });
    let (child, parent, axis) = described.unwrap_or_else(|| (model.body(&joint.name).expect("an object"), None, None));
    let motion = world.as_world().measure().bodies[child];
    let turned = |v: [f64; 3]| {
        let end = motion.place(v);
        [0, 1, 2].map(|i| end[i] - motion.position[i])
    };
    let unit = |i: usize| [0, 1, 2].map(|k| (i == k) as u8 as f64);
    let torque = match (joint.kind, k) {
        (JointKind::Free, 0..3) => return world.add_force(child, unit(k), motion.position),
        (JointKind::Planar, 0..2) => return world.add_force(child, unit(2 * k), motion.position),
        (JointKind::Planar, _) => unit(1),
        (JointKind::Free, _) => turned(unit(k - 3)),
        (JointKind::Ball, _) => turned(unit(k)),
        _ => {
            let axis = axis.expect("a hinge has an axis");
            let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
            turned(axis.map(|x| x / length))
        }
    };
    world.add_torque(child, torque);
    if let Some(parent) = parent {
        world.add_torque(parent, torque.map(|t| -t));
    }
}

/// So many seconds from a state, PD held at the rest pose with a gain.
fn motion(scene: &Scene, dt: f64, seconds: f64, gain: f64, (q, v): &(Vec<f64>, Vec<f64>)) -> String {
    let mut batch = reference(scene, dt);
    let mut world = batch.world_mut(0);
    world.set_gain(gain);
    world.set_position(q);
    world.set_velocity(v);
    let steps = (seconds / dt).round() as usize;
    batch.step(steps);
    let world = batch.world(0);
    format!(
        "{{\"dt\": {dt:?}, \"steps\": {steps}, \"start_qpos\": {}, \"start_qvel\": {}, \"qpos\": {}, \"qvel\": {}}}",
        numbers(q),
        numbers(v),
        numbers(&world.position()),
        numbers(&world.velocity())
    )
}

/// A character in the air that PD brings back to rest from a disturbance, seen half way.
fn driven_motion(scene: Scene) -> String {
    let model = Model::new(&scene, DT).expect("a valid scene");
    let velocity = random_scene::velocity(&mut Random(3), &model, 2.0);
    let start = (model.rest_position().to_vec(), velocity);
    format!(
        "{{\"name\": {}, \"mjcf\": {}, \"motion\": {}}}",
        text(&scene.characters[0].character.name),
        text(&mjcf(&scene)),
        motion(&scene, DT, 0.05, 1.0, &start)
    )
}

/// Height of the root after two seconds held by PD, and how fast a limp one sinks.
fn on_the_ground(scene: &Scene) -> String {
    let mut held = reference(scene, DT);
    held.step(1000);
    let mut without_stops = scene.clone();
    without_stops.characters[0].character.joints.iter_mut().for_each(|joint| joint.limits = None);
    format!(
        "{{\"name\": {}, \"mjcf\": {}, \"standing_height\": {:?}, \"time_to_buckle\": {:?}, \"time_to_fall\": {:?}, \
         \"mjcf_without_stops\": {}, \"time_to_fall_without_stops\": {:?}}}",
        text(&scene.characters[0].character.name),
        text(&mjcf(scene)),
        held.world(0).position()[2],
        time_to_sink(scene, 0.7),
        time_to_sink(scene, 0.5),
        text(&mjcf(&without_stops)),
        time_to_sink(&without_stops, 0.5)
    )
}

/// Time until the root of a limp character is at this part of its height, s: the median over disturbed starts.
fn time_to_sink(scene: &Scene, part: f64) -> f64 {
    let mut times: Vec<f64> = (0..STARTS).map(|start| time_from_start(scene, part, start)).collect();
    times.sort_by(f64::total_cmp);
    times[STARTS / 2]
}

/// The same from one start: every hinge is turned by up to a milliradian.
fn time_from_start(scene: &Scene, part: f64, start: usize) -> f64 {
    let mut limp = reference(scene, DT);
    limp.world_mut(0).set_gain(0.0);
    let model = limp.model().clone();
    let mut q = model.rest_position().to_vec();
    for joint in model.joints().iter().filter(|joint| joint.kind == JointKind::Hinge) {
        q[joint.position_index] += 1e-3 * ((37 * start + 101 * joint.position_index) as f64).sin();
    }
    limp.world_mut(0).set_position(&q);
    while limp.world(0).position()[2] > part * q[2] && limp.world(0).time() < 5.0 {
        limp.step(1);
    }
    limp.world(0).time()
}

/// Tangent of the steepest slope on which a flat box holds: it is slower than 2 cm/s after a second.
fn friction() -> String {
    let mut scene = Scene { ground: Some(Default::default()), ..Scene::default() };
    scene.objects.push(Object {
        name: "crate".into(),
        shape: ObjectShape::Box { half_extents: [0.2, 0.2, 0.05] },
        mass: 5.0,
        position: [0.0, 0.0, 0.05],
        orientation: [1.0, 0.0, 0.0, 0.0],
    });
    let holds = |slope: f64| {
        let mut batch = reference(&scene, DT);
        let angle = slope.atan();
        batch.world_mut(0).set_gravity([9.81 * angle.sin(), 0.0, -9.81 * angle.cos()]);
        batch.step(500);
        batch.world(0).velocity()[0] < 0.02
    };
    let (mut low, mut high) = (0.0, 2.0);
    while high - low > 1e-4 {
        let middle = 0.5 * (low + high);
        if holds(middle) { low = middle } else { high = middle }
    }
    format!("{{\"mjcf\": {}, \"steepest\": {low:?}}}", text(&mjcf(&scene)))
}

fn mjcf(scene: &Scene) -> String {
    to_mjcf(scene, &MjcfOptions { dt: DT })
}

fn list(items: &[String]) -> String {
    format!("[{}]", items.join(", "))
}

fn numbers(values: &[f64]) -> String {
    format!("{values:?}")
}

fn text(s: &str) -> String {
    format!("\"{}\"", s.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
