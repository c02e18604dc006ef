//! Why a transferred motion cannot be used.

use std::path::PathBuf;

/// Why a transferred motion cannot be performed, trained on or started from.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// Numbers in `controls.json` are not of the character beside it.
    #[error(
        "controls.json: row {row} of {field} has {found} numbers, but the character needs {wanted}; it is another character's"
    )]
    OtherCharacter {
        /// Field of the file.
        field: &'static str,
        /// The first row that does not fit.
        row: usize,
        /// Numbers in it.
        found: usize,
        /// Numbers that the character needs.
        wanted: usize,
    },
    /// A push comes before the beginning or after the end.
    #[error("a push at {at_secs} s is outside of the motion, which lasts {duration_secs:.2} s; push within it")]
    PushTime {
        /// When it was asked for, s.
        at_secs: f64,
        /// How long the motion lasts, s.
        duration_secs: f64,
    },
    /// A motion that falls should be tracked.
    #[error("{}: the motion falls, and what falls cannot be tracked; transfer it again ({fall})", folder.display())]
    Falls {
        /// Folder of the transfer.
        folder: PathBuf,
        /// When and why it falls.
        fall: String,
    },
    /// A motion that is helped from outside should be trained on.
    #[error(
        "{character}, {clip}: the motion is helped from outside, which no policy can learn; train on the plain transfer"
    )]
    Helped {
        /// The character.
        character: String,
        /// The clip.
        clip: String,
    },
    /// A motion without a cycle should be trained on.
    #[error(
        "{character}, {clip}: the motion does not repeat itself, so there is no cycle to train on; transfer 5 cycles of it or more, or give the length of a cycle"
    )]
    NoCycle {
        /// The character.
        character: String,
        /// The clip.
        clip: String,
    },
    /// The length of a cycle makes no sense.
    #[error("a cycle of {secs} s cannot be trained on; give from {least} s to {most} s")]
    Period {
        /// What was asked for, s.
        secs: f64,
        /// Shortest cycle, s.
        least: f64,
        /// Longest cycle, s.
        most: f64,
    },
    /// The number of repetitions makes no sense.
    #[error("{cycles} cycles cannot be performed; give from 1 to {most}")]
    Cycles {
        /// What was asked for.
        cycles: usize,
        /// Most of them.
        most: usize,
    },
    /// A motion from which a search for jumps should start has no flight.
    #[error(
        "{folder} ({motion}): the character is never in the air for {least_secs} s, so there is no jump to start from; transfer a jump"
    )]
    NoFlight {
        /// The folder.
        folder: PathBuf,
        /// Character and clip.
        motion: String,
        /// Shortest flight that counts, s.
        least_secs: f64,
    },
    /// A character from whose motion a search for jumps should start has no legs.
    #[error(
        "{folder} ({motion}): no leg of thigh, shin and foot was found below the root; transfer a two-legged character"
    )]
    NoLeg {
        /// The folder.
        folder: PathBuf,
        /// Character and clip.
        motion: String,
    },
    /// No jump that lands was found near a motion.
    #[error(
        "{folder} ({motion}): no jump that lands was found near this one (the best one ends after {secs:.1} s: {failure}); start from the hand-made jump, or from another one"
    )]
    NoLanding {
        /// The folder.
        folder: PathBuf,
        /// Character and clip.
        motion: String,
        /// When the best jump ends, s.
        secs: f64,
        /// How.
        failure: &'static str,
    },
    /// A jump of a front does not come out again.
    #[error("jump {index} of the front reached {height} m in the search, but from its file comes to {found}")]
    NotRepeated {
        /// Its index.
        index: usize,
        /// Its height in the search, m.
        height: f64,
        /// What it came to.
        found: String,
    },
    /// What was performed cannot be written as a file of this kind.
    #[error("{}: {problem}", path.display())]
    Take {
        /// The file.
        path: PathBuf,
        /// Why not, and what to do.
        problem: &'static str,
    },
}
