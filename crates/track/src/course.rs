//! The motion that a simulated body follows while a generator makes it: the present frame, the one before, and those ahead.

use sinew_learn::{Generator, GeneratorState, GroundTransform, Intent, Objective};

/// Where a character is in the motion that it follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The motion in the present frame.
    pub motion: GeneratorState,
    /// `qpos` of the frame before.
    before: Vec<f64>,
}

impl Course {
    /// Begins a motion at the origin, looking along x; each `seed` gives another moment of it. The clock begins at zero.
    pub fn start(generator: &dyn Generator, seed: u64) -> Course {
        let mut motion = generator.start(seed);
        let before = motion.qpos.clone();
        generator.step(&mut motion, &Objective::default());
        motion.frame = 0;
        Course { motion, before }
    }

    /// `qpos` of the frame before the present one.
    pub fn before(&self) -> &[f64] {
        &self.before
    }

    /// The frame before the present one, the present one, and `ahead` that the generator predicts.
    pub fn window(&self, generator: &dyn Generator, objective: &Objective, ahead: usize) -> Vec<Vec<f64>> {
        let mut state = self.motion.clone();
        let mut rows = vec![self.before.clone(), self.motion.qpos.clone()];
        for _ in 0..ahead {
            generator.step(&mut state, objective);
            rows.push(state.qpos.clone());
        }
        rows
    }

    /// Goes on by a frame. Returns the objective that was pursued.
    pub fn step(&mut self, generator: &dyn Generator, objective: &Objective) -> Intent {
        self.before.copy_from_slice(&self.motion.qpos);
        generator.step(&mut self.motion, objective)
    }

    /// Goes on with the same motion at another place on the ground: its root is at `place` now.
    pub fn move_to(&mut self, generator: &dyn Generator, place: [f64; 2]) {
        let here = &self.motion.qpos;
        let shift = GroundTransform { x: place[0] - here[0], y: place[1] - here[1], yaw: 0.0 };
        self.transform(generator, &shift);
    }

    /// The same, moved and turned as a whole.
    pub fn transform(&mut self, generator: &dyn Generator, by: &GroundTransform) {
        by.move_root(&mut self.before);
        generator.move_ground(&mut self.motion, by);
    }

    /// Goes on from the pose of a body, wherever the motion was: the generator looks for the nearest frame.
    pub fn resume_from(&mut self, generator: &dyn Generator, position: &[f64], velocity: &[f64]) {
        self.before.copy_from_slice(position);
        generator.set_pose(&mut self.motion, position, velocity);
    }
}
