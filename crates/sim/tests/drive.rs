//! Worlds driven interval by interval against worlds stepped by hand.

use crate::worlds::*;
use sinew_sim::{Batch, DampsTo, Driver, Interval, Isa, Model, Status, World, WorldMut};
use std::ops::ControlFlow;
use std::sync::Arc;

const WORLDS: usize = 5;
const INTERVALS: usize = 6;
const STEPS: usize = 8;

/// Scripted targets; some worlds are given up early, some are pushed.
struct Script {
    model: Arc<Model>,
    watches: bool,
    decided: Vec<Vec<usize>>,
    steps: Vec<[Vec<usize>; 2]>,
    /// Heights of the centre of mass when it decided.
    seen: Vec<f64>,
}

impl Script {
    fn new(model: &Arc<Model>, watches: bool) -> Script {
        let (decided, steps) = (vec![Vec::new(); WORLDS], vec![[Vec::new(), Vec::new()]; WORLDS]);
        Script { model: model.clone(), watches, decided, steps, seen: Vec::new() }
    }
}

/// World 2 is given up after three intervals.
fn ends(interval: usize, index: usize) -> bool {
    index == 2 && interval == 3
}

impl Driver for Script {
    fn decide(&mut self, interval: usize, index: usize, world: &mut WorldMut<'_>, next: &mut [f64]) -> ControlFlow<()> {
        self.decided[index].push(interval);
        let mut seen = vec![0.0; 6];
        world.as_world().read_observation(&mut seen);
        self.seen.push(seen[2]);
        if ends(interval, index) {
            return ControlFlow::Break(());
        }
        // World 3 keeps what it had from its second interval on.
        if index != 3 || interval < 2 {
            let row = target(&self.model, index as u64, interval + 1);
            next.copy_from_slice(&row);
        }
        ControlFlow::Continue(())
    }
    fn watches_steps(&self) -> bool {
        self.watches
    }
    fn before_step(&mut self, step: usize, index: usize, world: &mut WorldMut<'_>) {
        self.steps[index][0].push(step);
        if step == 11 {
            world.add_torque(0, [0.0, 40.0, 0.0]);
        }
        if step == 19 {
            world.clear_forces();
        }
    }
    fn after_step(&mut self, step: usize, index: usize, world: &World<'_>) {
        self.steps[index][1].push(step);
        assert_eq!(world.steps(), step as u64 + 1);
    }
}

fn started(model: &Arc<Model>, isa: Isa, threads: usize) -> Batch {
    let mut batch = batch(model, WORLDS, isa, threads);
    (0..WORLDS).for_each(|w| begin(&mut batch, w, w as u64));
    // World 4 takes no part.
    batch.world_mut(4).stop();
    batch
}

/// What a drive promises, one world at a time.
fn by_hand(model: &Arc<Model>, interval: Interval, pushes: bool) -> Vec<Vec<u32>> {
    let mut batch = started(model, Isa::detect(), 1);
    let mut rows: Vec<Vec<f64>> = (0..WORLDS).map(|w| batch.world(w).target()).collect();
    for now in 0..INTERVALS {
        for (w, row) in rows.iter_mut().enumerate().take(4) {
            if ends(now, w) {
                batch.world_mut(w).stop();
            }
            let next = if w == 3 && now >= 2 { row.clone() } else { target(model, w as u64, now + 1) };
            batch.world_mut(w).set_target(row);
            batch.world_mut(w).begin_interval(&next, interval);
            *row = next;
        }
        for step in now * STEPS..(now + 1) * STEPS {
            for w in 0..4 {
                match step {
                    11 if pushes => batch.world_mut(w).add_torque(0, [0.0, 40.0, 0.0]),
                    19 if pushes => batch.world_mut(w).clear_forces(),
                    _ => {}
                }
            }
            batch.step(1);
        }
    }
    states(&batch)
}

#[test]
fn a_drive_is_intervals_stepped_by_hand() {
    let (_, model) = models().swap_remove(0);
    let ramped = |damps_to| Interval::ramped(STEPS, damps_to);
    for interval in [Interval::held(STEPS), ramped(DampsTo::Rest), ramped(DampsTo::Target)] {
        for watches in [false, true] {
            let expected = by_hand(&model, interval, watches);
            for (isa, threads) in isas().into_iter().zip([1, 3, 2]) {
                let (mut batch, mut script) = (started(&model, isa, threads), Script::new(&model, watches));
                batch.drive(interval, INTERVALS, &mut script);
                assert!(states(&batch) == expected, "{interval:?} on {}, every step {watches}", isa.name());
                let all: Vec<usize> = (0..=INTERVALS).collect();
                assert_eq!(script.decided, [all.clone(), all.clone(), vec![0, 1, 2, 3], all, vec![]]);
                let steps = |intervals: usize| (0..intervals * STEPS).collect::<Vec<_>>();
                for (w, count) in [(0, INTERVALS), (2, 3), (4, 0)] {
                    let expected = if watches { steps(count) } else { Vec::new() };
                    assert_eq!(script.steps[w], [expected.clone(), expected]);
                }
                assert_eq!((batch.world(0).status(), batch.world(2).status()), (Status::Running, Status::Stopped));
                assert!(script.seen.iter().all(|height| *height > 0.1), "it is observed before it decides");
            }
        }
    }
}

/// Gives up at once.
struct Never(usize);

impl Driver for Never {
    fn decide(&mut self, _: usize, _: usize, _: &mut WorldMut<'_>, _: &mut [f64]) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Break(())
    }
}

#[test]
fn a_drive_ends_when_no_world_is_left() {
    let (mut batch, mut never) = (started(&models().swap_remove(0).1, Isa::detect(), 1), Never(0));
    batch.drive(Interval::held(STEPS), usize::MAX, &mut never);
    assert_eq!((never.0, batch.world(0).steps()), (4, 0));
}
