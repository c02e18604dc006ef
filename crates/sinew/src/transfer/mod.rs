//! From a file with a clip to a simulated motion and everything that is written about it.
//!
//! [`prepare`] reads, models and lays the clip onto the character; [`run`] searches, with checkpoints; [`Finished`] performs what was
//! found and measures it; [`files`] makes the files, [`OutputFolder`] writes them. [`replay`] goes the way back from those files.

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
mod run;

pub use assist::{ASSIST_CHECKPOINT, AssistRow, Assisted, assist, assist_settings};
pub use controls::{Controls, SolutionRows};
pub use deviations::worst_deviations;
pub use figures::{Figures, WindowFigures};
pub use finished::{Finished, Summary};
pub use ground::{flights, lowest_point, target_contacts};
pub(crate) use limits::fall_sentence;
pub use limits::{Limits, limits_hit};
pub use output::{OutputFolder, files};
pub use page::page;
pub use pictures::{Pictures, draw, performance_strip, span_strip};
pub use prepare::{Prepared, Task, prepare, preset};
pub(crate) use replay::opened;
pub use replay::{Push, Replay, replay};
pub use run::{CHECKPOINT, RunOptions, Started, run, run_until};
pub(crate) use run::{read_checkpoint, thread_pool};
pub use sinew_transfer::assist::{Sweep, can_be_helped};
pub use sinew_transfer::{
    AssistConfig, AssistPoint, AssistProgress, Begins, ClipInput, Config, FRAME_SECS, Help, HelpFigures, HelpSpan,
    HelpUnits, Metrics, Moment, Performance, Progress, Search, Solution, Stage, Target, Terms, Transfer, TransferError,
    config, metrics,
};
