//! The one format of checkpoints.
//!
//! ```text
//! "sinew checkpoint\n"          magic
//! u32                           version of this format
//! text                          kind of work            (text: u32 length, UTF-8)
//! u32                           version of that work's state
//! u32, then (text, u64) each    identity: what tells the run from others
//! u64, then bytes               the state, as postcard writes it
//! u64                           FNV-1a of all bytes before
//! ```
//!
//! Numbers are little-endian.

use serde::Serialize;
use serde::de::DeserializeOwned;
use sinew_files::FileError;
use sinew_files::atomic_write::atomic_write;
use sinew_files::fnv::fnv1a;
use std::path::{Path, PathBuf};

const MAGIC: &[u8] = b"sinew checkpoint\n";
const FORMAT: u32 = 1;
/// Largest checkpoint that is read.
const MOST_BYTES: u64 = 4 << 30;

/// What tells a run from others, part by part: a name that a person understands, and a hash of the part's bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    parts: Vec<(String, u64)>,
}

impl Identity {
    /// Adds a part by the bytes that serde writes of it: all of its fields, and nothing else.
    #[must_use]
    pub fn part(self, name: &str, value: &impl Serialize) -> Identity {
        // What cannot be written has the hash of nothing: the checkpoint itself will say so when it is saved.
        let bytes = postcard::to_stdvec(value).unwrap_or_default();
        self.hashed(name, fnv1a(bytes))
    }

    /// Adds a part that has a hash already.
    #[must_use]
    pub fn hashed(mut self, name: &str, hash: u64) -> Identity {
        self.parts.push((name.to_owned(), hash));
        self
    }

    /// Name of the first part in which another run differs.
    fn differs_from(&self, other: &Identity) -> Option<&str> {
        let same = |(name, hash): &&(String, u64)| !other.parts.iter().any(|(n, h)| n == name && h == hash);
        self.parts.iter().find(same).map(|(name, _)| name.as_str())
    }
}

/// A checkpoint: a kind of work, which run it is of, and its state as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    kind: String,
    version: u32,
    identity: Identity,
    payload: Vec<u8>,
}

/// Why a checkpoint cannot be written or used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file is something else.
    #[error("{}: this is no checkpoint of sinew; remove it, or choose another folder", path.display())]
    NotOne {
        /// The file.
        path: PathBuf,
    },
    /// Another version of the program wrote it.
    #[error("{}: the checkpoint was written by another version of sinew; remove it and start anew", path.display())]
    Version {
        /// The file.
        path: PathBuf,
    },
    /// It is of another kind of work.
    #[error("{}: the checkpoint is of another kind of work ({found}, not {expected}); remove it and start anew", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// What it is of.
        found: String,
        /// What it should be of.
        expected: &'static str,
    },
    /// It is of another run.
    #[error("{}: the checkpoint is of another {what}; remove it and start anew, or go on with what it was made with", path.display())]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: String,
    },
    /// Bytes are missing or changed.
    #[error("{}: the checkpoint is damaged; remove it and start anew", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The state cannot be written as bytes; the file is as it was.
    #[error("{}: the state cannot be saved ({problem})", path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// What the serialiser said.
        problem: String,
    },
    /// It cannot be read.
    #[error(transparent)]
    Read(FileError),
    /// It cannot be written.
    #[error("cannot write {}: {problem}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        problem: std::io::Error,
    },
}

impl Checkpoint {
    /// The checkpoint of a state.
    ///
    /// # Errors
    /// Where the state cannot be written as bytes; `path` is only named.
    pub fn of(
        kind: &str,
        version: u32,
        identity: Identity,
        state: &impl Serialize,
        path: &Path,
    ) -> Result<Checkpoint, CheckpointError> {
        let problem = |e: postcard::Error| CheckpointError::State { path: path.into(), problem: e.to_string() };
        let payload = postcard::to_stdvec(state).map_err(problem)?;
        Ok(Checkpoint { kind: kind.to_owned(), version, identity, payload })
    }

    /// Writes the file whole, or leaves what was there.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), CheckpointError> {
        let problem = |problem| CheckpointError::Write { path: path.into(), problem };
        atomic_write(path, &self.to_bytes()).map_err(problem)
    }

    /// Reads a file; none where there is no such file.
    ///
    /// # Errors
    /// Where it cannot be read, is none, is damaged, or was written in another version of the format.
    pub fn read(path: &Path) -> Result<Option<Checkpoint>, CheckpointError> {
        match sinew_files::read(path, MOST_BYTES) {
            Ok(bytes) => Checkpoint::from_bytes(&bytes, path).map(Some),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(CheckpointError::Read(error)),
        }
    }

    /// The state, where the checkpoint is of this kind, version and run.
    ///
    /// # Errors
    /// Says what differs.
    pub fn state<S: DeserializeOwned>(
        &self,
        kind: &'static str,
        version: u32,
        identity: &Identity,
        path: &Path,
    ) -> Result<S, CheckpointError> {
        let path = || path.to_path_buf();
        if self.kind != kind {
            return Err(CheckpointError::Kind { path: path(), found: self.kind.clone(), expected: kind });
        }
        if self.version != version {
            return Err(CheckpointError::Version { path: path() });
        }
        if let Some(what) = identity.differs_from(&self.identity) {
            return Err(CheckpointError::OtherRun { path: path(), what: what.to_owned() });
        }
        postcard::from_bytes(&self.payload).map_err(|_| CheckpointError::Damaged { path: path() })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(FORMAT.to_le_bytes());
        put_text(&mut bytes, &self.kind);
        bytes.extend(self.version.to_le_bytes());
        bytes.extend((self.identity.parts.len() as u32).to_le_bytes());
        for (name, hash) in &self.identity.parts {
            put_text(&mut bytes, name);
            bytes.extend(hash.to_le_bytes());
        }
        bytes.extend((self.payload.len() as u64).to_le_bytes());
        bytes.extend(&self.payload);
        bytes.extend(fnv1a(bytes.iter().copied()).to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8], path: &Path) -> Result<Checkpoint, CheckpointError> {
        let damaged = || CheckpointError::Damaged { path: path.to_path_buf() };
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| CheckpointError::NotOne { path: path.into() })?;
        let (head, checksum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
        let mut reader = Reader(rest);
        if reader.u32().ok_or_else(damaged)? != FORMAT {
            return Err(CheckpointError::Version { path: path.into() });
        }
        if fnv1a(head.iter().copied()) != u64::from_le_bytes(*checksum) {
            return Err(damaged());
        }
        reader.checkpoint().ok_or_else(damaged)
    }
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// Bytes that are left to be read.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take(&mut self, count: usize) -> Option<&[u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }
    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }
    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }
    fn text(&mut self) -> Option<String> {
        let count = self.u32()? as usize;
        String::from_utf8(self.take(count)?.to_vec()).ok()
    }

    /// All behind the format's version.
    fn checkpoint(&mut self) -> Option<Checkpoint> {
        let (kind, version) = (self.text()?, self.u32()?);
        let parts = (0..self.u32()?).map(|_| Some((self.text()?, self.u64()?))).collect::<Option<Vec<_>>>()?;
        let count = usize::try_from(self.u64()?).ok()?;
        let payload = self.take(count)?.to_vec();
        // The checksum alone is left.
        (self.0.len() == 8).then_some(Checkpoint { kind, version, identity: Identity { parts }, payload })
    }
}
