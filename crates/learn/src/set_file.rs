//! The file of a motion set, written and read sequence by sequence, so that hours of motion need little memory.
//!
//! ```text
//! "sinew motion set\n"                 magic
//! u32                                  version of this format
//! chunk "HEAD"                         rate, front, actions, sites, character as TOML, in postcard's encoding
//! chunk "SEQ " each                    a sequence, in postcard's encoding
//! chunk "END "                         number of sequences and of frames, u64 each
//! ```
//!
//! A chunk is four letters, the length of its content (`u64`), the content, and FNV-1a of the content (`u64`). Numbers are little-endian.

use crate::actions::Action;
use crate::contact_sites::ContactSite;
use crate::error::LearnError;
use crate::motion_set::{Sequence, SetHeader};
use serde::{Deserialize, Serialize};
use sinew_files::fnv::fnv1a;
use sinew_sim::Character;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8] = b"sinew motion set\n";
const VERSION: u32 = 1;
/// Largest chunk that is read: an hour of 100 coordinates is a tenth of it.
const LARGEST_CHUNK: u64 = 1 << 30;

#[derive(Serialize, Deserialize)]
struct HeadChunk {
    character: String,
    forward_rad: f64,
    rate_hz: f64,
    actions: Vec<Action>,
    sites: Vec<ContactSite>,
    position_count: usize,
}

/// Writes a set chunk by chunk into a file that is not finished before [`SetWriter::finish`].
pub struct SetWriter {
    path: PathBuf,
    file: File,
    header: SetHeader,
    sequences: u64,
    frames: u64,
    bytes: u64,
}

impl SetWriter {
    /// Begins a file, in place of any that is there.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn create(path: &Path, header: &SetHeader) -> Result<SetWriter, LearnError> {
        let file = File::create(path).map_err(at(path))?;
        let mut writer =
            SetWriter { path: path.to_path_buf(), file, header: header.clone(), sequences: 0, frames: 0, bytes: 0 };
        writer.write(MAGIC)?;
        writer.write(&VERSION.to_le_bytes())?;
        let head = HeadChunk {
            character: header.character.to_toml(),
            forward_rad: header.forward_rad,
            rate_hz: header.rate_hz,
            actions: header.actions.clone(),
            sites: header.sites.clone(),
            position_count: header.position_count,
        };
        writer.chunk(b"HEAD", &head)?;
        Ok(writer)
    }

    /// Goes on with an unfinished file after its first `bytes`, which hold `sequences` of `frames` in all.
    ///
    /// # Errors
    /// Where the file is shorter, or cannot be written.
    pub fn resume(
        path: &Path,
        header: &SetHeader,
        [bytes, sequences, frames]: [u64; 3],
    ) -> Result<SetWriter, LearnError> {
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(at(path))?;
        let length = file.metadata().map_err(at(path))?.len();
        if length < bytes {
            let problem = format!("{length} bytes where at least {bytes} were written");
            return Err(LearnError::Damaged { path: path.to_path_buf(), problem });
        }
        file.set_len(bytes).map_err(at(path))?;
        file.seek(SeekFrom::Start(bytes)).map_err(at(path))?;
        Ok(SetWriter { path: path.to_path_buf(), file, header: header.clone(), sequences, frames, bytes })
    }

    /// Adds a sequence.
    ///
    /// # Errors
    /// Where its parts do not fit the set, or it cannot be written.
    pub fn append(&mut self, sequence: &Sequence) -> Result<(), LearnError> {
        if let Some(problem) = sequence.fault(&self.header) {
            return Err(LearnError::Sequence { name: sequence.name.clone(), problem });
        }
        self.chunk(b"SEQ ", sequence)?;
        self.sequences += 1;
        self.frames += sequence.frame_count() as u64;
        Ok(())
    }

    /// Bytes, sequences and frames so far: where [`SetWriter::resume`] goes on. They are on the disk when this returns.
    ///
    /// # Errors
    /// Where the system cannot write them.
    pub fn mark(&self) -> Result<[u64; 3], LearnError> {
        self.file.sync_data().map_err(at(&self.path))?;
        Ok([self.bytes, self.sequences, self.frames])
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn finish(mut self) -> Result<(), LearnError> {
        let counts = [self.sequences.to_le_bytes(), self.frames.to_le_bytes()].concat();
        self.raw_chunk(b"END ", &counts)?;
        self.file.sync_all().map_err(at(&self.path))
    }

    fn chunk(&mut self, kind: &[u8; 4], content: &impl Serialize) -> Result<(), LearnError> {
        let bytes = postcard::to_stdvec(content).map_err(|error| at(&self.path)(io::Error::other(error)))?;
        self.raw_chunk(kind, &bytes)
    }

    fn raw_chunk(&mut self, kind: &[u8; 4], content: &[u8]) -> Result<(), LearnError> {
        self.write(kind)?;
        self.write(&(content.len() as u64).to_le_bytes())?;
        self.write(content)?;
        self.write(&fnv1a(content.iter().copied()).to_le_bytes())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), LearnError> {
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(at(&self.path))
    }
}

/// Reads a set sequence by sequence.
pub struct SetReader {
    path: PathBuf,
    file: BufReader<File>,
    header: SetHeader,
    sequences: u64,
    frames: u64,
    is_at_end: bool,
}

impl SetReader {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// Where the file is no set, damaged or of another version.
    pub fn open(path: &Path) -> Result<SetReader, LearnError> {
        let mut file = BufReader::new(sinew_files::open(path)?);
        let not_one = || LearnError::NotOne { path: path.to_path_buf() };
        let mut magic = vec![0; MAGIC.len()];
        file.read_exact(&mut magic).map_err(|_| not_one())?;
        if magic != MAGIC {
            return Err(not_one());
        }
        let mut version = [0; 4];
        file.read_exact(&mut version).map_err(|_| not_one())?;
        let found = u32::from_le_bytes(version);
        if found != VERSION {
            return Err(LearnError::Version { path: path.to_path_buf(), found, known: VERSION });
        }
        let (kind, content) = read_chunk(&mut file, path)?;
        let damaged = |problem: String| LearnError::Damaged { path: path.to_path_buf(), problem };
        if &kind != b"HEAD" {
            return Err(damaged("the header is missing".into()));
        }
        let head: HeadChunk = postcard::from_bytes(&content).map_err(|e| damaged(format!("its header: {e}")))?;
        let character = Character::from_toml(&head.character).map_err(|e| damaged(format!("its character: {e}")))?;
        let header = SetHeader {
            character,
            forward_rad: head.forward_rad,
            rate_hz: head.rate_hz,
            actions: head.actions,
            sites: head.sites,
            position_count: head.position_count,
        };
        Ok(SetReader { path: path.to_path_buf(), file, header, sequences: 0, frames: 0, is_at_end: false })
    }

    /// What all sequences share.
    pub fn header(&self) -> &SetHeader {
        &self.header
    }

    /// What all sequences share, for keeps.
    pub fn into_header(self) -> SetHeader {
        self.header
    }

    /// Reads the next sequence; none at the end of the set.
    ///
    /// # Errors
    /// Where the file is damaged or not finished.
    pub fn next_sequence(&mut self) -> Result<Option<Sequence>, LearnError> {
        if self.is_at_end {
            return Ok(None);
        }
        let (kind, content) = read_chunk(&mut self.file, &self.path)?;
        let damaged = |problem: String| LearnError::Damaged { path: self.path.clone(), problem };
        if &kind == b"END " {
            let counts = [self.sequences.to_le_bytes(), self.frames.to_le_bytes()].concat();
            if content != counts {
                return Err(damaged("sequences are missing".into()));
            }
            self.is_at_end = true;
            return Ok(None);
        }
        let number = self.sequences;
        if &kind != b"SEQ " {
            return Err(damaged(format!("sequence {number} is something else")));
        }
        let sequence: Sequence =
            postcard::from_bytes(&content).map_err(|e| damaged(format!("sequence {number}: {e}")))?;
        if let Some(problem) = sequence.fault(&self.header) {
            return Err(damaged(format!("sequence {number}: {problem}")));
        }
        self.sequences += 1;
        self.frames += sequence.frame_count() as u64;
        Ok(Some(sequence))
    }
}

fn read_chunk(file: &mut impl Read, path: &Path) -> Result<([u8; 4], Vec<u8>), LearnError> {
    let damaged = |problem: &str| LearnError::Damaged { path: path.to_path_buf(), problem: problem.into() };
    let cut = |_| damaged("it ends too early");
    let (mut kind, mut number) = ([0; 4], [0; 8]);
    file.read_exact(&mut kind).map_err(cut)?;
    file.read_exact(&mut number).map_err(cut)?;
    let length = u64::from_le_bytes(number);
    if length > LARGEST_CHUNK {
        return Err(damaged("a part is too long"));
    }
    let mut content = Vec::new();
    file.take(length).read_to_end(&mut content).map_err(cut)?;
    file.read_exact(&mut number).map_err(cut)?;
    if fnv1a(content.iter().copied()) != u64::from_le_bytes(number) {
        return Err(damaged("a checksum is wrong"));
    }
    Ok((kind, content))
}

fn at(path: &Path) -> impl Fn(io::Error) -> LearnError + use<> {
    let path = path.to_path_buf();
    move |error| LearnError::Io { path: path.clone(), error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Control, Figure, Intent, MotionSet, Origin};
    use sinew_sim::embedded;

    fn set() -> MotionSet {
        let figure = Figure::new(&embedded::humanoid(), 0.0).unwrap();
        let header = SetHeader::new(&figure, vec![Action::move_to()]);
        let rest: Vec<f32> = figure.model().rest_position().iter().map(|&x| x as f32).collect();
        let sequence = |frames: usize| Sequence {
            name: format!("of {frames}"),
            source: "made here".into(),
            origin: Origin::Captured,
            positions: rest.repeat(frames),
            contacts: vec![0b1011; frames],
            labels: vec![1; frames],
            intents: vec![Intent::new(1).with(Control::Speed, 0.25); frames],
        };
        MotionSet { header, sequences: vec![sequence(3), sequence(70)] }
    }

    fn write(set: &MotionSet, path: &Path) {
        let mut writer = SetWriter::create(path, &set.header).unwrap();
        set.sequences.iter().for_each(|s| writer.append(s).unwrap());
        writer.finish().unwrap();
    }

    #[test]
    fn a_set_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("set");
        let set = set();
        write(&set, &path);
        let back = MotionSet::read(&path).unwrap();
        assert_eq!(back, set);
        assert_eq!((back.frames(Origin::Captured), back.frames(Origin::Augmented)), (73, 0));
        assert_eq!(back.sequences[1].row(5).len(), set.header.position_count);
    }

    #[test]
    fn a_resumed_file_has_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
        let set = set();
        write(&set, &whole);
        let mut writer = SetWriter::create(&parts, &set.header).unwrap();
        writer.append(&set.sequences[0]).unwrap();
        let mark = writer.mark().unwrap();
        // What a killed program wrote after its last checkpoint goes.
        writer.append(&set.sequences[0]).unwrap();
        drop(writer);
        let mut writer = SetWriter::resume(&parts, &set.header, mark).unwrap();
        writer.append(&set.sequences[1]).unwrap();
        writer.finish().unwrap();
        assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&parts).unwrap());
        assert!(SetWriter::resume(&parts, &set.header, [1 << 40, 0, 0]).is_err());
    }

    #[test]
    fn every_changed_or_missing_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("set");
        write(&set(), &path);
        let bytes = std::fs::read(&path).unwrap();
        for at in (0..bytes.len()).step_by(97).chain([0, 17, 20, bytes.len() - 1]) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x40;
            std::fs::write(&path, &changed).unwrap();
            assert!(MotionSet::read(&path).is_err(), "byte {at}");
        }
        for length in [0, 10, 19, 300, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert!(MotionSet::read(&path).is_err(), "cut to {length}");
        }
        std::fs::write(&path, "[[clip]]\nfile = 'walk.bvh'\n").unwrap();
        assert!(MotionSet::read(&path).unwrap_err().to_string().contains("no motion set"));
    }

    #[test]
    fn sequences_that_do_not_fit_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut set = set();
        set.sequences[0].labels.pop();
        set.sequences[1].positions[7] = f32::NAN;
        let mut writer = SetWriter::create(&folder.path().join("set"), &set.header).unwrap();
        assert!(writer.append(&set.sequences[0]).unwrap_err().to_string().contains("2 labels"));
        assert!(writer.append(&set.sequences[1]).unwrap_err().to_string().contains("frame 0"));
    }
}
