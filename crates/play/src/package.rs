//! All that a character needs to be played, in one folder.
//!
//! ```text
//! package.toml          name, versions, hashes of the files, actions with their keys
//! character.toml        the character, with what it remembers of its making
//! motion.generator      what says where it goes
//! policy.safetensors    what moves it there
//! rig.glb, …            optional: the artist's file, so that what is played can be written on its skin
//! ```

use crate::error::PlayError;
use crate::part::Part;
use serde::{Deserialize, Serialize};
use sinew_files::fnv::fnv1a;
use sinew_files::{NewFolder, read as read_bytes, read_text};
use sinew_learn::{Goal, SavedGenerator};
use sinew_sim::Character;
use sinew_track::TrainedPolicy;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Version of the layout of packages.
pub const FORMAT: u32 = 1;

const PACKAGE: &str = "package.toml";
const CHARACTER: &str = "character.toml";
/// The file with the generator.
pub const GENERATOR: &str = "motion.generator";
const POLICY: &str = "policy.safetensors";
/// Largest file of a package, bytes.
const LARGEST: u64 = 1 << 30;
/// Keys of actions, in their order.
const KEYS: [&str; 10] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"];

/// A character that can be played.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// What it can be told to do.
    pub actions: Vec<KeyedAction>,
    /// The character, with what it remembers of its making.
    pub character: Character,
    /// What says where it goes.
    pub generator: SavedGenerator,
    /// What moves it there; without it the motion is shown as the generator makes it, not simulated.
    pub policy: Option<TrainedPolicy>,
    /// The artist's file: its name and content.
    pub rig: Option<(String, Vec<u8>)>,
}

/// An action and the key that begins it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyedAction {
    /// Its name, as the generator has it.
    pub name: String,
    /// The key.
    pub key: String,
    /// What it is, in a few words.
    pub about: String,
}

/// What a package says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageHead {
    /// Its name.
    pub name: String,
    /// Name of the artist's file, where it is there.
    pub rig: Option<String>,
    /// What it can be told to do.
    pub actions: Vec<KeyedAction>,
    /// Whether its body is simulated; otherwise its motion is shown as the generator makes it.
    pub is_simulated: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PackageFile {
    format: u32,
    sinew: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rig: Option<String>,
    /// FNV-1a of each file, 16 hexadecimal digits.
    files: BTreeMap<String, String>,
    #[serde(default)]
    action: Vec<KeyedAction>,
}

/// Reads a file of a package by its name.
pub type ReadFile<'a> = dyn Fn(&str) -> Result<Vec<u8>, PlayError> + 'a;

/// The files of a folder.
fn in_folder(folder: &Path) -> Result<impl Fn(&str) -> Result<Vec<u8>, PlayError>, PlayError> {
    if !folder.join(PACKAGE).is_file() {
        let problem = "this is no package of a character (there is no package.toml); make one with `sinew bring`";
        return Err(PlayError::Package { path: folder.into(), problem: problem.into() });
    }
    let folder = folder.to_path_buf();
    Ok(move |name: &str| Ok(read_bytes(&folder.join(name), LARGEST)?))
}

/// The text of a file; errors name it.
fn text_of(path: &Path, bytes: &[u8]) -> Result<String, PlayError> {
    let problem = || PlayError::Package { path: path.into(), problem: "the file is not text in UTF-8".into() };
    String::from_utf8(bytes.to_vec()).map_err(|_| problem())
}

impl PackageFile {
    fn read(folder: &Path, read: &ReadFile<'_>) -> Result<PackageFile, PlayError> {
        let path = folder.join(PACKAGE);
        let wrong = |problem: String| PlayError::Package { path: path.clone(), problem };
        let text = text_of(&path, &read(PACKAGE)?)?;
        // The version first: another one may have other fields.
        let table: toml::Table = toml::from_str(&text).map_err(|e| wrong(plain(&e)))?;
        let format = table.get("format").and_then(toml::Value::as_integer).unwrap_or(0);
        if format != i64::from(FORMAT) {
            let problem =
                format!("the package has format {format}, and this program reads {FORMAT}; bring the character again");
            return Err(wrong(problem));
        }
        toml::from_str(&text).map_err(|e| wrong(plain(&e)))
    }
}

impl Package {
    /// Joins a character, its generator and its policy, if there is one. Every action that is not for moving about gets a key, in the order of the generator.
    pub fn new(
        name: &str,
        character: Character,
        generator: SavedGenerator,
        policy: impl Into<Option<TrainedPolicy>>,
    ) -> Package {
        let told = generator.header().actions.iter().filter(|action| action.goal != Goal::MoveTo);
        let keyed = |(action, key): (&sinew_learn::Action, &&str)| KeyedAction {
            name: action.name.clone(),
            key: (*key).to_owned(),
            about: match action.goal {
                Goal::Achieve => format!("performs {}", action.name),
                _ => format!("keeps up {}", action.name),
            },
        };
        let actions = told.zip(&KEYS).map(keyed).collect();
        Package { name: name.to_owned(), actions, character, generator, policy: policy.into(), rig: None }
    }

    /// What a player needs.
    ///
    /// # Errors
    /// Where generator and policy do not fit each other.
    pub fn part(&self) -> Result<Part, PlayError> {
        match &self.policy {
            Some(policy) => Part::new(&self.generator, policy),
            None => Part::shown(&self.generator),
        }
    }

    /// Its policy, for what needs one; the error names `path`.
    ///
    /// # Errors
    /// Where its motion is only shown.
    pub fn trained(&self, path: &Path) -> Result<&TrainedPolicy, PlayError> {
        let problem = "the package has no policy (policy.safetensors): it is a generator whose motion is shown; `sinew bring` makes a simulated character";
        self.policy.as_ref().ok_or_else(|| PlayError::Package { path: path.into(), problem: problem.into() })
    }

    /// What a folder says of itself, without its content: for lists.
    ///
    /// # Errors
    /// Where there is no package, or one of another version.
    pub fn head(folder: &Path) -> Result<PackageHead, PlayError> {
        let PackageFile { name, rig, action, files, .. } = PackageFile::read(folder, &in_folder(folder)?)?;
        Ok(PackageHead { name, rig, actions: action, is_simulated: files.contains_key(POLICY) })
    }

    /// Reads a folder.
    ///
    /// # Errors
    /// Where a file is missing, damaged or of another version, with its name.
    pub fn read(folder: &Path) -> Result<Package, PlayError> {
        Package::of_files(folder, &in_folder(folder)?)
    }

    /// Reads the files of a package, wherever they are; errors name them as files of `folder`.
    ///
    /// # Errors
    /// As [`Package::read`].
    pub fn of_files(folder: &Path, read: &ReadFile<'_>) -> Result<Package, PlayError> {
        let wrong = |name: &str, problem: String| PlayError::Package { path: folder.join(name), problem };
        let file = PackageFile::read(folder, read)?;
        let mut files: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
        for (name, hash) in &file.files {
            if Path::new(name).components().count() != 1 || name.starts_with('.') {
                return Err(wrong(
                    PACKAGE,
                    format!("the file {name:?} is not in the package's own folder; bring the character again"),
                ));
            }
            let bytes = read(name)?;
            let found = format!("{:016x}", fnv1a(bytes.iter().copied()));
            if found != *hash {
                let problem = format!(
                    "the file has changed since the package was made (hash {found}, not {hash}); bring the character again"
                );
                return Err(wrong(name, problem));
            }
            files.insert(name, bytes);
        }
        let needed = |name: &str| {
            let missing = || wrong(PACKAGE, format!("{name} is not listed under [files]; bring the character again"));
            files.get(name).ok_or_else(missing)
        };
        let character = Character::from_toml(&text_of(&folder.join(CHARACTER), needed(CHARACTER)?)?);
        let character = character.map_err(|e| wrong(CHARACTER, e.to_string()))?;
        let generator = SavedGenerator::from_bytes(needed(GENERATOR)?, &folder.join(GENERATOR))?;
        let policy =
            files.get(POLICY).map(|bytes| TrainedPolicy::from_bytes(bytes, &folder.join(POLICY))).transpose()?;
        let known = &generator.header().actions;
        if let Some(other) = file.action.iter().find(|keyed| known.iter().all(|action| action.name != keyed.name)) {
            let problem =
                format!("the action {:?} is not one of motion.generator; bring the character again", other.name);
            return Err(wrong(PACKAGE, problem));
        }
        let rig = file.rig.and_then(|name| Some((name.clone(), files.remove(name.as_str())?)));
        Ok(Package { name: file.name, actions: file.action, character, generator, policy, rig })
    }

    /// All files, the description last; errors name them as files of `folder`.
    ///
    /// # Errors
    /// Where one cannot be written down.
    pub fn files(&self, folder: &Path) -> Result<Vec<(String, Vec<u8>)>, PlayError> {
        let mut files: Vec<(String, Vec<u8>)> = vec![
            (CHARACTER.into(), self.character.to_toml().into_bytes()),
            (GENERATOR.into(), self.generator.to_bytes()?),
        ];
        if let Some(policy) = &self.policy {
            files.push((POLICY.into(), policy.to_bytes(&folder.join(POLICY))?));
        }
        files.extend(self.rig.clone());
        let hashes = files.iter().map(|(name, bytes)| (name.clone(), format!("{:016x}", fnv1a(bytes.iter().copied()))));
        let description = PackageFile {
            format: FORMAT,
            sinew: env!("CARGO_PKG_VERSION").into(),
            name: self.name.clone(),
            rig: self.rig.as_ref().map(|(name, _)| name.clone()),
            files: hashes.collect(),
            action: self.actions.clone(),
        };
        let text = toml::to_string(&description)
            .map_err(|e| PlayError::Package { path: folder.join(PACKAGE), problem: e.to_string() })?;
        files.push((PACKAGE.into(), text.into_bytes()));
        Ok(files)
    }

    /// Writes a folder, in one step: a package of the same name is replaced whole or left as it was.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), PlayError> {
        let cannot = |error: std::io::Error| PlayError::Package {
            path: folder.into(),
            problem: format!("the package cannot be written ({error})"),
        };
        let files = self.files(folder)?;
        std::fs::create_dir_all(folder).map_err(cannot)?;
        let mut new = NewFolder::begin(folder).map_err(cannot)?;
        for (name, bytes) in &files {
            new.add(name, bytes).map_err(cannot)?;
        }
        // What the package before had besides is no longer part of it.
        let old =
            read_text(&folder.join(PACKAGE), LARGEST).ok().and_then(|text| toml::from_str::<PackageFile>(&text).ok());
        let old = old.into_iter().flat_map(|old| old.files.into_keys());
        let goes: Vec<PathBuf> =
            old.filter(|name| files.iter().all(|(own, _)| own != name)).map(PathBuf::from).collect();
        new.put(PACKAGE, &goes).map_err(cannot)
    }
}

fn plain(error: &toml::de::Error) -> String {
    error.to_string().trim().replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_character::{policy, standing};
    use sinew_sim::embedded;

    fn package() -> Package {
        let mut package = Package::new("hero", embedded::humanoid(), standing(&["Jump", "Wave"]), policy());
        package.rig = Some(("rig.glb".into(), vec![1, 2, 3]));
        package
    }

    fn refusal(change: impl Fn(&Path)) -> String {
        let folder = tempfile::tempdir().unwrap();
        package().write(folder.path()).unwrap();
        change(folder.path());
        Package::read(folder.path()).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let written = package();
        written.write(folder.path()).unwrap();
        let read = Package::read(folder.path()).unwrap();
        assert_eq!((&read.name, &read.actions, &read.rig), (&written.name, &written.actions, &written.rig));
        assert_eq!((&read.character, &read.generator), (&written.character, &written.generator));
        let bytes = |package: &Package| package.policy.as_ref().unwrap().to_bytes(Path::new("p")).unwrap();
        assert_eq!(bytes(&read), bytes(&written));
        let keys: Vec<(&str, &str)> = read.actions.iter().map(|a| (a.name.as_str(), a.key.as_str())).collect();
        assert_eq!(keys, [("Jump", "1"), ("Wave", "2")], "moving about needs no key");
        assert!(read.part().is_ok());
        let head = Package::head(folder.path()).unwrap();
        assert_eq!((head.name, head.rig.as_deref(), head.actions), (read.name, Some("rig.glb"), read.actions));
        assert!(head.is_simulated);
        // A package is replaced by one without a policy, and that by one without a rig.
        Package { policy: None, ..written.clone() }.write(folder.path()).unwrap();
        let shown = Package::read(folder.path()).unwrap();
        assert!(shown.policy.is_none() && !folder.path().join(POLICY).exists());
        assert!(!shown.part().unwrap().is_simulated() && !Package::head(folder.path()).unwrap().is_simulated);
        Package { rig: None, ..written }.write(folder.path()).unwrap();
        assert_eq!(Package::read(folder.path()).unwrap().rig, None);
        assert!(!folder.path().join("rig.glb").exists());
    }

    #[test]
    fn what_is_wrong_is_told_with_the_file() {
        let said = refusal(|folder| std::fs::write(folder.join(POLICY), b"other").unwrap());
        assert!(said.contains(POLICY) && said.contains("has changed"), "{said}");
        let said = refusal(|folder| std::fs::remove_file(folder.join(GENERATOR)).unwrap());
        assert!(said.contains(GENERATOR), "{said}");
        let said = refusal(|folder| std::fs::remove_file(folder.join(PACKAGE)).unwrap());
        assert!(said.contains("no package.toml") && said.contains("sinew bring"), "{said}");
        let edit = |from: &'static str, to: &'static str| {
            refusal(move |folder| {
                let text = std::fs::read_to_string(folder.join(PACKAGE)).unwrap();
                assert!(text.contains(from), "{text}");
                std::fs::write(folder.join(PACKAGE), text.replace(from, to)).unwrap();
            })
        };
        let said = edit("format = 1", "format = 2");
        assert!(said.contains(PACKAGE) && said.contains("format 2") && said.contains("reads 1"), "{said}");
        let said = edit("\"Wave\"", "\"Fly\"");
        assert!(said.contains("\"Fly\""), "{said}");
        let said = edit("\"rig.glb\" = ", "\"../rig.glb\" = ");
        assert!(said.contains("own folder"), "{said}");
    }
}
