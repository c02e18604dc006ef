//! What can go wrong with files of networks.

use std::path::PathBuf;

/// Why a network could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] sinew_files::FileError),
    /// The file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The bytes are no file of tensors.
    #[error("this is no safetensors file: {0}")]
    Format(String),
    /// A tensor is missing.
    #[error("the file has no tensor \"{0}\"; it is of another network")]
    Missing(String),
    /// A tensor has another shape than the network's.
    #[error(
        "tensor \"{name}\" has shape {found:?} in the file, but the network needs {expected:?}; it is of another network"
    )]
    Shape {
        /// Which tensor.
        name: String,
        /// Its shape in the file.
        found: Vec<usize>,
        /// That of the network.
        expected: Vec<usize>,
    },
    /// A tensor has numbers that no training gives.
    #[error("tensor \"{0}\" has a number that is not finite; the training that wrote it had diverged")]
    NotFinite(String),
}
