//! Whatever happens between two steps, the folder holds the old files or the new ones, and the next start goes on from there.

use super::*;
use crate::kill::killed_after;
use crate::tidy;
use std::cell::Cell;
use std::collections::BTreeMap;
use tempfile::TempDir;

thread_local! {
    /// Lets the system know no exchange of names.
    pub static HAS_NO_EXCHANGE: Cell<bool> = const { Cell::new(false) };
}

type Content = BTreeMap<String, String>;

/// All files under a folder, hidden ones too, and what they say.
fn content(folder: &Path) -> Content {
    let mut found = Content::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("a folder").flatten() {
            let path = entry.path();
            let name = path.strip_prefix(folder).expect("inside").to_string_lossy().into_owned();
            match path.is_dir() {
                true if fs::read_dir(&path).expect("a folder").next().is_none() => {
                    drop(found.insert(name + "/", String::new()));
                }
                true => folders.push(path),
                false => drop(found.insert(name, fs::read_to_string(&path).expect("text"))),
            }
        }
    }
    found
}

fn expected(pairs: &[(&str, &str)]) -> Content {
    pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

const OLD: [(&str, &str); 8] = [
    ("list", "1"),
    ("a", "1"),
    ("sub/b", "1"),
    ("policy", "1"),
    ("points/07/c", "1"),
    ("notes.txt", "mine"),
    ("points/mine.txt", "mine"),
    ("empty/", ""),
];
const NEW: [(&str, &str); 7] = [
    ("list", "2"),
    ("a", "2"),
    ("sub/b", "2"),
    ("points/00/c", "2"),
    ("notes.txt", "mine"),
    ("points/mine.txt", "mine"),
    ("empty/", ""),
];

fn old_folder() -> (TempDir, PathBuf) {
    let top = tempfile::tempdir().expect("a folder");
    let target = top.path().join("out");
    for (name, text) in OLD {
        let path = target.join(name);
        fs::create_dir_all(if name.ends_with('/') { &path } else { path.parent().expect("above") }).expect("made");
        if !name.ends_with('/') {
            fs::write(path, text).expect("written");
        }
    }
    (top, target)
}

fn write_new(target: &Path, is_beside: bool) -> io::Result<()> {
    let mut new = NewFolder::begin(target)?;
    assert!(new.is_beside);
    if !is_beside {
        let (staging, lock) = create(&new.target.join(staging_name(None, "new")))?;
        fs::remove_dir(&new.staging)?;
        (new.staging, new.is_beside, new._lock) = (staging, false, lock);
    }
    for name in ["a", "sub/b", "points/00/c", "list"] {
        new.add(name, b"2")?;
    }
    new.put("list", &["policy".into(), "points/07".into()])
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("a folder").flatten();
    names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Kills after every number of steps; `looks` sees the folder as it is found then, and whether it is there.
fn killed_everywhere(is_beside: bool, looks: &dyn Fn(&Content)) -> usize {
    for steps in 0.. {
        assert!(steps < 200, "it ends");
        let (top, target) = old_folder();
        let done = killed_after(steps, || write_new(&target, is_beside).expect("written"));
        if target.exists() {
            looks(&content(&target));
        } else {
            assert!(HAS_NO_EXCHANGE.get(), "the name is never free");
        }
        if done.is_some() {
            assert_eq!(content(&target), expected(&NEW));
            assert_eq!(names(top.path()), ["out"]);
            return steps;
        }
        // The next start.
        tidy(&target);
        looks(&content(&target));
        write_new(&target, is_beside).expect("written");
        assert_eq!(content(&target), expected(&NEW), "after {steps} steps");
        assert_eq!(names(top.path()), ["out"], "after {steps} steps");
    }
    unreachable!()
}

fn is_old_or_new(found: &Content) {
    assert!(*found == expected(&OLD) || *found == expected(&NEW), "{found:?}");
}

#[test]
fn a_kill_between_any_two_steps_leaves_all_old_files_or_all_new_ones() {
    assert!(killed_everywhere(true, &is_old_or_new) > 6);
}

#[test]
fn without_an_exchange_of_names_the_next_start_finishes() {
    HAS_NO_EXCHANGE.set(true);
    assert!(killed_everywhere(true, &is_old_or_new) > 7);
    HAS_NO_EXCHANGE.set(false);
}

/// One by one the files may get mixed, but only where the list is already the new one.
#[test]
fn a_mixture_is_told_by_its_list() {
    let looks = |found: &Content| {
        let found: Content = found.clone().into_iter().filter(|(name, _)| !name.starts_with(".sinew-new-")).collect();
        match found["list"].as_str() {
            "1" => assert_eq!(found, expected(&OLD)),
            _ => assert!(found["notes.txt"] == "mine" && found["points/mine.txt"] == "mine"),
        }
        // Where a new file stands, nothing of the old motion does.
        if found["a"] == "2" {
            assert!(!found.contains_key("policy") && !found.contains_key("points/07/c"));
        }
    };
    assert!(killed_everywhere(false, &looks) > 6);
}

#[test]
fn what_is_given_up_or_refused_leaves_nothing() {
    let (top, target) = old_folder();
    let mut new = NewFolder::begin(&target).expect("begun");
    new.add("a", b"2").expect("written");
    for name in ["", "..", "../x", "/x", "a/../../x", "a", "sub", "a/in"] {
        assert!(new.add(name, b"2").is_err(), "{name}");
    }
    drop(new);
    assert_eq!((content(&target), names(top.path())), (expected(&OLD), vec!["out".to_owned()]));
    assert!(NewFolder::begin(&top.path().join("none")).is_err());
}

#[test]
fn tidying_leaves_what_has_an_owner_or_another_name() {
    let (top, target) = old_folder();
    let mut new = NewFolder::begin(&target).expect("begun");
    let strangers = [".other.sinew-new-1-1", ".out.sinew-new-1-x", "out.sinew-new-1-1"];
    strangers.iter().for_each(|name| fs::create_dir(top.path().join(name)).expect("made"));
    let files = [".a.1-2.tmp", ".a.tmp", ".hidden", "a.1-2.tmp"];
    files.iter().for_each(|name| fs::write(target.join(name), "x").expect("written"));
    let held = File::create(target.join(".b.1-2.tmp")).expect("made");
    held.try_lock().expect("locked");
    for stale in [".out.sinew-new-1-1", ".out.sinew-old-1-7", "out/.sinew-new-4-4"] {
        fs::create_dir_all(top.path().join(stale).join("deep")).expect("made");
    }
    tidy(&target);
    let mut left = names(top.path());
    left.retain(|name| !new.staging.ends_with(name));
    left.sort();
    let mut wanted: Vec<String> = strangers.iter().map(|name| (*name).to_owned()).chain(["out".into()]).collect();
    wanted.sort();
    assert_eq!(left, wanted);
    let found = content(&target);
    let hidden: Vec<&str> =
        found.keys().map(String::as_str).filter(|name| name.contains(".tmp") || name.starts_with('.')).collect();
    assert_eq!(hidden, [".a.tmp", ".b.1-2.tmp", ".hidden", "a.1-2.tmp"]);
    new.add("a", b"2").expect("still there");
    new.put("list", &[]).expect("put");
    assert_eq!(fs::read(target.join("a")).expect("a"), b"2");
}

/// Also what comes while the new folder is being filled.
#[test]
fn what_a_user_adds_meanwhile_stays() {
    let (_top, target) = old_folder();
    let new = NewFolder::begin(&target).expect("begun");
    let mut left = MOST_CARRIED;
    new.carry(Path::new(""), &[], &mut left).expect("carried");
    fs::write(target.join("late.txt"), "late").expect("written");
    fs::remove_file(target.join("notes.txt")).expect("removed");
    fs::write(target.join("notes.txt"), "changed").expect("written");
    exchange(&new.staging, &target).expect("exchanged");
    new.follow(Path::new(""), &[]).expect("followed");
    let found = content(&target);
    assert_eq!((found["late.txt"].as_str(), found["notes.txt"].as_str()), ("late", "changed"));
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (_top, target) = old_folder();
    symlink("nowhere", target.join("link")).expect("linked");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o750)).expect("set");
    write_new(&target, true).expect("written");
    assert_eq!(fs::read_link(target.join("link")).expect("a link"), Path::new("nowhere"));
    assert_eq!(fs::metadata(&target).expect("there").permissions().mode() & 0o777, 0o750);
}

/// A folder with more than what is linked keeps its place.
#[test]
fn a_folder_of_very_many_files_keeps_its_place() {
    let (top, target) = old_folder();
    let mut new = NewFolder::begin(&target).expect("begun");
    new.add("a", b"2").expect("written");
    let many = target.join("many");
    fs::create_dir(&many).expect("made");
    (0..MOST_CARRIED).for_each(|index| fs::write(many.join(index.to_string()), "").expect("written"));
    new.put("list", &["policy".into()]).expect("put");
    assert_eq!((fs::read(target.join("a")).expect("a"), target.join("policy").exists()), (b"2".to_vec(), false));
    assert_eq!((names(&many).len(), names(top.path())), (MOST_CARRIED, vec!["out".to_owned()]));
    assert!(names(&target).iter().all(|name| !name.starts_with('.')), "{:?}", names(&target));
}
