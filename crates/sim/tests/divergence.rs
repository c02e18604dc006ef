//! Worlds whose numbers leave all reason stand still and say so; and many worlds fit into memory.

use crate::worlds;
use crate::worlds::*;
use sinew_sim::{
    Batch, BatchError, BatchOptions, Isa, MAX_WORLDS, Model, Object, ObjectShape, Scene, Snapshot, Status, embedded,
};
use std::sync::Arc;

const WORLDS: usize = 19;

#[test]
fn a_diverged_world_stands_still_and_its_neighbours_do_not_notice() {
    let seeds: Vec<u64> = (0..WORLDS as u64).collect();
    for (name, model) in models() {
        for isa in isas() {
            let mut undisturbed = batch(&model, WORLDS, isa, 1);
            play(&mut undisturbed, &seeds, 4);

            let mut disturbed = batch(&model, WORLDS, isa, 1);
            play(&mut disturbed, &seeds, 0);
            let victims = [0, 2, 18];
            let mut before = Vec::new();
            for stretch in 0..4 {
                (0..WORLDS).for_each(|w| act(&mut disturbed, w, seeds[w], stretch));
                if stretch == 1 {
                    for (k, &w) in victims.iter().enumerate() {
                        before.push(disturbed.world(w).position());
                        let force = [1e30, 0.0, [1e30, -1e25, f64::MAX][k]];
                        disturbed.world_mut(w).add_force(0, force, [0.1, 0.2, 0.3]);
                    }
                }
                disturbed.step(CHUNK);
            }
            for w in 0..WORLDS {
                let world = disturbed.world(w);
                let Some(victim) = victims.iter().position(|v| *v == w) else {
                    assert!(state(world) == state(undisturbed.world(w)), "{name} on {}: world {w}", isa.name());
                    continue;
                };
                let Status::Diverged { step, joint } = world.status() else { panic!("{name}: {:?}", world.status()) };
                assert_eq!((step, world.steps()), (CHUNK as u64, CHUNK as u64));
                assert_eq!(joint, model.joints()[0].name);
                assert_eq!(world.position(), before[victim]);
                assert!(world.velocity().iter().all(|v| *v == 0.0));
                assert!(world.torques().iter().chain(&world.stop_torques()).all(|x| x.is_finite()));
                assert!(world.measure().energy().is_finite());
            }
        }
    }
}

#[test]
fn only_restoring_revives_a_diverged_world() {
    let (_, model) = models().swap_remove(0);
    let mut batch = batch(&model, 3, Isa::detect(), 1);
    let mut healthy = Snapshot::default();
    batch.world(1).save(&mut healthy);
    batch.step(5);
    batch.world_mut(1).add_torque(3, [0.0, 1e35, 0.0]);
    batch.step(5);
    let Status::Diverged { step: 5, joint } = batch.world(1).status() else { panic!("{:?}", batch.world(1).status()) };
    assert!(joint.starts_with("dinosaur/"), "{joint}");

    // It stays, and so does a copy of it, until a healthy state is put in its place.
    batch.world_mut(1).clear_forces();
    batch.world_mut(1).resume();
    batch.step(5);
    assert_eq!(batch.world(1).steps(), 5);
    batch.copy_state(1, 2);
    assert_eq!(batch.world(2).status(), batch.world(1).status());
    (0..3).for_each(|w| batch.world_mut(w).restore(&healthy));
    assert_eq!(batch.world(1).status(), Status::Running);
    batch.step(15);
    assert_eq!(batch.world(1).steps(), 15);
    assert!(state(batch.world(1)) == state(batch.world(0)) && state(batch.world(2)) == state(batch.world(0)));
}

#[test]
fn numbers_that_are_none_are_a_divergence_and_not_a_panic() {
    let (_, model) = models().swap_remove(2);
    let mut batch = batch(&model, 4, Isa::detect(), 1);
    let mut undisturbed = worlds::batch(&model, 4, Isa::detect(), 1);
    let mut velocity = vec![0.0; model.velocity_count()];
    velocity[9] = f64::NAN;
    batch.world_mut(0).set_velocity(&velocity);
    batch.world_mut(1).set_gravity([0.0, 0.0, f64::INFINITY]);
    let mut target = model.rest_position().to_vec();
    target[10] = f64::NAN;
    batch.world_mut(3).set_target(&target);
    batch.step(20);
    undisturbed.step(20);
    for w in [0, 1, 3] {
        assert!(matches!(batch.world(w).status(), Status::Diverged { step: 0, .. }), "world {w}");
        let sane = |x: &f64| x.is_finite();
        assert!(batch.world(w).position().iter().all(sane) && batch.world(w).velocity().iter().all(sane), "world {w}");
    }
    assert!(state(batch.world(2)) == state(undisturbed.world(2)));
}

/// As fast as a world may spin, at the longest step allowed, the state stays made of numbers.
#[test]
fn the_fastest_spin_keeps_orientations_finite() {
    let scene = Scene {
        objects: vec![Object {
            name: "top".into(),
            shape: ObjectShape::Ball { radius: 0.1 },
            mass: 1.0,
            position: [0.0; 3],
            orientation: [1.0, 0.0, 0.0, 0.0],
        }],
        ..Scene::default()
    };
    let model = Arc::new(Model::new(&scene, 0.02).unwrap());
    for isa in isas() {
        for spin in [1e3, 1e4, 5e4, 9.9e4] {
            let mut batch = batch(&model, 1, isa, 1);
            batch.world_mut(0).set_velocity(&[0.0, 0.0, 0.0, spin, -spin, spin]);
            batch.step(5);
            let q = batch.world(0).position();
            let length = q[3..].iter().map(|x| x * x).sum::<f64>();
            assert!((length - 1.0).abs() < 1e-6, "{spin} rad/s: {q:?}");
        }
    }
}

#[test]
fn a_quaternion_of_zeros_means_no_turn() {
    let (_, model) = models().swap_remove(1);
    let mut batch = batch(&model, 1, Isa::detect(), 1);
    batch.world_mut(0).set_position(&vec![0.0; model.position_count()]);
    assert_eq!(batch.world(0).position()[3..7], [1.0, 0.0, 0.0, 0.0]);
    batch.step(3);
    assert_eq!(batch.world(0).status(), Status::Running);
}

#[test]
fn a_hundred_thousand_worlds_can_be_stepped() {
    let scene = Scene {
        ground: Some(sinew_sim::Ground::default()),
        objects: vec![Object {
            name: "ball".into(),
            shape: ObjectShape::Ball { radius: 0.1 },
            mass: 1.0,
            position: [0.0, 0.0, 0.1],
            orientation: [1.0, 0.0, 0.0, 0.0],
        }],
        ..Scene::default()
    };
    let model = Arc::new(Model::new(&scene, 0.002).unwrap());
    let mut batch = Batch::new(&model, 100_000, BatchOptions::default()).unwrap();
    batch.step(3);
    let last = state(batch.world(99_999));
    assert!((0..100_000).step_by(997).all(|w| state(batch.world(w)) == last && batch.world(w).steps() == 3));
    assert!(batch.bytes() / batch.len() < 1024, "{} bytes each", batch.bytes() / batch.len());
}

#[test]
fn a_world_takes_less_than_16_kb() {
    for character in [embedded::dinosaur(), embedded::humanoid(), embedded::peer_a(), embedded::peer_b()] {
        let name = character.name.clone();
        let model = Arc::new(Model::new(&Scene::on_ground(character), 0.002).unwrap());
        for isa in isas() {
            let mut batch = batch(&model, 32, isa, 1);
            // Limp, so that they lie on the ground with all they have, and pushed, so that forces are held too.
            (0..32).for_each(|w| batch.world_mut(w).set_gain(0.0));
            (0..32).for_each(|w| batch.world_mut(w).add_force(0, [1.0, 0.0, 0.0], [0.0; 3]));
            batch.step(if isa == Isa::Portable { 20 } else { 400 });
            let each = batch.bytes() / batch.len();
            println!("{name} on {}: {each} bytes a world", isa.name());
            assert!(each < 16 * 1024, "{name} on {}: {each} bytes a world", isa.name());
        }
    }
}

#[test]
fn a_batch_has_from_one_to_a_million_worlds() {
    let (_, model) = models().swap_remove(0);
    for count in [0, MAX_WORLDS + 1] {
        assert_eq!(Batch::new(&model, count, BatchOptions::default()).err(), Some(BatchError::WorldCount(count)));
    }
}
