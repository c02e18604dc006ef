//! What a killed program left of files and folders that it was writing, known by name and by having no living owner.
//!
//! The owner of a hidden folder or file holds a lock on it, which the system takes back when the owner ends in whatever way.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Removes what killed programs left in a folder and beside it while they wrote it, and finishes a change of names that was broken off. What has a
/// living owner stays, and so does everything where the system has no locks. The folder need not be there.
pub fn tidy(target: &Path) {
    let target = target.canonicalize().unwrap_or_else(|_| target.to_path_buf());
    let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(name) = target.file_name() else { return };
    // Its owner is about to finish.
    let _held = match lock(&target) {
        Lock::Taken => return,
        Lock::Held(file) => Some(file),
        Lock::Unknown | Lock::Gone => None,
    };
    let beside = |kind: &str| left_overs(parent, &staging_name(Some(name), kind));
    if target.symlink_metadata().is_err() {
        for old in beside("old") {
            let new = old.file_name().and_then(|old| partner(&old.to_string_lossy(), "new"));
            let new = new.map(|new| old.with_file_name(new));
            match new.as_ref().map(|new| lock(new)) {
                Some(Lock::Taken) => return,
                // The new folder was whole before the old one moved.
                Some(Lock::Held(_) | Lock::Unknown) => drop(new.map(|new| fs::rename(new, &target))),
                Some(Lock::Gone) | None => drop(fs::rename(&old, &target)),
            }
            if target.exists() {
                break;
            }
        }
    }
    let inside = left_overs(&target, &staging_name(None, "new"));
    for folder in beside("new").into_iter().chain(beside("old")).chain(inside) {
        if let Lock::Held(_held) = lock(&folder) {
            // What cannot be removed harms nobody.
            let _ = fs::remove_dir_all(folder);
        }
    }
    for entry in fs::read_dir(&target).into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && is_temporary(&entry.file_name()) && matches!(lock(&entry.path()), Lock::Held(_)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether somebody lives who owns a file or folder.
pub(crate) enum Lock {
    /// Nobody did; now the caller, as long as this is held.
    Held(File),
    /// Somebody does.
    Taken,
    /// There is no such file or folder.
    Gone,
    /// The system cannot tell.
    Unknown,
}

/// Takes the lock of a file or folder.
pub(crate) fn lock(path: &Path) -> Lock {
    match path.symlink_metadata().map(|data| data.file_type()) {
        Ok(kind) if kind.is_dir() || kind.is_file() => {}
        // Nothing that opening could wait for.
        Ok(_) => return Lock::Unknown,
        Err(_) => return Lock::Gone,
    }
    // Folders cannot be opened on every system.
    let Ok(file) = File::open(path) else { return Lock::Unknown };
    match file.try_lock() {
        Ok(()) => Lock::Held(file),
        Err(fs::TryLockError::WouldBlock) => Lock::Taken,
        Err(fs::TryLockError::Error(_)) => Lock::Unknown,
    }
}

/// `.NAME.sinew-KIND-` beside a folder, `.sinew-KIND-` in it; the numbers of the process and of the folder follow.
pub(crate) fn staging_name(of: Option<&OsStr>, kind: &str) -> OsString {
    let mut name = OsString::from(".");
    if let Some(of) = of {
        name.push(of);
        name.push(".");
    }
    name.push(format!("sinew-{kind}-"));
    name
}

/// The name of the other folder of a change of names.
pub(crate) fn partner(name: &str, kind: &str) -> Option<String> {
    let (before, numbers) = name.rsplit_once(".sinew-")?;
    let (_, numbers) = numbers.split_once('-')?;
    Some(format!("{before}.sinew-{kind}-{numbers}"))
}

/// Whether a name in a folder is one of ours that no reader looks for.
pub(crate) fn is_left_over(name: &OsStr) -> bool {
    let own = staging_name(None, "new");
    name.to_string_lossy().strip_prefix(&*own.to_string_lossy()).is_some_and(is_numbers) || is_temporary(name)
}

/// `.NAME.PROCESS-NUMBER.tmp`: a file that was to take the place of another.
fn is_temporary(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let inner = name.strip_prefix('.').and_then(|name| name.strip_suffix(".tmp"));
    inner.and_then(|inner| inner.rsplit_once('.')).is_some_and(|(of, numbers)| !of.is_empty() && is_numbers(numbers))
}

/// `12-3`.
fn is_numbers(text: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('-').is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// Folders whose name is `stem` and two numbers, sorted.
fn left_overs(folder: &Path, stem: &OsStr) -> Vec<PathBuf> {
    let stem = stem.to_string_lossy().into_owned();
    let is_ours = |name: OsString| name.to_string_lossy().strip_prefix(&*stem).is_some_and(is_numbers);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| is_ours(entry.file_name()) && entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut paths: Vec<PathBuf> = ours.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
