//! Why a clip cannot be moved to another skeleton.

use crate::anatomy::Plan;
use sinew_motion::tools::ToolError;
use thiserror::Error;

/// Why a clip cannot be moved to another skeleton; each message is one sentence that says what to do.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum RetargetError {
    /// The bodies are built differently.
    #[error(
        "its skeleton {}, the character {}; take clips of a body that {}", .source_plan.sentence(), .target_plan.sentence(), .target_plan.sentence()
    )]
    OtherPlan {
        /// Body plan of the clip's skeleton.
        source_plan: Plan,
        /// Body plan of the character.
        target_plan: Plan,
    },
    /// Neither rig has legs, so that nothing says which joints belong together.
    #[error(
        "no legs were found in its skeleton nor in the character, so nothing says which joints belong together; write a map of the joints, or use joints of the same names"
    )]
    NoLegs,
    /// The clip was not made for the skeleton that it is said to move.
    #[error(transparent)]
    Clip(#[from] ToolError),
    /// The map does not fit.
    #[error(transparent)]
    Map(#[from] MapError),
}

/// What is wrong in a map of joints; each message is one sentence that names the line or the joint and says what to do.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum MapError {
    /// The text is no map.
    #[error("line {line}: {problem}; a map is a list of `[[chain]]` with `role`, `source` and `target`")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// What the parser says.
        problem: String,
    },
    /// A role that is not known.
    #[error(
        "line {line}: there is no role `{role}`; use pelvis, spine, neck, tail, or a limb's part such as left_leg.upper"
    )]
    Role {
        /// Line, from 1.
        line: usize,
        /// What stands there.
        role: String,
    },
    /// A role that is there twice.
    #[error("line {line}: the role `{role}` is there twice; put its joints into one list")]
    Twice {
        /// Line, from 1.
        line: usize,
        /// The role.
        role: String,
    },
    /// A joint that the skeleton has not.
    #[error("line {line}: {} has no joint `{joint}`{}; use one of its joints' names", .whose, did_you_mean(.nearest))]
    Joint {
        /// Line, from 1.
        line: usize,
        /// Whose joint it should be.
        whose: &'static str,
        /// What stands there.
        joint: String,
        /// The joint that is spelt most alike.
        nearest: Option<String>,
    },
    /// A joint of the character that two chains move.
    #[error("line {line}: joint `{joint}` of the character is in two lists; leave it in one")]
    MovedTwice {
        /// Line, from 1.
        line: usize,
        /// The joint.
        joint: String,
    },
    /// The map has no pelvis.
    #[error("the map has no `pelvis` with one joint of each skeleton; add it, because it carries the travel")]
    NoPelvis,
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |name| format!(" (did you mean `{name}`?)"))
}
