//! Files that are there whole, or as they were before.

use std::fs::{self, File, OpenOptions};
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes `bytes` to `path` so that a reader, or a crash, finds the old content or the new but never a part.
///
/// A temporary file in the same directory is written, flushed to disk and renamed over `path`. A link is followed, devices and pipes
/// that somebody reads are written to as they are, and the permissions of a file that is already there are kept. On failure the temporary file is removed and `path` is as before.
pub fn atomic_write(path: &Path, bytes: &[u8]) -> Result<()> {
    // A link to a file that is not there yet is followed too.
    let linked = || fs::read_link(path).ok().map(|to| path.parent().unwrap_or(Path::new("")).join(to));
    let target = fs::canonicalize(path).ok().or_else(linked).unwrap_or_else(|| path.to_path_buf());
    match fs::metadata(&target) {
        Ok(found) if found.is_dir() => return Err(Error::new(ErrorKind::IsADirectory, "the path is a directory")),
        // A device or a pipe is written to, not replaced.
        Ok(found) if !found.is_file() => return sinew_files::write_special(&target, bytes),
        _ => {}
    }
    let (temporary, file) = create_beside(&target)?;
    // Tells who tidies up after a kill that its owner lives; some file systems have no locks.
    let _ = file.try_lock();
    let result = fill(&file, &target, bytes).and_then(|()| fs::rename(&temporary, &target));
    if result.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// A new file next to `target`, under a name that nobody else has.
fn create_beside(target: &Path) -> Result<(PathBuf, File)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let name = target.file_name().ok_or_else(|| Error::new(ErrorKind::InvalidInput, "the path names no file"))?;
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{number}.tmp", std::process::id()));
        let temporary = target.with_file_name(hidden);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            // Left by a process of the same id that was killed.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        }
    }
}

fn fill(mut file: &File, target: &Path, bytes: &[u8]) -> Result<()> {
    file.write_all(bytes)?;
    if let Ok(metadata) = fs::metadata(target) {
        file.set_permissions(metadata.permissions())?;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("sinew-atomic-write-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        path
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_stay_devices() {
        let folder = directory("links");
        let (link, target) = (folder.join("link"), folder.join("target"));
        let _ = (fs::remove_file(&link), fs::remove_file(&target));
        std::os::unix::fs::symlink("target", &link).unwrap();
        for text in ["first", "second"] {
            atomic_write(&link, text.as_bytes()).unwrap();
            assert_eq!(fs::read(&target).unwrap(), text.as_bytes());
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }
        let null = Path::new("/dev/null");
        atomic_write(null, b"gone").unwrap();
        assert!(!fs::metadata(null).unwrap().is_file());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn replaces_the_content_and_leaves_nothing_else() {
        let directory = directory("replaces");
        let path = directory.join("file.toml");
        atomic_write(&path, b"first").unwrap();
        atomic_write(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_directory_is_refused_and_stays() {
        let directory = directory("refuses");
        assert_eq!(atomic_write(&directory, b"x").unwrap_err().kind(), ErrorKind::IsADirectory);
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_missing_directory_is_an_error() {
        let directory = directory("missing");
        let path = directory.join("none").join("file.toml");
        assert_eq!(atomic_write(&path, b"x").unwrap_err().kind(), ErrorKind::NotFound);
        fs::remove_dir_all(directory).unwrap();
    }
}
