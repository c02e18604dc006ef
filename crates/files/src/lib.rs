//! Files of users, in and out: [`read`] gives the bytes of a plain file of bounded size and never waits for a pipe; a [`NewFolder`] is written beside
//! the old one and put in its place whole; [`tidy`] removes what a killed program left of either. Start reading at `plain_file.rs`.

#[cfg(test)]
mod kill;
mod new_folder;
mod plain_file;
mod tidy;

pub use new_folder::NewFolder;
pub use plain_file::{FileError, open, read, read_text, write_special};
pub use tidy::tidy;
