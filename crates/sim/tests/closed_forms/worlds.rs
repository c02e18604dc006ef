//! What a world may be told: gravity, gains, forces, a state to return to.

use crate::common::*;
use sinew_sim::{Isa, JointKind, Scene, Snapshot, embedded};

#[test]
fn each_world_has_its_own_gravity() {
    let scene = Scene { objects: vec![ball("ball", 0.1, 1.0, [0.0; 3])], ..Scene::default() };
    for isa in precisions() {
        let (dt, n) = (0.002, 100);
        let mut b = batch(&scene, dt, isa, 20);
        for world in 0..20 {
            b.world_mut(world).set_gravity([world as f64 * 0.1, -1.0, -(world as f64)]);
        }
        b.step(n);
        let mut worst = 0.0f64;
        for world in 0..20 {
            let sum = dt * dt * (n * (n + 1)) as f64 / 2.0;
            let expected = scale([world as f64 * 0.1, -1.0, -(world as f64)], sum);
            worst = worst.max(length(sub(b.world(world).measure().bodies[0].position, expected)));
        }
        at_most("gravity of each world, discrete sum, m", isa, worst, by_precision(isa, 1e-13, 1e-6));
    }
}

#[test]
fn gain_zero_is_limp() {
    for isa in precisions() {
        let mut b = batch(&Scene::on_ground(embedded::humanoid()), 0.002, isa, 2);
        b.world_mut(1).set_gain(0.0);
        b.step(750);
        let (held, limp) = (b.world(0), b.world(1));
        let height = |w: &sinew_sim::World<'_>| w.measure().center_of_mass[2];
        assert!(height(&held) > 0.75 && height(&limp) < 0.45, "held {} m, limp {} m", height(&held), height(&limp));
        assert!(limp.torques().iter().all(|t| *t == 0.0), "a limp figure has no torque");
    }
}

#[test]
fn each_character_has_its_own_gain() {
    let mut scene = Scene::on_ground(embedded::humanoid());
    let mut second = scene.characters[0].clone();
    second.character.name = "second".into();
    second.offset = [3.0, 0.0, 0.0];
    scene.characters.push(second);
    for isa in precisions() {
        let mut b = batch(&scene, 0.002, isa, 1);
        b.world_mut(0).set_character_gain(1, 0.0);
        b.step(750);
        let measured = b.world(0).measure();
        let head = |character: usize| {
            let bodies = b.model().bodies().iter().zip(&measured.bodies);
            let own = bodies.filter(|(body, _)| body.character == Some(character));
            own.map(|(_, motion)| motion.position[2]).fold(f64::MIN, f64::max)
        };
        assert!(head(0) > 1.2 && head(1) < 0.8, "held {} m, limp {} m", head(0), head(1));
        b.world_mut(0).set_gain(1.0);
        b.step(1);
        assert!(b.world(0).torques().iter().rev().any(|t| *t != 0.0), "a gain for all is one for each");
    }
}

#[test]
fn forces_at_points_accelerate_and_turn() {
    let half = [0.2, 0.1, 0.3];
    let mass = 5.0;
    let moment = |i: usize, j: usize| mass * (half[i] * half[i] + half[j] * half[j]) / 3.0;
    let scene =
        Scene { gravity: [0.0; 3], objects: vec![block("crate", half, mass, [1.0, 2.0, 3.0])], ..Scene::default() };
    for isa in precisions() {
        let mut b = batch(&scene, 0.001, isa, 1);
        b.world_mut(0).add_force(0, [2.0, -3.0, 4.0], [1.2, 2.1, 2.9]);
        b.world_mut(0).add_torque(0, [0.1, 0.2, 0.3]);
        let a = b.accelerations(0);
        // r = (0.2, 0.1, −0.1), τ = r×F + (0.1, 0.2, 0.3).
        let torque = [0.1 * 4.0 - 0.1 * 3.0 + 0.1, -0.1 * 2.0 - 0.2 * 4.0 + 0.2, 0.2 * -3.0 - 0.1 * 2.0 + 0.3];
        let expected = [
            2.0 / mass,
            -3.0 / mass,
            4.0 / mass,
            torque[0] / moment(1, 2),
            torque[1] / moment(0, 2),
            torque[2] / moment(0, 1),
        ];
        let worst = a.iter().zip(expected).map(|(a, e)| (a - e).abs()).fold(0.0, f64::max);
        at_most("F = m a and tau = I alpha, m/s2", isa, worst, by_precision(isa, 1e-12, 1e-5));
        b.world_mut(0).clear_forces();
        assert!(b.accelerations(0).iter().all(|a| a.abs() < 1e-12));
    }
}

#[test]
fn a_force_on_a_limb_turns_its_joint() {
    let arm = body("arm", 1.0, [0.3, 0.0, 0.0], [0.01, 0.02, 0.02]);
    let figure = on_post(arm, joint(JointKind::Hinge, Some("post"), "arm", [0.0; 3]));
    for isa in precisions() {
        let mut b = batch(&Scene { gravity: [0.0; 3], ..Scene::floating(figure.clone()) }, 0.001, isa, 1);
        b.world_mut(0).add_force(1, [0.0, 7.0, -3.0], [0.5, 0.0, 0.0]);
        let expected = 3.0 * 0.5 / (0.02 + 0.3 * 0.3);
        at_most("force on a limb, relative", isa, off(b.accelerations(0)[0], expected), by_precision(isa, 1e-12, 1e-6));
    }
}

#[test]
fn a_restored_world_repeats_itself_bit_by_bit() {
    for isa in [Isa::Reference64, Isa::detect(), Isa::Portable] {
        for figure in [embedded::dinosaur(), embedded::humanoid()] {
            let mut scene = Scene::on_ground(figure.clone());
            scene.objects = vec![ball("ball", 0.1, 5.0, [0.6, 0.0, 1.0])];
            scene.collide = vec![["ball".into(), figure.name.clone()]];
            let mut b = batch(&scene, 0.002, isa, 3);
            let model = b.model().clone();
            let run = |b: &mut sinew_sim::Batch| {
                for k in 0..20 {
                    b.world_mut(1).set_target(&thrashing(&model, 1, k as f64 * 0.02, 0.4));
                    b.step(10);
                }
                let w = b.world(1);
                let bits = |v: Vec<f64>| v.into_iter().map(f64::to_bits).collect::<Vec<_>>();
                (bits(w.position()), bits(w.velocity()), bits(w.torques()), w.steps(), format!("{:?}", w.contacts()))
            };
            b.step(50);
            let mut saved = Snapshot::default();
            b.world(1).save(&mut saved);
            let first = run(&mut b);
            b.world_mut(1).restore(&saved);
            let second = run(&mut b);
            assert!(first == second, "{} ({}) repeats", figure.name, isa.name());
        }
    }
}
