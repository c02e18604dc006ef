//! Why a character cannot be brought to life.

use std::path::PathBuf;

/// Why a character cannot be brought to life.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BringError {
    /// It cannot go anywhere.
    #[error(
        "{character}: none of the clips {} is a gait that it could move about with; add one that travels in a cycle, such as a walk or a run, with that in its name", clips.join(", ")
    )]
    NoGait {
        /// The character.
        character: String,
        /// The clips that there are.
        clips: Vec<String>,
    },
    /// Not one clip can be simulated.
    #[error("{character}: not one of its clips can be simulated; the first, {clip}: {why}; look at its report in {}", report.display())]
    AllFailed {
        /// The character.
        character: String,
        /// The first clip.
        clip: String,
        /// What is wrong with it.
        why: String,
        /// The page of its transfer.
        report: PathBuf,
    },
    /// What was begun was something else.
    #[error("{}: what was begun there has another file or recipe, other clips, preset or seed; begin anew, or give another folder", path.display())]
    OtherRequest {
        /// The folder.
        path: PathBuf,
    },
    /// A recipe of this name does not exist.
    #[error("{}: there is no such recipe; give a TOML file, or one of {known}", path.display())]
    NoRecipe {
        /// What was asked for.
        path: PathBuf,
        /// Those that come with the program.
        known: String,
    },
    /// A recipe of nothing.
    #[error("{}: the recipe has no clip; add [[clip]] with a file and an action", path.display())]
    EmptyRecipe {
        /// The recipe.
        path: PathBuf,
    },
    /// Clips of a recipe that are not there.
    #[error("{}: the clips {clips} of the recipe are not there; put them into the folder as BVH, FBX or GLB", folder.display())]
    NoClips {
        /// Where they were looked for.
        folder: PathBuf,
        /// Those that are missing.
        clips: String,
    },
    /// A recipe's length of training.
    #[error("minutes {minutes}: give a number from 0.01 to {most}")]
    Minutes {
        /// What was given.
        minutes: f64,
        /// The most.
        most: f64,
    },
    /// Labels that cannot be written.
    #[error("the labels of the recipe cannot be written: {problem}")]
    Labels {
        /// Why.
        problem: String,
    },
}
