//! The making of a set as long work: captured clips first, then augmented sequences, some at a time.

use crate::augment::{AugmentFigures, Augmenter};
use crate::error::LearnError;
use crate::motion_set::{RATE_HZ, SetHeader};
use crate::set_file::SetWriter;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sinew_files::fnv::fnv1a;
use sinew_work::{Identity, Progress, Work};
use std::path::PathBuf;
use std::sync::Mutex;

/// Sequences of a piece of work; not the number of threads, on which nothing may depend.
const PIECE: u64 = 4;

/// Writes a set into a file as it is made.
pub struct DataWork<'a> {
    augmenter: Augmenter<'a>,
    header: SetHeader,
    path: PathBuf,
    writer: Mutex<Option<(SetWriter, [u64; 3])>>,
}

/// How far a set is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataState {
    /// Bytes, sequences and frames in the file.
    pub mark: [u64; 3],
    /// Augmented sequences so far.
    pub made: u64,
    /// Augmented frames so far.
    pub frames: u64,
    /// Whether the file is finished.
    pub is_finished: bool,
    /// Figures of the augmented sequences.
    pub figures: AugmentFigures,
}

impl<'a> DataWork<'a> {
    /// Work that writes into the file `path`.
    pub fn new(augmenter: Augmenter<'a>, path: PathBuf) -> DataWork<'a> {
        let header = SetHeader::new(augmenter.figure, augmenter.actions.to_vec());
        DataWork { augmenter, header, path, writer: Mutex::new(None) }
    }

    /// Frames of augmented motion that are asked for.
    pub fn wanted_frames(&self) -> u64 {
        (self.augmenter.config.minutes * 60.0 * RATE_HZ).round() as u64
    }

    /// Does something with a writer that stands where the state says.
    fn write(
        &self,
        mark: [u64; 3],
        act: impl FnOnce(&mut SetWriter) -> Result<(), LearnError>,
    ) -> Result<[u64; 3], LearnError> {
        let mut kept = self.writer.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // After a kill, or a piece that was given up, the file may be longer than the state knows.
        let mut writer = match kept.take() {
            Some((writer, at)) if at == mark => writer,
            _ => SetWriter::resume(&self.path, &self.header, mark)?,
        };
        act(&mut writer)?;
        let mark = writer.mark()?;
        *kept = Some((writer, mark));
        Ok(mark)
    }

    fn finish(&self, state: &mut DataState) -> Result<(), LearnError> {
        self.writer.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        SetWriter::resume(&self.path, &self.header, state.mark)?.finish()?;
        state.is_finished = true;
        Ok(())
    }
}

impl Work for DataWork<'_> {
    type State = DataState;
    type Error = LearnError;
    const KIND: &'static str = "data set";
    const VERSION: u32 = 1;

    fn identity(&self) -> Identity {
        let Augmenter { captured, actions, config, seed, .. } = &self.augmenter;
        let numbers = captured.positions.iter().flat_map(|x| x.to_le_bytes());
        let labels = captured.labels.iter().chain(&captured.contacts).flat_map(|x| x.to_le_bytes());
        Identity::default()
            .hashed("character", fnv1a(self.header.character.to_toml().bytes()))
            .hashed("set of clips", fnv1a(numbers.chain(labels)))
            .part("set of labels", actions)
            .part("configuration", config)
            .part("seed", seed)
    }

    fn begin(&self) -> Result<DataState, LearnError> {
        let Augmenter { captured, figure, actions, .. } = &self.augmenter;
        let mut writer = SetWriter::create(&self.path, &self.header)?;
        for sequence in captured.sequences(figure, actions) {
            writer.append(&sequence)?;
        }
        let mark = writer.mark()?;
        Ok(DataState { mark, made: 0, frames: 0, is_finished: false, figures: AugmentFigures::default() })
    }

    fn is_done(&self, state: &DataState) -> bool {
        state.is_finished
    }

    fn advance(&self, state: &mut DataState) -> Result<(), LearnError> {
        let wanted = self.wanted_frames();
        if state.frames >= wanted {
            return self.finish(state);
        }
        let length = (self.augmenter.config.sequence_secs * RATE_HZ) as u64;
        let count = (wanted - state.frames).div_ceil(length.max(1)).min(PIECE);
        let made: Result<Vec<_>, LearnError> =
            (state.made..state.made + count).into_par_iter().map(|number| self.augmenter.make(number)).collect();
        let made = made?;
        let (mut frames, mut figures, mut count) = (state.frames, state.figures, state.made);
        state.mark = self.write(state.mark, |writer| {
            for augmented in &made {
                let mut sequence = augmented.sequence.clone();
                // The last one is as long as is still asked for.
                let left = (wanted - frames) as usize;
                if left == 0 {
                    break;
                }
                sequence.truncate(left);
                frames += sequence.frame_count() as u64;
                figures.join(&augmented.figures);
                count += 1;
                writer.append(&sequence)?;
            }
            Ok(())
        })?;
        (state.frames, state.figures, state.made) = (frames, figures, count);
        Ok(())
    }

    fn progress(&self, state: &DataState) -> Progress {
        let minutes = |frames: u64| frames as f64 / (60.0 * RATE_HZ);
        Progress {
            doing: format!("{:.1} of {:.1} minutes", minutes(state.frames), minutes(self.wanted_frames())),
            done: state.frames as f64,
            total: self.wanted_frames() as f64,
            ..Progress::default()
        }
    }
}
