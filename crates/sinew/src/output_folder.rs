//! A folder for the files of a run, which gets all of them or none.
//!
//! A new result takes the place of the old one in one step ([`sinew_files::NewFolder`]). What was made of the old one goes with it: a policy that was
//! trained on the old motion must not stand beside the new one. Files that nobody here wrote stay.

use crate::error::{FileError, Result};
use crate::manifest::{MANIFEST, Manifest, Written};
use crate::{feedback, learn, pareto, transfer};
use sinew_files::{NewFolder, tidy};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Files by which a result is known; where files are moved one by one they are the last.
const KEYS: [&str; 5] = ["controls.json", "policy.json", "front.json", learn::SET, learn::generator::GENERATOR];

/// What is made of a file, and goes when a new one of its name is written.
const MADE_OF: [(&str, &[&str]); 4] = [
    (
        "controls.json",
        &[
            "assist.html",
            "assist.csv",
            "policy.json",
            "feedback.json",
            "feedback.html",
            "feedback.png",
            "open-loop.png",
            transfer::CHECKPOINT,
            transfer::ASSIST_CHECKPOINT,
            feedback::CHECKPOINT,
        ],
    ),
    ("policy.json", &[feedback::CHECKPOINT]),
    ("front.json", &[pareto::CHECKPOINT]),
    (learn::SET, &[learn::CHECKPOINT, learn::UNFINISHED]),
];

/// A folder for the files of a run. Dropped before [`OutputFolder::keep`], it takes away what it made and what is empty.
pub struct OutputFolder {
    path: PathBuf,
    /// Folders that were not there before, the innermost first.
    made: Vec<PathBuf>,
    is_kept: bool,
}

impl OutputFolder {
    /// Makes the folder, and those above it. What a killed run left there is removed.
    ///
    /// # Errors
    /// Where the system refuses, or a file is in the way.
    pub fn make(path: &Path) -> Result<OutputFolder> {
        tidy(path);
        if path.exists() && !path.is_dir() {
            return Err(FileError::NoFolder { path: path.into() }.into());
        }
        let missing = path.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists());
        let folder =
            OutputFolder { path: path.to_path_buf(), made: missing.map(Path::to_path_buf).collect(), is_kept: false };
        fs::create_dir_all(path).map_err(|error| FileError::Make { path: path.into(), error })?;
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the folder where it is.
    pub fn keep(&mut self) {
        self.is_kept = true;
    }

    /// Puts all files in place in one step, and `manifest.json` that lists them; where one cannot be written, all old ones stay as they are.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn write(&self, files: &[(String, Vec<u8>)]) -> Result<()> {
        let mut new = self.begin()?;
        new.add_all("", files)?;
        new.put()
    }

    /// Begins a result that is written file by file and then put in place in one step.
    ///
    /// # Errors
    /// Where the folder cannot be written to.
    pub fn begin(&self) -> Result<NewResult> {
        let cannot = |error| FileError::Write { path: self.path.clone(), error };
        // Somebody may have removed it since.
        fs::create_dir_all(&self.path).map_err(cannot)?;
        let folder = NewFolder::begin(&self.path).map_err(cannot)?;
        Ok(NewResult { path: self.path.clone(), folder, written: BTreeMap::new() })
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if !self.is_kept {
            // Only empty folders go.
            self.made.iter().take_while(|path| fs::remove_dir(path).is_ok()).for_each(drop);
        }
    }
}

/// A result on its way. Dropped before [`NewResult::put`], it leaves the folder as it is.
pub struct NewResult {
    path: PathBuf,
    folder: NewFolder,
    /// The files of each folder in it; the result's own is "".
    written: BTreeMap<String, BTreeMap<String, Written>>,
}

impl NewResult {
    /// Writes files into a folder inside the result, such as `assist/00`, or into the result's own, "".
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn add_all(&mut self, inside: &str, files: &[(String, Vec<u8>)]) -> Result<()> {
        let (last, first): (Vec<_>, Vec<_>) = files.iter().partition(|(name, _)| KEYS.contains(&name.as_str()));
        first.into_iter().chain(last).try_for_each(|(name, bytes)| {
            self.add(inside, name, bytes)?;
            self.written.entry(inside.to_owned()).or_default().insert(name.clone(), Written::new(bytes));
            Ok(())
        })
    }

    /// Moves a finished file of the same file system into the result, without reading it into memory.
    ///
    /// # Errors
    /// Where it cannot be read or moved.
    pub fn adopt(&mut self, name: &str, from: &Path) -> Result<()> {
        let written = Written::of_file(from)?;
        self.folder.adopt(name, from).map_err(|error| FileError::Write { path: self.path.join(name), error })?;
        self.written.entry(String::new()).or_default().insert(name.to_owned(), written);
        Ok(())
    }

    fn add(&mut self, inside: &str, name: &str, bytes: &[u8]) -> Result<()> {
        let place = if inside.is_empty() { name.to_owned() } else { format!("{inside}/{name}") };
        let written = self.folder.add(&place, bytes);
        Ok(written.map_err(|error| FileError::Write { path: self.path.join(place), error })?)
    }

    /// Puts everything in place in one step.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn put(mut self) -> Result<()> {
        let gone = self.gone();
        for (inside, written) in std::mem::take(&mut self.written) {
            let manifest = self.manifest(&inside, written, &gone);
            self.add(&inside, MANIFEST, manifest.to_json()?.as_bytes())?;
        }
        let path = self.path;
        Ok(self.folder.put(MANIFEST, &gone).map_err(|error| FileError::Write { path, error })?)
    }

    /// The new files of a folder, and those of the old ones that stay.
    fn manifest(&self, inside: &str, written: BTreeMap<String, Written>, gone: &[PathBuf]) -> Manifest {
        let place = Path::new(inside);
        let is_gone = |name: &str| gone.iter().any(|gone| place.join(name).starts_with(gone));
        // A manifest that is damaged is replaced.
        let old = Manifest::read(&self.path.join(place)).ok().flatten().unwrap_or_default();
        let mut files = old.files;
        files.retain(|name, _| !is_gone(name) && self.path.join(place).join(name).is_file());
        files.extend(written);
        Manifest::new(files)
    }

    /// What was made of files that are replaced, by its place in the folder.
    fn gone(&self) -> Vec<PathBuf> {
        let is_written = |name: &str| self.written.get("").is_some_and(|files| files.contains_key(name));
        let replaced = MADE_OF.iter().filter(|(name, _)| is_written(name));
        let mut gone: Vec<PathBuf> = replaced.flat_map(|(_, made)| made.iter().map(PathBuf::from)).collect();
        let numbered = |folder: &str| {
            let entries = fs::read_dir(self.path.join(folder)).into_iter().flatten().flatten();
            let digits = |path: &PathBuf| {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                stem.len() >= 2 && stem.bytes().all(|byte| byte.is_ascii_digit())
            };
            let folder = PathBuf::from(folder);
            entries.map(move |entry| folder.join(entry.file_name())).filter(digits).collect::<Vec<_>>()
        };
        // Points of an earlier front would pass for points of this one.
        if is_written("controls.json") {
            let is_point = |point: &PathBuf| self.path.join(point).join("controls.json").is_file();
            gone.extend(numbered("assist").into_iter().filter(is_point));
        }
        if is_written("front.json") {
            let is_controller = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "toml");
            gone.extend(numbered("controllers").into_iter().filter(is_controller));
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn file(name: &str, text: &str) -> (String, Vec<u8>) {
        (name.to_owned(), text.as_bytes().to_vec())
    }

    #[test]
    fn all_files_or_the_old_ones() {
        let top = tempfile::tempdir().expect("a folder");
        let path = top.path().join("a/b");
        let mut folder = OutputFolder::make(&path).expect("made");
        folder.write(&[file("x", "1"), file("y", "1")]).expect("written");
        assert_eq!(names(&path), [MANIFEST, "x", "y"]);
        // The second name cannot be written.
        assert!(folder.write(&[file("x", "2"), file("../z", "2")]).is_err());
        assert_eq!((fs::read(path.join("x")).expect("x"), names(&path).len()), (b"1".to_vec(), 3));
        fs::create_dir(path.join("z")).expect("a folder");
        let error = folder.write(&[file("x", "3"), file("z", "3")]).expect_err("refused");
        assert!(format!("{error:#}").contains("z (there is a folder of that name)"), "{error:#}");
        assert_eq!(
            (fs::read(path.join("x")).expect("x"), names(&top.path().join("a"))),
            (b"1".to_vec(), vec!["b".into()])
        );
        folder.keep();
        drop(folder);
        assert!(path.exists());
    }

    #[test]
    fn what_was_made_and_is_empty_goes_again() {
        let top = tempfile::tempdir().expect("a folder");
        drop(OutputFolder::make(&top.path().join("a/b")).expect("made"));
        assert!(names(top.path()).is_empty() && top.path().exists());
        fs::write(top.path().join("file"), "x").expect("written");
        assert!(OutputFolder::make(&top.path().join("file")).is_err());
        assert!(OutputFolder::make(&top.path().join("file/in")).is_err());
    }

    /// A policy of the old motion, its checkpoint and its points of help go with it; what a user put there stays.
    #[test]
    fn a_new_motion_takes_away_what_was_made_of_the_old_one() {
        let top = tempfile::tempdir().expect("a folder");
        let folder = OutputFolder::make(top.path()).expect("made");
        let mut first = folder.begin().expect("begun");
        first.add_all("assist/00", &[file("controls.json", "1")]).expect("written");
        first.add_all("assist/07", &[file("controls.json", "1")]).expect("written");
        first
            .add_all("", &[file("controls.json", "1"), file("assist.csv", "1"), file("simulated.gif", "1")])
            .expect("written");
        first.put().expect("put");
        folder.write(&[file("policy.json", "1"), file("feedback.png", "1")]).expect("written");
        assert_eq!(fs::read(top.path().join("controls.json")).expect("it stays"), b"1");
        let listed = |place: &str| -> Vec<String> {
            Manifest::read(&top.path().join(place)).expect("read").expect("there").files.into_keys().collect()
        };
        assert_eq!(listed(""), ["assist.csv", "controls.json", "feedback.png", "policy.json", "simulated.gif"]);
        assert_eq!(listed("assist/07"), ["controls.json"]);
        for (name, text) in [("notes.txt", "mine"), ("assist/notes.txt", "mine"), ("checkpoint.bin", "2")] {
            fs::write(top.path().join(name), text).expect("written");
        }
        fs::create_dir(top.path().join("assist/77")).expect("made");

        let mut second = folder.begin().expect("begun");
        second.add_all("assist/00", &[file("controls.json", "2")]).expect("written");
        second.add_all("", &[file("controls.json", "2"), file("assist.csv", "2")]).expect("written");
        second.put().expect("put");
        assert_eq!(
            names(top.path()),
            ["assist", "assist.csv", "controls.json", MANIFEST, "notes.txt", "simulated.gif"]
        );
        assert_eq!(names(&top.path().join("assist")), ["00", "77", "notes.txt"]);
        assert_eq!(fs::read(top.path().join("assist/00/controls.json")).expect("there"), b"2");
        assert_eq!(listed(""), ["assist.csv", "controls.json", "simulated.gif"]);

        // Without help: no front is left.
        folder.write(&[file("controls.json", "3")]).expect("written");
        assert_eq!(names(&top.path().join("assist")), ["77", "notes.txt"]);
        assert_eq!(names(top.path()), ["assist", "controls.json", MANIFEST, "notes.txt", "simulated.gif"]);
    }

    #[test]
    fn a_smaller_front_leaves_no_controllers_of_a_larger_one() {
        let top = tempfile::tempdir().expect("a folder");
        let folder = OutputFolder::make(top.path()).expect("made");
        for count in [3, 1] {
            let files: Vec<_> = (0..count).map(|index| file(&format!("{index:02}.toml"), "x")).collect();
            let mut new = folder.begin().expect("begun");
            new.add_all("controllers", &files).expect("written");
            new.add_all("", &[file("front.json", "x")]).expect("written");
            new.put().expect("put");
            fs::write(top.path().join("controllers/best.toml"), "mine").expect("written");
            assert_eq!(names(&top.path().join("controllers")).len(), count + 2);
        }
    }
}
