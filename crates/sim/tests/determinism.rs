//! The same bits on every instruction set, thread count, batch size and lane, whatever the neighbours do.

use crate::worlds::*;
use sinew_sim::{Batch, Body, Character, Isa, Joint, JointKind, Model, Scene, Shape, Snapshot, Status};
use std::sync::Arc;

const STRETCHES: usize = 5;

/// What one actor ends with when it is alone in a batch.
fn alone(model: &Arc<Model>, seed: u64, isa: Isa) -> Vec<u32> {
    let mut batch = batch(model, 1, isa, 1);
    play(&mut batch, &[seed], STRETCHES);
    state(batch.world(0))
}

#[test]
fn every_scene_ends_in_the_bits_it_always_ended_in() {
    let golden = [
        ("dinosaur", 0xbf22_b37e_35f1_8fe9),
        ("humanoid", 0x747d_61ab_ffe2_69c4),
        ("crowd", 0x625f_b627_e7b8_db27),
        ("planar", 0x6330_250d_8c5b_9ec4),
    ];
    let seeds: Vec<u64> = (0..9).collect();
    let mut wrong = Vec::new();
    for ((name, model), (golden_name, expected)) in models().iter().zip(golden) {
        assert_eq!(*name, golden_name);
        for isa in isas() {
            let mut batch = batch(model, seeds.len(), isa, 1);
            play(&mut batch, &seeds, STRETCHES);
            let running = (0..batch.len()).filter(|w| batch.world(*w).status() == Status::Running).count();
            assert_eq!(running, batch.len(), "{name}: some worlds diverged");
            let found = fnv1a(states(&batch).iter().flatten());
            if found != expected {
                wrong.push(format!("{name} on {}: {found:#018x}", isa.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let seeds: Vec<u64> = (0..100).collect();
    for (name, model) in models() {
        let run = |threads| {
            let mut batch = batch(&model, seeds.len(), Isa::detect(), threads);
            assert_eq!(batch.threads(), threads);
            play(&mut batch, &seeds, STRETCHES);
            states(&batch)
        };
        let expected = run(1);
        for threads in [2, 7] {
            assert!(run(threads) == expected, "{name} with {threads} threads");
        }
    }
}

#[test]
fn the_size_of_the_batch_changes_nothing() {
    for (name, model) in models() {
        for isa in isas() {
            let expected: Vec<_> = [0, 2, 15].map(|seed| (seed, alone(&model, seed, isa))).into();
            for size in [3, 16, 17, 100] {
                if isa == Isa::Portable && size == 100 {
                    continue;
                }
                let seeds: Vec<u64> = (0..size as u64).collect();
                let mut batch = batch(&model, size, isa, 1);
                play(&mut batch, &seeds, STRETCHES);
                for (seed, expected) in expected.iter().filter(|(seed, _)| *seed < size as u64) {
                    let found = state(batch.world(*seed as usize));
                    assert!(found == *expected, "{name} on {}: world {seed} of {size}", isa.name());
                }
            }
        }
    }
}

/// The worst company: limp, diverged, stopped, pushed hard, under another gravity.
#[test]
fn every_lane_gives_the_same_whatever_the_neighbours_do() {
    const SEED: u64 = 5;
    for (name, model) in models() {
        for isa in isas() {
            let expected = alone(&model, SEED, isa);
            let lanes = 16;
            for lane in (0..lanes).filter(|lane| isa != Isa::Portable || lane % 5 == 0) {
                let mut batch = batch(&model, lanes, isa, 1);
                let others: Vec<usize> = (0..lanes).filter(|w| *w != lane).collect();
                begin(&mut batch, lane, SEED);
                for &w in &others {
                    begin(&mut batch, w, 100 + w as u64);
                    let mut world = batch.world_mut(w);
                    let center = world.as_world().measure().bodies[0].center_of_mass;
                    match (w + lane) % 5 {
                        0 => world.set_gain(0.0),
                        1 => world.add_force(0, [1e30, 0.0, 0.0], center),
                        2 => world.stop(),
                        3 => world.add_force(0, [2e3, -1e3, -4e3], center),
                        _ => world.set_gravity([3.0, 0.0, -30.0]),
                    }
                }
                for stretch in 0..STRETCHES {
                    act(&mut batch, lane, SEED, stretch);
                    others.iter().filter(|w| *w % 2 == 0).for_each(|&w| act(&mut batch, w, 100 + w as u64, stretch));
                    batch.step(CHUNK);
                }
                assert!(state(batch.world(lane)) == expected, "{name} on {} in lane {lane}", isa.name());
            }
        }
    }
}

#[test]
fn many_steps_at_once_are_many_single_steps() {
    for (name, model) in models() {
        for isa in isas() {
            let mut batches = [batch(&model, 5, isa, 1), batch(&model, 5, isa, 1)];
            for batch in &mut batches {
                for w in 0..5 {
                    begin(batch, w, w as u64);
                    act(batch, w, w as u64, 1);
                }
            }
            let [at_once, singly] = &mut batches;
            at_once.step(30);
            (0..30).for_each(|_| singly.step(1));
            assert!(states(at_once) == states(singly), "{name} on {}", isa.name());
            for w in 0..5 {
                let readings = |b: &Batch| (b.world(w).status(), b.world(w).torques(), b.world(w).contacts());
                // A world that diverged under way has readings of the last step that was recorded.
                if at_once.world(w).status() == Status::Running {
                    assert_eq!(readings(at_once), readings(singly), "{name} on {}: world {w}", isa.name());
                }
            }
        }
    }
}

#[test]
fn a_saved_world_goes_on_in_another_lane_batch_and_instruction_set() {
    const SEED: u64 = 3;
    for (name, model) in models() {
        let expected = alone(&model, SEED, Isa::detect());
        for (from, to) in isas().into_iter().zip(isas().into_iter().rev()) {
            let mut first = batch(&model, 9, from, 1);
            for w in 0..9 {
                begin(&mut first, w, if w == 6 { SEED } else { 50 + w as u64 });
            }
            for stretch in 0..3 {
                (0..9).for_each(|w| act(&mut first, w, if w == 6 { SEED } else { 50 + w as u64 }, stretch));
                first.step(CHUNK);
            }
            let mut snapshot = Snapshot::default();
            first.world(6).save(&mut snapshot);
            assert_eq!(snapshot.steps(), 3 * CHUNK as u64);

            let mut second = batch(&model, 18, to, 2);
            play(&mut second, &(0..18).map(|w| 70 + w).collect::<Vec<_>>(), 1);
            begin(&mut second, 17, SEED);
            second.world_mut(17).set_target(&first.world(6).target());
            second.world_mut(17).restore(&snapshot);
            for stretch in 3..STRETCHES {
                act(&mut second, 17, SEED, stretch);
                second.step(CHUNK);
            }
            assert!(state(second.world(17)) == expected, "{name} from {} to {}", from.name(), to.name());
        }
    }
}

/// A ball that has sunk into the ground by less than rounding: found or not, but by all or by none.
#[test]
fn a_grazing_contact_does_not_depend_on_the_neighbours() {
    // Off the joint, so that the bound about the centre of mass and the contact itself are rounded differently.
    const CENTER: [f64; 3] = [0.35, 0.23, -0.12];
    let ball = Body {
        name: "ball".into(),
        mass: 1.0,
        center_of_mass: None,
        inertia: None,
        shapes: vec![Shape::Sphere { center: CENTER, radius: 0.1 }],
    };
    let joint = Joint { position: [0.0, 0.0, 0.5], ..Joint::new("root", JointKind::Free, None, "ball") };
    let figure = Character {
        name: "grazer".into(),
        bodies: vec![ball],
        joints: vec![joint],
        end_effectors: Vec::new(),
        collide: Vec::new(),
        origin: None,
    };
    let mut scene = Scene::on_ground(figure);
    // The ground touches from below, the wall from the side.
    scene.boxes.push(sinew_sim::StaticBox {
        name: "wall".into(),
        center: [5.0, 0.0, 2.0],
        half_extents: [1.0, 3.0, 3.0],
        orientation: [1.0, 0.0, 0.0, 0.0],
        surface: sinew_sim::Surface::default(),
    });
    let model = Arc::new(Model::new(&scene, 0.002).unwrap());
    let isa = Isa::detect();
    let mut random = Random(7);
    for i in 0..3000 {
        // Turned at random and lifted until its deepest point grazes the ground or the wall.
        let mut q = model.rest_position().to_vec();
        q[3..7].copy_from_slice(&random.turn(3.0));
        let mut probe = batch(&model, 1, isa, 1);
        probe.world_mut(0).set_position(&q);
        let pose = probe.world(0).measure().bodies[0];
        let center = pose.place(CENTER);
        let tiny = random.between(-3e-7, 3e-7);
        if i % 2 == 0 {
            q[2] -= center[2] - 0.1 + tiny;
        } else {
            q[0] += 4.0 - 0.1 + tiny - center[0];
            q[2] = 2.0;
        }
        let run = |neighbour: bool| {
            let mut batch = batch(&model, 2, isa, 1);
            batch.world_mut(0).set_position(&q);
            let mut deep = q.clone();
            deep[if i % 2 == 0 { 2 } else { 0 }] += if i % 2 == 0 { -0.05 } else { 0.05 };
            batch.world_mut(1).set_position(&deep);
            if !neighbour {
                batch.world_mut(1).stop();
            }
            batch.step(1);
            state(batch.world(0))
        };
        assert!(run(true) == run(false), "case {i}: {q:?}");
    }
}

#[test]
fn a_stopped_world_keeps_its_target_and_readings_whatever_the_neighbours_do() {
    let (_, model) = models().swap_remove(0);
    let run = |neighbour: bool| {
        let mut batch = batch(&model, 2, Isa::detect(), 1);
        play(&mut batch, &[1, 2], 2);
        act(&mut batch, 0, 1, 2);
        batch.step(3);
        batch.world_mut(0).stop();
        if !neighbour {
            batch.world_mut(1).stop();
        }
        batch.step(20);
        let world = batch.world(0);
        let stopped = (world.target(), world.torques(), world.contacts(), world.steps());
        batch.world_mut(0).resume();
        batch.step(4);
        (stopped, state(batch.world(0)))
    };
    assert_eq!(run(true), run(false));
}
