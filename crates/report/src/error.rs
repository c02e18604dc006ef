//! What can go wrong between a scene and a file on disk.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a picture was not drawn or not saved.
#[derive(Debug, Error)]
pub enum ReportError {
    /// A frame is zero pixels wide or high.
    #[error("frames are {width} x {height} pixels: give both a size above zero")]
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
    /// An animation has no frames in any of its tracks.
    #[error("the animation has no frames: give at least one track a frame")]
    NoMoments,
    /// GIF cannot show this many frames a second.
    #[error("an animation of {rate_hz} frames per second cannot be shown: ask for 0.01 to 50")]
    FrameRate {
        /// Rate asked for, frames per second.
        rate_hz: f64,
    },
    /// The pixels could not be encoded as GIF.
    #[error("the animation could not be encoded as GIF")]
    EncodeGif(#[from] gif::EncodingError),
    /// The pixels could not be encoded as PNG.
    #[error("the picture could not be encoded as PNG")]
    Encode(#[from] png::EncodingError),
    /// An axis of a front asks for a quantity that there is not.
    #[error("{role} asks for quantity {index} of {count}: give a number below {count}")]
    QuantityIndex {
        /// Which axis: `x`, `y` or `color`.
        role: &'static str,
        /// Index asked for.
        index: usize,
        /// How many quantities there are.
        count: usize,
    },
    /// A point of a front has too few or too many values.
    #[error("point '{point}' of front '{front}' has {found} values for {wanted} quantities: give one for each")]
    ValueCount {
        /// Name of the front.
        front: String,
        /// Label of the point.
        point: String,
        /// Values it has.
        found: usize,
        /// Quantities there are.
        wanted: usize,
    },
    /// A motion cannot be shown.
    #[error("the motion of '{point}' cannot be shown: {problem}")]
    Motion {
        /// Label of the point.
        point: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// The file could not be written; no file is left half-written under the name asked for.
    #[error("could not write {}", path.display())]
    Write {
        /// File that was asked for.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}
