//! Inverse kinematics of a whole clip: a skeleton's motion in the coordinates of its character, and back.
//!
//! Frame by frame: the angles that the source itself has, in closed form (`guess.rs`), then damped least squares on end effectors, root and
//! poses within the joints' limits (`solver.rs`). What the solver corrects is kept smooth in time, not the motion: a correction
//! `e = q ⊖ guess` is pulled towards that of the frame before, and in later passes towards those of both neighbours, so nothing lags behind
//! the source and a motion that the character can do comes back exactly (`sweep.rs`). Bursts of speed that the source does not have, as of a
//! knee near its stretch, are solved again with stiffer corrections, and those that remain are bridged (`speed.rs`).
//! Start reading at [`fit_clip`].

mod branch_factor;
mod coordinates;
mod error;
mod fitted;
mod guess;
mod options;
mod points;
mod rotation_vector;
mod solver;
mod speed;
mod sweep;
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
pub use points::{BodyPoint, PointIk, PointSolver, PointWeights};
pub use to_clip::fitted_to_clip;

use crate::binding::Binding;
use sinew_motion::tools::Plants;
use sinew_motion::{Clip, Skeleton};
use sinew_sim::Character;
use speed::SourceSpeeds;
use sweep::{Fit, Pass, Source};
use targets::{Targets, check_clip};
use tree::Tree;

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
    fit(character, binding, skeleton, clip, None, options)
}

/// [`fit_clip`] with the feet displaced so that they stand where they stand.
pub fn fit_planted_clip(
    character: &Character,
    binding: &Binding,
    skeleton: &Skeleton,
    clip: &Clip,
    plants: &Plants,
    options: &IkOptions,
) -> Result<FittedClip, IkError> {
    fit(character, binding, skeleton, clip, Some(plants), options)
}

fn fit(
    character: &Character,
    binding: &Binding,
    skeleton: &Skeleton,
    clip: &Clip,
    plants: Option<&Plants>,
    options: &IkOptions,
) -> Result<FittedClip, IkError> {
    if let Some((name, value, range)) = options.fault() {
        return Err(IkError::Option { name, value, range });
    }
    let tree = Tree::new(character)?;
    let targets = Targets::new(character, &tree, binding, skeleton, options)?;
    check_clip(skeleton, clip)?;

    let mut fit = Fit::new(&tree, &targets, Source { skeleton, clip, plants }, options);
    let mut speeds = SourceSpeeds::new(&tree, &targets);
    fit.guess_all(&mut speeds);
    // Jumps of the guess, where the source leaves an angle open or a limit turns it round, would be jumps of the solution.
    let allowed = speeds.allowed(&tree, clip.rate_hz, options.speed_ratio);
    speed::bridge(&tree, &mut fit.guesses, &allowed);
    fit.positions.copy_from_slice(&fit.guesses);
    for pass in 0..options.sweeps {
        fit.sweep(Pass::of(pass), 0..clip.frame_count());
    }
    fit.calm_bursts(&allowed);
    let bridged_frames = speed::bridge(&tree, &mut fit.positions, &allowed);
    fit.align_signs();

    let errors = FitErrors { bridged_frames, ..fit.errors(&speeds) };
    let positions = fit.positions;
    let (name, rate_hz, frames) = (clip.name.clone(), clip.rate_hz, clip.frame_count());
    Ok(FittedClip { name, rate_hz, position_count: tree.position_count, positions, errors, frames, tree })
}
