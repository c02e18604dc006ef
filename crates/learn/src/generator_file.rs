//! The file of a generator: its kind, its constants, and the set that it was made from.
//!
//! ```text
//! "sinew generator\n"     magic
//! u32                     version of this format
//! u64                     length of the content
//! content                 kind, constants as TOML, the set, in postcard's encoding
//! u64                     FNV-1a of the content
//! ```
//!
//! Numbers are little-endian. Motion matching keeps the set itself, so that the file is all that is needed to play; what can be computed again is not kept.

use crate::actions::Action;
use crate::contact_sites::ContactSite;
use crate::generator::Generator;
use crate::generator_error::GeneratorError;
use crate::matching::{MatchingConfig, MotionMatching};
use crate::motion_set::{MotionSet, Sequence, SetHeader};
use serde::{Deserialize, Serialize};
use sinew_files::atomic_write::atomic_write;
use sinew_files::fnv::fnv1a;
use sinew_settings::named;
use sinew_sim::Character;
use std::path::Path;

const MAGIC: &[u8] = b"sinew generator\n";
const VERSION: u32 = 1;
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
}
}

/// A generator as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedGenerator {
    /// Its kind.
    pub kind: GeneratorKind,
    /// Constants of motion matching.
    pub matching: MatchingConfig,
    /// The set that it was made from.
    pub set: MotionSet,
}

#[derive(Serialize, Deserialize)]
struct Content {
    kind: GeneratorKind,
    matching: String,
    character: String,
    forward_rad: f64,
    rate_hz: f64,
    actions: Vec<Action>,
    sites: Vec<ContactSite>,
    position_count: usize,
    sequences: Vec<Sequence>,
}

impl SavedGenerator {
    /// Makes the generator.
    ///
    /// # Errors
    /// Where the set or a constant cannot be used.
    pub fn generator(&self) -> Result<Box<dyn Generator>, GeneratorError> {
        match self.kind {
            GeneratorKind::Matching => Ok(Box::new(MotionMatching::new(&self.set, &self.matching)?)),
        }
    }

    /// The content of the file.
    ///
    /// # Errors
    /// Where it cannot be encoded.
    pub fn to_bytes(&self) -> Result<Vec<u8>, GeneratorError> {
        let failed = |problem: String| GeneratorError::Encode { problem };
        let header = &self.set.header;
        let content = Content {
            kind: self.kind,
            matching: toml::to_string(&self.matching).map_err(|e| failed(e.to_string()))?,
            character: header.character.to_toml(),
            forward_rad: header.forward_rad,
            rate_hz: header.rate_hz,
            actions: header.actions.clone(),
            sites: header.sites.clone(),
            position_count: header.position_count,
            sequences: self.set.sequences.clone(),
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
        let bytes = sinew_files::read(path, LARGEST)?;
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
        let matching = toml::from_str(&content.matching).map_err(|e| damaged(&e.to_string()))?;
        let character = Character::from_toml(&content.character).map_err(|e| damaged(&e.to_string()))?;
        let header = SetHeader {
            character,
            forward_rad: content.forward_rad,
            rate_hz: content.rate_hz,
            actions: content.actions,
            sites: content.sites,
            position_count: content.position_count,
        };
        if let Some(problem) = content.sequences.iter().find_map(|sequence| sequence.fault(&header)) {
            return Err(damaged(&problem));
        }
        let set = MotionSet { header, sequences: content.sequences };
        Ok(SavedGenerator { kind: content.kind, matching, set })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::Objective;
    use crate::test_walks::circles;

    fn saved() -> SavedGenerator {
        let (_, set) = circles(&[(0.8, 0.0), (1.2, 0.4)], 60);
        let matching = MatchingConfig { search_secs: 0.1, ..MatchingConfig::default() };
        SavedGenerator { kind: GeneratorKind::Matching, matching, set }
    }

    #[test]
    fn a_generator_that_is_read_moves_as_the_one_that_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gen");
        let saved = saved();
        let bytes = saved.write(&path).unwrap();
        assert_eq!(bytes, std::fs::metadata(&path).unwrap().len());
        let read = SavedGenerator::read(&path).unwrap();
        assert_eq!(read, saved);
        let moved = |saved: &SavedGenerator| {
            let generator = saved.generator().unwrap();
            let mut state = generator.start(1);
            let objective = Objective::at(1, [1.0, 0.2], 1.0);
            for _ in 0..40 {
                generator.step(&mut state, &objective);
            }
            state
        };
        assert_eq!(moved(&read), moved(&saved));
    }

    #[test]
    fn every_changed_or_missing_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gen");
        saved().write(&path).unwrap();
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
}
