//! Characters of captured motion: which clips of a folder, what they show, and how the character is made of them.
//!
//! A [`Recipe`] is a TOML file: `[[clip]]` and `[[action]]` as in a file of labels ([`crate::learn`]), and settings of data set, generator and
//! training on top of the defaults. Those that come with the program are named in [`sinew_assets::RECIPES`].

use super::transfers::make;
use crate::config_file::{Section, Settings, load, parse};
use crate::error::{BringError, Error, FileError, Result};
use crate::learn::{ClipLabel, DeclaredAction, LABELS, files};
use serde::{Deserialize, Serialize};
use sinew_learn::{DataConfig, MatchingConfig};
use sinew_settings::Documented;
use sinew_track::{TrackerConfig, TrackerPreset};
use std::fs;
use std::path::{Path, PathBuf};

/// Folder in the folder `work`: the clips of a recipe with their labels.
pub(super) const CLIPS: &str = "clips";
/// Longest training that a recipe may ask for, minutes.
const LONGEST: f64 = 10_000.0;

sinew_settings::documented! {
    /// What a character of captured motion is made of.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Recipe {
        /// What it is, in a sentence.
        pub about: String,
        /// The character that all clips are brought onto: an embedded one, a rigged file or one of `sinew model`.
        pub character: String,
        /// Longest training, minutes.
        pub minutes: f64,
        /// Clips: `file` with or without its ending and what stands before an underscore, `action`, and where they are not the whole clip
        /// `from` and `to`, s. Of one file there may be several.
        pub clip: Vec<ClipLabel>,
        /// Actions that are not known already: `name`, `goal` and `lookahead`, s.
        pub action: Vec<DeclaredAction>,
        /// The data set.
        pub data: DataConfig,
        /// The generator.
        pub generator: MatchingConfig,
        /// The policy and its training.
        pub tracker: TrackerConfig,
    }
}

impl Default for Recipe {
    fn default() -> Recipe {
        Recipe {
            about: String::new(),
            character: "human".into(),
            minutes: 20.0,
            clip: Vec::new(),
            action: Vec::new(),
            data: DataConfig::default(),
            generator: MatchingConfig::default(),
            tracker: TrackerConfig::preset(TrackerPreset::Driven),
        }
    }
}

impl Settings for Recipe {
    const SECTIONS: &'static [Section] = &[
        Section { name: "", about: "A character of captured motion.", fields: Recipe::FIELDS },
        Section { name: "data", about: "The data set. Frames are 1/30 s.", fields: DataConfig::FIELDS },
        Section { name: "generator", about: "Motion matching.", fields: MatchingConfig::FIELDS },
        Section { name: "tracker", about: "The policy and its training.", fields: TrackerConfig::FIELDS },
    ];

    fn complete() -> Recipe {
        Recipe::default()
    }

    fn check(&self) -> Result<()> {
        if !(0.01..=LONGEST).contains(&self.minutes) {
            return Err(BringError::Minutes { minutes: self.minutes, most: LONGEST }.into());
        }
        self.data.check()?;
        self.generator.check()?;
        self.tracker.check()
    }
}

impl Recipe {
    /// Reads a file, or one that comes with the program by its name.
    ///
    /// # Errors
    /// Where there is none, it is wrong (with the line), or it names no clip.
    pub fn open(path: &Path) -> Result<Recipe> {
        let known = path.to_str().filter(|_| !path.exists()).and_then(sinew_assets::recipe);
        let recipe = match known {
            Some(text) => parse(text, &format!("{}.toml", path.display()), &Recipe::default())?,
            None if !path.exists() => {
                let known = sinew_assets::RECIPES.join(", ");
                return Err(BringError::NoRecipe { path: path.into(), known }.into());
            }
            None => load(path, &Recipe::default())?,
        };
        if recipe.clip.is_empty() {
            return Err(BringError::EmptyRecipe { path: path.into() }.into());
        }
        Ok(recipe)
    }

    /// Copies the clips out of a folder, with their labels beside them. Returns the files and the actions of each.
    ///
    /// # Errors
    /// Where clips are missing, with all their names, or cannot be copied.
    pub(super) fn gather(&self, folder: &Path, work: &Path) -> Result<Vec<(String, Vec<String>)>> {
        if !folder.is_dir() {
            let error = sinew_files::FileError::Missing { path: folder.into() };
            let remedy = "give the folder of the clips".to_owned();
            return Err(FileError::Read { path: folder.into(), error, remedy }.into());
        }
        // Folders of transfers and files that need others beside them cannot be copied alone.
        let found: Vec<PathBuf> = files(folder)?.into_iter().filter(|path| path.is_file() && is_whole(path)).collect();
        let path_of = |label: &ClipLabel| found.iter().find(|path| is_called(path, &label.file));
        let mut missing: Vec<&str> =
            self.clip.iter().filter(|label| path_of(label).is_none()).map(|label| label.file.as_str()).collect();
        missing.dedup();
        if !missing.is_empty() {
            return Err(BringError::NoClips { folder: folder.into(), clips: missing.join(", ") }.into());
        }
        let clips = make(&work.join(CLIPS))?;
        let mut labels = self.clip.clone();
        let mut used: Vec<(String, Vec<String>)> = Vec::new();
        for label in &mut labels {
            let Some(path) = path_of(label) else { continue };
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let place = clips.join(&name);
            if !place.exists() {
                fs::copy(path, &place).map_err(|error| FileError::Write { path: place.clone(), error })?;
            }
            label.file.clone_from(&name);
            let actions = label.actions().to_vec();
            match used.iter_mut().find(|(file, _)| *file == name) {
                Some((_, known)) => known.extend(actions),
                None => used.push((name, actions)),
            }
        }
        let text = toml::to_string(&Labelled { action: &self.action, clip: &labels }).map_err(|error| {
            let problem = error.to_string();
            Error::from(BringError::Labels { problem })
        })?;
        let path = clips.join(LABELS);
        fs::write(&path, text).map_err(|error| FileError::Write { path, error })?;
        Ok(used)
    }

    /// The character as a path: beside the recipe where it is a file there.
    pub(super) fn character(&self, recipe: &Path) -> PathBuf {
        let beside = recipe.parent().map(|folder| folder.join(&self.character)).filter(|path| path.exists());
        beside.unwrap_or_else(|| PathBuf::from(&self.character))
    }
}

#[derive(Serialize)]
struct Labelled<'a> {
    action: &'a [DeclaredAction],
    clip: &'a [ClipLabel],
}

/// Whether all of a file's clip is in the file itself.
fn is_whole(path: &Path) -> bool {
    !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gltf"))
}

/// Whether a file is the one that is meant: by its name, with or without its ending, whoever stands before it (`cmu_104_41.bvh` is `104_41`).
fn is_called(path: &Path, name: &str) -> bool {
    let lower = |text: &std::ffi::OsStr| text.to_string_lossy().to_lowercase();
    let name = name.to_lowercase();
    let called = |whole: String| whole == name || whole.strip_suffix(&name).is_some_and(|before| before.ends_with('_'));
    path.file_name().is_some_and(|file| called(lower(file))) || path.file_stem().is_some_and(|stem| called(lower(stem)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(text: &str) -> Result<Recipe> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("walker.toml");
        fs::write(&path, text).expect("written");
        Recipe::open(&path)
    }

    fn refusal(text: &str) -> String {
        recipe(text).expect_err("refused").to_string()
    }

    #[test]
    fn those_that_come_with_the_program_can_be_used() {
        for name in sinew_assets::RECIPES {
            let recipe = Recipe::open(Path::new(name)).expect(name);
            assert!(!recipe.about.is_empty() && sinew_assets::find(&recipe.character).is_some(), "{name}");
        }
        let said = Recipe::open(Path::new("zombies")).expect_err("none").to_string();
        assert!(said.contains("zombies") && said.contains("gorilla, hop"), "{said}");
    }

    #[test]
    fn settings_stand_on_top_of_the_defaults() {
        let made = recipe(
            "minutes = 5.0\n[data]\nminutes = 2.0\n[tracker]\nhorizon = 77\n[[clip]]\nfile = 'a'\naction = ['Walk', 'MoveTo']\nto = 2.0\n",
        )
        .expect("a recipe");
        let default = Recipe::default();
        assert_eq!((made.minutes, made.data.minutes, made.tracker.horizon), (5.0, 2.0, 77));
        assert_eq!((made.clip.len(), made.clip[0].actions()), (1, &["Walk".to_owned(), "MoveTo".to_owned()][..]));
        let rest = TrackerConfig { horizon: default.tracker.horizon, ..made.tracker };
        assert_eq!((rest, made.generator), (default.tracker, default.generator));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let clip = "[[clip]]\nfile = 'a'\naction = 'Walk'\n";
        assert!(refusal("minutes = 5.0\n").contains("[[clip]]"));
        let said = refusal(&format!("{clip}[data]\nminits = 2.0\n"));
        assert!(said.contains("line 5") && said.contains("minits"), "{said}");
        let said = refusal(&format!("minutes = 0.0\n{clip}"));
        assert!(said.contains("line 1") && said.contains("minutes"), "{said}");
        let said = refusal(&format!("{clip}[data]\nminutes = -1.0\n"));
        assert!(said.contains("line 5"), "{said}");
        let said = refusal("[[clip]]\nfile = 'a'\nacton = 'Walk'\n");
        assert!(said.contains("acton"), "{said}");
    }

    #[test]
    fn clips_are_found_wherever_they_lie_and_keep_their_labels() {
        let folder = tempfile::tempdir().expect("a folder");
        let deep = make(&folder.path().join("clips/010")).expect("a folder");
        for name in ["cmu_10_01.bvh", "110_01.bvh", "cmu_10_02.bvh"] {
            fs::write(deep.join(name), name).expect("written");
        }
        let two = "[[clip]]\nfile = '10_01'\naction = 'Walk'\nto = 1.0\n[[clip]]\nfile = '10_01.bvh'\naction = 'Run'\nfrom = 1.0\n";
        let recipe_of = |text: &str| recipe(text).expect("a recipe");
        let work = folder.path().join("work");
        let used = recipe_of(two).gather(&folder.path().join("clips"), &work).expect("gathered");
        assert_eq!(used, [("cmu_10_01.bvh".to_owned(), vec!["Walk".to_owned(), "Run".to_owned()])]);
        assert_eq!(fs::read_to_string(work.join("clips/cmu_10_01.bvh")).expect("copied"), "cmu_10_01.bvh");
        assert!(!work.join("clips/cmu_10_02.bvh").exists());
        let labels = fs::read_to_string(work.join("clips/labels.toml")).expect("labels");
        assert_eq!(labels.matches("file = \"cmu_10_01.bvh\"").count(), 2);
        assert!(labels.contains("to = 1.0") && labels.contains("from = 1.0"), "{labels}");

        let missing =
            format!("{two}[[clip]]\nfile = '0_01'\naction = 'Walk'\n[[clip]]\nfile = '9_09'\naction = 'Walk'\n");
        let said = recipe_of(&missing).gather(&folder.path().join("clips"), &work).expect_err("missing").to_string();
        assert!(said.contains("0_01, 9_09"), "{said}");
        // What cannot be copied alone is not taken.
        fs::write(deep.join("10_03.gltf"), "{}").expect("written");
        fs::create_dir_all(deep.join("10_04")).expect("a folder");
        fs::write(deep.join("10_04/controls.json"), "{}").expect("written");
        for file in ["10_03", "10_04"] {
            let asked = recipe_of(&format!("[[clip]]\nfile = '{file}'\naction = 'Walk'\n"));
            let said = asked.gather(&folder.path().join("clips"), &work).expect_err(file).to_string();
            assert!(said.contains(file) && said.contains("GLB"), "{said}");
        }
        let said = recipe_of(two).gather(&folder.path().join("nowhere"), &work).expect_err("none").to_string();
        assert!(said.contains("nowhere") && said.contains("give the folder"), "{said}");
    }
}
