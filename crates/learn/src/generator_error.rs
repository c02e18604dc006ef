//! Why a generator cannot be made, written or read.

use crate::error::LearnError;
use std::path::PathBuf;

/// Why a generator cannot be made, written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GeneratorError {
    /// The set cannot be used.
    #[error(transparent)]
    Set(#[from] LearnError),
    /// The character's joints cannot lead its feet.
    #[error(transparent)]
    Ik(#[from] Box<sinew_modeler::IkError>),
    /// A constant is unusable.
    #[error("{field} = {value}: give {range}")]
    Setting {
        /// Its name.
        field: &'static str,
        /// The value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// No sequence of the set is long enough to go on from.
    #[error(
        "no sequence of the set lasts longer than {least_secs:.2} s; add longer clips, or augment the set with random walks"
    )]
    TooShort {
        /// The time that is needed, s.
        least_secs: f64,
    },
    /// A generator cannot be measured, because nothing can be asked of it.
    #[error(
        "the set shows no action with a target, so nothing can be asked of the generator; label what its clips show"
    )]
    NoTasks,
    /// The training diverged.
    #[error("the training diverged in update {update}, at a learning rate of {rate:.1e}; give a smaller rate")]
    Diverged {
        /// The step of Adam that could not be taken.
        update: u64,
        /// Its learning rate.
        rate: f64,
    },
    /// What was learnt does not fit the character.
    #[error("what was learnt cannot be used ({problem}); train the generator again")]
    Weights {
        /// What is wrong.
        problem: String,
    },
    /// The GPU cannot be used.
    #[error(transparent)]
    Cuda(#[from] sinew_nn::cuda::CudaError),
    /// The training was told to stop.
    #[error(transparent)]
    Cancelled(#[from] sinew_work::Cancelled),
    /// The generator cannot be encoded.
    #[error("the generator cannot be written: {problem}; this is a fault of the program, please report it")]
    Encode {
        /// What is wrong.
        problem: String,
    },
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] sinew_files::FileError),
    /// A file cannot be written.
    #[error("{}: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A file is no generator.
    #[error("{}: this is no generator of sinew; name the file of one", path.display())]
    NotOne {
        /// The file.
        path: PathBuf,
    },
    /// A file has a layout of another version.
    #[error("{}: the generator has version {found}, but {known} is read here; make it again", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that can be read.
        known: u32,
    },
    /// Bytes are missing or changed, or do not fit together.
    #[error("{}: the generator is damaged ({problem}); make it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

impl From<sinew_modeler::IkError> for GeneratorError {
    fn from(error: sinew_modeler::IkError) -> GeneratorError {
        GeneratorError::Ik(Box::new(error))
    }
}
