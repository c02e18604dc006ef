//! Pages: everything there is to know about one run in a single HTML file that needs nothing else.
//!
//! Start reading at [`TransferPage`], whose fields become sections in the order in which a reader asks for them;
//! `document.rs` writes any list of [`Section`]s, for pages of another kind.

mod base64;
mod document;
mod escape;
mod section;
mod style;
mod transfer;

pub(crate) use base64::base64;
pub(crate) use escape::escape;
pub(crate) use style::STYLE;

pub use document::{Document, Verdict};
pub use section::{Block, Picture, Section, Table};
pub use transfer::{CaptionedPicture, Deviation, TransferPage};

#[cfg(test)]
mod tests;
