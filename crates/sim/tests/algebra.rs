//! The recursion against dense algebra: `dense` writes M and the bias force down from the description, and both must agree.

use crate::dense;
use crate::dense::random_scene::{self, Random};
use crate::dense::{Dense, multiply, relative_error, solve};
use sinew_sim::{Batch, BatchOptions, Isa, JointKind, Model, Scene, WorldMut, embedded};
use std::cell::Cell;
use std::sync::Arc;

const DT: f64 = 0.002;
/// Random scenes for each law, of 1 to 64 bodies.
const SCENES: u64 = 96;

/// A random scene in a random state, in f64.
struct Case {
    random: Random,
    dense: Dense,
    batch: Batch,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Case {
    /// `change` edits every joint before the scene is compiled.
    fn new(seed: u64, change: fn(&mut Random, &mut sinew_sim::Joint)) -> Case {
        let mut random = Random(seed.wrapping_mul(0x5851_F42D_4C95_7F2D) + 1);
        let count = 1 + (seed as usize * 63 / (SCENES as usize - 1)).min(63);
        let mut scene = random_scene::scene(&mut random, count);
        for placed in &mut scene.characters {
            for joint in &mut placed.character.joints {
                if matches!(joint.kind, JointKind::Hinge | JointKind::Ball) {
                    change(&mut random, joint);
                }
            }
        }
        let model = Arc::new(Model::new(&scene, DT).expect("a valid scene"));
        let mut batch = reference(&model);
        let q = random_scene::position(&mut random, &model, 3.0);
        let v = random_scene::velocity(&mut random, &model, 5.0);
        batch.world_mut(0).set_position(&q);
        batch.world_mut(0).set_velocity(&v);
        Case { dense: Dense::new(&scene), random, batch, q, v }
    }

    fn body(&self, name: &str) -> usize {
        self.batch.model().body(name).expect("a body of the scene")
    }

    /// Applies generalised forces through forces and torques on bodies, each with its reaction on the parent.
    fn apply(&mut self, forces: &[f64]) {
        let poses = self.dense.poses(&self.q, &self.v);
        for (index, body) in self.dense.bodies.iter().enumerate() {
            let force = &forces[body.v..body.v + body.joint.kind.velocity_count()];
            let child = self.batch.model().body(&body.name).expect("a body");
            let parent = body.parent.map(|p| self.batch.model().body(&self.dense.bodies[p].name).expect("a body"));
            let pose = &poses[index];
            let mut world: WorldMut = self.batch.world_mut(0);
            let torque = match body.joint.kind {
                JointKind::Free => {
                    world.add_force(child, [force[0], force[1], force[2]], pose.origin());
                    pose.to_world([force[3], force[4], force[5]])
                }
                JointKind::Planar => {
                    world.add_force(child, [force[0], 0.0, force[1]], pose.origin());
                    [0.0, force[2], 0.0]
                }
                JointKind::Hinge => pose.to_world(body.joint.axis.expect("an axis").map(|a| a * force[0])),
                JointKind::Ball => pose.to_world([force[0], force[1], force[2]]),
                JointKind::Fixed | JointKind::Weld => continue,
            };
            world.add_torque(child, torque);
            if let Some(parent) = parent {
                world.add_torque(parent, torque.map(|t| -t));
            }
        }
    }
}

fn reference(model: &Arc<Model>) -> Batch {
    Batch::new(model, 1, BatchOptions { isa: Some(Isa::Reference64), threads: 1 }).expect("a batch of one")
}

fn limp(_: &mut Random, joint: &mut sinew_sim::Joint) {
    (joint.kp, joint.kd) = (0.0, 0.0);
}

fn driven(_: &mut Random, _: &mut sinew_sim::Joint) {}

/// Runs a law over all scenes, and fails with the worst one when it is off by more than `tolerance`.
fn over_scenes(law: &str, tolerance: f64, error: impl Fn(u64) -> f64) {
    let errors = (0..SCENES).map(|seed| (error(seed), seed));
    let (worst, seed) = errors.fold((0.0, 0), |a, b| if b.0 > a.0 || b.0.is_nan() { b } else { a });
    println!("{law}: worst relative error {worst:.1e} (seed {seed})");
    assert!(worst <= tolerance, "{law}: relative error {worst:e} at seed {seed}, more than {tolerance:e}");
}

#[test]
fn forward_dynamics_is_the_dense_solution() {
    over_scenes("q̈ = M⁻¹(−bias)", 1e-9, |seed| {
        let mut case = Case::new(seed, limp);
        let (mass, bias) = case.dense.mass_and_bias(&case.q, &case.v);
        let expected = solve(&mass, &bias.iter().map(|b| -b).collect::<Vec<_>>());
        relative_error(&case.batch.accelerations(0), &expected)
    });
}

#[test]
fn forward_dynamics_undoes_inverse_dynamics() {
    over_scenes("forward ∘ inverse", 1e-9, |seed| {
        let mut case = Case::new(seed, limp);
        let wanted = random_scene::velocity(&mut case.random, &case.batch.model().clone(), 20.0);
        let (mass, bias) = case.dense.mass_and_bias(&case.q, &case.v);
        let forces: Vec<f64> = multiply(&mass, &wanted).iter().zip(&bias).map(|(a, b)| a + b).collect();
        case.apply(&forces);
        relative_error(&case.batch.accelerations(0), &wanted)
    });
}

#[test]
fn outer_forces_act_through_their_points() {
    over_scenes("outer forces", 1e-9, |seed| {
        let mut case = Case::new(seed, limp);
        let (mass, bias) = case.dense.mass_and_bias(&case.q, &case.v);
        let mut load: Vec<f64> = bias.iter().map(|b| -b).collect();
        let poses = case.dense.poses(&case.q, &case.v);
        for _ in 0..3 {
            let body = case.random.below(poses.len());
            let (force, torque, point) = (case.random.vector(50.0), case.random.vector(10.0), case.random.vector(1.0));
            let index = case.body(&case.dense.bodies[body].name);
            case.batch.world_mut(0).add_force(index, force, point);
            case.batch.world_mut(0).add_torque(index, torque);
            let added = case.dense.generalised(&poses[body], force, torque, point);
            load.iter_mut().zip(added).for_each(|(l, a)| *l += a);
        }
        relative_error(&case.batch.accelerations(0), &solve(&mass, &load))
    });
}

/// `(M + dt·kd + dt²·kp)·q̈ = kp·(q* − q − dt·q̇) + kd·(q̇* − q̇) − bias`, gains scaled by the world's.
#[test]
fn implicit_pd_is_the_dense_solution() {
    over_scenes("implicit PD", 1e-9, |seed| {
        let mut case = Case::new(seed, driven);
        let model = case.batch.model().clone();
        let target = random_scene::position(&mut case.random, &model, 1.5);
        let target_velocity = random_scene::velocity(&mut case.random, &model, 3.0);
        let gain = case.random.between(0.2, 1.5);
        let mut world = case.batch.world_mut(0);
        world.set_target(&target);
        world.set_target_velocity(&target_velocity);
        world.set_gain(gain);
        let (mut mass, bias) = case.dense.mass_and_bias(&case.q, &case.v);
        let error = case.dense.errors(&case.q, &target);
        let mut load = bias.iter().map(|b| -b).collect::<Vec<_>>();
        for (i, body) in case.dense.owners().into_iter().enumerate() {
            let (kp, kd) = (gain * body.joint.kp, gain * body.joint.kd);
            mass[i][i] += DT * kd + DT * DT * kp;
            load[i] += kp * (error[i] - DT * case.v[i]) + kd * (target_velocity[i] - case.v[i]);
        }
        relative_error(&case.batch.accelerations(0), &solve(&mass, &load))
    });
}

/// What a step reports as torques of PD and stops is what moved the world: `M·q̈ + bias = τ + τ_stop`, no PD torque is beyond its
/// limit, and one within it obeys the PD law.
#[test]
fn reported_torques_balance_the_motion() {
    fn limited(random: &mut Random, joint: &mut sinew_sim::Joint) {
        joint.torque_limit = Some(random.between(10.0, 1000.0));
        let high = random.between(0.2, 2.0);
        joint.limits = Some(if joint.kind == JointKind::Ball { [0.0, high] } else { [-0.5, high] });
    }
    let (saturated, free) = (Cell::new(0), Cell::new(0));
    over_scenes("reported torques", 1e-8, |seed| {
        let mut case = Case::new(seed, limited);
        let model = case.batch.model().clone();
        let target = random_scene::position(&mut case.random, &model, 1.5);
        case.batch.world_mut(0).set_target(&target);
        let (mass, bias) = case.dense.mass_and_bias(&case.q, &case.v);
        let acceleration = case.batch.accelerations(0);
        case.batch.step(1);
        let world = case.batch.world(0);
        let (torques, stops) = (world.torques(), world.stop_torques());
        let load: Vec<f64> = (0..bias.len()).map(|i| torques[i] + stops[i] - bias[i]).collect();
        let error = case.dense.errors(&case.q, &target);
        for body in &case.dense.bodies {
            let count = body.joint.kind.velocity_count();
            if body.joint.kind.is_root() || count == 0 {
                continue;
            }
            let dofs = body.v..body.v + count;
            let size = torques[dofs.clone()].iter().map(|t| t * t).sum::<f64>().sqrt();
            let limit = body.joint.torque_limit.expect("a limit");
            assert!(
                size <= limit * (1.0 + 1e-12),
                "seed {seed}: {} drives with {size} of {limit} N m",
                body.joint.name
            );
            if size < limit * (1.0 - 1e-5) {
                free.set(free.get() + 1);
                for i in dofs {
                    let after = case.v[i] + DT * acceleration[i];
                    let law = body.joint.kp * (error[i] - DT * after) - body.joint.kd * after;
                    let off = (law - torques[i]).abs();
                    assert!(
                        off <= 1e-8 * (1.0 + law.abs()),
                        "seed {seed}: {} off its PD law by {off}",
                        body.joint.name
                    );
                }
            } else {
                saturated.set(saturated.get() + 1);
            }
        }
        relative_error(&acceleration, &solve(&mass, &load))
    });
    let (saturated, free) = (saturated.get(), free.get());
    println!("{saturated} joints at their torque limit, {free} within it");
    assert!(saturated > 300 && free > 300, "both kinds are tested: {saturated} saturated, {free} free");
}

#[test]
fn kinetic_energy_is_half_v_m_v() {
    over_scenes("kinetic energy", 1e-12, |seed| {
        let case = Case::new(seed, limp);
        let (mass, _) = case.dense.mass_and_bias(&case.q, &case.v);
        let expected = 0.5 * multiply(&mass, &case.v).iter().zip(&case.v).map(|(p, v)| p * v).sum::<f64>();
        relative_error(&[case.batch.world(0).measure().kinetic_energy], &[expected])
    });
}

#[test]
fn embedded_characters_agree_too() {
    let characters = [embedded::dinosaur(), embedded::humanoid(), embedded::peer_a(), embedded::peer_b()];
    for mut character in characters {
        let name = character.name.clone();
        character.joints.iter_mut().for_each(|joint| joint.limits = None);
        let scene = Scene::floating(character);
        let model = Arc::new(Model::new(&scene, DT).expect("a valid scene"));
        let dense = Dense::new(&scene);
        let mut batch = reference(&model);
        let mut random = Random(7);
        for _ in 0..10 {
            let q = random_scene::position(&mut random, &model, 2.0);
            let v = random_scene::velocity(&mut random, &model, 5.0);
            let mut world = batch.world_mut(0);
            world.set_position(&q);
            world.set_velocity(&v);
            world.set_gain(0.0);
            let (mass, bias) = dense.mass_and_bias(&q, &v);
            let expected = solve(&mass, &bias.iter().map(|b| -b).collect::<Vec<_>>());
            let error = relative_error(&batch.accelerations(0), &expected);
            assert!(error <= 1e-9, "{name}: relative error {error:e}");
        }
    }
}

/// Targets of a smooth motion at a time: every joint swings by `size` about its rest.
fn swing(model: &Model, size: f64, time: f64) -> Vec<f64> {
    let mut target = model.rest_position().to_vec();
    for joint in model.joints() {
        let phase = joint.velocity_index as f64;
        let angle = size * ((6.0 + 0.7 * phase.sin()) * time + phase).sin();
        let i = joint.position_index;
        match joint.kind {
            JointKind::Hinge => target[i] = angle,
            JointKind::Ball => {
                let (s, c) = (0.5 * angle).sin_cos();
                target[i..i + 4].copy_from_slice(&[c, 0.6 * s, 0.0, 0.8 * s]);
            }
            _ => {}
        }
    }
    target
}

/// Largest angle between the joints of two states, and largest distance between the roots' positions.
fn apart(model: &Model, a: &[f64], b: &[f64]) -> (f64, f64) {
    let (mut angle, mut distance): (f64, f64) = (0.0, 0.0);
    let quaternion_angle = |i: usize| {
        let [w, x, y, z]: [f64; 4] = a[i..i + 4].try_into().expect("four numbers");
        let other = b[i..i + 4].try_into().expect("four numbers");
        let away = dense::rotation_vector(dense::quaternion_product([w, -x, -y, -z], other));
        dense::dot(away, away).sqrt()
    };
    for joint in model.joints() {
        let i = joint.position_index;
        match joint.kind {
            JointKind::Free => {
                (i..i + 3).for_each(|k| distance = distance.max((a[k] - b[k]).abs()));
                angle = angle.max(quaternion_angle(i + 3));
            }
            JointKind::Ball => angle = angle.max(quaternion_angle(i)),
            _ => angle = angle.max((a[i] - b[i]).abs()),
        }
    }
    (angle, distance)
}

/// Runs half a second of a swinging motion in f64 and in f32 of each instruction set; returns the worst difference on the way.
fn worst_of_single_precision(scene: &Scene) -> (f64, f64) {
    let model = Arc::new(Model::new(scene, DT).expect("a valid scene"));
    let single = |isa| Batch::new(&model, 2, BatchOptions { isa: Some(isa), threads: 1 }).expect("a batch of two");
    let mut singles: Vec<Batch> = Isa::same_bits().into_iter().map(single).collect();
    let mut exact = reference(&model);
    let mut worst: (f64, f64) = (0.0, 0.0);
    for chunk in 0..25 {
        let target = swing(&model, 0.25, (chunk + 1) as f64 * 10.0 * DT);
        for batch in singles.iter_mut().chain([&mut exact]) {
            for world in 0..batch.len() {
                batch.world_mut(world).ramp_target(&target, 10);
            }
            batch.step(10);
        }
        let expected = exact.world(0).position();
        for batch in &singles {
            let (angle, distance) = apart(&model, &batch.world(1).position(), &expected);
            worst = (worst.0.max(angle), worst.1.max(distance));
        }
    }
    worst
}

#[test]
fn single_precision_follows_double_in_the_air() {
    for character in [embedded::dinosaur(), embedded::humanoid()] {
        let name = character.name.clone();
        let (angle, distance) = worst_of_single_precision(&Scene::floating(character));
        println!("{name} in the air, f32 against f64 over 0.5 s: {angle:.1e} rad, {distance:.1e} m");
        assert!(angle < 1e-5, "{name}: {angle} rad");
        assert!(distance < 1e-5, "{name}: {distance} m");
    }
}

#[test]
fn single_precision_follows_double_on_the_ground() {
    for character in [embedded::dinosaur(), embedded::humanoid()] {
        let name = character.name.clone();
        let (angle, distance) = worst_of_single_precision(&Scene::on_ground(character));
        println!("{name} on the ground, f32 against f64 over 0.5 s: {angle:.1e} rad, {distance:.1e} m");
        assert!(angle < 0.02, "{name}: {angle} rad");
        assert!(distance < 0.01, "{name}: {distance} m");
    }
}
