//! From a file with a clip to a simulated motion and everything that is written about it.
//!
//! [`transfer()`] does all of it: [`prepare`] reads, models and lays the clip onto the character; the search runs as long work, with checkpoints;
//! [`Finished`] performs what was found and measures it; [`files`] makes the files, [`OutputFolder`] writes them. [`replay`] goes the way back from those files.

mod assist;
mod assist_page;
mod controls;
mod deviations;
mod figures;
mod finished;
mod ground;
mod limits;
mod output;
mod page;
mod pictures;
mod prepare;
mod replay;
mod request;
mod verdict;

pub use crate::manifest::MANIFEST;
pub use crate::output_folder::{NewResult, OutputFolder};
pub use assist::{AssistRow, Assisted, assist};
pub use controls::{Controls, SolutionRows};
pub use deviations::worst_deviations;
pub use figures::{Figures, WindowFigures};
pub use finished::{Finished, Summary};
pub use ground::{flights, lowest_point, target_contacts};
pub use limits::{Limits, limits_hit};
pub(crate) use limits::{fall_sentence, listed};
pub use output::{LARGEST_FILE, NAMES, files};
pub use page::page;
pub use pictures::{Pictures, beside_target, draw, performance_strip, span_strip};
pub use prepare::{Prepared, Task, prepare};
pub(crate) use replay::opened;
pub use replay::{Push, Replay, replay};
pub(crate) use request::remove;
pub use request::{ASSIST_CHECKPOINT, CHECKPOINT, Event, Request, Transferred, last_part, transfer};
pub use sinew_transfer::assist::{Sweep, can_be_assisted};
pub use sinew_transfer::{
    Aspect, AssistConfig, AssistFigures, AssistPoint, AssistSpan, AssistUnits, AssistWrench, Begins, ClipInput, Config,
    FRAME_SECS, Fidelity, Judgement, Metrics, Moment, Performance, Preset, Search, Solution, Stage, SweepWork, Target,
    Terms, Transfer, TransferError, TransferWork, Verdict, config, metrics,
};
pub use verdict::verdict_sentence;
