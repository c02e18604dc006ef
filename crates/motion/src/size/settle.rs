//! Which size a rig gets: the user's, the file's, or the motion's.

use super::{SizeEstimate, SizeOptions, estimate_size};
use crate::tools::ToolError;
use crate::{ImportOptions, Rig};
use serde::Serialize;

/// Whether the clips may overrule the size of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SizeRule {
    /// Where they are sure, and the file's size does not fit them.
    #[default]
    Judged,
    /// Never.
    File,
    /// Always, where they say anything.
    Motion,
}

/// Where a size comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SizeFrom {
    /// From the file, or from what is usual where the file's cannot be.
    #[default]
    File,
    /// From its clips.
    Motion,
    /// From the user.
    User,
}

/// The size that was settled on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sizing {
    /// Where it comes from.
    pub from: SizeFrom,
    /// What the clips say.
    pub estimate: SizeEstimate,
}

/// Asks the clips of a rig for its size and resizes it where they decide, which a sentence of its report then says.
///
/// # Errors
/// Where a clip does not fit the skeleton.
pub fn settle_size(rig: &mut Rig, read: &ImportOptions, options: &SizeOptions) -> Result<Sizing, ToolError> {
    let estimate = estimate_size(rig, options)?;
    let SizeEstimate { file_height_m, height_m, .. } = estimate;
    let from = match read.size {
        _ if read.scale.is_some() || read.height.is_some() => SizeFrom::User,
        SizeRule::Motion if !estimate.votes.is_empty() => SizeFrom::Motion,
        SizeRule::Judged if estimate.contradicts_file => SizeFrom::Motion,
        _ => SizeFrom::File,
    };
    if from == SizeFrom::Motion && file_height_m > 0.0 {
        rig.resize(height_m / file_height_m);
        rig.report.repairs.push(format!(
            "The file says {file_height_m:.2} m, but its clips move as a figure of {height_m:.2} m does (within a factor of {:.1}), so it is taken to be that tall; \
             give a height, or ask for the file's size, to overrule.",
            estimate.within_factor
        ));
    }
    Ok(Sizing { from, estimate })
}
