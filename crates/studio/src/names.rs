//! Names that the page sends, and the paths in the project folder that they stand for. None leaves the folder.

use crate::error::Refusal;
use std::path::{Path, PathBuf};

/// Longest id, bytes.
const LONGEST: usize = 512;

/// The path of an id such as `rigs/hero.glb` under `root`, which is canonical. It need not be there.
///
/// # Errors
/// Where the id is empty, absolute, hidden, not in its one spelling, or a link leads out of the folder.
pub fn resolve(root: &Path, id: &str) -> Result<PathBuf, Refusal> {
    let wrong = || Refusal::bad(format!("the name {id:?} is none of a thing in this project; use one from the list"));
    // Each thing has one spelling: no `.`, `..`, doubled or trailing slash. Windows also drops dots and spaces at the end of a name.
    let is_plain =
        |part: &str| !(part.is_empty() || part.starts_with('.') || cfg!(windows) && part.ends_with(['.', ' ']));
    if id.len() > LONGEST
        || id.contains(['\\', ':'])
        || id.chars().any(char::is_control)
        || !id.split('/').all(is_plain)
    {
        return Err(wrong());
    }
    let path = root.join(id);
    // Of what is there already, every link is followed; the result must lie in the folder.
    let mut existing = path.as_path();
    while existing.symlink_metadata().is_err() {
        existing = existing.parent().ok_or_else(wrong)?;
    }
    match existing.canonicalize() {
        Ok(real) if real.starts_with(root) => Ok(path),
        _ => Err(Refusal::bad(format!("{id:?} is a link out of the project folder; put the file itself there"))),
    }
}

/// Whether what `id` names is what `of` names, or lies in it, by whatever links they are reached; on file systems to which capitals or the forms
/// of an accent are the same, also by whatever letters.
pub fn is_within(root: &Path, id: &str, of: &str) -> bool {
    let of = resolve(root, of).ok();
    let path = resolve(root, id).and_then(|path| path.canonicalize().map_err(|e| Refusal::bad(e.to_string())));
    let Ok(path) = path else { return false };
    path.ancestors()
        .take_while(|above| above.starts_with(root))
        .any(|above| of.as_deref().is_some_and(|of| is_same(above, of)))
}

/// Whether two paths lead to one file or folder.
fn is_same(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let number = |path: &Path| path.metadata().ok().map(|data| (data.dev(), data.ino()));
        number(one).is_some_and(|one| number(other) == Some(one))
    }
    #[cfg(not(unix))]
    {
        one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
    }
}

/// A file name or the name of a folder as given by a user: one component, nothing special.
///
/// # Errors
/// Says what a name may hold.
pub fn plain_name(name: &str) -> Result<&str, Refusal> {
    let is_fine = !name.is_empty()
        && name.len() <= 128
        && !name.starts_with(['.', '-', ' '])
        && !name.ends_with(['.', ' '])
        && !name.chars().any(|c| c.is_control() || "/\\:*?\"<>|".contains(c));
    match is_fine {
        true => Ok(name),
        false => Err(Refusal::bad(format!(
            "{name:?} cannot be the name of a file; use letters, digits, spaces, dots and dashes, at most 128"
        ))),
    }
}

/// A name with nothing in it that a file system minds.
pub fn plain(name: &str) -> String {
    let keep = |c: char| if c.is_alphanumeric() || "-_+. ".contains(c) { c } else { '_' };
    let name: String = name.chars().map(keep).take(100).collect();
    let name = name.trim_matches(['.', ' ', '-']);
    if name.is_empty() { "unnamed".into() } else { name.into() }
}

/// `folder/stem.ending`, or with `-2`, `-3` … where that is taken.
pub fn free_path(folder: &Path, stem: &str, ending: &str, is_taken: &dyn Fn(&Path) -> bool) -> PathBuf {
    let named = |number: usize| match number {
        1 => folder.join(format!("{stem}{ending}")),
        _ => folder.join(format!("{stem}-{number}{ending}")),
    };
    let taken = |path: &Path| path.symlink_metadata().is_ok() || is_taken(path);
    (1..).map(named).find(|path| !taken(path)).unwrap_or_else(|| named(0))
}

/// The id of a path in the project.
pub fn id_of(root: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<String> = relative.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leaves_the_folder() {
        let top = tempfile::tempdir().expect("a folder");
        let root = top.path().join("project");
        std::fs::create_dir_all(root.join("rigs")).expect("made");
        std::fs::write(top.path().join("secret"), "x").expect("written");
        let root = root.canonicalize().expect("canonical");
        let bad = [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../secret",
            "rigs/../../secret",
            "rigs/..",
            "./rigs",
            ".",
            "rigs//a",
            "rigs/",
            "//rigs",
            "rigs/./a",
            "rigs/a/.",
            "rigs/a/..",
            "rigs/b/../a",
            "rigs/a/",
            ".studio/jobs.json",
            "rigs/.hidden",
            "C:\\x",
            "rigs\\..\\..",
            "a\0b",
            "rigs/\n",
            "..\\secret",
            "file:///etc/passwd",
        ];
        for id in bad {
            assert!(resolve(&root, id).is_err(), "{id:?}");
        }
        assert!(resolve(&root, &"a/".repeat(400)).is_err());
        assert_eq!(resolve(&root, "rigs/hero.glb").expect("fine"), root.join("rigs/hero.glb"));
        assert_eq!(resolve(&root, "new/deep/hero.glb").expect("fine"), root.join("new/deep/hero.glb"));
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_folder_are_refused() {
        let top = tempfile::tempdir().expect("a folder");
        let root = top.path().join("project");
        std::fs::create_dir_all(root.join("inside")).expect("made");
        std::fs::write(top.path().join("secret"), "x").expect("written");
        let root = root.canonicalize().expect("canonical");
        let link = |from: &Path, name: &str| std::os::unix::fs::symlink(from, root.join(name)).expect("linked");
        link(&top.path().join("secret"), "file");
        link(top.path(), "folder");
        link(&top.path().join("not-there-yet"), "dangling");
        link(&root.join("inside"), "own");
        for id in ["file", "folder", "folder/secret", "folder/new", "dangling"] {
            assert!(resolve(&root, id).is_err(), "{id}");
        }
        assert!(resolve(&root, "own/new").is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn two_names_of_one_thing_are_known_to_be() {
        let top = tempfile::tempdir().expect("a folder");
        let root = top.path().canonicalize().expect("canonical");
        std::fs::create_dir_all(root.join("results/a/assist/00")).expect("made");
        std::fs::create_dir_all(root.join("results/ab")).expect("made");
        std::os::unix::fs::symlink("results", root.join("linked")).expect("linked");
        for (id, of, expected) in [
            ("results/a", "results/a", true),
            ("linked/a", "results/a", true),
            ("results/a", "linked/a", true),
            ("results/a/assist/00", "results/a", true),
            ("linked/a/assist/00", "results/a", true),
            ("results/ab", "results/a", false),
            ("results/a", "results/ab", false),
            ("results", "results/a", false),
            ("results/none", "results/a", false),
            ("results/a", "results/none", false),
            ("results/./a", "results/a", false),
        ] {
            assert_eq!(is_within(&root, id, of), expected, "{id} of {of}");
        }
    }

    #[test]
    fn names_of_files_are_one_plain_component() {
        for name in ["", ".", "..", "a/b", "a\\b", ".hidden", "a\0", "-rf", "a.", "c:x"] {
            assert!(plain_name(name).is_err(), "{name:?}");
        }
        assert!(plain_name("hero walk-2.glb").is_ok());
        assert_eq!((plain("a/b c"), plain("../..")), ("a_b c".into(), "_".into()));
    }
}
