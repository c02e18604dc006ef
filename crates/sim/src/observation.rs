//! What an observer sees of a world, by name: the centre of mass, the end effectors, and how they move.
//!
//! An observation is a row of numbers, as [`crate::World::read_observation`] writes it. With n end effectors it has 6 + 6·n of them, all in world
//! axes:
//!
//! | what | numbers | unit |
//! |---|---|---|
//! | centre of mass of all that moves | 3 | m |
//! | its velocity | 3 | m/s |
//! | each end effector | 3·n | m |
//! | each end effector's velocity | 3·n | m/s |
//!
//! [`Observation`] reads such a row; [`ObservationLayout`] says where its parts lie, for code that needs the indices (rows of a matrix of slopes, for
//! instance). End effectors have the order of [`Model::end_effectors`].

use crate::model::Model;
use std::ops::Range;

/// Numbers before the first end effector.
const BEFORE_EFFECTORS: usize = 6;

/// Where the parts of an observation lie in its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservationLayout {
    effectors: usize,
}

impl ObservationLayout {
    /// The layout with so many end effectors.
    pub const fn new(effectors: usize) -> ObservationLayout {
        ObservationLayout { effectors }
    }
    /// Numbers in the row: 6 + 6·n.
    pub const fn count(self) -> usize {
        BEFORE_EFFECTORS + 6 * self.effectors
    }
    /// How many end effectors there are.
    pub const fn effector_count(self) -> usize {
        self.effectors
    }
    /// Indices of the centre of mass.
    pub const fn center(self) -> Range<usize> {
        0..3
    }
    /// Indices of the centre of mass's velocity.
    pub const fn center_velocity(self) -> Range<usize> {
        3..BEFORE_EFFECTORS
    }
    /// Indices of all end effectors.
    pub const fn effectors(self) -> Range<usize> {
        BEFORE_EFFECTORS..BEFORE_EFFECTORS + 3 * self.effectors
    }
    /// Indices of all end effectors' velocities.
    pub const fn effector_velocities(self) -> Range<usize> {
        BEFORE_EFFECTORS + 3 * self.effectors..self.count()
    }
    /// Indices of one end effector.
    pub const fn effector(self, effector: usize) -> Range<usize> {
        let first = BEFORE_EFFECTORS + 3 * effector;
        first..first + 3
    }
    /// Indices of one end effector's velocity.
    pub const fn effector_velocity(self, effector: usize) -> Range<usize> {
        self.effector(self.effectors + effector)
    }
}

/// A row of numbers read as an observation; `S` is `f64` or `f32`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation<'a, S> {
    values: &'a [S],
    layout: ObservationLayout,
}

impl<'a, S: Copy> Observation<'a, S> {
    /// Reads a whole row.
    ///
    /// # Panics
    /// When no number of end effectors gives a row of this length.
    pub fn new(values: &'a [S]) -> Observation<'a, S> {
        let layout = ObservationLayout::new(values.len().saturating_sub(BEFORE_EFFECTORS) / 6);
        assert_eq!(values.len(), layout.count(), "an observation takes 6 numbers and 6 for each end effector");
        Observation { values, layout }
    }
    /// Where its parts lie.
    pub fn layout(&self) -> ObservationLayout {
        self.layout
    }
    /// The row itself.
    pub fn values(&self) -> &'a [S] {
        self.values
    }
    /// Centre of mass of all that moves, m.
    pub fn center(&self) -> [S; 3] {
        self.three(self.layout.center())
    }
    /// Velocity of the centre of mass, m/s.
    pub fn center_velocity(&self) -> [S; 3] {
        self.three(self.layout.center_velocity())
    }
    /// How many end effectors there are.
    pub fn effector_count(&self) -> usize {
        self.layout.effector_count()
    }
    /// Place of an end effector, m.
    ///
    /// # Panics
    /// When there is no such end effector, as in [`Observation::effector_velocity`].
    pub fn effector(&self, effector: usize) -> [S; 3] {
        assert!(effector < self.effector_count(), "end effector {effector} of {}", self.effector_count());
        self.three(self.layout.effector(effector))
    }
    /// Velocity of an end effector, m/s.
    pub fn effector_velocity(&self, effector: usize) -> [S; 3] {
        assert!(effector < self.effector_count(), "end effector {effector} of {}", self.effector_count());
        self.three(self.layout.effector_velocity(effector))
    }
    /// Places of all end effectors, m.
    pub fn effectors(&self) -> impl ExactSizeIterator<Item = [S; 3]> + use<'a, S> {
        self.values[self.layout.effectors()].chunks_exact(3).map(|p| [p[0], p[1], p[2]])
    }
    /// Velocities of all end effectors, m/s.
    pub fn effector_velocities(&self) -> impl ExactSizeIterator<Item = [S; 3]> + use<'a, S> {
        self.values[self.layout.effector_velocities()].chunks_exact(3).map(|v| [v[0], v[1], v[2]])
    }

    fn three(&self, range: Range<usize>) -> [S; 3] {
        let [x, y, z] = self.values[range] else { unreachable!("a range of three numbers") };
        [x, y, z]
    }
}

impl Model {
    /// Where the parts of an observation of this model lie.
    pub fn observation_layout(&self) -> ObservationLayout {
        ObservationLayout::new(self.end_effectors.len())
    }
    /// Length of an observation.
    pub fn observation_count(&self) -> usize {
        self.observation_layout().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Batch, BatchOptions, Isa, Scene, embedded};
    use std::sync::Arc;

    #[test]
    fn every_number_has_one_name() {
        let layout = ObservationLayout::new(3);
        let mut names = vec![0; layout.count()];
        let ranges = [layout.center(), layout.center_velocity(), layout.effectors(), layout.effector_velocities()];
        ranges.into_iter().flatten().for_each(|i| names[i] += 1);
        (0..3).flat_map(|e| [layout.effector(e), layout.effector_velocity(e)]).flatten().for_each(|i| names[i] += 10);
        assert_eq!(names[..6], [1; 6]);
        assert!(names[6..].iter().all(|n| *n == 11), "{names:?}");
    }

    #[test]
    fn it_reads_what_the_measurement_says() {
        let model = Arc::new(Model::new(&Scene::on_ground(embedded::dinosaur()), 0.002).unwrap());
        let mut batch = Batch::new(&model, 1, BatchOptions { isa: Isa::Reference64, threads: 1 }).unwrap();
        let velocity: Vec<f64> = (0..model.velocity_count()).map(|i| 0.3 * libm::sin(i as f64)).collect();
        batch.world_mut(0).set_velocity(&velocity);
        batch.observe();
        let mut row = vec![0.0; model.observation_count()];
        batch.world(0).read_observation(&mut row);
        let seen = Observation::new(&row);
        // The velocities as the change of the places in a moment, too short to turn.
        let moment = 1e-6;
        let (before, mut later) = (batch.world(0).measure(), model.rest_position().to_vec());
        model.displace(model.rest_position(), &velocity, moment, &mut later);
        batch.world_mut(0).set_position(&later);
        let after = batch.world(0).measure();
        let near = |a: [f64; 3], b: [f64; 3], bound: f64| (0..3).all(|k| (a[k] - b[k]).abs() < bound);
        let rate = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| (b[k] - a[k]) / moment);
        assert!(near(seen.center(), before.center_of_mass, 1e-12));
        assert!(near(seen.center_velocity(), rate(before.center_of_mass, after.center_of_mass), 1e-5));
        assert!(seen.effector_count() == before.end_effectors.len() && seen.effector_count() > 3);
        for e in 0..seen.effector_count() {
            assert!(near(seen.effector(e), before.end_effectors[e], 1e-12));
            let velocity = rate(before.end_effectors[e], after.end_effectors[e]);
            assert!(near(seen.effector_velocity(e), velocity, 1e-5), "{velocity:?} {:?}", seen.effector_velocity(e));
        }
        assert!(seen.effectors().enumerate().all(|(e, place)| place == seen.effector(e)));
        assert!(seen.effector_velocities().enumerate().all(|(e, velocity)| velocity == seen.effector_velocity(e)));
    }

    #[test]
    fn single_precision_reads_alike() {
        let row: Vec<f32> = (0..12).map(|i| i as f32).collect();
        let seen = Observation::new(&row);
        assert_eq!((seen.center_velocity(), seen.effector(0)), ([3.0, 4.0, 5.0], [6.0, 7.0, 8.0]));
        assert_eq!((seen.effector_velocity(0), seen.values().len()), ([9.0, 10.0, 11.0], 12));
    }

    #[test]
    #[should_panic(expected = "6 numbers and 6 for each end effector")]
    fn part_of_a_row_is_none() {
        Observation::new(&[0.0; 9]);
    }
}
