//! What page and server say to each other; `PROTOCOL.md` tells it with examples, which the tests of this module read.

pub mod character;
pub mod frame;
pub mod fronts;
pub mod jobs;
pub mod motion;
pub mod package;
pub mod project;
pub mod session;
pub mod socket;

pub use character::{
    CharacterDetail, CopyRequest, EditRequest, HistoryRequest, MakeRequest, PreflightAnswer, Problem, RefitRequest,
    RemakeRequest, RestPose, SizeDetail, SizeSource, Skin, SkinNode,
};
pub use frame::{ContactPoint, Frame};
pub use fronts::{FrontAxis, FrontDetail, FrontEntry, FrontPoint};
pub use jobs::{Job, JobKind, JobRef, JobRequest, JobStatus, WindowCosts};
pub use motion::{MotionHeader, encode_motion};
pub use package::{Doing, PackageAction, PackageEntry, Played, PlayedCharacter, TakeDetail, TakeRequest};
pub use project::{
    CharacterEntry, ClipDetail, ClipEditRequest, ClipEdited, ClipRef, EditedClip, ErrorAnswer, ProjectInfo, Remade,
    ResultDetail, ResultEntry, ResultFile, RigDetail, RigEntry, RigFrame, RigJoint, State, Uploaded,
};
pub use session::{
    ControllerKind, SceneBody, SceneCharacter, SceneDescription, SceneJoint, SessionAction, SessionEntry, SessionStart,
    Steer,
};
pub use socket::{ClientMessage, ServerMessage};

/// Version of the protocol; the page says so where the server has another.
pub const PROTOCOL: u32 = 1;

#[cfg(test)]
mod tests;
