//! A folder whose content is replaced whole: a reader, or a kill at any moment, finds all old files or all new ones.
//!
//! The new files are written into a hidden folder beside the old one; what stays of the old folder is linked into it; then the two exchange their
//! names in one step of the system (`renameat2` with `RENAME_EXCHANGE` on Linux, `renameatx_np` with `RENAME_SWAP` on macOS). Where the system has no
//! such step, the old folder is moved aside and the new one moved in; [`tidy`](crate::tidy) finishes that where a kill came between.
//!
//! A folder that cannot change its name (a mount point, the folder that the program runs in, one whose parent may not be written to, one with very
//! many files) keeps it, and its files are moved in one by one: the list of the files first, so that a mixture can be told by it.

use crate::tidy::{Lock, lock, staging_name};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Most files that are linked into a new folder; a folder with more keeps its place.
const MOST_CARRIED: usize = if cfg!(test) { 100 } else { 10_000 };

/// New content of a folder. Dropped before [`NewFolder::put`], it leaves the old content as it is.
pub struct NewFolder {
    /// The folder; canonical.
    target: PathBuf,
    /// Where the new files are written; after the exchange, where the old ones are.
    staging: PathBuf,
    /// Whether the staging folder lies beside the target, not in it.
    is_beside: bool,
    /// Names of the new files, in order, with `/`.
    names: Vec<String>,
    /// Held as long as the owner of the staging folder lives.
    _lock: Option<File>,
}

impl NewFolder {
    /// Begins new content for a folder that is there.
    ///
    /// # Errors
    /// Where it is not there, or can be written neither into nor beside.
    pub fn begin(target: &Path) -> io::Result<NewFolder> {
        let target = target.canonicalize()?;
        if can_change_its_name(&target)
            && let (Some(parent), Some(name)) = (target.parent(), target.file_name())
            && let Ok((staging, lock)) = create(&parent.join(staging_name(Some(name), "new")))
        {
            return Ok(NewFolder { target, staging, is_beside: true, names: Vec::new(), _lock: lock });
        }
        let (staging, lock) = create(&target.join(staging_name(None, "new")))?;
        Ok(NewFolder { target, staging, is_beside: false, names: Vec::new(), _lock: lock })
    }

    /// Writes a new file, `name` being its place in the folder, such as `a` or `b/c`.
    ///
    /// # Errors
    /// Where the name leaves the folder or is given a second time, something else of the old folder is in its way, or it cannot be written.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.place_for(name)?;
        let mut file = File::create_new(path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        self.names.push(name.to_owned());
        Ok(())
    }

    /// Moves a file that is finished and on the disk into the new content, under a name as in [`NewFolder::add`]. It has to be of the same file system.
    ///
    /// # Errors
    /// As [`NewFolder::add`].
    pub fn adopt(&mut self, name: &str, from: &Path) -> io::Result<()> {
        let path = self.place_for(name)?;
        if path.exists() {
            return Err(io::Error::new(ErrorKind::AlreadyExists, "the name is given a second time"));
        }
        fs::rename(from, path)?;
        self.names.push(name.to_owned());
        Ok(())
    }

    /// Where a new file is written, once its name was looked at.
    fn place_for(&self, name: &str) -> io::Result<PathBuf> {
        let relative = Path::new(name);
        if name.is_empty() || !relative.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(io::Error::new(ErrorKind::InvalidInput, "the name leads out of the folder"));
        }
        if self.target.join(name).is_dir() {
            return Err(io::Error::new(ErrorKind::IsADirectory, "there is a folder of that name"));
        }
        let above = relative.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
        if above.map(|above| self.target.join(above)).any(|above| above.exists() && !above.is_dir()) {
            return Err(io::Error::new(ErrorKind::NotADirectory, "a file is where its folder should be"));
        }
        let path = self.staging.join(relative);
        fs::create_dir_all(path.parent().unwrap_or(&self.staging))?;
        step();
        Ok(path)
    }

    /// Puts the new files in place. Of the old folder everything stays that has no new file of its name, but for the files and folders that `goes`
    /// names by their place in it. Where files have to be moved one by one, those called `list` are the first.
    ///
    /// # Errors
    /// Where the system refuses; the folder is then as before, or, where it keeps its place, a mixture that the `list` tells.
    pub fn put(mut self, list: &str, goes: &[PathBuf]) -> io::Result<()> {
        if self.is_beside {
            if self.swap(goes)? {
                return Ok(());
            }
            // The same files, from inside.
            let (inside, _) = create(&self.target.join(staging_name(None, "new")))?;
            fs::rename(&self.staging, &inside)?;
            self.staging = inside;
        }
        self.move_one_by_one(list, goes)
    }

    /// Returns false where the folder has to keep its place.
    fn swap(&mut self, goes: &[PathBuf]) -> io::Result<bool> {
        fs::set_permissions(&self.staging, fs::metadata(&self.target)?.permissions())?;
        let mut left = MOST_CARRIED;
        match self.carry(Path::new(""), goes, &mut left) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::QuotaExceeded && left == 0 => return Ok(false),
            Err(error) => return Err(error),
        }
        sync(&self.staging);
        step();
        let old = match exchange(&self.staging, &self.target) {
            Ok(()) => self.staging.clone(),
            Err(error) if is_unknown(&error) => {
                let old = self.aside();
                fs::rename(&self.target, &old)?;
                step();
                if let Err(error) = fs::rename(&self.staging, &self.target) {
                    fs::rename(&old, &self.target)?;
                    return Err(error);
                }
                old
            }
            // It is mounted, or the folder above may not be changed.
            Err(error) if matches!(error.kind(), ErrorKind::ResourceBusy | ErrorKind::PermissionDenied) => {
                return Ok(false);
            }
            Err(error) => return Err(error),
        };
        self.staging.clone_from(&old);
        sync(self.target.parent().unwrap_or(&self.target));
        step();
        // What somebody put into the old folder since it was looked through. The new content is in place: where this fails, nothing of ours is lost.
        let _ = self.follow(Path::new(""), goes);
        Ok(true)
    }

    /// Name for the old folder beside the new one, by which the two are known to belong together.
    fn aside(&self) -> PathBuf {
        let name = self.staging.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.staging.with_file_name(crate::tidy::partner(&name, "old").unwrap_or(name + ".old"))
    }

    /// Links everything that stays into the new folder; returns whether anything was.
    fn carry(&self, place: &Path, goes: &[PathBuf], left: &mut usize) -> io::Result<bool> {
        let mut is_any = false;
        for entry in fs::read_dir(self.target.join(place))? {
            let entry = entry?;
            let relative = place.join(entry.file_name());
            if goes.contains(&relative) || crate::tidy::is_left_over(&entry.file_name()) {
                continue;
            }
            if *left == 0 {
                return Err(ErrorKind::QuotaExceeded.into());
            }
            *left -= 1;
            let to = self.staging.join(&relative);
            if entry.file_type()?.is_dir() {
                let was_empty = fs::read_dir(entry.path())?.next().is_none();
                let is_new = !to.exists();
                fs::create_dir_all(&to)?;
                let carries = self.carry(&relative, goes, left)?;
                if is_new && !carries && !was_empty {
                    fs::remove_dir(&to)?;
                    continue;
                }
                fs::set_permissions(&to, entry.metadata()?.permissions())?;
            } else if to.symlink_metadata().is_err() {
                step();
                // Some file systems have no links.
                fs::hard_link(entry.path(), &to).or_else(|error| match entry.file_type()?.is_file() {
                    true => fs::copy(entry.path(), &to).map(drop),
                    false => Err(error),
                })?;
            }
            is_any = true;
        }
        Ok(is_any)
    }

    /// Moves what was put into the old folder meanwhile after the rest.
    fn follow(&self, place: &Path, goes: &[PathBuf]) -> io::Result<()> {
        for entry in fs::read_dir(self.staging.join(place))? {
            let entry = entry?;
            let relative = place.join(entry.file_name());
            if goes.contains(&relative) || crate::tidy::is_left_over(&entry.file_name()) {
                continue;
            }
            let (data, to) = (entry.metadata()?, self.target.join(&relative));
            match to.symlink_metadata() {
                Ok(there) if there.is_dir() && data.is_dir() => self.follow(&relative, goes)?,
                Ok(there) if is_same_file(&there, &data) || self.names.iter().any(|new| Path::new(new) == relative) => {
                }
                _ => fs::rename(entry.path(), to)?,
            }
        }
        Ok(())
    }

    /// Moves the new files in, lists first, and removes what goes.
    fn move_one_by_one(&self, list: &str, goes: &[PathBuf]) -> io::Result<()> {
        let is_list = |name: &&String| Path::new(name).file_name().is_some_and(|file| file == list);
        let move_in = |name: &String| {
            let to = self.target.join(name);
            fs::create_dir_all(to.parent().unwrap_or(&self.target))?;
            step();
            fs::rename(self.staging.join(name), to)
        };
        self.names.iter().filter(is_list).try_for_each(move_in)?;
        step();
        self.remove(Path::new(""), goes)?;
        self.names.iter().filter(|name| !is_list(name)).try_for_each(move_in)?;
        sync(&self.target);
        step();
        Ok(())
    }

    /// Removes what goes and has no new file of its name; returns whether anything did.
    fn remove(&self, place: &Path, goes: &[PathBuf]) -> io::Result<bool> {
        let mut is_any = false;
        for entry in fs::read_dir(self.target.join(place))? {
            let entry = entry?;
            let (path, relative) = (entry.path(), place.join(entry.file_name()));
            if path == self.staging {
                continue;
            }
            let goes_here = goes.iter().any(|going| relative.starts_with(going));
            let holds_new = self.names.iter().any(|name| Path::new(name).starts_with(&relative));
            match (goes_here, entry.file_type()?.is_dir()) {
                (true, true) if !holds_new => fs::remove_dir_all(path)?,
                (true, false) if !holds_new => fs::remove_file(path)?,
                (_, true) => {
                    if self.remove(&relative, goes)? {
                        // Where nothing else is in it.
                        let _ = fs::remove_dir(path);
                    }
                    continue;
                }
                _ => continue,
            }
            is_any = true;
        }
        Ok(is_any)
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        #[cfg(test)]
        if crate::kill::is_dead() {
            return;
        }
        // The unfinished new folder, or the old one; what cannot be removed now is removed at the next start.
        let _ = fs::remove_dir_all(&self.staging);
    }
}

/// Makes a hidden folder of a name that nobody has, and locks it.
fn create(pattern: &Path) -> io::Result<(PathBuf, Option<File>)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let stem = pattern.file_name().unwrap_or_default().to_os_string();
    loop {
        let mut name = stem.clone();
        name.push(format!("{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)));
        let path = pattern.with_file_name(name);
        match fs::create_dir(&path) {
            Ok(()) => {}
            // Left by a process of the same number that was killed.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        }
        let lock = match lock(&path) {
            Lock::Held(file) => Some(file),
            Lock::Unknown => None,
            // Somebody who tidies up took it for abandoned.
            Lock::Taken | Lock::Gone => continue,
        };
        if path.exists() {
            return Ok((path, lock));
        }
    }
}

/// Whether the folder may get another name: nobody has mounted it, and the program does not run in it.
fn can_change_its_name(target: &Path) -> bool {
    let is_here =
        std::env::current_dir().and_then(|here| here.canonicalize()).is_ok_and(|here| here.starts_with(target));
    #[cfg(unix)]
    let is_mounted = {
        use std::os::unix::fs::MetadataExt;
        let device = |path: &Path| fs::metadata(path).ok().map(|data| data.dev());
        target.parent().is_none_or(|parent| device(parent) != device(target))
    };
    #[cfg(not(unix))]
    let is_mounted = false;
    !is_here && !is_mounted
}

/// Exchanges the names of two folders in one step.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    #[cfg(test)]
    if tests::HAS_NO_EXCHANGE.get() {
        return Err(ErrorKind::Unsupported.into());
    }
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Whether the system or the file system knows no exchange.
fn is_unknown(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::InvalidInput)
}

/// Whether two paths are links to one file, as far as the system tells.
fn is_same_file(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    }
    #[cfg(not(unix))]
    {
        (one.modified().ok(), one.len()) == (other.modified().ok(), other.len())
    }
}

/// Lets the names in a folder reach the disk, where the system can.
fn sync(folder: &Path) {
    #[cfg(unix)]
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    #[cfg(not(unix))]
    let _ = folder;
}

/// A moment between two steps, at which tests kill.
fn step() {
    #[cfg(test)]
    crate::kill::step();
}

#[cfg(test)]
#[path = "new_folder_tests.rs"]
mod tests;
