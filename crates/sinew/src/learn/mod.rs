//! From a folder of clips to a data set for learning, and everything that is written about it.
//!
//! [`make`] does all of it: [`Hero`] is the character with the skeleton that clips are moved to; [`read_clips`] brings all clips of a folder onto it; [`Labels`]
//! say what they show; the set is made as long work by [`sinew_learn::DataWork`], and its page and figures are written beside it.

mod body_skeleton;
mod clips;
mod coordinates;
mod device;
mod drive;
pub mod generator;
mod hero;
mod labels;
mod page;
mod pictures;
mod request;
mod summary;
pub mod tracker;

pub(crate) use clips::files;
pub use clips::{Clips, Skipped, read_clips};
pub use device::{DeviceKind, open_device};
pub use drive::{Driving, Request as DriveRequest, drive};
pub use hero::Hero;
pub use labels::{ClipLabel, DeclaredAction, LABELS, Labels};
pub use pictures::{Example, examples};
pub use request::{CHECKPOINT, Event, Made, Prepared, Request, SET, UNFINISHED, make};
pub use summary::Summary;
