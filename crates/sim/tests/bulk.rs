//! All worlds at once against one world at a time: the same bits.

use crate::worlds::*;
use sinew_sim::{
    Batch, BulkError, Condition, DampsTo, Interval, Isa, Model, Observation, Readings, Snapshot, WorldMut,
};
use std::sync::Arc;

const WORLDS: usize = 19;
const INTERVALS: usize = 4;

/// Paths through an interval, at two control rates.
fn intervals() -> [Interval; 3] {
    [Interval::held(CHUNK), Interval::ramped(CHUNK, DampsTo::Rest), Interval::ramped(7, DampsTo::Target)]
}

/// PD targets of all worlds for a stretch of time, as they are and as bulk calls take them. Half of all quaternions have the other sign.
fn targets(model: &Model, stretch: usize) -> (Vec<Vec<f64>>, Vec<f32>) {
    let flipped = |world: usize| {
        let mut row = target(model, world as u64, stretch);
        for joint in model.joints().iter().filter(|j| j.kind == sinew_sim::JointKind::Ball) {
            let places = joint.position_index..joint.position_index + 4;
            if (world + joint.position_index + stretch).is_multiple_of(2) {
                row[places].iter_mut().for_each(|x| *x = -*x);
            }
        }
        // As f32 holds them.
        row.into_iter().map(|x| f64::from(x as f32)).collect()
    };
    let rows: Vec<Vec<f64>> = (0..WORLDS).map(flipped).collect();
    let flat = rows.iter().flatten().map(|x| *x as f32).collect();
    (rows, flat)
}

/// Bits of everything that can be read of all worlds, one world at a time.
fn one_by_one(batch: &mut Batch) -> Vec<u32> {
    batch.observe();
    let mut seen = vec![0.0; batch.model().observation_count()];
    let mut all: [Vec<f64>; 5] = Default::default();
    for world in (0..batch.len()).map(|w| batch.world(w)) {
        world.read_observation(&mut seen);
        let values = [world.position(), world.velocity(), world.target(), world.torques(), seen.clone()];
        all.iter_mut().zip(values).for_each(|(all, values)| all.extend(values));
    }
    all.concat().into_iter().map(|x| (x as f32).to_bits()).collect()
}

/// The same in one pass, after a control interval where one is given.
fn at_once(batch: &mut Batch, control: Option<(&[f32], Interval)>) -> Vec<u32> {
    let (nq, nv) = (batch.model().position_count(), batch.model().velocity_count());
    let no = batch.model().observation_count();
    let [mut q, mut targets] = [0; 2].map(|_| vec![f32::NAN; batch.len() * nq]);
    let [mut v, mut torques] = [0; 2].map(|_| vec![f32::NAN; batch.len() * nv]);
    let mut seen = vec![f32::NAN; batch.len() * no];
    let all = Readings {
        positions: Some(&mut q),
        velocities: Some(&mut v),
        targets: Some(&mut targets),
        torques: Some(&mut torques),
        observations: Some(&mut seen),
        ..Readings::none()
    };
    match control {
        None => batch.read(all).unwrap(),
        Some((targets, interval)) => batch.control(targets, interval, all).unwrap(),
    }
    [q, v, targets, torques, seen].concat().into_iter().map(f32::to_bits).collect()
}

fn conditions(batch: &mut Batch) -> Vec<Condition> {
    let mut conditions = vec![Condition::Stopped; batch.len()];
    batch.read(Readings { conditions: Some(&mut conditions), ..Readings::none() }).unwrap();
    conditions
}

#[test]
fn bulk_calls_give_the_bits_of_single_calls_on_every_thread_and_instruction_set() {
    for (name, model) in models() {
        for interval in intervals() {
            let mut hand = batch(&model, WORLDS, Isa::detect(), 1);
            let expected: Vec<Vec<u32>> = (0..INTERVALS)
                .map(|stretch| {
                    let (rows, _) = targets(&model, stretch);
                    (0..WORLDS).for_each(|w| hand.world_mut(w).begin_interval(&rows[w], interval));
                    hand.step(interval.steps);
                    one_by_one(&mut hand)
                })
                .collect();
            let on_two = isas().into_iter().map(|isa| (isa, 2));
            for (isa, threads) in on_two.chain([(Isa::detect(), 1), (Isa::detect(), 7)]) {
                let mut bulk = batch(&model, WORLDS, isa, threads);
                for (stretch, expected) in expected.iter().enumerate() {
                    let (_, flat) = targets(&model, stretch);
                    let found = if stretch.is_multiple_of(2) {
                        at_once(&mut bulk, Some((&flat, interval)))
                    } else {
                        bulk.begin_interval(&flat, interval).unwrap();
                        bulk.step(interval.steps);
                        at_once(&mut bulk, None)
                    };
                    assert!(
                        found == *expected,
                        "{name} on {} with {threads} threads, {interval:?}: interval {stretch}",
                        isa.name()
                    );
                }
                assert_eq!(conditions(&mut bulk), [Condition::Running; WORLDS]);
            }
        }
    }
}

#[test]
fn the_reference_in_f64_is_read_rounded() {
    let (_, model) = models().swap_remove(1);
    let mut batch = batch(&model, 3, Isa::Reference64, 2);
    batch.control(&targets(&model, 0).1[..3 * model.position_count()], intervals()[2], Readings::none()).unwrap();
    assert!(at_once(&mut batch, None) == one_by_one(&mut batch));
}

/// States that some worlds are reset to: a pose in the air, turning.
fn states(model: &Model, worlds: &[usize]) -> (Vec<f32>, Vec<f32>) {
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    for &world in worlds {
        let mut random = Random(world as u64 + 7);
        let mut row = target(model, 500 + world as u64, 0);
        row[2] += 0.2;
        positions.extend(row.iter().map(|x| *x as f32));
        velocities.extend((0..model.velocity_count()).map(|_| random.between(-0.5, 0.5) as f32));
    }
    (positions, velocities)
}

#[test]
fn a_reset_changes_the_worlds_that_it_names_and_no_other() {
    let named = [11, 0, 18, 3];
    for (name, model) in models() {
        let (nq, nv) = (model.position_count(), model.velocity_count());
        let (positions, velocities) = states(&model, &named);
        for (isa, threads) in isas().into_iter().flat_map(|isa| [(isa, 1), (isa, 3)]) {
            let interval = intervals()[2];
            let mut undisturbed = batch(&model, WORLDS, isa, 1);
            let mut reset = batch(&model, WORLDS, isa, threads);
            for batch in [&mut undisturbed, &mut reset] {
                (0..WORLDS).for_each(|w| batch.world_mut(w).add_torque(0, [1.0, 2.0, 3.0]));
                batch.control(&targets(&model, 0).1, interval, Readings::none()).unwrap();
            }
            reset.world_mut(3).stop();
            reset.reset(&named, &positions, &velocities).unwrap();
            for batch in [&mut undisturbed, &mut reset] {
                batch.control(&targets(&model, 1).1, interval, Readings::none()).unwrap();
            }
            // A new world that begins in such a state.
            let mut fresh = batch(&model, named.len(), isa, 1);
            for row in 0..named.len() {
                let wide = |values: &[f32]| values.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>();
                let (q, v) = (wide(&positions[row * nq..(row + 1) * nq]), wide(&velocities[row * nv..(row + 1) * nv]));
                let mut world = fresh.world_mut(row);
                world.set_position(&q);
                world.set_velocity(&v);
                world.set_target(&q);
                world.begin_interval(&targets(&model, 1).0[named[row]], interval);
            }
            fresh.step(interval.steps);
            for w in 0..WORLDS {
                let (expected, steps) = match named.iter().position(|n| *n == w) {
                    Some(row) => (fresh.world(row), interval.steps as u64),
                    None => (undisturbed.world(w), 2 * interval.steps as u64),
                };
                let found = reset.world(w);
                assert!(state(found) == state(expected), "{name} on {} with {threads} threads: world {w}", isa.name());
                assert!(found.target() == expected.target() && found.friction_work() == expected.friction_work());
                assert_eq!(found.steps(), steps);
            }
            assert_eq!(conditions(&mut reset), [Condition::Running; WORLDS]);
        }
    }
}

#[test]
fn a_diverged_world_is_flagged_until_it_is_reset_and_its_neighbours_do_not_notice() {
    let (_, model) = models().swap_remove(0);
    for isa in isas() {
        let mut undisturbed = batch(&model, WORLDS, isa, 2);
        let mut disturbed = batch(&model, WORLDS, isa, 2);
        disturbed.world_mut(5).add_force(0, [1e30, 0.0, 1e30], [0.1, 0.2, 0.3]);
        disturbed.world_mut(6).stop();
        for stretch in 0..INTERVALS {
            for batch in [&mut undisturbed, &mut disturbed] {
                batch.control(&targets(&model, stretch).1, intervals()[1], Readings::none()).unwrap();
            }
        }
        let flags = conditions(&mut disturbed);
        assert_eq!((flags[5], flags[6]), (Condition::Diverged, Condition::Stopped));
        assert_eq!((flags[5] as u8, flags[6] as u8, flags[7] as u8), (2, 1, 0));
        for w in (0..WORLDS).filter(|w| ![5, 6].contains(w)) {
            assert_eq!(flags[w], Condition::Running);
            assert!(state(disturbed.world(w)) == state(undisturbed.world(w)), "{}: world {w}", isa.name());
        }
        let (positions, velocities) = states(&model, &[5]);
        disturbed.reset(&[5], &positions, &velocities).unwrap();
        disturbed.control(&targets(&model, 0).1, intervals()[1], Readings::none()).unwrap();
        assert_eq!(conditions(&mut disturbed)[5], Condition::Running);
        assert_eq!(disturbed.world(5).steps(), CHUNK as u64);
    }
}

#[test]
fn a_reset_normalises_quaternions() {
    let (_, model) = models().swap_remove(0);
    let mut batch = batch(&model, 2, Isa::detect(), 1);
    let mut position: Vec<f32> = model.rest_position().iter().map(|x| *x as f32).collect();
    position[3..7].copy_from_slice(&[3.0, 0.0, 4.0, 0.0]);
    batch.reset(&[1], &position, &vec![0.0; model.velocity_count()]).unwrap();
    let found = batch.world(1).position();
    assert!((found[3] - 0.6).abs() < 1e-6 && (found[5] - 0.8).abs() < 1e-6, "{:?}", &found[3..7]);
    assert_eq!(batch.world(1).target(), found);
}

#[test]
fn wrong_slices_are_refused_and_change_nothing() {
    let (_, model) = models().swap_remove(0);
    let (nq, nv, no) = (model.position_count(), model.velocity_count(), model.observation_count());
    let mut batch = batch(&model, WORLDS, Isa::detect(), 2);
    let before = one_by_one(&mut batch);
    let length = |what, rows, width, found| Err(BulkError::Length { what, rows, width, found });
    let (mut few, mut many) = (vec![0.0; 3], vec![0.0; WORLDS * no + 1]);
    for (what, width) in [("positions", nq), ("velocities", nv), ("targets", nq), ("torques", nv)] {
        let few = Some(&mut few[..]);
        let readings = match what {
            "positions" => Readings { positions: few, ..Readings::none() },
            "velocities" => Readings { velocities: few, ..Readings::none() },
            "targets" => Readings { targets: few, ..Readings::none() },
            _ => Readings { torques: few, ..Readings::none() },
        };
        assert_eq!(batch.read(readings), length(what, WORLDS, width, 3));
    }
    let readings = Readings { observations: Some(&mut many), ..Readings::none() };
    assert_eq!(batch.read(readings), length("observations", WORLDS, no, WORLDS * no + 1));
    let far = targets(&model, 0).1;
    let mut two = [Condition::Running; 2];
    let readings = Readings { conditions: Some(&mut two), ..Readings::none() };
    assert_eq!(batch.control(&far, Interval::held(5), readings), length("conditions", WORLDS, 1, 2));
    let short = batch.control(&far[1..], Interval::held(5), Readings::none());
    assert_eq!(short, length("targets", WORLDS, nq, WORLDS * nq - 1));
    assert_eq!(batch.control(&far, Interval::held(0), Readings::none()), Err(BulkError::NoSteps));
    let (positions, velocities) = states(&model, &[1, 2]);
    assert_eq!(batch.reset(&[1], &positions, &velocities), length("positions", 1, nq, 2 * nq));
    assert_eq!(batch.reset(&[1, 2], &positions, &velocities[1..]), length("velocities", 2, nv, 2 * nv - 1));
    let none = BulkError::NoWorld { world: WORLDS, count: WORLDS };
    assert_eq!(batch.reset(&[1, WORLDS], &positions, &velocities), Err(none.clone()));
    assert_eq!(batch.reset(&[2, 2], &positions, &velocities), Err(BulkError::Twice(2)));
    assert_eq!(batch.reset(&[], &[], &[]), Ok(()));
    assert!(one_by_one(&mut batch) == before);
    assert_eq!(none.to_string(), "world 19 was to be reset, but the batch has 19, from 0 on");
    let length = BulkError::Length { what: "positions", rows: 2, width: 7, found: 3 };
    assert_eq!(length.to_string(), "the positions of 2 worlds are 2 rows of 7, 14 numbers, but the slice holds 3");
}

/// The paths of [`Interval`] in one world, against the target that it shows step by step.
#[test]
fn targets_are_held_or_arrive_with_the_last_step() {
    let (_, model) = models().swap_remove(1);
    let begin = |interval: Interval, steps: usize| {
        let mut batch = batch(&model, 1, Isa::Reference64, 1);
        batch.world_mut(0).begin_interval(&target(&model, 1, 0), interval);
        batch.step(steps);
        batch.world(0).target()
    };
    let next = target(&model, 1, 0);
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(near(&begin(Interval::held(8), 0), &next) && near(&begin(Interval::held(8), 5), &next));
    for damps_to in [DampsTo::Rest, DampsTo::Target] {
        let half: Vec<f64> = next.iter().zip(model.rest_position()).map(|(a, b)| 0.5 * (a + b)).collect();
        assert!(near(&begin(Interval::ramped(8, damps_to), 0), model.rest_position()));
        assert!(near(&begin(Interval::ramped(8, damps_to), 4), &half));
        assert!(near(&begin(Interval::ramped(8, damps_to), 8), &next));
    }
}

/// A figure in the air whose targets turn all joints at a constant rate: PD that damps towards rest lags behind, PD that damps towards the target does not.
#[test]
fn a_jump_at_the_beginning_of_an_interval_is_that_of_one_world() {
    let (_, model) = models().swap_remove(1);
    let (interval, no) = (Interval::ramped(7, DampsTo::Target), model.observation_count());
    let ((rows_from, from), (rows_to, to)) = (targets(&model, 1), targets(&model, 2));
    let mut single = batch(&model, WORLDS, Isa::detect(), 1);
    for world in 0..WORLDS {
        single.world_mut(world).set_target(&rows_from[world]);
        single.world_mut(world).begin_interval(&rows_to[world], interval);
    }
    single.step(7);
    let mut bulk = batch(&model, WORLDS, Isa::detect(), 2);
    let mut seen = vec![0.0; WORLDS * no];
    bulk.control_from(&from, &to, interval, Readings { observations: Some(&mut seen), ..Readings::none() }).unwrap();
    assert_eq!(one_by_one(&mut bulk), one_by_one(&mut single));
    let mut without = batch(&model, WORLDS, Isa::detect(), 1);
    without.control(&to, interval, Readings::none()).unwrap();
    assert_ne!(one_by_one(&mut bulk), one_by_one(&mut without));
    let error = bulk.control_from(&from[1..], &to, interval, Readings::none()).unwrap_err().to_string();
    assert!(error.starts_with("the targets at the beginning of 19 worlds are 19 rows"), "{error}");
}

#[test]
fn damping_towards_the_target_does_not_lag() {
    let model: Arc<Model> = models().swap_remove(0).1;
    let lag = |damps_to: DampsTo| {
        let mut batch = batch(&model, 1, Isa::Reference64, 1);
        batch.world_mut(0).set_gravity([0.0; 3]);
        let mut high = model.rest_position().to_vec();
        high[2] += 10.0;
        batch.world_mut(0).restore(&Snapshot::new(&high, &vec![0.0; model.velocity_count()]));
        let turned = target(&model, 3, 0);
        batch.world_mut(0).begin_interval(&turned, Interval::ramped(150, damps_to));
        batch.step(150);
        let mut way = vec![0.0; model.velocity_count()];
        model.difference(&batch.world(0).position(), &turned, &mut way);
        way[6..].iter().map(|x| x * x).sum::<f64>().sqrt()
    };
    let (rest, moving) = (lag(DampsTo::Rest), lag(DampsTo::Target));
    assert!(moving < 0.5 * rest, "{moving} against {rest}");
}

/// Reads of one world and of all share one order of numbers.
#[test]
fn rows_are_read_by_name() {
    let (_, model) = models().swap_remove(0);
    let mut batch = batch(&model, 2, Isa::detect(), 1);
    let lift = |mut world: WorldMut<'_>| {
        let mut position = world.as_world().position();
        position[2] += 1.0;
        world.set_position(&position);
    };
    lift(batch.world_mut(1));
    let mut seen = vec![0.0; 2 * model.observation_count()];
    batch.read(Readings { observations: Some(&mut seen), ..Readings::none() }).unwrap();
    let [low, high] = [0, 1].map(|w| Observation::new(&seen[w * seen.len() / 2..(w + 1) * seen.len() / 2]));
    assert!((high.center()[2] - low.center()[2] - 1.0).abs() < 1e-5);
    assert!(low.effectors().zip(high.effectors()).all(|(low, high)| (high[2] - low[2] - 1.0).abs() < 1e-5));
}
