//! Inverse kinematics of a whole clip: a skeleton's motion in the coordinates of its character, and back.
//!
//! Frame by frame: the angles that the source itself has, in closed form (`guess.rs`), then damped least squares on end effectors, root and
//! poses within the joints' limits (`solver.rs`). What the solver corrects is kept smooth in time, not the motion: a correction
//! `e = q ⊖ guess` is pulled towards that of the frame before, and in later passes towards those of both neighbours, so nothing lags behind
//! the source and a motion that the character can do comes back exactly. Bursts that remain are bridged (`speed.rs`).
//! Start reading at [`fit_clip`].

mod branch_factor;
mod coordinates;
mod error;
mod fitted;
mod guess;
mod options;
mod rotation_vector;
mod solver;
mod speed;
mod targets;
#[cfg(test)]
mod test_rigs;
#[cfg(test)]
mod tests;
mod to_clip;
mod tree;

pub use error::IkError;
pub use fitted::{FitErrors, FittedClip};
pub use options::IkOptions;
pub use to_clip::fitted_to_clip;

use crate::binding::Binding;
use fitted::ErrorMeter;
use sinew_motion::skeleton::Placed;
use sinew_motion::{Clip, Skeleton};
use sinew_sim::Character;
use solver::{Pull, Solver};
use speed::SourceSpeeds;
use targets::{Targets, check_clip, place_joints};
use tree::Tree;

/// The first frame starts from the guess alone and may take this many times the steps of the others.
const FIRST_FRAME_PATIENCE: usize = 10;

/// Lays a clip of the rig that the character was made from onto the character.
///
/// The clip may be any that moves the skeleton's bound joints, which are found by name. Limits hold in every frame. The same input gives the
/// same bits on every machine.
pub fn fit_clip(
    character: &Character,
    binding: &Binding,
    skeleton: &Skeleton,
    clip: &Clip,
    options: &IkOptions,
) -> Result<FittedClip, IkError> {
    if let Some((name, value, range)) = options.fault() {
        return Err(IkError::Option { name, value, range });
    }
    let tree = Tree::new(character)?;
    let targets = Targets::new(character, &tree, binding, skeleton, options)?;
    check_clip(skeleton, clip)?;

    let mut fit = Fit::new(&tree, &targets, skeleton, clip, options);
    let mut speeds = SourceSpeeds::new(&tree, &targets);
    fit.guess_all(&mut speeds);
    // Jumps of the guess, where the source leaves an angle open or a limit turns it round, would be jumps of the solution.
    let allowed = speeds.allowed(&tree, clip.rate_hz, options.speed_ratio);
    speed::bridge(&tree, &mut fit.guesses, &allowed);
    fit.positions.copy_from_slice(&fit.guesses);
    for sweep in 0..options.sweeps {
        fit.sweep(sweep);
    }
    speed::bridge(&tree, &mut fit.positions, &allowed);
    fit.align_signs();

    let errors = fit.errors(&speeds);
    let positions = fit.positions;
    let (name, rate_hz, position_count) = (clip.name.clone(), clip.rate_hz, tree.position_count);
    Ok(FittedClip { name, rate_hz, position_count, positions, errors, tree })
}

/// A clip being fitted.
struct Fit<'a> {
    tree: &'a Tree,
    targets: &'a Targets,
    skeleton: &'a Skeleton,
    clip: &'a Clip,
    options: &'a IkOptions,
    solver: Solver<'a>,
    /// `qpos` of the closed form: frame × coordinate.
    guesses: Vec<f64>,
    /// `qpos` of the solution: frame × coordinate.
    positions: Vec<f64>,
    /// `positions ⊖ guesses`: frame × degree of freedom.
    corrections: Vec<f64>,
    /// Places of the skeleton's joints in the frame at hand.
    joints: Vec<Placed>,
}

impl<'a> Fit<'a> {
    fn new(
        tree: &'a Tree,
        targets: &'a Targets,
        skeleton: &'a Skeleton,
        clip: &'a Clip,
        options: &'a IkOptions,
    ) -> Self {
        let frames = clip.frame_count();
        Fit {
            tree,
            targets,
            skeleton,
            clip,
            options,
            solver: Solver::new(tree, targets),
            guesses: vec![0.0; frames * tree.position_count],
            positions: vec![0.0; frames * tree.position_count],
            corrections: vec![0.0; frames * tree.velocity_count],
            joints: Vec::with_capacity(skeleton.joints.len()),
        }
    }

    /// The closed form for every frame.
    fn guess_all(&mut self, speeds: &mut SourceSpeeds) {
        let nq = self.tree.position_count;
        let (mut orientations, mut placed) = (Vec::new(), Vec::new());
        for frame in 0..self.clip.frame_count() {
            place_joints(self.skeleton, self.clip, frame, &mut self.joints);
            self.targets.orientations(&self.joints, &mut orientations);
            speeds.add(self.targets, &orientations);
            let (done, rest) = self.guesses.split_at_mut(frame * nq);
            let before = (frame > 0).then(|| &done[(frame - 1) * nq..]);
            let q = &mut rest[..nq];
            guess::guess(self.tree, self.targets, &self.joints, &orientations, before, q, &mut placed);
        }
    }

    /// Solves every frame once: forward in even sweeps, backward in odd ones.
    fn sweep(&mut self, sweep: usize) {
        let (frames, nq, nv) = (self.clip.frame_count(), self.tree.position_count, self.tree.velocity_count);
        let edge = self.options.smoothing_secs * self.clip.rate_hz;
        let edge = edge * edge;
        let mut reference = vec![0.0; nq];
        let mut pulled = vec![0.0; nv];
        for k in 0..frames {
            let frame = if sweep % 2 == 0 { k } else { frames - 1 - k };
            // The mean correction of the neighbours that are solved already.
            let has_next = sweep > 0 && frame + 1 < frames;
            let neighbours = [frame.checked_sub(1), has_next.then_some(frame + 1)];
            let count = neighbours.iter().flatten().count();
            pulled.fill(0.0);
            for &n in neighbours.iter().flatten() {
                for (sum, e) in pulled.iter_mut().zip(&self.corrections[n * nv..(n + 1) * nv]) {
                    *sum += e / count as f64;
                }
            }
            let guess = &self.guesses[frame * nq..(frame + 1) * nq];
            reference.copy_from_slice(guess);
            self.tree.advance(&mut reference, &pulled);
            self.tree.project(&mut reference);

            let q = &mut self.positions[frame * nq..(frame + 1) * nq];
            if sweep == 0 {
                q.copy_from_slice(&reference);
            }
            place_joints(self.skeleton, self.clip, frame, &mut self.joints);
            self.solver.aim(&self.joints);
            let pull = Pull { reference: &reference, weight: count as f64 * edge };
            let patience = if sweep == 0 && frame == 0 { FIRST_FRAME_PATIENCE } else { 1 };
            self.solver.solve(q, pull, patience * self.options.iterations, self.options.tolerance);
            self.tree.difference(guess, q, &mut self.corrections[frame * nv..(frame + 1) * nv]);
        }
    }

    fn align_signs(&mut self) {
        let nq = self.tree.position_count;
        for frame in 1..self.clip.frame_count() {
            let (done, rest) = self.positions.split_at_mut(frame * nq);
            self.tree.align_signs(&mut rest[..nq], &done[(frame - 1) * nq..]);
        }
    }

    fn errors(&mut self, speeds: &SourceSpeeds) -> FitErrors {
        let nq = self.tree.position_count;
        let mut meter = ErrorMeter::new(self.tree, self.targets, self.clip.rate_hz);
        for frame in 0..self.clip.frame_count() {
            place_joints(self.skeleton, self.clip, frame, &mut self.joints);
            let before = (frame > 0).then(|| &self.positions[(frame - 1) * nq..frame * nq]);
            meter.add(&self.joints, before, &self.positions[frame * nq..(frame + 1) * nq]);
        }
        meter.finish(&speeds.largest_turns)
    }
}
