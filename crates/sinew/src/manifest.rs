//! `manifest.json`: which files a run wrote into a folder, so that files of two runs side by side are told apart.

use crate::error::{Error, FileError, Result};
use serde::{Deserialize, Serialize};
use sinew_files::fnv::fnv1a;
use std::collections::BTreeMap;
use std::io::{BufReader, Read};
use std::path::Path;

/// Name of the file.
pub const MANIFEST: &str = "manifest.json";
/// Version of its layout.
const VERSION: u32 = 1;
/// Largest manifest, bytes.
const LARGEST: u64 = 1 << 20;

/// What a folder's files were when they were written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    version: u32,
    /// Files in the folder itself, by name.
    pub files: BTreeMap<String, Written>,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Written {
    /// Length, bytes.
    bytes: u64,
    /// FNV-1a of its bytes, 16 hexadecimal digits.
    fnv1a: String,
}

impl Written {
    /// What is to be written.
    pub fn new(bytes: &[u8]) -> Written {
        Written { bytes: bytes.len() as u64, fnv1a: format!("{:016x}", fnv1a(bytes.iter().copied())) }
    }

    /// A file that was written already.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn of_file(path: &Path) -> Result<Written> {
        let file = sinew_files::open(path)?;
        let cannot = |error| sinew_files::FileError::Io { path: path.into(), error };
        let bytes = file.metadata().map_err(cannot)?.len();
        let mut failure = None;
        let all = BufReader::with_capacity(1 << 16, file.take(bytes)).bytes();
        let hash = fnv1a(all.map_while(|byte| byte.map_err(|error| failure = Some(error)).ok()));
        match failure {
            Some(error) => Err(cannot(error).into()),
            None => Ok(Written { bytes, fnv1a: format!("{hash:016x}") }),
        }
    }

    /// Whether a file is what was written; one that is not there is.
    fn is_still(&self, path: &Path) -> Result<bool> {
        match sinew_files::open(path) {
            Err(error) if error.is_missing() => return Ok(true),
            Ok(file) if file.metadata().is_ok_and(|found| found.len() != self.bytes) => return Ok(false),
            _ => {}
        }
        Ok(Written::of_file(path)? == *self)
    }
}

impl Manifest {
    /// A list of files.
    pub fn new(files: BTreeMap<String, Written>) -> Manifest {
        Manifest { version: VERSION, files }
    }

    /// The text of the file.
    ///
    /// # Errors
    /// Where it cannot be written as JSON.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self).map_err(Error::Json)? + "\n")
    }

    /// Reads the manifest of a folder; none where it has none, as folders of older versions.
    ///
    /// # Errors
    /// Where it is damaged or of another version.
    pub fn read(folder: &Path) -> Result<Option<Manifest>> {
        let path = folder.join(MANIFEST);
        let text = match sinew_files::read(&path, LARGEST) {
            Err(error) if error.is_missing() => return Ok(None),
            text => text?,
        };
        let damaged =
            |problem: String| FileError::Damaged { path: path.clone(), problem, remedy: "write the result again" };
        let manifest: Manifest = serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
        if manifest.version != VERSION {
            return Err(damaged(format!("version {}", manifest.version)).into());
        }
        Ok(Some(manifest))
    }

    /// Checks those of the files `names` that the folder's manifest lists and that are there.
    ///
    /// # Errors
    /// Where one is not what was written: files of two runs may lie side by side.
    pub fn check(folder: &Path, names: &[&str]) -> Result<()> {
        let Some(manifest) = Manifest::read(folder)? else { return Ok(()) };
        for (name, written) in names.iter().filter_map(|name| Some((name, manifest.files.get(*name)?))) {
            if !written.is_still(&folder.join(name))? {
                return Err(FileError::Mixed { folder: folder.into(), name: (*name).to_owned() }.into());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_of_another_run_is_refused_in_one_sentence() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path();
        let check = |names: &[&str]| Manifest::check(here, names).map_err(|error| format!("{error:#}"));
        assert_eq!(check(&["a"]), Ok(()), "folders of older versions have none");
        let files = ["a", "b"].map(|name| (name.to_owned(), Written::new(name.as_bytes())));
        let manifest = Manifest::new(files.into_iter().collect());
        fs::write(here.join(MANIFEST), manifest.to_json().expect("text")).expect("written");
        assert_eq!(Manifest::read(here).expect("read"), Some(manifest));
        ["a", "b", "c"].iter().for_each(|name| fs::write(here.join(name), name).expect("written"));
        assert_eq!(check(&["a", "b", "c"]), Ok(()));
        // Of the same length, longer, and gone.
        fs::write(here.join("b"), "x").expect("written");
        let error = check(&["a", "b"]).expect_err("refused");
        assert!(error.contains("b was changed or is of another run") && error.lines().count() == 1, "{error}");
        assert_eq!(check(&["a"]), Ok(()), "only what is asked for");
        fs::write(here.join("b"), "bb").expect("written");
        assert!(check(&["b"]).is_err());
        fs::remove_file(here.join("b")).expect("removed");
        assert_eq!(check(&["b"]), Ok(()));
        for damaged in ["{", "{\"version\": 2, \"files\": {}}"] {
            fs::write(here.join(MANIFEST), damaged).expect("written");
            assert!(check(&["a"]).expect_err("refused").contains("manifest.json is damaged"));
        }
    }
}
