//! From what a file says to one connected skeleton with bones of constant length, in metres and `z` up.
//!
//! Everything is done on world transforms: a joint keeps the orientation that the source gives it in the world (without scale), whatever its
//! parent becomes, and local rotations are derived anew along the repaired tree. Each step is one file of this folder and writes what
//! it did into the [`Report`].

mod adopt_clips;
mod check;
mod clips;
mod constant_length;
mod first_frame;
mod ground_root;
mod helpers;
mod limb_reach;
mod limbs;
mod loose_limbs;
pub mod names;
mod source;
mod tree;
mod units;
mod up_axis;
mod zero_length;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use adopt_clips::{adopt_clips, fits_by_name};

use crate::raw::RawRig;
use crate::{ImportOptions, ReadError, Report, Rig, Skeleton, SourceFrame};
use source::Source;
use tree::Tree;

/// Makes a skeleton and its clips of what `file` says.
///
/// Fails where the file has no joints, holds numbers that are not finite, or `options` are senseless; what can be repaired is told in
/// [`Rig::report`].
pub fn repair(mut raw: RawRig, options: &ImportOptions, file: &str) -> Result<Rig, ReadError> {
    check::check(&raw, options, file)?;
    let mut report = Report { repairs: std::mem::take(&mut raw.notes), ..Report::default() };
    let first_frames = first_frame::first_frames(&raw, &mut report);
    let source = Source::sample(&raw, &first_frames);

    let mut tree = Tree::new(&raw);
    helpers::drop_helpers(&mut tree, &source, &mut report);
    let loose = loose_limbs::reattach(&mut tree, &source, &mut report);
    ground_root::merge(&mut tree, &source, &mut report);
    let up = up_axis::choose(&raw, &tree, &source, options, &mut report);
    zero_length::merge(&mut tree, &source, up, &mut report);
    let metres_per_unit = units::choose(&raw, &tree, &source, up, options, file, &mut report)?;

    let frame = SourceFrame { up, metres_per_unit };
    let skeleton = constant_length::skeleton(&raw, &tree, &source, frame, &loose, &mut report);
    let clips = clips::build(&raw, &first_frames, &tree, &skeleton, &mut report);
    let rig = Rig { format: raw.format, skeleton, clips, repeats: raw.repeats, report };
    check::check_result(&rig, file)?;
    Ok(rig)
}

/// Whether the names of the joints are those of a person.
pub(crate) fn is_person(skeleton: &Skeleton) -> bool {
    let words: Vec<Vec<String>> = skeleton.joints.iter().map(|joint| names::words(&joint.name)).collect();
    names::is_humanoid(words.iter().map(Vec::as_slice))
}
