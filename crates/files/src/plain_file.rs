//! A user's file is opened only where it is a plain file, and read only up to a bound.
//!
//! Opening a pipe that nobody writes to, or reading a device, would wait for ever. Links are followed: what they lead to counts.

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Why a file cannot be read; each message is one sentence that names the file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// No such file.
    #[error("{} does not exist; check the path", path.display())]
    Missing {
        /// File.
        path: PathBuf,
    },
    /// A folder where a file should be.
    #[error("{} is a folder; name a file in it", path.display())]
    Folder {
        /// Folder.
        path: PathBuf,
    },
    /// A pipe, a device or a socket.
    #[error("{} is {kind}, not a plain file; copy its content into a file and name that", path.display())]
    NotPlain {
        /// What was named.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
    /// Larger than what is read.
    #[error("{} is larger than {}, the most that is read of such a file; check that it is the right one", path.display(), in_words(*largest))]
    TooLarge {
        /// File.
        path: PathBuf,
        /// Bound, bytes.
        largest: u64,
    },
    /// Bytes that are no text.
    #[error("{} is not UTF-8 text; check that it is the right file", path.display())]
    NotText {
        /// File.
        path: PathBuf,
    },
    /// The system refused.
    #[error("{} cannot be read ({error}); check its permissions", path.display())]
    Io {
        /// File.
        path: PathBuf,
        /// The system's reason.
        error: io::Error,
    },
}

impl FileError {
    fn new(path: &Path, error: io::Error) -> FileError {
        let path = path.to_path_buf();
        match error.kind() {
            // A file where a folder should be is no path to anything either.
            ErrorKind::NotFound | ErrorKind::NotADirectory => FileError::Missing { path },
            ErrorKind::IsADirectory => FileError::Folder { path },
            _ => FileError::Io { path, error },
        }
    }

    /// The reason alone, for a sentence that names the file itself.
    pub fn reason(&self) -> String {
        match self {
            FileError::Missing { .. } => "there is no such file".into(),
            FileError::Folder { .. } => "it is a folder".into(),
            FileError::NotPlain { kind, .. } => format!("it is {kind}, not a plain file"),
            FileError::TooLarge { largest, .. } => format!("it is larger than {}", in_words(*largest)),
            FileError::NotText { .. } => "it is not UTF-8 text".into(),
            FileError::Io { error, .. } => error.to_string(),
        }
    }

    /// Whether there is no such file.
    pub fn is_missing(&self) -> bool {
        matches!(self, FileError::Missing { .. })
    }
}

/// Opens a plain file for reading, after following links; never waits.
///
/// # Errors
/// Where it is missing, a folder, a pipe, a device or a socket, or the system refuses.
pub fn open(path: &Path) -> Result<File, FileError> {
    let failed = |error| FileError::new(path, error);
    // Looked at first, because opening a device can already do something.
    check_kind(path, fs::metadata(path).map_err(failed)?.file_type())?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        // Whatever took its place meanwhile is not waited for.
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    let file = options.open(path).map_err(failed)?;
    check_kind(path, file.metadata().map_err(failed)?.file_type())?;
    Ok(file)
}

/// Writes into a device, or a pipe that somebody reads; never waits for a reader.
///
/// # Errors
/// Where nobody reads, or the system refuses.
pub fn write_special(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    let mut file = {
        use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
        use std::os::unix::fs::OpenOptionsExt;
        let file = options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed()).open(path)?;
        // Once somebody reads, what is written may wait for him.
        fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
        file
    };
    #[cfg(not(unix))]
    let mut file = options.open(path)?;
    file.write_all(bytes)
}

/// Returns the bytes of a plain file of at most `largest` bytes.
///
/// # Errors
/// As [`open`], and where the file is larger.
pub fn read(path: &Path, largest: u64) -> Result<Vec<u8>, FileError> {
    let file = open(path)?;
    let length = file.metadata().map_err(|error| FileError::new(path, error))?.len();
    let too_large = || FileError::TooLarge { path: path.to_path_buf(), largest };
    if length > largest {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    // One byte past the bound tells, whatever length the file claims.
    file.take(largest.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| FileError::new(path, error))?;
    if bytes.len() as u64 > largest {
        return Err(too_large());
    }
    Ok(bytes)
}

/// Returns the text of a plain file of at most `largest` bytes.
///
/// # Errors
/// As [`read`], and where it is no UTF-8.
pub fn read_text(path: &Path, largest: u64) -> Result<String, FileError> {
    String::from_utf8(read(path, largest)?).map_err(|_| FileError::NotText { path: path.to_path_buf() })
}

fn check_kind(path: &Path, kind: FileType) -> Result<(), FileError> {
    let path = path.to_path_buf();
    if kind.is_file() {
        return Ok(());
    }
    if kind.is_dir() {
        return Err(FileError::Folder { path });
    }
    Err(FileError::NotPlain { path, kind: name_of(kind) })
}

#[cfg(unix)]
fn name_of(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match kind {
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn name_of(_: FileType) -> &'static str {
    "something else"
}

/// A number of bytes in the largest unit that divides it.
fn in_words(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.into_iter().find(|(shift, _)| bytes > 0 && bytes.is_multiple_of(1 << shift));
    unit.map_or_else(|| format!("{bytes} bytes"), |(shift, name)| format!("{} {name}", bytes >> shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_file_is_read_up_to_its_bound() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, [7; 1024]).expect("written");
        assert_eq!(read(&path, 1024).expect("read"), [7; 1024]);
        let error = read(&path, 1023).expect_err("too large").to_string();
        assert!(error.contains("file is larger than 1023 bytes"), "{error}");
        fs::write(&path, [b'x'; 1025]).expect("written");
        let error = read_text(&path, 1024).expect_err("too large").to_string();
        assert!(error.contains("larger than 1 KiB"), "{error}");
        fs::write(&path, [0xff]).expect("written");
        assert!(read_text(&path, 9).expect_err("no text").to_string().contains("UTF-8"));
        let error = read(folder.path(), 9).expect_err("a folder");
        assert!(error.to_string().contains("is a folder") && !error.is_missing(), "{error}");
        for missing in ["none", "file/in"] {
            let error = read(&folder.path().join(missing), 9).expect_err("missing");
            assert!(error.is_missing() && error.to_string().contains(missing), "{error}");
        }
    }

    /// A pipe without a writer: opened as usual, it would wait for ever.
    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused_at_once_and_links_followed() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let folder = tempfile::tempdir().expect("a folder");
        let [pipe, link, plain] = ["pipe", "link", "plain"].map(|name| folder.path().join(name));
        mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).expect("a pipe");
        std::os::unix::fs::symlink("pipe", &link).expect("a link");
        let (tell, told) = std::sync::mpsc::channel();
        for path in [pipe, link.clone(), "/dev/zero".into()] {
            let tell = tell.clone();
            std::thread::spawn(move || tell.send(read(&path, 1 << 20).map_err(|e| e.to_string())));
        }
        let mut said: Vec<String> = (0..3)
            .map(|_| told.recv_timeout(std::time::Duration::from_secs(1)).expect("in time").expect_err("refused"))
            .collect();
        said.sort();
        assert!(said[0].starts_with("/dev/zero is a device"), "{said:?}");
        assert!(said[1].contains("link is a pipe") && said[2].contains("pipe is a pipe"), "{said:?}");
        let error = write_special(&folder.path().join("pipe"), b"x").expect_err("nobody reads");
        assert_eq!(error.raw_os_error(), Some(rustix::io::Errno::NXIO.raw_os_error()));
        write_special(Path::new("/dev/null"), b"x").expect("written");
        fs::remove_file(&link).expect("removed");
        fs::write(&plain, "text").expect("written");
        std::os::unix::fs::symlink("plain", &link).expect("a link");
        assert_eq!(read_text(&link, 4).expect("read"), "text");
    }
}
