//! Why a clip cannot be taken.

use sinew_motion::tools::{ClipNameError, ToolError};

/// Most names that an error lists.
const MOST_LISTED: usize = 30;

/// Why a clip cannot be taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClipError {
    /// The file has no clips.
    #[error("{file}: the file has no clips; add the clips of another file")]
    None {
        /// Name of the file or character.
        file: String,
    },
    /// The file has several clips, and none was named.
    #[error("{file} has several clips: {}; name one", listed(.names))]
    Several {
        /// Name of the file or character.
        file: String,
        /// Names of the clips.
        names: Vec<String>,
    },
    /// A name leads to no clip, or to several.
    #[error(transparent)]
    Name(ClipNameError),
    /// A name such as `jump+` joins a clip and nothing.
    #[error("clip {name:?}: a name is missing beside a +")]
    MissingPart {
        /// What was asked for.
        name: String,
    },
    /// Clips cannot be joined.
    #[error("clip {name:?}: {error}")]
    Join {
        /// What was asked for.
        name: String,
        /// Why not.
        error: ToolError,
    },
    /// A clip that should be repeated does not end as it began.
    #[error(
        "{clip}: its end is {:.0} degrees and {:.1} cm of height from its beginning, so it is no cycle that could be repeated; take it once, or crop it to a cycle",
        .seam_rad.to_degrees(), 100.0 * .seam_m
    )]
    NoCycle {
        /// The clip.
        clip: String,
        /// Largest angle of a joint between its end and its beginning, rad.
        seam_rad: f64,
        /// Difference of the root's heights, m.
        seam_m: f64,
    },
    /// No cycles are asked for.
    #[error("0 cycles leave nothing; give 1 or more")]
    NoCycles,
}

fn listed(names: &[String]) -> String {
    let mut list: Vec<String> = names.iter().take(MOST_LISTED).map(|name| format!("`{name}`")).collect();
    let last = list.pop().unwrap_or_default();
    let more = names.len().saturating_sub(MOST_LISTED);
    let last = if more > 0 { format!("{last} and {more} more") } else { last };
    list.push(last);
    list.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_of_clips_are_cut() {
        let several = |count: usize| {
            let names = (0..count).map(|index| index.to_string()).collect();
            ClipError::Several { file: "x".into(), names }.to_string()
        };
        assert_eq!(several(2), "x has several clips: `0`, `1`; name one");
        assert!(several(32).ends_with("`28`, `29` and 2 more; name one"));
    }
}
