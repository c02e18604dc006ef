//! What can go wrong between a file and a simulated motion.
//!
//! Each error is one sentence that names the file, clip, joint or field and says what to change, in the words of this library. A program that has flags or
//! buttons for these things matches the variant and adds their names.

mod bring;
mod clip;
mod data;
mod file;
mod motion;

pub use bring::BringError;
pub use clip::ClipError;
pub use data::DataError;
pub use file::FileError;
pub use motion::MotionError;

use crate::config_file::ConfigFileError;
use sinew_work::RunError;
use std::fmt::Display;

/// The result of what this library does.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The clip that is asked for is not there, or is not what it is taken for.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// A transferred motion cannot be used for what it is asked for.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// No data set can be made of what was given.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A data set cannot be made, written or read.
    #[error(transparent)]
    Learn(#[from] sinew_learn::LearnError),
    /// A generator cannot be made, written or read.
    #[error(transparent)]
    Generator(#[from] sinew_learn::GeneratorError),
    /// A tracking policy cannot be trained, tested or read.
    #[error(transparent)]
    Track(#[from] sinew_track::TrackError),
    /// A character cannot be brought to life.
    #[error(transparent)]
    Bring(#[from] BringError),
    /// A character cannot be played.
    #[error(transparent)]
    Play(#[from] sinew_play::PlayError),
    /// A motion cannot be performed live.
    #[error(transparent)]
    Live(Box<sinew_live::LiveError>),
    /// A file of settings cannot be used.
    #[error(transparent)]
    ConfigFile(#[from] ConfigFileError),
    /// An error in something that has a name: a file, a clip, a folder.
    #[error("{place}: {error}")]
    At {
        /// Its name.
        place: String,
        /// The error.
        error: Box<Error>,
    },
    /// Threads cannot be started.
    #[error("{threads} threads cannot be started ({problem}); give fewer, or 0 for one on each core")]
    Threads {
        /// Threads that were asked for.
        threads: usize,
        /// Why not.
        problem: String,
    },
    /// A checkpoint cannot be written, or is damaged or of another run.
    #[error(transparent)]
    Checkpoint(#[from] sinew_work::CheckpointError),
    /// The run was told to stop.
    #[error(transparent)]
    Cancelled(#[from] sinew_work::Cancelled),
    /// An input cannot be read.
    #[error(transparent)]
    Input(#[from] sinew_files::FileError),
    /// A result cannot be written as JSON.
    #[error("the result cannot be written as JSON ({0}); please report it")]
    Json(serde_json::Error),
    /// A rigged file cannot be read.
    #[error(transparent)]
    Rig(#[from] sinew_motion::ReadError),
    /// A clip cannot be moved to another skeleton.
    #[error(transparent)]
    Retarget(#[from] sinew_retarget::RetargetError),
    /// A map of joints cannot be used.
    #[error(transparent)]
    JointMap(#[from] sinew_retarget::MapError),
    /// A tool does not fit a clip.
    #[error(transparent)]
    Tool(#[from] sinew_motion::tools::ToolError),
    /// A clip cannot be changed so.
    #[error(transparent)]
    ClipEdit(#[from] sinew_motion::tools::ClipEditError),
    /// A clip cannot be written into a file.
    #[error(transparent)]
    Export(#[from] sinew_motion::WriteError),
    /// No character can be made, or it cannot be changed.
    #[error(transparent)]
    Modeler(Box<sinew_modeler::ModelerError>),
    /// A clip cannot be laid onto a character.
    #[error(transparent)]
    Fit(#[from] sinew_modeler::IkError),
    /// A character's file cannot be read.
    #[error(transparent)]
    Character(Box<sinew_sim::character_file::CharacterFileError>),
    /// A scene cannot be compiled.
    #[error(transparent)]
    Model(Box<sinew_sim::ModelError>),
    /// Worlds cannot be made.
    #[error(transparent)]
    Batch(#[from] sinew_sim::BatchError),
    /// Arrays cannot become an NPZ file.
    #[error(transparent)]
    Npz(#[from] sinew_sim::npz::NpzError),
    /// A transfer, or the training of a policy, cannot be made.
    #[error(transparent)]
    Transfer(#[from] sinew_transfer::TransferError),
    /// A search for jumps cannot be made.
    #[error(transparent)]
    Pareto(#[from] sinew_pareto::ParetoError),
    /// A jump's controller cannot be used.
    #[error(transparent)]
    Controller(#[from] sinew_pareto::ControllerError),
    /// A picture or page cannot be made.
    #[error(transparent)]
    Report(#[from] sinew_report::ReportError),
}

// In a box: it is much larger than the others.
impl From<sinew_live::LiveError> for Error {
    fn from(error: sinew_live::LiveError) -> Error {
        Error::Live(Box::new(error))
    }
}

impl Error {
    /// Returns the error itself, without the places in which it occurred.
    pub fn cause(&self) -> &Error {
        match self {
            Error::At { error, .. } => error.cause(),
            other => other,
        }
    }
}

impl<E: Into<Error>> From<RunError<E>> for Error {
    fn from(error: RunError<E>) -> Error {
        match error {
            RunError::Work(error) => error.into(),
            RunError::Checkpoint(error) => error.into(),
            RunError::Threads { threads, problem } => Error::Threads { threads, problem },
        }
    }
}

/// Large errors lie on the heap, so that results stay small.
macro_rules! boxed {
    ($($variant:ident: $error:ty),*) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Error::$variant(Box::new(error))
            }
        })*
    };
}

boxed!(Modeler: sinew_modeler::ModelerError, Character: sinew_sim::character_file::CharacterFileError, Model: sinew_sim::ModelError);

impl From<sinew_motion::tools::ClipNameError> for Error {
    fn from(error: sinew_motion::tools::ClipNameError) -> Error {
        ClipError::Name(error).into()
    }
}

/// Says where an error occurred.
pub(crate) trait At<T> {
    /// The same result; its error begins with `place`.
    fn at(self, place: impl Display) -> Result<T>;
}

impl<T, E: Into<Error>> At<T> for std::result::Result<T, E> {
    fn at(self, place: impl Display) -> Result<T> {
        self.map_err(|error| Error::At { place: place.to_string(), error: Box::new(error.into()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_transfer::TransferError;

    #[test]
    fn the_cause_is_found_below_all_places() {
        let failed: Result<(), TransferError> = Err(TransferError::NoAssist { character: "rock".into() });
        let error = failed.at("jump").at("out").expect_err("an error");
        assert!(error.to_string().starts_with("out: jump: character \"rock\" is held by the world"), "{error}");
        assert!(matches!(error.cause(), Error::Transfer(TransferError::NoAssist { .. })));
    }
}
