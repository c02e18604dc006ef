//! A few worlds driven through control intervals, with a look at each: decide, step, observe, judge.

use crate::batch::Batch;
use crate::control::{Interval, Track};
use crate::world::{Status, World, WorldMut};
use std::ops::ControlFlow;

/// Decides for worlds and judges them; see [`Batch::drive`].
pub trait Driver {
    /// At the beginning of interval `interval` of world `index`, and once more at the end of the last one, where the target is not needed any
    /// more: judges what has come of the world, and writes its next PD target in `qpos` order, over the one before. `Break` ends this world's drive and
    /// stops it.
    ///
    /// A world that diverges stands still, and is decided for until the driver breaks off.
    fn decide(
        &mut self,
        interval: usize,
        index: usize,
        world: &mut WorldMut<'_>,
        target: &mut [f64],
    ) -> ControlFlow<()>;

    /// Whether [`World::read_observation`] is up to date when it decides; unless said otherwise it is.
    fn observes(&self) -> bool {
        true
    }

    /// Whether [`Driver::before_step`] and [`Driver::after_step`] are called; unless said otherwise they are not, and an interval is stepped at once.
    fn watches_steps(&self) -> bool {
        false
    }

    /// Before each step, counted from zero on: to push a world, for instance.
    fn before_step(&mut self, _step: usize, _index: usize, _world: &mut WorldMut<'_>) {}

    /// After each step, with the same number.
    fn after_step(&mut self, _step: usize, _index: usize, _world: &World<'_>) {}
}

impl Batch {
    /// Drives all worlds that are not stopped through so many intervals, or until the driver has broken off with each of them. The first interval
    /// begins at the present PD targets.
    pub fn drive(&mut self, interval: Interval, intervals: usize, driver: &mut dyn Driver) {
        let track = |index: usize| {
            let world = self.world(index);
            (world.status() != Status::Stopped).then(|| Track::at(&world))
        };
        let mut tracks: Vec<Option<Track>> = (0..self.len()).map(track).collect();
        for now in 0..=intervals {
            if driver.observes() {
                self.observe();
            }
            for (index, slot) in tracks.iter_mut().enumerate() {
                let Some(track) = slot else { continue };
                let mut world = self.world_mut(index);
                let decide = |world: &mut WorldMut<'_>, next: &mut [f64]| driver.decide(now, index, world, next);
                if track.begin(&mut world, interval, decide).is_break() {
                    world.stop();
                    *slot = None;
                }
            }
            if now == intervals || tracks.iter().all(Option::is_none) {
                break;
            }
            if !driver.watches_steps() {
                self.step(interval.steps);
                continue;
            }
            for step in now * interval.steps..(now + 1) * interval.steps {
                let driven = |slot: &(usize, &Option<Track>)| slot.1.is_some();
                for (index, _) in tracks.iter().enumerate().filter(driven) {
                    driver.before_step(step, index, &mut self.world_mut(index));
                }
                self.step(1);
                for (index, _) in tracks.iter().enumerate().filter(driven) {
                    driver.after_step(step, index, &self.world(index));
                }
            }
        }
    }
}
