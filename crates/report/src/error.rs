//! What can go wrong between a film strip and a file on disk.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a picture was not drawn or not saved.
#[derive(Debug, Error)]
pub enum ReportError {
    /// A frame of the strip is zero pixels wide or high.
    #[error("film strip frames are {width} x {height} pixels: give both a size above zero")]
    EmptyFrame {
        /// Width asked for one frame, pixels.
        width: u32,
        /// Height asked for one frame, pixels.
        height: u32,
    },
    /// The whole page would exceed the pixel limit.
    #[error(
        "a picture of {width} x {height} pixels is above the limit of {limit} pixels: \
         ask for fewer or smaller frames"
    )]
    TooLarge {
        /// Width of the page, pixels.
        width: u64,
        /// Height of the page, pixels.
        height: u64,
        /// Most pixels a page may have.
        limit: u64,
    },
    /// The pixels could not be encoded as PNG.
    #[error("the picture could not be encoded as PNG")]
    Encode(#[from] png::EncodingError),
    /// The file could not be written; no file is left half-written under the name asked for.
    #[error("could not write {}", path.display())]
    Write {
        /// File that was asked for.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}
