//! The file of a generator: its kind, its constants, and the set that it plays or what it has learnt of it.
//!
//! ```text
//! "sinew generator\n"     magic
//! u32                     version of this format
//! u64                     length of the content
//! content                 what all kinds share, then the set or what was learnt, in postcard's encoding
//! u64                     FNV-1a of the content
//! ```
//!
//! Numbers are little-endian. Motion matching keeps the set itself, the learned generator its weights (f32), so that the file is all that is needed to play;
//! what can be computed again is not kept.

use crate::actions::Action;
use crate::contact_sites::ContactSite;
use crate::generator::Generator;
use crate::generator_error::GeneratorError;
use crate::matching::{MatchingConfig, MotionMatching};
use crate::motion_set::{MotionSet, Origin, Sequence, SetHeader};
use crate::recurrent::{LearnedMotion, RecurrentGenerator};
use serde::{Deserialize, Serialize};
use sinew_files::atomic_write::atomic_write;
use sinew_files::fnv::fnv1a;
use sinew_settings::named;
use sinew_sim::Character;
use std::path::Path;

const MAGIC: &[u8] = b"sinew generator\n";
const VERSION: u32 = 3;
/// Largest file that is read: five hours of 100 coordinates are a fifth of it.
const LARGEST: u64 = 1 << 30;

named! {
/// The kinds of generators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GeneratorKind, "kind of generator" {
    /// Motion matching: nothing is trained.
    #[default]
    Matching = "matching",
    /// A recurrent network that is trained.
    Lstm = "lstm",
}
}

/// A generator as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub enum SavedGenerator {
    /// Motion matching.
    Matching {
        /// Its constants.
        config: MatchingConfig,
        /// The set that it plays.
        set: Box<MotionSet>,
    },
    /// The learned generator.
    Lstm {
        /// The character, actions and contact sites of the set.
        header: SetHeader,
        /// What was learnt of it.
        learned: Box<LearnedMotion>,
    },
}

#[derive(Serialize, Deserialize)]
struct Content {
    character: String,
    forward_rad: f64,
    rate_hz: f64,
    actions: Vec<Action>,
    sites: Vec<ContactSite>,
    position_count: usize,
    kind: Kind,
}

#[derive(Serialize, Deserialize)]
enum Kind {
    /// Constants as TOML.
    Matching {
        config: String,
        sequences: Vec<Sequence>,
    },
    Lstm(Box<LearnedMotion>),
}

impl SavedGenerator {
    /// Its kind.
    pub fn kind(&self) -> GeneratorKind {
        match self {
            SavedGenerator::Matching { .. } => GeneratorKind::Matching,
            SavedGenerator::Lstm { .. } => GeneratorKind::Lstm,
        }
    }

    /// The character, actions and contact sites of its set.
    pub fn header(&self) -> &SetHeader {
        match self {
            SavedGenerator::Matching { set, .. } => &set.header,
            SavedGenerator::Lstm { header, .. } => header,
        }
    }

    /// Captured and augmented frames of its set.
    pub fn frames(&self) -> [usize; 2] {
        match self {
            SavedGenerator::Matching { set, .. } => [Origin::Captured, Origin::Augmented].map(|o| set.frames(o)),
            SavedGenerator::Lstm { learned, .. } => learned.frames,
        }
    }

    /// Makes the generator.
    ///
    /// # Errors
    /// Where the set, what was learnt or a constant cannot be used.
    pub fn generator(&self) -> Result<Box<dyn Generator>, GeneratorError> {
        Ok(match self {
            SavedGenerator::Matching { config, set } => Box::new(MotionMatching::new(set, config)?),
            SavedGenerator::Lstm { header, learned } => Box::new(RecurrentGenerator::new(header, learned)?),
        })
    }

    /// The content of the file.
    ///
    /// # Errors
    /// Where it cannot be encoded.
    pub fn to_bytes(&self) -> Result<Vec<u8>, GeneratorError> {
        let failed = |problem: String| GeneratorError::Encode { problem };
        let header = self.header();
        let kind = match self {
            SavedGenerator::Matching { config, set } => Kind::Matching {
                config: toml::to_string(config).map_err(|e| failed(e.to_string()))?,
                sequences: set.sequences.clone(),
            },
            SavedGenerator::Lstm { learned, .. } => Kind::Lstm(learned.clone()),
        };
        let content = Content {
            kind,
            character: header.character.to_toml(),
            forward_rad: header.forward_rad,
            rate_hz: header.rate_hz,
            actions: header.actions.clone(),
            sites: header.sites.clone(),
            position_count: header.position_count,
        };
        let content = postcard::to_stdvec(&content).map_err(|e| failed(e.to_string()))?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((content.len() as u64).to_le_bytes());
        bytes.extend(&content);
        bytes.extend(fnv1a(content.iter().copied()).to_le_bytes());
        Ok(bytes)
    }

    /// Writes the file, whole or not at all. Returns its length, bytes.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write(&self, path: &Path) -> Result<u64, GeneratorError> {
        let bytes = self.to_bytes()?;
        atomic_write(path, &bytes).map_err(|error| GeneratorError::Write { path: path.into(), error })?;
        Ok(bytes.len() as u64)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Where it is no generator, damaged or of another version.
    pub fn read(path: &Path) -> Result<SavedGenerator, GeneratorError> {
        SavedGenerator::from_bytes(&sinew_files::read(path, LARGEST)?, path)
    }

    /// Reads the bytes of a file; errors name `path`.
    ///
    /// # Errors
    /// As [`SavedGenerator::read`].
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<SavedGenerator, GeneratorError> {
        let damaged = |problem: &str| GeneratorError::Damaged { path: path.into(), problem: problem.into() };
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| GeneratorError::NotOne { path: path.into() })?;
        let (version, rest) = rest.split_first_chunk().ok_or_else(|| damaged("it ends too early"))?;
        let found = u32::from_le_bytes(*version);
        if found != VERSION {
            return Err(GeneratorError::Version { path: path.into(), found, known: VERSION });
        }
        let (length, rest) = rest.split_first_chunk().ok_or_else(|| damaged("it ends too early"))?;
        let (content, sum) = rest.split_last_chunk().ok_or_else(|| damaged("it ends too early"))?;
        if content.len() as u64 != u64::from_le_bytes(*length) {
            return Err(damaged("its length is wrong"));
        }
        if fnv1a(content.iter().copied()) != u64::from_le_bytes(*sum) {
            return Err(damaged("its checksum is wrong"));
        }
        let content: Content = postcard::from_bytes(content).map_err(|e| damaged(&e.to_string()))?;
        let character = Character::from_toml(&content.character).map_err(|e| damaged(&e.to_string()))?;
        let header = SetHeader {
            character,
            forward_rad: content.forward_rad,
            rate_hz: content.rate_hz,
            actions: content.actions,
            sites: content.sites,
            position_count: content.position_count,
        };
        match content.kind {
            Kind::Matching { config, sequences } => {
                let config = toml::from_str(&config).map_err(|e| damaged(&e.to_string()))?;
                if let Some(problem) = sequences.iter().find_map(|sequence| sequence.fault(&header)) {
                    return Err(damaged(&problem));
                }
                Ok(SavedGenerator::Matching { config, set: Box::new(MotionSet { header, sequences }) })
            }
            Kind::Lstm(learned) => {
                // Whether everything fits together shows when the network is built.
                RecurrentGenerator::new(&header, &learned).map_err(|error| damaged(&error.to_string()))?;
                Ok(SavedGenerator::Lstm { header, learned })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::Objective;
    use crate::test_walks::circles;

    fn saved() -> SavedGenerator {
        let (_, set) = circles(&[(0.8, 0.0), (1.2, 0.4)], 60);
        let config = MatchingConfig { search_secs: 0.1, ..MatchingConfig::default() };
        SavedGenerator::Matching { config, set: Box::new(set) }
    }

    fn learned() -> SavedGenerator {
        let (_, set) = circles(&[(0.8, 0.0), (1.2, 0.4)], 60);
        let (header, learned) = crate::recurrent::tests::trained(&set, 3);
        SavedGenerator::Lstm { header, learned: Box::new(learned) }
    }

    #[test]
    fn a_generator_that_is_read_moves_as_the_one_that_was_written() {
        for saved in [saved(), learned()] {
            assert_same_after_reading(&saved);
        }
    }

    fn assert_same_after_reading(saved: &SavedGenerator) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gen");
        let bytes = saved.write(&path).unwrap();
        assert_eq!(bytes, std::fs::metadata(&path).unwrap().len());
        let read = SavedGenerator::read(&path).unwrap();
        assert_eq!(&read, saved);
        let moved = |saved: &SavedGenerator| {
            let generator = saved.generator().unwrap();
            let mut state = generator.start(1);
            let objective = Objective::at(1, [1.0, 0.2], 1.0);
            for _ in 0..40 {
                generator.step(&mut state, &objective);
            }
            state
        };
        assert_eq!(moved(&read), moved(saved));
    }

    #[test]
    fn every_changed_or_missing_byte_is_noticed() {
        for saved in [saved(), learned()] {
            assert_faults_are_noticed(&saved);
        }
    }

    fn assert_faults_are_noticed(saved: &SavedGenerator) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gen");
        saved.write(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for at in (0..bytes.len()).step_by(211).chain([0, 16, 20, 27, bytes.len() - 1]) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x20;
            std::fs::write(&path, &changed).unwrap();
            assert!(SavedGenerator::read(&path).is_err(), "byte {at}");
        }
        for length in [0, 10, 18, 25, 400, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert!(SavedGenerator::read(&path).is_err(), "cut to {length}");
        }
    }

    #[test]
    fn what_does_not_fit_together_is_refused_in_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gen");
        let refused = |change: &dyn Fn(&mut LearnedMotion)| {
            let SavedGenerator::Lstm { header, mut learned } = learned() else { unreachable!() };
            change(&mut learned);
            SavedGenerator::Lstm { header, learned }.write(&path).unwrap();
            SavedGenerator::read(&path).unwrap_err().to_string()
        };
        let told = refused(&|learned| learned.config.lstm_units[0] += 1);
        assert!(told.contains("lstm.0.input_weight"), "{told}");
        let told = refused(&|learned| learned.config.batch = 0);
        assert!(told.contains("batch"), "{told}");
        let told = refused(&|learned| learned.starts.clear());
        assert!(told.contains("start"), "{told}");
        let told = refused(&|learned| learned.starts[0][3] = f32::NAN);
        assert!(told.contains("start"), "{told}");
        let told = refused(&|learned| learned.standard.deviation[2] = 0.0);
        assert!(told.contains("deviations"), "{told}");
        let told = refused(&|learned| learned.feasible.actions.clear());
        assert!(told.contains("actions"), "{told}");
        let told = refused(&|learned| learned.weights.truncate(100));
        assert!(told.contains("make it again"), "{told}");
    }
}
